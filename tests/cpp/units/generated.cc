/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers as C++ code generators write them: a launch with the path of its image, a call of a
 * library on raw tensors, a host function with an aligned stack of values. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

static std::string loaded_image;

static int64_t launch(tvm::ffi::TensorView a, tvm::ffi::TensorView b, uint64_t shared_memory,
                      tvm::ffi::Bytes cubin_path) {
  if (loaded_image.empty()) loaded_image = std::string(cubin_path.data(), cubin_path.size());
  void *stream = TVMFFIEnvGetStream(a.device().device_type, a.device().device_id);
  return a.numel() + b.numel() + static_cast<int64_t>(shared_memory + loaded_image.size()) +
         static_cast<int64_t>(reinterpret_cast<uintptr_t>(stream));
}
static void cleanup() {
  loaded_image.clear();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_kernel, launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cleanup_module, cleanup);

void dense_(DLTensor *x, DLTensor *w, DLTensor *out) {
  const int64_t n = x->shape[0], m = w->shape[0];
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += static_cast<float *>(x->data)[j] * static_cast<float *>(w->data)[i * n + j];
    }
    static_cast<float *>(out->data)[i] = sum;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dense, dense_);

extern "C" {
TVM_FFI_DLL_EXPORT int32_t __tvm_ffi_main(void *self_handle, void *args, int32_t num_args,
                                          void *result);
int32_t __tvm_ffi_main(void *self_handle, void *args, int32_t num_args, void *result) {
  static void *twice_packed = NULL;
  alignas(128) TVMFFIAny stack[2];
  if (!((num_args == 1))) {
    const char *parts[2] = {"main: expected ", "1 argument"};
    TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 2);
    return -1;
  }
  (((TVMFFIAny *)((void *)stack))[0].type_index) = 1;
  (((TVMFFIAny *)((void *)stack))[0].zero_padding) = 0;
  (((TVMFFIAny *)((void *)stack))[0].v_int64) = (((TVMFFIAny *)args)[0].v_int64) + ((int64_t)1);
  if (twice_packed == NULL) {
    TVMFFIByteArray name = {"units.twice", 11};
    if (TVMFFIFunctionGetGlobal(&name, &twice_packed) != 0) return -1;
  }
  (void)self_handle;
  return TVMFFIFunctionCall(twice_packed, stack, 1, (TVMFFIAny *)result);
}
}

static int32_t initialised = [] {
  tvm::ffi::Function::SetGlobal(
      "units.twice", tvm::ffi::Function::FromTyped([](int64_t x) { return 2 * x; }), true);
  return 1;
}();
int32_t is_initialised() {
  return initialised;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(is_initialised, is_initialised);
