/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel libraries that leave some of their code in use after unloading, each in the way that its
 * LEAVE_... macro names; and one that leaves none. The kernel `leave` returns the object, or None.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#if defined(LEAVE_BY_MALLOC) || defined(LEAVE_BY_DLSYM)
#include <dlfcn.h>
#include <stdlib.h>
#endif

#define EXPORT TVM_FFI_DLL_EXPORT

EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = 0;

/* Set by context symbols: counters of deletions by code of this library, and of its closings. */
EXPORT extern int *__test_deleted;
int *__test_deleted = 0;
EXPORT extern int *__test_closed;
int *__test_closed = 0;

__attribute__((destructor)) static void closing(void) {
  if (__test_closed != 0) ++*__test_closed;
}

typedef union {
  void *address;
  TVMFFISafeCallType safe_call;
  void (*deleter)(void *self);
  int (*function_create)(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                         TVMFFIObjectHandle *out);
  int (*check_signals)(void);
  void *(*ensure_lock)(void);
  void (*release_lock)(void *state);
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

#if defined(LEAVE_A_FUNCTION) || defined(LEAVE_BY_HELPER)
/* In the second case the function is in the helper library, leftovers_helper.c. */
#if defined(LEAVE_BY_HELPER)
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
__attribute__((constructor)) static void opening(void) {
  TVMFFIByteArray name = bytes_of("test.left_behind");
  TVMFFIObjectHandle function;
  if (TVMFFIFunctionCreate(0, give_seven, 0, &function) != 0) return;
  (void)TVMFFIFunctionSetGlobal(&name, function, 0);
  (void)TVMFFIObjectDecRef(function);
}
static int leave(TVMFFIAny *result) {
  return return_value(result, kTVMFFINone, 0);
}

#elif defined(LEAVE_AN_OPAQUE)
static int leave(TVMFFIAny *result) {
  TVMFFIObjectHandle obj;
  if (TVMFFIObjectCreateOpaque(result, kTVMFFIOpaquePyObject, count, &obj) != 0) return -1;
  return return_object(result, obj);
}

#elif defined(LEAVE_A_TENSOR) || defined(LEAVE_A_VERSIONED_TENSOR) || defined(LEAVE_AN_ALLOCATOR)
static int64_t number = 7, shape = 1;
static void fill(DLTensor *tensor) {
  tensor->data = &number;
  tensor->device.device_type = kDLCPU;
  tensor->ndim = 1;
  tensor->dtype.code = kDLInt;
  tensor->dtype.bits = 64;
  tensor->dtype.lanes = 1;
  tensor->shape = &shape;
}
#if defined(LEAVE_A_TENSOR)
static void delete_tensor(DLManagedTensor *self) {
  count(self);
}
static int leave(TVMFFIAny *result) {
  static DLManagedTensor managed;
  TVMFFIObjectHandle obj;
  managed.deleter = delete_tensor;
  fill(&managed.dl_tensor);
  return TVMFFITensorFromDLPack(&managed, 0, 0, &obj) != 0 ? -1 : return_object(result, obj);
}
#else
static void delete_tensor(DLManagedTensorVersioned *self) {
  count(self);
}
static DLManagedTensorVersioned managed;
static void fill_managed(void) {
  managed.version.major = DLPACK_MAJOR_VERSION;
  managed.deleter = delete_tensor;
  fill(&managed.dl_tensor);
}
#if defined(LEAVE_A_VERSIONED_TENSOR)
static int leave(TVMFFIAny *result) {
  TVMFFIObjectHandle obj;
  fill_managed();
  if (TVMFFITensorFromDLPackVersioned(&managed, 0, 0, &obj) != 0) return -1;
  return return_object(result, obj);
}
#else
static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  (void)prototype;
  (void)error_ctx;
  (void)set_error;
  fill_managed();
  *out = &managed;
  return 0;
}
static int leave(TVMFFIAny *result) {
  (void)return_value(result, kTVMFFINone, 0);
  return TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 1, 0);
}
#endif
#endif

#elif defined(LEAVE_A_TYPE) || defined(LEAVE_BY_MALLOC) || defined(LEAVE_BY_CUSTOM_ALLOCATOR)
/* An object made without the runtime. */
static int leave(TVMFFIAny *result);
static void delete_object(void *self, int flags);
static int return_made(TVMFFIObject *obj, int32_t type_index, TVMFFIAny *result) {
  if (obj == 0) return -1;
  obj->combined_ref_count = UINT64_C(0x100000001);
  obj->type_index = type_index;
  obj->deleter = delete_object;
  return return_object(result, obj);
}
#if defined(LEAVE_A_TYPE)
static TVMFFIObject object;
static int leave(TVMFFIAny *result) {
  TVMFFIByteArray key = bytes_of("test.LeftBehind");
  int32_t index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 0, kTVMFFIObject);
  return return_made(&object, index, result);
}
static void delete_object(void *self, int flags) {
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) count(self);
}
#elif defined(LEAVE_BY_MALLOC)
static int leave(TVMFFIAny *result) {
  return return_made(malloc(sizeof(TVMFFIObject)), kTVMFFIObject, result);
}
static void delete_object(void *self, int flags) {
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) count(self);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) free(self);
}
#else
static int leave(TVMFFIAny *result) {
  TVMFFICustomAllocator *with = TVMFFIGetCustomAllocator();
  TVMFFIObject *obj = with->allocate(sizeof *obj, 8, kTVMFFIObject, with->context);
  return return_made(obj, kTVMFFIObject, result);
}
static void delete_object(void *self, int flags) {
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) count(self);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) {
    ((TVMFFIObjectAllocHeader *)self - 1)->delete_space(self);
  }
}
#endif

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

#elif defined(LEAVE_FRONTEND_HOOKS)
static int check_signals(void) {
  count(0);
  return 0;
}
static void *ensure_lock(void) {
  return 0;
}
static int leave(TVMFFIAny *result) {
  code check, ensure, release;
  (void)return_value(result, kTVMFFINone, 0);
  check.check_signals = check_signals;
  ensure.ensure_lock = ensure_lock;
  release.release_lock = count;
  (void)TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", check.address);
  (void)TVMFFIEnvRegisterCAPI("PyGILState_Ensure", ensure.address);
  return TVMFFIEnvRegisterCAPI("PyGILState_Release", release.address);
}

#elif defined(LEAVE_A_LOG_HOOK)
static void log_it(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)message;
  count(context);
}
static int leave(TVMFFIAny *result) {
  (void)return_value(result, kTVMFFINone, 0);
  return TVMFFIRuntimeSetLogHook(log_it, 0);
}

#elif defined(LEAVE_A_SYMBOL)
static int leave(TVMFFIAny *result) {
  code function;
  function.safe_call = give_seven;
  (void)return_value(result, kTVMFFINone, 0);
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test_left_behind", function.address);
}

#elif defined(LEAVE_BY_EXTERN_C) /* made by a global function */
static int leave(TVMFFIAny *result) {
  TVMFFIByteArray name = bytes_of("ffi.FunctionFromExternC");
  TVMFFIObjectHandle make;
  TVMFFIAny args[3];
  code function, deleter;
  int rc;
  if (TVMFFIFunctionGetGlobal(&name, &make) != 0 || make == 0) return -1;
  function.safe_call = give_seven;
  deleter.deleter = count;
  (void)return_value(&args[0], kTVMFFIOpaquePtr, 0);
  (void)return_value(&args[1], kTVMFFIOpaquePtr, 0);
  (void)return_value(&args[2], kTVMFFIOpaquePtr, 0);
  args[0].v_ptr = &__test_deleted;
  args[1].v_ptr = function.address;
  args[2].v_ptr = deleter.address;
  rc = TVMFFIFunctionCall(make, args, 3, result);
  (void)TVMFFIObjectDecRef(make);
  return rc;
}

#elif defined(LEAVE_BY_CONTEXT_SYMBOL) /* made by a runtime function that the host passes */
EXPORT extern void *__TVMFFIFunctionCreate;
void *__TVMFFIFunctionCreate = 0;
static int leave(TVMFFIAny *result) {
  TVMFFIObjectHandle function;
  code create;
  create.address = __TVMFFIFunctionCreate;
  if (create.function_create(&__test_deleted, give_seven, count, &function) != 0) return -1;
  return return_object(result, function);
}

#elif defined(LEAVE_BY_DLSYM)
static int leave(TVMFFIAny *result) {
  TVMFFIObjectHandle function;
  code create;
  create.address = dlsym(RTLD_DEFAULT, "TVMFFIFunctionCreate");
  if (create.function_create(&__test_deleted, give_seven, count, &function) != 0) return -1;
  return return_object(result, function);
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
