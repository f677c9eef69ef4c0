# SPDX-License-Identifier: Apache-2.0
"""Kernels inside functions that JAX compiles, by jax-tvm-ffi: on a GPU, or on the CPU."""
import jax
import jax.numpy as jnp
import jax_tvm_ffi
import numpy as np
import tvm_ffi
from checks import case, check, equal, outcome, raises, run

FACTOR = 2.5


def load(libraries, device):
    """The kernels of gpu_torch.py, those that the cases use registered with JAX."""
    platform = "gpu" if device == "cuda" else "cpu"
    kernels, more = (tvm_ffi.load_module(str(libraries / f"{name}_{device}.so"))
                     for name in ("scale", "python_kernels"))
    jax_tvm_ffi.register_ffi_target("tests.scale", kernels.scale, ["args", "rets", "attrs.factor"],
                                    platform=platform, allow_cuda_graph=True)
    jax_tvm_ffi.register_ffi_target("tests.copy", more.copy, ["args", "rets"], platform=platform)
    jax.config.update("jax_default_device", jax.devices(platform)[0])
    return more


def call(name, x, shape=None, **attributes):
    result = jax.ShapeDtypeStruct(x.shape if shape is None else shape, x.dtype)
    return jax.ffi.ffi_call(name, result, vmap_method="sequential")(x, **attributes)


def scale(x, factor=FACTOR):
    return call("tests.scale", x, factor=np.float64(factor))


@case
def compiled(libraries, device):
    """Inside jit, between operations of JAX."""
    load(libraries, device)
    equal("the device of JAX",
          jnp.zeros(1).devices().pop().platform, "gpu" if device == "cuda" else "cpu")
    for dtype in (jnp.float16, jnp.bfloat16, jnp.float32):
        x = jnp.arange(1000).astype(dtype)
        y = jax.jit(scale)(x)
        equal(f"{x.dtype}: dtype and shape", (y.dtype, y.shape), (x.dtype, x.shape))
        check(f"{x.dtype}: right", bool(
            (y == (x.astype(jnp.float32) * FACTOR).astype(dtype)).all()))

    @jax.jit
    def between(x):
        return scale(x * 3 + 1).sum(axis=0) - scale(x, 2.0).T[0]

    square = jnp.arange(400, dtype=jnp.float32).reshape(20, 20) / 8
    check("between operations, with a transposed result",
          np.allclose(between(square), ((square * 3 + 1) * FACTOR).sum(axis=0) - (square * 2).T[0]))


@case
def loops(libraries, device):
    """In loops, vmap and many calls."""
    load(libraries, device)
    x = jnp.ones((4, 5), jnp.float32)
    looped = jax.jit(lambda x: jax.lax.fori_loop(0, 10, lambda _, y: scale(y, 2.0), x))
    check("ten times in a loop", bool((looped(x) == 1024).all()))
    mapped = jax.jit(jax.vmap(scale))
    check("mapped over rows", bool((mapped(x) == FACTOR).all()))
    many = jax.jit(scale)
    results = [many(x * i) for i in range(300)]
    check("three hundred calls, awaited at the end",
          all(bool((y == i * FACTOR).all()) for i, y in enumerate(results)))
    for dtype in (jnp.bool_, jnp.uint8, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.int32):
        x = jnp.arange(64).astype(dtype)
        y = jax.jit(lambda x: call("tests.copy", x))(x)
        check(f"{x.dtype} arrives whole",
              bool((y.astype(jnp.float32) == x.astype(jnp.float32)).all()))


@case
def errors(libraries, device):
    """An error of the kernel arrives, and calls go on after it."""
    load(libraries, device)
    x = jnp.ones(10, jnp.float32)
    raises("another size", Exception, "of one size",
           lambda: jax.block_until_ready(call("tests.copy", x, shape=(3, ))))
    raises("another shape", Exception, "of one shape",
           lambda: jax.block_until_ready(call("tests.scale", x, shape=(11,), factor=np.float64(1))))
    check("calls go on", bool((jax.jit(scale)(x) == FACTOR).all()))


@case
def arrays(libraries, device):
    """Arrays of JAX, which are read-only, given to a kernel without jit."""
    more = load(libraries, device)
    x = jnp.arange(10, dtype=jnp.float32)
    view = outcome(lambda: str(tvm_ffi.from_dlpack(x).dtype))
    equal("from_dlpack takes a read-only array", view, "'float32'")
    y = tvm_ffi.from_dlpack(x)
    equal("without a copy", more.get_address(y), x.unsafe_buffer_pointer())
    equal("passed itself", more.get_address(x), x.unsafe_buffer_pointer())
    back = jnp.from_dlpack(more.same(y))
    check("and it comes back", bool((back == x).all()))


if __name__ == "__main__":
    run()
