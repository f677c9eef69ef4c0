/* SPDX-License-Identifier: Apache-2.0 */
/* The releases' exports were read from the packages of PyPI; tests/abi/versions has some of them,
 * and tests/tool/test_check.py compares. */
#include "file/runtime_symbols.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

typedef struct {
  const char *name;
  int release; /* N of 0.1.N, the first release that has it */
} released;

/* A C++ function, or data of a C++ class. */
typedef struct {
  const char *name;
  int release;
  const char *readable; /* demangled, with tvm::ffi:: only once */
  int last;             /* the last release that has it; 0: all later ones have it */
} released_cxx;

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

/* The additional symbols of the library with the C++ functions. */
static const released_cxx kReleasedCxx[] = {
    /* by name */
    {"_ZN3tvm3ffi11RecursiveEqERKNS0_3AnyES3_", 10, "tvm::ffi::RecursiveEq(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi11RecursiveGeERKNS0_3AnyES3_", 10, "tvm::ffi::RecursiveGe(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi11RecursiveGtERKNS0_3AnyES3_", 10, "tvm::ffi::RecursiveGt(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi11RecursiveLeERKNS0_3AnyES3_", 10, "tvm::ffi::RecursiveLe(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi11RecursiveLtERKNS0_3AnyES3_", 10, "tvm::ffi::RecursiveLt(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi11ToJSONGraphERKNS0_3AnyES3_", 0, "tvm::ffi::ToJSONGraph(Any const&, Any const&)",
     0},
    {"_ZN3tvm3ffi13FromJSONGraphERKNS0_3AnyE", 0, "tvm::ffi::FromJSONGraph(Any const&)", 0},
    {"_ZN3tvm3ffi13RecursiveHashERKNS0_3AnyE", 10, "tvm::ffi::RecursiveHash(Any const&)", 0},
    {"_ZN3tvm3ffi14StructuralHash4HashERKNS0_3AnyEbb", 0,
     "tvm::ffi::StructuralHash::Hash(Any const&, bool, bool)", 0},
    {"_ZN3tvm3ffi15StructuralEqual16GetFirstMismatchERKNS0_3AnyES4_bb", 0,
     "tvm::ffi::StructuralEqual::GetFirstMismatch(Any const&, Any const&, bool, bool)", 0},
    {"_ZN3tvm3ffi15StructuralEqual5EqualERKNS0_3AnyES4_bb", 0,
     "tvm::ffi::StructuralEqual::Equal(Any const&, Any const&, bool, bool)", 0},
    {"_ZN3tvm3ffi17VisitErrorContext15FindAccessPathsERKNS0_9ObjectRefERKS1_b", 12,
     "tvm::ffi::VisitErrorContext::FindAccessPaths(ObjectRef const&, VisitErrorContext const&, "
     "bool)",
     0},
    {"_ZN3tvm3ffi4json5ParseERKNS0_6StringEPS2_", 0,
     "tvm::ffi::json::Parse(String const&, String*)", 0},
    {"_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE", 0,
     "tvm::ffi::json::Stringify(Any const&, Optional<int, void>)", 12},
    {"_ZN3tvm3ffi4json9StringifyERKNS0_3AnyERKNS0_8OptionalIivEE", 13,
     "tvm::ffi::json::Stringify(Any const&, Optional<int, void> const&)", 0},
    {"_ZN3tvm3ffi6Module12LoadFromFileERKNS0_6StringE", 0,
     "tvm::ffi::Module::LoadFromFile(String const&)", 0},
    {"_ZN3tvm3ffi6Module19VisitContextSymbolsERKNS0_13TypedFunctionIFvNS0_6StringEPvEEE", 0,
     "tvm::ffi::Module::VisitContextSymbols(TypedFunction<void (String, void*)> const&)", 0},
    {"_ZN3tvm3ffi8DeepCopyERKNS0_3AnyE", 9, "tvm::ffi::DeepCopy(Any const&)", 0},
    {"_ZN3tvm3ffi9ModuleObj11GetFunctionERKNS0_6StringEb", 0,
     "tvm::ffi::ModuleObj::GetFunction(String const&, bool)", 0},
    {"_ZN3tvm3ffi9ModuleObj14GetFunctionDocERKNS0_6StringEb", 0,
     "tvm::ffi::ModuleObj::GetFunctionDoc(String const&, bool)", 0},
    {"_ZN3tvm3ffi9ModuleObj18ImplementsFunctionERKNS0_6StringEb", 0,
     "tvm::ffi::ModuleObj::ImplementsFunction(String const&, bool)", 0},
    {"_ZN3tvm3ffi9ModuleObj19GetFunctionMetadataERKNS0_6StringEb", 0,
     "tvm::ffi::ModuleObj::GetFunctionMetadata(String const&, bool)", 0},
    {"_ZN3tvm3ffi9ReprPrintERKNS0_3AnyE", 10, "tvm::ffi::ReprPrint(Any const&)", 0},
    {"_ZTIN3tvm3ffi5ErrorE", 13, "typeinfo for tvm::ffi::Error", 0},
    {"_ZTSN3tvm3ffi5ErrorE", 13, "typeinfo name for tvm::ffi::Error", 0},
    {"_ZTVN3tvm3ffi5ErrorE", 13, "vtable for tvm::ffi::Error", 0},
};

/* The rows of both tables begin with the name. */
static int compare_name(const void *name, const void *row) {
  return strcmp(name, *(const char *const *)row);
}

#define FIND_ROW(table, name) \
  bsearch(name, table, sizeof table / sizeof *table, sizeof *table, compare_name)

static bool is_own(const char *name) {
  static const char *const kOwn[] = {
      "TVMFFIRuntimeContextSymbolVisit",
      "TVMFFIRuntimeErrorTake",
      "TVMFFIRuntimeGetLiveObjectCount",
      "TVMFFIRuntimeModuleAllowUnload",
      "TVMFFIRuntimeModuleCreate",
      "TVMFFIRuntimeModuleGetFunction",
      "TVMFFIRuntimeModuleGetSelf",
      "TVMFFIRuntimeModuleLoad",
      "TVMFFIRuntimeModulePack",
      "TVMFFIRuntimeSetBacktraceEnabled",
      "TVMFFIRuntimeSetLiveObjectCounting",
      "TVMFFIRuntimeSetLogHook",
      "TVMFFIRuntimeSetMemoryHooks",
      "TVMFFIRuntimeSetStackWalker",
      "TVMFFIRuntimeSetTextLimit",
      "TVMFFIRuntimeShutdown",
      NULL,
  };
  return text_find(name, kOwn) != NULL;
}

/* Whether the name belongs to the C ABI, to namespace tvm::ffi, or to the vtables and type_info of
 * its classes. */
static bool has_prefix_of_runtime(const char *name) {
  static const char *const kPrefixes[] = {
      "TVMFFI",        "_ZN3tvm3ffi", "_ZNK3tvm3ffi", "_ZTVN3tvm3ffi", "_ZTIN3tvm3ffi",
      "_ZTSN3tvm3ffi", NULL};
  return text_find_prefix(name, kPrefixes) != NULL;
}

const char *runtime_library_name(binary_format format) {
  return format == kFormatPe      ? "tvm_ffi.dll"
         : format == kFormatMachO ? "libtvm_ffi.dylib"
                                  : "libtvm_ffi.so";
}

runtime_symbol runtime_symbol_find(const char *name, binary_format format) {
  runtime_symbol found = {kSymbolForeign, 0, 0, NULL};
  const released *row = FIND_ROW(kReleased, name);
  const released_cxx *cxx = format == kFormatElf ? FIND_ROW(kReleasedCxx, name) : NULL;
  if (row != NULL) {
    found.origin = kSymbolReleased;
    found.release = row->release;
  } else if (cxx != NULL) {
    found.origin = kSymbolReleased;
    found.release = cxx->release;
    found.last = cxx->last;
    found.cxx_name = cxx->readable;
  } else if (is_own(name)) {
    found.origin = kSymbolOwn;
  } else if (has_prefix_of_runtime(name)) {
    found.origin = kSymbolUnknown;
  }
  return found;
}

/* Windows and macOS do not distinguish upper and lower case in names of files. */
bool runtime_is_library(const char *path, binary_format format) {
  const char *name = path_base(path), *runtime = runtime_library_name(format);
  while (*name != '\0' && tolower((unsigned char)*name) == tolower((unsigned char)*runtime)) {
    ++name;
    ++runtime;
  }
  return *name == *runtime;
}

runtime_symbol runtime_symbol_of_import(const binary_file *file, const binary_symbol *import) {
  runtime_symbol found = runtime_symbol_find(import->name, file->format);
  if (found.origin == kSymbolUnknown && import->origin != NULL &&
      !runtime_is_library(import->origin, file->format)) {
    found.origin = kSymbolForeign;
  }
  return found;
}
