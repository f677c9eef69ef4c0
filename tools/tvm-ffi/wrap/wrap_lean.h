/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap --lean writes, as far as used: what they take from
 * tvm/ffi/c.h, by the same names and with the same errors. Each part ends with an empty line, and
 * uses parts above it only. */

typedef struct {
  int32_t device_type, device_id;
} DLDevice;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#define DLPACK_FLAG_BITMASK_READ_ONLY 1u

enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBool = 6, kDLCPU = 1 };

enum {
  kTVMFFINone = 0,
  kTVMFFIInt = 1,
  kTVMFFIBool = 2,
  kTVMFFIFloat = 3,
  kTVMFFIOpaquePtr = 4,
  kTVMFFIDLTensorPtr = 7,
  kTVMFFIRawStr = 8,
  kTVMFFIByteArrayPtr = 9,
  kTVMFFISmallStr = 11,
  kTVMFFIStaticObjectBegin = 64,
  kTVMFFIStr = 65,
  kTVMFFITensor = 70
};

typedef void *TVMFFIObjectHandle;

typedef struct {
  const char *data;
  size_t size;
} TVMFFIByteArray;

/* A value: its type, the length of a short text, and 8 bytes. */
typedef struct {
  int32_t type_index;
  uint32_t small_str_len;
  union {
    int64_t v_int64;
    double v_float64;
    void *v_ptr;
    const char *v_c_str;
    char v_bytes[8];
  } content;
} TVMFFIAny;

/* An object begins with this; a text or a DLTensor follows. */
typedef struct {
  uint64_t combined_ref_count;
  int32_t type_index;
  uint32_t padding;
  int64_t deleter;
} TVMFFIObject;

typedef struct {
  int32_t type_index, type_depth;
  TVMFFIByteArray type_key;
} TVMFFITypeInfo;

/* Functions of the runtime that loads the kernel. */
extern void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t count);
extern void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *out);
extern void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);
extern int TVMFFIObjectDecRef(TVMFFIObjectHandle object);
extern const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index);
extern int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out);
extern int TVMFFIStringFromByteArray(const TVMFFIByteArray *text, TVMFFIAny *out);

extern int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle tensor, DLManagedTensorVersioned **out);

extern int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out);

extern int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
extern int TVMFFIFunctionCall(TVMFFIObjectHandle function, TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result);

#define TVM_FFI_C_TYPE_ERROR "TypeError"

#define TVM_FFI_C_VALUE_ERROR "ValueError"

#define TVM_FFI_C_RUNTIME_ERROR "RuntimeError"

#define TVM_FFI_C_TRY(call)                     \
  do {                                          \
    const int tvm_ffi_code = (call);            \
    if (tvm_ffi_code != 0) return tvm_ffi_code; \
  } while (0)

/* A call. */
typedef struct {
  const TVMFFIAny *args;
  int32_t num_args;
  TVMFFIAny *result;
  const char *signature;
} tvm_ffi_args;

/* ---- Errors ---- */

static int tvm_ffi_error_raise(const char *kind, const char *format, ...) {
  char message[512];
  const char *parts[1];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  parts[0] = message;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 1);
  return -1;
}

static int tvm_ffi_error_raise_memory(void) {
  return tvm_ffi_error_raise("MemoryError", "out of memory");
}

/* A code other than 0 without an error would be taken for an error of the frontend. */
static int tvm_ffi_error_ensure(int code) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) {
    return tvm_ffi_error_raise("InternalError", "callee returned %d without setting an error",
                               code);
  }
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return code == -2 ? -1 : code;
}

static int tvm_ffi_args_raise(const tvm_ffi_args *args, int32_t i, const char *kind,
                              const char *format, ...) {
  char number[16], message[256];
  const char *parts[6];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Argument #";
  parts[1] = number;
  parts[2] = " of `";
  parts[3] = args->signature;
  parts[4] = "` ";
  parts[5] = message;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 6);
  return -1;
}

/* `Mismatched <property> ... Expected <expected> but got <got>`; no number for i < 0. */
static int tvm_ffi_detail_raise_mismatch(const tvm_ffi_args *args, int32_t i, const char *kind,
                                         const char *property, const char *expected,
                                         const char *got) {
  char number[32] = "";
  const char *parts[9];
  if (i >= 0) snprintf(number, sizeof number, " on argument #%d", (int)i);
  parts[0] = "Mismatched ";
  parts[1] = property;
  parts[2] = number;
  parts[3] = " when calling: `";
  parts[4] = args->signature;
  parts[5] = "`. Expected ";
  parts[6] = expected;
  parts[7] = " but got ";
  parts[8] = got;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 9);
  return -1;
}

static int tvm_ffi_detail_raise_quoted(const tvm_ffi_args *args, int32_t i, const char *kind,
                                       const char *property, const char *expected,
                                       const char *got) {
  char want[96], have[96];
  snprintf(want, sizeof want, "`%s`", expected);
  snprintf(have, sizeof have, "`%s`", got);
  return tvm_ffi_detail_raise_mismatch(args, i, kind, property, want, have);
}

static const char *tvm_ffi_any_get_type_name(const TVMFFIAny *any) {
  static const char *const names[] = {"None",
                                      "int",
                                      "bool",
                                      "float",
                                      "void*",
                                      "DataType",
                                      "Device",
                                      "DLTensor*",
                                      "const char*",
                                      "TVMFFIByteArray*",
                                      "ObjectRValueRef",
                                      "ffi.SmallStr",
                                      "ffi.SmallBytes",
                                      "ffi.Unchanged"};
  const TVMFFITypeInfo *info;
  if (any->type_index >= 0 && any->type_index < (int32_t)(sizeof names / sizeof *names)) {
    return names[any->type_index];
  }
  info = any->type_index >= kTVMFFIStaticObjectBegin ? TVMFFIGetTypeInfo(any->type_index) : NULL;
  return info != NULL ? info->type_key.data : "unknown type";
}

/* Returns nothing, so that a compiler sees that readers return -1 after it. */
static void tvm_ffi_detail_set_type(const tvm_ffi_args *args, int32_t i, const char *expected) {
  tvm_ffi_detail_raise_quoted(args, i, TVM_FFI_C_TYPE_ERROR, "type", expected,
                              tvm_ffi_any_get_type_name(args->args + i));
}

/* ---- Shapes, data types, devices ---- */

static int64_t tvm_ffi_shape_get_numel(const int64_t *shape, int32_t ndim) {
  int64_t count = 1;
  bool is_empty = false, is_large = false;
  int32_t i;
  for (i = 0; i < ndim; ++i) {
    if (shape[i] < 0) return -1;
    if (shape[i] == 0) {
      is_empty = true;
    } else if (count > INT64_MAX / shape[i]) {
      is_large = true;
    } else {
      count *= shape[i];
    }
  }
  return is_empty ? 0 : is_large ? -1 : count;
}

static char *tvm_ffi_shape_print(const int64_t *shape, int32_t ndim, char *buffer,
                                 size_t capacity) {
  size_t size = 1;
  int32_t i;
  snprintf(buffer, capacity, "[");
  for (i = 0; i < ndim; ++i) {
    char item[32];
    snprintf(item, sizeof item, "%s%lld", i != 0 ? ", " : "", (long long)shape[i]);
    if (size + strlen(item) + sizeof ", ...]" > capacity) {
      snprintf(buffer + size, capacity - size, "%s", i != 0 ? ", ...]" : "...]");
      return buffer;
    }
    size += (size_t)snprintf(buffer + size, capacity - size, "%s", item);
  }
  snprintf(buffer + size, capacity - size, "]");
  return buffer;
}

static DLDataType tvm_ffi_dtype_make(int code, int bits, int lanes) {
  DLDataType dtype;
  dtype.code = (uint8_t)code;
  dtype.bits = (uint8_t)bits;
  dtype.lanes = (uint16_t)lanes;
  return dtype;
}

#define TVM_FFI_C_BOOL tvm_ffi_dtype_make(kDLBool, 8, 1)

#define TVM_FFI_C_INT8 tvm_ffi_dtype_make(kDLInt, 8, 1)

#define TVM_FFI_C_INT16 tvm_ffi_dtype_make(kDLInt, 16, 1)

#define TVM_FFI_C_INT32 tvm_ffi_dtype_make(kDLInt, 32, 1)

#define TVM_FFI_C_INT64 tvm_ffi_dtype_make(kDLInt, 64, 1)

#define TVM_FFI_C_UINT8 tvm_ffi_dtype_make(kDLUInt, 8, 1)

#define TVM_FFI_C_UINT16 tvm_ffi_dtype_make(kDLUInt, 16, 1)

#define TVM_FFI_C_UINT32 tvm_ffi_dtype_make(kDLUInt, 32, 1)

#define TVM_FFI_C_UINT64 tvm_ffi_dtype_make(kDLUInt, 64, 1)

#define TVM_FFI_C_FLOAT32 tvm_ffi_dtype_make(kDLFloat, 32, 1)

#define TVM_FFI_C_FLOAT64 tvm_ffi_dtype_make(kDLFloat, 64, 1)

static bool tvm_ffi_dtype_equal(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

static void tvm_ffi_dtype_print(DLDataType dtype, char *buffer, size_t capacity) {
  TVMFFIAny text;
  memset(&text, 0, sizeof text);
  snprintf(buffer, capacity, "dtype(code=%d, bits=%d, lanes=%d)", dtype.code, dtype.bits,
           dtype.lanes);
  if (TVMFFIDataTypeToString(&dtype, &text) != 0) return;
  if (text.type_index == kTVMFFIStr) {
    const TVMFFIByteArray *bytes =
        (const TVMFFIByteArray *)(const void *)((char *)text.content.v_ptr + sizeof(TVMFFIObject));
    snprintf(buffer, capacity, "%.*s", (int)bytes->size, bytes->data);
    TVMFFIObjectDecRef(text.content.v_ptr);
  } else if (text.type_index == kTVMFFISmallStr) {
    snprintf(buffer, capacity, "%.*s", (int)text.small_str_len, text.content.v_bytes);
  }
}

static void tvm_ffi_device_print(DLDevice device, char *buffer, size_t capacity) {
  static const char *const names[] = {NULL,     "cpu",       "cuda",    "cuda_host",    "opencl",
                                      NULL,     NULL,        "vulkan",  "metal",        "vpi",
                                      "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                      "webgpu", "hexagon",   "maia",    "trn"};
  const int32_t count = (int32_t)(sizeof names / sizeof *names);
  const int32_t type = device.device_type;
  if (type > 0 && type < count && names[type] != NULL) {
    snprintf(buffer, capacity, "%s:%d", names[type], (int)device.device_id);
  } else {
    snprintf(buffer, capacity, "device(%d):%d", (int)type, (int)device.device_id);
  }
}

static DLDevice tvm_ffi_device_make(int32_t device_type, int32_t device_id) {
  DLDevice device;
  device.device_type = device_type;
  device.device_id = device_id;
  return device;
}

/* ---- Tensors ---- */

static DLTensor *TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle tensor) {
  return (DLTensor *)(void *)((char *)tensor + sizeof(TVMFFIObject));
}

static void *tvm_ffi_tensor_get_data(const DLTensor *tensor) {
  return tensor->data != NULL ? (char *)tensor->data + tensor->byte_offset : NULL;
}

static int64_t tvm_ffi_tensor_get_numel(const DLTensor *tensor) {
  return tvm_ffi_shape_get_numel(tensor->shape, tensor->ndim);
}

static bool tvm_ffi_tensor_is_aligned(const DLTensor *tensor, size_t alignment) {
  return (((uint64_t)(uintptr_t)tensor->data + tensor->byte_offset) & (alignment - 1)) == 0;
}

static int tvm_ffi_tensor_read_stride(const DLTensor *tensor, int32_t i, int64_t *out) {
  *out = tensor->strides != NULL
             ? tensor->strides[i]
             : tvm_ffi_shape_get_numel(tensor->shape + i + 1, tensor->ndim - i - 1);
  return 0;
}

static bool tvm_ffi_tensor_is_contiguous(const DLTensor *tensor) {
  uint64_t expected = 1;
  bool contiguous = true;
  int32_t i;
  if (tensor->strides == NULL) return true;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] == 0) return true;
    if (tensor->shape[i] == 1) continue;
    if (tensor->strides[i] != (int64_t)expected) contiguous = false;
    expected *= (uint64_t)tensor->shape[i];
  }
  return contiguous;
}

static int tvm_ffi_tensor_create(DLDevice device, DLDataType dtype, int32_t ndim,
                                 const int64_t *shape, TVMFFIObjectHandle *out) {
  const int64_t count = tvm_ffi_shape_get_numel(shape, ndim);
  char text[128];
  DLTensor prototype;
  int code;
  if (count < 0 || (uint64_t)count > SIZE_MAX / 8) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                               "Shape %s has a negative extent or too many elements",
                               tvm_ffi_shape_print(shape, ndim, text, sizeof text));
  }
  memset(&prototype, 0, sizeof prototype);
  prototype.device = device;
  prototype.dtype = dtype;
  prototype.ndim = ndim;
  memcpy(&prototype.shape, &shape, sizeof prototype.shape); /* it is not written to */
  code = TVMFFIEnvTensorAlloc(&prototype, out);
  return code == 0 ? 0 : tvm_ffi_error_ensure(code);
}

static void tvm_ffi_object_release(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectDecRef(object);
}

/* ---- Values ---- */

static TVMFFIAny tvm_ffi_any_none(void) {
  TVMFFIAny any;
  memset(&any, 0, sizeof any);
  return any;
}

static TVMFFIAny tvm_ffi_any_from_int64(int64_t value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIInt;
  any.content.v_int64 = value;
  return any;
}

static int tvm_ffi_any_from_uint64(uint64_t value, TVMFFIAny *out) {
  if (value > (uint64_t)INT64_MAX) {
    return tvm_ffi_error_raise(
        "OverflowError",
        "Integer value %llu is too large to fit in int64_t. Consider explicitly casting to int64_t "
        "first if this is intentional.",
        (unsigned long long)value);
  }
  *out = tvm_ffi_any_from_int64((int64_t)value);
  return 0;
}

static TVMFFIAny tvm_ffi_any_from_double(double value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIFloat;
  any.content.v_float64 = value;
  return any;
}

static TVMFFIAny tvm_ffi_any_from_bool(bool value) {
  TVMFFIAny any = tvm_ffi_any_from_int64(value);
  any.type_index = kTVMFFIBool;
  return any;
}

static TVMFFIAny tvm_ffi_any_from_pointer(void *value) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIOpaquePtr;
  any.content.v_ptr = value;
  return any;
}

static TVMFFIAny tvm_ffi_any_view_string(const char *text) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIRawStr;
  any.content.v_c_str = text;
  return any;
}

/* The type of an object stands in its header. */
static TVMFFIAny tvm_ffi_any_take_object(TVMFFIObjectHandle object) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = ((const TVMFFIObject *)object)->type_index;
  any.content.v_ptr = object;
  return any;
}

static TVMFFIAny tvm_ffi_any_view_object(TVMFFIObjectHandle object) {
  return tvm_ffi_any_take_object(object);
}

static bool tvm_ffi_any_try_object(const TVMFFIAny *any, int32_t type_index,
                                   TVMFFIObjectHandle *out) {
  if (any->type_index != type_index || any->content.v_ptr == NULL) return false;
  *out = any->content.v_ptr;
  return true;
}

static int tvm_ffi_array_create(const TVMFFIAny *items, int32_t num_items,
                                TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIByteArray name = {"ffi.Array", 9};
  TVMFFIAny result = tvm_ffi_any_none(), *args;
  int code = TVMFFIFunctionGetGlobal(&name, &function);
  if (code != 0) return code;
  memcpy(&args, &items, sizeof args); /* it is not written to */
  code = TVMFFIFunctionCall(function, args, num_items, &result);
  TVMFFIObjectDecRef(function);
  if (code == 0) *out = result.content.v_ptr;
  return code;
}

/* ---- Arguments ---- */

static int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count) {
  char want[16], got[32];
  if (args->num_args == count) return 0;
  snprintf(want, sizeof want, "%d", (int)count);
  snprintf(got, sizeof got, "%d arguments", (int)args->num_args);
  return tvm_ffi_detail_raise_mismatch(args, -1, TVM_FFI_C_TYPE_ERROR, "number of arguments", want,
                                       got);
}

static int tvm_ffi_args_read_tensor(const tvm_ffi_args *args, int32_t i, DLTensor **out) {
  const TVMFFIAny *any = args->args + i;
  if (any->content.v_ptr != NULL && any->type_index == kTVMFFITensor) {
    *out = TVMFFITensorGetDLTensorPtr(any->content.v_ptr);
  } else if (any->content.v_ptr != NULL && any->type_index == kTVMFFIDLTensorPtr) {
    *out = (DLTensor *)any->content.v_ptr;
  } else {
    tvm_ffi_detail_set_type(args, i, "DLTensor*");
    return -1;
  }
  return 0;
}

static int tvm_ffi_args_read_int64(const tvm_ffi_args *args, int32_t i, int64_t *out) {
  const TVMFFIAny *any = args->args + i;
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) {
    tvm_ffi_detail_set_type(args, i, "int");
    return -1;
  }
  *out = any->content.v_int64;
  return 0;
}

static int tvm_ffi_args_read_int64_between(const tvm_ffi_args *args, int32_t i, int64_t low,
                                           int64_t high, int64_t *out) {
  char expected[64], got[32];
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, out));
  if (*out >= low && *out <= high) return 0;
  snprintf(expected, sizeof expected, "%lld to %lld", (long long)low, (long long)high);
  snprintf(got, sizeof got, "%lld", (long long)*out);
  tvm_ffi_detail_raise_mismatch(args, i, TVM_FFI_C_VALUE_ERROR, "value", expected, got);
  return -1;
}

static int tvm_ffi_args_read_double(const tvm_ffi_args *args, int32_t i, double *out) {
  const TVMFFIAny *any = args->args + i;
  if (any->type_index == kTVMFFIFloat) {
    *out = any->content.v_float64;
  } else if (any->type_index == kTVMFFIInt || any->type_index == kTVMFFIBool) {
    *out = (double)any->content.v_int64;
  } else {
    tvm_ffi_detail_set_type(args, i, "float");
    return -1;
  }
  return 0;
}

static int tvm_ffi_args_read_bool(const tvm_ffi_args *args, int32_t i, bool *out) {
  const TVMFFIAny *any = args->args + i;
  if (any->type_index != kTVMFFIBool && any->type_index != kTVMFFIInt) {
    tvm_ffi_detail_set_type(args, i, "bool");
    return -1;
  }
  *out = any->content.v_int64 != 0;
  return 0;
}

static int tvm_ffi_args_read_pointer(const tvm_ffi_args *args, int32_t i, void **out) {
  const TVMFFIAny *any = args->args + i;
  if (any->type_index != kTVMFFIOpaquePtr && any->type_index != kTVMFFINone) {
    tvm_ffi_detail_set_type(args, i, "void*");
    return -1;
  }
  *out = any->type_index == kTVMFFINone ? NULL : any->content.v_ptr;
  return 0;
}

static int tvm_ffi_args_read_string(const tvm_ffi_args *args, int32_t i, TVMFFIByteArray *out) {
  const TVMFFIAny *any = args->args + i;
  if (any->type_index == kTVMFFISmallStr) {
    out->data = any->content.v_bytes;
    out->size = any->small_str_len;
  } else if (any->content.v_ptr != NULL && any->type_index == kTVMFFIRawStr) {
    out->data = any->content.v_c_str;
    out->size = strlen(out->data);
  } else if (any->content.v_ptr != NULL && any->type_index == kTVMFFIStr) {
    const char *object = (const char *)any->content.v_ptr;
    *out = *(const TVMFFIByteArray *)(const void *)(object + sizeof(TVMFFIObject));
  } else {
    tvm_ffi_detail_set_type(args, i, "str");
    return -1;
  }
  return 0;
}

static int tvm_ffi_args_check_dtype(const tvm_ffi_args *args, int32_t i, DLDataType dtype) {
  DLTensor *tensor;
  char want[64], have[64];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_dtype_equal(tensor->dtype, dtype)) return 0;
  tvm_ffi_dtype_print(dtype, want, sizeof want);
  tvm_ffi_dtype_print(tensor->dtype, have, sizeof have);
  return tvm_ffi_detail_raise_quoted(args, i, TVM_FFI_C_TYPE_ERROR, "dtype", want, have);
}

/* The memory of the CPU, the only type that is asked for. */
static int tvm_ffi_args_check_device(const tvm_ffi_args *args, int32_t i, int32_t device_type) {
  DLTensor *tensor;
  char have[48];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->device.device_type == device_type) return 0;
  tvm_ffi_device_print(tensor->device, have, sizeof have);
  return tvm_ffi_detail_raise_quoted(args, i, TVM_FFI_C_VALUE_ERROR, "device", "cpu", have);
}

static int tvm_ffi_args_check_ndim(const tvm_ffi_args *args, int32_t i, int32_t ndim) {
  DLTensor *tensor;
  char want[16], have[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->ndim == ndim) return 0;
  snprintf(want, sizeof want, "%d", (int)ndim);
  snprintf(have, sizeof have, "%d", (int)tensor->ndim);
  return tvm_ffi_detail_raise_mismatch(args, i, TVM_FFI_C_VALUE_ERROR, "ndim", want, have);
}

static int tvm_ffi_args_check_size(const tvm_ffi_args *args, int32_t i, int32_t dim, int64_t size) {
  DLTensor *tensor;
  char want[64], have[128];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->shape[dim] == size) return 0;
  snprintf(want, sizeof want, "size %lld in dimension %d", (long long)size, (int)dim);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, have, sizeof have);
  return tvm_ffi_detail_raise_mismatch(args, i, TVM_FFI_C_VALUE_ERROR, "shape", want, have);
}

static int tvm_ffi_args_check_contiguous(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor;
  char strides[96], shape[96], got[224];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_contiguous(tensor)) return 0;
  snprintf(got, sizeof got, "strides %s of shape %s",
           tvm_ffi_shape_print(tensor->strides, tensor->ndim, strides, sizeof strides),
           tvm_ffi_shape_print(tensor->shape, tensor->ndim, shape, sizeof shape));
  return tvm_ffi_detail_raise_mismatch(args, i, TVM_FFI_C_VALUE_ERROR, "strides",
                                       "a contiguous tensor", got);
}

static int tvm_ffi_args_return(const tvm_ffi_args *args, TVMFFIAny view) {
  TVMFFIByteArray text;
  if (view.type_index != kTVMFFIRawStr) {
    *args->result = view;
    return 0;
  }
  text.data = view.content.v_c_str;
  text.size = strlen(text.data);
  return TVMFFIStringFromByteArray(&text, args->result);
}

/* ---- Exported symbols ---- */

#if defined(_WIN32)
#define TVM_FFI_C_DETAIL_VISIBLE __declspec(dllexport)
#elif defined(__GNUC__)
#define TVM_FFI_C_DETAIL_VISIBLE __attribute__((visibility("default")))
#else
#define TVM_FFI_C_DETAIL_VISIBLE
#endif

#define TVM_FFI_C_EXPORT(name, text)                                                             \
  TVM_FFI_C_DETAIL_VISIBLE int __tvm_ffi_##name(void *self, const TVMFFIAny *argv,               \
                                                int32_t num_args, TVMFFIAny *result);            \
  static int tvm_ffi_body_##name(const tvm_ffi_args *args);                                      \
  int __tvm_ffi_##name(void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result) { \
    tvm_ffi_args call;                                                                           \
    int code;                                                                                    \
    (void)self;                                                                                  \
    call.args = argv;                                                                            \
    call.num_args = num_args;                                                                    \
    call.result = result;                                                                        \
    call.signature = #name text;                                                                 \
    code = tvm_ffi_body_##name(&call);                                                           \
    return code == 0 ? 0 : tvm_ffi_error_ensure(code);                                           \
  }                                                                                              \
  static int tvm_ffi_body_##name(const tvm_ffi_args *args)

#define TVM_FFI_C_DETAIL_EXPORT_DATA(function, array, text)                                  \
  extern TVM_FFI_C_DETAIL_VISIBLE const char array[];                                        \
  const char array[] = text;                                                                 \
  TVM_FFI_C_DETAIL_VISIBLE int function(void *self, const TVMFFIAny *argv, int32_t num_args, \
                                        TVMFFIAny *result);                                  \
  int function(void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result) {     \
    TVMFFIByteArray bytes;                                                                   \
    (void)self;                                                                              \
    (void)argv;                                                                              \
    (void)num_args;                                                                          \
    bytes.data = array;                                                                      \
    bytes.size = sizeof array - 1;                                                           \
    return TVMFFIStringFromByteArray(&bytes, result);                                        \
  }                                                                                          \
  struct tvm_ffi_detail_semicolon

#define TVM_FFI_C_EXPORT_DOC(name, text) \
  TVM_FFI_C_DETAIL_EXPORT_DATA(__tvm_ffi__doc_##name, __tvm_ffi__doctext_##name, text)

#define TVM_FFI_C_EXPORT_SCHEMA(name, result, params)                              \
  TVM_FFI_C_DETAIL_EXPORT_DATA(                                                    \
      __tvm_ffi__metadata_##name, __tvm_ffi__schema_##name,                        \
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{" \
      "\\\"return\\\":[" result "],\\\"params\\\":[" params "]}}\"}")

#define TVM_FFI_C_TYPE(name) "{\\\"type\\\":\\\"" name "\\\"}"

#define TVM_FFI_C_TYPE_OF(name, args) "{\\\"type\\\":\\\"" name "\\\",\\\"args\\\":[" args "]}"

#define TVM_FFI_C_PARAM(param, name) \
  "{\\\"type\\\":\\\"" name "\\\",\\\"name\\\":\\\"" param "\\\"}"
