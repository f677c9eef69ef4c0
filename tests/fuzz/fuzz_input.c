/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of the tool's commands, with or without the types of a function's metadata. What is
 * read and written as a text, and can be read again, is written the same. Three texts in the input,
 * with a line break behind the first two: the argument, or "(" and several, the metadata, the
 * content of every file. No byte in a gap of a tensor's memory is changed.
 */
#include <stdlib.h>

#include "core/any.h"
#include "fuzz.h"
#include "value/input.h"
#include "value/schema.h"
#include "value/value_text.h"

/* Takes the input up to a line break, NUL-terminated. */
static char *take_line(fuzz_input *in) {
  size_t left = (size_t)(in->end - in->pos), size;
  const uint8_t *end = left > 0 ? memchr(in->pos, '\n', left) : NULL;
  char *line;
  size = end != NULL ? (size_t)(end - in->pos) : left;
  line = malloc(size + 1);
  fuzz_require(line != NULL);
  if (size > 0) memcpy(line, in->pos, size);
  line[size] = '\0';
  in->pos += end != NULL ? size + 1 : size;
  return line;
}

/* Reads a text, or those of a call, behind "("; true after success, when there was no report, else
 * there was one. */
static bool read(const char *spec, const schema_type *function, input_list *list) {
  input_reader *reader = input_reader_new(1, kGuardNone);
  bool good;
  quiet_num_reports = 0;
  good = *spec == '(' ? input_read_call(reader, spec + 1, strlen(spec + 1), function, list)
                      : input_read(reader, spec, "input", function, list);
  fuzz_require(quiet_num_reports == (good ? 0 : 1));
  fuzz_checked(0);
  input_reader_free(reader);
  return good;
}

static void write_and_read(const TVMFFIAny *value) {
  input_list list = {NULL, 0, 0};
  text_buf written = {NULL, 0, 0}, again = {NULL, 0, 0};
  value_write(&written, value, &kTensorWhole);
  fuzz_checked(0);
  /* ReprPrint takes two bytes that encode a character of one, such as c1 9a, for that character. */
  if (written.data != NULL && strlen(written.data) == written.size &&
      strstr(written.data, "\\u00") == NULL && read(written.data, NULL, &list) && list.size == 1 &&
      list.items[0].value.type_index == value->type_index) {
    value_write(&again, &list.items[0].value, &kTensorWhole);
    fuzz_require(again.size == written.size);
    fuzz_require(again.size == 0 || memcmp(again.data, written.data, again.size) == 0);
  }
  input_list_free(&list);
  text_free(&again);
  text_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input in = fuzz_open(data, size);
  input_list list = {NULL, 0, 0};
  char *spec = take_line(&in), *metadata = take_line(&in);
  schema_type *function;
  text_buf signature = {NULL, 0, 0};
  char where[96];
  size_t i;
  fuzz_begin();
  quiet_file = in.pos;
  quiet_file_size = (size_t)(in.end - in.pos);
  function = schema_parse(metadata, strlen(metadata));
  fuzz_checked(0);
  if (function != NULL) {
    schema_write_type(&signature, function);
    free(schema_describe(metadata, strlen(metadata)));
    text_free(&signature);
  }
  if (read(spec, function != NULL && function->kind == kSchemaFunction ? function : NULL, &list)) {
    for (i = 0; i < list.size; ++i) {
      const input_memory *memory = list.items[i].memory;
      fuzz_require(memory == NULL || storage_is_intact(memory->stored, where, sizeof where));
      if (list.items[i].value.type_index == kTVMFFIDLTensorPtr) { /* a view, no owned value */
        fuzz_require(memory != NULL && list.items[i].value.v_ptr != NULL);
      } else {
        fuzz_check_value(&list.items[i].value);
        write_and_read(&list.items[i].value);
      }
    }
  }
  input_list_free(&list);
  schema_free(function);
  free(spec);
  free(metadata);
  fuzz_end();
  return 0;
}
