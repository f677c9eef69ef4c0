/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: what is parsed is written, with any indent, to a text that parses to the same value. */
#include <math.h>

#include "container/map.h"
#include "core/any.h"
#include "fuzz.h"
#include "json/json.h"

static const TVMFFISeqCell *seq(const TVMFFIAny *value) {
  return TVMFFISeqGetCellPtr(value->v_obj);
}

static bool is_text(const TVMFFIAny *value) {
  return value->type_index == kTVMFFISmallStr || value->type_index == kTVMFFIStr;
}

static void check_same(const TVMFFIAny *a, const TVMFFIAny *b) {
  uint64_t i, j;
  int64_t k;
  fuzz_check_value(a);
  /* Texts without escapes, which written text has fewer of, may be small. */
  if (is_text(a) && is_text(b)) {
    fuzz_require(fuzz_same_bytes(fuzz_bytes_of(a), fuzz_bytes_of(b)));
    return;
  }
  fuzz_require(a->type_index == b->type_index);
  switch (a->type_index) {
    case kTVMFFIFloat:
      fuzz_require(isnan(a->v_float64) ? isnan(b->v_float64) : a->v_uint64 == b->v_uint64);
      return;
    case kTVMFFIArray:
      fuzz_require(seq(a)->size == seq(b)->size);
      for (k = 0; k < seq(a)->size; ++k) {
        check_same((const TVMFFIAny *)seq(a)->data + k, (const TVMFFIAny *)seq(b)->data + k);
      }
      return;
    case kTVMFFIMap:
      fuzz_require(tvmffi_map_size(a->v_obj) == tvmffi_map_size(b->v_obj));
      j = tvmffi_map_first(b->v_obj);
      for (i = tvmffi_map_first(a->v_obj); i != TVMFFI_MAP_NONE; i = tvmffi_map_next(a->v_obj, i)) {
        check_same(&tvmffi_map_at(a->v_obj, i)->key, &tvmffi_map_at(b->v_obj, j)->key);
        check_same(&tvmffi_map_at(a->v_obj, i)->value, &tvmffi_map_at(b->v_obj, j)->value);
        j = tvmffi_map_next(b->v_obj, j);
      }
      return;
    default:
      fuzz_require(memcmp(a, b, sizeof *a) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int32_t kIndents[] = {0, 2, -1};
  TVMFFIAny value, text, again;
  TVMFFIByteArray bytes;
  size_t i;
  fuzz_begin();
  if (fuzz_checked(tvmffi_json_parse((const char *)data, size, &value)) == 0) {
    for (i = 0; i < sizeof kIndents / sizeof *kIndents; ++i) {
      fuzz_require(fuzz_checked(tvmffi_json_write(&value, kIndents[i], SIZE_MAX, &text)) == 0);
      bytes = fuzz_bytes_of(&text);
      fuzz_require(fuzz_checked(tvmffi_json_parse(bytes.data, bytes.size, &again)) == 0);
      check_same(&value, &again);
      tvmffi_any_release(&again);
      tvmffi_any_release(&text);
    }
    tvmffi_any_release(&value);
  }
  fuzz_end();
  return 0;
}
