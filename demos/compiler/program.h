/* SPDX-License-Identifier: Apache-2.0 */
/* A program as the reader makes it, and what the checker finds out about it. README.md describes
 * the language. Everything is allocated once and lives until the compiler exits. */
#ifndef COMPILER_PROGRAM_H_
#define COMPILER_PROGRAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { kMaxDims = 6, kMaxVariables = 24, kMaxTerms = 4, kMaxNesting = 64, kMaxNodes = 1000 };

typedef enum { kInt32, kInt64, kFloat32, kFloat64, kNumDtypes } Dtype;

typedef struct {
  const char *name;     /* in programs */
  const char *c_type;   /* in C */
  const char *wrapping; /* the type in which integers wrap around; NULL for floats */
  const char *constant; /* of <tvm/ffi/c/dtype.h> */
  const char *schema;   /* of a scalar, in metadata and signatures */
  const char *lowest, *highest;
} DtypeInfo;

extern const DtypeInfo dtypes[kNumDtypes];
static inline bool is_float(Dtype type) {
  return dtypes[type].wrapping == NULL;
}

/* A token: its bytes in the source, by which messages point at it. */
typedef struct {
  const char *start;
  size_t length;
} Place;

/* The length of a dimension: a name that is the same length everywhere in a kernel, or a number. */
typedef struct {
  Place place;
  const char *name; /* NULL for a number */
  int64_t value;
  bool is_used; /* by more than the argument that it is read from */
} Extent;

typedef enum { kInput, kOutput, kLocal } Role;

/* A tensor, or a scalar parameter. */
typedef struct {
  Place place;
  const char *name;
  Role role;
  Dtype type;
  bool is_tensor, is_read, is_assigned;
  bool has_elements; /* some statement reads or writes its elements, rather than all of it */
  int ndim;
  Extent *shape[kMaxDims];
} Variable;

/* An index variable of one statement or reduction. */
typedef struct {
  Place place;
  const char *name;
  const Extent *extent; /* NULL until an occurrence has told it */
  bool is_open;         /* for the emitter: inside its loop */
} Index;

/* What stands between two commas of a subscript: a sum of index variables and a number. */
typedef struct {
  Place place;
  int num_terms;
  struct {
    Place place;
    const char *name;
    Index *variable;
  } terms[kMaxTerms];
  int64_t offset;
} Subscript;

typedef enum {
  kNumber,
  kName,    /* of a scalar, an index variable or an extent */
  kElement, /* x[i, j] */
  kNegate,
  kBinary,  /* + - * / */
  kCompare, /* < <= > >= == != */
  kWhere,   /* where(condition, a, b) */
  kFunction,
  kConvert,
  kReduce
} Kind;

typedef struct {
  const char *name, *float32, *float64; /* in programs, in C */
  int num_args;
} Function;

typedef struct Expression {
  Kind kind;
  Place place;
  Dtype type; /* the checker sets it; of a comparison, that of its operands */
  struct Expression *args[3];
  const char *name;   /* kNumber: its text. kBinary, kCompare: the operator in C */
  bool is_fraction;   /* kNumber: it has a point or an exponent */
  Variable *variable; /* kName, kElement */
  Index *index;       /* kName */
  Extent *extent;     /* kName */
  const Function *function;
  int num_subscripts; /* kElement */
  Subscript *subscripts[kMaxDims];
  char reduction;  /* '+', '>' or '<' */
  int num_indices; /* kReduce */
  Index *indices[kMaxDims];
  int number; /* kReduce: of its variable in C; 0 until it is emitted */
} Expression;

/* y[i, j] = value, or a, b = callee(c, d). */
typedef struct Statement {
  struct Statement *next;
  Place place;
  Expression *target, *value; /* kElement; NULL in a call */
  Index *indices[kMaxDims];
  struct Kernel *callee;
  Place callee_place;
  const char *callee_name;
  int num_results, num_args;
  Place names[kMaxVariables]; /* the arguments, then the results */
  Variable *passed[kMaxVariables];
} Statement;

typedef struct Kernel {
  struct Kernel *next;
  Place place;
  const char *name;
  bool is_import, is_called;
  int num_inputs, num_outputs, num_variables; /* inputs, outputs, locals */
  Variable *variables[kMaxVariables];
  int num_extents;
  Extent *extents[kMaxVariables * kMaxDims]; /* the named ones */
  Statement *statements;
} Kernel;

/* diagnostic.c */

/* Sets the file that messages are about. The text ends with a NUL. */
void set_source(const char *path, const char *text);

/* Prints a message, the line and a caret below the place, and exits with 1. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3), noreturn))
#endif
void fail(Place place, const char *format, ...);

/* Zeroed memory, or the end of the compiler. */
void *allocate(size_t size);
char *copy_text(const char *start, size_t length);

/* reader.c: syntax. Names are not looked up, except functions and dtypes. */
Kernel *read_program(const char *text);

/* checker.c: names, shapes, dtypes and the order of statements. */
void check_program(Kernel *kernels);
bool same_extent(const Extent *a, const Extent *b);

/* emit_kernel.c. The first line of the C is the title as a comment, unless that is NULL. With a
 * prefix, the kernels are entered in the system library. */
void emit_program(const Kernel *kernels, FILE *file, const char *opt_title, const char *source_name,
                  const char *opt_prefix);

#endif /* COMPILER_PROGRAM_H_ */
