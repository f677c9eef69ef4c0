/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tvm-ffi info [--json]: what library this is, to paste into a report.
 * Exit codes: 0, 1 (the library failed), 2 (usage).
 */
#include <tvm/ffi/c.h>

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

static int print_info(int as_json) {
  TVMFFIVersion version;
  int64_t num_functions = 0;
  int num_types = count_types();
  TVMFFIGetVersion(&version);
  TVM_FFI_C_TRY(count_functions(&num_functions));
  printf(as_json ? "{\"abi_version\":\"%u.%u.%u\",\"dlpack_version\":\"%d.%d\",\"pointer_bits\":%d,"
                   "\"types\":%d,\"global_functions\":%lld}\n"
                 : "ABI version       %u.%u.%u\nDLPack version    %d.%d\npointer bits      %d\n"
                   "types             %d\nglobal functions  %lld\n",
         (unsigned)version.major, (unsigned)version.minor, (unsigned)version.patch,
         DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION, (int)sizeof(void *) * 8, num_types,
         (long long)num_functions);
  return 0;
}

int main(int argc, char **argv) {
  int as_json = argc == 3 && strcmp(argv[2], "--json") == 0;
  if (argc < 2 || strcmp(argv[1], "info") != 0 || (argc > 2 && !as_json)) {
    fprintf(stderr, "usage: tvm-ffi info [--json]\n");
    return 2;
  }
  if (print_info(as_json) != 0) {
    tvm_ffi_error_print_raised(stderr);
    return 1;
  }
  return 0;
}
