#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""by_ray.py KERNEL: the histogram of parts, by worker processes of Ray."""
import pathlib
import sys

try:
    import ray
except ImportError as error:
    print(f"skipped: {error} (pip install ray)")
    sys.exit(77)
import numpy

import kernels


@ray.remote
def count(kernel, part, high=1.0):
    # Ray shares arrays with all processes, for reading only. The kernel gets that memory.
    if part.flags.writeable or kernels.Readable(part).view().ctypes.data != part.ctypes.data:
        raise AssertionError("this array is a copy")
    return kernels.count(kernel, part, high)


def main():
    histogram = kernels.Kernel(str(pathlib.Path(sys.argv[1]).resolve()), "histogram")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    parts = [ray.put(part) for part in numpy.array_split(kernels.make_data(), 4)]
    for i, number in enumerate(sum(ray.get([count.remote(histogram, part) for part in parts]))):
        print(f"bin {i}: {number:.0f}")
    # The error of a kernel is the exception of the task.
    try:
        ray.get(count.remote(histogram, parts[0], high=-1.0))
    except ray.exceptions.RayTaskError as error:
        print(repr(error.cause))
    ray.shutdown()


if __name__ == "__main__":
    main()
