/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of all built-in functions. */
#ifndef TESTS_C_BUILTINS_SUPPORT_H_
#define TESTS_C_BUILTINS_SUPPORT_H_

#include <stddef.h>
#include <string.h>

#include "core/builtins.h"

/*
 * The expected name, signature and type schema of every built-in function, as in the reference. A
 * function added to one of the tables of c/ needs a row here.
 *
 * signature: the text after the name in error messages; NULL if any arguments are accepted.
 * params, result: the type schemas, with T<A,B> for {"type":"T","args":[A,B]}.
 */
static const struct {
  const char *name;
  const char *signature;
  const char *params;
  const char *result;
} kBuiltins[] = {
    {"ffi.GetRegisteredTypeKeys", "() -> Array<str>", "", "ffi.Array<ffi.String>"},
    {"ffi.GetInvalidObject", "() -> ffi.Object", "", "ffi.Object"},
    {"ffi.GetKwargsObject", "() -> ffi.Object", "", "ffi.Object"},
    {"ffi.FunctionRemoveGlobal", "(0: str) -> bool", "ffi.String", "bool"},
    {"ffi.FunctionListGlobalNamesFunctor", "() -> ffi.Function", "", "ffi.Function"},
    {"ffi.String", "(0: str) -> str", "ffi.String", "ffi.String"},
    {"ffi.Bytes", "(0: bytes) -> bytes", "ffi.Bytes", "ffi.Bytes"},
    {"ffi.GetGlobalFuncMetadata", "(0: str) -> str", "ffi.String", "ffi.String"},
    {"ffi.FunctionFromExternC", "(0: void*, 1: void*, 2: void*) -> ffi.Function",
     "void*, void*, void*", "ffi.Function"},
    {"ffi.Shape", NULL, NULL, NULL},
    {"ffi.Array", NULL, NULL, NULL},
    {"ffi.ArrayGetItem", "(0: ffi.Array, 1: int) -> Any", "ffi.Array, int", "Any"},
    {"ffi.ArraySize", "(0: ffi.Array) -> int", "ffi.Array", "int"},
    {"ffi.ArrayContains", "(0: ffi.Array, 1: Any) -> bool", "ffi.Array, Any", "bool"},
    {"ffi.List", NULL, NULL, NULL},
    {"ffi.ListGetItem", "(0: ffi.List, 1: int) -> Any", "ffi.List, int", "Any"},
    {"ffi.ListSetItem", "(0: List<Any>, 1: int, 2: Any) -> void", "ffi.List<Any>, int, Any",
     "None"},
    {"ffi.ListSize", "(0: ffi.List) -> int", "ffi.List", "int"},
    {"ffi.ListContains", "(0: ffi.List, 1: Any) -> bool", "ffi.List, Any", "bool"},
    {"ffi.ListAppend", "(0: List<Any>, 1: Any) -> void", "ffi.List<Any>, Any", "None"},
    {"ffi.ListInsert", "(0: List<Any>, 1: int, 2: Any) -> void", "ffi.List<Any>, int, Any", "None"},
    {"ffi.ListPop", "(0: List<Any>, 1: int) -> Any", "ffi.List<Any>, int", "Any"},
    {"ffi.ListErase", "(0: List<Any>, 1: int) -> void", "ffi.List<Any>, int", "None"},
    {"ffi.ListEraseRange", "(0: List<Any>, 1: int, 2: int) -> void", "ffi.List<Any>, int, int",
     "None"},
    {"ffi.ListReplaceSlice", "(0: List<Any>, 1: int, 2: int, 3: List<Any>) -> void",
     "ffi.List<Any>, int, int, ffi.List<Any>", "None"},
    {"ffi.ListReverse", "(0: List<Any>) -> void", "ffi.List<Any>", "None"},
    {"ffi.ListClear", "(0: List<Any>) -> void", "ffi.List<Any>", "None"},
    {"ffi.ListReserve", "(0: List<Any>, 1: int) -> void", "ffi.List<Any>, int", "None"},
    {"ffi.Map", NULL, NULL, NULL},
    {"ffi.MapSize", "(0: ffi.Map) -> int", "ffi.Map", "int"},
    {"ffi.MapGetItem", "(0: ffi.Map, 1: Any) -> Any", "ffi.Map, Any", "Any"},
    {"ffi.MapCount", "(0: ffi.Map, 1: Any) -> int", "ffi.Map, Any", "int"},
    {"ffi.MapForwardIterFunctor", "(0: ffi.Map) -> ffi.Function", "ffi.Map", "ffi.Function"},
    {"ffi.MapGetItemOrMissing", "(0: ffi.Map, 1: Any) -> Any", "ffi.Map, Any", "Any"},
    {"ffi.Dict", NULL, NULL, NULL},
    {"ffi.DictSize", "(0: ffi.Dict) -> int", "ffi.Dict", "int"},
    {"ffi.DictGetItem", "(0: ffi.Dict, 1: Any) -> Any", "ffi.Dict, Any", "Any"},
    {"ffi.DictSetItem", "(0: Dict<Any, Any>, 1: Any, 2: Any) -> void",
     "ffi.Dict<Any,Any>, Any, Any", "None"},
    {"ffi.DictCount", "(0: ffi.Dict, 1: Any) -> int", "ffi.Dict, Any", "int"},
    {"ffi.DictErase", "(0: Dict<Any, Any>, 1: Any) -> void", "ffi.Dict<Any,Any>, Any", "None"},
    {"ffi.DictClear", "(0: Dict<Any, Any>) -> void", "ffi.Dict<Any,Any>", "None"},
    {"ffi.DictForwardIterFunctor", "(0: ffi.Dict) -> ffi.Function", "ffi.Dict", "ffi.Function"},
    {"ffi.DictGetItemOrMissing", "(0: ffi.Dict, 1: Any) -> Any", "ffi.Dict, Any", "Any"},
    {"ffi.ContainerFindFirstNonCPUDevice", "(0: Any) -> Device", "Any", "Device"},
    {"ffi.VisitInterrupt", "(0: Any) -> ffi.VisitInterrupt", "Any", "ffi.VisitInterrupt"},
    {"ffi.StructuralVisitorVisit",
     "(0: ffi.StructuralVisitor, 1: AnyView) -> Optional<ffi.VisitInterrupt>",
     "ffi.StructuralVisitor, Any", "Optional<ffi.VisitInterrupt>"},
    {"ffi.StructuralVisitorDefaultVisit",
     "(0: ffi.StructuralVisitor, 1: AnyView) -> Optional<ffi.VisitInterrupt>",
     "ffi.StructuralVisitor, Any", "Optional<ffi.VisitInterrupt>"},
    {"ffi.StructuralVisitorDefRegionKind", "(0: ffi.StructuralVisitor) -> int",
     "ffi.StructuralVisitor", "int"},
    {"ffi.StructuralVisitorWithDefRegionKind",
     "(0: ffi.StructuralVisitor, 1: int, 2: ffi.Function) -> Any",
     "ffi.StructuralVisitor, int, ffi.Function", "Any"},
    {"ffi.StructuralWalk",
     "(0: AnyView, 1: Array<Tuple<int, ffi.Function>>, 2: Array<Tuple<int, ffi.Function>>, 3: int) "
     "-> Optional<ffi.VisitInterrupt>",
     "Any, ffi.Array<Tuple<int,ffi.Function>>, ffi.Array<Tuple<int,ffi.Function>>, int",
     "Optional<ffi.VisitInterrupt>"},
    {"ffi.StructuralVisit",
     "(0: AnyView, 1: Array<Tuple<int, ffi.Function>>) -> Optional<ffi.VisitInterrupt>",
     "Any, ffi.Array<Tuple<int,ffi.Function>>", "Optional<ffi.VisitInterrupt>"},
    {"ffi.StructuralMutatorMutate", "(0: ffi.StructuralMutator, 1: AnyView) -> Any",
     "ffi.StructuralMutator, Any", "Any"},
    {"ffi.StructuralMutatorDefaultMutate", "(0: ffi.StructuralMutator, 1: AnyView) -> Any",
     "ffi.StructuralMutator, Any", "Any"},
    {"ffi.StructuralMutatorVarRemapGet", "(0: ffi.StructuralMutator, 1: AnyView) -> Any",
     "ffi.StructuralMutator, Any", "Any"},
    {"ffi.StructuralMutatorVarRemapSet",
     "(0: ffi.StructuralMutator, 1: AnyView, 2: AnyView) -> void",
     "ffi.StructuralMutator, Any, Any", "None"},
    {"ffi.StructuralMutatorDefRegionKind", "(0: ffi.StructuralMutator) -> int",
     "ffi.StructuralMutator", "int"},
    {"ffi.StructuralMutatorWithDefRegionKind",
     "(0: ffi.StructuralMutator, 1: int, 2: ffi.Function) -> Any",
     "ffi.StructuralMutator, int, ffi.Function", "Any"},
    {"ffi.StructuralMap",
     "(0: Any, 1: Array<Tuple<int, ffi.Function>>, 2: Array<Tuple<int, ffi.Function>>, 3: int) -> "
     "Any",
     "Any, ffi.Array<Tuple<int,ffi.Function>>, ffi.Array<Tuple<int,ffi.Function>>, int", "Any"},
    {"ffi.StructuralMutate", "(0: Any, 1: Array<Tuple<int, ffi.Function, bool>>) -> Any",
     "Any, ffi.Array<Tuple<int,ffi.Function,bool>>", "Any"},
    {"ffi.VisitErrorContext.FindAccessPaths",
     "(0: ffi.Object, 1: ffi.VisitErrorContext, 2: bool) -> Array<ffi.reflection.AccessPath>",
     "ffi.Object, ffi.VisitErrorContext, bool", "ffi.Array<ffi.reflection.AccessPath>"},
    {"ffi.json.Parse", "(0: str) -> Any", "ffi.String", "Any"},
    {"ffi.json.Stringify", "(0: Any, 1: Optional<int>) -> str", "Any, Optional<int>", "ffi.String"},
    {"ffi.ModuleLoadFromFile", "(0: str) -> ffi.Module", "ffi.String", "ffi.Module"},
    {"ffi.ModuleImplementsFunction", "(0: ffi.Module, 1: str, 2: bool) -> bool",
     "ffi.Module, ffi.String, bool", "bool"},
    {"ffi.ModuleGetFunctionMetadata", "(0: ffi.Module, 1: str, 2: bool) -> Optional<str>",
     "ffi.Module, ffi.String, bool", "Optional<ffi.String>"},
    {"ffi.ModuleGetFunctionDoc", "(0: ffi.Module, 1: str, 2: bool) -> Optional<str>",
     "ffi.Module, ffi.String, bool", "Optional<ffi.String>"},
    {"ffi.ModuleGetFunction", "(0: ffi.Module, 1: str, 2: bool) -> Optional<ffi.Function>",
     "ffi.Module, ffi.String, bool", "Optional<ffi.Function>"},
    {"ffi.ModuleGetPropertyMask", "(0: ffi.Module) -> int", "ffi.Module", "int"},
    {"ffi.ModuleInspectSource", "(0: ffi.Module, 1: str) -> str", "ffi.Module, ffi.String",
     "ffi.String"},
    {"ffi.ModuleGetKind", "(0: ffi.Module) -> str", "ffi.Module", "ffi.String"},
    {"ffi.ModuleGetWriteFormats", "(0: ffi.Module) -> Array<str>", "ffi.Module",
     "ffi.Array<ffi.String>"},
    {"ffi.ModuleWriteToFile", "(0: ffi.Module, 1: str, 2: str) -> void",
     "ffi.Module, ffi.String, ffi.String", "None"},
    {"ffi.ModuleImportModule", "(0: ffi.Module, 1: ffi.Module) -> void", "ffi.Module, ffi.Module",
     "None"},
    {"ffi.ModuleClearImports", "(0: ffi.Module) -> void", "ffi.Module", "None"},
    {"ffi.ModuleGlobalsAdd", "(0: ffi.Module) -> void", "ffi.Module", "None"},
    {"ffi.ModuleGlobalsRemove", "(0: ffi.Module) -> void", "ffi.Module", "None"},
    {"ffi.DeepCopy", "(0: Any) -> Any", "Any", "Any"},
    {"ffi.FromJSONGraph", "(0: Any) -> Any", "Any", "Any"},
    {"ffi.FromJSONGraphString", "(0: str) -> Any", "ffi.String", "Any"},
    {"ffi.GetFirstStructuralMismatch",
     "(0: Any, 1: Any, 2: bool, 3: bool) -> Optional<Tuple<ffi.reflection.AccessPath, "
     "ffi.reflection.AccessPath>>",
     "Any, Any, bool, bool",
     "Optional<Tuple<ffi.reflection.AccessPath,ffi.reflection.AccessPath>>"},
    {"ffi.MakeFieldGetter", "(0: int) -> int", "int", "int"},
    {"ffi.MakeFieldSetter", "(0: int, 1: int, 2: int) -> ffi.Function", "int, int, int",
     "ffi.Function"},
    {"ffi.MakeObjectFromPackedArgs", NULL, NULL, NULL},
    {"ffi.RecursiveEq", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.RecursiveGe", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.RecursiveGt", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.RecursiveHash", "(0: Any) -> int", "Any", "int"},
    {"ffi.RecursiveLe", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.RecursiveLt", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.ReprPrint", "(0: Any) -> str", "Any", "ffi.String"},
    {"ffi.StructuralEqual", "(0: Any, 1: Any, 2: bool, 3: bool) -> bool", "Any, Any, bool, bool",
     "bool"},
    {"ffi.StructuralHash", "(0: Any, 1: bool, 2: bool) -> int", "Any, bool, bool", "int"},
    {"ffi.StructuralKey", "(0: Any) -> ffi.StructuralKey", "Any", "ffi.StructuralKey"},
    {"ffi.StructuralKeyEqual", "(0: Any, 1: Any) -> bool", "Any, Any", "bool"},
    {"ffi.ToJSONGraph", "(0: Any, 1: Any) -> Any", "Any, Any", "Any"},
    {"ffi.ToJSONGraphString", "(0: Any, 1: Any) -> str", "Any, Any", "ffi.String"},
    {"ffi._PyClassRegisterTypeAttrColumns", "(0: int, 1: int) -> void", "int, int", "None"},
    {"ffi._RegisterFFIInit", "(0: int) -> void", "int", "None"},
    {"ffi.SystemLib", NULL, NULL, NULL},
    {"ffi.Module.load_from_file.so", "(0: str, 1: str) -> ffi.Module", "ffi.String, ffi.String",
     "ffi.Module"},
};

enum { kNumBuiltins = sizeof kBuiltins / sizeof kBuiltins[0] };

/* Returns the function's row in kBuiltins, or -1 if there is none. */
static inline int find_row(const char *name) {
  int row;
  for (row = 0; row < kNumBuiltins; ++row) {
    if (strcmp(kBuiltins[row].name, name) == 0) return row;
  }
  return -1;
}

/* Calls check(row) for every function that this build has. */
static inline void for_each(void (*check)(int row)) {
  const tvmffi_builtin_group *group;
  size_t number, i;
  for (number = 0; (group = tvmffi_parts_functions(number)) != NULL; ++number) {
    const char *texts = group->texts;
    for (i = 0; i < group->count; ++i) {
      tvmffi_builtin builtin;
      int row;
      texts = tvmffi_builtin_read(texts, &builtin);
      row = find_row(builtin.name);
      if (row >= 0) check(row);
    }
  }
}

#endif /* TESTS_C_BUILTINS_SUPPORT_H_ */
