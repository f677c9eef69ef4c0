/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: what is parsed prints to a text that parses to the same; so does any struct. */
#include "core/any.h"
#include "fuzz.h"

static bool parse(TVMFFIByteArray text, DLDataType *out) {
  return fuzz_checked(TVMFFIDataTypeFromString(&text, out)) == 0;
}

static bool print(DLDataType dtype, TVMFFIAny *out) {
  return fuzz_checked(TVMFFIDataTypeToString(&dtype, out)) == 0;
}

/* Prints, parses, prints: the same text and, if parsed, the same type. */
static void check_round_trip(DLDataType dtype, bool is_parsed) {
  TVMFFIAny text, again;
  DLDataType second;
  TVMFFIByteArray bytes;
  if (!print(dtype, &text)) {
    fuzz_require(!is_parsed);
    return;
  }
  bytes = fuzz_bytes_of(&text);
  if (parse(bytes, &second)) {
    /* Handles print neither bits nor lanes: docs/robustness.md, L-1e. */
    if (is_parsed && dtype.code != kDLOpaqueHandle) {
      fuzz_require(memcmp(&dtype, &second, sizeof dtype) == 0);
    }
    fuzz_require(print(second, &again));
    fuzz_require(fuzz_same_bytes(bytes, fuzz_bytes_of(&again)));
    tvmffi_any_release(&again);
  } else {
    fuzz_require(!is_parsed);
  }
  tvmffi_any_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TVMFFIByteArray text;
  DLDataType dtype;
  text.data = (const char *)data;
  text.size = size;
  fuzz_begin();
  if (size == sizeof dtype) {
    memcpy(&dtype, data, sizeof dtype);
    check_round_trip(dtype, false);
  }
  if (parse(text, &dtype)) check_round_trip(dtype, true);
  fuzz_end();
  return 0;
}
