/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"

#include <stdbool.h>
#include <string.h>

#include "core/error.h"
#include "core/string_object.h"
#include "core/type.h"

/* Takes the object out of the slot that an rvalue reference points at. */
static int move_out(TVMFFIObjectHandle *slot, TVMFFIAny *out) {
  TVMFFIObject *obj;
  if (slot == NULL || *slot == NULL) {
    return tvmffi_fail("InternalError", "RValueRef already moved");
  }
  obj = *slot;
  *slot = NULL;
  *out = tvmffi_any_object(obj);
  return 0;
}

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out) {
  TVMFFI_REQUIRE(any_view);
  TVMFFI_REQUIRE(out);
  switch (any_view->type_index) {
    case kTVMFFIRawStr:
      TVMFFI_REQUIRE(any_view->v_c_str);
      return tvmffi_string_to_any(any_view->v_c_str, strlen(any_view->v_c_str), out);
    case kTVMFFIByteArrayPtr:
      TVMFFI_REQUIRE(any_view->v_ptr);
      return TVMFFIBytesFromByteArray(any_view->v_ptr, out);
    case kTVMFFIObjectRValueRef:
      return move_out(any_view->v_ptr, out);
    default:
      if (any_view->type_index >= kTVMFFIStaticObjectBegin) {
        TVMFFI_REQUIRE(any_view->v_obj);
        tvmffi_object_retain(any_view->v_obj);
      }
      /*
       * Field by field, as the caller has just written it: a wider load would stall, because it
       * cannot be forwarded from several smaller stores.
       */
      out->type_index = any_view->type_index;
      out->zero_padding = any_view->zero_padding;
      out->v_uint64 = any_view->v_uint64;
      return 0;
  }
}

int tvmffi_any_get_text(const TVMFFIAny *any, TVMFFIByteArray *out) {
  switch (any->type_index) {
    case kTVMFFIRawStr:
      if (any->v_c_str == NULL) return 0;
      out->data = any->v_c_str;
      out->size = strlen(any->v_c_str);
      return 1;
    case kTVMFFISmallStr:
      *out = TVMFFISmallBytesGetContentByteArray(any);
      return 1;
    case kTVMFFIStr:
      if (any->v_obj == NULL) return 0;
      *out = *TVMFFIBytesGetByteArrayPtr(any->v_obj);
      return 1;
    default:
      return 0;
  }
}

int tvmffi_any_get_bytes(const TVMFFIAny *any, TVMFFIByteArray *out) {
  if (any->type_index == kTVMFFISmallBytes) {
    *out = TVMFFISmallBytesGetContentByteArray(any);
    return 1;
  }
  if (any->type_index != kTVMFFIBytes || any->v_obj == NULL) return 0;
  *out = *TVMFFIBytesGetByteArrayPtr(any->v_obj);
  return 1;
}

const char *tvmffi_any_type_name(const TVMFFIAny *any) {
  bool is_pointer =
      any->type_index >= kTVMFFIStaticObjectBegin ||
      (any->type_index >= kTVMFFIDLTensorPtr && any->type_index <= kTVMFFIByteArrayPtr);
  if (is_pointer && any->v_ptr == NULL) return "NULL";
  return tvmffi_type_key(any->type_index);
}

int tvmffi_any_fail_conversion(const TVMFFIAny *any, const char *target) {
  return tvmffi_fail("TypeError", "Cannot convert from type `%s` to `%s`",
                     tvmffi_any_type_name(any), target);
}

int tvmffi_any_refuse(TVMFFIAny *any, const char *target) {
  (void)tvmffi_any_fail_conversion(any, target);
  tvmffi_any_release(any);
  return -1;
}
