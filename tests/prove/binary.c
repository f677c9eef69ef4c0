/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool reads files with that nobody has checked: numbers and texts in them
 * (tools/tvm-ffi/file/binary_reader.c), the load commands of macOS, and archives.
 */
#include "prove.h"
#include "stubs.h"

#include "file/binary_macho.c"
#include "file/binary_reader.c"

enum { kMost = 64 };
static unsigned char bytes[kMost];

/* Any bytes, at the end of the memory that there is. */
static byte_range choose_range(size_t most) {
  byte_range range;
  choose_bytes(bytes + kMost - most, most);
  range.size = choose_up_to(most);
  range.data = bytes + kMost - range.size;
  range.is_big_endian = choose_bool();
  return range;
}

static void prove_within(const byte_range *part, const byte_range *whole) {
  PROVE(part->size <= whole->size);
  if (part->size == 0) return;
  PROVE(part->data >= whole->data && part->data + part->size <= whole->data + whole->size);
}

void prove_byte_range_slice(void) {
  const byte_range range = choose_range(8);
  const uint64_t offset = choose_u64(), size = choose_u64();
  byte_range part;
  if (byte_range_slice(&range, offset, size, &part)) {
    prove_within(&part, &range);
    PROVE(part.size == size);
    if (size != 0) PROVE(part.data == range.data + offset);
  } else {
    PROVE(offset > range.size || size > range.size - offset);
  }
}

void prove_byte_cursor(void) {
  const byte_range range = choose_range(12);
  byte_cursor cursor = byte_cursor_start(&range, choose_u64());
  const size_t before = cursor.range.size, size = (size_t)1 << choose_up_to(3);
  const uint64_t number = byte_cursor_number(&cursor, size);
  prove_within(&cursor.range, &range);
  PROVE(size == 8 || number >> 8 * size == 0);
  PROVE(cursor.range.size == (before >= size ? before - size : 0));
  if (before < size) PROVE(number == 0 && cursor.is_past_end);
}

void prove_macho_next_command(void) {
  const byte_range range = choose_range(24);
  byte_range rest = range;
  macho_command command;
  if (macho_next_command(&rest, &command)) {
    prove_within(&rest, &range);
    prove_within(&command.bytes, &range);
    PROVE(command.bytes.size >= 8 && command.bytes.size + rest.size == range.size);
  }
}

void prove_macho_take_leb(void) {
  const byte_range range = choose_range(12);
  byte_cursor cursor = byte_cursor_start(&range, 0);
  const uint64_t number = take_leb(&cursor);
  prove_within(&cursor.range, &range);
  if (range.size > 0 && range.data[0] < 0x80) PROVE(number == range.data[0]);
}

/* ---- Archives ---- */

static uint32_t compute_crc(const unsigned char *data, size_t size);

#include "base/zip.c"

static unsigned char archive[36];

static uint32_t compute_crc(const unsigned char *data, size_t size) {
  PROVE(data >= archive && size <= (size_t)(archive + sizeof archive - data));
  return (uint32_t)choose_up_to(UINT32_MAX);
}

void prove_zip_next(void) {
  size_t position = 0;
  zip_file file;
  const char *wrong;
  choose_bytes(archive, sizeof archive);
  if (zip_next(archive, sizeof archive, &position, &file, &wrong)) {
    PROVE(wrong == NULL && position >= kLocalSize && position <= sizeof archive);
    PROVE(file.name + file.name_size <= (const char *)file.bytes);
    PROVE((const unsigned char *)file.bytes + file.size == archive + position);
  } else {
    PROVE(position == 0 && wrong != NULL);
  }
}

void prove_zip_list(void) {
  unsigned char list[70];
  choose_bytes(list, sizeof list);
  if (is_whole_list(list, sizeof list)) PROVE(get_32(list) != LOCAL);
}

/* ---- Names of files of a recording in an archive ---- */

#define strspn count_set
#define strpbrk find_set
#include "recording/pack.c"

static bool is_taken_by_windows(const char *name) {
  (void)name;
  return choose_bool();
}

bool text_begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool path_ends_in(const char *path, const char *ending) {
  const size_t size = strlen(path), cut = strlen(ending);
  return size > cut && strcmp(path + size - cut, ending) == 0;
}

bool text_is_printable(const void *bytes, size_t size) {
  PROVE(size == strlen(bytes));
  return choose_bool();
}

/* A file is written within its folder: no folder begins with a dot, and none is another drive. */
void prove_zip_name(void) {
  enum { kMost = 14 };
  char name[kMost + 1];
  const size_t i = choose_up_to(kMost - 1);
  choose_bytes(name, kMost);
  name[kMost] = '\0';
  if (!is_known_name(name) || i >= strlen(name)) return;
  PROVE(name[0] != '/' && name[i] != '\\' && name[i] != ':');
  if (name[i] == '.') PROVE(i > 0 && name[i - 1] != '/');
}
