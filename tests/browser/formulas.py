# SPDX-License-Identifier: Apache-2.0
"""All that emit.py compiles; test_module_functions.mjs has the same in JavaScript."""


def everything(red, green, blue, gain, offset):
    """A "doc" with \\ and
    two lines."""
    gain = gain * 2
    low = min(red, green)
    high = max(abs(red - green), blue)
    red = sqrt(low) * gain - -offset
    green = exp(-high) / (1 + blue ** 2)
    return red, green, 1 - (high - (low - 0.25))


def swap(a, b, c):
    return c, b, a
