/* SPDX-License-Identifier: Apache-2.0 */
/* Making values, with all 16 bytes defined, copying and releasing them. */
#ifndef TVMFFI_CORE_ANY_H_
#define TVMFFI_CORE_ANY_H_

#include <stdbool.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "core/object.h"

static inline TVMFFIAny tvmffi_any_int(int64_t v) {
  TVMFFIAny any;
  any.type_index = kTVMFFIInt;
  any.zero_padding = 0;
  any.v_int64 = v;
  return any;
}

static inline TVMFFIAny tvmffi_any_none(void) {
  TVMFFIAny any = tvmffi_any_int(0);
  any.type_index = kTVMFFINone;
  return any;
}

static inline TVMFFIAny tvmffi_any_bool(int v) {
  TVMFFIAny any = tvmffi_any_int(v != 0);
  any.type_index = kTVMFFIBool;
  return any;
}

static inline TVMFFIAny tvmffi_any_float(double v) {
  TVMFFIAny any = tvmffi_any_int(0);
  any.type_index = kTVMFFIFloat;
  any.v_float64 = v;
  return any;
}

static inline TVMFFIAny tvmffi_any_dtype(DLDataType v) {
  TVMFFIAny any = tvmffi_any_int(0);
  any.type_index = kTVMFFIDataType;
  any.v_dtype = v;
  return any;
}

static inline TVMFFIAny tvmffi_any_device(DLDevice v) {
  TVMFFIAny any = tvmffi_any_int(0);
  any.type_index = kTVMFFIDevice;
  any.v_device = v;
  return any;
}

/* A pointer value with the given type index. */
static inline TVMFFIAny tvmffi_any_ptr(int32_t type_index, const void *ptr) {
  TVMFFIAny any;
  union {
    const void *readonly;
    void *writable;
  } cast;
  cast.readonly = ptr;
  any.type_index = type_index;
  any.zero_padding = 0;
  any.v_uint64 = 0; /* clear all eight bytes where pointers have four */
  any.v_ptr = cast.writable;
  return any;
}

/* A view of NUL-terminated text. */
static inline TVMFFIAny tvmffi_any_raw_str(const char *text) {
  return tvmffi_any_ptr(kTVMFFIRawStr, text);
}

/*
 * The object with its own type index; None for NULL. Does not count: the result is a view, or takes
 * over the caller's reference.
 */
static inline TVMFFIAny tvmffi_any_object(void *obj) {
  if (obj == NULL) return tvmffi_any_none();
  return tvmffi_any_ptr(((TVMFFIObject *)obj)->type_index, obj);
}

/* Moves a new object to *out; -1 for NULL, for which its maker has raised the error. */
static inline int tvmffi_any_give(void *obj, TVMFFIAny *out) {
  if (obj == NULL) return -1;
  *out = tvmffi_any_object(obj);
  return 0;
}

/* Releases an owned value; *any becomes None. */
static inline void tvmffi_any_release(TVMFFIAny *any) {
  TVMFFIObject *obj = any->type_index >= kTVMFFIStaticObjectBegin ? any->v_obj : NULL;
  *any = tvmffi_any_none();
  tvmffi_object_release(obj);
}

/* The same for deleters (tvmffi_object_delete_nested), but *any stays as it is. */
static inline void tvmffi_any_release_nested(const TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) tvmffi_object_release_nested(any->v_obj);
}

/* Copies an owned value (a plain value or an object) and retains its object. */
static inline TVMFFIAny tvmffi_any_copy(const TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) tvmffi_object_retain(any->v_obj);
  return *any;
}

/* The text of RawStr, SmallStr and Str values. False, *out untouched, for other types and NULL. */
int tvmffi_any_get_text(const TVMFFIAny *any, TVMFFIByteArray *out);

/* The same for SmallBytes and Bytes. */
int tvmffi_any_get_bytes(const TVMFFIAny *any, TVMFFIByteArray *out);

/* Whether two texts or bytes are the same. */
static inline bool tvmffi_bytes_equal(const TVMFFIByteArray *a, const TVMFFIByteArray *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static inline bool tvmffi_bytes_are(const TVMFFIByteArray *bytes, const char *text) {
  return bytes->size == strlen(text) && memcmp(bytes->data, text, bytes->size) == 0;
}

/* The name of the value's type as error texts show it; a NULL object or text is shown as such. */
const char *tvmffi_any_type_name(const TVMFFIAny *any);

/* -1, TypeError "Cannot convert from type `<its type>` to `<target>`". */
TVMFFI_COLD int tvmffi_any_fail_conversion(const TVMFFIAny *any, const char *target);

/* The same for an owned value, which is released. */
TVMFFI_COLD int tvmffi_any_refuse(TVMFFIAny *any, const char *target);

#endif /* TVMFFI_CORE_ANY_H_ */
