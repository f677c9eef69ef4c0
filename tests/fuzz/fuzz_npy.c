/* SPDX-License-Identifier: Apache-2.0 */
/* Files of NumPy: each array of a file is copied, written, and read back the same. */
#include <stdlib.h>

#include "fuzz.h"
#include "value/npy.h"

static void check_round_trip(const npy_array *array) {
  text_buf file = {NULL, 0, 0};
  npy_array second;
  size_t pos = 0;
  unsigned char *copy = malloc(array->size + 1);
  fuzz_require(copy != NULL);
  npy_copy(array, copy);
  if (npy_write(&file, array->dtype, array->shape, array->ndim, copy, array->size)) {
    fuzz_require(npy_read((unsigned char *)file.data, file.size, &pos, &second) == NULL);
    fuzz_require(pos == file.size && second.size == array->size && second.ndim == array->ndim);
    fuzz_require(second.item_size == array->item_size);
    fuzz_require(memcmp(&second.dtype, &array->dtype, sizeof second.dtype) == 0);
    fuzz_require(memcmp(second.shape, array->shape, (size_t)array->ndim * sizeof(int64_t)) == 0);
    fuzz_require(!second.fortran_order && !second.swapped);
    fuzz_require(memcmp(second.data, copy, array->size) == 0);
  }
  text_free(&file);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  npy_array array;
  size_t pos = 0, before = 0;
  while (npy_read(data, size, &pos, &array) == NULL) {
    fuzz_require(pos > before && pos <= size);
    fuzz_require(array.data >= data && array.data + array.size == data + pos);
    before = pos;
    check_round_trip(&array);
  }
  fuzz_require(pos == before);
  return 0;
}
