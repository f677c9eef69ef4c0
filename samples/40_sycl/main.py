# SPDX-License-Identifier: Apache-2.0
"""Calls a SYCL kernel on memory of dpctl.

dpctl's memory has no DLPack, and nobody sets its queue for a call: Shared and use_raw_stream do
that. Arrays of dpnp have __dlpack__, and need only the queue (x.sycl_queue).
"""
import pathlib
import sys

import dpctl
import dpctl.memory
import numpy as np
import tvm_ffi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dlpack_by_hand  # noqa: E402

KDL_ONEAPI = 14


class Shared(dlpack_by_hand.Tensor):
    """A vector of float32 in memory of SYCL that the processor accesses, too: values is a NumPy
    array in it."""

    def __init__(self, count, queue):
        self.memory = dpctl.memory.MemoryUSMShared(4 * count, queue=queue)
        self.values = np.ndarray(count, np.float32, self.memory)
        super().__init__(self.memory, self.memory._pointer, (KDL_ONEAPI, 0), self.values.dtype,
                         self.values.shape, self.values.strides)

    def part(self, begin):
        """The tensor of the elements from begin on."""
        rest = self.values[begin:]
        return dlpack_by_hand.Tensor(self.memory, self.data + 4 * begin, self.device, rest.dtype,
                                     rest.shape, rest.strides)


def main():
    devices = [device for device in dpctl.get_devices() if device.has_aspect_usm_shared_allocations]
    if not devices:
        print("skipped: no device of SYCL has shared memory here (PyPI: intel-opencl-rt)")
        return 77
    print(f"device: {devices[0].backend.name}, {devices[0].driver_version}, {devices[0].name}",
          file=sys.stderr)
    kernels = tvm_ffi.load_module(sys.argv[1])
    device = tvm_ffi.device(KDL_ONEAPI, 0)  # the package does not know the name oneapi
    queue = dpctl.SyclQueue(devices[0])
    x, y = Shared(200, queue), Shared(200, queue)
    x.values[:] = np.arange(200)
    y.values[:] = 0

    with tvm_ffi.use_raw_stream(device, queue.addressof_ref()):
        kernels.scale(x, y, 2.5)
    queue.wait()
    print("y:", *y.values[:5], "...", y.values[-1])

    with tvm_ffi.use_raw_stream(device, queue.addressof_ref()):  # the part from element 127 on
        kernels.scale(x.part(127), y.part(127), -1)
        kernels.scale(x.part(200), y.part(200), -1)
    queue.wait()
    print("y:", *y.values[125:129])

    numbers = np.ones(200, np.float32)
    for arguments in (x, numbers, 1), (numbers, x, 1), (x, y.part(1), 1):
        try:
            with tvm_ffi.use_raw_stream(device, queue.addressof_ref()):
                kernels.scale(*arguments)
        except ValueError as error:
            print(f"ValueError: {error}")
    try:
        kernels.scale(x, y, 1)
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
