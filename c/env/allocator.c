/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "core/error.h"
#include "core/function.h"
#include "core/tensor.h"
#include "core/thread_state.h"
#include "env/env.h"
#include "platform/atomic.h"

static DLPackManagedTensorAllocator process_allocator;

int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator *opt_out_original_allocator) {
  DLPackManagedTensorAllocator original = tvmffi_thread.tensor_allocator;
  tvmffi_thread.tensor_allocator = allocator;
  if (write_to_global_context) tvmffi_atomic_store_release_ptr(&process_allocator, allocator);
  if (opt_out_original_allocator != NULL) *opt_out_original_allocator = original;
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  DLPackManagedTensorAllocator allocator = tvmffi_thread.tensor_allocator;
  return allocator != NULL ? allocator : tvmffi_atomic_load_acquire_ptr(&process_allocator);
}

static void raise_allocator_error(void *error_ctx, const char *kind, const char *message) {
  (void)error_ctx;
  TVMFFIErrorSetRaisedFromCStr(kind, message);
}

int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out) {
  DLPackManagedTensorAllocator allocator;
  DLManagedTensorVersioned *managed = NULL;
  int rc;
  TVMFFI_REQUIRE(prototype);
  TVMFFI_REQUIRE(out);
  allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (allocator == NULL) {
    return tvmffi_fail("RuntimeError",
                       "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                       "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.");
  }
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  rc = allocator(prototype, &managed, NULL, raise_allocator_error);
  if (rc != 0) return tvmffi_function_check_raised(rc); /* managed is not defined then */
  if (managed == NULL) {
    return tvmffi_fail("RuntimeError",
                       "TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator");
  }
  rc = tvmffi_tensor_wrap_versioned(managed, out);
  if (rc != 0 && managed->deleter != NULL) managed->deleter(managed);
  return rc;
}

void tvmffi_allocator_shutdown(void) {
  tvmffi_atomic_store_release_ptr(&process_allocator, (DLPackManagedTensorAllocator)NULL);
}
