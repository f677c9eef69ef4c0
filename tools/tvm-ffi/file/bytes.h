/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and texts in the bytes of a file. The file is not trusted: offsets may be any number, and
 * nothing is read outside the bytes. */
#ifndef TVM_FFI_TOOL_BYTES_H_
#define TVM_FFI_TOOL_BYTES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const unsigned char *data;
  size_t size;
  bool is_big_endian;
} byte_range;

/* A part of the range; false, and nothing written, if it is not inside. */
bool byte_range_slice(const byte_range *range, uint64_t offset, uint64_t size, byte_range *out);
/* The text at an offset; NULL if it does not end inside the range. */
const char *byte_range_text(const byte_range *range, uint64_t offset);

/* Reads numbers one after the other. One that is not inside the range is 0, and so are all that
 * follow; is_past_end says that this happened. */
typedef struct {
  byte_range range; /* what is still to be read */
  bool is_past_end;
} byte_cursor;

byte_cursor byte_cursor_start(const byte_range *range, uint64_t offset);
/* A number of up to 8 bytes. */
uint64_t byte_cursor_number(byte_cursor *cursor, size_t size);
uint8_t byte_cursor_u8(byte_cursor *cursor);
uint16_t byte_cursor_u16(byte_cursor *cursor);
uint32_t byte_cursor_u32(byte_cursor *cursor);
uint64_t byte_cursor_u64(byte_cursor *cursor);
void byte_cursor_skip(byte_cursor *cursor, uint64_t size);

#endif /* TVM_FFI_TOOL_BYTES_H_ */
