/* SPDX-License-Identifier: Apache-2.0 */
/* One function per row of the table; each does `calls` times what its name says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static TVMFFIByteArray bytes_of(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

static TVMFFIAny int_of(int64_t value) {
  TVMFFIAny any;
  any.type_index = kTVMFFIInt;
  any.zero_padding = 0;
  any.v_int64 = value;
  return any;
}

static TVMFFIAny none(void) {
  TVMFFIAny any = int_of(0);
  any.type_index = kTVMFFINone;
  return any;
}

/* Keeps the compiler from dropping a loop. */
static volatile uintptr_t sink;

static int add_three(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  if (num_args != 3 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt ||
      args[2].type_index != kTVMFFIInt) {
    return -1;
  }
  *result = int_of(args[0].v_int64 + args[1].v_int64 + args[2].v_int64);
  return 0;
}

static const bench_runtime *failing_api; /* set by the operation that calls fail */
static int fail(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  failing_api->ErrorSetRaisedFromCStr("ValueError", "the value is not what it should be");
  return -1;
}

static void call_function(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result = none();
  size_t i;
  for (i = 0; i < calls; ++i) {
    args[0] = int_of((int64_t)i);
    args[1] = int_of(2);
    args[2] = int_of(3);
    result = none();
    (void)s->api->FunctionCall(s->add, args, 3, &result);
  }
  sink = (uintptr_t)result.v_int64;
}

static void create_function(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle function;
    (void)s->api->FunctionCreate(s, add_three, NULL, &function);
    (void)s->api->ObjectDecRef(function);
  }
}

static void count_references(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    (void)s->api->ObjectIncRef(s->add);
    (void)s->api->ObjectDecRef(s->add);
  }
}

static void get_global(bench_state *s, size_t calls) {
  TVMFFIByteArray name = bytes_of("bench.a_function_of_three");
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle function;
    (void)s->api->FunctionGetGlobal(&name, &function);
    (void)s->api->ObjectDecRef(function);
  }
}

enum { kManyNames = 100000 };

/* Adds names as long as there are new ones, and overrides them afterwards. */
static void set_global(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    TVMFFIByteArray name = bytes_of(s->names[s->names_added % kManyNames]);
    ++s->names_added;
    (void)s->api->FunctionSetGlobal(&name, s->add, 1);
  }
}

static void get_global_among_many(bench_state *s, size_t calls) {
  uint32_t random = 12345;
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle function;
    TVMFFIByteArray name;
    random = random * 1664525u + 1013904223u;
    name = bytes_of(s->names[(random >> 8) % kManyNames]);
    (void)s->api->FunctionGetGlobal(&name, &function);
    if (function != NULL) (void)s->api->ObjectDecRef(function);
  }
}

static void make_string(bench_state *s, size_t calls, const char *text) {
  TVMFFIByteArray bytes = bytes_of(text);
  for (; calls != 0; --calls) {
    TVMFFIAny any;
    (void)s->api->StringFromByteArray(&bytes, &any);
    if (any.type_index >= kTVMFFIStaticObjectBegin) (void)s->api->ObjectDecRef(any.v_obj);
    sink = (uintptr_t)any.v_uint64;
  }
}

static void small_string(bench_state *s, size_t calls) {
  make_string(s, calls, "sixsix");
}
static void heap_string(bench_state *s, size_t calls) {
  make_string(s, calls, "thirty-two bytes of text, or so.");
}

static void own_raw_string(bench_state *s, size_t calls) {
  TVMFFIAny view = none();
  view.type_index = kTVMFFIRawStr;
  view.v_c_str = "thirty-two bytes of text, or so.";
  for (; calls != 0; --calls) {
    TVMFFIAny any;
    (void)s->api->AnyViewToOwnedAny(&view, &any);
    (void)s->api->ObjectDecRef(any.v_obj);
  }
}

static void raise_error(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle error;
    s->api->ErrorSetRaisedFromCStr("ValueError", "the value is not what it should be");
    s->api->ErrorMoveFromRaised(&error);
    (void)s->api->ObjectDecRef(error);
  }
}

static void failing_call(bench_state *s, size_t calls) {
  failing_api = s->api;
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle error;
    TVMFFIAny result = none();
    (void)s->api->FunctionCall(s->failing, NULL, 0, &result);
    s->api->ErrorMoveFromRaised(&error);
    (void)s->api->ObjectDecRef(error);
  }
}

static void parse_dtype(bench_state *s, size_t calls, const char *text) {
  TVMFFIByteArray bytes = bytes_of(text);
  for (; calls != 0; --calls) {
    DLDataType dtype;
    (void)s->api->DataTypeFromString(&bytes, &dtype);
    sink = dtype.bits;
  }
}

static void parse_float32(bench_state *s, size_t calls) {
  parse_dtype(s, calls, "float32");
}
static void parse_float8(bench_state *s, size_t calls) {
  parse_dtype(s, calls, "float8_e4m3fnx4");
}

static void print_dtype(bench_state *s, size_t calls) {
  DLDataType dtype = {kDLFloat, 32, 1};
  for (; calls != 0; --calls) {
    TVMFFIAny any;
    (void)s->api->DataTypeToString(&dtype, &any);
    (void)s->api->ObjectDecRef(any.v_obj);
  }
}

static int64_t tensor_shape[2] = {2, 3}, tensor_strides[2] = {3, 1};
static float tensor_data[6];

static DLTensor make_dltensor(void) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = tensor_data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 2;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = tensor_shape;
  tensor.strides = tensor_strides;
  return tensor;
}

static DLManagedTensorVersioned *static_managed(void) {
  static DLManagedTensorVersioned managed;
  managed.version.major = 1;
  managed.dl_tensor = make_dltensor();
  return &managed;
}

static void tensor_from_dlpack(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle tensor;
    (void)s->api->TensorFromDLPackVersioned(static_managed(), 0, 0, &tensor);
    (void)s->api->ObjectDecRef(tensor);
  }
}

static void tensor_to_dlpack(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) {
    DLManagedTensorVersioned *managed;
    (void)s->api->TensorToDLPackVersioned(s->tensor, &managed);
    managed->deleter(managed);
  }
}

static int allocate_static(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                           void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)error_ctx;
  (void)set_error;
  *out = static_managed();
  return 0;
}

static void allocate_tensor(bench_state *s, size_t calls) {
  DLTensor prototype = make_dltensor();
  (void)s->api->EnvSetDLPackManagedTensorAllocator(allocate_static, 0, NULL);
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle tensor;
    (void)s->api->EnvTensorAlloc(&prototype, &tensor);
    (void)s->api->ObjectDecRef(tensor);
  }
}

static void get_stream(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) sink = (uintptr_t)s->api->EnvGetStream(kDLCUDA, 0);
}

static void set_stream(bench_state *s, size_t calls) {
  TVMFFIStreamHandle old;
  for (; calls != 0; --calls) (void)s->api->EnvSetStream(kDLCUDA, 0, &tensor_data, &old);
}

static void type_key_to_index(bench_state *s, size_t calls) {
  TVMFFIByteArray key = bytes_of("ffi.Function");
  int32_t index = 0;
  for (; calls != 0; --calls) (void)s->api->TypeKeyToIndex(&key, &index);
  sink = (uintptr_t)index;
}

static void type_info(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) sink = (uintptr_t)s->api->GetTypeInfo(kTVMFFITensor);
}

static int init_once(void **result) {
  *result = &tensor_data;
  return 0;
}

static void once_hit(bench_state *s, size_t calls) {
  for (; calls != 0; --calls) (void)s->api->HandleInitOnce(&s->once, init_once);
}

static void module_get_function(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result;
  args[0] = none();
  args[0].type_index = kTVMFFIModule;
  args[0].v_ptr = s->module;
  args[1] = none();
  args[1].type_index = kTVMFFIRawStr;
  args[1].v_c_str = "bench_add";
  args[2] = int_of(0);
  args[2].type_index = kTVMFFIBool;
  for (; calls != 0; --calls) {
    result = none();
    (void)s->api->FunctionCall(s->get_function, args, 3, &result);
    (void)s->api->ObjectDecRef(result.v_obj);
  }
}

static void module_call(bench_state *s, size_t calls) {
  TVMFFIAny arg = none(), result;
  arg.type_index = kTVMFFITensor;
  arg.v_ptr = s->tensor;
  for (; calls != 0; --calls) {
    result = none();
    (void)s->api->FunctionCall(s->kernel, &arg, 1, &result);
  }
}

const bench_operation bench_operations[] = {
    {"function call, three ints", call_function, 1.05, 0},
    {"function create + destroy", create_function, 0.6, 0},
    {"IncRef + DecRef", count_references, 0.95, 0},
    {"get global by name + release", get_global, 0.35, 0},
    {"set global, 100,000 names", set_global, 0.6, 0},
    {"get global among 100,000 + release", get_global_among_many, 0.5, 0},
    {"small string, 6 bytes", small_string, 0.7, 0},
    {"heap string, 32 bytes + destroy", heap_string, 0.7, 0},
    {"AnyViewToOwnedAny of a raw string", own_raw_string, 0.7, 0},
    {"error raise + take + free", raise_error, 0.02, 0},
    {"failing call + take + free", failing_call, 0.02, 0},
    {"dtype from text, float32", parse_float32, 0.35, 0},
    {"dtype from text, float8_e4m3fnx4", parse_float8, 0.35, 0},
    {"dtype to text", print_dtype, 0.25, 0},
    {"tensor from DLPack + release", tensor_from_dlpack, 0.8, 0},
    {"tensor to DLPack + delete", tensor_to_dlpack, 0.8, 0},
    {"environment tensor allocation", allocate_tensor, 0.9, 0},
    {"get stream", get_stream, 0.6, 0},
    {"set stream", set_stream, 0.7, 0},
    {"type key to index", type_key_to_index, 0.35, 0},
    {"type info by index", type_info, 0.6, 0},
    {"init-once hit", once_hit, 1.05, 0},
    {"module get_function", module_get_function, 0.35, 1},
    {"module kernel call, 4 floats", module_call, 0.7, 1},
};
const size_t bench_num_operations = sizeof bench_operations / sizeof *bench_operations;

static int load_kernel(bench_state *s, const char *path) {
  TVMFFIByteArray name = bytes_of("ffi.ModuleLoadFromFile");
  TVMFFIObjectHandle load;
  TVMFFIAny args[3], result = none();
  (void)s->api->FunctionGetGlobal(&name, &load);
  args[0] = none();
  args[0].type_index = kTVMFFIRawStr;
  args[0].v_c_str = path;
  if (s->api->FunctionCall(load, args, 1, &result) != 0) return -1;
  (void)s->api->ObjectDecRef(load);
  s->module = result.v_obj;
  name = bytes_of("ffi.ModuleGetFunction");
  (void)s->api->FunctionGetGlobal(&name, &s->get_function);
  args[0].type_index = kTVMFFIModule;
  args[0].v_ptr = s->module;
  args[1] = none();
  args[1].type_index = kTVMFFIRawStr;
  args[1].v_c_str = "bench_add";
  args[2] = int_of(0);
  args[2].type_index = kTVMFFIBool;
  result = none();
  if (s->api->FunctionCall(s->get_function, args, 3, &result) != 0) return -1;
  s->kernel = result.v_obj;
  return result.type_index == kTVMFFIFunction ? 0 : -1;
}

int bench_prepare(bench_state *state, const bench_runtime *api, const char *kernel_path) {
  TVMFFIByteArray name = bytes_of("bench.a_function_of_three");
  size_t i;
  memset(state, 0, sizeof *state);
  state->api = api;
  state->names = malloc(kManyNames * sizeof *state->names);
  if (state->names == NULL) return -1;
  for (i = 0; i < kManyNames; ++i) {
    (void)snprintf(state->names[i], sizeof state->names[i], "bench.n%zu", i);
  }
  if (api->FunctionCreate(NULL, add_three, NULL, &state->add) != 0 ||
      api->FunctionCreate(NULL, fail, NULL, &state->failing) != 0 ||
      api->FunctionSetGlobal(&name, state->add, 1) != 0 ||
      api->TensorFromDLPackVersioned(static_managed(), 0, 0, &state->tensor) != 0) {
    return -1;
  }
  return kernel_path != NULL ? load_kernel(state, kernel_path) : 0;
}
