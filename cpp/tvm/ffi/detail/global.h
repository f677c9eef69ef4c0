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

/** Finds a global function. out: [own] Returns 0, or -1 with ValueError raised (not there). */
TVM_FFI_LOCAL_COLD int FindGlobal(TVMFFIByteArray name, TVMFFIObjectHandle *out) {
  if (TVMFFIFunctionGetGlobal(&name, out) != 0) return -1;
  if (*out != nullptr) return 0;
  Text text;
  text.Put("Function ");
  text.Put(name);
  text.Put(" not found");
  return RaiseText("ValueError", text);
}
/** [own] A global function. Errors: ValueError (not there). */
TVM_FFI_LOCAL_COLD TVMFFIObjectHandle RequireGlobal(TVMFFIByteArray name) {
  TVMFFIObjectHandle out = nullptr;
  CheckSafeCall(FindGlobal(name, &out));
  return out;
}

/** Stores a global function in *kept and never releases it, as globals outlive the libraries that
 * use them. Takes over `found`; if another thread was first, releases it and returns theirs. */
TVM_FFI_LOCAL inline TVMFFIObjectHandle KeepFound(TVMFFIObjectHandle *kept,
                                                  TVMFFIObjectHandle found) {
  TVMFFIObjectHandle expected = nullptr;
  if (!__atomic_compare_exchange_n(kept, &expected, found, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    ObjectUnsafe::DecRefObjectHandle(found);
    return expected;
  }
  return found;
}
/** RequireGlobal, looked up once. */
TVM_FFI_LOCAL inline TVMFFIObjectHandle KeepGlobal(TVMFFIObjectHandle *kept, const char *name) {
  const TVMFFIObjectHandle found = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (TVM_FFI_PREDICT_TRUE(found != nullptr)) return found;
  return KeepFound(kept, RequireGlobal(BytesOf(name)));
}
/** FindGlobal, looked up once. out: [lend] */
TVM_FFI_LOCAL inline int FindKeptGlobal(TVMFFIObjectHandle *kept, const char *name,
                                        TVMFFIObjectHandle *out) {
  *out = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (TVM_FFI_PREDICT_TRUE(*out != nullptr)) return 0;
  if (FindGlobal(BytesOf(name), out) != 0) return -1;
  *out = KeepFound(kept, *out);
  return 0;
}

#define TVM_FFI_DETAIL_GLOBAL(Name, text)                       \
  TVM_FFI_LOCAL inline TVMFFIObjectHandle kept##Name = nullptr; \
  TVM_FFI_LOCAL inline TVMFFIObjectHandle Global##Name() {      \
    return ::tvm::ffi::detail::KeepGlobal(&kept##Name, text);   \
  }
/** The same, and FindGlobal##Name, which raises an error instead of throwing it. */
#define TVM_FFI_DETAIL_GLOBAL_EXPECTED(Name, text)                     \
  TVM_FFI_DETAIL_GLOBAL(Name, text)                                    \
  TVM_FFI_LOCAL inline int FindGlobal##Name(TVMFFIObjectHandle *out) { \
    return ::tvm::ffi::detail::FindKeptGlobal(&kept##Name, text, out); \
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
