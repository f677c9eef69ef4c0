/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/c_runtime_parts.h
 * For programs that have the runtime inside, from libtvm_ffi.a or the single file: which of its
 * functions they have. Without this header a program that gets functions by name has all, because
 * any of them may be asked for. One source of a program that needs fewer names the parts:
 *
 *     TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules, &TVMFFIRuntimePartContainers);
 *
 * The linker leaves out the others: link with -Wl,--gc-sections. The 50 functions of the ABI are
 * there in any case, as far as the program uses them. Kernels may call functions of any part, so a
 * program that loads libraries of others keeps all parts.
 *
 * The shared library has all parts; a program that is linked with it cannot choose. The single file
 * is compiled with -DTVM_FFI_OWN_PARTS. The core profile has the parts Modules and Loading.
 */
#ifndef TVM_FFI_EXTRA_C_RUNTIME_PARTS_H_
#define TVM_FFI_EXTRA_C_RUNTIME_PARTS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Each copy of the runtime in a process has parts of its own. */
#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif

typedef struct TVMFFIRuntimePart TVMFFIRuntimePart;

/** Global functions, texts, shapes. Every list begins with it. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartCore;
/** The system library and the functions of modules: ffi.SystemLib, ffi.ModuleGetFunction, ... */
extern const TVMFFIRuntimePart TVMFFIRuntimePartModules;
/** ffi.ModuleLoadFromFile and the loader for libraries. Needs Modules. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartLoading;
/** ffi.Array, ffi.List, ffi.Map, ffi.Dict and what reads and changes them. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartContainers;
/** JSON text. Needs Containers. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartJson;
/** Fields, methods and constructors; enumerations, access paths; repr, comparison, hash and copies
 * of any value. Needs Containers. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartReflection;
/** Graphs of objects as JSON. Needs Json and Reflection. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartJsonGraph;
/** Structural equality and hash, visits and mutations. Needs Reflection. */
extern const TVMFFIRuntimePart TVMFFIRuntimePartStructural;

/** The parts of the program, NULL at the end. */
extern const TVMFFIRuntimePart *const TVMFFIRuntimeParts[];

/** Define them: at file scope, once in a program. For none but the core, name NULL. */
#define TVM_FFI_RUNTIME_PARTS(...) \
  const TVMFFIRuntimePart *const TVMFFIRuntimeParts[] = {&TVMFFIRuntimePartCore, __VA_ARGS__, NULL}

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_RUNTIME_PARTS_H_ */
