/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, reads and asks the library files named on the command line. A source is compiled, if that
 * is allowed, and stands for its library. */
#ifndef TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_
#define TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_

#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/command.h"
#include "file/binary_file.h"
#include "file/listing.h"

/* ---- Libraries ---- */

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

/* ---- Sources, objects and archives: compile_source.c ---- */

/* Whether the name ends like that of a source, an object file or an archive. */
bool source_has_suffix(const char *name);

/* From now on such names are compiled, with these flags for compilers; object files only if
 * `with_objects`, for commands that cannot use them as they are. `flags` [borrow] until the end. */
void source_allow(text_list flags, bool with_objects);

/* Whether the file is to be compiled. */
bool source_is_allowed(const char *name);

/* The library made of the file, now or by an earlier run; release with free(). NULL after a report,
 * and after what the compiler said. */
char *source_build(const char *name);

/* ---- Asking a library, in a child process: ask_in_child.c ---- */

/* They ask a library itself for the types of its functions. */

/* supervise_command() for a command that calls the functions below. */
bool ask_command(double timeout, int *exit_code);

/* Adds the library's answers to the collected functions. Returns kExitOk, or another exit code
 * after a report; then functions that got no answer have an error instead. */
int ask_library(const char *name, listing *exports, double timeout);

/* Whether a library loads, named by its path or for the system's loader to search. The exit code is
 * not kExitOk if loading it crashes or hangs, which is reported. */
int ask_to_load(const char *name, bool *out_loads);

/* ---- The runtime of --runtime ---- */

/* Runs a command on another libtvm_ffi than the one that the tool was made with, and asks that one
 * for what only it has. */

/* Call it first in a command. True if the command runs on that library from now on, which starts
 * the program again. False after a report, with the exit code. */
bool other_runtime_use(const char *library, int *out_code);

/* Whether the runtime has the functions below, which must not be called otherwise. */
bool own_runtime_is_used(void);
bool own_runtime_set_memory_hooks(const TVMFFIRuntimeMemoryHooks *hooks);
void own_runtime_count_objects(bool enabled);
int64_t own_runtime_get_object_count(int32_t type_index);

#endif /* TVM_FFI_TOOL_LIBRARY_ARGUMENT_H_ */
