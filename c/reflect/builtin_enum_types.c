/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of enumerations. Clients register, find and make the members
 * (docs/abi/types.md#enumerations).
 */
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"

/* ---- Making ---- */

static int fill_state(void *self) {
  tvmffi_enum_state *state = self;
  state->entries = tvmffi_list_new(0);
  if (state->entries == NULL) return -1;
  state->indexes = tvmffi_dict_new();
  state->attrs = tvmffi_dict_new();
  return state->indexes != NULL && state->attrs != NULL ? 0 : tvmffi_fail_memory();
}

static int fill_member(void *self) {
  ((tvmffi_enum *)self)->str_index.type_index = kTVMFFISmallStr;
  return 0;
}

#define CREATOR(name, type)                     \
  static int name(TVMFFIObjectHandle *result) { \
    return tvmffi_reflect_make(type, result);   \
  }

CREATOR(create_state, kTvmffiEnumState)
CREATOR(create_enum, kTvmffiEnum)
CREATOR(create_int_enum, kTvmffiIntEnum)
CREATOR(create_str_enum, kTvmffiStrEnum)

static int init_enum_state(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)args;
  return tvmffi_any_give(tvmffi_reflect_new(kTvmffiEnumState), result);
}

/* ---- Tables ---- */

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

static TVMFFIFieldInfo state_fields[sizeof kStateFields / sizeof *kStateFields];
static TVMFFIFieldInfo enum_fields[sizeof kEnumFields / sizeof *kEnumFields];
static TVMFFIFieldInfo int_fields[sizeof kIntFields / sizeof *kIntFields],
    text_fields[sizeof kTextFields / sizeof *kTextFields];
static TVMFFIMethodInfo state_methods[sizeof kStateMethods / sizeof *kStateMethods];
static tvmffi_builtin_function state_functions[sizeof kStateMethods / sizeof *kStateMethods];

static const tvmffi_builtin_type kEnumTypes[] = {
    {.type_index = kTvmffiEnumState,
     .key = "ffi.EnumState",
     .num_objects = 3,
     .fill = fill_state,
     .metadata = {.creator = create_state, .total_size = sizeof(tvmffi_enum_state)},
     TVMFFI_FIELDS(kStateFields, state_fields),
     TVMFFI_METHODS(kStateMethods, state_methods, state_functions)},
    {.type_index = kTvmffiEnum,
     .key = "ffi.Enum",
     .any_offset = offsetof(tvmffi_enum, str_index),
     .fill = fill_member,
     .metadata = {.creator = create_enum,
                  .total_size = sizeof(tvmffi_enum),
                  .structural_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance},
     TVMFFI_FIELDS(kEnumFields, enum_fields)},
    {.type_index = kTvmffiIntEnum,
     .key = "ffi.IntEnum",
     .parent_index = kTvmffiEnum,
     .any_offset = offsetof(tvmffi_enum, str_index),
     .fill = fill_member,
     .metadata = {.creator = create_int_enum,
                  .total_size = sizeof(tvmffi_enum),
                  .structural_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance},
     TVMFFI_FIELDS(kIntFields, int_fields)},
    {.type_index = kTvmffiStrEnum,
     .key = "ffi.StrEnum",
     .parent_index = kTvmffiEnum,
     .any_offset = offsetof(tvmffi_enum, str_index),
     .fill = fill_member,
     .metadata = {.creator = create_str_enum,
                  .total_size = sizeof(tvmffi_enum),
                  .structural_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance},
     TVMFFI_FIELDS(kTextFields, text_fields)},
};

const tvmffi_builtin_type_group tvmffi_enum_types = TVMFFI_TYPE_GROUP_WITH_MEMBERS(kEnumTypes);

static const tvmffi_builtin_attr kEnumAttrs[] = {
    TVMFFI_MAKES_AND_COPIES(kTvmffiEnumState),
    TVMFFI_MAKES_AND_COPIES(kTvmffiEnum),
    TVMFFI_MAKES_AND_COPIES(kTvmffiIntEnum),
    TVMFFI_MAKES_AND_COPIES(kTvmffiStrEnum),
    {kTvmffiEnumState, kTvmffiAttrInit, false, tvmffi_reflect_call_new, NULL},
    TVMFFI_IS_FINAL(kTvmffiEnumState, true),
    TVMFFI_IS_FINAL(kTvmffiEnum, false),
    TVMFFI_IS_FINAL(kTvmffiIntEnum, false),
    TVMFFI_IS_FINAL(kTvmffiStrEnum, false),
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_enum_attrs, kEnumAttrs);
