/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles sources, objects and archives that are named where a library is expected. */
#ifndef TVM_FFI_TOOL_SOURCE_H_
#define TVM_FFI_TOOL_SOURCE_H_

#include "base/command.h"

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

#endif /* TVM_FFI_TOOL_SOURCE_H_ */
