/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program with the library of tools/record preloaded, which records its calls, and says so
 * if there were none. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/record.h>

#include "base/files.h"
#include "base/install_paths.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "build_info.h"
#include "commands/commands.h"
#include "recording/recording.h"
#include "system/system.h"

/* Beside the program, as it is built, or beside the libtvm_ffi, as it is installed; NULL if there
 * is none. */
static char *find_recorder(const char *name) {
  char program[4096], *library, *found;
  if (own_program_find(program, sizeof program)) {
    found = path_beside(program, name);
    if (file_exists(found)) return found;
    free(found);
  }
  library = install_path_of_linked_library();
  if (library == NULL) return NULL;
  found = path_beside(library, name);
  free(library);
  if (file_exists(found)) return found;
  free(found);
  return NULL;
}

/* Makes the folder, or takes one without a recording, and says which format it will have. The
 * absolute path; NULL after a report. */
static char *prepare_folder(const char *path, bool *is_new) {
  char *version, *resolved;
  *is_new = folder_make(path, true);
  if (!*is_new && errno != EEXIST) {
    (void)report_fail(kExitUsage, "%s: %s", path, strerror(errno));
    return NULL;
  }
  if (!folder_is_own(path)) {
    (void)report_fail(kExitUsage,
                      "%s belongs to another user, or others can write to it: name a new folder",
                      path);
    return NULL;
  }
  if (folder_has_file(path, "version")) {
    (void)report_fail(kExitUsage, "%s already has a recording", path);
    return NULL;
  }
  version = tool_format("%s/version", path);
  resolved = tool_write_file(version, TVM_FFI_RECORD_VERSION, strlen(TVM_FFI_RECORD_VERSION))
                 ? file_resolve(path)
                 : NULL;
  (void)file_make_private(version);
  free(version);
  return resolved;
}

/* After a program that was not started: the same folder can be named again. */
static void remove_unused(const char *folder, bool is_new) {
  char *version = tool_format("%s/version", folder);
  if (!folder_has_file(folder, "next")) { /* else a process has begun to record */
    (void)remove(version);
    if (is_new) (void)folder_remove(folder);
  }
  free(version);
}

/* Makes sure that the file can be written, and removes it: the process that makes the first call
 * writes a new one. The absolute path; NULL after a report. */
static char *prepare_trace(const arguments *args) {
  static const int kOthers[] = {kOptionOutput,   kOptionFirst,   kOptionEvery,
                                kOptionAll,      kOptionOnError, kOptionMaxBytes,
                                kOptionMaxTotal, kOptionNoData,  kOptionOutputs};
  const char *path = arguments_text(args, kOptionTrace, NULL);
  char *resolved;
  size_t i;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (!arguments_has(args, kOthers[i])) continue;
    (void)report_fail(kExitUsage,
                      "--trace is for all calls and writes no recording: only --match, --skip, "
                      "--lib and --functions can be combined with it");
    return NULL;
  }
  if (strchr(path, '\n') != NULL) {
    (void)report_fail(kExitUsage, "--trace cannot have a line break");
    return NULL;
  }
  if (!tool_write_file(path, "", 0)) return NULL;
  resolved = file_resolve(path);
  (void)remove(path);
  return resolved;
}

static void add_number(text_buf *out, const char *key, long long value) {
  if (value >= 0) text_add(out, "%s=%lld\n", key, value);
}

/* False after a report. */
static bool add_list(const arguments *args, int id, const char *key, text_buf *out) {
  text_list list = arguments_values(args, id);
  size_t i;
  for (i = 0; i < list.count; ++i) {
    if (strchr(list.items[i], '\n') != NULL) {
      (void)report_fail(kExitUsage, "--%s cannot have a line break", key);
      return false;
    }
    text_add(out, "%s=%s\n", key, list.items[i]);
  }
  return true;
}

/* Whether it is a pattern, a colon and numbers with commas. */
static bool is_outputs(const char *text) {
  const char *colon = strrchr(text, ':'), *at = colon;
  if (colon == NULL || colon == text) return false;
  do {
    size_t digits;
    at += at[1] == '-' ? 2 : 1;
    digits = strspn(at, "0123456789");
    if (digits == 0 || digits > 9) return false;
    at += digits;
  } while (*at == ',');
  return *at == '\0';
}

/* False after a report. */
static bool check_outputs(const arguments *args) {
  const text_list list = arguments_values(args, kOptionOutputs);
  size_t i;
  for (i = 0; i < list.count; ++i) {
    if (is_outputs(list.items[i])) continue;
    return report_error("--outputs takes GLOB:ARGUMENTS, as in 's*:0,-1', and `%s` was given",
                        list.items[i]);
  }
  return true;
}

/* As the library reads them; false after a report. */
static bool write_options(const arguments *args, text_buf *out) {
  static const long long kMost = 1ll << 62;
  long long first, every, max_bytes, max_total;
  if (!arguments_int(args, kOptionFirst, -1, 1, kMost, &first) ||
      !arguments_int(args, kOptionEvery, -1, 1, kMost, &every) ||
      !arguments_int(args, kOptionMaxBytes, -1, 1, kMost, &max_bytes) ||
      !arguments_int(args, kOptionMaxTotal, -1, 1, kMost, &max_total)) {
    return false;
  }
  text_add(out, "\n");
  add_number(out, "first", first);
  add_number(out, "every", every);
  add_number(out, "max_bytes", max_bytes);
  add_number(out, "max_total", max_total);
  if (arguments_has(args, kOptionAll)) text_add(out, "all=1\n");
  if (arguments_has(args, kOptionOnError)) text_add(out, "on_error=1\n");
  if (arguments_has(args, kOptionNoData)) text_add(out, "no_data=1\n");
  return add_list(args, kOptionMatch, "match", out) && add_list(args, kOptionSkip, "skip", out) &&
         add_list(args, kOptionLib, "lib", out) && check_outputs(args) &&
         add_list(args, kOptionOutputs, "outputs", out);
}

static bool start(const arguments *args, const char *folder, const char *recorder,
                  const char *options, int *out_status) {
  const text_list words = arguments_operands(args);
  const char *variables[] = {"TVM_FFI_RECORD", folder, "TVM_FFI_RECORD_OPTIONS", options, NULL};
  char reason[512], **copy = tool_alloc((words.count + 1) * sizeof *copy);
  bool is_started;
  size_t i;
  for (i = 0; i < words.count; ++i) copy[i] = tool_copy(words.items[i], strlen(words.items[i]));
  copy[words.count] = NULL;
  is_started = program_run_preloaded(copy, recorder, variables, out_status, reason, sizeof reason);
  if (!is_started) report_error("%s: %s", copy[0], reason);
  for (i = 0; i < words.count; ++i) free(copy[i]);
  free(copy);
  return is_started;
}

/* Ends as the program did, but as for a wrong command line if what was asked for was not written,
 * and the program did not say itself that something is wrong. */
static int end(bool has_failed, int status) {
  if (has_failed && !program_has_failed(status)) return kExitUsage;
  program_end_like(status);
  return kExitUsage;
}

/* The calls that were seen, of which none was recorded. */
static int64_t count_seen(const recording *r) {
  int64_t seen = 0;
  size_t i;
  for (i = 0; i < recording_num_counts(r); ++i) seen += recording_count(r, i)->calls;
  return seen;
}

/* Says why a recording has no calls. False if calls were seen that the options leave out. */
static bool report_empty(const char *folder, const char *given) {
  recording *r = recording_open(folder);
  const int64_t seen = r != NULL ? count_seen(r) : 0;
  size_t i;
  if (seen > 0) {
    report_note("%s has no calls: %" PRId64 " %s seen, and the options select none", given, seen,
                seen == 1 ? "call was" : "calls were");
    recording_free(r);
    return false;
  }
  if (r != NULL && recording_num_processes(r) > recording_unseen(r)->size) {
    report_error("%s has no calls: they could not be written", given);
  } else {
    report_error("%s has no calls: none was seen", given);
  }
  for (i = 0; r != NULL && i < recording_unseen(r)->size; ++i) {
    report_note("%s", recording_unseen(r)->items[i]);
  }
  if (r != NULL && recording_num_processes(r) == 0) {
    report_note("no process that called exit() had a runtime loaded, and could record");
  }
  recording_free(r);
  return true;
}

static int record_trace(const arguments *args, const char *recorder) {
  char *trace = prepare_trace(args);
  text_buf options = {NULL, 0, 0};
  int code = kExitUsage, status;
  if (trace != NULL && write_options(args, &options)) {
    text_add(&options, "trace=%s\n", trace);
    if (start(args, "", recorder, options.data, &status)) {
      const bool is_empty = !file_exists(trace);
      if (is_empty) report_error("%s was not written: no call was seen", trace);
      code = end(is_empty, status);
    }
  }
  free(trace);
  text_free(&options);
  return code;
}

/* False after a report. */
static bool pack(const char *folder, const char *path) {
  recording *r = recording_open(folder);
  const bool good = r != NULL && !recording_has_file(r, folder, path) && recording_pack(r, path);
  recording_free(r);
  return good;
}

static int record_calls(const arguments *args, const char *recorder) {
  const char *packed = arguments_text(args, kOptionPack, NULL);
  const char *given = arguments_text(args, kOptionOutput, "recording");
  text_buf options = {NULL, 0, 0};
  char *folder = NULL;
  int code = kExitUsage, status;
  bool is_new;
  if (write_options(args, &options)) folder = prepare_folder(given, &is_new);
  if (folder != NULL && !start(args, folder, recorder, options.data, &status)) {
    remove_unused(folder, is_new);
  } else if (folder != NULL) {
    const bool has_calls = recording_has_calls(folder);
    if (!has_calls) {
      code = end(report_empty(folder, given), status);
    } else {
      code = end(packed != NULL && !pack(folder, packed), status);
    }
  }
  free(folder);
  text_free(&options);
  return code;
}

static int command_record(const arguments *args) {
  const bool has_functions = arguments_has(args, kOptionFunctions);
  const char *name = has_functions ? TOOL_RECORDER_FUNCTIONS : TOOL_RECORDER;
  char *recorder = find_recorder(name);
  int code;
  if (recorder == NULL) {
    return report_fail(
        kExitUsage, "%s was not found in the installation of this program (it exists on %s only)",
        name, has_functions ? "Linux" : "Linux and macOS");
  }
  code = arguments_has(args, kOptionTrace) ? record_trace(args, recorder)
                                           : record_calls(args, recorder);
  free(recorder);
  return code;
}

/* ---- Options and help ---- */

static const option kRecordOptions[] = {
    {kOptionOutput, "output", 'o', "DIR", false,
     "the folder to write, which must not have a recording yet (default recording)"},
    {kOptionFirst, "first", 0, "N", false,
     "record the first N calls of each signature (default 3, if no other option selects calls)"},
    {kOptionEvery, "every", 0, "N", false,
     "record every Nth call of each signature, starting with the first"},
    {kOptionAll, "all", 0, NULL, false, "record every call"},
    {kOptionOnError, "on-error", 0, NULL, false,
     "record only calls that fail; the inputs of each call are kept in memory until it ends"},
    MATCH_FUNCTIONS_OPTION,
    {kOptionSkip, "skip", 0, "GLOB", true, "all functions but these"},
    {kOptionLib, "lib", 'l', "GLOB", true,
     "only functions of libraries whose path or file name matches"},
    {kOptionMaxBytes, "max-bytes", 0, "BYTES", false,
     "leave out the data of tensors that are larger (default 1 GiB)"},
    {kOptionMaxTotal, "max-total", 0, "BYTES", false,
     "leave out data once a process has written this much (default 16 GiB)"},
    {kOptionNoData, "no-data", 0, NULL, false, "leave out the data of all tensors"},
    {kOptionOutputs, "outputs", 0, "GLOB:ARGS", true,
     "functions with matching names only write these arguments, s*:0,-1: leave out what they have "
     "before the call"},
    {kOptionFunctions, "functions", 0, NULL, false,
     "also record function objects that are called by TVMFFIFunctionCall, as Python does: global "
     "functions, those of custom modules, and methods"},
    {kOptionPack, "pack", 0, "FILE", false,
     "also write the recording, with its libraries and those they need, to one file, a zip, when "
     "the program has ended"},
    {kOptionTrace, "trace", 0, "FILE", false,
     "instead of a recording, write a trace of all calls to FILE, for Perfetto or "
     "chrome://tracing, and finally a table of their times to standard error"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kRecordText[] =
    "COMMAND is any program that loads kernel libraries, with this runtime or the reference's:\n"
    "Python with apache-tvm-ffi, TVM, a program in C. It runs with a library preloaded; its\n"
    "results, messages and exit code are its own, but the code is 2 instead of 0 if no call was\n"
    "seen, which is said. Without an option that selects calls, the first three of each signature\n"
    "(name, types, shapes, layouts) are recorded, and each that fails.\n"
    "The inputs of a call are on disk before the function starts, so the last call before a crash\n"
    "is there. A full disk ends the recording with a message, and the program goes on. Processes\n"
    "that COMMAND starts are recorded as well.\n\n"
    "The page docs/guide/record.md says what is seen and what is not. Recording needs Linux; on\n"
    "macOS it compiles, but has never been run.\n\n"
    "  tvm-ffi record -o seen -- tvm-ffi run libscale.so 'count(4xf32=1)'\n"
    "  tvm-ffi record --all --pack all.zip -o all -- tvm-ffi run libscale.so 'count(4xf32=1)'";

const command kRecordCommand = {
    .name = "record",
    .operands = "-- COMMAND...",
    .summary = "Run a program and record its kernel calls",
    .description = kRecordText,
    .options = kRecordOptions,
    .min_operands = 1,
    .max_operands = -1,
    .run = command_record,
};
