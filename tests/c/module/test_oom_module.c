/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/imports.h"
#include "support/check.h"
#include "support/oom.h"

static int get_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  (void)self;
  return tvmffi_string_to_any(name->data, name->size, out);
}

static const TVMFFIRuntimeModuleVTable kPlain = {
    .struct_size = sizeof kPlain, .kind = "plain", .get_function = find_no_function};
static const TVMFFIRuntimeModuleVTable kWithDoc = {.struct_size = sizeof kWithDoc,
                                                   .kind = "doc",
                                                   .get_function = find_no_function,
                                                   .get_function_doc = get_doc};

static TVMFFIObject *new_module(const TVMFFIRuntimeModuleVTable *vtable) {
  TVMFFIObjectHandle module;
  return TVMFFIRuntimeModuleCreate(vtable, NULL, &module) == 0 ? module : NULL;
}

/* ---- Making ---- */

static int num_destroyed;

static void count(void *self) {
  ++*(int *)self;
}

static const TVMFFIRuntimeModuleVTable kCounted = {.struct_size = sizeof kCounted,
                                                   .kind = "counted",
                                                   .get_function = find_no_function,
                                                   .destroy = count};

static int create(void *out) {
  return TVMFFIRuntimeModuleCreate(&kCounted, &num_destroyed, out);
}

/* After a failure self still belongs to the caller. */
static void not_created(void *out) {
  oom_no_object(out);
  assert_int_equal(num_destroyed, 0);
}

static void release(void *out) {
  oom_release_object(out);
  assert_int_equal(num_destroyed, 1);
}

TEST(test_creating) {
  TVMFFIObjectHandle module = NULL;
  assert_int_equal(oom_check(create, not_created, release, &module, 0), 3); /* it, imports, cache */
}

/* ---- Pinning and asking ---- */

static int pin(void *module) {
  return tvmffi_module_pin(*(TVMFFIObject **)module);
}

static void not_pinned(void *module) {
  assert_int_equal(check_use_count(*(TVMFFIObject **)module), 1);
}

TEST(test_pinning) {
  TVMFFIObject *module = new_module(&kPlain);
  assert_int_equal(oom_check(pin, not_pinned, NULL, &module, 1), 1);
  tvmffi_module_unpin(module);
  assert_int_equal(oom_check(pin, not_pinned, NULL, &module, 0), 0); /* the room is there already */
  tvmffi_module_unpin(module);
  TVMFFIObjectDecRef(module);
  tvmffi_module_shutdown();
  assert_int_equal(oom_live_blocks(), 0);
}

typedef struct {
  TVMFFIObject *module;
  TVMFFIAny answer;
} query;

static int ask(void *context) {
  TVMFFIAny name = tvmffi_any_raw_str("a name of some length");
  query *q = context;
  return tvmffi_module_query(q->module, kTvmffiModuleGetDoc, &name, true, &q->answer);
}

static void no_answer(void *context) {
  query *q = context;
  assert_int_equal(q->answer.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(q->module), 1);
}

static void release_answer(void *context) {
  query *q = context;
  assert_int_equal(q->answer.type_index, kTVMFFIStr);
  check_release(&q->answer);
}

TEST(test_asking_imports) {
  TVMFFIObject *imported = new_module(&kPlain), *below = new_module(&kWithDoc);
  query q;
  q.module = new_module(&kPlain);
  q.answer = tvmffi_any_none();
  check_ok(tvmffi_imports_add(q.module, imported));
  check_ok(tvmffi_imports_add(imported, below));
  assert_true(oom_check(ask, no_answer, release_answer, &q, 0) >= 3);
  TVMFFIObjectDecRef(below);
  TVMFFIObjectDecRef(imported);
  TVMFFIObjectDecRef(q.module);
  assert_int_equal(oom_live_blocks(), 0);
}

/* ---- Sets of modules ---- */

static TVMFFIObject objects[100];
static size_t next;

static int add(void *set) {
  return tvmffi_module_set_add(set, &objects[next]) < 0 ? tvmffi_fail_memory() : 0;
}

static void unchanged(void *context) {
  tvmffi_module_set *set = context;
  size_t i;
  assert_int_equal(set->size, next);
  for (i = 0; i < next; ++i) assert_true(tvmffi_module_set_has(set, &objects[i]));
  assert_false(tvmffi_module_set_has(set, &objects[next]));
}

TEST(test_every_growth) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  long growths = 0;
  for (next = 0; next < 100; ++next) growths += oom_check(add, unchanged, NULL, &set, 1);
  assert_int_equal(growths, 5); /* capacities 8 to 128 */
  tvmffi_module_set_fini(&set);
  assert_int_equal(oom_live_blocks(), 0);
}

/* ---- Methods ---- */

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
    cmocka_unit_test(test_creating),
    cmocka_unit_test(test_pinning),
    cmocka_unit_test(test_asking_imports),
    cmocka_unit_test(test_every_growth),
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_queries),
})
