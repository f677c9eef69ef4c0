/* SPDX-License-Identifier: Apache-2.0 */
#include "exports.h"

#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "load.h"
#include "probe.h"
#include "report.h"

#define FUNCTION_PREFIX "__tvm_ffi_"

static bool is_function(const elf_symbol *symbol) {
  const size_t size = strlen(FUNCTION_PREFIX);
  return symbol->is_defined && symbol->is_function && !symbol->is_hidden &&
         strncmp(symbol->name, FUNCTION_PREFIX, size) == 0 && symbol->name[size] != '_';
}

/* A text that our headers put beside a function, as an array of char; NULL where there is none. */
static char *read_data(const elf_file *file, const char *prefix, const char *name,
                       size_t *out_size) {
  char *full = tool_format("%s%s", prefix, name), *copy = NULL;
  const elf_symbol *symbol = elf_file_find(file, full);
  size_t size = 0;
  const unsigned char *bytes =
      symbol != NULL && !symbol->is_function ? elf_file_bytes(file, symbol, &size) : NULL;
  if (bytes != NULL) {
    const unsigned char *end = memchr(bytes, '\0', size);
    *out_size = end != NULL ? (size_t)(end - bytes) : size;
    copy = tool_copy((const char *)bytes, *out_size);
  }
  free(full);
  return copy;
}

/* Keeps what is there; takes the answer. */
static void take_answer(answer *from, char **text, size_t *size) {
  free(from->error);
  if (*text != NULL) {
    free(from->text);
  } else {
    *text = from->text;
    *size = from->size;
  }
}

/* Asks the library for texts that are not there as data. */
static bool ask_library(const char *path, export_function *functions, size_t count) {
  char **symbols = tool_alloc(2 * count * sizeof *symbols);
  answer *answers = tool_alloc(2 * count * sizeof *answers);
  size_t i;
  bool good;
  for (i = 0; i < count; ++i) {
    symbols[2 * i] = tool_format("__tvm_ffi__metadata_%s", functions[i].name);
    symbols[2 * i + 1] = tool_format("__tvm_ffi__doc_%s", functions[i].name);
  }
  good = probe_ask(path, (const char *const *)symbols, 2 * count, kLoadSeconds, answers);
  for (i = 0; i < count; ++i) {
    free(symbols[2 * i]);
    free(symbols[2 * i + 1]);
    if (!good) continue;
    take_answer(&answers[2 * i], &functions[i].metadata, &functions[i].metadata_size);
    take_answer(&answers[2 * i + 1], &functions[i].doc, &functions[i].doc_size);
  }
  free(symbols);
  free(answers);
  return good;
}

export_function *exports_read(const char *path, bool may_load, size_t *out_count) {
  elf_file *file = elf_file_open(path);
  export_function *functions;
  size_t count = 0, i;
  if (file == NULL) return NULL;
  functions = tool_alloc(file->num_symbols * sizeof *functions);
  for (i = 0; i < file->num_symbols; ++i) {
    export_function *next = &functions[count];
    const char *name;
    if (!is_function(&file->symbols[i])) continue;
    name = file->symbols[i].name + strlen(FUNCTION_PREFIX);
    next->name = tool_copy(name, strlen(name));
    next->metadata = read_data(file, "__tvm_ffi__schema_", name, &next->metadata_size);
    next->doc = read_data(file, "__tvm_ffi__doctext_", name, &next->doc_size);
    ++count;
  }
  elf_file_close(file);
  if (may_load && count > 0 && !ask_library(path, functions, count)) {
    exports_free(functions, count);
    return NULL;
  }
  *out_count = count;
  return functions;
}

void exports_free(export_function *functions, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    free(functions[i].name);
    free(functions[i].metadata);
    free(functions[i].doc);
  }
  free(functions);
}
