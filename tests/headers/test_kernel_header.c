/* SPDX-License-Identifier: Apache-2.0
 * kernel_checks.c and kernel_checks_more.c with c.h (full) and with the headers of tools/kernel
 * (lean) give the same results and errors. */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>

int __tvm_ffi_full(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int __tvm_ffi_lean(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int __tvm_ffi_full_more(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int __tvm_ffi_lean_more(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int __tvm_ffi__doc_lean(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
extern const char __tvm_ffi__doctext_lean[], __tvm_ffi__schema_lean[];
extern const char __tvm_ffi__schema_full_more[], __tvm_ffi__schema_lean_more[];

/* The kernels with either header, and how many checks they know. */
static const struct {
  TVMFFISafeCallType full, lean;
  int num_checks;
} kernels[] = {{__tvm_ffi_full, __tvm_ffi_lean, 16},
               {__tvm_ffi_full_more, __tvm_ffi_lean_more, 21}};

enum { kNumKernels = sizeof kernels / sizeof *kernels, kMaxValues = 64, kTextSize = 1024 };

static TVMFFIAny values[kMaxValues];
static int num_values;

static void add(TVMFFIAny value) {
  values[num_values++] = value;
}

static void add_tensor(DLTensor *tensor) {
  add(tvm_ffi_any_view_tensor(tensor));
}

/* Tensors that differ from the first one in one thing each. */
static void add_tensors(void) {
  static double data[64];
  static int64_t shapes[][4] = {{2, 3},         {2, 4},        {3, 2},         {6},
                                {2, 3, 1},      {0, 3},        {INT64_MAX, 2}, {-1, 3},
                                {INT64_MAX, 0}, {INT64_MAX, 1}};
  static int64_t transposed[] = {1, 2};
  static int64_t ones[40], digits[2][48];
  static DLTensor tensors[64];
  DLTensor model;
  size_t i, n = 0;
  for (i = 0; i < 40; ++i) ones[i] = 1000001;
  for (i = 0; i < 48; ++i) {
    digits[0][i] = 7;
    digits[1][i] = i == 0 ? 77 : 7;
  }
  memset(&model, 0, sizeof model);
  model.data = data;
  model.device = tvm_ffi_device_make(kDLCPU, 0);
  model.ndim = 2;
  model.dtype = TVM_FFI_C_FLOAT32;
  model.shape = shapes[0];
  for (i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    tensors[n] = model;
    tensors[n].shape = shapes[i];
    tensors[n].ndim = i == 3 ? 1 : i == 4 ? 3 : 2;
    ++n;
  }
  tensors[n] = model, tensors[n++].dtype = TVM_FFI_C_FLOAT64;
  tensors[n] = model, tensors[n++].dtype = tvm_ffi_dtype_make(kDLInt, 8, 4);
  tensors[n] = model, tensors[n++].dtype = TVM_FFI_C_BFLOAT16;
  tensors[n] = model, tensors[n++].device = tvm_ffi_device_make(kDLCPU, 1);
  tensors[n] = model, tensors[n++].device = tvm_ffi_device_make(kDLCUDA, 12);
  tensors[n] = model, tensors[n++].device = tvm_ffi_device_make(kDLMAIA, 0);
  tensors[n] = model, tensors[n++].strides = transposed;
  tensors[n] = model, tensors[n++].data = NULL;
  tensors[n] = model, tensors[n++].byte_offset = 8;
  tensors[n] = model, tensors[n].byte_offset = 4, tensors[n++].shape = shapes[5];
  tensors[n] = model, tensors[n].byte_offset = 4, tensors[n++].device.device_type = kDLOneAPI;
  tensors[n] = model, tensors[n].byte_offset = 4, tensors[n++].device.device_type = kDLVulkan;
  tensors[n] = model, tensors[n].data = NULL, tensors[n++].device.device_type = kDLVulkan;
  tensors[n] = model, tensors[n++].device.device_type = kDLCUDAHost;
  tensors[n] = model, tensors[n++].device.device_type = kDLCUDAManaged;
  tensors[n] = model, tensors[n++].device.device_type = kDLROCMHost;
  tensors[n] = model, tensors[n++].ndim = -1;
  tensors[n] = model, tensors[n++].ndim = 0;
  tensors[n] = model, tensors[n].ndim = 5, tensors[n++].shape = ones;
  tensors[n] = model, tensors[n++].device.device_type = (DLDeviceType)99;
  tensors[n] = model, tensors[n++].device.device_type = (DLDeviceType)5;
  tensors[n] = model, tensors[n++].dtype = tvm_ffi_dtype_make(200, 32, 1);
  tensors[n] = model, tensors[n++].dtype = tvm_ffi_dtype_make(kDLInt, 32, 0);
  for (i = 28; i < 46; ++i) { /* texts of about 96 and 128 bytes, where they are cut */
    tensors[n] = model, tensors[n].ndim = (int32_t)i;
    tensors[n].shape = tensors[n].strides = digits[i % 2], ++n;
  }
  for (i = 0; i < n; ++i) add_tensor(tensors + i);
}

/* A tensor whose owner shares it for reading only. */
static int add_read_only(void) {
  static float data[6];
  static int64_t shape[] = {2, 3}, strides[] = {3, 1};
  static DLManagedTensorVersioned shared;
  TVMFFIObjectHandle tensor = NULL;
  shared.version.major = DLPACK_MAJOR_VERSION;
  shared.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  tvm_ffi_tensor_init(&shared.dl_tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 2,
                      shape, strides);
  TVM_FFI_C_TRY(TVMFFITensorFromDLPackVersioned(&shared, 0, 0, &tensor));
  add(tvm_ffi_any_take_object(tensor));
  return 0;
}

static int add_values(void) {
  TVMFFIObjectHandle function = NULL, tensor = NULL;
  const int64_t shape[] = {2, 3};
  TVMFFIAny value = tvm_ffi_any_none();
  add(value);
  add(tvm_ffi_any_from_int64(-7));
  add(tvm_ffi_any_from_double(2.5));
  add(tvm_ffi_any_from_bool(true));
  add(tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT32));
  add(tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCPU, 0)));
  add(tvm_ffi_any_view_string("text"));
  add(tvm_ffi_any_view_string(NULL));
  add(tvm_ffi_any_view_tensor(NULL));
  value.type_index = kTVMFFITensor;
  add(value);
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(NULL, __tvm_ffi_full, NULL, &function));
  add(tvm_ffi_any_take_object(function));
  TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 0, NULL);
  TVM_FFI_C_TRY(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_INT16, 2, shape, &tensor));
  add(tvm_ffi_any_take_object(tensor));
  TVM_FFI_C_TRY(add_read_only());
  add_tensors();
  return 0;
}

/* What a call gives, as text: the result, or the error without the name of the kernel. */
static void call(TVMFFISafeCallType kernel, const char *name, const TVMFFIAny *args,
                 int32_t num_args, char *text) {
  TVMFFIAny result = tvm_ffi_any_none();
  const int code = kernel(NULL, args, num_args, &result);
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  char *place;
  if (code == 0) {
    snprintf(text, kTextSize, "%d: type %d, %llx%s", code, (int)result.type_index,
             (unsigned long long)result.v_uint64, error != NULL ? ", an error" : "");
  } else {
    size_t size = (size_t)snprintf(text, kTextSize, "%d: ", code);
    tvm_ffi_error_format(error, text + size, kTextSize - size);
    place = strstr(text, name);
    if (place != NULL) memcpy(place, "NAME", 4);
  }
  tvm_ffi_object_release(error);
  tvm_ffi_any_clear(&result);
}

static int compare(int kernel, const TVMFFIAny *args, int32_t num_args) {
  char full[kTextSize], lean[kTextSize];
  call(kernels[kernel].full, "full", args, num_args, full);
  call(kernels[kernel].lean, "lean", args, num_args, lean);
  if (strcmp(full, lean) == 0) return 0;
  printf("check %d\n  c.h:    %s\n  kernel: %s\n", (int)args[0].v_int64, full, lean);
  return 1;
}

int main(void) {
  TVMFFIAny args[4], doc = tvm_ffi_any_none();
  TVMFFIByteArray text;
  int kernel, which, i, j, failures = 0, calls = 0;
  if (add_values() != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  for (kernel = 0; kernel < kNumKernels; ++kernel) {
    for (which = 0; which < kernels[kernel].num_checks; ++which) {
      for (i = 0; i < num_values; ++i) {
        for (j = 0; j < num_values; ++j) {
          args[0] = tvm_ffi_any_from_int64(which);
          args[1] = values[i];
          args[2] = values[j];
          failures += compare(kernel, args, 3);
          ++calls;
        }
      }
    }
    args[3] = values[0];
    for (i = 0; i <= 4; ++i) failures += compare(kernel, args, i);
  }
  if (__tvm_ffi__doc_lean(NULL, NULL, 0, &doc) != 0 || tvm_ffi_any_read_string(&doc, &text) != 0 ||
      !tvm_ffi_string_equal(text, "Checks.") || strcmp(__tvm_ffi__doctext_lean, "Checks.") != 0 ||
      strcmp(__tvm_ffi__schema_lean, "{}") != 0 ||
      strcmp(__tvm_ffi__schema_lean_more, __tvm_ffi__schema_full_more) != 0) {
    printf("the documentation or the metadata is not what was written\n");
    ++failures;
  }
  tvm_ffi_any_clear(&doc);
  for (i = 0; i < num_values; ++i) {
    if (values[i].type_index >= kTVMFFIStaticObjectBegin) tvm_ffi_any_clear(values + i);
  }
  printf("%d calls, %d differences\n", calls, failures);
  return failures != 0;
}
