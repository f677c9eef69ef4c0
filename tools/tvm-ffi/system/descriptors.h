/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of open files. Those from 0 to 2 are stdin, stdout and stderr, of this program and
 * of those that it starts. One implementation per system: descriptors_<system>.c. */
#ifndef TVM_FFI_TOOL_DESCRIPTORS_H_
#define TVM_FFI_TOOL_DESCRIPTORS_H_

#include <stdbool.h>
#include <stdio.h>

enum { kDescriptorInput, kDescriptorOutput, kDescriptorErrors };

/* Call it first in the program. No file opened later gets the number of a standard stream that the
 * caller closed, and with it the tool's output. Bytes are read and written as they are, also at the
 * ends of lines. */
void descriptors_prepare(void);

/* Duplicates a descriptor to a high number, which code that closes every low one is unlikely to
 * hit. Programs that are started do not inherit it. -1 on failure. */
int descriptor_copy(int descriptor);
/* A stream that writes to such a copy; NULL on failure. */
FILE *descriptor_copy_stream(int descriptor);

/* Makes `target` another number for what `source` stands for. */
void descriptor_replace(int target, int source);
/* Whoever reads stdin from now on finds its end. */
void descriptor_end_input(void);

void descriptor_close(int descriptor);

/* Whether it is a terminal that obeys escape sequences. */
bool descriptor_is_terminal(int descriptor);

#endif /* TVM_FFI_TOOL_DESCRIPTORS_H_ */
