/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/children.h"

#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/type.h"

void tvmffi_child_first(tvmffi_child_cursor *cursor, TVMFFIObject *obj) {
  const tvmffi_type_record *record;
  cursor->obj = obj;
  cursor->position = 0;
  switch (obj->type_index) {
    case kTVMFFIArray:
    case kTVMFFIList:
      return;
    case kTVMFFIMap:
    case kTVMFFIDict:
      cursor->position = tvmffi_map_first(obj);
      return;
    default:
      record = tvmffi_type_find(obj->type_index);
      tvmffi_field_first(&cursor->fields,
                         record != NULL ? &record->info : TVMFFIGetTypeInfo(kTVMFFIObject));
  }
}

static int next_element(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  if ((int64_t)cursor->position >= tvmffi_array_size(cursor->obj)) return 0;
  out->index = (int64_t)cursor->position++;
  out->value = tvmffi_array_items(cursor->obj)[out->index];
  return 1;
}

static int next_entry(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  const tvmffi_map_pair *pair;
  if (cursor->position == TVMFFI_MAP_NONE || !tvmffi_map_has_at(cursor->obj, cursor->position)) {
    return 0;
  }
  pair = tvmffi_map_at(cursor->obj, cursor->position);
  out->key = pair->key;
  out->value = pair->value;
  cursor->position = tvmffi_map_next(cursor->obj, cursor->position);
  return 1;
}

/*
 * Skips fields with any of these flags. Values of fields are owned, elements and entries are lent.
 */
static int next(tvmffi_child_cursor *cursor, int64_t flags, tvmffi_child *out) {
  out->field = NULL;
  switch (cursor->obj->type_index) {
    case kTVMFFIArray:
    case kTVMFFIList:
      return next_element(cursor, out);
    case kTVMFFIMap:
    case kTVMFFIDict:
      return next_entry(cursor, out);
    default:
      out->field = tvmffi_field_next_without(&cursor->fields, flags);
      if (out->field == NULL) return 0;
      return tvmffi_field_get(out->field, cursor->obj, &out->value) == 0 ? 1 : -1;
  }
}

int tvmffi_child_next(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  int rc;
  out->value = out->key = tvmffi_any_none();
  out->index = 0;
  rc = next(cursor, 0, out);
  if (rc == 1 && out->field == NULL) {
    (void)tvmffi_any_copy(&out->key);
    (void)tvmffi_any_copy(&out->value);
  }
  return rc;
}

int tvmffi_child_next_lent(tvmffi_child_cursor *cursor, tvmffi_child *out) {
  return next(cursor, kTVMFFIFieldFlagBitMaskSEqHashIgnore, out);
}

void tvmffi_child_release(tvmffi_child *child) {
  tvmffi_any_release(&child->value);
  tvmffi_any_release(&child->key);
}
