/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap --abi=memref writes. */

/* Describes a tensor to MLIR. */
static void wrap_memref_set(wrap_memref *memref, intptr_t *sizes, intptr_t *strides,
                            const DLTensor *tensor) {
  int32_t i;
  memref->allocated = memref->aligned = tvm_ffi_tensor_get_data(tensor);
  memref->offset = 0;
  for (i = 0; i < tensor->ndim; ++i) {
    sizes[i] = (intptr_t)tensor->shape[i];
    strides[i] = (intptr_t)wrap_get_stride(tensor, i);
  }
}
