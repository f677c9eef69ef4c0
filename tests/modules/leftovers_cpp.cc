// SPDX-License-Identifier: Apache-2.0
// A kernel library in C++ that makes an object itself, as header-only layers do.
#include <tvm/ffi/c_api.h>

extern "C" {
TVM_FFI_DLL_EXPORT int *__test_deleted = nullptr;
TVM_FFI_DLL_EXPORT int *__test_closed = nullptr;
TVM_FFI_DLL_EXPORT int __tvm_ffi_leave(void *handle, const TVMFFIAny *args, int32_t num_args,
                                       TVMFFIAny *result);
}

namespace {

struct Made : TVMFFIObject {
  static void Delete(void *self, int flags) {
    if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) ++*__test_deleted;
    if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) delete static_cast<Made *>(self);
  }
};

struct Closing {
  ~Closing() {
    if (__test_closed != nullptr) ++*__test_closed;
  }
} closing;

}  // namespace

int __tvm_ffi_leave(void *, const TVMFFIAny *, int32_t, TVMFFIAny *result) {
  Made *made = new Made();
  made->combined_ref_count = 0x100000001;
  made->type_index = kTVMFFIObject;
  made->deleter = Made::Delete;
  result->type_index = kTVMFFIObject;
  result->v_obj = made;
  return 0;
}
