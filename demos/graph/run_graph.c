/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the steps of a graph. */
#include "graph.h"

static int allocate(void *context, DLTensor *tensor, size_t size) {
  (void)context;
  tensor->data = malloc(size > 0 ? size : 1);
  return tensor->data != NULL ? 0 : tvm_ffi_error_raise_memory();
}

static void deallocate(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
}

int graph_create_tensor(int ndim, const int64_t *shape, TVMFFIObjectHandle *out) {
  static const tvm_ffi_tensor_allocator allocator = {allocate, deallocate, NULL};
  return tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32,
                                    ndim, shape, out);
}

/* Checks an argument; lengths that are not known yet (-1) become what it has. */
static int check_param(const tvm_ffi_args *args, int i, const GraphTensor *tensor,
                       int64_t *lengths) {
  DLTensor *got;
  int dim;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &got));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, tensor->ndim));
  for (dim = 0; dim < tensor->ndim; ++dim) {
    int64_t length = tensor->shape[dim];
    if (length < 0) {
      int64_t *known = &lengths[-length - 1];
      if (*known < 0) *known = got->shape[dim];
      length = *known;
    }
    TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, i, dim, length));
  }
  return 0;
}

static int create_local(const GraphTensor *tensor, const int64_t *lengths,
                        TVMFFIObjectHandle *out) {
  int64_t shape[kMaxDims];
  int dim;
  for (dim = 0; dim < tensor->ndim; ++dim) {
    shape[dim] = tensor->shape[dim] < 0 ? lengths[-tensor->shape[dim] - 1] : tensor->shape[dim];
  }
  return graph_create_tensor(tensor->ndim, shape, out);
}

/* The value of every tensor: an argument, a weight, or a new Tensor, which is also put in locals.
 */
static int fill_values(const Graph *graph, const tvm_ffi_args *args, TVMFFIAny *values,
                       TVMFFIObjectHandle *locals) {
  int64_t lengths[kMaxTensors];
  int i, num_params = 0;
  for (i = 0; i < kMaxTensors; ++i) lengths[i] = -1;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, graph->num_params));
  for (i = 0; i < graph->num_tensors; ++i) {
    const GraphTensor *tensor = &graph->tensors[i];
    if (tensor->role == kWeight) {
      values[i] = tvm_ffi_any_view_object(tensor->weight);
    } else if (tensor->role != kLocal) {
      TVM_FFI_C_TRY(check_param(args, num_params, tensor, lengths));
      values[i] = args->args[num_params++];
    }
  }
  for (i = 0; i < graph->num_tensors; ++i) {
    if (graph->tensors[i].role != kLocal) continue;
    TVM_FFI_C_TRY(create_local(&graph->tensors[i], lengths, &locals[i]));
    values[i] = tvm_ffi_any_view_object(locals[i]);
  }
  return 0;
}

static int run_step(const Step *step, const TVMFFIAny *values) {
  TVMFFIAny packed[kMaxArgs], result = tvm_ffi_any_none();
  int i, code;
  for (i = 0; i < step->num_args; ++i) packed[i] = values[step->args[i]];
  if (step->symbol == NULL) {
    return tvm_ffi_function_call_void(step->function, packed, step->num_args);
  }
  code = step->symbol(NULL, packed, step->num_args, &result);
  tvm_ffi_any_clear(&result);
  return code;
}

int graph_run(const Graph *graph, const tvm_ffi_args *args) {
  TVMFFIAny values[kMaxTensors];
  TVMFFIObjectHandle locals[kMaxTensors] = {NULL};
  int i, code = fill_values(graph, args, values, locals);
  for (i = 0; code == 0 && i < graph->num_steps; ++i) code = run_step(&graph->steps[i], values);
  for (i = 0; i < graph->num_tensors; ++i) tvm_ffi_object_release(locals[i]);
  return code;
}

void graph_free(Graph *graph) {
  int i;
  for (i = 0; i < kMaxTensors; ++i) tvm_ffi_object_release(graph->tensors[i].weight);
  for (i = 0; i < kMaxSteps; ++i) {
    if (graph->steps[i].is_owned) tvm_ffi_object_release(graph->steps[i].function);
  }
  free(graph);
}
