/* SPDX-License-Identifier: Apache-2.0 */
/* File paths as text. */
#ifndef TVM_FFI_TOOL_PATH_H_
#define TVM_FFI_TOOL_PATH_H_

/* What follows the last slash; the whole path if it has none. */
const char *path_base(const char *path);
/* `name` in the folder of `path`; `name` itself if it begins with a slash. Release with free(). */
char *path_beside(const char *path, const char *name);

#endif /* TVM_FFI_TOOL_PATH_H_ */
