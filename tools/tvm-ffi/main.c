/* SPDX-License-Identifier: Apache-2.0 */
/* tvm-ffi COMMAND: the command line's first word, and the options that every command has. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/path.h"
#include "base/report.h"
#include "base/streams.h"
#include "manual/manual.h"

static int run_command(const command *of, int num_words, char **words) {
  arguments *args = arguments_parse(of, num_words, words);
  int code = kExitUsage;
  if (args == NULL) return kExitUsage;
  if (arguments_has(args, "help")) {
    manual_print_command(of);
    code = kExitOk;
  } else {
    report_set_color(arguments_text(args, "color", "auto"));
    code = of->run(args);
    report_progress_end();
  }
  arguments_free(args);
  return code;
}

static int print_version(void) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  printf("tvm-ffi %u.%u.%u\n", (unsigned)version.major, (unsigned)version.minor,
         (unsigned)version.patch);
  return kExitOk;
}

/* A second name of the program is a command of its own. */
static bool is_called(const char *path, const char *name) {
  return path != NULL && strcmp(path_base(path), name) == 0;
}

static int run(int argc, char **argv) {
  const command *of;
  if (is_called(argv[0], "tvm-ffi-config")) {
    return run_command(command_find("config"), argc - 1, argv + 1);
  }
  if (argc < 2) {
    manual_print_usage(stderr);
    return kExitUsage;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    manual_print_usage(stdout);
    return kExitOk;
  }
  if (strcmp(argv[1], "--version") == 0) return print_version();
  if (strcmp(argv[1], "--manual") == 0) return manual_write(argc > 2 ? argv[2] : "man");
  if (strncmp(argv[1], "--manual=", 9) == 0) return manual_write(argv[1] + 9);
  of = command_find(argv[1]);
  if (of == NULL) {
    return report_fail(kExitUsage, "%s is not a command; tvm-ffi --help lists them", argv[1]);
  }
  return run_command(of, argc - 2, argv + 2);
}

/* A standard stream that the caller has closed stays unusable, but no file that is opened later
 * gets its number, and with it what is printed. */
static void hold_streams(void) {
  int fd;
  for (fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int main(int argc, char **argv) {
  hold_streams();
  return streams_finish(run(argc, argv));
}
