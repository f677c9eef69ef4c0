/* SPDX-License-Identifier: Apache-2.0 */
#include "manual/manual.h"

#include <string.h>

#include "base/report.h"

void manual_each_command(void (*visit)(const command *)) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) visit(&kCommands[i]);
}

void manual_each_option(const command *of, void (*visit)(const command *, const option *)) {
  const option *one;
  for (one = of->options; one->name != NULL; ++one) visit(of, one);
  for (one = kCommonOptions; one->name != NULL; ++one) visit(of, one);
}

void manual_print_usage(FILE *to) {
  size_t i;
  fputs("usage: tvm-ffi COMMAND [OPTION...] [OPERAND...]\n\n", to);
  for (i = 0; i < kNumCommands; ++i) {
    fprintf(to, "  %-9s %s\n", kCommands[i].name, kCommands[i].summary);
  }
  fputs("\ntvm-ffi COMMAND --help says more of one; man tvm-ffi of all.\n", to);
}

/* "-o, --output=FILE", or without the dashes' short form. */
static void print_option(const command *of, const option *one) {
  char form[64];
  int size = one->letter != 0 ? snprintf(form, sizeof form, "-%c, ", one->letter)
                              : snprintf(form, sizeof form, "    ");
  (void)of;
  snprintf(form + size, sizeof form - (size_t)size, "--%s%s%s", one->name,
           one->value != NULL ? "=" : "", one->value != NULL ? one->value : "");
  printf(strlen(form) > 30 ? "  %s\n  %30s  %s%s\n" : "  %-30s%s  %s%s\n", form, "", one->help,
         one->repeats ? "; may be given several times" : "");
}

void manual_print_command(const command *of) {
  printf("usage: tvm-ffi %s [OPTION...]%s%s\n\n%s.\n", of->name, *of->operands != '\0' ? " " : "",
         of->operands, of->summary);
  if (*of->description != '\0') printf("\n%s\n", of->description);
  fputs("\nOptions:\n", stdout);
  manual_each_option(of, print_option);
}

int manual_write(const char *form) {
  static const struct {
    const char *form;
    void (*write)(void);
  } kForms[] = {{"man", manual_write_man},
                {"bash", manual_write_bash},
                {"zsh", manual_write_zsh},
                {"fish", manual_write_fish}};
  size_t i;
  for (i = 0; i < sizeof kForms / sizeof *kForms; ++i) {
    if (strcmp(form, kForms[i].form) == 0) {
      kForms[i].write();
      return kExitOk;
    }
  }
  return report_fail(kExitUsage, "--manual must be man, bash, zsh or fish, not \"%s\"", form);
}
