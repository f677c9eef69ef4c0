# SPDX-License-Identifier: Apache-2.0
"""A kernel that Triton compiles, its image launched by CubinModule and by tvm/ffi/c/cuda.h, on
either API of CUDA.

On the CPU (--device cpu) it is only compiled.
"""
import re

import torch
import triton
import triton.language as tl
import tvm_ffi
from checks import case, check, equal, raises, run, skip
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

FACTOR = 2.5
BLOCK = 256
NUM_ARGS = 5


@triton.jit
def scaled_sum(x, y, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * factor + tl.load(y + i, mask=mask), mask=mask)


def compile_ahead(architecture):
    types = {
        "x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32",
        "BLOCK": "constexpr"
    }
    return triton.compile(ASTSource(scaled_sum, types, {"BLOCK": BLOCK}),
                          target=GPUTarget("cuda", architecture, 32))


def count_hidden(compiled):
    """Parameters that Triton adds to those of the source."""
    entry = re.search(r"\.entry[^)]*\)", compiled.asm["ptx"])[0]
    return entry.count(".param") - NUM_ARGS


@case
def image(libraries, device):
    """Compiled ahead of time for this GPU, and by a launch of Triton."""
    architecture = 90
    if device == "cuda":
        major, minor = torch.cuda.get_device_capability()
        architecture = 10 * major + minor
    ahead = compile_ahead(architecture)
    equal("the image is a cubin", ahead.asm["cubin"][:4], b"\x7fELF")
    check("with the arguments of the source and hidden ones", 0 <= count_hidden(ahead) <= 8,
          ahead.asm["ptx"])
    if device != "cuda":
        skip("launches", "need a GPU")
        return
    n = 1000
    x, y = torch.rand(n, device=device), torch.rand(n, device=device)
    wanted = torch.zeros(n, device=device)
    blocks = (n + BLOCK - 1) // BLOCK
    launched = scaled_sum[(blocks,)](x, y, wanted, n, FACTOR, BLOCK=BLOCK)
    check("Triton's own launch is right", torch.allclose(wanted, x * FACTOR + y))
    for place in ("cc_runtime", "cc_driver", "c_runtime", "c_driver"):
        launch = tvm_ffi.load_module(str(libraries / f"image_kernels_{place}.so")).launch
        for name, compiled in (("ahead of time", ahead), ("by a launch", launched)):
            meta = compiled.metadata
            out = torch.zeros(n, device=device)
            rest = (blocks, 32 * meta.num_warps, meta.shared, count_hidden(compiled), x, y, out,
                    FACTOR)
            launch(compiled.asm["cubin"], meta.name, *rest)
            check(f"{place}: the image compiled {name} gives Triton's result",
                  torch.equal(out, wanted))
            launch(compiled.asm["ptx"].encode() + b"\0", meta.name, *rest[:-2], out.zero_(), FACTOR)
            check(f"{place}: and as PTX, which the driver compiles", torch.equal(out, wanted))
        raises(f"{place}: a name that is not in it", RuntimeError, "CUDA Error: ", launch,
               ahead.asm["cubin"], "other", *rest)
        raises(f"{place}: no image", RuntimeError, "CUDA Error: ", launch, b"no image\0",
               "scaled_sum", *rest)
        check(f"{place}: PyTorch goes on", torch.equal(out.zero_() + 1,
                                                       torch.ones(n, device=device)))


if __name__ == "__main__":
    run()
