/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in functions as the reference describes them. A function that is new in one of the
 * tables of c/ needs its row here.
 */
#ifndef TESTS_C_BUILTIN_TABLE_H_
#define TESTS_C_BUILTIN_TABLE_H_

/*
 * signature: what errors show behind the name; NULL when any arguments are taken.
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
    {"ffi.SystemLib", NULL, NULL, NULL},
    {"ffi.Module.load_from_file.so", "(0: str, 1: str) -> ffi.Module", "ffi.String, ffi.String",
     "ffi.Module"},
};

enum { kNumBuiltins = sizeof kBuiltins / sizeof kBuiltins[0] };

#endif /* TESTS_C_BUILTIN_TABLE_H_ */
