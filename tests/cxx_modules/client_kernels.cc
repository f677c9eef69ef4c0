// SPDX-License-Identifier: Apache-2.0
// The functions of the client that test_cxx_methods.c calls, as a library of kernels.
#include "client.h"

// Runs an action; an exception becomes a raised error.
template <typename Action>
static int Run(Action action) {
  try {
    action();
    return 0;
  } catch (const std::exception &error) {
    TVMFFIErrorSetRaisedFromCStr("AssertionError", error.what());
    return -1;
  }
}

static int GiveModule(TVMFFIObject *module, TVMFFIAny *result) {
  result->type_index = kTVMFFIModule;
  result->v_obj = module;
  return 0;
}

#define KERNEL(name)                                                                              \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void *, const TVMFFIAny *args, std::int32_t, \
                                                     TVMFFIAny *result)

KERNEL(make) {
  return GiveModule(client::Make(static_cast<client::Mode>(args[0].v_int64)), result);
}

KERNEL(make_quiet) {
  (void)args;
  return GiveModule(client::MakeQuiet(), result);
}

KERNEL(num_alive) {
  (void)args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = client::num_alive;
  return 0;
}

KERNEL(check_ours) {
  (void)result;
  return Run([&] { client::CheckOurs(args[0].v_obj, args[1].v_int64 != 0); });
}

KERNEL(check_types) {
  (void)result;
  return Run([&] { client::CheckTypes(args[0].v_obj); });
}
