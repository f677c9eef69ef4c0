/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/names.h"
#include "value/schema.h"

/* Limits for untrusted metadata: types are read recursively, and all names of parameters are
 * compared with each other. */
enum { kMaxDepth = 48, kMaxArgs = 1000 };

static const struct {
  const char *name;
  schema_kind kind;
} kKinds[] = {
    {"Any", kSchemaAny},
    {"None", kSchemaNone},
    {"bool", kSchemaBool},
    {"int", kSchemaInt},
    {"float", kSchemaFloat},
    {"void*", kSchemaPointer},
    {"DataType", kSchemaDataType},
    {"Device", kSchemaDevice},
    {"ffi.String", kSchemaStr},
    {"const char*", kSchemaStr},
    {"std::string", kSchemaStr},
    {"ffi.Bytes", kSchemaBytes},
    {"TVMFFIByteArray*", kSchemaBytes},
    {"DLTensor*", kSchemaTensorView},
    {"ffi.Tensor", kSchemaTensor},
    {"ffi.Shape", kSchemaShape},
    {"ffi.Module", kSchemaModule},
    {"ffi.Function", kSchemaFunction},
    {"std::function", kSchemaFunction},
    {"ffi.Array", kSchemaArray},
    {"std::vector", kSchemaArray},
    {"std::array", kSchemaArray},
    {"ffi.List", kSchemaList},
    {"ffi.Map", kSchemaMap},
    {"std::map", kSchemaMap},
    {"std::unordered_map", kSchemaMap},
    {"ffi.Dict", kSchemaDict},
    {"Tuple", kSchemaTuple},
    {"std::tuple", kSchemaTuple},
    {"Optional", kSchemaOptional},
    {"std::optional", kSchemaOptional},
    {"Variant", kSchemaUnion},
    {"std::variant", kSchemaUnion},
};

static schema_kind find_kind(const char *name) {
  size_t i;
  for (i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
    if (strcmp(name, kKinds[i].name) == 0) return kKinds[i].kind;
  }
  return kSchemaObject;
}

/* ---- Names ----
 * Checked because they are printed to terminals and written into sources, also into comments. */

static bool is_type_name(const TVMFFIByteArray *name) {
  size_t i;
  for (i = 0; i < name->size; ++i) {
    char c = name->data[i];
    if (!identifier_has(c) && (c == '\0' || strchr(".:*<>,-$& ", c) == NULL)) return false;
  }
  return name->size > 0;
}

/* Rejects "_0" and the like, which stand for parameters without a name. */
static bool is_parameter_name(const TVMFFIByteArray *name) {
  const bool is_position =
      name->size > 1 && name->data[0] == '_' && name->data[1] >= '0' && name->data[1] <= '9';
  return identifier_is(name->data, name->size) && !is_position;
}

/* ---- JSON ---- */

static bool is_map(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIMap;
}

static bool is_array(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIArray;
}

/* Whether a JSON object has an entry. `out` is to be cleared; it is None if there is no entry. */
static bool find(const TVMFFIAny *map, const char *key, TVMFFIAny *out) {
  if (tvm_ffi_map_get_item(map->v_obj, tvm_ffi_any_view_string(key), out) == 0) return true;
  TVMFFIErrorSetRaised(NULL);
  *out = tvm_ffi_any_none();
  return false;
}

/* An entry of a JSON object, to be cleared; None if there is none. */
static TVMFFIAny get(const TVMFFIAny *map, const char *key) {
  TVMFFIAny value;
  (void)find(map, key, &value);
  return value;
}

static bool parse(const char *bytes, size_t size, TVMFFIAny *out) {
  TVMFFIAny source;
  int code = tvm_ffi_string_create_sized(bytes, size, &source);
  if (code == 0) {
    code = tvm_ffi_function_call_global("ffi.json.Parse", &source, 1, out);
    tvm_ffi_any_clear(&source);
  }
  if (code != 0) TVMFFIErrorSetRaised(NULL);
  return code == 0;
}

/* ---- Types ---- */

static bool read_type(const TVMFFIAny *json, int depth, schema_type *out);

static void free_content(schema_type *type) {
  size_t i;
  for (i = 0; i < type->num_args; ++i) free_content(&type->args[i]);
  free(type->args);
  free(type->name);
  free(type->parameter);
}

static bool add_arg(schema_type *type, const TVMFFIAny *json, int depth) {
  schema_type arg;
  if (type->num_args == kMaxArgs || !read_type(json, depth, &arg)) return false;
  type->args = tool_grow(type->args, type->num_args, sizeof *type->args);
  type->args[type->num_args++] = arg;
  return true;
}

/* The parameters of a std::function may be an array within the array; the length of a std::array is
 * no type and is skipped. */
static bool add_args(schema_type *type, const TVMFFIAny *json, int depth) {
  const TVMFFIAny *items;
  int64_t i, size;
  if (depth > kMaxDepth || !is_array(json)) return false;
  items = tvm_ffi_array_get_data(json->v_obj);
  size = tvm_ffi_array_get_size(json->v_obj);
  for (i = 0; i < size; ++i) {
    if (items[i].type_index == kTVMFFIInt) continue;
    if (is_array(&items[i]) ? type->kind != kSchemaFunction || !add_args(type, &items[i], depth + 1)
                            : !add_arg(type, &items[i], depth + 1)) {
      return false;
    }
  }
  return true;
}

/* An invalid name, or one that another parameter has, is ignored. */
static void read_parameter_name(schema_type *function, const TVMFFIAny *json, size_t i) {
  TVMFFIAny value = is_map(json) ? get(json, "name") : tvm_ffi_any_none();
  TVMFFIByteArray name;
  if (tvm_ffi_any_try_string(&value, &name) && is_parameter_name(&name)) {
    char *copy = tool_copy(name.data, name.size);
    size_t k;
    for (k = 1; k < i; ++k) {
      if (function->args[k].parameter != NULL && strcmp(function->args[k].parameter, copy) == 0) {
        break;
      }
    }
    if (k == i) {
      function->args[i].parameter = copy;
    } else {
      free(copy);
    }
  }
  tvm_ffi_any_clear(&value);
}

static bool is_null(const TVMFFIAny *map, const char *key) {
  TVMFFIAny value;
  bool null = find(map, key, &value) && tvm_ffi_any_is_none(&value);
  tvm_ffi_any_clear(&value);
  return null;
}

/* Marks the parameters at the end that take None and have it as their default. */
static void read_defaults(schema_type *function, const TVMFFIAny *params) {
  size_t i;
  for (i = function->num_args - 1; i > 0; --i) {
    schema_type *param = &function->args[i];
    if (param->kind != kSchemaOptional && param->kind != kSchemaAny) return;
    if (!is_map(&params[i - 1]) || !is_null(&params[i - 1], "default")) return;
    param->may_be_left_out = true;
  }
}

static bool read_named_args(const TVMFFIAny *json, int depth, schema_type *out) {
  TVMFFIAny result = get(json, "return"), params = get(json, "params");
  bool good = is_array(&result) && is_array(&params) && add_args(out, &result, depth) &&
              out->num_args == 1 && add_args(out, &params, depth);
  size_t i;
  if (good && out->num_args - 1 == (size_t)tvm_ffi_array_get_size(params.v_obj)) {
    for (i = 1; i < out->num_args; ++i) {
      read_parameter_name(out, tvm_ffi_array_get_data(params.v_obj) + (i - 1), i);
    }
    read_defaults(out, tvm_ffi_array_get_data(params.v_obj));
  }
  tvm_ffi_any_clear(&result);
  tvm_ffi_any_clear(&params);
  return good;
}

static bool read_all_args(const TVMFFIAny *json, int depth, schema_type *out) {
  TVMFFIAny named = out->kind == kSchemaFunction ? get(json, "named_args") : tvm_ffi_any_none();
  TVMFFIAny args = get(json, "args");
  bool good = is_map(&named)               ? read_named_args(&named, depth, out)
              : tvm_ffi_any_is_none(&args) ? true
                                           : add_args(out, &args, depth);
  tvm_ffi_any_clear(&named);
  tvm_ffi_any_clear(&args);
  return good && (out->kind != kSchemaOptional || out->num_args == 1);
}

/* Replaces an rvalue reference by the type it refers to, and an unknown type by its "fallback". */
static void take_instead(const TVMFFIAny *json, int depth, schema_type *type) {
  TVMFFIAny fallback = tvm_ffi_any_none();
  schema_type replacement;
  bool found = false;
  if (strcmp(type->name, "ObjectRValueRef") == 0 && type->num_args == 1) {
    replacement = type->args[0];
    type->num_args = 0;
    found = true;
  } else if (type->kind == kSchemaObject) {
    fallback = get(json, "fallback");
    found = is_map(&fallback) && read_type(&fallback, depth + 1, &replacement);
  }
  tvm_ffi_any_clear(&fallback);
  if (!found) return;
  free_content(type);
  *type = replacement;
}

static bool read_type(const TVMFFIAny *json, int depth, schema_type *out) {
  TVMFFIAny type = is_map(json) ? get(json, "type") : tvm_ffi_any_none();
  TVMFFIByteArray name;
  memset(out, 0, sizeof *out);
  if (depth <= kMaxDepth && tvm_ffi_any_try_string(&type, &name) && is_type_name(&name)) {
    out->name = tool_copy(name.data, name.size);
    out->kind = find_kind(out->name);
  }
  tvm_ffi_any_clear(&type);
  if (out->name != NULL && read_all_args(json, depth, out)) {
    take_instead(json, depth, out);
    return true;
  }
  free_content(out);
  return false;
}

schema_type *schema_parse(const char *metadata, size_t size) {
  TVMFFIAny outer, inner, schema = tvm_ffi_any_none();
  TVMFFIByteArray source;
  schema_type type, *result = NULL;
  if (!parse(metadata, size, &outer)) return NULL;
  if (is_map(&outer)) schema = get(&outer, "type_schema");
  if (tvm_ffi_any_try_string(&schema, &source) && parse(source.data, source.size, &inner)) {
    if (read_type(&inner, 0, &type)) {
      result = tool_alloc(sizeof type);
      *result = type;
    }
    tvm_ffi_any_clear(&inner);
  }
  tvm_ffi_any_clear(&schema);
  tvm_ffi_any_clear(&outer);
  return result;
}

void schema_free(schema_type *type) {
  if (type != NULL) free_content(type);
  free(type);
}

bool schema_is_typed(const schema_type *function) {
  return function->num_args > 0;
}

const schema_type *schema_result(const schema_type *function) {
  return function->num_args > 0 ? &function->args[0] : NULL;
}

size_t schema_num_params(const schema_type *function) {
  return function->num_args > 0 ? function->num_args - 1 : 0;
}

const schema_type *schema_param(const schema_type *function, size_t i) {
  return i < schema_num_params(function) ? &function->args[i + 1] : NULL;
}

const schema_type *schema_required(const schema_type *type) {
  while (type != NULL && type->kind == kSchemaOptional) type = &type->args[0];
  return type;
}

bool schema_is_class(const schema_type *type) {
  return type->kind == kSchemaObject && strchr(type->name, '.') != NULL;
}

/* ---- Text ---- */

/* Prints types and signatures for people, in Python's syntax. */

/* By schema_kind; NULL: the name in the metadata. */
static const char *const kWords[] = {
    [kSchemaAny] = "Any",        [kSchemaNone] = "None",         [kSchemaBool] = "bool",
    [kSchemaInt] = "int",        [kSchemaFloat] = "float",       [kSchemaPointer] = "void*",
    [kSchemaDataType] = "dtype", [kSchemaDevice] = "Device",     [kSchemaStr] = "str",
    [kSchemaBytes] = "bytes",    [kSchemaTensorView] = "Tensor", [kSchemaTensor] = "Tensor",
    [kSchemaShape] = "Shape",    [kSchemaModule] = "Module",     [kSchemaFunction] = "Callable",
    [kSchemaArray] = "Array",    [kSchemaList] = "List",         [kSchemaMap] = "Map",
    [kSchemaDict] = "Dict",      [kSchemaTuple] = "Tuple",       [kSchemaOptional] = "Optional",
    [kSchemaUnion] = "Union",    [kSchemaObject] = NULL,
};

static void write_list(text_buf *out, const schema_type *types, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(out, ", ");
    schema_write_type(out, &types[i]);
  }
}

void schema_write_type(text_buf *out, const schema_type *type) {
  const char *word = kWords[type->kind];
  text_add(out, "%s", word != NULL ? word : type->name);
  if (type->num_args == 0) return;
  text_add(out, "[");
  if (type->kind == kSchemaFunction) {
    text_add(out, "[");
    write_list(out, type->args + 1, type->num_args - 1);
    text_add(out, "], ");
    schema_write_type(out, &type->args[0]);
  } else {
    write_list(out, type->args, type->num_args);
  }
  text_add(out, "]");
}

void schema_write_signature(text_buf *out, const schema_type *function) {
  size_t i;
  if (!schema_is_typed(function)) {
    text_add(out, "(...) -> Any");
    return;
  }
  text_add(out, "(");
  for (i = 0; i < schema_num_params(function); ++i) {
    const schema_type *param = schema_param(function, i);
    if (i > 0) text_add(out, ", ");
    if (param->parameter != NULL) {
      text_add(out, "%s: ", param->parameter);
    } else {
      text_add(out, "_%zu: ", i);
    }
    schema_write_type(out, param);
    if (param->may_be_left_out) text_add(out, " = None");
  }
  text_add(out, ") -> ");
  schema_write_type(out, schema_result(function));
}

char *schema_describe(const char *metadata, size_t size) {
  schema_type *function = schema_parse(metadata, size);
  text_buf signature = {NULL, 0, 0};
  if (function != NULL && function->kind == kSchemaFunction) {
    schema_write_signature(&signature, function);
  }
  schema_free(function);
  return signature.data;
}
