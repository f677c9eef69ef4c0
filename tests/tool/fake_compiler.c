/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for a compiler: prints its arguments, one a line, and whether there is anything to read.
 * Ends as the variable FAKE_COMPILER says: "crash", or an exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *ending = getenv("FAKE_COMPILER");
  int i;
  for (i = 1; i < argc; ++i) printf("<%s>\n", argv[i]);
  printf("stdin: %s\n", getchar() == EOF ? "empty" : "not empty");
  fflush(stdout);
  if (ending == NULL) return 0;
  if (strcmp(ending, "crash") == 0) abort();
  return atoi(ending);
}
