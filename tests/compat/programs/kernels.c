/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library of kernels for interpreted programs. Every kernel checks its arguments, because
 * programs pass anything. Built with COMPAT_EMBEDDED it embeds a module tree whose root is this
 * library and which imports a module of kind `compat`.
 */
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT TVM_FFI_DLL_EXPORT
#define KERNEL(name)                                                                 \
  EXPORT int __tvm_ffi_##name(void *handle, const TVMFFIAny *args, int32_t num_args, \
                              TVMFFIAny *result);                                    \
  EXPORT int __tvm_ffi_##name(void *handle, const TVMFFIAny *args, int32_t num_args, \
                              TVMFFIAny *result)
#define UNUSED (void)handle, (void)args, (void)num_args, (void)result

EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

/* A context symbol that programs set. */
EXPORT extern void *__compat_context;
void *__compat_context = NULL;

#ifdef COMPAT_EMBEDDED
EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {
    0x55, 0, 0, 0, 0, 0, 0, 0,                                     /* number of bytes that follow */
    3,    0, 0, 0, 0, 0, 0, 0,                                     /* two modules */
    0,    0, 0, 0, 0, 0, 0, 0, 1,   0,   0,   0,   0,   0,   0, 0, /* the first imports [0, 1), */
    1,    0, 0, 0, 0, 0, 0, 0,                                     /* the second [1, 1) */
    1,    0, 0, 0, 0, 0, 0, 0, 1,   0,   0,   0,   0,   0,   0, 0, /* of the list {1} */
    4,    0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b',                 /* the first is this library */
    6,    0, 0, 0, 0, 0, 0, 0, 'c', 'o', 'm', 'p', 'a', 't',       /* the second of kind compat */
    3,    0, 0, 0, 0, 0, 0, 0, 'h', 'i', '!'};
#endif

static int fail(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

static int return_int(TVMFFIAny *result, int64_t value) {
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = value;
  return 0;
}

static int return_text(TVMFFIAny *result, const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return TVMFFIStringFromByteArray(&bytes, result);
}

KERNEL(add) {
  (void)handle;
  if (num_args != 2) return fail("TypeError", "add: expected 2 arguments");
  if (args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt) {
    return fail("TypeError", "add: expected int");
  }
  return return_int(result, (int64_t)((uint64_t)args[0].v_int64 + (uint64_t)args[1].v_int64));
}

KERNEL(main) {
  UNUSED;
  return return_text(result, handle == NULL ? "main without a handle" : "main with a handle");
}

/* Returns the first argument as an owned value. */
KERNEL(echo) {
  int rc;
  (void)handle;
  if (num_args < 1) return 0;
  rc = TVMFFIAnyViewToOwnedAny(&args[0], result);
  if (rc == 0 && result->type_index == kTVMFFIDLTensorPtr) {
    result->type_index = kTVMFFINone;
    result->v_uint64 = 0;
  }
  return rc;
}

KERNEL(raise) {
  UNUSED;
  return fail("ValueError", "raised by a kernel");
}

/* Which context symbols are set: bit 0 for the library's, bit 1 for the program's. */
KERNEL(contexts) {
  UNUSED;
  return return_int(result, (__tvm_ffi__library_ctx != NULL) | (__compat_context != NULL ? 2 : 0));
}

/* The program's context as a pointer. */
KERNEL(context) {
  UNUSED;
  result->type_index = kTVMFFIOpaquePtr;
  result->zero_padding = 0;
  result->v_uint64 = 0;
  result->v_ptr = __compat_context;
  return 0;
}

/* Finds a function in its imports by the raw string argument, and calls it. */
KERNEL(call_import) {
  TVMFFIObjectHandle function;
  TVMFFIAny rest[8];
  int rc;
  (void)handle;
  if (num_args < 1 || num_args > 8 || args[0].type_index != kTVMFFIRawStr) {
    return fail("TypeError", "call_import: expected a raw string");
  }
  rc = TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, args[0].v_c_str, &function);
  if (rc != 0) return rc;
  memcpy(rest, args + 1, (size_t)(num_args - 1) * sizeof *rest);
  return TVMFFIFunctionCall(function, rest, num_args - 1, result);
}

KERNEL(code) {
  UNUSED;
  return fail("ValueError", "with a code") - 4;
}

KERNEL(silent) {
  UNUSED;
  return -1;
}

#ifdef COMPAT_EMBEDDED
KERNEL(only_embedded) {
  UNUSED;
  return return_int(result, 42);
}
#else
KERNEL(only_plain) {
  UNUSED;
  return return_int(result, 41);
}
#endif

KERNEL(_metadata_add) {
  UNUSED;
  return return_text(result, "{\"type_schema\":\"a schema\"}");
}

KERNEL(_doc_add) {
  UNUSED;
  return return_text(result, "Add.");
}

KERNEL(_metadata_echo) {
  UNUSED;
  return return_text(result, "");
}

KERNEL(_doc_raise) {
  UNUSED;
  return fail("KeyError", "no doc today");
}

KERNEL(_metadata_raise) {
  UNUSED;
  return return_int(result, 5);
}
