/* SPDX-License-Identifier: Apache-2.0 */
/* Written and read from the application note of PKWARE (4.3): local headers, each with its file,
 * then the central directory, which lists them, and its end. */
#include "base/zip.h"

#include <stdint.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"

enum {
  kVersion = 20,      /* 2.0 */
  kUtf8 = 1 << 11,    /* names are UTF-8 */
  kDate = 1 << 5 | 1, /* 1 January 1980, the first day there is */
  kLocalSize = 30,    /* without the name */
  kEntrySize = 46,    /* of the directory, without the name */
  kEndSize = 22,
  kMostFiles = UINT16_MAX - 1 /* the largest number says that there are more, elsewhere */
};
#define LOCAL UINT32_C(0x04034b50)
#define ENTRY UINT32_C(0x02014b50)
#define END UINT32_C(0x06054b50)
#define LARGE_END UINT32_C(0x06064b50) /* of more files than END can count */

static uint32_t compute_crc(const unsigned char *bytes, size_t size) {
  uint32_t table[256], crc = UINT32_MAX;
  size_t i;
  int bit;
  for (i = 0; i < 256; ++i) {
    table[i] = (uint32_t)i;
    for (bit = 0; bit < 8; ++bit) {
      table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? UINT32_C(0xedb88320) : 0);
    }
  }
  for (i = 0; i < size; ++i) crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
  return ~crc;
}

/* ---- Writing ---- */

static void add_16(text_buf *out, unsigned value) {
  const unsigned char bytes[2] = {(unsigned char)(value & 255), (unsigned char)(value >> 8 & 255)};
  text_add_bytes(out, bytes, sizeof bytes);
}

static void add_32(text_buf *out, uint32_t value) {
  add_16(out, (unsigned)(value & 0xffff));
  add_16(out, (unsigned)(value >> 16));
}

/* What a local header and an entry of the directory have both. */
static void add_facts(text_buf *out, uint32_t crc, size_t size, size_t name_size) {
  add_16(out, kVersion);
  add_16(out, kUtf8);
  add_16(out, 0); /* stored */
  add_16(out, 0); /* midnight */
  add_16(out, kDate);
  add_32(out, crc);
  add_32(out, (uint32_t)size);
  add_32(out, (uint32_t)size);
  add_16(out, (unsigned)name_size);
  add_16(out, 0); /* nothing more */
}

void zip_add(zip_writer *zip, const char *name, const void *bytes, size_t size) {
  const size_t name_size = strlen(name), begin = zip->bytes.size;
  const uint64_t more = (uint64_t)size + 2 * name_size + kLocalSize + kEntrySize + kEndSize;
  const uint32_t crc = compute_crc(bytes, size);
  if (zip->count == kMostFiles || name_size > UINT16_MAX ||
      begin + zip->list.size + more > UINT32_MAX) {
    zip->is_too_large = true;
    return;
  }
  ++zip->count;
  add_32(&zip->bytes, LOCAL);
  add_facts(&zip->bytes, crc, size, name_size);
  text_add_bytes(&zip->bytes, name, name_size);
  text_add_bytes(&zip->bytes, bytes, size);
  add_32(&zip->list, ENTRY);
  add_16(&zip->list, kVersion);
  add_facts(&zip->list, crc, size, name_size);
  add_16(&zip->list, 0); /* no comment, on the first disk, */
  add_16(&zip->list, 0);
  add_16(&zip->list, 0); /* and no attributes */
  add_32(&zip->list, 0);
  add_32(&zip->list, (uint32_t)begin);
  text_add_bytes(&zip->list, name, name_size);
}

bool zip_write(zip_writer *zip, const char *path) {
  const size_t begin = zip->bytes.size;
  bool is_written = !zip->is_too_large;
  if (is_written) {
    text_add_bytes(&zip->bytes, zip->list.data, zip->list.size);
    add_32(&zip->bytes, END);
    add_32(&zip->bytes, 0); /* one disk */
    add_16(&zip->bytes, (unsigned)zip->count);
    add_16(&zip->bytes, (unsigned)zip->count);
    add_32(&zip->bytes, (uint32_t)zip->list.size);
    add_32(&zip->bytes, (uint32_t)begin);
    add_16(&zip->bytes, 0);
    is_written = tool_write_file(path, zip->bytes.data, zip->bytes.size);
  } else {
    report_error("%s: an archive has at most 4 GiB and 65,534 files", path);
  }
  text_free(&zip->bytes);
  text_free(&zip->list);
  return is_written;
}

/* ---- Reading ---- */

static unsigned get_16(const unsigned char *at) {
  return at[0] | (unsigned)at[1] << 8;
}

static uint32_t get_32(const unsigned char *at) {
  return get_16(at) | (uint32_t)get_16(at + 2) << 16;
}

static const char kNoArchive[] = "it is no zip archive, or cut off";

/* Whether the list of files goes on to the end of the archive. */
static bool is_whole_list(const unsigned char *at, size_t left) {
  while (left >= kEntrySize && get_32(at) == ENTRY) {
    const size_t size = (size_t)kEntrySize + get_16(at + 28) + get_16(at + 30) + get_16(at + 32);
    if (size > left) return false;
    at += size;
    left -= size;
  }
  return left >= kEndSize && (get_32(at) == END || get_32(at) == LARGE_END);
}

bool zip_next(const void *bytes, size_t size, size_t *position, zip_file *out, const char **wrong) {
  const unsigned char *at = (const unsigned char *)bytes + *position;
  const size_t left = size - *position;
  size_t header;
  *wrong = NULL;
  if (left >= 4 && *position > 0 && (get_32(at) == ENTRY || get_32(at) == END)) {
    if (!is_whole_list(at, left)) *wrong = kNoArchive;
    return false;
  }
  if (left < kLocalSize || get_32(at) != LOCAL) {
    *wrong = kNoArchive;
    return false;
  }
  out->name = (const char *)at + kLocalSize;
  out->name_size = get_16(at + 26);
  out->size = get_32(at + 22);
  header = kLocalSize + out->name_size + get_16(at + 28);
  if (get_16(at + 8) != 0 || (get_16(at + 6) & 9) != 0) { /* compressed, encrypted, sizes behind */
    *wrong = "its files are compressed or encrypted, and not stored as they are";
  } else if (header > left || out->size > left - header) {
    *wrong = kNoArchive;
  } else if (compute_crc(at + header, out->size) != get_32(at + 14)) {
    *wrong = "the checksum of a file in it is wrong";
  }
  if (*wrong != NULL) return false;
  out->bytes = at + header;
  *position += header + out->size;
  return true;
}
