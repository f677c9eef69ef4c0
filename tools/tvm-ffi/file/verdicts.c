/* SPDX-License-Identifier: Apache-2.0 */
#include "file/verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/report.h"
#include "base/shown.h"

void verdicts_add(verdicts *to, level how, const char *check, const char *symbol, char *said) {
  verdict *next;
  to->items = tool_realloc(to->items, (to->count + 1) * sizeof *to->items);
  next = &to->items[to->count++];
  next->how = how;
  next->check = check;
  next->symbol = symbol != NULL ? shown_text(symbol, strlen(symbol)) : NULL;
  next->said = said;
}

void verdicts_say(verdicts *to, level how, const char *check, const char *symbol,
                  const char *said) {
  verdicts_add(to, how, check, symbol, tool_copy(said, strlen(said)));
}

bool verdicts_have_failed(const verdicts *of) {
  size_t i;
  for (i = 0; i < of->count; ++i) {
    if (of->items[i].how == kBad) return true;
  }
  return false;
}

void verdicts_print(const verdicts *of) {
  static const char *const kWords[] = {"ok", "note", "FAIL"};
  static const color kColors[] = {kColorGood, kColorDim, kColorBad};
  size_t i;
  shown_print(stdout, of->path);
  putchar('\n');
  for (i = 0; i < of->count; ++i) {
    const verdict *one = &of->items[i];
    printf("  %s%-4s%s  %-9s  %s%s%s\n", report_color(kColors[one->how]), kWords[one->how],
           report_color(kColorNone), one->check, one->symbol != NULL ? one->symbol : "",
           one->symbol != NULL ? ": " : "", one->said);
  }
}

void verdicts_write_json(const verdicts *of) {
  static const char *const kWords[] = {"ok", "note", "fail"};
  size_t i;
  json_begin_array("verdicts");
  for (i = 0; i < of->count; ++i) {
    const verdict *one = &of->items[i];
    json_begin_object(NULL);
    json_text("verdict", kWords[one->how]);
    json_text("check", one->check);
    json_text("symbol", one->symbol);
    json_text("said", one->said);
    json_end();
  }
  json_end();
}

void verdicts_free(verdicts *of) {
  size_t i;
  for (i = 0; i < of->count; ++i) {
    free(of->items[i].symbol);
    free(of->items[i].said);
  }
  free(of->items);
}
