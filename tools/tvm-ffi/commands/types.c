/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the types of this process, including those of libraries loaded for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/pattern.h"
#include "base/report.h"
#include "base/text.h"
#include "commands/commands.h"
#include "library/library.h"
#include "value/schema.h"

typedef struct {
  bool as_json;
  text_list patterns;
  double timeout;
} types_options;

static const struct {
  int64_t bit;
  const char *name;
} kFlags[] = {
    {kTVMFFIFieldFlagBitMaskWritable, "writable"},
    {kTVMFFIFieldFlagBitMaskHasDefault, "default"},
    {kTVMFFIFieldFlagBitMaskDefaultFromFactory, "factory"},
    {kTVMFFIFieldFlagBitMaskIsStaticMethod, "static"},
    {kTVMFFIFieldFlagBitMaskSEqHashIgnore, "structural-ignore"},
    {kTVMFFIFieldFlagBitMaskSEqHashDefPattern, "structural-pattern"},
    {kTVMFFIFieldFlagBitMaskSEqHashDefSimple, "structural-simple"},
    {kTVMFFIFieldFlagBitMaskReprOff, "no-repr"},
    {kTVMFFIFieldFlagBitMaskCompareOff, "no-compare"},
    {kTVMFFIFieldFlagBitMaskHashOff, "no-hash"},
    {kTVMFFIFieldFlagBitMaskInitOff, "no-init"},
    {kTVMFFIFieldFlagBitMaskKwOnly, "keyword-only"},
    {kTVMFFIFieldFlagBitSetterIsFunctionObj, "function-setter"},
};
enum { kNumFlags = sizeof kFlags / sizeof *kFlags };

static const char *name_structural_kind(TVMFFISEqHashKind kind) {
  static const char *const kNames[] = {"unsupported", "tree",       "free-variable",
                                       "dag",         "const-tree", "unique"};
  return (size_t)kind < sizeof kNames / sizeof *kNames ? kNames[kind] : "unknown";
}

static const TVMFFITypeInfo *get_parent(const TVMFFITypeInfo *info) {
  return info->type_depth > 0 ? info->type_ancestors[info->type_depth - 1] : NULL;
}

/* "int" for a field, "(_0: Point, _1: int) -> int" for a method; release with free(). NULL if the
 * metadata has no type. */
static char *describe(const TVMFFIByteArray *metadata, bool is_method) {
  schema_type *type;
  text_buf line = {NULL, 0, 0};
  if (is_method) return schema_describe(metadata->data, metadata->size);
  type = schema_parse(metadata->data, metadata->size);
  if (type != NULL) schema_write_type(&line, type);
  schema_free(type);
  return line.data;
}

/* ---- Text ---- */

static void add_bytes(text_buf *out, const TVMFFIByteArray *bytes) {
  if (bytes->size > 0) text_add_escaped(out, bytes->data, bytes->size);
}

/* Adds each line of a documentation, indented. */
static void add_doc(text_buf *out, const TVMFFIByteArray *doc, int indent) {
  const char *cursor = doc->data, *end = doc->size > 0 ? cursor + doc->size : cursor;
  while (cursor != end) {
    const char *line_end = memchr(cursor, '\n', (size_t)(end - cursor));
    if (line_end == NULL) line_end = end;
    text_add(out, "%*s%s", indent, "", report_color(kColorDim));
    text_add_escaped(out, cursor, (size_t)(line_end - cursor));
    text_add(out, "%s\n", report_color(kColorNone));
    cursor = line_end == end ? end : line_end + 1;
  }
}

static void add_flags(text_buf *out, int64_t flags) {
  size_t i;
  for (i = 0; i < kNumFlags; ++i) {
    if ((flags & kFlags[i].bit) != 0) text_add(out, "  %s", kFlags[i].name);
  }
}

static void add_field(text_buf *out, const TVMFFIFieldInfo *field) {
  char *type = describe(&field->metadata, false);
  text_add(out, "         ");
  add_bytes(out, &field->name);
  text_add(out, ": %s  at %" PRId64 ", %" PRId64 " B", type != NULL ? type : "?", field->offset,
           field->size);
  add_flags(out, field->flags);
  text_add(out, "\n");
  add_doc(out, &field->doc, 11);
  free(type);
}

static void add_method(text_buf *out, const TVMFFIMethodInfo *method) {
  char *signature = describe(&method->metadata, true);
  text_add(out, "         ");
  add_bytes(out, &method->name);
  text_add(out, "%s", signature != NULL ? signature : "(?)");
  add_flags(out, method->flags);
  text_add(out, "\n");
  add_doc(out, &method->doc, 11);
  free(signature);
}

static void print_type(const TVMFFITypeInfo *info) {
  const TVMFFITypeInfo *parent = get_parent(info);
  text_buf lines = {NULL, 0, 0};
  int32_t i;
  text_add(&lines, "%7" PRId32 "  %s", info->type_index, report_color(kColorName));
  add_bytes(&lines, &info->type_key);
  text_add(&lines, "%s", report_color(kColorNone));
  if (parent != NULL) {
    text_add(&lines, " < ");
    add_bytes(&lines, &parent->type_key);
  }
  if (info->metadata != NULL) {
    text_add(&lines, "  %" PRId32 " B  %s", info->metadata->total_size,
             name_structural_kind(info->metadata->structural_eq_hash_kind));
  }
  text_add(&lines, "\n");
  if (info->metadata != NULL) add_doc(&lines, &info->metadata->doc, 9);
  for (i = 0; i < info->num_fields; ++i) add_field(&lines, &info->fields[i]);
  for (i = 0; i < info->num_methods; ++i) add_method(&lines, &info->methods[i]);
  fputs(lines.data, streams_results());
  text_free(&lines);
}

/* ---- JSON ---- */

static void write_bytes(const char *key, const TVMFFIByteArray *bytes) {
  if (bytes->size > 0) {
    json_bytes(key, bytes->data, bytes->size);
  } else {
    json_null(key);
  }
}

static void write_flags(int64_t flags) {
  size_t i;
  json_begin_array("flags");
  for (i = 0; i < kNumFlags; ++i) {
    if ((flags & kFlags[i].bit) != 0) json_text(NULL, kFlags[i].name);
  }
  json_end();
}

static void write_field(const TVMFFIFieldInfo *field) {
  char *type = describe(&field->metadata, false);
  json_begin_object(NULL);
  write_bytes("name", &field->name);
  json_text("type", type);
  json_int("type_index", field->field_static_type_index);
  json_int("offset", field->offset);
  json_int("size", field->size);
  json_int("alignment", field->alignment);
  write_flags(field->flags);
  write_bytes("metadata", &field->metadata);
  write_bytes("doc", &field->doc);
  json_end();
  free(type);
}

static void write_method(const TVMFFIMethodInfo *method) {
  char *signature = describe(&method->metadata, true);
  json_begin_object(NULL);
  write_bytes("name", &method->name);
  json_text("signature", signature);
  write_flags(method->flags);
  write_bytes("metadata", &method->metadata);
  write_bytes("doc", &method->doc);
  json_end();
  free(signature);
}

static void write_type(const TVMFFITypeInfo *info) {
  const TVMFFITypeInfo *parent = get_parent(info);
  int32_t i;
  json_begin_object(NULL);
  json_int("index", info->type_index);
  write_bytes("key", &info->type_key);
  if (parent != NULL) {
    write_bytes("parent", &parent->type_key);
  } else {
    json_null("parent");
  }
  if (info->metadata != NULL) {
    json_int("size", info->metadata->total_size);
    json_text("structural", name_structural_kind(info->metadata->structural_eq_hash_kind));
    json_bool("has_creator", info->metadata->creator != NULL);
    write_bytes("doc", &info->metadata->doc);
  }
  json_begin_array("fields");
  for (i = 0; i < info->num_fields; ++i) write_field(&info->fields[i]);
  json_end();
  json_begin_array("methods");
  for (i = 0; i < info->num_methods; ++i) write_method(&info->methods[i]);
  json_end();
  json_end();
}

static int show_types(void *context) {
  const types_options *options = context;
  const TVMFFITypeInfo *info;
  const bool as_json = options->as_json;
  if (as_json) json_begin_array(NULL);
  for (info = registered_next_type(0); info != NULL;
       info = registered_next_type(info->type_index + 1)) {
    if (!patterns_match(options->patterns.items, options->patterns.count, info->type_key.data)) {
      continue;
    }
    if (as_json) {
      write_type(info);
    } else {
      print_type(info);
    }
  }
  if (as_json) json_end();
  return kExitOk;
}

static int command_types(const arguments *args) {
  types_options options;
  options.as_json = arguments_has(args, kOptionJson);
  options.patterns = arguments_values(args, kOptionMatch);
  if (!read_timeout(args, &options.timeout)) return kExitUsage;
  return registered_load(arguments_values(args, kOptionLib), options.timeout, show_types, &options);
}

/* ---- Options and help ---- */

static const char kTypesText[] =
    "Lists the types of the runtime, and those that libraries given with --lib register: index,\n"
    "key, parent, size, and how structural equality treats them; fields with type, offset and\n"
    "size; methods; documentation.\n\n"
    "  tvm-ffi types --match 'ffi.Module*'";

const command kTypesCommand = {
    .name = "types",
    .operands = "",
    .summary = "List object types with their fields and methods",
    .description = kTypesText,
    .options = kRegisteredOptions,
    .run = command_types,
};
