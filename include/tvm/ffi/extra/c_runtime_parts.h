/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/c_runtime_parts.h
 * For programs that contain the runtime, from libtvm_ffi.a or the single file: which of its
 * functions they contain. Without this header a program that looks functions up by name contains
 * all, because it may ask for any. To make it smaller, list the parts in one source:
 *
 *     TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules, &TVMFFIRuntimePartContainers);
 *
 * The linker leaves out the others: link with -Wl,--gc-sections. The 50 functions of the ABI are
 * included whenever the program uses them. Kernels may call functions of any part, so a program
 * that loads others' libraries needs all parts.
 *
 * The shared library has all parts; a program linked with it cannot choose. Compile the single file
 * with -DTVM_FFI_OWN_PARTS. The core profile has the parts Modules and Loading.
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
