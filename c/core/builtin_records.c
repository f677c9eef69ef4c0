/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/builtin_tables.h"
#include "core/type_table.h"

/* The keys by static index, each NUL-terminated: first of values, then of objects. */
static const char kStaticKeys[] =
    "None\0"
    "int\0"
    "bool\0"
    "float\0"
    "void*\0"
    "DataType\0"
    "Device\0"
    "DLTensor*\0"
    "const char*\0"
    "TVMFFIByteArray*\0"
    "ObjectRValueRef\0"
    "ffi.SmallStr\0"
    "ffi.SmallBytes\0"
    "ffi.Unchanged\0"
    "ffi.Object\0"
    "ffi.String\0"
    "ffi.Bytes\0"
    "ffi.Error\0"
    "ffi.Function\0"
    "ffi.Shape\0"
    "ffi.Tensor\0"
    "ffi.Array\0"
    "ffi.Map\0"
    "ffi.Module\0"
    "ffi.OpaquePyObject\0"
    "ffi.List\0"
    "ffi.Dict\0"
    "ffi.VisitInterrupt\0"
    "ffi.BigInt";

/* Filled in on first use: as initialised data they would be a tenth of the library. */
tvmffi_type_record tvmffi_builtin_records[kTvmffiNumBuiltins];

/* Ancestors. Row 0 is ffi.Object alone; each other row is for a type with a dynamic index, whose
 * parent is not ffi.Object: it has both. */
static const TVMFFITypeInfo *builtin_ancestors[1 + kTvmffiNumDynamicTypes][2];

int32_t tvmffi_builtin_number(int32_t type_index) {
  if (type_index >= kTvmffiFirstClientType) return -1;
  if (type_index >= kTVMFFIDynObjectBegin) {
    return type_index - kTVMFFIDynObjectBegin + kTvmffiNumStaticTypes;
  }
  if (type_index >= kTVMFFIStaticObjectEnd) return -1;
  if (type_index >= kTVMFFIStaticObjectBegin) {
    return type_index - kTVMFFIStaticObjectBegin + kTvmffiNumValueTypes;
  }
  return type_index >= 0 && type_index < kTvmffiNumValueTypes ? type_index : -1;
}

static int32_t index_of_number(int32_t number) {
  if (number < kTvmffiNumValueTypes) return number;
  if (number < kTvmffiNumStaticTypes) {
    return number - kTvmffiNumValueTypes + kTVMFFIStaticObjectBegin;
  }
  return number - kTvmffiNumStaticTypes + kTVMFFIDynObjectBegin;
}

/*
 * Bytes of the body that every object of a static type has, 0 if not known here. Objects may be
 * larger, but fields are those of every object.
 */
static size_t body_size(int32_t type_index) {
  switch (type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
      return sizeof(TVMFFIByteArray);
    case kTVMFFIError:
      return sizeof(TVMFFIErrorCell);
    case kTVMFFIFunction:
      return sizeof(TVMFFIFunctionCell);
    case kTVMFFIShape:
      return sizeof(TVMFFIShapeCell);
    case kTVMFFITensor:
      return sizeof(DLTensor);
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap: /* has members of the same sizes */
    case kTVMFFIDict:
      return sizeof(TVMFFISeqCell);
    case kTVMFFIOpaquePyObject:
      return sizeof(TVMFFIOpaqueObjectCell);
    default:
      return 0;
  }
}

static void set_body_size(tvmffi_type_record *record, size_t bytes) {
  if (bytes == 0) return;
  record->total_size = record->least_size = (int32_t)(sizeof(TVMFFIObject) + bytes);
  record->starts_with_header = true;
}

/* What the tables say of a type. */
static void describe(const tvmffi_builtin_type *type) {
  int32_t number = tvmffi_builtin_number(type->type_index);
  tvmffi_type_record *record = &tvmffi_builtin_records[number];
  if (type->key != NULL) tvmffi_type_set_key(record, type->key, strlen(type->key));
  if (type->parent_index != 0) {
    const TVMFFITypeInfo **ancestors = builtin_ancestors[1 + number - kTvmffiNumStaticTypes];
    ancestors[0] = &tvmffi_builtin_records[kTvmffiNumValueTypes].info;
    ancestors[1] = &tvmffi_builtin_records[tvmffi_builtin_number(type->parent_index)].info;
    record->info.type_ancestors = ancestors;
    record->info.type_depth = 2;
  }
  record->builtin = type;
  record->info.metadata = &type->metadata;
  record->total_size = record->least_size = type->metadata.total_size;
  record->starts_with_header = true;
}

TVMFFI_COLD void tvmffi_builtin_fill(void) {
  const tvmffi_builtin_type_group *types;
  const char *key = kStaticKeys;
  size_t group, i;
  int32_t number;
  memset(tvmffi_builtin_records, 0, sizeof tvmffi_builtin_records);
  builtin_ancestors[0][0] = &tvmffi_builtin_records[kTvmffiNumValueTypes].info;
  for (number = 0; number < kTvmffiNumBuiltins; ++number) {
    tvmffi_type_record *record = &tvmffi_builtin_records[number];
    int32_t type_index = index_of_number(number);
    if (number < kTvmffiNumStaticTypes) {
      tvmffi_type_set_key(record, key, strlen(key));
      key += record->key.size + 1;
    }
    record->num_slots = record->allocated_slots = 1;
    record->slots_can_overflow = type_index == kTVMFFIObject || type_index >= kTVMFFIVisitInterrupt;
    record->info.type_index = type_index;
    if (number > kTvmffiNumValueTypes) {
      record->info.type_depth = 1;
      record->info.type_ancestors = builtin_ancestors[0];
      set_body_size(record, body_size(type_index));
    }
  }
  tvmffi_builtin_records[tvmffi_builtin_number(kTVMFFIBigInt)].slots_can_overflow = false;
  for (group = 0; (types = tvmffi_parts_types(group)) != NULL; ++group) {
    for (i = 0; i < types->count; ++i) {
      const tvmffi_builtin_type *type = &types->types[i];
      describe(type);
      if (types->describe_members != NULL) {
        types->describe_members(type,
                                &tvmffi_builtin_records[tvmffi_builtin_number(type->type_index)]);
      }
    }
  }
}
