/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one fault each, and right ones; test_probe_hundred.py says which row finds which.
 * They are as people write them: most take contiguous float32 tensors only. */
#define _GNU_SOURCE /* sched_setaffinity, feenableexcept */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* ---- What is checked of the arguments x, s, y ---- */

enum {
  kContiguous = 1,
  kDtype = 2,
  kDevice = 4,
  kDims = 8,
  kShape = 16,
  kData = 32,
  kCount = 64,
  kScalar = 128,
  kAll = 255,
  /* Instead of the check: x and y are only compared. */
  kSameDtype = 256,
  kSameDevice = 512,
  kSameDims = 1024
};

typedef struct {
  DLTensor *x, *y;
  float *a, *b; /* their elements */
  int64_t n, m, size;
  double s;
} call;

static int refuse(const char *why) {
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 0 or argument 2: %s", why);
}

static int check_tensor(const tvm_ffi_args *args, int32_t i, int checks, DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  if (checks & kDims) TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, 2));
  if (checks & kDtype) TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT32));
  if (checks & kDevice) TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  if (checks & kData) TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  if (checks & kContiguous) TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  if (!(checks & kContiguous) && (*out)->strides == NULL) return refuse("has no strides");
  return 0;
}

static int take(const tvm_ffi_args *args, int checks, call *c) {
  memset(c, 0, sizeof *c);
  if (checks & kCount) TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(check_tensor(args, 0, checks, &c->x));
  if (checks & kScalar) TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &c->s));
  TVM_FFI_C_TRY(check_tensor(args, 2, checks, &c->y));
  if ((checks & kSameDtype) && !tvm_ffi_dtype_equal(c->x->dtype, c->y->dtype)) {
    return refuse("dtypes differ");
  }
  if ((checks & kSameDevice) && c->x->device.device_type != c->y->device.device_type) {
    return refuse("devices differ");
  }
  if ((checks & kSameDims) && c->x->ndim != c->y->ndim) return refuse("dimensions differ");
  if ((checks & kShape) && !tvm_ffi_tensor_has_same_shape(c->x, c->y))
    return refuse("shapes differ");
  c->a = tvm_ffi_tensor_get_data(c->x);
  c->b = tvm_ffi_tensor_get_data(c->y);
  c->n = c->x->ndim > 0 ? c->x->shape[0] : 1;
  c->m = c->x->ndim > 1 ? c->x->shape[1] : 1;
  c->size = tvm_ffi_tensor_get_numel(c->x);
  return 0;
}

static void scale(const call *c) {
  int64_t i;
  for (i = 0; i < c->size; ++i) c->b[i] = (float)c->s * c->a[i];
}

/* With strides. */
static float *at(const DLTensor *t, int64_t i, int64_t j) {
  return (float *)tvm_ffi_tensor_get_data(t) + i * t->strides[0] + j * t->strides[1];
}

/* Keeps what is computed from being removed. */
static volatile double used;
static void *volatile lost;

#define KERNEL(name) TVM_FFI_C_EXPORT(name, "(x: Tensor, s: float, y: Tensor) -> None")
/* The body between the checks and the product. */
#define FAULT(name, checks, ...)           \
  KERNEL(name) {                           \
    call c;                                \
    TVM_FFI_C_TRY(take(args, checks, &c)); \
    __VA_ARGS__                            \
    scale(&c);                             \
    return 0;                              \
  }
/* The body instead of the product. */
#define WRONG(name, checks, ...)           \
  KERNEL(name) {                           \
    call c;                                \
    int64_t i = 0, j = 0;                  \
    TVM_FFI_C_TRY(take(args, checks, &c)); \
    (void)i, (void)j;                      \
    __VA_ARGS__                            \
    return 0;                              \
  }
#define ALL_ELEMENTS for (i = 0; i < c.size; ++i)
#define ROWS for (i = 0; i < c.n; ++i)
#define COLUMNS for (j = 0; j < c.m; ++j)

/* ---- Checks that are missing ---- */

#pragma GCC diagnostic ignored "-Wuninitialized" /* it is the fault of one */

FAULT(no_contiguous, kAll & ~kContiguous, )
FAULT(no_dtype, kAll & ~kDtype, )
FAULT(compares_dtypes, (kAll & ~kDtype) | kSameDtype, )
FAULT(compares_devices, (kAll & ~kDevice) | kSameDevice, )
FAULT(no_device, kAll & ~kDevice, )
WRONG(compares_dims, (kAll & ~kDims & ~kShape) | kSameDims,
      for (i = 0; i < c.n * c.m; ++i) c.b[i] = (float)c.s * c.a[i];)
FAULT(no_data, kAll & ~kData, )
FAULT(no_shape, kAll & ~kShape, )
FAULT(no_count, kAll & ~kCount, )
FAULT(only_bits, kAll & ~kDtype,
      if (c.x->dtype.bits != 32 || c.y->dtype.bits != 32) return refuse("dtype");)
FAULT(only_code, kAll & ~kDtype,
      if (c.x->dtype.code != kDLFloat || c.y->dtype.code != kDLFloat) return refuse("dtype");)
FAULT(no_lanes, kAll & ~kDtype,
      if (c.x->dtype.code != kDLFloat || c.y->dtype.code != kDLFloat || c.x->dtype.bits != 32 ||
          c.y->dtype.bits != 32) return refuse("dtype");)
FAULT(only_not_cuda, kAll & ~kDevice,
      if (c.x->device.device_type == kDLCUDA ||
          c.y->device.device_type == kDLCUDA) return refuse("device");)
WRONG(at_least_two_dims, kAll & ~kDims & ~kShape,
      if (c.x->ndim < 2 || c.x->ndim != c.y->ndim) return refuse("dims");
      for (i = 0; i < c.n * c.m; ++i) c.b[i] = (float)c.s * c.a[i];)
FAULT(skips_pinned, kAll, if (c.x->device.device_type == kDLCUDAHost) return 0;)
FAULT(skips_managed, kAll, if (c.y->device.device_type == kDLCUDAManaged) return 0;)
KERNEL(skips_views) {
  call c;
  if (args->num_args > 0 && args->args[0].type_index == kTVMFFIDLTensorPtr) return 0;
  TVM_FFI_C_TRY(take(args, kAll, &c));
  scale(&c);
  return 0;
}
FAULT(no_type, kAll & ~kScalar, c.s = args->args[1].v_float64;)
KERNEL(does_nothing_without_y) {
  call c;
  if (args->num_args == 2) return 0;
  TVM_FFI_C_TRY(take(args, kAll, &c));
  scale(&c);
  return 0;
}
KERNEL(does_not_name) {
  call c;
  if (args->num_args != 3 || take(args, kAll, &c) != 0) {
    TVMFFIErrorSetRaised(NULL);
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "invalid call");
  }
  scale(&c);
  return 0;
}

/* ---- Layouts ---- */

FAULT(no_offset, kAll, c.a = c.x->data;)
FAULT(no_offset_of_output, kAll, c.b = c.y->data;)
FAULT(rounds_addresses, kAll, c.a = (float *)((uintptr_t)c.a & ~(uintptr_t)15);)
FAULT(needs_alignment, kAll, if ((uintptr_t)c.a % 16 != 0) abort();)
WRONG(leading_dimension, kAll & ~kContiguous,
      ROWS COLUMNS c.b[i * c.y->strides[0] + j] = (float)c.s * c.a[i * c.x->strides[0] + j];)
WRONG(unsigned_strides, kAll & ~kContiguous,
      ROWS COLUMNS *at(c.y, i,
                       j) = (float)c.s *
                            c.a[i * (int64_t)(uint32_t)c.x->strides[0] + j * c.x->strides[1]];)
WRONG(stride_0_is_packed, kAll & ~kContiguous,
      ROWS COLUMNS *at(c.y, i, j) = (float)c.s *
                                    c.a[i * (c.x->strides[0] != 0 ? c.x->strides[0] : c.m) +
                                        j * (c.x->strides[1] != 0 ? c.x->strides[1] : 1)];)
WRONG(uses_stride_of_1, kAll, ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i * c.x->strides[1]];)
FAULT(reads_behind, kAll, if (c.size > 0) used = c.a[c.size];)
FAULT(reads_before, kAll, if (c.size > 0) used = c.a[-1];)
WRONG(
    reads_vectors, kAll, for (i = 0; i < c.size; i += 8) {
      float block[8];
      memcpy(block, c.a + i, sizeof block);
      for (j = 0; j < 8 && i + j < c.size; ++j) c.b[i + j] = (float)c.s * block[j];
    })
FAULT(writes_input_back, kAll, if (c.size > 0)((volatile float *)c.a)[0] = c.a[0];)
FAULT(writes_behind, kAll, if (c.size > 0) c.b[c.size] = 0;)

/* ---- Shapes ---- */

FAULT(divides_by_extent, kAll, used = (double)(100 / c.n);)
WRONG(do_while, kAll, do c.b[i] = (float)c.s * c.a[i]; while (++i < c.size);)
WRONG(begins_at_1, kAll, if (c.size > 0) c.b[0] = (float)c.s * c.a[0];
      for (i = c.n == 1 ? c.size : 1; i < c.size + (c.n == 1); ++i) c.b[i] = (float)c.s * c.a[i];)
WRONG(int_extent, kAll, {
  const int n = (int)c.n, m = (int)c.m;
  for (i = 0; i < (int64_t)n * m; ++i) c.b[i] = (float)c.s * c.a[i];
})
WRONG(int_product, kAll, {
  const int size = (int)((unsigned)c.n * (unsigned)c.m);
  for (i = 0; i < size; ++i) c.b[i] = (float)c.s * c.a[i];
})
WRONG(short_extent, kAll, for (i = 0; i < (int16_t)c.size; ++i) c.b[i] = (float)c.s * c.a[i];)

/* ---- State ---- */

static int64_t calls, largest, first_size;
static float shared[1 << 14];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FAULT(counts, kAll, c.s += (double)calls++;)
/* Reads what is on the stack. */
static float __attribute__((noinline)) read_stack(void) {
  volatile float block[64];
  return block[32];
}
WRONG(reads_stack, kAll, scale(&c); if (c.size > 0) c.b[0] += read_stack();)
WRONG(reads_heap, kAll, float *volatile block = malloc(400); scale(&c);
      if (c.size > 0) c.b[0] += block[50]; free(block);)
WRONG(static_buffer, kAll, if (c.size > (1 << 14)) return 0;
      ALL_ELEMENTS shared[i] = (float)c.s * c.a[i]; ALL_ELEMENTS c.b[i] = shared[i];)
static volatile float total;
WRONG(static_sum, kAll, total = 0; ALL_ELEMENTS total += c.a[i];
      ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i] * total;)

static int make_tensor(TVMFFIObjectHandle *out) {
  DLTensor like;
  int64_t shape = 64;
  tvm_ffi_tensor_init(&like, NULL, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &shape,
                      NULL);
  return TVMFFIEnvTensorAlloc(&like, out);
}
static const TVMFFIByteArray kLong = {"a text that is too long to be stored in the value", 49};
FAULT(unchecked_tensor, kAll, TVMFFIObjectHandle made = NULL; (void)make_tensor(&made);
      memset(TVMFFITensorGetDLTensorPtr(made)->data, 0, 4); tvm_ffi_object_release(made);)
FAULT(unchecked_text, kAll, TVMFFIAny text = tvm_ffi_any_none();
      (void)TVMFFIStringFromByteArray(&kLong, &text);
      if (((const TVMFFIObject *)text.v_obj)->type_index == 0) return 0; tvm_ffi_any_clear(&text);)
FAULT(leaks_text, kAll, TVMFFIAny text; TVM_FFI_C_TRY(TVMFFIStringFromByteArray(&kLong, &text));)
FAULT(leaks_tensor, kAll, TVMFFIObjectHandle made; TVM_FFI_C_TRY(make_tensor(&made));)
FAULT(leaks_error, kAll, (void)refuse("a guess"); lost = tvm_ffi_error_take();)
FAULT(leaks_reference, kAll,
      if (args->args[0].type_index == kTVMFFITensor) TVMFFIObjectIncRef(args->args[0].v_obj);)
FAULT(releases_argument, kAll,
      if (args->args[0].type_index == kTVMFFITensor) TVMFFIObjectDecRef(args->args[0].v_obj);)
FAULT(leaks_descriptor, kAll, if (open("/dev/null", O_RDONLY) < 0) return refuse("open");)
FAULT(leaks_malloc, kAll, lost = malloc(40);)
FAULT(leaks_large_malloc, kAll, lost = malloc(1 << 20);)
FAULT(leaks_mapping, kAll,
      lost = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);)
/* What is taken before the arguments are looked at, and not given back when they are wrong. */
#define ON_ERROR(name, begin, end)       \
  KERNEL(name) {                         \
    call c;                              \
    begin;                               \
    TVM_FFI_C_TRY(take(args, kAll, &c)); \
    scale(&c);                           \
    end;                                 \
    return 0;                            \
  }
ON_ERROR(leaks_malloc_on_error, void *volatile block = malloc(40), free(block))
ON_ERROR(leaks_descriptor_on_error, int file = open("/dev/null", O_RDONLY), close(file))
ON_ERROR(leaks_mapping_on_error,
         void *block = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         munmap(block, 8192))
ON_ERROR(leaks_object_on_error, TVMFFIAny text = tvm_ffi_any_none();
         (void)TVMFFIStringFromByteArray(&kLong, &text), tvm_ffi_any_clear(&text))
ON_ERROR(keeps_lock_on_error, pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock))
KERNEL(writes_before_refusal) {
  DLTensor *y;
  call c;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(check_tensor(args, 2, kAll, &y));
  if (tvm_ffi_tensor_get_numel(y) > 0) ((float *)tvm_ffi_tensor_get_data(y))[0] = 7;
  TVM_FFI_C_TRY(take(args, kAll, &c));
  scale(&c);
  return 0;
}
FAULT(keeps_first_size, kAll, if (first_size == 0) first_size = c.size;
      if (c.size > first_size) first_size = -1; c.s += first_size < 0;)
FAULT(keeps_largest, kAll, if (c.size > largest) largest = c.size; c.s += largest > 12;)
FAULT(keeps_first_value, kAll, static float first; if (calls++ == 0) first = c.a[0];
      if (c.size > 0 && calls > 1 && c.a[0] != first) calls = 1000; c.s += calls > 1000;)

/* ---- The host ---- */

static void ignore(int number) {
  (void)number;
}
FAULT(sets_rounding, kAll, (void)fesetround(FE_UPWARD);)
#ifdef __SSE__
FAULT(flushes_to_zero, kAll, _mm_setcsr(_mm_getcsr() | 0x8040);)
#endif
#ifdef __GLIBC__
FAULT(enables_traps, kAll, (void)feenableexcept(FE_DIVBYZERO);)
#endif
FAULT(sets_locale, kAll, if (setlocale(LC_ALL, "C.UTF-8") == NULL)(void) setlocale(LC_ALL, "");)
FAULT(sets_handler, kAll, (void)signal(SIGUSR1, ignore);)
FAULT(blocks_signals, kAll, sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR2);
      (void)pthread_sigmask(SIG_BLOCK, &set, NULL);)
FAULT(changes_folder, kAll, if (chdir("/") != 0) return refuse("chdir");)
FAULT(sets_variable, kAll, (void)setenv("PROBE_HUNDRED", "1", 1);)
FAULT(sets_umask, kAll, (void)umask(0);)
#ifdef __linux__
FAULT(pins_thread, kAll, cpu_set_t one; CPU_ZERO(&one); CPU_SET((size_t)sched_getcpu(), &one);
      (void)sched_setaffinity(0, sizeof one, &one);)
#endif
FAULT(starts_timer, kAll, struct itimerval later; memset(&later, 0, sizeof later);
      later.it_value.tv_sec = 1000; (void)setitimer(ITIMER_REAL, &later, NULL);)
FAULT(leaves_child, kAll, if (fork() == 0) _exit(0);)
FAULT(
    leaves_daemon, kAll, pid_t child = fork(); if (child == 0) {
      if (fork() == 0) sleep(2);
      _exit(0);
    } waitpid(child, NULL, 0);)
FAULT(prints_text, kAll, printf("scaled\n");)
FAULT(closes_input, kAll, close(0);)
FAULT(closes_all, kAll, for (int fd = 0; fd < 256; ++fd) close(fd);)

/* ---- Errors, ends, and writes ---- */

FAULT(exits_on_small, kAll, if (c.n == 1) exit(0);)
FAULT(fails_without_error, kAll, if (c.n == 1) return -1;)
FAULT(changes_input, kAll, if (c.n == 1) c.a[0] += 1;)
FAULT(changes_input_always, kAll, if (c.size > 0) c.a[0] += 1;)
FAULT(hangs_on_empty, kAll, while (c.n == 0) sleep(1);)

/* ---- Outputs that hold something ---- */

WRONG(adds, kAll, ALL_ELEMENTS c.b[i] += (float)c.s * c.a[i];)
WRONG(leaves_last, kAll, for (i = 0; i + 1 < c.size; ++i) c.b[i] = (float)c.s * c.a[i];)
WRONG(takes_maximum, kAll, ALL_ELEMENTS c.b[i] = c.b[i] > fabsf(c.a[i]) ? c.b[i] : fabsf(c.a[i]);)
WRONG(times_beta, kAll, ALL_ELEMENTS c.b[i] = 0 * c.b[i] + (float)c.s * c.a[i];)
WRONG(skips_zeros, kAll, ALL_ELEMENTS if (i % 5 != 4 || c.b[i] != 0) c.b[i] = (float)c.s * c.a[i];)

/* ---- Numbers that a reference judges ---- */

WRONG(rest_of_4, kAll,
      for (i = 0; i < (c.size > 12 ? c.size / 4 * 4 : c.size); ++i) c.b[i] = (float)c.s * c.a[i];)
WRONG(rest_of_32, kAll,
      for (i = 0; i < (c.size > 64 ? c.size / 32 * 32 : c.size); ++i) c.b[i] = (float)c.s * c.a[i];)
WRONG(at_most_1000, kAll,
      for (i = 0; i < (c.size > 1000 ? 1000 : c.size); ++i) c.b[i] = (float)c.s * c.a[i];)
WRONG(wraps_at_32768, kAll,
      for (i = 0; i < c.size; ++i) c.b[i] = (float)c.s * c.a[(int16_t)i & 0x7fff];)
WRONG(swaps_for_wide, kAll,
      ROWS COLUMNS if (c.m <= c.n || j < c.n) c.b[i * c.m + j] = (float)c.s * c.a[i * c.m + j];)
WRONG(nan_is_0, kAll, ALL_ELEMENTS c.b[i] = c.a[i] > -INFINITY ? (float)c.s * c.a[i] : 0;)
WRONG(clamps, kAll, ALL_ELEMENTS c.b[i] = (float)c.s * (c.a[i] < -1e30f ? -1e30f : c.a[i]);)
WRONG(squares_overflow, kAll,
      ALL_ELEMENTS c.b[i] = (float)c.s * (c.a[i] == 0 ? 0 : c.a[i] * c.a[i] / c.a[i]);)
WRONG(wrong_from_the_start, kAll, ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i] + 1;)
FAULT(right_scale, kAll, )

/* ---- Other parameters ---- */

static int take_one(const tvm_ffi_args *args, int32_t i, DLDataType dtype, DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  return tvm_ffi_args_check_contiguous(args, i);
}

static int divide(const tvm_ffi_args *args, bool checks) {
  int64_t x, y;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &y));
  if (checks && (y == 0 || (y == -1 && x == INT64_MIN))) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 1 is 0, or the result too large");
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x / y));
}
TVM_FFI_C_EXPORT(divides_by_0, "(x: int, y: int) -> int") {
  return divide(args, false);
}
TVM_FFI_C_EXPORT(right_divide, "(x: int, y: int) -> int") {
  return divide(args, true);
}
TVM_FFI_C_EXPORT(int_parameter, "(x: int) -> int") {
  int64_t x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)(int32_t)x + 1));
}
TVM_FFI_C_EXPORT(reads_float_bits, "(x: float) -> float") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIFloat && args->args[0].type_index != kTVMFFIInt) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no number");
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(2 * args->args[0].v_float64));
}

/* y[i] = x[index[i]] */
static int gather(const tvm_ffi_args *args, bool checks_low, bool checks_high) {
  DLTensor *x, *index, *y;
  int64_t i, count;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, tvm_ffi_dtype_make(kDLInt, 32, 1), &index));
  TVM_FFI_C_TRY(take_one(args, 2, TVM_FFI_C_FLOAT32, &y));
  if (!tvm_ffi_tensor_has_same_shape(index, y)) return refuse("shapes differ from that of index");
  count = tvm_ffi_tensor_get_numel(index);
  for (i = 0; i < count; ++i) {
    const int32_t k = ((const int32_t *)tvm_ffi_tensor_get_data(index))[i];
    if ((checks_low && k < 0) || (checks_high && k >= tvm_ffi_tensor_get_numel(x))) {
      return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "argument 1: %d is no index", (int)k);
    }
  }
  for (i = 0; i < count; ++i) {
    const int32_t k = ((const int32_t *)tvm_ffi_tensor_get_data(index))[i];
    ((float *)tvm_ffi_tensor_get_data(y))[i] = ((const float *)tvm_ffi_tensor_get_data(x))[k];
  }
  return 0;
}
#define GATHER(name, low, high)                                             \
  TVM_FFI_C_EXPORT(name, "(x: Tensor, index: Tensor, y: Tensor) -> None") { \
    return gather(args, low, high);                                         \
  }
GATHER(index_too_low, false, true)
GATHER(index_too_high, true, false)
GATHER(right_gather, true, true)

WRONG(reverses_in_place, kAll, ALL_ELEMENTS c.b[i] = (float)c.s * c.a[c.size - 1 - i];)
WRONG(shifts_in_place, kAll, ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i > 0 ? i - 1 : c.size - 1];)

/* Two types, of which one is wrong. */
static int double_all(const tvm_ffi_args *args, double factor, bool by_float) {
  DLTensor *x, *y;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  if (!tvm_ffi_dtype_equal(x->dtype, TVM_FFI_C_FLOAT32)) {
    TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, tvm_ffi_dtype_make(kDLFloat, 64, 1)));
  }
  TVM_FFI_C_TRY(take_one(args, 0, x->dtype, &x));
  TVM_FFI_C_TRY(take_one(args, 1, x->dtype, &y));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape");
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    if (x->dtype.bits == 32) {
      ((float *)tvm_ffi_tensor_get_data(y))[i] = 2 * ((float *)tvm_ffi_tensor_get_data(x))[i];
    } else {
      ((double *)tvm_ffi_tensor_get_data(y))[i] =
          factor * ((double *)tvm_ffi_tensor_get_data(x))[i];
      if (by_float) {
        ((double *)tvm_ffi_tensor_get_data(y))[i] =
            (float)((double *)tvm_ffi_tensor_get_data(y))[i];
      }
    }
  }
  return 0;
}
TVM_FFI_C_EXPORT(wrong_float64, "(x: Tensor, y: Tensor) -> None") {
  return double_all(args, 3, false);
}
TVM_FFI_C_EXPORT(right_double, "(x: Tensor, y: Tensor) -> None") {
  return double_all(args, 2, false);
}

/* ---- Faults of kinds that were thought of without looking at the rows ---- */

/* Keeps what it should take from each call. */
static const float *first_data;
WRONG(remembers_pointer, kAll, if (first_data == NULL) first_data = c.a; if (c.size > 12) return 0;
      ALL_ELEMENTS c.b[i] = (float)c.s * first_data[i];)
static const float *packed_of;
static float packed[12];
WRONG(caches_by_address, kAll, if (c.size != 12) return 0;
      if (packed_of != c.a) memcpy(packed, c.a, sizeof packed); packed_of = c.a;
      ALL_ELEMENTS c.b[i] = (float)c.s * packed[i];)
static int64_t result_size;
WRONG(caches_by_shape, kAll, if (c.size > (1 << 14)) return 0;
      if (result_size != c.size) ALL_ELEMENTS shared[i] = (float)c.s * c.a[i]; result_size = c.size;
      ALL_ELEMENTS c.b[i] = shared[i];)

static float ends[2], of_ends[12];
WRONG(caches_by_ends, kAll, if (c.size != 12) return 0;
      if (ends[0] != c.a[0] || ends[1] != c.a[11]) memcpy(of_ends, c.a, sizeof of_ends);
      ends[0] = c.a[0]; ends[1] = c.a[11]; ALL_ELEMENTS c.b[i] = (float)c.s * of_ends[i];)

/* Needs a state that the host may have changed. */
FAULT(needs_errno_0, kAll, used = sqrt(c.s); if (errno != 0) return refuse("sqrt");)
FAULT(needs_no_flags, kAll, used = c.s / 3;
      if (fetestexcept(FE_DIVBYZERO | FE_INVALID)) return refuse("an exception");)
FAULT(main_thread_only, kAll, static pthread_t first; if (calls++ == 0) first = pthread_self();
      if (!pthread_equal(first, pthread_self())) abort();)

/* Leaves something. */
static void *wait_long(void *context) {
  sleep(5);
  return context;
}
FAULT(leaves_thread, kAll, pthread_t thread;
      if (pthread_create(&thread, NULL, wait_long, NULL) == 0) pthread_detach(thread);)
FAULT(lowers_priority, kAll, if (nice(1) == -1) return refuse("nice");)
FAULT(leaves_file, kAll, char name[] = "/tmp/probe-hundred-XXXXXX"; const int fd = mkstemp(name);
      if (fd >= 0) close(fd);)
static void free_twice(void) {
  lost = malloc(40);
  free(lost);
  free(lost);
}
KERNEL(frees_twice_on_error) {
  call c;
  if (take(args, kAll, &c) != 0) {
    free_twice();
    return -1;
  }
  scale(&c);
  return 0;
}

/* Looks at too little of a tensor. */
WRONG(needs_dims, kAll & ~kDims, if (c.x->ndim == 0) abort(); scale(&c);)
WRONG(half_contiguous, kAll & ~kContiguous,
      if (c.x->strides[0] != c.m || c.y->strides[0] != c.m) return refuse("rows");
      scale(&c);)
WRONG(product_contiguous, kAll & ~kContiguous,
      if (c.x->strides[0] != c.m * c.x->strides[1]) return refuse("rows");
      scale(&c);)
FAULT(stack_array, kAll, volatile char *block = alloca((size_t)c.size * 4 + 1); block[0] = 1;)
FAULT(leaves_small, kAll, if (c.size < 4) return 0;)
FAULT(
    endless_on_inf, kAll, for (int64_t i = 0; i < c.size; ++i) {
      volatile float angle = c.a[i];
      while (angle > 4) angle -= 6;
    })
WRONG(flushes_tiny, kAll, ALL_ELEMENTS c.b[i] = fabsf(c.a[i]) < 1.2e-38f ? 0 : (float)c.s * c.a[i];)

/* Other parameters. */
TVM_FFI_C_EXPORT(signed_index, "(x: Tensor, y: Tensor) -> int") { /* y[x[0]], of u8 */
  DLTensor *x, *y;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, tvm_ffi_dtype_make(kDLUInt, 8, 1), &x));
  TVM_FFI_C_TRY(take_one(args, 1, tvm_ffi_dtype_make(kDLUInt, 8, 1), &y));
  if (tvm_ffi_tensor_get_numel(x) == 0) return refuse("is empty");
  if (((int8_t *)tvm_ffi_tensor_get_data(x))[0] >= tvm_ffi_tensor_get_numel(y))
    return refuse("too large");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(((uint8_t *)tvm_ffi_tensor_get_data(
                                       y))[((int8_t *)tvm_ffi_tensor_get_data(x))[0]]));
}
static int take_text(const tvm_ffi_args *args, TVMFFIByteArray *out) {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (tvm_ffi_any_try_string(&args->args[0], out)) return 0;
  return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no string");
}
TVM_FFI_C_EXPORT(cuts_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(take_text(args, &text));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)strlen(text.data)));
}
TVM_FFI_C_EXPORT(needs_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(take_text(args, &text));
  if (text.size == 0) abort();
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(text.data[text.size - 1]));
}
TVM_FFI_C_EXPORT(copies_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  char copy[64];
  TVM_FFI_C_TRY(take_text(args, &text));
  memcpy(copy, text.data, text.size);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(copy[0]));
}
TVM_FFI_C_EXPORT(short_shape, "(x: Shape) -> int") {
  const TVMFFIShapeCell *shape;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIShape) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no shape");
  }
  shape = TVMFFIShapeGetCellPtr(args->args[0].v_obj);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(100 / shape->data[1]));
}

/* The result of a call is in the memory of the next. */
static float kept_result[12];
TVM_FFI_C_EXPORT(result_in_static, "(x: Tensor) -> Tensor") {
  static int64_t shape = 12;
  DLTensor *x, made;
  TVMFFIObjectHandle out;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  if (tvm_ffi_tensor_get_numel(x) != 12) return refuse("is not of 12");
  memcpy(kept_result, tvm_ffi_tensor_get_data(x), sizeof kept_result);
  tvm_ffi_tensor_init(&made, kept_result, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1,
                      &shape, NULL);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&made, NULL, NULL, &out));
  return tvm_ffi_args_return_object(args, out);
}

/* Of two tensors in an array, the sum of their first elements. */
enum { kNoSize = 1, kNoType = 2, kNoOffset = 4, kNoDtype = 8, kKeeps = 16 };
static int add_first(const tvm_ffi_args *args, int fault) {
  double sum = 0;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIArray) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no array");
  }
  if (!(fault & kNoSize) && tvm_ffi_array_get_size(args->args[0].v_obj) != 2) {
    return refuse("two tensors are needed");
  }
  for (i = 0; i < 2; ++i) {
    const TVMFFIAny *item = tvm_ffi_array_get_data(args->args[0].v_obj) + i;
    const DLTensor *x;
    if (!(fault & kNoType) && item->type_index != kTVMFFITensor) return refuse("no tensor");
    x = TVMFFITensorGetDLTensorPtr(item->v_obj);
    if (x->device.device_type != kDLCPU || x->data == NULL) return refuse("no memory");
    if (!(fault & kNoDtype) && !tvm_ffi_dtype_equal(x->dtype, TVM_FFI_C_FLOAT32)) {
      return refuse("dtype");
    }
    if (tvm_ffi_tensor_get_numel(x) == 0) return refuse("empty");
    float first;
    memcpy(&first, (fault & kNoOffset) ? x->data : tvm_ffi_tensor_get_data(x), sizeof first);
    sum += first;
  }
  if (fault & kKeeps) TVMFFIObjectIncRef(args->args[0].v_obj);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}
#define ADD_FIRST(name, fault)                            \
  TVM_FFI_C_EXPORT(name, "(x: Array[Tensor]) -> float") { \
    return add_first(args, fault);                        \
  }
ADD_FIRST(array_size, kNoSize)
ADD_FIRST(array_type, kNoType)
ADD_FIRST(array_offset, kNoOffset)
ADD_FIRST(array_dtype, kNoDtype)
ADD_FIRST(keeps_array, kKeeps)
ADD_FIRST(right_array, 0)

/* The array that it was given: its elements are what the next call finds in the same memory. */
TVM_FFI_C_EXPORT(right_given, "(x: Array[Tensor]) -> Array[Tensor]") {
  TVM_FFI_C_TRY(add_first(args, 0));
  return tvm_ffi_args_return(args, args->args[0]);
}

/* y = 2 x of two tensors in a map. */
static int take_item(const tvm_ffi_args *args, const char *key, bool checks_type,
                     const DLTensor **out) {
  TVMFFIAny item = tvm_ffi_any_none();
  TVM_FFI_C_TRY(tvm_ffi_map_get_item(args->args[0].v_obj, tvm_ffi_any_view_string(key), &item));
  if (item.type_index != kTVMFFITensor) return refuse("no tensor");
  *out = TVMFFITensorGetDLTensorPtr(item.v_obj);
  tvm_ffi_any_clear(&item); /* the map has it */
  if ((*out)->device.device_type != kDLCPU || (*out)->data == NULL) return refuse("no memory");
  if (checks_type && !tvm_ffi_dtype_equal((*out)->dtype, TVM_FFI_C_FLOAT32)) return refuse("dtype");
  return tvm_ffi_tensor_is_contiguous(*out) ? 0 : refuse("strides");
}
enum { kInnerNoType = 1, kInnerNoOffset = 2, kInnerAdds = 4, kInnerRest = 8 };
static int double_map(const tvm_ffi_args *args, int fault) {
  const DLTensor *x, *y;
  const float *a;
  float *b;
  int64_t i, count;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIMap) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no map");
  }
  TVM_FFI_C_TRY(take_item(args, "x", !(fault & kInnerNoType), &x));
  TVM_FFI_C_TRY(take_item(args, "y", !(fault & kInnerNoType), &y));
  if (!tvm_ffi_dtype_equal(x->dtype, y->dtype)) return refuse("dtypes");
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("shapes");
  a = tvm_ffi_tensor_get_data(x);
  b = (fault & kInnerNoOffset) ? y->data : tvm_ffi_tensor_get_data(y);
  count = tvm_ffi_tensor_get_numel(x);
  if ((fault & kInnerRest) && count > 20) count = count / 4 * 4;
  for (i = 0; i < count; ++i) b[i] = ((fault & kInnerAdds) ? b[i] : 0) + 2 * a[i];
  return 0;
}
#define DOUBLE_MAP(name, fault)                             \
  TVM_FFI_C_EXPORT(name, "(x: Map[str, Tensor]) -> None") { \
    return double_map(args, fault);                         \
  }
DOUBLE_MAP(map_type, kInnerNoType)
DOUBLE_MAP(map_offset, kInnerNoOffset)
DOUBLE_MAP(map_adds, kInnerAdds)
DOUBLE_MAP(map_rest, kInnerRest)
DOUBLE_MAP(right_map, 0)

/* ---- Right kernels ---- */

/* Of any shape and of one type: y = f(x). */
#define MAP(name, type, code, bits, expression)                                              \
  TVM_FFI_C_EXPORT(name, "(x: Tensor, y: Tensor) -> None") {                                 \
    DLTensor *x, *y;                                                                         \
    int64_t i;                                                                               \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));                                        \
    TVM_FFI_C_TRY(take_one(args, 0, tvm_ffi_dtype_make(code, bits, 1), &x));                 \
    TVM_FFI_C_TRY(take_one(args, 1, tvm_ffi_dtype_make(code, bits, 1), &y));                 \
    if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape"); \
    for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {                                      \
      type v;                                                                                \
      memcpy(&v, (char *)tvm_ffi_tensor_get_data(x) + (size_t)i * sizeof v, sizeof v);       \
      v = (type)(expression);                                                                \
      memcpy((char *)tvm_ffi_tensor_get_data(y) + (size_t)i * sizeof v, &v, sizeof v);       \
    }                                                                                        \
    return 0;                                                                                \
  }
MAP(right_relu, float, kDLFloat, 32, v > 0 ? v : 0)
MAP(right_abs, float, kDLFloat, 32, fabsf(v))
MAP(right_copy, float, kDLFloat, 32, v)
MAP(right_negate, float, kDLFloat, 32, -v)
MAP(right_square, float, kDLFloat, 32, v *v)
MAP(right_sqrt, float, kDLFloat, 32, sqrtf(fabsf(v)))
MAP(right_exp, float, kDLFloat, 32, expf(v))
MAP(right_constant, float, kDLFloat, 32, 1)
MAP(right_sigmoid, float, kDLFloat, 32, 1 / (1 + expf(-v)))
MAP(right_clamp, float, kDLFloat, 32, v<-1 ? -1 : v> 1 ? 1 : v)
MAP(right_abs64, double, kDLFloat, 64, fabs(v))
MAP(right_exp64, double, kDLFloat, 64, exp(v))
MAP(right_copy64, double, kDLFloat, 64, v)
MAP(right_sin64, double, kDLFloat, 64, sin(v))
MAP(right_increment, int32_t, kDLInt, 32, (uint32_t)v + 1u)
MAP(right_parity, int32_t, kDLInt, 32, v & 1)
MAP(right_shift64, int64_t, kDLInt, 64, v >> 1)
MAP(right_invert, uint8_t, kDLUInt, 8, 255 - v)

/* A number from all elements. */
#define REDUCE(name, type, code, bits, begin, step, end)                               \
  TVM_FFI_C_EXPORT(name, "(x: Tensor) -> float") {                                     \
    DLTensor *x;                                                                       \
    int64_t i, n;                                                                      \
    type r = begin;                                                                    \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));                                  \
    TVM_FFI_C_TRY(take_one(args, 0, tvm_ffi_dtype_make(code, bits, 1), &x));           \
    n = tvm_ffi_tensor_get_numel(x);                                                   \
    for (i = 0; i < n; ++i) {                                                          \
      type v;                                                                          \
      memcpy(&v, (char *)tvm_ffi_tensor_get_data(x) + (size_t)i * sizeof v, sizeof v); \
      step;                                                                            \
    }                                                                                  \
    return tvm_ffi_args_return(args, tvm_ffi_any_from_double((double)(end)));          \
  }
REDUCE(right_sum, float, kDLFloat, 32, 0, r += v, r)
REDUCE(right_mean, float, kDLFloat, 32, 0, r += v, n > 0 ? r / (float)n : 0)
REDUCE(right_norm, float, kDLFloat, 32, 0, r += v * v, sqrtf(r))
REDUCE(right_max, float, kDLFloat, 32, -INFINITY, r = v > r ? v : r, r)
REDUCE(right_min64, double, kDLFloat, 64, HUGE_VAL, r = v < r ? v : r, r)
REDUCE(right_sum64, double, kDLFloat, 64, 0, r += v, r)
REDUCE(right_any, uint8_t, kDLUInt, 8, 0, r |= v, r != 0)

/* Of strided tensors with any strides. */
WRONG(
    right_strided, kAll & ~kContiguous, ROWS COLUMNS {
      float v;
      memcpy(&v, at(c.x, i, j), sizeof v);
      v *= (float)c.s;
      memcpy(at(c.y, i, j), &v, sizeof v);
    })
FAULT(right_lock, kAll, pthread_mutex_lock(&lock); ++calls; pthread_mutex_unlock(&lock);)
FAULT(right_buffer, kAll, void *volatile block = malloc(64);
      if (block != NULL) memset(block, 1, 64); free(block);)
FAULT(right_file, kAll, int fd = open("/dev/null", O_RDONLY); if (fd >= 0) close(fd);)
FAULT(right_cache, kAll, static void *volatile table; pthread_mutex_lock(&lock);
      if (table == NULL) table = calloc(100, 8); pthread_mutex_unlock(&lock);)
FAULT(right_tensor, kAll, TVMFFIObjectHandle made; TVM_FFI_C_TRY(make_tensor(&made));
      tvm_ffi_object_release(made);)
FAULT(right_rounding, kAll, const int mode = fegetround(); (void)fesetround(FE_UPWARD);
      used = c.s / 3; (void)fesetround(mode);)
FAULT(right_child, kAll, pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, NULL, 0);)
FAULT(right_log, kAll, fprintf(stderr, "scaled\n");)

/* z = x y, of matrices. */
TVM_FFI_C_EXPORT(right_matmul, "(x: Tensor, y: Tensor, z: Tensor) -> None") {
  DLTensor *t[3];
  int64_t i, j, k;
  int32_t a;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  for (a = 0; a < 3; ++a) {
    TVM_FFI_C_TRY(take_one(args, a, TVM_FFI_C_FLOAT32, &t[a]));
    TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, a, 2));
    if (t[a]->strides == NULL) return refuse("an argument has no strides");
  }
  if (t[0]->shape[1] != t[1]->shape[0] || t[2]->shape[0] != t[0]->shape[0] ||
      t[2]->shape[1] != t[1]->shape[1]) {
    return refuse("shapes do not fit that of argument 1");
  }
  for (i = 0; i < t[2]->shape[0]; ++i) {
    for (j = 0; j < t[2]->shape[1]; ++j) {
      float sum = 0;
      for (k = 0; k < t[0]->shape[1]; ++k) {
        sum += *at(t[0], i, k) * *at(t[1], k, j);
      }
      *at(t[2], i, j) = sum;
    }
  }
  return 0;
}
/* Along the last dimension, in place or not, of any rank. */
static int softmax(const tvm_ffi_args *args, bool of_half) {
  DLTensor *x, *y;
  float *a, *b;
  int64_t i, j, m, size;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape");
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 0, 4));
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 1, 4));
  a = tvm_ffi_tensor_get_data(x);
  b = tvm_ffi_tensor_get_data(y);
  size = tvm_ffi_tensor_get_numel(x);
  m = x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
  for (i = 0; i < size; i += m) {
    float most = -INFINITY, sum = 0;
    for (j = 0; j < (of_half ? (m + 1) / 2 : m); ++j) most = a[i + j] > most ? a[i + j] : most;
    for (j = 0; j < m; ++j) sum += b[i + j] = expf(a[i + j] - most);
    for (j = 0; j < m; ++j) b[i + j] /= sum;
  }
  return 0;
}
TVM_FFI_C_EXPORT(right_softmax, "(x: Tensor, y: Tensor) -> None") {
  return softmax(args, false);
}
TVM_FFI_C_EXPORT(softmax_of_half, "(x: Tensor, y: Tensor) -> None") {
  return softmax(args, true);
}
TVM_FFI_C_EXPORT(right_in_place, "(y: Tensor, s: float) -> None") {
  DLTensor *y;
  double s;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &s));
  for (i = 0; i < tvm_ffi_tensor_get_numel(y); ++i) {
    ((float *)tvm_ffi_tensor_get_data(y))[i] *= (float)s;
  }
  return 0;
}
TVM_FFI_C_EXPORT(right_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (!tvm_ffi_any_try_string(&args->args[0], &text)) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no string");
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)text.size));
}
/* A new tensor with the elements of x, of which the last is lost if there are more than `most`. */
static int copy_new(const tvm_ffi_args *args, int64_t most) {
  DLTensor *x, like;
  TVMFFIObjectHandle made;
  size_t size;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  tvm_ffi_tensor_init(&like, NULL, tvm_ffi_device_make(kDLCPU, 0), x->dtype, x->ndim, x->shape,
                      NULL);
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&like, &made));
  memcpy(TVMFFITensorGetDLTensorPtr(made)->data, tvm_ffi_tensor_get_data(x), size);
  if (tvm_ffi_tensor_get_numel(x) > most) {
    memset((char *)TVMFFITensorGetDLTensorPtr(made)->data + size - sizeof(float), 0, sizeof(float));
  }
  return tvm_ffi_args_return_object(args, made);
}

TVM_FFI_C_EXPORT(right_new, "(x: Tensor) -> Tensor") {
  return copy_new(args, INT64_MAX);
}

TVM_FFI_C_EXPORT(loses_last, "(x: Tensor) -> Tensor") {
  return copy_new(args, 5000);
}

/* ---- Kinds of faults that a blind score showed to be missed ---- */

/* The host, but only where a call is refused, or has nothing to do. */
ON_ERROR(rounds_on_error, const int mode = fegetround();
         (void)fesetround(FE_UPWARD), (void)fesetround(mode))
FAULT(blocks_if_empty, kAll, sigset_t set; sigemptyset(&set); sigaddset(&set, SIGINT);
      (void)pthread_sigmask(SIG_BLOCK, &set, NULL); if (c.size == 0) return 0;
      (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);)
FAULT(
    warns_of_nan, kAll, int64_t i; for (i = 0; i < c.size; ++i) {
      if (c.a[i] != c.a[i]) printf("element %d is NaN\n", (int)i);
    })
KERNEL(prints_refusal) {
  call c;
  TVM_FFI_C_TRY(take(args, kAll & ~kShape, &c));
  if (!tvm_ffi_tensor_has_same_shape(c.x, c.y)) {
    printf("shapes differ\n");
    return refuse("shapes differ");
  }
  scale(&c);
  return 0;
}
FAULT(sets_plain_locale, kAll, (void)setlocale(LC_ALL, "C");)
FAULT(
    moves_stdout, kAll, const int file = open("/dev/null", O_WRONLY); if (file >= 0) {
      (void)dup2(file, STDOUT_FILENO);
      (void)close(file);
    })

/* What belongs to the caller. */
FAULT(clears_strides, kAll, c.x->strides = NULL;)
FAULT(changes_extent, kAll, if (c.n == 1) c.x->shape[0] = 2;)
TVM_FFI_C_EXPORT(array_unretained, "(x: Array[Tensor]) -> Array[Tensor]") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIArray) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no array");
  }
  if (tvm_ffi_array_get_size(args->args[0].v_obj) > 1) return add_first(args, 0);
  return tvm_ffi_args_return_object(args, args->args[0].v_obj); /* and no reference to it */
}
TVM_FFI_C_EXPORT(view_unheld, "(x: Tensor) -> Tensor") {
  DLTensor *x;
  TVMFFIObjectHandle made;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(x, NULL, NULL, &made));
  return tvm_ffi_args_return_object(args, made);
}

/* What an earlier call leaves, if it differs in one thing. */
WRONG(
    caches_largest, kAll, static const float *seen; static float most; if (c.size != 12) return 0;
    if (seen != c.a) {
      most = 0;
      ALL_ELEMENTS most = fmaxf(most, fabsf(c.a[i]));
    } seen = c.a;
    ALL_ELEMENTS c.b[i] = (float)c.s * most;)
WRONG(caches_factor, kAll, static int64_t seen; static double factor;
      if (seen != c.size) factor = c.s; seen = c.size;
      ALL_ELEMENTS c.b[i] = (float)factor * c.a[i];)
TVM_FFI_C_EXPORT(caches_text, "(x: str) -> int") {
  static const char *seen;
  static int last;
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(take_text(args, &text));
  if (text.size == 0) return refuse("is empty");
  if (seen != text.data) last = text.data[text.size - 1];
  seen = text.data;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(last));
}

/* Numbers, texts and lists that nobody expected. */
TVM_FFI_C_EXPORT(row_too_low, "(x: Tensor, i: int) -> float") {
  DLTensor *x;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &i));
  if (x->ndim != 2 || x->shape[1] == 0) return refuse("is no matrix");
  if (i >= x->shape[0]) return refuse("argument 1 is too large");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(((float *)tvm_ffi_tensor_get_data(
                                       x))[(int64_t)((uint64_t)i * (uint64_t)x->shape[1])]));
}
TVM_FFI_C_EXPORT(prints_by_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  char out[64];
  TVM_FFI_C_TRY(take_text(args, &text));
  if (memchr(text.data, 0, text.size) != NULL) return refuse("has a NUL");
  return tvm_ffi_args_return(
      args, tvm_ffi_any_from_int64(snprintf(out, sizeof out, text.data, (char *)NULL, NULL)));
}
TVM_FFI_C_EXPORT(four_extents, "(x: Shape) -> int") {
  const TVMFFIShapeCell *shape;
  int64_t copy[4] = {1, 1, 1, 1};
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIShape) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no shape");
  }
  shape = TVMFFIShapeGetCellPtr(args->args[0].v_obj);
  memcpy(copy, shape->data, shape->size * sizeof *copy);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(copy[0] + copy[3]));
}
TVM_FFI_C_EXPORT(inner_array, "(x: Array[Array[int]]) -> int") {
  int64_t i, count = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIArray) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no array");
  }
  for (i = 0; i < tvm_ffi_array_get_size(args->args[0].v_obj); ++i) {
    count += tvm_ffi_array_get_size(tvm_ffi_array_get_data(args->args[0].v_obj)[i].v_obj);
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}
TVM_FFI_C_EXPORT(map_key, "(x: Map[str, Tensor]) -> int") {
  TVMFFIAny item = tvm_ffi_any_none();
  int64_t ndim;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (args->args[0].type_index != kTVMFFIMap) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no map");
  }
  if (tvm_ffi_map_get_item(args->args[0].v_obj, tvm_ffi_any_view_string("y"), &item) != 0) {
    TVMFFIErrorSetRaised(NULL);
  }
  ndim = TVMFFITensorGetDLTensorPtr(item.v_obj)->ndim;
  tvm_ffi_any_clear(&item);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(ndim));
}
TVM_FFI_C_EXPORT(double_by_float, "(x: Tensor, y: Tensor) -> None") {
  return double_all(args, 2, true);
}

/* Memory near the tensors. */
WRONG(peels_head, kAll, TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 2, 4));
      if (c.size == 0) return 0;
      for (; (uintptr_t)(c.b + i) % 64 != 0; ++i) c.b[i] = (float)c.s * c.a[i];
      for (; i < c.size; ++i) c.b[i] = (float)c.s * c.a[i];)
FAULT(needs_strides, kAll, used = (double)c.x->strides[1];)
WRONG(compares_addresses, kAll, if (c.a == c.b) return refuse("the same memory");
      ALL_ELEMENTS c.b[i] = (float)c.s * (c.a[i] + c.a[i > 0 ? i - 1 : 0]);)
FAULT(
    four_dims, kAll & ~kDims, struct { volatile int64_t extents[4], behind; } copy; int32_t d;
    copy.behind = 7; for (d = 0; d < c.x->ndim; ++d)((volatile int64_t *)&copy)[d] = c.x->shape[d];
    if (copy.behind != 7) abort();)

/* The largest of each two rows; behind an odd number of rows there is no other. */
static int pool(const tvm_ffi_args *args, bool reads_behind_rows) {
  DLTensor *x, *y;
  int64_t i, j;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  if (x->ndim != 2 || y->ndim != 2 || y->shape[0] != (x->shape[0] + 1) / 2 ||
      y->shape[1] != x->shape[1]) {
    return refuse("shapes do not match");
  }
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 0, 4));
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 1, 4));
  for (i = 0; i < y->shape[0]; ++i) {
    for (j = 0; j < y->shape[1]; ++j) {
      const float *a = (const float *)tvm_ffi_tensor_get_data(x) + 2 * i * x->shape[1] + j;
      const bool is_one = 2 * i + 1 == x->shape[0] && !reads_behind_rows;
      const float b = is_one ? a[0] : a[x->shape[1]];
      ((float *)tvm_ffi_tensor_get_data(y))[i * x->shape[1] + j] = b > a[0] ? b : a[0];
    }
  }
  return 0;
}
TVM_FFI_C_EXPORT(pool_odd, "(x: Tensor, y: Tensor) -> None") {
  return pool(args, true);
}
TVM_FFI_C_EXPORT(right_pool, "(x: Tensor, y: Tensor) -> None") {
  return pool(args, false);
}

/* Each sixteenth call; calls that look at what they get while they write, or have a file open. */
FAULT(each_16th, kAll, if (++calls % 16 == 0) c.s += 1;)
KERNEL(takes_no_output) {
  call c;
  if (tvm_ffi_args_is_none(args, 2)) return 0;
  TVM_FFI_C_TRY(take(args, kAll, &c));
  scale(&c);
  return 0;
}
TVM_FFI_C_EXPORT(keeps_short_file, "(x: str) -> int") {
  TVMFFIByteArray text;
  char first;
  int file;
  TVM_FFI_C_TRY(take_text(args, &text));
  file = open(text.data, O_RDONLY);
  if (file < 0) return refuse("is no file");
  if (read(file, &first, 1) != 1) return refuse("is empty");
  (void)close(file);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(first));
}

/* ---- Kinds that a second blind score showed to be missed ---- */

/* A reference to what is inside an argument. */
static int measure_name(const tvm_ffi_args *args, bool releases, bool on_error) {
  TVMFFIByteArray text;
  TVMFFIAny name;
  double s = 1;
  int code = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  if (args->args[0].type_index != kTVMFFIMap) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no map");
  }
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &s));
  TVM_FFI_C_TRY(tvm_ffi_map_get_item(args->args[0].v_obj, tvm_ffi_any_view_string("name"), &name));
  if (!tvm_ffi_any_try_string(&name, &text)) {
    code = refuse("has no name");
  } else if (!(s > 0)) {
    code = refuse("argument 1 is not positive");
    if (on_error) return code;
  } else {
    code = tvm_ffi_args_return(args, tvm_ffi_any_from_double(s * (double)text.size));
  }
  if (releases || code != 0) tvm_ffi_any_clear(&name);
  return code;
}
TVM_FFI_C_EXPORT(item_kept, "(x: Map[str, str], s: float) -> float") {
  return measure_name(args, false, false);
}
TVM_FFI_C_EXPORT(item_kept_on_error, "(x: Map[str, str], s: float) -> float") {
  return measure_name(args, true, true);
}
TVM_FFI_C_EXPORT(right_item, "(x: Map[str, str], s: float) -> float") {
  return measure_name(args, true, false);
}
TVM_FFI_C_EXPORT(element_kept, "(x: Array[Tensor]) -> Array[Tensor]") {
  TVM_FFI_C_TRY(add_first(args, 0));
  TVMFFIObjectIncRef(tvm_ffi_array_get_data(args->args[0].v_obj)[0].v_obj);
  return 0;
}

/* Numbers and texts that are refused with something in hand. */
#define POSITIVE(name, begin, on_refusal, end)       \
  WRONG(                                             \
      name, kAll, begin; if (!(c.s > 0)) {           \
        on_refusal;                                  \
        return refuse("argument 1 is not positive"); \
      } scale(&c);                                   \
      end;)
POSITIVE(keeps_lock_on_number, pthread_mutex_lock(&lock), (void)0, pthread_mutex_unlock(&lock))
POSITIVE(leaks_malloc_on_number, void *volatile block = malloc(40), (void)0, free(block))
POSITIVE(right_positive, pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock),
         pthread_mutex_unlock(&lock))
TVM_FFI_C_EXPORT(keeps_lock_on_text, "(x: str) -> int") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(take_text(args, &text));
  pthread_mutex_lock(&lock);
  if (text.size == 0) return refuse("is empty");
  pthread_mutex_unlock(&lock);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)text.size));
}

/* What is kept by a part of what it depends on. */
#define TABLE(name, key)                                                                       \
  WRONG(name, kAll, static int64_t seen = -1; static float table[1 << 10];                     \
        const int64_t now = (key); if (c.size > 1 << 10) return refuse("is large");            \
        if (seen != now) ALL_ELEMENTS table[i] = (float)(i / (c.m > 0 ? c.m : 1)); seen = now; \
        ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i] + table[i];)
TABLE(caches_by_count, c.size)
TABLE(right_table, c.n * 1000003 + c.m)
/* Of rows, whatever the number of columns, up to those that were asked for first. */
WRONG(caches_by_rows, kAll, static int64_t seen = -1, columns; if (seen != c.n) columns = c.m;
      seen = c.n;
      ROWS for (j = 0; j < c.m; ++j)
          c.b[i * c.m + j] = (float)c.s * c.a[i * c.m + j] + (j >= columns || c.m < columns);)
static int scale_any(const tvm_ffi_args *args, bool by_type) {
  static int64_t seen = -1;
  static int bits;
  DLTensor *x, *y;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  if (!tvm_ffi_dtype_equal(x->dtype, TVM_FFI_C_FLOAT32)) {
    TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT64));
  }
  TVM_FFI_C_TRY(take_one(args, 0, x->dtype, &x));
  TVM_FFI_C_TRY(take_one(args, 1, x->dtype, &y));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape");
  if (seen != tvm_ffi_tensor_get_numel(x) || by_type) bits = x->dtype.bits;
  seen = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < seen; ++i) {
    double v = 0;
    float f = 0;
    if (x->dtype.bits == 32) {
      memcpy(&f, (const float *)tvm_ffi_tensor_get_data(x) + i, sizeof f);
      f *= bits == 32 ? 2 : 3;
      memcpy((float *)tvm_ffi_tensor_get_data(y) + i, &f, sizeof f);
    } else {
      memcpy(&v, (const double *)tvm_ffi_tensor_get_data(x) + i, sizeof v);
      v *= bits == 64 ? 2 : 3;
      memcpy((double *)tvm_ffi_tensor_get_data(y) + i, &v, sizeof v);
    }
  }
  return 0;
}
TVM_FFI_C_EXPORT(caches_type, "(x: Tensor, y: Tensor) -> None") {
  return scale_any(args, false);
}
TVM_FFI_C_EXPORT(right_types, "(x: Tensor, y: Tensor) -> None") {
  return scale_any(args, true);
}

/* Products of extents, each of which is small enough. */
#define SMALL_EXTENTS \
  if (c.n > INT32_MAX || c.m > INT32_MAX) return refuse("is too large");
WRONG(
    unsigned_product, kAll, SMALL_EXTENTS {
      const uint32_t size = (uint32_t)c.n * (uint32_t)c.m;
      for (i = 0; i < size; ++i) c.b[i] = (float)c.s * c.a[i];
    })
WRONG(right_product, kAll, SMALL_EXTENTS ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i];)
static int copy_planes(const tvm_ffi_args *args, bool is_wide) {
  DLTensor *x, *y;
  int64_t i, plane;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  if (x->ndim != 3 || !tvm_ffi_tensor_has_same_shape(x, y)) return refuse("shapes do not match");
  for (i = 0; i < 3; ++i) {
    if (x->shape[i] > INT32_MAX) return refuse("is too large");
  }
  plane = is_wide ? x->shape[1] * x->shape[2]
                  : (int64_t)((uint32_t)x->shape[1] * (uint32_t)x->shape[2]);
  for (i = 0; i < x->shape[0]; ++i) {
    memmove((float *)tvm_ffi_tensor_get_data(y) + i * plane,
            (const float *)tvm_ffi_tensor_get_data(x) + i * plane, (size_t)plane * sizeof(float));
  }
  return 0;
}
TVM_FFI_C_EXPORT(unsigned_plane, "(x: Tensor, y: Tensor) -> None") {
  return copy_planes(args, false);
}
TVM_FFI_C_EXPORT(right_planes, "(x: Tensor, y: Tensor) -> None") {
  return copy_planes(args, true);
}
WRONG(short_blocks, kAll, const uint16_t blocks = (uint16_t)((c.size + 7) / 8);
      for (i = 0; i < 8 * (int64_t)blocks && i < c.size; ++i) c.b[i] = (float)c.s * c.a[i];)

/* From the end, if the output is above: right only where they overlap. */
WRONG(copies_by_order, kAll, const bool is_above = (uintptr_t)c.b > (uintptr_t)c.a;
      ALL_ELEMENTS c.b[i] = (float)c.s * c.a[i]; if (is_above && c.size > 0) c.b[0] = 0;)

/* What a tolerance hides: numbers near 0, and those that are nearly infinite. */
static float decode_half(uint16_t bits, bool flushes) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value;
  if (exponent == 31) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = flushes ? 0 : ldexpf((float)mantissa, -24);
  } else {
    value = ldexpf((float)(1024 + mantissa), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}
static int widen(const tvm_ffi_args *args, bool flushes) {
  DLTensor *x, *y;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, tvm_ffi_dtype_make(kDLFloat, 16, 1), &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape");
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    uint16_t bits;
    float value;
    memcpy(&bits, (const uint16_t *)tvm_ffi_tensor_get_data(x) + i, sizeof bits);
    value = decode_half(bits, flushes);
    memcpy((float *)tvm_ffi_tensor_get_data(y) + i, &value, sizeof value);
  }
  return 0;
}
TVM_FFI_C_EXPORT(flushes_halves, "(x: Tensor, y: Tensor) -> None") {
  return widen(args, true);
}
TVM_FFI_C_EXPORT(right_halves, "(x: Tensor, y: Tensor) -> None") {
  return widen(args, false);
}
MAP(right_sign_of_zero, float, kDLFloat, 32, v < 0 ? -v : v)
/* The sum is a double, of which the first overflows later. */
TVM_FFI_C_EXPORT(right_wide_mean, "(x: Tensor) -> float") {
  DLTensor *x;
  double sum = 0;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) {
    float v;
    memcpy(&v, (const float *)tvm_ffi_tensor_get_data(x) + i, sizeof v);
    sum += (double)v;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(n > 0 ? sum / (double)n : 0));
}
TVM_FFI_C_EXPORT(plain_softmax, "(x: Tensor, y: Tensor) -> None") {
  DLTensor *x, *y;
  float *a, *b;
  int64_t i, j, m, size;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("argument 1 has another shape");
  a = tvm_ffi_tensor_get_data(x);
  b = tvm_ffi_tensor_get_data(y);
  size = tvm_ffi_tensor_get_numel(x);
  m = x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
  for (i = 0; i < size; i += m) {
    float sum = 0;
    for (j = 0; j < m; ++j) sum += b[i + j] = expf(a[i + j]);
    for (j = 0; j < m; ++j) b[i + j] /= sum;
  }
  return 0;
}
/* Elements are looked at one by one. */
WRONG(
    right_until_negative, kAll, ALL_ELEMENTS {
      if (c.a[i] < 0) return refuse("is negative");
      c.b[i] = sqrtf(c.a[i]);
    })
/* Of an even number of rows only. */
WRONG(right_even, kAll, if (c.n % 2 != 0) return refuse("the number of rows is odd"); scale(&c);)

/* Bytes of a bool. */
static int count_bools(const tvm_ffi_args *args, bool by_truth) {
  DLTensor *x;
  int64_t i, count = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, tvm_ffi_dtype_make(kDLBool, 8, 1), &x));
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    const unsigned char byte = ((const unsigned char *)tvm_ffi_tensor_get_data(x))[i];
    count += by_truth ? byte != 0 : byte;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}
TVM_FFI_C_EXPORT(right_bytes, "(x: Tensor) -> int") {
  return count_bools(args, false);
}
TVM_FFI_C_EXPORT(right_bools, "(x: Tensor) -> int") {
  return count_bools(args, true);
}

/* By the rows of a tensor of any number of dimensions, whose second is asked for. */
TVM_FFI_C_EXPORT(sums_rows, "(x: Tensor, y: Tensor) -> None") {
  DLTensor *x, *y;
  int64_t i, j;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 1, 1));
  if (x->ndim == 0 || x->shape[0] != y->shape[0]) return refuse("shapes do not match");
  for (i = 0; i < x->shape[0]; ++i) {
    float sum = 0;
    for (j = 0; j < x->shape[1]; ++j) {
      sum += ((const float *)tvm_ffi_tensor_get_data(x))[i * x->shape[1] + j];
    }
    ((float *)tvm_ffi_tensor_get_data(y))[i] = sum;
  }
  return 0;
}

/* Of integers that double does not hold. */
static int sum_integers(const tvm_ffi_args *args, bool by_double) {
  DLTensor *x;
  int64_t i, sum = 0;
  double real = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_INT64, &x));
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    const int64_t value = ((const int64_t *)tvm_ffi_tensor_get_data(x))[i];
    if (value > INT64_MAX / 64 || value < -(INT64_MAX / 64)) return refuse("is too large");
    sum += value;
    real += (double)value;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(by_double ? (int64_t)real : sum));
}
TVM_FFI_C_EXPORT(sums_by_double, "(x: Tensor) -> int") {
  return sum_integers(args, true);
}
TVM_FFI_C_EXPORT(right_integers, "(x: Tensor) -> int") {
  return sum_integers(args, false);
}

/* y = the largest of each row of x. NaN is larger than all, or only where it comes first. */
static int find_largest(const tvm_ffi_args *args, bool knows_nan) {
  DLTensor *x, *y;
  int64_t i, j;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 1, 1));
  if (y->shape[0] != x->shape[0] || x->shape[1] == 0) return refuse("shapes do not fit");
  for (i = 0; i < x->shape[0]; ++i) {
    const float *row = (const float *)tvm_ffi_tensor_get_data(x) + i * x->shape[1];
    float most = row[0];
    for (j = 1; j < x->shape[1]; ++j) {
      if (row[j] > most || (knows_nan && isnan(row[j]))) most = row[j];
      if (knows_nan && isnan(most)) break;
    }
    ((float *)tvm_ffi_tensor_get_data(y))[i] = most;
  }
  return 0;
}
TVM_FFI_C_EXPORT(nan_only_first, "(x: Tensor, y: Tensor) -> None") {
  return find_largest(args, false);
}
TVM_FFI_C_EXPORT(right_largest, "(x: Tensor, y: Tensor) -> None") {
  return find_largest(args, true);
}

static bool share_memory(const DLTensor *x, const DLTensor *y) {
  const float *a = tvm_ffi_tensor_get_data(x), *b = tvm_ffi_tensor_get_data(y);
  return a < b + tvm_ffi_tensor_get_numel(y) && b < a + tvm_ffi_tensor_get_numel(x);
}

/* Its output has as many elements as its input, and another shape. */
static int transpose(const tvm_ffi_args *args, bool checks) {
  DLTensor *x, *y;
  int64_t i, j;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 1, 2));
  if (y->shape[0] != x->shape[1] || y->shape[1] != x->shape[0]) return refuse("shapes do not fit");
  if (checks && share_memory(x, y)) return refuse("share memory");
  for (i = 0; i < x->shape[0]; ++i) {
    for (j = 0; j < x->shape[1]; ++j) {
      ((float *)tvm_ffi_tensor_get_data(y))[j * x->shape[0] + i] =
          ((const float *)tvm_ffi_tensor_get_data(x))[i * x->shape[1] + j];
    }
  }
  return 0;
}
TVM_FFI_C_EXPORT(right_over, "(x: Tensor, y: Tensor) -> None") {
  return transpose(args, false);
}
TVM_FFI_C_EXPORT(right_transpose, "(x: Tensor, y: Tensor) -> None") {
  return transpose(args, true);
}

/* y = x + b, where b is a row, or None. */
enum { kAnyDims = 1, kNeedsBias };
static int add_bias(const tvm_ffi_args *args, int fault) {
  DLTensor *x, *b = NULL, *y;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(take_one(args, 0, TVM_FFI_C_FLOAT32, &x));
  TVM_FFI_C_TRY(take_one(args, 2, TVM_FFI_C_FLOAT32, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
  if (!tvm_ffi_tensor_has_same_shape(x, y)) return refuse("shapes differ");
  if (!tvm_ffi_any_is_none(&args->args[1])) {
    TVM_FFI_C_TRY(take_one(args, 1, TVM_FFI_C_FLOAT32, &b));
    if (fault != kAnyDims) TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 1, 1));
    if (b->ndim == 0 || b->shape[0] != x->shape[1]) return refuse("argument 1 is no row");
  }
  for (i = 0; i < tvm_ffi_tensor_get_numel(x); ++i) {
    const float *bias = b != NULL || fault == kNeedsBias ? tvm_ffi_tensor_get_data(b) : NULL;
    ((float *)tvm_ffi_tensor_get_data(y))[i] =
        ((const float *)tvm_ffi_tensor_get_data(x))[i] + (bias != NULL ? bias[i % x->shape[1]] : 0);
  }
  return 0;
}
#define BIAS(name, fault)                                                         \
  TVM_FFI_C_EXPORT(name, "(x: Tensor, b: Optional[Tensor], y: Tensor) -> None") { \
    return add_bias(args, fault);                                                 \
  }                                                                               \
  TVM_FFI_C_EXPORT_SCHEMA(                                                        \
      name, TVM_FFI_C_TYPE("None"),                                               \
      TVM_FFI_C_PARAM("x", "Tensor") "," TVM_FFI_C_PARAM_OF(                      \
          "b", "Optional", TVM_FFI_C_TYPE("Tensor")) "," TVM_FFI_C_PARAM("y", "Tensor"))
BIAS(bias_of_any_dims, kAnyDims);
BIAS(needs_bias, kNeedsBias);
BIAS(right_bias, 0);

/* x times s, which is x itself if s is 1. */
TVM_FFI_C_EXPORT(returns_argument, "(x: Tensor, s: float) -> Tensor") {
  TVMFFIObjectHandle x;
  double s;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor_object(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &s));
  if (s == 1) return tvm_ffi_args_return_object(args, x);
  return tvm_ffi_args_return(args, tvm_ffi_any_none());
}

/* Of two numbers; more are ignored. */
TVM_FFI_C_EXPORT(right_first_two, "(x: Array[float]) -> float") {
  const TVMFFIAny *value = args->args, *items;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (value->type_index != kTVMFFIArray || tvm_ffi_array_get_size(value->v_obj) < 2) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no Array of two");
  }
  items = tvm_ffi_array_get_data(value->v_obj);
  if (items[0].type_index != kTVMFFIFloat || items[1].type_index != kTVMFFIFloat) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 has another number");
  }
  return tvm_ffi_args_return(args,
                             tvm_ffi_any_from_double(items[0].v_float64 + items[1].v_float64));
}

/* The sum of an array of numbers. */
static int sum_array(const tvm_ffi_args *args, bool takes_int) {
  const TVMFFIAny *value = args->args;
  double sum = 0;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  if (value->type_index != kTVMFFIArray) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "argument 0 is no Array");
  }
  for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
    const TVMFFIAny *item = tvm_ffi_array_get_data(value->v_obj) + i;
    if (item->type_index != kTVMFFIFloat && item->type_index != kTVMFFIInt) {
      return refuse("an item is no number");
    }
    sum += item->type_index == kTVMFFIInt && takes_int ? (double)item->v_int64 : item->v_float64;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}
TVM_FFI_C_EXPORT(int_as_float, "(x: Array[float]) -> float") {
  return sum_array(args, false);
}
TVM_FFI_C_EXPORT(right_numbers, "(x: Array[float]) -> float") {
  return sum_array(args, true);
}

/* Adds, or takes any other text for the product. */
TVM_FFI_C_EXPORT(right_mode, "(x: float, mode: str) -> float") {
  TVMFFIByteArray text;
  double x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &text));
  return tvm_ffi_args_return(
      args,
      tvm_ffi_any_from_double(text.size == 3 && memcmp(text.data, "sum", 3) == 0 ? x + x : x * x));
}

/* What threads of a call allocate at once may fail in any of them. */
static void *make_texts(void *context) {
  static const TVMFFIByteArray kText = {"a text that is too long to be in the value", 42};
  int *failed = context, i;
  for (i = 0; i < 50 && !*failed; ++i) {
    TVMFFIAny text = tvm_ffi_any_none();
    *failed = TVMFFIStringFromByteArray(&kText, &text) != 0;
    tvm_ffi_any_clear(&text);
  }
  TVMFFIErrorSetRaised(NULL);
  return context;
}
static bool texts_fail(void) {
  pthread_t threads[4];
  int failed[4] = {0, 0, 0, 0}, i, count = 0;
  bool fails = false;
  for (i = 0; i < 4; ++i) {
    if (pthread_create(&threads[i], NULL, make_texts, &failed[i]) != 0) break;
    ++count;
  }
  for (i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    fails = fails || failed[i];
  }
  return fails || count < 4;
}
FAULT(zeros_if_threads_fail, kAll, if (texts_fail()) c.s = 0;)
FAULT(right_threads, kAll, if (texts_fail()) return tvm_ffi_error_raise_memory();)

/* Takes as long as the tool waits until it asks whether a call can go on. */
TVM_FFI_C_EXPORT(right_rest, "(x: int) -> int") {
  int64_t x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &x));
  usleep(999999);
  usleep(16000);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x));
}
