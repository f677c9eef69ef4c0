/* SPDX-License-Identifier: Apache-2.0 */
/* What library this is, to paste into a report. */
#include <stdlib.h>
#include <tvm/ffi/c.h>

#include "command.h"
#include "json_out.h"
#include "report.h"

/* The number of registered types that can be found by index, value types included. */
static int count_types(void) {
  enum { kLookAt = 4096 };
  int32_t index;
  int count = 0;
  for (index = 0; index < kLookAt; ++index) {
    if (TVMFFIGetTypeInfo(index) != NULL) ++count;
  }
  TVMFFIErrorSetRaised(NULL); /* of the indices that are free */
  return count;
}

static int count_functions(int64_t *out) {
  TVMFFIObjectHandle list = NULL;
  TVMFFIAny names, arg = tvm_ffi_any_from_int64(-1), count;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_function_get_global("ffi.FunctionListGlobalNamesFunctor", &list));
  code = tvm_ffi_function_call(list, NULL, 0, &names);
  tvm_ffi_object_release(list);
  if (code != 0) return code;
  code = tvm_ffi_function_call(names.v_obj, &arg, 1, &count);
  tvm_ffi_any_clear(&names);
  if (code != 0) return code;
  return tvm_ffi_any_read_int64(&count, out);
}

int run_info(const arguments *args) {
  TVMFFIVersion version;
  int64_t num_functions = 0;
  int num_types = count_types();
  TVMFFIGetVersion(&version);
  if (count_functions(&num_functions) != 0) {
    report_raised("tvm-ffi info");
    return kExitRaised;
  }
  if (arguments_has(args, "json")) {
    char *abi = tool_format("%u.%u.%u", (unsigned)version.major, (unsigned)version.minor,
                            (unsigned)version.patch);
    char *dlpack = tool_format("%d.%d", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
    json_begin_object(NULL);
    json_text("abi_version", abi);
    json_text("dlpack_version", dlpack);
    json_int("pointer_bits", (int64_t)sizeof(void *) * 8);
    json_int("types", num_types);
    json_int("global_functions", num_functions);
    json_end();
    free(abi);
    free(dlpack);
    return kExitOk;
  }
  printf(
      "ABI version       %u.%u.%u\nDLPack version    %d.%d\npointer bits      %d\n"
      "types             %d\nglobal functions  %lld\n",
      (unsigned)version.major, (unsigned)version.minor, (unsigned)version.patch,
      DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION, (int)sizeof(void *) * 8, num_types,
      (long long)num_functions);
  return kExitOk;
}
