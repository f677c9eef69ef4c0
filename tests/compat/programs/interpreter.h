/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interpreter of small programs over the C ABI: the declarations that its parts share.
 *
 * A program is text, one operation a line: a name and operands, separated by single blanks.
 *   v3       a value register       x1   a DLPack register     w0   a weak reference
 *   t2       a type register        -    nothing (NULL, or no value)
 *   12 -3    a number               =a%20b   text; % and two digits are a byte in hexadecimal
 *   2,3 _    a list of numbers, the empty list
 * Arguments of a call may also be
 *   i5 (int)   b=text (byte array)   r3 (rvalue of v3)   d3 (v3's DLTensor)
 *
 * Each operation prints a line, preceded by one for every callback that it ran. An operation whose
 * operands are unsuitable does nothing and says so: any list of lines is a valid program, so any
 * line can be removed from one. Addresses and whatever differs between processes are not printed.
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

/* ---- The library ---- */

typedef struct {
#define API(result, name, parameters) result(*name) parameters;
#include "interpreter_api.h"
} library_api;
extern library_api api;

/* ---- State of a program ---- */

/* Owned values. */
extern TVMFFIAny values[kNumValues];
/* Type indices, 0 where none was registered. */
extern int32_t types[kNumTypes];
/* The first index allocated at run time; traces print type indices relative to it. */
extern int32_t first_type;
/* Programs use the addresses of these as streams, handles and opaque pointers. */
extern char marks[kNumMarks];
/* Libraries of kernels that programs load by number. */
enum { kMaxLibraries = 8 };
extern const char *library_paths[kMaxLibraries];
extern int num_libraries;

/* ---- Operations ---- */

typedef struct {
  const char *text; /* NUL-terminated; of a text, the part after its = */
  size_t size;
  bool is_text;
} operand;

typedef struct {
  operand items[kMaxOperands];
  int count;
} operands;

typedef struct {
  const char *name;
  void (*run)(const operands *inputs);
} operation;
/* Each list ends with an entry whose name is NULL. */
extern const operation value_operations[], error_operations[], function_operations[],
    tensor_operations[], env_operations[], type_operations[], module_operations[];

/* ---- Operands: on false the operation has already printed that it is skipped ---- */

bool skip(const char *reason);
/* Reads the number after a register's letter; it must be below `limit`. */
bool read_register(const operands *inputs, int position, char letter, int limit, int *out);
bool read_value(const operands *inputs, int position, TVMFFIAny **out);
/* Reads a value register that holds an object of this type; kTVMFFIObject accepts any type. */
bool read_object(const operands *inputs, int position, int32_t type_index, TVMFFIObject **out);
/* The same, or NULL for -. */
bool read_opt_object(const operands *inputs, int position, int32_t type_index, TVMFFIObject **out);
bool read_int(const operands *inputs, int position, int64_t min, int64_t max, int64_t *out);
bool read_int32(const operands *inputs, int position, int32_t *out);
bool read_bytes(const operands *inputs, int position, TVMFFIByteArray *out);
/* Reads a text without embedded NULs. */
bool read_text(const operands *inputs, int position, const char **out);
/* The same, or NULL for -. */
bool read_opt_text(const operands *inputs, int position, const char **out);
bool read_list(const operands *inputs, int position, int64_t *out, int32_t *out_count);
/* The address of a mark, or NULL for -. */
bool read_mark(const operands *inputs, int position, void **out);
/* A type register or a number. */
bool read_type(const operands *inputs, int position, int32_t *out);
/* Views of the operands from `position` on. */
enum { kMaxArgs = 8 };
typedef struct {
  TVMFFIAny views[kMaxArgs];
  TVMFFIByteArray bytes[kMaxArgs];
  TVMFFIObjectHandle slots[kMaxArgs]; /* what rvalue references point to */
  int slot_of[kMaxArgs];              /* the register that each rvalue moves from, or -1 */
  int register_of[kMaxArgs];          /* the register that each view came from, or -1 */
  int32_t count;
} arguments;
bool read_arguments(const operands *inputs, int position, arguments *out);
/* Sets registers whose object the callee moved out of its slot to None, and prints which. */
void settle_arguments(arguments *args);

/* ---- Output ---- */

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
/* Prints an index; those allocated at run time as an offset from first_type. */
void say_type_index(int32_t type_index);
void say_tensor(const DLTensor *tensor);
/* Begins a separate line for a callback, saving the unfinished line until end_event(). */
typedef struct {
  char *text;
  size_t size;
} saved_line;
saved_line begin_event(void);
void end_event(saved_line saved);

/* Prints the return code and the raised error, which it takes out of the slot. */
void say_failure(int rc);
/* Prints the failure, or stores the value and prints it. */
void give(int rc, int target, TVMFFIAny value);
void give_object(int rc, int target, TVMFFIObjectHandle obj);
/* Prints the failure, or "ok". */
void tell(int rc);

/* ---- Helpers ---- */

TVMFFIAny make_none(void);
TVMFFIAny make_value(int32_t type_index, int64_t payload);
TVMFFIAny make_object(TVMFFIObjectHandle obj);
TVMFFIAny make_raw_text(const char *text);
/* [own] Another reference to the same value. */
TVMFFIAny share_value(const TVMFFIAny *any);
void release_value(TVMFFIAny *any);
void store(int target, TVMFFIAny value);
/* Copies a pointer to an object into a function pointer, or back; C has no cast for that. */
void copy_pointer(void *target, const void *source);

/* Calls a global function; gives -2, with no error raised, if the library has none of that name. */
int call_global(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* Release what a program left behind, with a line for each callback that runs. */
void release_exports(void);
void release_weak(void);

/* Makes the library do one thing wrong, to test that comparisons of traces notice it. */
void make_wrong(void);

#endif /* TESTS_COMPAT_INTERPRETER_H_ */
