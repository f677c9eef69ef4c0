/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/container.h
 * Arrays, lists, maps: read elements in place, make new ones, look things up.
 *
 * Elements of arrays and lists are read in memory. Everything else calls a global function
 * (ffi.Array, ffi.MapGetItem, ...), and raises ValueError `Function <name> not found` on a runtime
 * without it. This runtime has all of them, or none when built with profile=core. A caller that
 * uses maps in a loop should get the function once instead.
 *
 * Keys of maps and dicts are equal when they are the same value of the same type: 1, 1.0 and true
 * are three keys. Texts are compared by content and other objects by identity, unless their type
 * defines its own equality and hash (the attributes __any_equal__ and __any_hash__); an error of
 * these is raised by the call that needed them.
 *
 * An Array and a Map are never changed once they are shared. A List and a Dict may be, and keep
 * their handles; they have no lock: one thread at a time, and readers too while another may change
 * them.
 */
#ifndef TVM_FFI_C_CONTAINER_H_
#define TVM_FFI_C_CONTAINER_H_

#include <tvm/ffi/c/function.h>
#include <tvm/ffi/c/string.h>

/* ---- Arrays and lists ----
 * @param array [borrow] An Array or a List.   Threads: any for an Array; same object for a List. */

/** The number of elements. Errors: none. */
static inline int64_t tvm_ffi_array_get_size(TVMFFIObjectHandle array) {
  return TVMFFISeqGetCellPtr(array)->size;
}

/**
 * The elements.
 * @return [lend] As long as the array; those of a List until it changes. Errors: none.
 */
static inline const TVMFFIAny *tvm_ffi_array_get_data(TVMFFIObjectHandle array) {
  return (const TVMFFIAny *)TVMFFISeqGetCellPtr(array)->data;
}

/**
 * One element.
 * @param out [lend] As tvm_ffi_array_get_data. Read it with tvm_ffi_any_read_*.
 * @return 0, or -1.   Errors: IndexError.
 */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_array_read_item(TVMFFIObjectHandle array, int64_t i,
                                                    const TVMFFIAny **out) {
  const int64_t size = tvm_ffi_array_get_size(array);
  if (i < 0 || i >= size) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_INDEX_ERROR, "Index %lld out of bounds %lld",
                                 (long long)i, (long long)size);
  }
  *out = tvm_ffi_array_get_data(array) + i;
  return 0;
}

/* ---- Making ----
 * @param items [borrow] Views, copied as tvm_ffi_any_copy does; may be NULL when there are none.
 * @param out   [own]
 * @return 0, or non-zero.
 * Errors: RuntimeError (a DLTensor pointer among the items), ValueError, memory.   Threads: any. */

/** @cond internal */

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

/** @endcond */

/** An Array. */
static inline int tvm_ffi_array_create(const TVMFFIAny *items, int32_t num_items,
                                       TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.Array", items, num_items, out);
}

/** A List. */
static inline int tvm_ffi_list_create(const TVMFFIAny *items, int32_t num_items,
                                      TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.List", items, num_items, out);
}

/** Append to a List. @param list [borrow] A List. @param item [borrow] A view, copied. */
static inline int tvm_ffi_list_append(TVMFFIObjectHandle list, TVMFFIAny item) {
  TVMFFIAny args[2], result;
  if (item.type_index == kTVMFFIDLTensorPtr) return tvm_ffi_any_copy(&item, &result);
  args[0] = tvm_ffi_any_view_object(list);
  args[1] = item;
  return tvm_ffi_function_call_global("ffi.ListAppend", args, 2, &result);
}

/** A Map of num_pairs keys, each followed by its value; of equal keys the last one counts. */
static inline int tvm_ffi_map_create(const TVMFFIAny *items, int32_t num_pairs,
                                     TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_container("ffi.Map", items, 2 * num_pairs, out);
}

/* ---- Maps and dicts ----
 * @param map [borrow] A Map or a Dict.   Threads: any for a Map; same object for a Dict. */

/** @cond internal */

static inline int tvm_ffi_detail_call_map(const char *map_name, const char *dict_name,
                                          TVMFFIObjectHandle map, const TVMFFIAny *key,
                                          TVMFFIAny *result) {
  TVMFFIAny args[2];
  args[0] = tvm_ffi_any_view_object(map);
  args[1] = key != NULL ? *key : tvm_ffi_any_none();
  return tvm_ffi_function_call_global(args[0].type_index == kTVMFFIDict ? dict_name : map_name,
                                      args, key != NULL ? 2 : 1, result);
}

/** @endcond */

/** The number of entries. @param out [out] @return 0, or non-zero. Errors: TypeError. */
static inline int tvm_ffi_map_read_size(TVMFFIObjectHandle map, int64_t *out) {
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_detail_call_map("ffi.MapSize", "ffi.DictSize", map, NULL, &result));
  *out = result.v_int64;
  return 0;
}

/** Whether there is an entry with that key. @param out [out] Errors: TypeError. */
static inline int tvm_ffi_map_has(TVMFFIObjectHandle map, TVMFFIAny key, bool *out) {
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_detail_call_map("ffi.MapCount", "ffi.DictCount", map, &key, &result));
  *out = result.v_int64 != 0;
  return 0;
}

/**
 * The value of a key.
 * @param key [borrow] A view, for instance tvm_ffi_any_view_string("axis").
 * @param out [own] To be released with tvm_ffi_any_clear.
 * @return 0, or non-zero.   Errors: KeyError `key is not in Map`, TypeError.
 */
static inline int tvm_ffi_map_get_item(TVMFFIObjectHandle map, TVMFFIAny key, TVMFFIAny *out) {
  return tvm_ffi_detail_call_map("ffi.MapGetItem", "ffi.DictGetItem", map, &key, out);
}

#endif /* TVM_FFI_C_CONTAINER_H_ */
