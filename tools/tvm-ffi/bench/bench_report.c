/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench_report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json_out.h"
#include "base/report.h"
#include "base/shown.h"
#include "base/streams.h"
#include "bench/histogram.h"

/* ---- Showing ---- */

typedef struct {
  const char *title, *key; /* of the table and of JSON */
  size_t offset;           /* of the double in statistics */
  bool always;             /* also without --full */
} column;

static const column kColumns[] = {
    {"minimum", "min", offsetof(statistics, minimum), true},
    {"median", "median", offsetof(statistics, median), true},
    {"P90", "p90", offsetof(statistics, p90), false},
    {"P95", "p95", offsetof(statistics, p95), false},
    {"P99", "p99", offsetof(statistics, p99), true},
    {"P99.9", "p999", offsetof(statistics, p999), false},
    {"MAD", "mad", offsetof(statistics, mad), false},
};
enum { kNumColumns = sizeof kColumns / sizeof *kColumns };

static double get_column(const statistics *result, const column *c) {
  double value;
  memcpy(&value, (const char *)result + c->offset, sizeof value);
  return value;
}

/* "12.3 GB/s" */
static const char *write_rate(double bytes_per_second, char *buffer, size_t capacity) {
  static const char *const kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  double rate = bytes_per_second;
  int unit = 0;
  while (unit < 4 && rate >= 999.5) {
    rate /= 1000;
    ++unit;
  }
  snprintf(buffer, capacity, "%.*f %s",
           rate < 9.995   ? 2
           : rate < 99.95 ? 1
                          : 0,
           rate, kUnits[unit]);
  return buffer;
}

/* Bytes of the arguments' tensors per second of the median; the function that does nothing has
 * none. */
static double get_rate(const bench_results *b, size_t i) {
  return i + 1 < b->num_runners ? b->bytes * 1e9 / b->runners[i].result.median : 0;
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

static void print_table(const bench_results *b, bool full) {
  size_t width = measure(b->function), i, k;
  for (i = 0; i < b->num_runners; ++i) {
    size_t size = measure(b->runners[i].name);
    if (size > width) width = size;
  }
  fputs(report_color(kColorName), streams_results());
  print_name(b->function, width);
  fputs(report_color(kColorNone), streams_results());
  if (full) fprintf(streams_results(), " %9s", "samples");
  for (k = 0; k < kNumColumns; ++k) {
    if (full || kColumns[k].always) fprintf(streams_results(), " %9s", kColumns[k].title);
  }
  if (b->bytes > 0) fprintf(streams_results(), " %9s", "bytes/s");
  putc('\n', streams_results());
  for (i = 0; i < b->num_runners; ++i) {
    const bench_runner *runner = &b->runners[i];
    char buffer[32];
    print_name(runner->name, width);
    if (full) fprintf(streams_results(), " %9zu", runner->result.count);
    for (k = 0; k < kNumColumns; ++k) {
      double ns = get_column(&runner->result, &kColumns[k]);
      if (!full && !kColumns[k].always) continue;
      fprintf(streams_results(), " %9s", histogram_write_time(ns, buffer, sizeof buffer));
    }
    if (get_rate(b, i) > 0) {
      fprintf(streams_results(), " %9s", write_rate(get_rate(b, i), buffer, sizeof buffer));
    }
    putc('\n', streams_results());
  }
}

static void print_share(const bench_results *b) {
  const bench_runner *baseline = &b->runners[b->num_runners - 1];
  char share[32], whole[32];
  fprintf(streams_results(), "the runtime's share: %s of %s (%.1f %%)\n",
          histogram_write_time(baseline->result.median, share, sizeof share),
          histogram_write_time(b->runners[0].result.median, whole, sizeof whole),
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
    json_begin_object(NULL);
    json_text("library", i + 1 < b->num_runners ? runner->name : NULL);
    json_uint("samples", runner->result.count);
    json_uint("calls_per_sample", runner->batch);
    for (k = 0; k < kNumColumns; ++k) {
      json_real(kColumns[k].key, get_column(&runner->result, &kColumns[k]));
    }
    json_real("median_low", runner->result.low);
    json_real("median_high", runner->result.high);
    if (get_rate(b, i) > 0) json_real("bytes_per_second", get_rate(b, i));
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

/* Draws the libraries' samples, which are sorted; false after a report. */
static bool draw(const bench_results *b, const bench_style *style) {
  histogram_series series[kMaxSeries];
  histogram counted;
  size_t i;
  bool good = true;
  for (i = 0; i + 1 < b->num_runners; ++i) {
    series[i].name = b->runners[i].name;
    series[i].samples = b->runners[i].samples;
    series[i].count = b->num_samples;
  }
  histogram_count(series, i, &counted);
  if (style->histogram) histogram_print(&counted, streams_results());
  if (style->svg_path != NULL) {
    text svg = {NULL, 0, 0};
    char *title = tool_format("Time of a call of %s", b->function);
    histogram_add_svg(&counted, title, &svg);
    good = tool_write_file(style->svg_path, svg.data, svg.size);
    free(title);
    text_free(&svg);
  }
  return good;
}

bool bench_report(bench_results *b, const bench_style *style, const TVMFFIAny *old,
                  const char *old_path) {
  const bool json = style->json;
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
    print_table(b, style->full);
    print_share(b);
  }
  if (b->num_runners > 2) show_ratio(json, b->runners[0].name, b->runners[1].name, &pairs);
  if (!tvm_ffi_any_is_none(old)) show_old(b, json, old, old_path);
  if (json) {
    json_end();
    json_end();
  }
  return draw(b, style);
}
