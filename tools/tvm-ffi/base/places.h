/* SPDX-License-Identifier: Apache-2.0 */
/* Finds this program, its libtvm_ffi, and the folders installed with it. */
#ifndef TVM_FFI_TOOL_PLACES_H_
#define TVM_FFI_TOOL_PLACES_H_

#include <stdbool.h>

/* The library that also has the reference's C++ functions, relative to the folder of libraries. */
#define CXX_FOLDER "tvm_ffi_cxx"
#define CXX_LIBRARY CXX_FOLDER "/libtvm_ffi.so"

/* All paths are released with free(), and are NULL if there is no such place. */

/* The file of the libtvm_ffi in use; the program itself if that is linked into it. */
char *place_of_library(void);
/* The prefix of the installation, wherever that was moved to; NULL after a report if it cannot be
 * found, or lacks the headers or the library. */
char *place_of_prefix(void);
/* "PREFIX/folder", or `folder` if it is an absolute path. */
char *place_under(const char *prefix, const char *folder);

/* Whether the folder has a file of that name. */
bool place_has(const char *folder, const char *name);

#endif /* TVM_FFI_TOOL_PLACES_H_ */
