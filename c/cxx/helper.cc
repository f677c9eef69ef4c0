// SPDX-License-Identifier: Apache-2.0
// The C++ helper: see module/cxx_helper.h. It is a library of its own, libtvm_ffi_cxx, beside the
// runtime that needs no C++, and part of the runtime that exports C++ functions.
#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#include "cxx/classes.h"
#include "module/cxx_helper.h"

namespace {

// The C++ ABI returns classes with a destructor in memory of the caller, whatever their size; so
// these have one, as the classes that the methods return do.
struct HandleResult {
  TVMFFIObject *obj;
  ~HandleResult() {}
};
struct AnyResult {
  TVMFFIAny any;
  ~AnyResult() {}
};

// Calls a virtual method the way the C++ ABI does: as a function whose first argument is the
// object.
template <typename R, typename... Args>
R CallSlot(void *self, tvmffi_module_method method, Args... args) {
  using Slot = R (*)(void *, Args...);
  void **table = *static_cast<void ***>(self);
  return reinterpret_cast<Slot>(table[method])(self, args...);
}

TVMFFIAny FromHandle(TVMFFIObject *obj) {
  TVMFFIAny any = TVMFFIAny();
  if (obj != nullptr) {
    any.type_index = obj->type_index;
    any.v_obj = obj;
  }
  return any;
}

TVMFFIAny FromInt(std::int32_t type_index, std::int64_t value) {
  TVMFFIAny any = TVMFFIAny();
  any.type_index = type_index;
  any.v_int64 = value;
  return any;
}

// The result is a Function or nothing: a handle, or in the first releases of 0.1.13 a whole value.
// No handle looks like the beginning of such a value, because objects are aligned.
TVMFFIAny GetFunction(void *self, const TVMFFIAny *name) {
  alignas(TVMFFIAny) unsigned char room[sizeof(TVMFFIAny)] = {};
  TVMFFIAny any;
  TVMFFIObject *obj;
  __asm__ volatile("" : : "r"(room) : "memory");  // the zeros are read if only a handle is written
  new (room) AnyResult(CallSlot<AnyResult>(self, kTvmffiModuleGetFunction, name));
  __asm__ volatile("" : : "r"(room) : "memory");
  std::memcpy(&any, room, sizeof any);
  if (any.type_index == kTVMFFIFunction && any.v_obj != nullptr) return any;
  std::memcpy(&obj, room, sizeof obj);
  return FromHandle(obj);
}

TVMFFIAny CallMethod(void *self, tvmffi_module_method method, const TVMFFIAny *args) {
  switch (method) {
    case kTvmffiModuleKind: {
      TVMFFIAny kind = TVMFFIAny();
      kind.v_c_str = CallSlot<const char *>(self, method);
      if (kind.v_c_str != nullptr) kind.type_index = kTVMFFIRawStr;
      return kind;
    }
    case kTvmffiModulePropertyMask:
      return FromInt(kTVMFFIInt, CallSlot<int>(self, method));
    case kTvmffiModuleGetFunction:
      return GetFunction(self, args);
    case kTvmffiModuleImplementsFunction:
      return FromInt(kTVMFFIBool, CallSlot<bool>(self, method, args));
    case kTvmffiModuleGetDoc:
    case kTvmffiModuleGetMetadata:
    case kTvmffiModuleInspectSource:
      return CallSlot<AnyResult>(self, method, args).any;
    case kTvmffiModuleWriteToFile:
      CallSlot<void>(self, method, args, args + 1);
      return TVMFFIAny();
    case kTvmffiModuleGetWriteFormats:
      return FromHandle(CallSlot<HandleResult>(self, method).obj);
    case kTvmffiModuleSaveToBytes:
      return CallSlot<AnyResult>(self, method).any;
    case kTvmffiModuleImport: {
      TVMFFIObject *other = args[0].v_obj;
      CallSlot<void>(self, method, static_cast<TVMFFIObject *const *>(&other));
      return TVMFFIAny();
    }
    default:
      CallSlot<void>(self, method);
      return TVMFFIAny();
  }
}

// Copies a text; one that is too long is cut at a UTF-8 character boundary.
void SetText(tvmffi_cxx_thrown *thrown, const char *text) {
  constexpr std::size_t kMaxSize = sizeof thrown->text - 1;
  std::size_t size = std::strlen(text);
  if (size > kMaxSize) {
    size = kMaxSize;
    while (size > 0 && (text[size] & 0xc0) == 0x80) --size;
  }
  std::memcpy(thrown->text, text, size);
  thrown->text[size] = '\0';
}

int Call(void *self, tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *result,
         tvmffi_cxx_thrown *thrown) {
  thrown->error = nullptr;
  try {
    *result = CallMethod(self, method, args);
    return 0;
#if defined(__GLIBCXX__)
  } catch (const abi::__forced_unwind &) {
    throw;  // the thread is being cancelled
#endif
  } catch (const tvm::ffi::Error &error) {
    thrown->error = error.Share();
    if (thrown->error == nullptr) {
      SetText(thrown, "a C++ exception that is an empty tvm::ffi::Error");
    }
  } catch (const std::exception &error) {
    const char *what = error.what();
    SetText(thrown, what != nullptr ? what : "");
  } catch (...) {
    SetText(thrown, "a C++ exception of unknown type");
  }
  return -1;
}

[[noreturn]] void Raise(TVMFFIObject *error) {
  throw tvm::ffi::Error(error);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const tvmffi_cxx_helper tvmffi_cxx_helper_v1;
const tvmffi_cxx_helper tvmffi_cxx_helper_v1 = {Call, Raise};
}
