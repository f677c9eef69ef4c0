/* SPDX-License-Identifier: Apache-2.0 */
#include "file/library_bin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/shown.h"
#include "file/machine.h"

enum { kIntSize = 8 }; /* little-endian, whatever the machine */

typedef struct {
  const unsigned char *at;
  size_t size;
} rest;

static uint64_t get_int(const unsigned char *at) {
  uint64_t value = 0;
  int i;
  for (i = kIntSize - 1; i >= 0; --i) value = value << 8 | at[i];
  return value;
}

/* A count of things of a size, and where they are. */
static bool take_list(rest *from, size_t unit, const unsigned char **out, size_t *out_count) {
  uint64_t count;
  if (from->size < kIntSize) return false;
  count = get_int(from->at);
  if (count > (from->size - kIntSize) / unit) return false;
  *out = from->at + kIntSize;
  *out_count = (size_t)count;
  from->at += kIntSize + *out_count * unit;
  from->size -= kIntSize + *out_count * unit;
  return true;
}

static const char *decode_imports(const unsigned char *bounds, const unsigned char *imports,
                                  library_bin *out) {
  size_t i;
  if (get_int(bounds) != 0) return "the imports do not begin at 0";
  for (i = 0; i < out->num_modules; ++i) {
    uint64_t begin = get_int(bounds + i * kIntSize), end = get_int(bounds + (i + 1) * kIntSize);
    if (end < begin || end > out->num_imports) return "the imports of a module are out of range";
    out->modules[i].first_import = (size_t)begin;
    out->modules[i].num_imports = (size_t)(end - begin);
  }
  if (get_int(bounds + out->num_modules * kIntSize) != out->num_imports) {
    return "there are imports of no module";
  }
  for (i = 0; i < out->num_imports; ++i) {
    uint64_t number = get_int(imports + i * kIntSize);
    out->imports[i] = number < out->num_modules ? (size_t)number : out->num_modules;
  }
  return library_bin_check_imports(out);
}

static const char *decode_modules(rest *from, library_bin *out) {
  size_t i;
  for (i = 0; i < out->num_modules; ++i) {
    bin_module *one = &out->modules[i];
    const unsigned char *kind;
    if (!take_list(from, 1, &kind, &one->kind_size)) return "the kind of a module is cut off";
    if (one->kind_size == 0) return "the kind of a module is empty";
    one->kind = (const char *)kind;
    one->is_self = one->kind_size == strlen(LIBRARY_BIN_SELF) &&
                   memcmp(kind, LIBRARY_BIN_SELF, one->kind_size) == 0;
    if (!one->is_self && !take_list(from, 1, &one->payload, &one->payload_size)) {
      return "the payload of a module is cut off";
    }
  }
  out->num_unread = from->size;
  return NULL;
}

const char *library_bin_decode(const unsigned char *bytes, size_t size, library_bin *out) {
  const unsigned char *bounds, *imports;
  size_t num_bounds;
  const char *wrong;
  rest from;
  memset(out, 0, sizeof *out);
  if (size < kIntSize) return "its length is cut off";
  if (get_int(bytes) > size - kIntSize) return "it is longer than its symbol or file";
  from.at = bytes + kIntSize;
  from.size = (size_t)get_int(bytes);
  out->size = from.size + kIntSize;
  if (!take_list(&from, kIntSize, &bounds, &num_bounds)) {
    return "the list of where imports begin is cut off";
  }
  if (num_bounds < 2) return "it holds no module";
  if (!take_list(&from, kIntSize, &imports, &out->num_imports)) {
    return "the list of imports is cut off";
  }
  out->num_modules = num_bounds - 1;
  out->modules = tool_alloc(out->num_modules * sizeof *out->modules);
  memset(out->modules, 0, out->num_modules * sizeof *out->modules);
  out->imports = tool_alloc(out->num_imports * sizeof *out->imports);
  wrong = decode_imports(bounds, imports, out);
  return wrong != NULL ? wrong : decode_modules(&from, out);
}

void library_bin_free(library_bin *of) {
  free(of->modules);
  free(of->imports);
}

/* Modules that no module left imports go, one after the other; those of a circle stay. */
const char *library_bin_check_imports(const library_bin *of) {
  size_t *importers = tool_alloc(2 * of->num_modules * sizeof *importers);
  size_t *unused = importers + of->num_modules, num_unused = 0, num_done = 0, i;
  memset(importers, 0, of->num_modules * sizeof *importers);
  for (i = 0; i < of->num_imports; ++i) {
    if (of->imports[i] >= of->num_modules) {
      free(importers);
      return "an imported module is out of range";
    }
    ++importers[of->imports[i]];
  }
  for (i = 0; i < of->num_modules; ++i) {
    if (importers[i] == 0) unused[num_unused++] = i;
  }
  while (num_done < num_unused) {
    const bin_module *one = &of->modules[unused[num_done++]];
    for (i = 0; i < one->num_imports; ++i) {
      size_t imported = of->imports[one->first_import + i];
      if (--importers[imported] == 0) unused[num_unused++] = imported;
    }
  }
  free(importers);
  return num_done == of->num_modules ? NULL : "modules import each other in a circle";
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

static void set_int(unsigned char *at, uint64_t value) {
  int i;
  for (i = 0; i < kIntSize; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static void add_int(text *to, uint64_t value) {
  unsigned char bytes[kIntSize];
  set_int(bytes, value);
  text_add_bytes(to, bytes, sizeof bytes);
}

static void add_list(text *to, const void *bytes, size_t size) {
  add_int(to, size);
  text_add_bytes(to, bytes, size);
}

void library_bin_encode(const library_bin *from, text *out, size_t *payloads_at) {
  size_t begin = out->size, i;
  add_int(out, 0);
  add_int(out, from->num_modules + 1);
  for (i = 0; i < from->num_modules; ++i) add_int(out, from->modules[i].first_import);
  add_int(out, from->num_imports);
  add_int(out, from->num_imports);
  for (i = 0; i < from->num_imports; ++i) add_int(out, from->imports[i]);
  for (i = 0; i < from->num_modules; ++i) {
    const bin_module *one = &from->modules[i];
    add_list(out, one->kind, one->kind_size);
    if (!one->is_self) add_list(out, one->payload, one->payload_size);
    payloads_at[i] = out->size - one->payload_size;
  }
  set_int((unsigned char *)out->data + begin, out->size - begin - kIntSize);
}

/* ---- Describing --------------------------------------------------------------------------------
 */

/* Where a text is within the bytes; NULL. */
static const unsigned char *find(const unsigned char *bytes, size_t size, const char *what) {
  size_t length = strlen(what);
  const unsigned char *end = bytes + size, *at = bytes;
  while ((size_t)(end - at) >= length && (at = memchr(at, *what, (size_t)(end - at))) != NULL) {
    if ((size_t)(end - at) < length) return NULL;
    if (memcmp(at, what, length) == 0) return at;
    ++at;
  }
  return NULL;
}

/* Of an ELF file inside: the machine, and the generation of a GPU. */
static const char *describe_elf(const unsigned char *at, char buffer[32]) {
  bool is_big_endian = at[EI_DATA] == ELFDATA2MSB;
  int bits = at[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  unsigned number = is_big_endian ? at[18] * 256u + at[19] : at[18] + at[19] * 256u;
  char name[24];
  if (number == EM_CUDA && bits == 64) {
    /* Where the generation is in e_flags (at 48) changed with version 8 of the format. */
    snprintf(buffer, 32, "sm_%u", at[EI_ABIVERSION] >= 8 ? at[49] : at[48]);
  } else {
    snprintf(buffer, 32, "%s", machine_name(number, bits, is_big_endian, name));
  }
  return buffer;
}

const char *library_bin_describe_payload(const bin_module *of, char buffer[32]) {
  static const unsigned char kSpirv[] = {0x03, 0x02, 0x23, 0x07};
  const unsigned char *end = of->payload + of->payload_size, *at;
  int length = 0;
  if (of->payload_size == 0) return "";
  /* Kinds put names and formats in front of the code. */
  at = find(of->payload, of->payload_size, ELFMAG);
  if (at != NULL && end - at >= (int)sizeof(Elf32_Ehdr)) return describe_elf(at, buffer);
  at = find(of->payload, of->payload_size, ".target sm_");
  if (at != NULL) {
    at += strlen(".target ");
    while (length < 12 && at + length < end && strchr(" \t\r\n,", at[length]) == NULL) ++length;
    if (shown_is_plain(at, (size_t)length)) {
      snprintf(buffer, 32, "PTX %.*s", length, (const char *)at);
      return buffer;
    }
  }
  if (of->payload_size >= sizeof kSpirv && memcmp(of->payload, kSpirv, sizeof kSpirv) == 0) {
    return "SPIR-V";
  }
  return "";
}

static void add_module(text *out, const bin_module *one) {
  char buffer[32];
  const char *what = library_bin_describe_payload(one, buffer);
  shown_add_text(out, one->kind, one->kind_size);
  if (one->is_self) return;
  text_add(out, "(%s%s", what, *what != '\0' ? ", " : "");
  shown_add_size(out, one->payload_size);
  text_add(out, ")");
}

void library_bin_describe(const library_bin *of, text *out) {
  enum { kShown = 8 };
  const bin_module *root = &of->modules[0];
  size_t i, num_shown = root->num_imports < kShown ? root->num_imports : kShown;
  add_module(out, root);
  for (i = 0; i < num_shown; ++i) {
    text_add(out, i == 0 ? " -> " : ", ");
    add_module(out, &of->modules[of->imports[root->first_import + i]]);
  }
  if (of->num_modules > num_shown + 1) text_add(out, ", ...");
}

static void print_module(const library_bin *of, const bin_module *one) {
  char buffer[32];
  size_t i;
  json_bytes("kind", one->kind, one->kind_size);
  json_uint("size", one->payload_size);
  json_text("content", library_bin_describe_payload(one, buffer));
  json_begin_array("imports");
  for (i = 0; i < one->num_imports; ++i) json_uint(NULL, of->imports[one->first_import + i]);
  json_end();
}

void library_bin_print(const library_bin *of, char *const *opt_files) {
  size_t i;
  json_begin_array("modules");
  for (i = 0; i < of->num_modules; ++i) {
    const bin_module *one = &of->modules[i];
    json_begin_object(NULL);
    print_module(of, one);
    if (opt_files != NULL) json_text("file", one->is_self ? NULL : opt_files[i]);
    json_end();
  }
  json_end();
}
