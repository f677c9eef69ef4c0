/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "container/map.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/imports.h"

/* A kind of module with one function, `own`, and only the required methods. */

static int own(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(3);
  return 0;
}

static int small_get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                              TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  if (name->size == 3 && memcmp(name->data, "own", 3) == 0) {
    return TVMFFIFunctionCreate(NULL, own, NULL, out);
  }
  if (name->size == 4 && memcmp(name->data, "fail", 4) == 0) {
    TVMFFIErrorSetRaisedFromCStr("KeyError", "refused");
    return -1;
  }
  return 0;
}

static void small_destroy(void *self) {
  ++*(int *)self;
}

static int describe(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  (void)self;
  return tvmffi_string_to_any(name->data, name->size, out);
}

static const TVMFFIRuntimeModuleVTable kSmall = {
    .struct_size = sizeof kSmall,
    .kind = "small",
    .property_mask = kTVMFFIRuntimeModuleRunnable,
    .get_function = small_get_function,
    .destroy = small_destroy,
};
static const TVMFFIRuntimeModuleVTable kDescribing = {
    .struct_size = sizeof kDescribing,
    .kind = "describing",
    .get_function = small_get_function,
    .get_function_metadata = describe,
    .get_function_doc = describe,
};

static int destroyed;

static TVMFFIObject *new_module(const TVMFFIRuntimeModuleVTable *vtable) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(vtable, &destroyed, &module));
  return module;
}

FIXTURE(set_up) {
  destroyed = 0;
  return 0;
}

TEST(test_layout) {
  TVMFFIObject *module = new_module(&kSmall);
  void *words[2], *front;
  assert_int_equal(module->type_index, kTVMFFIModule);
  memcpy(words, module + 1, sizeof words);
  memcpy(&front, tvmffi_module_to_cxx(module), sizeof front);
  assert_ptr_equal(front, tvmffi_cxx_vtable());
  assert_int_equal(((TVMFFIObject *)words[0])->type_index, kTVMFFIArray);
  assert_int_equal(tvmffi_array_size(words[0]), 0);
  assert_int_equal(((TVMFFIObject *)words[1])->type_index, kTVMFFIMap);
  assert_int_equal(tvmffi_map_size(words[1]), 0);
#if UINTPTR_MAX > UINT32_MAX
  assert_int_equal(TVMFFI_MODULE_PREFIX, 8);
  assert_int_equal(offsetof(tvmffi_module, imports), 24);
  assert_int_equal(offsetof(tvmffi_module, lookup_cache), 32);
#endif
  TVMFFIObjectDecRef(module);
  assert_int_equal(destroyed, 1);
}

TEST(test_what_a_module_says_of_itself) {
  TVMFFIObject *module = new_module(&kSmall);
  TVMFFIAny result, args[3];
  check_ok(call_on(module, "ffi.ModuleGetKind", NULL, -1, &result));
  check_str(&result, "small");
  check_ok(call_on(module, "ffi.ModuleGetPropertyMask", NULL, -1, &result));
  assert_int_equal(result.v_int64, 2);
  check_ok(call_on(module, "ffi.ModuleInspectSource", "c", -1, &result));
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  assert_int_equal(result.small_str_len, 0);
  check_ok(call_on(module, "ffi.ModuleGetWriteFormats", NULL, -1, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  assert_int_equal(tvmffi_array_size(result.v_obj), 0);
  check_release(&result);
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_raw_str("file");
  args[2] = tvmffi_any_raw_str("so");
  check_fails(call_global("ffi.ModuleWriteToFile", args, 3, &result), "RuntimeError",
              "Module[small] does not support WriteToFile");
  TVMFFIObjectDecRef(module);
}

TEST(test_questions) {
  TVMFFIObject *module = new_module(&kSmall), *function;
  TVMFFIAny result;
  function = get_function(module, "own", 0);
  assert_non_null(function);
  TVMFFIObjectDecRef(function);
  assert_null(get_function(module, "other", 0));
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "own", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "other", 0, &result));
  assert_int_equal(result.v_int64, 0);
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "own", 0, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "own", 0, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_fails(call_on(module, "ffi.ModuleGetFunction", "fail", 1, &result), "KeyError", "refused");
  check_fails(call_on(module, "ffi.ModuleImplementsFunction", "fail", 0, &result), "KeyError",
              NULL);
  check_fails_with(call_on(NULL, "ffi.ModuleGetFunction", "own", 0, &result), "TypeError",
                   "Mismatched type on argument #0 when calling: `ffi.ModuleGetFunction(0: "
                   "ffi.Module, 1: str, 2: bool) -> Optional<ffi.Function>`. Expected "
                   "`ffi.Module` but got `None`");
  TVMFFIObjectDecRef(module);
}

TEST(test_questions_to_imports) {
  TVMFFIObject *module = new_module(&kSmall), *imported = new_module(&kDescribing);
  TVMFFIByteArray text;
  TVMFFIAny result;
  import_module(module, imported);
  TVMFFIObjectDecRef(imported);
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "f", 1, &result));
  assert_true(tvmffi_any_get_text(&result, &text));
  assert_string_equal(text.data, "f");
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "a name of some length", 1, &result));
  assert_int_equal(result.type_index, kTVMFFIStr);
  check_release(&result);
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "g", 1, &result));
  assert_int_equal(result.v_int64, 0);
  check_fails(call_on(module, "ffi.ModuleGetFunction", "fail", 1, &result), "KeyError", NULL);
  TVMFFIObjectDecRef(module);
}

/* ---- Keeping modules alive ---- */

TEST(test_globals) {
  TVMFFIObject *module = new_module(&kSmall), *other = new_module(&kSmall);
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGlobalsRemove", NULL, -1, &result)); /* not there: no error */
  check_ok(call_on(module, "ffi.ModuleGlobalsAdd", NULL, -1, &result));
  check_ok(call_on(module, "ffi.ModuleGlobalsAdd", NULL, -1, &result)); /* no effect */
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(module), 2);
  check_ok(call_on(other, "ffi.ModuleGlobalsAdd", NULL, -1, &result));
  TVMFFIObjectDecRef(module);
  assert_int_equal(destroyed, 0);
  check_ok(call_on(module, "ffi.ModuleGlobalsRemove", NULL, -1, &result));
  assert_int_equal(destroyed, 1);
  TVMFFIObjectDecRef(other);
  assert_int_equal(destroyed, 1);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(destroyed, 2);
}

/* ---- Sets of modules ---- */

static TVMFFIObject objects[1000];

TEST(test_order_and_membership) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  size_t i;
  assert_false(tvmffi_module_set_has(&set, &objects[0]));
  assert_false(tvmffi_module_set_remove(&set, &objects[0]));
  for (i = 0; i < 1000; ++i) {
    assert_int_equal(tvmffi_module_set_add(&set, &objects[(i * 7) % 1000]), 1);
    assert_int_equal(tvmffi_module_set_add(&set, &objects[(i * 7) % 1000]), 0);
    assert_int_equal(set.size, i + 1);
  }
  for (i = 0; i < 1000; ++i) {
    assert_ptr_equal(set.items[i], &objects[(i * 7) % 1000]);
    assert_int_equal(tvmffi_module_set_find(&set, &objects[(i * 7) % 1000]), i);
  }
  assert_true(tvmffi_module_set_remove(&set, &objects[0])); /* the last element takes its place */
  assert_int_equal(tvmffi_module_set_find(&set, &objects[(999 * 7) % 1000]), 0);
  assert_int_equal(tvmffi_module_set_find(&set, &objects[7]), 1);
  tvmffi_module_set_fini(&set);
  assert_false(tvmffi_module_set_has(&set, &objects[0]));
  tvmffi_module_set_fini(&set);
}

/* Removes the first, middle and last element until none is left. */
TEST(test_removing) {
  tvmffi_module_set set = TVMFFI_MODULE_SET_INIT;
  char present[1000];
  size_t i, left = 1000;
  for (i = 0; i < 1000; ++i) {
    assert_int_equal(tvmffi_module_set_add(&set, &objects[i]), 1);
    present[i] = 1;
  }
  while (left != 0) {
    size_t victims[3], v;
    victims[0] = 0;
    victims[1] = left / 2;
    victims[2] = left - 1;
    for (v = 0; v < 3 && left != 0; ++v) {
      TVMFFIObject *obj = set.items[victims[v] < left ? victims[v] : 0];
      assert_true(tvmffi_module_set_remove(&set, obj));
      assert_false(tvmffi_module_set_remove(&set, obj));
      present[obj - objects] = 0;
      --left;
    }
    if (left % 100 < 3) {
      for (i = 0; i < 1000; ++i) {
        assert_int_equal(tvmffi_module_set_has(&set, &objects[i]), present[i]);
      }
    }
  }
  assert_int_equal(set.size, 0);
  tvmffi_module_set_fini(&set);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_layout, set_up),
    cmocka_unit_test_setup(test_what_a_module_says_of_itself, set_up),
    cmocka_unit_test_setup(test_questions, set_up),
    cmocka_unit_test_setup(test_questions_to_imports, set_up),
    cmocka_unit_test_setup(test_globals, set_up),
    cmocka_unit_test(test_order_and_membership),
    cmocka_unit_test(test_removing),
})
