/* SPDX-License-Identifier: Apache-2.0 */
/* What the system calls itself. One implementation per system: description_<system>.c. */
#ifndef TVM_FFI_TOOL_DESCRIPTION_H_
#define TVM_FFI_TOOL_DESCRIPTION_H_

#include <stdbool.h>
#include <stddef.h>

/* Writes name, release and processor, "Linux 6.1.0 x86_64", cut to `out_size` bytes. False if the
 * system does not tell. */
bool description_write(char *out, size_t out_size);

#endif /* TVM_FFI_TOOL_DESCRIPTION_H_ */
