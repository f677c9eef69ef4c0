# SPDX-License-Identifier: Apache-2.0
# PyPI: apache-tvm==0.27.0.post1
"""TVM: attention; its C is a checked kernel of this ABI already"""
import pathlib

import numpy as np
import tvm
from tvm import te, topi

from checked_kernel import run, write

q, k, v = (te.placeholder((8, 16), name=name) for name in "qkv")
scores = topi.nn.batch_matmul(topi.expand_dims(q, 0), topi.expand_dims(k, 0))
result = topi.nn.matmul(topi.squeeze(topi.nn.softmax(scores), 0), v)
function = te.create_prim_func([q, k, v, result]).with_attr("global_symbol", "attention")
module = tvm.build(tvm.IRModule({"attention": function}), target="c")
source = write("attention.c", module.inspect_source())

queries, keys, values = np.random.default_rng(0).standard_normal((3, 8, 16), np.float32)
e = np.exp(queries @ keys.T)
for name, array in {
        "q": queries, "k": keys, "v": values, "y": e / e.sum(1, keepdims=True) @ values
}.items():
    np.save(f"{name}.npy", array)

# No wrapper, and only headers of TVM: the tool compiles the source and calls the kernel from C.
# Intermediate tensors of 1 KB and more would need libtvm_runtime.so, which allocates them.
command = ["tvm-ffi", "run", source, f"--cflags=-I{pathlib.Path(tvm.__file__).parent / 'include'}",
           "--function=attention", *(f"--input=@{name}.npy" for name in "qkv")]
run(*command, "--input=&8x16xf32", "--expected_output=@y.npy")
for wrong, said in ("&8x16xi16", "expected float32"), ("&8x15xf32",
                                                       "Mismatched"), ("none", "expected Tensor"):
    assert said in run(*command, f"--input={wrong}", code=1)
print("as NumPy; wrong outputs are refused")
