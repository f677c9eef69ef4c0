/* SPDX-License-Identifier: Apache-2.0 */
/* Where this program lies, and what was installed with it. */
#ifndef TVM_FFI_TOOL_PLACES_H_
#define TVM_FFI_TOOL_PLACES_H_

#include <stdbool.h>

/* Below the folder of libraries: the library with the C++ functions of the reference's. */
#define CXX_FOLDER "tvm_ffi_cxx"
#define CXX_LIBRARY CXX_FOLDER "/libtvm_ffi.so"

/* All are of free(), and NULL where there is no such thing. */

/* The file of the libtvm_ffi that runs; where the program has it inside, the program. */
char *place_of_library(void);
/* The folder that the program was installed under, wherever that is now; NULL also where headers
 * and library are not there, which is reported. */
char *place_of_prefix(void);
/* "PREFIX/folder", or the folder where it lies outside the prefix. */
char *place_under(const char *prefix, const char *folder);

/* Whether there is a file of that name in the folder. */
bool place_has(const char *folder, const char *name);

#endif /* TVM_FFI_TOOL_PLACES_H_ */
