/* SPDX-License-Identifier: Apache-2.0 */
#include "base/streams.h"

#include <errno.h>
#include <string.h>

#include "base/command.h"
#include "base/report.h"
#include "system/system.h"

static FILE *results, *errors; /* NULL: stdout, stderr */
static int failure;            /* errno of the first failed write of results; 0 */

FILE *streams_results(void) {
  return results != NULL ? results : stdout;
}

FILE *streams_errors(void) {
  return errors != NULL ? errors : stderr;
}

void streams_part(bool others_print, bool others_read) {
  fflush(stdout);
  results = descriptor_copy_stream(kDescriptorOutput);
  errors = descriptor_copy_stream(kDescriptorErrors);
  if (errors != NULL) setvbuf(errors, NULL, _IONBF, 0);
  if (!others_print && results != NULL) {
    descriptor_replace(kDescriptorOutput, kDescriptorErrors);
  }
  if (!others_read) descriptor_end_input();
}

void streams_keep(stream_copies *out) {
  out->input = descriptor_copy(kDescriptorInput);
  out->output = descriptor_copy(kDescriptorOutput);
}

/* Makes a standard stream what a copy stands for, which is closed. */
static void put_back(int target, int copy) {
  if (copy < 0) return;
  descriptor_replace(target, copy);
  descriptor_close(copy);
}

void streams_join(const stream_copies *kept) {
  fflush(stdout);
  streams_flush();
  put_back(kDescriptorInput, kept->input);
  put_back(kDescriptorOutput, kept->output);
  if (results != NULL) fclose(results);
  if (errors != NULL) fclose(errors);
  results = errors = NULL;
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
