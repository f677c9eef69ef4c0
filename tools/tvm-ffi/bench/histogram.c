/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "bench/statistics.h"

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

void histogram_count(const histogram_series *series, size_t num_series, histogram *out) {
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

const char *histogram_write_time(double ns, char *buffer, size_t capacity) {
  static const char *const kUnits[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  while (unit < 3 && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  snprintf(buffer, capacity, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, kUnits[unit]);
  return buffer;
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

void histogram_print(const histogram *h, FILE *stream) {
  double largest = find_largest_share(h);
  char time[32];
  size_t k, i;
  for (k = 0; k < h->num_series; ++k) {
    fprintf(stream, "%c ", kMarks[k]);
    shown_print(stream, h->series[k].name);
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

static void add_escaped(text *out, const char *plain) {
  char *shown = shown_text(plain, strlen(plain)), *c;
  for (c = shown; *c != '\0'; ++c) {
    switch (*c) {
      case '<':
        text_add(out, "&lt;");
        break;
      case '>':
        text_add(out, "&gt;");
        break;
      case '&':
        text_add(out, "&amp;");
        break;
      default:
        text_add_bytes(out, c, 1);
    }
  }
  free(shown);
}

enum { kLeft = 20, kPlotWidth = 600, kPlotHeight = 200, kLineHeight = 20 };

static void add_bars(const histogram *h, int bottom, text *out) {
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
               "<rect class=\"s%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
               "height=\"%.1f\"><title>%s to %s: "
               "%zu</title></rect>\n",
               k, (double)kLeft + (double)i * bin + 1 + (double)k * bar, bottom - height, bar,
               height, from_text, to_text, h->counts[k][i]);
    }
  }
}

/* Five times below the axis. */
static void add_axis(const histogram *h, int bottom, text *out) {
  enum { kSteps = 4 };
  int i;
  char time[32];
  text_add(out, "<path class=\"axis\" d=\"M%d %dh%d\"/>\n", kLeft, bottom, kPlotWidth);
  for (i = 0; i <= kSteps; ++i) {
    double part = (double)i / (double)kSteps;
    histogram_write_time(h->first + part * (double)h->num_bins * h->width, time, sizeof time);
    text_add(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
             (double)kLeft + part * (double)kPlotWidth, bottom + 18,
             i == 0        ? "start"
             : i == kSteps ? "end"
                           : "middle",
             time);
  }
}

void histogram_add_svg(const histogram *h, const char *title, text *out) {
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
