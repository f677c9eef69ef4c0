/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules embedded in a library: the bytes of its __tvm_ffi__library_bin.
 *
 * All integers have 64 bits, little-endian:
 * - the number of bytes that follow
 * - a count, and that many integers: for each module the index in the next list where its imports
 *   begin, and finally the index where those of the last one end
 * - a count, and that many integers: indices of imported modules
 * - for each module a kind and, unless that is `_lib` (the library itself), a payload; both are a
 *   count and that many bytes
 *
 * Everything is checked before the first loader is called.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "module/library.h"
#include "platform/compiler.h"

enum { kIntBytes = 8 };

/* The bytes left to read. */
typedef struct {
  const unsigned char *data;
  size_t size;
} bin_reader;

typedef struct {
  size_t num_modules, num_children;
  const unsigned char *first_children; /* num_modules + 1 integers */
  const unsigned char *children;       /* num_children integers */
  bin_reader modules;                  /* kinds and payloads */
} tree;

static uint64_t load_int(const unsigned char *p) {
  uint64_t value = 0;
  int i;
  for (i = kIntBytes; i-- != 0;) value = value << 8 | p[i];
  return value;
}

static size_t int_at(const unsigned char *list, size_t i) {
  return (size_t)load_int(list + i * kIntBytes); /* values outside size_t were refused */
}

static TVMFFI_COLD int refuse_bin(const char *reason) {
  return tvmffi_fail("InternalError", "Malformed __tvm_ffi__library_bin: %s", reason);
}

/* Reads a count and that many items of unit bytes each. */
static int read_list(bin_reader *input, size_t unit, const char *reason, const unsigned char **out,
                     size_t *out_count) {
  uint64_t count;
  *out = NULL;
  *out_count = 0;
  if (input->size < kIntBytes) return refuse_bin(reason);
  count = load_int(input->data);
  input->data += kIntBytes;
  input->size -= kIntBytes;
  if (count > input->size / unit) return refuse_bin(reason);
  *out = input->data;
  *out_count = (size_t)count;
  input->data += *out_count * unit;
  input->size -= *out_count * unit;
  return 0;
}

/* Reads the next module. A library has no payload. */
static int read_module(bin_reader *input, TVMFFIByteArray *kind, TVMFFIByteArray *payload,
                       bool *out_is_library) {
  const unsigned char *bytes;
  TVMFFI_TRY(read_list(input, 1, "a module's kind is cut off", &bytes, &kind->size));
  kind->data = (const char *)bytes;
  if (kind->size == 0) return refuse_bin("a module's kind is empty");
  *out_is_library = kind->size == 4 && memcmp(kind->data, "_lib", 4) == 0;
  payload->data = "";
  payload->size = 0;
  if (*out_is_library) return 0;
  TVMFFI_TRY(read_list(input, 1, "a module's payload is cut off", &bytes, &payload->size));
  payload->data = (const char *)bytes;
  return 0;
}

/* ---- Checking ---- */

static int check_lists(const tree *t) {
  size_t i, begin, end = 0;
  if (int_at(t->first_children, 0) != 0) return refuse_bin("the imports do not begin at 0");
  for (i = 0; i < t->num_modules; ++i) {
    begin = end;
    if (load_int(t->first_children + (i + 1) * kIntBytes) > t->num_children) {
      return refuse_bin("the imports of a module are out of range");
    }
    end = int_at(t->first_children, i + 1);
    if (end < begin) return refuse_bin("the imports of a module end before they begin");
  }
  if (end != t->num_children) return refuse_bin("there are imports of no module");
  for (i = 0; i < t->num_children; ++i) {
    if (load_int(t->children + i * kIntBytes) >= t->num_modules) {
      return refuse_bin("an imported module is out of range");
    }
  }
  return 0;
}

/*
 * Topological sort: repeatedly removes a module that no remaining module imports. Modules of a
 * cycle are never removed.
 */
static int check_cycles(const tree *t) {
  size_t *importers = tvmffi_alloc_zeroed(t->num_modules, 2 * sizeof *importers);
  size_t *free_modules, num_free = 0, num_done = 0, i;
  if (importers == NULL) return tvmffi_fail_memory();
  free_modules = importers + t->num_modules;
  for (i = 0; i < t->num_children; ++i) ++importers[int_at(t->children, i)];
  for (i = 0; i < t->num_modules; ++i) {
    if (importers[i] == 0) free_modules[num_free++] = i;
  }
  while (num_done < num_free) {
    size_t module = free_modules[num_done++];
    for (i = int_at(t->first_children, module); i < int_at(t->first_children, module + 1); ++i) {
      size_t child = int_at(t->children, i);
      if (--importers[child] == 0) free_modules[num_free++] = child;
    }
  }
  tvmffi_free(importers);
  return num_done == t->num_modules ? 0 : refuse_bin("modules import each other in a circle");
}

static int check_modules(const tree *t) {
  bin_reader rest = t->modules;
  TVMFFIByteArray kind, payload;
  bool is_library;
  size_t i;
  for (i = 0; i < t->num_modules; ++i) {
    TVMFFI_TRY(read_module(&rest, &kind, &payload, &is_library));
  }
  return 0;
}

static int read_tree(const void *bytes, size_t max_size, tree *out) {
  bin_reader rest;
  uint64_t size;
  size_t num_bounds;
  rest.data = bytes;
  rest.size = UINTPTR_MAX - (uintptr_t)bytes; /* no data extends past the end of memory */
  if (max_size < rest.size) rest.size = max_size;
  if (rest.size < kIntBytes) return refuse_bin("it is cut off");
  size = load_int(rest.data);
  rest.data += kIntBytes;
  rest.size -= kIntBytes;
  if (size > rest.size) return refuse_bin("its length is out of range");
  rest.size = (size_t)size;
  TVMFFI_TRY(read_list(&rest, kIntBytes, "the list of where imports begin is cut off",
                       &out->first_children, &num_bounds));
  TVMFFI_TRY(read_list(&rest, kIntBytes, "the list of imports is cut off", &out->children,
                       &out->num_children));
  if (num_bounds < 2) return refuse_bin("it holds no module");
  out->num_modules = num_bounds - 1;
  out->modules = rest;
  TVMFFI_TRY(check_lists(out));
  TVMFFI_TRY(check_modules(out));
  return check_cycles(out);
}

/* ---- Loading ---- */

/* Finds the loader for a kind of embedded module. */
static int find_kind_loader(const TVMFFIByteArray *kind, TVMFFIObject **out) {
  tvmffi_buf name = TVMFFI_BUF_INIT;
  int rc = tvmffi_loader_find("ffi.Module.load_from_bytes.", kind, &name, out);
  if (rc == 0 && *out == NULL) {
    rc = tvmffi_fail("RuntimeError",
                     "Library binary was created using {%.*s} but a loader of that name is not "
                     "registered. Make sure to have runtime that registers %s",
                     tvmffi_shown_size(kind->size), kind->data, name.data);
  }
  tvmffi_buf_fini(&name);
  return rc;
}

static int load_payload(const TVMFFIByteArray *kind, const TVMFFIByteArray *payload,
                        TVMFFIObject **out) {
  TVMFFIAny bytes = tvmffi_any_none();
  TVMFFIObject *loader = NULL;
  int rc = -1;
  TVMFFI_TRY(find_kind_loader(kind, &loader));
  if (TVMFFIBytesFromByteArray(payload, &bytes) != 0) goto done;
  rc = tvmffi_loader_call(loader, &bytes, 1, out);
done:
  tvmffi_any_release(&bytes);
  tvmffi_object_release(loader);
  return rc;
}

static int load_modules(const tree *t, tvmffi_library *library, TVMFFIObject **modules) {
  bin_reader rest = t->modules;
  TVMFFIByteArray kind, payload;
  bool is_library;
  size_t i;
  for (i = 0; i < t->num_modules; ++i) {
    TVMFFI_TRY(read_module(&rest, &kind, &payload, &is_library));
    if (is_library) {
      TVMFFI_TRY(tvmffi_library_new_module(library, &modules[i]));
    } else {
      TVMFFI_TRY(load_payload(&kind, &payload, &modules[i]));
    }
  }
  return 0;
}

/* May still find a cycle, because loaders may return the same module for two entries. */
static int link_imports(const tree *t, TVMFFIObject *const *modules) {
  size_t i, j;
  for (i = 0; i < t->num_modules; ++i) {
    for (j = int_at(t->first_children, i); j < int_at(t->first_children, i + 1); ++j) {
      TVMFFI_TRY(tvmffi_imports_add(modules[i], modules[int_at(t->children, j)]));
    }
  }
  return 0;
}

TVMFFI_COLD int tvmffi_library_bin_load(tvmffi_library *library, const void *bytes, size_t max_size,
                                        TVMFFIObject **out) {
  TVMFFIObject **modules;
  tree t;
  size_t i;
  int rc;
  memset(&t, 0, sizeof t);
  TVMFFI_TRY(read_tree(bytes, max_size, &t));
  modules = tvmffi_alloc_zeroed(t.num_modules, sizeof *modules);
  if (modules == NULL) return tvmffi_fail_memory();
  rc = load_modules(&t, library, modules);
  if (rc == 0) rc = link_imports(&t, modules);
  if (rc == 0) {
    *out = modules[0];
    modules[0] = NULL;
  }
  for (i = 0; i < t.num_modules; ++i) tvmffi_object_release(modules[i]);
  tvmffi_free(modules);
  return rc;
}
