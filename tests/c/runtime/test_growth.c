/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a long-running host does again and again takes no more memory after a million times than
 * after some hundreds. Where each registration is new, and kept as the ABI requires, the bytes for
 * each have a limit.
 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "support/thread.h"

enum { kFewRounds = 500, kManyRounds = 1000000 };

/* Bytes in use; a size stands in front of each block. Only one thread runs at a time. */
static size_t bytes_in_use;

typedef union {
  size_t size;
  long double align;
} block_header;

static void *allocate(void *context, size_t size) {
  block_header *block = malloc(sizeof *block + size);
  (void)context;
  if (block == NULL) return NULL;
  block->size = size;
  bytes_in_use += size;
  return block + 1;
}

static void deallocate(void *context, void *body) {
  block_header *block = (block_header *)body - 1;
  (void)context;
  bytes_in_use -= block->size;
  free(block);
}

static TVMFFIObjectHandle function;

/* ---- What is done again and again ---- */

static int set_global(int i) {
  static const char *const names[] = {"test.growth.a", "test.growth.b", "test.growth.c"};
  TVMFFIByteArray name = check_bytes(names[i % 3]);
  return TVMFFIFunctionSetGlobal(&name, function, 1);
}

static int set_and_remove(const char *name) {
  TVMFFIAny text = tvmffi_any_raw_str(name), result;
  TVMFFIByteArray bytes = check_bytes(name);
  if (TVMFFIFunctionSetGlobal(&bytes, function, 0) != 0) return -1;
  return call_global("ffi.FunctionRemoveGlobal", &text, 1, &result);
}

static int set_and_remove_global(int i) {
  (void)i;
  return set_and_remove("test.growth.removed");
}

static int set_and_remove_another_global(int i) {
  char name[32];
  (void)snprintf(name, sizeof name, "test.growth.%d", i);
  return set_and_remove(name);
}

static int register_context_symbol(int i) {
  return TVMFFIEnvModRegisterContextSymbol(i % 2 == 0 ? "__test_even" : "__test_odd",
                                           &bytes_in_use);
}

static int register_system_lib_symbol(int i) {
  (void)i;
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test_growth", &bytes_in_use);
}

static int get_a_system_lib(int i) {
  TVMFFIObject *module = get_system_lib(i % 2 == 0 ? "even" : "odd");
  TVMFFIObjectDecRef(module);
  return 0;
}

static int register_type(int i) {
  TVMFFIByteArray key = check_bytes("test.growth.Type");
  (void)i;
  return TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject) >= 0 ? 0 : -1;
}

static int register_attribute(int i) {
  TVMFFIByteArray name = check_bytes("__test_growth__");
  TVMFFIAny value = tvmffi_any_raw_str("a text that is too long for a small value");
  (void)i;
  return TVMFFITypeRegisterAttr(kTVMFFIObject, &name, &value);
}

static int register_field_again(int i) {
  TVMFFIFieldInfo field;
  int rc;
  memset(&field, 0, sizeof field);
  field.name = check_bytes("growth");
  field.doc = check_bytes("a text");
  field.metadata = check_bytes("{}");
  field.field_static_type_index = kTVMFFIAny;
  field.offset = sizeof(TVMFFIObject);
  field.size = sizeof(void *);
  field.alignment = sizeof(void *);
  rc = TVMFFITypeRegisterField(kTVMFFIOpaquePyObject, &field);
  if (i == 0) return rc;
  if (rc == 0) return -1; /* a duplicate */
  TVMFFIErrorSetRaised(NULL);
  return 0;
}

static int set_stream(int i) {
  if (TVMFFIEnvSetStream(2, i % 4, &bytes_in_use, NULL) != 0) return -1;
  return TVMFFIEnvSetStream(2, i % 4, NULL, NULL);
}

static int set_allocator(int i) {
  (void)i;
  return TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 1, NULL);
}

static int raise_error(int i) {
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "test");
  if (i % 2 == 0) return 0; /* the next one replaces it */
  TVMFFIErrorMoveFromRaised(&error);
  TVMFFIObjectDecRef(error);
  return 0;
}

static int load_and_release(int i) {
  TVMFFIObject *module = load("kernels.so");
  TVMFFIObject *add = get_function(module, "add", 0);
  (void)i;
  TVMFFIObjectDecRef(add);
  TVMFFIObjectDecRef(module);
  return 0;
}

static int load_and_unload(int i) {
  TVMFFIObject *module = load("kernels.so");
  (void)i;
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  return 0;
}

static void run_in_thread(void *context) {
  (void)context;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "left behind");
  (void)TVMFFIEnvSetStream(2, 0, &bytes_in_use, NULL);
  (void)set_global(0);
}

static int start_and_end_thread(int i) {
  (void)i;
  thread_run(run_in_thread, NULL, 0);
  return 0;
}

/* ---- Measuring ---- */

typedef struct {
  const char *name;
  int (*action)(int i);
  int rounds;
  size_t slack; /* bytes that come and go */
} repeated;

static const repeated kRepeated[] = {
    {"set_global", set_global, kManyRounds, 0},
    {"set_and_remove_global", set_and_remove_global, kManyRounds, 0},
    {"set_and_remove_another_global", set_and_remove_another_global, kManyRounds, 100000},
    {"register_context_symbol", register_context_symbol, kManyRounds, 0},
    {"register_system_lib_symbol", register_system_lib_symbol, kManyRounds, 0},
    {"register_type", register_type, kManyRounds, 0},
    {"register_attribute", register_attribute, kManyRounds, 0},
    {"register_field_again", register_field_again, kManyRounds, 0},
    {"set_stream", set_stream, kManyRounds, 0},
    {"set_allocator", set_allocator, kManyRounds, 0},
    {"raise_error", raise_error, kManyRounds, 0},
    {"get_a_system_lib", get_a_system_lib, kManyRounds / 10, 0},
    {"load_and_release", load_and_release, kManyRounds / 50, 0},
    {"load_and_unload", load_and_unload, kManyRounds / 500, 0},
    {"start_and_end_thread", start_and_end_thread, kManyRounds / 200, 0},
};

TEST(test_memory_does_not_grow_with_what_is_done_again) {
  size_t number;
  for (number = 0; number < sizeof kRepeated / sizeof kRepeated[0]; ++number) {
    const repeated *r = &kRepeated[number];
    size_t before = 0;
    int i;
    assert_true(r->rounds > 2 * kFewRounds);
    for (i = 0; i < r->rounds; ++i) {
      if (i == kFewRounds || i == r->rounds / 2) before = bytes_in_use;
      assert_int_equal(r->action(i), 0);
      if (i % 2 != 0 && i > kFewRounds && bytes_in_use > before + 256 + r->slack) {
        fail_msg("%s: %zu bytes more after %d rounds", r->name, bytes_in_use - before, i);
      }
    }
    TVMFFIErrorSetRaised(NULL);
  }
}

static int count_symbol(void *context, const char *name, void *symbol) {
  (void)symbol;
  if (strncmp(name, "__test_", 7) == 0) ++*(int *)context;
  return 0;
}

/* Each load goes through them. */
TEST(test_context_symbols_registered_again_are_one_each) {
  int i, count = 0;
  for (i = 0; i < 1000; ++i) assert_int_equal(register_context_symbol(i), 0);
  check_ok(TVMFFIRuntimeContextSymbolVisit(count_symbol, &count));
  assert_int_equal(count, 2);
}

/* Every method is kept, also one of the same name: so many bytes for each, copies included. */
TEST(test_methods_take_a_limited_number_of_bytes) {
  enum { kMethods = 100000, kBytesForEach = 6 * (int)sizeof(TVMFFIMethodInfo) };
  TVMFFIMethodInfo method;
  size_t before = bytes_in_use;
  int i;
  memset(&method, 0, sizeof method);
  method.name = check_bytes("test_growth");
  method.method = tvmffi_any_object(function);
  for (i = 0; i < kMethods; ++i) {
    check_ok(TVMFFITypeRegisterMethod(kTVMFFIOpaquePyObject, &method));
  }
  assert_true(bytes_in_use - before < (size_t)kMethods * kBytesForEach);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_does_not_grow_with_what_is_done_again),
      cmocka_unit_test(test_context_symbols_registered_again_are_one_each),
      cmocka_unit_test(test_methods_take_a_limited_number_of_bytes),
  };
  const TVMFFIRuntimeMemoryHooks hooks = {allocate, deallocate, NULL};
  if (TVMFFIRuntimeSetMemoryHooks(&hooks) != 0) return 1;
  if (TVMFFIFunctionCreate(NULL, call_nothing, NULL, &function) != 0) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
