/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute y = s * x, each with one fault that probe finds in a row of its own; `right`
 * has none, and `strict` takes contiguous tensors only. `gpu` is right for tensors of fake_cuda.c.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

/* clang-format off */
#define ALL(X) \
  X(right) X(strict) X(offset) X(misaligned) X(strided) X(transposed) X(negative) X(broadcast) \
  X(unit) X(page_end) X(page_begin) X(read_only) X(pinned) X(managed) X(view) X(extent_0) \
  X(extent_1) X(unequal) X(more_dims) X(fewer_dims) X(huge) X(missing) X(extra) X(none) X(type) \
  X(dtype) X(device) X(null) X(named) X(repeat) X(threads) X(allocator) X(unchecked) X(objects) \
  X(references) X(descriptors) X(mappings) X(rounding) X(locale) X(signals) X(hangs) X(changes) \
  X(outside) X(silent) X(leaves) X(once) X(gpu) X(gpu_offset) X(gpu_breaks) \
  X(rough) X(talks) X(always) X(dirty) X(compares) X(sequence) X(refusals) X(memory) X(environment) X(processes) X(prints) X(scalars) X(alias) X(mutates) X(daemons) X(buffer) X(locks) X(given) X(lengths) X(extents) X(values) \
  X(floods) X(kills) X(kills_all) X(stops) X(order)
/* clang-format on */

#define FAULT(name) k_##name,
typedef enum { ALL(FAULT) } fault;

/* Whether it runs on the device of fake_cuda.c, whose addresses are ELSEWHERE. */
#define ELSEWHERE (UINTPTR_MAX / 2 + 1)
static bool is_on_gpu(fault f) {
  return f == k_gpu || f == k_gpu_offset || f == k_gpu_breaks;
}

static bool can_use(DLDevice device, fault f) {
  const int type = (int)device.device_type;
  if (is_on_gpu(f)) return type == kDLCUDA;
  return type == kDLCPU || type == kDLCUDAHost || type == kDLCUDAManaged;
}

/* ---- Looking at the arguments ---- */

static void *volatile kept; /* what a kernel keeps, and loses with the next one */

static int check_tensor(const tvm_ffi_args *args, fault f, int32_t i, DLTensor **out) {
  const TVMFFIAny *arg = &args->args[i];
  if (f == k_compares) { /* only that it is like argument 0 */
    DLTensor *x;
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
    if ((*out)->ndim == x->ndim && tvm_ffi_dtype_equal((*out)->dtype, x->dtype) &&
        (*out)->device.device_type == x->device.device_type) {
      return 0;
    }
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "arguments 0 and %d differ", (int)i);
  }
  if (f == k_named && !tvm_ffi_any_try_tensor(arg, out)) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "no tensor");
  } else {
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  }
  if (f != k_right && (*out)->ndim > 0 && (*out)->strides == NULL) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument %d has no strides", (int)i);
  }
  if (f != k_more_dims && f != k_fewer_dims && (*out)->ndim != 2) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument %d has not 2 dimensions", (int)i);
  }
  if (f != k_dtype && !tvm_ffi_dtype_equal((*out)->dtype, TVM_FFI_C_FLOAT32)) {
    if (f == k_refusals) kept = malloc(24);
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument %d is not float32", (int)i);
  }
  if (f != k_device && !can_use((*out)->device, f)) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument %d is on another device", (int)i);
  }
  if (f != k_null && (*out)->data == NULL && tvm_ffi_tensor_get_numel(*out) > 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument %d has no data", (int)i);
  }
  if (f == k_strict) TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  return 0;
}

static int read_scale(const tvm_ffi_args *args, fault f, double *out) {
  *out = 1;
  if (f == k_none && tvm_ffi_args_is_none(args, 1)) return 0;
  if (f != k_type) return tvm_ffi_args_read_double(args, 1, out);
  *out = args->args[1].v_float64;
  return 0;
}

static int check_count(const tvm_ffi_args *args, fault f) {
  if (f == k_missing && args->num_args < 3) return 0;
  if (f == k_extra && args->num_args > 3) return 0;
  return tvm_ffi_args_check_count(args, 3);
}

/* ---- What a call leaves behind ---- */

static void ignore(int signal_number) {
  (void)signal_number;
}

static int leave_something(const tvm_ffi_args *args, fault f) {
  static const TVMFFIByteArray kText = {"a text that is too long to be stored in the value", 49};
  TVMFFIAny text = tvm_ffi_any_none();
  TVMFFIObjectHandle tensor = NULL;
  DLTensor prototype;
  int64_t shape = 64, stride = 1;
  switch (f) {
    case k_allocator:
      tvm_ffi_tensor_init(&prototype, NULL, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1,
                          &shape, &stride);
      (void)TVMFFIEnvTensorAlloc(&prototype, &tensor); /* this may have failed */
      memset(TVMFFITensorGetDLTensorPtr(tensor)->data, 0, 4);
      tvm_ffi_object_release(tensor);
      return 0;
    case k_unchecked:
      (void)TVMFFIStringFromByteArray(&kText, &text); /* and this */
      if (((const TVMFFIObject *)text.v_obj)->type_index != kTVMFFIStr) return 0;
      tvm_ffi_any_clear(&text);
      return 0;
    case k_objects:
      return TVMFFIStringFromByteArray(&kText, &text);
    case k_references:
      if (args->args[0].type_index == kTVMFFITensor) TVMFFIObjectIncRef(args->args[0].v_obj);
      return 0;
    case k_descriptors:
      return open("/dev/null", O_RDONLY) < 0 ? tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "open")
                                             : 0;
    case k_mappings:
      (void)mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return 0;
    case k_memory:
      kept = malloc(24);
      return 0;
    case k_environment:
      return chdir("/");
    case k_daemons: /* in sessions of their own, whose parents have ended */
      if (fork() == 0) {
        if (setsid() >= 0 && fork() == 0) sleep(1000);
        _exit(0);
      }
      return 0;
    case k_processes:
      if (fork() == 0) {
        sleep(1);
        _exit(0);
      }
      return 0;
    case k_prints:
      printf("hello");
      return 0;
    case k_rounding:
      return fesetround(FE_UPWARD);
    case k_locale:
      if (setlocale(LC_ALL, "C.UTF-8") == NULL) (void)setlocale(LC_ALL, "");
      return 0;
    case k_signals:
      (void)signal(SIGUSR2, ignore);
      return 0;
    default:
      return 0;
  }
}

/* ---- The kernel ---- */

static char *find_data(const DLTensor *t, fault f) {
  if (is_on_gpu(f)) {
    const uint64_t offset = f == k_gpu_offset ? 0 : t->byte_offset;
    return (char *)((uintptr_t)t->data + (uintptr_t)(offset - ELSEWHERE));
  }
  if (f == k_offset) return t->data;
  if (f == k_misaligned) return (char *)((uintptr_t)tvm_ffi_tensor_get_data(t) & ~(uintptr_t)15);
  return tvm_ffi_tensor_get_data(t);
}

static int64_t find_stride(const DLTensor *t, fault f, int32_t d) {
  const int64_t packed = d == 0 ? t->shape[1] : 1;
  const int64_t stride = t->strides != NULL ? t->strides[d] : packed;
  switch (f) {
    case k_strided:
      return stride > 0 ? packed : stride;
    case k_transposed:
      return d == 1 ? 1 : stride; /* as a leading dimension */
    case k_negative:
      return (int64_t)(uint32_t)stride;
    case k_broadcast:
      return stride == 0 ? packed : stride;
    default:
      return stride;
  }
}

/* Keeps a read from being removed. */
static void use(float value) {
  static volatile float used;
  used = value;
  (void)used;
}

/* Prints more than a terminal should have to show. */
static void flood(void) {
  int i;
  for (i = 0; i < 200000; ++i) puts("again and again");
}

static int misbehave(const DLTensor *x, const DLTensor *y, fault f) {
  static int calls;
  const int64_t count = tvm_ffi_tensor_get_numel(x);
  const bool is_strided = !tvm_ffi_tensor_is_contiguous(x);
  float *values = tvm_ffi_tensor_get_data(x);
  if (f == k_page_end && !is_strided) use(values[count]);
  if (f == k_page_begin && !is_strided) use(values[-1]);
  if (f == k_read_only) *(volatile float *)values = values[0];
  if (f == k_extent_0) use((float)(100 / x->shape[0] % 7));
  if (f == k_extent_1 && x->shape[0] == 1) ((float *)tvm_ffi_tensor_get_data(y))[count] = 0;
  if (f == k_changes && is_strided) values[0] += 1;
  if (f == k_outside && is_strided) ((float *)tvm_ffi_tensor_get_data(y))[-1] = 0;
  while (f == k_hangs && is_strided) sleep(1);
  if (f == k_leaves && is_strided) exit(0);
  if (f == k_talks) fprintf(stderr, "%70000s\n", "I was called"); /* a pipe holds less */
  if (f == k_floods) flood();
  if (f == k_kills && is_strided) (void)kill(getppid(), SIGKILL);
  if (f == k_kills_all && is_strided) (void)kill(-1, 0); /* as with SIGKILL, but harmless */
  if (f == k_stops && is_strided) (void)kill(-getpgid(getppid()), SIGSTOP);
  if (f == k_always) abort();
  if (f == k_gpu_breaks && ((uintptr_t)find_data(x, f) | (uintptr_t)find_data(y, f)) % 4 != 0) {
    (void)setenv("FAKE_CUDA_FAILS", "1", 1); /* as a launch that reads there */
  }
  if (f == k_once && calls++ > 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "there is no more");
  }
  return f == k_silent && is_strided ? -1 : 0;
}

/* With a buffer that calls share, or with a lock around it. */
static void multiply_by_buffer(const DLTensor *x, const DLTensor *y, double s, fault f) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static float shared[4096];
  const char *from = tvm_ffi_tensor_get_data(x);
  char *to = tvm_ffi_tensor_get_data(y);
  const int64_t n = x->shape[0], m = x->shape[1];
  int64_t i, j;
  if (n * m > 4096) return;
  if (f == k_locks) pthread_mutex_lock(&lock);
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) {
      float value;
      memcpy(&value, from + 4 * (i * x->strides[0] + j * x->strides[1]), 4);
      shared[i * m + j] = (float)s * value;
    }
  }
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) {
      memcpy(to + 4 * (i * y->strides[0] + j * y->strides[1]), &shared[i * m + j], 4);
    }
  }
  if (f == k_locks) pthread_mutex_unlock(&lock);
}

static void multiply(const DLTensor *x, const DLTensor *y, double s, fault f) {
  static int calls;
  static volatile float shared; /* one: two threads may be at other elements all the time */
  const char *from = find_data(x, f);
  char *to = find_data(y, f == k_misaligned ? k_right : f);
  int64_t n = x->shape[0], m = x->shape[1], i, j;
  if (f == k_rough) s += 1e-3 * (double)(calls++ % 2 + (m > 1 && x->strides[1] != 1));
  static int64_t most;
  if (f == k_huge) n = (int)n, m = (int)m;
  if (n * m > most) most = n * m;
  if (f == k_sequence) s += most > 12; /* of all calls so far */
  if (f == k_order && (uintptr_t)from < (uintptr_t)to) s += 1;
  if (f == k_scalars) use((float)(100 / (int)s));
  if (f == k_mutates) ((float *)tvm_ffi_tensor_get_data(x))[0] += 1;
  if (f == k_repeat) s += calls++ > 0;
  if (f == k_fewer_dims && x->ndim == 1) m = 1;
  if (f == k_unit && tvm_ffi_tensor_is_contiguous(x)) {
    for (i = 0; i < n * m; ++i) {
      ((float *)to)[i] = (float)s * ((const float *)from)[i * x->strides[1]];
    }
    return;
  }
  if (f == k_lengths && n > 16) n -= n % 4; /* of a loop that takes four at once */
  if (f == k_extents && n > m && n % 5 == 0) n = m;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) {
      float value;
      const int64_t k = f == k_alias ? m - 1 - j : j;
      memcpy(&value, from + 4 * (i * find_stride(x, f, 0) + k * find_stride(x, f, 1)), 4);
      value *= (float)s;
      if (f == k_values && value < -1e38f) value = 0;
      if (f == k_given) value += 1;
      if (f == k_dirty) value += *(const float *)(to + 4 * (i * y->strides[0] + j * y->strides[1]));
      if (f == k_threads) {
        shared = value;
        usleep(1);
        value = shared;
      }
      memcpy(to + 4 * (i * find_stride(y, f, 0) + j * find_stride(y, f, 1)), &value, 4);
    }
  }
}

static int scale(const tvm_ffi_args *args, fault f) {
  DLTensor *x, *y;
  double s;
  TVM_FFI_C_TRY(check_count(args, f));
  TVM_FFI_C_TRY(check_tensor(args, f, 0, &x));
  TVM_FFI_C_TRY(read_scale(args, f, &s));
  if (f == k_missing && args->num_args == 2) return 0;
  TVM_FFI_C_TRY(check_tensor(args, f, 2, &y));
  if (f != k_unequal && !tvm_ffi_tensor_has_same_shape(x, y) && f != k_more_dims &&
      f != k_fewer_dims) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "arguments 0 and 2 differ in shape");
  }
  if (f == k_view && args->args[0].type_index != kTVMFFITensor) return 0;
  if (f == k_pinned && x->device.device_type == kDLCUDAHost) return 0;
  if (f == k_managed && y->device.device_type == kDLCUDAManaged) return 0;
  TVM_FFI_C_TRY(misbehave(x, y, f));
  TVM_FFI_C_TRY(leave_something(args, f));
  (f == k_buffer || f == k_locks ? multiply_by_buffer : multiply)(x, y, s, f);
  return 0;
}

/* ---- Kernels with other parameters, each without a fault ---- */

TVM_FFI_C_EXPORT(takes_pointer, "(0: void*, 1: dtype, 2: Device) -> None") {
  DLDataType dtype;
  DLDevice device;
  DLTensor *tensor;
  void *pointer;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  if (!tvm_ffi_any_try_tensor(&args->args[0], &tensor)) { /* which may stand for its data */
    TVM_FFI_C_TRY(tvm_ffi_args_read_pointer(args, 0, &pointer));
  }
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 1, &dtype));
  return tvm_ffi_args_read_device(args, 2, &device);
}
TVM_FFI_C_EXPORT_SCHEMA(
    takes_pointer, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_TYPE("void*") "," TVM_FFI_C_TYPE("DataType") "," TVM_FFI_C_TYPE("Device"));

/* Its metadata says nothing. */
TVM_FFI_C_EXPORT(takes_dtype, "(0: dtype, 1: Device) -> None") {
  DLDataType dtype;
  DLDevice device;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 0, &dtype));
  return tvm_ffi_args_read_device(args, 1, &device);
}

/* Allocates before it uses the elements. */
TVM_FFI_C_EXPORT(make_like, "(0: Tensor) -> Tensor") {
  DLTensor *like, made;
  TVMFFIObjectHandle tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &like));
  tvm_ffi_tensor_init(&made, NULL, like->device, like->dtype, like->ndim, like->shape, NULL);
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&made, &tensor));
  return tvm_ffi_args_return_object(args, tensor);
}

/* Needs no more than the first elements. */
TVM_FFI_C_EXPORT(copy_first, "(0: DLTensor*, 1: DLTensor*) -> None") {
  DLTensor *x, *y;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  if (tvm_ffi_tensor_get_numel(x) == 0 || tvm_ffi_tensor_get_numel(y) == 0) return 0;
  memcpy(tvm_ffi_tensor_get_data(y), tvm_ffi_tensor_get_data(x), 4);
  return 0;
}

/* Zeros, as many as the first argument, in as many dimensions as the second. */
TVM_FFI_C_EXPORT(zeros, "(0: int, 1: int) -> Tensor") {
  enum { kMost = 100 };
  int64_t shape[kMost], size, ndim, i;
  TVMFFIObjectHandle tensor;
  DLTensor made;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &size));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &ndim));
  TVM_FFI_C_CHECK(size > 0 && ndim > 0 && ndim <= kMost, TVM_FFI_C_VALUE_ERROR,
                  "argument 0 or 1 is out of range");
  for (i = 0; i < ndim; ++i) shape[i] = i == 0 ? size : 1;
  tvm_ffi_tensor_init(&made, NULL, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, (int32_t)ndim,
                      shape, NULL);
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&made, &tensor));
  memset(TVMFFITensorGetDLTensorPtr(tensor)->data, 0, (size_t)size * sizeof(double));
  return tvm_ffi_args_return_object(args, tensor);
}

/* Refuses with many words what is not contiguous. */
TVM_FFI_C_EXPORT(explain, "(0: DLTensor*) -> None") {
  char text[3001];
  DLTensor *x;
  size_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  if (tvm_ffi_tensor_is_contiguous(x)) return 0;
  for (i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xc3\xa9", 2);
  text[i] = '\0';
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 0 %s", text);
}

/* Copies tensors of any type. */
TVM_FFI_C_EXPORT(copy_all, "(0: DLTensor*, 1: DLTensor*) -> None") {
  DLTensor *x, *y;
  size_t size;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  for (i = 0; i < 2; ++i) TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  if (!tvm_ffi_dtype_equal(x->dtype, y->dtype) || !tvm_ffi_tensor_has_same_shape(x, y)) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "arguments 0 and 1 differ");
  }
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  memcpy(tvm_ffi_tensor_get_data(y), tvm_ffi_tensor_get_data(x), size);
  return 0;
}

/* The sum, in the order of memory and as exact as the elements; of float64 no better. */
TVM_FFI_C_EXPORT(sum_all, "(0: DLTensor*) -> float") {
  DLTensor *x;
  float sum = 0;
  int64_t i, d, offset, count;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  if (x->ndim > 0 && x->strides == NULL) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 0 has no strides");
  }
  count = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < count; ++i) { /* the first dimension runs fastest if its stride is the least */
    const bool is_transposed = x->ndim == 2 && x->strides[0] < x->strides[1];
    int64_t rest = i;
    offset = 0;
    for (d = 0; d < x->ndim; ++d) {
      const int64_t k = is_transposed ? d : x->ndim - 1 - d;
      offset += rest % x->shape[k] * x->strides[k];
      rest /= x->shape[k];
    }
    if (x->dtype.bits == 64) {
      sum += (float)((const double *)tvm_ffi_tensor_get_data(x))[offset];
    } else if (x->dtype.bits == 32) {
      sum += ((const float *)tvm_ffi_tensor_get_data(x))[offset];
    } else {
      sum += (float)((const uint16_t *)tvm_ffi_tensor_get_data(x))[offset];
    }
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

/* Doubles float32 and float64, of which the second is wrong in one of them. */
static int double_all(const tvm_ffi_args *args, double factor) {
  DLTensor *x, *y;
  int64_t i, count;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  count = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < 2; ++i) TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, (int32_t)i));
  if (!tvm_ffi_dtype_equal(x->dtype, y->dtype) || x->dtype.code != kDLFloat || x->dtype.bits < 32) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "arguments 0 and 1 are not of one type");
  }
  for (i = 0; i < count; ++i) {
    if (x->dtype.bits == 32) {
      ((float *)tvm_ffi_tensor_get_data(y))[i] = 2 * ((const float *)tvm_ffi_tensor_get_data(x))[i];
    } else {
      ((double *)tvm_ffi_tensor_get_data(y))[i] =
          factor * ((const double *)tvm_ffi_tensor_get_data(x))[i];
    }
  }
  return 0;
}

TVM_FFI_C_EXPORT(doubles, "(0: DLTensor*, 1: DLTensor*) -> None") {
  return double_all(args, 2);
}

TVM_FFI_C_EXPORT(dtypes, "(0: DLTensor*, 1: DLTensor*) -> None") {
  return double_all(args, 4);
}

/* Looks for the end of a text, which may have a NUL before it. */
TVM_FFI_C_EXPORT(texts, "(0: str) -> int") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (!tvm_ffi_any_try_string(&args->args[0], &text)) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no string");
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)strlen(text.data)));
}

/* Reads an extent that may not be there. */
TVM_FFI_C_EXPORT(lists, "(0: ffi.Shape) -> int") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIShape) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no shape");
  }
  return tvm_ffi_args_return(
      args, tvm_ffi_any_from_int64(TVMFFIShapeGetCellPtr(args->args[0].v_obj)->data[1]));
}

/* Takes elements by indices, which it does not check. */
TVM_FFI_C_EXPORT(indices, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> None") {
  DLTensor *t[3];
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  for (i = 0; i < 3; ++i) {
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, (int32_t)i, &t[i]));
    TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, (int32_t)i));
  }
  for (i = 0; i < tvm_ffi_tensor_get_numel(t[1]); ++i) {
    const int32_t at = ((const int32_t *)tvm_ffi_tensor_get_data(t[1]))[i];
    ((float *)tvm_ffi_tensor_get_data(t[2]))[i] =
        ((const float *)tvm_ffi_tensor_get_data(t[0]))[at];
  }
  return 0;
}

/* A transposed view of its own copy. */
TVM_FFI_C_EXPORT(turned, "(0: DLTensor*) -> Tensor") {
  TVMFFIObjectHandle tensor, view;
  DLTensor *x, made, turned;
  int64_t shape[2], strides[2];
  size_t size;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  if (x->ndim != 2) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 0 is no matrix");
  tvm_ffi_tensor_init(&made, NULL, x->device, x->dtype, 2, x->shape, NULL);
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&made, &tensor));
  memcpy(TVMFFITensorGetDLTensorPtr(tensor)->data, tvm_ffi_tensor_get_data(x), size);
  turned = *TVMFFITensorGetDLTensorPtr(tensor);
  shape[0] = x->shape[1], shape[1] = x->shape[0];
  strides[0] = 1, strides[1] = x->shape[1];
  turned.shape = shape;
  turned.strides = strides;
  code = TVMFFITensorCreateUnsafeView(tensor, &turned, &view);
  tvm_ffi_object_release(tensor);
  if (code != 0) return code;
  return tvm_ffi_args_return_object(args, view);
}

/* Takes part of an int, and returns the tensor that it got. */
TVM_FFI_C_EXPORT(truncates, "(0: Tensor, 1: int) -> Tensor") {
  int64_t value;
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &value));
  if ((int32_t)value > 10) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 1 is large");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int32_t)value + 1));
}

TVM_FFI_C_EXPORT(gives_back, "(0: Tensor) -> Tensor") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFITensor) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no Tensor");
  }
  TVMFFIObjectIncRef(args->args[0].v_obj);
  return tvm_ffi_args_return_object(args, args->args[0].v_obj);
}

/* Needs no elements at all. */
TVM_FFI_C_EXPORT(count, "(0: DLTensor*) -> int") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(tvm_ffi_tensor_get_numel(x)));
}

/* Subtracts the last element of each row, in place and for any rank. */
TVM_FFI_C_EXPORT(subtract_last, "(0: DLTensor*) -> None") {
  DLTensor *x;
  float *row;
  int64_t count, i, j, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  n = x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
  count = tvm_ffi_tensor_get_numel(x);
  row = tvm_ffi_tensor_get_data(x);
  for (i = 0; i < count; i += n) {
    for (j = 0; j < n; ++j) row[i + j] -= row[i + n - 1];
  }
  return 0;
}

/* Copies the second tensor, of any type, and not the first. */
TVM_FFI_C_EXPORT(copy_second, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> None") {
  DLTensor *unused, *x, *y;
  size_t size, room;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &unused));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 2, &y));
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(y, &room));
  memcpy(tvm_ffi_tensor_get_data(y), tvm_ffi_tensor_get_data(x), size < room ? size : room);
  return 0;
}

/* Takes elements of four bits that are all 3, and writes how many bytes they have, or with the
 * fault at most 50. */
static int count_threes(const tvm_ffi_args *args, size_t most) {
  DLTensor *x, *y;
  const unsigned char *bytes;
  size_t size, i;
  int64_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  bytes = tvm_ffi_tensor_get_data(x);
  for (i = 0; i < size; ++i) {
    if (bytes[i] != 0x33) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "3 was expected");
  }
  for (k = 0; k < tvm_ffi_tensor_get_numel(y); ++k) {
    ((float *)tvm_ffi_tensor_get_data(y))[k] = (float)(size < most ? size : most);
  }
  return 0;
}
TVM_FFI_C_EXPORT(counts_threes, "(0: DLTensor*, 1: DLTensor*) -> None") {
  return count_threes(args, SIZE_MAX);
}
TVM_FFI_C_EXPORT(counts_few, "(0: DLTensor*, 1: DLTensor*) -> None") {
  return count_threes(args, 50);
}

/* Right: what a call keeps is kept once. */
TVM_FFI_C_EXPORT(keeps_once, "(0: DLTensor*) -> None") {
  static int calls;
  DLTensor *x;
  if (++calls == 20) kept = malloc(4096);
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_args_read_tensor(args, 0, &x);
}

/* Returns a list in lists, each twice in the next one: too much to be written or compared. */
TVM_FFI_C_EXPORT(grows, "(0: DLTensor*) -> ffi.Array<Any>") {
  TVMFFIAny pair[2], made;
  DLTensor *x;
  int i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  pair[0] = pair[1] = tvm_ffi_any_from_int64(1);
  for (i = 0; i < (tvm_ffi_tensor_is_contiguous(x) ? 1 : 60); ++i) {
    TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.Array", pair, 2, &made));
    tvm_ffi_any_clear(&pair[0]);
    pair[0] = pair[1] = made;
  }
  return tvm_ffi_args_return(args, made);
}

/* Writes before its output for values other than those of the example. */
TVM_FFI_C_EXPORT(strays, "(0: DLTensor*, 1: DLTensor*) -> None") {
  DLTensor *x, *y;
  float *values;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  values = tvm_ffi_tensor_get_data(y);
  values[0] = 1;
  if (*(const float *)tvm_ffi_tensor_get_data(x) < 4) values[-1] = 0;
  return 0;
}

/* Leaves memory when it refuses its first argument. */
TVM_FFI_C_EXPORT(takes_list, "(0: ffi.Array<Tensor>) -> None") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index == kTVMFFIArray) return 0;
  kept = malloc(64);
  return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no Array");
}

/* Adds the first elements of tensors on one device; of those behind the 32nd it ignores offsets. */
TVM_FFI_C_EXPORT(sums_many, "(0: ffi.Array<Tensor>) -> float") {
  const TVMFFIAny *list = &args->args[0];
  double sum = 0;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (list->type_index != kTVMFFIArray) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no Array");
  }
  for (i = 0; i < tvm_ffi_array_get_size(list->v_obj); ++i) {
    DLTensor *first, *x;
    if (!tvm_ffi_any_try_tensor(tvm_ffi_array_get_data(list->v_obj), &first) ||
        !tvm_ffi_any_try_tensor(tvm_ffi_array_get_data(list->v_obj) + i, &x) ||
        !tvm_ffi_device_equal(x->device, first->device)) {
      return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 has other values");
    }
    if (x->device.device_type != kDLCPU) continue;
    sum += *(const float *)(i < 32 ? tvm_ffi_tensor_get_data(x) : x->data);
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

/* ---- The table ---- */

#define KERNEL(name)                                                         \
  TVM_FFI_C_EXPORT(name, "(0: DLTensor*, 1: float, 2: DLTensor*) -> None") { \
    return scale(args, k_##name);                                            \
  }                                                                          \
  TVM_FFI_C_EXPORT_SCHEMA(                                                   \
      name, TVM_FFI_C_TYPE("None"),                                          \
      TVM_FFI_C_TYPE("DLTensor*") "," TVM_FFI_C_TYPE("float") "," TVM_FFI_C_TYPE("DLTensor*"));
ALL(KERNEL)
