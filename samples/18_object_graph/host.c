/* SPDX-License-Identifier: Apache-2.0 */
/* Saves a graph of objects as JSON and loads it again: an object shared by several is still
 * shared. */
#include <stdlib.h>
#include <tvm/ffi/c.h>

#include "layer.h"

/* ---- The graph ---- */

/* [own] A layer on top of one other. */
static int make_layer(const char *name, int64_t units, int64_t inputs, TVMFFIAny below,
                      TVMFFIAny *out) {
  TVMFFIObjectHandle array = NULL, weights = NULL;
  int64_t shape[2];
  int code;
  shape[0] = units, shape[1] = inputs;
  code = tvm_ffi_array_create(&below, 1, &array);
  if (code == 0) code = tvm_ffi_shape_create(shape, 2, &weights);
  if (code == 0) {
    code = layer_create(name, units, tvm_ffi_any_view_object(weights),
                        tvm_ffi_any_view_object(array), out);
  }
  tvm_ffi_object_release(array);
  tvm_ffi_object_release(weights);
  return code;
}

/* [own] {"name": ..., "heads": [two layers on top of one]} */
static int make_network(TVMFFIAny *out) {
  TVMFFIObjectHandle none = NULL, heads = NULL, map = NULL;
  TVMFFIAny image, trunk, layers[2], items[4];
  TVM_FFI_C_TRY(tvm_ffi_array_create(NULL, 0, &none));
  TVM_FFI_C_TRY(
      layer_create("image", 784, tvm_ffi_any_none(), tvm_ffi_any_view_object(none), &image));
  TVM_FFI_C_TRY(make_layer("trunk", 128, 784, image, &trunk));
  TVM_FFI_C_TRY(make_layer("digit", 10, 128, trunk, &layers[0]));
  TVM_FFI_C_TRY(make_layer("is this a digit at all?", 2, 128, trunk, &layers[1]));
  TVM_FFI_C_TRY(tvm_ffi_array_create(layers, 2, &heads));
  items[0] = tvm_ffi_any_view_string("name"), items[1] = tvm_ffi_any_view_string("two heads");
  items[2] = tvm_ffi_any_view_string("heads"), items[3] = tvm_ffi_any_view_object(heads);
  TVM_FFI_C_TRY(tvm_ffi_map_create(items, 2, &map));
  tvm_ffi_object_release(none);
  tvm_ffi_object_release(heads);
  tvm_ffi_any_clear(&image);
  tvm_ffi_any_clear(&trunk);
  tvm_ffi_any_clear(&layers[0]);
  tvm_ffi_any_clear(&layers[1]);
  *out = tvm_ffi_any_take_object(map);
  return 0;
}

/* ---- Files ---- */

static int write_file(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "cannot write %s", path);
  }
  return 0;
}

static int save(TVMFFIAny graph, const char *path) {
  TVMFFIAny args[2], text;
  TVMFFIByteArray bytes;
  int code;
  args[0] = graph;
  args[1] = tvm_ffi_any_none(); /* no metadata beside the graph */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ToJSONGraphString", args, 2, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &bytes));
  code = write_file(path, bytes.data, bytes.size);
  tvm_ffi_any_clear(&text);
  return code;
}

static int load(const char *path, TVMFFIAny *out) {
  char buffer[4096];
  TVMFFIAny text;
  size_t size;
  int code;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "cannot open %s", path);
  size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  TVM_FFI_C_TRY(tvm_ffi_string_create_sized(buffer, size, &text));
  code = tvm_ffi_function_call_global("ffi.FromJSONGraphString", &text, 1, out);
  tvm_ffi_any_clear(&text);
  return code == 0 ? 0
                   : tvm_ffi_error_wrap(TVM_FFI_C_VALUE_ERROR, "there is no network in the file");
}

/* ---- The loaded graph ---- */

static int print_repr(TVMFFIAny value) {
  TVMFFIAny text;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ReprPrint", &value, 1, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &bytes));
  printf("%.*s\n", (int)bytes.size, bytes.data);
  tvm_ffi_any_clear(&text);
  return 0;
}

/* [own] The one input of a head. */
static int get_trunk(TVMFFIAny heads, int head, TVMFFIAny *out) {
  layer *l;
  TVM_FFI_C_TRY(layer_read(&tvm_ffi_array_get_data(heads.v_obj)[head], &l));
  return tvm_ffi_any_copy(&tvm_ffi_array_get_data(l->inputs.v_obj)[0], out);
}

static int compare(TVMFFIAny made, TVMFFIAny loaded) {
  TVMFFIAny args[4], equal, hashes[2], heads, trunks[2];
  TVM_FFI_C_TRY(tvm_ffi_map_get_item(loaded.v_obj, tvm_ffi_any_view_string("heads"), &heads));
  TVM_FFI_C_TRY(get_trunk(heads, 0, &trunks[0]));
  TVM_FFI_C_TRY(get_trunk(heads, 1, &trunks[1]));
  printf("both heads are on one trunk: %s\n", trunks[0].v_obj == trunks[1].v_obj ? "yes" : "no");
  args[0] = made, args[1] = loaded;
  args[2] = args[3] = tvm_ffi_any_from_bool(false); /* map free variables, skip tensors' data */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralEqual", args, 4, &equal));
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralHash", &args[1], 3, &hashes[1]));
  args[1] = made;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralHash", &args[1], 3, &hashes[0]));
  printf("structurally equal: %s, hashes: %s\n", equal.v_int64 != 0 ? "yes" : "no",
         hashes[0].v_int64 == hashes[1].v_int64 ? "equal" : "not equal");
  tvm_ffi_any_clear(&trunks[0]);
  tvm_ffi_any_clear(&trunks[1]);
  tvm_ffi_any_clear(&heads);
  return 0;
}

/* Truncated files, and files of JSON that is no graph of layers. */
static int show_damaged(const char *path) {
  static const char *const texts[] = {
      "{\"root_index\": 2, \"nodes\": [{\"type\": \"int\", \"data\": 1}, {\"ty",
      "{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Array\", \"data\": [7]}]}",
      "{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Array\", \"data\": [0]}]}",
      "{\"root_index\": 0, \"nodes\": [{\"type\": \"sample.Lawyer\", \"data\": {}}]}",
      "{\"root_index\": 1, \"nodes\": [{\"type\": \"int\", \"data\": 1},"
      " {\"type\": \"sample.Layer\", \"data\": {\"name\": 0}}]}",
      "{\"root_index\": 1, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"image\"},"
      " {\"type\": \"sample.Layer\", \"data\": {\"name\": 0, \"units\": 784}}]}",
  };
  TVMFFIAny graph;
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    TVM_FFI_C_TRY(write_file(path, texts[i], strlen(texts[i])));
    if (load(path, &graph) == 0) {
      tvm_ffi_any_clear(&graph);
      return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "a damaged file was loaded");
    }
    tvm_ffi_error_print_raised(stdout);
  }
  return 0;
}

static int run(const char *path) {
  TVMFFIAny made, loaded;
  TVM_FFI_C_TRY(layer_register());
  TVM_FFI_C_TRY(make_network(&made));
  TVM_FFI_C_TRY(save(made, path));
  TVM_FFI_C_TRY(load(path, &loaded));
  TVM_FFI_C_TRY(print_repr(loaded));
  TVM_FFI_C_TRY(compare(made, loaded));
  tvm_ffi_any_clear(&made);
  tvm_ffi_any_clear(&loaded);
  return show_damaged(path);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (run(argv[1]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
