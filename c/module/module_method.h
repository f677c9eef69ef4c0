/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of a module, for all who call them: C and C++. */
#ifndef TVMFFI_MODULE_MODULE_METHOD_H_
#define TVMFFI_MODULE_MODULE_METHOD_H_

/* In the order of C++ virtual tables. Texts are of any type that has text. */
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
