/* SPDX-License-Identifier: Apache-2.0 */
/* The model as a library, or as a part of a program: one function that runs the graph. The graph
 * and its weights are in model_files.c, which `tvm-ffi embed` makes of the files; the kernels in
 * kernels.c, which demos/compiler makes. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "graph.h"
#include "model_files.h"
#include "npy.h"

TVM_FFI_DLL int __tvm_ffi_dense(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result);
TVM_FFI_DLL int __tvm_ffi_relu(void *self, const TVMFFIAny *args, int32_t num_args,
                               TVMFFIAny *result);
TVM_FFI_DLL int __tvm_ffi_softmax(void *self, const TVMFFIAny *args, int32_t num_args,
                                  TVMFFIAny *result);

/* The loader stores this library's module here, for TVMFFIEnvModLookupFromImports. */
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

/* Global functions, which hosts may replace. A function `finish` in a module that the host imports
 * is found before the global one. */
TVM_FFI_C_REGISTER_GLOBAL("signs.relu", __tvm_ffi_relu);
TVM_FFI_C_REGISTER_GLOBAL("finish", __tvm_ffi_softmax);

static const graph_symbol symbols[] = {{"dense", __tvm_ffi_dense}, {NULL, NULL}};

/* Text that ends with a NUL, of a file that does not. */
static int copy_text(const unsigned char *bytes, size_t size, char **out) {
  char *text = (char *)malloc(size + 1);
  if (text == NULL) return tvm_ffi_error_raise_memory();
  memcpy(text, bytes, size);
  text[size] = '\0';
  *out = text;
  return 0;
}

static int load_model(void **out) {
  char *text = NULL;
  float *weights = NULL;
  Graph *graph = NULL;
  int64_t count;
  int code = copy_text(model_files_model_graph, model_files_model_graph_size, &text);
  if (code == 0) {
    code =
        npy_read_float32(model_files_weights_npy, model_files_weights_npy_size, &weights, &count);
  }
  if (code == 0) {
    code = graph_create(text, weights, count, symbols, __tvm_ffi__library_ctx, &graph);
  }
  free(text);
  free(weights);
  if (code == 0) *out = graph;
  return code;
}

TVM_FFI_C_EXPORT_DOC(predict,
                     "Whether the numbers in each row have the same sign, and different signs.");

/* The first call loads the model. It stays as long as the library does: until the process ends. */
TVM_FFI_C_EXPORT(predict, "(0: DLTensor*, 1: DLTensor*) -> void") {
  static void *model;
  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&model, load_model));
  return graph_run((const Graph *)model, args);
}

#ifdef SYSTEM_LIBRARY
/* In a program, the runtime finds symbols in a table. The kernels enter theirs in kernels.c. */
static void enter(const char *symbol, void *address) {
  if (TVMFFIEnvModRegisterSystemLibSymbol(symbol, address) != 0) tvm_ffi_error_print_raised(stderr);
}

__attribute((constructor)) static void enter_model(void) {
  TVMFFISafeCallType function = __tvm_ffi_predict;
  void *address;
  memcpy(&address, &function, sizeof address);
  enter("__tvm_ffi_signs_predict", address);
  enter("signs___tvm_ffi__library_ctx", &__tvm_ffi__library_ctx);
}
#endif
