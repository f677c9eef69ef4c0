# SPDX-License-Identifier: Apache-2.0
"""A Fourier transform by FFTW, of whose header and fftw.wrap `tvm-ffi wrap` has made kernels."""
import sys

import numpy as np
import tvm_ffi

fftw = tvm_ffi.load_module(sys.argv[1])
x = np.array([1, 1j, -1, -1j])  # complex128
y = np.empty_like(x)
plan = fftw.fftw_plan_dft_1d(x, y, -1, 64)  # n is the arrays' length
fftw.fftw_execute(plan)  # the plan keeps x and y
print(y.tolist())
try:
    fftw.fftw_plan_dft_1d(x, y[:3], -1, 64)
except ValueError as error:
    print(error)
