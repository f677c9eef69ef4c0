/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "core/error.h"
#include "core/object.h"

/* ---- Library objects ---- */

static void destroy_library(void *self) {
  tvmffi_library *library = self;
  library->source->close(library);
}

static void delete_library(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_library, destroy_library, 0);
}

/* The prefix is in the memory after the object. */
int tvmffi_library_new(const tvmffi_library_source *source, tvmffi_library_file *file,
                       const TVMFFIByteArray *prefix, tvmffi_library **out) {
  tvmffi_library *library;
  void *context;
  size_t bytes;
  char *copy;
  if (!tvmffi_checked_add_size(sizeof *library, prefix->size, &bytes)) return tvmffi_fail_memory();
  library = tvmffi_object_new(bytes, kTVMFFIObject, delete_library);
  if (library == NULL) return -1;
  copy = (char *)(library + 1);
  if (prefix->size != 0) memcpy(copy, prefix->data, prefix->size);
  library->source = source;
  library->file = file;
  library->context = NULL;
  library->prefix.data = copy;
  library->prefix.size = prefix->size;
  if (tvmffi_library_find(library, "__tvm_ffi__library_ctx", &context) != 0) {
    tvmffi_object_free(library, 0);
    return -1;
  }
  library->context = context;
  *out = library;
  return 0;
}

/* ---- Symbols ---- */

/* A NUL-terminated concatenation of up to three parts; on the stack unless it is unusually long. */
typedef struct {
  char *text;
  size_t size;
  char room[240];
} symbol_name;

static int join(symbol_name *name, const char *start, const TVMFFIByteArray *middle,
                const TVMFFIByteArray *end) {
  size_t start_size = strlen(start), bytes;
  if (!tvmffi_checked_add_size(start_size + 1, middle->size, &bytes) ||
      !tvmffi_checked_add_size(bytes, end->size, &bytes)) {
    return tvmffi_fail_memory();
  }
  name->text = bytes <= sizeof name->room ? name->room : tvmffi_alloc(bytes);
  if (name->text == NULL) return tvmffi_fail_memory();
  memcpy(name->text, start, start_size);
  if (middle->size != 0) memcpy(name->text + start_size, middle->data, middle->size);
  if (end->size != 0) memcpy(name->text + start_size + middle->size, end->data, end->size);
  name->size = bytes - 1;
  name->text[name->size] = '\0';
  return 0;
}

static void fini_name(symbol_name *name) {
  if (name->text != name->room) tvmffi_free(name->text);
}

/* Tries start + the library's prefix + end, then without the prefix. */
static int find_with_prefix(const tvmffi_library *library, const char *start,
                            const TVMFFIByteArray *end, void **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  symbol_name name;
  void *found;
  TVMFFI_TRY(join(&name, start, &library->prefix, end));
  found = library->source->find(library, name.text, name.size);
  fini_name(&name);
  if (found == NULL && library->prefix.size != 0) {
    TVMFFI_TRY(join(&name, start, &no_prefix, end));
    found = library->source->find(library, name.text, name.size);
    fini_name(&name);
  }
  *out = found;
  return 0;
}

int tvmffi_library_find(const tvmffi_library *library, const char *name, void **out) {
  TVMFFIByteArray end;
  end.data = name;
  end.size = strlen(name);
  return find_with_prefix(library, "", &end, out);
}

int tvmffi_library_find_about(const tvmffi_library *library, const char *start,
                              const TVMFFIByteArray *name, void **out) {
  static const TVMFFIByteArray empty = {NULL, 0};
  symbol_name full;
  int rc;
  *out = NULL;
  if (name->size != 0 && memchr(name->data, '\0', name->size) != NULL) return 0;
  TVMFFI_TRY(join(&full, start, &empty, name));
  rc = tvmffi_library_find(library, full.text, out);
  fini_name(&full);
  return rc;
}

/* Names that cannot be functions: symbols are C strings, and two of the symbols are data. */
static bool is_no_function_name(const TVMFFIByteArray *name) {
  return name->size != 0 &&
         (memchr(name->data, '\0', name->size) != NULL || tvmffi_bytes_are(name, "_library_ctx") ||
          tvmffi_bytes_are(name, "_library_bin"));
}

int tvmffi_library_look_up_kernel(const tvmffi_library *library, const TVMFFIByteArray *name,
                                  void **out) {
  *out = NULL;
  return is_no_function_name(name) ? 0 : find_with_prefix(library, "__tvm_ffi_", name, out);
}
