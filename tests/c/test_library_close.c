/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NOLOAD, mkstemp */
#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "core/log.h"
#include "core/type.h"
#include "module/library.h"
#include "module_support.h"
#include "support/check.h"

static int deleted; /* how often library code deleted something */
static int closed;  /* how often a library's destructor ran */

static int set_up(void **state) {
  static int is_registered;
  union {
    int (*create)(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                  TVMFFIObjectHandle *out);
    void *address;
  } create;
  (void)state;
  deleted = closed = 0;
  if (is_registered) return 0;
  is_registered = 1;
  create.create = TVMFFIFunctionCreate;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_deleted", &deleted));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__TVMFFIFunctionCreate", create.address));
  return 0;
}

static bool is_loaded(const char *file) {
  void *handle = dlopen(module_path(file), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return false;
  (void)dlclose(handle);
  return true;
}

/* Loads a library, calls `leave` and releases the module; returns the result of `leave`. */
static TVMFFIAny leave(const char *file) {
  TVMFFIObject *module = load(file);
  TVMFFIAny left = tvmffi_any_none();
  check_ok(call_function(module, "leave", NULL, 0, &left));
  TVMFFIObjectDecRef(module);
  return left;
}

static TVMFFIAny leave_and_stay(const char *file) {
  TVMFFIAny left = leave(file);
  assert_int_equal(closed, 0);
  assert_true(is_loaded(file));
  return left;
}

static void check_gives_seven(TVMFFIObjectHandle function) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 7);
}

/* ---- Objects ---- */

static void test_functions(void **state) {
  static const char *const files[] = {"leave_a_function.so", "leave_by_extern_c.so",
                                      "leave_by_context_symbol.so", "leave_by_dlsym.so"};
  size_t i;
  (void)state;
  for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
    TVMFFIAny left = leave_and_stay(files[i]);
    check_gives_seven(left.v_obj);
    deleted = 0;
    check_release(&left);
    assert_int_equal(deleted, 1);
  }
}

static void test_objects(void **state) {
  static const char *const files[] = {
      "leave_an_opaque.so",           "leave_a_type.so",  "leave_by_malloc.so",
      "leave_by_custom_allocator.so", "leftovers_cpp.so", "leave_a_tensor.so",
      "leave_a_versioned_tensor.so",
  };
  size_t i;
  (void)state;
  for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
    FILE *file = fopen(module_path(files[i]), "rb");
    TVMFFIAny left;
    if (file == NULL && strcmp(files[i], "leftovers_cpp.so") == 0) continue; /* no C++ compiler */
    assert_non_null(file);
    (void)fclose(file);
    left = leave_and_stay(files[i]);
    if (left.type_index == kTVMFFITensor) {
      assert_int_equal(*(int64_t *)TVMFFITensorGetDLTensorPtr(left.v_obj)->data, 7);
    }
    deleted = 0;
    check_release(&left);
    assert_int_equal(deleted, 1);
  }
}

/* ---- Objects that the runtime keeps ---- */

static void test_globals_of_an_initialiser(void **state) {
  TVMFFIByteArray name = check_bytes("test.left_behind");
  TVMFFIAny left = leave_and_stay("leave_a_global.so");
  TVMFFIObjectHandle function;
  (void)state;
  assert_int_equal(left.type_index, kTVMFFINone);
  check_ok(TVMFFIFunctionGetGlobal(&name, &function));
  assert_non_null(function);
  check_gives_seven(function);
  TVMFFIObjectDecRef(function);
  remove_global("test.left_behind");
}

static void test_fields_and_attributes(void **state) {
  TVMFFIByteArray name = check_bytes("__test_left_behind__");
  const TVMFFITypeAttrColumn *column;
  const TVMFFITypeInfo *info;
  TVMFFIAny result = tvmffi_any_none();
  union {
    void *address;
    TVMFFISafeCallType call;
  } attr;
  (void)state;
  (void)leave_and_stay("leave_a_field.so");
  info = TVMFFIGetTypeInfo(kTVMFFIObject);
  assert_int_not_equal(info->num_fields, 0);
  check_ok(info->fields[info->num_fields - 1].getter(NULL, &result));
  assert_int_equal(result.v_int64, 7);
  (void)leave_and_stay("leave_an_attribute.so");
  column = TVMFFIGetTypeAttrColumn(&name);
  assert_non_null(column);
  attr.address = column->data[kTVMFFIObject - column->begin_index].v_ptr;
  check_ok(attr.call(NULL, NULL, 0, &result));
  assert_int_equal(result.v_int64, 7);
}

static void test_hooks(void **state) {
  (void)state;
  (void)leave_and_stay("leave_frontend_hooks.so");
  check_ok(TVMFFIEnvCheckSignals());
  assert_int_equal(deleted, 1);
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", NULL));
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", NULL));
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Release", NULL));
  (void)leave_and_stay("leave_a_log_hook.so");
  deleted = 0;
  tvmffi_log_warning("heard");
  assert_int_equal(deleted, 1);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

static void test_allocators(void **state) {
  int64_t shape = 1;
  TVMFFIObjectHandle tensor;
  DLTensor prototype;
  (void)state;
  (void)leave_and_stay("leave_an_allocator.so");
  memset(&prototype, 0, sizeof prototype);
  prototype.device.device_type = kDLCPU;
  prototype.dtype.code = kDLInt;
  prototype.dtype.bits = 64;
  prototype.dtype.lanes = 1;
  prototype.ndim = 1;
  prototype.shape = &shape;
  check_ok(TVMFFIEnvTensorAlloc(&prototype, &tensor));
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(deleted, 1);
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 1, NULL));
}

static void test_symbols_of_the_system_library(void **state) {
  TVMFFIObject *module;
  (void)state;
  (void)leave_and_stay("leave_a_symbol.so");
  module = get_system_lib("");
  assert_int_equal(call_int(module, "test_left_behind"), 7);
  TVMFFIObjectDecRef(module);
}

/* ---- Files ---- */

/* The function belongs to a library that this one brought along: neither is unloaded. */
static void test_what_was_brought_along(void **state) {
  TVMFFIAny left = leave_and_stay("leave_by_helper.so");
  (void)state;
  assert_true(is_loaded("libleftovers_helper.so"));
  check_gives_seven(left.v_obj);
  check_release(&left);
}

static void test_a_library_that_leaves_nothing_is_unloaded(void **state) {
  static const char *const files[] = {"leave_nothing.so", "leave_nothing_along.so"};
  size_t i;
  (void)state;
  for (i = 0; i < 2; ++i) {
    TVMFFIAny left;
    closed = 0;
    left = leave(files[i]);
    assert_int_equal(closed, 1);
    assert_false(is_loaded(files[i]));
    assert_false(is_loaded("libleftovers_along.so"));
    check_release(&left);
  }
}

/* The destructor of one library releases the last module of another. */
static void test_closing_closes_others(void **state) {
  static const char *const files[] = {"leave_nothing.so", "leave_nothing_along.so"};
  size_t i;
  (void)state;
  for (i = 0; i < 2; ++i) {
    TVMFFIObject *keeper = load("kernels.so"), *kept = load(files[i]);
    TVMFFIAny arg = tvmffi_any_object(kept), result;
    closed = 0;
    check_ok(call_function(keeper, "keep", &arg, 1, &result));
    TVMFFIObjectDecRef(kept);
    assert_int_equal(closed, 0);
    TVMFFIObjectDecRef(keeper);
    assert_int_equal(closed, 2);
    assert_false(is_loaded("kernels.so"));
    assert_false(is_loaded(files[i]));
  }
}

/* Replaces the file at the path by a copy of a library of the tests. */
static void put_copy(const char *file, const char *path) {
  char bytes[4096], fresh[4096];
  FILE *from = fopen(module_path(file), "rb"), *to;
  size_t n;
  (void)snprintf(fresh, sizeof fresh, "%s.new", path);
  to = fopen(fresh, "wb");
  assert_non_null(from);
  assert_non_null(to);
  while ((n = fread(bytes, 1, sizeof bytes, from)) != 0) {
    assert_int_equal(fwrite(bytes, 1, n, to), n);
  }
  (void)fclose(from);
  assert_int_equal(fclose(to), 0);
  assert_int_equal(rename(fresh, path), 0);
}

static void test_a_plain_library_is_built_anew(void **state) {
  char path[] = "/tmp/tvm_ffi_anew_XXXXXX";
  int file = mkstemp(path);
  TVMFFIObject *module;
  (void)state;
  assert_true(file >= 0);
  (void)close(file);
  put_copy("leave_nothing.so", path);
  check_ok(load_file(path, &module));
  assert_null(get_function(module, "main", 0));
  TVMFFIObjectDecRef(module);
  put_copy("kernels.so", path);
  check_ok(load_file(path, &module));
  assert_int_equal(call_int(module, "main"), 1);
  TVMFFIObjectDecRef(module);
  (void)unlink(path);
}

static void test_a_library_that_stayed_is_loaded_again(void **state) {
  TVMFFIAny left = leave_and_stay("leave_a_function.so"), again;
  TVMFFIObject *module = load("leave_a_function.so");
  void **context, *handle = dlopen(module_path("leave_a_function.so"), RTLD_LAZY | RTLD_NOLOAD);
  (void)state;
  assert_non_null(handle);
  context = dlsym(handle, "__tvm_ffi__library_ctx");
  assert_ptr_equal(*context, tvmffi_module_to_cxx(module));
  check_ok(call_function(module, "leave", NULL, 0, &again));
  TVMFFIObjectDecRef(module);
  assert_null(*context);
  (void)dlclose(handle);
  assert_int_equal(closed, 0);
  check_release(&left);
  check_gives_seven(again.v_obj);
  check_release(&again);
  assert_int_equal(deleted, 2);
}

/* ---- Names ---- */

/* Each name twice: as imported from another library, and as defined in the library itself. */
static void test_names(void **state) {
  static const struct {
    const char *name;
    bool if_taken, if_own;
  } kNames[] = {
      {"", true, true},
      {"memcpy", true, true},
      {"sinf", true, true},
      {"free", true, true},
      {"__cxa_finalize", true, true},
      {"__cxa_atexit", true, true},
      {"__asan_init", true, true},
      {"__asan_stack_malloc_1", true, true},
      {"__ubsan_handle_add_overflow", true, true},
      {"__not_of_a_san_malloc", false, true},
      {"__tvm_ffi_main", true, true},
      {"__TVMFFIErrorSetRaisedFromCStr", true, true},
      {"TVMFFIErrorSetRaisedFromCStrParts", true, true},
      {"TVMFFIAnyViewToOwnedAny", true, true}, /* the first and the last of a list */
      {"TVMFFITypeKeyToIndex", true, true},
      {"aligned_alloc", false, true},
      {"valloc", false, true},
      {"__libc_malloc", false, true},
      {"strdup", false, true},
      {"__sysv_signal", false, true}, /* the name of `signal` in C99 code with glibc */
      {"sigaction", false, true},
      {"mmap64", false, true},
      {"tss_create", false, true},
      {"malloc", false, true},
      {"dlsym", false, true},
      {"pthread_create", false, true},
      {"_Znwm", false, true},
      {"__cxa_throw", false, true},
      {"__gxx_personality_v0", false, true},
      {"TVMFFI", false, false},
      {"TVMFFIFunctionCreate", false, false},
      {"__TVMFFIFunctionCreate", false, false},
      {"TVMFFIErrorSetRaisedFrom", false, false},
      {"TVMFFIOfAnotherVersion", false, false},
  };
  size_t i;
  (void)state;
  for (i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (tvmffi_library_close_allows(kNames[i].name, true) != kNames[i].if_taken ||
        tvmffi_library_close_allows(kNames[i].name, false) != kNames[i].if_own) {
      fail_msg("%s", kNames[i].name);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_functions, set_up),
      cmocka_unit_test_setup(test_objects, set_up),
      cmocka_unit_test_setup(test_globals_of_an_initialiser, set_up),
      cmocka_unit_test_setup(test_fields_and_attributes, set_up),
      cmocka_unit_test_setup(test_hooks, set_up),
      cmocka_unit_test_setup(test_allocators, set_up),
      cmocka_unit_test_setup(test_symbols_of_the_system_library, set_up),
      cmocka_unit_test_setup(test_what_was_brought_along, set_up),
      cmocka_unit_test_setup(test_a_library_that_leaves_nothing_is_unloaded, set_up),
      cmocka_unit_test_setup(test_closing_closes_others, set_up),
      cmocka_unit_test_setup(test_a_plain_library_is_built_anew, set_up),
      cmocka_unit_test_setup(test_a_library_that_stayed_is_loaded_again, set_up),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
