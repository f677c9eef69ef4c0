// SPDX-License-Identifier: Apache-2.0
// A program that links one of the C++ functions of the reference's library, as code compiled with
// the reference's headers does.
#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <cstdio>

namespace tvm {
namespace ffi {
struct Any {
  TVMFFIAny any;
};
std::int64_t RecursiveHash(const Any &value);
}  // namespace ffi
}  // namespace tvm

int main() {
  TVMFFIByteArray name = {"ffi.RecursiveHash", 17};
  TVMFFIObjectHandle function = nullptr;
  tvm::ffi::Any value = tvm::ffi::Any();
  TVMFFIAny result = TVMFFIAny();
  value.any.type_index = kTVMFFIInt;
  value.any.v_int64 = 42;
  if (TVMFFIFunctionGetGlobal(&name, &function) != 0 ||
      TVMFFIFunctionCall(function, &value.any, 1, &result) != 0) {
    return 1;
  }
  TVMFFIObjectDecRef(function);
  std::puts(tvm::ffi::RecursiveHash(value) == result.v_int64 ? "hashes agree" : "hashes differ");
  return 0;
}
