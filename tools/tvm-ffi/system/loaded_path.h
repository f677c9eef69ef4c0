/* SPDX-License-Identifier: Apache-2.0 */
/* Relative paths of loaded libraries: the loader finds some if LD_LIBRARY_PATH has relative
 * folders. One implementation per system: loaded_path_<system>.c, or loaded_path_none.c. */
#ifndef TVM_FFI_TOOL_LOADED_PATH_H_
#define TVM_FFI_TOOL_LOADED_PATH_H_

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the library that contains an address, as the loader found it: if it is
 * relative, to the folder in which the process was started. False if the system does not tell, or
 * it takes more than `out_size` bytes. */
bool loaded_path_find(const void *address, char *out, size_t out_size);

#endif /* TVM_FFI_TOOL_LOADED_PATH_H_ */
