/* SPDX-License-Identifier: Apache-2.0 */
/* An extension of SQLite: tvmffi_load(library, kernel) makes an SQL function of a kernel. */
#include <sqlite3ext.h>
#include <string.h>
#include <tvm/ffi/c.h>
SQLITE_EXTENSION_INIT1

enum { MAX_ARGS = 8 };

/* A copy of a blob, because what SQLite lends is constant, and may be at an odd address. */
static int copy_blob(sqlite3_value *value, tvm_ffi_vector *vector, TVMFFIAny *out) {
  const void *blob = sqlite3_value_blob(value); /* before the size: this may allocate it */
  const size_t size = (size_t)sqlite3_value_bytes(value);
  void *data;
  TVM_FFI_C_CHECK(size % sizeof(float) == 0, TVM_FFI_C_VALUE_ERROR,
                  "a blob of %d bytes is not an array of float32", (int)size);
  data = sqlite3_malloc64(size + 1);
  if (data == NULL) return tvm_ffi_error_raise_memory();
  if (size != 0 && blob == NULL) {
    sqlite3_free(data);
    return tvm_ffi_error_raise_memory();
  }
  if (size != 0) memcpy(data, blob, size);
  *out = tvm_ffi_vector_init(vector, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32,
                             (int64_t)(size / sizeof(float)));
  return 0;
}

static void report(sqlite3_context *context) {
  char text[512];
  tvm_ffi_error_format_raised(text, sizeof text);
  sqlite3_result_error(context, text, -1);
}

/* f(x, ...): calls the kernel with (out, x, ...). The result, out, is as long as the blob x. */
static void call_kernel(sqlite3_context *context, int count, sqlite3_value **values) {
  tvm_ffi_vector vectors[MAX_ARGS + 1];
  TVMFFIAny args[MAX_ARGS + 1];
  int i, code = 0;
  memset(vectors, 0, sizeof vectors);
  if (count < 1 || count > MAX_ARGS)
    code = TVM_FFI_C_RAISE(TVM_FFI_C_TYPE_ERROR, "1 to 8 arguments");
  for (i = 0; i <= count && code == 0; ++i) {
    sqlite3_value *value = values[i == 0 ? 0 : i - 1];
    switch (sqlite3_value_type(value)) {
      case SQLITE_BLOB:
        code = copy_blob(value, &vectors[i], &args[i]);
        break;
      case SQLITE_INTEGER:
      case SQLITE_FLOAT:
        args[i] = tvm_ffi_any_from_double(sqlite3_value_double(value));
        break;
      default:
        code = TVM_FFI_C_RAISE(TVM_FFI_C_TYPE_ERROR, "arguments are blobs and numbers");
    }
  }
  if (code == 0) code = tvm_ffi_function_call_void(sqlite3_user_data(context), args, count + 1);
  if (code != 0) {
    report(context);
  } else { /* SQLite takes the memory */
    sqlite3_result_blob64(context, vectors[0].tensor.data,
                          (sqlite3_uint64)vectors[0].shape[0] * sizeof(float), sqlite3_free);
    vectors[0].tensor.data = NULL;
  }
  for (i = 0; i <= MAX_ARGS; ++i) sqlite3_free(vectors[i].tensor.data);
}

/* tvmffi_load(library, kernel) */
static void load(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *path = (const char *)sqlite3_value_text(values[0]);
  const char *name = (const char *)sqlite3_value_text(values[count - 1]);
  sqlite3 *database = sqlite3_context_db_handle(context);
  TVMFFIObjectHandle kernel;
  if (path == NULL || name == NULL) {
    sqlite3_result_error(context, "a library and the name of a kernel are needed", -1);
  } else if (tvm_ffi_module_load_function(path, name, &kernel) != 0) {
    report(context);
  } else if (sqlite3_create_function_v2(database, name, -1, SQLITE_UTF8, kernel, call_kernel, NULL,
                                        NULL, tvm_ffi_object_release) != SQLITE_OK) {
    sqlite3_result_error(context, sqlite3_errmsg(database), -1);
  }
}

int sqlite3_extension_init(sqlite3 *database, char **message, const sqlite3_api_routines *api);
int sqlite3_extension_init(sqlite3 *database, char **message, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api)
  (void)message;
  return sqlite3_create_function(database, "tvmffi_load", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                 load, NULL, NULL);
}
