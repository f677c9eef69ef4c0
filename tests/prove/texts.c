/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy files (tools/tvm-ffi/value/npy.c), numbers of JSON (c/json/json_number.c). */
#include <ctype.h>

#include "prove.h"
#include "stubs.h"

/* As functions, which CBMC knows, not as macros that look into a table of the C library. */
#undef isspace
#undef isdigit

#include "value/npy.c"

/* Any text, at the end of the memory that there is. */
enum { kMost = 24 };
static unsigned char bytes[kMost];

static unsigned char *choose_text(size_t most, size_t *out_size) {
  choose_bytes(bytes + kMost - most, most);
  *out_size = choose_up_to(most);
  return bytes + kMost - *out_size;
}

static header choose_header(size_t most) {
  header h;
  size_t size;
  h.pos = (const char *)choose_text(most, &size);
  h.end = h.pos + size;
  return h;
}

static void prove_header(const header *h) {
  PROVE(h->pos >= (const char *)bytes && h->pos <= h->end);
}

void prove_npy_measure(void) {
  size_t size, before;
  const unsigned char *file = choose_text(16, &size);
  before = measure_header(file, size);
  PROVE(before == SIZE_MAX || (before >= 10 && before <= 12 + (1 << 20)));
}

void prove_npy_text(void) {
  header h = choose_header(6);
  char text[4];
  size_t i;
  const bool is_taken = take_text(&h, text, sizeof text);
  prove_header(&h);
  for (i = 0; is_taken && i < sizeof text - 1 && text[i] != '\0';) ++i;
  if (is_taken) PROVE(text[i] == '\0');
}

void prove_npy_shape(void) {
  header h = choose_header(4);
  npy_array array;
  const char *wrong = read_shape(&h, &array);
  prove_header(&h);
  PROVE(array.ndim >= 0 && array.ndim <= kNpyMaxDims);
  if (wrong == NULL && array.ndim > 0) PROVE(array.shape[0] >= 0);
}

/* ---- Numbers of JSON ---- */

#include "json/json_number.c"

void prove_json_read_digits(void) {
  size_t size;
  const char *text = (const char *)choose_text(8, &size), *end;
  uint64_t number = 0;
  end = read_digits(text, text + size, &number);
  PROVE(end >= text && end <= text + size && number < 100000000);
  if (end < text + size) PROVE(*end < '0' || *end > '9');
}

void prove_json_read_exponent(void) {
  size_t size;
  const char *text = (const char *)choose_text(8, &size), *end;
  int64_t exponent = (int64_t)choose_up_to(INT32_MAX) - INT32_MAX;
  end = read_exponent(text, text + size, &exponent);
  if (end != NULL) PROVE(end > text && end <= text + size);
}

void prove_json_write_int(void) {
  char text[kTvmffiJsonMaxNumber];
  const int64_t value = choose_i64();
  size_t size;
  ASSUME(value > -1000 && value < 1000);
  size = tvmffi_json_write_int(value, text);
  PROVE(size >= 1 && size <= 4 && (text[0] == '-') == (value < 0));
  PROVE(text[size - 1] - '0' == (value < 0 ? -value : value) % 10);
}
