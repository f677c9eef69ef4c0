/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/container.h
 * The bodies of tvm/ffi/c/container.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_CONTAINER_H_
#define TVM_FFI_C_DETAIL_CONTAINER_H_

static inline int64_t tvm_ffi_array_get_size(TVMFFIObjectHandle array) {
  return TVMFFISeqGetCellPtr(array)->size;
}

static inline const TVMFFIAny *tvm_ffi_array_get_data(TVMFFIObjectHandle array) {
  return (const TVMFFIAny *)TVMFFISeqGetCellPtr(array)->data;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_array_read_item(TVMFFIObjectHandle array, int64_t i,
                                                    const TVMFFIAny **out) {
  const int64_t size = tvm_ffi_array_get_size(array);
  if (i < 0 || i >= size) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_INDEX_ERROR, "Index %lld out of bounds %lld",
                                 (long long)i, (long long)size);
  }
  *out = tvm_ffi_array_get_data(array) + i;
  return 0;
}

static inline int tvm_ffi_detail_create_container(const char *name, const TVMFFIAny *items,
                                                  int32_t num_items, TVMFFIObjectHandle *out) {
  TVMFFIAny result;
  int32_t i;
  for (i = 0; i < num_items; ++i) {
    if (items[i].type_index == kTVMFFIDLTensorPtr) return tvm_ffi_any_copy(items + i, &result);
  }
  TVM_FFI_C_TRY(tvm_ffi_function_call_global(name, items, num_items, &result));
  *out = result.v_obj;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_array_create(const TVMFFIAny *items,
                                                                  int32_t num_items,
                                                                  TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.Array", items, num_items, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_list_create(const TVMFFIAny *items,
                                                                 int32_t num_items,
                                                                 TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.List", items, num_items, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_list_append(TVMFFIObjectHandle list,
                                                                 TVMFFIAny item) {
  TVMFFIAny args[2], result;
  if (item.type_index == kTVMFFIDLTensorPtr) return tvm_ffi_any_copy(&item, &result);
  args[0] = tvm_ffi_any_view_object(list);
  args[1] = item;
  return tvm_ffi_function_call_global("ffi.ListAppend", args, 2, &result);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_map_create(const TVMFFIAny *items,
                                                                int32_t num_pairs,
                                                                TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.Map", items, 2 * num_pairs, out);
}

static inline int tvm_ffi_detail_call_map(const char *map_name, const char *dict_name,
                                          TVMFFIObjectHandle map, const TVMFFIAny *key,
                                          TVMFFIAny *result) {
  TVMFFIAny args[2];
  args[0] = tvm_ffi_any_view_object(map);
  args[1] = key != NULL ? *key : tvm_ffi_any_none();
  return tvm_ffi_function_call_global(args[0].type_index == kTVMFFIDict ? dict_name : map_name,
                                      args, key != NULL ? 2 : 1, result);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_map_read_size(TVMFFIObjectHandle map,
                                                                   int64_t *out) {
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_detail_call_map("ffi.MapSize", "ffi.DictSize", map, NULL, &result));
  *out = result.v_int64;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_map_has(TVMFFIObjectHandle map, TVMFFIAny key,
                                                             bool *out) {
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_detail_call_map("ffi.MapCount", "ffi.DictCount", map, &key, &result));
  *out = result.v_int64 != 0;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_map_get_item(TVMFFIObjectHandle map,
                                                                  TVMFFIAny key, TVMFFIAny *out) {
  return tvm_ffi_detail_call_map("ffi.MapGetItem", "ffi.DictGetItem", map, &key, out);
}

#endif /* TVM_FFI_C_DETAIL_CONTAINER_H_ */
