# SPDX-License-Identifier: Apache-2.0
"""Calls the kernel `scale` on NumPy arrays, then with wrong arguments."""
import sys

import numpy as np
import tvm_ffi

kernels = tvm_ffi.load_module(sys.argv[1])

for dtype in (np.int8, np.int64, np.uint16, np.float16, np.float32, np.float64):
    x = np.array([2, 4, 6, 8], dtype)
    y = np.empty_like(x)  # the caller allocates
    kernels.scale(x, y, 2.5)
    print(f"{x.dtype}:", *y.astype(int))

x = np.arange(6, dtype=np.float32).reshape(2, 3)
for y in (x.T.copy(), x.astype(np.float64), x[::-1]):
    try:
        kernels.scale(x, y, 2.5)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")

try:
    kernels.scale(x, None, 2.5)
except TypeError as error:
    print(f"TypeError: {error}")
