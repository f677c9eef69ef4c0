/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the host: read.c reads the calls, host.c makes them, print.c prints the results. */
#ifndef TVM_FFI_TESTS_COMPAT_HOST_H_
#define TVM_FFI_TESTS_COMPAT_HOST_H_

#include <tvm/ffi/c.h>

#define MAX_VALUES 64

/* Memory and values made for one call, released after it. */
typedef struct {
  void *blocks[MAX_VALUES]; /* from malloc */
  TVMFFIAny owned[MAX_VALUES];
  int num_blocks, num_owned;
} scratch;

/* A library named on the command line. */
typedef struct {
  const char *name, *path;
  TVMFFIObjectHandle module;
} library;

enum { MAX_LIBRARIES = 16 };
extern library libraries[MAX_LIBRARIES + 1]; /* the list ends with an entry without a name */
extern TVMFFIAny variables[26];              /* a to z */

/* Ends the program: for mistakes in the file of calls, whichever runtime is used. */
void fail_usage(const char *label, const char *text);

/* Reads a value and moves *cursor behind it; false at the end of the line or at a `]`. */
bool read_value(const char **cursor, scratch *kept, TVMFFIAny *out);
/* Reads a word into buffer; false at the end of the line. */
bool read_word(const char **cursor, char *buffer, size_t capacity);
void release_scratch(scratch *kept);

void print_value(const TVMFFIAny *value);
/* Kind, message, causes and the place where it was raised. */
void print_error(TVMFFIObjectHandle error);

#endif /* TVM_FFI_TESTS_COMPAT_HOST_H_ */
