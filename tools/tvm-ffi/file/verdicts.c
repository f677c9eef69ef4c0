/* SPDX-License-Identifier: Apache-2.0 */
#include "file/verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/report.h"
#include "base/shown.h"

void verdicts_add(verdicts *list, level severity, const char *check, const char *symbol,
                  char *said) {
  verdict *next;
  list->items = tool_realloc(list->items, (list->count + 1) * sizeof *list->items);
  next = &list->items[list->count++];
  next->severity = severity;
  next->check = check;
  next->symbol = symbol != NULL ? shown_text(symbol, strlen(symbol)) : NULL;
  next->said = said;
}

void verdicts_say(verdicts *list, level severity, const char *check, const char *symbol,
                  const char *said) {
  verdicts_add(list, severity, check, symbol, tool_copy(said, strlen(said)));
}

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
  shown_print(stdout, list->path);
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
