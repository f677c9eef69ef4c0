/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to memory: nothing else in the library calls malloc. */
#ifndef TVMFFI_BASE_ALLOC_H_
#define TVMFFI_BASE_ALLOC_H_

#include <stddef.h>
#include <tvm/ffi/extra/c_runtime_api.h>

/* Aligned for any type; NULL when there is none, with nothing raised. size may be 0. */
void *tvmffi_alloc(size_t size);

/* NULL is ignored. */
void tvmffi_free(void *ptr);

/*
 * Memory that lives until TVMFFIRuntimeShutdown: tables that readers may still look at, records
 * whose address clients keep. NULL when there is none.
 */
void *tvmffi_alloc_until_shutdown(size_t size);

/*
 * Memory that clients may free with the C library's free, or put memory of its malloc in the place
 * of: the elements of lists. The hooks do not see it. NULL is ignored.
 */
void *tvmffi_alloc_plain(size_t size);
void tvmffi_free_plain(void *ptr);

/* -1 when something is allocated already. All-NULL hooks mean malloc and free. */
int tvmffi_alloc_set_hooks(const TVMFFIRuntimeMemoryHooks *hooks);

/* Frees all memory that lives until shutdown. */
void tvmffi_alloc_shutdown(void);

#endif /* TVMFFI_BASE_ALLOC_H_ */
