/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/report.h"

static FILE *results, *errors; /* NULL: stdout, stderr */
static int failure;            /* errno of the first failed write of results; 0 */

FILE *streams_results(void) {
  return results != NULL ? results : stdout;
}

FILE *streams_errors(void) {
  return errors != NULL ? errors : stderr;
}

int streams_copy_descriptor(int descriptor) {
  enum { kOutOfTheWay = 512 };
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay);
  return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static FILE *copy_stream(int descriptor) {
  int copy = streams_copy_descriptor(descriptor);
  return copy >= 0 ? fdopen(copy, "w") : NULL;
}

void streams_part(bool others_print, bool others_read) {
  fflush(stdout);
  results = copy_stream(STDOUT_FILENO);
  errors = copy_stream(STDERR_FILENO);
  if (errors != NULL) setvbuf(errors, NULL, _IONBF, 0);
  if (!others_print && results != NULL) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (!others_read) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing > STDIN_FILENO) {
      dup2(nothing, STDIN_FILENO);
      close(nothing);
    }
  }
}

void streams_flush(void) {
  errno = 0;
  if (fflush(streams_results()) != 0 && failure == 0) failure = errno;
}

int streams_finish(int exit_code) {
  streams_flush();
  /* The output is incomplete, for instance because the disk is full. */
  if ((failure != 0 || ferror(streams_results())) && exit_code == kExitOk) {
    return report_fail(kExitUsage, "standard output: %s",
                       failure != 0 ? strerror(failure) : "it cannot be written");
  }
  return exit_code;
}
