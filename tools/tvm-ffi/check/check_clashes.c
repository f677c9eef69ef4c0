/* SPDX-License-Identifier: Apache-2.0 */
/* Finds symbols that two files share. The loader keeps libraries apart (RTLD_LOCAL), so only what a
 * linker refuses is an error; the rest depends on how the libraries are used. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/shown.h"
#include "check/checks.h"

/* Symbols in both files, of one consequence. */
typedef struct {
  const char *first;
  size_t count;
} shared;

static void count_symbol(shared *group, const char *name) {
  if (group->count++ == 0) group->first = name;
}

static void say_shared(checking *subject, level severity, const shared *group,
                       const checking *earlier, const char *consequence) {
  const char *path = earlier->found.path;
  char *shown = shown_text(path, strlen(path));
  if (group->count == 1) {
    checks_add(subject, severity, "clashes", group->first,
               tool_format("%s has it, too: %s", shown, consequence));
  } else if (group->count > 1) {
    checks_add(subject, severity, "clashes", group->first,
               tool_format("one of %zu that %s has, too: %s", group->count, shown, consequence));
  }
  free(shown);
}

static bool is_same_machine(const binary_file *a, const binary_file *b) {
  return a->format == b->format && a->machine == b->machine && a->bits == b->bits &&
         a->is_big_endian == b->is_big_endian;
}

/* Whether loading `file` also loads `dependency`. */
static bool needs(const binary_file *file, const binary_file *dependency) {
  const char *name = dependency->soname != NULL ? dependency->soname : path_base(dependency->path);
  size_t i;
  for (i = 0; i < file->num_needed; ++i) {
    if (strcmp(path_base(file->needed[i]), name) == 0) return true;
  }
  return false;
}

/* Whether a linker refuses a second definition. */
static bool is_strong(const binary_symbol *symbol) {
  return !symbol->is_weak && !symbol->is_unique && !symbol->is_common;
}

typedef struct {
  bool are_objects, are_loaded_together;
  shared refused, merged, apart, unique;
} comparison;

static void compare_symbol(comparison *result, const binary_symbol *a, const binary_symbol *b) {
  const char *name = a->name, *suffix = checks_skip_prefix(name);
  if (suffix != NULL) {
    if (result->are_objects) {
      count_symbol(is_strong(a) && is_strong(b) ? &result->refused : &result->merged, name);
    } else if (checks_is_exported(a) && checks_is_exported(b) &&
               (*suffix != '_' || result->are_loaded_together)) {
      count_symbol(&result->apart, name); /* libraries loaded separately each have a context and
                                          metadata, which is no clash */
    }
  } else if (a->is_unique && b->is_unique && !result->are_objects) {
    count_symbol(&result->unique, name);
  }
}

/* Merges the two lists, which are sorted by name. */
static void compare_symbols(comparison *result, const binary_file *first,
                            const binary_file *second) {
  size_t i = 0, k = 0;
  while (i < first->num_symbols && k < second->num_symbols) {
    const binary_symbol *a = &first->symbols[i], *b = &second->symbols[k];
    int order = strcmp(a->name, b->name);
    if (!a->is_defined || order < 0) {
      ++i;
    } else if (!b->is_defined || order > 0) {
      ++k;
    } else {
      compare_symbol(result, a, b);
      ++i;
      ++k;
    }
  }
}

void check_clashes(checking *subject, const checking *earlier) {
  const binary_file *file = subject->file, *earlier_file = earlier->file;
  comparison result;
  if (!is_same_machine(file, earlier_file)) return;
  memset(&result, 0, sizeof result);
  result.are_objects = file->is_object && earlier_file->is_object;
  result.are_loaded_together = needs(file, earlier_file) || needs(earlier_file, file);
  compare_symbols(&result, file, earlier_file);
  say_shared(subject, kBad, &result.refused, earlier,
             "a linker refuses to link both into one library or program");
  say_shared(subject, kNote, &result.merged, earlier, "a linker keeps one of the two");
  say_shared(subject, kNote, &result.apart, earlier,
             result.are_loaded_together
                 ? "one library is loaded with the other, and both may use one of the two"
                 : "modules keep them apart; one program linked with both, or RTLD_GLOBAL, does "
                   "not");
  say_shared(subject, kNote, &result.unique, earlier,
             "unique in the process, so that both libraries use those of the one loaded first");
}
