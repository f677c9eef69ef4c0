/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/opencl.h
 * The bodies of tvm/ffi/c/opencl.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_OPENCL_H_
#define TVM_FFI_C_DETAIL_OPENCL_H_

/* ---- Errors ---- */

/** Codes from 0 down to -19, and from -30 down; what is NULL is no code. */
TVM_FFI_C_DETAIL_COLD static inline const char *tvm_ffi_opencl_get_error_name(cl_int code) {
  static const char *const names[] = {
      "CL_SUCCESS",
      "CL_DEVICE_NOT_FOUND",
      "CL_DEVICE_NOT_AVAILABLE",
      "CL_COMPILER_NOT_AVAILABLE",
      "CL_MEM_OBJECT_ALLOCATION_FAILURE",
      "CL_OUT_OF_RESOURCES",
      "CL_OUT_OF_HOST_MEMORY",
      "CL_PROFILING_INFO_NOT_AVAILABLE",
      "CL_MEM_COPY_OVERLAP",
      "CL_IMAGE_FORMAT_MISMATCH",
      "CL_IMAGE_FORMAT_NOT_SUPPORTED",
      "CL_BUILD_PROGRAM_FAILURE",
      "CL_MAP_FAILURE",
      "CL_MISALIGNED_SUB_BUFFER_OFFSET",
      "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
      "CL_COMPILE_PROGRAM_FAILURE",
      "CL_LINKER_NOT_AVAILABLE",
      "CL_LINK_PROGRAM_FAILURE",
      "CL_DEVICE_PARTITION_FAILED",
      "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
  };
  static const char *const invalid[] = {
      "CL_INVALID_VALUE",
      "CL_INVALID_DEVICE_TYPE",
      "CL_INVALID_PLATFORM",
      "CL_INVALID_DEVICE",
      "CL_INVALID_CONTEXT",
      "CL_INVALID_QUEUE_PROPERTIES",
      "CL_INVALID_COMMAND_QUEUE",
      "CL_INVALID_HOST_PTR",
      "CL_INVALID_MEM_OBJECT",
      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
      "CL_INVALID_IMAGE_SIZE",
      "CL_INVALID_SAMPLER",
      "CL_INVALID_BINARY",
      "CL_INVALID_BUILD_OPTIONS",
      "CL_INVALID_PROGRAM",
      "CL_INVALID_PROGRAM_EXECUTABLE",
      "CL_INVALID_KERNEL_NAME",
      "CL_INVALID_KERNEL_DEFINITION",
      "CL_INVALID_KERNEL",
      "CL_INVALID_ARG_INDEX",
      "CL_INVALID_ARG_VALUE",
      "CL_INVALID_ARG_SIZE",
      "CL_INVALID_KERNEL_ARGS",
      "CL_INVALID_WORK_DIMENSION",
      "CL_INVALID_WORK_GROUP_SIZE",
      "CL_INVALID_WORK_ITEM_SIZE",
      "CL_INVALID_GLOBAL_OFFSET",
      "CL_INVALID_EVENT_WAIT_LIST",
      "CL_INVALID_EVENT",
      "CL_INVALID_OPERATION",
      "CL_INVALID_GL_OBJECT",
      "CL_INVALID_BUFFER_SIZE",
      "CL_INVALID_MIP_LEVEL",
      "CL_INVALID_GLOBAL_WORK_SIZE",
      "CL_INVALID_PROPERTY",
      "CL_INVALID_IMAGE_DESCRIPTOR",
      "CL_INVALID_COMPILER_OPTIONS",
      "CL_INVALID_LINKER_OPTIONS",
      "CL_INVALID_DEVICE_PARTITION_COUNT",
      "CL_INVALID_PIPE_SIZE",
      "CL_INVALID_DEVICE_QUEUE",
      "CL_INVALID_SPEC_ID",
      "CL_MAX_SIZE_RESTRICTION_EXCEEDED",
  };
  const cl_int num_names = (cl_int)(sizeof names / sizeof *names);
  const cl_int num_invalid = (cl_int)(sizeof invalid / sizeof *invalid);
  if (code <= 0 && code > -num_names) return names[-code];
  if (code <= -30 && code > -30 - num_invalid) return invalid[-30 - code];
  return "unknown";
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_opencl_raise_at(const char *file, int line,
                                                                        const char *func,
                                                                        cl_int code,
                                                                        const char *call) {
  tvm_ffi_error_raise_at(file, line, func, TVM_FFI_C_RUNTIME_ERROR, "OpenCL Error: %s (%d) in %s",
                         tvm_ffi_opencl_get_error_name(code), (int)code, call);
}

/** 0, or -1 with the error of a call for a kernel. */
static inline int tvm_ffi_detail_opencl_check(cl_int code, const char *call, const char *kernel) {
  if (code == CL_SUCCESS) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_RUNTIME_ERROR, "OpenCL Error: %s (%d) in %s of `%s`",
                               tvm_ffi_opencl_get_error_name(code), (int)code, call, kernel);
}

/* ---- The queue of a call ---- */

TVM_FFI_C_DETAIL_READER int tvm_ffi_opencl_read_queue(const DLTensor *tensor,
                                                      cl_command_queue *out) {
  TVMFFIStreamHandle stream;
  char device[48];
  if (tensor->device.device_type != kDLOpenCL) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                 "Mismatched device of a tensor. Expected `opencl` but got `%s`",
                                 tvm_ffi_device_print(tensor->device, device, sizeof device));
  }
  TVM_FFI_C_TRY(tvm_ffi_env_read_stream(tensor, &stream));
  *out = (cl_command_queue)stream;
  return 0;
}

/* ---- Programs ---- */

/** The devices of a context, to be freed; NULL with an error raised. */
static inline cl_device_id *tvm_ffi_detail_opencl_get_devices(cl_context context, size_t *out) {
  size_t size = 0;
  cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
  cl_device_id *devices = (cl_device_id *)malloc(size + 1);
  if (devices == NULL) return tvm_ffi_error_raise_memory(), (cl_device_id *)NULL;
  if (code == CL_SUCCESS) {
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL);
  }
  if (code == CL_SUCCESS && size >= sizeof *devices) {
    *out = size / sizeof *devices;
    return devices;
  }
  free(devices);
  tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "OpenCL Error: %s (%d) in clGetContextInfo",
                      tvm_ffi_opencl_get_error_name(code), (int)code);
  return NULL;
}

/** A text about a device, or "" if it does not have it. */
static inline const char *tvm_ffi_detail_opencl_get_text(cl_device_id device,
                                                         cl_device_info property, char *buffer,
                                                         size_t capacity) {
  memset(buffer, 0, capacity);
  if (clGetDeviceInfo(device, property, capacity - 1, buffer, NULL) != CL_SUCCESS) buffer[0] = '\0';
  return buffer;
}

/** Raises the build log of the first device that has an error. @return -1. */
TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_detail_opencl_raise_log(cl_context context,
                                                                        cl_program program,
                                                                        cl_int code) {
  char name[128] = "a device", *log = NULL;
  size_t count = 0, i, length = 0;
  cl_device_id *devices = tvm_ffi_detail_opencl_get_devices(context, &count);
  if (devices == NULL) return -1;
  for (i = 0; i < count; ++i) {
    cl_build_status status = CL_BUILD_NONE;
    (void)clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof status,
                                &status, NULL);
    if (status == CL_BUILD_ERROR) break;
  }
  if (i < count) {
    (void)tvm_ffi_detail_opencl_get_text(devices[i], CL_DEVICE_NAME, name, sizeof name);
    (void)clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    log = (char *)calloc(length + 1, 1);
    if (log != NULL) {
      (void)clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_LOG, length, log, NULL);
    }
  }
  tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "OpenCL Error: %s (%d) in clBuildProgram for %s: %s",
                      tvm_ffi_opencl_get_error_name(code), (int)code, name,
                      log != NULL ? log : "no log");
  free(log);
  free(devices);
  return -1;
}

/** SPIR-V begins with this number, in the order of bytes of the machine that wrote it. */
static inline bool tvm_ffi_detail_opencl_is_spirv(const tvm_ffi_opencl_program *self) {
  return self->size >= 4 && (memcmp(self->code, "\x03\x02\x23\x07", 4) == 0 ||
                             memcmp(self->code, "\x07\x23\x02\x03", 4) == 0);
}

#if defined(CL_VERSION_2_1)
/**
 * 0, or -1 with an error for a device of the context that takes no SPIR-V: programs are built for
 * all of them. Loaders differ in what they do if a driver lacks the function, so this asks first.
 */
static inline int tvm_ffi_detail_opencl_check_spirv(cl_context context) {
  char versions[256], name[128];
  size_t count = 0, i;
  cl_device_id *devices = tvm_ffi_detail_opencl_get_devices(context, &count);
  if (devices == NULL) return -1;
  for (i = 0; i < count; ++i) {
    (void)tvm_ffi_detail_opencl_get_text(devices[i], CL_DEVICE_IL_VERSION, versions,
                                         sizeof versions);
    if (strstr(versions, "SPIR-V") == NULL) break;
  }
  if (i < count) {
    tvm_ffi_error_raise(
        TVM_FFI_C_RUNTIME_ERROR, "The OpenCL device `%s` takes no SPIR-V",
        tvm_ffi_detail_opencl_get_text(devices[i], CL_DEVICE_NAME, name, sizeof name));
  }
  free(devices);
  return i < count ? -1 : 0;
}

/** @param out [own] Not built. */
static inline int tvm_ffi_detail_opencl_create_spirv(const tvm_ffi_opencl_program *self,
                                                     cl_context context, cl_program *out) {
  cl_int code = CL_SUCCESS;
  TVM_FFI_C_TRY(tvm_ffi_detail_opencl_check_spirv(context));
  *out = clCreateProgramWithIL(context, self->code, self->size, &code);
  return tvm_ffi_detail_opencl_check(code, "clCreateProgramWithIL", "the program");
}
#else
static inline int tvm_ffi_detail_opencl_create_spirv(const tvm_ffi_opencl_program *self,
                                                     cl_context context, cl_program *out) {
  (void)self, (void)context, (void)out;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_RUNTIME_ERROR, "%s",
                               "SPIR-V needs CL_TARGET_OPENCL_VERSION to be 210 or more");
}
#endif

/** A tvm_ffi_handle_maker: self is the tvm_ffi_opencl_program, key the context. */
static inline int tvm_ffi_detail_opencl_build(void *self, const void *key, void **out) {
  const tvm_ffi_opencl_program *source = (const tvm_ffi_opencl_program *)self;
  const char *code_text = (const char *)source->code;
  cl_context context;
  cl_program program = NULL;
  cl_int code = CL_SUCCESS;
  if (source->size == 0) { /* OpenCL would read up to a NUL */
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "%s", "The OpenCL program has no code");
  }
  memcpy(&context, &key, sizeof context);
  if (tvm_ffi_detail_opencl_is_spirv(source)) {
    TVM_FFI_C_TRY(tvm_ffi_detail_opencl_create_spirv(source, context, &program));
  } else {
    program = clCreateProgramWithSource(context, 1, &code_text, &source->size, &code);
    TVM_FFI_C_TRY(tvm_ffi_detail_opencl_check(code, "clCreateProgramWithSource", "the program"));
  }
  code = clBuildProgram(program, 0, NULL, source->options, NULL, NULL);
  if (code != CL_SUCCESS) {
    (void)tvm_ffi_detail_opencl_raise_log(context, program, code);
    (void)clReleaseProgram(program);
    return -1;
  }
  *out = program;
  return 0;
}

static inline void tvm_ffi_detail_opencl_release(void *program) {
  (void)clReleaseProgram((cl_program)program);
}

static inline tvm_ffi_handle_maker tvm_ffi_detail_opencl_maker(void) {
  tvm_ffi_handle_maker maker;
  maker.create = tvm_ffi_detail_opencl_build;
  maker.release = tvm_ffi_detail_opencl_release;
  return maker;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_opencl_program_read(
    tvm_ffi_opencl_program *program, cl_context context, cl_program *out) {
  const tvm_ffi_handle_maker maker = tvm_ffi_detail_opencl_maker();
  void *built = NULL;
  TVM_FFI_C_TRY(tvm_ffi_handle_table_read(&program->built, context, &maker, program, &built));
  *out = (cl_program)built;
  return 0;
}

static inline void tvm_ffi_opencl_program_clear(tvm_ffi_opencl_program *program) {
  const tvm_ffi_handle_maker maker = tvm_ffi_detail_opencl_maker();
  tvm_ffi_handle_table_clear(&program->built, &maker);
}

/* ---- Launching ---- */

static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_value(const void *value, size_t size) {
  tvm_ffi_opencl_arg arg;
  arg.tensor = NULL;
  arg.value = value;
  arg.size = size;
  arg.is_buffer = false;
  return arg;
}

static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_local(size_t size) {
  return tvm_ffi_opencl_arg_value(NULL, size);
}

static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_tensor(const DLTensor *tensor) {
  tvm_ffi_opencl_arg arg = tvm_ffi_opencl_arg_value(NULL, sizeof(cl_mem));
  arg.tensor = tensor;
  return arg;
}

static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_buffer(const DLTensor *tensor) {
  tvm_ffi_opencl_arg arg = tvm_ffi_opencl_arg_tensor(tensor);
  arg.is_buffer = true;
  return arg;
}

/** Bytes of a buffer that is no part of another. */
typedef struct {
  cl_mem buffer; /* NULL: none, for an argument that cannot be a part */
  size_t begin, size;
} tvm_ffi_detail_opencl_region;

/** A launch that is prepared. Parts of buffers have to live until it is in the queue. */
typedef struct {
  const char *name;
  cl_context context;
  cl_kernel kernel;
  int32_t num_parts;
  cl_mem parts[TVM_FFI_C_OPENCL_MAX_ARGS];
  /* By argument: where its elements are, and what it is set to. */
  tvm_ffi_detail_opencl_region regions[TVM_FFI_C_OPENCL_MAX_ARGS];
  cl_mem buffers[TVM_FFI_C_OPENCL_MAX_ARGS];
} tvm_ffi_detail_opencl_launch;

/** Raises ValueError for argument i. @return -1. */
TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_detail_opencl_refuse(
    const tvm_ffi_detail_opencl_launch *launch, int32_t i, const char *property,
    const char *expected, const char *got) {
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                               "Mismatched %s of argument #%d of `%s`. Expected %s but got %s",
                               property, (int)i, launch->name, expected, got);
}

/** A property of a buffer, for argument i. @return 0, or -1. */
static inline int tvm_ffi_detail_opencl_ask(const tvm_ffi_detail_opencl_launch *launch,
                                            cl_mem buffer, cl_mem_info property, void *out,
                                            size_t size) {
  return tvm_ffi_detail_opencl_check(clGetMemObjectInfo(buffer, property, size, out, NULL),
                                     "clGetMemObjectInfo", launch->name);
}

/** Checks a tensor that is argument i, and finds where its elements are. */
static inline int tvm_ffi_detail_opencl_find(tvm_ffi_detail_opencl_launch *launch, int32_t i,
                                             const tvm_ffi_opencl_arg *arg) {
  const DLTensor *tensor = arg->tensor;
  tvm_ffi_detail_opencl_region *region = &launch->regions[i];
  tvm_ffi_detail_mismatch texts;
  cl_mem buffer = (cl_mem)tensor->data, whole = NULL;
  cl_context context = NULL;
  size_t bytes = 0;
  int64_t begin, end;
  char device[48];
  region->buffer = NULL, region->begin = 0, region->size = 0;
  if (tensor->device.device_type != kDLOpenCL) {
    return tvm_ffi_detail_opencl_refuse(
        launch, i, "device", "`opencl`",
        tvm_ffi_device_print(tensor->device, device, sizeof device));
  }
  if (buffer != NULL) {
    TVM_FFI_C_TRY(tvm_ffi_detail_opencl_ask(launch, buffer, CL_MEM_SIZE, &bytes, sizeof bytes));
    TVM_FFI_C_TRY(
        tvm_ffi_detail_opencl_ask(launch, buffer, CL_MEM_CONTEXT, &context, sizeof context));
    if (context != launch->context) {
      return tvm_ffi_detail_opencl_refuse(launch, i, "context", "that of the queue", "another");
    }
  }
  if (!tvm_ffi_detail_is_within(tensor, bytes, &texts)) {
    return tvm_ffi_detail_opencl_refuse(launch, i, "buffer", texts.expected, texts.got);
  }
  (void)tvm_ffi_tensor_find_bytes(tensor, &begin, &end);
  if (arg->is_buffer || buffer == NULL || end == 0) return 0;
  if (begin < 0) {
    return tvm_ffi_detail_opencl_refuse(launch, i, "strides",
                                        "none below 0 (or tvm_ffi_opencl_arg_buffer)", "one");
  }
  /* There are no parts of parts: a part is one of the whole buffer. */
  TVM_FFI_C_TRY(
      tvm_ffi_detail_opencl_ask(launch, buffer, CL_MEM_ASSOCIATED_MEMOBJECT, &whole, sizeof whole));
  if (whole != NULL) {
    TVM_FFI_C_TRY(tvm_ffi_detail_opencl_ask(launch, buffer, CL_MEM_OFFSET, &region->begin,
                                            sizeof region->begin));
  }
  region->buffer = whole != NULL ? whole : buffer;
  region->begin += (size_t)tensor->byte_offset;
  region->size = (size_t)end;
  return 0;
}

/**
 * Makes the part of a buffer that has the elements of argument i: parts of two tensors overlap only
 * where these do. What kernels may do with it is as with the buffer.
 */
static inline int tvm_ffi_detail_opencl_cut(tvm_ffi_detail_opencl_launch *launch, int32_t i,
                                            const DLTensor *tensor) {
  const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  cl_mem_flags flags = 0;
  cl_buffer_region region;
  cl_int code = CL_SUCCESS;
  char got[48];
  region.origin = launch->regions[i].begin;
  region.size = launch->regions[i].size;
  TVM_FFI_C_TRY(
      tvm_ffi_detail_opencl_ask(launch, (cl_mem)tensor->data, CL_MEM_FLAGS, &flags, sizeof flags));
  launch->buffers[i] = clCreateSubBuffer(launch->regions[i].buffer, flags & access,
                                         CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (code == CL_SUCCESS) launch->parts[launch->num_parts++] = launch->buffers[i];
  if (code != CL_MISALIGNED_SUB_BUFFER_OFFSET) {
    return tvm_ffi_detail_opencl_check(code, "clCreateSubBuffer", launch->name);
  }
  (void)snprintf(got, sizeof got, "%llu", (unsigned long long)tensor->byte_offset);
  return tvm_ffi_detail_opencl_refuse(
      launch, i, "byte_offset",
      "one that the device can begin a buffer at "
      "(CL_DEVICE_MEM_BASE_ADDR_ALIGN; or tvm_ffi_opencl_arg_buffer)",
      got);
}

/**
 * Sets argument i to the buffer of a tensor, or to a part: with an offset, and where another
 * argument has other elements of the same buffer, since OpenCL does not define what a kernel does
 * that gets a buffer and a part of it. The same elements of the same tensor are one part.
 */
static inline int tvm_ffi_detail_opencl_set_tensor(tvm_ffi_detail_opencl_launch *launch, int32_t i,
                                                   const tvm_ffi_opencl_arg *args,
                                                   int32_t num_args) {
  const DLTensor *tensor = args[i].tensor;
  const tvm_ffi_detail_opencl_region *const mine = &launch->regions[i];
  cl_mem *const buffer = &launch->buffers[i];
  bool is_part = mine->buffer != NULL && tensor->byte_offset != 0;
  int32_t k;
  *buffer = (cl_mem)tensor->data;
  for (k = 0; k < num_args && mine->buffer != NULL; ++k) {
    const tvm_ffi_detail_opencl_region *const other = &launch->regions[k];
    if (args[k].tensor == NULL || other->buffer != mine->buffer) continue;
    if (other->begin != mine->begin || other->size != mine->size) {
      is_part = true;
    } else if (k < i && args[k].tensor->data == tensor->data) {
      *buffer = launch->buffers[k];
      is_part = false;
      break;
    }
  }
  if (is_part) TVM_FFI_C_TRY(tvm_ffi_detail_opencl_cut(launch, i, tensor));
  return tvm_ffi_detail_opencl_check(
      clSetKernelArg(launch->kernel, (cl_uint)i, sizeof *buffer, buffer), "clSetKernelArg",
      launch->name);
}

static inline int tvm_ffi_detail_opencl_enqueue(tvm_ffi_detail_opencl_launch *launch,
                                                const tvm_ffi_opencl_arg *args, int32_t num_args,
                                                int32_t num_dims, const size_t *global,
                                                const size_t *local, cl_command_queue queue) {
  cl_int code;
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (args[i].tensor != NULL) TVM_FFI_C_TRY(tvm_ffi_detail_opencl_find(launch, i, &args[i]));
  }
  for (i = 0; i < num_args; ++i) {
    if (args[i].tensor != NULL) {
      TVM_FFI_C_TRY(tvm_ffi_detail_opencl_set_tensor(launch, i, args, num_args));
    } else {
      code = clSetKernelArg(launch->kernel, (cl_uint)i, args[i].size, args[i].value);
      TVM_FFI_C_TRY(tvm_ffi_detail_opencl_check(code, "clSetKernelArg", launch->name));
    }
  }
  for (i = 0; i < num_dims; ++i) {
    if (global[i] == 0) return 0; /* before OpenCL 2.1 an error */
  }
  code = clEnqueueNDRangeKernel(queue, launch->kernel, (cl_uint)num_dims, NULL, global, local, 0,
                                NULL, NULL);
  return tvm_ffi_detail_opencl_check(code, "clEnqueueNDRangeKernel", launch->name);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_opencl_program_launch(
    tvm_ffi_opencl_program *program, const char *name, const tvm_ffi_opencl_arg *args,
    int32_t num_args, int32_t num_dims, const size_t *global, const size_t *local,
    cl_command_queue queue) {
  tvm_ffi_detail_opencl_launch launch;
  cl_program built = NULL;
  cl_int result;
  int code;
  if (num_args < 0 || num_args > TVM_FFI_C_OPENCL_MAX_ARGS || num_dims < 1 || num_dims > 3) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                 "Expected up to %d arguments and 1 to 3 dimensions for `%s` but "
                                 "got %d and %d",
                                 (int)TVM_FFI_C_OPENCL_MAX_ARGS, name, (int)num_args,
                                 (int)num_dims);
  }
  result =
      clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof launch.context, &launch.context, NULL);
  TVM_FFI_C_TRY(tvm_ffi_detail_opencl_check(result, "clGetCommandQueueInfo", name));
  TVM_FFI_C_TRY(tvm_ffi_opencl_program_read(program, launch.context, &built));
  launch.name = name;
  launch.num_parts = 0;
  /* One for each launch: threads that share a kernel would set each other's arguments. */
  launch.kernel = clCreateKernel(built, name, &result);
  TVM_FFI_C_TRY(tvm_ffi_detail_opencl_check(result, "clCreateKernel", name));
  code = tvm_ffi_detail_opencl_enqueue(&launch, args, num_args, num_dims, global, local, queue);
  while (launch.num_parts > 0) (void)clReleaseMemObject(launch.parts[--launch.num_parts]);
  (void)clReleaseKernel(launch.kernel);
  return code;
}

#endif /* TVM_FFI_C_DETAIL_OPENCL_H_ */
