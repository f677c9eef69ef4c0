/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE      /* dladdr */
#define _DARWIN_C_SOURCE /* dladdr */
#include "system/loaded_path.h"

#include <dlfcn.h>
#include <string.h>

bool loaded_path_find(const void *address, char *out, size_t out_size) {
  Dl_info library;
  if (dladdr(address, &library) == 0 || library.dli_fname == NULL) return false;
  if (strlen(library.dli_fname) >= out_size) return false;
  strcpy(out, library.dli_fname);
  return true;
}
