/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions that make objects and describe types: abi/04 section 8. */
#include <string.h>

#include "core/any.h"
#include "core/bigint.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/deep_copy.h"
#include "reflect/fields.h"
#include "reflect/frontend_type.h"
#include "reflect/init.h"
#include "reflect/objects.h"
#include "reflect/recursive.h"
#include "reflect/repr.h"

static int register_init(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  return tvmffi_reflect_register_init((int32_t)args[0].v_int64);
}

static int register_frontend_type(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  (void)result;
  return tvmffi_reflect_register_frontend_type((int32_t)args[0].v_int64, args[1].v_int64);
}

static int make_getter(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIFieldGetter getter;
  (void)num_args;
  TVMFFI_TRY(tvmffi_frontend_getter((int32_t)args[0].v_int64, &getter));
  *result = tvmffi_any_int((int64_t)(intptr_t)getter);
  return 0;
}

static int make_setter(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *setter;
  (void)num_args;
  if (args[2].v_int64 == 0) return tvmffi_fail("ValueError", "f_convert must not be NULL");
  setter = tvmffi_frontend_setter((int32_t)args[0].v_int64, (void *)(intptr_t)args[1].v_int64,
                                  (tvmffi_frontend_convert)(intptr_t)args[2].v_int64);
  if (setter == NULL) return -1;
  *result = tvmffi_any_object(setter);
  return 0;
}

/* ---- Objects of names and values ---------------------------------------------------------------
 */

/* The value that is given for a field, or NULL. */
static const TVMFFIAny *find_value(const TVMFFIByteArray *name, const TVMFFIAny *args,
                                   int32_t num_args) {
  int32_t i;
  for (i = 1; i + 1 < num_args; i += 2) {
    TVMFFIByteArray given = tvmffi_builtin_text(&args[i]);
    if (given.size == name->size && memcmp(given.data, name->data, given.size) == 0) {
      return &args[i + 1];
    }
  }
  return NULL;
}

static const TVMFFIFieldInfo *find_field(const TVMFFITypeInfo *info, const TVMFFIByteArray *name) {
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  tvmffi_field_first(&cursor, info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    if (field->name.size == name->size && memcmp(field->name.data, name->data, name->size) == 0) {
      break;
    }
  }
  return field;
}

static int set_fields(TVMFFIObject *obj, const TVMFFITypeInfo *info, const TVMFFIAny *args,
                      int32_t num_args) {
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  int32_t i;
  tvmffi_field_first(&cursor, info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    const TVMFFIAny *value = find_value(&field->name, args, num_args);
    if (value != NULL) {
      TVMFFI_TRY(tvmffi_field_set(field, obj, value));
    } else if (field->flags & kTVMFFIFieldFlagBitMaskHasDefault) {
      TVMFFI_TRY(tvmffi_field_set_default(field, obj));
    } else {
      return tvmffi_fail("TypeError", "Required field `%s` not set in type `%s`", field->name.data,
                         info->type_key.data);
    }
  }
  for (i = 1; i < num_args; i += 2) {
    TVMFFIByteArray name = tvmffi_builtin_text(&args[i]);
    if (find_field(info, &name) == NULL) {
      return tvmffi_fail("TypeError", "Type `%s` does not have field `%.*s`", info->type_key.data,
                         (int)name.size, name.data);
    }
  }
  return 0;
}

static int read_type(const TVMFFIAny *arg, int32_t *out) {
  TVMFFIByteArray key;
  if (arg->type_index == kTVMFFIInt) {
    *out = (int32_t)arg->v_int64;
    return 0;
  }
  if (!tvmffi_any_get_text(arg, &key)) return tvmffi_any_fail_conversion(arg, "str");
  return TVMFFITypeKeyToIndex(&key, out);
}

static int make_object(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const tvmffi_type_record *record;
  TVMFFIObject *obj;
  int32_t type_index, i;
  if (num_args % 2 == 0) {
    return tvmffi_fail("InternalError", "Check failed: (args.size() %% 2 == 1) is false: ");
  }
  TVMFFI_TRY(read_type(&args[0], &type_index));
  for (i = 1; i < num_args; i += 2) {
    TVMFFIByteArray name;
    if (!tvmffi_any_get_text(&args[i], &name)) return tvmffi_any_fail_conversion(&args[i], "str");
  }
  record = tvmffi_type_require(type_index);
  if (record == NULL) return -1;
  TVMFFI_TRY(tvmffi_reflect_create(type_index, &obj));
  if (set_fields(obj, &record->info, args, num_args) != 0) {
    tvmffi_object_release(obj);
    return -1;
  }
  *result = tvmffi_any_object(obj);
  return 0;
}

static int deep_copy(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_deep_copy(&args[0], result);
}

static int repr_print(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_repr(&args[0], result);
}

/* ---- Comparing ---------------------------------------------------------------------------------
 */

static int recursive_hash(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  uint64_t hash;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_hash(&args[0], &hash));
  *result = tvmffi_any_int((int64_t)hash);
  return 0;
}

static int recursive_eq(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bool is_equal;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_equal(&args[0], &args[1], &is_equal));
  *result = tvmffi_any_bool(is_equal);
  return 0;
}

static int recursive_lt(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int order;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_compare(&args[0], &args[1], &order));
  *result = tvmffi_any_bool(order < 0);
  return 0;
}

static int recursive_le(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int order;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_compare(&args[0], &args[1], &order));
  *result = tvmffi_any_bool(order <= 0);
  return 0;
}

static int recursive_gt(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int order;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_compare(&args[0], &args[1], &order));
  *result = tvmffi_any_bool(order > 0);
  return 0;
}

static int recursive_ge(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int order;
  (void)num_args;
  TVMFFI_TRY(tvmffi_recursive_compare(&args[0], &args[1], &order));
  *result = tvmffi_any_bool(order >= 0);
  return 0;
}

static const tvmffi_builtin kFunctions[] = {
    {"ffi._RegisterFFIInit", "i>v", register_init},
    {"ffi.MakeFieldSetter", "iii>F", make_setter},
    {"ffi._PyClassRegisterTypeAttrColumns", "ii>v", register_frontend_type},
    {"ffi.DeepCopy", "a>a", deep_copy},
    {"ffi.ReprPrint", "a>s", repr_print},
    {"ffi.RecursiveHash", "a>i", recursive_hash},
    {"ffi.MakeFieldGetter", "i>i", make_getter},
    {"ffi.RecursiveEq", "aa>b", recursive_eq},
    {"ffi.RecursiveLt", "aa>b", recursive_lt},
    {"ffi.RecursiveLe", "aa>b", recursive_le},
    {"ffi.RecursiveGt", "aa>b", recursive_gt},
    {"ffi.RecursiveGe", "aa>b", recursive_ge},
    {"ffi.MakeObjectFromPackedArgs", "*", make_object},
};

const tvmffi_builtin_group tvmffi_reflect_builtins = {kFunctions,
                                                      sizeof kFunctions / sizeof *kFunctions};

/* ---- ffi.BigInt --------------------------------------------------------------------------------
 * For who asks the type's attributes; the functions above know without them. */

static int bigint_hash(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  uint64_t hash;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object, 1: ffi.Function) -> int", 2, 1, args,
                                    num_args));
  TVMFFI_TRY(tvmffi_recursive_hash(&args[0], &hash));
  *result = tvmffi_any_int((int64_t)hash);
  return 0;
}

static int bigint_eq(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object, 1: ffi.Object, 2: ffi.Function) -> bool",
                                    3, 2, args, num_args));
  *result = tvmffi_any_bool(tvmffi_bigint_compare(&args[0], &args[1]) == 0);
  return 0;
}

static int bigint_compare(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object, 1: ffi.Object, 2: ffi.Function) -> int",
                                    3, 2, args, num_args));
  *result = tvmffi_any_int(tvmffi_bigint_compare(&args[0], &args[1]));
  return 0;
}

static const tvmffi_builtin_attr kAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrHash, false, bigint_hash, NULL},
    {kTVMFFIBigInt, kTvmffiAttrEq, false, bigint_eq, NULL},
    {kTVMFFIBigInt, kTvmffiAttrCompare, false, bigint_compare, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function attr_functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_recursive_attrs = {kAttrs, attr_functions, kNumAttrs};
