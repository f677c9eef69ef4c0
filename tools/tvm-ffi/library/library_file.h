/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a library that the command line names. */
#ifndef TVM_FFI_TOOL_LIBRARY_FILE_H_
#define TVM_FFI_TOOL_LIBRARY_FILE_H_

#include "file/elf_file.h"

/* What a loader is to be told: a name without a slash is a file here, not one in the system's
 * folders, and "-" is stdin, of which all see the same. Of free(); NULL when reported, also for a
 * file that is cut off. */
char *library_file_find(const char *name);

/* Reads stdin if that is meant, which has to be done in the process that lives longest; false when
 * reported, also for a file that is not there. */
bool library_file_fetch(const char *name);

/* What is in the file; NULL when reported. */
elf_file *library_file_read(const char *name);

/* Reports why there is no library in that file: what is wrong with it, or what a loader said of the
 * path that stands for it. */
void library_file_refuse(const char *name, const char *path, const char *reason);

#endif /* TVM_FFI_TOOL_LIBRARY_FILE_H_ */
