/* SPDX-License-Identifier: Apache-2.0 */
/* Registering fields, methods and metadata of types. */
#ifndef TVMFFI_REFLECT_REGISTER_H_
#define TVMFFI_REFLECT_REGISTER_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/type.h"

/* ---- Registration ---- */

/* Releases what fields, methods and metadata own; before the types are reset. */
void tvmffi_register_shutdown(void);

/* ---- Whether a field lies within its object ---- */

/*
 * Whether fields lie within the objects of their type. Sizes and fields may be registered in any
 * order, so each is compared with what is known already, of ancestors and descendants too. All but
 * the last function are called with tvmffi_type_mutex held.
 */

/* What does not fit. Its pointers are lent. */
typedef struct {
  const tvmffi_type_record *record; /* the type that is registered */
  const TVMFFITypeInfo *owner;      /* the type that has the field, or the other size */
  const TVMFFIFieldInfo *field;     /* NULL: two sizes conflict */
  int64_t total_size;               /* of objects, in bytes */
  int32_t owner_size;               /* of the owner's objects, when sizes conflict */
} tvmffi_field_layout_conflict;

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

/* ---- Getters of fields of frontends ---- */

/*
 * Getters for fields of frontends. The storage of such a field depends on its static type index: 1
 * int64, 2 bool, 3 double, 4 pointer, 5 DLDataType, 6 DLDevice, -1 and 0 a value, 64 and above an
 * object pointer.
 */

/* The getter for a storage, which runs no foreign code; NULL for other indices. */
TVMFFIFieldGetter tvmffi_getter_find(int32_t static_type_index);

/* How many bytes of a field such a getter reads; 0 for other getters. */
int64_t tvmffi_getter_bytes(TVMFFIFieldGetter getter);

#endif /* TVMFFI_REFLECT_REGISTER_H_ */
