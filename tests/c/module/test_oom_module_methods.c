/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/string_object.h"
#include "module/module.h"
#include "support/check.h"
#include "support/oom.h"

static int get_any(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                   TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  (void)name;
  return TVMFFIFunctionCreate(NULL, call_nothing, NULL, out);
}

static int give_text(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  (void)self;
  return tvmffi_string_to_any(name->data, name->size, out);
}

static const char *const kFormats[] = {"a format of some length", "c", "another of some length",
                                       NULL};
static const TVMFFIRuntimeModuleVTable kVerbose = {.struct_size = sizeof kVerbose,
                                                   .kind = "a kind with a long name",
                                                   .get_function = get_any,
                                                   .get_function_doc = give_text,
                                                   .write_formats = kFormats,
                                                   .inspect_source = give_text};
static const TVMFFIRuntimeModuleVTable kPlain = {
    .struct_size = sizeof kPlain, .kind = "plain", .get_function = find_no_function};

typedef struct {
  TVMFFIObject *module;
  tvmffi_module_method method;
  bool query;
  TVMFFIAny result;
} call;

static int make_call(void *context) {
  TVMFFIAny name = tvmffi_any_raw_str("a name of some length");
  call *c = context;
  if (c->query) return tvmffi_module_query(c->module, c->method, &name, true, &c->result);
  return tvmffi_module_call(c->module, c->method, &name, &c->result);
}

static void no_result(void *context) {
  call *c = context;
  assert_int_equal(c->result.type_index, kTVMFFINone);
  assert_int_equal(c->result.v_int64, 0);
  assert_int_equal(check_use_count(c->module), 1);
}

static void release_result(void *context) {
  check_release(&((call *)context)->result);
}

static TVMFFIObject *new_module(const TVMFFIRuntimeModuleVTable *vtable) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(vtable, NULL, &module));
  return module;
}

TEST(test_methods) {
  static const struct {
    tvmffi_module_method method;
    long num_allocations;
  } rows[] = {
      {kTvmffiModuleKind, 1},
      {kTvmffiModulePropertyMask, 0},
      {kTvmffiModuleGetFunction, 1},
      {kTvmffiModuleImplementsFunction, 1}, /* the function returned by get_function */
      {kTvmffiModuleGetDoc, 1},
      {kTvmffiModuleGetMetadata, 0},
      {kTvmffiModuleInspectSource, 1},
      {kTvmffiModuleClearImports, 1},
  };
  size_t i;
  call c;
  memset(&c, 0, sizeof c);
  c.module = new_module(&kVerbose);
  for (i = 0; i < sizeof rows / sizeof *rows; ++i) {
    c.method = rows[i].method;
    assert_int_equal(oom_check(make_call, no_result, release_result, &c, 0),
                     rows[i].num_allocations);
  }
  c.method = kTvmffiModuleGetWriteFormats; /* an array that grows, two texts */
  assert_true(oom_check(make_call, no_result, release_result, &c, 0) >= 4);
  TVMFFIObjectDecRef(c.module);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_queries) {
  TVMFFIObject *imported = new_module(&kVerbose);
  call c;
  memset(&c, 0, sizeof c);
  c.query = true;
  c.module = new_module(&kPlain);
  check_ok(tvmffi_imports_add(c.module, imported));
  for (c.method = kTvmffiModuleGetFunction; c.method <= kTvmffiModuleGetDoc;
       c.method = (tvmffi_module_method)(c.method + 1)) {
    /* the path, the modules on it, the method's result */
    assert_int_equal(oom_check(make_call, no_result, release_result, &c, 0), 3);
    assert_int_equal(check_use_count(imported), 2);
  }
  TVMFFIObjectDecRef(imported);
  TVMFFIObjectDecRef(c.module);
  assert_int_equal(oom_live_blocks(), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_queries),
})
