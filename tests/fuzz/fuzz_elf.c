/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's reader of ELF files. */
#include "binary.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_binary(data, size, kFormatElf);
  return 0;
}
