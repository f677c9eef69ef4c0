/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "value/number.h"
#include "value/value_text.h"

/* Limits of a picture, and of what is read for it: of larger tensors, some elements. */
enum {
  kMaxCells = 64,   /* each way */
  kMaxBins = 32,    /* of a histogram */
  kMaxPoints = 240, /* of a line */
  kMaxValues = 8,   /* of a tensor, as text */
  kMaxPictures = 1500
};
#define MAX_ELEMENTS (UINT64_C(1) << 28)
#define MAX_OF_TENSOR (UINT64_C(1) << 24)
#define MAX_SAMPLE (UINT64_C(1) << 16)

/* ---- Texts ---- */

void html_add(text_buf *out, const char *text, size_t limit) {
  const size_t size = strlen(text), shown = size > limit ? tvmffi_utf8_cut(text, limit) : size;
  char *lines = text_escape_lines(text, shown);
  text_add_xml(out, lines, strlen(lines));
  if (shown < size) text_add(out, " ... (%zu bytes)", size);
  free(lines);
}

void html_add_line(text_buf *out, const char *text, size_t limit) {
  const size_t size = strlen(text), shown = size > limit ? tvmffi_utf8_cut(text, limit) : size;
  char *line = text_escape(text, shown);
  text_add_xml(out, line, strlen(line));
  if (shown < size) text_add(out, "...");
  free(line);
}

void html_add_count(text_buf *out, uint64_t count, const char *single, const char *many) {
  char digits[24];
  size_t size, i;
  snprintf(digits, sizeof digits, "%" PRIu64, count);
  size = strlen(digits);
  for (i = 0; i < size; ++i) {
    if (i > 0 && (size - i) % 3 == 0) text_add(out, ",");
    text_add_bytes(out, &digits[i], 1);
  }
  if (single == NULL) return;
  if (count == 1) {
    text_add(out, " %s", single);
  } else {
    text_add(out, many != NULL ? " %s" : " %ss", many != NULL ? many : single);
  }
}

/* ---- Numbers of a tensor ---- */

/* The numbers in a tensor, in row-major order; an element may have several. */
typedef struct number_list {
  const struct number_list *other; /* NULL; else they are the distances from its numbers */
  const DLTensor *view;
  const unsigned char *first;
  uint64_t size, step; /* how many there are, and which of them are counted */
  size_t per_element, item_size;
  bool is_packed;
} number_list;

typedef struct {
  uint64_t counted, nans, infinities;
  double least, greatest, sum; /* of the others */
} number_facts;

static const unsigned char *find_element(const number_list *list, uint64_t i) {
  const unsigned char *at = list->first;
  int32_t k;
  for (k = list->view->ndim - 1; k >= 0; --k) {
    const uint64_t extent = (uint64_t)list->view->shape[k];
    at += (int64_t)(i % extent) * list->view->strides[k] * (int64_t)list->item_size;
    i /= extent;
  }
  return at;
}

static number get_own_number(const number_list *list, uint64_t i) {
  if (list->is_packed) return number_get(list->view->dtype, list->first, (size_t)i);
  return number_get(list->view->dtype, find_element(list, i / list->per_element),
                    (size_t)(i % list->per_element));
}

static double get_number(const number_list *list, uint64_t i) {
  const number own = get_own_number(list, i);
  number other;
  if (list->other == NULL) return own.real;
  other = get_own_number(list->other, i);
  /* Large integers that differ may be the same double. */
  if (own.kind == kNumberInt) return (double)(own.i < other.i ? other.u - own.u : own.u - other.u);
  if (own.kind == kNumberUInt) return (double)(own.u < other.u ? other.u - own.u : own.u - other.u);
  if (own.real == other.real || (isnan(own.real) && isnan(other.real))) return 0;
  return fabs(own.real - other.real);
}

static void add_number(text_buf *out, const number_list *list, uint64_t i) {
  if (list->other != NULL) {
    text_add(out, "%s", REAL_G(6, get_number(list, i)));
  } else if (list->is_packed) {
    number_write(out, list->view->dtype, list->first, (size_t)i);
  } else {
    number_write(out, list->view->dtype, find_element(list, i / list->per_element),
                 (size_t)(i % list->per_element));
  }
}

/* False: nothing is known about elements of the type, or there are none. */
static bool list_numbers(drawing_budget *budget, const DLTensor *view, const unsigned char *first,
                         number_list *out) {
  const int64_t numel = tvm_ffi_tensor_get_numel(view);
  uint64_t limit, cost;
  if (numel <= 0 || !numbers_known(view->dtype)) return false;
  out->other = NULL;
  out->view = view;
  out->first = first;
  out->per_element = numbers_per_element(view->dtype);
  out->item_size = (size_t)tvm_ffi_dtype_get_bytes(view->dtype);
  out->is_packed = tvm_ffi_tensor_is_contiguous(view);
  if ((uint64_t)numel > UINT64_MAX / 2 / out->per_element) return false;
  out->size = (uint64_t)numel * out->per_element;
  cost = out->is_packed ? 1 : (uint64_t)view->ndim; /* find_element's */
  limit = (budget->elements < MAX_OF_TENSOR ? MAX_SAMPLE : MAX_OF_TENSOR) / cost;
  out->step = out->size <= limit ? 1 : (out->size + limit - 1) / limit;
  cost *= out->size / out->step;
  budget->elements -= cost < budget->elements ? cost : budget->elements;
  return true;
}

static void count_numbers(const number_list *list, number_facts *out) {
  uint64_t i;
  memset(out, 0, sizeof *out);
  out->least = HUGE_VAL;
  out->greatest = -HUGE_VAL;
  for (i = 0; i < list->size; i += list->step) {
    const double value = get_number(list, i);
    ++out->counted;
    if (isnan(value)) {
      ++out->nans;
    } else if (isinf(value)) {
      ++out->infinities;
    } else {
      out->sum += value;
      if (value < out->least) out->least = value;
      if (value > out->greatest) out->greatest = value;
    }
  }
}

/* Where a number is between the least and the greatest, from 0 to 1. */
static double get_share(const number_facts *facts, double value) {
  /* Halves, because the difference may be too large for a double. */
  const double range = facts->greatest / 2 - facts->least / 2;
  const double share = range > 0 ? (value / 2 - facts->least / 2) / range : 0.5;
  return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* ---- Pictures ---- */

enum { kNumColors = 64, kColorNan = kNumColors, kColorInfinite, kPaletteSize };

static void put_number(unsigned char *at, uint32_t value, int size) {
  int i;
  for (i = 0; i < size; ++i) at[i] = (unsigned char)(value >> 8 * i);
}

/* Dark blue, over green, to yellow, equally spaced in lightness, so that it is also read in grey.
 * BMP has blue first. */
static void fill_palette(unsigned char *palette) {
  static const unsigned char kStops[5][3] = {
      {36, 28, 84}, {38, 88, 140}, {30, 140, 130}, {120, 190, 80}, {250, 228, 60}};
  static const unsigned char kNan[] = {60, 30, 220, 0}, kInfinite[] = {230, 80, 230, 0};
  int i, k;
  for (i = 0; i < kNumColors; ++i) {
    const int scaled = i * 4 * 256 / (kNumColors - 1), stop = scaled / 256 < 4 ? scaled / 256 : 3;
    const int part = scaled - stop * 256;
    for (k = 0; k < 3; ++k) {
      palette[4 * i + 2 - k] =
          (unsigned char)(kStops[stop][k] + (kStops[stop + 1][k] - kStops[stop][k]) * part / 256);
    }
    palette[4 * i + 3] = 0;
  }
  memcpy(palette + 4 * kColorNan, kNan, 4);
  memcpy(palette + 4 * kColorInfinite, kInfinite, 4);
}

/* An image of color numbers, the first row on top, as a data URI of BMP, which browsers read and
 * which needs no compression. */
static void add_image(text_buf *out, const unsigned char *colors, size_t height, size_t width) {
  enum { kHeader = 14 + 40 + 4 * kPaletteSize };
  const size_t row = (width + 3) / 4 * 4, size = kHeader + row * height;
  unsigned char *file = tool_alloc(size);
  size_t i;
  memset(file, 0, size);
  memcpy(file, "BM", 2);
  put_number(file + 2, (uint32_t)size, 4);
  put_number(file + 10, kHeader, 4);
  put_number(file + 14, 40, 4);
  put_number(file + 18, (uint32_t)width, 4);
  put_number(file + 22, (uint32_t)height, 4);
  put_number(file + 26, 1, 2);
  put_number(file + 28, 8, 2); /* bits */
  put_number(file + 34, (uint32_t)(row * height), 4);
  put_number(file + 46, kPaletteSize, 4);
  fill_palette(file + 54);
  for (i = 0; i < height; ++i) {
    memcpy(file + kHeader + (height - 1 - i) * row, colors + i * width, width);
  }
  text_add(out, "data:image/bmp;base64,");
  text_add_base64(out, file, size);
  free(file);
}

/* What the numbers in a part of a picture have in common. */
typedef struct {
  double sum, least, greatest;
  uint64_t count, nans, infinities;
} picture_part;

static void add_to_part(picture_part *part, double value) {
  if (isnan(value)) {
    ++part->nans;
  } else if (isinf(value)) {
    ++part->infinities;
  } else {
    part->sum += value;
    if (part->count == 0 || value < part->least) part->least = value;
    if (part->count == 0 || value > part->greatest) part->greatest = value;
    ++part->count;
  }
}

static picture_part *make_parts(size_t count) {
  picture_part *parts = tool_alloc(count * sizeof *parts);
  memset(parts, 0, count * sizeof *parts);
  return parts;
}

/* Two dimensions: a cell is the mean of its elements, of distances the greatest, or says that one
 * is NaN or infinite. Of a list that is too long, it is the element in its middle. */
static void draw_matrix(text_buf *out, const number_list *list, const number_facts *facts,
                        const char *name) {
  const uint64_t rows = (uint64_t)list->view->shape[0], columns = (uint64_t)list->view->shape[1];
  const size_t height = rows < kMaxCells ? (size_t)rows : kMaxCells;
  const size_t width = columns < kMaxCells ? (size_t)columns : kMaxCells;
  const size_t larger = height > width ? height : width;
  const size_t scale = larger > 48 ? 3 : larger > 12 ? 4 : larger > 6 ? 12 : 24;
  picture_part *parts = make_parts(height * width);
  unsigned char colors[kMaxCells * kMaxCells];
  uint64_t i, k;
  if (list->step == 1) {
    for (i = 0; i < rows; ++i) {
      const size_t row = (size_t)(i * height / rows) * width;
      for (k = 0; k < columns; ++k) {
        add_to_part(&parts[row + (size_t)(k * width / columns)], get_number(list, i * columns + k));
      }
    }
  } else {
    /* The element in the middle of each cell. */
    for (i = 0; i < height; ++i) {
      const uint64_t row = rows / height * i + rows / height / 2;
      for (k = 0; k < width; ++k) {
        add_to_part(&parts[i * width + k],
                    get_number(list, row * columns + columns / width * k + columns / width / 2));
      }
    }
  }
  for (i = 0; i < height * width; ++i) {
    const picture_part *part = &parts[i];
    const double mean = part->count > 0 ? part->sum / (double)part->count : 0;
    /* Of distances the greatest: a single one is seen among many. */
    const double value = list->other != NULL && part->count > 0 ? part->greatest : mean;
    colors[i] = (unsigned char)(get_share(facts, isfinite(value) ? value : 0) * (kNumColors - 1));
    if (part->infinities > 0) colors[i] = kColorInfinite;
    if (part->nans > 0) colors[i] = kColorNan;
  }
  text_add(out,
           "<img class=\"pic\" alt=\"%s as an image of %zu by %zu cells\" width=\"%zu\" "
           "height=\"%zu\" src=\"",
           name, height, width, width * scale < 12 ? 12 : width * scale,
           height * scale < 12 ? 12 : height * scale);
  add_image(out, colors, height, width);
  text_add(out, "\">");
  free(parts);
}

static void begin_plot(text_buf *out, const char *name, const char *kind, size_t width) {
  text_add(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pic plot\" role=\"img\" "
           "aria-label=\"%s as a %s\" viewBox=\"0 0 %zu 72\" preserveAspectRatio=\"none\">",
           name, kind, width);
}

static double get_height(const number_facts *facts, double value) {
  return 69 - 66 * get_share(facts, value);
}

/* One dimension: a line, from the least to the greatest of neighbours that share a point. */
static void draw_line(text_buf *out, const number_list *list, const number_facts *facts,
                      const char *name) {
  const size_t count = list->size < kMaxPoints ? (size_t)list->size : kMaxPoints;
  picture_part *parts = make_parts(count);
  bool is_drawing = false;
  uint64_t i;
  for (i = 0; i < list->size; i += list->step) {
    const size_t at = (size_t)((double)i / (double)list->size * (double)count);
    add_to_part(&parts[at < count ? at : count - 1], get_number(list, i));
  }
  begin_plot(out, name, "line", count);
  if (facts->least < 0 && facts->greatest > 0) {
    const double zero = get_height(facts, 0);
    text_add(out, "<line x1=\"0\" x2=\"%zu\" y1=\"%s\" y2=\"%s\"/>", count, REAL_F(1, zero),
             REAL_F(1, zero));
  }
  text_add(out, "<path d=\"M0 0");
  for (i = 0; i < count; ++i) {
    const picture_part *part = &parts[i];
    const double x = (double)i + 0.5;
    if (part->count == 0) {
      if (part->nans + part->infinities > 0) is_drawing = false;
      continue;
    }
    if (!is_drawing && (i + 1 == count || parts[i + 1].count == 0)) {
      text_add(out, "M%s %sh.6", REAL_F(1, x - 0.3),
               REAL_F(1, get_height(facts, part->least))); /* it is alone */
    } else {
      text_add(out, "%c%s %s", is_drawing ? 'L' : 'M', REAL_F(1, x),
               REAL_F(1, get_height(facts, part->least)));
    }
    if (part->greatest > part->least) {
      text_add(out, "L%s %s", REAL_F(1, x), REAL_F(1, get_height(facts, part->greatest)));
    }
    is_drawing = true;
  }
  text_add(out, "\"/>");
  for (i = 0; i < count; ++i) {
    if (parts[i].nans + parts[i].infinities == 0) continue;
    text_add(out, "<rect class=\"nan\" x=\"%s\" y=\"0\" width=\"%s\" height=\"72\"/>",
             REAL_F(2, count < 40 ? (double)i + 0.4 : (double)i), REAL_F(1, count < 40 ? 0.2 : 1));
  }
  text_add(out, "</svg>");
  free(parts);
}

/* Other shapes: how many elements have about the same value. */
static void draw_histogram(text_buf *out, const number_list *list, const number_facts *facts,
                           const char *name) {
  uint64_t bins[kMaxBins], most = 1, i;
  memset(bins, 0, sizeof bins);
  for (i = 0; i < list->size; i += list->step) {
    const double value = get_number(list, i);
    size_t bin;
    if (!isfinite(value)) continue;
    bin = (size_t)(get_share(facts, value) * (double)kMaxBins);
    if (bin == kMaxBins) --bin;
    if (++bins[bin] > most) most = bins[bin];
  }
  begin_plot(out, name, "histogram", kMaxBins);
  for (i = 0; i < kMaxBins; ++i) {
    const double height = 70 * (double)bins[i] / (double)most;
    if (bins[i] == 0) continue;
    text_add(out, "<rect class=\"bar\" x=\"%d\" y=\"%s\" width=\".9\" height=\"%s\"/>", (int)i,
             REAL_F(2, 72 - (height > 1 ? height : 1)), REAL_F(2, height > 1 ? height : 1));
  }
  text_add(out, "</svg>");
}

static void add_values(text_buf *out, const number_list *list) {
  uint64_t i;
  text_add(out, "<code>");
  for (i = 0; i < list->size && i < kMaxValues; ++i) {
    text_add(out, "%s", i > 0 ? ", " : "");
    add_number(out, list, i);
  }
  text_add(out, "%s</code>", i < list->size ? ", ..." : "");
}

/* The picture of numbers, and what they are. `name` is safe. Colours and heights are those of
 * `range`. */
static void add_numbers(drawing_budget *budget, text_buf *out, const number_list *list,
                        const number_facts *facts, const number_facts *range, const char *name) {
  add_values(out, list);
  if (list->size == 1) return;
  text_add(out, "<br>");
  if (budget->pictures == 0) {
    text_add(out, "<span class=\"dim\">no picture: the page already has %d</span>", kMaxPictures);
    return;
  }
  --budget->pictures;
  if (list->view->ndim == 2 && list->per_element == 1) {
    draw_matrix(out, list, range, name);
  } else if (list->view->ndim == 1 && list->per_element == 1) {
    draw_line(out, list, range, name);
  } else {
    draw_histogram(out, list, range, name);
  }
  if (facts->nans + facts->infinities < facts->counted) {
    text_add(out, "min %s, mean %s, max %s", REAL_G(6, facts->least),
             REAL_G(6, facts->sum / (double)(facts->counted - facts->nans - facts->infinities)),
             REAL_G(6, facts->greatest));
  } else {
    text_add(out, "no finite number");
  }
  if (facts->nans + facts->infinities > 0) {
    text_add(out, "<br><span class=\"bad\">");
    html_add_count(out, facts->nans, "NaN", "NaN");
    text_add(out, ", ");
    html_add_count(out, facts->infinities, "Inf", "Inf");
    text_add(out, "</span>");
  }
  if (list->step > 1) {
    text_add(out, "<br><span class=\"dim\">of ");
    html_add_count(out, facts->counted, NULL, NULL);
    text_add(out, " elements among ");
    html_add_count(out, list->size, NULL, NULL);
    text_add(out, "</span>");
  }
}

void html_draw_tensor(drawing_budget *budget, text_buf *out, const DLTensor *view,
                      const unsigned char *first, const char *name) {
  number_list list;
  number_facts facts;
  if (!list_numbers(budget, view, first, &list)) {
    text_add(out, "<span class=\"dim\">its numbers cannot be read</span>");
    return;
  }
  count_numbers(&list, &facts);
  add_numbers(budget, out, &list, &facts, &facts, name);
}

/* ---- Differences of a replay ---- */

drawing_budget drawing_budget_full(void) {
  drawing_budget budget;
  budget.elements = MAX_ELEMENTS;
  budget.pictures = kMaxPictures;
  return budget;
}

static void add_title(text_buf *out, const char *title) {
  text_add(out, "<div><b>");
  html_add_line(out, title, kHtmlMaxName);
  text_add(out, "</b><br>");
}

void html_draw_difference(drawing_budget *budget, const drawn_difference *drawn, text_buf *out) {
  const DLTensor *const sides[2] = {drawn->expected, drawn->now};
  const char *const titles[2] = {drawn->expected_title, drawn->title};
  number_list lists[3];
  number_facts facts[3], range;
  bool is_listed[2];
  text_buf name = {NULL, 0, 0};
  size_t i;
  memset(facts, 0, sizeof facts);
  html_add_line(&name, drawn->name, kHtmlMaxName);
  text_add(out, "<figure><figcaption><code><b>%s</b></code> <span class=\"bad\">", name.data);
  html_add_line(out, drawn->difference, kHtmlMaxText);
  text_add(out, "</span></figcaption>\n<div class=\"moments\">\n");
  for (i = 0; i < 2; ++i) {
    is_listed[i] = sides[i] != NULL && list_numbers(budget, sides[i], sides[i]->data, &lists[i]);
    if (is_listed[i]) count_numbers(&lists[i], &facts[i]);
  }
  /* Both have one range, so that they can be compared by eye. */
  range = facts[is_listed[0] ? 0 : 1];
  if (is_listed[0] && is_listed[1]) {
    if (facts[1].least < range.least) range.least = facts[1].least;
    if (facts[1].greatest > range.greatest) range.greatest = facts[1].greatest;
  }
  for (i = 0; i < 2; ++i) {
    add_title(out, titles[i]);
    if (is_listed[i]) {
      add_numbers(budget, out, &lists[i], &facts[i], &range, name.data);
    } else {
      text_add(out, "<span class=\"dim\">%s</span>",
               sides[i] != NULL ? "its numbers cannot be read"
                                : "no tensor, or one that is too large to be shown");
    }
    text_add(out, "</div>\n");
  }
  if (is_listed[0] && is_listed[1] && lists[0].size == lists[1].size &&
      tvm_ffi_tensor_has_same_shape(sides[0], sides[1])) {
    if (lists[0].step > lists[1].step) lists[1].step = lists[0].step;
    lists[2] = lists[1];
    lists[2].other = &lists[0];
    count_numbers(&lists[2], &facts[2]);
    add_title(out, "distance");
    add_numbers(budget, out, &lists[2], &facts[2], &facts[2], name.data);
    text_add(out, "</div>\n");
  }
  text_add(out, "</div></figure>\n");
  text_free(&name);
}
