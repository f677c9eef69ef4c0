# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy and numba-cuda in kernels of a GPU, through DLPack: they bring neither a stream
nor an allocator."""
import numpy as np
import tvm_ffi
from checks import case, check, equal, outcome, raises, run, show, skip

FACTOR = 2.5
GPU = "cuda:0"


def load(libraries):
    return [
        tvm_ffi.load_module(str(libraries / f"{name}_cuda.so"))
        for name in ("scale", "python_kernels")
    ]


def import_cupy():
    """CuPy, or None after saying why not."""
    try:
        import cupy
        cupy.zeros(1)
    except Exception as error:  # not installed, no GPU
        skip("all of it", f"CuPy cannot be used: {type(error).__name__}: {error}")
        return None
    return cupy


@case
def cupy_arrays(libraries):
    """On the default stream, and on another that the caller names."""
    cupy = import_cupy()
    if cupy is None:
        return
    kernels, more = load(libraries)
    for dtype in (np.float16, np.float32, np.float64):
        x = cupy.arange(1000, dtype=dtype)
        y = cupy.zeros_like(x)
        kernels.scale(x, y, FACTOR)
        check(f"{np.dtype(dtype)} is right",
              bool((y == (x.astype(np.float64) * FACTOR).astype(dtype)).all()))
    equal("the kernel finds the address", more.get_address(x), x.data.ptr)
    equal("and no stream", more.get_stream(x), 0)
    raises("CuPy has no allocator for kernels", RuntimeError, "allocator", more.twice,
           x.astype(np.float32))

    x = cupy.arange(48, dtype=np.float32).reshape(6, 8)
    for name, view in (("transposed", x.T), ("expanded", cupy.broadcast_to(x[:1], (6, 8))),
                       ("with steps", x[::2, 1::3])):
        out = cupy.zeros(view.shape, np.float32)
        raises(f"{name}: refused by scale", ValueError, "x must be contiguous", kernels.scale, view,
               out, FACTOR)
        more.gather(view, out)
        check(f"{name}: right by a kernel for any strides", bool((out == view).all()))
    out = cupy.zeros(8, np.float32)
    kernels.scale(x.reshape(-1)[5:13], out, FACTOR)
    check("a slice with an offset", bool((out == x.reshape(-1)[5:13] * FACTOR).all()))

    back = more.same(x)
    equal("a result is the package's tensor", type(back), tvm_ffi.Tensor)
    again = cupy.from_dlpack(back)
    equal("and CuPy's without a copy", again.data.ptr, x.data.ptr)
    address = x.data.ptr
    del x, back
    check("which keeps the memory", again.data.ptr == address and bool(
        (again == cupy.arange(48).reshape(6, 8)).all()))

    stream = cupy.cuda.Stream(non_blocking=True)
    x, y = cupy.zeros(1000, np.float32), cupy.zeros(1000, np.float32)
    # an export by CuPy may wait for its stream
    views = tvm_ffi.from_dlpack(x), tvm_ffi.from_dlpack(y)
    spin = cupy.RawKernel(
        'extern "C" __global__ void spin(long long n) '
        '{ const long long start = clock64(); while (clock64() - start < n) {} }', "spin")
    for cycles in (1000, 1_500_000_000):
        for named in (True, False):
            x.fill(0), y.fill(-1)
            cupy.cuda.Device().synchronize()
            with stream:
                spin((1,), (1,), (np.int64(cycles),))
                x.fill(3)
                if named:
                    with tvm_ffi.use_raw_stream(tvm_ffi.device(GPU), stream.ptr):
                        kernels.scale(*views, FACTOR)
                else:
                    kernels.scale(*views, FACTOR)
            cupy.cuda.Device().synchronize()
            if cycles > 1000:
                equal(
                    "on the stream that the caller names"
                    if named else "without a name on the default stream",
                    cupy.unique(y).tolist(), [3 * FACTOR] if named else [0.0])


@case
def numba_arrays(libraries):
    """A kernel of numba-cuda before ours and one after."""
    cupy = import_cupy()
    if cupy is None:
        return
    kernels, more = load(libraries)
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 uses this name, which NumPy 2.5 no longer has
    try:
        from numba import cuda

        @cuda.jit
        def add(values, number):
            i = cuda.grid(1)
            if i < values.size:
                values[i] += number

        x = cuda.to_device(np.zeros(1000, np.float32))
        add[4, 256](x, np.float32(0))
        cuda.synchronize()
    except Exception as error:  # not installed, or at odds with the other packages
        skip("all of it", f"numba-cuda runs no kernel: {type(error).__name__}: {error}")
        return
    y = cuda.device_array(1000, np.float32)
    views = cupy.asarray(x), cupy.asarray(y)
    equal("CuPy sees numba's memory", views[0].data.ptr, x.__cuda_array_interface__["data"][0])
    add[4, 256](x, np.float32(3))
    kernels.scale(*views, FACTOR)
    add[4, 256](y, np.float32(1))
    equal("between two kernels of numba", np.unique(y.copy_to_host()).tolist(), [3 * FACTOR + 1])
    back = cuda.as_cuda_array(cupy.from_dlpack(more.same(views[0])))
    add[4, 256](back, np.float32(1))
    equal("a result in a kernel of numba", np.unique(x.copy_to_host()).tolist(), [4.0])
    show(
        "the package's tensor as an argument: " +
        outcome(lambda: add[4, 256](tvm_ffi.from_dlpack(views[0]), np.float32(1))),
        f"gives {np.unique(x.copy_to_host()).tolist()}",
        "numba's array as an argument of ours: " + outcome(more.get_address, x))


if __name__ == "__main__":
    run()
