/* SPDX-License-Identifier: Apache-2.0 */
/* The types of enumerations: members are registered, found and made by clients (abi/04 10.1). */
#include "container/list.h"
#include "core/any.h"
#include "core/error.h"
#include "reflect/fields.h"
#include "reflect/objects.h"

static int init_enum_state(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *state = tvmffi_reflect_new(kTvmffiEnumState);
  (void)args;
  (void)num_args;
  if (state == NULL) return -1;
  *result = tvmffi_any_object(state);
  return 0;
}

#define OBJECT TVMFFI_SCHEMA("ffi.Object")
#define TEXT TVMFFI_SCHEMA("ffi.String")
#define INT TVMFFI_SCHEMA("int")
#define ANY TVMFFI_SCHEMA("Any")
#define DICT(key, value) TVMFFI_SCHEMA_OF("ffi.Dict", key "," value)

static const tvmffi_builtin_field kStateFields[] = {
    {"entries", "The members, in the order of registration.",
     TVMFFI_METADATA(TVMFFI_SCHEMA_OF("ffi.List", OBJECT)), kTVMFFIFieldFlagBitMaskInitOff,
     kTvmffiStoredObject, offsetof(tvmffi_enum_state, entries), kTVMFFIList,
     tvmffi_field_set_list_of_objects, NULL},
    {"indexes", "Members by their integer and their text.", TVMFFI_METADATA(DICT(ANY, OBJECT)),
     kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredObject, offsetof(tvmffi_enum_state, indexes),
     kTVMFFIObject, tvmffi_field_set_dict_of_objects, NULL},
    {"attrs", "What is attached to members, by name.",
     TVMFFI_METADATA(DICT(TEXT, DICT(OBJECT, ANY))), kTVMFFIFieldFlagBitMaskInitOff,
     kTvmffiStoredObject, offsetof(tvmffi_enum_state, attrs), kTVMFFIObject,
     tvmffi_field_set_dict_of_dicts, NULL},
};

static const tvmffi_builtin_method kStateMethods[] = {
    {{"ffi.EnumState.__ffi_init__", ">O", init_enum_state},
     NULL,
     TVMFFI_METADATA(TVMFFI_SCHEMA_FUNCTION(OBJECT, "")),
     kTVMFFIFieldFlagBitMaskIsStaticMethod},
};

static const tvmffi_builtin_field kEnumFields[] = {
    {"_int_index", "The member's integer.", TVMFFI_METADATA(INT),
     kTVMFFIFieldFlagBitMaskSEqHashIgnore, kTvmffiStoredInt64, offsetof(tvmffi_enum, int_index),
     kTVMFFIInt, tvmffi_field_set_int64, NULL},
    {"_str_index", "The member's text.", TVMFFI_METADATA(TEXT), 0, kTvmffiStoredAny,
     offsetof(tvmffi_enum, str_index), kTVMFFIAny, tvmffi_field_set_text, NULL},
};

/* Other names of the indices. */
static const tvmffi_builtin_field kIntFields[] = {
    {"value", "The member's integer.", TVMFFI_METADATA(INT),
     kTVMFFIFieldFlagBitMaskSEqHashIgnore | kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredInt64,
     offsetof(tvmffi_enum, int_index), kTVMFFIInt, tvmffi_field_set_int64, NULL},
};
static const tvmffi_builtin_field kTextFields[] = {
    {"value", "The member's text.", TVMFFI_METADATA(TEXT),
     kTVMFFIFieldFlagBitMaskSEqHashIgnore | kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredAny,
     offsetof(tvmffi_enum, str_index), kTVMFFIAny, tvmffi_field_set_text, NULL},
};

static TVMFFIFieldInfo state_fields[3], enum_fields[2], int_fields[1], text_fields[1];
static TVMFFIMethodInfo state_methods[1];
static tvmffi_builtin_function state_functions[1];

static const tvmffi_builtin_type kTypes[] = {
    {kTvmffiEnumState,
     {{NULL, 0},
      tvmffi_create_enum_state,
      sizeof(tvmffi_enum_state),
      kTVMFFISEqHashKindUnsupported},
     3,
     1,
     kStateFields,
     kStateMethods,
     state_fields,
     state_methods,
     state_functions},
    {kTvmffiEnum,
     {{NULL, 0}, tvmffi_create_enum, sizeof(tvmffi_enum), kTVMFFISEqHashKindUniqueInstance},
     2,
     0,
     kEnumFields,
     NULL,
     enum_fields,
     NULL,
     NULL},
    {kTvmffiIntEnum,
     {{NULL, 0}, tvmffi_create_int_enum, sizeof(tvmffi_enum), kTVMFFISEqHashKindUniqueInstance},
     1,
     0,
     kIntFields,
     NULL,
     int_fields,
     NULL,
     NULL},
    {kTvmffiStrEnum,
     {{NULL, 0}, tvmffi_create_str_enum, sizeof(tvmffi_enum), kTVMFFISEqHashKindUniqueInstance},
     1,
     0,
     kTextFields,
     NULL,
     text_fields,
     NULL,
     NULL},
};

const tvmffi_builtin_type_group tvmffi_enum_types = {kTypes, sizeof kTypes / sizeof *kTypes};
