/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "file/runtime_symbols.h"

/* ---- The results ---- */

bool verdicts_have_failed(const verdicts *list) {
  size_t i;
  for (i = 0; i < list->count; ++i) {
    if (list->items[i].severity == kBad) return true;
  }
  return false;
}

void verdicts_print(const verdicts *list) {
  static const char *const kWords[] = {"ok", "note", "FAIL"};
  static const color kColors[] = {kColorGood, kColorDim, kColorBad};
  size_t i;
  text_print_escaped(stdout, list->path);
  putchar('\n');
  for (i = 0; i < list->count; ++i) {
    const verdict *item = &list->items[i];
    printf("  %s%-4s%s  %-9s  %s%s%s\n", report_color(kColors[item->severity]),
           kWords[item->severity], report_color(kColorNone), item->check,
           item->symbol != NULL ? item->symbol : "", item->symbol != NULL ? ": " : "", item->said);
  }
}

void verdicts_write_json(const verdicts *list) {
  static const char *const kWords[] = {"ok", "note", "fail"};
  size_t i;
  json_begin_array("verdicts");
  for (i = 0; i < list->count; ++i) {
    const verdict *item = &list->items[i];
    json_begin_object(NULL);
    json_text("verdict", kWords[item->severity]);
    json_text("check", item->check);
    json_text("symbol", item->symbol);
    json_text("said", item->said);
    json_end();
  }
  json_end();
}

void verdicts_free(verdicts *list) {
  size_t i;
  for (i = 0; i < list->count; ++i) {
    free(list->items[i].symbol);
    free(list->items[i].said);
  }
  free(list->items);
}

/* ---- Common helpers ---- */

void checks_add(checking *subject, level severity, const char *check, const char *symbol,
                char *said) {
  verdicts *list = &subject->found;
  verdict *next;
  list->items = tool_realloc(list->items, (list->count + 1) * sizeof *list->items);
  next = &list->items[list->count++];
  next->severity = severity;
  next->check = check;
  next->symbol = symbol != NULL ? text_escape(symbol, strlen(symbol)) : NULL;
  next->said = said;
}

void checks_say(checking *subject, level severity, const char *check, const char *symbol,
                const char *said) {
  checks_add(subject, severity, check, symbol, tool_copy(said, strlen(said)));
}

bool checks_is_exported(const binary_symbol *symbol) {
  return symbol->is_defined && !symbol->is_hidden;
}

const char *checks_cxx_name(const binary_file *file, const binary_symbol *symbol) {
  return symbol->is_defined || symbol->is_weak
             ? NULL
             : runtime_symbol_find(symbol->name, file->format).cxx_name;
}
