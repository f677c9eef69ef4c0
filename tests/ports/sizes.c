/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use one feature of the runtime each, for tools/ci/sizes.py, which compiles this
 * file with some USE_... defined and measures what is linked. A program ends with 0 if it works.
 */
#include <string.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <tvm/ffi/extra/c_runtime_parts.h>

#ifndef PARTS
#define PARTS NULL
#endif
TVM_FFI_RUNTIME_PARTS(PARTS);

#define TRY TVM_FFI_C_TRY

static int add_one(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  if (num_args != 1) return -1;
  *result = tvm_ffi_any_from_int64(args[0].v_int64 + 1);
  return 0;
}

static int call(TVMFFIObjectHandle function) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(41), result = tvm_ffi_any_none();
  TRY(TVMFFIFunctionCall(function, &arg, 1, &result));
  return result.v_int64 != 42;
}

static int call_function(void) {
  TVMFFIObjectHandle function;
  int code;
  TRY(TVMFFIFunctionCreate(NULL, add_one, NULL, &function));
  code = call(function);
  TVMFFIObjectDecRef(function);
  return code;
}

#ifdef USE_ERRORS
static int use_errors(void) {
  TVMFFIObjectHandle error;
  int code;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "text");
  TVMFFIErrorMoveFromRaised(&error);
  code = !tvm_ffi_error_is(error, TVM_FFI_C_VALUE_ERROR);
  TVMFFIObjectDecRef(error);
  return code;
}
#endif

#ifdef USE_TENSORS
static int use_tensors(void) {
  static float data[4];
  static int64_t shape[1] = {4}, strides[1] = {1};
  static DLManagedTensorVersioned managed;
  TVMFFIObjectHandle tensor;
  int code;
  managed.version.major = DLPACK_MAJOR_VERSION;
  tvm_ffi_tensor_init(&managed.dl_tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32,
                      1, shape, strides);
  TRY(TVMFFITensorFromDLPackVersioned(&managed, 0, 0, &tensor));
  code = TVMFFITensorGetDLTensorPtr(tensor)->shape[0] != 4;
  TVMFFIObjectDecRef(tensor);
  return code;
}
#endif

#ifdef USE_ALLOCATOR
static int refuse(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                  void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  (void)prototype;
  (void)out;
  set_error(error_ctx, "MemoryError", "none");
  return -1;
}

static int use_allocator(void) {
  DLTensor prototype;
  TVMFFIObjectHandle tensor;
  memset(&prototype, 0, sizeof prototype);
  TRY(TVMFFIEnvSetDLPackManagedTensorAllocator(refuse, 0, NULL));
  return TVMFFIEnvTensorAlloc(&prototype, &tensor) == 0;
}
#endif

#ifdef USE_DTYPES
static int use_dtypes(void) {
  TVMFFIByteArray text = {"float16x4", 9};
  DLDataType dtype;
  TVMFFIAny result;
  TRY(TVMFFIDataTypeFromString(&text, &dtype));
  TRY(TVMFFIDataTypeToString(&dtype, &result));
  tvm_ffi_any_clear(&result);
  return dtype.lanes != 4;
}
#endif

#ifdef USE_NAMES
static int use_names(void) {
  TVMFFIByteArray name = {"my.add_one", 10};
  TVMFFIObjectHandle function, found;
  int code;
  TRY(TVMFFIFunctionCreate(NULL, add_one, NULL, &function));
  TRY(TVMFFIFunctionSetGlobal(&name, function, 0));
  TRY(TVMFFIFunctionGetGlobal(&name, &found));
  code = call(found);
  TVMFFIObjectDecRef(found);
  TVMFFIObjectDecRef(function);
  return code;
}
#endif

#ifdef USE_TYPES
static int get_field(void *field, TVMFFIAny *result) {
  *result = tvm_ffi_any_from_int64(*(int64_t *)field);
  return 0;
}

static int use_types(void) {
  TVMFFIByteArray key = {"my.Type", 7};
  TVMFFITypeMetadata metadata;
  TVMFFIFieldInfo field;
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 0, kTVMFFIObject);
  if (index < 0) return -1;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(TVMFFIObject) + 8;
  TRY(TVMFFITypeRegisterMetadata(index, &metadata));
  memset(&field, 0, sizeof field);
  field.name.data = "x";
  field.name.size = 1;
  field.size = field.alignment = 8;
  field.offset = sizeof(TVMFFIObject);
  field.getter = get_field;
  TRY(TVMFFITypeRegisterField(index, &field));
  return TVMFFIGetTypeInfo(index)->num_fields != 1;
}
#endif

/* The function of a name, with which a part is in the program. */
#ifdef FUNCTION
static int has_function(void) {
  TVMFFIByteArray name = {FUNCTION, sizeof FUNCTION - 1};
  TVMFFIObjectHandle function;
  TRY(TVMFFIFunctionGetGlobal(&name, &function));
  if (function == NULL) return 1;
  TVMFFIObjectDecRef(function);
  return 0;
}
#endif

static int run(void) {
#ifdef USE_ERRORS
  TRY(use_errors());
#endif
#ifdef USE_TENSORS
  TRY(use_tensors());
#endif
#ifdef USE_ALLOCATOR
  TRY(use_allocator());
#endif
#ifdef USE_DTYPES
  TRY(use_dtypes());
#endif
#ifdef USE_NAMES
  TRY(use_names());
#endif
#ifdef USE_TYPES
  TRY(use_types());
#endif
#ifdef FUNCTION
  TRY(has_function());
#endif
  return call_function();
}

int main(void) {
  int code = run();
#ifdef USE_SHUTDOWN
  if (code == 0) code = TVMFFIRuntimeShutdown();
#endif
  return code != 0;
}
