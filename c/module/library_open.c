/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries in files. */
#include "base/hash.h"
#include "core/error.h"
#include "module/library.h"
#include "platform/compiler.h"
#include "platform/platform.h"

static void *find_symbol(const tvmffi_library *library, const char *name, size_t size) {
  (void)size;
  return tvmffi_dl_symbol(library->file->handle, name);
}

TVMFFI_NOINLINE static int look_up_and_keep(const tvmffi_library *library,
                                            const TVMFFIByteArray *name, uint64_t hash,
                                            void **out) {
  TVMFFI_TRY(tvmffi_library_look_up_kernel(library, name, out));
  if (*out != NULL) {
    /* Out of memory, the next lookup asks the system again. */
    (void)tvmffi_library_file_keep_kernel(library->file, name, hash, *out);
  }
  return 0;
}

static int find_kernel(const tvmffi_library *library, const TVMFFIByteArray *name, void **out) {
  uint64_t hash = tvmffi_hash_bytes(name->data, name->size);
  *out = tvmffi_library_file_find_kernel(library->file, name, hash);
  return TVMFFI_LIKELY(*out != NULL) ? 0 : look_up_and_keep(library, name, hash, out);
}

static void close_file(tvmffi_library *library) {
  tvmffi_library_file_close(library->file);
}

static const tvmffi_library_source kFile = {find_symbol, find_kernel, tvmffi_dl_symbol_size,
                                            close_file};

int tvmffi_library_open(const TVMFFIByteArray *path, tvmffi_library **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  tvmffi_library_file *file;
  TVMFFI_TRY(tvmffi_library_file_open(path, &file));
  if (tvmffi_library_new(&kFile, file, &no_prefix, out) != 0) {
    tvmffi_library_file_close(file);
    return -1;
  }
  return 0;
}
