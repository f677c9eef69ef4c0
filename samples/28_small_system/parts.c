/* SPDX-License-Identifier: Apache-2.0 */
/* The program asks for functions of modules by name and no others. So it is linked without those
 * that load files, and without containers, JSON and reflection. */
#include <tvm/ffi/extra/c_runtime_parts.h>

TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules);
