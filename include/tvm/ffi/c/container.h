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
static inline int64_t tvm_ffi_array_get_size(TVMFFIObjectHandle array);

/**
 * The elements.
 * @return [lend] As long as the array; those of a List until it changes. Errors: none.
 */
static inline const TVMFFIAny *tvm_ffi_array_get_data(TVMFFIObjectHandle array);

/**
 * One element.
 * @param out [lend] As tvm_ffi_array_get_data. Read it with tvm_ffi_any_read_*.
 * @return 0, or -1; the compiler warns when it is ignored.   Errors: IndexError.
 */
static inline int tvm_ffi_array_read_item(TVMFFIObjectHandle array, int64_t i,
                                          const TVMFFIAny **out);

/* ---- Making ----
 * @param items [borrow] Views, copied as tvm_ffi_any_copy does; may be NULL when there are none.
 * @param out   [own]
 * @return 0, or non-zero.
 * Errors: RuntimeError (a DLTensor pointer among the items), ValueError, memory.   Threads: any. */

/** An Array. */
static inline int tvm_ffi_array_create(const TVMFFIAny *items, int32_t num_items,
                                       TVMFFIObjectHandle *out);

/** A List. */
static inline int tvm_ffi_list_create(const TVMFFIAny *items, int32_t num_items,
                                      TVMFFIObjectHandle *out);

/** Append to a List. @param list [borrow] A List. @param item [borrow] A view, copied. */
static inline int tvm_ffi_list_append(TVMFFIObjectHandle list, TVMFFIAny item);

/** A Map of num_pairs keys, each followed by its value; of equal keys the last one counts. */
static inline int tvm_ffi_map_create(const TVMFFIAny *items, int32_t num_pairs,
                                     TVMFFIObjectHandle *out);

/* ---- Maps and dicts ----
 * @param map [borrow] A Map or a Dict.   Threads: any for a Map; same object for a Dict. */

/**
 * The number of entries.
 * @param out [out]
 * @return 0, or non-zero; the compiler warns when it is ignored.   Errors: TypeError.
 */
static inline int tvm_ffi_map_read_size(TVMFFIObjectHandle map, int64_t *out);

/**
 * Whether there is an entry with that key.
 * @param key [borrow] A view.
 * @param out [out]
 * @return 0, or non-zero; the compiler warns when it is ignored.   Errors: TypeError.
 */
static inline int tvm_ffi_map_has(TVMFFIObjectHandle map, TVMFFIAny key, bool *out);

/**
 * The value of a key.
 * @param key [borrow] A view, for instance tvm_ffi_any_view_string("axis").
 * @param out [own] To be released with tvm_ffi_any_clear.
 * @return 0, or non-zero.   Errors: KeyError `key is not in Map`, TypeError.
 */
static inline int tvm_ffi_map_get_item(TVMFFIObjectHandle map, TVMFFIAny key, TVMFFIAny *out);

#include <tvm/ffi/c/detail/container.h> /* the bodies */

#endif /* TVM_FFI_C_CONTAINER_H_ */
