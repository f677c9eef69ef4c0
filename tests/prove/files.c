/* SPDX-License-Identifier: Apache-2.0 */
/* What reads files: the modules embedded in a library (c/module/library_bin.c), base64. */
#include <stdarg.h>

#include "core/error.h"
#include "prove.h"
#include "stubs.h"

#include "module/library_bin.c"

/* Any bytes, at the end of the memory that there is. */
enum { kMost = 64 };
static unsigned char bytes[kMost];

static bin_reader choose_input(size_t most) {
  bin_reader input;
  size_t i;
  for (i = 0; i < kMost / 8; ++i) {
    const uint64_t word = choose_u64();
    memcpy(bytes + 8 * i, &word, 8);
  }
  input.size = choose_up_to(most);
  input.data = bytes + kMost - input.size;
  return input;
}

static void prove_input(const bin_reader *input) {
  PROVE(input->data >= bytes && input->size <= kMost && input->data + input->size == bytes + kMost);
}

void prove_bin_read_list(void) {
  static const size_t kUnits[] = {1, kIntBytes};
  bin_reader input = choose_input(24);
  const unsigned char *list;
  const size_t unit = kUnits[choose_up_to(1)];
  size_t count;
  const int code = read_list(&input, unit, "", &list, &count);
  prove_input(&input);
  PROVE((code != 0) == (num_failures == 1));
  if (code == 0) PROVE(list >= bytes && list + count * unit == input.data);
}

void prove_bin_read_module(void) {
  bin_reader input = choose_input(32);
  TVMFFIByteArray kind, payload;
  bool is_library;
  const int code = read_module(&input, &kind, &payload, &is_library);
  prove_input(&input);
  if (code != 0) return;
  PROVE(kind.size > 0 && kind.data + kind.size <= (const char *)input.data);
  PROVE(is_library ? payload.size == 0 : payload.data + payload.size == (const char *)input.data);
}

/* Lists of 2 modules with up to 3 imports. */
static void choose_tree(tree *t) {
  size_t i;
  static uint64_t first[3], children[3];
  memset(t, 0, sizeof *t);
  for (i = 0; i < 3; ++i) {
    first[i] = choose_u64();
    children[i] = choose_u64();
  }
  t->num_modules = 2;
  t->num_children = choose_up_to(3);
  t->first_children = (const unsigned char *)first;
  t->children = (const unsigned char *)children;
}

void prove_bin_check_lists(void) {
  tree t;
  size_t module, i;
  choose_tree(&t);
  if (check_lists(&t) != 0) return;
  module = choose_up_to(1);
  PROVE(int_at(t.first_children, module) <= int_at(t.first_children, module + 1));
  PROVE(int_at(t.first_children, module + 1) <= t.num_children);
  i = choose_up_to(2);
  if (i < t.num_children) PROVE(int_at(t.children, i) < t.num_modules);
}

/* After the lists are checked: no module is imported by itself, nor by one that it imports. */
void prove_bin_check_cycles(void) {
  tree t;
  size_t i, k;
  bool imports[2][2] = {{false}};
  choose_tree(&t);
  ASSUME(check_lists(&t) == 0);
  for (i = 0; i < 2; ++i) {
    for (k = 0; k < 3; ++k) {
      if (k >= int_at(t.first_children, i) && k < int_at(t.first_children, i + 1)) {
        imports[i][int_at(t.children, k)] = true;
      }
    }
  }
  if (check_cycles(&t) == 0) {
    PROVE(!imports[0][0] && !imports[1][1] && !(imports[0][1] && imports[1][0]));
  }
  PROVE(num_allocated == 0);
}

/* ---- The name of a loader ---- */

int tvmffi_loader_find(const char *prefix, const TVMFFIByteArray *kind, tvmffi_buf *name,
                       TVMFFIObject **out) {
  (void)prefix, (void)kind, (void)name;
  *out = NULL;
  return 0;
}
void tvmffi_buf_fini(tvmffi_buf *buf) {
  (void)buf;
}

/* No size becomes another one where the text of an error is made. */
void prove_bin_find_loader(void) {
  TVMFFIByteArray kind;
  TVMFFIObject *loader;
  kind.data = "";
  kind.size = choose_size();
  PROVE(find_kind_loader(&kind, &loader) != 0);
}

/* ---- Base64 ---- */

#include "json/json_graph.c"

void prove_base64_decode(void) {
  char text[8], out[6];
  const size_t size = 4 * choose_up_to(2);
  size_t written = 0;
  choose_bytes(text, sizeof text);
  if (decode(text + sizeof text - size, size, out + sizeof out - size / 4 * 3, &written)) {
    PROVE(written <= size / 4 * 3);
  }
}
