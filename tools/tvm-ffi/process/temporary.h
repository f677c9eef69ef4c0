/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary file for code that takes only a path. In memory, it disappears with the processes
 * that have it open; otherwise the parent process of isolate.h removes it. */
#ifndef TVM_FFI_TOOL_TEMPORARY_H_
#define TVM_FFI_TOOL_TEMPORARY_H_

#include <stddef.h>

/* Creates the file, at most one per process: in memory if the system supports it, else in the
 * system's folder for such files. Returns its name; release with free(). NULL after a report. */
char *temporary_file(const void *bytes, size_t size);

/* Removes the file before the process ends by a signal. Safe in handlers of endings.h. */
void temporary_remove(void);

/* The paths of a file and of its own folder; empty: there is none. */
typedef struct {
  char file[1024], folder[1024];
} temporary_paths;

/* Removes a file that a child made, and that it may have loaded: Windows lets no process remove
 * what is loaded. Safe in handlers of endings.h. */
void temporary_remove_from(const temporary_paths *paths);

#endif /* TVM_FFI_TOOL_TEMPORARY_H_ */
