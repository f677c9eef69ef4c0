/* SPDX-License-Identifier: Apache-2.0 */
#include "library/load.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/memory.h"
#include "base/raised.h"
#include "process/probe.h"

bool load_library(const char *path) {
  char *place = strchr(path, '/') != NULL ? tool_format("%s", path) : tool_format("./%s", path);
  TVMFFIObjectHandle module = NULL; /* kept: what the library registered must stay */
  bool good = probe_ask(path, NULL, 0, kLoadSeconds, NULL);
  if (good && tvm_ffi_module_load(place, &module) != 0) {
    raised_report(path, false);
    good = false;
  }
  free(place);
  return good;
}

bool load_asked(const arguments *args) {
  size_t i;
  for (i = 0; i < arguments_count(args, "lib"); ++i) {
    if (!load_library(arguments_at(args, "lib", i))) return false;
  }
  return true;
}
