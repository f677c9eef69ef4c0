/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on tensors, the environment and modules. */
#include "bench.h"

static int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
static float data[6], output[6];

/* Without a deleter, because its memory is static. */
static DLManagedTensorVersioned *managed_tensor(DLManagedTensorVersioned *out, float *elements) {
  out->version.major = 1;
  out->dl_tensor.data = elements;
  out->dl_tensor.device.device_type = kDLCPU;
  out->dl_tensor.ndim = 2;
  out->dl_tensor.dtype.code = kDLFloat;
  out->dl_tensor.dtype.bits = 32;
  out->dl_tensor.dtype.lanes = 1;
  out->dl_tensor.shape = shape;
  out->dl_tensor.strides = strides;
  return out;
}

DLManagedTensorVersioned *bench_managed_tensor(void) {
  static DLManagedTensorVersioned managed;
  return managed_tensor(&managed, data);
}

DLManagedTensorVersioned *bench_managed_output(void) {
  static DLManagedTensorVersioned managed;
  return managed_tensor(&managed, output);
}

int bench_allocator(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)error_ctx;
  (void)set_error;
  *out = bench_managed_tensor();
  return 0;
}

int bench_tensor_from_dlpack(bench_state *s, size_t calls) {
  DLManagedTensorVersioned *managed = bench_managed_tensor();
  int wrong = 0;
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle tensor;
    wrong |= s->api.TensorFromDLPackVersioned(managed, 0, 0, &tensor);
    wrong |= s->api.ObjectDecRef(tensor);
  }
  return wrong;
}

int bench_tensor_to_dlpack(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) {
    DLManagedTensorVersioned *managed;
    wrong |= s->api.TensorToDLPackVersioned(s->tensor, &managed);
    wrong |= managed->dl_tensor.data != data;
    managed->deleter(managed);
  }
  return wrong;
}

int bench_allocate_tensor(bench_state *s, size_t calls) {
  DLTensor prototype = bench_managed_tensor()->dl_tensor;
  int wrong = 0;
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle tensor;
    wrong |= s->api.EnvTensorAlloc(&prototype, &tensor);
    wrong |= s->api.ObjectDecRef(tensor);
  }
  return wrong;
}

int bench_get_stream(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) wrong |= s->api.EnvGetStream(kDLCUDA, 0) != data;
  return wrong;
}

int bench_set_stream(bench_state *s, size_t calls) {
  TVMFFIStreamHandle old = NULL;
  int wrong = 0;
  for (; calls != 0; --calls) wrong |= s->api.EnvSetStream(kDLCUDA, 0, data, &old);
  return wrong != 0 || (old != NULL && old != data);
}

int bench_module_get_function(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  int wrong = 0;
  args[0] = bench_any(kTVMFFIModule);
  args[0].v_ptr = s->module;
  args[1] = bench_text("bench_add");
  args[2] = bench_any(kTVMFFIBool);
  for (; calls != 0; --calls) {
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(s->get_function, args, 3, &result);
    wrong |= s->api.ObjectDecRef(result.v_obj);
  }
  return wrong != 0 || result.type_index != kTVMFFIFunction;
}

#ifdef BENCH_VIEWS
/* A kernel of the C++ layer with three parameters TensorView, whose arguments are DLTensors. */
int bench_call_views(bench_state *s, size_t calls) {
  DLTensor tensors[3];
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  int wrong = 0, i;
  for (i = 0; i < 3; ++i) {
    tensors[i] = bench_managed_tensor()->dl_tensor;
    args[i] = bench_any(kTVMFFIDLTensorPtr);
    args[i].v_ptr = &tensors[i];
  }
  for (; calls != 0; --calls) {
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(s->views_kernel, args, 3, &result);
  }
  return wrong != 0 || result.v_int64 != 8;
}
#endif

int bench_module_call(bench_state *s, size_t calls) {
  TVMFFIAny args[2], result;
  int wrong = 0;
  args[0] = args[1] = bench_any(kTVMFFITensor);
  args[0].v_ptr = s->tensor;
  args[1].v_ptr = s->output;
  output[0] = 0.0f;
  for (; calls != 0; --calls) {
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(s->kernel, args, 2, &result);
  }
  return wrong != 0 || output[0] != data[0] + 1.0f;
}
