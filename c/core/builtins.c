/* SPDX-License-Identifier: Apache-2.0 */
#include "core/builtins.h"

#include <string.h>

#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "core/type.h"

/* What a letter of a signature stands for. Other letters are in the tables of types. */
typedef struct {
  char letter;
  char display[26]; /* in errors */
  char schema[26];  /* in metadata */
} parameter_type;

static const parameter_type kParameterTypes[] = {
    {'a', "Any", "Any"},
    {'i', "int", "int"},
    {'b', "bool", "bool"},
    {'s', "str", "ffi.String"},
    {'y', "bytes", "ffi.Bytes"},
    {'p', "void*", "void*"},
    {'v', "void", "None"},
    {'F', "ffi.Function", "ffi.Function"},
    {'M', "ffi.Module", "ffi.Module"},
    {'A', "ffi.Array", "ffi.Array"},
    {'O', "ffi.Object", "ffi.Object"}, /* None too */
    {'L', "ffi.List", "ffi.List"},
    {'l', "List<Any>", "ffi.List"}, /* an Array too */
    {'H', "ffi.Map", "ffi.Map"},
    {'D', "ffi.Dict", "ffi.Dict"},
    {'d', "Dict<Any, Any>", "ffi.Dict"}, /* a Map too */
    {'V', "Device", "Device"},
    {'w', "AnyView", "Any"},
};

/* Single letters for types that need several: every parameter is one letter. */
typedef struct {
  char letter;
  char type[7];
} parameter_shorthand;

static const parameter_shorthand kShorthands[] = {
#ifdef TVMFFI_PROFILE_FULL
    {'n', "?i"},     /* Optional<int> */
    {'c', "@(iF)"},  /* callbacks by type index; a List too */
    {'C', "@(iFb)"}, /* the same with a switch */
#endif
    {'\0', ""},
};

/*
 * How types are written: in errors, or in schemas, whose quotes are escaped because a schema is
 * embedded in a JSON string.
 */
typedef enum { kDisplay, kSchema } style;

/* The type of a letter as it is written in errors or in schemas. */
TVMFFI_COLD static const char *find_type_word(char letter, style notation) {
  const tvmffi_builtin_type_group *types;
  size_t i, group;
  for (i = 0; i < sizeof kParameterTypes / sizeof *kParameterTypes; ++i) {
    if (kParameterTypes[i].letter == letter) {
      return notation == kDisplay ? kParameterTypes[i].display : kParameterTypes[i].schema;
    }
  }
  for (group = 0; (types = tvmffi_parts_types(group)) != NULL; ++group) {
    for (i = 0; i < types->count; ++i) {
      if (types->types[i].letter == letter) return types->types[i].key;
    }
  }
  return "Any"; /* GCOVR_EXCL_LINE: every letter of a signature is in a table */
}

/* The type that a shorthand stands for, or NULL. */
static const char *find_shorthand(char letter) {
  size_t i;
  for (i = 0; kShorthands[i].letter != '\0'; ++i) {
    if (kShorthands[i].letter == letter) return kShorthands[i].type;
  }
  return NULL;
}

#ifdef TVMFFI_PROFILE_FULL
static bool accepts(char letter, const TVMFFIAny *arg);

/*
 * Whether arg is a Tuple<int, ffi.Function>, with a bool at the end for letter C. If it is not and
 * text is not NULL, appends what arg is.
 */
static bool is_callback(char letter, const TVMFFIAny *arg, tvmffi_buf *text) {
  const TVMFFISeqCell *cell;
  const char *p = letter == 'c' ? "iF" : "iFb";
  int i;
  if (arg->type_index != kTVMFFIArray) {
    if (text != NULL) tvmffi_buf_append_text(text, tvmffi_any_type_name(arg));
    return false;
  }
  cell = TVMFFISeqGetCellPtr(arg->v_obj);
  if (cell->size != (int64_t)strlen(p)) {
    if (text != NULL) tvmffi_buf_appendf(text, "Array[size=%lld]", (long long)cell->size);
    return false;
  }
  for (i = 0; p[i] != '\0'; ++i) {
    const TVMFFIAny *item = (const TVMFFIAny *)cell->data + i;
    if (accepts(p[i], item)) continue;
    if (text != NULL) {
      tvmffi_buf_appendf(text, "Array[index %d: %s]", i, tvmffi_any_type_name(item));
    }
    return false;
  }
  return true;
}

/* The same for a list of such tuples. */
TVMFFI_COLD static bool is_callbacks(char letter, const TVMFFIAny *arg, tvmffi_buf *text) {
  const TVMFFISeqCell *cell;
  int64_t i = 0;
  if ((arg->type_index != kTVMFFIArray && arg->type_index != kTVMFFIList) || arg->v_obj == NULL) {
    if (text != NULL) tvmffi_buf_append_text(text, tvmffi_any_type_name(arg));
    return false;
  }
  cell = TVMFFISeqGetCellPtr(arg->v_obj);
  while (i < cell->size && is_callback(letter, (const TVMFFIAny *)cell->data + i, NULL)) ++i;
  if (i < cell->size && text != NULL) {
    tvmffi_buf_appendf(text, "Array[index %lld: ", (long long)i);
    (void)is_callback(letter, (const TVMFFIAny *)cell->data + i, text);
    tvmffi_buf_append_text(text, "]");
  }
  return i == cell->size;
}
#endif

static bool has_letter(const tvmffi_type_record *record, char letter) {
  return record->builtin != NULL && record->builtin->letter == letter;
}

/* Whether a letter is that of a type or of one that it derives from. */
static bool is_of_type(char letter, int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_find(type_index);
  int32_t i;
  if (record == NULL) return false;
  if (has_letter(record, letter)) return true;
  for (i = record->info.type_depth - 1; i >= 0; --i) {
    const void *ancestor = record->info.type_ancestors[i]; /* the first member of its record */
    if (has_letter(ancestor, letter)) return true;
  }
  return false;
}

/* Runs on every call of a built-in: hence a switch, not a column of the table to be searched. */
static bool accepts(char letter, const TVMFFIAny *arg) {
  int32_t type_index = arg->type_index;
  switch (letter) {
    case 'M':
      return type_index == kTVMFFIModule && arg->v_obj != NULL;
    case 's':
      return type_index == kTVMFFISmallStr ||
             ((type_index == kTVMFFIRawStr || type_index == kTVMFFIStr) && arg->v_ptr != NULL);
    case 'n':
      if (type_index == kTVMFFINone) return true;
      /* fallthrough */
    case 'b':
    case 'i':
      return type_index == kTVMFFIBool || type_index == kTVMFFIInt;
    case 'y':
      return type_index == kTVMFFISmallBytes ||
             ((type_index == kTVMFFIByteArrayPtr || type_index == kTVMFFIBytes) &&
              arg->v_ptr != NULL);
    case 'p':
      return type_index == kTVMFFIOpaquePtr || type_index == kTVMFFINone;
    case 'A':
      return type_index == kTVMFFIArray && arg->v_obj != NULL;
    case 'L':
      return type_index == kTVMFFIList && arg->v_obj != NULL;
    case 'l':
      return (type_index == kTVMFFIList || type_index == kTVMFFIArray) && arg->v_obj != NULL;
    case 'H':
      return type_index == kTVMFFIMap && arg->v_obj != NULL;
    case 'D':
      return type_index == kTVMFFIDict && arg->v_obj != NULL;
    case 'd':
      return (type_index == kTVMFFIDict || type_index == kTVMFFIMap) && arg->v_obj != NULL;
    case 'F': /* Functions and objects may be null */
      return type_index == kTVMFFIFunction || type_index == kTVMFFINone;
    case 'O':
      return type_index >= kTVMFFIStaticObjectBegin || type_index == kTVMFFINone;
    case 'a':
    case 'w':
      return true;
#ifdef TVMFFI_PROFILE_FULL
    case 'c':
    case 'C':
      return is_callbacks(letter, arg, NULL);
#endif
    default:
      return arg->v_obj != NULL && is_of_type(letter, type_index);
  }
}

const char *tvmffi_builtin_read(const char *texts, tvmffi_builtin *out) {
  out->name = texts;
  out->signature = texts + strlen(texts) + 1;
  return out->signature + strlen(out->signature) + 1;
}

static bool is_packed(const char *signature) {
  return signature[0] == '*';
}

/* Generic types: a letter, then num_types type arguments, or arguments up to a closing bracket. */
static const struct {
  char letter;
  int8_t num_types; /* 0: up to the bracket */
  char display[9];
  char schema[10];
} kGenerics[] = {
    {'?', 1, "Optional", "Optional"}, {'@', 1, "Array", "ffi.Array"},
#ifdef TVMFFI_PROFILE_FULL
    {'+', 1, "List", "ffi.List"},     {'%', 2, "Dict", "ffi.Dict"},
#endif
    {'(', 0, "Tuple", "Tuple"},
};
enum { kNumGenerics = sizeof kGenerics / sizeof *kGenerics };

TVMFFI_COLD static void append_types(tvmffi_buf *text, const char **p, style notation,
                                     int num_types);

/* Appends the type at *p and advances *p past it. */
TVMFFI_COLD static void append_type(tvmffi_buf *text, const char **p, style notation) {
  char letter = *(*p)++;
  const char *meant = find_shorthand(letter);
  int i;
  if (meant != NULL) {
    append_type(text, &meant, notation);
    return;
  }
  for (i = 0; i < kNumGenerics; ++i) {
    if (kGenerics[i].letter != letter) continue;
    if (notation == kDisplay) {
      tvmffi_buf_appendf(text, "%s<", kGenerics[i].display);
    } else {
      tvmffi_buf_appendf(text, "{\\\"type\\\":\\\"%s\\\",\\\"args\\\":[", kGenerics[i].schema);
    }
    append_types(text, p, notation, kGenerics[i].num_types);
    tvmffi_buf_append_text(text, notation == kDisplay ? ">" : "]}");
    return;
  }
  if (notation == kDisplay) {
    tvmffi_buf_append_text(text, find_type_word(letter, notation));
  } else {
    const char *any = "{\\\"type\\\":\\\"Any\\\"}";
    tvmffi_buf_appendf(text, "{\\\"type\\\":\\\"%s\\\"", find_type_word(letter, notation));
    if (letter == 'l') tvmffi_buf_appendf(text, ",\\\"args\\\":[%s]", any);
    if (letter == 'd') tvmffi_buf_appendf(text, ",\\\"args\\\":[%s,%s]", any, any);
    tvmffi_buf_append_text(text, "}");
  }
}

static void append_types(tvmffi_buf *text, const char **p, style notation, int num_types) {
  int i;
  for (i = 0; num_types != 0 ? i < num_types : **p != ')'; ++i) {
    if (i != 0) tvmffi_buf_append_text(text, notation == kDisplay ? ", " : ",");
    append_type(text, p, notation);
  }
  if (num_types == 0) ++*p;
}

/* `name(0: T0, 1: T1) -> R` */
TVMFFI_COLD static void append_signature(tvmffi_buf *text, const tvmffi_builtin *builtin) {
  const char *p = builtin->signature;
  int i;
  tvmffi_buf_appendf(text, "%s(", builtin->name);
  for (i = 0; *p != '>'; ++i) {
    tvmffi_buf_appendf(text, "%s%d: ", i == 0 ? "" : ", ", i);
    append_type(text, &p, kDisplay);
  }
  ++p;
  tvmffi_buf_append_text(text, ") -> ");
  append_type(text, &p, kDisplay);
}

int tvmffi_builtin_fail_count(const char *signature, int expected, int num_args) {
  return tvmffi_fail("TypeError",
                     "Mismatched number of arguments when calling: `%s`. Expected %d but got %d "
                     "arguments",
                     signature, expected, num_args);
}

static int fail_type(const char *signature, int i, const char *expected, const char *got) {
  return tvmffi_fail("TypeError",
                     "Mismatched type on argument #%d when calling: `%s`. Expected `%s` but got "
                     "`%s`",
                     i, signature, expected, got);
}

int tvmffi_builtin_fail_type(const char *signature, int i, const char *expected,
                             const TVMFFIAny *arg) {
  return fail_type(signature, i, expected, tvmffi_any_type_name(arg));
}

int tvmffi_builtin_check_int(const TVMFFIAny *args, int32_t num_args) {
  static const char signature[] = "(0: int) -> Any";
  if (num_args != 1) return tvmffi_builtin_fail_count(signature, 1, num_args);
  if (args[0].type_index == kTVMFFIInt || args[0].type_index == kTVMFFIBool) return 0;
  return tvmffi_builtin_fail_type(signature, 0, "int", &args[0]);
}

/* Appends the type of an argument that its letter does not accept, for the error. */
TVMFFI_COLD static void append_got(tvmffi_buf *text, char letter, const TVMFFIAny *arg) {
#ifdef TVMFFI_PROFILE_FULL
  if (letter == 'c' || letter == 'C') {
    (void)is_callbacks(letter, arg, text);
    return;
  }
#else
  (void)letter;
#endif
  tvmffi_buf_append_text(text, tvmffi_any_type_name(arg));
}

/* Raises the TypeError for argument i, or for the number of arguments if i < 0. */
TVMFFI_COLD static int refuse_argument(const tvmffi_builtin *builtin, int i, const TVMFFIAny *args,
                                       int num_args) {
  tvmffi_buf signature = TVMFFI_BUF_INIT, expected = TVMFFI_BUF_INIT, got = TVMFFI_BUF_INIT;
  append_signature(&signature, builtin);
  if (i >= 0) {
    const char *type = &builtin->signature[i];
    append_got(&got, *type, &args[i]);
    append_type(&expected, &type, kDisplay);
  }
  if (signature.failed || expected.failed || got.failed) {
    tvmffi_error_raise_memory();
  } else if (i < 0) {
    int count = 0;
    while (builtin->signature[count] != '>') ++count; /* parameters are single letters */
    (void)tvmffi_builtin_fail_count(signature.data, count, num_args);
  } else {
    (void)fail_type(signature.data, i, expected.data, got.data);
  }
  tvmffi_buf_fini(&signature);
  tvmffi_buf_fini(&expected);
  tvmffi_buf_fini(&got);
  return -1;
}

/* The type that an argument usually has, by the letter of its parameter; 0 for other letters. */
static const int8_t kUsualTypes['~' + 1] = {
    ['A'] = kTVMFFIArray, ['D'] = kTVMFFIDict,   ['F'] = kTVMFFIFunction,  ['H'] = kTVMFFIMap,
    ['L'] = kTVMFFIList,  ['M'] = kTVMFFIModule, ['b'] = kTVMFFIBool,      ['d'] = kTVMFFIDict,
    ['i'] = kTVMFFIInt,   ['l'] = kTVMFFIList,   ['p'] = kTVMFFIOpaquePtr, ['s'] = kTVMFFIStr,
};

/* Fills in the usual types of a function's parameters. */
static void find_usual_types(tvmffi_builtin_function *function) {
  const char *p = function->builtin.signature;
  int32_t i;
  function->num_usual = -1;
  for (i = 0; p[i] != '>'; ++i) {
    int8_t usual = kUsualTypes[(unsigned char)p[i]];
    if (i == kTvmffiMaxUsualParams || (usual == 0 && p[i] != 'a')) return;
    function->usual_types[i] = usual;
  }
  function->num_usual = i;
}

/* Whether an argument is surely accepted; accepts() decides about the others. */
static inline bool is_usual(int32_t usual, const TVMFFIAny *arg) {
  if (arg->type_index != usual) return usual == 0;
  return usual < kTVMFFIStaticObjectBegin || arg->v_obj != NULL;
}

/* Checks each argument with accepts(), then calls the body. */
TVMFFI_NOINLINE static int call_checking_all(const tvmffi_builtin *builtin, const TVMFFIAny *args,
                                             int32_t num_args, TVMFFIAny *result) {
  const char *p = builtin->signature;
  int32_t i;
  for (i = 0; p[i] != '>'; ++i) {
    if (i >= num_args) break;
    if (TVMFFI_UNLIKELY(!accepts(p[i], &args[i]))) {
      if (num_args != (int32_t)(strchr(p, '>') - p)) break; /* report a wrong number first */
      return refuse_argument(builtin, i, args, num_args);
    }
  }
  if (TVMFFI_UNLIKELY(p[i] != '>' || i != num_args))
    return refuse_argument(builtin, -1, args, num_args);
  return builtin->body.fixed(args, result);
}

/* Every call is a tail call, so that the fast path saves no registers. */
static int call_builtin(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const tvmffi_builtin_function *function = handle;
  const tvmffi_builtin *builtin = &function->builtin;
  if (num_args == function->num_usual) {
    int32_t i = 0;
    while (i < num_args && is_usual(function->usual_types[i], &args[i])) ++i;
    if (i == num_args) return builtin->body.fixed(args, result);
  }
  if (is_packed(builtin->signature)) return builtin->body.packed(args, num_args, result);
  return call_checking_all(builtin, args, num_args, result);
}

TVMFFIObject *tvmffi_builtin_new_function(const tvmffi_builtin *builtin) {
  tvmffi_builtin_function *function =
      tvmffi_object_new(sizeof *function, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (function == NULL) return NULL;
  function->cell.safe_call = call_builtin;
  function->cell.cpp_call = NULL;
  function->builtin = *builtin;
  find_usual_types(function);
  return &function->header;
}

/* Initialises a static one, which is never destroyed. Allocates nothing; may be repeated. */
static void builtin_init_function(tvmffi_builtin_function *function,
                                  const tvmffi_builtin *builtin) {
  if (function->builtin.body.fixed != NULL) return; /* in use since before a shutdown */
  function->header.combined_ref_count = TVMFFI_BOTH_ONE;
  function->header.type_index = kTVMFFIFunction;
  function->cell.safe_call = call_builtin;
  function->builtin = *builtin;
  find_usual_types(function);
}

/* {"type_schema":"<the schema, its quotes escaped>"} */
TVMFFI_COLD void tvmffi_builtin_append_metadata(tvmffi_buf *text, const char *signature) {
  const char *p = signature, *result = strchr(signature, '>');
  tvmffi_buf_append_text(text, "{\"type_schema\":\"");
  if (result == NULL && !is_packed(signature)) {
    append_type(text, &p, kSchema);
  } else {
    tvmffi_buf_append_text(text, "{\\\"type\\\":\\\"ffi.Function\\\"");
    if (result != NULL) {
      ++result;
      tvmffi_buf_append_text(text, ",\\\"named_args\\\":{\\\"return\\\":[");
      append_type(text, &result, kSchema);
      tvmffi_buf_append_text(text, "],\\\"params\\\":[");
      while (*p != '>') {
        if (p != signature) tvmffi_buf_append_text(text, ",");
        append_type(text, &p, kSchema);
      }
      tvmffi_buf_append_text(text, "]}");
    }
    tvmffi_buf_append_text(text, "}");
  }
  tvmffi_buf_append_text(text, "\"}");
}

TVMFFI_COLD int tvmffi_builtin_metadata(const tvmffi_builtin *builtin, TVMFFIAny *out) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  int rc;
  tvmffi_builtin_append_metadata(&text, builtin->signature);
  rc = text.failed ? tvmffi_fail_memory() : tvmffi_string_to_any(text.data, text.size, out);
  tvmffi_buf_fini(&text);
  return rc;
}

TVMFFIByteArray tvmffi_builtin_text(const TVMFFIAny *arg) {
  TVMFFIByteArray text = {"", 0};
  (void)tvmffi_any_get_text(arg, &text);
  return text;
}

/* ---- Fields and methods of types ---- */

static int get_int32(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int32_t *)field);
  return 0;
}

int tvmffi_stored_get_int64(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int64_t *)field);
  return 0;
}

int tvmffi_stored_get_object(void *field, TVMFFIAny *result) {
  TVMFFIObject *obj = *(TVMFFIObject *const *)field;
  tvmffi_object_retain(obj);
  *result = tvmffi_any_object(obj);
  return 0;
}

int tvmffi_stored_get_any(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  return 0;
}

/* For alignments, which are the offsets of x. */
typedef struct {
  char c;
  int64_t x;
} aligned_int64;

typedef struct {
  char c;
  TVMFFIAny x;
} aligned_any;

/* Indexed by tvmffi_storage. */
static const struct {
  TVMFFIFieldGetter getter;
  int32_t size;
  int32_t alignment;
} kStorages[] = {
    {get_int32, sizeof(int32_t), sizeof(int32_t)},
    {tvmffi_stored_get_int64, sizeof(int64_t), offsetof(aligned_int64, x)},
    {tvmffi_stored_get_object, sizeof(void *), sizeof(void *)},
    {tvmffi_stored_get_any, sizeof(TVMFFIAny), offsetof(aligned_any, x)},
};

static TVMFFIByteArray text_of(const char *text) {
  TVMFFIByteArray bytes = {NULL, strlen(text)};
  if (bytes.size != 0) bytes.data = text;
  return bytes;
}

/*
 * The metadata texts of all built-in types. They are made once and are always the same; the tests
 * make all of them, which shows that the array is large enough.
 */
static char metadata_texts[kTvmffiBuiltinMetadata];
static size_t metadata_size;

static void describe_metadata(const char *signature, TVMFFIByteArray *metadata) {
  const size_t room = sizeof metadata_texts - metadata_size;
  tvmffi_buf text = TVMFFI_BUF_INIT;
  if (metadata->data != NULL || room < 2) return; /* from before a shutdown; or no room */
  text.data = metadata_texts + metadata_size;
  text.capacity = room;
  text.max_size = room - 1; /* so that it fails where it would have to grow, and free the array */
  tvmffi_builtin_append_metadata(&text, signature);
  if (text.failed) return;
  metadata->data = text.data;
  metadata->size = text.size;
  metadata_size += text.size + 1;
}

static void describe_field(const tvmffi_builtin_field *field, TVMFFIFieldInfo *record) {
  union {
    TVMFFIFieldSetter function;
    void *address;
  } setter;
  tvmffi_builtin texts;
  const char *doc = tvmffi_builtin_read(field->texts, &texts);
  setter.function = field->setter;
  record->name = text_of(texts.name);
  record->doc = text_of(doc);
  describe_metadata(texts.signature, &record->metadata);
  record->flags = field->flags;
  record->size = kStorages[field->storage].size;
  record->alignment = kStorages[field->storage].alignment;
  record->offset = field->offset;
  record->getter = field->getter != NULL ? field->getter : kStorages[field->storage].getter;
  record->setter = setter.address;
  record->default_value_or_factory = tvmffi_any_none();
  record->field_static_type_index = field->static_type_index;
}

static void describe_method(const tvmffi_builtin_method *method, tvmffi_builtin_function *function,
                            TVMFFIMethodInfo *record) {
  tvmffi_builtin builtin;
  const char *doc = tvmffi_builtin_read(method->texts, &builtin);
  builtin.body.fixed = method->body;
  builtin_init_function(function, &builtin);
  tvmffi_object_retain(function);
  record->name = text_of(strrchr(builtin.name, '.') + 1);
  record->doc = text_of(doc);
  describe_metadata(builtin.signature, &record->metadata);
  record->flags = method->flags;
  record->method = tvmffi_any_object(function);
}

void tvmffi_builtin_members_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record) {
  int32_t i;
  for (i = 0; i < type->num_fields; ++i) {
    describe_field(&type->fields[i], &type->field_records[i]);
  }
  for (i = 0; i < type->num_methods; ++i) {
    describe_method(&type->methods[i], &type->functions[i], &type->method_records[i]);
  }
  record->info.fields = type->field_records;
  record->info.num_fields = record->field_capacity = type->num_fields;
  record->info.methods = type->method_records;
  record->info.num_methods = record->method_capacity = type->num_methods;
}

/* ---- The types that the core makes objects of ---- */

static const tvmffi_builtin_type kSentinelTypes[] = {
    {.type_index = kTVMFFIObject, .metadata.total_size = sizeof(TVMFFIObject)},
    {.type_index = kTVMFFIBigInt, .metadata.total_size = sizeof(TVMFFIObject) + 8},
};

const tvmffi_builtin_type_group tvmffi_core_types = {
    kSentinelTypes, sizeof kSentinelTypes / sizeof *kSentinelTypes, NULL};
