/* SPDX-License-Identifier: Apache-2.0 */
/* What tvm_ffi.mjs needs besides the ABI: functions of JavaScript as Function objects, memory for
 * tensors, and the stack of WebAssembly for backtraces. Links with any kernels. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#define IMPORT(name) __attribute__((import_module("tvm_ffi"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

/* ---- Functions and exceptions of JavaScript: `self` is a number that it gave out ---- */

IMPORT("call")
extern int js_call(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
IMPORT("forget") extern void js_forget(void *self);

EXPORT("tvm_ffi_js_function_create")
int tvm_ffi_js_function_create(void *self, TVMFFIObjectHandle *out) {
  return TVMFFIFunctionCreate(self, js_call, js_forget, out);
}

/* An exception travels as the context of the error that is raised for it. */
EXPORT("tvm_ffi_js_exception_create")
int tvm_ffi_js_exception_create(void *self, TVMFFIObjectHandle *out) {
  return TVMFFIObjectCreateOpaque(self, kTVMFFIOpaquePyObject, js_forget, out);
}

/* ---- Tensors ---- */

enum { kAlignment = 64 };

/* The struct and the extents of a tensor; its data is a block of its own. */
typedef struct {
  DLManagedTensorVersioned managed;
  int64_t shape[];
} block;

static void free_block(DLManagedTensorVersioned *managed) {
  free(managed->dl_tensor.data);
  free(managed->manager_ctx);
}

/* aligned_alloc takes multiples of the alignment; without elements there is something to free. */
static void *allocate_data(size_t size) {
  if (size > SIZE_MAX - kAlignment) return NULL;
  return aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment);
}

static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  size_t size, extents = sizeof(int64_t) * (size_t)prototype->ndim;
  void *data;
  block *self;
  if (prototype->device.device_type != kDLCPU ||
      tvm_ffi_tensor_compute_size(prototype, &size) != 0) {
    TVMFFIErrorSetRaised(NULL);
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR,
              "tensors are in the memory of the CPU and have a size");
    return -1;
  }
  self = (block *)malloc(sizeof *self + extents);
  data = allocate_data(size);
  if (self == NULL || data == NULL) {
    free(self);
    free(data);
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "out of memory");
    return -1;
  }
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = free_block;
  self->managed.flags = 0;
  self->managed.dl_tensor = *prototype;
  self->managed.dl_tensor.data = data;
  self->managed.dl_tensor.byte_offset = 0;
  self->managed.dl_tensor.strides = NULL; /* the runtime fills in those of a contiguous tensor */
  self->managed.dl_tensor.shape = self->shape;
  memcpy(self->shape, prototype->shape, extents);
  *out = &self->managed;
  return 0;
}

/* ---- Backtraces ---- */

/* Writes the symbol of a frame, a NUL, its place and a NUL, cut off if they are long; gives 0 after
 * the last frame. Frame 0 is that of the walker's caller; asking for it reads the stack. */
IMPORT("frame") extern int js_frame(int32_t index, char *text, int32_t capacity);

static void walk_stack(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  char text[1024];
  int32_t index;
  (void)context;
  for (index = 0; js_frame(index, text, sizeof text); ++index) {
    TVMFFIRuntimeFrame frame = {0, text, text + strlen(text) + 1, 0};
    if (visitor(visitor_context, &frame) != 0) return;
  }
}

/* A reactor runs constructors when _initialize is called. */
__attribute__((constructor)) static void set_up(void) {
  (void)TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 1, NULL);
  (void)TVMFFIRuntimeSetStackWalker(walk_stack, NULL);
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
}
