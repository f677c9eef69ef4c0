/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: their files, found, made and asked, and loaded ones. */
#ifndef TVM_FFI_TOOL_LIBRARY_H_
#define TVM_FFI_TOOL_LIBRARY_H_

#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/command.h"
#include "file/binary_file.h"
#include "file/listing.h"
#include "value/schema.h"

/* ---- Library files named on the command line: library_argument.c ---- */

/* A source is compiled, if that is allowed, and stands for its library. */

/* The path to give to a loader: a name without a slash is a file in the current folder, not one
 * that the system searches for, and "-" is stdin, read once for all. Release with free(); NULL
 * after a report, also for a truncated file. */
char *library_argument_find(const char *name);

/* Reads stdin if the name is -, or compiles a source. To be called in the parent process, which
 * lives longest. False after a report, also for a file that does not exist. */
bool library_argument_fetch(const char *name);

/* Opens the file; NULL after a report. */
binary_file *library_argument_read(const char *name);

/* The build id of the library, to be released with free(); NULL if it has none. False after a
 * report. */
bool library_argument_read_build_id(const char *name, char **out);

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

/* ---- The runtime of --runtime: library_argument.c ---- */

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

/* ---- A loaded library, its functions and their types: loaded_library.c ---- */

typedef struct {
  const char *path; /* as on the command line */
  char *file;       /* the path given to the loader; NULL: not loaded */
  TVMFFIObjectHandle module;
} loaded_library;

/* Loads a library; "-" is stdin. False after a report. */
bool library_open(const char *path, loaded_library *out);
/* From now on, also in children, a library that does not load for lack of the loader of an embedded
 * module, which only another runtime has, is loaded with an empty module in its place. A note names
 * it once. */
void library_stand_in(void);
/* Loads a library in a helper process, as a module named isolated,OPTIONS:PATH. `options` are empty
 * or begin with a comma. False after a report; *options_are_wrong if it is these. */
bool library_open_isolated(const char *path, const char *options, loaded_library *out,
                           bool *options_are_wrong);
void library_close(loaded_library *lib);

/* A function of the library, of its imports, or one registered while loading it; NULL after a
 * report. */
TVMFFIObjectHandle library_find(const loaded_library *lib, const char *name);
/* The same, but none that is only registered: a recording names the function, and some of those
 * that the runtime registers load files. */
TVMFFIObjectHandle library_find_own(const loaded_library *lib, const char *name);
/* Which file has the code of a function that is registered. The runtime's code, and code that is in
 * no file, may be of any library. *out_other: the file, if it is another one, else NULL; release
 * with free(). */
typedef enum { kCodeOfLibrary, kCodeOfAny, kCodeOfOther } code_owner;
code_owner library_find_code(const loaded_library *lib, TVMFFIObjectHandle function,
                             char **out_other);
/* The name of the library's only function; release with free(). NULL after a report that it has
 * none or several. */
char *library_only_function(const loaded_library *lib);
/* The metadata of a function, JSON; release with free(). NULL if the library does not give it. */
char *library_read_metadata(const loaded_library *lib, const char *name);
/* The types of a function; NULL if the library does not give them. */
schema_type *library_read_schema(const loaded_library *lib, const char *name);

/* ---- What libraries register in this process: loaded_library.c ---- */

/* Runs the body: if there are libraries, those of --lib, in a child with all of them loaded.
 * Returns its exit code. */
int registered_load(text_list libraries, double timeout, int (*body)(void *context), void *context);

/* The first type with this index or a higher one; NULL after the last. */
const TVMFFITypeInfo *registered_next_type(int32_t first);
int64_t registered_count_types(void);

/* These are false with the error raised. */
bool registered_count_functions(int64_t *out);
/* The sorted names; release each of them and the list with free(). */
bool registered_list_functions(char ***out_names, size_t *out_count);
/* The metadata, to be cleared; None if there is none. Leaves no error raised. */
TVMFFIAny registered_get_metadata(const char *function_name);

#endif /* TVM_FFI_TOOL_LIBRARY_H_ */
