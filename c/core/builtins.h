/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in global functions: groups of them, which global.c enters when global functions are first
 * used (builtin_tables.h). A Function object is made when its function is first fetched.
 */
#ifndef TVMFFI_CORE_BUILTINS_H_
#define TVMFFI_CORE_BUILTINS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/buf.h"
#include "platform/compiler.h"

/* Receives arguments that match the signature, and stores an owned result. */
typedef int (*tvmffi_builtin_body)(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

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

/* Defines a group of functions, which are listed as F(name, signature, body). */
#define TVMFFI_BUILTIN_GROUP(group, functions)                                   \
  static const char kTexts[] = functions(TVMFFI_BUILTIN_TEXTS);                  \
  static const tvmffi_builtin_body kBodies[] = {functions(TVMFFI_BUILTIN_BODY)}; \
  const tvmffi_builtin_group group = {kTexts, kBodies, sizeof kBodies / sizeof *kBodies}
#define TVMFFI_BUILTIN_TEXTS(name, signature, body) name "\0" signature "\0"
#define TVMFFI_BUILTIN_BODY(name, signature, body) body,

/* Reads a function's texts, and returns where the next function's begin. */
const char *tvmffi_builtin_read(const char *texts, tvmffi_builtin_body body, tvmffi_builtin *out);

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

/* Initialises a static one, which is never destroyed. Allocates nothing; may be repeated. */
void tvmffi_builtin_init_function(tvmffi_builtin_function *function, const tvmffi_builtin *builtin);

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

/* For bodies: the text of an argument that the signature says is text. */
TVMFFIByteArray tvmffi_builtin_text(const TVMFFIAny *arg);

#endif /* TVMFFI_CORE_BUILTINS_H_ */
