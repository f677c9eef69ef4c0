/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality of random values, in which objects are shared, against a model that compares
 * every occurrence.
 */
#include "c/walk_support.h"
#include "container/any_key.h"
#include "container/map.h"
#include "core/error.h"
#include "structural/structural.h"

enum { kSequences = 3000, kValues = 14, kMostPairs = 1000, kPathSize = 400 };

enum { kTree, kConst, kUnique, kGraph, kVariable, kFunction, kPattern, kHooked, kNumTypes };
static int32_t types[kNumTypes];
static uint64_t state_of_random;

static uint64_t next_random(uint64_t limit) {
  state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (state_of_random >> 33) % limit;
}

/* ---- The model ---- */

typedef struct {
  const TVMFFIObject *a, *b;
} pair;

typedef struct {
  pair pairs[kMostPairs];
  int num_pairs;
  char path[kPathSize];  /* to the current values */
  char found[kPathSize]; /* to the first difference */
  bool is_in_both;       /* so the path is the same in both values */
} model;

static bool compare(model *m, const TVMFFIAny *a, const TVMFFIAny *b, int32_t region);

static const TVMFFIObject *find_partner(const model *m, const TVMFFIObject *a) {
  int i;
  for (i = 0; i < m->num_pairs; ++i) {
    if (m->pairs[i].a == a) return m->pairs[i].b;
  }
  return NULL;
}

static bool has_partner(const model *m, const TVMFFIObject *b) {
  int i;
  for (i = 0; i < m->num_pairs; ++i) {
    if (m->pairs[i].b == b) return true;
  }
  return false;
}

static bool differ(model *m, bool is_in_both) {
  strcpy(m->found, m->path);
  m->is_in_both = is_in_both;
  return false;
}

static bool compare_child(model *m, const char *step, const TVMFFIAny *a, const TVMFFIAny *b,
                          int32_t region) {
  size_t size = strlen(m->path);
  bool is_equal;
  assert_true(size + strlen(step) < sizeof m->path);
  strcat(m->path, step);
  is_equal = compare(m, a, b, region);
  m->path[size] = '\0';
  return is_equal;
}

static bool compare_sequences(model *m, TVMFFIObject *a, TVMFFIObject *b, int32_t region) {
  int64_t i, size_a = TVMFFISeqGetCellPtr(a)->size, size_b = TVMFFISeqGetCellPtr(b)->size;
  for (i = 0; i < size_a && i < size_b; ++i) {
    char step[32];
    sprintf(step, "[%d]", (int)i);
    if (!compare_child(m, step, &((TVMFFIAny *)TVMFFISeqGetCellPtr(a)->data)[i],
                       &((TVMFFIAny *)TVMFFISeqGetCellPtr(b)->data)[i], region)) {
      return false;
    }
  }
  return size_a == size_b || differ(m, false);
}

static bool compare_maps(model *m, TVMFFIObject *a, TVMFFIObject *b, int32_t region) {
  uint64_t position, other;
  for (position = tvmffi_map_first(a); position != TVMFFI_MAP_NONE;
       position = tvmffi_map_next(a, position)) {
    const tvmffi_map_pair *entry = tvmffi_map_at(a, position), *found = NULL;
    TVMFFIAny key = entry->key;
    char step[32];
    if (key.type_index >= kTVMFFIStaticObjectBegin && find_partner(m, key.v_obj) != NULL) {
      key.v_obj = (TVMFFIObject *)(uintptr_t)find_partner(m, key.v_obj);
    }
    for (other = tvmffi_map_first(b); other != TVMFFI_MAP_NONE; other = tvmffi_map_next(b, other)) {
      if (tvmffi_any_key_is_same(&tvmffi_map_at(b, other)->key, &key)) {
        found = tvmffi_map_at(b, other);
      }
    }
    if (found == NULL) return differ(m, false);
    sprintf(step, "[%d]", (int)key.v_int64); /* of keys that are objects: not compared */
    if (!compare_child(m, step, &entry->value, &found->value, region)) {
      if (key.type_index != kTVMFFIInt) m->is_in_both = false;
      return false;
    }
  }
  return tvmffi_map_size(a) == tvmffi_map_size(b) || differ(m, false);
}

static bool compare_fields(model *m, const TVMFFIAny *a, const TVMFFIAny *b, int32_t region) {
  const TVMFFIFieldInfo *fields = TVMFFIGetTypeInfo(a->type_index)->fields;
  if (a->type_index == types[kHooked]) { /* its hook compares only this one */
    return compare_child(m, ".value", &as_node(a)->value, &as_node(b)->value, region);
  }
  return compare_child(m, ".value", &as_node(a)->value, &as_node(b)->value,
                       tvmffi_region_of_field(region, &fields[0])) &&
         compare_child(m, ".next", &as_node(a)->next, &as_node(b)->next,
                       tvmffi_region_of_field(region, &fields[1]));
}

static bool compare_objects(model *m, const TVMFFIAny *a, const TVMFFIAny *b, int32_t region) {
  TVMFFISEqHashKind kind = tvmffi_structural_find_kind(a->type_index);
  bool is_paired = kind == kTVMFFISEqHashKindDAGNode || kind == kTVMFFISEqHashKindFreeVar;
  if (kind == kTVMFFISEqHashKindUniqueInstance) return a->v_obj == b->v_obj || differ(m, true);
  if (kind == kTVMFFISEqHashKindConstTreeNode && a->v_obj == b->v_obj) return true;
  if (is_paired && (find_partner(m, a->v_obj) != NULL || has_partner(m, b->v_obj))) {
    return find_partner(m, a->v_obj) == b->v_obj || differ(m, true);
  }
  if (!compare_fields(m, a, b, tvmffi_region_inside(region, kind))) return false;
  if (!is_paired) return true;
  if (kind == kTVMFFISEqHashKindFreeVar && a->v_obj != b->v_obj &&
      region == kTVMFFIDefRegionKindNone) {
    return differ(m, true);
  }
  assert_true(m->num_pairs < kMostPairs);
  m->pairs[m->num_pairs].a = a->v_obj;
  m->pairs[m->num_pairs++].b = b->v_obj;
  return true;
}

static bool compare(model *m, const TVMFFIAny *a, const TVMFFIAny *b, int32_t region) {
  if (a->type_index != b->type_index) return differ(m, true);
  switch (a->type_index) {
    case kTVMFFINone:
      return true;
    case kTVMFFIInt:
      return a->v_int64 == b->v_int64 || differ(m, true);
    case kTVMFFIArray:
    case kTVMFFIList:
      return compare_sequences(m, a->v_obj, b->v_obj, region);
    case kTVMFFIMap:
    case kTVMFFIDict:
      return compare_maps(m, a->v_obj, b->v_obj, region);
    default:
      return compare_objects(m, a, b, region);
  }
}

/* ---- Random values ---- */

/* Values that refer to earlier ones, and counterparts of each, some of which are shared. */
typedef struct {
  TVMFFIAny a[kValues], b[kValues];
} values;

static TVMFFIAny make_entries(const char *name, const TVMFFIAny key, TVMFFIAny x, TVMFFIAny y) {
  TVMFFIAny args[4];
  args[0] = tvmffi_any_int(7);
  args[1] = x;
  args[2] = key;
  args[3] = y;
  return call_ok(name, args, 4);
}

/* The same kind of value of two parts, which are lent, and of a key for maps. */
static TVMFFIAny make_value(uint64_t form, TVMFFIAny x, TVMFFIAny y, TVMFFIAny key) {
  static const char *const kContainers[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};
  if (form >= 2 && form < 4) return make_entries(kContainers[form], key, x, y);
  return form < 2 ? make2(kContainers[form], share(x), share(y))
                  : new_node(types[form - 4], share(x), share(y));
}

/*
 * A value and its counterpart. Parts are earlier values; a counterpart has counterparts as parts,
 * or one time in a few the value's own part or another counterpart.
 */
static void make_pair(values *v, int i) {
  int x = (int)next_random((uint64_t)i), y = (int)next_random((uint64_t)i), z = x;
  int key = (int)next_random((uint64_t)i);
  uint64_t form = next_random(4 + kNumTypes), chance = next_random(40);
  TVMFFIAny key_b;
  v->a[i] = make_value(form, v->a[x], v->a[y], v->a[key]);
  if (chance == 0) z = (int)next_random((uint64_t)i);
  key_b = next_random(2) == 0 ? v->b[key] : v->a[key];
  if (chance <= 6 && chance >= 3) {
    v->b[i] = share(v->a[i]);
  } else if (chance == 1) {
    v->b[i] = make_value(form, v->a[z], v->b[y], key_b);
  } else {
    v->b[i] = make_value(form, v->b[z], v->b[y], key_b);
  }
}

static void make_values(values *v) {
  int i;
  for (i = 0; i < kValues; ++i) {
    if (i < 2) {
      v->a[i] = tvmffi_any_int(i);
      v->b[i] = tvmffi_any_int(i);
    } else if (i < 5) {
      v->a[i] = new_node(types[kVariable], tvmffi_any_int(1), tvmffi_any_none());
      v->b[i] = next_random(2) == 0
                    ? share(v->a[i])
                    : new_node(types[kVariable], tvmffi_any_int(1), tvmffi_any_none());
    } else {
      make_pair(v, i);
    }
  }
}

/* ---- The tests ---- */

static void check_same_as_model(const TVMFFIAny *a, const TVMFFIAny *b, bool map_free_vars,
                                int *num_equal) {
  tvmffi_structural_options options = {false, false};
  model m;
  bool expected, is_equal;
  TVMFFIAny paths;
  char shown[2 * kPathSize + 8];
  memset(&m, 0, sizeof m);
  strcpy(m.path, "<root>");
  options.map_free_vars = map_free_vars;
  expected =
      compare(&m, a, b, map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone);
  check_ok(tvmffi_structural_equal(a, b, options, &is_equal));
  assert_int_equal(is_equal, expected);
  check_ok(tvmffi_structural_mismatch(a, b, options, &paths));
  assert_int_equal(paths.type_index == kTVMFFINone, expected);
  if (!expected && m.is_in_both) {
    sprintf(shown, "(%s, %s)", m.found, m.found);
    check_repr(paths, shown);
  } else {
    check_release(&paths);
  }
  *num_equal += expected;
}

TEST(test_the_same_as_comparing_every_occurrence) {
  int num_equal = 0, num_different, sequence, i;
  for (sequence = 0; sequence < kSequences; ++sequence) {
    values v;
    state_of_random = (uint64_t)sequence * UINT64_C(2654435761) + 1;
    make_values(&v);
    for (i = 0; i < 2; ++i) {
      check_same_as_model(&v.a[kValues - 1], &v.b[kValues - 1], i == 1, &num_equal);
      check_same_as_model(&v.b[kValues - 1], &v.a[kValues - 1], i == 1, &num_equal);
    }
    for (i = kValues; i-- > 0;) {
      check_release(&v.a[i]);
      check_release(&v.b[i]);
    }
  }
  num_different = 4 * kSequences - num_equal;
  assert_true(num_equal > kSequences / 4 && num_different > kSequences / 4);
}

/* Compares the first fields, by the walk that called the hook. */
static int compare_values(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny parts[4];
  (void)self;
  (void)num_args;
  parts[0] = as_node(&args[0])->value;
  parts[1] = as_node(&args[1])->value;
  parts[2] = tvmffi_any_int(0);
  parts[3] = tvmffi_any_raw_str("value");
  return TVMFFIFunctionCall(args[2].v_obj, parts, 4, result);
}

FIXTURE(make_types) {
  static const TVMFFISEqHashKind kKinds[kNumTypes] = {
      kTVMFFISEqHashKindTreeNode, kTVMFFISEqHashKindConstTreeNode, kTVMFFISEqHashKindUniqueInstance,
      kTVMFFISEqHashKindDAGNode,  kTVMFFISEqHashKindFreeVar,       kTVMFFISEqHashKindTreeNode,
      kTVMFFISEqHashKindTreeNode, kTVMFFISEqHashKindTreeNode};
  int i;
  for (i = 0; i < kNumTypes; ++i) {
    char key[32];
    sprintf(key, "test.Kind%d", i);
    types[i] = add_node_type(key, kKinds[i],
                             i == kFunction  ? kTVMFFIFieldFlagBitMaskSEqHashDefSimple
                             : i == kPattern ? kTVMFFIFieldFlagBitMaskSEqHashDefPattern
                                             : 0,
                             0);
    if (i % 2 == 0) set_own_getters(types[i]);
  }
  set_hook(types[kHooked], "__s_equal__", compare_values);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_same_as_comparing_every_occurrence),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
