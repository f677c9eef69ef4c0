/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether fields lie within the objects of their type. Sizes and fields may be registered in any
 * order, so each is compared with what is known already, of ancestors and descendants too. All but
 * the last function are called with tvmffi_type_mutex held.
 */
#ifndef TVMFFI_REFLECT_FIELD_LAYOUT_H_
#define TVMFFI_REFLECT_FIELD_LAYOUT_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/type.h"

/* What does not fit. Its pointers are lent. */
typedef struct {
  const tvmffi_type_record *record; /* the type that is registered */
  const TVMFFITypeInfo *owner;      /* the type that has the field, or the other size */
  const TVMFFIFieldInfo *field;     /* NULL: two sizes conflict */
  int64_t total_size;               /* of objects, in bytes */
  int32_t owner_size;               /* of the owner's objects, when sizes conflict */
} tvmffi_field_layout_conflict;

/* Whether a field lies within every object of the type whose size is known. */
bool tvmffi_field_layout_has_room(const tvmffi_type_record *record, const TVMFFIFieldInfo *field,
                                  tvmffi_field_layout_conflict *conflict);

/*
 * Whether objects of that size hold those of the type's ancestors and all fields.
 * starts_with_header says that they have no fields before the header.
 */
bool tvmffi_field_layout_can_have_size(tvmffi_type_record *record, int32_t total_size,
                                       bool starts_with_header,
                                       tvmffi_field_layout_conflict *conflict);

/* Remembers these facts of a type's objects. */
void tvmffi_field_layout_set_size(tvmffi_type_record *record, int32_t total_size,
                                  bool starts_with_header);

/* Raises the ValueError; returns -1. */
int tvmffi_field_layout_fail(const tvmffi_field_layout_conflict *conflict);

#endif /* TVMFFI_REFLECT_FIELD_LAYOUT_H_ */
