/* SPDX-License-Identifier: Apache-2.0 */
#include "file/manylinux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"

const char *const kFamilies[kNumFamilies] = {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"};

/* The newest versions of the other families, from this version of glibc on. */
static const struct {
  int minor; /* of glibc 2 */
  const char *newest[kNumFamilies - 1];
} kPlatforms[] = {
    {5, {"3.4.8", "1.3.1", "4.2.0"}},     {12, {"3.4.13", "1.3.3", "4.3.0"}},
    {17, {"3.4.19", "1.3.7", "4.8.0"}},   {24, {"3.4.22", "1.3.10", "4.8.0"}},
    {27, {"3.4.24", "1.3.11", "7.0.0"}},  {31, {"3.4.28", "1.3.12", "7.0.0"}},
    {34, {"3.4.29", "1.3.13", "7.0.0"}},  {35, {"3.4.30", "1.3.13", "12.0.0"}},
    {39, {"3.4.33", "1.3.15", "14.0.0"}},
};
enum { kNumPlatforms = sizeof kPlatforms / sizeof *kPlatforms };

bool manylinux_parse(const char *text, manylinux *out) {
  static const char kPrefix[] = "manylinux_";
  int minor, end = 0, row = 0, i;
  if (strncmp(text, kPrefix, strlen(kPrefix)) == 0) text += strlen(kPrefix);
  if (sscanf(text, "2_%3d%n", &minor, &end) != 1 || text[end] != '\0' ||
      minor < kPlatforms[0].minor) {
    report_error("--manylinux must be 2_N with N from 5, such as 2_28, not \"%s\"", text);
    return false;
  }
  while (row + 1 < kNumPlatforms && kPlatforms[row + 1].minor <= minor) ++row;
  snprintf(out->name, sizeof out->name, "2_%d", minor);
  snprintf(out->glibc, sizeof out->glibc, "2.%d", minor);
  out->newest[0] = out->glibc;
  for (i = 1; i < kNumFamilies; ++i) out->newest[i] = kPlatforms[row].newest[i - 1];
  return true;
}

int manylinux_compare(const char *a, const char *b) {
  for (;;) {
    char *a_end, *b_end;
    unsigned long a_part = strtoul(a, &a_end, 10), b_part = strtoul(b, &b_end, 10);
    if (a_end == a || b_end == b) return (a_end == a) - (b_end == b); /* "PRIVATE" */
    if (a_part != b_part) return a_part < b_part ? -1 : 1;
    if (*a_end != '.' || *b_end != '.') return (*a_end == '.') - (*b_end == '.');
    a = a_end + 1;
    b = b_end + 1;
  }
}
