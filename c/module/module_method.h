/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of a module, for callers in C and in C++. */
#ifndef TVMFFI_MODULE_MODULE_METHOD_H_
#define TVMFFI_MODULE_MODULE_METHOD_H_

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

#endif /* TVMFFI_MODULE_MODULE_METHOD_H_ */
