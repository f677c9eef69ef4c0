/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "container/array.h"
#include "container/map.h"
#include "module/module.h"
#include "support/check.h"
#include "support/oom.h"

/* Returns a function for every name that does not begin with '-'. */
static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  return name->data[0] == '-' ? 0 : TVMFFIFunctionCreate(NULL, call_nothing, NULL, out);
}

static const TVMFFIRuntimeModuleVTable kModule = {
    .struct_size = sizeof kModule, .kind = "test", .get_function = get_function};

static tvmffi_module *new_module(void) {
  tvmffi_module *module = tvmffi_module_new(sizeof *module, &kModule);
  assert_non_null(module);
  return module;
}

typedef struct {
  tvmffi_module *module, *imported, *below;
  int64_t num_imports;
  TVMFFIObjectHandle found;
  int number;
  uint64_t cached;
} fixture;

static fixture set_up(void) {
  fixture f;
  memset(&f, 0, sizeof f);
  f.module = new_module();
  f.imported = new_module();
  f.below = new_module();
  check_ok(tvmffi_imports_add(&f.imported->header, &f.below->header));
  return f;
}

static void tear_down(fixture *f) {
  TVMFFIObjectDecRef(f->module);
  TVMFFIObjectDecRef(f->imported);
  TVMFFIObjectDecRef(f->below);
  assert_int_equal(oom_live_blocks(), 0);
}

/* ---- Adding and clearing ---- */

static int add(void *context) {
  fixture *f = context;
  return tvmffi_imports_add(&f->module->header, &f->imported->header);
}

static void same_imports(void *context) {
  fixture *f = context;
  assert_int_equal(tvmffi_array_size(f->module->imports), f->num_imports);
  assert_int_equal(check_use_count(f->imported), 1 + f->num_imports);
}

static int clear(void *context) {
  return tvmffi_imports_clear(&((fixture *)context)->module->header);
}

TEST(test_adding_and_clearing) {
  fixture f = set_up();
  for (; f.num_imports < 6; ++f.num_imports) {
    assert_true(oom_check(add, same_imports, NULL, &f, 1) >= 2);
  }
  assert_int_equal(oom_check(clear, same_imports, NULL, &f, 1), 1);
  f.num_imports = 0;
  same_imports(&f);
  tear_down(&f);
}

/* ---- Looking up ---- */

static int look_up(void *context) {
  fixture *f = context;
  char name[64];
  (void)snprintf(name, sizeof name, "a function of number %d", f->number);
  return TVMFFIEnvModLookupFromImports(tvmffi_module_to_cxx(&f->module->header), name, &f->found);
}

static void nothing_cached(void *context) {
  fixture *f = context;
  assert_null(f->found);
  assert_int_equal(tvmffi_map_size(f->module->lookup_cache), f->cached);
}

TEST(test_looking_up) {
  fixture f = set_up();
  check_ok(add(&f));
  for (; f.number < 40; ++f.number, ++f.cached) {
    f.found = NULL;
    assert_true(oom_check(look_up, nothing_cached, NULL, &f, 1) >= 4);
    assert_non_null(f.found);
  }
  tear_down(&f);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_adding_and_clearing),
    cmocka_unit_test(test_looking_up),
})
