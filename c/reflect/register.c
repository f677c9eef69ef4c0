/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/register.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/integers.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "platform/atomic.h"

/* ---- Getters of fields of frontends ---- */

static int get_bool(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_bool(*(const unsigned char *)field);
  return 0;
}

static int get_float(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_float(*(const double *)field);
  return 0;
}

static int get_pointer(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_ptr(kTVMFFIOpaquePtr, *(void *const *)field);
  return 0;
}

static int get_dtype(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_dtype(*(const DLDataType *)field);
  return 0;
}

static int get_device(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_device(*(const DLDevice *)field);
  return 0;
}

TVMFFIFieldGetter tvmffi_getter_find(int32_t static_type_index) {
  switch (static_type_index) {
    case kTVMFFIInt:
      return tvmffi_stored_get_int64;
    case kTVMFFIBool:
      return get_bool;
    case kTVMFFIFloat:
      return get_float;
    case kTVMFFIOpaquePtr:
      return get_pointer;
    case kTVMFFIDataType:
      return get_dtype;
    case kTVMFFIDevice:
      return get_device;
    case kTVMFFIAny:
    case kTVMFFINone:
      return tvmffi_stored_get_any;
    default:
      return static_type_index >= kTVMFFIStaticObjectBegin ? tvmffi_stored_get_object : NULL;
  }
}

int64_t tvmffi_getter_bytes(TVMFFIFieldGetter getter) {
  static const struct {
    TVMFFIFieldGetter getter;
    int32_t bytes;
  } kSizes[] = {
      {tvmffi_stored_get_int64, sizeof(int64_t)},
      {get_bool, 1},
      {get_float, sizeof(double)},
      {get_pointer, sizeof(void *)},
      {get_dtype, sizeof(DLDataType)},
      {get_device, sizeof(DLDevice)},
      {tvmffi_stored_get_any, sizeof(TVMFFIAny)},
      {tvmffi_stored_get_object, sizeof(TVMFFIObject *)},
  };
  size_t i;
  for (i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
    if (kSizes[i].getter == getter) return kSizes[i].bytes;
  }
  return 0;
}

/* ---- Whether a field lies within its object ---- */

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

/* Whether a field lies within every object of the type whose size is known. */
static bool field_layout_has_room(const tvmffi_type_record *record, const TVMFFIFieldInfo *field,
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
  return tvmffi_fail(
      "ValueError",
      "Field `%.*s` of type `%s` with offset %lld and size %lld is not within the "
      "%lld bytes of an object, apart from its header of %d",
      tvmffi_shown_size(field->name.size), field->name.data != NULL ? field->name.data : "",
      conflict->owner->type_key.data, (long long)field->offset, (long long)field->size,
      (long long)conflict->total_size, (int)sizeof(TVMFFIObject));
}

/* ---- Registration ---- */

/*
 * What clients register about types: fields, methods, metadata. (Attributes: core/type_attr.c.)
 * Full arrays are replaced by larger ones; the old ones, which readers may hold, live until
 * shutdown.
 */

/* ---- Helpers ---- */

/*
 * Makes room for one more element after the num elements of *array: keeps the array, or replaces it
 * by a copy of twice the capacity. False if out of memory.
 */
static bool ensure_member_room(const void **array, int32_t num, int32_t *capacity,
                               size_t element_size) {
  int32_t grown_capacity;
  size_t bytes;
  void *grown;
  if (num < *capacity) return true;
  if (*capacity > INT32_MAX / 2) return false;
  grown_capacity = *capacity != 0 ? *capacity * 2 : 4;
  if (!tvmffi_checked_mul_size((size_t)grown_capacity, element_size, &bytes) ||
      (grown = tvmffi_alloc_until_shutdown(bytes)) == NULL) {
    return false;
  }
  if (num != 0) memcpy(grown, *array, (size_t)num * element_size);
  *array = grown;
  *capacity = grown_capacity;
  return true;
}

static size_t text_bytes(const TVMFFIByteArray *text) {
  return text->data != NULL && text->size != 0 ? text->size + 1 : 0;
}

/* Copies a text to *cursor and advances it; an empty text becomes {NULL, 0}. */
static void place_info_text(TVMFFIByteArray *text, char **cursor) {
  size_t bytes = text_bytes(text);
  if (bytes == 0) {
    text->data = NULL;
    text->size = 0;
    return;
  }
  memcpy(*cursor, text->data, text->size);
  (*cursor)[text->size] = '\0';
  text->data = *cursor;
  *cursor += bytes;
}

/* Copies up to three texts into one block that lives until shutdown. False if out of memory. */
static bool keep_texts(TVMFFIByteArray *a, TVMFFIByteArray *b, TVMFFIByteArray *c) {
  size_t bytes;
  char *cursor;
  if (!tvmffi_checked_add_size(text_bytes(a), text_bytes(b), &bytes) ||
      !tvmffi_checked_add_size(bytes, text_bytes(c), &bytes)) {
    return false;
  }
  cursor = bytes != 0 ? tvmffi_alloc_until_shutdown(bytes) : NULL;
  if (bytes != 0 && cursor == NULL) return false;
  place_info_text(a, &cursor);
  place_info_text(b, &cursor);
  place_info_text(c, &cursor);
  return true;
}

static int check_texts(const char *function, const TVMFFIByteArray *name,
                       const TVMFFIByteArray *doc, const TVMFFIByteArray *metadata) {
  TVMFFI_TRY(tvmffi_check_bytes(function, name, "name"));
  TVMFFI_TRY(tvmffi_check_bytes(function, doc, "doc"));
  return tvmffi_check_bytes(function, metadata, "metadata");
}

/* ---- Fields ---- */

static const TVMFFIFieldInfo *find_own_field(const TVMFFITypeInfo *info,
                                             const TVMFFIByteArray *name) {
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    if (tvmffi_bytes_equal(&info->fields[i].name, name)) return &info->fields[i];
  }
  return NULL;
}

/* For "%.*s", which takes no NULL. */
static const char *printable(const TVMFFIByteArray *text) {
  return text->data != NULL ? text->data : "";
}

/* The nearest ancestor with a field of that name, or NULL. */
static const TVMFFITypeInfo *find_ancestor_with(const TVMFFITypeInfo *info,
                                                const TVMFFIByteArray *name) {
  int32_t i;
  for (i = info->type_depth - 1; i >= 0; --i) {
    if (find_own_field(info->type_ancestors[i], name) != NULL) return info->type_ancestors[i];
  }
  return NULL;
}

enum { kMemberRegistered, kMemberDuplicate, kMemberNoMemory, kMemberConflict };

/* field's default value is owned already; its texts are copied here. */
static int add_field(tvmffi_type_record *record, TVMFFIFieldInfo *field,
                     const TVMFFITypeInfo **out_ancestor, tvmffi_field_layout_conflict *conflict) {
  TVMFFITypeInfo *info = &record->info;
  const void *array = info->fields;
  *out_ancestor = NULL;
  if (find_own_field(info, &field->name) != NULL) return kMemberDuplicate;
  if (!field_layout_has_room(record, field, conflict)) return kMemberConflict;
  /* The room comes last: once the capacity is raised, the new array must be stored. */
  if (!keep_texts(&field->name, &field->doc, &field->metadata) ||
      !ensure_member_room(&array, info->num_fields, &record->field_capacity, sizeof *field)) {
    return kMemberNoMemory;
  }
  *out_ancestor = find_ancestor_with(info, &field->name);
  ((TVMFFIFieldInfo *)(uintptr_t)array)[info->num_fields] = *field;
  tvmffi_atomic_store_release_ptr(&info->fields, (const TVMFFIFieldInfo *)array);
  tvmffi_atomic_store_release(&info->num_fields, info->num_fields + 1);
  return kMemberRegistered;
}

TVMFFI_COLD static int refuse_field(const tvmffi_type_record *record, const TVMFFIFieldInfo *field,
                                    const char *expected, int64_t got) {
  return tvmffi_fail("ValueError", "Field `%.*s` of type `%s` expects %s but got %lld",
                     tvmffi_shown_size(field->name.size), printable(&field->name), record->key.data,
                     expected, (long long)got);
}

TVMFFI_COLD static int refuse_no_function(const tvmffi_type_record *record,
                                          const TVMFFIFieldInfo *field, const char *what,
                                          const char *got) {
  return tvmffi_fail("TypeError", "Field `%.*s` of type `%s` expects a Function as %s but got `%s`",
                     tvmffi_shown_size(field->name.size), printable(&field->name), record->key.data,
                     what, got);
}

/* Everything but where the field lies, and that its name is new. */
static int check_field(const tvmffi_type_record *record, const TVMFFIFieldInfo *field) {
  const TVMFFIObject *setter = field->setter;
  const TVMFFIAny *value = &field->default_value_or_factory;
  int64_t bytes = tvmffi_getter_bytes(field->getter);
  if (field->alignment < 0 || (field->alignment & (field->alignment - 1)) != 0) {
    return refuse_field(record, field, "a power of two or 0 as alignment", field->alignment);
  }
  if (field->field_static_type_index < kTVMFFIAny ||
      field->field_static_type_index >= kTvmffiMaxTypes) {
    return refuse_field(record, field, "a type index or -1", field->field_static_type_index);
  }
  if (field->size < bytes) {
    return tvmffi_fail("ValueError",
                       "Field `%.*s` of type `%s` expects a size of %lld, which its getter reads, "
                       "but got %lld",
                       tvmffi_shown_size(field->name.size), printable(&field->name),
                       record->key.data, (long long)bytes, (long long)field->size);
  }
  if ((field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0 && setter != NULL &&
      setter->type_index != kTVMFFIFunction) {
    return refuse_no_function(record, field, "setter", tvmffi_type_key(setter->type_index));
  }
  if ((field->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0 &&
      (field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0 &&
      (value->type_index != kTVMFFIFunction || value->v_obj == NULL)) {
    return refuse_no_function(record, field, "default factory", tvmffi_any_type_name(value));
  }
  return 0;
}

TVMFFI_COLD int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo *info) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  const TVMFFITypeInfo *ancestor;
  tvmffi_field_layout_conflict conflict;
  TVMFFIFieldInfo field;
  bool has_function_setter;
  int outcome;
  if (record == NULL) return -1;
  TVMFFI_REQUIRE(info);
  TVMFFI_TRY(check_texts(__func__, &info->name, &info->doc, &info->metadata));
  TVMFFI_TRY(check_field(record, info));
  field = *info;
  if (field.flags & kTVMFFIFieldFlagBitMaskHasDefault) {
    TVMFFI_TRY(
        TVMFFIAnyViewToOwnedAny(&info->default_value_or_factory, &field.default_value_or_factory));
  } else {
    field.default_value_or_factory = tvmffi_any_none();
  }
  has_function_setter = (field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0;
  if (has_function_setter) tvmffi_object_retain(field.setter);
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  outcome = add_field(record, &field, &ancestor, &conflict);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (outcome == kMemberRegistered) {
    if (ancestor != NULL) {
      tvmffi_log_warning("Field \"%.*s\" in type \"%s\" duplicates an ancestor field in \"%s\"",
                         tvmffi_shown_size(info->name.size), printable(&info->name),
                         record->key.data, ancestor->type_key.data);
    }
    return 0;
  }
  tvmffi_any_release(&field.default_value_or_factory);
  if (has_function_setter) tvmffi_object_release(field.setter);
  if (outcome == kMemberNoMemory) return tvmffi_fail_memory();
  if (outcome == kMemberConflict) return tvmffi_field_layout_fail(&conflict);
  if (tvmffi_type_is_of_other_copy(type_index, TVMFFI_CALLER)) return 0;
  return tvmffi_fail("InternalError", "Duplicate field name \"%.*s\" in type \"%s\"",
                     tvmffi_shown_size(info->name.size), printable(&info->name), record->key.data);
}

/* ---- Methods ---- */

/* is_once: a method whose name is there already is a duplicate. Otherwise it is one more. */
static int add_method(tvmffi_type_record *record, TVMFFIMethodInfo *method, bool is_once) {
  TVMFFITypeInfo *info = &record->info;
  const void *array = info->methods;
  int32_t i;
  for (i = 0; is_once && i < info->num_methods; ++i) {
    if (tvmffi_bytes_equal(&info->methods[i].name, &method->name)) return kMemberDuplicate;
  }
  if (!keep_texts(&method->name, &method->doc, &method->metadata) ||
      !ensure_member_room(&array, info->num_methods, &record->method_capacity, sizeof *method)) {
    return kMemberNoMemory;
  }
  ((TVMFFIMethodInfo *)(uintptr_t)array)[info->num_methods] = *method;
  tvmffi_atomic_store_release_ptr(&info->methods, (const TVMFFIMethodInfo *)array);
  tvmffi_atomic_store_release(&info->num_methods, info->num_methods + 1);
  return kMemberRegistered;
}

TVMFFI_COLD int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo *info) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  TVMFFIMethodInfo method;
  bool is_again;
  int outcome;
  if (record == NULL) return -1;
  TVMFFI_REQUIRE(info);
  TVMFFI_TRY(check_texts(__func__, &info->name, &info->doc, &info->metadata));
  if (info->method.type_index != kTVMFFIFunction || info->method.v_obj == NULL) {
    return tvmffi_fail("TypeError", "Method `%.*s` of type `%s` expects a Function but got `%s`",
                       tvmffi_shown_size(info->name.size), printable(&info->name), record->key.data,
                       tvmffi_any_type_name(&info->method));
  }
  is_again = tvmffi_type_is_of_other_copy(type_index, TVMFFI_CALLER);
  method = *info;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&info->method, &method.method));
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  outcome = add_method(record, &method, is_again);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (outcome == kMemberRegistered) return 0;
  tvmffi_any_release(&method.method);
  if (outcome == kMemberDuplicate) return 0;
  return tvmffi_fail_memory();
}

/* ---- Metadata ---- */

static int set_metadata(tvmffi_type_record *record, const TVMFFITypeMetadata *metadata,
                        tvmffi_field_layout_conflict *conflict) {
  TVMFFIByteArray empty = {NULL, 0};
  bool has_size = metadata->total_size != 0 && record->info.type_index >= kTVMFFIStaticObjectBegin;
  TVMFFITypeMetadata *copy;
  if (record->info.metadata != NULL) return kMemberDuplicate;
  if (has_size &&
      !tvmffi_field_layout_can_have_size(record, metadata->total_size, false, conflict)) {
    return kMemberConflict;
  }
  copy = tvmffi_alloc_until_shutdown(sizeof *copy);
  if (copy == NULL) return kMemberNoMemory;
  *copy = *metadata;
  if (!keep_texts(&copy->doc, &empty, &empty)) return kMemberNoMemory;
  if (has_size) tvmffi_field_layout_set_size(record, metadata->total_size, false);
  tvmffi_atomic_store_release_ptr(&record->info.metadata, (const TVMFFITypeMetadata *)copy);
  return kMemberRegistered;
}

TVMFFI_COLD int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata *metadata) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  tvmffi_field_layout_conflict conflict;
  int kind, outcome;
  if (record == NULL) return -1;
  TVMFFI_REQUIRE(metadata);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, &metadata->doc, "doc"));
  kind = (int)metadata->structural_eq_hash_kind;
  if (kind < kTVMFFISEqHashKindUnsupported || kind > kTVMFFISEqHashKindUniqueInstance) {
    return tvmffi_fail("ValueError",
                       "Type `%s` expects a kind of structural equality from 0 to 5 but got %d",
                       record->key.data, kind);
  }
  if (metadata->total_size < 0) {
    return tvmffi_fail("ValueError", "Type `%s` cannot have objects of %d bytes", record->key.data,
                       (int)metadata->total_size);
  }
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  outcome = set_metadata(record, metadata, &conflict);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (outcome == kMemberRegistered) return 0;
  if (outcome == kMemberNoMemory) return tvmffi_fail_memory();
  if (outcome == kMemberConflict) return tvmffi_field_layout_fail(&conflict);
  if (tvmffi_type_is_of_other_copy(type_index, TVMFFI_CALLER)) return 0;
  return tvmffi_fail("RuntimeError",
                     "Overriding %s, possible causes: two types use the same key; or the library "
                     "that describes it was loaded twice",
                     record->key.data);
}

/* ---- Shutdown ---- */

/* Clients' deleters run here and may register again: take everything out of its table first. */
static void release_type(tvmffi_type_record *record) {
  TVMFFITypeInfo taken = record->info;
  int32_t i;
  record->info.num_fields = record->info.num_methods = 0;
  record->info.fields = NULL;
  record->info.methods = NULL;
  record->field_capacity = record->method_capacity = 0;
  for (i = 0; i < taken.num_fields; ++i) {
    TVMFFIFieldInfo field = taken.fields[i];
    tvmffi_any_release(&field.default_value_or_factory);
    if (field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) tvmffi_object_release(field.setter);
  }
  for (i = 0; i < taken.num_methods; ++i) {
    TVMFFIAny method = taken.methods[i].method;
    tvmffi_any_release(&method);
  }
}

void tvmffi_register_shutdown(void) {
  int32_t i, end = tvmffi_type_end();
  for (i = 0; i < end; ++i) {
    tvmffi_type_record *record = tvmffi_type_find(i);
    if (record != NULL) release_type(record);
  }
}
