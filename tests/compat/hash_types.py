# SPDX-License-Identifier: Apache-2.0
"""The types of hash_values.py, and how its values are built from recipes.

A recipe is a number, a text or the like, which stands for itself, or a tuple: a word, and the
arguments for the word's function in MAKE. A tuple that occurs at two places is one object, shared
by both.
"""
import ctypes
import struct
from typing import Any, Optional

import framework
import numpy as np
import tvm_ffi
from tvm_ffi import libinfo
from tvm_ffi.access_path import AccessPath
from tvm_ffi.dataclasses import IntEnum, StrEnum, entry, field, py_class

find = tvm_ffi.get_global_func
structural, recursive, key_of = find("ffi.StructuralHash"), find("ffi.RecursiveHash"), find(
    "ffi.StructuralKey")
# Types defined in C++, with fields of C++ types; this library registers them when it is loaded.
testing = libinfo.load_lib_ctypes("apache-tvm-ffi", "tvm_ffi_testing", "RTLD_LOCAL")

# ---- Types ----


@py_class("compat.hash.Tree", structural_eq="tree")
class Tree(tvm_ffi.Object):
    a: Any
    b: Any


@py_class("compat.hash.Child", structural_eq="tree")
class Child(Tree):
    c: Any
    ignored: Any = field(structural_eq="ignore")
    not_hashed: Any = field(hash=False)
    not_compared: Any = field(compare=False)


@py_class("compat.hash.Graph", structural_eq="dag")
class Graph(tvm_ffi.Object):
    a: Any
    b: Any
    ignored: Any = field(structural_eq="ignore")


@py_class("compat.hash.Constant", structural_eq="const-tree")
class Constant(tvm_ffi.Object):
    a: Any
    b: Any


@py_class("compat.hash.Single", structural_eq="singleton")
class Single(tvm_ffi.Object):
    a: Any
    b: Any


@py_class("compat.hash.NoKind", structural_eq=None)
class NoKind(tvm_ffi.Object):
    a: Any
    b: Any


@py_class("compat.hash.Variable", structural_eq="var")
class Variable(tvm_ffi.Object):
    name: str = field(structural_eq="ignore")


@py_class("compat.hash.TypedVariable", structural_eq="var")
class TypedVariable(tvm_ffi.Object):
    type: Any


@py_class("compat.hash.DefiningVariable", structural_eq="var")
class DefiningVariable(tvm_ffi.Object):
    type: Any = field(structural_eq="def")


@py_class("compat.hash.Pattern", structural_eq="tree")
class Pattern(tvm_ffi.Object):
    params: Any = field(structural_eq="def-pattern")
    body: Any
    name: str = field(structural_eq="ignore")


@py_class("compat.hash.Simple", structural_eq="tree")
class Simple(tvm_ffi.Object):
    params: Any = field(structural_eq="def-simple")
    body: Any
    name: str = field(structural_eq="ignore")


@py_class("compat.hash.Late", structural_eq="dag")
class Late(tvm_ffi.Object):
    body: Any
    params: Any = field(structural_eq="def-simple")
    others: Any = field(structural_eq="def-pattern")


@py_class("compat.hash.Typed", structural_eq="tree")
class Typed(tvm_ffi.Object):
    number: int
    real: float
    truth: bool
    text: str
    data: bytes
    maybe: Optional[int]
    items: tvm_ffi.List[int]
    dtype: tvm_ffi.dtype
    device: tvm_ffi.Device


@py_class("compat.hash.NoHash", structural_eq="tree")
class NoHash(tvm_ffi.Object):
    """Equality, but no hash: a recursive hash is an error."""

    a: Any

    def __ffi_eq__(self, other, equal):
        return equal(self.a, other.a)


class Low(IntEnum, type_key="compat.hash.Low"):
    one = entry(value=1)
    ten = entry(value=10)


class Sign(StrEnum, type_key="compat.hash.Sign"):
    plus = entry(value="+")
    longer = entry(value="a longer sign")


# Number of cases in which __s_hash__ and __ffi_hash__ return a hash, and of all; the last ones are
# errors.
NUM_ANSWERS, NUM_ANSWERS_AND_ERRORS = 8, 13


def structural_hook(self, seed, hash_value):
    return [
        lambda: hash_value(self.a, seed, 0),
        lambda: hash_value(self.b, hash_value(self.a, seed, 1), 0),
        lambda: hash_value(self.b, hash_value(self.a, seed, 2), 0), lambda: -2**63 + 5,
        lambda: seed, lambda: hash_value(self.a, hash_value(self.a, -1, 0), 0), lambda: True,
        lambda: structural(self.a, False, False), lambda: "a text", lambda: 1.5, lambda: 2**70,
        lambda: hash_value(self.a), lambda: [][seed & 1]
    ][self.case]()


def recursive_hook(self, hash_value):
    return [
        lambda: hash_value(self.a), lambda: hash_value(self.b) * 31 + 7 & 2**63 - 1, lambda: -5,
        lambda: True, lambda: recursive(self.b), lambda: hash_value(self), lambda: hash_value(None),
        lambda: hash_value("x" * 9), lambda: "a text", lambda: 1.5, lambda: 2**70,
        lambda: hash_value(), lambda: [][0]
    ][self.case]()


def hooked(kind):
    class Hooked(tvm_ffi.Object):
        a: Any
        b: Any
        case: int
        __s_hash__, __ffi_hash__ = structural_hook, recursive_hook
    return py_class(f"compat.hash.Hooked.{kind}", structural_eq=kind)(Hooked)


def with_key(key):
    class Keyed(tvm_ffi.Object):
        pass
    return py_class(key)(Keyed)


KINDS = ["tree", "var", "dag", "const-tree", "singleton"]
HOOKED = ["Hooked." + kind for kind in KINDS]
KEYED = ["compat.hash.keys." + "abcdefghijklmnopqrstuvwxyz"[:size] for size in range(24)]
CLASSES = {
    made.__name__: made
    for made in (Tree, Child, Graph, Constant, Single, NoKind, Variable, TypedVariable,
                 DefiningVariable, Pattern, Simple, Late, Typed, NoHash)
}
CLASSES.update(zip(HOOKED, map(hooked, KINDS)))
CLASSES.update(zip(KEYED, map(with_key, KEYED)))
VARIABLES = ["Variable", "TypedVariable", "DefiningVariable", "Hooked.var"]

# ---- Building values ----


def tensor(device, code, bits, lanes, shape, strides, offset, data):
    """A tensor of any type, with the given bytes as data."""
    buffer = ctypes.create_string_buffer(data, max(1, len(data)))
    dims = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * max(1, len(strides)))(*strides)
    exported = framework.DLTensor(ctypes.addressof(buffer), device, 0, len(shape), code, bits,
                                  lanes, dims, steps, offset)
    managed = framework.Managed(1, 3, None, ctypes.cast(framework.release, ctypes.c_void_p), 0,
                                exported)
    framework.Tensor.exported[ctypes.addressof(managed)] = (managed, buffer, dims, steps)
    return tvm_ffi.from_dlpack(
        ctypes.pythonapi.PyCapsule_New(ctypes.addressof(managed), b"dltensor_versioned", None))


def cut(content, size):
    """An Array of one heap text or bytes object, whose size field is then overwritten."""
    array = tvm_ffi.Array([content])
    size_at = array[0]._tvm_ffi_cached_object.__chandle__() + 24 + 8
    ctypes.c_size_t.from_address(size_at).value = size
    return array


def endless(kind, *items):
    """A value that contains itself."""
    if kind == "List":
        made = find("ffi.List")(*items)
        made.append(made)
    elif kind == "Dict":
        made = find("ffi.Dict")(*(word for pair in enumerate(items) for word in pair))
        made["self"] = tvm_ffi.Array([made])
    else:
        made = Tree(items, None)
        made.b = tvm_ffi.Array([made, items])
    return made


def path_of(*steps):
    path = AccessPath.root()
    for step in steps:
        path = path.attr(step) if isinstance(step, str) else path.array_item(step)
    return path


MAKE = {
    "real": lambda bits: struct.unpack("d", struct.pack("Q", bits))[0],
    "dtype": tvm_ffi.dtype,
    "device": tvm_ffi.Device,
    "pointer": ctypes.c_void_p,
    "Shape": lambda *dims: tvm_ffi.Shape(dims),
    "numpy": lambda dtype, shape, data: tvm_ffi.from_dlpack(
        np.frombuffer(data, dtype).reshape(shape).copy()),
    "tensor": tensor,
    "cut": cut,
    "endless": endless,
    "StructuralKey": key_of,
    "AccessPath": path_of,
    "VisitInterrupt": tvm_ffi.structural.VisitInterrupt,
    "Low": lambda name: getattr(Low, name),
    "Sign": lambda name: getattr(Sign, name),
    "function": lambda: tvm_ffi.convert(lambda: 1),
    "opaque": lambda: tvm_ffi.convert(object()),
    "error": lambda: tvm_ffi.convert(ValueError("a value")),
    "module": find("ffi.SystemLib"),
    "object": find("ffi.GetInvalidObject"),
    "cxx": find("ffi.MakeObjectFromPackedArgs"),
    **{word: find("ffi." + word) for word in ("Array", "List", "Map", "Dict")},
    **CLASSES,
}


def held_by_variables(recipe, inside=False):
    """Identities of the variables in a recipe, and of everything inside them."""
    if isinstance(recipe, tuple):
        inside = inside or recipe[0] in VARIABLES
        if inside:
            yield id(recipe)
        for part in recipe[1:]:
            yield from held_by_variables(part, inside)


def build(recipe, made, variables, held):
    """Build a recipe. Parts whose identity is in held are cached in variables, the others in
    made."""
    if not isinstance(recipe, tuple):
        return recipe
    known = variables if id(recipe) in held else made
    if id(recipe) not in known:
        known[id(recipe)] = MAKE[recipe[0]](*(build(part, made, variables, held)
                                              for part in recipe[1:]))
    return known[id(recipe)]


def text(recipe, seen):
    """The recipe in one line; seen numbers the tuples, so that a repeated one is printed as a
    reference."""
    if isinstance(recipe, bytes) and len(recipe) > 24:
        return f"{recipe[:24]!r}...({len(recipe)})"
    if not isinstance(recipe, tuple):
        return repr(recipe)
    if id(recipe) in seen:
        return f"#{seen[id(recipe)]}"
    seen[id(recipe)] = len(seen)
    parts = ", ".join([text(part, seen) for part in recipe[1:]])
    return f"#{seen[id(recipe)]}={recipe[0]}({parts})"
