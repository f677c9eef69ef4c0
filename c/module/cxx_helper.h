/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of the C++ helper library: it calls C++ methods that may throw, and throws C++
 * exceptions. It has no state and calls no function of the runtime, so one copy serves any number
 * of runtimes.
 */
#ifndef TVMFFI_MODULE_CXX_HELPER_H_
#define TVMFFI_MODULE_CXX_HELPER_H_

#include <tvm/ffi/c_api.h>

/* ---- The methods of a module, for callers in C and in C++ ---- */

/* In the order of the C++ virtual table. A text may be of any type that holds text. */
typedef enum {
  kTvmffiModuleKind,               /* () -> text */
  kTvmffiModulePropertyMask,       /* () -> int */
  kTvmffiModuleGetFunction,        /* (text) -> Function or None */
  kTvmffiModuleImplementsFunction, /* (text) -> bool */
  kTvmffiModuleGetDoc,             /* (text) -> text or None */
  kTvmffiModuleGetMetadata,        /* (text) -> text or None */
  kTvmffiModuleWriteToFile,        /* (text path, text format) -> None */
  kTvmffiModuleGetWriteFormats,    /* () -> Array of texts */
  kTvmffiModuleSaveToBytes,        /* () -> bytes */
  kTvmffiModuleInspectSource,      /* (text format) -> text */
  kTvmffiModuleImport,             /* (Module) -> None */
  kTvmffiModuleClearImports,       /* () -> None */
  kTvmffiModuleNumMethods
} tvmffi_module_method;

/* ---- The helper ---- */

#ifdef __cplusplus
extern "C" {
#endif

#define TVMFFI_CXX_HELPER_SYMBOL "tvmffi_cxx_helper_v1"

/* The exception that was caught. */
typedef struct {
  TVMFFIObject *error; /* owned, from a tvm::ffi::Error; NULL for other exceptions */
  char text[512];      /* the message of another exception */
} tvmffi_cxx_thrown;

typedef struct {
  /*
   * Calls a method of a C++ module; self is the address that C++ code uses. Texts among the
   * arguments are owned, SmallStr or Str. Returns 0 with the method's unchecked result in *result
   * (the kind as a RawStr, NULL as None; None for void), or -1 with *thrown.
   */
  int (*call)(void *self, tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *result,
              tvmffi_cxx_thrown *thrown);
  /* Throws a tvm::ffi::Error, which takes the reference. Does not return. */
  void (*raise)(TVMFFIObject *error);
} tvmffi_cxx_helper;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVMFFI_MODULE_CXX_HELPER_H_ */
