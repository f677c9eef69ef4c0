/* SPDX-License-Identifier: Apache-2.0 */
#include "process/box.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/system.h"

typedef union {
  struct {
    volatile size_t size; /* of the bytes */
    volatile int is_full;
  } now;
  char aligned[64];
} box_head;

/* The process's own part, which foreign code does not know. */
struct box {
  box_head *head; /* shared, as what follows it: the record and the bytes */
  size_t record_size, room;
  size_t next; /* which is read */
};

static unsigned char *find_bytes(const box *b) {
  return (unsigned char *)(b->head + 1) + b->record_size;
}

static size_t find_shared_size(const box *b) {
  return sizeof *b->head + b->record_size + b->room;
}

box *box_open(size_t record_size, size_t room) {
  box made = {NULL, record_size, room, 0};
  box *b;
  made.head = pages_share(find_shared_size(&made));
  if (made.head == NULL) return NULL;
  b = tool_alloc(sizeof *b);
  *b = made;
  return b;
}

void box_close(box *b) {
  if (b == NULL) return;
  pages_release(b->head, find_shared_size(b));
  free(b);
}

void *box_record(const box *b) {
  return b->head + 1;
}

/* ---- What is put ---- */

void box_empty(box *b) {
  box_cut(b, 0);
}

size_t box_size(const box *b) {
  const size_t size = b->head->now.size; /* what a crash has left need not be true */
  return size < b->room ? size : b->room;
}

void box_cut(box *b, size_t size) {
  b->head->now.size = size;
  b->head->now.is_full = false;
}

bool box_put(box *b, const void *bytes, size_t size) {
  const size_t begin = box_size(b);
  if (b->head->now.is_full || size > b->room - begin) {
    b->head->now.is_full = true;
    return false;
  }
  if (size > 0) memcpy(find_bytes(b) + begin, bytes, size);
  b->head->now.size = begin + size;
  return true;
}

bool box_put_bytes(box *b, const char *bytes, size_t size) {
  return box_put(b, &size, sizeof size) && box_put(b, bytes, size);
}

bool box_put_text(box *b, const char *text) {
  return box_put_bytes(b, text, strlen(text));
}

/* ---- What is read ---- */

void box_begin(box *b) {
  b->next = 0;
}

size_t box_left(const box *b) {
  const size_t end = box_size(b);
  return b->next < end ? end - b->next : 0;
}

bool box_get(box *b, void *out, size_t size) {
  if (size > box_left(b)) return false;
  if (size > 0) memcpy(out, find_bytes(b) + b->next, size);
  b->next += size;
  return true;
}

char *box_get_bytes(box *b, size_t *out_size) {
  char *bytes;
  if (!box_get(b, out_size, sizeof *out_size) || *out_size > box_left(b)) return NULL;
  bytes = tool_alloc(*out_size + 1);
  bytes[*out_size] = '\0';
  if (box_get(b, bytes, *out_size)) return bytes;
  free(bytes);
  return NULL;
}

char *box_get_text(box *b) {
  size_t size;
  char *text = box_get_bytes(b, &size);
  return text != NULL ? text : tool_copy("", 0);
}
