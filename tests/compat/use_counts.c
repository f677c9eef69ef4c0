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
#include "use_counts.h"

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
