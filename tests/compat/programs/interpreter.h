/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interpreter of small programs over the C ABI, and what its parts share.
 *
 * A program is text, one operation a line: a name and operands, separated by single blanks.
 *   v3       a value register       x1   a DLPack register     w0   a weak reference
 *   t2       a type register        -    nothing (NULL, or no value)
 *   12 -3    a number               =a%20b   text, bytes in hexadecimal behind a %
 *   2,3 _    a list of numbers, the empty list
 * As an argument of a call also  i5 (int)  b=text (byte array)  r3 (rvalue of v3)  d3 (v3's
 * DLTensor)
 *
 * Each operation prints a line, and one for every callback that ran meanwhile. An operation whose
 * operands do not suit it does nothing and says so: every list of lines is a valid program, so any
 * line can be taken out of one. No address is printed, nor what differs from process to process.
 */
#ifndef TESTS_COMPAT_INTERPRETER_H_
#define TESTS_COMPAT_INTERPRETER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

enum {
  kNumValues = 16,
  kNumExports = 8,
  kNumWeak = 4,
  kNumTypes = 8,
  kNumMarks = 16,
  kMaxOperands = 24,
  kMaxDims = 6
};

/* ---- The library ----------------------------------------------------------------------------- */

typedef struct {
#define API(result, name, parameters) result(*name) parameters;
#include "interpreter_api.h"
} library_api;
extern library_api api;

/* ---- State of a program ---------------------------------------------------------------------- */

/* Owned values. */
extern TVMFFIAny values[kNumValues];
/* Type indices, 0 where none was registered. */
extern int32_t types[kNumTypes];
/* The first index that is given out at run time; traces count from it. */
extern int32_t first_type;
/* Their addresses are what programs use as streams, handles and opaque pointers. */
extern char marks[kNumMarks];
/* Libraries of kernels that programs load by number. */
enum { kMaxLibraries = 8 };
extern const char *library_paths[kMaxLibraries];
extern int num_libraries;

/* ---- Operations ------------------------------------------------------------------------------ */

typedef struct {
  const char *text; /* NUL-terminated; behind the = of a text */
  size_t size;
  bool is_text;
} operand;

typedef struct {
  operand items[kMaxOperands];
  int count;
} operands;

typedef struct {
  const char *name;
  void (*run)(const operands *from);
} operation;
/* Each ends with an entry of NULL. */
extern const operation value_operations[], error_operations[], function_operations[],
    tensor_operations[], env_operations[], type_operations[], module_operations[];

/* ---- Operands: false after telling that the operation is skipped ----------------------------- */

bool skip(const char *why);
/* A register out of `limit`, behind its letter. */
bool read_register(const operands *from, int at, char letter, int limit, int *out);
bool read_value(const operands *from, int at, TVMFFIAny **out);
/* A value register that holds an object of that type; kTVMFFIObject: of any. */
bool read_object(const operands *from, int at, int32_t type_index, TVMFFIObject **out);
/* The same, or NULL for -. */
bool read_opt_object(const operands *from, int at, int32_t type_index, TVMFFIObject **out);
bool read_int(const operands *from, int at, int64_t min, int64_t max, int64_t *out);
bool read_int32(const operands *from, int at, int32_t *out);
bool read_bytes(const operands *from, int at, TVMFFIByteArray *out);
/* Text without NULs inside. */
bool read_text(const operands *from, int at, const char **out);
/* The same, or NULL for -. */
bool read_opt_text(const operands *from, int at, const char **out);
bool read_list(const operands *from, int at, int64_t *out, int32_t *out_count);
/* The address of a mark, or NULL for -. */
bool read_mark(const operands *from, int at, void **out);
/* A type register or a number. */
bool read_type(const operands *from, int at, int32_t *out);
/* Views of the operands from `at` on. */
enum { kMaxArgs = 8 };
typedef struct {
  TVMFFIAny views[kMaxArgs];
  TVMFFIByteArray bytes[kMaxArgs];
  TVMFFIObjectHandle slots[kMaxArgs]; /* of rvalue references */
  int slot_of[kMaxArgs];              /* the register each is moved from, or -1 */
  int register_of[kMaxArgs];          /* the register each came from, or -1 */
  int32_t count;
} arguments;
bool read_arguments(const operands *from, int at, arguments *out);
/* Gives registers whose object was taken out of a slot the value None, and tells of them. */
void settle_arguments(arguments *args);

/* ---- Output ---------------------------------------------------------------------------------- */

/* Appends to the line of the operation. */
void say(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
void say_bytes(const char *data, size_t size);
void say_pointer(const void *ptr);
void say_list(const int64_t *items, int32_t count);
void say_value(const TVMFFIAny *any);
/* An index with registered ones as numbers from the first. */
void say_type_index(int32_t type_index);
void say_tensor(const DLTensor *tensor);
/* A line of its own, for a callback. What was appended so far waits. */
typedef struct {
  char *text;
  size_t size;
} saved_line;
saved_line begin_event(void);
void end_event(saved_line saved);

/* The code and, taken out of the slot, what was raised. */
void say_failure(int rc);
/* Tells the failure, or stores the value and shows it. */
void give(int rc, int to, TVMFFIAny value);
void give_object(int rc, int to, TVMFFIObjectHandle obj);
/* Tells the failure, or "ok". */
void tell(int rc);

/* ---- Helpers --------------------------------------------------------------------------------- */

TVMFFIAny make_none(void);
TVMFFIAny make_value(int32_t type_index, int64_t payload);
TVMFFIAny make_object(TVMFFIObjectHandle obj);
TVMFFIAny make_raw_text(const char *text);
/* Another owned value of the same. */
TVMFFIAny share_value(const TVMFFIAny *any);
void release_value(TVMFFIAny *any);
void store(int to, TVMFFIAny value);
/* A pointer to an object is copied into one to a function, and back; C has no cast for it. */
void copy_pointer(void *to, const void *from);

/* Calls a global function; -2 and nothing raised when the library has none of that name. */
int call_global(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* What interpreted programs leave behind is released, with a line for each callback. */
void release_exports(void);
void release_weak(void);

/* A library that does one thing wrong, for a test of those who compare. */
void make_wrong(void);

#endif /* TESTS_COMPAT_INTERPRETER_H_ */
