/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions of arrays, and the one that gives an array of all type keys. */
#include "container/any_key.h"
#include "container/array.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string.h"
#include "core/type.h"

static int make_array(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *array = tvmffi_array_new(num_args);
  TVMFFIAny value;
  int32_t i;
  if (array == NULL) return tvmffi_fail_memory();
  for (i = 0; i < num_args; ++i) {
    if (TVMFFIAnyViewToOwnedAny(&args[i], &value) != 0) {
      tvmffi_object_release(array);
      return -1;
    }
    (void)tvmffi_array_append(&array, &value); /* there is room for all of them */
  }
  *result = tvmffi_any_object(array);
  return 0;
}

static int get_item(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *array = args[0].v_obj;
  int64_t i = args[1].v_int64, size = tvmffi_array_size(array);
  (void)num_args;
  if (i < 0 || i >= size) {
    return tvmffi_fail("IndexError", "Index %lld out of bounds %lld", (long long)i,
                       (long long)size);
  }
  *result = tvmffi_any_copy(&tvmffi_array_items(array)[i]);
  return 0;
}

static int get_size(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  *result = tvmffi_any_int(tvmffi_array_size(args[0].v_obj));
  return 0;
}

static int contains(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const TVMFFIAny *items = tvmffi_array_items(args[0].v_obj);
  int64_t i, size = tvmffi_array_size(args[0].v_obj);
  TVMFFIAny wanted;
  (void)num_args;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[1], &wanted)); /* raw text counts as text */
  for (i = 0; i < size && !tvmffi_any_key_equal(&items[i], &wanted);) ++i;
  tvmffi_any_release(&wanted);
  *result = tvmffi_any_bool(i != size);
  return 0;
}

static int list_type_keys(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int32_t i, end = tvmffi_type_end();
  TVMFFIObject *keys = tvmffi_array_new(end);
  (void)args;
  (void)num_args;
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

static const tvmffi_builtin kFunctions[] = {
    {"ffi.Array", "*", make_array},
    {"ffi.ArrayContains", "Aa>b", contains},
    {"ffi.ArrayGetItem", "Ai>a", get_item},
    {"ffi.ArraySize", "A>i", get_size},
    {"ffi.GetRegisteredTypeKeys", ">@s", list_type_keys},
};

const tvmffi_builtin_group tvmffi_container_builtins = {kFunctions,
                                                        sizeof kFunctions / sizeof *kFunctions};
