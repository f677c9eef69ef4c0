/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions of arrays, and the one that returns an array of all type keys. */
#include "container/any_key.h"
#include "container/array.h"
#include "container/container.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/type.h"
#include "platform/compiler.h"

int tvmffi_array_own(const TVMFFIAny *arg, TVMFFIAny *out) {
  if (TVMFFI_UNLIKELY(arg->type_index == kTVMFFIDLTensorPtr)) {
    return tvmffi_fail("RuntimeError",
                       "DLTensor* cannot be held in Any as it does not retain ownership, use "
                       "Tensor instead");
  }
  return TVMFFIAnyViewToOwnedAny(arg, out);
}

/* The same, inline for values that need neither a check nor a conversion. */
static inline int own(const TVMFFIAny *arg, TVMFFIAny *out) {
  int32_t type_index = arg->type_index;
  if (type_index >= kTVMFFIDLTensorPtr) {
    if (type_index < kTVMFFIStaticObjectBegin || arg->v_obj == NULL) {
      return tvmffi_array_own(arg, out);
    }
    tvmffi_object_retain(arg->v_obj);
  }
  out->type_index = type_index;
  out->zero_padding = arg->zero_padding;
  out->v_uint64 = arg->v_uint64;
  return 0;
}

static int make_array_of_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *array = tvmffi_array_new(num_args);
  TVMFFIAny *items;
  int32_t i;
  if (array == NULL) return tvmffi_fail_memory();
  items = tvmffi_array_items(array);
  for (i = 0; i < num_args; ++i) {
    if (own(&args[i], &items[i]) != 0) {
      TVMFFISeqGetCellPtr(array)->size = i;
      tvmffi_object_release(array);
      return -1;
    }
  }
  TVMFFISeqGetCellPtr(array)->size = num_args;
  *result = tvmffi_any_object(array);
  return 0;
}

int tvmffi_array_fail_index(int64_t i, int64_t size) {
  return tvmffi_fail("IndexError", "Index %lld out of bounds %lld", (long long)i, (long long)size);
}

int tvmffi_array_get_item(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *array = args[0].v_obj;
  int64_t i = args[1].v_int64, size = tvmffi_array_size(array);
  if (TVMFFI_UNLIKELY((uint64_t)i >= (uint64_t)size)) {
    return tvmffi_array_fail_index(i, size);
  }
  *result = tvmffi_any_copy(&tvmffi_array_items(array)[i]);
  return 0;
}

int tvmffi_array_get_size(const TVMFFIAny *args, TVMFFIAny *result) {
  *result = tvmffi_any_int(tvmffi_array_size(args[0].v_obj));
  return 0;
}

/* Equality may be code of clients that changes a List: read size and items again each time. */
int tvmffi_array_contains(const TVMFFIAny *args, TVMFFIAny *result) {
  int64_t i;
  TVMFFIAny wanted;
  int equal = 0;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[1], &wanted)); /* raw text becomes a String */
  for (i = 0; i < tvmffi_array_size(args[0].v_obj) && equal == 0; ++i) {
    const TVMFFIAny *item = &tvmffi_array_items(args[0].v_obj)[i];
    equal = tvmffi_any_key_ask_equal(item, &wanted);
  }
  tvmffi_any_release(&wanted);
  if (equal < 0) return -1;
  *result = tvmffi_any_bool(equal);
  return 0;
}

static int list_type_keys(const TVMFFIAny *args, TVMFFIAny *result) {
  int32_t i, end = tvmffi_type_end();
  TVMFFIObject *keys = tvmffi_array_new(end);
  (void)args;
  if (keys == NULL) return tvmffi_fail_memory();
  for (i = 0; i < end; ++i) {
    const tvmffi_type_record *record = tvmffi_type_find(i);
    TVMFFIAny key;
    if (record == NULL) continue;
    if (tvmffi_string_to_any(record->info.type_key.data, record->info.type_key.size, &key) != 0) {
      tvmffi_object_release(keys);
      return -1;
    }
    (void)tvmffi_array_append(&keys, &key);
  }
  *result = tvmffi_any_object(keys);
  return 0;
}

#define FUNCTIONS(F)                                    \
  F("ffi.Array", "*", .packed = make_array_of_args)     \
  F("ffi.ArrayContains", "Aa>b", tvmffi_array_contains) \
  F("ffi.ArrayGetItem", "Ai>a", tvmffi_array_get_item)  \
  F("ffi.ArraySize", "A>i", tvmffi_array_get_size)      \
  F("ffi.GetRegisteredTypeKeys", ">@s", list_type_keys)

TVMFFI_BUILTIN_GROUP(tvmffi_array_builtins, FUNCTIONS);
