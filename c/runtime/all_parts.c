/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of programs that choose none. In a file of its own: a linker that has found the list in
 * the program does not take this file from the archive.
 */
#include <tvm/ffi/extra/c_runtime_parts.h>

#ifndef TVM_FFI_OWN_PARTS
const TVMFFIRuntimePart *const TVMFFIRuntimeParts[] = {
    &TVMFFIRuntimePartCore,
#ifdef TVMFFI_PROFILE_FULL
    &TVMFFIRuntimePartContainers, &TVMFFIRuntimePartJson,       &TVMFFIRuntimePartReflection,
    &TVMFFIRuntimePartJsonGraph,  &TVMFFIRuntimePartStructural,
#endif
    &TVMFFIRuntimePartModules,    &TVMFFIRuntimePartLoading,    NULL};
#endif
