/* SPDX-License-Identifier: Apache-2.0 */
#include "core/shape.h"

#include <string.h>

#include "base/checked.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

typedef struct {
  TVMFFIObject header;
  TVMFFIShapeCell cell;
  int64_t dims[];
} shape_object;

/* A new Shape; the caller fills in the dimensions. */
static shape_object *new_unfilled(size_t size) {
  shape_object *shape;
  size_t total;
  if (!tvmffi_checked_array_size(sizeof *shape, size, sizeof(int64_t), &total)) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  shape = tvmffi_object_new(total, kTVMFFIShape, tvmffi_object_delete_plain);
  if (shape == NULL) return NULL;
  shape->cell.data = shape->dims;
  shape->cell.size = size;
  return shape;
}

TVMFFIObject *tvmffi_shape_new(const int64_t *data, size_t size) {
  shape_object *shape = new_unfilled(size);
  if (shape == NULL) return NULL;
  if (size != 0) memcpy(shape->dims, data, size * sizeof data[0]);
  return &shape->header;
}

int tvmffi_shape_from_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  shape_object *shape;
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIInt && args[i].type_index != kTVMFFIBool) {
      return tvmffi_fail("ValueError", "Expect shape to take list of int arguments");
    }
  }
  shape = new_unfilled(num_args > 0 ? (size_t)num_args : 0);
  if (shape == NULL) return -1;
  for (i = 0; i < num_args; ++i) shape->dims[i] = args[i].v_int64;
  *result = tvmffi_any_object(shape);
  return 0;
}
