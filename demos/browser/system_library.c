/* SPDX-License-Identifier: Apache-2.0 */
/* Enters the kernels of this program in the system library, since WebAssembly loads no files. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

#define KERNELS(K) K(convolve) K(mandelbrot) K(matmul) K(softmax) K(tone)

static void enter(const char *symbol, TVMFFISafeCallType function) {
  void *address;
  memcpy(&address, &function, sizeof address);
  if (TVMFFIEnvModRegisterSystemLibSymbol(symbol, address) != 0) tvm_ffi_error_print_raised(stderr);
}

/* The functions that TVM_FFI_C_EXPORT, _DOC and _SCHEMA define for a kernel. */
#define DECLARE(name)                                                                           \
  int __tvm_ffi_##name(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result); \
  int __tvm_ffi__doc_##name(void *self, const TVMFFIAny *args, int32_t num_args,                \
                            TVMFFIAny *result);                                                 \
  int __tvm_ffi__metadata_##name(void *self, const TVMFFIAny *args, int32_t num_args,           \
                                 TVMFFIAny *result);
KERNELS(DECLARE)

#define ENTER(name)                                      \
  enter("__tvm_ffi_" #name, __tvm_ffi_##name);           \
  enter("__tvm_ffi__doc_" #name, __tvm_ffi__doc_##name); \
  enter("__tvm_ffi__metadata_" #name, __tvm_ffi__metadata_##name);

__attribute__((constructor)) static void enter_kernels(void) {
  KERNELS(ENTER)
}
