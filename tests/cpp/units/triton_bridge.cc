/* SPDX-License-Identifier: Apache-2.0 */
/* A bridge to kernels that are compiled at run time: options in a map, arguments in an array, both
 * passed to global functions that are found by name; tensors through DLPack. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

namespace {

using tvm::ffi::Any;
using tvm::ffi::Array;
using tvm::ffi::Function;
using tvm::ffi::Map;
using tvm::ffi::Optional;
using tvm::ffi::String;
using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

Map<String, Any> options(int warps) {
  return Map<String, Any>{{"num_warps", warps}, {"num_stages", 3}, {"BLOCK_SIZE", 128}};
}

/* The value of an option, or a default that is made from the block size. */
int64_t read_options(Map<String, Any> meta, String name) {
  auto value = meta.Get(name);
  if (value.has_value()) return value.value().cast<int64_t>();
  return -meta["BLOCK_SIZE"].cast<int32_t>();
}

/* Binds names to the values of an iterator, one by one. */
Map<String, Any> bind(Array<Any> values) {
  Map<String, Any> meta;
  Array<Any>::iterator item = values.begin();
  meta.Set("M", *item++);
  meta.Set("N", *item++);
  meta.Set("K", *item);
  return meta;
}
int64_t volume(Array<Any> values) {
  Map<String, Any> meta = bind(values);
  return meta["M"].cast<int32_t>() * meta["N"].cast<int32_t>() * meta["K"].cast<int32_t>();
}

Tensor through_dlpack(Tensor x) {
  DLManagedTensor *managed = x.ToDLPack();
  return Tensor::FromDLPack(managed);
}

/* Calls a global function that other code registered. */
Any launch(Tensor x, int64_t factor) {
  Array<Any> args = {x, factor, 1.5, "grid", nullptr};
  Map<String, Any> meta = options(4);
  Function runner = Function::GetGlobalRequired("units.run_kernel");
  Any result = runner(x.shape().size(), args, meta);
  return result;
}
Any launch_missing() {
  return Function::GetGlobalRequired("units.no_such_kernel")();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef().def(
      "units.run_kernel", [](int64_t ndim, Array<Any> args, Map<String, Any> meta) {
        const Tensor x = args[0].cast<Tensor>();
        return String(std::to_string(ndim) + " " + std::to_string(x.numel()) + " " +
                      std::to_string(args[1].cast<int>()) + " " +
                      std::string(args[3].cast<String>()) + (args[4] == nullptr ? " none " : " ") +
                      std::to_string(meta["num_warps"].cast<int>()));
      });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(options, options);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(read_options, read_options);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(volume, volume);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(through_dlpack, through_dlpack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_missing, launch_missing);

}  // namespace
