/* SPDX-License-Identifier: Apache-2.0 */
/* All memory comes from here: nothing else in the library calls malloc. */
#ifndef TVMFFI_BASE_ALLOC_H_
#define TVMFFI_BASE_ALLOC_H_

#include <stddef.h>
#include <tvm/ffi/extra/c_runtime_api.h>

/* Memory aligned for any type; NULL, with no error raised, if out of memory. size may be 0. */
void *tvmffi_alloc(size_t size);

/* The same for count elements of size bytes, all 0; NULL also if they are too many bytes. */
void *tvmffi_alloc_zeroed(size_t count, size_t size);

/* NULL is ignored. */
void tvmffi_free(void *ptr);

/*
 * Memory, all bytes 0, that lives until TVMFFIRuntimeShutdown: old tables that readers may still be
 * searching, and records whose address clients keep. NULL when there is none left.
 */
void *tvmffi_alloc_until_shutdown(size_t size);

/*
 * Memory of the C library's malloc, for elements of lists: clients may free it with free, or
 * replace it by memory from their own malloc. It bypasses the memory hooks. NULL is ignored.
 */
void *tvmffi_alloc_plain(size_t size);
void tvmffi_free_plain(void *ptr);

/* -1 if something has been allocated already. All-NULL hooks mean malloc and free. */
int tvmffi_alloc_set_hooks(const TVMFFIRuntimeMemoryHooks *hooks);

/* Frees all memory that lives until shutdown. */
void tvmffi_alloc_shutdown(void);

#endif /* TVMFFI_BASE_ALLOC_H_ */
