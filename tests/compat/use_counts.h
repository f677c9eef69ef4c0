/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of use_counts.c: values (use_counts_values.c) and their types (use_counts_types.c). */
#ifndef TVM_FFI_TESTS_COMPAT_USE_COUNTS_H_
#define TVM_FFI_TESTS_COMPAT_USE_COUNTS_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

typedef struct {
  TVMFFIObject header;
  TVMFFIAny fields[2];
} node;

/* The layout of visitors and mutators in the ABI; a visitor's table has only the first entry. */
typedef TVMFFIAny (*action)(void *self, TVMFFIAny value);
typedef struct {
  action mutate, mutate_in_place, get_mapped;
  TVMFFIAny (*set_mapped)(void *self, TVMFFIAny variable, TVMFFIAny mapped);
} agent_table;
typedef struct {
  TVMFFIObject header;
  const agent_table *table;
  int32_t region;
} agent;

extern int32_t types[128];   /* type indices by letter */
extern TVMFFIAny others[16]; /* the extra owners, of values written with a ' */
extern int num_others;
extern char events[1 << 14]; /* of the current walk, as text */

/* Ends the program, printing the raised error. */
void fail(const char *message);
#define CHECK(call)               \
  do {                            \
    if ((call) != 0) fail(#call); \
  } while (0)

TVMFFIAny unchanged(void);
TVMFFIAny copy(TVMFFIAny value);
bool is_object(TVMFFIAny value);
bool is_leaf(TVMFFIAny value);
node *as_node(TVMFFIAny value);

void *new_object(size_t size, int32_t type_index, void (*deleter)(void *self, int flags));
TVMFFIAny new_node(int32_t type_index, TVMFFIAny first, TVMFFIAny second);
TVMFFIAny new_leaf(void);

/* Reads a value and moves *text behind it. */
TVMFFIAny read_value(const char **text);

/* Appends an event to the text. */
void note(char event, TVMFFIAny value);

/* Calls a global function with two arguments; *result is [own]. */
int call2(const char *name, TVMFFIAny a, TVMFFIAny b, TVMFFIAny *result);
TVMFFIAny new_function(TVMFFISafeCallType call);
TVMFFIAny take_error(void);
TVMFFIByteArray bytes_of(const char *text);

void add_types(void);

#endif /* TVM_FFI_TESTS_COMPAT_USE_COUNTS_H_ */
