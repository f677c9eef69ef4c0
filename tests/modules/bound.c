/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel library that shows which copy of the runtime it is bound to. With a macro it is one
 * that is harder to load:
 *
 *     LACKS_A_DRIVER   it calls a function that nobody has, which is not one of the runtime
 *     LACKS_A_VERSION  it calls a function that this version of the runtime does not have
 *     THROUGH_ANOTHER  another library (IS_THE_OTHER) makes its calls of the runtime
 */
#include <tvm/ffi/extra/c_env_api.h>

#if defined(LACKS_A_DRIVER)
int test_function_of_a_driver(void);
TVM_FFI_DLL_EXPORT int test_use_a_driver(void);
TVM_FFI_DLL_EXPORT int test_use_a_driver(void) {
  return test_function_of_a_driver();
}
#endif

#if defined(LACKS_A_VERSION)
int TVMFFITestOfALaterVersion(void);
TVM_FFI_DLL_EXPORT int test_use_a_later_version(void);
TVM_FFI_DLL_EXPORT int test_use_a_later_version(void) {
  return TVMFFITestOfALaterVersion();
}
#endif

#if defined(IS_THE_OTHER)
TVM_FFI_DLL_EXPORT void test_raise_along(void);
TVM_FFI_DLL_EXPORT void test_raise_along(void) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "raised by a kernel");
}
#elif defined(THROUGH_ANOTHER)
void test_raise_along(void);
#else
/* local_plugin.c exports a function of this name, too, which must not take the place of this one.
 */
TVM_FFI_DLL_EXPORT const char *test_message(void);
TVM_FFI_DLL_EXPORT const char *test_message(void) {
  return "raised by a kernel";
}
#define test_raise_along() TVMFFIErrorSetRaisedFromCStr("ValueError", test_message())
#endif

#if !defined(IS_THE_OTHER)

/* Returns the stream that the copy has set for this device. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_get_stream(void *handle, const TVMFFIAny *args, int32_t num_args,
                                            TVMFFIAny *result);
TVM_FFI_DLL_EXPORT int __tvm_ffi_get_stream(void *handle, const TVMFFIAny *args, int32_t num_args,
                                            TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIOpaquePtr;
  result->zero_padding = 0;
  result->v_uint64 = 0;
  result->v_ptr = TVMFFIEnvGetStream(kDLCPU, 99);
  return 0;
}

TVM_FFI_DLL_EXPORT int __tvm_ffi_raise(void *handle, const TVMFFIAny *args, int32_t num_args,
                                       TVMFFIAny *result);
TVM_FFI_DLL_EXPORT int __tvm_ffi_raise(void *handle, const TVMFFIAny *args, int32_t num_args,
                                       TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)result;
  test_raise_along();
  return -1;
}

#endif /* !IS_THE_OTHER */
