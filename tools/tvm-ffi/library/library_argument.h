/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the library files named on the command line. A source that source.h allows is
 * compiled, and stands for its library. */
#ifndef TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_
#define TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_

#include "file/binary_file.h"

/* The path to give to a loader: a name without a slash is a file in the current folder, not one
 * that the system searches for, and "-" is stdin, read once for all. Release with free(); NULL
 * after a report, also for a truncated file. */
char *library_argument_find(const char *name);

/* Reads stdin if the name is -, or compiles a source. To be called in the parent process, which
 * lives longest. False after a report, also for a file that does not exist. */
bool library_argument_fetch(const char *name);

/* Opens the file; NULL after a report. */
binary_file *library_argument_read(const char *name);

/* Reports why the file cannot be loaded: what is wrong with it, or the reason of the loader, which
 * was given `path`. */
void library_argument_refuse(const char *name, const char *path, const char *reason);

#endif /* TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_ */
