/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap --abi=memref writes. */

/* Describes a tensor to MLIR. The stride of a single element does not matter, and is set to that of
 * a contiguous tensor. */
static void wrap_memref_set(wrap_memref *memref, intptr_t *sizes, intptr_t *strides,
                            const DLTensor *tensor) {
  uintptr_t size = 1; /* of what lies between two elements of the dimension */
  int32_t i;
  memref->allocated = memref->aligned = tvm_ffi_tensor_get_data(tensor);
  memref->offset = 0;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    const bool is_strided = tensor->strides != NULL && tensor->shape[i] > 1;
    sizes[i] = (intptr_t)tensor->shape[i];
    strides[i] = is_strided ? (intptr_t)tensor->strides[i] : (intptr_t)size;
    size = (uintptr_t)strides[i] * (uintptr_t)sizes[i];
  }
}
