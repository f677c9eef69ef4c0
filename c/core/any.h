/* SPDX-License-Identifier: Apache-2.0 */
/* Values: making them, with all 16 bytes defined, and giving them up. */
#ifndef TVMFFI_CORE_ANY_H_
#define TVMFFI_CORE_ANY_H_

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

/* A pointer under any index that has one. */
static inline TVMFFIAny tvmffi_any_ptr(int32_t type_index, const void *ptr) {
  TVMFFIAny any;
  union {
    const void *in;
    void *out;
  } cast;
  cast.in = ptr;
  any.type_index = type_index;
  any.zero_padding = 0;
  any.v_uint64 = 0; /* all eight bytes, where pointers have four */
  any.v_ptr = cast.out;
  return any;
}

/* A view of NUL-terminated text. */
static inline TVMFFIAny tvmffi_any_raw_str(const char *text) {
  return tvmffi_any_ptr(kTVMFFIRawStr, text);
}

/* The object under its own index, NULL as None. Does not count: a view, or takes the reference. */
static inline TVMFFIAny tvmffi_any_object(void *obj) {
  if (obj == NULL) return tvmffi_any_none();
  return tvmffi_any_ptr(((TVMFFIObject *)obj)->type_index, obj);
}

/* Gives up an owned value; *any becomes None. */
static inline void tvmffi_any_release(TVMFFIAny *any) {
  TVMFFIObject *obj = any->type_index >= kTVMFFIStaticObjectBegin ? any->v_obj : NULL;
  *any = tvmffi_any_none();
  tvmffi_object_release(obj);
}

/* Another owned value of the same: plain values and objects only, as owned ones are. */
static inline TVMFFIAny tvmffi_any_copy(const TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) tvmffi_object_retain(any->v_obj);
  return *any;
}

/* The text of RawStr, SmallStr and Str values. False for other types, *out untouched. */
int tvmffi_any_get_text(const TVMFFIAny *any, TVMFFIByteArray *out);

/* The name of the value's type as error texts show it; a NULL object or text is shown as such. */
const char *tvmffi_any_type_name(const TVMFFIAny *any);

/* -1, TypeError "Cannot convert from type `<its type>` to `<to>`". */
TVMFFI_COLD int tvmffi_any_fail_conversion(const TVMFFIAny *from, const char *to);

#endif /* TVMFFI_CORE_ANY_H_ */
