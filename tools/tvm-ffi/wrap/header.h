/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that headers of C declare, and the specs that follow from them. */
#ifndef TVM_FFI_TOOL_HEADER_H_
#define TVM_FFI_TOOL_HEADER_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/command.h"
#include "base/text.h"
#include "wrap/wrap.h"

/* ---- What a compiler reads in headers: libclang.c ---- */

/* A type, seen through typedefs, macros and attributes. */
typedef enum {
  kHeaderVoid,
  kHeaderNumber, /* also bool, char, and an enum, which is the integer that the compiler gives it */
  kHeaderText,   /* const char * */
  kHeaderElements,  /* a pointer to numbers or to char, or an array of them */
  kHeaderAddress,   /* void *, or a pointer to what no tensor has */
  kHeaderPointers,  /* a pointer to a pointer */
  kHeaderObject,    /* a pointer to a structure: a handle, or the address of one that is known */
  kHeaderFunction,  /* a pointer to a function */
  kHeaderStructure, /* one by value, of numbers */
  kHeaderOther      /* nothing that a kernel takes or returns */
} header_kind;

#define HEADER_NAME "\001" /* of the function */
#define HEADER_DATA "\002" /* of the address that it is given */

typedef struct {
  header_kind kind;
  char *number;  /* of a number, or of elements: the name as a SPEC has it */
  char *choices; /* of an enumeration: "{A = 1, B = 2}"; NULL */
  char *written; /* as the header has it */
  char *object;  /* a structure behind one or two pointers, as the header calls it; NULL */
  char *fields;  /* of a structure of numbers: "{int a; double b;}"; NULL */
  bool is_known; /* what it has, so that a caller may make one; and no function does */
  char *extents; /* of an array, "[2][3]"; NULL */
  char *inner;   /* of elements that are arrays: "[2]"; NULL */
  bool is_const; /* what it points to */
  bool is_void;  /* of kHeaderAddress: void * */
  bool is_char;  /* of elements: char, which is text or bytes */
  bool is_restrict;
  bool takes_data; /* a function that is given an address */
  char *callback;  /* its declaration, with these in place of names; NULL: of other types */
  char *refusal;   /* of kHeaderOther: what it is, "a structure by value" */
} header_type;

typedef struct {
  char *name; /* "arg1" where the header has none */
  header_type type;
} header_param;

typedef struct {
  char *name;
  header_type result;
  header_param *params;
  size_t num_params;
  bool is_variadic;
  bool is_own; /* of a header that was asked for, not of one that it includes */
  char *doc;   /* the first paragraph of the comment above it; NULL: none */
} header_function;

typedef struct {
  header_function *functions; /* in the order of the headers, each name once */
  size_t num_functions;
} header_content;

typedef struct {
  text_list headers;   /* as after #include: "FILE" in quotes or in <> */
  text_list flags;     /* of the compiler, several in a text */
  const char *library; /* the file of libclang; NULL: the system's */
} header_request;

/* Reads headers; false after a report. Release with header_free(), in both cases. */
bool header_read(const header_request *request, header_content *out);
void header_free(header_content *content);

/* The parameter of that name, "new_" for one that C++ has as a word; NULL: there is none. */
const header_param *header_find_param(const header_function *function, const char *name);
/* Whether it is a number other than float, double and bool. */
bool header_is_integer(const header_type *type);

/* ---- Lines that say what a prototype does not: header_lines.c ---- */

/* What a line says of a parameter: `x[n:incx] strides blas`. */
typedef struct {
  char *text;
  size_t column;
} line_item;

/* NAME = TYPE PATTERN(ITEM, ...) REST */
typedef struct {
  spec_source source; /* its texts are the line's own */
  char *place, *text;
  char *exported; /* NULL: the function's name */
  char *result;   /* NULL: that of the header */
  char *pattern;  /* of the names of functions */
  size_t column;  /* of the pattern */
  bool is_name;   /* the pattern is a name of one function */
  bool is_used;   /* a function matches */
  line_item *items;
  size_t num_items;
  char *rest; /* after the parenthesis */
} header_line;

typedef struct {
  header_line *items;
  size_t count;
} header_lines;

/* Adds a line, or one for each alternative that it has; false after a report. */
bool header_add_line(header_lines *lines, const spec_source *source);
void header_free_lines(header_lines *lines);

/* ---- Kernels: header.c ---- */

/* A kernel that follows from a header. */
typedef struct {
  const header_function *function; /* [borrow] */
  const header_line *line;         /* [borrow] NULL: as the header has it */
  const header_param *closed;      /* [borrow] the handle that it ends, as `free=` of a line says */
  bool is_short;                   /* its name is the function's without _ at the beginning */
} header_kernel;

typedef struct {
  header_kernel *items;
  size_t count;
} header_kernels;

/* Finds the functions to wrap: those of the headers themselves, and of included ones those that a
 * line or a pattern names. A function has each line with its own name, or else the first line whose
 * pattern matches. False after a report, also of a line or a pattern that matches nothing. The
 * kernels must be freed in both cases. */
bool header_find_kernels(const header_content *content, header_lines *lines,
                         const text_list *patterns, header_kernels *out);

/* Why a function cannot be wrapped; NULL: perhaps it can. Release with free(). */
char *header_refuse(const header_kernel *kernel);
/* What a line has to say about it; NULL: nothing, it can be wrapped as it is. Release with free().
 */
char *header_ask(const header_kernel *kernel);
/* The SPEC that follows, NULL after a report of what is wrong with the line; release with free().
 * Without handles, pointers to structures are addresses, unless the line has words for handles. */
char *header_write_spec(const header_kernel *kernel, bool has_handles);
/* Whether the types that the line has are those of the header: the compiler, which sees a void * of
 * a tensor, compares no elements. False after a report. */
bool header_check_types(const header_kernel *kernel, const spec *target);
/* What nobody has said of who owns a handle: "who ends its result"; NULL: nothing is open. Release
 * with free(). */
char *header_ask_owner(const header_kernel *kernel);

/* ---- Proposals: header_suggest.c ---- */

/* A line by the conventions of C: an array and its length. NULL: they do not help. Release with
 * free(). */
char *header_suggest(const header_function *function);

#endif /* TVM_FFI_TOOL_HEADER_H_ */
