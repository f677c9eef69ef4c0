/* SPDX-License-Identifier: Apache-2.0 */
/* The releases' exports were read from the packages of PyPI; tests/abi/versions has some of them,
 * and tests/tool/test_check.py compares. */
#include "file/runtime_symbols.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  int release; /* N of 0.1.N, the first that has it */
} released;

static const released kReleased[] = {
    /* by name */
    {"TVMFFIAnyViewToOwnedAny", 0},
    {"TVMFFIBacktrace", 0},
    {"TVMFFIBigIntFromByteArray", 15},
    {"TVMFFIBigIntGetContentByteArray", 15},
    {"TVMFFIBytesFromByteArray", 0},
    {"TVMFFIDataTypeFromString", 0},
    {"TVMFFIDataTypeToString", 0},
    {"TVMFFIEnvCheckSignals", 0},
    {"TVMFFIEnvGetDLPackManagedTensorAllocator", 0},
    {"TVMFFIEnvGetStream", 0},
    {"TVMFFIEnvModLookupFromImports", 0},
    {"TVMFFIEnvModRegisterContextSymbol", 0},
    {"TVMFFIEnvModRegisterSystemLibSymbol", 0},
    {"TVMFFIEnvRegisterCAPI", 0},
    {"TVMFFIEnvSetDLPackManagedTensorAllocator", 0},
    {"TVMFFIEnvSetStream", 0},
    {"TVMFFIEnvTensorAlloc", 0},
    {"TVMFFIErrorCreate", 0},
    {"TVMFFIErrorCreateWithCauseAndExtraContext", 8},
    {"TVMFFIErrorMoveFromRaised", 0},
    {"TVMFFIErrorSetRaised", 0},
    {"TVMFFIErrorSetRaisedFromCStr", 0},
    {"TVMFFIErrorSetRaisedFromCStrParts", 0},
    {"TVMFFIFunctionCall", 0},
    {"TVMFFIFunctionCreate", 0},
    {"TVMFFIFunctionGetGlobal", 0},
    {"TVMFFIFunctionSetGlobal", 0},
    {"TVMFFIFunctionSetGlobalFromMethodInfo", 0},
    {"TVMFFIGetCustomAllocator", 13},
    {"TVMFFIGetTypeAttrColumn", 0},
    {"TVMFFIGetTypeInfo", 0},
    {"TVMFFIGetVersion", 0},
    {"TVMFFIHandleDeinitOnce", 5},
    {"TVMFFIHandleInitOnce", 5},
    {"TVMFFIObjectCreateOpaque", 0},
    {"TVMFFIObjectDecRef", 0},
    {"TVMFFIObjectIncRef", 0},
    {"TVMFFISetCustomAllocator", 13},
    {"TVMFFIStringFromByteArray", 0},
    {"TVMFFITensorCreateUnsafeView", 6},
    {"TVMFFITensorFromDLPack", 0},
    {"TVMFFITensorFromDLPackVersioned", 0},
    {"TVMFFITensorToDLPack", 0},
    {"TVMFFITensorToDLPackVersioned", 0},
    {"TVMFFITypeGetOrAllocIndex", 0},
    {"TVMFFITypeKeyToIndex", 0},
    {"TVMFFITypeRegisterAttr", 0},
    {"TVMFFITypeRegisterField", 0},
    {"TVMFFITypeRegisterMetadata", 0},
    {"TVMFFITypeRegisterMethod", 0},
    {"_ZN3tvm3ffi9ModuleObj12ClearImportsEv", 0},
    {"_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE", 0},
    {"_ZTIN3tvm3ffi9ModuleObjE", 0},
    {"_ZTVN3tvm3ffi9ModuleObjE", 0},
};

static int compare_name(const void *name, const void *row) {
  return strcmp(name, ((const released *)row)->name);
}

static bool starts(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

symbol_origin runtime_symbol_find(const char *name, int *out_release) {
  static const char *const kOwn[] = {
      "TVMFFIRuntimeContextSymbolVisit",
      "TVMFFIRuntimeGetLiveObjectCount",
      "TVMFFIRuntimeModuleCreate",
      "TVMFFIRuntimeModuleGetSelf",
      "TVMFFIRuntimeModulePack",
      "TVMFFIRuntimeSetBacktraceEnabled",
      "TVMFFIRuntimeSetLiveObjectCounting",
      "TVMFFIRuntimeSetLogHook",
      "TVMFFIRuntimeSetMemoryHooks",
      "TVMFFIRuntimeSetStackWalker",
      "TVMFFIRuntimeShutdown",
  };
  const released *row = bsearch(name, kReleased, sizeof kReleased / sizeof *kReleased,
                                sizeof *kReleased, compare_name);
  size_t i;
  if (row != NULL) {
    *out_release = row->release;
    return kSymbolReleased;
  }
  for (i = 0; i < sizeof kOwn / sizeof *kOwn; ++i) {
    if (strcmp(kOwn[i], name) == 0) return kSymbolOwn;
  }
  /* Functions and classes of namespace tvm::ffi, and the tables of its classes. */
  if (starts(name, "TVMFFI") || starts(name, "_ZN3tvm3ffi") || starts(name, "_ZNK3tvm3ffi") ||
      starts(name, "_ZTVN3tvm3ffi") || starts(name, "_ZTIN3tvm3ffi")) {
    return kSymbolUnknown;
  }
  return kSymbolForeign;
}
