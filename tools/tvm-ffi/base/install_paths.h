/* SPDX-License-Identifier: Apache-2.0 */
/* Finds this program, its libtvm_ffi, and the folders installed with it. */
#ifndef TVM_FFI_TOOL_INSTALL_PATHS_H_
#define TVM_FFI_TOOL_INSTALL_PATHS_H_

#include <stdbool.h>
#include <stddef.h>

/* The library that also has the reference's C++ functions, relative to the folder of libraries. */
#define CXX_FOLDER "tvm_ffi_cxx"
#define CXX_LIBRARY CXX_FOLDER "/libtvm_ffi.so"

/* All paths are released with free(), and are NULL if there is no such place. */

/* The file of the libtvm_ffi in use; the program itself if that is linked into it. */
char *install_path_of_library(void);
/* The file that a linker takes for the libtvm_ffi in use; NULL if that is linked into the program.
 */
char *install_path_of_linked_library(void);
/* The prefix of the installation, wherever that was moved to; NULL after a report if it cannot be
 * found, or lacks the headers or the library. */
char *install_path_of_prefix(void);
/* "PREFIX/folder", or `folder` if it is an absolute path. */
char *install_path_under(const char *prefix, const char *folder);

/* The folder of DLPack's header, below the prefix or the system's. */
char *install_path_of_dlpack(const char *prefix);

/* The folders of the headers that kernels include: those installed with the program, or those of
 * the source tree whose build folder it lies in. Returns how many there are, each to be released.
 */
enum { kMaxIncludes = 3 };
size_t install_path_of_includes(char *out_folders[kMaxIncludes]);

/* Whether the folder has a file of that name. */
bool folder_has_file(const char *folder, const char *name);

#endif /* TVM_FFI_TOOL_INSTALL_PATHS_H_ */
