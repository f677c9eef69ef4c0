/* SPDX-License-Identifier: Apache-2.0 */
/* File paths as text, by the system's rules. */
#ifndef TVM_FFI_TOOL_PATH_H_
#define TVM_FFI_TOOL_PATH_H_

#include <stdbool.h>

/* What follows the folders and the drive; the whole path if it has none. */
const char *path_base(const char *path);
/* Whether the path names a folder or a drive, and not only a file. */
bool path_has_folder(const char *path);
/* Whether it does not depend on the current folder. */
bool path_is_absolute(const char *path);
/* `name` in the folder of `path`; `name` itself if it is absolute or has a drive. Release with
 * free(). */
char *path_beside(const char *path, const char *name);

#endif /* TVM_FFI_TOOL_PATH_H_ */
