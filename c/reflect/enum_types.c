/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of enumerations. Clients register, find and make the members
 * (docs/abi/types.md#enumerations).
 */
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

static const tvmffi_builtin_field kStateFields[] = {
    {TVMFFI_FIELD_TEXTS("entries", "+O", "The members, in the order of registration."),
     kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredObject, offsetof(tvmffi_enum_state, entries),
     kTVMFFIList, tvmffi_field_set_list_of_objects, NULL},
    {TVMFFI_FIELD_TEXTS("indexes", "%aO", "Members by their integer and their text."),
     kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredObject, offsetof(tvmffi_enum_state, indexes),
     kTVMFFIObject, tvmffi_field_set_dict_of_objects, NULL},
    {TVMFFI_FIELD_TEXTS("attrs", "%s%Oa", "What is attached to members, by name."),
     kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredObject, offsetof(tvmffi_enum_state, attrs),
     kTVMFFIObject, tvmffi_field_set_dict_of_dicts, NULL},
};

static const tvmffi_builtin_method kStateMethods[] = {
    {TVMFFI_METHOD_TEXTS("ffi.EnumState.__ffi_init__", ">O", ""), init_enum_state,
     kTVMFFIFieldFlagBitMaskIsStaticMethod},
};

static const tvmffi_builtin_field kEnumFields[] = {
    {TVMFFI_FIELD_TEXTS("_int_index", "i", "The member's integer."),
     kTVMFFIFieldFlagBitMaskSEqHashIgnore, kTvmffiStoredInt64, offsetof(tvmffi_enum, int_index),
     kTVMFFIInt, tvmffi_field_set_int64, NULL},
    {TVMFFI_FIELD_TEXTS("_str_index", "s", "The member's text."), 0, kTvmffiStoredAny,
     offsetof(tvmffi_enum, str_index), kTVMFFIAny, tvmffi_field_set_text, NULL},
};

/* `value` is another name for the index. */
static const tvmffi_builtin_field kIntFields[] = {
    {TVMFFI_FIELD_TEXTS("value", "i", "The member's integer."),
     kTVMFFIFieldFlagBitMaskSEqHashIgnore | kTVMFFIFieldFlagBitMaskInitOff, kTvmffiStoredInt64,
     offsetof(tvmffi_enum, int_index), kTVMFFIInt, tvmffi_field_set_int64, NULL},
};
static const tvmffi_builtin_field kTextFields[] = {
    {TVMFFI_FIELD_TEXTS("value", "s", "The member's text."),
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
