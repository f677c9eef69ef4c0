/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's readers of libraries; FUZZ_FORMAT is the format that a target is for. All that a
 * reader hands out must lie in the file, and be sorted. The first byte of an input is inverted: the
 * checkers of source packages complain of damaged files. */
#include <stdlib.h>

#include "file/binary_file.h"
#include "file/module_tree.h"
#include "fuzz.h"

static unsigned sum; /* of bytes that were read, so that a sanitizer sees each read */

static void read_name(const char *name) {
  if (name != NULL) sum += (unsigned)strlen(name);
}

static void visit(void *context, const char *name) {
  (void)context;
  read_name(name);
}

static void read_symbol(const binary_file *file, const binary_symbol *symbol) {
  library_bin tree;
  size_t size, i;
  const unsigned char *bytes = binary_file_bytes(file, symbol, &size);
  read_name(symbol->name);
  read_name(symbol->version);
  read_name(symbol->version_of);
  read_name(symbol->origin);
  if (bytes == NULL) return;
  for (i = 0; i < size; ++i) sum += bytes[i];
  library_bin_decode(bytes, size, &tree);
  library_bin_free(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  binary_file *file;
  char *image = malloc(size + 1);
  size_t i;
  fuzz_require(image != NULL);
  if (size > 0) memcpy(image, data, size);
  if (size > 0) image[0] = (char)~image[0];
  image[size] = '\0';
  quiet_num_reports = 0;
  file = binary_file_open_image("", image, size); /* of no file on the disk */
  fuzz_require((file == NULL) == (quiet_num_reports == 1));
  if (file == NULL) return 0;
  if (file->format != FUZZ_FORMAT) { /* another target is for it */
    binary_file_close(file);
    return 0;
  }
  fuzz_require(file->size == size && (file->bits == 32 || file->bits == 64));
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (i > 0) fuzz_require(strcmp(file->symbols[i - 1].name, symbol->name) <= 0);
    if (i < 64) read_symbol(file, symbol); /* several may be as long as the file */
    if (binary_file_find_exported(file, symbol->name) != NULL) {
      fuzz_require(binary_file_find(file, symbol->name) != NULL);
    }
    binary_file_find_import(file, symbol->name);
  }
  for (i = 0; i < file->num_needed; ++i) read_name(file->needed[i]);
  read_name(file->soname);
  read_name(file->search_path);
  binary_file_visit_hidden(file, visit, NULL);
  binary_file_close(file);
  return 0;
}
