/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with the line that they are about, and memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

const DtypeInfo dtypes[kNumDtypes] = {
    {"int32", "int32_t", "uint32_t", "TVM_FFI_C_INT32", "int", "INT32_MIN", "INT32_MAX"},
    {"int64", "int64_t", "uint64_t", "TVM_FFI_C_INT64", "int", "INT64_MIN", "INT64_MAX"},
    {"float32", "float", NULL, "TVM_FFI_C_FLOAT32", "float", "-INFINITY", "INFINITY"},
    {"float64", "double", NULL, "TVM_FFI_C_FLOAT64", "float", "-INFINITY", "INFINITY"},
};

static const char *source_path, *source_text;

void set_source(const char *path, const char *text) {
  source_path = path;
  source_text = text;
}

void fail(Place place, const char *format, ...) {
  const char *line = place.start, *at;
  size_t length, i;
  int number = 1;
  va_list values;
  while (line > source_text && line[-1] != '\n') --line;
  for (at = source_text; at < line; ++at) number += *at == '\n';
  length = strcspn(line, "\n");
  fprintf(stderr, "%s:%d:%d: error: ", source_path, number, (int)(place.start - line) + 1);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fprintf(stderr, "\n  %.*s\n  ", (int)length, line);
  for (at = line; at < place.start; ++at) fputc(*at == '\t' ? '\t' : ' ', stderr);
  fputc('^', stderr);
  for (i = 1; i < place.length && place.start + i < line + length; ++i) fputc('~', stderr);
  fputc('\n', stderr);
  exit(1);
}

/* All blocks, so that leak checkers see them. */
static struct block { struct block *next; } * blocks;

void *allocate(size_t size) {
  struct block *block = (struct block *)calloc(1, sizeof *block + size);
  if (block == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  block->next = blocks;
  blocks = block;
  return block + 1;
}

char *copy_text(const char *start, size_t length) {
  char *copy = (char *)allocate(length + 1);
  memcpy(copy, start, length);
  return copy;
}
