/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx.h"

#include <pthread.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "driver.h"

enum { kMaxParams = 16, kMaxName = 128, kMaxSignature = 512 /* for that many parameters */ };

/* The data of a module. CUDA loads the source when the first kernel is called. */
typedef struct {
  pthread_mutex_t lock;
  void *library; /* NULL until then */
  size_t size;
  char source[]; /* with a NUL */
} ptx;

/* ---- The source ---- */

typedef enum { kInt32, kInt64, kFloat32, kFloat64 } param_type;
static const char *const type_names[] = {"int", "DLTensor* | int", "float", "float"};

static const struct {
  const char *name;
  param_type type;
} param_types[] = {{".u64", kInt64}, {".s64", kInt64}, {".b64", kInt64},   {".u32", kInt32},
                   {".s32", kInt32}, {".b32", kInt32}, {".f32", kFloat32}, {".f64", kFloat64}};

/* The position after the name of a kernel, or NULL. A kernel: `.entry name(.param .u64
 * name_param_0, ...)`. */
static const char *find_kernel(const ptx *self, TVMFFIByteArray name) {
  static const char entry[] = ".entry ";
  const char *cursor = self->source;
  while ((cursor = strstr(cursor, entry)) != NULL) {
    cursor += sizeof entry - 1;
    if (strcspn(cursor, "( \t\r\n") == name.size && memcmp(cursor, name.data, name.size) == 0) {
      return cursor + name.size;
    }
  }
  return NULL;
}

/* Reads the types of the parameters. Returns their number, or -1 with an error raised. */
static int parse_params(const char *cursor, param_type *out) {
  static const char param[] = ".param ";
  const char *end = cursor + strcspn(cursor, "){");
  int count = 0;
  while ((cursor = strstr(cursor, param)) != NULL && cursor < end) {
    size_t i = 0;
    cursor += sizeof param - 1;
    while (i < sizeof param_types / sizeof param_types[0] &&
           strncmp(cursor, param_types[i].name, 4) != 0) {
      ++i;
    }
    if (count == kMaxParams || i >= sizeof param_types / sizeof param_types[0]) {
      return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "parameter #%d is of no known type", count);
    }
    out[count++] = param_types[i].type;
  }
  return count;
}

/* ---- The module's functions ---- */

typedef struct {
  TVMFFIObjectHandle module; /* keeps owner */
  ptx *owner;
  void *kernel; /* NULL until the first call; under the owner's lock */
  int num_params;
  param_type params[kMaxParams];
  char name[kMaxName], signature[kMaxSignature];
} launcher;

typedef union {
  int32_t int32;
  int64_t int64;
  float float32;
  double float64;
  void *data;
} param_value;

static int read_param(const tvm_ffi_args *args, int32_t i, param_type type, param_value *out) {
  DLTensor *tensor;
  double number;
  switch (type) {
    case kInt32:
      return tvm_ffi_args_read_int32(args, i, &out->int32);
    case kInt64:
      if (!tvm_ffi_any_try_tensor(args->args + i, &tensor)) {
        return tvm_ffi_args_read_int64(args, i, &out->int64);
      }
      TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCUDA));
      out->data = tvm_ffi_tensor_get_data(tensor);
      return 0;
    case kFloat32:
      TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, i, &number));
      out->float32 = (float)number;
      return 0;
    default:
      return tvm_ffi_args_read_double(args, i, &out->float64);
  }
}

/* The device of the tensors; 0 if there are none. */
static int read_device(const tvm_ffi_args *args, int32_t *out) {
  DLTensor *tensor;
  int32_t i, first = -1;
  *out = 0;
  for (i = 0; i < args->num_args; ++i) {
    if (!tvm_ffi_any_try_tensor(args->args + i, &tensor)) continue;
    if (first >= 0) TVM_FFI_C_TRY(tvm_ffi_args_check_same_device(args, i, first));
    first = i;
    *out = tensor->device.device_id;
  }
  return 0;
}

static int ensure_kernel(launcher *self, const cuda_driver *driver) {
  ptx *owner = self->owner;
  int code = 0;
  (void)pthread_mutex_lock(&owner->lock);
  if (owner->library == NULL) {
    code = driver->library_load(&owner->library, owner->source, NULL, NULL, 0, NULL, NULL, 0);
  }
  if (code == 0 && self->kernel == NULL) {
    code = driver->library_get_kernel(&self->kernel, owner->library, self->name);
  }
  (void)pthread_mutex_unlock(&owner->lock);
  return cuda_driver_check(driver, code);
}

TVM_FFI_C_FUNCTION(launch, "(*params, blocks: int, threads: int) -> void") {
  launcher *self = (launcher *)args->self;
  const cuda_driver *driver;
  tvm_ffi_args call = *args; /* with the kernel's own name in errors */
  param_value values[kMaxParams];
  void *addresses[kMaxParams], *context;
  int64_t extents[2]; /* blocks, threads */
  int32_t i, device;
  int code;
  call.signature = self->signature;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(&call, self->num_params + 2));
  for (i = 0; i < self->num_params; ++i) {
    TVM_FFI_C_TRY(read_param(&call, i, self->params[i], &values[i]));
    addresses[i] = &values[i];
  }
  for (i = 0; i < 2; ++i) {
    TVM_FFI_C_TRY(
        tvm_ffi_args_read_int64_between(&call, self->num_params + i, 1, INT32_MAX, &extents[i]));
  }
  TVM_FFI_C_TRY(read_device(&call, &device));
  TVM_FFI_C_TRY(cuda_driver_get(&driver));
  TVM_FFI_C_TRY(ensure_kernel(self, driver));

  /* The owner of the tensors also retains the context, so releasing it here does not destroy it. */
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->primary_context_retain(&context, device)));
  code = driver->context_push(context);
  if (code == 0) {
    code = driver->launch(self->kernel, (unsigned)extents[0], 1, 1, (unsigned)extents[1], 1, 1, 0,
                          TVMFFIEnvGetStream(kDLCUDA, device), addresses, NULL);
    (void)driver->context_pop(&context);
  }
  (void)driver->primary_context_release(device);
  return cuda_driver_check(driver, code);
}

static void delete_launcher(void *self) {
  tvm_ffi_object_release(((launcher *)self)->module);
  free(self);
}

/* ---- The methods ---- */

/* Appends to the signature. */
TVM_FFI_C_PRINTF(2, 3)
static void put(launcher *self, const char *format, ...) {
  const size_t size = strlen(self->signature);
  va_list values;
  va_start(values, format);
  (void)vsnprintf(self->signature + size, sizeof self->signature - size, format, values);
  va_end(values);
}

static int init_launcher(launcher *self, const char *cursor, TVMFFIByteArray name) {
  int i;
  TVM_FFI_C_CHECK(name.size < kMaxName, TVM_FFI_C_VALUE_ERROR, "the name is too long");
  memcpy(self->name, name.data, name.size);
  self->num_params = parse_params(cursor, self->params);
  if (self->num_params < 0) return -1;
  put(self, "%s(", self->name);
  for (i = 0; i < self->num_params; ++i) put(self, "%d: %s, ", i, type_names[self->params[i]]);
  put(self, "%d: int, %d: int) -> void", i, i + 1);
  return 0;
}

static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  const char *cursor = find_kernel((const ptx *)self, *name);
  launcher *state;
  int code;
  if (cursor == NULL) return 0; /* *out is NULL: not an error, there is no such function */
  state = (launcher *)calloc(1, sizeof *state);
  if (state == NULL) return tvm_ffi_error_raise_memory();
  state->module = tvm_ffi_object_retain(module);
  state->owner = (ptx *)self;
  code = init_launcher(state, cursor, *name);
  if (code == 0) code = TVMFFIFunctionCreate(state, launch, delete_launcher, out);
  if (code != 0) delete_launcher(state);
  return code;
}

static int inspect_source(void *self, const TVMFFIByteArray *format, TVMFFIAny *out) {
  (void)format; /* there is only one */
  return tvm_ffi_string_create(((const ptx *)self)->source, out);
}

static int save_to_bytes(void *self, TVMFFIAny *out) {
  return tvm_ffi_bytes_create(((const ptx *)self)->source, ((const ptx *)self)->size, out);
}

static void destroy(void *self) {
  ptx *module = (ptx *)self;
  const cuda_driver *driver;
  if (module->library != NULL && cuda_driver_get(&driver) == 0) {
    (void)driver->library_unload(module->library);
  }
  (void)pthread_mutex_destroy(&module->lock);
  free(module);
}

static const TVMFFIRuntimeModuleVTable vtable = {
    .struct_size = sizeof(TVMFFIRuntimeModuleVTable),
    .kind = "ptx",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleRunnable,
    .get_function = get_function,
    .save_to_bytes = save_to_bytes,
    .inspect_source = inspect_source,
    .destroy = destroy,
};

/* ---- Functions of ptx.h ---- */

int ptx_create(TVMFFIByteArray source, TVMFFIObjectHandle *out) {
  ptx *self = (ptx *)calloc(1, sizeof *self + source.size + 1);
  int code = 0;
  if (self == NULL) return tvm_ffi_error_raise_memory();
  memcpy(self->source, source.data, source.size);
  self->size = source.size;
  (void)pthread_mutex_init(&self->lock, NULL);
  if (strlen(self->source) != source.size || strstr(self->source, ".version ") == NULL) {
    code = TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "this is no PTX");
  }
  if (code == 0) code = TVMFFIRuntimeModuleCreate(&vtable, self, out);
  if (code != 0) destroy(self); /* after success it belongs to the module */
  return code;
}

TVM_FFI_C_FUNCTION(load_from_bytes, "(0: bytes) -> ffi.Module") {
  TVMFFIByteArray source;
  TVMFFIObjectHandle module;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 0, &source));
  TVM_FFI_C_TRY(ptx_create(source, &module));
  *args->result = tvm_ffi_any_take_object(module);
  return 0;
}

TVM_FFI_C_FUNCTION(load_from_file, "(0: str, 1: str) -> ffi.Module") {
  TVMFFIByteArray path, source;
  TVMFFIObjectHandle module;
  char text[65536];
  FILE *file;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2)); /* the second is the format: `ptx` */
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  file = fopen(path.data, "rb");
  TVM_FFI_C_CHECK(file != NULL, TVM_FFI_C_RUNTIME_ERROR, "cannot open %s", path.data);
  source.data = text;
  source.size = fread(text, 1, sizeof text, file);
  (void)fclose(file);
  TVM_FFI_C_CHECK(source.size < sizeof text, TVM_FFI_C_VALUE_ERROR, "%s is too long", path.data);
  TVM_FFI_C_TRY(ptx_create(source, &module));
  *args->result = tvm_ffi_any_take_object(module);
  return 0;
}

int ptx_register_loaders(void) {
  TVM_FFI_C_TRY(
      tvm_ffi_function_register("ffi.Module.load_from_bytes.ptx", load_from_bytes, false));
  return tvm_ffi_function_register("ffi.Module.load_from_file.ptx", load_from_file, false);
}
