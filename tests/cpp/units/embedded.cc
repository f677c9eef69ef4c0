/* SPDX-License-Identifier: Apache-2.0 */
/* Code like that of compilers that embed modules: a kind of module; the global function that loads
 * one from bytes, registered by the very library that carries the bytes; hand-written functions of
 * the ABI, and calls of them in three ways. */
#include <tvm/ffi/cast.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

namespace ffi = tvm::ffi;

namespace {

class ScaleModule : public ffi::ModuleObj {
 public:
  explicit ScaleModule(double factor) : factor_(factor) {}
  const char *kind() const final { return "units.by"; }
  int GetPropertyMask() const final {
    return ffi::Module::kBinarySerializable | ffi::Module::kRunnable;
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    if (name != "scale") return std::nullopt;
    ffi::ObjectPtr<ffi::Object> self = ffi::GetObjectPtr<ffi::Object>(this);
    return ffi::Function::FromTyped(
        [self, factor = factor_](double x) -> double { return x * factor; });
  }
  ffi::Bytes SaveToBytes() const final { return ffi::Bytes(std::to_string(factor_)); }

 private:
  double factor_;
};

ffi::Module LoadScale(const ffi::Bytes &bytes) {
  const std::string text(bytes.data(), bytes.size());
  TVM_FFI_CHECK(!text.empty(), ValueError) << "no factor";
  return ffi::Module(ffi::make_object<ScaleModule>(std::stod(text)));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("ffi.Module.load_from_bytes.units.by", LoadScale)
      .def(
          "units.scale_twice", [](double x) { return 2 * x; }, "Doubles.");
}

}  // namespace

extern "C" {
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = nullptr;

/* Two modules, the first of which imports the second: this library, and one from the bytes 7.5. */
#define UNITS_INT(low) low "\0\0\0\0\0\0\0"
TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = UNITS_INT("\x57")    /* size of the rest */
    UNITS_INT("\3") UNITS_INT("\0") UNITS_INT("\1") UNITS_INT("\1") /* imports: row pointers */
    UNITS_INT("\1") UNITS_INT("\1")                                 /* imports: indices */
    UNITS_INT("\4") "_lib" UNITS_INT("\x8") "units.by" UNITS_INT("\3") "7.5";

/* A hand-written function, as a compiler emits it. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_half(void *self, const TVMFFIAny *args, int32_t num_args,
                                      TVMFFIAny *result);
int __tvm_ffi_half(void *, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  if (num_args != 1 || args[0].type_index != kTVMFFIFloat) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "half: expects a float");
    return -1;
  }
  result->type_index = kTVMFFIFloat;
  result->v_float64 = args[0].v_float64 / 2;
  return 0;
}
}

/* Calls a function in each of the ways that generated code uses. */
ffi::Any call_three_ways(int64_t way, ffi::Any x) {
  static void *cached = nullptr;
  const TVMFFIAny *arg = reinterpret_cast<const TVMFFIAny *>(&x);
  ffi::Any result;
  TVMFFIAny *slot = reinterpret_cast<TVMFFIAny *>(&result);
  switch (way) {
    case 0:
      if (cached == nullptr) {
        TVM_FFI_CHECK_SAFE_CALL(
            TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "scale", &cached));
      }
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(cached, const_cast<TVMFFIAny *>(arg), 1, slot));
      break;
    case 1:
      result = ffi::Function::GetGlobalRequired("units.scale_twice")(x);
      break;
    default:
      TVM_FFI_CHECK_SAFE_CALL(__tvm_ffi_half(nullptr, arg, 1, slot));
  }
  return result;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_three_ways, call_three_ways);

ffi::Bytes save(ffi::Module module) {
  return module->SaveToBytes();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(save, save);
/* The module is dropped here: its function must hold a reference to it. */
ffi::Function scale_of(double factor) {
  ffi::Module module(ffi::make_object<ScaleModule>(factor));
  return module->GetFunction("scale").value();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_of, scale_of);
