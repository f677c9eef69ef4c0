/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library with a module class of its own. module.txt lists its imports. */
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;

class Counter : public ffi::ModuleObj {
 public:
  explicit Counter(int64_t start) : value_(start) {}
  const char *kind() const final { return "counter"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    if (name == "next") return ffi::Function::FromTyped([this]() { return value_++; });
    return ffi::Function(nullptr);
  }

 private:
  int64_t value_;
};
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_counter, [](int64_t start) {
  return ffi::Module(ffi::make_object<Counter>(start));
});
