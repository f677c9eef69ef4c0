/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that wrap a pointer of a frontend. */
#include "core/error.h"
#include "core/object.h"

typedef struct {
  TVMFFIObject header;
  TVMFFIOpaqueObjectCell cell;
  void (*deleter)(void *handle);
} opaque_object;

static void destroy_opaque(void *self) {
  opaque_object *opaque = self;
  if (opaque->deleter != NULL) opaque->deleter(opaque->cell.handle);
}

static void delete_opaque(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_opaque, destroy_opaque, 0);
}

int TVMFFIObjectCreateOpaque(void *handle, int32_t type_index, void (*deleter)(void *handle),
                             TVMFFIObjectHandle *out) {
  opaque_object *opaque;
  TVMFFI_REQUIRE(out);
  if (type_index != kTVMFFIOpaquePyObject) {
    return tvmffi_fail("RuntimeError", "Only kTVMFFIOpaquePyObject is supported for now");
  }
  opaque = tvmffi_object_new(sizeof *opaque, type_index, delete_opaque);
  if (opaque == NULL) return -1;
  opaque->cell.handle = handle;
  opaque->deleter = deleter;
  *out = opaque;
  return 0;
}
