/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library for the tests of modules. */
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT TVM_FFI_DLL_EXPORT
#define KERNEL(name)                                                                 \
  EXPORT int __tvm_ffi_##name(void *handle, const TVMFFIAny *args, int32_t num_args, \
                              TVMFFIAny *result);                                    \
  EXPORT int __tvm_ffi_##name(void *handle, const TVMFFIAny *args, int32_t num_args, \
                              TVMFFIAny *result)
/* Each kernel uses only some of its parameters; this silences warnings about the others. */
#define UNUSED (void)handle, (void)args, (void)num_args, (void)result

EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

/* Set by context symbols. */
EXPORT extern int *__test_closed;
int *__test_closed = NULL; /* counts how often this library was closed */
EXPORT extern void *__test_context;
void *__test_context = NULL;

static TVMFFIObjectHandle kept; /* released when the library is closed */

/* Atomic: ThreadSanitizer does not see the lock that the system holds when it closes files. */
#if defined(__ATOMIC_RELAXED)
#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_RELAXED)
#define ADD_ONE(number) (void)__atomic_fetch_add(&(number), 1, __ATOMIC_RELAXED)
#else
#define LOAD(variable) (variable)
#define ADD_ONE(number) (void)++(number)
#endif

/* Not __attribute__: for tcc, the headers of glibc define that as nothing. */
__attribute((destructor)) static void closing(void) {
  int *closed = LOAD(__test_closed);
  TVMFFIObjectHandle obj = LOAD(kept);
  if (obj != NULL) TVMFFIObjectDecRef(obj);
  if (closed != NULL) ADD_ONE(*closed);
}

static void return_int(TVMFFIAny *result, int64_t value) {
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = value;
}

static int return_text(TVMFFIAny *result, const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return TVMFFIStringFromByteArray(&bytes, result);
}

KERNEL(add) {
  (void)handle;
  if (num_args != 2) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add: expected 2 arguments");
    return -1;
  }
  return_int(result, args[0].v_int64 + args[1].v_int64);
  return 0;
}

KERNEL(main) {
  UNUSED;
  return_int(result, 1);
  return 0;
}

/* Returns 1 if it is called without a handle, as exported functions are. */
KERNEL(has_no_handle) {
  UNUSED;
  return_int(result, handle == NULL);
  return 0;
}

/* Returns the code given as its argument without raising an error. */
KERNEL(return_code) {
  UNUSED;
  return (int)args[0].v_int64;
}

KERNEL(raise) {
  UNUSED;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "raised by a kernel");
  return -1;
}

KERNEL(get_context) {
  UNUSED;
  result->type_index = __tvm_ffi__library_ctx == NULL ? kTVMFFINone : kTVMFFIOpaquePtr;
  result->zero_padding = 0;
  result->v_uint64 = 0;
  result->v_ptr = __tvm_ffi__library_ctx;
  return 0;
}

/* Calls the import named by the raw string given as its argument. */
KERNEL(call_import) {
  TVMFFIObjectHandle function;
  int rc = TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, args[0].v_c_str, &function);
  UNUSED;
  return rc != 0 ? rc : TVMFFIFunctionCall(function, NULL, 0, result);
}

/* Keeps an object until the library is closed. */
KERNEL(keep) {
  UNUSED;
  if (kept != NULL) TVMFFIObjectDecRef(kept);
  kept = args[0].v_obj;
  TVMFFIObjectIncRef(kept);
  return 0;
}

KERNEL(_metadata_add) {
  UNUSED;
  return return_text(result, "{\"type_schema\":\"a schema\"}");
}

KERNEL(_doc_add) {
  UNUSED;
  return return_text(result, "Add two integers.");
}

KERNEL(_metadata_raise) {
  UNUSED;
  return return_text(result, "");
}

KERNEL(_metadata_wrong_type) {
  UNUSED;
  return_int(result, 5);
  return 0;
}

KERNEL(_doc_failing) {
  UNUSED;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "no doc today");
  return -1;
}

KERNEL(_doc_failing_silently) {
  UNUSED;
  return -2;
}

/* A String whose deleter is code of this library. */
static struct {
  TVMFFIObject header;
  TVMFFIByteArray bytes;
} own_string;

static void delete_own_string(void *self, int flags) {
  (void)self;
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) own_string.bytes.data = NULL;
}

KERNEL(_metadata_own) {
  UNUSED;
  own_string.header.combined_ref_count = UINT64_C(0x100000001);
  own_string.header.type_index = kTVMFFIStr;
  own_string.header.deleter = delete_own_string;
  own_string.bytes.data = "text that stands in the library";
  own_string.bytes.size = strlen(own_string.bytes.data);
  result->type_index = kTVMFFIStr;
  result->zero_padding = 0;
  result->v_uint64 = 0;
  result->v_obj = &own_string.header;
  return 0;
}
