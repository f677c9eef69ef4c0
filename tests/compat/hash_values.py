#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hashes of random values, one per line. hashes.py runs this on two libraries.

    hash_values.py SEED COUNT

A line has the text of a recipe (hash_types.py) and six results: the recursive hash of the value,
its structural hashes with map_free_vars and skip_tensor_content as in OPTIONS, and the hash of its
StructuralKey. A result may also be an error.
"""
import math
import random
import re
import sys

import numpy as np
import tvm_ffi
from hash_types import (HOOKED, KEYED, NUM_ANSWERS, NUM_ANSWERS_AND_ERRORS, Variable, build,
                        held_by_variables, key_of, recursive, structural, text)

OPTIONS = [(False, False), (True, False), (False, True), (True, True)]
# What a random value may contain besides values that have a structural hash.
ALL_HASH, SOME_HAVE_NO_KIND, ERRORS = range(3)

# ---- Random recipes ----

FLOATS = [
    0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 5e-324, 2.2250738585072014e-308,
    1.7976931348623157e308
]
NANS = [
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff8dead00000001,
    0xffffffffffffffff
]
INTS = [0, 1, -1, 2, 255, 2**31 - 1, -2**31, 2**32, 2**63 - 1, -2**63]
BIG_INTS = [2**63, -2**63 - 1, 2**64 - 1, 2**64, 2**127, -2**127, 2**128, 10**60, -10**60]
DTYPES = [
    "bool", "int8", "int64", "uint8", "uint16", "float16", "float32", "float64", "bfloat16",
    "float8_e4m3fn", "float8_e8m0fnu", "float6_e2m3fn", "float4_e2m1fn", "int4", "int32x4",
    "float32x16", "float4_e2m1fnx2", "handle"
]
DEVICES = [(1, 0), (1, 3), (2, 0), (2, 7), (8, 1), (15, 0)]
NUMPY = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "complex64", "complex128"
]
# Code and bits: floats that NumPy does not have, and types smaller than a byte.
TENSOR_TYPES = [(4, 16), (0, 4), (1, 1), (6, 8), (10, 8), (12, 8), (14, 8), (15, 6), (17, 4),
                (2, 32), (1, 8)]
ENUMS = [("Low", "one"), ("Low", "ten"), ("Sign", "plus"), ("Sign", "longer")]
# Objects without a structural hash; all but the last have a recursive one.
WITHOUT_HASH = [("function", ), ("opaque", ), ("error", ), ("module", ), ("object", ),
                ("cxx", "ffi.EnumState", "entries", ("List", ), "indexes", ("Dict", 1, ("List", )),
                 "attrs", ("Dict", )),
                ("cxx", "ffi.VisitErrorContext", "reverse_visit_pattern",
                 ("List", ("Array", 1), ("Shape", 2)), "prev_error_context", None),
                ("cxx", "testing.TestEqWithoutHash", "key", 1, "label", "x")]


class Maker:
    """Makes random recipes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick, self.below = self.random.choice, self.random.randrange
        self.pool, self.variables = [], []  # tuples of the current value that may be used again
        self.level = ALL_HASH

    def bytes(self, size):
        return bytes(self.below(256) for _ in range(size))

    def text(self, size):
        return "".join(self.pick("abcxyz019_. é中") for _ in range(size))

    def size(self):
        return self.pick([*range(21), 64, 300])

    def integer(self):
        return self.pick([*INTS, self.below(-100, 100), self.below(-2**63, 2**63)])

    def big_integer(self):
        return self.pick([
            *BIG_INTS,
            self.pick([1, -1]) * (self.random.getrandbits(self.below(1, 1200)) + 2**63 + 1)
        ])

    def float(self):
        return self.pick([
            *FLOATS,
            self.random.uniform(-10, 10), ("real", self.random.getrandbits(64)),
            ("real", self.pick(NANS))
        ])

    def dims(self):
        return [self.pick([0, 1, 1, 2, 2, 3, 4, 5]) for _ in range(self.below(4))]

    def numpy(self):
        dtype, shape = self.pick(NUMPY), self.dims()
        data = self.bytes(np.dtype(dtype).itemsize * math.prod(shape))
        return ("numpy", dtype, shape, bytes(byte & 1
                                             for byte in data) if dtype == "bool" else data)

    def tensor(self):
        shape, strides, (code, bits) = self.dims(), None, self.pick(TENSOR_TYPES)
        if self.random.random() < 0.5:
            strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
            for i, dim in enumerate(shape):
                if dim == 1 and self.random.random() < 0.3:  # any stride will do
                    strides[i] = self.below(-3, 9)
            if self.level == ERRORS:  # probably not contiguous
                self.random.shuffle(strides)
        lanes, device = self.pick(
            [1, 1, 1, 2, 4]), 2 if self.level == ERRORS and self.random.random() < 0.3 else 1
        data = self.bytes((math.prod(shape) * bits * lanes + 7) // 8)
        return ("tensor", device, code, bits, lanes, shape, strides, 0, data)

    def typed(self):
        return ("Typed", self.integer(), self.float(), self.random.random()
                < 0.5, self.text(self.below(12)), self.bytes(self.below(12)),
                self.pick([None, self.integer()]), ("List", *(self.integer()
                                                              for _ in range(self.below(3)))),
                ("dtype", self.pick(DTYPES)), ("device", *self.pick(DEVICES)))

    def cxx(self):
        return ("cxx", *self.pick([
            lambda: ("testing.TestIntPair", "a", self.integer(), "b", self.integer()), lambda:
            ("testing.TestObjectBase", "v_i64", self.integer(), "v_f64", self.float(), "v_str",
             self.text(9)), lambda: ("testing.TestCompare", "key", self.integer(), "name",
                                     self.text(3), "ignored_field", self.integer()), lambda:
            ("testing.TestHash", "key", self.integer(), "name", self.text(9), "hash_ignored",
             self.integer()), lambda:
            ("testing.TestCustomHash", "key", self.integer(), "label", self.text(3)), lambda:
            ("testing.TestCustomCompare", "key", self.integer(), "label", self.text(3)), lambda:
            ("testing.TestObjectDerived", "v_map",
             ("Map", *self.pairs(0)), "v_array", self.variables_of()), lambda:
            ("testing.TestCxxClassDerivedDerived", "v_i64", self.integer(), "v_i32",
             self.below(-2**31, 2**31), "v_f64", self.float(), "v_f32",
             self.pick([0.5, -0.0, math.inf, 0.1]), "v_str", self.text(8), "v_bool",
             self.random.random() < 0.5)
        ])())

    def variable(self):
        """An existing variable or a new one."""
        if self.variables and self.random.random() < 0.6:
            return self.pick(self.variables)
        made = ("Variable", self.text(4))
        if self.random.random() < 0.4:
            made = (self.pick(["TypedVariable", "DefiningVariable"]),
                    self.pick(
                        [self.integer, lambda: self.text(9), self.variable, self.variables_of])())
        self.variables.append(made)
        return made

    def variables_of(self):
        return ("Array", *(self.variable() for _ in range(self.below(4))))

    def leaf(self):
        text_or_bytes = [lambda: self.text(self.size()), lambda: self.bytes(self.size())]
        choices = [
            lambda: None, lambda: self.random.random() < 0.5, self.integer, self.big_integer,
            self.float, *text_or_bytes, *text_or_bytes, lambda: ("dtype", self.pick(DTYPES)),
            lambda: ("device", *self.pick(DEVICES)), lambda:
            ("pointer", self.random.getrandbits(47)), lambda:
            ("Shape", *(self.pick([self.below(9), self.below(2**62)])
                        for _ in range(self.below(6)))), self.numpy, self.tensor, self.variable,
            self.variable, self.typed
        ]
        if self.level >= SOME_HAVE_NO_KIND:
            choices += [
                self.cxx, lambda: self.pick(ENUMS), lambda:
                ("AccessPath", *(self.pick([self.text(self.size()),
                                            self.below(5)]) for _ in range(self.below(4))))
            ]
        if self.level == ERRORS:
            choices.append(lambda: self.pick(WITHOUT_HASH))
        return self.pick(choices)()

    def pairs(self, depth):
        """Keys and values of a map; most keys are leaves."""
        found = []
        for _ in range(self.pick([0, 1, 2, 3, 4, 6])):
            found += [
                self.leaf() if self.random.random() < 0.7 else self.value(depth),
                self.value(depth)
            ]
        return found

    def node(self, depth):
        def value():
            return self.value(depth - 1)

        def several():
            return [value() for _ in range(self.pick([0, 1, 2, 2, 3, 4]))]

        containers = [
            lambda: ("Array", *several()), lambda: ("List", *several()), lambda:
            ("Map", *self.pairs(depth - 1)), lambda: ("Dict", *self.pairs(depth - 1))
        ]
        choices = [
            *containers, *containers, lambda: ("Tree", value(), value()), lambda:
            ("Child", *(value() for _ in range(6))), lambda: ("Graph", value(), value(), value()),
            lambda: ("Constant", value(), value()), lambda: ("Single", value(), value()), lambda:
            (self.pick(["Pattern", "Simple"]), self.variables_of(), value(), self.text(3)), lambda:
            (self.pick(["Pattern", "Simple"]), value(), value(), self.text(3)), lambda:
            ("Late", value(), self.variables_of(), self.variable()), lambda:
            ("Late", value(), value(), value()), lambda:
            (self.pick(["Hooked.tree", *HOOKED]), value(), value(),
             self.below(NUM_ANSWERS_AND_ERRORS if self.level == ERRORS else NUM_ANSWERS))
        ]
        if self.level >= SOME_HAVE_NO_KIND:
            choices += [lambda: ("StructuralKey", value()), lambda: ("VisitInterrupt", value()),
                        lambda: ("NoKind", value(), value())]
        if self.level == ERRORS:
            choices.append(lambda: ("NoHash", value()))
        return self.pick(choices)()

    def value(self, depth):
        if self.pool and self.random.random() < 0.12:
            return self.pick(self.pool)
        made = self.node(depth) if depth > 0 and self.random.random() < 0.65 else self.leaf()
        if isinstance(made, tuple):
            self.pool.append(made)
        return made

    def whole_value(self, depth, level):
        self.pool, self.variables, self.level = [], [], level
        return self.node(depth)


def fixed(maker):
    """At least one of each kind of value."""
    yield from [None, True, False, *INTS, *BIG_INTS, *FLOATS, *(("real", bits) for bits in NANS)]
    for size in range(21):
        for content in (maker.text(size), maker.bytes(size), "\0" * size, bytes(size)):
            yield from (content, ("Dict", content, content))
    for size in range(9):
        for content in (maker.text(20), maker.bytes(20)):
            yield from (("cut", content, size), ("Map", content, 1, ("cut", content, size), 2))
    yield from (("Map", ("real", bits), 1) for bits in NANS)
    yield from (("dtype", name) for name in DTYPES)
    yield from (("device", *device) for device in DEVICES)
    yield from (("pointer", address) for address in (1, 2**47 - 1))
    yield from (("Shape", *range(size)) for size in range(6))
    for code, bits in TENSOR_TYPES:
        for shape in ([], [0], [1], [3], [9], [3, 3]):
            yield from (("tensor", 1, code, bits, lanes, shape, None, 0, maker.bytes(200))
                        for lanes in (1, 2, 3))
    yield ("tensor", 1, 2, 32, 1, [2, 3], [1, 2], 0, maker.bytes(24))  # not contiguous
    yield ("tensor", 2, 2, 32, 1, [2, 3], None, 0, maker.bytes(24))    # on another device
    yield from ((key,) for key in KEYED)
    yield from (*ENUMS, *WITHOUT_HASH, ("NoHash", 1), ("NoKind", 1, 2))
    for kind in HOOKED:
        yield from ((kind, maker.integer(), maker.text(9), answer)
                    for answer in range(NUM_ANSWERS_AND_ERRORS))


# ---- Results ----


def attempt(function, *args):
    try:
        return str(function(*args))
    except Exception as error:  # pylint: disable=broad-except
        return explain(error)


def explain(error):
    """Removes what differs on purpose: ours words its advice differently, and has no C++ condition
    in messages."""
    message = re.sub(r"(but not __ffi_hash__\.).*", r"\1", str(error))
    message = re.sub(r"^Check failed: .*: (can only hash CPU|Can only hash contiguous)", r"\1",
                     message)
    return f"{type(error).__name__} {message!r}"


def hashes(value, only_recursive=False):
    found = [attempt(recursive, value)]
    if not only_recursive:
        found += [attempt(structural, value, *flags) for flags in OPTIONS]
        found.append(attempt(lambda: key_of(value).hash_i64))
    return found


def results(recipe, only_recursive=False):
    """The hashes of a recipe, built three times anew, and once more except for the variables of the
    first time."""
    kept, found, variables, held = [], [], {}, set(held_by_variables(recipe))
    for known in (variables, {}, {}, variables):
        try:
            kept.append(build(recipe, {}, known, held))
        except Exception as error:  # pylint: disable=broad-except
            return [f"not made: {explain(error)}"]
        found.append(hashes(kept[-1], only_recursive))
    return [
        anew[0] if len(set(anew)) == 1 else
        "by address" if again == anew[0] else f"{', '.join(anew)}; {again}"
        for *anew, again in zip(*found)
    ]


def main():
    maker, count = Maker(int(sys.argv[1])), int(sys.argv[2])
    variable = Variable("v")
    print("a variable alone, less its address =>",
          structural(variable, False, False) - variable.__chandle__())
    tensors = [
        build(("tensor", 1, 1, 8, 1, [3], None, offset, b"abcabd"), {}, {}, ()) for offset in (0, 3)
    ]
    print("what is before a tensor's byte_offset counts =>",
          len({structural(t, False, False) for t in tensors}) == 1)
    tvm_ffi.structural_visit([1],
                             [(int, lambda _, visitor: print("a visitor =>", *hashes(visitor)))])
    tvm_ffi.structural_mutate([1],
                              [(int, lambda _, mutator: print("a mutator =>", *hashes(mutator)))])
    recipes = [*fixed(maker)]
    levels = [ERRORS, SOME_HAVE_NO_KIND, SOME_HAVE_NO_KIND] + 7 * [ALL_HASH]
    recipes += [maker.whole_value(1 + i % 5, levels[i % 10]) for i in range(count)]
    for i, recipe in enumerate(recipes):
        print(f"{i} {text(recipe, {})} =>", " | ".join(results(recipe)))
    for i in range(count // 20):  # the structural hash of these would not terminate
        recipe = ("endless", maker.pick(["List", "Dict", "Tree"]), *(maker.whole_value(2, ALL_HASH)
                                                                     for _ in range(3)))
        print(f"endless {i} {text(recipe, {})} =>", *results(recipe, only_recursive=True))
    print("done => all")


if __name__ == "__main__":
    main()
