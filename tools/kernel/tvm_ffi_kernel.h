/* SPDX-License-Identifier: 0BSD */
/**
 * @file tvm_ffi_kernel.h
 * What a kernel for the TVM FFI ABI needs, to be pasted into C99 that a program emits: no
 * other header but stdint.h, no library to link. Use it for anything; there is no warranty.
 *
 *     TVM_FFI_C_EXPORT(negate, "(0: float) -> float") {
 *       double x;
 *       TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
 *       TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &x));
 *       return tvm_ffi_args_return(args, tvm_ffi_any_from_double(-x));
 *     }
 *
 * It is a part of tvm/ffi/c.h, which documents it: what has the same name does the same, with the
 * same errors. Code for this header also compiles with c.h.
 */
#ifndef TVM_FFI_KERNEL_H_
#define TVM_FFI_KERNEL_H_
/* clang-format off */
#ifdef TVM_FFI_C_API_H_ /* the library's headers are above, and have all this */
#include <tvm/ffi/c.h>
#elif defined(TVM_FFI_LEAN_H_)
#error "put tvm_ffi_kernel.h above what tvm-ffi wrap --lean wrote"
#else
#if defined(__TINYC__) && __TINYC__ <= 927
#include <stddef.h> /* that of tcc has the types of stdint.h, and is read in a tenth of the time */
#else
#include <stdint.h>
#endif
#if defined(__GNUC__)
#define TVM_FFI_C_DETAIL_ATTRIBUTE(attribute) __attribute__((attribute))
#define TVM_FFI_C_DETAIL_UNION __extension__ union
#else
#define TVM_FFI_C_DETAIL_ATTRIBUTE(attribute)
#define TVM_FFI_C_DETAIL_UNION union
#endif
#if defined(_WIN32)
#define TVM_FFI_C_DETAIL_EXPORTED __declspec(dllexport)
#else
#define TVM_FFI_C_DETAIL_EXPORTED TVM_FFI_C_DETAIL_ATTRIBUTE(__visibility__("default"))
#endif
#define TVM_FFI_C_DETAIL_COLD static inline TVM_FFI_C_DETAIL_ATTRIBUTE(__cold__)
#define TVM_FFI_C_DETAIL_CHECK static inline TVM_FFI_C_DETAIL_ATTRIBUTE(__warn_unused_result__)
#if defined(__OPTIMIZE__) /* inlined, so that the compiler sees which variables are set */
#define TVM_FFI_C_DETAIL_READER TVM_FFI_C_DETAIL_CHECK __attribute__((__always_inline__))
#else
#define TVM_FFI_C_DETAIL_READER TVM_FFI_C_DETAIL_CHECK
#endif

/* ---- What kernels use of dlpack.h and tvm/ffi/c_api.h ---- */
enum { /* types of devices */
  kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLVulkan = 7, kDLMetal = 8, kDLVPI = 9,
  kDLROCM = 10, kDLROCMHost = 11, kDLExtDev = 12, kDLCUDAManaged = 13, kDLOneAPI = 14,
  kDLWebGPU = 15, kDLHexagon = 16, kDLMAIA = 17, kDLTrn = 18 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 };
enum { /* types of values */
  kTVMFFINone = 0, kTVMFFIInt = 1, kTVMFFIBool = 2, kTVMFFIFloat = 3, kTVMFFIOpaquePtr = 4,
  kTVMFFIDataType = 5, kTVMFFIDevice = 6, kTVMFFIDLTensorPtr = 7, kTVMFFIRawStr = 8,
  kTVMFFIByteArrayPtr = 9, kTVMFFISmallStr = 11, kTVMFFISmallBytes = 12,
  kTVMFFIStaticObjectBegin = 64, kTVMFFIStr = 65, kTVMFFIBytes = 66, kTVMFFIFunction = 68,
  kTVMFFIShape = 69, kTVMFFITensor = 70, kTVMFFIArray = 71, kTVMFFIMap = 72, kTVMFFIModule = 73 };
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;
typedef void *TVMFFIObjectHandle;
typedef void *TVMFFIStreamHandle;
typedef struct { const char *data; uintptr_t size; } TVMFFIByteArray;
typedef struct { /* what objects begin with; the DLTensor of a Tensor follows */
  uint64_t combined_ref_count;
  int32_t type_index;
  uint32_t __padding;
  TVM_FFI_C_DETAIL_UNION { void (*deleter)(void *self, int flags); int64_t __ensure_align; };
} TVMFFIObject;
typedef struct {
  int32_t type_index;
  TVM_FFI_C_DETAIL_UNION { uint32_t zero_padding; uint32_t small_str_len; };
  TVM_FFI_C_DETAIL_UNION {
    int64_t v_int64; uint64_t v_uint64; double v_float64;
    void *v_ptr; const char *v_c_str; TVMFFIObject *v_obj;
    DLDataType v_dtype; DLDevice v_device; char v_bytes[8];
  };
} TVMFFIAny;
typedef struct { int32_t type_index, type_depth; TVMFFIByteArray type_key; } TVMFFITypeInfo;
const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index);
int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);
int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out);
int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);
int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out);
int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result);
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t num_parts);
int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out);
TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle ctx, const char *name,
                                  TVMFFIObjectHandle *out);

/* ---- Errors: what fails has raised one and returns a code that is not 0 ---- */
#define TVM_FFI_C_TYPE_ERROR "TypeError"
#define TVM_FFI_C_VALUE_ERROR "ValueError"
#define TVM_FFI_C_TRY(expression) \
  do { int tvm_ffi_code = (expression); if (tvm_ffi_code != 0) return tvm_ffi_code; } while (0)
/* Here the message is one text; in c.h it is a format. */
#define TVM_FFI_C_RAISE(kind, message) (TVMFFIErrorSetRaisedFromCStr(kind, message), -1)
#define TVM_FFI_C_CHECK(condition, kind, message) \
  TVM_FFI_C_TRY((condition) ? 0 : TVM_FFI_C_RAISE(kind, message))

typedef struct { /* the call of a kernel: args are borrowed, the result is None at first */
  void *self; const TVMFFIAny *args; int32_t num_args; TVMFFIAny *result; const char *signature;
} tvm_ffi_args;

/* ---- Messages ---- */
TVM_FFI_C_DETAIL_COLD const char *tvm_ffi_detail_digits(char digits[24], int64_t value) {
  char *at = digits + 23;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  for (*at = 0; *at == 0 || rest != 0; rest /= 10) *--at = (char)('0' + (int)(rest % 10));
  if (value < 0) *--at = '-';
  return at;
}
TVM_FFI_C_DETAIL_COLD char *tvm_ffi_detail_append(char *at, const char *text) {
  while (*text != 0) *at++ = *text++;
  *at = 0;
  return at;
}
TVM_FFI_C_DETAIL_COLD char *tvm_ffi_detail_append_int(char *at, const char *text, int64_t value) {
  char digits[24];
  at = tvm_ffi_detail_append(at, text);
  return tvm_ffi_detail_append(at, tvm_ffi_detail_digits(digits, value));
}
/* Extents or strides, such as `[2, 3]`; as many as fit. */
TVM_FFI_C_DETAIL_COLD char *tvm_ffi_detail_list(char *at, int32_t capacity, const int64_t *values,
                                                int32_t count, _Bool wildcards) {
  const char *end = at + capacity - sizeof ", ...]";
  char item[32];
  int32_t k;
  *at++ = '[';
  for (k = 0; k < count; ++k) {
    char *last = tvm_ffi_detail_append(item, k != 0 ? ", " : "");
    last = wildcards && values[k] < 0 ? tvm_ffi_detail_append(last, "*")
                                      : tvm_ffi_detail_append_int(last, "", values[k]);
    if (last - item > end - at) return tvm_ffi_detail_append(at, ", ...]");
    at = tvm_ffi_detail_append(at, item);
  }
  return tvm_ffi_detail_append(at, "]");
}
enum { kTVMFFIDetailShape = 0, kTVMFFIDetailDType, kTVMFFIDetailDevice, kTVMFFIDetailStrides };
/* Writes a property in at most 224 bytes, others than strides in 128. Of a model, a negative extent
 * or device number stands for any. */
TVM_FFI_C_DETAIL_COLD void tvm_ffi_detail_describe(char *text, const DLTensor *tensor,
                                                   int property, _Bool is_model) {
  static const char names[][13] = {
      "", "cpu", "cuda", "cuda_host", "opencl", "", "", "vulkan", "metal", "vpi", "rocm",
      "rocm_host", "ext_dev", "cuda_managed", "oneapi", "webgpu", "hexagon", "maia", "trn"};
  const int32_t type = tensor->device.device_type, id = tensor->device.device_id;
  const char *known = names[type > 0 && type <= kDLTrn ? type : 0];
  TVMFFIAny name;
  if (property == kTVMFFIDetailStrides) {
    text = tvm_ffi_detail_append(text, "strides ");
    text = tvm_ffi_detail_list(text, 96, tensor->strides, tensor->ndim, 0);
    text = tvm_ffi_detail_append(text, " of shape ");
    tvm_ffi_detail_list(text, 96, tensor->shape, tensor->ndim, 0);
  } else if (property == kTVMFFIDetailShape) {
    tvm_ffi_detail_list(text, 128, tensor->shape, tensor->ndim, is_model);
  } else if (property == kTVMFFIDetailDevice) {
    if (*known == 0) text = tvm_ffi_detail_append_int(text, "device(", type);
    text = tvm_ffi_detail_append(text, *known == 0 ? ")" : known);
    if (!is_model || id >= 0) tvm_ffi_detail_append_int(text, ":", id);
  } else if (TVMFFIDataTypeToString(&tensor->dtype, &name) == 0) {
    const TVMFFIByteArray *bytes = (const TVMFFIByteArray *)(const void *)(name.v_obj + 1);
    tvm_ffi_detail_append(text, bytes->size < 128 ? bytes->data : "unknown");
    TVMFFIObjectDecRef(name.v_obj);
  } else {
    text = tvm_ffi_detail_append_int(text, "dtype(code=", tensor->dtype.code);
    text = tvm_ffi_detail_append_int(text, ", bits=", tensor->dtype.bits);
    text = tvm_ffi_detail_append_int(text, ", lanes=", tensor->dtype.lanes);
    tvm_ffi_detail_append(text, ")");
  }
}
/* Both texts are put between quotes. If `model` is an argument, it is what i should be like. */
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_mismatch(
    const tvm_ffi_args *args, int32_t i, int32_t model, const char *kind, const char *property,
    const char *quote, const char *expected, const char *got) {
  char digits[24], model_digits[24];
  const char *parts[] = {
      "Mismatched ", property, " on argument #", tvm_ffi_detail_digits(digits, i),
      " when calling: `", args->signature, "`. Expected ", quote, expected, quote,
      model < 0 ? "" : " of argument #",
      model < 0 ? "" : tvm_ffi_detail_digits(model_digits, model), " but got ", quote, got, quote};
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 16);
  return -1;
}
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_raise_count(const tvm_ffi_args *args, const char *at_least,
                                                     int32_t count) {
  char expected[24], got[24];
  const char *parts[] = {
      "Mismatched number of arguments when calling: `", args->signature, "`. Expected ", at_least,
      tvm_ffi_detail_digits(expected, count), " but got ",
      tvm_ffi_detail_digits(got, args->num_args), " arguments"};
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 8);
  return -1;
}
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_raise_type(const tvm_ffi_args *args, int32_t i,
                                                    const char *expected) {
  const TVMFFIAny *any = args->args + i;
  const char *got = "NULL";
  if (i >= args->num_args) return tvm_ffi_detail_raise_count(args, "at least ", i + 1);
  if (any->v_ptr != 0 || any->type_index < kTVMFFIDLTensorPtr ||
      (any->type_index > kTVMFFIByteArrayPtr && any->type_index < kTVMFFIStaticObjectBegin)) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(any->type_index);
    got = info != 0 ? info->type_key.data : "unknown type";
  }
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_TYPE_ERROR, "type", "`", expected, got);
}

/* ---- Arguments, counted from 0 ---- */
TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count) {
  return args->num_args == count ? 0 : (tvm_ffi_detail_raise_count(args, "", count), -1);
}
/* `read` is whether `any` is such a value, and then assigns to *out. */
#define TVM_FFI_C_DETAIL_DEFINE_READER(name, type, text, read)                                \
  TVM_FFI_C_DETAIL_READER int name(const tvm_ffi_args *args, int32_t i, type *out) {          \
    const TVMFFIAny *any = args->args + i;                                                    \
    return i < args->num_args && (read) ? 0 : (tvm_ffi_detail_raise_type(args, i, text), -1); \
  }
#define TVM_FFI_C_DETAIL_IS_INT (any->type_index == kTVMFFIInt || any->type_index == kTVMFFIBool)
TVM_FFI_C_DETAIL_READER DLTensor *tvm_ffi_detail_get_tensor(const TVMFFIAny *any) {
  if (any->type_index == kTVMFFIDLTensorPtr || any->v_ptr == 0) return (DLTensor *)any->v_ptr;
  return any->type_index == kTVMFFITensor ? (DLTensor *)(void *)(any->v_obj + 1) : 0;
}
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_tensor, DLTensor *, "DLTensor*",
                               (*out = tvm_ffi_detail_get_tensor(any)) != 0)
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_int64, int64_t, "int",
                               TVM_FFI_C_DETAIL_IS_INT && (*out = any->v_int64, 1))
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_double, double, "float",
                               any->type_index == kTVMFFIFloat
                                   ? (*out = any->v_float64, 1)
                                   : TVM_FFI_C_DETAIL_IS_INT && (*out = (double)any->v_int64, 1))
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_bool, _Bool, "bool",
                               TVM_FFI_C_DETAIL_IS_INT && (*out = any->v_int64 != 0, 1))

/* ---- Tensors ---- */
static inline void *tvm_ffi_tensor_get_data(const DLTensor *tensor) {
  return tensor->data == 0 ? tensor->data : (char *)tensor->data + tensor->byte_offset;
}
/* The number of elements; -1 when an extent is negative or the product exceeds int64_t. */
static inline int64_t tvm_ffi_tensor_get_numel(const DLTensor *tensor) {
  int64_t count = 1, limit = (int64_t)(~(uint64_t)0 >> 1); /* count may grow by that factor */
  _Bool is_empty = 0;
  int32_t k;
  for (k = 0; k < tensor->ndim; ++k) {
    const int64_t extent = tensor->shape[k];
    if (extent < 0) return -1;
    if (extent == 0) is_empty = 1;
    else if (extent > limit) limit = 0;
    else limit /= extent, count *= extent;
  }
  return is_empty ? 0 : limit == 0 ? -1 : count;
}
static inline _Bool tvm_ffi_tensor_is_contiguous(const DLTensor *tensor) {
  uint64_t expected = 1, difference = 0;
  int32_t k;
  for (k = tensor->ndim - 1; tensor->strides != 0 && k >= 0; --k) {
    if (tensor->shape[k] == 0) return 1;
    if (tensor->shape[k] != 1) difference |= (uint64_t)tensor->strides[k] ^ expected;
    expected *= (uint64_t)tensor->shape[k];
  }
  return difference == 0;
}
#define TVM_FFI_C_DTYPE_KEY(code, bits, lanes) \
  (((uint32_t)(code) << 24) | ((uint32_t)(bits) << 16) | (uint32_t)(lanes))
#define TVM_FFI_C_DETAIL_KEY(dtype) TVM_FFI_C_DTYPE_KEY((dtype).code, (dtype).bits, (dtype).lanes)
static inline DLDataType tvm_ffi_dtype_make(int code, int bits, int lanes) {
  return (DLDataType){(uint8_t)code, (uint8_t)bits, (uint16_t)lanes};
}

/* ---- Checks of tensor arguments ---- */
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_raise_other(const tvm_ffi_args *args, int32_t i, int32_t j,
                                                     const DLTensor *tensor, const DLTensor *model,
                                                     int property) {
  static const char *const names[] = {"shape", "dtype", "device", "strides"};
  const char *quote = property == kTVMFFIDetailDType || property == kTVMFFIDetailDevice ? "`" : "";
  char expected[128], got[224];
  if (property == kTVMFFIDetailStrides) tvm_ffi_detail_append(expected, "a contiguous tensor");
  else tvm_ffi_detail_describe(expected, model, property, j < 0);
  tvm_ffi_detail_describe(got, tensor, property, 0);
  return tvm_ffi_detail_mismatch(
      args, i, j, property == kTVMFFIDetailDType ? TVM_FFI_C_TYPE_ERROR : TVM_FFI_C_VALUE_ERROR,
      names[property], quote, expected, got);
}
/* Tensor argument i is like the model, or like argument j if that is NULL, in one property. */
TVM_FFI_C_DETAIL_READER int tvm_ffi_detail_check(const tvm_ffi_args *args, int32_t i,
                                                 DLTensor *model, int32_t j, int property) {
  DLTensor *tensor = 0;
  int32_t k = 0;
  _Bool good;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (j >= 0) TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (property == kTVMFFIDetailShape) {
    while (k < tensor->ndim && k < model->ndim &&
           (model->shape[k] == tensor->shape[k] || (j < 0 && model->shape[k] < 0))) ++k;
    good = k == tensor->ndim && k == model->ndim;
  } else if (property == kTVMFFIDetailDType) {
    good = TVM_FFI_C_DETAIL_KEY(tensor->dtype) == TVM_FFI_C_DETAIL_KEY(model->dtype);
  } else if (property == kTVMFFIDetailStrides) {
    good = tvm_ffi_tensor_is_contiguous(tensor);
  } else {
    good = tensor->device.device_type == model->device.device_type &&
           (j < 0 || tensor->device.device_id == model->device.device_id);
  }
  return good ? 0 : (tvm_ffi_detail_raise_other(args, i, j, tensor, model, property), -1);
}
#define TVM_FFI_C_DETAIL_LIKE(args, i, property, ...) \
  tvm_ffi_detail_check(args, i, &(DLTensor){__VA_ARGS__}, -1, property)
#define tvm_ffi_args_check_shape(args, i, n, extents) /* a negative one matches any */ \
  TVM_FFI_C_DETAIL_LIKE(args, i, 0, .ndim = n, .shape = (int64_t *)(uintptr_t)(extents))
#define tvm_ffi_args_check_dtype(args, i, value) TVM_FFI_C_DETAIL_LIKE(args, i, 1, .dtype = value)
#define tvm_ffi_args_check_device(args, i, type) \
  TVM_FFI_C_DETAIL_LIKE(args, i, 2, .device = {type, -1})
#define tvm_ffi_args_check_contiguous(args, i) TVM_FFI_C_DETAIL_LIKE(args, i, 3, .ndim = 0)
#define tvm_ffi_args_check_same_shape(args, i, j) tvm_ffi_detail_check(args, i, 0, j, 0)
#define tvm_ffi_args_check_same_dtype(args, i, j) tvm_ffi_detail_check(args, i, 0, j, 1)
#define tvm_ffi_args_check_same_device(args, i, j) tvm_ffi_detail_check(args, i, 0, j, 2)
#define tvm_ffi_args_check_same(args, i, j)                                          \
  (tvm_ffi_detail_check(args, i, 0, j, 0) || tvm_ffi_detail_check(args, i, 0, j, 1) || \
   tvm_ffi_detail_check(args, i, 0, j, 2) ? -1 : 0)

/* ---- TVM_FFI_C_ARGS_DISPATCH: BODY(type) for the dtype of argument i ---- */
TVM_FFI_C_DETAIL_COLD int tvm_ffi_args_raise_unsupported(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = 0;
  char dtype[128], digits[24];
  const char *parts[] = {
      "Unsupported dtype `", dtype, "` of argument #", tvm_ffi_detail_digits(digits, i),
      " when calling: `", args->signature, "`"};
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  tvm_ffi_detail_describe(dtype, tensor, kTVMFFIDetailDType, 0);
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 7);
  return -1;
}
static inline uint32_t tvm_ffi_detail_get_key(const tvm_ffi_args *args, int32_t i) {
  const DLTensor *tensor = i < args->num_args ? tvm_ffi_detail_get_tensor(args->args + i) : 0;
  return tensor != 0 ? TVM_FFI_C_DETAIL_KEY(tensor->dtype) : ~(uint32_t)0; /* which no dtype has */
}
#define TVM_FFI_C_CASE(code, bits, type, BODY) \
  case TVM_FFI_C_DTYPE_KEY(code, bits, 1): { BODY(type); } break;
#define TVM_FFI_C_CASES_FLOAT(BODY) \
  TVM_FFI_C_CASE(kDLFloat, 32, float, BODY) TVM_FFI_C_CASE(kDLFloat, 64, double, BODY)
#define TVM_FFI_C_ARGS_DISPATCH(args, i, CASES, BODY) \
  switch (tvm_ffi_detail_get_key(args, i)) {          \
    CASES(BODY)                                       \
    default: return tvm_ffi_args_raise_unsupported(args, i); \
  }

/* ---- Results ---- */
static inline TVMFFIAny tvm_ffi_any_from_int64(int64_t value) {
  return (TVMFFIAny){kTVMFFIInt, {0}, {value}};
}
static inline TVMFFIAny tvm_ffi_any_from_double(double value) {
  return (TVMFFIAny){kTVMFFIFloat, {0}, {.v_float64 = value}};
}
/* Makes a copy the result. A new object is moved: `args->result->type_index = kTVMFFITensor;
 * args->result->v_ptr = tensor; return 0;` */
static inline int tvm_ffi_args_return(const tvm_ffi_args *args, TVMFFIAny view) {
  if (view.type_index < kTVMFFIDLTensorPtr) return *args->result = view, 0;
  return TVMFFIAnyViewToOwnedAny(&view, args->result);
}

/* ---- Exported functions; documentation and metadata (JSON) of one ---- */
#define TVM_FFI_C_DETAIL_FUNCTION(symbol)                                                \
  TVM_FFI_C_DETAIL_EXPORTED int symbol(void *, const TVMFFIAny *, int32_t, TVMFFIAny *); \
  int symbol(void *self, const TVMFFIAny *argv, int32_t num_args, TVMFFIAny *result)
#define TVM_FFI_C_EXPORT(name, text)                                              \
  static int tvm_ffi_body_##name(const tvm_ffi_args *args);                       \
  TVM_FFI_C_DETAIL_FUNCTION(__tvm_ffi_##name) {                                   \
    const tvm_ffi_args tvm_ffi_call = {self, argv, num_args, result, #name text}; \
    return tvm_ffi_body_##name(&tvm_ffi_call);                                    \
  }                                                                               \
  static int tvm_ffi_body_##name(const tvm_ffi_args *args)
#define TVM_FFI_C_DETAIL_TEXT(symbol, data_symbol, text)           \
  TVM_FFI_C_DETAIL_EXPORTED extern const char data_symbol[];       \
  const char data_symbol[] = text;                                 \
  TVM_FFI_C_DETAIL_FUNCTION(symbol) {                              \
    TVMFFIByteArray bytes = {data_symbol, sizeof data_symbol - 1}; \
    (void)self, (void)argv, (void)num_args;                        \
    return TVMFFIStringFromByteArray(&bytes, result);              \
  }                                                                \
  struct tvm_ffi_detail_semicolon
#define TVM_FFI_C_EXPORT_DOC(name, text) \
  TVM_FFI_C_DETAIL_TEXT(__tvm_ffi__doc_##name, __tvm_ffi__doctext_##name, text)
#define TVM_FFI_C_EXPORT_METADATA(name, json) \
  TVM_FFI_C_DETAIL_TEXT(__tvm_ffi__metadata_##name, __tvm_ffi__schema_##name, json)
#endif /* TVM_FFI_C_API_H_ */
#endif /* TVM_FFI_KERNEL_H_ */
