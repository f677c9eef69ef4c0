/* SPDX-License-Identifier: Apache-2.0 */
#include "library/registered.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/text.h"
#include "library/library_argument.h"
#include "library/loaded_library.h"
#include "process/isolate.h"

/* ---- Loading ---- */

typedef struct {
  text_list libraries;
  int (*body)(void *context);
  void *context;
} loading;

/* Never unloaded, since what they registered is in use. */
static library *loaded;

static int run_loaded(void *context) {
  const loading *l = context;
  const text_list libraries = l->libraries;
  size_t i;
  text_buf names = {NULL, 0, 0}; /* named together if one of them crashes from now on */
  loaded = tool_alloc(libraries.count * sizeof *loaded);
  for (i = 0; i < libraries.count; ++i) {
    if (!library_open(libraries.items[i], &loaded[i])) return kExitLoad;
  }
  for (i = 0; i < libraries.count; ++i) {
    text_add(&names, "%s%s", i > 0 ? ", " : "", libraries.items[i]);
  }
  isolate_name(names.data);
  text_free(&names);
  return l->body(l->context);
}

int registered_load(text_list libraries, double timeout, int (*body)(void *context),
                    void *context) {
  loading l;
  isolation settings;
  size_t i;
  int code;
  memset(&settings, 0, sizeof settings);
  settings.timeout = timeout;
  if (libraries.count == 0) return body(context);
  if (isolate_command(&settings, &code)) return code;
  for (i = 0; i < libraries.count; ++i) {
    if (!library_argument_fetch(libraries.items[i])) return kExitLoad;
  }
  l.libraries = libraries;
  l.body = body;
  l.context = context;
  return isolate_run(run_loaded, &l, &settings);
}

/* ---- Types ---- */

/* A class may reserve indices for its subclasses, so free indices do not end the search; this many
 * in a row do. */
enum { kLongestGap = 4096 };

const TVMFFITypeInfo *registered_next_type(int32_t first) {
  const TVMFFITypeInfo *info = NULL;
  int32_t index;
  for (index = first; index - first < kLongestGap && info == NULL; ++index) {
    info = TVMFFIGetTypeInfo(index);
  }
  TVMFFIErrorSetRaised(NULL); /* raised by free indices */
  return info;
}

int64_t registered_count_types(void) {
  const TVMFFITypeInfo *info = registered_next_type(0);
  int64_t count = 0;
  for (; info != NULL; info = registered_next_type(info->type_index + 1)) ++count;
  return count;
}

/* ---- Functions ---- */

/* Gets a Function that returns the i-th name, and for -1 the number of names. */
static bool get_names(TVMFFIAny *out) {
  return tvm_ffi_function_call_global("ffi.FunctionListGlobalNamesFunctor", NULL, 0, out) == 0;
}

static bool get_count(const TVMFFIAny *names, int64_t *out) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(-1), count;
  return tvm_ffi_function_call(names->v_obj, &arg, 1, &count) == 0 &&
         tvm_ffi_any_read_int64(&count, out) == 0;
}

bool registered_count_functions(int64_t *out) {
  TVMFFIAny names;
  bool good = get_names(&names) && get_count(&names, out);
  tvm_ffi_any_clear(&names);
  return good;
}

static char *get_name(const TVMFFIAny *names, int64_t i) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(i), value;
  TVMFFIByteArray name;
  char *copy = NULL;
  if (tvm_ffi_function_call(names->v_obj, &arg, 1, &value) != 0) return NULL;
  if (tvm_ffi_any_read_string(&value, &name) == 0) copy = tool_copy(name.data, name.size);
  tvm_ffi_any_clear(&value);
  return copy;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool registered_list_functions(char ***out_names, size_t *out_count) {
  TVMFFIAny names;
  char **list = NULL;
  int64_t count = 0, i = 0;
  bool good = get_names(&names) && get_count(&names, &count);
  if (good) list = tool_alloc((size_t)count * sizeof *list);
  for (; good && i < count; ++i) {
    list[i] = get_name(&names, i);
    good = list[i] != NULL;
    if (!good) break;
  }
  tvm_ffi_any_clear(&names);
  if (good) {
    qsort(list, (size_t)count, sizeof *list, compare_names);
    *out_names = list;
    *out_count = (size_t)count;
    return true;
  }
  while (i-- > 0) free(list[i]);
  free(list);
  return false;
}

TVMFFIAny registered_get_metadata(const char *function_name) {
  TVMFFIAny arg = tvm_ffi_any_view_string(function_name), metadata;
  if (tvm_ffi_function_call_global("ffi.GetGlobalFuncMetadata", &arg, 1, &metadata) == 0) {
    return metadata;
  }
  TVMFFIErrorSetRaised(NULL);
  return tvm_ffi_any_none();
}
