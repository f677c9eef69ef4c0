/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions that copy, print, compare and hash whole values: docs/abi/objects.md. */
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "dataclass/dataclass.h"

static int deep_copy(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_deep_copy(&args[0], result);
}

static int repr_print(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_repr(&args[0], result);
}

/* ---- Comparing ---- */

static int recursive_hash(const TVMFFIAny *args, TVMFFIAny *result) {
  uint64_t hash;
  TVMFFI_TRY(tvmffi_recursive_hash(&args[0], &hash));
  *result = tvmffi_any_int((int64_t)hash);
  return 0;
}

static int recursive_eq(const TVMFFIAny *args, TVMFFIAny *result) {
  bool is_equal;
  TVMFFI_TRY(tvmffi_recursive_equal(&args[0], &args[1], &is_equal));
  *result = tvmffi_any_bool(is_equal);
  return 0;
}

#define ORDER(name, relation)                                         \
  static int name(const TVMFFIAny *args, TVMFFIAny *result) {         \
    int order;                                                        \
    TVMFFI_TRY(tvmffi_recursive_compare(&args[0], &args[1], &order)); \
    *result = tvmffi_any_bool(order relation 0);                      \
    return 0;                                                         \
  }

ORDER(recursive_lt, <)
ORDER(recursive_le, <=)
ORDER(recursive_gt, >)
ORDER(recursive_ge, >=)

#define FUNCTIONS(F)                            \
  F("ffi.DeepCopy", "a>a", deep_copy)           \
  F("ffi.ReprPrint", "a>s", repr_print)         \
  F("ffi.RecursiveHash", "a>i", recursive_hash) \
  F("ffi.RecursiveEq", "aa>b", recursive_eq)    \
  F("ffi.RecursiveLt", "aa>b", recursive_lt)    \
  F("ffi.RecursiveLe", "aa>b", recursive_le)    \
  F("ffi.RecursiveGt", "aa>b", recursive_gt)    \
  F("ffi.RecursiveGe", "aa>b", recursive_ge)

TVMFFI_BUILTIN_GROUP(tvmffi_dataclass_builtins, FUNCTIONS);

/* ---- ffi.BigInt ---- */

/* For clients that read the type's attributes; the functions above do not need them. */

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

static const tvmffi_builtin_attr kDataclassAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrHash, false, bigint_hash, NULL},
    {kTVMFFIBigInt, kTvmffiAttrEq, false, bigint_eq, NULL},
    {kTVMFFIBigInt, kTvmffiAttrCompare, false, bigint_compare, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_dataclass_attrs, kDataclassAttrs);
