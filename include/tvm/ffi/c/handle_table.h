/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/handle_table.h
 * Handles by key, each made when it is first asked for: programs by their context, say, or images
 * by their device. TVMFFIHandleInitOnce is for one handle, whose initialiser gets no key.
 *
 *     static const tvm_ffi_handle_maker kPrograms = {build_program, release_program};
 *     static tvm_ffi_handle_table programs;
 *     ...
 *     TVM_FFI_C_TRY(tvm_ffi_handle_table_read(&programs, context, &kPrograms, source, &program));
 */
#ifndef TVM_FFI_C_HANDLE_TABLE_H_
#define TVM_FFI_C_HANDLE_TABLE_H_

#include <tvm/ffi/c/error.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/** A static variable without an initialiser; its member is internal. For a few dozen keys. */
typedef struct {
  void *first;
} tvm_ffi_handle_table;

/** What makes and releases the handles of a table. */
typedef struct {
  /**
   * Make the handle of a key. No lock is held: two threads that ask for a key at the same time may
   * both make its handle; both get the one that was first in the table, and the other is released.
   * A key that is an address must not be used again for something else while the table is in use:
   * let the handle keep alive what the address is of, as an OpenCL program keeps its context.
   * @param context [borrow] As given to tvm_ffi_handle_table_read.
   * @param out     [own]
   * @return 0, or non-zero with an error raised: the next call for that key tries again.
   */
  int (*create)(void *context, const void *key, void **out);
  /** Release a handle; NULL: nothing to do. Must not fail. */
  void (*release)(void *handle);
} tvm_ffi_handle_maker;

/**
 * Get the handle of a key, which is made unless the table has it.
 * @param table   [borrow]
 * @param key     [in] Compared as an address, and only passed on.
 * @param maker   [borrow] The same for all keys of a table.
 * @param context [borrow] Passed to create.
 * @param out     [lend] Until tvm_ffi_handle_table_clear.
 * @return 0, or non-zero; the compiler warns when it is ignored.
 * Errors: memory, any (those of create).
 * Threads: any. With compilers that are not gcc, clang or MSVC, one.
 */
static inline int tvm_ffi_handle_table_read(tvm_ffi_handle_table *table, const void *key,
                                            const tvm_ffi_handle_maker *maker, void *context,
                                            void **out);

/**
 * Release all handles; the table is then as new. Libraries that are never unloaded need not.
 * @param table [borrow]
 * @param maker [borrow] That of the table's keys.
 * Errors: none.   Threads: any, while none uses the table or its handles.
 */
static inline void tvm_ffi_handle_table_clear(tvm_ffi_handle_table *table,
                                              const tvm_ffi_handle_maker *maker);

#include <tvm/ffi/c/detail/handle_table.h> /* the bodies */

#endif /* TVM_FFI_C_HANDLE_TABLE_H_ */
