/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/global.h
 * Calls of the runtime's own global functions, each looked up once per library.
 */
#ifndef TVM_FFI_DETAIL_GLOBAL_H_
#define TVM_FFI_DETAIL_GLOBAL_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** [own] A global function. Errors: ValueError (not there). */
TVM_FFI_LOCAL_COLD TVMFFIObjectHandle RequireGlobal(TVMFFIByteArray name) {
  TVMFFIObjectHandle out = nullptr;
  CheckSafeCall(TVMFFIFunctionGetGlobal(&name, &out));
  if (out == nullptr) {
    {
      Text text;
      text.Put("Function ");
      text.Put(name);
      text.Put(" not found");
      RaiseText("ValueError", text);
    }
    ThrowRaised();
  }
  return out;
}

/** The same, kept for good: globals outlive the libraries that use them. */
TVM_FFI_LOCAL inline TVMFFIObjectHandle KeepGlobal(TVMFFIObjectHandle *kept, const char *name) {
  TVMFFIObjectHandle found = __atomic_load_n(kept, __ATOMIC_ACQUIRE), expected = nullptr;
  if (TVM_FFI_PREDICT_TRUE(found != nullptr)) return found;
  found = RequireGlobal(BytesOf(name));
  if (!__atomic_compare_exchange_n(kept, &expected, found, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    ObjectUnsafe::DecRefObjectHandle(found);
    return expected;
  }
  return found;
}

#define TVM_FFI_DETAIL_GLOBAL(Name, text)                       \
  TVM_FFI_LOCAL inline TVMFFIObjectHandle kept##Name = nullptr; \
  TVM_FFI_LOCAL inline TVMFFIObjectHandle Global##Name() {      \
    return ::tvm::ffi::detail::KeepGlobal(&kept##Name, text);   \
  }

TVM_FFI_LOCAL inline Any CallHandle(TVMFFIObjectHandle function, const AnyView *args,
                                    int32_t num_args) {
  Any result;
  CheckSafeCall(TVMFFIFunctionGetCellPtr(function)->safe_call(
      function, reinterpret_cast<const TVMFFIAny *>(args), num_args, AnyUnsafe::Slot(&result)));
  return result;
}
template <typename... Args>
TVM_FFI_LOCAL Any CallGlobal(TVMFFIObjectHandle function, const Args &...args) {
  const AnyView views[sizeof...(Args) + 1] = {AnyView(args)...};
  return CallHandle(function, views, static_cast<int32_t>(sizeof...(Args)));
}

TVM_FFI_DETAIL_GLOBAL(Array, "ffi.Array")

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_GLOBAL_H_
