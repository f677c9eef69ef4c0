/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of programs that choose none. In a file of its own, which the linker does not take from
 * the archive if the program defines the list.
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
