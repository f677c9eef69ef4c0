# SPDX-License-Identifier: Apache-2.0
"""A kernel that can be sent to another process."""
import numpy
import tvm_ffi


class Kernel:
    """Modules and functions cannot be pickled, for they are addresses of this process. This class
    sends the path instead; the process that calls it loads the library, once."""

    def __init__(self, path, name):
        self.path, self.name, self.function = path, name, None

    def __reduce__(self):
        return Kernel, (self.path, self.name)

    def __call__(self, *args):
        if self.function is None:
            self.function = getattr(tvm_ffi.load_module(self.path), self.name)
        return self.function(*args)


class Readable:
    """The memory of an array that is read-only, such as one that Ray shares between processes. The
    package tvm_ffi does not take those, because it cannot tell a kernel that they are. Use it for
    kernels that only read the argument: what one wrote would change the data of all processes."""

    def __init__(self, array):
        self.array = array  # which the view keeps alive
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}

    def view(self):
        return numpy.asarray(self)


def count(kernel, part, high=1.0):
    """The histogram of a part of the data."""
    counts = numpy.zeros(5)
    kernel(counts, part if part.flags.writeable else Readable(part).view(), 0.0, high)
    return counts


def make_data():
    return ((numpy.arange(1000000) * 7919) % 1000000).astype("float32") / numpy.float32(1000000)
