# SPDX-License-Identifier: Apache-2.0
"""The kernels of kernels.te beside NumPy, on random arrays of many shapes and strides: main.py
KERNELS.so"""
import sys

import numpy as np
import tvm_ffi

kernels = tvm_ffi.load_module(sys.argv[1])
random = np.random.default_rng(25)
compared = 0


def array(shape, dtype=np.float32):
    """Random elements that are contiguous, transposed, or every second of a larger array."""
    wide = random.standard_normal([2 * length for length in shape]) * 4
    order = random.permutation(len(shape))
    whole = np.transpose(wide.astype(dtype), order).transpose(np.argsort(order))
    steps = [
        slice(None, length) if random.random() < 0.5 else slice(None, None, 2) for length in shape
    ]
    part = whole[(..., *steps)]  # an array also where there are no steps
    return np.array(part) if random.random() < 0.3 else part


def compare(name, *inputs, expected):
    """Calls a kernel, whose outputs should be the expected arrays."""
    global compared
    outputs = [array(answer.shape, answer.dtype) for answer in expected]
    kernels[name](*inputs, *outputs)
    for output, answer in zip(outputs, expected):
        np.testing.assert_allclose(output, answer, rtol=2e-5, atol=1e-6, err_msg=name)
        compared += output.size


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


for _ in range(50):
    n, k, m = (int(length) for length in random.integers(1, 12, 3))
    x, w, b = array([n, k]), array([k, m]), array([m])
    compare("softmax", x, expected=[softmax(x)])
    compare("dense", x, w, b, expected=[x @ w + b])
    long, short = array([n + k - 1], np.float64), array([k], np.float64)
    compare("convolve", long, short, expected=[np.correlate(long, short, "valid")])
    compare("moments", long, expected=[np.array(long.mean()), np.array(long.var())])
    above = (counted := array([n, k], np.int32)) > 2
    compare("count_above", counted, 2,
            expected=[above.sum(1), np.where(above.any(1), above.argmax(1), k)])


@tvm_ffi.register_global_func("activate")
def activate(x, y):
    np.maximum(np.from_dlpack(x), 0, out=np.from_dlpack(y))


compare("layer", x, w, 0.5, expected=[np.maximum(0.5 * (x @ w), 0)])
empty, with_nan = np.empty((0, 3), np.float32), np.array([[1, np.nan, 2]], np.float32)
compare("softmax", empty, expected=[empty])
compare("softmax", with_nan, expected=[softmax(with_nan)])

print("as NumPy:", compared > 1000)
for wrong in (np.ones((2, 3)), np.ones(3, np.float32), np.ones((3, 2), np.float32)):
    try:
        kernels.softmax(np.ones((2, 3), np.float32), wrong)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
