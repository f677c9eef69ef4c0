/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of memory hooks and shutdown (runtime/runtime.c). */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/error.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/thread.h"

static int allocate_nothing(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                            void (*set_error)(void *, const char *, const char *)) {
  (void)prototype;
  (void)out;
  set_error(error_ctx, "RuntimeError", "nothing");
  return -1;
}

static int has_global(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  TVMFFIObjectDecRef(function);
  return function != NULL;
}

static TVMFFIObjectHandle new_function(void *self, void (*deleter)(void *self)) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(self, call_nothing, deleter, &function));
  return function;
}

static void set_global(const char *name, void *self, void (*deleter)(void *self)) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = new_function(self, deleter);
  check_ok(TVMFFIFunctionSetGlobal(&bytes, function, 1));
  TVMFFIObjectDecRef(function);
}

static int32_t register_type(const char *key) {
  TVMFFIByteArray bytes = check_bytes(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
}

static void register_attr(int32_t type_index, const char *name, TVMFFIObjectHandle value) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIAny view = tvmffi_any_object(value);
  check_ok(TVMFFITypeRegisterAttr(type_index, &bytes, &view));
}

static void count_message(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)message;
  ++*(int *)context;
}

static void use_and_end(void *failed) {
  const TVMFFIByteArray *text = TVMFFIBacktrace("file.c", 1, "function", 0);
  *(int *)failed = text->size == 0 || TVMFFIEnvSetStream(kDLCUDA, 1, failed, NULL) != 0;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "of a thread that ends");
}

/* Puts an entry into every table; returns the index of a new type. */
static int32_t use_everything(probe *p) {
  static TVMFFICustomAllocator mine;
  TVMFFIByteArray name = check_bytes("field"), doc = check_bytes("a text");
  TVMFFIFieldInfo field;
  TVMFFIMethodInfo method;
  int32_t type_index = register_type("test.Type");
  int failed = 1;
  assert_true(type_index >= kTVMFFIDynObjectBegin);
  assert_true(has_global("ffi.FunctionRemoveGlobal"));
  assert_false(has_global("test.function"));
  set_global("test.function", p, NULL);
  assert_true(has_global("test.function"));
  register_attr(type_index, "test.attr", p);
  memset(&field, 0, sizeof field);
  field.name = name;
  field.doc = doc;
  field.default_value_or_factory = tvmffi_any_object(p);
  field.flags = kTVMFFIFieldFlagBitMaskHasDefault;
  check_ok(TVMFFITypeRegisterField(type_index, &field));
  memset(&method, 0, sizeof method);
  method.name = name;
  method.method = tvmffi_any_object(new_function(p, NULL));
  check_ok(TVMFFITypeRegisterMethod(kTVMFFIObject, &method));
  check_release(&method.method);
  check_ok(TVMFFIEnvSetStream(kDLCUDA, 1, p, NULL));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_nothing, 1, NULL));
  check_ok(TVMFFIEnvModRegisterContextSymbol("test_symbol", p));
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test", p));
  check_ok(TVMFFISetCustomAllocator(&mine));
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  thread_run(use_and_end, &failed, 0);
  assert_int_equal(failed, 0);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "in the slot");
  return type_index;
}

static void never_called(void *context, void *ptr) {
  (void)context;
  (void)ptr;
  fail();
}

TEST(test_memory_hooks_are_checked) {
  TVMFFIRuntimeMemoryHooks hooks = {NULL, NULL, NULL};
  check_ok(TVMFFIRuntimeShutdown());
  hooks.deallocate = never_called;
  check_fails_with(TVMFFIRuntimeSetMemoryHooks(&hooks), "ValueError", "deallocate only");
  check_fails_with(TVMFFIRuntimeSetMemoryHooks(NULL), "RuntimeError", "before");
  check_ok(TVMFFIRuntimeShutdown());
  check_ok(TVMFFIRuntimeSetMemoryHooks(NULL));
  check_ok(TVMFFIRuntimeShutdown());
  oom_install();
}

TEST(test_nothing_to_shut_down) {
  check_ok(TVMFFIRuntimeShutdown());
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(oom_live_blocks(), 0);
  assert_true(has_global("ffi.FunctionRemoveGlobal"));
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_shutdown_leaves_no_block_and_the_library_usable) {
  int32_t first_index = 0;
  int round;
  for (round = 0; round < 3; ++round) {
    TVMFFIByteArray attr = check_bytes("test.attr");
    int32_t type_index;
    probe p;
    probe_init(&p);
    type_index = use_everything(&p);
    if (round == 0) first_index = type_index;
    assert_int_equal(type_index, first_index); /* indices start again after a shutdown */
    assert_true(oom_live_blocks() > 0);
    assert_int_equal(check_use_count(&p), 3); /* the test's, an attribute's, a default value's */
    check_ok(TVMFFIRuntimeShutdown());
    assert_int_equal(oom_live_blocks(), 0);
    assert_int_equal(check_use_count(&p), 1);
    check_not_raised();
    assert_null(TVMFFIGetTypeAttrColumn(&attr));
    assert_int_equal(TVMFFIGetTypeInfo(kTVMFFIObject)->num_methods, 0);
    assert_null(TVMFFIEnvGetStream(kDLCUDA, 1));
    assert_true(TVMFFIEnvGetDLPackManagedTensorAllocator() == NULL);
    assert_non_null(TVMFFIGetCustomAllocator()->allocate);
    assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
  }
}

TEST(test_settings_go_back_to_the_start) {
  int messages = 0;
  check_ok(TVMFFIRuntimeSetLogHook(count_message, &messages));
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  check_ok(TVMFFIRuntimeShutdown());
  tvmffi_log_warning("nobody listens");
  assert_int_equal(messages, 0);
  assert_int_equal(TVMFFIRuntimeSetBacktraceEnabled(0), 0);
}

static void release(void *self) {
  TVMFFIObjectDecRef(self);
}

TEST(test_objects_that_are_held_live_on) {
  static int64_t shape[2] = {2, 3};
  TVMFFIByteArray text = check_bytes("a text on the heap");
  TVMFFIObjectHandle held[6];
  DLManagedTensor source;
  TVMFFIAny string, type;
  probe p;
  int i;
  probe_init(&p);
  memset(&source, 0, sizeof source);
  source.dl_tensor.shape = shape;
  source.dl_tensor.ndim = 2;
  source.dl_tensor.dtype.bits = 32;
  source.dl_tensor.dtype.lanes = 1;
  check_ok(TVMFFIStringFromByteArray(&text, &string));
  check_ok(TVMFFIDataTypeToString(&source.dl_tensor.dtype, &type));
  held[0] = string.v_obj;
  held[1] = type.v_obj;
  held[2] = new_function(&p, release);
  check_ok(
      TVMFFIErrorCreateWithCauseAndExtraContext(&text, &text, &text, NULL, string.v_obj, &held[3]));
  check_ok(TVMFFITensorFromDLPack(&source, 0, 0, &held[4]));
  check_ok(TVMFFITensorCreateUnsafeView(held[4], TVMFFITensorGetDLTensorPtr(held[4]), &held[5]));
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(oom_live_blocks(), 6);
  assert_string_equal(TVMFFIErrorGetCellPtr(held[3])->message.data, "a text on the heap");
  assert_int_equal(TVMFFITensorGetDLTensorPtr(held[5])->strides[0], 3);
  for (i = 0; i < 6; ++i) TVMFFIObjectDecRef(held[i]);
  assert_int_equal(p.strong_deletes, 1);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_foreign_errors_in_the_slot_are_released) {
  probe p;
  probe_init(&p);
  p.header.type_index = kTVMFFIError;
  TVMFFIErrorSetRaised(&p);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(&p), 1);
}

/* ---- Client code that runs during the shutdown ---- */

static int num_last_uses;

static void use_once_more(void *unused) {
  (void)unused;
  ++num_last_uses;
  (void)has_global("ffi.FunctionRemoveGlobal");
  set_global("test.last_words", NULL, NULL);
  (void)register_type("test.LastType");
  (void)TVMFFIBacktrace("file.c", 1, "function", 0);
  (void)TVMFFIEnvSetStream(kDLCUDA, 3, &num_last_uses, NULL);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "last words");
}

TEST(test_deleters_may_use_the_library) {
  TVMFFIObjectHandle opaque, error;
  int round;
  for (round = 0; round < 2; ++round) {
    num_last_uses = 0;
    set_global("test.function", NULL, use_once_more);
    opaque = new_function(NULL, use_once_more);
    register_attr(register_type("test.Type"), "test.attr", opaque);
    TVMFFIObjectDecRef(opaque);
    check_ok(TVMFFIObjectCreateOpaque(NULL, kTVMFFIOpaquePyObject, use_once_more, &opaque));
    check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, NULL, opaque, &error));
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(opaque);
    TVMFFIObjectDecRef(error);
    check_ok(TVMFFIRuntimeShutdown());
    assert_int_equal(num_last_uses, 3);
    assert_int_equal(oom_live_blocks(), 0);
    assert_false(has_global("test.last_words"));
    assert_true(has_global("ffi.FunctionRemoveGlobal"));
    check_not_raised();
  }
}

static int num_set_attrs, num_closed;

/* Sets attribute number i of ffi.Object to a function or, without one, to a text. */
static void set_numbered_attr(int i, TVMFFIObjectHandle function) {
  char text[32];
  TVMFFIByteArray name;
  TVMFFIAny value = tvmffi_any_raw_str("a text that stands in the heap");
  (void)snprintf(text, sizeof text, "my.attr%d", i);
  name = check_bytes(text);
  if (function != NULL) value = tvmffi_any_object(function);
  if (TVMFFITypeRegisterAttr(kTVMFFIObject, &name, &value) == 0) ++num_set_attrs;
}

/* Grows the table while it is being emptied, and sets the attribute that is being released. */
static void register_attrs(void *self) {
  int i;
  (void)self;
  ++num_closed;
  for (i = 0; i < 200; ++i) set_numbered_attr(i, NULL);
}

TEST(test_deleters_may_register_what_is_being_released) {
  TVMFFIObjectHandle function;
  int i;
  num_set_attrs = num_closed = 0;
  check_ok(TVMFFIFunctionCreate(&num_closed, call_nothing, register_attrs, &function));
  for (i = 0; i < 5; ++i) set_numbered_attr(i, i == 2 ? function : NULL);
  TVMFFIObjectDecRef(function);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(num_closed, 1);
  assert_true(num_set_attrs >= 200);
  assert_int_equal(oom_live_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_to_shut_down),
      cmocka_unit_test(test_memory_hooks_are_checked),
      cmocka_unit_test(test_shutdown_leaves_no_block_and_the_library_usable),
      cmocka_unit_test(test_settings_go_back_to_the_start),
      cmocka_unit_test(test_objects_that_are_held_live_on),
      cmocka_unit_test(test_foreign_errors_in_the_slot_are_released),
      cmocka_unit_test(test_deleters_may_use_the_library),
      cmocka_unit_test(test_deleters_may_register_what_is_being_released),
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}
