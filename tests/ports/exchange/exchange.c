/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a module and a graph of objects to files, or reads such files:
 *
 *     exchange write FOLDER
 *     exchange read FOLDER
 *
 * The files of one processor are read on another, so they must have the same bytes on all. They
 * hold the module and the objects of the samples 07_custom_module and 18_object_graph. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "layer.h"
#include "polynomial.h"

/* ---- Files ---- */

typedef struct {
  char data[4096];
  size_t size;
} content;

static int open_file(const char *folder, const char *name, const char *mode, FILE **out) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  *out = fopen(path, mode);
  TVM_FFI_C_CHECK(*out != NULL, TVM_FFI_C_RUNTIME_ERROR, "cannot open %s", path);
  return 0;
}

static int write_file(const char *folder, const char *name, TVMFFIByteArray bytes) {
  FILE *file;
  bool written;
  TVM_FFI_C_TRY(open_file(folder, name, "wb", &file));
  written = fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
  written = fclose(file) == 0 && written;
  TVM_FFI_C_CHECK(written, TVM_FFI_C_RUNTIME_ERROR, "cannot write %s", name);
  return 0;
}

static int read_file(const char *folder, const char *name, content *out) {
  FILE *file;
  TVM_FFI_C_TRY(open_file(folder, name, "rb", &file));
  out->size = fread(out->data, 1, sizeof out->data, file);
  (void)fclose(file);
  TVM_FFI_C_CHECK(out->size < sizeof out->data, TVM_FFI_C_RUNTIME_ERROR, "%s is too large", name);
  return 0;
}

/* ---- The module: the library, which imports a module of polynomials ---- */

static int get_no_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                           TVMFFIObjectHandle *out) {
  (void)self, (void)module, (void)name, (void)out;
  return 0;
}

/* Stands for the library that embeds the bytes. */
static const TVMFFIRuntimeModuleVTable library_to_be = {
    .struct_size = sizeof(TVMFFIRuntimeModuleVTable),
    .kind = "c",
    .property_mask = kTVMFFIRuntimeModuleCompilationExportable,
    .get_function = get_no_function,
};

static int write_module(const char *folder) {
  TVMFFIObjectHandle library, polynomials;
  TVMFFIAny args[2], result, packed;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(TVMFFIRuntimeModuleCreate(&library_to_be, NULL, &library));
  TVM_FFI_C_TRY(
      polynomial_create(tvm_ffi_string_get_bytes("smoothstep: 0 0 3 -2\n"), &polynomials));
  args[0] = tvm_ffi_any_view_object(library);
  args[1] = tvm_ffi_any_view_object(polynomials);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleImportModule", args, 2, &result));
  TVM_FFI_C_TRY(TVMFFIRuntimeModulePack(library, &packed));
  TVM_FFI_C_TRY(tvm_ffi_any_read_bytes(&packed, &bytes));
  TVM_FFI_C_TRY(write_file(folder, "module.bin", bytes));
  tvm_ffi_any_clear(&packed);
  tvm_ffi_object_release(polynomials);
  tvm_ffi_object_release(library);
  return 0;
}

static int read_module(const char *folder) {
  static content embedded; /* as in a library: it stays */
  TVMFFIAny args[3], module, function, result;
  TVM_FFI_C_TRY(polynomial_register_loaders());
  TVM_FFI_C_TRY(read_file(folder, "module.bin", &embedded));
  TVM_FFI_C_TRY(
      TVMFFIEnvModRegisterSystemLibSymbol("exchange___tvm_ffi__library_bin", embedded.data));
  args[0] = tvm_ffi_any_view_string("exchange_");
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.SystemLib", args, 1, &module));
  args[0] = module;
  args[1] = tvm_ffi_any_view_string("smoothstep");
  args[2] = tvm_ffi_any_from_bool(true); /* it is imported */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunction", args, 3, &function));
  TVM_FFI_C_CHECK(function.type_index == kTVMFFIFunction, TVM_FFI_C_RUNTIME_ERROR,
                  "the module has no smoothstep");
  args[0] = tvm_ffi_any_from_double(0.25);
  TVM_FFI_C_TRY(tvm_ffi_function_call(function.v_obj, args, 1, &result));
  printf("smoothstep(0.25) = %g\n", result.v_float64);
  tvm_ffi_any_clear(&function);
  tvm_ffi_any_clear(&module);
  return 0;
}

/* ---- The graph: two layers on one, and every kind of value that has its own text in graphs ----
 */

static int make_layer(const char *name, int64_t units, TVMFFIObjectHandle inputs, TVMFFIAny *out) {
  int64_t shape[2] = {INT64_C(0x0102030405060708), 3};
  TVMFFIObjectHandle weights;
  TVM_FFI_C_TRY(tvm_ffi_shape_create(shape, 2, &weights));
  TVM_FFI_C_TRY(layer_create(name, units, tvm_ffi_any_view_object(weights),
                             tvm_ffi_any_view_object(inputs), out));
  tvm_ffi_object_release(weights);
  return 0;
}

/* [own] An array of two layers with one input. */
static int make_layers(TVMFFIAny *out) {
  TVMFFIObjectHandle none, inputs, array;
  TVMFFIAny image, layers[2];
  TVM_FFI_C_TRY(tvm_ffi_array_create(NULL, 0, &none));
  TVM_FFI_C_TRY(make_layer("image", 784, none, &image));
  TVM_FFI_C_TRY(tvm_ffi_array_create(&image, 1, &inputs));
  TVM_FFI_C_TRY(make_layer("digit", -10, inputs, &layers[0]));
  TVM_FFI_C_TRY(make_layer("a name of more than 7 bytes", INT64_MIN, inputs, &layers[1]));
  TVM_FFI_C_TRY(tvm_ffi_array_create(layers, 2, &array));
  *out = tvm_ffi_any_take_object(array);
  tvm_ffi_any_clear(&image);
  tvm_ffi_any_clear(&layers[0]);
  tvm_ffi_any_clear(&layers[1]);
  tvm_ffi_object_release(inputs);
  tvm_ffi_object_release(none);
  return 0;
}

static int parse_graph(const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIAny owned;
  TVM_FFI_C_TRY(tvm_ffi_string_create_sized(text, size, &owned));
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.FromJSONGraphString", &owned, 1, out));
  tvm_ffi_any_clear(&owned);
  return 0;
}

static int make_graph(TVMFFIAny *out) {
  static const char big[] =
      "{\"root_index\":0,\"nodes\":[{\"type\":\"ffi.BigInt\",\"data\":\"18446744073709551615\"}]}";
  TVMFFIByteArray few = {"\001\002\377", 3},
                  many = {"\000\001\002\003\004\005\006\007\376\377", 10};
  TVMFFIObjectHandle array;
  TVMFFIAny items[10];
  TVM_FFI_C_TRY(make_layers(&items[0]));
  TVM_FFI_C_TRY(parse_graph(big, sizeof big - 1, &items[1]));
  items[2] = tvm_ffi_any_from_int64(INT64_C(0x0102030405060708));
  items[3] = tvm_ffi_any_from_double(0.1);
  items[4] = tvm_ffi_any_from_dtype(TVM_FFI_C_BFLOAT16);
  items[5] = tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 1));
  items[6] = tvm_ffi_any_view_bytes(&few);
  items[7] = tvm_ffi_any_view_bytes(&many);
  items[8] = tvm_ffi_any_from_bool(true);
  items[9] = tvm_ffi_any_none();
  TVM_FFI_C_TRY(tvm_ffi_array_create(items, 10, &array));
  *out = tvm_ffi_any_take_object(array);
  tvm_ffi_any_clear(&items[0]);
  tvm_ffi_any_clear(&items[1]);
  return 0;
}

static int write_graph(const char *folder) {
  TVMFFIAny args[2], text;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(make_graph(&args[0]));
  args[1] = tvm_ffi_any_none();
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ToJSONGraphString", args, 2, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &bytes));
  TVM_FFI_C_TRY(write_file(folder, "graph.json", bytes));
  tvm_ffi_any_clear(&text);
  tvm_ffi_any_clear(&args[0]);
  return 0;
}

static int print_graph(TVMFFIAny graph) {
  TVMFFIAny args[4], text, made, equal, hash;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ReprPrint", &graph, 1, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &bytes));
  printf("%s\n", bytes.data);
  tvm_ffi_any_clear(&text);
  TVM_FFI_C_TRY(make_graph(&made));
  args[0] = graph, args[1] = made;
  args[2] = args[3] = tvm_ffi_any_from_bool(false); /* map free variables, skip tensors' data */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralEqual", args, 4, &equal));
  printf("equal to one made here: %s\n", equal.v_int64 != 0 ? "yes" : "no");
  /* Not the hash of all: short bytes are hashed by their image in memory. */
  args[1] = tvm_ffi_array_get_data(graph.v_obj)[0];
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralHash", &args[1], 3, &hash));
  printf("hash of the layers: %016llx\n", (unsigned long long)hash.v_int64);
  tvm_ffi_any_clear(&made);
  return 0;
}

static int read_graph(const char *folder) {
  content text;
  TVMFFIAny graph;
  TVM_FFI_C_TRY(layer_register());
  TVM_FFI_C_TRY(read_file(folder, "graph.json", &text));
  TVM_FFI_C_TRY(parse_graph(text.data, text.size, &graph));
  TVM_FFI_C_TRY(print_graph(graph));
  tvm_ffi_any_clear(&graph);
  return 0;
}

static int write_all(const char *folder) {
  TVM_FFI_C_TRY(layer_register());
  TVM_FFI_C_TRY(write_module(folder));
  return write_graph(folder);
}

static int read_all(const char *folder) {
  TVM_FFI_C_TRY(read_module(folder));
  return read_graph(folder);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if ((strcmp(argv[1], "write") == 0 ? write_all : read_all)(argv[2]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
