/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the running program. One implementation per system: own_program_<system>.c, or
 * own_program_none.c. */
#ifndef TVM_FFI_TOOL_OWN_PROGRAM_H_
#define TVM_FFI_TOOL_OWN_PROGRAM_H_

#include <stdbool.h>
#include <stddef.h>

/* Writes the absolute path of the program, with slashes. Symbolic links are followed, but not on
 * Windows, which looks for the libraries of the program beside the link. False if the system does
 * not tell, or it takes more than `out_size` bytes. */
bool own_program_find(char *out, size_t out_size);

#endif /* TVM_FFI_TOOL_OWN_PROGRAM_H_ */
