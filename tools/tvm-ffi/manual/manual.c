/* SPDX-License-Identifier: Apache-2.0 */
#include "manual/manual.h"

#include <string.h>

#include "base/report.h"

void manual_each_command(void (*visit)(const command *)) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) visit(&kCommands[i]);
}

void manual_each_option(const command *cmd, void (*visit)(const command *, const option *)) {
  const option *opt;
  for (opt = cmd->options; opt->id != kOptionNone; ++opt) visit(cmd, opt);
  for (opt = kCommonOptions; opt->id != kOptionNone; ++opt) visit(cmd, opt);
}

void manual_print_usage(FILE *stream) {
  size_t i;
  fputs("usage: tvm-ffi COMMAND [OPTION...] [OPERAND...]\n\n", stream);
  for (i = 0; i < kNumCommands; ++i) {
    fprintf(stream, "  %-9s %s\n", kCommands[i].name, kCommands[i].summary);
  }
  fputs("\ntvm-ffi COMMAND --help says more of one; man tvm-ffi of all.\n", stream);
}

/* "-o, --output=FILE", or only the long form. */
static void print_option(const command *cmd, const option *opt) {
  char form[64];
  int size = opt->letter != 0 ? snprintf(form, sizeof form, "-%c, ", opt->letter)
                              : snprintf(form, sizeof form, "    ");
  (void)cmd;
  snprintf(form + size, sizeof form - (size_t)size, "--%s%s%s", opt->name,
           opt->value != NULL ? "=" : "", opt->value != NULL ? opt->value : "");
  printf(strlen(form) > 30 ? "  %s\n  %30s  %s%s\n" : "  %-30s%s  %s%s\n", form, "", opt->help,
         opt->repeats ? "; may be given several times" : "");
}

void manual_print_command(const command *cmd) {
  printf("usage: tvm-ffi %s [OPTION...]%s%s\n\n%s.\n", cmd->name, *cmd->operands != '\0' ? " " : "",
         cmd->operands, cmd->summary);
  if (*cmd->description != '\0') printf("\n%s\n", cmd->description);
  fputs("\nOptions:\n", stdout);
  manual_each_option(cmd, print_option);
}

int manual_write(const char *form) {
  static const struct {
    const char *form;
    void (*write)(void);
  } kForms[] = {{"man", manual_write_man},
                {"markdown", manual_write_markdown},
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
  return report_fail(kExitUsage, "--manual must be man, markdown, bash, zsh or fish, not \"%s\"",
                     form);
}
