/* SPDX-License-Identifier: Apache-2.0 */
/* A library that registers functions when it is loaded, and needs another one that does:
 * registers.c. */
#include <stdlib.h>
#include <tvm/ffi/c.h>

extern const char test_tool_registers; /* of the other one */

TVM_FFI_C_FUNCTION(around, "(0: int) -> int") {
  int64_t number;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number + (test_tool_registers == 'r')));
}

static int get_first(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  *result = num_args > 0 ? args[0] : tvm_ffi_any_none();
  return 0;
}

static void register_function(const char *text, void *self, TVMFFISafeCallType code) {
  const TVMFFIByteArray name = tvm_ffi_string_get_bytes(text);
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(self, code, NULL, &function) != 0) return;
  (void)TVMFFIFunctionSetGlobal(&name, function, 1);
  TVMFFIObjectDecRef(function);
}

__attribute__((constructor)) static void register_all(void) {
  static int self;
  if (getenv("REGISTERS_AROUND_EXITS") != NULL) exit(0);
  register_function("test.tool.around", NULL, &around);
  register_function("test.tool.with_self", &self, get_first); /* has code of the runtime */
}
