/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/type.h"
#include "dataclass/recursive.h"

#define RELATION(a, b) ((a) < (b) ? kTvmffiLess : (a) > (b) ? kTvmffiGreater : kTvmffiSame)

static tvmffi_relation compare_bytes(const TVMFFIByteArray *a, const TVMFFIByteArray *b) {
  size_t common = a->size < b->size ? a->size : b->size;
  int order = common != 0 ? memcmp(a->data, b->data, common) : 0;
  return order != 0 ? RELATION(order, 0) : RELATION(a->size, b->size);
}

static bool get_bytes(const TVMFFIAny *value, TVMFFIByteArray *out) {
  if (value->type_index == kTVMFFISmallBytes) {
    *out = TVMFFISmallBytesGetContentByteArray(value);
    return true;
  }
  if (value->type_index != kTVMFFIBytes) return false;
  *out = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
  return true;
}

static int compare_floats(double a, double b, bool is_ordered, tvmffi_relation *out) {
  if (a == a && b == b) {
    *out = RELATION(a, b);
    return 0;
  }
  if (is_ordered) return tvmffi_fail("TypeError", "Cannot order NaN values");
  *out = a != a && b != b ? kTvmffiSame : kTvmffiLess;
  return 0;
}

static tvmffi_relation compare_dtypes(DLDataType a, DLDataType b) {
  if (a.code != b.code) return RELATION(a.code, b.code);
  if (a.bits != b.bits) return RELATION(a.bits, b.bits);
  return RELATION(a.lanes, b.lanes);
}

static tvmffi_relation compare_devices(DLDevice a, DLDevice b) {
  if (a.device_type != b.device_type) return RELATION((int)a.device_type, (int)b.device_type);
  return RELATION(a.device_id, b.device_id);
}

static tvmffi_relation compare_shapes(const TVMFFIShapeCell *a, const TVMFFIShapeCell *b) {
  size_t i;
  for (i = 0; i < a->size && i < b->size; ++i) {
    if (a->data[i] != b->data[i]) return RELATION(a->data[i], b->data[i]);
  }
  return RELATION(a->size, b->size);
}

/* Compares plain values of the same type. */
static int compare_alike(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out) {
  switch (a->type_index) {
    case kTVMFFINone:
      *out = kTvmffiSame;
      return 0;
    case kTVMFFIInt:
    case kTVMFFIBool:
      *out = RELATION(a->v_int64, b->v_int64);
      return 0;
    case kTVMFFIFloat:
      return compare_floats(a->v_float64, b->v_float64, is_ordered, out);
    case kTVMFFIDataType:
      *out = compare_dtypes(a->v_dtype, b->v_dtype);
      return 0;
    case kTVMFFIDevice:
      *out = compare_devices(a->v_device, b->v_device);
      return 0;
    default:
      *out = a->v_uint64 == b->v_uint64 ? kTvmffiSame : kTvmffiLess;
      if (*out == kTvmffiSame || !is_ordered) return 0;
      return tvmffi_fail("TypeError", "Cannot order values of type %s",
                         tvmffi_type_key(a->type_index));
  }
}

static bool is_integer(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBigInt;
}

int tvmffi_compare_plain(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out) {
  TVMFFIByteArray in_a, in_b;
  if ((tvmffi_any_get_text(a, &in_a) && tvmffi_any_get_text(b, &in_b)) ||
      (get_bytes(a, &in_a) && get_bytes(b, &in_b))) {
    *out = compare_bytes(&in_a, &in_b);
    return 0;
  }
  if (is_integer(a) && is_integer(b)) {
    *out = (tvmffi_relation)tvmffi_bigint_compare(a, b);
    return 0;
  }
  if (a->type_index != b->type_index) {
    bool is_none = a->type_index == kTVMFFINone;
    *out = is_none ? kTvmffiLess : kTvmffiGreater;
    if (!is_ordered || is_none || b->type_index == kTVMFFINone) return 0;
    return tvmffi_fail("TypeError", "Cannot compare values of different types: %s vs %s",
                       tvmffi_type_key(a->type_index), tvmffi_type_key(b->type_index));
  }
  if (a->type_index < kTVMFFIStaticObjectBegin) return compare_alike(a, b, is_ordered, out);
  *out = kTvmffiSame;
  if (a->v_obj == b->v_obj) return 0;
  if (a->type_index == kTVMFFIShape) {
    *out = compare_shapes(TVMFFIShapeGetCellPtr(a->v_obj), TVMFFIShapeGetCellPtr(b->v_obj));
    return 0;
  }
  *out = kTvmffiNested;
  return 0;
}
