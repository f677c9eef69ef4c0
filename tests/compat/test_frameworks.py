# SPDX-License-Identifier: Apache-2.0
"""Guarantees to a framework around a call: its stream, its allocator and its tensors are used, then
restored."""
import ctypes
import gc
import threading

import framework
import numpy as np
import tvm_ffi
from framework import CPU, CUDA, Tensor
from kernels import Case, kernels

LIBRARY = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi())
LIBRARY.TVMFFIEnvGetStream.restype = ctypes.c_void_p
LIBRARY.TVMFFIEnvGetDLPackManagedTensorAllocator.restype = ctypes.c_void_p
ALLOCATOR = framework.TABLE.allocate
GPU, GPU1 = tvm_ffi.device("cuda:0"), tvm_ffi.device("cuda:1")


def environment():
    """The streams of three devices, and the allocator."""
    streams = [
        LIBRARY.TVMFFIEnvGetStream(*device) or 0 for device in ((CPU, 0), (CUDA, 0), (CUDA, 1))
    ]
    return [*streams, LIBRARY.TVMFFIEnvGetDLPackManagedTensorAllocator()]


def see(*args):
    """The environment during a call with these arguments."""
    seen = []
    kernels.call(lambda *values: seen.append(environment()), *args)
    return seen[0]


def make(values, device=(CPU, 0)):
    return Tensor(np.array(values, np.float32), device)


class Environment(Case):
    def setUp(self):
        Tensor.streams = {(CUDA, 0): 0x10, (CUDA, 1): 0x20}
        self.before = environment()
        self.assertEqual(self.before, [0, 0, 0, None])

    def tearDown(self):
        self.assertEqual(environment(), self.before)

    def test_streams(self):
        """The framework's stream on the device of the first tensor that is not on the CPU."""
        cpu, gpu, gpu1 = make([1]), make([1], (CUDA, 0)), make([1], (CUDA, 1))
        for args, expected in (((gpu, ), [0, 0x10, 0]), ((cpu, 1, gpu1, gpu), [0, 0, 0x20]),
                               ((cpu, ), [0, 0, 0]), ((gpu, gpu1), [0, 0x10, 0])):
            self.assertEqual(see(*args), [*expected, ALLOCATOR])
        self.assertEqual(kernels.get_stream(gpu).value, 0x10)

    def test_without_a_framework(self):
        self.assertEqual(see(1, np.zeros(2), None, tvm_ffi.from_dlpack(np.zeros(2))),
                         [0, 0, 0, None])

    def test_containers(self):
        """A framework's tensor inside a list argument counts, too."""
        self.assertEqual(see([make([1], (CUDA, 0))])[1:3], [0x10, 0])

    def test_after_errors(self):
        gpu = make([1], (CUDA, 0))
        for raiser in (lambda x: int("x"), lambda x: kernels.array_item([1], 5)):
            with self.assertRaises((ValueError, IndexError)):
                kernels.call(raiser, gpu)
            self.assertEqual(environment(), self.before)
        with self.assertRaises(TypeError):
            kernels.add_one(gpu, 1)
        self.assertEqual(environment(), self.before)

    def test_nesting(self):
        """A nested call has its own environment; without a framework's tensor it keeps the outer
        one."""
        gpu, gpu1, seen = make([1], (CUDA, 0)), make([1], (CUDA, 1)), []

        def outer(x):
            Tensor.streams[CUDA, 0] = 0x30
            seen.extend([environment(), see(gpu), see(gpu1), see(1), environment()])
        kernels.call(outer, gpu)
        self.assertEqual([row[:3] for row in seen],
                         [[0, 0x10, 0], [0, 0x30, 0], [0, 0x10, 0x20], [0, 0x10, 0], [0, 0x10, 0]])
        self.assertEqual({row[3] for row in seen}, {ALLOCATOR})

    def test_raw_streams(self):
        gpu = make([1], (CUDA, 0))
        with tvm_ffi.use_raw_stream(GPU1,
                                    0x50), tvm_ffi.use_raw_stream(tvm_ffi.device("cpu:0"), 0x60):
            with tvm_ffi.use_raw_stream(GPU, 0x40):
                self.assertEqual(tvm_ffi.get_raw_stream(GPU), 0x40)
                self.assertEqual(see(1), [0x60, 0x40, 0x50, None])
                self.assertEqual(see(gpu), [0x60, 0x10, 0x50, ALLOCATOR])
                self.assertEqual(environment(), [0x60, 0x40, 0x50, None])
                with self.assertRaises(ValueError), tvm_ffi.use_raw_stream(GPU, 0x70):
                    kernels.call(lambda x: int("x"), gpu)
                self.assertEqual(environment(), [0x60, 0x40, 0x50, None])
            self.assertEqual(tvm_ffi.get_raw_stream(GPU), 0)
            self.assertEqual(tvm_ffi.get_raw_stream(GPU1), 0x50)

    def test_threads(self):
        seen = []

        def look(x):
            thread = threading.Thread(target=lambda: seen.append(environment()))
            thread.start()
            thread.join()
        with tvm_ffi.use_raw_stream(GPU1, 0x50):
            kernels.call(look, make([1], (CUDA, 0)))
        self.assertEqual(seen, [[0, 0, 0, None]])


class Results(Case):
    def setUp(self):
        gc.collect()
        self.assertEqual(Tensor.exported, {})

    def tearDown(self):
        gc.collect()
        self.assertEqual(Tensor.exported, {})

    def test_allocated(self):
        """A result in the framework's memory is a tensor of the framework, and is freed with it."""
        before = Tensor.allocated
        for device in ((CPU, 0), (CUDA, 1)):
            made = kernels.make_scaled(make([[1, 2], [3, 4]], device), 2.5)
            self.assertEqual((type(made), made.device), (Tensor, device))
            np.testing.assert_array_equal(made.array, [[2.5, 5], [7.5, 10]])
            self.assertEqual(len(Tensor.exported), 1)
            del made
            self.assertEqual(Tensor.exported, {})
        self.assertEqual(Tensor.allocated, before + 2)

    def test_optional(self):
        made = kernels.make_scaled(make([1, 2]), None)
        np.testing.assert_array_equal(made.array, [1, 2])
        self.check("read_opt_double", (None, -1.0), (2, 2.0))
        self.check("read_opt_tensor_object", (None, None))
        self.assertIs(type(kernels.read_opt_tensor_object(make([1]))), Tensor)

    def test_inputs(self):
        """A kernel writes into the framework's memory, and may return one of its arguments."""
        x, y = make([1, 2, 3]), make([0, 0, 0])
        self.assertIs(kernels.add_one(y, x), None)
        np.testing.assert_array_equal(y.array, [2, 3, 4])
        back = kernels.call(lambda t: t, x)
        self.assertIs(type(back), Tensor)
        back.array[0] = 9
        self.assertEqual(x.array[0], 9)

    def test_own(self):
        """With a framework's tensor among the arguments, results in the kernel's own memory are
        converted, too."""
        made = kernels.call(lambda x: kernels.make_own((2,)), make([1]))
        self.assertIs(type(made), Tensor)
        np.testing.assert_array_equal(made.array, [0, 1])
        self.assertIs(type(kernels.make_own((2,))), tvm_ffi.Tensor)

    def test_numpy(self):
        """NumPy publishes no exchange table: there is no allocator, and results are the package's
        tensors."""
        x = np.ones(2, np.float32)
        self.check_raises(
            "make_scaled",
            (x, 2.0, RuntimeError, "TVMFFIEnvTensorAlloc: allocator is nullptr, likely "
             "because TVMFFIEnvSetDLPackManagedTensorAllocator has not been called."))
        self.assertIs(type(kernels.read_opt_tensor_object(x)), tvm_ffi.Tensor)

    def test_refusals(self):
        """An error of the framework's allocator is raised to the caller."""
        before = Tensor.allocated
        self.check_raises("make_scaled",
                          (make(range(101)), 1.0, MemoryError, "101 elements are too many"))
        self.assertEqual(Tensor.allocated, before)


class PyTorch(Case):
    def setUp(self):
        try:
            import torch
        except ImportError as error:
            self.skipTest(f"PyTorch is not installed: {error}")
        self.torch = torch

    def test_results(self):
        torch = self.torch
        x = torch.tensor([1.0, 2.0])
        made = kernels.make_scaled(x, 2.5)
        self.assertIs(type(made), torch.Tensor)
        self.assertEqual(made.tolist(), [2.5, 5.0])
        self.assertEqual(kernels.make_scaled(x, None).tolist(), [1.0, 2.0])
        y = torch.zeros(2)
        kernels.add_one(y, x)
        self.assertEqual(y.tolist(), [2.0, 3.0])
        self.assertEqual(environment(), [0, 0, 0, None])

    def test_streams(self):
        if not self.torch.cuda.is_available():
            self.skipTest("PyTorch has no device here")
        x, stream = self.torch.ones(2, device="cuda"), self.torch.cuda.Stream()
        with self.torch.cuda.stream(stream):
            self.assertEqual(see(x)[1], stream.cuda_stream)
        with tvm_ffi.use_torch_stream(self.torch.cuda.stream(stream)):
            self.assertEqual(tvm_ffi.get_raw_stream(GPU), stream.cuda_stream)
        self.assertEqual(environment(), [0, 0, 0, None])
