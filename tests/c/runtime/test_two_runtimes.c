/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two copies of the runtime in one process: the archive in the program, and libtvm_ffi.so. The
 * program is built twice, with and without exporting its copy to libraries, and run in several
 * ways:
 *
 *     test_two_runtimes exporting|closed alone|local|global
 *
 * alone: libtvm_ffi.so is not loaded, unless a kernel brings it along. local, global: how it is
 * opened.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <pthread.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/any.h"
#include "core/object.h"

/* The functions that are called in both copies. */
typedef struct {
  int (*FunctionCreate)(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                        TVMFFIObjectHandle *out);
  int (*FunctionGetGlobal)(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
  int (*FunctionSetGlobal)(const TVMFFIByteArray *name, TVMFFIObjectHandle func,
                           int allow_override);
  int (*FunctionCall)(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                      TVMFFIAny *result);
  int (*ObjectDecRef)(TVMFFIObjectHandle obj);
  int (*StringFromByteArray)(const TVMFFIByteArray *input, TVMFFIAny *out);
  int (*TensorFromDLPack)(DLManagedTensor *from, int32_t require_alignment,
                          int32_t require_contiguous, TVMFFIObjectHandle *out);
  int (*TensorToDLPack)(TVMFFIObjectHandle from, DLManagedTensor **out);
  int32_t (*TypeGetOrAllocIndex)(const TVMFFIByteArray *type_key, int32_t static_type_index,
                                 int32_t type_depth, int32_t num_child_slots,
                                 int32_t child_slots_can_overflow, int32_t parent_type_index);
  int (*TypeKeyToIndex)(const TVMFFIByteArray *type_key, int32_t *out_type_index);
  void (*ErrorSetRaised)(TVMFFIObjectHandle error);
  void (*ErrorSetRaisedFromCStr)(const char *kind, const char *message);
  void (*ErrorMoveFromRaised)(TVMFFIObjectHandle *result);
  int (*EnvSetStream)(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                      TVMFFIStreamHandle *opt_out);
  TVMFFIStreamHandle (*EnvGetStream)(int32_t device_type, int32_t device_id);
  int (*EnvSetDLPackManagedTensorAllocator)(DLPackManagedTensorAllocator allocator, int global,
                                            DLPackManagedTensorAllocator *opt_out);
  DLPackManagedTensorAllocator (*EnvGetDLPackManagedTensorAllocator)(void);
  int (*RuntimeShutdown)(void);
} runtime;

static const runtime inside = {
    TVMFFIFunctionCreate,
    TVMFFIFunctionGetGlobal,
    TVMFFIFunctionSetGlobal,
    TVMFFIFunctionCall,
    TVMFFIObjectDecRef,
    TVMFFIStringFromByteArray,
    TVMFFITensorFromDLPack,
    TVMFFITensorToDLPack,
    TVMFFITypeGetOrAllocIndex,
    TVMFFITypeKeyToIndex,
    TVMFFIErrorSetRaised,
    TVMFFIErrorSetRaisedFromCStr,
    TVMFFIErrorMoveFromRaised,
    TVMFFIEnvSetStream,
    TVMFFIEnvGetStream,
    TVMFFIEnvSetDLPackManagedTensorAllocator,
    TVMFFIEnvGetDLPackManagedTensorAllocator,
    TVMFFIRuntimeShutdown,
};
static runtime outside; /* filled in when libtvm_ffi.so is loaded */
static const char *const kNames[] = {
    "TVMFFIFunctionCreate",
    "TVMFFIFunctionGetGlobal",
    "TVMFFIFunctionSetGlobal",
    "TVMFFIFunctionCall",
    "TVMFFIObjectDecRef",
    "TVMFFIStringFromByteArray",
    "TVMFFITensorFromDLPack",
    "TVMFFITensorToDLPack",
    "TVMFFITypeGetOrAllocIndex",
    "TVMFFITypeKeyToIndex",
    "TVMFFIErrorSetRaised",
    "TVMFFIErrorSetRaisedFromCStr",
    "TVMFFIErrorMoveFromRaised",
    "TVMFFIEnvSetStream",
    "TVMFFIEnvGetStream",
    "TVMFFIEnvSetDLPackManagedTensorAllocator",
    "TVMFFIEnvGetDLPackManagedTensorAllocator",
    "TVMFFIRuntimeShutdown",
};

static bool is_exported; /* whether the program exports its copy */
static enum { kAlone, kLocal, kGlobal } mode;
static int inside_stream, outside_stream;

/* ---- The copy in libtvm_ffi.so ---- */

/* Fills in the table of the copy in libtvm_ffi.so. */
static void find_outside(int flags) {
  void *library = dlopen("libtvm_ffi.so", RTLD_LAZY | flags);
  size_t i;
  if (library == NULL) fail_msg("%s", dlerror());
  assert_int_equal(sizeof outside, sizeof kNames / sizeof kNames[0] * sizeof(void *));
  for (i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    void *address = dlsym(library, kNames[i]);
    assert_non_null(address);
    memcpy((char *)&outside + i * sizeof address, &address, sizeof address);
  }
  assert_true(outside.FunctionCreate != inside.FunctionCreate);
  check_ok(outside.EnvSetStream(kDLCPU, 99, &outside_stream, NULL));
}

FIXTURE(set_up) {
  check_ok(inside.EnvSetStream(kDLCPU, 99, &inside_stream, NULL));
  if (mode != kAlone) find_outside(mode == kGlobal ? RTLD_GLOBAL : RTLD_LOCAL);
  return 0;
}

/* Takes the error from a copy's slot and checks its message; NULL: no error is raised. */
static void check_slot(const runtime *copy, const char *message) {
  TVMFFIObjectHandle error;
  copy->ErrorMoveFromRaised(&error);
  if (message == NULL) {
    assert_null(error);
    return;
  }
  assert_non_null(error);
  assert_string_equal(TVMFFIErrorGetCellPtr(error)->message.data, message);
  check_ok(inside.ObjectDecRef(error)); /* either copy may release it */
}

/* ---- State that each copy has for itself ---- */

static int deleted;

static void count(void *self) {
  (void)self;
  ++deleted;
}

TEST(test_globals_and_types) {
  const runtime *copies[2] = {&inside, &outside};
  static const char *const names[2] = {"test.inside", "test.outside"};
  int i;
  for (i = 0; i < 2; ++i) {
    const runtime *copy = copies[i], *other = copies[1 - i];
    TVMFFIByteArray name = check_bytes(names[i]);
    TVMFFIObjectHandle function, found;
    int32_t index;
    check_ok(copy->FunctionCreate(&deleted, call_seven, count, &function));
    check_ok(copy->FunctionSetGlobal(&name, function, 0));
    check_ok(copy->ObjectDecRef(function));
    check_ok(copy->FunctionGetGlobal(&name, &found));
    assert_ptr_equal(found, function);
    check_ok(other->ObjectDecRef(found));
    check_ok(other->FunctionGetGlobal(&name, &found));
    assert_null(found);
    assert_true(copy->TypeGetOrAllocIndex(&name, -1, 1, 0, 0, kTVMFFIObject) >= 128);
    assert_int_equal(copy->TypeKeyToIndex(&name, &index), 0);
    assert_int_not_equal(other->TypeKeyToIndex(&name, &index), 0);
    check_slot(copy, NULL);
    other->ErrorSetRaised(NULL);
  }
}

static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  (void)prototype;
  (void)out;
  (void)error_ctx;
  (void)set_error;
  return -1;
}

TEST(test_errors_streams_and_allocators) {
  const runtime *copies[2] = {&inside, &outside};
  int i;
  assert_ptr_equal(inside.EnvGetStream(kDLCPU, 99), &inside_stream);
  assert_ptr_equal(outside.EnvGetStream(kDLCPU, 99), &outside_stream);
  for (i = 0; i < 2; ++i) {
    const runtime *copy = copies[i], *other = copies[1 - i];
    copy->ErrorSetRaisedFromCStr("ValueError", "of one copy");
    check_slot(other, NULL);
    check_slot(copy, "of one copy");
    check_ok(copy->EnvSetDLPackManagedTensorAllocator(allocate, 1, NULL));
    assert_null(other->EnvGetDLPackManagedTensorAllocator());
    check_ok(copy->EnvSetDLPackManagedTensorAllocator(NULL, 1, NULL));
  }
}

/* ---- Objects passed between the copies ---- */

static void delete_tensor(DLManagedTensor *self) {
  (void)self;
  ++deleted;
}

TEST(test_objects) {
  const runtime *copies[2] = {&inside, &outside};
  int i;
  for (i = 0; i < 2; ++i) {
    const runtime *copy = copies[i], *other = copies[1 - i];
    TVMFFIByteArray text = check_bytes("a text on the heap"), array_name = check_bytes("ffi.Array");
    TVMFFIObjectHandle function, make_array, error, tensor, again;
    TVMFFIAny items[2], array = tvmffi_any_none(), result = tvmffi_any_none();
    DLManagedTensor source, *exported;
    deleted = 0;
    /* A function, called through the other copy, and put in an Array of the other with a text. */
    check_ok(copy->FunctionCreate(&deleted, call_seven, count, &function));
    check_ok(other->FunctionCall(function, NULL, 0, &result));
    assert_int_equal(result.v_int64, 7);
    items[0] = tvmffi_any_object(function);
    check_ok(copy->StringFromByteArray(&text, &items[1]));
    check_ok(other->FunctionGetGlobal(&array_name, &make_array));
    if (make_array != NULL) { /* not in the core profile */
      check_ok(other->FunctionCall(make_array, items, 2, &array));
      check_ok(copy->ObjectDecRef(make_array));
    }
    check_ok(other->ObjectDecRef(items[1].v_obj));
    check_ok(other->ObjectDecRef(function));
    check_ok(copy->ObjectDecRef(array.v_obj));
    assert_int_equal(deleted, 1);
    /* An error that is raised again in the other copy. */
    copy->ErrorSetRaisedFromCStr("ValueError", "handed over");
    copy->ErrorMoveFromRaised(&error);
    other->ErrorSetRaised(error);
    check_ok(other->ObjectDecRef(error));
    check_slot(copy, NULL);
    check_slot(other, "handed over");
    /* A tensor, exported and imported again. */
    memset(&source, 0, sizeof source);
    source.deleter = delete_tensor;
    source.dl_tensor.dtype.lanes = 1;
    source.dl_tensor.dtype.bits = 32;
    source.dl_tensor.device.device_type = kDLCPU;
    check_ok(copy->TensorFromDLPack(&source, 0, 0, &tensor));
    check_ok(other->TensorToDLPack(tensor, &exported));
    check_ok(other->ObjectDecRef(tensor));
    check_ok(copy->TensorFromDLPack(exported, 0, 0, &again));
    assert_int_equal(deleted, 1);
    check_ok(other->ObjectDecRef(again));
    assert_int_equal(deleted, 2);
  }
}

/* When a thread ends, each copy frees its state of the thread. */
static void *use_both(void *failed) {
  inside.ErrorSetRaisedFromCStr("ValueError", "never looked at");
  outside.ErrorSetRaisedFromCStr("ValueError", "never looked at");
  if (inside.EnvSetStream(kDLCPU, 0, failed, NULL) != 0) return failed;
  if (outside.EnvSetStream(kDLCPU, 0, &outside_stream, NULL) != 0) return failed;
  return inside.EnvGetStream(kDLCPU, 0) == failed ? NULL : failed;
}

TEST(test_threads) {
  pthread_t thread;
  void *failed;
  assert_int_equal(pthread_create(&thread, NULL, use_both, &inside_stream), 0);
  assert_int_equal(pthread_join(thread, &failed), 0);
  assert_null(failed);
}

/* ---- The copy that a kernel binds to ---- */

/* Loads a file through one copy and returns a function of the module, or NULL if loading failed. */
static TVMFFIObjectHandle find_kernel(const runtime *copy, const char *file, const char *name) {
  TVMFFIByteArray load = check_bytes("ffi.ModuleLoadFromFile");
  TVMFFIByteArray get = check_bytes("ffi.ModuleGetFunction");
  TVMFFIAny args[3], result = tvmffi_any_none();
  TVMFFIObjectHandle function;
  int rc;
  args[0] = tvmffi_any_raw_str(module_path(file));
  assert_int_equal(copy->FunctionGetGlobal(&load, &function), 0);
  rc = copy->FunctionCall(function, args, 1, &result);
  check_ok(copy->ObjectDecRef(function));
  if (rc != 0) return NULL;
  args[0] = tvmffi_any_object(result.v_obj);
  args[1] = tvmffi_any_raw_str(name);
  args[2] = tvmffi_any_bool(0);
  result = tvmffi_any_none();
  check_ok(copy->FunctionGetGlobal(&get, &function));
  check_ok(copy->FunctionCall(function, args, 3, &result));
  check_ok(copy->ObjectDecRef(function));
  check_ok(copy->ObjectDecRef(args[0].v_obj));
  assert_int_equal(result.type_index, kTVMFFIFunction);
  return result.v_obj;
}

/* Checks which copy the kernel calls. */
static void check_binding(const runtime *loader, const char *file, const runtime *bound) {
  const runtime *other = bound == &inside ? &outside : &inside;
  TVMFFIObjectHandle get_stream = find_kernel(loader, file, "get_stream"), raise;
  TVMFFIAny result = tvmffi_any_none();
  assert_non_null(get_stream);
  if (outside.FunctionCreate == NULL && bound == &outside) find_outside(RTLD_NOLOAD);
  check_ok(loader->FunctionCall(get_stream, NULL, 0, &result));
  assert_ptr_equal(result.v_ptr, bound == &inside ? &inside_stream : &outside_stream);
  check_ok(loader->ObjectDecRef(get_stream));
  raise = find_kernel(loader, file, "raise");
  assert_int_equal(loader->FunctionCall(raise, NULL, 0, &result), -1);
  check_slot(bound, "raised by a kernel");
  if (other->FunctionCreate != NULL) check_slot(other, NULL);
  check_ok(loader->ObjectDecRef(raise));
}

/* Checks that a copy does not load a kernel, because it would call the other copy. */
static void check_refused(const runtime *loader, const char *file) {
  TVMFFIObjectHandle error;
  assert_null(find_kernel(loader, file, "get_stream"));
  loader->ErrorMoveFromRaised(&error);
  assert_non_null(error);
  assert_non_null(
      strstr(TVMFFIErrorGetCellPtr(error)->message.data, "it calls another copy of the runtime ("));
  check_ok(loader->ObjectDecRef(error));
}

TEST(test_kernels_of_a_program_that_exports) {
  check_binding(&inside, "bound.so", &inside);
  check_binding(&inside, "bound_named.so", &inside);
  if (mode == kAlone) return;
  check_refused(&outside, "bound.so");
  check_refused(&outside, "bound_named.so");
}

/* A kernel is bound to the copy that loads it first, but where the names of the other are global.
 */
TEST(test_kernels_of_a_program_that_does_not) {
  if (mode == kGlobal) {
    check_refused(&inside, "bound.so");
    check_refused(&inside, "bound_named.so");
    check_binding(&outside, "bound.so", &outside);
    check_binding(&outside, "bound_named.so", &outside);
    return;
  }
  check_binding(&inside, "bound.so", &inside);
  check_binding(&inside, "bound_named.so", &inside);
  if (mode == kAlone) return;
  check_refused(&outside, "bound.so");
  check_binding(&outside, "bound_now.so", &outside);
  check_refused(&inside, "bound_now.so");
}

/* ---- A third copy ---- */

static char plugin_path[4096];

/* Returns NULL on success. The plugin is closed before the thread ends. */
static void *use_plugin(void *failed) {
  void *plugin = dlopen(plugin_path, RTLD_LAZY), *result;
  union {
    void *address;
    void *(*call)(void);
  } use;
  if (plugin == NULL) return failed;
  use.address = dlsym(plugin, "test_plugin_use");
  if (use.address == NULL) return failed;
  result = use.call();
  (void)dlclose(plugin);
  return result != NULL && result != &inside_stream ? NULL : failed;
}

TEST(test_a_plugin_with_the_archive) {
  pthread_t thread;
  void *failed;
  (void)snprintf(plugin_path, sizeof plugin_path, "%s", module_path("plugin.so"));
  assert_int_equal(pthread_create(&thread, NULL, use_plugin, plugin_path), 0);
  assert_int_equal(pthread_join(thread, &failed), 0);
  assert_null(failed);
  check_slot(&inside, NULL);
  assert_ptr_equal(inside.EnvGetStream(kDLCPU, 99), &inside_stream);
}

TEST(test_one_ends_before_the_other) {
  TVMFFIByteArray name = check_bytes("ffi.ModuleLoadFromFile");
  TVMFFIObjectHandle function;
  check_ok(inside.RuntimeShutdown());
  check_ok(outside.FunctionGetGlobal(&name, &function));
  assert_non_null(function);
  check_ok(outside.ObjectDecRef(function));
  assert_ptr_equal(outside.EnvGetStream(kDLCPU, 99), &outside_stream);
  assert_null(inside.EnvGetStream(kDLCPU, 99));
  check_ok(outside.RuntimeShutdown());
}

int main(int argc, char **argv) {
  const struct CMUnitTest pair_tests[] = {
      cmocka_unit_test(test_globals_and_types),
      cmocka_unit_test(test_errors_streams_and_allocators),
      cmocka_unit_test(test_objects),
      cmocka_unit_test(test_threads),
  };
  const struct CMUnitTest of_exporting[] = {
      cmocka_unit_test(test_kernels_of_a_program_that_exports)};
  const struct CMUnitTest of_closed[] = {cmocka_unit_test(test_kernels_of_a_program_that_does_not)};
  const struct CMUnitTest of_plugins[] = {cmocka_unit_test(test_a_plugin_with_the_archive)};
  const struct CMUnitTest final_tests[] = {cmocka_unit_test(test_one_ends_before_the_other)};
  int failed;
  if (argc != 3) return 1;
  is_exported = strcmp(argv[1], "exporting") == 0;
  mode = strcmp(argv[2], "alone") == 0 ? kAlone : strcmp(argv[2], "local") == 0 ? kLocal : kGlobal;
  failed = is_exported ? cmocka_run_group_tests(of_exporting, set_up, NULL)
                       : cmocka_run_group_tests(of_closed, set_up, NULL);
  if (mode != kAlone) failed += cmocka_run_group_tests(pair_tests, NULL, NULL);
  failed += cmocka_run_group_tests(of_plugins, NULL, NULL);
  if (mode != kAlone) failed += cmocka_run_group_tests(final_tests, NULL, NULL);
  return failed != 0;
}
