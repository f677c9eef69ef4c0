# SPDX-License-Identifier: Apache-2.0
"""What kernels of probe_faults.c compute, for test_probe_python.py; some functions misbehave."""
import os

import numpy


def right(x, factor):
    print("this is no answer")
    return x * factor


def subtract_last(x):
    x -= x[..., -1:].copy()


def sum_all(x):
    return x.sum()


def copy_all(x):
    return x


def sums_many(tensors):
    return sum(float(x[0]) for x in tensors)


def lists(shape):
    return shape[1]


def texts(text):
    return len(text)


def turned(x):
    return x.T


def odd(x, factor):
    """By the number of rows."""
    if len(x) == 2:
        raise ValueError("two")
    while len(x) == 3:
        pass
    if len(x) == 5:
        os._exit(1)
    return numpy.zeros(1) if len(x) == 6 else x * factor


def refuses(x, factor):
    raise KeyError("none")
