#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What our library registers while it is loaded is the same, byte for byte, as what the package's
does.

    registry.py --runtime libtvm_ffi.so                      compare
    registry.py --runtime libtvm_ffi.so --more NAME FILE...  compare what libraries loaded
                                                             afterwards add
    registry.py --dump libtvm_ffi.so [FILE...]               print everything registered, one thing
                                                             per line

A thing is a global function with its metadata, a type with its fields and methods, or an attribute
of a type. Documentation texts are our own, so only their presence is compared.
"""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys

import package

HERE = pathlib.Path(__file__).resolve().parent
# The attribute columns that a library creates or reads; no function lists them.
ATTRIBUTES = ("__any_equal__", "__any_hash__", "__data_from_json__", "__data_to_json__",
              "__ffi_compare__", "__ffi_convert__", "__ffi_convert_type_schema__", "__ffi_enum__",
              "__ffi_eq__", "__ffi_hash__", "__ffi_init__", "__ffi_new__", "__ffi_repr__",
              "__ffi_shallow_copy__", "__ffi_type_final__", "__s_equal__", "__s_hash__",
              "__s_maybe_inplace_mutate__", "__s_mutate__", "__s_visit__")
NONE, INT, BOOL, RAW_STRING, SMALL_STRING = 0, 1, 2, 8, 11
STRING, ARRAY, FIRST_DYNAMIC = 65, 71, 128
# The package has C functions here; clients of 0.1.14 and of 0.1.15 expect different ones. Ours has
# Functions, which both kinds of clients can call (D-12).
MEANT = {f"attribute {key}.{name}": "ffi.Function" for key in ("ffi.BigInt", "ffi.StructuralKey")
         for name in ("__any_equal__", "__any_hash__")}


def has_doc(info):
    return "doc" if info.doc.size else "no doc"


class Any(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("small_len", ctypes.c_uint32),
                ("payload", ctypes.c_uint64)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class Field(ctypes.Structure):
    _fields_ = [("name", Bytes), ("doc", Bytes), ("metadata", Bytes), ("flags", ctypes.c_int64),
                ("size", ctypes.c_int64), ("alignment", ctypes.c_int64), ("offset", ctypes.c_int64),
                ("getter", ctypes.c_void_p), ("setter", ctypes.c_void_p), ("default", Any),
                ("static_type", ctypes.c_int32)]


class Method(ctypes.Structure):
    _fields_ = [("name", Bytes), ("doc", Bytes), ("metadata", Bytes), ("flags", ctypes.c_int64),
                ("method", Any)]


class Metadata(ctypes.Structure):
    _fields_ = [("doc", Bytes), ("creator", ctypes.c_void_p), ("total_size", ctypes.c_int32),
                ("equality", ctypes.c_int32)]


class Type(ctypes.Structure):
    pass


Type._fields_ = [("index", ctypes.c_int32), ("depth", ctypes.c_int32), ("key", Bytes),
                 ("ancestors", ctypes.POINTER(ctypes.POINTER(Type))), ("key_hash", ctypes.c_uint64),
                 ("num_fields", ctypes.c_int32), ("num_methods", ctypes.c_int32),
                 ("fields", ctypes.POINTER(Field)), ("methods", ctypes.POINTER(Method)),
                 ("metadata", ctypes.POINTER(Metadata))]


class Column(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(Any)), ("size", ctypes.c_int32), ("begin", ctypes.c_int32)]


def view(text):
    """A pointer to a TVMFFIByteArray, which keeps the bytes alive."""
    array = Bytes(ctypes.cast(text, ctypes.c_void_p), len(text))
    array.kept = text
    return ctypes.byref(array)


class Library:
    """A libtvm_ffi loaded in this process."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.c.TVMFFIGetTypeInfo.restype = ctypes.POINTER(Type)
        self.c.TVMFFIGetTypeAttrColumn.restype = ctypes.POINTER(Column)

    def check(self, rc):
        if rc != 0:
            raise RuntimeError("a call of the C API failed")

    def call(self, function, *args):
        result = Any()
        self.check(
            self.c.TVMFFIFunctionCall(function, (Any * len(args))(*args), len(args),
                                      ctypes.byref(result)))
        return result

    def find(self, name):
        found = ctypes.c_void_p()
        self.check(self.c.TVMFFIFunctionGetGlobal(view(name.encode()), ctypes.byref(found)))
        return found

    def text(self, value):
        if value.type_index == SMALL_STRING:
            return value.payload.to_bytes(8, sys.byteorder)[:value.small_len].decode()
        assert value.type_index == STRING, value.type_index
        return str(Bytes.from_address(value.payload + 24))

    def names(self):
        lister = ctypes.c_void_p(self.call(self.find("ffi.FunctionListGlobalNamesFunctor")).payload)
        count = self.call(lister, Any(INT, 0, 2**64 - 1)).payload  # called with -1
        return [self.text(self.call(lister, Any(INT, 0, i))) for i in range(count)]

    def types(self):
        keys, get = self.call(self.find("ffi.GetRegisteredTypeKeys")), self.find("ffi.ArrayGetItem")
        for i in range(self.call(self.find("ffi.ArraySize"), keys).payload):
            key, index = self.text(self.call(get, keys, Any(INT, 0, i))).encode(), ctypes.c_int32()
            self.check(self.c.TVMFFITypeKeyToIndex(view(key), ctypes.byref(index)))
            yield self.c.TVMFFIGetTypeInfo(index).contents

    def key(self, type_index):
        return (str(self.c.TVMFFIGetTypeInfo(type_index).contents.key)
                if type_index >= 0 else str(type_index))

    def value(self, any_):
        """The type of a value, without addresses, and whether a bool is true."""
        is_true = any_.type_index == BOOL and any_.payload
        return f"{self.key(any_.type_index)}{' true' if is_true else ''}"

    def index(self, info):
        """A type index fixed by the ABI; those from 128 on are allocated in any order."""
        return info.index if info.index < FIRST_DYNAMIC else "dynamic"

    def dump(self):
        metadata, lines = self.find("ffi.GetGlobalFuncMetadata"), []
        for name in self.names():
            text = ctypes.create_string_buffer(name.encode())
            about = self.call(metadata, Any(RAW_STRING, 0, ctypes.addressof(text)))
            lines.append(f"global {name}: {self.text(about)}")
        for info in self.types():
            key = str(info.key)
            parents = " < ".join(
                str(info.ancestors[i].contents.key) for i in reversed(range(info.depth)))
            line = f"type {key}: index {self.index(info)}, parents {parents or 'none'}, "
            line += (f"{info.num_fields} fields, {info.num_methods} methods, hash of the key "
                     f"{info.key_hash:#x}")
            if info.metadata:
                known = info.metadata.contents
                line += f", {known.total_size} bytes, equality {known.equality}"
                line += f", {'a creator' if known.creator else 'no creator'}, {has_doc(known)}"
            lines.append(line)
            for i in range(info.num_fields):
                field = info.fields[i]
                lines.append(
                    f"field {key}.{field.name}: {i}, offset {field.offset}, {field.size} bytes of "
                    f"{field.alignment}, "
                    f"flags {field.flags:#x}, type {self.key(field.static_type)}, default "
                    f"{self.value(field.default)}, "
                    f"getter {bool(field.getter)}, setter {bool(field.setter)}, {field.metadata}, "
                    f"{has_doc(field)}"
                )
            for i in range(info.num_methods):
                method = info.methods[i]
                lines.append(
                    f"method {key}.{method.name}: {i}, flags {method.flags:#x}, "
                    f"{self.value(method.method)}, "
                    f"{method.metadata}, {has_doc(method)}")
            lines += self.attributes(info, key)
        columns = [name for name in ATTRIBUTES if self.column(name)]
        return lines + [f"column {name}: exists" for name in columns]

    def column(self, name):
        return self.c.TVMFFIGetTypeAttrColumn(view(name.encode()))

    def attributes(self, info, key):
        for name in ATTRIBUTES:
            column = self.column(name)
            index = info.index - column.contents.begin if column else -1
            if (column and 0 <= index < column.contents.size
                    and column.contents.data[index].type_index != NONE):
                yield f"attribute {key}.{name}: {self.value(column.contents.data[index])}"


def load(path):
    """Load a library for what it registers. Lazily, unlike ctypes: some of its imports may be
    missing."""
    libc = ctypes.CDLL(None)
    libc.dlopen.restype, libc.dlerror.restype = ctypes.c_void_p, ctypes.c_char_p
    if not libc.dlopen(str(path).encode(), os.RTLD_LAZY | os.RTLD_GLOBAL):
        sys.exit(libc.dlerror().decode())


def dump(path, more):
    """The lines of a library, by thing."""
    done = subprocess.run([sys.executable, __file__, "--dump",
                           str(path), *map(str, more)], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{path} is not to be read:\n{done.stdout}")
    pairs = [tuple(line.split(": ", 1)) for line in done.stdout.splitlines()]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def compare(theirs, ours):
    """The problems found in two dumps."""
    return [f"{name}\n  package: {theirs.get(name)}\n  ours:    {ours.get(name)}"
            for name in sorted(theirs.keys() | ours.keys())
            if theirs.get(name) is None or ours.get(name) != MEANT.get(name, theirs[name])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", type=pathlib.Path)
    parser.add_argument("--more", nargs="+", default=[])
    parser.add_argument("--dump", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    if args.dump:
        library = Library(args.dump[0])
        for path in args.dump[1:]:
            load(path)
        print("\n".join(library.dump()))
        return 0
    more = ([package.require_more(args.more[0]) / file
             for file in args.more[1:]] if args.more else [])
    theirs, ours = dump(package.require().library, more), dump(args.runtime, more)
    problems = compare(theirs, ours)
    print(
        f"{len(theirs)} things of the package{f' with {args.more[0]}' if args.more else ''}, "
        f"{len(ours)} of ours; "
        f"{len(MEANT)} are others on purpose")
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
