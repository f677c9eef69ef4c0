/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: any bytes come back; text that is accepted decodes to bytes that come back. */
#include "core/any.h"
#include "fuzz.h"
#include "json/json_graph.h"

static void check_round_trip(TVMFFIByteArray bytes) {
  TVMFFIAny text, again;
  TVMFFIByteArray encoded;
  fuzz_require(fuzz_checked(tvmffi_base64_encode(bytes.data, bytes.size, &text)) == 0);
  encoded = fuzz_bytes_of(&text);
  fuzz_require(encoded.size == (bytes.size + 2) / 3 * 4);
  fuzz_require(fuzz_checked(tvmffi_base64_decode(encoded.data, encoded.size, &again)) == 0);
  fuzz_require(fuzz_same_bytes(bytes, fuzz_bytes_of(&again)));
  tvmffi_any_release(&again);
  tvmffi_any_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TVMFFIByteArray bytes;
  TVMFFIAny decoded;
  bytes.data = (const char *)data;
  bytes.size = size;
  fuzz_begin();
  check_round_trip(bytes);
  if (fuzz_checked(tvmffi_base64_decode(bytes.data, bytes.size, &decoded)) == 0) {
    fuzz_require(size % 4 == 0 && fuzz_bytes_of(&decoded).size <= size / 4 * 3);
    check_round_trip(fuzz_bytes_of(&decoded));
    tvmffi_any_release(&decoded);
  }
  fuzz_end();
  return 0;
}
