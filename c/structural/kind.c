/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "structural/structural.h"

TVMFFISEqHashKind tvmffi_structural_find_kind(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_find(type_index);
  const TVMFFITypeMetadata *metadata =
      record != NULL ? tvmffi_atomic_load_acquire_ptr(&record->info.metadata) : NULL;
  return metadata != NULL ? metadata->structural_eq_hash_kind : kTVMFFISEqHashKindUnsupported;
}

TVMFFI_COLD static int refuse(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  if (record == NULL) return -1;
  return tvmffi_fail("TypeError",
                     "%s for type `%s`, so StructuralHash is not supported for this type",
                     tvmffi_atomic_load_acquire_ptr(&record->info.metadata) == NULL
                         ? "Type metadata is not set"
                         : "_type_s_eq_hash_kind is not set",
                     record->key.data);
}

int tvmffi_structural_kind(int32_t type_index, TVMFFISEqHashKind *out) {
  *out = tvmffi_structural_find_kind(type_index);
  return *out != kTVMFFISEqHashKindUnsupported ? 0 : refuse(type_index);
}
