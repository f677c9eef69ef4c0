/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/field_layout.h"

#include "core/error.h"

/*
 * Offsets count from the header, which a C++ class with several bases may have in its middle: there
 * fields have negative offsets. A field without a size has no storage that anything but its getter
 * would read, so it may be where the header is.
 */
static bool is_within(const TVMFFIFieldInfo *field, int64_t total_size, bool starts_with_header) {
  const int64_t header = (int64_t)sizeof(TVMFFIObject);
  if (field->size < 0 || field->size > total_size) return false;
  if (field->offset >= (field->size == 0 ? 0 : header)) {
    return field->offset <= total_size - field->size;
  }
  return !starts_with_header && field->offset >= header - total_size &&
         field->offset <= -field->size;
}

bool tvmffi_field_layout_has_room(const tvmffi_type_record *record, const TVMFFIFieldInfo *field,
                                  tvmffi_field_layout_conflict *conflict) {
  conflict->record = record;
  conflict->owner = &record->info;
  conflict->field = field;
  conflict->total_size = record->least_size != 0 ? record->least_size : INT32_MAX;
  return is_within(field, conflict->total_size, record->starts_with_header);
}

/* The type at a depth: the type itself or one of its ancestors. */
static tvmffi_type_record *type_at(tvmffi_type_record *record, int32_t depth) {
  if (depth == record->info.type_depth) return record;
  return tvmffi_type_find(record->info.type_ancestors[depth]->type_index);
}

/* Whether such objects are as large as the type's, and hold the type's own fields. */
static bool holds(const tvmffi_type_record *type, int64_t total_size, bool starts_with_header,
                  tvmffi_field_layout_conflict *conflict) {
  int32_t i;
  conflict->owner = &type->info;
  conflict->field = NULL;
  conflict->owner_size = type->total_size;
  if (total_size < type->total_size) return false;
  for (i = 0; i < type->info.num_fields; ++i) {
    conflict->field = &type->info.fields[i];
    if (!is_within(conflict->field, total_size, starts_with_header || type->starts_with_header)) {
      return false;
    }
  }
  return true;
}

static void lower_least_size(tvmffi_type_record *record, int32_t total_size) {
  if (record->least_size == 0 || record->least_size > total_size) record->least_size = total_size;
}

bool tvmffi_field_layout_can_have_size(tvmffi_type_record *record, int32_t total_size,
                                       bool starts_with_header,
                                       tvmffi_field_layout_conflict *conflict) {
  int32_t depth;
  conflict->record = record;
  conflict->total_size = total_size;
  for (depth = 0; depth <= record->info.type_depth; ++depth) {
    if (!holds(type_at(record, depth), total_size, starts_with_header, conflict)) return false;
  }
  return true;
}

void tvmffi_field_layout_set_size(tvmffi_type_record *record, int32_t total_size,
                                  bool starts_with_header) {
  int32_t depth;
  record->total_size = total_size;
  for (depth = 0; depth <= record->info.type_depth; ++depth) {
    tvmffi_type_record *type = type_at(record, depth);
    lower_least_size(type, total_size);
    type->starts_with_header |= starts_with_header;
  }
}

int tvmffi_field_layout_fail(const tvmffi_field_layout_conflict *conflict) {
  const tvmffi_type_record *record = conflict->record;
  const TVMFFIFieldInfo *field = conflict->field;
  if (field == NULL) {
    return tvmffi_fail("ValueError",
                       "Type `%s` cannot have objects of %lld bytes: those of `%s` have %d",
                       record->key.data, (long long)conflict->total_size,
                       conflict->owner->type_key.data, (int)conflict->owner_size);
  }
  return tvmffi_fail("ValueError",
                     "Field `%.*s` of type `%s` with offset %lld and size %lld is not within the "
                     "%lld bytes of an object, apart from its header of %d",
                     (int)field->name.size, field->name.data != NULL ? field->name.data : "",
                     conflict->owner->type_key.data, (long long)field->offset,
                     (long long)field->size, (long long)conflict->total_size,
                     (int)sizeof(TVMFFIObject));
}
