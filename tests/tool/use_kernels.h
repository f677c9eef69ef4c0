/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for programs that call kernels with tensors that the tool's run cannot make. */
#ifndef USE_KERNELS_H_
#define USE_KERNELS_H_

#include <tvm/ffi/c.h>

/* Calls a kernel of a module, and prints whether it raised an error. */
static void call_kernel(TVMFFIObjectHandle module, const char *label, const char *name,
                        const TVMFFIAny *args, int32_t num_args) {
  TVMFFIObjectHandle kernel = NULL;
  printf("%s: ", label);
  if (tvm_ffi_module_get_function(module, name, &kernel) != 0 ||
      tvm_ffi_function_call_void(kernel, args, num_args) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else {
    printf("called\n");
  }
  tvm_ffi_object_release(kernel);
}

static void delete_shared(DLManagedTensorVersioned *self) {
  (void)self;
}

/* A Tensor that shares the elements for reading only; `shared` must outlive it. */
static int share_read_only(const DLTensor *tensor, DLManagedTensorVersioned *shared,
                           TVMFFIObjectHandle *out) {
  memset(shared, 0, sizeof *shared);
  shared->version.major = DLPACK_MAJOR_VERSION;
  shared->version.minor = DLPACK_MINOR_VERSION;
  shared->deleter = delete_shared;
  shared->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  shared->dl_tensor = *tensor;
  return TVMFFITensorFromDLPackVersioned(shared, 0, 0, out);
}

#endif /* USE_KERNELS_H_ */
