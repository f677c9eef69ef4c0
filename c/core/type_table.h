/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the type table that type.c, builtin_records.c and type_register.c share. */
#ifndef TVMFFI_CORE_TYPE_TABLE_H_
#define TVMFFI_CORE_TYPE_TABLE_H_

#include "core/type.h"

/* ---- Records of the built-in types (builtin_records.c) ---- */

enum {
  kTvmffiNumValueTypes = kTVMFFIUnchanged + 1,
  kTvmffiNumObjectTypes = kTVMFFIStaticObjectEnd - kTVMFFIStaticObjectBegin,
  kTvmffiNumStaticTypes = kTvmffiNumValueTypes + kTvmffiNumObjectTypes,
  kTvmffiNumBuiltins = kTvmffiNumStaticTypes + kTvmffiNumDynamicTypes
};

/* By number: types of values, those of objects with static indices, those with dynamic ones. */
extern tvmffi_type_record tvmffi_builtin_records[kTvmffiNumBuiltins];

/* The number of a built-in type; -1 for other indices. */
int32_t tvmffi_builtin_number(int32_t type_index);

/* Fills the records in, or resets them. Under the lock, or at shutdown. */
void tvmffi_builtin_fill(void);

/* ---- What registration does with the table (type.c) ---- */

/* key is NUL-terminated and lives as long as the record. */
void tvmffi_type_set_key(tvmffi_type_record *record, const char *key, size_t size);

/* Enters the keys of the built-in types once; -1 with an error raised if out of memory. */
int tvmffi_type_ensure_keys(void);

/* The record of a key, or NULL. After tvmffi_type_ensure_keys. */
tvmffi_type_record *tvmffi_type_find_key(const TVMFFIByteArray *key);

/* The dynamic index that the next type gets outside its parent's slots. Under the lock. */
int32_t tvmffi_type_next_index(void);

/* Makes room for a record and its key; -1 with nothing raised if out of memory. Under the lock. */
int tvmffi_type_reserve(int32_t type_index);

/* Publishes a record for which there is room. Under the lock. */
void tvmffi_type_publish(tvmffi_type_record *record);

#endif /* TVMFFI_CORE_TYPE_TABLE_H_ */
