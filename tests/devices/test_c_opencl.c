/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tvm/ffi/c/opencl.h on each OpenCL device of this machine, POCL's for instance, which is this
 * processor. Exits with 77 if there is none.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <string.h>

/* ---- Answers and calls of the header under test: it calls these functions. ---- */

/* A device of the context after the real one, that takes no SPIR-V. */
static int second_device;
static bool has_second_device;

static cl_int get_context_info(cl_context context, cl_context_info property, size_t size, void *out,
                               size_t *out_size) {
  size_t real = 0;
  cl_int code = clGetContextInfo(context, property, size, out, &real);
  if (code == CL_SUCCESS && property == CL_CONTEXT_DEVICES && has_second_device) {
    cl_device_id second = (cl_device_id)(void *)&second_device;
    if (out != NULL) memcpy((char *)out + real, &second, sizeof second);
    real += sizeof second;
  }
  if (out_size != NULL) *out_size = real;
  return code;
}

static cl_int get_device_info(cl_device_id device, cl_device_info property, size_t size, void *out,
                              size_t *out_size) {
  const char *text = property == CL_DEVICE_NAME ? "the second" : "";
  if ((void *)device != (void *)&second_device) {
    if (!has_second_device || property != CL_DEVICE_IL_VERSION) {
      return clGetDeviceInfo(device, property, size, out, out_size);
    }
    text = "SPIR-V_1.2";
  }
  memcpy(out, text, strlen(text) + 1);
  return CL_SUCCESS;
}

/* The parts of buffers that were made. */
static cl_buffer_region cut_regions[4];
static int num_cut;

static cl_mem create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                const void *region, cl_int *code) {
  if (num_cut < 4) memcpy(&cut_regions[num_cut], region, sizeof *cut_regions);
  ++num_cut;
  return clCreateSubBuffer(buffer, flags, type, region, code);
}

#define clGetContextInfo get_context_info
#define clGetDeviceInfo get_device_info
#define clCreateSubBuffer create_sub_buffer

#include <tvm/ffi/c/args.h>
#include <tvm/ffi/c/opencl.h>

#include "support/check.h"
#include "support/thread.h"

enum { kSize = 200 };

static const char kSource[] =
    "__kernel void scale(__global const float *x, __global float *y, float factor) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = factor * x[i];\n"
    "}\n"
    "__kernel void turn(__global float *x, ulong begin, __local float *room) {\n"
    "  size_t i = get_local_id(0), n = get_local_size(0);\n"
    "  room[i] = x[begin + i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  x[begin + i] = room[n - 1 - i] + FOR_THE_OPTIONS;\n"
    "}\n";
static const char kBroken[] = "__kernel void scale(__global float *x) { x[0] = no_such_name; }\n";

/* The first kernel: assembled by `spirv-as --target-env spv1.0` of a text without names, from
 *     OpEntryPoint Kernel %scale "scale" %id
 *     %i = OpCompositeExtract %ulong %ids 0
 *     %from = OpInBoundsPtrAccessChain %global %x %i
 *     OpStore %to %scaled Aligned 4
 * and what these lines need. */
static const uint32_t kSpirv[] = {
    0x7230203, 0x10000, 0x70000, 0x14,    0x0,     0x20011, 0x4,     0x20011,    0x6,     0x20011,
    0xb,       0x3000e, 0x2,     0x2,     0x6000f, 0x6,     0x1,     0x6c616373, 0x65,    0x2,
    0x40047,   0x2,     0xb,     0x1c,    0x40015, 0x3,     0x40,    0x0,        0x40017, 0x4,
    0x3,       0x3,     0x40020, 0x5,     0x1,     0x4,     0x20013, 0x6,        0x30016, 0x7,
    0x20,      0x40020, 0x8,     0x5,     0x7,     0x60021, 0x9,     0x6,        0x8,     0x8,
    0x7,       0x4003b, 0x5,     0x2,     0x1,     0x50036, 0x6,     0x1,        0x0,     0x9,
    0x30037,   0x8,     0xa,     0x30037, 0x8,     0xb,     0x30037, 0x7,        0xc,     0x200f8,
    0xd,       0x6003d, 0x4,     0xe,     0x2,     0x2,     0x20,    0x50051,    0x3,     0xf,
    0xe,       0x0,     0x50046, 0x8,     0x10,    0xa,     0xf,     0x6003d,    0x7,     0x11,
    0x10,      0x2,     0x4,     0x50085, 0x7,     0x12,    0x11,    0xc,        0x50046, 0x8,
    0x13,      0xb,     0xf,     0x5003e, 0x13,    0x12,    0x2,     0x4,        0x100fd, 0x10038};

static tvm_ffi_opencl_program program =
    TVM_FFI_C_OPENCL_PROGRAM(kSource, sizeof kSource - 1, "-DFOR_THE_OPTIONS=100");
static tvm_ffi_opencl_program spirv = TVM_FFI_C_OPENCL_PROGRAM(kSpirv, sizeof kSpirv, NULL);
static tvm_ffi_opencl_program empty = TVM_FFI_C_OPENCL_PROGRAM(kSource, 0, NULL);
static tvm_ffi_opencl_program broken = TVM_FFI_C_OPENCL_PROGRAM(kBroken, sizeof kBroken - 1, NULL);

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static const size_t kItems = kSize;

/* A tensor of kSize floats in a buffer of its own: 0, 1, 2, ... */
typedef struct {
  DLTensor tensor;
  int64_t shape[1];
  float values[kSize];
} vector;

static void make(vector *x, cl_context in) {
  cl_int code;
  int i;
  for (i = 0; i < kSize; ++i) x->values[i] = (float)i;
  x->shape[0] = kSize;
  tvm_ffi_tensor_init(&x->tensor, NULL, tvm_ffi_device_make(kDLOpenCL, 0), TVM_FFI_C_FLOAT32, 1,
                      x->shape, NULL);
  x->tensor.data = clCreateBuffer(in, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x->values,
                                  x->values, &code);
  assert_int_equal(code, CL_SUCCESS);
}

static void read_back(vector *x) {
  assert_int_equal(clEnqueueReadBuffer(queue, (cl_mem)x->tensor.data, CL_TRUE, 0, sizeof x->values,
                                       x->values, 0, NULL, NULL),
                   CL_SUCCESS);
}

static void drop(vector *x) {
  assert_int_equal(clReleaseMemObject((cl_mem)x->tensor.data), CL_SUCCESS);
}

/* y = factor * x, with arguments as a test changed them. */
static tvm_ffi_opencl_arg args[3];
static float factor;

static void set_args(const vector *x, const vector *y) {
  factor = 2.5f;
  args[0] = tvm_ffi_opencl_arg_tensor(&x->tensor);
  args[1] = tvm_ffi_opencl_arg_tensor(&y->tensor);
  args[2] = tvm_ffi_opencl_arg_value(&factor, sizeof factor);
}

static int scale(size_t items) {
  return tvm_ffi_opencl_program_launch(&program, "scale", args, 3, 1, &items, NULL, queue);
}

FIXTURE(set_up) {
  cl_int code;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  if (code != CL_SUCCESS) return -1;
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  return code != CL_SUCCESS ? -1 : 0;
}

FIXTURE(tear_down) {
  tvm_ffi_opencl_program_clear(&program);
  tvm_ffi_opencl_program_clear(&spirv);
  tvm_ffi_opencl_program_clear(&broken);
  return clReleaseCommandQueue(queue) != CL_SUCCESS || clReleaseContext(context) != CL_SUCCESS;
}

TEST(test_a_launch) {
  vector x, y;
  cl_command_queue found = NULL;
  int i;
  make(&x, context), make(&y, context);
  check_fails_with(tvm_ffi_opencl_read_queue(&x.tensor, &found), "RuntimeError",
                   "No stream of opencl:0 is set");
  check_ok(TVMFFIEnvSetStream(kDLOpenCL, 0, queue, NULL));
  check_ok(tvm_ffi_opencl_read_queue(&x.tensor, &found));
  assert_ptr_equal(found, queue);
  check_ok(TVMFFIEnvSetStream(kDLOpenCL, 0, NULL, NULL));
  set_args(&x, &y);
  check_ok(scale(kSize));
  check_ok(scale(0)); /* nothing to do */
  read_back(&y);
  for (i = 0; i < kSize; ++i) assert_true(y.values[i] == 2.5f * (float)i);
  drop(&x), drop(&y);
}

/* A part ends with the elements, and kernels may do with it what they may do with its buffer. */
static void check_part(const vector *x, cl_mem_flags access) {
  const cl_buffer_region region = {0, kSize * sizeof(float)};
  tvm_ffi_detail_opencl_launch launch;
  DLTensor tensor = x->tensor;
  tvm_ffi_opencl_arg arg = tvm_ffi_opencl_arg_tensor(&tensor);
  int64_t shape = 5;
  cl_mem_flags flags = 0;
  cl_mem part;
  size_t size = 0;
  cl_int code;
  memset(&launch, 0, sizeof launch);
  launch.name = "scale", launch.context = context;
  tensor.shape = &shape;
  tensor.byte_offset = 512;
  tensor.data = clCreateSubBuffer((cl_mem)x->tensor.data, access, CL_BUFFER_CREATE_TYPE_REGION,
                                  &region, &code);
  assert_int_equal(code, CL_SUCCESS);
  check_ok(tvm_ffi_detail_opencl_find(&launch, 0, &arg));
  check_ok(tvm_ffi_detail_opencl_cut(&launch, 0, &tensor));
  part = launch.buffers[0];
  assert_int_equal(clGetMemObjectInfo(part, CL_MEM_SIZE, sizeof size, &size, NULL), CL_SUCCESS);
  assert_int_equal(size, 20);
  assert_int_equal(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL), CL_SUCCESS);
  assert_int_equal(flags & access, access);
  assert_int_equal(clReleaseMemObject(part), CL_SUCCESS);
  assert_int_equal(clReleaseMemObject((cl_mem)tensor.data), CL_SUCCESS);
}

static void check_cut(int count, size_t origin, size_t size, size_t origin2, size_t size2) {
  assert_int_equal(num_cut, count);
  if (count > 0)
    assert_int_equal(cut_regions[0].origin, origin), assert_int_equal(cut_regions[0].size, size);
  if (count > 1)
    assert_int_equal(cut_regions[1].origin, origin2), assert_int_equal(cut_regions[1].size, size2);
  num_cut = 0;
}

/* A kernel gets a buffer and a part of it never: what it writes to one is undefined in the other.
 */
TEST(test_tensors_in_one_buffer) {
  const size_t half = 512; /* bytes */
  cl_buffer_region region = {0, 512};
  vector x, y;
  DLTensor part;
  cl_int code;
  int i;
  make(&x, context), make(&y, context);
  x.shape[0] = 10;
  part = x.tensor;
  num_cut = 0;
  set_args(&x, &y);
  check_ok(scale(10)); /* two buffers */
  check_cut(0, 0, 0, 0, 0);

  args[1] = args[0];
  check_ok(scale(10)); /* the same elements, in place */
  check_cut(0, 0, 0, 0, 0);

  part.byte_offset = half;
  args[1] = tvm_ffi_opencl_arg_tensor(&part);
  check_ok(scale(10)); /* from the begin of the buffer to its middle */
  check_cut(2, 0, 40, half, 40);
  read_back(&x);
  for (i = 0; i < 10; ++i) assert_true(x.values[128 + i] == 2.5f * 2.5f * (float)i);

  args[0] = args[1];
  check_ok(scale(10)); /* in place, with an offset */
  check_cut(1, half, 40, 0, 0);

  set_args(&x, &y);
  args[0] = tvm_ffi_opencl_arg_buffer(&x.tensor);
  args[1] = tvm_ffi_opencl_arg_tensor(&x.tensor);
  check_ok(scale(10)); /* the whole buffer was asked for */
  check_cut(0, 0, 0, 0, 0);

  /* A buffer, and a tensor of a part that the caller made: of the part only what has elements. */
  part.data =
      clCreateSubBuffer((cl_mem)x.tensor.data, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);
  num_cut = 0;
  part.byte_offset = 0;
  x.tensor.byte_offset = half;
  args[0] = tvm_ffi_opencl_arg_tensor(&part);
  check_ok(scale(10));
  check_cut(2, 0, 40, half, 40);
  read_back(&x);
  assert_int_equal(clReleaseMemObject((cl_mem)part.data), CL_SUCCESS);
  drop(&x), drop(&y);
}

TEST(test_offsets_of_tensors) {
  const size_t first = 128; /* floats, at a multiple of any alignment that devices ask for */
  vector x, y;
  cl_buffer_region region;
  cl_mem whole;
  cl_int code;
  size_t i;
  make(&x, context), make(&y, context);
  x.tensor.byte_offset = first * sizeof(float);
  x.shape[0] = kSize - (int64_t)first;
  set_args(&x, &y);
  check_ok(scale(kSize - first));
  read_back(&y);
  for (i = 0; i < kSize; ++i) {
    assert_true(y.values[i] == (i < kSize - first ? 2.5f * (float)(first + i) : (float)i));
  }

  /* A tensor of a part of a buffer: OpenCL has no parts of parts. */
  whole = (cl_mem)x.tensor.data;
  region.origin = 64 * sizeof(float), region.size = 136 * sizeof(float);
  x.tensor.data = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);
  x.tensor.byte_offset = 64 * sizeof(float);
  check_ok(scale(kSize - first));
  read_back(&y);
  for (i = 0; i < kSize - first; ++i) assert_true(y.values[i] == 2.5f * (float)(first + i));
  drop(&x);
  x.tensor.data = whole;
  check_part(&x, CL_MEM_READ_ONLY), check_part(&x, CL_MEM_WRITE_ONLY);
  check_part(&x, CL_MEM_READ_WRITE);

  x.tensor.byte_offset = 4;
  check_fails_with(scale(1), "ValueError",
                   "Mismatched byte_offset of argument #0 of `scale`. Expected one that the device "
                   "can begin a buffer at (CL_DEVICE_MEM_BASE_ADDR_ALIGN; or "
                   "tvm_ffi_opencl_arg_buffer) but got 4");
  drop(&x), drop(&y);
}

/* Any offset, local memory, a work group, options of the compiler. */
TEST(test_a_buffer_and_its_offset) {
  vector x;
  tvm_ffi_opencl_arg turn[3];
  const size_t items = 4;
  cl_ulong begin = 3;
  int i;
  make(&x, context);
  x.tensor.byte_offset = begin * sizeof(float);
  x.shape[0] = 4;
  turn[0] = tvm_ffi_opencl_arg_buffer(&x.tensor);
  turn[1] = tvm_ffi_opencl_arg_value(&begin, sizeof begin);
  turn[2] = tvm_ffi_opencl_arg_local(items * sizeof(float));
  check_ok(tvm_ffi_opencl_program_launch(&program, "turn", turn, 3, 1, &items, &items, queue));
  read_back(&x);
  for (i = 0; i < 10; ++i) {
    assert_true(x.values[i] == (i < 3 || i >= 7 ? (float)i : (float)(100 + 9 - i)));
  }
  drop(&x);
}

TEST(test_tensors_that_are_refused) {
  vector x, y;
  int64_t strides[1] = {-1};
  cl_int code;
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  make(&x, context), make(&y, other);
  set_args(&x, &y);
  check_fails(scale(kSize), "ValueError",
              "Mismatched context of argument #1 of `scale`. Expected that of the queue but got "
              "another");
  drop(&y);
  make(&y, context);
  y.tensor.byte_offset = 4000;
  check_fails(scale(kSize), "ValueError",
              "Mismatched buffer of argument #1 of `scale`. Expected 800 bytes from byte_offset "
              "4000 on but got 800 bytes in all");
  y.tensor.byte_offset = 0;
  y.shape[0] = kSize + 1;
  check_fails(scale(kSize), "ValueError",
              "Mismatched buffer of argument #1 of `scale`. Expected 804 bytes from byte_offset 0 "
              "on but got 800 bytes in all");
  y.shape[0] = kSize;
  y.tensor.device = tvm_ffi_device_make(kDLCPU, 0);
  check_fails(scale(kSize), "ValueError",
              "Mismatched device of argument #1 of `scale`. Expected `opencl` but got cpu:0");
  check_fails(tvm_ffi_opencl_read_queue(&y.tensor, &queue), "ValueError",
              "Mismatched device of a tensor. Expected `opencl` but got `cpu:0`");
  y.tensor.device = x.tensor.device;
  y.tensor.strides = strides;
  y.tensor.byte_offset = (kSize - 1) * sizeof(float);
  check_fails(scale(kSize), "ValueError",
              "Mismatched strides of argument #1 of `scale`. Expected none below 0 (or "
              "tvm_ffi_opencl_arg_buffer) but got one");
  args[1] = tvm_ffi_opencl_arg_buffer(&y.tensor);
  check_ok(scale(kSize));
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  drop(&x), drop(&y);
  assert_int_equal(clReleaseContext(other), CL_SUCCESS);
}

TEST(test_errors_of_opencl) {
  vector x, y;
  const size_t items = 1;
  cl_program built = NULL;
  make(&x, context), make(&y, context);
  set_args(&x, &y);
  check_fails(tvm_ffi_opencl_program_launch(&program, "scal", args, 3, 1, &items, NULL, queue),
              "RuntimeError",
              "OpenCL Error: CL_INVALID_KERNEL_NAME (-46) in clCreateKernel of `scal`");
  check_fails(tvm_ffi_opencl_program_launch(&program, "scale", args, 3, 1, &items, NULL, NULL),
              "RuntimeError",
              "OpenCL Error: CL_INVALID_COMMAND_QUEUE (-36) in clGetCommandQueueInfo of `scale`");
  check_fails(tvm_ffi_opencl_program_launch(&program, "scale", args, 2, 1, &items, NULL, queue),
              "RuntimeError",
              "OpenCL Error: CL_INVALID_KERNEL_ARGS (-52) in clEnqueueNDRangeKernel of `scale`");
  args[2] = tvm_ffi_opencl_arg_value(&factor, 1);
  check_fails(scale(1), "RuntimeError",
              "OpenCL Error: CL_INVALID_ARG_SIZE (-51) in clSetKernelArg of `scale`");
  check_fails(tvm_ffi_opencl_program_launch(&program, "scale", args, 3, 4, &items, NULL, queue),
              "ValueError",
              "Expected up to 64 arguments and 1 to 3 dimensions for `scale` but got 3 and 4");
  check_fails(tvm_ffi_opencl_program_launch(&program, "scale", args, 65, 1, &items, NULL, queue),
              "ValueError",
              "Expected up to 64 arguments and 1 to 3 dimensions for `scale` but got 65 and 1");
  /* The build log, each time: a program that failed is not kept. */
  check_fails(tvm_ffi_opencl_program_read(&empty, context, &built), "ValueError",
              "The OpenCL program has no code");
  check_fails_with(tvm_ffi_opencl_program_read(&broken, context, &built), "RuntimeError",
                   "OpenCL Error: CL_BUILD_PROGRAM_FAILURE (-11) in clBuildProgram for ");
  check_fails_with(tvm_ffi_opencl_program_read(&broken, context, &built), "RuntimeError",
                   "no_such_name");
  assert_null(built);
  drop(&x), drop(&y);
  assert_string_equal(tvm_ffi_opencl_get_error_name(0), "CL_SUCCESS");
  assert_string_equal(tvm_ffi_opencl_get_error_name(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
                      "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
  assert_string_equal(tvm_ffi_opencl_get_error_name(CL_INVALID_VALUE), "CL_INVALID_VALUE");
  assert_string_equal(tvm_ffi_opencl_get_error_name(CL_INVALID_GLOBAL_WORK_SIZE),
                      "CL_INVALID_GLOBAL_WORK_SIZE");
  assert_string_equal(tvm_ffi_opencl_get_error_name(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
                      "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
  assert_string_equal(tvm_ffi_opencl_get_error_name(-20), "unknown");
  assert_string_equal(tvm_ffi_opencl_get_error_name(-73), "unknown");
  assert_string_equal(tvm_ffi_opencl_get_error_name(1), "unknown");
}

TEST(test_programs_by_context) {
  cl_program first = NULL, again = NULL, second = NULL;
  cl_int code;
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  check_ok(tvm_ffi_opencl_program_read(&program, context, &first));
  check_ok(tvm_ffi_opencl_program_read(&program, context, &again));
  assert_ptr_equal(first, again);
  check_ok(tvm_ffi_opencl_program_read(&program, other, &second));
  assert_ptr_not_equal(first, second);
  assert_int_equal(clReleaseContext(other), CL_SUCCESS); /* the program has the last reference */
}

TEST(test_spirv) {
  char versions[256] = "";
  const size_t items = kSize;
  vector x, y;
  int i, code;
  make(&x, context), make(&y, context);
  set_args(&x, &y);
  (void)clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof versions - 1, versions, NULL);
  code = tvm_ffi_opencl_program_launch(&spirv, "scale", args, 3, 1, &items, NULL, queue);
  if (strstr(versions, "SPIR-V") == NULL) {
    assert_int_equal(code, -1);
    check_raised_with("RuntimeError", "` takes no SPIR-V");
    printf("this device takes no SPIR-V\n");
  } else {
    check_ok(code);
    read_back(&y);
    for (i = 0; i < kSize; ++i) assert_true(y.values[i] == 2.5f * (float)i);
    printf("SPIR-V ran\n");
  }
  /* All devices of a context have to take it: programs are built for all. */
  tvm_ffi_opencl_program_clear(&spirv);
  has_second_device = true;
  check_fails(tvm_ffi_opencl_program_launch(&spirv, "scale", args, 3, 1, &items, NULL, queue),
              "RuntimeError", "The OpenCL device `the second` takes no SPIR-V");
  has_second_device = false;
  drop(&x), drop(&y);
}

/* ---- Threads that launch the same kernel ---- */

static void launch_many(void *arg, int index) {
  vector *mine = (vector *)arg + 2 * index;
  const float by = (float)(index + 1);
  tvm_ffi_opencl_arg own[3];
  int i;
  own[0] = tvm_ffi_opencl_arg_tensor(&mine[0].tensor);
  own[1] = tvm_ffi_opencl_arg_tensor(&mine[1].tensor);
  own[2] = tvm_ffi_opencl_arg_value(&by, sizeof by);
  for (i = 0; i < 50; ++i) {
    if (tvm_ffi_opencl_program_launch(&program, "scale", own, 3, 1, &kItems, NULL, queue) != 0) {
      mine[1].shape[0] = -1; /* noticed below */
    }
  }
}

TEST(test_threads_have_arguments_of_their_own) {
  static vector all[4][2];
  int i, k;
  for (k = 0; k < 4; ++k) make(&all[k][0], context), make(&all[k][1], context);
  thread_run_many(4, launch_many, all);
  for (k = 0; k < 4; ++k) {
    read_back(&all[k][1]);
    assert_int_equal(all[k][1].shape[0], kSize);
    for (i = 0; i < kSize; ++i) assert_true(all[k][1].values[i] == (float)((k + 1) * i));
    drop(&all[k][0]), drop(&all[k][1]);
  }
}

static int run_on_device(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_launch),
      cmocka_unit_test(test_offsets_of_tensors),
      cmocka_unit_test(test_tensors_in_one_buffer),
      cmocka_unit_test(test_a_buffer_and_its_offset),
      cmocka_unit_test(test_tensors_that_are_refused),
      cmocka_unit_test(test_errors_of_opencl),
      cmocka_unit_test(test_programs_by_context),
      cmocka_unit_test(test_spirv),
      cmocka_unit_test(test_threads_have_arguments_of_their_own),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

int main(void) {
  cl_platform_id platforms[8];
  cl_uint num_platforms = 0, p, d;
  int failed = 0, num_devices = 0;
  if (clGetPlatformIDs(8, platforms, &num_platforms) != CL_SUCCESS) num_platforms = 0;
  for (p = 0; p < num_platforms && p < 8; ++p) {
    cl_device_id devices[8];
    cl_uint count = 0;
    char name[256] = "", version[256] = "";
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 8, devices, &count) != CL_SUCCESS)
      continue;
    for (d = 0; d < count && d < 8; ++d) {
      device = devices[d];
      (void)clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
      (void)clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
      printf("ran on: %s, %s\n", version, name);
      ++num_devices;
      failed += run_on_device();
    }
  }
  if (num_devices == 0) {
    printf("skipped: no OpenCL driver has a device here (Debian: pocl-opencl-icd)\n");
    return 77;
  }
  return failed != 0;
}
