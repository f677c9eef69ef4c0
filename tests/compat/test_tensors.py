# SPDX-License-Identifier: Apache-2.0
"""kernels_tensors.c: NumPy's tensors, and tensors that kernels create."""
import gc
import importlib.util
import sys

import numpy as np
import tvm_ffi
from kernels import HERE, Case, kernels

HAS_ML_DTYPES = importlib.util.find_spec("ml_dtypes") is not None
if HAS_ML_DTYPES:
    sys.path.append(str(HERE.parents[1] / "samples/12_scale_kernel"))
    import small_floats

NUMBERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
           np.float32, np.float64)


class Arrays(Case):
    def test_descriptions(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        text = ("float32 %s strides %s on cpu:0, %d elements, %d bytes, contiguous %d, aligned 1, "
                "data 1")
        self.check("describe", (x, text % ("[2, 3]", "[3, 1]", 6, 24, 1)),
                   (x.T, text % ("[3, 2]", "[1, 3]", 6, 24, 0)),
                   (x[:, ::-1], text % ("[2, 3]", "[3, -1]", 6, 24, 0)),
                   (x[:, ::2], text % ("[2, 2]", "[3, 2]", 4, 16, 0)),
                   (x[1:, 1:2], text % ("[1, 1]", "[1, 1]", 1, 4, 1)),
                   (np.broadcast_to(np.float32(1),
                                    (2, 2)).copy()[:0], text % ("[0, 2]", "[2, 1]", 0, 0, 1)),
                   (np.array(1, np.float32), text % ("[]", "[]", 1, 4, 1)))
        self.check("find_bytes", (x, "0 to 24"), (x[:, ::-1], "-8 to 16"),
                   (x[::-1, ::2], "-12 to 12"), (x[:0], "0 to 0"))
        self.check("check_within", (x, 24, None), (x[:0], 0, None))
        self.check_raises("check_within", (x, 20, ValueError,
            "Mismatched buffer on argument #0 when calling: `check_within(0: DLTensor*, 1: int) -> "
            "void`. Expected 24 bytes from byte_offset 0 on but got 20 bytes in all"))
        self.check("get_handle", (x, 0), (x[1:], 0))
        self.check("keyed", ((1, 2, 1, 3, 2), 3), ((), 0))
        self.check("size_and_stride", (x, 0, (2, 3)), (x, -1, (3, 1)), (x.T, -1, (2, 3)))
        self.check_raises("size_and_stride",
                          (x, 2, IndexError, "Index 2 out of bounds for tensor with 2 dimensions"))
        for dtype in (*NUMBERS, np.bool_, np.float16):
            self.assertTrue(
                kernels.describe(np.zeros(3, dtype)).startswith(np.dtype(dtype).name + " [3]"),
                dtype)
        dtype = "complex64" if kernels.ours else "dtype(code=5, bits=64, lanes=1)"
        self.assertTrue(kernels.describe(np.zeros(2, np.complex64)).startswith(dtype + " [2]"))

    def test_read_only(self):
        """NumPy refuses before the kernel is called."""
        x = np.zeros(2, np.float32)
        x.flags.writeable = False
        with self.assertRaises(BufferError):
            kernels.describe(x)

    def test_small_floats(self):
        """Each number of each type of ml_dtypes, in the two ways of the sample."""
        if not HAS_ML_DTYPES:
            self.assertRaises(TypeError, kernels.widen, np.zeros(2, np.uint8), np.zeros(2))
            self.skipTest("ml_dtypes is not installed")
        ways = [small_floats.Named]
        if hasattr(np.dtypes, "register_dlpack_dtype"):
            small_floats.register()
            ways.append(np.asarray)
        for name in small_floats.NAMES:
            bits = np.arange(65536, dtype="u2") if name == "bfloat16" else np.arange(256,
                                                                                     dtype="u1")
            numbers = bits.view(name)
            for way in ways:
                with self.subTest(name=name, way=way):
                    self.assertTrue(kernels.describe(way(numbers)).startswith(f"{name} ["))
                    wide = np.empty(numbers.size)
                    kernels.widen(way(numbers), wide)
                    with np.errstate(invalid="ignore"):  # NaN
                        np.testing.assert_array_equal(wide, numbers.astype("f8"))
                    shared = tvm_ffi.from_dlpack(way(numbers))
                    self.assertEqual(str(shared.dtype), name)
                    if way is np.asarray:
                        self.assertIs(np.from_dlpack(shared).dtype, numbers.dtype)

    def test_flags(self):
        x = tvm_ffi.from_dlpack(np.arange(3, dtype=np.float32))
        self.check("read_flags", (x, 0))
        # 1: read-only. 2: copied for that one consumer, which is not kept.
        for flags in (0, 1, 2, 3):
            shared = kernels.share(x, flags)
            self.assertEqual(kernels.sum(shared), 3.0)
            # The reference's runtime forgets all flags.
            self.check("read_flags", (shared, flags & 1 if kernels.ours else 0))
        self.check_raises("read_flags", (print, TypeError, "Cannot convert from type "
                                         "`ffi.Function` to `ffi.Tensor`"))

    def test_valid(self):
        valid = kernels.is_valid
        self.check("is_valid", (np.zeros((2, 3)), True), (np.zeros(0), True), (np.array(1), True))
        self.check("call_without_data", (valid, (2, 0), "cpu", True), (valid, (2,), "cpu", False),
                   (valid, (2,), "opencl", True), (valid, (2, -1), "opencl", False))

    def test_loops(self):
        for dtype in NUMBERS:
            x = np.array([0, 1, 100], dtype)
            y = np.zeros_like(x)
            self.assertIs(kernels.add_one(y, x), None)
            np.testing.assert_array_equal(y, [1, 2, 101])
        kernels.add_one(x, x)
        np.testing.assert_array_equal(x, [1, 2, 101])
        signature = "add_one(0: DLTensor*, 1: DLTensor*) -> void"
        h = np.zeros(2, np.float16)
        self.check_raises(
            "add_one", (h, h, TypeError,
                        f"Unsupported dtype `float16` of argument #0 when calling: `{signature}`"))

    def test_strides(self):
        for dtype in (np.float32, np.float64):
            x = np.arange(24, dtype=dtype).reshape(2, 3, 4)
            for view in (x, x.T, x[:, ::-1, ::2], x[1], x[:, :0], np.array(3, dtype)):
                self.assertEqual(kernels.sum(view), float(view.sum()))
        self.check_raises(
            "sum",
            (1, TypeError, "Mismatched type on argument #0 when calling: `sum(0: DLTensor*) -> "
             "float`. Expected `DLTensor*` but got `int`"))

    def test_runs(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        row = np.broadcast_to(np.arange(4, dtype=np.float32), x.shape).copy()
        for a, b, runs in ((x, row, 1), (x.T, row.T, 1), (x[:, :, ::2], row[:, :, ::2], 1),
                           (x[:, ::-1], row, 6), (x[:, 1], row[:, 2], 2), (x[:, :0], row[:, :0], 0),
                           (x[0, 0, 0:1].reshape(()), np.array(2, np.float32), 1)):
            out = np.full_like(a, -1)
            self.assertEqual(kernels.add(out, a, b), runs)
            np.testing.assert_array_equal(out, a + b)
        self.check_raises("add", (x, x, x[0], ValueError,
                                  "Tensor 2 of a walk has shape [3, 4], but the first one "
                                  "[2, 3, 4]"))

    def test_shapes(self):
        x = np.zeros((2, 3))
        self.check("same_shape", (x, x.copy(), True), (x, x.T, False), (x, x[0], False))
        self.check("shape_facts", ([2, 3], "[2, 3] has 6 elements, strides [3, 1]"),
                   (tvm_ffi.Shape(()), "[] has 1 elements, strides []"),
                   ([2, -1], "[2, -1] has -1 elements, strides [-1, 1]"),
                   ([2**62, 2], "[4611686018427387904, 2] has -1 elements, strides [2, 1]"))


class Made(Case):
    def compare(self, tensor, expected):
        expected = np.asarray(expected)
        self.assertIs(type(tensor), tvm_ffi.Tensor)
        self.assertEqual(tuple(tensor.shape), expected.shape)
        np.testing.assert_array_equal(np.from_dlpack(tensor), expected)

    def test_by_the_environment(self):
        """NumPy offers no allocator; a kernel may bring one."""
        self.check_raises(
            "make",
            ((2, 3), RuntimeError, "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
             "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called."))
        for shape in ((2, 3), (), (0, 4), (1,)):
            made = kernels.call_on("cpu", 0, kernels.make, shape)
            self.compare(made, np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
        self.check_raises(
            "make", ((-1, ), ValueError, "Shape [-1] has a negative extent or too many elements"))

    def test_by_the_kernel(self):
        gc.collect()
        before = kernels.released()
        made = kernels.make_own((2, 3))
        self.compare(made, np.arange(6, dtype=np.float32).reshape(2, 3))
        array = np.from_dlpack(made)
        del made
        self.assertEqual(kernels.released(), before)
        array[0, 0] = 7
        self.assertEqual(kernels.sum(array), 22.0)
        del array
        self.assertEqual(kernels.released(), before + 1)
        self.check_raises(
            "make_own", ((2000, ), MemoryError, "8000 bytes are too many"),
            ((-1, ), ValueError, "Shape [-1] has a negative extent or too many elements"))

    def test_around_memory(self):
        before = kernels.released()
        self.compare(kernels.constants(), [3.25, 2.75, 1.5])
        self.assertEqual(kernels.released(), before + 3)

    def test_views(self):
        before = kernels.released()
        source = kernels.make_own((2, 3))
        view = kernels.view(source, (3, 2), (1, 3), 0)
        del source
        self.compare(view, [[0, 3], [1, 4], [2, 5]])
        self.compare(kernels.view(view, (2,), (2,), 1), [1, 3])
        self.check_raises("view", (view, (2,), (1,), 5, IndexError,
                                   "A view of the elements 5 to 6 leaves a tensor of 0 to 5"),
                          (view, (2,), (-1,), 0, IndexError,
                           "A view of the elements -1 to 0 leaves a tensor of 0 to 5"),
                          (view, (2,), (), 0, ValueError, "1 extents, 0 strides"),
                          (view, (-2,), (1,), 0, ValueError,
                           "A view's shape has a negative extent or too many elements"),
                          (print, (1,), (1,), 0, TypeError,
                           "Cannot convert from type `ffi.Function` to `ffi.Tensor`"))
        self.assertEqual(kernels.released(), before)
        del view
        self.assertEqual(kernels.released(), before + 1)
