/* SPDX-License-Identifier: Apache-2.0 */
/* The same symbols in two files. A loader keeps libraries apart (RTLD_LOCAL), so that only what a
 * linker refuses is an error; the rest depends on how the libraries are used. */
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "check/checks.h"

/* Symbols that both have, by what comes of it. */
typedef struct {
  const char *first;
  size_t count;
} shared;

static void count_one(shared *to, const char *name) {
  if (to->count++ == 0) to->first = name;
}

static void say_shared(checking *to, level how, const shared *which, const checking *other,
                       const char *what) {
  const char *path = other->found.path;
  char *shown = shown_text(path, strlen(path));
  if (which->count == 1) {
    checks_add(to, how, "clashes", which->first, tool_format("%s has it, too: %s", shown, what));
  } else if (which->count > 1) {
    checks_add(to, how, "clashes", which->first,
               tool_format("one of %zu that %s has, too: %s", which->count, shown, what));
  }
  free(shown);
}

static bool is_same_machine(const elf_file *a, const elf_file *b) {
  return a->machine == b->machine && a->bits == b->bits && a->is_big_endian == b->is_big_endian;
}

static const char *get_basename(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Whether one is loaded along with the other. */
static bool needs(const elf_file *one, const elf_file *other) {
  const char *name = other->soname != NULL ? other->soname : get_basename(other->path);
  size_t i;
  for (i = 0; i < one->num_needed; ++i) {
    if (strcmp(get_basename(one->needed[i]), name) == 0) return true;
  }
  return false;
}

/* What a linker takes once only. */
static bool is_strong(const elf_symbol *symbol) {
  return !symbol->is_weak && !symbol->is_unique && !symbol->is_common;
}

typedef struct {
  bool are_objects, are_loaded_together;
  shared refused, merged, apart, unique;
} comparison;

static void compare_symbol(comparison *of, const elf_symbol *one, const elf_symbol *other) {
  const char *name = one->name, *own = checks_skip_prefix(name);
  if (own != NULL) {
    if (of->are_objects) {
      count_one(is_strong(one) && is_strong(other) ? &of->refused : &of->merged, name);
    } else if (checks_is_exported(one) && checks_is_exported(other) &&
               (*own != '_' || of->are_loaded_together)) {
      count_one(&of->apart, name); /* each has a context and metadata of its own else */
    }
  } else if (one->is_unique && other->is_unique && !of->are_objects) {
    count_one(&of->unique, name);
  }
}

/* Both lists are in the order of names. */
static void compare_symbols(comparison *of, const elf_file *one, const elf_file *other) {
  size_t i = 0, k = 0;
  while (i < one->num_symbols && k < other->num_symbols) {
    const elf_symbol *a = &one->symbols[i], *b = &other->symbols[k];
    int order = strcmp(a->name, b->name);
    if (!a->is_defined || order < 0) {
      ++i;
    } else if (!b->is_defined || order > 0) {
      ++k;
    } else {
      compare_symbol(of, a, b);
      ++i;
      ++k;
    }
  }
}

void check_clashes(checking *to, const checking *earlier) {
  const elf_file *one = to->file, *other = earlier->file;
  comparison of;
  if (!is_same_machine(one, other)) return;
  memset(&of, 0, sizeof of);
  of.are_objects = one->is_object && other->is_object;
  of.are_loaded_together = needs(one, other) || needs(other, one);
  compare_symbols(&of, one, other);
  say_shared(to, kBad, &of.refused, earlier,
             "a linker refuses to link both into one library or program");
  say_shared(to, kNote, &of.merged, earlier, "a linker keeps one of the two");
  say_shared(to, kNote, &of.apart, earlier,
             of.are_loaded_together
                 ? "one library is loaded with the other, and both may use one of the two"
                 : "modules keep them apart; one program linked with both, or RTLD_GLOBAL, does "
                   "not");
  say_shared(to, kNote, &of.unique, earlier,
             "unique in the process, so that both libraries use those of the one loaded first");
}
