/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1: the functions of the driver that launchers of kernels need, under the names that
 * cuda.h gives them. Types are declared here, for systems without the toolkit; if it is installed,
 * test_fake_layout.c compares them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "include/cuda.h"

enum {
  kMaxHandles = 512,
  kMaxBlocks = 64,
  kMaxStack = 8,
  kMaxNodes = 64,
  kDefaultShared = 49152,
  kOptInShared = 232448
};

typedef enum {
  kUnused,
  kContext,
  kModule,
  kFunction,
  kLibrary,
  kKernel,
  kStream,
  kGraph,
  kExecutable,
  kNumKinds
} handle_kind;

/* Handles are never reused, so that a released one is recognised. */
struct fake_handle {
  handle_kind kind;
  int number; /* in the log: the first module is module 1 */
  int is_live;
  int device;                   /* of a context; of a module, that of its context */
  int is_primary, num_retained; /* contexts */
  struct fake_handle *owner;    /* the context of a module, the module of a function, ... */
  const void *image;            /* modules and libraries */
  const fake_kernel *kernel;    /* functions and kernels */
  int max_dynamic[kFakeMaxDevices];
  int first_node, num_nodes; /* graphs and executables */
};

static struct fake_handle handles[kMaxHandles];
static int num_handles, num_of_kind[kNumKinds];
static struct fake_handle *primaries[kFakeMaxDevices];
static struct {
  char *data;
  size_t size;
  int device;
} blocks[kMaxBlocks];
/* Captured launches, and the stream that is being captured. */
static struct {
  const struct fake_handle *kernel;
  fake_launch launch;
  int num_params;
  uint64_t params[kFakeMaxParams];
} nodes[kMaxNodes];
static int num_nodes, first_captured;
static const struct fake_handle *capturing;
static int is_initialised;
static __thread struct fake_handle *stack[kMaxStack];
static __thread int stack_size;

/* ---- State ---- */

static void reset_state(void) {
  int i;
  for (i = 0; i < kMaxBlocks; ++i) free(blocks[i].data);
  memset(blocks, 0, sizeof blocks);
  memset(handles, 0, sizeof handles);
  memset(num_of_kind, 0, sizeof num_of_kind);
  memset(primaries, 0, sizeof primaries);
  num_handles = 0;
  num_nodes = 0;
  capturing = NULL;
  is_initialised = 0;
  stack_size = 0;
}

static long count_state(void) {
  long count = 0;
  int i;
  for (i = 0; i < num_handles; ++i) {
    const struct fake_handle *handle = &handles[i];
    if (handle->kind == kContext) count += handle->num_retained;
    if (handle->kind == kModule || handle->kind == kLibrary || handle->kind >= kStream) {
      count += handle->is_live;
    }
  }
  for (i = 0; i < kMaxBlocks; ++i) count += blocks[i].data != NULL;
  return count;
}

__attribute__((constructor)) static void add_state(void) {
  fake_add_state(reset_state, count_state);
}

static struct fake_handle *make(handle_kind kind, struct fake_handle *owner) {
  struct fake_handle *self;
  int i;
  if (num_handles == kMaxHandles) abort();
  self = &handles[num_handles++];
  self->kind = kind;
  self->number = ++num_of_kind[kind];
  self->is_live = 1;
  self->owner = owner;
  self->device = owner != NULL ? owner->device : 0;
  for (i = 0; i < kFakeMaxDevices; ++i) self->max_dynamic[i] = -1;
  return self;
}

static int is_handle(const struct fake_handle *self, handle_kind kind) {
  return self >= handles && self < handles + num_handles && self->kind == kind && self->is_live &&
         (self->owner == NULL || kind == kModule || self->owner->is_live);
}

static int number_of(const struct fake_handle *self) {
  return self >= handles && self < handles + num_handles ? self->number : 0;
}

/* The log shows a stream that the fake did not make as its value. */
static unsigned long id_of(const struct fake_handle *stream) {
  return number_of(stream) != 0 ? (unsigned long)number_of(stream)
                                : (unsigned long)(uintptr_t)stream;
}

static const char *name_of(const struct fake_handle *self) {
  return self >= handles && self < handles + num_handles && self->kernel != NULL
             ? self->kernel->name
             : "(none)";
}

static struct fake_handle *get_current(void) {
  return stack_size != 0 ? stack[stack_size - 1] : NULL;
}

static struct fake_handle *make_context(int device) {
  struct fake_handle *self = make(kContext, NULL);
  self->device = device;
  return self;
}

void *fake_make_context(int device) {
  return make_context(device);
}

/* Begins a call of a function that needs cuInit before it. */
#define BEGIN(...)                    \
  int code = fake_begin(__VA_ARGS__); \
  if (code == 0 && !is_initialised) code = CUDA_ERROR_NOT_INITIALIZED

/* The same for a function that also needs a current context. */
#define BEGIN_IN_CONTEXT(...) \
  BEGIN(__VA_ARGS__);         \
  if (code == 0 && get_current() == NULL) code = CUDA_ERROR_INVALID_CONTEXT

/* Makes the call fail with that code if the condition is false and it has not failed already. */
#define CHECK(condition, otherwise) \
  if (code == 0 && !(condition)) code = (otherwise)

/* ---- Errors ---- */

static const struct {
  CUresult code;
  const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
};

static int find_error(CUresult code) {
  int i;
  for (i = 0; i < (int)(sizeof errors / sizeof errors[0]); ++i) {
    if (errors[i].code == code) return i;
  }
  return -1;
}

CUresult cuGetErrorName(CUresult error, const char **out) {
  int i = find_error(error);
  *out = i >= 0 ? errors[i].name : NULL;
  return i >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **out) {
  int i = find_error(error);
  *out = i >= 0 ? errors[i].text : NULL;
  return i >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Devices ---- */

CUresult cuInit(unsigned flags) {
  int code = fake_begin("cuInit", "%u", flags);
  CHECK(fake_get_device_count() > 0, CUDA_ERROR_NO_DEVICE);
  if (code == 0) {
    fake_load_kernels();
    is_initialised = 1;
  }
  return fake_end(code);
}

CUresult cuDriverGetVersion(int *out) {
  int code = fake_begin("cuDriverGetVersion", "%s", "");
  if (code == 0) *out = 13000;
  return fake_end(code);
}

CUresult cuDeviceGetCount(int *out) {
  BEGIN("cuDeviceGetCount", "%s", "");
  if (code == 0) *out = fake_get_device_count();
  return fake_end(code);
}

static int is_device(CUdevice device) {
  return device >= 0 && device < fake_get_device_count();
}

CUresult cuDeviceGet(CUdevice *out, int ordinal) {
  BEGIN("cuDeviceGet", "%d", ordinal);
  CHECK(is_device(ordinal), CUDA_ERROR_INVALID_DEVICE);
  if (code == 0) *out = ordinal;
  return fake_end(code);
}

CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute, CUdevice device) {
  BEGIN("cuDeviceGetAttribute", "%d device %d", attribute, device);
  CHECK(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  if (code == 0) {
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *out = kDefaultShared;
        break;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *out = kOptInShared;
        break;
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *out = 132;
        break;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *out = 9;
        break;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *out = 0;
        break;
      default:
        code = CUDA_ERROR_INVALID_VALUE;
    }
  }
  return fake_end(code);
}

/* ---- Contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  BEGIN("cuDevicePrimaryCtxRetain", "device %d", device);
  CHECK(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  if (code == 0) {
    if (primaries[device] == NULL) primaries[device] = make_context(device);
    primaries[device]->is_primary = 1;
    ++primaries[device]->num_retained;
    *out = primaries[device];
  }
  return fake_end(code);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  BEGIN("cuDevicePrimaryCtxRelease", "device %d", device);
  CHECK(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  CHECK(primaries[device] != NULL && primaries[device]->num_retained > 0,
        CUDA_ERROR_INVALID_CONTEXT);
  if (code == 0) --primaries[device]->num_retained;
  return fake_end(code);
}

/* A primary context may be used as long as it is retained. */
static int is_usable_context(const struct fake_handle *context) {
  return is_handle(context, kContext) && (!context->is_primary || context->num_retained > 0);
}

CUresult cuCtxGetCurrent(CUcontext *out) {
  BEGIN("cuCtxGetCurrent", "%s", "");
  if (code == 0) *out = get_current();
  return fake_end(code);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  BEGIN("cuCtxSetCurrent", "context %d", number_of(context));
  CHECK(context == NULL || is_usable_context(context), CUDA_ERROR_INVALID_CONTEXT);
  if (code == 0) {
    if (stack_size != 0) --stack_size;
    if (context != NULL) stack[stack_size++] = context;
  }
  return fake_end(code);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  BEGIN("cuCtxPushCurrent", "context %d", number_of(context));
  CHECK(is_usable_context(context), CUDA_ERROR_INVALID_CONTEXT);
  CHECK(stack_size < kMaxStack, CUDA_ERROR_OUT_OF_MEMORY);
  if (code == 0) stack[stack_size++] = context;
  return fake_end(code);
}

CUresult cuCtxPopCurrent(CUcontext *out) {
  BEGIN_IN_CONTEXT("cuCtxPopCurrent", "%s", "");
  if (code == 0) {
    --stack_size;
    if (out != NULL) *out = stack[stack_size];
  }
  return fake_end(code);
}

CUresult cuCtxGetDevice(CUdevice *out) {
  BEGIN_IN_CONTEXT("cuCtxGetDevice", "%s", "");
  if (code == 0) *out = get_current()->device;
  return fake_end(code);
}

CUresult cuCtxSynchronize(void) {
  BEGIN_IN_CONTEXT("cuCtxSynchronize", "%s", "");
  return fake_end(code);
}

/* ---- Modules, which belong to a context ---- */

static void load_module(CUmodule *out, const void *image) {
  struct fake_handle *self = make(kModule, get_current());
  self->image = image;
  *out = self;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image) {
  BEGIN_IN_CONTEXT("cuModuleLoadData", "%s", "");
  CHECK(fake_is_image(image), CUDA_ERROR_INVALID_IMAGE);
  if (code == 0) load_module(out, image);
  return fake_end(code);
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned num_options,
                            CUjit_option *options, void **values) {
  BEGIN_IN_CONTEXT("cuModuleLoadDataEx", "options %u", num_options);
  CHECK(num_options == 0 || (options != NULL && values != NULL), CUDA_ERROR_INVALID_VALUE);
  CHECK(fake_is_image(image), CUDA_ERROR_INVALID_IMAGE);
  if (code == 0) load_module(out, image);
  return fake_end(code);
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
  const fake_kernel *kernel = NULL;
  BEGIN("cuModuleGetFunction", "module %d %s", number_of(module), name);
  CHECK(is_handle(module, kModule), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) kernel = fake_find_kernel(module->image, name);
  CHECK(kernel != NULL, CUDA_ERROR_NOT_FOUND);
  if (code == 0) {
    *out = make(kFunction, module);
    (*out)->kernel = kernel;
  }
  return fake_end(code);
}

CUresult cuModuleUnload(CUmodule module) {
  BEGIN_IN_CONTEXT("cuModuleUnload", "module %d", number_of(module));
  CHECK(is_handle(module, kModule), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) module->is_live = 0;
  return fake_end(code);
}

/* ---- Libraries, whose kernels are valid in every context ---- */

CUresult cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *jit_options,
                           void **jit_values, unsigned num_jit_options, CUlibraryOption *options,
                           void **values, unsigned num_options) {
  BEGIN("cuLibraryLoadData", "options %u %u", num_jit_options, num_options);
  CHECK(num_jit_options == 0 || (jit_options != NULL && jit_values != NULL),
        CUDA_ERROR_INVALID_VALUE);
  CHECK(num_options == 0 || (options != NULL && values != NULL), CUDA_ERROR_INVALID_VALUE);
  CHECK(fake_is_image(image), CUDA_ERROR_INVALID_IMAGE);
  if (code == 0) {
    *out = make(kLibrary, NULL);
    (*out)->image = image;
  }
  return fake_end(code);
}

CUresult cuLibraryUnload(CUlibrary library) {
  BEGIN("cuLibraryUnload", "library %d", number_of(library));
  CHECK(is_handle(library, kLibrary), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) library->is_live = 0;
  return fake_end(code);
}

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name) {
  const fake_kernel *kernel = NULL;
  BEGIN("cuLibraryGetKernel", "library %d %s", number_of(library), name);
  CHECK(is_handle(library, kLibrary), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) kernel = fake_find_kernel(library->image, name);
  CHECK(kernel != NULL, CUDA_ERROR_NOT_FOUND);
  if (code == 0) {
    *out = make(kKernel, library);
    (*out)->kernel = kernel;
  }
  return fake_end(code);
}

/* The function gets a copy of the kernel's present attributes. */
CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel) {
  BEGIN_IN_CONTEXT("cuKernelGetFunction", "%s", name_of(kernel));
  CHECK(is_handle(kernel, kKernel), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) {
    *out = make(kFunction, kernel->owner);
    (*out)->kernel = kernel->kernel;
    (*out)->device = get_current()->device;
    memcpy((*out)->max_dynamic, kernel->max_dynamic, sizeof kernel->max_dynamic);
  }
  return fake_end(code);
}

/* ---- Attributes of kernels ---- */

/* The dynamic shared memory that a launch may ask for. */
static int get_max_dynamic(const struct fake_handle *self, int device) {
  return self->max_dynamic[device] >= 0 ? self->max_dynamic[device]
                                        : kDefaultShared - self->kernel->static_shared_bytes;
}

static CUresult get_attribute(int *out, int attribute, const struct fake_handle *self, int device) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *out = self->kernel->static_shared_bytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *out = get_max_dynamic(self, device);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult set_attribute(int attribute, int value, struct fake_handle *self, int device) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      value > kOptInShared - self->kernel->static_shared_bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  self->max_dynamic[device] = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute, CUfunction function) {
  BEGIN("cuFuncGetAttribute", "%d %s", attribute, name_of(function));
  CHECK(is_handle(function, kFunction), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) code = get_attribute(out, attribute, function, function->device);
  return fake_end(code);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  BEGIN("cuFuncSetAttribute", "%d %d %s", attribute, value, name_of(function));
  CHECK(is_handle(function, kFunction), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) code = set_attribute(attribute, value, function, function->device);
  return fake_end(code);
}

CUresult cuKernelGetAttribute(int *out, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  BEGIN("cuKernelGetAttribute", "%d %s device %d", attribute, name_of(kernel), device);
  CHECK(is_handle(kernel, kKernel), CUDA_ERROR_INVALID_HANDLE);
  CHECK(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  if (code == 0) code = get_attribute(out, attribute, kernel, device);
  return fake_end(code);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t i, size_t *out_offset, size_t *out_size) {
  int code = fake_query("cuKernelGetParamInfo");
  CHECK(is_handle(kernel, kKernel), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) {
    *out_offset = 0;
    *out_size = fake_get_param_size(kernel->owner->image, kernel->kernel->name, i);
  }
  CHECK(*out_size != 0, CUDA_ERROR_INVALID_VALUE);
  return fake_answer(code);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  BEGIN("cuKernelSetAttribute", "%d %d %s device %d", attribute, value, name_of(kernel), device);
  CHECK(is_handle(kernel, kKernel), CUDA_ERROR_INVALID_HANDLE);
  CHECK(is_device(device), CUDA_ERROR_INVALID_DEVICE);
  if (code == 0) code = set_attribute(attribute, value, kernel, device);
  return fake_end(code);
}

/* ---- Launching ---- */

/* A kernel may be launched in any context, a function of a module only in that of the module. */
static int check_launch(const struct fake_handle *self, fake_launch *launch) {
  const struct fake_handle *context = get_current();
  const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
  int i;
  if (!is_handle(self, kFunction) && !is_handle(self, kKernel)) return CUDA_ERROR_INVALID_HANDLE;
  if (self->kind == kFunction && self->owner->kind == kModule && self->owner->owner != context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  for (i = 0; i < 3; ++i) {
    if (launch->grid[i] == 0 || launch->block[i] == 0) return CUDA_ERROR_INVALID_VALUE;
    if (launch->cluster[i] == 0 || launch->grid[i] % launch->cluster[i] != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  launch->device = context->device;
  if (launch->shared_bytes > (unsigned)get_max_dynamic(self, launch->device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/* Runs the kernel, or captures its launch; the sizes of the parameters are read from the PTX. */
static int run(const struct fake_handle *self, const fake_launch *launch, void **params) {
  const void *image = self->owner->image;
  int count;
  if (launch->stream == NULL || launch->stream != (const void *)capturing) {
    self->kernel->body(launch, params);
    return CUDA_SUCCESS;
  }
  if (num_nodes == kMaxNodes) return CUDA_ERROR_OUT_OF_MEMORY;
  if (fake_find_entry(image, self->kernel->name) == NULL) return CUDA_ERROR_NOT_SUPPORTED;
  for (count = 0; count < kFakeMaxParams; ++count) {
    const size_t size = fake_get_param_size(image, self->kernel->name, (size_t)count);
    if (size == 0) break;
    memcpy(&nodes[num_nodes].params[count], params[count], size);
  }
  nodes[num_nodes].kernel = self;
  nodes[num_nodes].launch = *launch;
  nodes[num_nodes].num_params = count;
  ++num_nodes;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra) {
  fake_launch launch = {
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {1, 1, 1}, shared_bytes, stream, 0};
  BEGIN_IN_CONTEXT("cuLaunchKernel", "%s grid %u %u %u block %u %u %u shared %u stream %lx",
                   name_of(function), grid_x, grid_y, grid_z, block_x, block_y, block_z,
                   shared_bytes, id_of(stream));
  CHECK(extra == NULL, CUDA_ERROR_INVALID_VALUE);
  if (code == 0) code = check_launch(function, &launch);
  if (code == 0) code = run(function, &launch, params);
  return fake_end(code);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra) {
  fake_launch launch = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                        {config->blockDimX, config->blockDimY, config->blockDimZ},
                        {1, 1, 1},
                        config->sharedMemBytes,
                        config->hStream,
                        0};
  unsigned i;
  for (i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      launch.cluster[0] = config->attrs[i].value.clusterDim.x;
      launch.cluster[1] = config->attrs[i].value.clusterDim.y;
      launch.cluster[2] = config->attrs[i].value.clusterDim.z;
    }
  }
  {
    BEGIN_IN_CONTEXT(
        "cuLaunchKernelEx", "%s grid %u %u %u block %u %u %u cluster %u %u %u shared %u stream %lx",
        name_of(function), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
        launch.block[1], launch.block[2], launch.cluster[0], launch.cluster[1], launch.cluster[2],
        launch.shared_bytes, id_of((CUstream)launch.stream));
    CHECK(extra == NULL, CUDA_ERROR_INVALID_VALUE);
    if (code == 0) code = check_launch(function, &launch);
    if (code == 0) code = run(function, &launch, params);
    return fake_end(code);
  }
}

/* ---- Streams and graphs ---- */

CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  BEGIN_IN_CONTEXT("cuStreamCreate", "%u", flags);
  if (code == 0) *out = make(kStream, NULL);
  return fake_end(code);
}

CUresult cuStreamDestroy(CUstream stream) {
  BEGIN("cuStreamDestroy", "stream %lx", id_of(stream));
  CHECK(is_handle(stream, kStream), CUDA_ERROR_INVALID_HANDLE);
  if (code == 0) stream->is_live = 0;
  return fake_end(code);
}

CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN_IN_CONTEXT("cuStreamSynchronize", "stream %lx", id_of(stream));
  CHECK(stream == NULL || stream != capturing, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return fake_end(code);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  BEGIN_IN_CONTEXT("cuStreamBeginCapture", "stream %lx mode %d", id_of(stream), (int)mode);
  CHECK(is_handle(stream, kStream) && capturing == NULL, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (code == 0) {
    capturing = stream;
    first_captured = num_nodes;
  }
  return fake_end(code);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
  BEGIN_IN_CONTEXT("cuStreamEndCapture", "stream %lx", id_of(stream));
  CHECK(stream != NULL && stream == capturing, CUDA_ERROR_INVALID_VALUE);
  if (code == 0) {
    *out = make(kGraph, NULL);
    (*out)->first_node = first_captured;
    (*out)->num_nodes = num_nodes - first_captured;
    capturing = NULL;
  }
  return fake_end(code);
}

CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
  BEGIN("cuGraphInstantiate", "graph %d flags %llu", number_of(graph), flags);
  CHECK(is_handle(graph, kGraph), CUDA_ERROR_INVALID_VALUE);
  if (code == 0) {
    *out = make(kExecutable, NULL);
    (*out)->first_node = graph->first_node;
    (*out)->num_nodes = graph->num_nodes;
  }
  return fake_end(code);
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  int i, k;
  BEGIN_IN_CONTEXT("cuGraphLaunch", "executable %d stream %lx", number_of(executable),
                   id_of(stream));
  CHECK(is_handle(executable, kExecutable), CUDA_ERROR_INVALID_VALUE);
  for (i = 0; code == 0 && i < executable->num_nodes; ++i) {
    const int index = executable->first_node + i;
    void *params[kFakeMaxParams];
    for (k = 0; k < nodes[index].num_params; ++k) params[k] = &nodes[index].params[k];
    CHECK(is_handle(nodes[index].kernel, nodes[index].kernel->kind), CUDA_ERROR_LAUNCH_FAILED);
    if (code == 0) nodes[index].kernel->kernel->body(&nodes[index].launch, params);
  }
  return fake_end(code);
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  BEGIN("cuGraphExecDestroy", "executable %d", number_of(executable));
  CHECK(is_handle(executable, kExecutable), CUDA_ERROR_INVALID_VALUE);
  if (code == 0) executable->is_live = 0;
  return fake_end(code);
}

CUresult cuGraphDestroy(CUgraph graph) {
  BEGIN("cuGraphDestroy", "graph %d", number_of(graph));
  CHECK(is_handle(graph, kGraph), CUDA_ERROR_INVALID_VALUE);
  if (code == 0) graph->is_live = 0;
  return fake_end(code);
}

/* ---- Memory ---- */

CUresult cuMemAlloc(CUdeviceptr *out, size_t size) {
  int i = 0;
  BEGIN_IN_CONTEXT("cuMemAlloc", "%lu", (unsigned long)size);
  CHECK(size != 0, CUDA_ERROR_INVALID_VALUE);
  while (i < kMaxBlocks && blocks[i].data != NULL) ++i;
  CHECK(i < kMaxBlocks, CUDA_ERROR_OUT_OF_MEMORY);
  if (code == 0) {
    blocks[i].data = (char *)malloc(size);
    blocks[i].size = size;
    blocks[i].device = get_current()->device;
    *out = (CUdeviceptr)(uintptr_t)blocks[i].data;
  }
  CHECK(blocks[i].data != NULL, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(code);
}

CUresult cuMemFree(CUdeviceptr pointer) {
  char *data = (char *)(uintptr_t)pointer;
  int i = 0;
  BEGIN_IN_CONTEXT("cuMemFree", "%s", "");
  while (i < kMaxBlocks && blocks[i].data != data) ++i;
  CHECK(data == NULL || i < kMaxBlocks, CUDA_ERROR_INVALID_VALUE);
  if (code == 0 && data != NULL) {
    free(data);
    blocks[i].data = NULL;
  }
  return fake_end(code);
}

/* Whether these bytes are inside this allocation. */
static int is_in_block(int i, CUdeviceptr pointer, size_t size) {
  const char *data = (const char *)(uintptr_t)pointer, *begin = blocks[i].data;
  return begin != NULL && data >= begin && size <= blocks[i].size &&
         (size_t)(data - begin) <= blocks[i].size - size;
}

/* Whether they are inside one allocation. */
static int is_device_range(CUdeviceptr pointer, size_t size) {
  int i = 0;
  while (i < kMaxBlocks && !is_in_block(i, pointer, size)) ++i;
  return i < kMaxBlocks;
}

/* An unknown address has zeros, as CUDA says. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *names, void **out,
                                CUdeviceptr pointer) {
  const int code = fake_query("cuPointerGetAttributes");
  int block = 0;
  unsigned i;
  while (block < kMaxBlocks && !is_in_block(block, pointer, 1)) ++block;
  for (i = 0; code == 0 && i < count; ++i) {
    int value = block < kMaxBlocks ? CU_MEMORYTYPE_DEVICE : 0;
    if (names[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) value = 0;
    if (names[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      value = block < kMaxBlocks ? blocks[block].device : -2;
    }
    memcpy(out[i], &value, sizeof value);
  }
  return fake_answer(code);
}

CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t size) {
  BEGIN_IN_CONTEXT("cuMemcpyHtoD", "%lu", (unsigned long)size);
  CHECK(is_device_range(target, size), CUDA_ERROR_INVALID_VALUE);
  if (code == 0) memcpy((void *)(uintptr_t)target, source, size);
  return fake_end(code);
}

CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t size) {
  BEGIN_IN_CONTEXT("cuMemcpyDtoH", "%lu", (unsigned long)size);
  CHECK(is_device_range(source, size), CUDA_ERROR_INVALID_VALUE);
  if (code == 0) memcpy(target, (const void *)(uintptr_t)source, size);
  return fake_end(code);
}
