# SPDX-License-Identifier: Apache-2.0
"""kernels_values.c: values, texts, data types, devices."""
import numpy as np
import tvm_ffi
from kernels import Case, kernels

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"
]


class Values(Case):
    def test_conversions(self):
        self.check("convert", (1, "int64", 1), (True, "double", 1.0), (2, "bool", True),
                   ("cpu", "device", tvm_ffi.device("cpu:0")), ("int4", "dtype", "int4"),
                   ("abc", "string", 3), (b"abcd", "bytes", 4),
                   (np.zeros(1, np.int8), "tensor", "int8"), ([1, 2], "shape", 2))
        self.assertEqual(kernels.convert(lambda: 3, "object")(), 3)
        self.check_raises(
            "convert",
            *[(value, kind, TypeError, f"Cannot convert from type `{got}` to `{wanted}`")
              for value, kind, got, wanted in ((1.5, "int64", "float",
                                                "int"), ("1", "double", "ffi.SmallStr", "float"),
                                               (None, "bool", "None", "bool"), (1, "pointer", "int",
                                                                                "void*"),
                                               ("moon", "device", "ffi.SmallStr",
                                                "Device"), (1, "dtype", "int", "DataType"),
                                               ([1], "tensor", "ffi.Array",
                                                "DLTensor*"), (1, "string", "int", "str"),
                                               ("a", "bytes", "ffi.SmallStr",
                                                "bytes"), ([1], "object", "ffi.Array",
                                                           "ffi.Function"),
                                               (["a"], "shape", "ffi.Array",
                                                "ffi.Shape"), (1, "nothing", "ffi.SmallStr",
                                                               "a kind"))])
        self.check_raises("convert",
                          ([1, 2, 3], "shape", ValueError, "More than 2 extents in a shape"),
                          ("int8.5", "dtype", ValueError, "unknown dtype `int8.5`"))

    def test_asking(self):
        no = ("none 0, int -, float -, bool -, pointer 0, str -1, bytes -1, tensor -1, device -, "
              "object 0, function 0")

        def told(kind, *changes):
            text = no
            for old, new in changes:
                text = text.replace(old, new)
            return f"{kind}: {text}"

        self.check(
            "ask", (None, told("None", ("none 0", "none 1"), ("pointer 0", "pointer 1"))),
            (5, told("int", ("int -", "int 5"), ("float -", "float 5"), ("bool -", "bool true"))),
            (False,
             told("bool", ("int -", "int 0"), ("float -", "float 0"),
                  ("bool -", "bool false"))), (0.5, told("float", ("float -", "float 0.5"))),
            ("cuda:1", told("ffi.SmallStr", ("str -1", "str 6"), ("device -", "device cuda:1"))),
            (b"abc", told("ffi.SmallBytes", ("bytes -1", "bytes 3"))),
            ("x" * 20, told("ffi.String", ("str -1", "str 20"), ("object 0", "object 1"))),
            (np.zeros(
                (1, 1)), told("ffi.Tensor", ("tensor -1", "tensor 2"), ("object 0", "object 1"))),
            (print, told("ffi.Function", ("object 0", "object 1"), ("function 0", "function 1"))),
            (2**70, told("ffi.BigInt",
                         ("object 0", "object 1"))), ({}, told("ffi.Map",
                                                               ("object 0", "object 1"))))

    def test_names_of_types(self):
        names = kernels.module.get_function("type_name")
        self.assertEqual([names(i) for i in (0, 7, 13, 14, 64, 70, 78, -1)], [
            "None", "DLTensor*", "ffi.Unchanged", "unknown type", "ffi.Object", "ffi.Tensor",
            "ffi.BigInt", "unknown type"
        ])
        self.check("type_name", (71, "ffi.Array"))

    def test_large_integers(self):
        self.check("from_uint64", (0, 2**63 - 1))
        self.check_raises(
            "from_uint64",
            (1, RuntimeError, "Integer value 9223372036854775808 is too large to fit in "
             "int64_t. Consider explicitly casting to int64_t first if this is intentional."))

    def test_references(self):
        self.check("juggle", (1, 1), ("short", "short"),
                   ("a long enough text", "a long enough text"), (None, None))
        array = tvm_ffi.convert([1, 2])
        before = kernels.ask(array)
        self.assertTrue(kernels.juggle(array).same_as(array))
        self.assertEqual(kernels.ask(array), before)
        np.testing.assert_array_equal(np.from_dlpack(kernels.juggle(np.arange(3))), [0, 1, 2])

    def test_texts(self):
        self.check("make_text", *[(n, "0123456789"[:n]) for n in range(11)])
        self.check("make_bytes", *[(n, b"\0\1\2\3\4\5\6\7\xff\xfe"[:n]) for n in range(11)])
        self.check("format", ("x", 3, "x...3"), ("x", 500, "x" + 500 * "." + "500"))
        self.check("is_hello", ("hello", True), ("hell", False), ("hello hello", False))

    def test_dtypes(self):
        self.check("dtype_constant", *[(i, name) for i, name in enumerate(DTYPES)])
        self.check("parse_dtype", *[(name, name) for name in DTYPES])
        self.check(
            "dtype_facts",
            (2, 32, 1, 3, "float32: 32 bits, 4 bytes, key 02200001, equal 1, in all 12"),
            (0, 4, 1, 3, "int4: 4 bits, 1 bytes, key 00040001, equal 0, in all 2"),
            (17, 4, 2, 3, "float4_e2m1fnx2: 8 bits, 1 bytes, key 11040002, equal 0, in all 3"))
        self.check_raises("dtype_facts", (3, 0, 0, 1, ValueError, "dtype `` has no fixed size"),
                          (0, 8, 1, -1, ValueError, "-1 elements"))
        self.check("sizeof_dtype", ("int16", 2), ("float64", 8), ("bool", 1), ("float4_e2m1fn", 1))
        self.check_raises("sizeof_dtype", ("bfloat16", TypeError, "Unsupported dtype `bfloat16`"),
                          ("handle", TypeError, "Unsupported dtype `handle`"))

    def test_devices(self):
        self.check("device_facts", ("cpu", "cpu:0, type 1 cpu, addressable 1, is cpu:0 1"),
                   ("vulkan:12", "vulkan:12, type 7 vulkan, addressable 0, is cpu:0 0"))
        self.check_raises("device_facts", ("cuda:", ValueError, "No device: cuda:"))
        host, managed = tvm_ffi.device(3), tvm_ffi.device(13)  # kDLCUDAHost, kDLCUDAManaged
        self.check("can_read", ("cpu", "cpu:1", True), ("cpu", host, True), ("cpu", managed, True),
                   ("cpu", "cuda", False), ("cuda", managed, True), ("cuda", host, False),
                   ("cuda", "cpu", False), ("rocm", managed, False))
