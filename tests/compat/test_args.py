# SPDX-License-Identifier: Apache-2.0
"""kernels_args.c: reading arguments, and checks of tensors."""
import ctypes
import json

import numpy as np
import tvm_ffi
from kernels import Case, kernels

MANAGED = 13  # kDLCUDAManaged


def mismatch(name, signature, aspect, expected, got, argument=0):
    return (f"Mismatched {aspect} on argument #{argument} when calling: `{name}{signature}`. "
            f"Expected {expected} but got {got}")


class Reading(Case):
    def test_numbers(self):
        self.check("read_int64", (5, 5), (True, 1), (-2**63, -2**63), (2**63 - 1, 2**63 - 1))
        self.check_type_errors("read_int64", "(0: int) -> int", "int", (1.5, "float"),
                               ("5", "ffi.SmallStr"), ("a long enough text", "ffi.String"),
                               (None, "None"), (2**63, "ffi.BigInt"))
        self.check("read_opt_int64", (None, -1), (7, 7))
        self.check_type_errors("read_opt_int64", "(0: Optional<int>) -> int", "Optional<int>",
                               (0.5, "float"))
        self.check("read_int32", (2**31 - 1, 2**31 - 1), (-2**31, -2**31))
        self.check_raises("read_int32", (2**31, ValueError, mismatch(
            "read_int32", "(0: int) -> int", "value", "-2147483648 to 2147483647", "2147483648")))
        self.check("read_opt_int32", (None, -1), (3, 3))
        self.check("read_between", (5, 1, 9, 5))
        self.check_raises("read_between", (10, 1, 9, ValueError, mismatch(
            "read_between", "(0: int, 1: int, 2: int) -> int", "value", "1 to 9", "10")))
        self.check("read_double", (0.5, 0.5), (2, 2.0), (True, 1.0), (np.float32(0.5), 0.5))
        self.check("read_opt_double", (None, -1.0), (1, 1.0))
        self.check_type_errors("read_double", "(0: float) -> float", "float", ("1", "ffi.SmallStr"))
        self.check("read_bool", (True, True), (0, False), (7, True))
        self.check("read_opt_bool", (None, True), (False, False))
        self.check_type_errors("read_bool", "(0: bool) -> bool", "bool", (1.0, "float"))

    def test_texts(self):
        self.check("read_string", ("", ""), ("short", "short"),
                   ("a long enough text", "a long enough text"),
                   ("\u00e4\0\u20ac", "\u00e4\0\u20ac"))
        self.check("read_opt_string", (None, "none"), ("text", "text"))
        self.check("read_bytes", (b"", b""), (b"\0\xff", b"\0\xff"), (bytes(100), bytes(100)),
                   (bytearray(b"12345678"), b"12345678"))
        self.check("read_opt_bytes", (None, b"none"))
        self.check_type_errors("read_string", "(0: str) -> str", "str", (b"text", "ffi.SmallBytes"))
        self.check_type_errors("read_bytes", "(0: bytes) -> bytes", "bytes",
                               ("text", "ffi.SmallStr"))

    def test_types_and_devices(self):
        self.check("read_dtype", (tvm_ffi.dtype("float32"), "float32"), ("int4x2", "int4x2"),
                   (np.dtype("int16"), "int16"))
        self.check("read_opt_dtype", (None, "int8"), ("bool", "bool"))
        self.check_type_errors("read_dtype", "(0: DataType) -> DataType", "DataType", (1, "int"))
        self.check("read_device", (tvm_ffi.device("cuda:1"), tvm_ffi.device("cuda:1")),
                   ("rocm:2", tvm_ffi.device("rocm:2")))
        self.check("read_opt_device", (None, tvm_ffi.device("cpu:7")))
        self.check_type_errors("read_device", "(0: Device) -> Device", "Device",
                               ("moon", "ffi.SmallStr"))

    def test_pointers(self):
        self.assertEqual(kernels.read_pointer(ctypes.c_void_p(16)).value, 16)
        self.assertEqual(kernels.read_pointer(None).value, None)
        self.check_type_errors("read_pointer", "(0: void*) -> void*", "void*", (16, "int"))

    def test_objects(self):
        self.assertEqual(kernels.read_function(lambda x: x + 1)(4), 5)
        self.assertEqual(kernels.read_opt_function(None), None)
        self.check_type_errors("read_function", "(0: ffi.Function) -> ffi.Function", "ffi.Function",
                               (1, "int"))
        self.assertEqual(list(kernels.read_array([1, "two", None])), [1, "two", None])
        self.assertEqual(list(kernels.read_array(tvm_ffi.List([1, 2]))), [1, 2])
        self.assertEqual(kernels.read_opt_array(None), None)
        self.assertEqual(dict(kernels.read_map({"a": 1}).items()), {"a": 1})
        self.assertEqual(dict(kernels.read_opt_map(tvm_ffi.Dict({1: "b"})).items()), {1: "b"})
        self.check_type_errors("read_map", "(0: Map<Any, Any>) -> Map<Any, Any>", "Map<Any, Any>",
                               ([1], "ffi.Array"))
        array = tvm_ffi.convert([1])
        self.assertTrue(kernels.read_object(array, 71).same_as(array))
        self.check_raises("read_object",
                          (array, 72, TypeError,
                           mismatch("read_object", "(0: ffi.Object, 1: int) -> ffi.Object", "type",
                                    "`ffi.Map`", "`ffi.Array`")))
        own = object()
        self.assertIs(kernels.echo(own), own)

    def test_tensors(self):
        self.check("read_tensor", (np.zeros((2, 3)), 2), (np.array(1), 0))
        self.check("read_opt_tensor", (None, -1), (np.zeros(1), 1))
        self.check_type_errors("read_tensor", "(0: DLTensor*) -> int", "DLTensor*", (None, "None"),
                               ([1], "ffi.Array"))
        tensor = tvm_ffi.from_dlpack(np.arange(3))
        self.assertTrue(kernels.read_tensor_object(tensor).same_as(tensor))
        self.assertEqual(kernels.read_opt_tensor_object(None), None)

    def test_shapes(self):
        self.check("read_shape", (tvm_ffi.Shape((1, 2)), (1, 2)), ([3, 4], (3, 4)), ((), ()),
                   (tvm_ffi.Shape((1, 2, 3, 4)), (1, 2, 3, 4)))
        self.check("read_opt_shape", (None, (-1,)))
        self.check_raises("read_shape", ([1, 2, 3, 4], ValueError, mismatch(
            "read_shape", "(0: ffi.Shape) -> ffi.Shape", "shape", "at most 3 extents", "4")))

    def test_any_number_of_them(self):
        self.check("count", (0,), *[(*range(n), n) for n in (1, 2, 50)])
        self.check("count_none", (0,), (None, 1, None, 2))
        self.check_raises(
            "echo",
            (TypeError, "Mismatched number of arguments when calling: `echo(0: Any) -> Any`. "
             "Expected at least 1 but got 0 arguments"))
        self.check_raises("read_int64",
                          (1, 2, TypeError, "Mismatched number of arguments when calling: "
                           "`read_int64(0: int) -> int`. Expected 1 but got 2 arguments"))
        self.check_raises("raise_argument", (
            5, IndexError, "Argument #0 of `raise_argument(0: int) -> void` must not be 5"))


class Checking(Case):
    def fails(self, name, signature, *args):
        *args, kind, aspect, expected, got, number = args
        self.check_raises(name,
                          (*args, kind, mismatch(name, signature, aspect, expected, got, number)))

    def test_one_tensor(self):
        x = np.zeros((2, 3), np.int8)
        signature = "(0: DLTensor*, 1: %s) -> void"
        self.check("check_ndim", (x, 2, None))
        self.fails("check_ndim", signature % "int", x, 1, ValueError, "ndim", "1", "2", 0)
        self.check("check_shape", (x, [2, -1], None))
        self.fails("check_shape", signature % "ffi.Shape", x, [-1, 4], ValueError, "shape",
                   "[*, 4]", "[2, 3]", 0)
        self.check("check_size", (x, -1, 3, None))
        self.fails("check_size", "(0: DLTensor*, 1: int, 2: int) -> void", x, 0, 3, ValueError,
                   "shape", "size 3 in dimension 0", "[2, 3]", 0)
        self.check("check_dtype", (x, "int8", None))
        self.fails("check_dtype", signature % "DataType", x, "float16", TypeError, "dtype",
                   "`float16`", "`int8`", 0)
        self.check("check_device", (x, "cpu", None))
        self.fails("check_device", signature % "Device", x, "cuda", ValueError, "device", "`cuda`",
                   "`cpu:0`", 0)
        self.check("check_contiguous", (x, None), (x[:1].T, None))
        self.fails("check_contiguous", "(0: DLTensor*) -> void", x.T, ValueError, "strides",
                   "a contiguous tensor", "strides [1, 3] of shape [3, 2]", 0)

    def test_readable(self):
        x, signature = np.zeros(2, np.int8), "(0: DLTensor*, 1: Device) -> void"
        self.check("check_readable_by", (x, "cpu", None))
        self.fails("check_readable_by", signature, x, "cuda", ValueError, "device", "`cuda`",
                   "`cpu:0`", 0)
        self.fails("check_readable_by", signature, 1, "cpu", TypeError, "type", "`DLTensor*`",
                   "`int`", 0)
        managed = tvm_ffi.device(MANAGED, 1)
        check = kernels.check_readable_by
        self.check("call_without_data", *[(check, (2,), managed, device, None)
                                          for device in ("cpu", "cuda", managed)])
        self.check_raises("call_without_data",
                          (check, (2,), "cuda:1", "cpu", ValueError,
                           mismatch("check_readable_by", signature, "device", "`cpu`", "`cuda:1`")),
                          (check, (2,), managed, "rocm", ValueError,
                           mismatch("check_readable_by", signature, "device", "`rocm`",
                                    "`cuda_managed:1`")))

    def test_aligned(self):
        signature = "(0: DLTensor*, 1: int) -> void"
        memory = np.zeros(128, np.int8)
        x = memory[-memory.ctypes.data % 64:]  # begins at a multiple of 64
        self.check("check_aligned", *[(x, 2**i, None) for i in range(7)], (x[4:], 4, None),
                   (x[4:4], 64, None))
        self.fails("check_aligned", signature, x[4:], 64, ValueError, "alignment",
                   "a first element at a multiple of 64 bytes", "one 4 bytes behind it", 0)
        self.fails("check_aligned", signature, 1, 4, TypeError, "type", "`DLTensor*`", "`int`", 0)

    def test_writable(self):
        x = tvm_ffi.from_dlpack(np.zeros(2, np.int8))
        read_only = kernels.share(x, 1)
        self.check("check_writable", (np.zeros(2), None), (x, None), (kernels.share(x, 2), None))
        # The reference's runtime forgets the flags.
        if kernels.ours:
            self.check_raises("check_writable",
                              (read_only, ValueError, "Argument #0 of `check_writable(0: DLTensor*)"
                               " -> void` must be writable, but is read-only"))
        else:
            self.check("check_writable", (read_only, None))
        self.fails("check_writable", "(0: DLTensor*) -> void", 1, TypeError, "type", "`DLTensor*`",
                   "`int`", 0)

    def test_valid(self):
        check, signature = kernels.check_valid, "(0: DLTensor*) -> void"
        self.check("check_valid", (np.zeros((2, 3)), None), (np.zeros((0, 3)), None),
                   (np.array(1), None))
        self.fails("check_valid", signature, 1, TypeError, "type", "`DLTensor*`", "`int`", 0)
        # OpenCL's memory is a handle, which may be 0.
        self.check("call_without_data", (check, (0, 3), "cpu", None),
                   (check, (2, 3), "opencl", None))
        extents = "extents of 0 or more whose product fits int64"
        for shape, aspect, expected, got in (
            ((2, 3), "data", "the address of elements", "NULL and shape [2, 3]"),
            ((), "data", "the address of elements", "NULL and shape []"),
            ((2, -3), "shape", extents, "[2, -3]"),
            ((2**62, 2), "shape", extents, "[4611686018427387904, 2]")):
            self.check_raises("call_without_data",
                              (check, shape, "cpu", ValueError,
                               mismatch("check_valid", signature, aspect, expected, got)))

    def test_unsupported(self):
        signature = "raise_unsupported(0: DLTensor*) -> void"
        self.check_raises("raise_unsupported",
                          (np.zeros(1, np.int8), TypeError, "Unsupported dtype `int8` of "
                           f"argument #0 when calling: `{signature}`"),
                          (1, TypeError,
                           mismatch("raise_unsupported", "(0: DLTensor*) -> void", "type",
                                    "`DLTensor*`", "`int`")))

    def test_two_tensors(self):
        x, signature = np.zeros(2, np.int8), "(0: DLTensor*, 1: DLTensor*) -> void"
        for name in ("check_same", "check_same_shape", "check_same_dtype", "check_same_device"):
            self.check(name, (x, x.copy(), None))
        for name in ("check_same", "check_same_shape"):
            self.fails(name, signature, x, np.zeros(3, np.int8), ValueError, "shape",
                       "[2] of argument #0", "[3]", 1)
        for name in ("check_same", "check_same_dtype"):
            self.fails(name, signature, x, np.zeros(2, np.uint8), TypeError, "dtype",
                       "`int8` of argument #0", "`uint8`", 1)
        self.fails("check_same", signature, x, 1, TypeError, "type", "`DLTensor*`", "`int`", 1)

    def test_documentation(self):
        self.assertEqual(kernels.module.get_function_doc("echo"),
                         "Give a value back.\nOf any type.")
        self.assertEqual(kernels.module.get_function_doc("read_int64"), None)
        self.assertEqual(kernels.module.get_function_metadata("echo"),
                         {"type_schema": '{"type":"ffi.Function"}'})
        self.assertEqual(kernels.module.get_function_metadata("count"), None)

    def test_schema(self):
        metadata = kernels.module.get_function_metadata("read_opt_int64")
        self.assertEqual(
            metadata, {
                "type_schema": '{"type":"ffi.Function","named_args":{"return":[{"type":"int"}],'
                '"params":[{"type":"Optional","args":[{"type":"int"}]}]}}'
            })
        data = ctypes.c_char.in_dll(ctypes.CDLL(kernels.path), "__tvm_ffi__schema_read_opt_int64")
        self.assertEqual(json.loads(ctypes.string_at(ctypes.addressof(data))), metadata)

    def test_named_parameters(self):
        # The package's parser of signatures drops the names.
        for name, text in (("read_double", "Callable[[float], float]"),
                           ("read_opt_double", "Callable[[float | None], float]")):
            schema = kernels.module.get_function_metadata(name)["type_schema"]
            self.assertEqual(json.loads(schema)["named_args"]["params"][0]["name"], "x")
            self.assertEqual(str(tvm_ffi.core.TypeSchema.from_json_str(schema)), text)
