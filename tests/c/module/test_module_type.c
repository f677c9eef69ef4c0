/* SPDX-License-Identifier: Apache-2.0 */
/* The imports of a module as a field. */
#include "c/module_support.h"
#include "container/array.h"
#include "module/module.h"
#include "reflect/fields.h"

static const TVMFFIRuntimeModuleVTable kPlain = {
    .struct_size = sizeof kPlain, .kind = "plain", .get_function = find_no_function};

static TVMFFIObject *new_module(void) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(&kPlain, NULL, &module));
  return module;
}

static const TVMFFIFieldInfo *imports_field(void) {
  return &TVMFFIGetTypeInfo(kTVMFFIModule)->fields[0];
}

static TVMFFIAny get_imports(TVMFFIObject *module) {
  TVMFFIAny imports;
  check_ok(tvmffi_field_get(imports_field(), module, &imports));
  assert_int_equal(imports.type_index, kTVMFFIArray);
  return imports;
}

TEST(test_a_module_without_imports_has_an_empty_array) {
  TVMFFIObject *module = new_module();
  TVMFFIAny imports = get_imports(module);
  assert_int_equal(tvmffi_array_size(imports.v_obj), 0);
  check_release(&imports);
  TVMFFIObjectDecRef(module);
}

TEST(test_imports_are_replaced_by_a_copy) {
  TVMFFIObject *module = new_module(), *first = new_module(), *second = new_module();
  TVMFFIAny args[2], value, imports;
  args[0] = tvmffi_any_object(first);
  args[1] = tvmffi_any_object(second);
  check_ok(call_global("ffi.List", args, 2, &value));
  check_ok(tvmffi_field_set(imports_field(), module, &value));
  check_release(&value);
  assert_int_equal(check_use_count(first), 2);
  imports = get_imports(module);
  assert_int_equal(tvmffi_array_size(imports.v_obj), 2);
  assert_ptr_equal(tvmffi_array_items(imports.v_obj)[1].v_obj, second);
  check_release(&imports);
  check_ok(call_global("ffi.Array", args, 1, &value));
  check_ok(tvmffi_field_set(imports_field(), module, &value));
  check_release(&value);
  assert_int_equal(check_use_count(first), 2);
  assert_int_equal(check_use_count(second), 1);
  TVMFFIObjectDecRef(module);
  assert_int_equal(check_use_count(first), 1);
  TVMFFIObjectDecRef(first);
  TVMFFIObjectDecRef(second);
}

TEST(test_only_modules_are_imports) {
  TVMFFIObject *module = new_module();
  TVMFFIAny args[2], value, imports;
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_int(1);
  check_fails(tvmffi_field_set(imports_field(), module, &args[1]), "TypeError",
              "Cannot convert from type `int` to `Array<Any>`");
  check_ok(call_global("ffi.Array", args, 2, &value));
  check_fails(tvmffi_field_set(imports_field(), module, &value), "TypeError",
              "imports_: expected `ffi.Module` but element 1 is `int`");
  check_release(&value);
  imports = get_imports(module);
  assert_int_equal(tvmffi_array_size(imports.v_obj), 0);
  check_release(&imports);
  TVMFFIObjectDecRef(module);
}

RUN_TESTS({
    cmocka_unit_test(test_a_module_without_imports_has_an_empty_array),
    cmocka_unit_test(test_imports_are_replaced_by_a_copy),
    cmocka_unit_test(test_only_modules_are_imports),
})
