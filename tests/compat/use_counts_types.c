/* SPDX-License-Identifier: Apache-2.0 */
/* The types of objects with fields, and hooks of every kind. */
#include <stddef.h>

#include "use_counts.h"

/* ---- Hooks ---- */

TVMFFIAny take_error(void) {
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

TVMFFIByteArray bytes_of(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

TVMFFIAny new_function(TVMFFISafeCallType call) {
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

void add_types(void) {
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
