/* SPDX-License-Identifier: Apache-2.0 */
/* A library that registers a type and functions when it is loaded; their names and texts contain
 * characters that must not reach a terminal unescaped. */
#include <tvm/ffi/c.h>

#ifdef NEEDED /* by registers_around.c */
__attribute__((visibility("default"))) extern const char test_tool_registers;
const char test_tool_registers = 'r';
#endif

static TVMFFIByteArray bytes(const char *literal) {
  return tvm_ffi_string_get_bytes(literal);
}

TVM_FFI_C_FUNCTION(area, "(0: int, 1: int) -> int") {
  int64_t width, height;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &width));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &height));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(width * height));
}

static void register_type(TVMFFIObjectHandle function) {
  TVMFFIByteArray key = bytes("test.tool.Box");
  TVMFFITypeMetadata type = {{NULL, 0}, NULL, 40, kTVMFFISEqHashKindTreeNode};
  TVMFFIFieldInfo field = {0};
  TVMFFIMethodInfo method = {0};
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  type.doc = bytes("A box.\nIts second line \033[31mis not red.");
  (void)TVMFFITypeRegisterMetadata(index, &type);
  field.name = bytes("width");
  field.doc = bytes("From left to right.");
  field.metadata = bytes("{\"type_schema\":\"{\\\"type\\\":\\\"int\\\"}\"}");
  field.flags = kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskKwOnly;
  field.size = field.alignment = 8;
  field.offset = 24;
  field.field_static_type_index = kTVMFFIInt;
  (void)TVMFFITypeRegisterField(index, &field);
  field.name = bytes("un\033known");
  field.doc = field.metadata = bytes("");
  field.flags = 0;
  field.offset = 32;
  (void)TVMFFITypeRegisterField(index, &field);
  method.name = bytes("area");
  method.metadata = bytes(
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[{\\\"type\\\":"
      "\\\"int\\\"},"
      "{\\\"type\\\":\\\"test.tool.Box\\\"}]}\"}");
  method.method = tvm_ffi_any_view_object(function);
  (void)TVMFFITypeRegisterMethod(index, &method);
}

__attribute__((constructor)) static void register_all(void) {
  TVMFFIMethodInfo info = {0};
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(NULL, &area, NULL, &function) != 0) return;
  info.name = bytes("test.tool.area");
  info.metadata = bytes(
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":[{"
      "\\\"type\\\":\\\"int\\\"}],"
      "\\\"params\\\":[{\\\"type\\\":\\\"int\\\",\\\"name\\\":\\\"width\\\"},{\\\"type\\\":"
      "\\\"int\\\"}]}}\"}");
  info.method = tvm_ffi_any_view_object(function);
  (void)TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1);
  info.name = bytes("test.tool.un\033[31mknown");
  info.metadata = bytes("no schema");
  (void)TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1);
  register_type(function);
  TVMFFIObjectDecRef(function);
}
