/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel libraries that leave some of their code in use when their modules are gone, each in the
 * way that its LEAVE_... macro names; and one that leaves none. The kernel `leave` returns the
 * object, or None.
 */
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT TVM_FFI_DLL_EXPORT

/* A test compares the size of its symbol, which clang's AddressSanitizer makes larger. */
#if defined(__clang__)
#define KEEP_SIZE __attribute__((no_sanitize("address")))
#else
#define KEEP_SIZE
#endif
EXPORT extern void *__tvm_ffi__library_ctx;
KEEP_SIZE void *__tvm_ffi__library_ctx = 0;

/* Set by context symbols: counters of deletions by code of this library, and of its closings. */
EXPORT extern int *__test_deleted;
int *__test_deleted = 0;
EXPORT extern int *__test_closed;
int *__test_closed = 0;

/* Not __attribute__: for tcc, the headers of glibc define that as nothing. */
__attribute((destructor)) static void closing(void) {
  if (__test_closed != 0) ++*__test_closed;
}

typedef union {
  void *address;
  TVMFFISafeCallType safe_call;
} code;

static TVMFFIByteArray bytes_of(const char *text) {
  TVMFFIByteArray bytes = {text, 0};
  while (text[bytes.size] != '\0') ++bytes.size;
  return bytes;
}

static int return_value(TVMFFIAny *result, int32_t type_index, int64_t value) {
  result->type_index = type_index;
  result->zero_padding = 0;
  result->v_int64 = value;
  return 0;
}

static int return_object(TVMFFIAny *result, TVMFFIObjectHandle obj) {
  (void)return_value(result, ((TVMFFIObject *)obj)->type_index, 0);
  result->v_obj = obj;
  return 0;
}

/* The code that is left in use. */
static int give_seven(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  return return_value(result, kTVMFFIInt, 7);
}

static void count(void *self) {
  (void)self;
  if (__test_deleted != 0) ++*__test_deleted;
}

#if defined(LEAVE_A_FUNCTION) || defined(LEAVE_NOTHING_ALONG)
/* In the second case the function is one of the runtime, from leftovers_along.c. */
#if defined(LEAVE_NOTHING_ALONG)
extern int test_make_function(TVMFFIObjectHandle *out);
#else
static int test_make_function(TVMFFIObjectHandle *out) {
  return TVMFFIFunctionCreate(&__test_deleted, give_seven, count, out);
}
#endif
static int leave(TVMFFIAny *result) {
  TVMFFIObjectHandle function;
  return test_make_function(&function) != 0 ? -1 : return_object(result, function);
}

#elif defined(LEAVE_A_GLOBAL) /* made by the initialiser */
__attribute((constructor)) static void opening(void) {
  TVMFFIByteArray name = bytes_of("test.left_behind");
  TVMFFIObjectHandle function;
  if (TVMFFIFunctionCreate(0, give_seven, 0, &function) != 0) return;
  (void)TVMFFIFunctionSetGlobal(&name, function, 0);
  (void)TVMFFIObjectDecRef(function);
}
static int leave(TVMFFIAny *result) {
  return return_value(result, kTVMFFINone, 0);
}

#elif defined(LEAVE_A_FIELD)
static int get_field(void *field, TVMFFIAny *result) {
  (void)field;
  return return_value(result, kTVMFFIInt, 7);
}
static int leave(TVMFFIAny *result) {
  static TVMFFIFieldInfo field;
  (void)return_value(result, kTVMFFINone, 0);
  field.name = bytes_of("left_behind");
  field.getter = get_field;
  field.field_static_type_index = kTVMFFIInt;
  return TVMFFITypeRegisterField(kTVMFFIObject, &field);
}

#elif defined(LEAVE_AN_ATTRIBUTE)
static int leave(TVMFFIAny *result) {
  TVMFFIByteArray name = bytes_of("__test_left_behind__");
  TVMFFIAny value;
  code function;
  function.safe_call = give_seven;
  (void)return_value(result, kTVMFFINone, 0);
  (void)return_value(&value, kTVMFFIOpaquePtr, 0);
  value.v_ptr = function.address;
  return TVMFFITypeRegisterAttr(kTVMFFIObject, &name, &value);
}

#else /* leaves nothing, but does much of what a kernel does */
static int leave(TVMFFIAny *result) {
  const TVMFFIByteArray text = bytes_of("a text on the heap");
  TVMFFIErrorSetRaisedFromCStr("ValueError", "a text");
  TVMFFIErrorSetRaised(0);
  (void)TVMFFIEnvGetStream(kDLCPU, 0);
  return TVMFFIStringFromByteArray(&text, result);
}
#endif

EXPORT int __tvm_ffi_leave(void *handle, const TVMFFIAny *args, int32_t num_args,
                           TVMFFIAny *result);
EXPORT int __tvm_ffi_leave(void *handle, const TVMFFIAny *args, int32_t num_args,
                           TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)bytes_of; /* some variants do not use all functions */
  (void)return_object;
  (void)give_seven;
  (void)count;
  return leave(result);
}
