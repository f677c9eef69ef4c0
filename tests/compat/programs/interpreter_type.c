/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on types: registration, records, fields, methods, metadata and attributes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

/* type t =key static depth slots overflow parent */
static void register_type(const operands *inputs) {
  TVMFFIByteArray key;
  int64_t can_overflow, slots;
  int32_t static_index, depth, parent, index;
  int target;
  if (!read_register(inputs, 0, 't', kNumTypes, &target) || !read_bytes(inputs, 1, &key) ||
      !read_int32(inputs, 2, &static_index) || !read_int32(inputs, 3, &depth) ||
      !read_int(inputs, 4, 0, 64, &slots) || !read_int(inputs, 5, 0, 1, &can_overflow) ||
      !read_type(inputs, 6, &parent)) {
    return;
  }
  index = api.TVMFFITypeGetOrAllocIndex(&key, static_index, depth, (int32_t)slots,
                                        (int32_t)can_overflow, parent);
  if (index == -1) {
    say_failure(index);
    return;
  }
  if (index >= 0) types[target] = index;
  say("type ");
  say_type_index(index);
}

static void find_type(const operands *inputs) {
  TVMFFIByteArray key;
  int32_t index = -9;
  int rc;
  if (!read_bytes(inputs, 0, &key)) return;
  rc = api.TVMFFITypeKeyToIndex(&key, &index);
  tell(rc);
  say(" ");
  say_type_index(index);
}

/* ---- Records ---- */

static void say_optional_bytes(const char *what, const TVMFFIByteArray *bytes) {
  if (bytes->size == 0) return;
  say(" %s ", what);
  say_bytes(bytes->data, bytes->size);
}

static void say_field(const TVMFFIFieldInfo *field) {
  say("; field ");
  say_bytes(field->name.data, field->name.size);
  say_optional_bytes("doc", &field->doc);
  say_optional_bytes("metadata", &field->metadata);
  say(" flags %" PRId64 " size %" PRId64 " alignment %" PRId64 " offset %" PRId64 " of ",
      field->flags, field->size, field->alignment, field->offset);
  say_type_index(field->field_static_type_index);
  say(" default ");
  say_value(&field->default_value_or_factory);
}

static void say_method(const TVMFFIMethodInfo *method) {
  say("; method ");
  say_bytes(method->name.data, method->name.size);
  say_optional_bytes("doc", &method->doc);
  say_optional_bytes("metadata", &method->metadata);
  say(" flags %" PRId64 " ", method->flags);
  say_value(&method->method);
}

static void say_metadata(const TVMFFITypeMetadata *metadata) {
  if (metadata == NULL) return;
  say("; metadata");
  say_optional_bytes("doc", &metadata->doc);
  say(" size %" PRId32 " kind %d", metadata->total_size, (int)metadata->structural_eq_hash_kind);
}

/* Of the library's own types only members that a program registered are shown. */
static bool is_of_program(const TVMFFIByteArray *name) {
  return name->size >= 5 && memcmp(name->data, "test_", 5) == 0;
}

static void show_type(const operands *inputs) {
  const TVMFFITypeInfo *info;
  int32_t index, i;
  bool is_own;
  if (!read_type(inputs, 0, &index)) return;
  info = api.TVMFFIGetTypeInfo(index);
  if (info == NULL) {
    say_failure(-1);
    return;
  }
  is_own = info->type_key.size >= 5 && memcmp(info->type_key.data, "test.", 5) == 0;
  say_type_index(info->type_index);
  say(" ");
  say_bytes(info->type_key.data, info->type_key.size);
  for (i = 0; i < info->type_depth; ++i) {
    say(i == 0 ? " below " : "/");
    say_bytes(info->type_ancestors[i]->type_key.data, info->type_ancestors[i]->type_key.size);
  }
  for (i = 0; i < info->num_fields; ++i) {
    if (is_of_program(&info->fields[i].name)) say_field(&info->fields[i]);
  }
  for (i = 0; i < info->num_methods; ++i) {
    if (is_of_program(&info->methods[i].name)) say_method(&info->methods[i]);
  }
  if (is_own) say_metadata(info->metadata);
}

/* ---- Reflection ---- */

/* A getter for registered fields; programs never read them. */
static int get_no_field(void *field, TVMFFIAny *result) {
  (void)field;
  (void)result;
  return -1;
}

static bool read_member_name(const operands *inputs, int position, TVMFFIByteArray *out) {
  if (!read_bytes(inputs, position, out)) return false;
  return is_of_program(out) || skip("members of programs begin with test_");
}

/* field type =name =doc =metadata flags size offset default setter */
static void register_field(const operands *inputs) {
  TVMFFIFieldInfo info;
  TVMFFIObject *setter;
  TVMFFIAny *value;
  int32_t type;
  memset(&info, 0, sizeof info);
  if (!read_type(inputs, 0, &type) || !read_member_name(inputs, 1, &info.name) ||
      !read_bytes(inputs, 2, &info.doc) || !read_bytes(inputs, 3, &info.metadata) ||
      !read_int(inputs, 4, 0, 8191, &info.flags) || !read_int(inputs, 5, 1, 64, &info.size) ||
      !read_int(inputs, 6, 24, 4096, &info.offset) || !read_value(inputs, 7, &value) ||
      !read_opt_object(inputs, 8, kTVMFFIFunction, &setter)) {
    return;
  }
  if (setter == NULL) info.flags &= ~(int64_t)kTVMFFIFieldFlagBitSetterIsFunctionObj;
  if (setter != NULL) info.flags |= kTVMFFIFieldFlagBitSetterIsFunctionObj;
  info.alignment = 8;
  info.getter = get_no_field;
  info.setter = setter;
  info.default_value_or_factory = *value;
  info.field_static_type_index = kTVMFFIAny;
  tell(api.TVMFFITypeRegisterField(type, &info));
}

/* method type =name =doc =metadata flags v */
static void register_method(const operands *inputs) {
  TVMFFIMethodInfo info;
  TVMFFIAny *method;
  int32_t type;
  if (!read_type(inputs, 0, &type) || !read_member_name(inputs, 1, &info.name) ||
      !read_bytes(inputs, 2, &info.doc) || !read_bytes(inputs, 3, &info.metadata) ||
      !read_int(inputs, 4, 0, 8191, &info.flags) || !read_value(inputs, 5, &method)) {
    return;
  }
  info.method = *method;
  tell(api.TVMFFITypeRegisterMethod(type, &info));
}

/* metadata type =doc size kind: only for types that the program registered */
static void register_metadata(const operands *inputs) {
  TVMFFITypeMetadata metadata;
  int64_t size, kind;
  int32_t type;
  if (!read_type(inputs, 0, &type) || !read_bytes(inputs, 1, &metadata.doc) ||
      !read_int(inputs, 2, 24, 4096, &size) || !read_int(inputs, 3, 0, 5, &kind)) {
    return;
  }
  metadata.creator = NULL;
  metadata.total_size = (int32_t)size;
  metadata.structural_eq_hash_kind = (TVMFFISEqHashKind)kind;
  tell(api.TVMFFITypeRegisterMetadata(type, &metadata));
}

/* attr type =name v */
static void register_attr(const operands *inputs) {
  TVMFFIByteArray name;
  TVMFFIAny *value;
  int32_t type;
  if (!read_type(inputs, 0, &type) || !read_bytes(inputs, 1, &name) ||
      !read_value(inputs, 2, &value)) {
    return;
  }
  if (type < 0) {
    skip("an index is negative");
    return;
  }
  tell(api.TVMFFITypeRegisterAttr(type, &name, value));
}

/* column =name: the entries of an attribute column that are not None */
static void show_column(const operands *inputs) {
  const TVMFFITypeAttrColumn *column;
  TVMFFIByteArray name;
  int32_t i;
  if (!read_bytes(inputs, 0, &name)) return;
  column = api.TVMFFIGetTypeAttrColumn(&name);
  if (column == NULL) {
    say("no column");
    return;
  }
  say("column");
  for (i = 0; i < column->size; ++i) {
    if (column->data[i].type_index == kTVMFFINone) continue;
    say(" ");
    say_type_index(column->begin_index + i);
    say(": ");
    say_value(&column->data[i]);
  }
}

const operation type_operations[] = {
    {"type", register_type},   {"type_find", find_type},    {"type_show", show_type},
    {"field", register_field}, {"method", register_method}, {"metadata", register_metadata},
    {"attr", register_attr},   {"column", show_column},     {NULL, NULL},
};
