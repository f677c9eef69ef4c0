/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that return what no kernel should: values, errors and codes that are wrong or too large.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

/* ---- Errors ---- */

/* Fails without an error. */
TVM_FFI_C_EXPORT(fail_silently, "() -> None") {
  (void)args;
  return -1;
}

/* With a code that means nothing. */
TVM_FFI_C_EXPORT(fail_with, "(0: int) -> None") {
  int64_t code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &code));
  return (int)code;
}

/* The message has so many bytes. */
TVM_FFI_C_EXPORT(fail_at_length, "(0: int) -> None") {
  int64_t size;
  char *text;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &size));
  text = malloc((size_t)size + 1);
  if (text == NULL) return tvm_ffi_error_raise_memory();
  memset(text, 'x', (size_t)size);
  text[size] = '\0';
  code = TVM_FFI_C_RAISE("ValueError", "%s", text);
  free(text);
  return code;
}

/* Kind and message are no characters, and the kind tells frontends of an exception of theirs. */
TVM_FFI_C_EXPORT(fail_oddly, "() -> None") {
  (void)args;
  return TVM_FFI_C_RAISE("\xff\xfe%n%s", "%s", "\xc3(%s%n\x1b[2J");
}

TVM_FFI_C_EXPORT(fail_as_frontend, "() -> None") {
  (void)args;
  TVMFFIErrorSetRaisedFromCStr(TVM_FFI_C_ENV_ERROR_ALREADY_SET, "no exception is pending");
  return -1;
}

/* Each error is the cause of the next. */
TVM_FFI_C_EXPORT(fail_for_many_reasons, "(0: int) -> None") {
  TVMFFIByteArray kind = tvm_ffi_string_get_bytes("ValueError");
  TVMFFIByteArray text = tvm_ffi_string_get_bytes("because");
  TVMFFIObjectHandle cause = NULL;
  int64_t count;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &count));
  for (; count > 0; --count) {
    TVMFFIObjectHandle error = NULL;
    if (TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &text, NULL, cause, NULL, &error) != 0) {
      abort();
    }
    tvm_ffi_object_release(cause);
    cause = error;
  }
  TVMFFIErrorSetRaised(cause);
  tvm_ffi_object_release(cause);
  return -1;
}

/* ---- Values ---- */

static int make(const char *name, const TVMFFIAny *items, int32_t count, TVMFFIAny *out) {
  return tvm_ffi_function_call_global(name, items, count, out);
}

/* A list in a list in a list. */
TVM_FFI_C_EXPORT(return_nested, "(0: int) -> Any") {
  TVMFFIAny inner = tvm_ffi_any_none(), outer;
  int64_t depth;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &depth));
  for (; depth > 0; --depth) {
    TVM_FFI_C_TRY(make("ffi.List", &inner, 1, &outer));
    tvm_ffi_any_clear(&inner);
    inner = outer;
  }
  return tvm_ffi_args_return(args, inner);
}

/* A list that is an element of itself. */
TVM_FFI_C_EXPORT(return_endless, "() -> Any") {
  TVMFFIAny list, append[2], nothing;
  TVM_FFI_C_TRY(make("ffi.List", NULL, 0, &list));
  append[0] = append[1] = list;
  TVM_FFI_C_TRY(make("ffi.ListAppend", append, 2, &nothing));
  return tvm_ffi_args_return(args, list);
}

TVM_FFI_C_EXPORT(return_pointer, "() -> Any") {
  static int here;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(&here));
}

/* A value of a type that nobody has. */
TVM_FFI_C_EXPORT(return_no_type, "() -> Any") {
  TVMFFIAny value = tvm_ffi_any_from_int64(1);
  value.type_index = 60;
  return tvm_ffi_args_return(args, value);
}

/* An object that has ended. */
TVM_FFI_C_EXPORT(return_no_object, "() -> Any") {
  TVMFFIAny value = tvm_ffi_any_none();
  value.type_index = kTVMFFIStr;
  value.v_obj = (TVMFFIObject *)(uintptr_t)24;
  return tvm_ffi_args_return(args, value);
}

/* Text of so many bytes. */
TVM_FFI_C_EXPORT(return_text, "(0: int) -> str") {
  int64_t size;
  TVMFFIAny value;
  char *text;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &size));
  text = calloc(1, (size_t)size);
  if (text == NULL) return tvm_ffi_error_raise_memory();
  code = tvm_ffi_bytes_create(text, (size_t)size, &value);
  free(text);
  return code != 0 ? code : tvm_ffi_args_return(args, value);
}

/* Tensors that are none: elements nowhere, a negative size, more elements than there is memory, and
 * more dimensions than may cross. */
TVM_FFI_C_EXPORT(return_tensor, "(0: int) -> Any") {
  enum { kDims = 70 };
  static float data[4];
  static int64_t shape[kDims], strides[kDims];
  const DLDevice cpu = {kDLCPU, 0};
  TVMFFIObjectHandle object;
  DLTensor tensor, *made;
  int64_t which;
  int i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  for (i = 0; i < kDims; ++i) shape[i] = strides[i] = 1;
  shape[0] = 4;
  tvm_ffi_tensor_init(&tensor, data, cpu, TVM_FFI_C_FLOAT32, 1, shape, strides);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&tensor, NULL, NULL, &object));
  made = TVMFFITensorGetDLTensorPtr(object);
  if (which == 0) made->data = (void *)(uintptr_t)4096;
  if (which == 1) made->shape[0] = -4;
  if (which == 2) made->shape[0] = (int64_t)1 << 40;
  if (which == 3) made->ndim = kDims;
  if (which == 4) made->device.device_type = kDLCUDA;
  return tvm_ffi_args_return(args, tvm_ffi_any_take_object(object));
}

/* Keys of a map whose hashes lead to the same place, whatever its size is (docs/abi/maps.md). */
TVM_FFI_C_EXPORT(return_colliding_keys, "(0: int, 1: bool) -> Any") {
  const uint64_t factor = UINT64_C(11400714819323198485); /* of the place of a hash */
  TVMFFIAny *items, value;
  uint64_t inverse = 1;
  int64_t count, i;
  bool is_dict;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &count));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 1, &is_dict));
  for (i = 0; i < 6; ++i) inverse *= 2 - factor * inverse;
  items = malloc(2 * (size_t)count * sizeof *items);
  if (items == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < count; ++i) {
    items[2 * i] = tvm_ffi_any_from_int64((int64_t)(inverse * (uint64_t)i));
    items[2 * i + 1] = tvm_ffi_any_none();
  }
  code = make(is_dict ? "ffi.Dict" : "ffi.Map", items, (int32_t)(2 * count), &value);
  free(items);
  return code != 0 ? code : tvm_ffi_args_return(args, value);
}
