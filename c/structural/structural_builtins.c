/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in structural functions, and keys that are compared by structure. */
#include "core/any.h"
#include "core/error.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"
#include "structural/structural.h"
#include "structural/types.h"

static tvmffi_structural_options options_of(const TVMFFIAny *args) {
  tvmffi_structural_options options;
  options.map_free_vars = args[0].v_int64 != 0;
  options.skip_tensor_content = args[1].v_int64 != 0;
  return options;
}

static int equal_structurally(const TVMFFIAny *args, TVMFFIAny *result) {
  bool is_equal;
  TVMFFI_TRY(tvmffi_structural_equal(&args[0], &args[1], options_of(args + 2), &is_equal));
  *result = tvmffi_any_bool(is_equal);
  return 0;
}

static int find_mismatch(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_structural_mismatch(&args[0], &args[1], options_of(args + 2), result);
}

static int hash_structurally(const TVMFFIAny *args, TVMFFIAny *result) {
  uint64_t made;
  TVMFFI_TRY(tvmffi_structural_hash(&args[0], options_of(args + 1), &made));
  *result = tvmffi_any_int((int64_t)made);
  return 0;
}

/* ---- Keys ---- */

static const tvmffi_structural_options kPlainOptions = {false, false};

static int make_key(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_structural_key *key;
  uint64_t made;
  TVMFFI_TRY(tvmffi_structural_hash(&args[0], kPlainOptions, &made));
  key = tvmffi_reflect_new_with(kTvmffiStructuralKey, &args[0]);
  if (key == NULL) return -1;
  key->hash_i64 = (int64_t)made;
  *result = tvmffi_any_object(key);
  return 0;
}

static const tvmffi_structural_key *as_key(const TVMFFIAny *arg) {
  return (const tvmffi_structural_key *)(const void *)arg->v_obj;
}

static int equal_keys(const tvmffi_structural_key *a, const tvmffi_structural_key *b, bool *out) {
  *out = a == b;
  if (a == b || a->hash_i64 != b->hash_i64) return 0;
  return tvmffi_structural_equal(&a->key, &b->key, kPlainOptions, out);
}

static int key_equal(const TVMFFIAny *args, TVMFFIAny *result) {
  bool is_equal;
  int i;
  for (i = 0; i < 2; ++i) {
    if (args[i].type_index != kTvmffiStructuralKey) {
      return tvmffi_fail("InternalError", "Check not null: %s ", i == 0 ? "lhs_obj" : "rhs_obj");
    }
  }
  TVMFFI_TRY(equal_keys(as_key(&args[0]), as_key(&args[1]), &is_equal));
  *result = tvmffi_any_bool(is_equal);
  return 0;
}

/* Hash and equality for containers, as Functions, which clients of all versions understand. */
static int any_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.StructuralKey) -> int", 1, 1, args, num_args));
  *result = tvmffi_any_int(as_key(&args[0])->hash_i64);
  return 0;
}

static int any_equal(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bool is_equal;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.StructuralKey, 1: ffi.StructuralKey) -> bool", 2,
                                    2, args, num_args));
  TVMFFI_TRY(equal_keys(as_key(&args[0]), as_key(&args[1]), &is_equal));
  *result = tvmffi_any_bool(is_equal);
  return 0;
}

static int init_key(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: Any) -> ffi.Object", 1, 0, args, num_args));
  return make_key(args, result);
}

/* ---- Tables ---- */

static int create_key(TVMFFIObjectHandle *result) {
  return tvmffi_reflect_make(kTvmffiStructuralKey, result);
}

static const tvmffi_builtin_attr kKeyAttrs[] = {
    TVMFFI_MAKES_AND_COPIES(kTvmffiStructuralKey),
    TVMFFI_IS_FINAL(kTvmffiStructuralKey, true),
    {kTvmffiStructuralKey, kTvmffiAttrInit, false, init_key, NULL},
    {kTvmffiStructuralKey, kTvmffiAttrAnyHash, false, any_hash, NULL},
    {kTvmffiStructuralKey, kTvmffiAttrAnyEqual, false, any_equal, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_structural_key_attrs, kKeyAttrs);

static const tvmffi_builtin_field kKeyFields[] = {
    {TVMFFI_FIELD_TEXTS("key", "a", ""), 0, kTvmffiStoredAny, offsetof(tvmffi_structural_key, key),
     kTVMFFIAny, tvmffi_field_set_any, NULL},
    {TVMFFI_FIELD_TEXTS("hash_i64", "i", ""), 0, kTvmffiStoredInt64,
     offsetof(tvmffi_structural_key, hash_i64), kTVMFFIInt, tvmffi_field_set_int64, NULL},
};
static const tvmffi_builtin_method kMethods[] = {
    {TVMFFI_METHOD_TEXTS("ffi.StructuralKey.__ffi_init__", "a>O",
                         "Makes a key of a value, with the value's structural hash."),
     make_key, kTVMFFIFieldFlagBitMaskIsStaticMethod},
};
static TVMFFIFieldInfo key_fields[sizeof kKeyFields / sizeof *kKeyFields];
static TVMFFIMethodInfo key_methods[sizeof kMethods / sizeof *kMethods];
static tvmffi_builtin_function key_functions[sizeof kMethods / sizeof *kMethods];

static const tvmffi_builtin_type kKeyTypes[] = {
    {.type_index = kTvmffiStructuralKey,
     .letter = 'K',
     .key = "ffi.StructuralKey",
     .any_offset = offsetof(tvmffi_structural_key, key),
     .metadata = {.creator = create_key, .total_size = sizeof(tvmffi_structural_key)},
     TVMFFI_FIELDS(kKeyFields, key_fields),
     TVMFFI_METHODS(kMethods, key_methods, key_functions)},
};

const tvmffi_builtin_type_group tvmffi_structural_key_types =
    TVMFFI_TYPE_GROUP_WITH_MEMBERS(kKeyTypes);

#define FUNCTIONS(F)                                               \
  F("ffi.StructuralEqual", "aabb>b", equal_structurally)           \
  F("ffi.GetFirstStructuralMismatch", "aabb>?(PP)", find_mismatch) \
  F("ffi.StructuralHash", "abb>i", hash_structurally)              \
  F("ffi.StructuralKey", "a>K", make_key)                          \
  F("ffi.StructuralKeyEqual", "aa>b", key_equal)

TVMFFI_BUILTIN_GROUP(tvmffi_structural_builtins, FUNCTIONS);
