/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs. One implementation per system: launch_<system>.c. */
#ifndef TVM_FFI_TOOL_LAUNCH_H_
#define TVM_FFI_TOOL_LAUNCH_H_

#include <stdbool.h>

/* The file of the program that `name` runs, as the system finds it in PATH; release with free().
 * NULL if there is none. */
char *launch_find(const char *name);

typedef struct {
  int code;       /* the exit code, unless it was ended */
  char ended[64]; /* by what the program was ended: "signal 6"; empty: by itself */
} launch_end;

/* Runs a program to its end: the words of its command line, then NULL. It reads nothing, and all
 * that it prints goes to stderr. False with errno set if it cannot be run. */
bool launch_run(char *const *words, launch_end *out);

#endif /* TVM_FFI_TOOL_LAUNCH_H_ */
