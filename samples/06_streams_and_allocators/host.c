/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the framework: sets a stream and an allocator for the calls it makes, and restores the
 * previous ones. Around all of it, the runtime's own memory is counted and limited. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "stream.h"

/* ---- The framework's tensors: a DLPackManagedTensorAllocator ---- */

enum { kMaxNdim = 4 };

/* A tensor is one block: the DLPack struct, its shape, then the data. */
typedef struct {
  DLManagedTensorVersioned managed;
  int64_t shape[kMaxNdim];
} block;

static struct {
  int num_live;
  bool is_empty; /* the next request fails */
} pool;

static void return_block(DLManagedTensorVersioned *managed) {
  --pool.num_live;
  free(managed->manager_ctx);
}

/* The prototype has device, dtype and shape. Failures are passed to set_error, not raised. */
static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  block *self;
  size_t size;
  int i;
  if (prototype->device.device_type != kDLCPU || prototype->ndim > kMaxNdim ||
      tvm_ffi_tensor_compute_size(prototype, &size) != 0) {
    TVMFFIErrorSetRaised(NULL);
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR, "the pool has no such tensors");
    return -1;
  }
  self = pool.is_empty ? NULL : (block *)malloc(sizeof *self + size);
  if (self == NULL) {
    pool.is_empty = false;
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "the pool is empty");
    return -1;
  }
  ++pool.num_live;
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = return_block;
  self->managed.flags = 0;
  self->managed.dl_tensor = *prototype;
  self->managed.dl_tensor.data = self + 1;
  self->managed.dl_tensor.shape = self->shape;
  self->managed.dl_tensor.strides = NULL; /* the runtime fills in those of a contiguous tensor */
  for (i = 0; i < prototype->ndim; ++i) self->shape[i] = prototype->shape[i];
  *out = &self->managed;
  return 0;
}

/* ---- The runtime's memory: TVMFFIRuntimeMemoryHooks ---- */

typedef struct {
  size_t used, limit;
} budget;

/* Precedes each block with its size; a union, so that what follows is aligned for any type. */
typedef union {
  size_t size;
  double for_alignment[2];
} front;

static void *take_from(void *context, size_t size) {
  budget *self = (budget *)context;
  front *record;
  if (size > self->limit - self->used) return NULL;
  record = (front *)malloc(sizeof *record + size);
  if (record == NULL) return NULL;
  record->size = size;
  self->used += size;
  return record + 1;
}

static void return_to(void *context, void *ptr) {
  front *record = (front *)ptr - 1;
  ((budget *)context)->used -= record->size;
  free(record);
}

/* ---- Calls ---- */

/* A call as frameworks make it. Stream and allocator belong to this thread; the previous ones are
 * restored, also after an error. */
static int call_by_hand(stream *queue, TVMFFIObjectHandle function, const TVMFFIAny *args,
                        TVMFFIAny *result) {
  DLPackManagedTensorAllocator old_allocator;
  TVMFFIStreamHandle old_stream;
  int code;
  TVM_FFI_C_TRY(TVMFFIEnvSetStream(kDLCPU, 0, queue, &old_stream));
  TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, &old_allocator);
  code = tvm_ffi_function_call(function, args, 2, result);
  TVMFFIEnvSetDLPackManagedTensorAllocator(old_allocator, 0, NULL);
  TVMFFIEnvSetStream(kDLCPU, 0, old_stream, NULL);
  return code;
}

static void print_kept(const TVMFFIAny *result) {
  const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(result->v_obj);
  const float *data = (const float *)tvm_ffi_tensor_get_data(tensor);
  int64_t i;
  printf("  kept:");
  for (i = 0; i < tensor->shape[0]; ++i) printf(" %g", (double)data[i]);
  printf("\n  tensors of the pool: %d\n", pool.num_live);
}

static int call_kernel(const char *path) {
  float data[5] = {0.5f, -2, 3, 1.5f, -1};
  int64_t shape[1] = {5}, strides[1];
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  stream queue = {"my stream", 0};
  tvm_ffi_env env = tvm_ffi_env_make(cpu);
  TVMFFIObjectHandle keep, error;
  TVMFFIAny args[2], result;
  DLTensor x;
  TVM_FFI_C_TRY(tvm_ffi_module_load_function(path, "keep", &keep));
  tvm_ffi_tensor_init(&x, data, cpu, TVM_FFI_C_FLOAT32, 1, shape, strides);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_from_double(0);

  printf("nothing is set\n");
  if (tvm_ffi_function_call(keep, args, 2, &result) != 0) {
    error = tvm_ffi_error_take();
    printf("%s\n", tvm_ffi_error_get_kind(error).data); /* the message says what to call */
    tvm_ffi_object_release(error);
  }

  printf("set by hand\n");
  TVM_FFI_C_TRY(call_by_hand(&queue, keep, args, &result));
  print_kept(&result);
  tvm_ffi_any_clear(&result);
  printf("  released, tensors of the pool: %d\n", pool.num_live);

  printf("the pool is empty\n"); /* the allocator's error is the kernel's */
  pool.is_empty = true;
  if (call_by_hand(&queue, keep, args, &result) != 0) tvm_ffi_error_print_raised(stdout);

  printf("set for one call\n"); /* the same, by a helper */
  env.stream = &queue;
  env.allocator = allocate;
  TVM_FFI_C_TRY(tvm_ffi_env_call(&env, keep, args, 2, &result));
  printf("  as before: %s\n",
         TVMFFIEnvGetStream(kDLCPU, 0) == NULL && TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL
             ? "yes"
             : "no");
  print_kept(&result); /* the tensor outlives the environment it was made in */
  tvm_ffi_any_clear(&result);
  printf("launched on %s: %d\n", queue.name, queue.num_launches);
  tvm_ffi_object_release(keep);
  return 0;
}

/* Limits the runtime to the memory it uses now: only what needs more memory fails. */
static int run_out_of_memory(budget *memory) {
  const size_t limit = memory->limit;
  char long_text[1000];
  TVMFFIAny text;
  memset(long_text, 'x', sizeof long_text);
  printf("out of memory\n");
  memory->limit = memory->used;
  if (tvm_ffi_string_create_sized(long_text, sizeof long_text, &text) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  memory->limit = limit;
  TVM_FFI_C_TRY(tvm_ffi_string_create_sized(long_text, sizeof long_text, &text));
  printf("  with more: a text of %d bytes\n", (int)sizeof long_text);
  tvm_ffi_any_clear(&text);
  return 0;
}

int main(int argc, char **argv) {
  budget memory = {0, 1 << 20};
  TVMFFIRuntimeMemoryHooks hooks;
  int code;
  if (argc != 2) return 2;
  hooks.allocate = take_from;
  hooks.deallocate = return_to;
  hooks.context = &memory;
  /* Must come before anything else of the runtime. With several threads the hooks would need a
   * lock. */
  code = TVMFFIRuntimeSetMemoryHooks(&hooks);
  if (code == 0) code = call_kernel(argv[1]);
  if (code == 0) code = run_out_of_memory(&memory);
  if (code != 0) tvm_ffi_error_print_raised(stdout);
  TVMFFIRuntimeShutdown();
  printf("bytes left: %d\n", (int)memory.used);
  return code != 0;
}
