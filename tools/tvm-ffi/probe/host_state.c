/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to the host, read before and after each call. */
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <string.h>

#include "probe/probe.h"

bool host_has_subnormals(void) {
  volatile double tiny = DBL_MIN;
  tiny = tiny / 4;
  return tiny != 0;
}

static const char *const kChanges[] = {"the rounding mode",
                                       "which floating-point exceptions end the program",
                                       "whether tiny numbers are flushed to zero",
                                       "the locale",
                                       "a handler of a signal",
                                       "which signals are blocked",
                                       "the working directory",
                                       "the environment",
                                       "the mask of new files (umask)",
                                       "which processors the thread may use",
                                       "the limits of resources",
                                       "a timer, which now runs",
                                       "the priority of the process",
                                       "what standard input, output or error is"};
enum { kNumChanges = sizeof kChanges / sizeof *kChanges };

void host_read(host_state *out) {
  const char *c = setlocale(LC_ALL, NULL);
  process_state_read_host(&out->process);
  out->rounding = fegetround();
  out->has_subnormals = host_has_subnormals();
  for (out->locale_name = 1; *c != '\0'; ++c) {
    out->locale_name = out->locale_name * 31 + (unsigned char)*c;
  }
}

unsigned host_compare(const host_state *before, const host_state *after) {
  const process_state *x = &before->process, *y = &after->process;
  const bool differs[kNumChanges] = {
      before->rounding != after->rounding,
      x->traps != y->traps,
      before->has_subnormals != after->has_subnormals,
      before->locale_name != after->locale_name || x->locale != y->locale,
      memcmp(x->handlers, y->handlers, sizeof x->handlers) != 0,
      x->blocked != y->blocked,
      x->folder != y->folder,
      x->variables != y->variables,
      x->mask != y->mask,
      x->processors != y->processors,
      x->limits != y->limits,
      x->has_timer != y->has_timer,
      x->priority != y->priority,
      x->streams != y->streams};
  unsigned out = 0;
  size_t i;
  for (i = 0; i < kNumChanges; ++i) out |= differs[i] ? 1U << i : 0;
  return out;
}

const char *host_describe(unsigned changes) {
  size_t i = 0;
  while (i + 1 < kNumChanges && (changes >> i & 1) == 0) ++i;
  return kChanges[i];
}
