/* SPDX-License-Identifier: Apache-2.0 */
/* Objects whose fields a frontend described: made, copied, read, set and destroyed. */
#include "reflect/frontend_type.h"

#include "c/reflect_support.h"
#include "c/walk_support.h"
#include "core/error.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"

typedef struct {
  TVMFFIObject header;
  int64_t integer;
  double real;
  void *pointer;
  DLDataType dtype;
  DLDevice device;
  TVMFFIAny any;
  TVMFFIObject *object, *optional;
  bool flag;
} object;

#define FIELD(name, index) \
  { #name, index, offsetof(object, name), sizeof(((object *)0)->name) }

static const struct {
  const char *name;
  int32_t static_type_index;
  size_t offset, size;
} kFields[] = {
    FIELD(integer, kTVMFFIInt),    FIELD(real, kTVMFFIFloat),    FIELD(pointer, kTVMFFIOpaquePtr),
    FIELD(dtype, kTVMFFIDataType), FIELD(device, kTVMFFIDevice), FIELD(any, kTVMFFIAny),
    FIELD(object, kTVMFFIList),    FIELD(optional, kTVMFFIAny), /* its size says how it is stored */
    FIELD(flag, kTVMFFIBool),
};
enum { kNumFields = sizeof kFields / sizeof *kFields };

static int32_t object_type;

/* Returns its argument, but fails for texts. */
static int convert(void *converter, const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIByteArray text;
  assert_ptr_equal(converter, &object_type);
  if (tvmffi_any_get_text(value, &text)) return tvmffi_fail("TypeError", "no texts");
  return TVMFFIAnyViewToOwnedAny(value, out);
}

FIXTURE(make_type) {
  int i;
  object_type = add_type("test.Object", 1, kTVMFFIObject);
  for (i = 0; i < kNumFields; ++i) {
    TVMFFIFieldInfo field = make_field(kFields[i].name);
    int32_t index = kFields[i].static_type_index;
    field.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
    field.size = (int64_t)kFields[i].size;
    field.offset = (int64_t)kFields[i].offset;
    field.alignment = 8;
    field.field_static_type_index = index;
    if (strcmp(kFields[i].name, "optional") == 0) index = kTVMFFIObject;
    check_ok(tvmffi_frontend_getter(index, &field.getter));
    field.setter = tvmffi_frontend_setter(index, &object_type, convert);
    check_ok(TVMFFITypeRegisterField(object_type, &field));
    TVMFFIObjectDecRef(field.setter);
  }
  check_ok(tvmffi_reflect_register_frontend_type(object_type, sizeof(object)));
  return 0;
}

static const TVMFFIFieldInfo *field_of(int i) {
  return &TVMFFIGetTypeInfo(object_type)->fields[i];
}

static object *new_object(void) {
  TVMFFIObject *made;
  check_ok(tvmffi_reflect_create(object_type, &made));
  return (object *)(void *)made;
}

TEST(test_a_new_object_is_empty) {
  object *made = new_object();
  TVMFFIAny value;
  assert_int_equal(made->integer, 0);
  assert_int_equal(made->any.type_index, kTVMFFINone);
  assert_null(made->object);
  check_ok(tvmffi_field_get(field_of(6), &made->header, &value));
  assert_int_equal(value.type_index, kTVMFFINone);
  TVMFFIObjectDecRef(made);
}

static TVMFFIAny value_for(int i) {
  TVMFFIAny value = tvmffi_any_int(0);
  switch (kFields[i].static_type_index) {
    case kTVMFFIInt:
      return tvmffi_any_int(-7);
    case kTVMFFIFloat:
      return tvmffi_any_float(1.5);
    case kTVMFFIBool:
      return tvmffi_any_bool(1);
    case kTVMFFIOpaquePtr:
      return tvmffi_any_ptr(kTVMFFIOpaquePtr, &object_type);
    case kTVMFFIDataType:
      value.type_index = kTVMFFIDataType;
      value.v_dtype.bits = 8;
      value.v_dtype.lanes = 2;
      return value;
    case kTVMFFIDevice:
      value.type_index = kTVMFFIDevice;
      value.v_device.device_type = kDLCUDA;
      value.v_device.device_id = 1;
      return value;
    default:
      return make1("ffi.List", tvmffi_any_int(i));
  }
}

/* Sets and reads every field and copies it with its object; no reference may be left over. */
TEST(test_every_storage) {
  TVMFFIAny values[kNumFields], read, self, copy = tvmffi_any_none();
  object *made = new_object();
  int i;
  for (i = 0; i < kNumFields; ++i) {
    values[i] = value_for(i);
    check_ok(tvmffi_field_set(field_of(i), &made->header, &values[i]));
  }
  self = tvmffi_any_object(made);
  check_ok(
      TVMFFIFunctionCall(find_attr(object_type, "__ffi_shallow_copy__")->v_obj, &self, 1, &copy));
  TVMFFIObjectDecRef(made);
  for (i = 0; i < kNumFields; ++i) {
    check_ok(tvmffi_field_get(field_of(i), copy.v_obj, &read));
    assert_int_equal(read.type_index, values[i].type_index);
    assert_true(read.v_uint64 == values[i].v_uint64);
    check_release(&read);
  }
  check_release(&copy);
  for (i = 0; i < kNumFields; ++i) {
    if (values[i].type_index == kTVMFFIList) assert_int_equal(check_use_count(values[i].v_obj), 1);
    check_release(&values[i]);
  }
}

TEST(test_what_setters_refuse) {
  object *made = new_object();
  TVMFFIAny text = tvmffi_any_raw_str("x"), none = tvmffi_any_none(), args[2], result;
  check_fails(tvmffi_field_set(field_of(0), &made->header, &text), "TypeError", "no texts");
  check_fails(tvmffi_field_set(field_of(0), &made->header, &none), "TypeError",
              "Cannot convert from type `None` to `int`"); /* the converted value is checked */
  check_ok(tvmffi_field_set(field_of(6), &made->header, &none));
  args[0] = tvmffi_any_int(5);
  args[1] = tvmffi_any_int(5);
  result = none;
  check_fails_with(TVMFFIFunctionCall(field_of(0)->setter, args, 2, &result), "TypeError",
                   "A field setter expects a field address (`void*`) and a value");
  TVMFFIObjectDecRef(made);
}

TEST(test_indices_without_a_storage) {
  static const int32_t indices[] = {-2, 7, 8, 9, 10, 11, 12, 13, 63};
  TVMFFIFieldGetter getter;
  TVMFFIObject *setter;
  TVMFFIAny args[2], result = tvmffi_any_none();
  char message[64];
  size_t i;
  for (i = 0; i < sizeof indices / sizeof *indices; ++i) {
    (void)snprintf(message, sizeof message, "Unsupported field type index for getter: %d",
                   (int)indices[i]);
    check_fails(tvmffi_frontend_getter(indices[i], &getter), "ValueError", message);
  }
  setter = tvmffi_frontend_setter(7, &object_type, convert);
  args[0] = tvmffi_any_ptr(kTVMFFIOpaquePtr, &result);
  args[1] = tvmffi_any_int(5);
  check_fails(TVMFFIFunctionCall(setter, args, 2, &result), "ValueError",
              "Unsupported field type index for setter: 7");
  TVMFFIObjectDecRef(setter);
}

TEST(test_what_is_not_registered) {
  int32_t small = add_type("test.Small", 1, kTVMFFIObject);
  add_any_field(small, "value", offsetof(node, value), 0);
  check_fails(tvmffi_reflect_register_frontend_type(small, 8), "ValueError",
              "Type `test.Small` cannot have objects of 8 bytes");
  check_fails_with(tvmffi_reflect_register_frontend_type(small, sizeof(TVMFFIObject) + 8),
                   "ValueError",
                   "Field `value` of type `test.Small` with offset 24 and size 16 is "
                   "not within the 32 bytes of an object, apart from its header of 24");
  check_fails_with(tvmffi_reflect_register_frontend_type(99999999, 64), "InternalError",
                   "Cannot find type info for type_index=99999999");
}

/* Neither registered before the type is defined nor, in a parent, after. */
TEST(test_no_field_lies_before_the_header) {
  int32_t parent = add_type("test.Parent", 1, kTVMFFIObject);
  int32_t child = add_type("test.Child", 2, parent), other = add_type("test.Other", 2, parent);
  TVMFFIFieldInfo field = make_field("early");
  field.size = 8;
  field.offset = -8;
  check_ok(TVMFFITypeRegisterField(child, &field));
  check_fails_with(tvmffi_reflect_register_frontend_type(child, 64), "ValueError",
                   "Field `early` of type `test.Child` with offset -8 and size 8 is not within");
  check_ok(tvmffi_reflect_register_frontend_type(other, 64));
  check_fails_with(TVMFFITypeRegisterField(parent, &field), "ValueError",
                   "Field `early` of type `test.Parent` with offset -8 and size 8 is not within");
}

static void refuse_frontend_type(int32_t type_index, int64_t total_size, const char *message) {
  const TVMFFIAny *before = tvmffi_type_find_attr(kTvmffiAttrNew, type_index);
  check_fails_with(tvmffi_reflect_register_frontend_type(type_index, total_size), "TypeError",
                   message);
  assert_ptr_equal(tvmffi_type_find_attr(kTvmffiAttrNew, type_index), before);
}

static int create_nothing(TVMFFIObjectHandle *result) {
  (void)result;
  return tvmffi_fail("TypeError", "nothing is created");
}

/* Arrays of 24 bytes have their size behind their block, Functions of 40 zeroed bytes call NULL. */
TEST(test_types_that_are_not_the_frontend_s_are_refused) {
  const TVMFFIByteArray key = check_bytes("test.Static");
  TVMFFITypeMetadata metadata;
  int32_t created = add_type("test.Created", 1, kTVMFFIObject), i;
  refuse_frontend_type(kTVMFFIArray, 24, "Type `ffi.Array` is not one that a frontend defines");
  refuse_frontend_type(kTVMFFIFunction, 40, "Type `ffi.Function` is not one that a frontend");
  for (i = 0; i < kTvmffiFirstClientType; ++i) {
    if (tvmffi_type_find(i) != NULL) refuse_frontend_type(i, 4096, "is not one that a frontend");
  }
  memset(&metadata, 0, sizeof metadata);
  metadata.creator = create_nothing;
  metadata.total_size = 32;
  check_ok(TVMFFITypeRegisterMetadata(created, &metadata));
  refuse_frontend_type(created, 32, "Type `test.Created` is not one that a frontend defines");
  assert_int_equal(TVMFFITypeGetOrAllocIndex(&key, 100, 2, 0, 1, kTVMFFIArray), 100);
  refuse_frontend_type(100, 56, "Type `test.Static` is not one that a frontend defines");
}

/* A field that is added later must lie within the objects that are made. */
TEST(test_fields_added_later_lie_within_the_object) {
  int32_t type = add_type("test.Later", 1, kTVMFFIObject), derived, i;
  const int32_t indices[] = {kTVMFFIAny, kTVMFFIObject, kTVMFFIInt};
  TVMFFIFieldInfo field = make_field("late");
  derived = add_type("test.Later.Derived", 2, type);
  check_ok(tvmffi_reflect_register_frontend_type(derived, 40));
  field.offset = 32;
  field.size = 16;
  for (i = 0; i < 3; ++i) {
    field.field_static_type_index = indices[i];
    check_fails_with(TVMFFITypeRegisterField(type, &field), "ValueError",
                     "Field `late` of type `test.Later` with offset 32 and size 16 is not within "
                     "the 40 bytes of an object");
  }
  check_fails_with(tvmffi_reflect_register_frontend_type(derived, 32), "ValueError",
                   "Type `test.Later.Derived` cannot have objects of 32 bytes");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_new_object_is_empty),
      cmocka_unit_test(test_every_storage),
      cmocka_unit_test(test_what_setters_refuse),
      cmocka_unit_test(test_indices_without_a_storage),
      cmocka_unit_test(test_what_is_not_registered),
      cmocka_unit_test(test_no_field_lies_before_the_header),
      cmocka_unit_test(test_types_that_are_not_the_frontend_s_are_refused),
      cmocka_unit_test(test_fields_added_later_lie_within_the_object),
  };
  return cmocka_run_group_tests(tests, make_type, NULL) != 0;
}
