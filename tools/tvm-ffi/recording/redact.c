/* SPDX-License-Identifier: Apache-2.0 */
/* Values in place of those that were recorded, for a program that is given away. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"
#include "value/number.h"
#include "value/tensor.h"

/* Fills a packed tensor, which is zeros, with random numbers: from 0 to 1, because weights and
 * activations are such, and among integers 0 and 1, because indices may be as small. */
static void fill(DLDataType dtype, void *packed, size_t count, uint64_t *state) {
  size_t i;
  for (i = 0; i < count; ++i) {
    double value;
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    value = (double)(*state >> 11) * 0x1p-53;
    if (number_get(dtype, packed, i).kind != kNumberReal) value = floor(value + 0.5);
    number_set_real(dtype, packed, i, value);
  }
}

void redact_tensors(call_values *values) {
  uint64_t state = 1;
  size_t i, size = 0;
  for (i = 0; i < values->num_storages; ++i) { /* elements of other types, and gaps between them */
    if (call_values_find_tensor(values, i) == SIZE_MAX) continue;
    memset(call_values_find_memory(values, i), 0, (size_t)values->storages[i].size);
  }
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    const DLTensor *x = &t->stored->tensor;
    unsigned char *packed;
    if (t->storage == SIZE_MAX || !numbers_known(x->dtype) ||
        tvm_ffi_tensor_compute_size(x, &size) != 0) {
      continue;
    }
    packed = tool_alloc(size + 1);
    memset(packed, 0, size + 1);
    fill(x->dtype, packed, (size_t)tvm_ffi_tensor_get_numel(x) * numbers_per_element(x->dtype),
         &state);
    tensor_scatter(x, packed);
    free(packed);
  }
}

void redact_scalar(TVMFFIAny *value, size_t key) {
  switch (value->type_index) {
    case kTVMFFIBool:
      value->v_int64 = key == 0 || key % 2 != 0;
      break;
    case kTVMFFIInt:
      value->v_int64 = (int64_t)key + 1; /* 1, which as a key equals True in Python, is no key */
      break;
    case kTVMFFIFloat:
      value->v_float64 = (double)key + 0.5;
      break;
    default:
      break;
  }
}
