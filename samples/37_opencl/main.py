# SPDX-License-Identifier: Apache-2.0
"""Calls an OpenCL kernel on arrays of pyopencl.

pyopencl has no DLPack, and nobody sets its queue for a call: Shared and use_raw_stream do that.
"""
import pathlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array
import tvm_ffi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dlpack_by_hand  # noqa: E402

KDL_OPENCL = 4


class Shared(dlpack_by_hand.Tensor):
    """An array of pyopencl as a tensor: data is its cl_mem."""

    def __init__(self, array, byte_offset=None):
        super().__init__(array, array.base_data.int_ptr, (KDL_OPENCL, 0), array.dtype, array.shape,
                         array.strides, array.offset if byte_offset is None else byte_offset)


def main():
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.LogicError:
        devices = []
    if not devices:
        print("skipped: no OpenCL driver has a device here (Debian: pocl-opencl-icd)")
        return 77
    kernels = tvm_ffi.load_module(sys.argv[1])
    device = tvm_ffi.device("opencl", 0)
    for number, found in enumerate(devices):
        print(f"device {number}: {found.platform.version}, {found.name}", file=sys.stderr)
    queue = cl.CommandQueue(cl.Context(devices[:1]))
    x = cl.array.to_device(queue, np.arange(200, dtype=np.float32))
    y = cl.array.zeros_like(x)
    queue.finish()

    with tvm_ffi.use_raw_stream(device, queue.int_ptr):
        kernels.scale(Shared(x), Shared(y), 2.5)
    print("y:", *y.get()[:5], "...", y.get()[-1])

    with tvm_ffi.use_raw_stream(device, queue.int_ptr):  # the part from element 128 on
        kernels.scale(Shared(x[128:]), Shared(y[128:]), -1)
    print("y:", *y.get()[126:130])

    for arguments in ((Shared(x), Shared(y[:100]), 1), (Shared(x), Shared(y, 4000), 1),
                      (Shared(x[1:]), Shared(y[1:]), 1), (np.ones(3, np.float32), Shared(y), 1)):
        try:
            with tvm_ffi.use_raw_stream(device, queue.int_ptr):
                kernels.scale(*arguments)
        except (TypeError, ValueError) as error:
            print(f"{type(error).__name__}: {error}")
    try:
        kernels.scale(Shared(x), Shared(y), 1)
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
