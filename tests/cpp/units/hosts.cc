/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts in C++ that load kernels; the functions named load_* use Module::LoadFromFile. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <thread>

namespace ffi = tvm::ffi;

/* In quickstart.cc, which is linked with this. */
extern "C" int __tvm_ffi_add_one_cpu(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);

namespace {

constexpr int ARRAY_SIZE = 4;

ffi::Tensor Empty(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  struct Local {
    void AllocData(DLTensor *x) { x->data = malloc(ffi::GetDataSize(*x)); }
    void FreeData(DLTensor *x) { free(x->data); }
  };
  return ffi::Tensor::FromNDAlloc(Local(), shape, dtype, device);
}

/* Two vectors, the first with values. */
struct Vectors {
  explicit Vectors(int64_t n) : x(Alloc({n})), y(Empty({ARRAY_SIZE}, x.dtype(), x.device())) {
    for (int64_t i = 0; i < n; ++i) {
      static_cast<float *>(x.data_ptr())[i] = static_cast<float>(i) / 2;
    }
  }
  static ffi::Tensor Alloc(ffi::ShapeView shape) {
    struct CPUAlloc {
      void AllocData(DLTensor *tensor) { tensor->data = calloc(ffi::GetDataSize(*tensor), 1); }
      void FreeData(DLTensor *tensor) { free(tensor->data); }
    };
    return ffi::Tensor::FromNDAlloc(CPUAlloc(), shape, DLDataType{kDLFloat, 32, 1},
                                    DLDevice{kDLCPU, 0});
  }
  ffi::Tensor x, y;
};

ffi::Tensor load_and_call(ffi::String path, int64_t n) {
  ffi::Module mod = ffi::Module::LoadFromFile(path.c_str());
  ffi::Function add_one = mod->GetFunction("add_one_cpu").value();
  Vectors vectors(n);
  ffi::TensorView x = vectors.x, y = vectors.y;
  add_one(x, y);
  return vectors.y;
}

ffi::String load_with_strings(std::string path, std::string name) {
  ffi::Module mod = ffi::Module::LoadFromFile(path);
  ffi::Optional<ffi::Function> found = mod->GetFunction(name);
#ifdef UNITS_OF_THE_PACKAGE
  const bool is_there = found.has_value(); /* its latest release has no defined() */
#else
  const bool is_there = found.defined();
#endif
  if (!is_there) return "not there";
  Vectors vectors(ARRAY_SIZE);
  found.value()(vectors.x, vectors.y);
  return "last is " + std::to_string(static_cast<float *>(vectors.y.data_ptr())[ARRAY_SIZE - 1]);
}

ffi::Tensor invoke_extern(int64_t n) {
  Vectors vectors(n);
  ffi::Function::InvokeExternC(nullptr, __tvm_ffi_add_one_cpu, vectors.x, vectors.y);
  return vectors.y;
}

/* Collects tensors of a framework in an Array. */
ffi::Array<ffi::Tensor> gather(ffi::Tensor x, ffi::Optional<ffi::Array<ffi::Tensor>> more) {
  std::vector<ffi::Tensor> tensors;
  tensors.push_back(ffi::Tensor::FromDLPackVersioned(x.ToDLPackVersioned()));
  ffi::Array<ffi::Tensor> gathered(tensors);
  if (more.has_value()) {
    for (const ffi::Tensor &tensor : more.value()) gathered.push_back(tensor);
  }
  return gathered;
}

/* ---- An allocator for the whole program ---- */

int64_t num_allocated = 0, num_freed = 0;

/* Leaves strides NULL: the data is contiguous. */
int Allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_context,
             void (*set_error)(void *error_context, const char *kind, const char *message)) {
  if (prototype->ndim == 0) {
    set_error(error_context, "ValueError", "this allocator wants extents");
    return -1;
  }
  const size_t ndim = static_cast<size_t>(prototype->ndim);
  auto *managed = static_cast<DLManagedTensorVersioned *>(
      calloc(1, sizeof(DLManagedTensorVersioned) + ndim * sizeof(int64_t)));
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->version.minor = 0;
  managed->dl_tensor = *prototype;
  managed->dl_tensor.shape = reinterpret_cast<int64_t *>(managed + 1);
  memcpy(managed->dl_tensor.shape, prototype->shape, ndim * sizeof(int64_t));
  managed->dl_tensor.strides = nullptr;
  managed->dl_tensor.data = calloc(ffi::GetDataSize(*prototype) + 1, 1);
  managed->deleter = [](DLManagedTensorVersioned *self) {
    ++num_freed;
    free(self->dl_tensor.data);
    free(self);
  };
  ++num_allocated;
  *out = managed;
  return 0;
}

ffi::Tensor AllocateForKernel(ffi::Shape shape) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, DLDataType{kDLInt, 32, 1},
                                   DLDevice{kDLCPU, 0});
}

/* A global allocator is used by threads that start after it was set. */
ffi::String allocate_on_a_thread(ffi::Shape shape) {
  DLPackManagedTensorAllocator old_thread = nullptr, old_global = nullptr;
  std::string text;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 0, &old_thread));
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(Allocate, 1, &old_global));
  num_allocated = num_freed = 0;
  std::thread([&] {
    try {
      ffi::Tensor x = AllocateForKernel(shape);
      for (int64_t stride : x.strides()) text += std::to_string(stride) + " ";
      text += x.IsContiguous() ? "contiguous" : "strided";
    } catch (const ffi::Error &error) {
      text += error.kind() + ": " + error.message();
    }
  }).join();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(old_global, 1, nullptr));
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(old_thread, 0, nullptr));
  return text + ", " + std::to_string(num_allocated) + " allocated, " + std::to_string(num_freed) +
         " freed";
}

/* Each thread has its own stream of a device; setting one returns the old one. */
ffi::String streams_of_threads() {
  void *old = nullptr, *there = nullptr, *again = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIEnvSetStream(kDLCUDA, 3, reinterpret_cast<void *>(uintptr_t{0x30}), &old));
  std::thread([&] { there = TVMFFIEnvGetStream(kDLCUDA, 3); }).join();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetStream(kDLCUDA, 3, old, &again));
  std::string text = old == nullptr ? "none" : "some";
  text += there == nullptr ? " none " : " some ";
  return text + std::to_string(reinterpret_cast<uintptr_t>(again));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_and_call, load_and_call);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_with_strings, load_with_strings);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(invoke_extern, invoke_extern);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gather, gather);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(allocate_on_a_thread, allocate_on_a_thread);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(streams_of_threads, streams_of_threads);

}  // namespace
