#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""by_dask.py KERNEL: the histogram of parts, by two worker processes of Dask."""
import pathlib
import sys

try:
    import dask.distributed
except ImportError as error:
    print(f"skipped: {error} (pip install distributed)")
    sys.exit(77)
import numpy

import kernels


def main():
    histogram = kernels.Kernel(str(pathlib.Path(sys.argv[1]).resolve()), "histogram")
    with dask.distributed.LocalCluster(n_workers=2, threads_per_worker=1,
                                       dashboard_address=None) as cluster, \
            dask.distributed.Client(cluster) as client:
        client.upload_file(kernels.__file__)
        parts = client.scatter(numpy.array_split(kernels.make_data(), 4))
        counts = client.map(kernels.count, [histogram] * 4, parts)
        for i, number in enumerate(client.submit(sum, counts).result()):
            print(f"bin {i}: {number:.0f}")
        # The error of a kernel is the exception of the task.
        print(repr(client.submit(kernels.count, histogram, parts[0], high=-1.0).exception()))


if __name__ == "__main__":
    main()
