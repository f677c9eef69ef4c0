/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a graph: steps that call kernels on tensors of float32. model.graph shows the format. */
#ifndef GRAPH_GRAPH_H_
#define GRAPH_GRAPH_H_

#include <tvm/ffi/c.h>

/* A kernel that `symbol` steps call as a C function. */
typedef struct {
  const char *name;
  TVMFFISafeCallType kernel;
} graph_symbol;

enum { kMaxTensors = 16, kMaxSteps = 16, kMaxArgs = 8, kMaxDims = 4, kMaxName = 32 };

typedef enum { kInput, kOutput, kWeight, kLocal } Role;

typedef struct {
  char name[kMaxName];
  Role role;
  int ndim;
  int64_t shape[kMaxDims]; /* -k is the length named lengths[k - 1] */
  TVMFFIObjectHandle weight;
} GraphTensor;

/* A call of a C function, or of a Function. */
typedef struct {
  TVMFFISafeCallType symbol;
  TVMFFIObjectHandle function;
  bool is_owned; /* an imported one is the module's */
  int num_args;
  int args[kMaxArgs]; /* numbers of tensors */
} Step;

typedef struct {
  int num_tensors, num_steps, num_lengths, num_params;
  GraphTensor tensors[kMaxTensors];
  Step steps[kMaxSteps];
  char lengths[kMaxTensors][kMaxName];
} Graph;

/*
 * Reads a graph, copies its weights and finds its kernels: of symbols, a table that ends with a
 * NULL name; global functions; and functions of modules that library_ctx imports.
 */
int graph_create(const char *text, const float *weights, int64_t num_weights,
                 const graph_symbol *symbols, void *library_ctx, Graph **out);

void graph_free(Graph *graph);

/* Runs all steps. The arguments are the inputs and outputs, in the order of the graph. Several
 * threads may do so at a time. */
int graph_run(const Graph *graph, const tvm_ffi_args *args);

/* A Tensor of float32, which kernels may keep and pass on to Python. */
int graph_create_tensor(int ndim, const int64_t *shape, TVMFFIObjectHandle *out);

#endif /* GRAPH_GRAPH_H_ */
