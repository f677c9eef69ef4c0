# SPDX-License-Identifier: Apache-2.0
# PyPI: tinygrad==0.14.0
"""tinygrad: a convolution with bias and ReLU"""
import os

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from checked_kernel import compare, find_program, load, run, write

clang = find_program("clang")  # tinygrad writes vectors as clang has them
# One thread, and vectors that need no alignment: a tensor may begin at any element.
os.environ |= {"DEV": "CPU", "CPU_COUNT": "1", "ALIGNED": "0"}

from tinygrad import Device, Tensor  # noqa: E402, because it reads these variables
from tinygrad.codegen import to_program  # noqa: E402
from tinygrad.uop.ops import Ops  # noqa: E402

result = Tensor.empty(1, 3, 16, 16).conv2d(Tensor.empty(8, 3, 3, 3), Tensor.empty(8),
                                           padding=1).relu()
(call,) = result.schedule_linear().src  # one kernel does it all
program = to_program(call.src[0], Device["CPU"].renderer)
(text,) = (part.arg for part in program.src if part.op is Ops.SOURCE)
run(clang, "-O2", "-fPIC", "-c", write("convolution.c", text), "-o", "convolution.o")

# The function takes float * for inputs too, so the source is not included: `const` would not match.
kernels = load(
    f"convolution = void {program.arg.function_name}"
    "(float y[1, 8, 16, 16], const float x[1, 3, 16, 16], const float w[8, 3, 3, 3], const float "
    "b[8])",
    "convolution.o")

random = np.random.default_rng(0)
x, w, b = (random.standard_normal(shape, np.float32)
           for shape in ((1, 3, 16, 16), (8, 3, 3, 3), (8, )))
windows = sliding_window_view(np.pad(x[0], ((0, 0), (1, 1), (1, 1))), (3, 3), axis=(1, 2))
expected = np.maximum(np.einsum("chwij,fcij->fhw", windows, w) + b[:, None, None], 0)[np.newaxis]
compare(kernels.convolution, [x, w, b], expected)
