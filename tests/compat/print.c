/* SPDX-License-Identifier: Apache-2.0 */
/* Prints values and errors: everything that a caller can see of them, except addresses. */
#include "host.h"

static void print_bytes(const char *data, size_t size) {
  size_t i;
  putchar('"');
  for (i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)data[i];
    if (byte == '"' || byte == '\\') {
      printf("\\%c", byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
      printf("\\x%02x", byte);
    } else {
      putchar(byte);
    }
  }
  putchar('"');
}

static void print_element(const DLTensor *x, int64_t i) {
  const void *data =
      (const char *)tvm_ffi_tensor_get_data(x) + i * tvm_ffi_dtype_get_bytes(x->dtype);
#define PRINT_INT(type) printf(" %lld", (long long)*(const type *)data)
#define PRINT_FLOAT(type) printf(" %.9g", (double)*(const type *)data)
  switch (tvm_ffi_dtype_get_key(x->dtype)) {
    TVM_FFI_C_CASES_INT(PRINT_INT)
    TVM_FFI_C_CASES_FLOAT(PRINT_FLOAT)
    TVM_FFI_C_CASE_BOOL(PRINT_INT)
    default:
      printf(" ?");
  }
}

static void print_elements(const DLTensor *x, int32_t dim, int64_t offset) {
  int64_t i, stride = 0;
  if (dim == x->ndim) {
    print_element(x, offset);
    return;
  }
  if (tvm_ffi_tensor_read_stride(x, dim, &stride) != 0) return;
  for (i = 0; i < x->shape[dim]; ++i) print_elements(x, dim + 1, offset + i * stride);
}

static void print_tensor(const DLTensor *x) {
  char dtype[64], shape[100], strides[100], device[50];
  printf("Tensor %s %s strides %s %s:", tvm_ffi_dtype_print(x->dtype, dtype, sizeof dtype),
         tvm_ffi_shape_print(x->shape, x->ndim, shape, sizeof shape),
         x->strides != NULL ? tvm_ffi_shape_print(x->strides, x->ndim, strides, sizeof strides)
                            : "none",
         tvm_ffi_device_print(x->device, device, sizeof device));
  if (x->device.device_type == kDLCPU) print_elements(x, 0, 0);
}

/* An object of a registered type: its key, those of its ancestors, and its fields. */
static void print_object(TVMFFIObject *object) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(object->type_index);
  int32_t depth, i;
  if (info == NULL) fail_usage("no type", "of an object");
  printf("%s", info->type_key.data);
  for (depth = info->type_depth - 1; depth >= 0; --depth) {
    printf(" < %s", info->type_ancestors[depth]->type_key.data);
  }
  if (object->type_index < kTVMFFIDynObjectBegin) return;
  for (depth = 1; depth <= info->type_depth; ++depth) {
    const TVMFFITypeInfo *part = depth < info->type_depth ? info->type_ancestors[depth] : info;
    for (i = 0; i < part->num_fields; ++i) {
      const TVMFFIFieldInfo *field = &part->fields[i];
      TVMFFIAny value = tvm_ffi_any_none();
      printf(" %s=", field->name.data);
      if (field->getter((char *)object + field->offset, &value) != 0) {
        tvm_ffi_error_print_raised(stdout);
      }
      print_value(&value);
      tvm_ffi_any_clear(&value);
    }
  }
}

void print_value(const TVMFFIAny *value) {
  const TVMFFIShapeCell *shape;
  TVMFFIByteArray text;
  DLTensor *tensor;
  char buffer[100];
  int64_t i;
  if (value->zero_padding != 0 && value->type_index != kTVMFFISmallStr &&
      value->type_index != kTVMFFISmallBytes) {
    printf("[padding %u] ", (unsigned)value->zero_padding);
  }
  if (tvm_ffi_any_try_string(value, &text) || tvm_ffi_any_try_bytes(value, &text)) {
    printf("%s ", tvm_ffi_any_get_type_name(value));
    print_bytes(text.data, text.size);
    if (text.data[text.size] != '\0') printf(" [no NUL]");
    return;
  }
  if (tvm_ffi_any_try_tensor(value, &tensor)) {
    print_tensor(tensor);
    return;
  }
  switch (value->type_index) {
    case kTVMFFINone:
      printf("None");
      break;
    case kTVMFFIInt:
      printf("int %lld", (long long)value->v_int64);
      break;
    case kTVMFFIBool:
      printf("bool %s", value->v_int64 == 1 ? "true" : value->v_int64 == 0 ? "false" : "?");
      break;
    case kTVMFFIFloat:
      printf("float %.17g", value->v_float64);
      break;
    case kTVMFFIOpaquePtr: /* pointers that the calls pass are small numbers */
      printf((uintptr_t)value->v_ptr < 0x10000 ? "pointer 0x%lx" : "a pointer",
             (unsigned long)(uintptr_t)value->v_ptr);
      break;
    case kTVMFFIDataType:
      printf("DataType %s", tvm_ffi_dtype_print(value->v_dtype, buffer, sizeof buffer));
      break;
    case kTVMFFIDevice:
      printf("Device %s", tvm_ffi_device_print(value->v_device, buffer, sizeof buffer));
      break;
    case kTVMFFIShape:
      shape = TVMFFIShapeGetCellPtr(value->v_obj);
      printf("Shape %s",
             tvm_ffi_shape_print(shape->data, (int32_t)shape->size, buffer, sizeof buffer));
      break;
    case kTVMFFIError:
      print_error(value->v_obj);
      break;
    case kTVMFFIArray:
    case kTVMFFIList:
      printf("%s [", tvm_ffi_any_get_type_name(value));
      for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
        if (i != 0) printf(", ");
        print_value(tvm_ffi_array_get_data(value->v_obj) + i);
      }
      putchar(']');
      break;
    default:
      if (value->type_index < kTVMFFIStaticObjectBegin) {
        printf("type %d", (int)value->type_index);
      } else {
        print_object(value->v_obj);
      }
  }
}

/* The first line of a backtrace names where an error was raised: `File "/a/b.cc", line 3, in f`.
 * It is printed for errors of kernels only: for others one runtime walks the stack and the other
 * does not. */
static void print_place(TVMFFIByteArray backtrace) {
  static const char kernels[] = "kernels_";
  const char *end = (const char *)memchr(backtrace.data, '\n', backtrace.size);
  const char *begin = backtrace.data, *cursor;
  if (end == NULL) end = backtrace.data + backtrace.size;
  for (cursor = begin; cursor < end; ++cursor) {
    if (*cursor == '/') begin = cursor + 1;
  }
  if ((size_t)(end - begin) < sizeof kernels || memcmp(begin, kernels, sizeof kernels - 1) != 0) {
    return;
  }
  printf(" at \"%.*s", (int)(end - begin), begin);
}

void print_error(TVMFFIObjectHandle error) {
  for (; error != NULL; error = tvm_ffi_error_get_cause(error)) {
    TVMFFIByteArray message = tvm_ffi_error_get_message(error);
    TVMFFIByteArray backtrace = tvm_ffi_error_get_backtrace(error);
    printf("%s ", tvm_ffi_error_get_kind(error).data);
    print_bytes(message.data, message.size);
    if (backtrace.size != 0) print_place(backtrace);
    if (tvm_ffi_error_get_context(error) != NULL) {
      TVMFFIAny context = tvm_ffi_any_view_object(tvm_ffi_error_get_context(error));
      printf(" with ");
      print_value(&context);
    }
    if (tvm_ffi_error_get_cause(error) != NULL) printf(" caused by ");
  }
}
