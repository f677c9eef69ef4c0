/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of files as texts. */
#ifndef TVM_FFI_TOOL_PATH_H_
#define TVM_FFI_TOOL_PATH_H_

/* What is behind the last slash; all of it where there is none. */
const char *path_base(const char *path);
/* Another name in the folder of a path; the name itself where it begins with a slash. Of free(). */
char *path_beside(const char *path, const char *name);

#endif /* TVM_FFI_TOOL_PATH_H_ */
