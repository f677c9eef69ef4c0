# SPDX-License-Identifier: Apache-2.0
# Debian: mlir-19-tools llvm-19
"""MLIR: a dense layer of any size, with bias and ReLU, in the dialect linalg"""
import numpy as np

from checked_kernel import compare, find_program, load, run, write

optimize, translate, compile_llvm = map(find_program,
                                        ("mlir-opt-19", "mlir-translate-19", "llc-19"))

text = write(
    "dense.mlir", """
#matrix = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @dense(%y: memref<?x?xf32>, %x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>)
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#column, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<?xf32>) outs(%y : memref<?x?xf32>) {
    ^bb0(%bias: f32, %old: f32): linalg.yield %bias : f32
  }
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#matrix], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<?x?xf32>) {
    ^bb0(%sum: f32):
      %positive = arith.maximumf %sum, %zero : f32
      linalg.yield %positive : f32
  }
  return
}
""")
run(optimize, text, "--convert-linalg-to-loops", "--convert-scf-to-cf", "--expand-strided-metadata",
    "--lower-affine", "--convert-cf-to-llvm", "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm", "--convert-func-to-llvm", "--reconcile-unrealized-casts", "-o",
    "lowered.mlir")
run(translate, "--mlir-to-llvmir", "lowered.mlir", "-o", "dense.ll")
run(compile_llvm, "-O2", "-relocation-model=pic", "-filetype=obj", "dense.ll", "-o", "dense.o")

kernels = load(
    "void dense(float y[n][m], const float x[n][k], const float w[k][m], const float b[m])",
    "dense.o", options=["--abi=memref"])

random = np.random.default_rng(0)
x, w, b = (random.standard_normal(shape, np.float32) for shape in ((20, 30), (30, 40), (40,)))
compare(kernels.dense, [x, w, b], np.maximum(x @ w + b, 0))
