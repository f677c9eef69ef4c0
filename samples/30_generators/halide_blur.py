# SPDX-License-Identifier: Apache-2.0
# PyPI: halide==21.0.0
"""Halide: a blur of pictures, 16 pixels at a time"""
import sys

import halide
import numpy as np

from checked_kernel import compare, load

picture = halide.ImageParam(halide.UInt(8), 2, "picture")
x, y = halide.Var("x"), halide.Var("y")
wide, across, blur = halide.Func("wide"), halide.Func("across"), halide.Func("blur")
wide[x, y] = halide.u16(halide.BoundaryConditions.repeat_edge(picture)[x, y])
across[x, y] = wide[x - 1, y] + 2 * wide[x, y] + wide[x + 1, y]
blur[x, y] = halide.u8((across[x, y - 1] + 2 * across[x, y] + across[x, y + 1]) >> 4)
blur.vectorize(x, 16)
across.compute_at(blur, y).vectorize(x, 16)
blur.compile_to({halide.OutputFileType.c_header: "blur.h", halide.OutputFileType.object: "blur.o"},
                [picture], "blur", halide.get_host_target())

# Halide has the last dimension of a tensor first.
kernels = load("int blur(const uint8_t picture[h][w], uint8_t blurred[h][w])", "blur.o",
               include=["blur.h"], options=["--abi=halide"])

# What Halide checks itself becomes an error as well: a vector of 16 pixels needs that many in a
# row.
try:
    kernels.blur(np.zeros((33, 15), np.uint8), np.zeros((33, 15), np.uint8))
except RuntimeError as error:
    assert "Halide: Output buffer blur is accessed at -1" in str(error), error
else:
    sys.exit("a picture that is too small for Halide is not refused")

pixels = np.random.default_rng(0).integers(0, 256, (33, 50), np.uint8)
padded = np.pad(pixels, 1, "edge").astype(np.uint16)
rows = padded[:-2] + 2 * padded[1:-1] + padded[2:]
compare(lambda blurred, given: kernels.blur(given, blurred), [pixels],
        (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:] >> 4).astype(np.uint8))
