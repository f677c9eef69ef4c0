/* SPDX-License-Identifier: Apache-2.0 */
/* What a child process hands to its parent, or to the child after it, in memory that they share:
 * foreign code cannot close that as it could a pipe. It may overwrite it, so that what is read is
 * checked. A box has a record, which the child writes in place, so that what it had written is
 * there when it crashes, and room for what is put behind it, one after the other. A child that is
 * gone may have left anything: a parent copies the record before it looks at it. */
#ifndef TVM_FFI_TOOL_BOX_H_
#define TVM_FFI_TOOL_BOX_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct box box;

/* A box with a record of so many bytes, which are zeros, and room for so many others. NULL with
 * errno set if there is no memory. */
box *box_open(size_t record_size, size_t room);
/* `b` may be NULL. */
void box_close(box *b);

void *box_record(const box *b);

/* ---- What is put ---- */

/* Takes all out that was put. */
void box_empty(box *b);
/* How many bytes were put. */
size_t box_size(const box *b);
/* Takes out what was put since box_size() was `size`. */
void box_cut(box *b, size_t size);

/* False if there is no room left. Then nothing is put until something is taken out, so that parts
 * of a value are never missing between others. */
bool box_put(box *b, const void *bytes, size_t size);
/* With their number, for box_get_bytes(). */
bool box_put_bytes(box *b, const char *bytes, size_t size);
bool box_put_text(box *b, const char *text);

/* ---- What is read ---- */

/* Reads from the beginning. */
void box_begin(box *b);
/* How many bytes were not read. */
size_t box_left(const box *b);
/* False if there are not as many bytes. */
bool box_get(box *b, void *out, size_t size);
/* Bytes, followed by a NUL; release with free(). NULL if they are not whole. */
char *box_get_bytes(box *b, size_t *out_size);
/* The same of a text; an empty one if it is not whole. */
char *box_get_text(box *b);

#endif /* TVM_FFI_TOOL_BOX_H_ */
