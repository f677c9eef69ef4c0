/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of a graph, line by line. */
#include <ctype.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "graph.h"

typedef struct {
  const char *at;
  int line;
  Graph *graph;
  const float *weights;
  int64_t num_weights;
  const graph_symbol *symbols;
  void *library_ctx;
} Reader;

static int fail(const Reader *reader, const char *expected) {
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "the graph, line %d: expected %s", reader->line,
                         expected);
}

static void skip_space(Reader *reader) {
  reader->at += strspn(reader->at, " \t");
}

static bool take(Reader *reader, char c) {
  skip_space(reader);
  if (*reader->at != c) return false;
  ++reader->at;
  return true;
}

/* Letters, digits, `_` and `.`; at least one of them. */
static int read_name(Reader *reader, char *name) {
  size_t length = 0;
  skip_space(reader);
  while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_' ||
         reader->at[length] == '.') {
    ++length;
  }
  if (length == 0 || length >= kMaxName) return fail(reader, "a name of up to 31 characters");
  memcpy(name, reader->at, length);
  name[length] = '\0';
  reader->at += length;
  return 0;
}

static int find_tensor(const Graph *graph, const char *name) {
  int i;
  for (i = 0; i < graph->num_tensors && strcmp(graph->tensors[i].name, name) != 0; ++i) {
  }
  return i;
}

/* A number, or the name of a length that the inputs have. */
static int read_length(Reader *reader, const GraphTensor *tensor, int64_t *out) {
  Graph *graph = reader->graph;
  char name[kMaxName];
  int i;
  TVM_FFI_C_TRY(read_name(reader, name));
  if (isdigit((unsigned char)*name)) {
    *out = strtol(name, NULL, 10);
    return *out > 0 ? 0 : fail(reader, "a length of at least 1");
  }
  for (i = 0; i < graph->num_lengths && strcmp(graph->lengths[i], name) != 0; ++i) {
  }
  if (i == graph->num_lengths) {
    if (tensor->role != kInput || i == kMaxTensors) return fail(reader, "a length of an input");
    memcpy(graph->lengths[graph->num_lengths++], name, sizeof name);
  }
  *out = -(i + 1);
  return 0;
}

/* The next weights belong to this tensor. */
static int read_weight(Reader *reader, GraphTensor *tensor) {
  int64_t count = 1;
  int dim;
  for (dim = 0; dim < tensor->ndim; ++dim) {
    if (tensor->shape[dim] < 0) return fail(reader, "numbers as the lengths of a weight");
    if (tensor->shape[dim] > reader->num_weights / count) return fail(reader, "more weights");
    count *= tensor->shape[dim];
  }
  TVM_FFI_C_TRY(graph_create_tensor(tensor->ndim, tensor->shape, &tensor->weight));
  memcpy(TVMFFITensorGetDLTensorPtr(tensor->weight)->data, reader->weights,
         (size_t)count * sizeof *reader->weights);
  reader->weights += count;
  reader->num_weights -= count;
  return 0;
}

/* x[n, 2] */
static int read_tensor(Reader *reader, Role role) {
  Graph *graph = reader->graph;
  GraphTensor *tensor = &graph->tensors[graph->num_tensors];
  if (graph->num_tensors == kMaxTensors) return fail(reader, "no more than 16 tensors");
  tensor->role = role;
  TVM_FFI_C_TRY(read_name(reader, tensor->name));
  if (find_tensor(graph, tensor->name) < graph->num_tensors) return fail(reader, "another name");
  if (!take(reader, '[')) return fail(reader, "`[`");
  do {
    if (tensor->ndim == kMaxDims) return fail(reader, "no more than 4 lengths");
    TVM_FFI_C_TRY(read_length(reader, tensor, &tensor->shape[tensor->ndim]));
    ++tensor->ndim;
  } while (take(reader, ','));
  if (!take(reader, ']')) return fail(reader, "`]`");
  ++graph->num_tensors;
  if (role == kWeight) return read_weight(reader, tensor);
  graph->num_params += role != kLocal;
  return 0;
}

static int find_kernel(const Reader *reader, const char *way, const char *name, Step *step) {
  const graph_symbol *symbol;
  if (strcmp(way, "global") == 0) {
    step->is_owned = true;
    return tvm_ffi_function_get_global(name, &step->function);
  }
  if (strcmp(way, "import") == 0) {
    return TVMFFIEnvModLookupFromImports(reader->library_ctx, name, &step->function);
  }
  if (strcmp(way, "symbol") != 0) {
    return fail(reader, "input, output, weight, local, symbol, global or import");
  }
  for (symbol = reader->symbols; symbol->name != NULL; ++symbol) {
    if (strcmp(symbol->name, name) == 0) step->symbol = symbol->kernel;
  }
  return step->symbol != NULL ? 0 : fail(reader, "the name of a kernel in this program");
}

/* dense(x, w1, b1, scores1); `way` has been read. */
static int read_step(Reader *reader, const char *way) {
  Graph *graph = reader->graph;
  Step *step = &graph->steps[graph->num_steps];
  char name[kMaxName];
  if (graph->num_steps == kMaxSteps) return fail(reader, "no more than 16 steps");
  TVM_FFI_C_TRY(read_name(reader, name));
  TVM_FFI_C_TRY(find_kernel(reader, way, name, step));
  ++graph->num_steps;
  if (!take(reader, '(')) return fail(reader, "`(`");
  do {
    if (step->num_args == kMaxArgs) return fail(reader, "no more than 8 arguments");
    TVM_FFI_C_TRY(read_name(reader, name));
    step->args[step->num_args] = find_tensor(graph, name);
    if (step->args[step->num_args++] == graph->num_tensors) return fail(reader, "a tensor");
  } while (take(reader, ','));
  return take(reader, ')') ? 0 : fail(reader, "`)`");
}

static int read_line(Reader *reader) {
  static const char *const roles[] = {"input", "output", "weight", "local"};
  char word[kMaxName];
  int i;
  TVM_FFI_C_TRY(read_name(reader, word));
  for (i = 0; i < 4; ++i) {
    if (strcmp(word, roles[i]) == 0) return read_tensor(reader, (Role)i);
  }
  return read_step(reader, word);
}

static int read_graph(Reader *reader) {
  for (reader->line = 1; *reader->at != '\0'; ++reader->line) {
    skip_space(reader);
    if (*reader->at != '#' && *reader->at != '\n') {
      TVM_FFI_C_TRY(read_line(reader));
      skip_space(reader);
    }
    if (*reader->at == '#') reader->at += strcspn(reader->at, "\n");
    if (*reader->at == '\n') {
      ++reader->at;
    } else if (*reader->at != '\0') {
      return fail(reader, "the end of the line");
    }
  }
  return reader->num_weights == 0 ? 0 : fail(reader, "fewer weights in the file");
}

int graph_create(const char *text, const float *weights, int64_t num_weights,
                 const graph_symbol *symbols, void *library_ctx, Graph **out) {
  Reader reader = {text, 0, NULL, weights, num_weights, symbols, library_ctx};
  int code;
  reader.graph = (Graph *)calloc(1, sizeof *reader.graph);
  if (reader.graph == NULL) return tvm_ffi_error_raise_memory();
  code = read_graph(&reader);
  if (code == 0) {
    *out = reader.graph;
  } else {
    graph_free(reader.graph);
  }
  return code;
}
