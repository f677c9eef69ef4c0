/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json_out.h"
#include "base/report.h"
#include "base/shown.h"
#include "base/streams.h"

/* ---- Showing ---- */

static const char *const kColumns[] = {"minimum", "median", "P90", "P95", "P99", "P99.9", "MAD"};
static const char *const kKeys[] = {"min", "median", "p90", "p95", "p99", "p999", "mad"};
enum { kNumColumns = sizeof kColumns / sizeof *kColumns };

static void list_columns(const statistics *result, double *out) {
  out[0] = result->minimum;
  out[1] = result->median;
  out[2] = result->p90;
  out[3] = result->p95;
  out[4] = result->p99;
  out[5] = result->p999;
  out[6] = result->mad;
}

/* "12.3 ns" */
static const char *write_time(double ns, char *buffer, size_t capacity) {
  static const char *const kUnits[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  while (unit < 3 && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  snprintf(buffer, capacity, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, kUnits[unit]);
  return buffer;
}

static size_t measure(const char *name) {
  char *shown = shown_text(name, strlen(name));
  size_t size = strlen(shown);
  free(shown);
  return size;
}

/* Prints the name of a file or a function, padded with spaces to `width`. */
static void print_name(const char *name, size_t width) {
  size_t size = (size_t)shown_print(streams_results(), name);
  fprintf(streams_results(), "%*s", size < width ? (int)(width - size) : 0, "");
}

static void print_table(const bench_results *b) {
  size_t width = measure(b->function), i, k;
  for (i = 0; i < b->num_runners; ++i) {
    size_t size = measure(b->runners[i].name);
    if (size > width) width = size;
  }
  fputs(report_color(kColorName), streams_results());
  print_name(b->function, width);
  fprintf(streams_results(), "%s %9s", report_color(kColorNone), "samples");
  for (k = 0; k < kNumColumns; ++k) fprintf(streams_results(), " %9s", kColumns[k]);
  putc('\n', streams_results());
  for (i = 0; i < b->num_runners; ++i) {
    const bench_runner *runner = &b->runners[i];
    double columns[kNumColumns];
    char time[32];
    list_columns(&runner->result, columns);
    print_name(runner->name, width);
    fprintf(streams_results(), " %9zu", runner->result.count);
    for (k = 0; k < kNumColumns; ++k)
      fprintf(streams_results(), " %9s", write_time(columns[k], time, sizeof time));
    putc('\n', streams_results());
  }
}

static void print_share(const bench_results *b) {
  const bench_runner *baseline = &b->runners[b->num_runners - 1];
  char share[32], whole[32];
  fprintf(streams_results(), "the runtime's share: %s of %s (%.1f %%)\n",
          write_time(baseline->result.median, share, sizeof share),
          write_time(b->runners[0].result.median, whole, sizeof whole),
          100 * baseline->result.median / b->runners[0].result.median);
}

/* -1: the second is faster; 1: slower; 0: it cannot be told, or the difference is below 1 %, which
 * the placement of code and data in memory alone can cause. */
static int judge(const statistics_ratio *ratio) {
  if (ratio->count < STATISTICS_FEWEST) return 0;
  return ratio->high < 0.99 ? -1 : ratio->low > 1.01;
}

static char *describe_ratio(const char *first, const char *second, const statistics_ratio *ratio) {
  if (ratio->count < STATISTICS_FEWEST) {
    return tool_format("%s takes %.3fx the time of %s, of too few samples to tell more", second,
                       ratio->ratio, first);
  }
  switch (judge(ratio)) {
    case -1:
      return tool_format("%s is %.3fx faster than %s (95 %% CI %.3f to %.3f), significant", second,
                         1 / ratio->ratio, first, 1 / ratio->high, 1 / ratio->low);
    case 1:
      return tool_format("%s is %.3fx slower than %s (95 %% CI %.3f to %.3f), significant", second,
                         ratio->ratio, first, ratio->low, ratio->high);
    default:
      return tool_format(
          "%s takes %.3fx the time of %s (95 %% CI %.3f to %.3f), no significant difference",
          second, ratio->ratio, first, ratio->low, ratio->high);
  }
}

static void show_ratio(bool json, const char *first, const char *second,
                       const statistics_ratio *ratio) {
  char *verdict = describe_ratio(first, second, ratio);
  if (json) {
    json_begin_object(NULL);
    json_text("first", first);
    json_text("second", second);
    json_real("ratio", ratio->ratio);
    json_real("low", ratio->low);
    json_real("high", ratio->high);
    json_bool("significant", judge(ratio) != 0);
    json_text("verdict", verdict);
    json_end();
  } else {
    static const color kColors[] = {kColorGood, kColorDim, kColorBad};
    fputs(report_color(kColors[judge(ratio) + 1]), streams_results());
    shown_print(streams_results(), verdict);
    fprintf(streams_results(), "%s\n", report_color(kColorNone));
  }
  free(verdict);
}

static void print_json(const bench_results *b) {
  size_t i, k;
  json_text("function", b->function);
  json_begin_array("runs");
  for (i = 0; i < b->num_runners; ++i) {
    const bench_runner *runner = &b->runners[i];
    double columns[kNumColumns];
    list_columns(&runner->result, columns);
    json_begin_object(NULL);
    json_text("library", i + 1 < b->num_runners ? runner->name : NULL);
    json_uint("samples", runner->result.count);
    json_uint("calls_per_sample", runner->batch);
    for (k = 0; k < kNumColumns; ++k) json_real(kKeys[k], columns[k]);
    json_real("median_low", runner->result.low);
    json_real("median_high", runner->result.high);
    json_end();
  }
  json_end();
}

/* ---- Older results ---- */

static bool get_real(const TVMFFIAny *map, const char *key, double *out) {
  TVMFFIAny value;
  bool found;
  if (tvm_ffi_map_get_item(map->v_obj, tvm_ffi_any_view_string(key), &value) != 0) return false;
  found = tvm_ffi_any_try_double(&value, out) && *out > 0;
  tvm_ffi_any_clear(&value);
  return found;
}

static bool is_library(const TVMFFIAny *run) {
  TVMFFIAny value;
  bool named;
  if (tvm_ffi_map_get_item(run->v_obj, tvm_ffi_any_view_string("library"), &value) != 0) {
    return false;
  }
  named = !tvm_ffi_any_is_none(&value);
  tvm_ffi_any_clear(&value);
  return named;
}

/* The i-th library of "runs" in the output of --json. */
static bool find_run(const TVMFFIAny *json, size_t i, statistics *out) {
  TVMFFIAny runs;
  double count = 0;
  bool found = false;
  if (json->type_index != kTVMFFIMap ||
      tvm_ffi_map_get_item(json->v_obj, tvm_ffi_any_view_string("runs"), &runs) != 0) {
    return false;
  }
  if (runs.type_index == kTVMFFIArray && (int64_t)i < tvm_ffi_array_get_size(runs.v_obj)) {
    const TVMFFIAny *run = tvm_ffi_array_get_data(runs.v_obj) + i;
    found = run->type_index == kTVMFFIMap && is_library(run) && get_real(run, "samples", &count) &&
            get_real(run, "median", &out->median) && get_real(run, "median_low", &out->low) &&
            get_real(run, "median_high", &out->high);
    out->count = (size_t)count;
  }
  tvm_ffi_any_clear(&runs);
  return found;
}

/* Whether the results are of that function; false after a report. */
static bool check_function(const char *path, const TVMFFIAny *json, const char *function) {
  TVMFFIAny name;
  TVMFFIByteArray content;
  bool matches;
  if (tvm_ffi_map_get_item(json->v_obj, tvm_ffi_any_view_string("function"), &name) != 0) {
    TVMFFIErrorSetRaised(NULL);
    report_error("%s: does not say which function it has measured", path);
    return false;
  }
  matches = tvm_ffi_any_try_string(&name, &content) && content.size == strlen(function) &&
            memcmp(content.data, function, content.size) == 0;
  if (!matches) report_error("%s: has measured another function than %s", path, function);
  tvm_ffi_any_clear(&name);
  return matches;
}

bool bench_read_old(const char *path, const char *function, TVMFFIAny *out) {
  TVMFFIObjectHandle parse = NULL;
  TVMFFIAny json;
  statistics first;
  size_t size = 0;
  char *bytes;
  bool good;
  if (tvm_ffi_function_find_global("ffi.json.Parse", &parse) != 0 || parse == NULL) {
    TVMFFIErrorSetRaised(NULL);
    report_error("%s: this build of the runtime reads no JSON", path);
    return false;
  }
  bytes = tool_read_file(path, &size);
  if (bytes == NULL) {
    tvm_ffi_object_release(parse);
    return false;
  }
  good = tvm_ffi_string_create_sized(bytes, size, &json) == 0;
  if (good) {
    good = tvm_ffi_function_call(parse, &json, 1, out) == 0 && find_run(out, 0, &first);
    tvm_ffi_any_clear(&json);
  }
  free(bytes);
  tvm_ffi_object_release(parse);
  if (good) return check_function(path, out, function);
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_any_clear(out);
  report_error("%s: is not what tvm-ffi bench --json prints", path);
  return false;
}

static void show_old(const bench_results *b, bool json, const TVMFFIAny *old, const char *path) {
  size_t i;
  for (i = 0; i + 1 < b->num_runners; ++i) {
    statistics older;
    statistics_ratio ratio;
    if (!find_run(old, i, &older)) break;
    statistics_compare(&older, &b->runners[i].result, &ratio);
    show_ratio(json, path, b->runners[i].name, &ratio);
  }
  TVMFFIErrorSetRaised(NULL);
}

void bench_report(bench_results *b, bool json, const TVMFFIAny *old, const char *old_path) {
  statistics_ratio pairs;
  size_t i;
  statistics_compare_pairs(b->runners[0].samples, b->runners[1].samples, b->num_samples, &pairs);
  for (i = 0; i < b->num_runners; ++i) {
    statistics_compute(b->runners[i].samples, b->num_samples, &b->runners[i].result);
  }
  if (json) {
    json_begin_object(NULL);
    print_json(b);
    json_begin_array("comparisons");
  } else {
    print_table(b);
    print_share(b);
  }
  if (b->num_runners > 2) show_ratio(json, b->runners[0].name, b->runners[1].name, &pairs);
  if (!tvm_ffi_any_is_none(old)) show_old(b, json, old, old_path);
  if (json) {
    json_end();
    json_end();
  }
}
