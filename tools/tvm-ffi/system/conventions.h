/* SPDX-License-Identifier: Apache-2.0 */
/* Words that differ by system: of paths, libraries, folders and compilers. One table per system:
 * conventions_<system>.c. */
#ifndef TVM_FFI_TOOL_CONVENTIONS_H_
#define TVM_FFI_TOOL_CONVENTIONS_H_

#include <stdbool.h>

/* A folder below the one that a variable of the environment names. */
typedef struct {
  const char *variable, *folder;
} named_folder;

typedef struct {
  const char *path_separators; /* each of them ends a folder in a path; the first is preferred */
  bool has_drives;             /* a path may begin with a drive, "C:" */
  const char *runtime_library; /* the file name of libtvm_ffi */
  const char *library_suffix;  /* of libraries that are loaded */
  const char *cuda_driver;     /* the library of CUDA's driver */

  named_folder caches[2]; /* where files are kept that can be made again; the first one that is set
                             to an absolute path */

  const char *c_compiler, *cxx_compiler;
  const char *library_flags, *cuda_library_flags; /* of compilers, for code of a library */
  const char *archive_flags[2]; /* of compilers, before and after an archive of which all is linked;
                                   NULL: none */
  bool links_runtime; /* whether libraries must be linked with the runtime that they call */
} system_conventions;

extern const system_conventions kConventions;

#endif /* TVM_FFI_TOOL_CONVENTIONS_H_ */
