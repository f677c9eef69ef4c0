// SPDX-License-Identifier: Apache-2.0
// The functions scale and dot of wrap_memref.c.
#gaps = affine_map<(d0)[s0, s1] -> (d0 * s1 + s0)>
#strided = affine_map<(d0, d1)[s0, s1, s2] -> (d0 * s1 + d1 * s2 + s0)>

func.func @scale(%x: memref<?x?xf64, #strided>, %a: f64, %y: memref<?x?xf64>)
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = memref.dim %y, %zero : memref<?x?xf64>
  %columns = memref.dim %y, %one : memref<?x?xf64>
  scf.for %i = %zero to %rows step %one {
    scf.for %j = %zero to %columns step %one {
      %value = memref.load %x[%i, %j] : memref<?x?xf64, #strided>
      %scaled = arith.mulf %a, %value : f64
      %integer = arith.index_cast %j : index to i64
      %column = arith.sitofp %integer : i64 to f64
      %sum = arith.addf %scaled, %column : f64
      memref.store %sum, %y[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @dot(%x: memref<?xf32, #gaps>, %y: memref<?xf32>) -> f32
    attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %n = memref.dim %x, %zero : memref<?xf32, #gaps>
  %sum = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> f32 {
    %left = memref.load %x[%i] : memref<?xf32, #gaps>
    %right = memref.load %y[%i] : memref<?xf32>
    %product = arith.mulf %left, %right : f32
    %after = arith.addf %before, %product : f32
    scf.yield %after : f32
  }
  return %sum : f32
}
