/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spelling.h"

#include <stdint.h>
#include <string.h>

/* The Levenshtein distance, with one row of the table; SIZE_MAX for long names. */
static size_t count_edits(const char *a, const char *b) {
  size_t b_size = strlen(b), row[64], i, k;
  if (b_size >= sizeof row / sizeof *row) return SIZE_MAX;
  for (k = 0; k <= b_size; ++k) row[k] = k;
  for (i = 0; a[i] != '\0'; ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (k = 0; k < b_size; ++k) {
      size_t change = diagonal + (a[i] != b[k]), least = row[k] < row[k + 1] ? row[k] : row[k + 1];
      diagonal = row[k + 1];
      row[k + 1] = change < least + 1 ? change : least + 1;
    }
  }
  return row[b_size];
}

spelling spelling_begin(const char *given, size_t limit) {
  spelling search;
  search.given = given;
  search.nearest = NULL;
  search.limit = limit;
  return search;
}

size_t spelling_limit(const char *given) {
  return strlen(given) / 3 + 2;
}

void spelling_offer(spelling *search, const char *candidate) {
  const size_t edits = count_edits(search->given, candidate);
  if (edits >= search->limit) return;
  search->limit = edits;
  search->nearest = candidate;
}
