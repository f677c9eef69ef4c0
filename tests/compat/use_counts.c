/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the reference counts that hooks and callbacks of structural walks see on the values that
 * they are given, on whichever runtime is loaded; use_counts.py compares two. A line is a walk:
 *
 *     map-post leaves fresh moved A(A(p')): mp2 cp2 -> same =A1
 *
 * Values are written as: A() Array, L() List, M() Map, D() Dict, with keys 0, 1, ...; K() a Dict
 * whose keys are its values; s a String, 1 an int.
 *
 * Other letters are objects with up to two fields: N() with fields read by the library's getter,
 * F() by a getter of this program, P() with hooks that are C functions and go on to the first
 * field, Q() with hooks that are Functions and do the same, G() a node of a graph, V() a variable,
 * E() whose first field defines a variable. p, q, g and v have no fields; x has neither fields nor
 * hooks. A ' after a value means that it has one more owner.
 *
 * Events: c is a callback, followed by the mode of a mutation; v __s_visit__, m __s_mutate__,
 * i __s_maybe_inplace_mutate__, y __ffi_shallow_copy__. Of this program's visitors and mutators:
 * t is visit or mutate, T maybe_inplace_mutate, r var_remap_get, w var_remap_set. After the event
 * come the value and its number of references, and a ~ if it also has weak references.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

/* ---- Values ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIAny fields[2];
} node;

/* The layout of visitors and mutators in the ABI; a visitor's table has only the first entry. */
typedef TVMFFIAny (*action)(void *self, TVMFFIAny value);
typedef struct {
  action mutate, mutate_in_place, get_mapped;
  TVMFFIAny (*set_mapped)(void *self, TVMFFIAny variable, TVMFFIAny mapped);
} agent_table;
typedef struct {
  TVMFFIObject header;
  const agent_table *table;
  int32_t region;
} agent;

static int32_t types[128];   /* type indices by letter */
static TVMFFIAny others[16]; /* the extra owners, of values written with a ' */
static int num_others;
static char events[1 << 14]; /* of the current walk, as text */

/* Ends the program, printing the raised error. */
static void fail(const char *message) {
  fflush(stdout);
  fprintf(stderr, "%s: ", message);
  tvm_ffi_error_print_raised(stderr);
  exit(2);
}

#define CHECK(call)               \
  do {                            \
    if ((call) != 0) fail(#call); \
  } while (0)

static TVMFFIAny unchanged(void) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIUnchanged;
  return any;
}

static TVMFFIAny copy(TVMFFIAny value) {
  TVMFFIAny owned;
  CHECK(TVMFFIAnyViewToOwnedAny(&value, &owned));
  return owned;
}

static bool is_object(TVMFFIAny value) {
  return value.type_index >= kTVMFFIStaticObjectBegin;
}

static node *as_node(TVMFFIAny value) {
  return (node *)value.v_obj;
}

static void *new_object(size_t size, int32_t type_index, void (*deleter)(void *self, int flags)) {
  TVMFFIObject *made = (TVMFFIObject *)calloc(1, size);
  if (made == NULL) exit(2);
  made->combined_ref_count = ((uint64_t)1 << 32) | 1;
  made->type_index = type_index;
  made->deleter = deleter;
  return made;
}

static void delete_node(void *self, int flags) {
  node *made = (node *)self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    tvm_ffi_any_clear(&made->fields[0]);
    tvm_ffi_any_clear(&made->fields[1]);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) free(self);
}

static TVMFFIAny new_node(int32_t type_index, TVMFFIAny first, TVMFFIAny second) {
  node *made = (node *)new_object(sizeof *made, type_index, delete_node);
  made->fields[0] = first;
  made->fields[1] = second;
  return tvm_ffi_any_take_object(made);
}

static TVMFFIAny new_leaf(void) {
  return new_node(types['x'], tvm_ffi_any_none(), tvm_ffi_any_none());
}

static char letter_of(TVMFFIAny value) {
  int letter;
  switch (value.type_index) {
    case kTVMFFIStr:
      return 's';
    case kTVMFFIArray:
      return 'A';
    case kTVMFFIList:
      return 'L';
    case kTVMFFIMap:
      return 'M';
    case kTVMFFIDict:
      return 'D';
  }
  for (letter = 'A'; letter <= 'z'; ++letter) {
    if (types[letter] == value.type_index) return (char)letter;
  }
  return '1';
}

static bool is_leaf(TVMFFIAny value) {
  return letter_of(value) >= 'a' || !is_object(value);
}

/* Appends an event to the text. */
static void note(char event, TVMFFIAny value) {
  char *end = events + strlen(events);
  uint64_t count;
  if (!is_object(value)) return;
  count = ((const TVMFFIObject *)value.v_obj)->combined_ref_count;
  if (end + 32 > events + sizeof events) exit(2);
  sprintf(end, " %c%c%u%s", event, letter_of(value), (unsigned)(count & UINT32_MAX),
          count >> 32 == 1 ? "" : "~");
}

/* Calls a global function with two arguments; *result is [own]. */
static int call2(const char *name, TVMFFIAny a, TVMFFIAny b, TVMFFIAny *result) {
  TVMFFIAny args[2];
  args[0] = a;
  args[1] = b;
  *result = tvm_ffi_any_none();
  return tvm_ffi_function_call_global(name, args, 2, result);
}

/* A container of the values. [take] */
static TVMFFIAny make_container(char letter, TVMFFIAny *values, int num) {
  TVMFFIAny items[8], made;
  bool is_map = letter == 'M' || letter == 'D' || letter == 'K';
  const char *name = letter == 'A'   ? "ffi.Array"
                     : letter == 'L' ? "ffi.List"
                     : letter == 'M' ? "ffi.Map"
                                     : "ffi.Dict";
  int i;
  for (i = 0; i < num; ++i) {
    if (is_map) items[2 * i] = letter == 'K' ? values[i] : tvm_ffi_any_from_int64(i);
    items[is_map ? 2 * i + 1 : i] = values[i];
  }
  CHECK(tvm_ffi_function_call_global(name, items, is_map ? 2 * num : num, &made));
  for (i = 0; i < num; ++i) tvm_ffi_any_clear(&values[i]);
  return made;
}

/* Reads a value and moves *text behind it. */
static TVMFFIAny read_value(const char **text) {
  TVMFFIAny values[4], made;
  char letter = *(*text)++;
  int num = 0;
  values[0] = values[1] = tvm_ffi_any_none();
  if (**text == '(') {
    do {
      ++*text;
      values[num++] = read_value(text);
    } while (**text == ',');
    ++*text;
  }
  if (letter == '1') return tvm_ffi_any_from_int64(1);
  if (letter == 's') {
    made = copy(tvm_ffi_any_view_string("a text of some length"));
  } else if (strchr("ALMDK", letter) != NULL) {
    made = make_container(letter, values, num);
  } else {
    made = new_node(types[(int)letter], values[0], values[1]);
  }
  if (**text == '\'') {
    ++*text;
    others[num_others++] = copy(made);
  }
  return made;
}

/* ---- Hooks of every kind ---- */

static TVMFFIAny take_error(void) {
  return tvm_ffi_any_take_object(tvm_ffi_error_take());
}

/* A copy of the object with another first field; or the field itself if unchanged or an error. */
static TVMFFIAny with_field(TVMFFIAny value, TVMFFIAny field) {
  if (field.type_index == kTVMFFIUnchanged || field.type_index == kTVMFFIError) return field;
  return new_node(value.type_index, field, copy(as_node(value)->fields[1]));
}

static void set_field(TVMFFIAny value, TVMFFIAny field) {
  TVMFFIAny old = as_node(value)->fields[0];
  as_node(value)->fields[0] = field;
  tvm_ffi_any_clear(&old);
}

static TVMFFIAny visit_leaf(void *visitor, TVMFFIAny value) {
  (void)visitor;
  note('v', value);
  return tvm_ffi_any_none();
}

static TVMFFIAny mutate_leaf(void *mutator, TVMFFIAny value) {
  (void)mutator;
  note('m', value);
  return unchanged();
}

static TVMFFIAny mutate_leaf_in_place(void *mutator, TVMFFIAny value) {
  (void)mutator;
  note('i', value);
  return unchanged();
}

static TVMFFIAny visit_field(void *visitor, TVMFFIAny value) {
  note('v', value);
  return ((agent *)visitor)->table->mutate(visitor, as_node(value)->fields[0]);
}

static TVMFFIAny mutate_field(void *mutator, TVMFFIAny value) {
  note('m', value);
  return with_field(value, ((agent *)mutator)->table->mutate(mutator, as_node(value)->fields[0]));
}

/* Mutates the field in place too if the object holds the only reference to it. */
static TVMFFIAny mutate_field_in_place(void *mutator, TVMFFIAny value) {
  const agent_table *table = ((agent *)mutator)->table;
  TVMFFIAny field = as_node(value)->fields[0], given;
  bool is_unique = is_object(field) && ((const TVMFFIObject *)field.v_obj)->combined_ref_count ==
                                           (((uint64_t)1 << 32) | 1);
  note('i', value);
  given = is_unique ? table->mutate_in_place(mutator, field) : table->mutate(mutator, field);
  if (given.type_index == kTVMFFIUnchanged || given.type_index == kTVMFFIError) return given;
  set_field(value, given);
  return unchanged();
}

static int give(TVMFFIAny outcome, TVMFFIAny *result) {
  *result = outcome;
  return 0;
}

static int call_visit_leaf(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  (void)self;
  (void)num;
  return give(visit_leaf(args[0].v_obj, args[1]), result);
}

static int call_mutate_leaf(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  (void)self;
  (void)num;
  return give(mutate_leaf(args[0].v_obj, args[1]), result);
}

static int call_mutate_leaf_in_place(void *self, const TVMFFIAny *args, int32_t num,
                                     TVMFFIAny *result) {
  (void)self;
  (void)num;
  return give(mutate_leaf_in_place(args[0].v_obj, args[1]), result);
}

static int call_visit_field(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  (void)self;
  (void)num;
  note('v', args[1]);
  return call2("ffi.StructuralVisitorVisit", args[0], as_node(args[1])->fields[0], result);
}

/* Mutates the first field by the global function; false if the result is the same field. */
static bool mutate_by_name(const TVMFFIAny *args, TVMFFIAny *out) {
  TVMFFIAny field = as_node(args[1])->fields[0];
  CHECK(call2("ffi.StructuralMutatorMutate", args[0], field, out));
  if (out->type_index != field.type_index || out->v_uint64 != field.v_uint64) return true;
  tvm_ffi_any_clear(out);
  return false;
}

static int call_mutate_field(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  TVMFFIAny field;
  (void)self;
  (void)num;
  note('m', args[1]);
  return give(mutate_by_name(args, &field) ? with_field(args[1], field) : unchanged(), result);
}

static int call_mutate_field_in_place(void *self, const TVMFFIAny *args, int32_t num,
                                      TVMFFIAny *result) {
  TVMFFIAny field;
  (void)self;
  (void)num;
  note('i', args[1]);
  if (mutate_by_name(args, &field)) set_field(args[1], field);
  return give(unchanged(), result);
}

static int copy_node(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  const node *original = as_node(args[0]);
  (void)self;
  (void)num;
  note('y', args[0]);
  *result = new_node(args[0].type_index, copy(original->fields[0]), copy(original->fields[1]));
  return 0;
}

static int get_field(void *field, TVMFFIAny *result) {
  *result = copy(*(const TVMFFIAny *)field);
  return 0;
}

static int write_field(void *field, const TVMFFIAny *value) {
  TVMFFIAny old = *(TVMFFIAny *)field;
  *(TVMFFIAny *)field = copy(*value);
  tvm_ffi_any_clear(&old);
  return 0;
}

/* ---- Types ---- */

typedef struct {
  char letter;
  bool has_fields;
  TVMFFISEqHashKind equality;
  int64_t flags; /* flags of the first field */
} type_entry;

static const type_entry kTypes[] = {
    {'x', false, kTVMFFISEqHashKindTreeNode, 0},
    {'p', false, kTVMFFISEqHashKindTreeNode, 0},
    {'q', false, kTVMFFISEqHashKindTreeNode, 0},
    {'g', false, kTVMFFISEqHashKindDAGNode, 0},
    {'v', false, kTVMFFISEqHashKindFreeVar, 0},
    {'N', true, kTVMFFISEqHashKindTreeNode, 0},
    {'F', true, kTVMFFISEqHashKindTreeNode, 0},
    {'P', true, kTVMFFISEqHashKindTreeNode, 0},
    {'Q', true, kTVMFFISEqHashKindTreeNode, 0},
    {'G', true, kTVMFFISEqHashKindDAGNode, 0},
    {'V', true, kTVMFFISEqHashKindFreeVar, 0},
    {'E', true, kTVMFFISEqHashKindTreeNode, kTVMFFIFieldFlagBitMaskSEqHashDefPattern},
};

typedef struct {
  char letter;
  action visit, mutate, mutate_in_place;
} native_hooks;

static const native_hooks kNativeHooks[] = {
    {'p', visit_leaf, mutate_leaf, mutate_leaf_in_place},
    {'P', visit_field, mutate_field, mutate_field_in_place},
};

typedef struct {
  char letter;
  TVMFFISafeCallType visit, mutate, mutate_in_place;
} function_hooks;

static const function_hooks kFunctionHooks[] = {
    {'q', call_visit_leaf, call_mutate_leaf, call_mutate_leaf_in_place},
    {'Q', call_visit_field, call_mutate_field, call_mutate_field_in_place},
};

enum {
  kNumTypes = sizeof kTypes / sizeof *kTypes,
  kNumNativeHooks = sizeof kNativeHooks / sizeof *kNativeHooks,
  kNumFunctionHooks = sizeof kFunctionHooks / sizeof *kFunctionHooks
};

static TVMFFIByteArray bytes_of(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

static TVMFFIAny new_function(TVMFFISafeCallType call) {
  TVMFFIObjectHandle made = NULL;
  CHECK(TVMFFIFunctionCreate(NULL, call, NULL, &made));
  return tvm_ffi_any_take_object(made);
}

/* Registers an attribute. [take] value */
static void set_attr(char letter, const char *name, TVMFFIAny value) {
  TVMFFIByteArray bytes = bytes_of(name);
  CHECK(TVMFFITypeRegisterAttr(types[(int)letter], &bytes, &value));
  tvm_ffi_any_clear(&value);
}

static TVMFFIAny native(action function) {
  union {
    action function;
    void *address;
  } cast;
  cast.function = function;
  return tvm_ffi_any_from_pointer(cast.address);
}

static void add_field(int32_t type_index, const char *name, int i, TVMFFIFieldGetter getter,
                      int64_t flags) {
  union {
    TVMFFIFieldSetter function;
    void *address;
  } setter;
  TVMFFIFieldInfo field;
  memset(&field, 0, sizeof field);
  setter.function = write_field;
  field.name = bytes_of(name);
  field.doc = field.metadata = bytes_of("");
  field.flags = kTVMFFIFieldFlagBitMaskWritable | flags;
  field.size = sizeof(TVMFFIAny);
  field.alignment = 8;
  field.offset = (int64_t)(offsetof(node, fields) + (size_t)i * sizeof(TVMFFIAny));
  field.getter = getter;
  field.setter = setter.address;
  field.field_static_type_index = kTVMFFIAny;
  CHECK(TVMFFITypeRegisterField(type_index, &field));
}

static TVMFFIFieldGetter find_getter(void) {
  TVMFFIAny storage = tvm_ffi_any_from_int64(kTVMFFIAny), getter;
  CHECK(tvm_ffi_function_call_global("ffi.MakeFieldGetter", &storage, 1, &getter));
  return (TVMFFIFieldGetter)(intptr_t)getter.v_int64;
}

static void add_type(const type_entry *entry, TVMFFIFieldGetter own_getter) {
  char key[] = "use_counts.?";
  TVMFFIFieldGetter getter = entry->letter == 'F' ? get_field : own_getter;
  TVMFFIByteArray bytes;
  TVMFFITypeMetadata metadata;
  int32_t type_index;
  key[sizeof key - 2] = entry->letter;
  bytes = bytes_of(key);
  type_index = TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
  types[(int)entry->letter] = type_index;
  memset(&metadata, 0, sizeof metadata);
  metadata.doc = bytes_of("");
  metadata.total_size = sizeof(node);
  metadata.structural_eq_hash_kind = entry->equality;
  CHECK(TVMFFITypeRegisterMetadata(type_index, &metadata));
  if (entry->has_fields) {
    add_field(type_index, "first", 0, getter, entry->flags);
    add_field(type_index, "second", 1, getter, 0);
  }
  set_attr(entry->letter, "__ffi_shallow_copy__", new_function(copy_node));
}

static void add_types(void) {
  TVMFFIFieldGetter getter = find_getter();
  int i;
  for (i = 0; i < kNumTypes; ++i) add_type(&kTypes[i], getter);
  for (i = 0; i < kNumNativeHooks; ++i) {
    const native_hooks *hooks = &kNativeHooks[i];
    set_attr(hooks->letter, "__s_visit__", native(hooks->visit));
    set_attr(hooks->letter, "__s_mutate__", native(hooks->mutate));
    set_attr(hooks->letter, "__s_maybe_inplace_mutate__", native(hooks->mutate_in_place));
  }
  for (i = 0; i < kNumFunctionHooks; ++i) {
    const function_hooks *hooks = &kFunctionHooks[i];
    set_attr(hooks->letter, "__s_visit__", new_function(hooks->visit));
    set_attr(hooks->letter, "__s_mutate__", new_function(hooks->mutate));
    set_attr(hooks->letter, "__s_maybe_inplace_mutate__", new_function(hooks->mutate_in_place));
  }
}

/* ---- Walks ---- */

/* The walk in progress. */
typedef enum { kKeep, kSame, kFresh } giving; /* callbacks give: nothing, the value, another one */
typedef enum { kWalk, kVisit, kMap, kMutate } walking;
static giving gives;
static walking walks;

/* ---- Callbacks ---- */

static int call_back(void *self, const TVMFFIAny *args, int32_t num, TVMFFIAny *result) {
  (void)self;
  note('c', args[0]);
  if (walks == kWalk) return 0;
  if (walks == kVisit) {
    return is_leaf(args[0]) ? 0
                            : call2("ffi.StructuralVisitorDefaultVisit", args[1], args[0], result);
  }
  if (walks == kMutate) {
    if (num == 3) sprintf(events + strlen(events), "/%d", (int)args[2].v_int64);
    if (!is_leaf(args[0])) {
      return call2("ffi.StructuralMutatorDefaultMutate", args[1], args[0], result);
    }
  }
  *result = gives == kSame                        ? copy(args[0])
            : gives == kFresh && is_leaf(args[0]) ? new_leaf()
                                                  : unchanged();
  return 0;
}

/* An Array of the items. [take] */
static TVMFFIAny make_array(TVMFFIAny *items, int32_t num) {
  TVMFFIObjectHandle made = NULL;
  int32_t i;
  CHECK(tvm_ffi_array_create(items, num, &made));
  for (i = 0; i < num; ++i) tvm_ffi_any_clear(&items[i]);
  return tvm_ffi_any_take_object(made);
}

/* A list with one callback for each type; a third element, a bool, is appended unless negative. */
static TVMFFIAny list_callbacks(const int32_t *type_indices, int num, int third) {
  TVMFFIAny entries[8], items[3];
  int i;
  for (i = 0; i < num; ++i) {
    items[0] = tvm_ffi_any_from_int64(type_indices[i]);
    items[1] = new_function(call_back);
    items[2] = tvm_ffi_any_from_bool(third > 0);
    entries[i] = make_array(items, third < 0 ? 2 : 3);
  }
  return make_array(entries, num);
}

/* Callbacks for all values, or only for values that contain no others. */
static TVMFFIAny make_callbacks(bool for_all, int third) {
  int32_t type_indices[6];
  type_indices[0] = for_all ? -1 : types['x'];
  type_indices[1] = types['p'];
  type_indices[2] = types['q'];
  type_indices[3] = types['g'];
  type_indices[4] = types['v'];
  type_indices[5] = kTVMFFIStr;
  return list_callbacks(type_indices, for_all ? 1 : 6, third);
}

/* ---- Visitors and mutators of this program ---- */

static TVMFFIAny find_attr(const char *name, int32_t type_index) {
  TVMFFIByteArray bytes = bytes_of(name);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&bytes);
  int32_t i = column == NULL ? -1 : type_index - column->begin_index;
  return i >= 0 && i < column->size ? ((const TVMFFIAny *)column->data)[i] : tvm_ffi_any_none();
}

/* Calls the value's hook, or if it has none the global function `otherwise`. */
static TVMFFIAny call_hook(const char *name, const char *otherwise, void *self, TVMFFIAny value) {
  TVMFFIAny hook = find_attr(name, value.type_index), args[2], result = tvm_ffi_any_none();
  union {
    void *address;
    action function;
  } cast;
  args[0] = tvm_ffi_any_view_object(self);
  args[1] = value;
  cast.address = hook.v_ptr;
  if (hook.type_index == kTVMFFIOpaquePtr) return cast.function(self, value);
  if (hook.type_index == kTVMFFIFunction) {
    return TVMFFIFunctionCall(hook.v_obj, args, 2, &result) == 0 ? result : take_error();
  }
  if (call2(otherwise, args[0], value, &result) != 0) return take_error();
  if (!is_object(result) || result.v_obj != value.v_obj) return result;
  tvm_ffi_any_clear(&result);
  return unchanged();
}

static TVMFFIAny visit(void *self, TVMFFIAny value) {
  note('t', value);
  if (!is_object(value)) return tvm_ffi_any_none();
  return call_hook("__s_visit__", "ffi.StructuralVisitorDefaultVisit", self, value);
}

static TVMFFIAny mutate_by(const char *hook, void *self, TVMFFIAny value) {
  if (gives == kFresh && is_leaf(value)) return new_leaf();
  if (!is_object(value)) return unchanged();
  return call_hook(hook, "ffi.StructuralMutatorDefaultMutate", self, value);
}

static TVMFFIAny mutate(void *self, TVMFFIAny value) {
  note('t', value);
  return mutate_by("__s_mutate__", self, value);
}

static TVMFFIAny mutate_in_place(void *self, TVMFFIAny value) {
  note('T', value);
  return mutate_by("__s_maybe_inplace_mutate__", self, value);
}

static TVMFFIAny get_mapped(void *self, TVMFFIAny value) {
  (void)self;
  note('r', value);
  return tvm_ffi_any_none();
}

static TVMFFIAny set_mapped(void *self, TVMFFIAny value, TVMFFIAny mapped) {
  (void)self;
  (void)mapped;
  note('w', value);
  return tvm_ffi_any_none();
}

static const agent_table kVisitorTable = {visit, NULL, NULL, NULL};
static const agent_table kMutatorTable = {mutate, mutate_in_place, get_mapped, set_mapped};

static void delete_agent(void *self, int flags) {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) free(self);
}

static TVMFFIAny new_agent(const char *key, const agent_table *table) {
  TVMFFIByteArray bytes = bytes_of(key);
  int32_t type_index;
  agent *made;
  CHECK(TVMFFITypeKeyToIndex(&bytes, &type_index));
  made = (agent *)new_object(sizeof *made, type_index, delete_agent);
  made->table = table;
  return tvm_ffi_any_take_object(made);
}

/* ---- Walks ---- */

typedef struct {
  const char *name, *function;
  walking walks;
  int order;  /* pre- or post-order, of a walk or a map */
  bool more;  /* callbacks get the kind of region (walk, map) or the mode (mutate) too */
  bool takes; /* the root may be passed as an rvalue */
} way;

static const way kWays[] = {
    {"walk-pre", "ffi.StructuralWalk", kWalk, 0, false, false},
    {"walk-post", "ffi.StructuralWalk", kWalk, 1, false, false},
    {"walk-pre-region", "ffi.StructuralWalk", kWalk, 0, true, false},
    {"walk-post-region", "ffi.StructuralWalk", kWalk, 1, true, false},
    {"visit", "ffi.StructuralVisit", kVisit, 0, false, false},
    {"map-pre", "ffi.StructuralMap", kMap, 0, false, true},
    {"map-post", "ffi.StructuralMap", kMap, 1, false, true},
    {"map-pre-region", "ffi.StructuralMap", kMap, 0, true, true},
    {"map-post-region", "ffi.StructuralMap", kMap, 1, true, true},
    {"mutate", "ffi.StructuralMutate", kMutate, 0, false, true},
    {"mutate-mode", "ffi.StructuralMutate", kMutate, 0, true, true},
};

/* The values to walk over, separated by blanks. */
static const char kValues[] =
    "x p q s x' g v "
    /* containers */
    "A(x) A(p) A(q) A(s) A(x') A(p,p) A(1,p,1) L(x) L(p) L(q) L(s) L(p') L(p,p) "
    "L(1,p,1) M(x) M(p) M(q) M(p') M(p,p) D(x) D(p) D(q) D(p') D(p,p) D(1,p,1) "
    "D(s,p,x,q) K(s) K(p) K(p,x) A(g) L(v) "
    /* fields */
    "N(x) N(p) N(q) N(s) N(p') N(p,p) F(x) F(p) F(q) F(p') F(p,p) P(x) P(p) P(p') Q(x) "
    "Q(p) Q(p') G(p) V(p) E(v,1) E(v,v) E(V(p),1) "
    /* two levels */
    "A(A(p)) A(L(p)) A(M(p)) A(D(p)) L(A(p)) L(L(p)) L(M(p)) L(D(p)) M(A(p)) M(L(p)) "
    "M(M(p)) M(D(p)) D(A(p)) D(L(p)) D(M(p)) D(D(p)) A(N(p)) L(N(p)) M(N(p)) D(N(p)) "
    "N(A(p)) N(L(p)) N(M(p)) N(D(p)) N(N(p)) N(F(p)) F(N(p)) F(L(p)) L(F(p)) A(P(p)) "
    "A(Q(p)) N(P(p)) N(Q(p)) P(N(p)) Q(N(p)) K(L(p)) A(G(p)) A(V(p)) A(A(p)') A(A(p')) "
    "L(L(p)') L(L(p')) N(L(p)') A(N(p)') A(G(p)') "
    /* three levels and more */
    "A(A(A(p))) L(L(L(p))) L(A(L(p))) D(M(D(p))) N(N(N(p))) A(N(L(p))) N(L(N(p))) "
    "D(L(N(p))) L(D(A(x))) L(L(L(q),q),q) L(P(L(p))) L(Q(L(p))) P(P(P(p))) Q(Q(Q(p))) "
    "Q(P(Q(p))) A(E(V(p),p)) L(E(A(V(p)),s))";

enum { kNumWays = sizeof kWays / sizeof *kWays };

static const char *const kGivings[] = {"keep", "same", "fresh"};

/* Prints the result of a walk, and releases the extra owners. */
static void end_line(TVMFFIAny was, TVMFFIAny result) {
  const char *kind = result.type_index == kTVMFFINone        ? "none"
                     : result.type_index == kTVMFFIUnchanged ? "unchanged"
                     : result.type_index == kTVMFFIError     ? "error"
                     : result.v_uint64 == was.v_uint64       ? "same"
                                                             : "another";
  printf("%s -> %s", events, kind);
  events[0] = '\0';
  if (is_object(result)) note('=', result);
  printf("%s\n", events);
  events[0] = '\0';
  while (num_others > 0) tvm_ffi_any_clear(&others[--num_others]);
}

/* A walk by callbacks. The root is moved in or borrowed. */
static void run(const way *setup, const char *value, bool for_all, bool is_moved) {
  const char *text = value;
  TVMFFIAny root = read_value(&text), args[4], result = tvm_ffi_any_none();
  TVMFFIObjectHandle handle = root.v_obj;
  bool has_order = setup->walks == kWalk || setup->walks == kMap;
  walks = setup->walks;
  printf("%s %s %s%s %s:", setup->name, for_all ? "all" : "leaves", kGivings[gives],
         is_moved ? " moved" : "", value);
  args[0] = root;
  if (is_moved) {
    args[0].type_index = kTVMFFIObjectRValueRef;
    args[0].v_ptr = &handle;
  }
  args[1] = has_order ? list_callbacks(NULL, 0, -1)
                      : make_callbacks(for_all, setup->walks == kVisit ? -1 : setup->more);
  args[2] = list_callbacks(NULL, 0, -1);
  if (has_order) {
    TVMFFIAny *used = &args[setup->more ? 2 : 1];
    tvm_ffi_any_clear(used);
    *used = make_callbacks(for_all, -1);
  }
  args[3] = tvm_ffi_any_from_int64(setup->order);
  CHECK(tvm_ffi_function_call_global(setup->function, args, has_order ? 4 : 2, &result));
  tvm_ffi_any_clear(&args[1]);
  tvm_ffi_any_clear(&args[2]);
  end_line(root, result);
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(handle);
}

/* A walk by a visitor or mutator of this program, through the function or, if NULL, the table. */
static void run_agent(const char *name, const char *key, const agent_table *table,
                      const char *function, const char *value) {
  const char *text = value;
  TVMFFIAny root = read_value(&text), self = new_agent(key, table), result;
  printf("%s %s %s:", name, kGivings[gives], value);
  if (function != NULL) {
    CHECK(call2(function, self, root, &result));
  } else if (strcmp(name, "own-inplace") == 0) {
    result = table->mutate_in_place(self.v_obj, root);
  } else {
    result = table->mutate(self.v_obj, root);
  }
  end_line(root, result);
  tvm_ffi_any_clear(&result);
  tvm_ffi_any_clear(&self);
  tvm_ffi_any_clear(&root);
}

static void run_agents(const char *value) {
  static const char kVisitor[] = "ffi.StructuralVisitor", kMutator[] = "ffi.StructuralMutator";
  if (gives == kSame) return;
  if (gives == kKeep) {
    run_agent("own-visit", kVisitor, &kVisitorTable, NULL, value);
    run_agent("own-visit-by-name", kVisitor, &kVisitorTable, "ffi.StructuralVisitorVisit", value);
  }
  run_agent("own-mutate", kMutator, &kMutatorTable, NULL, value);
  run_agent("own-inplace", kMutator, &kMutatorTable, NULL, value);
  run_agent("own-mutate-by-name", kMutator, &kMutatorTable, "ffi.StructuralMutatorMutate", value);
}

static void run_value(const char *value) {
  int i, for_all;
  for (gives = kKeep; gives <= kFresh; ++gives) {
    for (i = 0; i < kNumWays; ++i) {
      if (!kWays[i].takes && gives != kKeep) continue;
      for (for_all = 0; for_all < 2; ++for_all) {
        run(&kWays[i], value, for_all != 0, false);
        if (kWays[i].takes) run(&kWays[i], value, for_all != 0, true);
      }
    }
    run_agents(value);
  }
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
void use_counts_print(void);

void use_counts_print(void) {
  static char values[sizeof kValues];
  char *value;
  memcpy(values, kValues, sizeof values);
  add_types();
  for (value = strtok(values, " "); value != NULL; value = strtok(NULL, " ")) run_value(value);
  fflush(stdout);
}
