/* SPDX-License-Identifier: Apache-2.0 */
#include "polynomial.h"

#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

enum { kMaxPolynomials = 16, kMaxCoefficients = 16, kMaxSource = 4096 };

typedef struct {
  TVMFFIByteArray name, coefficients; /* point into the source */
  double values[kMaxCoefficients];
  int num_values;
} polynomial;

/* The data of a module. It does not change, so threads may use it without a lock. */
typedef struct {
  polynomial items[kMaxPolynomials];
  int count;
  size_t source_size;
  char source[kMaxSource]; /* with a NUL */
} polynomials;

/* ---- The source ---- */

/* Reads a line and returns the next one, or NULL with the error raised. */
static const char *parse_line(const char *cursor, int line, polynomial *out) {
  char *end;
  out->name.data = cursor;
  out->name.size = strcspn(cursor, ":\n");
  if (out->name.size == 0 || cursor[out->name.size] != ':') {
    (void)TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "line %d: expected `name: numbers`", line);
    return NULL;
  }
  cursor += out->name.size + 1;
  cursor += strspn(cursor, " ");
  out->coefficients.data = cursor;
  out->coefficients.size = strcspn(cursor, "\n");
  for (out->num_values = 0; *cursor != '\n' && *cursor != '\0'; cursor += strspn(cursor, " ")) {
    if (out->num_values == kMaxCoefficients) {
      (void)TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "line %d: too many numbers", line);
      return NULL;
    }
    out->values[out->num_values++] = strtod(cursor, &end);
    if (end == cursor) {
      (void)TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "line %d: `%c` is no number", line, *cursor);
      return NULL;
    }
    cursor = end;
  }
  return *cursor == '\n' ? cursor + 1 : cursor;
}

static int parse(polynomials *self) {
  const char *cursor = self->source;
  while (*cursor != '\0') {
    TVM_FFI_C_CHECK(self->count < kMaxPolynomials, TVM_FFI_C_VALUE_ERROR, "too many lines");
    cursor = parse_line(cursor, self->count + 1, &self->items[self->count]);
    if (cursor == NULL) return -1;
    ++self->count;
  }
  TVM_FFI_C_CHECK(self->count > 0, TVM_FFI_C_VALUE_ERROR, "there is no polynomial");
  return 0;
}

static const polynomial *find(const polynomials *self, const TVMFFIByteArray *name) {
  int i;
  for (i = 0; i < self->count; ++i) {
    const polynomial *item = &self->items[i];
    if (item->name.size == name->size && memcmp(item->name.data, name->data, name->size) == 0) {
      return item;
    }
  }
  return NULL;
}

/* ---- The module's functions ---- */

/* A function refers to the module, whose polynomial it evaluates. */
typedef struct {
  TVMFFIObjectHandle module;
  const polynomial *item;
} evaluator;

TVM_FFI_C_FUNCTION(evaluate, "(0: float) -> float") {
  const polynomial *item = ((const evaluator *)args->self)->item;
  double x, sum = 0;
  int i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &x));
  for (i = item->num_values; i-- > 0;) sum = sum * x + item->values[i];
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
}

static void delete_evaluator(void *self) {
  tvm_ffi_object_release(((evaluator *)self)->module);
  free(self);
}

/* ---- The methods ---- */

static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  const polynomial *item = find((const polynomials *)self, name);
  evaluator *state;
  int code;
  if (item == NULL) return 0; /* *out is NULL: not an error, there is no such function */
  state = (evaluator *)malloc(sizeof *state);
  if (state == NULL) return tvm_ffi_error_raise_memory();
  state->module = tvm_ffi_object_retain(module);
  state->item = item;
  code = TVMFFIFunctionCreate(state, evaluate, delete_evaluator, out);
  if (code != 0) delete_evaluator(state);
  return code;
}

/* Avoids making a function only to find out whether there is one. */
static int implements_function(void *self, const TVMFFIByteArray *name, int *out) {
  *out = find((const polynomials *)self, name) != NULL;
  return 0;
}

static int get_function_metadata(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  if (find((const polynomials *)self, name) == NULL) return 0; /* *out is None */
  return tvm_ffi_string_create(
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{"
      "\\\"return\\\":[{\\\"type\\\":\\\"float\\\"}],\\\"params\\\":[{\\\"type\\\":\\\"float\\\"}]}"
      "}\"}",
      out);
}

static int get_function_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  const polynomial *item = find((const polynomials *)self, name);
  if (item == NULL) return 0;
  return tvm_ffi_string_create_formatted(out, "The polynomial with the coefficients %.*s.",
                                         (int)item->coefficients.size, item->coefficients.data);
}

static int inspect_source(void *self, const TVMFFIByteArray *format, TVMFFIAny *out) {
  (void)format; /* there is only one */
  return tvm_ffi_string_create(((const polynomials *)self)->source, out);
}

/* The bytes from which load_from_bytes below makes the module again. */
static int save_to_bytes(void *self, TVMFFIAny *out) {
  const polynomials *module = (const polynomials *)self;
  return tvm_ffi_bytes_create(module->source, module->source_size, out);
}

static int write_to_file(void *self, const TVMFFIByteArray *path, const TVMFFIByteArray *format) {
  const polynomials *module = (const polynomials *)self;
  FILE *file;
  bool written;
  TVM_FFI_C_CHECK(tvm_ffi_string_equal(*format, "poly"), TVM_FFI_C_VALUE_ERROR,
                  "polynomials are not written as `%s`", format->data);
  file = fopen(path->data, "wb");
  TVM_FFI_C_CHECK(file != NULL, TVM_FFI_C_RUNTIME_ERROR, "cannot open %s", path->data);
  written = fwrite(module->source, 1, module->source_size, file) == module->source_size;
  written = fclose(file) == 0 && written;
  TVM_FFI_C_CHECK(written, TVM_FFI_C_RUNTIME_ERROR, "cannot write %s", path->data);
  return 0;
}

static const char *const write_formats[] = {"poly", NULL};

/* One table for all modules of this kind. All but the first four members may be omitted. */
static const TVMFFIRuntimeModuleVTable vtable = {
    .struct_size = sizeof(TVMFFIRuntimeModuleVTable),
    .kind = "polynomial",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleRunnable,
    .get_function = get_function,
    .implements_function = implements_function,
    .get_function_metadata = get_function_metadata,
    .get_function_doc = get_function_doc,
    .save_to_bytes = save_to_bytes,
    .write_to_file = write_to_file,
    .write_formats = write_formats,
    .inspect_source = inspect_source,
    .destroy = free,
};

/* ---- Functions of polynomial.h ---- */

int polynomial_create(TVMFFIByteArray source, TVMFFIObjectHandle *out) {
  polynomials *self;
  int code;
  TVM_FFI_C_CHECK(source.size < kMaxSource, TVM_FFI_C_VALUE_ERROR, "the source is too long");
  self = (polynomials *)calloc(1, sizeof *self);
  if (self == NULL) return tvm_ffi_error_raise_memory();
  memcpy(self->source, source.data, source.size);
  self->source_size = source.size;
  code = parse(self);
  if (code == 0) code = TVMFFIRuntimeModuleCreate(&vtable, self, out);
  if (code != 0) free(self); /* after success it belongs to the module */
  return code;
}

int polynomial_read_count(TVMFFIObjectHandle module, int *out) {
  void *self;
  TVM_FFI_C_TRY(TVMFFIRuntimeModuleGetSelf(module, &vtable, &self));
  *out = ((const polynomials *)self)->count;
  return 0;
}

TVM_FFI_C_FUNCTION(load_from_bytes, "(0: bytes) -> ffi.Module") {
  TVMFFIByteArray source;
  TVMFFIObjectHandle module;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 0, &source));
  TVM_FFI_C_TRY(polynomial_create(source, &module));
  *args->result = tvm_ffi_any_take_object(module);
  return 0;
}

TVM_FFI_C_FUNCTION(load_from_file, "(0: str, 1: str) -> ffi.Module") {
  TVMFFIByteArray path, source;
  TVMFFIObjectHandle module;
  char text[kMaxSource];
  FILE *file;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2)); /* the second is the format: `poly` */
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  file = fopen(path.data, "rb");
  TVM_FFI_C_CHECK(file != NULL, TVM_FFI_C_RUNTIME_ERROR, "cannot open %s", path.data);
  source.data = text;
  source.size = fread(text, 1, sizeof text, file);
  (void)fclose(file);
  TVM_FFI_C_TRY(polynomial_create(source, &module));
  *args->result = tvm_ffi_any_take_object(module);
  return 0;
}

int polynomial_register_loaders(void) {
  TVM_FFI_C_TRY(
      tvm_ffi_function_register("ffi.Module.load_from_bytes.polynomial", load_from_bytes, false));
  return tvm_ffi_function_register("ffi.Module.load_from_file.poly", load_from_file, false);
}
