/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives. The input is read as one, and then as files to write one of: a file is the length of
 * its name, the length of its bytes, and both. What was written is read again, whole, and with one
 * byte changed or its end cut off at the place that the last two bytes of the input name: a
 * checksum keeps a search from getting there by itself.
 */
#include <stdlib.h>

#include "base/zip.h"
#include "fuzz.h"

static bool is_within(const void *begin, size_t size, const uint8_t *bytes, size_t all) {
  const uint8_t *at = begin;
  return at >= bytes && (size_t)(at - bytes) <= all && size <= all - (size_t)(at - bytes);
}

/* Reads all; the number of files, SIZE_MAX if it is no archive. */
static size_t read_all(const uint8_t *bytes, size_t size) {
  const char *wrong = NULL;
  size_t position = 0, before = 0, count = 0;
  zip_file file;
  while (zip_next(bytes, size, &position, &file, &wrong)) {
    fuzz_require(wrong == NULL && position > before && position <= size);
    fuzz_require(is_within(file.name, file.name_size, bytes, size));
    fuzz_require(is_within(file.bytes, file.size, bytes, size));
    before = position;
    ++count;
  }
  fuzz_require(position == before);
  return wrong == NULL ? count : SIZE_MAX;
}

/* Adds the files that the input describes; returns how many. */
static size_t add_files(zip_writer *zip, const uint8_t *data, size_t size) {
  size_t count = 0, at = 0;
  while (size - at >= 2 && data[at] <= size - at - 2) {
    const size_t name_size = data[at], left = size - at - 2 - name_size;
    const size_t bytes = data[at + 1] < left ? data[at + 1] : left;
    char name[256];
    memcpy(name, data + at + 2, name_size);
    name[name_size] = '\0';
    at += 2 + name_size;
    zip_add(zip, name, data + at, bytes);
    at += bytes;
    ++count;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  zip_writer zip;
  size_t count, place;
  fuzz_begin();
  (void)read_all(data, size);
  memset(&zip, 0, sizeof zip);
  count = add_files(&zip, data, size);
  fuzz_require(zip_write(&zip, "archive.zip"));
  /* An archive needs a file, as the end of none looks like no archive. */
  fuzz_require(read_all(quiet_written, quiet_written_size) == (count > 0 ? count : SIZE_MAX));
  if (size >= 2) {
    place = ((size_t)data[size - 2] << 8 | data[size - 1]) % quiet_written_size;
    fuzz_require(read_all(quiet_written, place) == SIZE_MAX);
    quiet_written[place] ^= 0x5a;
    (void)read_all(quiet_written, quiet_written_size);
  }
  free(quiet_written);
  quiet_written = NULL;
  fuzz_end();
  return 0;
}
