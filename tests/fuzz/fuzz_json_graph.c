/* SPDX-License-Identifier: Apache-2.0 */
/* JSON graphs: what is read is written to a text that reads back and is written the same again. */
#include "core/any.h"
#include "fuzz.h"

static bool read(TVMFFIByteArray text, TVMFFIAny *out) {
  TVMFFIAny owned;
  bool is_read;
  fuzz_require(fuzz_checked(TVMFFIStringFromByteArray(&text, &owned)) == 0);
  is_read = fuzz_call("ffi.FromJSONGraphString", &owned, 1, out) == 0;
  tvmffi_any_release(&owned);
  return is_read;
}

static bool write(const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIAny args[2];
  args[0] = *value;
  args[1] = tvmffi_any_none();
  return fuzz_call("ffi.ToJSONGraphString", args, 2, out) == 0;
}

/* A short text is an object if it was written with escapes. */
static int32_t get_kind(const TVMFFIAny *value) {
  return value->type_index == kTVMFFISmallStr ? kTVMFFIStr : value->type_index;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TVMFFIAny value, text, value_again, text_again;
  TVMFFIByteArray input;
  input.data = (const char *)data;
  input.size = size;
  fuzz_begin();
  if (read(input, &value)) {
    /* Not every value can be written: an error, say, has no fields. */
    if (write(&value, &text)) {
      fuzz_require(read(fuzz_bytes_of(&text), &value_again));
      fuzz_require(get_kind(&value_again) == get_kind(&value));
      fuzz_require(write(&value_again, &text_again));
      fuzz_require(fuzz_same_bytes(fuzz_bytes_of(&text), fuzz_bytes_of(&text_again)));
      tvmffi_any_release(&text_again);
      tvmffi_any_release(&value_again);
      tvmffi_any_release(&text);
    }
    tvmffi_any_release(&value);
  }
  fuzz_end();
  return 0;
}
