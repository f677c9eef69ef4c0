# SPDX-License-Identifier: Apache-2.0
# PyPI: loopy==2025.2 islpy==2025.2.5 pymbolic==2025.1
"""loopy: a step of the heat equation on a grid of any size"""
import loopy
import numpy as np

from checked_kernel import compare, load, write

kernel = loopy.make_kernel(
    ["{[i, j]: 0 <= i < n and 0 <= j < m}", "{[k, l]: 1 <= k < n - 1 and 1 <= l < m - 1}"], """
    y[i, j] = x[i, j] {id=copy}
    y[k, l] = x[k, l] + rate * (x[k - 1, l] + x[k + 1, l] \
+ x[k, l - 1] + x[k, l + 1] - 4 * x[k, l]) {dep=copy}
    """, [
        loopy.GlobalArg("y, x", np.float64, shape="n, m"),
        loopy.ValueArg("rate", np.float64),
        loopy.ValueArg("n, m", np.int32)
    ], name="heat", target=loopy.CTarget(), lang_version=(2018, 2))
kernel = loopy.prioritize_loops(loopy.split_iname(kernel, "l", 16), "k, l_outer, l_inner")
source = write("heat.c", loopy.generate_code_v2(kernel).device_code())

# The tensors tell n and m, so callers do not pass them.
kernels = load("void heat(double y[n][m], const double x[n][m], double rate, int32_t n, int32_t m)",
               include=[source])

x = np.random.default_rng(0).random((50, 70))
expected = x.copy()
expected[1:-1, 1:-1] += 0.1 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] -
                               4 * x[1:-1, 1:-1])
compare(kernels.heat, [x, 0.1], expected)
