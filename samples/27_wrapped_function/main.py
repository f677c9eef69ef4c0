# SPDX-License-Identifier: Apache-2.0
"""Calls the kernel that `tvm-ffi wrap` has made of normalize.c, on NumPy arrays and with wrong
arguments."""
import sys

import numpy as np
import tvm_ffi

kernels = tvm_ffi.load_module(sys.argv[1])

x = np.array([[1, 3], [2, 2], [0, 5]], np.float32)
y = np.empty_like(x)
kernels.normalize(y, x)  # n and m are those of the arrays
print(y.tolist())

for arguments in ((y, x.astype(np.float64)), (y, x[:2]), (y.T, x.T), (y, None), (y,)):
    try:
        kernels.normalize(*arguments)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
