/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "module/module.h"
#include "support/thread.h"

/* A module with one function, named like the module by a letter, which returns the letter. */
static char kNames[] = "abcdefghijklmnopqrstuvwxyz";

static int num_asked, num_alive; /* not locked: for tests with one thread */

static int give_letter(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(*(const char *)handle);
  return 0;
}

static int letter_get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                               TVMFFIObjectHandle *out) {
  (void)module;
  ++num_asked;
  if (name->size == 1 && name->data[0] == *(char *)self) {
    return TVMFFIFunctionCreate(self, give_letter, NULL, out);
  }
  if (name->size == 1 && name->data[0] == '!') {
    TVMFFIErrorSetRaisedFromCStr("KeyError", "a module refused");
    return -1;
  }
  return 0;
}

static void letter_destroy(void *self) {
  (void)self;
  --num_alive;
}

static const TVMFFIRuntimeModuleVTable kLetter = {
    .struct_size = sizeof kLetter,
    .kind = "letter",
    .property_mask = kTVMFFIRuntimeModuleRunnable,
    .get_function = letter_get_function,
    .destroy = letter_destroy,
};

static TVMFFIObject *new_letter(char name) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(&kLetter, &kNames[name - 'a'], &module));
  ++num_alive;
  return module;
}

static int64_t call_letter(void *function) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  return result.v_int64;
}

/* ---- Importing ---- */

TEST(test_imports_are_an_array_of_modules) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b'), *imports;
  TVMFFIAny result;
  import_module(a, b);
  import_module(a, b); /* duplicates are allowed */
  imports = ((tvmffi_module *)(void *)a)->imports;
  assert_int_equal(tvmffi_array_size(imports), 2);
  assert_ptr_equal(tvmffi_array_items(imports)[1].v_obj, b);
  assert_int_equal(tvmffi_array_items(imports)[1].type_index, kTVMFFIModule);
  assert_int_equal(check_use_count(b), 3);
  check_ok(call_on(a, "ffi.ModuleClearImports", NULL, -1, &result));
  assert_int_equal(check_use_count(b), 1);
  import_module(a, b);
  TVMFFIObjectDecRef(b);
  TVMFFIObjectDecRef(a);
  assert_int_equal(num_alive, 0);
}

TEST(test_a_context_that_is_no_module) {
  TVMFFIObject *a = new_letter('a');
  TVMFFIObjectHandle found;
  void *context = tvmffi_module_to_cxx(a);
  a->type_index = kTVMFFIArray;
  check_fails(TVMFFIEnvModLookupFromImports(context, "f", &found), "RuntimeError",
              "TVMFFIEnvModLookupFromImports: `library_ctx` is not what the loader stored in "
              "__tvm_ffi__library_ctx");
  a->type_index = kTVMFFIModule;
  TVMFFIObjectDecRef(a);
}

TEST(test_circles_are_refused) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b'), *c = new_letter('c');
  TVMFFIAny args[2], result;
  import_module(a, b);
  import_module(b, c);
  args[0] = args[1] = tvmffi_any_object(a);
  check_fails(call_global("ffi.ModuleImportModule", args, 2, &result), "RuntimeError",
              "Cyclic dependency detected during import");
  args[0] = tvmffi_any_object(c);
  check_fails(call_global("ffi.ModuleImportModule", args, 2, &result), "RuntimeError",
              "Cyclic dependency detected during import");
  assert_int_equal(check_use_count(a), 1);
  import_module(a, c); /* two paths to the same module are no cycle */
  TVMFFIObjectDecRef(c);
  TVMFFIObjectDecRef(b);
  TVMFFIObjectDecRef(a);
  assert_int_equal(num_alive, 0);
}

TEST(test_depth_first_and_each_once) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b'), *c = new_letter('c');
  TVMFFIObject *d = new_letter('d'), *e = new_letter('e'), *function;
  tvmffi_module_set found;
  import_module(a, b); /* a: b, d;  b: c, e;  d: c */
  import_module(a, d);
  import_module(b, c);
  import_module(b, e);
  import_module(d, c);
  check_ok(tvmffi_imports_collect(a, &found));
  assert_int_equal(found.size, 4);
  assert_ptr_equal(found.items[0], b);
  assert_ptr_equal(found.items[1], c);
  assert_ptr_equal(found.items[2], e);
  assert_ptr_equal(found.items[3], d);
  assert_int_equal(check_use_count(c), 4);
  tvmffi_imports_release(&found);
  assert_int_equal(check_use_count(c), 3);
  num_asked = 0;
  assert_null(get_function(a, "z", 1));
  assert_int_equal(num_asked, 5);
  assert_null(get_function(a, "e", 0));
  function = get_function(a, "e", 1);
  assert_int_equal(call_letter(function), 'e');
  TVMFFIObjectDecRef(function);
  TVMFFIObjectDecRef(e);
  TVMFFIObjectDecRef(d);
  TVMFFIObjectDecRef(c);
  TVMFFIObjectDecRef(b);
  TVMFFIObjectDecRef(a);
  assert_int_equal(num_alive, 0);
}

/* Neither the walk nor the release recurses. */
TEST(test_a_long_chain) {
  TVMFFIObject *top = new_letter('z'), *function;
  int i;
  for (i = 0; i < 2000; ++i) {
    TVMFFIObject *above = new_letter('a');
    import_module(above, top);
    TVMFFIObjectDecRef(top);
    top = above;
  }
  function = get_function(top, "z", 1);
  assert_int_equal(call_letter(function), 'z');
  TVMFFIObjectDecRef(function);
  TVMFFIObjectDecRef(top);
  assert_int_equal(num_alive, 0);
}

/* ---- Lookups by a library ---- */

static int give_global(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(-1);
  return 0;
}

TEST(test_imports_then_globals_then_nothing) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b');
  TVMFFIObjectHandle found = a, again = NULL;
  TVMFFIAny result;
  import_module(a, b);
  check_fails(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "a", &found), "RuntimeError",
              "Cannot find function a in the imported modules or global registry.");
  assert_ptr_equal(found, a); /* the module itself is not searched; not written on failure */
  register_global("a", give_global);
  register_global("b", give_global);
  check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "a", &found));
  assert_int_equal(call_letter(found), -1);
  check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "b", &found));
  assert_int_equal(call_letter(found), 'b');
  assert_int_equal(check_use_count(found), 1); /* the only reference is the cache's */
  num_asked = 0;
  check_ok(call_on(a, "ffi.ModuleClearImports", NULL, -1, &result));
  check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "b",
                                         &again)); /* clearing the imports keeps the cache */
  assert_ptr_equal(found, again);
  assert_int_equal(num_asked, 0);
  remove_global("a");
  remove_global("b");
  TVMFFIObjectDecRef(a);
  assert_int_equal(num_alive, 1);
  TVMFFIObjectDecRef(b);
}

TEST(test_many_names) {
  TVMFFIObject *a = new_letter('a');
  TVMFFIObjectHandle found[100], again;
  char name[32];
  int i;
  for (i = 0; i < 100; ++i) {
    (void)snprintf(name, sizeof name, "test.imports.%d", i);
    register_global(name, give_global);
    check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), name, &found[i]));
  }
  for (i = 0; i < 100; ++i) {
    (void)snprintf(name, sizeof name, "test.imports.%d", i);
    remove_global(name);
    check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), name, &again));
    assert_ptr_equal(again, found[i]);
    assert_int_equal(call_letter(again), -1);
  }
  TVMFFIObjectDecRef(a);
}

/* A module made by C++ code may have no cache. */
TEST(test_a_module_without_a_cache_gets_one) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b');
  tvmffi_module *module = (tvmffi_module *)(void *)a;
  TVMFFIObjectHandle found = NULL, again = NULL;
  import_module(a, b);
  TVMFFIObjectDecRef(module->lookup_cache);
  module->lookup_cache = NULL;
  check_fails(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "nowhere", &found),
              "RuntimeError", NULL);
  assert_null(module->lookup_cache);
  check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "b", &found));
  assert_non_null(module->lookup_cache);
  assert_int_equal(call_letter(found), 'b');
  check_ok(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "b", &again));
  assert_ptr_equal(again, found);
  TVMFFIObjectDecRef(b);
  TVMFFIObjectDecRef(a);
}

TEST(test_errors_of_looking_up) {
  TVMFFIObject *a = new_letter('a'), *b = new_letter('b');
  TVMFFIObjectHandle found = NULL;
  import_module(a, b);
  check_fails(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "!", &found), "KeyError",
              "a module refused");
  check_fails(TVMFFIEnvModLookupFromImports(NULL, "b", &found), "ValueError", NULL);
  check_fails(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), NULL, &found), "ValueError",
              NULL);
  check_fails(TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(a), "b", NULL), "ValueError",
              NULL);
  assert_null(found);
  TVMFFIObjectDecRef(b);
  TVMFFIObjectDecRef(a);
}

/* ---- Threads ---- */

static const TVMFFIRuntimeModuleVTable kSilent = {
    .struct_size = sizeof kSilent, .kind = "silent", .get_function = find_no_function};

static TVMFFIObject *new_silent(void) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(&kSilent, NULL, &module));
  return module;
}

enum { kTurns = 3000 };

static TVMFFIObject *left, *right;

/* Imports the right module into the left one and clears its imports again. */
static void *import_right(void *unused) {
  int i;
  for (i = 0; i < kTurns; ++i) {
    if (tvmffi_imports_add(left, right) != 0) TVMFFIErrorSetRaised(NULL);
    if (tvmffi_imports_clear(left) != 0) return left;
  }
  return unused;
}

static void *import_left(void *unused) {
  int i;
  for (i = 0; i < kTurns; ++i) {
    if (tvmffi_imports_add(right, left) != 0) TVMFFIErrorSetRaised(NULL);
    if (tvmffi_imports_clear(right) != 0) return right;
  }
  return unused;
}

static void *look_up(void *unused) {
  TVMFFIAny name = tvmffi_any_raw_str("f");
  char text[32];
  int i;
  for (i = 0; i < kTurns; ++i) {
    TVMFFIObjectHandle found;
    TVMFFIAny answer;
    if (tvmffi_module_query(left, kTvmffiModuleGetFunction, &name, true, &answer) != 0) {
      return left;
    }
    (void)snprintf(text, sizeof text, "test.imports.%d", i % 40);
    if (TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(right), text, &found) != 0) {
      return right;
    }
  }
  return unused;
}

TEST(test_importing_and_looking_up_at_once) {
  void *(*const bodies[4])(void *) = {import_right, import_left, look_up, look_up};
  char name[32];
  int i;
  left = new_silent();
  right = new_silent();
  for (i = 0; i < 40; ++i) {
    (void)snprintf(name, sizeof name, "test.imports.%d", i);
    register_global(name, give_global);
  }
  assert_int_equal(thread_count_results(4, bodies, NULL), 0);
  assert_int_equal(check_use_count(left), 1);
  assert_int_equal(check_use_count(right), 1); /* there was never a cycle */
  TVMFFIObjectDecRef(left);
  TVMFFIObjectDecRef(right);
  for (i = 0; i < 40; ++i) {
    (void)snprintf(name, sizeof name, "test.imports.%d", i);
    remove_global(name);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_imports_are_an_array_of_modules),
    cmocka_unit_test(test_a_context_that_is_no_module),
    cmocka_unit_test(test_circles_are_refused),
    cmocka_unit_test(test_depth_first_and_each_once),
    cmocka_unit_test(test_a_long_chain),
    cmocka_unit_test(test_imports_then_globals_then_nothing),
    cmocka_unit_test(test_many_names),
    cmocka_unit_test(test_a_module_without_a_cache_gets_one),
    cmocka_unit_test(test_errors_of_looking_up),
    cmocka_unit_test(test_importing_and_looking_up_at_once),
})
