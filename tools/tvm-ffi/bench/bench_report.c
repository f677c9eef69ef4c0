/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"

/* ---- Statistics ---- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double statistics_quantile(const double *sorted, size_t count, double part) {
  double place = part * (double)(count - 1);
  size_t lower = (size_t)place;
  if (lower + 1 >= count) return sorted[count - 1];
  return sorted[lower] + (place - (double)lower) * (sorted[lower + 1] - sorted[lower]);
}

void statistics_median_ranks(size_t count, double confidence, size_t *low, size_t *high) {
  double n = (double)count, tail = (1 - confidence) / 2, sum = 0;
  size_t rank = 0;
  /* The probability that `rank` or fewer samples are below the median must stay below tail. */
  for (; rank < count / 2; ++rank) {
    double k = (double)rank;
    sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
    if (sum > tail) break;
  }
  *low = rank > 0 ? rank - 1 : 0;
  *high = count - 1 - *low;
}

void statistics_compute(double *samples, size_t count, statistics *out) {
  double *distances = tool_alloc(count * sizeof *distances);
  size_t i, low, high;
  qsort(samples, count, sizeof *samples, compare);
  out->count = count;
  out->minimum = samples[0];
  out->median = statistics_quantile(samples, count, 0.5);
  out->p90 = statistics_quantile(samples, count, 0.9);
  out->p95 = statistics_quantile(samples, count, 0.95);
  out->p99 = statistics_quantile(samples, count, 0.99);
  out->p999 = statistics_quantile(samples, count, 0.999);
  statistics_median_ranks(count, STATISTICS_CONFIDENCE, &low, &high);
  out->low = samples[low];
  out->high = samples[high];
  for (i = 0; i < count; ++i) distances[i] = fabs(samples[i] - out->median);
  qsort(distances, count, sizeof *distances, compare);
  out->mad = statistics_quantile(distances, count, 0.5);
  free(distances);
}

void statistics_compare_pairs(const double *first, const double *second, size_t count,
                              statistics_ratio *out) {
  double *ratios = tool_alloc(count * sizeof *ratios);
  size_t i, low, high;
  for (i = 0; i < count; ++i) ratios[i] = second[i] / first[i];
  qsort(ratios, count, sizeof *ratios, compare);
  statistics_median_ranks(count, 0.95, &low, &high);
  out->ratio = statistics_quantile(ratios, count, 0.5);
  out->low = ratios[low];
  out->high = ratios[high];
  out->count = count;
  free(ratios);
}

void statistics_compare(const statistics *first, const statistics *second, statistics_ratio *out) {
  out->ratio = second->median / first->median;
  out->low = second->low / first->high;
  out->high = second->high / first->low;
  out->count = first->count < second->count ? first->count : second->count;
}

/* ---- Histograms ---- */

/* The times of one function. */
typedef struct {
  const char *name;
  const double *samples; /* [borrow] nanoseconds per call, sorted; at least one */
  size_t count;
} histogram_series;

enum { kMaxSeries = 2, kMaxBins = 16 };

/* Bins of equal width, from the smallest sample to where the outliers of all series begin. */
typedef struct {
  const histogram_series *series; /* [borrow] */
  size_t num_series, num_bins;
  double first, width; /* where the bins begin, and the width of each; nanoseconds */
  size_t counts[kMaxSeries][kMaxBins];
  size_t above[kMaxSeries]; /* samples beyond the last bin */
} histogram;

/* ---- Counting ---- */

/* As many bins as the samples fill, by Sturges' rule doubled: times have long tails. */
static size_t choose_bins(size_t count) {
  size_t bins = 4;
  for (; count > 8 && bins < kMaxBins; count /= 2) bins += 2;
  return bins < kMaxBins ? bins : kMaxBins;
}

/* Where outliers begin: Tukey's outer fence, or the 99th percentile if that is below it. */
static double find_end(const histogram_series *series) {
  double q1 = statistics_quantile(series->samples, series->count, 0.25);
  double q3 = statistics_quantile(series->samples, series->count, 0.75);
  double p99 = statistics_quantile(series->samples, series->count, 0.99);
  double fence = q3 + 3 * (q3 - q1);
  return fence < p99 ? fence : p99;
}

/* Counts the samples of up to kMaxSeries series. */
static void histogram_count(const histogram_series *series, size_t num_series, histogram *out) {
  double last = 0;
  size_t most = 0, k, i;
  memset(out, 0, sizeof *out);
  out->series = series;
  out->num_series = num_series;
  out->first = series[0].samples[0];
  for (k = 0; k < num_series; ++k) {
    double end = find_end(&series[k]);
    if (series[k].samples[0] < out->first) out->first = series[k].samples[0];
    if (end > last) last = end;
    if (series[k].count > most) most = series[k].count;
  }
  out->num_bins = last > out->first ? choose_bins(most) : 1;
  out->width = (last - out->first) / (double)out->num_bins;
  for (k = 0; k < num_series; ++k) {
    for (i = 0; i < series[k].count; ++i) {
      double sample = series[k].samples[i];
      size_t bin = out->num_bins - 1;
      if (sample > last) {
        ++out->above[k];
        continue;
      }
      if (sample < last) bin = (size_t)((sample - out->first) / out->width);
      if (bin >= out->num_bins) bin = out->num_bins - 1;
      ++out->counts[k][bin];
    }
  }
}

/* The largest share of a series' samples in one bin. */
static double find_largest_share(const histogram *h) {
  double largest = 0;
  size_t k, i;
  for (k = 0; k < h->num_series; ++k) {
    for (i = 0; i < h->num_bins; ++i) {
      double share = (double)h->counts[k][i] / (double)h->series[k].count;
      if (share > largest) largest = share;
    }
  }
  return largest;
}

/* So that three digits are written in all. */
static int count_decimals(double value) {
  return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* "12.3 GB/s"; each of the units is a thousand of the one before it. Returns the buffer. */
static const char *write_scaled(double value, const char *const *units, int num_units, char *buffer,
                                size_t capacity) {
  int unit = 0;
  while (unit + 1 < num_units && value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  snprintf(buffer, capacity, "%s %s", REAL_F(count_decimals(value), value), units[unit]);
  return buffer;
}

static const char *histogram_write_time(double ns, char *buffer, size_t capacity) {
  static const char *const kUnits[] = {"ns", "us", "ms", "s"};
  return write_scaled(ns, kUnits, 4, buffer, capacity);
}

/* ---- Lines ---- */

/* The mark of the first series, and of the second. */
static const char kMarks[kMaxSeries] = {'#', '='};

static void print_bar(const histogram *h, size_t k, size_t count, double largest, FILE *stream) {
  enum { kWidth = 50 };
  double share = (double)count / (double)h->series[k].count;
  int length = (int)((double)kWidth * share / largest + 0.5), i;
  if (length == 0 && count > 0) length = 1;
  for (i = 0; i < length; ++i) putc(kMarks[k], stream);
  fprintf(stream, "%s%zu\n", length > 0 ? " " : "", count);
}

/* Prints a line for each bin; with two series a line for each of both. */
static void histogram_print(const histogram *h, FILE *stream) {
  double largest = find_largest_share(h);
  char time[32];
  size_t k, i;
  for (k = 0; k < h->num_series; ++k) {
    fprintf(stream, "%c ", kMarks[k]);
    text_print_escaped(stream, h->series[k].name);
    fprintf(stream, ", %zu samples\n", h->series[k].count);
  }
  for (i = 0; i < h->num_bins; ++i) {
    histogram_write_time(h->first + (double)i * h->width, time, sizeof time);
    for (k = 0; k < h->num_series; ++k) {
      fprintf(stream, "%9s |", k == 0 ? time : "");
      print_bar(h, k, h->counts[k][i], largest, stream);
    }
  }
  histogram_write_time(h->first + (double)h->num_bins * h->width, time, sizeof time);
  for (k = 0; k < h->num_series; ++k) {
    fprintf(stream, "%9s |%zu above\n", k == 0 ? time : "", h->above[k]);
  }
}

/* ---- SVG ---- */

/* Colours that differ for the colour-blind too, with a contrast of 3:1 or more to the ground. */
static const char kStyle[] =
    "<style>\n"
    "text { font: 13px sans-serif; fill: #222 } .title { font-size: 15px; font-weight: bold }\n"
    ".ground { fill: #fff } .axis { stroke: #777 } .s0 { fill: #0969da } .s1 { fill: #bc4c00 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #ddd } .ground { fill: #16181d } .s0 { fill: #58a6ff } .s1 { fill: #f0883e }\n"
    "}\n"
    "</style>\n";

static void add_escaped(text_buf *out, const char *plain) {
  char *shown = text_escape(plain, strlen(plain));
  text_add_xml(out, shown, strlen(shown));
  free(shown);
}

enum { kLeft = 20, kPlotWidth = 600, kPlotHeight = 200, kLineHeight = 20 };

static void add_bars(const histogram *h, int bottom, text_buf *out) {
  double largest = find_largest_share(h), bin = (double)kPlotWidth / (double)h->num_bins;
  double bar = (bin - 2) / (double)h->num_series;
  size_t k, i;
  char from_text[32], to_text[32];
  for (i = 0; i < h->num_bins; ++i) {
    histogram_write_time(h->first + (double)i * h->width, from_text, sizeof from_text);
    histogram_write_time(h->first + (double)(i + 1) * h->width, to_text, sizeof to_text);
    for (k = 0; k < h->num_series; ++k) {
      double count = (double)h->counts[k][i];
      double height = (double)kPlotHeight * count / (double)h->series[k].count / largest;
      text_add(out,
               "<rect class=\"s%zu\" x=\"%s\" y=\"%s\" width=\"%s\" "
               "height=\"%s\"><title>%s to %s: "
               "%zu</title></rect>\n",
               k, REAL_F(1, (double)kLeft + (double)i * bin + 1 + (double)k * bar),
               REAL_F(1, bottom - height), REAL_F(1, bar), REAL_F(1, height), from_text, to_text,
               h->counts[k][i]);
    }
  }
}

/* Five times below the axis. */
static void add_axis(const histogram *h, int bottom, text_buf *out) {
  enum { kSteps = 4 };
  int i;
  char time[32];
  text_add(out, "<path class=\"axis\" d=\"M%d %dh%d\"/>\n", kLeft, bottom, kPlotWidth);
  for (i = 0; i <= kSteps; ++i) {
    double part = (double)i / (double)kSteps;
    histogram_write_time(h->first + part * (double)h->num_bins * h->width, time, sizeof time);
    text_add(out, "<text x=\"%s\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
             REAL_F(0, (double)kLeft + part * (double)kPlotWidth), bottom + 18,
             i == 0        ? "start"
             : i == kSteps ? "end"
                           : "middle",
             time);
  }
}

/* Adds an SVG file with the title, in light or dark colours as the viewer prefers. */
static void histogram_add_svg(const histogram *h, const char *title, text_buf *out) {
  int top = 40 + kLineHeight * (int)h->num_series, bottom = top + kPlotHeight;
  int width = kPlotWidth + 2 * kLeft, height = bottom + 30;
  char time[32];
  size_t k;
  text_add(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
           "height=\"%d\" role=\"img\">\n<title>",
           width, height, width, height);
  add_escaped(out, title);
  text_add(out, "</title>\n%s<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", kStyle, width,
           height);
  text_add(out, "<text class=\"title\" x=\"%d\" y=\"24\">", kLeft);
  add_escaped(out, title);
  text_add(out, "</text>\n");
  for (k = 0; k < h->num_series; ++k) {
    const histogram_series *series = &h->series[k];
    int y = 30 + kLineHeight * (int)k;
    text_add(out,
             "<rect class=\"s%zu\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>\n<text x=\"%d\" "
             "y=\"%d\">",
             k, kLeft, y + 4, kLeft + 18, y + 15);
    add_escaped(out, series->name);
    text_add(out, ": median %s, %zu samples, %zu beyond the right edge</text>\n",
             histogram_write_time(statistics_quantile(series->samples, series->count, 0.5), time,
                                  sizeof time),
             series->count, h->above[k]);
  }
  add_bars(h, bottom, out);
  add_axis(h, bottom, out);
  text_add(out, "</svg>\n");
}

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

static const char *write_rate(double bytes_per_second, char *buffer, size_t capacity) {
  static const char *const kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return write_scaled(bytes_per_second, kUnits, 5, buffer, capacity);
}

/* Bytes of the arguments' tensors per second of the median; the function that does nothing has
 * none. */
static double get_rate(const bench_results *b, size_t i) {
  return i + 1 < b->num_runners ? b->bytes * 1e9 / b->runners[i].result.median : 0;
}

static size_t measure(const char *name) {
  char *shown = text_escape(name, strlen(name));
  size_t size = strlen(shown);
  free(shown);
  return size;
}

/* Prints the name of a file or a function, padded with spaces to `width`. */
static void print_name(const char *name, size_t width) {
  size_t size = (size_t)text_print_escaped(streams_results(), name);
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
  fprintf(streams_results(), "the runtime's share: %s of %s (%s %%)\n",
          histogram_write_time(baseline->result.median, share, sizeof share),
          histogram_write_time(b->runners[0].result.median, whole, sizeof whole),
          REAL_F(1, 100 * baseline->result.median / b->runners[0].result.median));
}

/* -1: the second is faster; 1: slower; 0: it cannot be told, or the difference is below 1 %, which
 * the placement of code and data in memory alone can cause. */
static int judge(const statistics_ratio *ratio) {
  if (ratio->count < STATISTICS_FEWEST) return 0;
  return ratio->high < 0.99 ? -1 : ratio->low > 1.01;
}

static char *describe_ratio(const char *first, const char *second, const statistics_ratio *ratio) {
  if (ratio->count < STATISTICS_FEWEST) {
    return tool_format("%s takes %sx the time of %s, with too few samples to say more", second,
                       REAL_F(3, ratio->ratio), first);
  }
  switch (judge(ratio)) {
    case -1:
      return tool_format("%s is %sx faster than %s (95 %% CI %s to %s), significant", second,
                         REAL_F(3, 1 / ratio->ratio), first, REAL_F(3, 1 / ratio->high),
                         REAL_F(3, 1 / ratio->low));
    case 1:
      return tool_format("%s is %sx slower than %s (95 %% CI %s to %s), significant", second,
                         REAL_F(3, ratio->ratio), first, REAL_F(3, ratio->low),
                         REAL_F(3, ratio->high));
    default:
      return tool_format(
          "%s takes %sx the time of %s (95 %% CI %s to %s), no significant difference", second,
          REAL_F(3, ratio->ratio), first, REAL_F(3, ratio->low), REAL_F(3, ratio->high));
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
    text_print_escaped(streams_results(), verdict);
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
    return report_error("%s: does not say which function was measured", path);
  }
  matches = tvm_ffi_any_try_string(&name, &content) && content.size == strlen(function) &&
            memcmp(content.data, function, content.size) == 0;
  if (!matches) report_error("%s: is a measurement of a function other than %s", path, function);
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
    return report_error("%s: this build of the runtime cannot read JSON", path);
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
  return report_error("%s: is not what tvm-ffi bench --json prints", path);
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
  memset(series, 0, sizeof series);
  for (i = 0; i + 1 < b->num_runners; ++i) {
    series[i].name = b->runners[i].name;
    series[i].samples = b->runners[i].samples;
    series[i].count = b->num_samples;
  }
  histogram_count(series, i, &counted);
  if (style->histogram) histogram_print(&counted, streams_results());
  if (style->svg_path != NULL) {
    text_buf svg = {NULL, 0, 0};
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
