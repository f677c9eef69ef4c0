# SPDX-License-Identifier: Apache-2.0
"""Every global function of the library, called by its name."""
import ctypes
import pathlib
import tempfile
import typing

import numpy as np
import tvm_ffi
from kernels import Case, kernels
from tvm_ffi.access_path import AccessPath


def find(name):
    kernels.asked_globals.add(name)
    return tvm_ffi.get_global_func(name)


def plain(value):
    """The same value with Python's own types: an Array becomes a tuple, a List a list."""
    kinds = ((tvm_ffi.Array, tuple), (tvm_ffi.List, list))
    for kind, made in kinds:
        if isinstance(value, kind):
            return made(map(plain, value))
    if isinstance(value, (tvm_ffi.Map, tvm_ffi.Dict)):
        return {plain(key): plain(item) for key, item in value.items()}
    for kind in (str, bytes):  # the package has subclasses of them
        if isinstance(value, kind):
            return kind(value)
    return value


@tvm_ffi.dataclasses.py_class("compat.Pair", structural_eq="tree")
class Pair(tvm_ffi.Object):
    """A node with fields."""

    a: typing.Any
    b: typing.Any = None


class Globals(Case):
    """Checks calls of global functions against tables."""

    def gives(self, name, *rows):
        function = find(name)
        for *args, expected in rows:
            with self.subTest(name=name, args=args):
                result = plain(function(*args))
                self.assertEqual(result, expected)
                self.assertIs(type(result), type(expected))

    def raises(self, name, *rows):
        """Each row: arguments..., exception class, end of the message."""
        function = find(name)
        for *args, kind, message in rows:
            with self.subTest(name=name, args=args):
                with self.assertRaises(Exception) as caught:
                    function(*args)
                self.assertIs(type(caught.exception), kind)
                self.assertTrue(str(caught.exception).endswith(message), str(caught.exception))


class Registry(Globals):
    def test_names(self):
        get = find("ffi.FunctionListGlobalNamesFunctor")()
        names = [get(i) for i in range(get(-1))]
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("ffi.ReprPrint", names)
        with self.assertRaisesRegex(IndexError, f"Index {len(names)} out of bounds {len(names)}"):
            get(len(names))
        tvm_ffi.register_global_func("compat.short", lambda: 1)
        self.gives("ffi.FunctionRemoveGlobal", ("compat.short", True), ("compat.short", False))

    def test_metadata(self):
        self.gives("ffi.GetGlobalFuncMetadata",
                   ("ffi.Array", '{"type_schema":"{\\"type\\":\\"ffi.Function\\"}"}'))
        self.raises("ffi.GetGlobalFuncMetadata",
                    ("compat.none", RuntimeError, "Global Function is not found: compat.none"))

    def test_types(self):
        keys = list(find("ffi.GetRegisteredTypeKeys")())
        self.assertEqual(keys[:14], [
            "None", "int", "bool", "float", "void*", "DataType", "Device", "DLTensor*",
            "const char*", "TVMFFIByteArray*", "ObjectRValueRef", "ffi.SmallStr", "ffi.SmallBytes",
            "ffi.Unchanged"
        ])
        self.assertEqual(keys[14:29], [
            "ffi." + name for name in ("Object", "String", "Bytes", "Error", "Function", "Shape",
                                       "Tensor", "Array", "Map", "Module", "OpaquePyObject", "List",
                                       "Dict", "VisitInterrupt", "BigInt")
        ])

    def test_sentinels(self):
        for name in ("ffi.GetInvalidObject", "ffi.GetKwargsObject"):
            self.assertTrue(find(name)().same_as(find(name)()))
        self.assertFalse(find("ffi.GetInvalidObject")().same_as(find("ffi.GetKwargsObject")()))

    def test_text(self):
        self.gives("ffi.String", ("x", "x"), ("", ""), ("longer than seven", "longer than seven"))
        self.gives("ffi.Bytes", (b"x", b"x"), (b"longer than\0seven", b"longer than\0seven"))
        self.raises("ffi.String", (1, TypeError, "Expected `str` but got `int`"))

    def test_function(self):
        safe_call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32,
                                     ctypes.c_void_p)
        number = safe_call(lambda context, args, count, result: 0)
        made = find("ffi.FunctionFromExternC")(None, ctypes.cast(number, ctypes.c_void_p), None)
        self.assertIs(made(1, 2), None)


class Containers(Globals):
    def test_shapes(self):
        self.assertEqual(tuple(find("ffi.Shape")(1, True, 3)), (1, 1, 3))
        self.raises("ffi.Shape", ("x", ValueError, "Expect shape to take list of int arguments"))

    def test_arrays(self):
        self.gives("ffi.Array", ((),), (1, "two", None, (1, "two", None)))
        a = find("ffi.Array")(1, "two")
        self.gives("ffi.ArraySize", (a, 2))
        self.gives("ffi.ArrayGetItem", (a, 1, "two"))
        self.gives("ffi.ArrayContains", (a, "two", True), (a, 2, False))
        self.raises("ffi.ArrayGetItem", (a, 2, IndexError, "Index 2 out of bounds 2"),
                    (a, -1, IndexError, "Index -1 out of bounds 2"))

    def test_lists(self):
        made = find("ffi.List")(1, 2, 3)
        for name, *args, after in (("Append", 4, [1, 2, 3, 4]), ("Insert", 1, 9, [1, 9, 2, 3, 4]),
                                   ("SetItem", 0, "x", ["x", 9, 2, 3,
                                                        4]), ("Erase", 1, ["x", 2, 3, 4]),
                                   ("EraseRange", 0, 2, [3, 4]), ("Reverse", [4, 3]),
                                   ("Reserve", 100, [4, 3]), ("ReplaceSlice", 0, 1, [7,
                                                                                     8], [7, 8,
                                                                                          3])):
            with self.subTest(name=name):
                self.assertIs(find("ffi.List" + name)(made, *args), None)
                self.assertEqual(plain(made), after)
        self.gives("ffi.ListPop", (made, 1, 8))
        self.gives("ffi.ListSize", (made, 2))
        self.gives("ffi.ListGetItem", (made, 1, 3))
        self.gives("ffi.ListContains", (made, 7, True), (made, 8, False))
        self.raises("ffi.ListInsert", (made, 3, 0, IndexError, "Index 3 out of bounds [0, 2]"))
        self.raises("ffi.ListEraseRange",
                    (made, 1, 3, IndexError, "Erase range [1, 3) out of bounds 2"))
        self.gives("ffi.ListClear", (made, None))
        self.assertEqual(plain(made), [])

    def test_maps(self):
        for kind in ("Map", "Dict"):
            with self.subTest(kind=kind):
                made = find("ffi." + kind)("a", 1, 2, "b", "a", 3)
                self.assertEqual(plain(made), {"a": 3, 2: "b"})
                self.gives(f"ffi.{kind}Size", (made, 2))
                self.gives(f"ffi.{kind}GetItem", (made, 2, "b"))
                self.gives(f"ffi.{kind}Count", (made, "a", 1), (made, "b", 0))
                self.raises(f"ffi.{kind}GetItem", (made, 1, KeyError, "key is not in Map'"))
                get = find(f"ffi.{kind}GetItemOrMissing")
                self.assertEqual(get(made, 2), "b")
                self.assertTrue(get(made, 3).same_as(find("ffi.GetInvalidObject")()))
                ask, items = find(f"ffi.{kind}ForwardIterFunctor")(made), []
                while True:
                    items.append((ask(0), ask(1)))
                    if not ask(2):
                        break
                self.assertEqual(items, [("a", 3), (2, "b")])
        self.gives("ffi.DictSetItem", (made, "c", 4, None))
        self.gives("ffi.DictErase", (made, "a", None), (made, "none", None))
        self.assertEqual(plain(made), {2: "b", "c": 4})
        self.gives("ffi.DictClear", (made, None))
        self.assertEqual(plain(made), {})

    def test_devices(self):
        cpu = tvm_ffi.from_dlpack(np.zeros(2))
        self.gives("ffi.ContainerFindFirstNonCPUDevice",
                   ([1, cpu, {"a": [cpu]}], tvm_ffi.device("cpu:0")))


class Structures(Globals):
    def test_equality(self):
        pair, equal_pair, other_pair = Pair([1, 2], "x"), Pair([1, 2], "x"), Pair([1, 3], "x")
        self.gives("ffi.StructuralEqual", (pair, equal_pair, False, False, True),
                   (pair, other_pair, True, True, False))
        hashes = [
            find("ffi.StructuralHash")(value, False, False)
            for value in (pair, equal_pair, other_pair)
        ]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])
        self.gives("ffi.GetFirstStructuralMismatch", (pair, equal_pair, False, False, None))
        paths = find("ffi.GetFirstStructuralMismatch")(pair, other_pair, False, False)
        self.assertEqual([repr(path) for path in paths], ["<root>.a[1]"] * 2)
        self.assertTrue(paths[0].__class__ is AccessPath)

    def test_keys(self):
        key = find("ffi.StructuralKey")
        self.gives("ffi.StructuralKeyEqual", (key([1]), key([1]), True),
                   (key([1]), key([2]), False))
        self.assertEqual(
            key([1]).hash_i64,
            find("ffi.StructuralHash")(tvm_ffi.Array([1]), False, False))

    def test_walk(self):
        seen = []
        self.gives("ffi.StructuralWalk",
                   ([1, [2], "x"], [(1, lambda i: seen.append(i))], [], 0, None))
        self.assertEqual(seen, [1, 2])
        interrupt = find("ffi.VisitInterrupt")("found")
        self.assertEqual(interrupt.value, "found")
        walked = find("ffi.StructuralWalk")([1, 2], [(1, lambda i: interrupt)], [], 1)
        self.assertTrue(walked.same_as(interrupt))

    def test_visit(self):
        seen = []

        def visit(value, visitor):
            seen.append((plain(value), find("ffi.StructuralVisitorDefRegionKind")(visitor)))
            if not isinstance(value, tvm_ffi.Array):
                return None
            if len(value) == 1:
                return find("ffi.StructuralVisitorVisit")(visitor, value[0])
            return find("ffi.StructuralVisitorWithDefRegionKind")(
                visitor, 1, lambda: find("ffi.StructuralVisitorDefaultVisit")(visitor, value))
        self.gives("ffi.StructuralVisit", ([1, [2]], [(-1, visit)], None))
        self.assertEqual(seen, [((1, (2,)), 0), (1, 1), ((2,), 1), (2, 1)])

    def test_map(self):
        self.gives("ffi.StructuralMap",
                   ([1, "x", [2]], [(1, lambda i: i + 1)], [], 1, (2, "x", (3, ))),
                   ([1], [], [(1, lambda i, kind: kind)], 0, (0, )))

    def test_mutate(self):
        def mutate(value, mutator):
            self.assertEqual(find("ffi.StructuralMutatorDefRegionKind")(mutator), 0)
            if len(value) == 1:
                return find("ffi.StructuralMutatorWithDefRegionKind")(
                    mutator, 2, lambda: find("ffi.StructuralMutatorMutate")(mutator, value[0]))
            self.assertIs(find("ffi.StructuralMutatorVarRemapGet")(mutator, value), None)
            find("ffi.StructuralMutatorVarRemapSet")(mutator, value, "mapped")
            self.assertEqual(find("ffi.StructuralMutatorVarRemapGet")(mutator, value), "mapped")
            return find("ffi.StructuralMutatorDefaultMutate")(mutator, value)
        entries = [(71, mutate, False), (1, lambda value, mutator: value * 2, False)]
        self.gives("ffi.StructuralMutate", ([1, [2], 3], entries, (2, 4, 6)))

    def test_contexts(self):
        leaf = Pair(1)
        root = Pair([leaf], Pair(2))
        context = find("ffi.MakeObjectFromPackedArgs")("ffi.VisitErrorContext",
                                                       "reverse_visit_pattern",
                                                       tvm_ffi.List([leaf, root]),
                                                       "prev_error_context", None)
        paths = find("ffi.VisitErrorContext.FindAccessPaths")(root, context, False)
        self.assertEqual([repr(path) for path in paths], ["<root>.a[0]"])


class Texts(Globals):
    def test_json(self):
        self.gives("ffi.json.Parse", ('{"a": [1, 2.5, null, true]}', {"a": (1, 2.5, None, True)}),
                   ("1.0", 1.0))
        self.gives("ffi.json.Stringify", ({"a": (1, 2.5, None)}, None, '{"a":[1,2.5,null]}'),
                   ([1], 2, "[\n  1\n]"))
        self.raises("ffi.json.Parse",
                    ("[1 2]", ValueError, "Expecting ',' delimiter: line 1 column 4 (char 3)"))

    def test_graphs(self):
        text = '{"root_index":1,"nodes":[{"type":"int","data":1},{"type":"ffi.Array","data":[0]}]}'
        self.gives("ffi.ToJSONGraphString", ([1], None, text))
        self.gives("ffi.FromJSONGraphString", (text, (1,)))
        graph = find("ffi.ToJSONGraph")(Pair(1, "x"), {"v": "1"})
        self.assertEqual(plain(graph)["metadata"], {"v": "1"})
        back = find("ffi.FromJSONGraph")(graph)
        self.assertIs(type(back), Pair)
        self.assertEqual((back.a, back.b), (1, "x"))

    def test_repr(self):
        self.gives("ffi.ReprPrint", ([1, "x", None], '(1, "x", None)'),
                   (Pair(1, 2.5), "compat.Pair(a=1, b=2.5)"), (2**70, "1180591620717411303424"),
                   (tvm_ffi.device("cuda:1"), "cuda:1"))


class Dataclasses(Globals):
    def test_comparisons(self):
        less, more, same = tvm_ffi.Array([1, 2]), tvm_ffi.Array([1, 3]), tvm_ffi.Array([1, 2])
        for name, *expected in (("Eq", False, True), ("Lt", True, False), ("Le", True, True),
                                ("Gt", False, False), ("Ge", False, True)):
            self.gives("ffi.Recursive" + name, (less, more, expected[0]), (less, same, expected[1]))
        self.raises("ffi.RecursiveLt",
                    (1, 2.0, TypeError, "Cannot compare values of different types: int vs float"))
        self.assertEqual(find("ffi.RecursiveHash")(less), find("ffi.RecursiveHash")(same))
        self.assertNotEqual(find("ffi.RecursiveHash")(less), find("ffi.RecursiveHash")(more))

    def test_copies(self):
        value = Pair(tvm_ffi.List([1]), 2)
        copy = find("ffi.DeepCopy")(value)
        copy.a.append(2)
        self.assertEqual((plain(value.a), plain(copy.a), copy.b), ([1], [1, 2], 2))
        self.raises("ffi.DeepCopy",
                    (find("ffi.DeepCopy"), RuntimeError,
                     'Cannot deep copy object of type "ffi.Function" because it is not '
                     "copy-constructible"))

    def test_making(self):
        make = find("ffi.MakeObjectFromPackedArgs")
        made = make("compat.Pair", "a", 5)
        self.assertEqual((type(made), made.a, made.b), (Pair, 5, None))
        self.raises("ffi.MakeObjectFromPackedArgs",
                    ("compat.Pair", TypeError, "Required field `a` not set in type `compat.Pair`"),
                    ("compat.Pair", "a", 1, "c", 2, TypeError,
                     "Type `compat.Pair` does not have field `c`"))

    def test_fields(self):
        """Reads and writes the storage of an int field with the getter and setter made for
        frontends."""
        storage, result = ctypes.c_int64(7), (ctypes.c_uint64 * 2)()
        getter = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                  ctypes.c_void_p)(find("ffi.MakeFieldGetter")(1))
        self.assertEqual(getter(ctypes.addressof(storage), ctypes.addressof(result)), 0)
        self.assertEqual(list(result), [1, 7])

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        def convert(context, source, target):
            ctypes.memmove(target, source, 16)
            return 0
        setter = find("ffi.MakeFieldSetter")(1, 0, ctypes.cast(convert, ctypes.c_void_p).value)
        setter(ctypes.c_void_p(ctypes.addressof(storage)), 42)
        self.assertEqual(storage.value, 42)
        self.raises("ffi.MakeFieldGetter",
                    (11, ValueError, "Unsupported field type index for getter: 11"))

    def test_registering(self):
        """Both were already called for Pair: a second call is refused, and so is an unregistered
        type."""
        index = tvm_ffi.core._object_type_key_to_index("compat.Pair")
        for name, *args in (("ffi._RegisterFFIInit", index), ("ffi._PyClassRegisterTypeAttrColumns",
                                                              index, 56)):
            with self.assertRaises(RuntimeError):
                find(name)(*args)


class Modules(Globals):
    def test_modules(self):
        module = find("ffi.ModuleLoadFromFile")(kernels.path)
        again = find("ffi.Module.load_from_file.so")(kernels.path, "so")
        self.assertEqual(find("ffi.ModuleGetFunction")(module, "count", False)(1, 2), 2)
        self.gives("ffi.ModuleGetFunction", (module, "none", True, None))
        self.gives("ffi.ModuleImplementsFunction", (module, "count", False, True),
                   (module, "none", True, False))
        self.gives("ffi.ModuleGetKind", (module, "library"))
        self.gives("ffi.ModuleGetPropertyMask", (module, 3))
        self.gives("ffi.ModuleGetWriteFormats", (module, ()))
        self.gives("ffi.ModuleGetFunctionDoc", (module, "count", False, ""),
                   (module, "none", False, None))
        self.gives("ffi.ModuleGetFunctionMetadata", (module, "count", False, None))
        self.gives("ffi.ModuleInspectSource", (module, "c", ""))
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(RuntimeError):
            find("ffi.ModuleWriteToFile")(module, str(pathlib.Path(folder, "m.o")), "o")
        self.gives("ffi.ModuleImportModule", (module, again, None))
        self.assertEqual(len(module.imports), 1)
        self.gives("ffi.ModuleClearImports", (module, None))
        self.assertEqual(len(module.imports), 0)
        self.gives("ffi.ModuleGlobalsAdd", (module, None))
        self.gives("ffi.ModuleGlobalsRemove", (module, None), (module, None))
        self.assertEqual(find("ffi.SystemLib")().kind, "library")
