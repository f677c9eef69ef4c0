/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_file.h"

#include <string.h>

#include "base/alloc.h"
#include "core/error.h"
#include "module/module.h"
#include "platform/dl.h"
#include "platform/thread.h"

static tvmffi_mutex opened_mutex = TVMFFI_MUTEX_INIT;
static tvmffi_library_file *opened;

static tvmffi_library_file *find_opened(const void *handle) {
  tvmffi_library_file *file = opened;
  while (file != NULL && file->handle != handle) file = file->next;
  return file;
}

/*
 * Opening and closing run code of the library, so both happen without the lock. The system's loader
 * returns the same handle for the same file; each record holds one reference to the handle.
 */
int tvmffi_library_file_open(const TVMFFIByteArray *path, tvmffi_library_file **out) {
  tvmffi_library_file *added, *file;
  char reason[1024];
  void *handle;
  if (path->size == 0) { /* some loaders take it to mean the program itself */
    return tvmffi_fail("InternalError", "Failed to load dynamic shared library: empty path");
  }
  if (memchr(path->data, '\0', path->size) != NULL) {
    return tvmffi_fail("InternalError",
                       "Failed to load dynamic shared library %s: NUL character in the path",
                       path->data);
  }
  handle = tvmffi_dl_open(path->data, reason, sizeof reason);
  if (handle == NULL) {
    return tvmffi_fail("InternalError", "Failed to load dynamic shared library %s %s", path->data,
                       reason);
  }
  tvmffi_cxx_complete_type_info(handle);
  added = tvmffi_alloc(sizeof *added);
  if (added == NULL) {
    tvmffi_library_close(handle); /* its initialisers have run */
    return tvmffi_fail_memory();
  }
  memset(added, 0, sizeof *added);
  added->handle = handle;
  tvmffi_mutex_lock(&opened_mutex);
  file = find_opened(handle);
  if (file == NULL) {
    file = added;
    file->next = opened;
    if (opened != NULL) opened->previous = file;
    opened = file;
  }
  ++file->uses;
  tvmffi_mutex_unlock(&opened_mutex);
  if (file != added) {
    tvmffi_free(added);
    tvmffi_dl_close(handle);
  }
  *out = file;
  return 0;
}

void tvmffi_library_file_close(tvmffi_library_file *file) {
  bool is_last;
  tvmffi_mutex_lock(&opened_mutex);
  is_last = --file->uses == 0;
  if (is_last) {
    if (file->next != NULL) file->next->previous = file->previous;
    if (file->previous != NULL) {
      file->previous->next = file->next;
    } else {
      opened = file->next;
    }
  }
  tvmffi_mutex_unlock(&opened_mutex);
  if (!is_last) return;
  tvmffi_library_close(file->handle);
  tvmffi_library_cache_fini(&file->kernels);
  tvmffi_free(file);
}
