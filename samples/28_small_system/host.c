/* SPDX-License-Identifier: Apache-2.0 */
/* A program for a system with little memory, which also runs without an operating system: the
 * runtime's memory is an array, a million calls need no more of it, and each operation survives
 * that there is none left. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "arena.h"
#include "kernels.h"

enum { kCallsPerRound = 5, kNumRounds = 1000000 / kCallsPerRound };

static TVMFFIObjectHandle fill, sum, divide;

/* Gets the functions by name. What was there before is replaced only if all are found. */
static int get_functions(void) {
  static const char *const names[] = {"small_fill", "small_sum", "small_divide"};
  TVMFFIObjectHandle *const places[] = {&fill, &sum, &divide};
  TVMFFIObjectHandle found[3] = {NULL, NULL, NULL}, old;
  TVMFFIAny prefix = tvm_ffi_any_view_string(""), library;
  int i, code = 0;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", &prefix, 1, &library));
  for (i = 0; i < 3 && code == 0; ++i) {
    code = tvm_ffi_module_get_function(library.v_obj, names[i], &found[i]);
  }
  tvm_ffi_any_clear(&library);
  for (i = 0; i < 3; ++i) {
    old = found[i];
    if (code == 0) {
      old = *places[i];
      *places[i] = found[i];
    }
    tvm_ffi_object_release(old);
  }
  return code;
}

/* ---- Tensors ---- */

/* A tensor of the allocator is one block: the DLPack struct, the shape, then the elements. */
typedef struct {
  DLManagedTensorVersioned managed;
  int64_t length;
} vector;

static void return_vector(DLManagedTensorVersioned *managed) {
  arena_deallocate(NULL, managed->manager_ctx);
}

/* A DLPackManagedTensorAllocator. The prototype has device, dtype and shape. */
static int allocate_vector(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                           void (*set_error)(void *error_ctx, const char *kind,
                                             const char *message)) {
  size_t size = 0;
  vector *self;
  if (prototype->ndim != 1 || tvm_ffi_tensor_compute_size(prototype, &size) != 0) {
    TVMFFIErrorSetRaised(NULL);
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR, "there are only vectors");
    return -1;
  }
  self = (vector *)arena_allocate(NULL, sizeof *self + size);
  if (self == NULL) {
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "the arena is full");
    return -1;
  }
  memset(self, 0, sizeof *self);
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = return_vector;
  self->managed.dl_tensor = *prototype;
  self->managed.dl_tensor.data = self + 1;
  self->managed.dl_tensor.shape = &self->length;
  self->length = prototype->shape[0];
  *out = &self->managed;
  return 0;
}

static int check_sum(const TVMFFIAny *tensor, double expected) {
  TVMFFIAny result;
  TVM_FFI_C_TRY(tvm_ffi_function_call(sum, tensor, 1, &result));
  TVM_FFI_C_CHECK(result.v_float64 == expected, TVM_FFI_C_RUNTIME_ERROR, "a wrong sum");
  return 0;
}

static int fill_and_sum(const TVMFFIAny *tensor, double value, double expected) {
  TVMFFIAny args[2];
  args[0] = *tensor;
  args[1] = tvm_ffi_any_from_double(value);
  TVM_FFI_C_TRY(tvm_ffi_function_call_void(fill, args, 2));
  return check_sum(tensor, expected);
}

/* Two calls with a tensor of the program's own memory. */
static int use_own_memory(double value) {
  static float data[8];
  int64_t length = 8, stride;
  DLTensor tensor;
  TVMFFIAny arg = tvm_ffi_any_view_tensor(&tensor);
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &length,
                      &stride);
  return fill_and_sum(&arg, value, 8 * value);
}

/* Two calls with a tensor that the allocator makes. */
static int use_allocator(double value) {
  const int64_t length = 16;
  TVMFFIObjectHandle tensor = NULL;
  TVMFFIAny arg;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &length,
                                      &tensor));
  arg = tvm_ffi_any_view_object(tensor);
  code = fill_and_sum(&arg, value, 16 * value);
  tvm_ffi_object_release(tensor);
  return code;
}

/* ---- Rounds ---- */

/* A call that must fail. Any other error than the expected one is that of this function. */
static int divide_by_zero(int number) {
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle error;
  args[0] = tvm_ffi_any_from_int64(number);
  args[1] = tvm_ffi_any_from_int64(0);
  if (tvm_ffi_function_call(divide, args, 2, &result) == 0) {
    TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR, "a division by zero has succeeded");
  }
  error = tvm_ffi_error_take();
  if (tvm_ffi_error_is(error, TVM_FFI_C_VALUE_ERROR)) {
    tvm_ffi_object_release(error);
    return 0;
  }
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  return -1;
}

/* kCallsPerRound calls. */
static int run_round(int number) {
  TVM_FFI_C_TRY(use_own_memory(number % 100));
  TVM_FFI_C_TRY(use_allocator(number % 10));
  return divide_by_zero(number);
}

static int run_many(void) {
  size_t used, peak;
  int i;
  TVM_FFI_C_TRY(run_round(0));
  used = arena_used();
  peak = arena_peak();
  for (i = 0; i < kNumRounds; ++i) TVM_FFI_C_TRY(run_round(i));
  printf("%ld calls: %s\n", (long)kNumRounds * kCallsPerRound,
         arena_used() == used && arena_peak() == peak ? "no growth" : "it has grown");
  return 0;
}

/* Lets the first, then the second, ... allocation of an operation and all after it fail, until
 * there are enough for it. */
static int run_out_of_memory(const char *name, int (*operation)(int number)) {
  const size_t used = arena_used();
  int code = -1;
  long i;
  for (i = 0; code != 0; ++i) {
    arena_fail_after(i);
    code = operation((int)i);
    arena_fail_after(-1);
    if (code != 0) {
      TVMFFIObjectHandle error = tvm_ffi_error_take();
      bool is_expected = tvm_ffi_error_is(error, TVM_FFI_C_MEMORY_ERROR);
      if (i == 0) tvm_ffi_error_print(error, stdout);
      tvm_ffi_object_release(error);
      TVM_FFI_C_CHECK(is_expected, TVM_FFI_C_RUNTIME_ERROR, "another error");
    }
  }
  printf("%s without memory: %s\n", name, arena_used() == used ? "nothing lost" : "a leak");
  return 0;
}

static int get_functions_again(int number) {
  (void)number;
  return get_functions();
}

static int run(void) {
  TVMFFIRuntimeMemoryHooks hooks;
  TVMFFIAny args[2], result;
  hooks.allocate = arena_allocate;
  hooks.deallocate = arena_deallocate;
  hooks.context = NULL;
  TVM_FFI_C_TRY(TVMFFIRuntimeSetMemoryHooks(&hooks)); /* before anything else of the runtime */
  TVM_FFI_C_TRY(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_vector, 0, NULL));
  TVM_FFI_C_TRY(kernels_register());
  TVM_FFI_C_TRY(get_functions());

  args[0] = tvm_ffi_any_from_int64(84);
  args[1] = tvm_ffi_any_from_int64(2);
  TVM_FFI_C_TRY(tvm_ffi_function_call(divide, args, 2, &result));
  printf("84 / 2 = %d\n", (int)result.v_int64);
  args[1] = tvm_ffi_any_from_int64(0);
  if (tvm_ffi_function_call(divide, args, 2, &result) != 0) tvm_ffi_error_print_raised(stdout);

  TVM_FFI_C_TRY(run_many());
  TVM_FFI_C_TRY(run_out_of_memory("calls", run_round));
  return run_out_of_memory("lookup", get_functions_again);
}

int main(void) {
  int code = run();
  if (code != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_object_release(fill);
  tvm_ffi_object_release(sum);
  tvm_ffi_object_release(divide);
  return code != 0;
}
