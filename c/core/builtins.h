/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in global functions: groups of them, which global.c enters when global functions are first
 * used. A Function object is made when its function is first fetched.
 */
#ifndef TVMFFI_CORE_BUILTINS_H_
#define TVMFFI_CORE_BUILTINS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_runtime_parts.h>

#include "base/buf.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "platform/compiler.h"

/* ---- Functions ---- */

/* Receives arguments that match the signature, and stores an owned result. */
typedef union {
  int (*fixed)(const TVMFFIAny *args, TVMFFIAny *result);
  int (*packed)(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result); /* of "*" */
} tvmffi_builtin_body;

typedef struct {
  const char *name;
  /*
   * One letter per parameter, then '>' and the result; builtins.c lists the letters, but those of
   * object types that higher layers define are in the tables of types. In results
   * also ? before a type for Optional, @ before one for Array<...>, + for List<...>, % before two
   * for Dict<..., ...>, and types in brackets for Tuple<...>. "*" alone: any arguments, not
   * checked. Error messages and metadata are generated from it.
   */
  const char *signature;
  tvmffi_builtin_body body;
} tvmffi_builtin;

/* Contains as few pointers as possible: each needs a relocation when the library is loaded. */
typedef struct {
  const char *texts; /* the name and the signature of each, with their NULs */
  const tvmffi_builtin_body *bodies;
  size_t count;
} tvmffi_builtin_group;

/*
 * Defines a group of functions, which are listed as F(name, signature, body); the body of "*" is
 * written as `.packed = body`.
 */
#define TVMFFI_BUILTIN_GROUP(group, functions)                                          \
  static const char group##_texts[] = functions(TVMFFI_BUILTIN_TEXTS);                  \
  static const tvmffi_builtin_body group##_bodies[] = {functions(TVMFFI_BUILTIN_BODY)}; \
  const tvmffi_builtin_group group = {group##_texts, group##_bodies,                    \
                                      sizeof group##_bodies / sizeof *group##_bodies}
#define TVMFFI_BUILTIN_TEXTS(name, signature, body) name "\0" signature "\0"
#define TVMFFI_BUILTIN_BODY(name, signature, body) {body},

/* Reads a function's texts, all but its body, and returns where the next function's begin. */
const char *tvmffi_builtin_read(const char *texts, tvmffi_builtin *out);

/* The result of ffi.GetInvalidObject, which stands for missing values. Never destroyed. */
extern TVMFFIObject tvmffi_invalid_object;
/* The result of ffi.GetKwargsObject: in calls of constructors, names and values follow it. */
extern TVMFFIObject tvmffi_kwargs_object;

enum { kTvmffiMaxUsualParams = 4 };

/* The Function object of a built-in. */
typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  tvmffi_builtin builtin;
  /*
   * From the signature, so that calls need not read it: the number of parameters, and the type that
   * the argument of each usually has, 0 for any. The number is -1 for "*", if a parameter has no
   * usual type, and if there are too many parameters.
   */
  int32_t num_usual;
  int8_t usual_types[kTvmffiMaxUsualParams];
} tvmffi_builtin_function;

/* A new Function object for a built-in; NULL with the error raised. */
TVMFFIObject *tvmffi_builtin_new_function(const tvmffi_builtin *builtin);

/* Appends the metadata JSON of a signature, or of a single type. */
void tvmffi_builtin_append_metadata(tvmffi_buf *text, const char *signature);

/* The metadata JSON of a built-in, as an owned text value. */
int tvmffi_builtin_metadata(const tvmffi_builtin *builtin, TVMFFIAny *out);

/*
 * Both return -1 and raise the TypeError of a function that checks its arguments: for a wrong
 * number of arguments, and for a wrong type of the i-th. signature is shown in the message.
 */
TVMFFI_COLD int tvmffi_builtin_fail_count(const char *signature, int expected, int num_args);
TVMFFI_COLD int tvmffi_builtin_fail_type(const char *signature, int i, const char *expected,
                                         const TVMFFIAny *arg);

/* Checks the arguments of a Function `(0: int) -> Any`; TypeError. */
int tvmffi_builtin_check_int(const TVMFFIAny *args, int32_t num_args);

/* For bodies: the text of an argument that the signature says is text. */
TVMFFIByteArray tvmffi_builtin_text(const TVMFFIAny *arg);

/* ---- Types ---- */

/*
 * Tables of built-in types: metadata, fields, methods. The records that clients see are made in
 * static memory when a type is first looked at, which cannot fail.
 */

/* How a field is stored. */
typedef enum {
  kTvmffiStoredInt32,
  kTvmffiStoredInt64,
  kTvmffiStoredObject, /* a pointer, NULL for None */
  kTvmffiStoredAny
} tvmffi_storage;

/* Getters for the last three. */
int tvmffi_stored_get_int64(void *field, TVMFFIAny *result);
int tvmffi_stored_get_object(void *field, TVMFFIAny *result);
int tvmffi_stored_get_any(void *field, TVMFFIAny *result);

typedef struct {
  const char *texts; /* TVMFFI_FIELD_TEXTS; the type is as in builtins.h */
  int16_t flags;
  uint8_t storage;
  uint8_t offset;
  int32_t static_type_index;
  TVMFFIFieldSetter setter;
  TVMFFIFieldGetter getter; /* NULL: reads the field as stored */
} tvmffi_builtin_field;

#define TVMFFI_FIELD_TEXTS(name, type, doc) name "\0" type "\0" doc

typedef struct {
  const char *texts; /* TVMFFI_METHOD_TEXTS: the name is `<type key>.<method>` */
  int (*body)(const TVMFFIAny *args, TVMFFIAny *result);
  int64_t flags;
} tvmffi_builtin_method;

#define TVMFFI_METHOD_TEXTS(name, signature, doc) name "\0" signature "\0" doc

typedef struct tvmffi_builtin_type {
  int32_t type_index;
  char letter;     /* of the type in signatures, or 0 */
  const char *key; /* of a type with a dynamic index or a letter; type.c has the static ones */
  /* 0: ffi.Object, which is the parent of any other parent. Only types with dynamic indices have
     another. */
  int32_t parent_index;
  /* What its objects own, if reflect/builtin_objects.c makes them. */
  uint8_t num_objects;     /* pointers to objects, right after the header */
  uint8_t any_offset;      /* of a value, or 0 */
  int (*fill)(void *self); /* sets members of a new object that are not None, NULL or 0; or NULL */
  TVMFFITypeMetadata metadata;
  int32_t num_fields;
  int32_t num_methods;
  const tvmffi_builtin_field *fields;
  const tvmffi_builtin_method *methods;
  /* Memory for the records, with num_fields or num_methods elements. */
  TVMFFIFieldInfo *field_records;
  TVMFFIMethodInfo *method_records;
  tvmffi_builtin_function *functions;
} tvmffi_builtin_type;

typedef struct {
  const tvmffi_builtin_type *types;
  size_t count;
  /* tvmffi_builtin_members_describe; NULL if no type of the group has fields or methods, so that a
     program with only such types is linked without that function and its texts. */
  void (*describe_members)(const tvmffi_builtin_type *type, tvmffi_type_record *record);
} tvmffi_builtin_type_group;

/* Members of a tvmffi_builtin_type: a table of fields or methods, and memory for the records. */
#define TVMFFI_FIELDS(table, records) \
  .num_fields = sizeof table / sizeof *table, .fields = table, .field_records = records
#define TVMFFI_METHODS(table, records, memory)                                              \
  .num_methods = sizeof table / sizeof *table, .methods = table, .method_records = records, \
  .functions = memory

/* A group of types with fields or methods. */
#define TVMFFI_TYPE_GROUP_WITH_MEMBERS(types) \
  { types, sizeof types / sizeof *types, tvmffi_builtin_members_describe }

/* Size of the metadata texts of all fields and methods, in bytes. */
enum { kTvmffiBuiltinMetadata = 4096 };

/* Fills in the field and method records of a type. */
void tvmffi_builtin_members_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record);

/* ---- The tables of layers ---- */

/*
 * The tables of built-in functions, types and attributes. Each layer declares its own in
 * its main header; runtime/parts.c, above all layers, makes parts of them, and the program
 * lists the parts that it has (tvm/ffi/extra/c_runtime_parts.h; by default runtime/all_parts.c).
 * The core knows no other layer. Nothing runs at load time: the core reads the tables when they are
 * first needed.
 */

/* Lists of groups, each with NULL at its end; an empty one may be NULL. */
struct TVMFFIRuntimePart {
  const tvmffi_builtin_group *const *functions;
  const tvmffi_builtin_type_group *const *types;
  const tvmffi_builtin_attr_group *const *attrs;
};

/* The i-th group of all parts of the program; NULL after the last. */
const tvmffi_builtin_group *tvmffi_parts_functions(size_t i);
const tvmffi_builtin_type_group *tvmffi_parts_types(size_t i);
const tvmffi_builtin_attr_group *tvmffi_parts_attrs(size_t i);

/* ---- The tables of the core ---- */

extern const tvmffi_builtin_group tvmffi_core_builtins;
extern const tvmffi_builtin_type_group tvmffi_core_types;
extern const tvmffi_builtin_attr_group tvmffi_bigint_attrs;

#endif /* TVMFFI_CORE_BUILTINS_H_ */
