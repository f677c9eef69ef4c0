# SPDX-License-Identifier: Apache-2.0
"""The parts of PyTorch that the tests of xgrammar use, made with NumPy: its tensors are arrays
here."""
import sys
import types

import numpy as np

# The package imports PyTorch if it finds it, and must not find this.
if not hasattr(sys.modules.get("tvm_ffi"), "Tensor"):
    raise ImportError("this is not PyTorch")


class Tensor(np.ndarray):
    class device:
        type, index = "cpu", None

    def data_ptr(self):
        return self.ctypes.data

    def fill_(self, value):
        self[...] = value
        return self

    def to(self, dtype):
        return self.astype(dtype)

    def clone(self):
        return self.copy()

    def numpy(self):
        return np.asarray(self)


def making(function):
    return lambda *args, device=None, **keywords: np.asarray(function(*args, **keywords)).view(
        Tensor)


LongTensor = FloatTensor = IntTensor = BoolTensor = Tensor
dtype = np.dtype
bool, int32, int64 = np.dtype("bool"), np.dtype("int32"), np.dtype("int64")
float16, float32, float64 = np.dtype("float16"), np.dtype("float32"), np.dtype("float64")
tensor, full, zeros, ones, empty, arange, where = map(
    making, (np.array, np.full, np.zeros, np.ones, np.empty, np.arange, np.where))
isinf, isfinite = np.isinf, np.isfinite
equal = np.array_equal
cuda = types.SimpleNamespace(is_available=lambda: False)
backends = types.SimpleNamespace(mps=cuda)
testing = types.SimpleNamespace(assert_close=lambda a, b, **_: np.testing.assert_allclose(a, b))
