/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"
#include "value/number.h"

/* ---- Arrays ---- */

static bool is_empty(const view_array *array) {
  int32_t d;
  for (d = 0; d < array->ndim; ++d) {
    if (array->axes[d].extent == 0) return true;
  }
  return false;
}

static bool fail_far(const scan *s) {
  return scan_fail(s, "it reaches beyond what can be addressed");
}

static void get_strides(const view_array *array, int64_t *shape, int64_t *strides) {
  int32_t d;
  for (d = 0; d < array->ndim; ++d) {
    shape[d] = array->axes[d].extent;
    strides[d] = array->axes[d].stride;
  }
}

static bool measure(view_array *array, const scan *s) {
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  get_strides(array, shape, strides);
  array->low = array->high = 0;
  return is_empty(array) ||
         tvm_ffi_detail_span(array->ndim, shape, strides, &array->low, &array->high) || fail_far(s);
}

/* Strides of elements without gaps, the last dimension first or the other way round. */
static void pack(view_array *array, bool is_fortran) {
  uint64_t stride =
      1; /* wraps around only if there are no elements: view_begin() refuses too many */
  int32_t i;
  for (i = 0; i < array->ndim; ++i) {
    view_axis *axis = &array->axes[is_fortran ? i : array->ndim - 1 - i];
    axis->stride = (int64_t)stride;
    stride *= (uint64_t)axis->extent;
  }
}

/* Makes the part the whole of the base, whose axes have been set. */
static bool set_base(view *v, const scan *s) {
  if (!measure(&v->base, s)) return false;
  v->part = v->base;
  return true;
}

bool view_begin(view *v, view_source source, const scan *s, DLDataType dtype, const int64_t *shape,
                int32_t ndim) {
  DLTensor whole;
  size_t size = 0;
  int32_t d;
  memset(v, 0, sizeof *v);
  memset(&whole, 0, sizeof whole);
  v->source = source;
  v->dtype = whole.dtype = dtype;
  v->how = kLayoutPacked;
  whole.shape = tvm_ffi_detail_mutable(shape);
  v->base.ndim = whole.ndim = ndim;
  if (tvm_ffi_tensor_compute_size(&whole, &size) != 0) return scan_fail_raised(s);
  for (d = 0; d < ndim; ++d) v->base.axes[d].extent = shape[d];
  pack(&v->base, false);
  for (d = 0; d < ndim; ++d) v->base.axes[d].packed = v->base.axes[d].stride;
  return set_base(v, s);
}

/* Whether its elements can lie otherwise than in one row. */
static bool check_bits(const view *v, const scan *s) {
  char name[kDtypeTextSize];
  return tvm_ffi_dtype_get_bits(v->dtype) % 8 == 0 ||
         scan_fail(s, "elements of %s are not whole bytes, and can only lie row by row",
                   dtype_write(v->dtype, name));
}

/* ---- Integers ---- */

static bool is_digit_at(const scan *s) {
  return s->pos < s->end && isdigit((unsigned char)*s->pos);
}

/* Takes one that may have a sign. False, and nothing is consumed, if there is none; one that does
 * not fit is the nearest that does. */
static bool take_integer(scan *s, int64_t *out) {
  const char *begin = s->pos;
  bool is_negative;
  int64_t value = 0;
  scan_skip_space(s);
  is_negative = s->pos < s->end && *s->pos == '-';
  if (is_negative) ++s->pos;
  if (!is_digit_at(s)) {
    s->pos = begin;
    return false;
  }
  for (; is_digit_at(s); ++s->pos) {
    const int64_t digit = *s->pos - '0';
    value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : 10 * value + digit;
  }
  *out = is_negative ? -value : value;
  return true;
}

/* ---- Slices ---- */

typedef struct {
  bool is_index, is_rest; /* "2"; "..." */
  bool has_start, has_stop;
  int64_t start, stop, step;
} slice;

static bool take_slice(scan *s, slice *out) {
  memset(out, 0, sizeof *out);
  out->step = 1;
  scan_skip_space(s);
  if (scan_take_prefix(s, "...")) {
    out->is_rest = true;
    return true;
  }
  out->has_start = take_integer(s, &out->start);
  if (!scan_take(s, ':')) {
    out->is_index = out->has_start;
    return out->is_index ||
           scan_fail(s, "a slice is START:STOP:STEP, an index or `...`, not `%.*s`",
                     scan_measure(s, s->pos), s->pos);
  }
  out->has_stop = take_integer(s, &out->stop);
  if (scan_take(s, ':') && take_integer(s, &out->step) && out->step == 0) {
    return scan_fail(s, "the step of a slice cannot be 0");
  }
  return true;
}

static int64_t clip(int64_t value, int64_t extent, int64_t low, int64_t high) {
  if (value < 0) value += extent;
  return value < low ? low : value > high ? high : value;
}

/* Moves the beginning of the part by so many elements of a dimension, so that it stays within the
 * base: a part without elements, too, begins at one, if there is one. */
static bool advance(view *v, const scan *s, const view_axis *axis, int64_t count) {
  int64_t step, packed;
  if (is_empty(&v->base)) return true;
  if (!tvm_ffi_detail_multiply(count, axis->stride, &step) ||
      !tvm_ffi_detail_multiply(count, axis->packed, &packed) ||
      !tvm_ffi_detail_add(v->first, step, &v->first) ||
      !tvm_ffi_detail_add(v->packed_first, packed, &v->packed_first)) {
    return fail_far(s);
  }
  return true;
}

/* The elements that NumPy takes of a dimension. */
static bool apply_slice(view *v, const scan *s, const slice *cut, view_axis *axis) {
  const int64_t extent = axis->extent, step = cut->step;
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const int64_t start = cut->has_start ? clip(cut->start, extent, low, high) : step > 0 ? 0 : high;
  const int64_t stop = cut->has_stop ? clip(cut->stop, extent, low, high) : step > 0 ? high : -1;
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const int64_t magnitude = step > 0 ? step : -step;
  axis->extent = distance > 0 ? (distance - 1) / magnitude + 1 : 0;
  if (axis->extent > 0 && !advance(v, s, axis, start)) return false;
  /* With fewer than two elements the stride says nothing, and that of the array is kept. */
  if (axis->extent < 2) return true;
  return (tvm_ffi_detail_multiply(step, axis->stride, &axis->stride) &&
          tvm_ffi_detail_multiply(step, axis->packed, &axis->packed)) ||
         fail_far(s);
}

static bool apply_index(view *v, const scan *s, const slice *cut, const view_axis *axis,
                        int32_t dimension) {
  const int64_t index = cut->start < 0 ? cut->start + axis->extent : cut->start;
  if (index < 0 || index >= axis->extent) {
    return scan_fail(s, "index %lld is beyond dimension %d, which has %lld elements",
                     (long long)cut->start, (int)dimension, (long long)axis->extent);
  }
  return advance(v, s, axis, index);
}

/* Reads what follows "[". */
static bool read_slices(view *v, scan *s) {
  slice cuts[kLayoutMaxDims + 1];
  int32_t num_cuts = 0, num_rests = 0, i, j, d = 0, kept = 0;
  while (!scan_take(s, ']')) {
    if (num_cuts > 0 && !scan_take(s, ',')) {
      return scan_fail(s, "`,` or `]` is missing after a slice");
    }
    if (num_cuts > 0 && scan_take(s, ']')) break; /* "[1,]" */
    if (num_cuts == kLayoutMaxDims + 1) break;
    if (!take_slice(s, &cuts[num_cuts])) return false;
    num_rests += cuts[num_cuts++].is_rest;
  }
  v->is_part = true;
  if (!check_bits(v, s)) return false;
  if (num_cuts == 0) return scan_fail(s, "a slice is missing between [ and ]");
  if (num_rests > 1) return scan_fail(s, "there can be one `...`");
  if (num_cuts - num_rests > v->part.ndim) {
    return scan_fail(s, "there are %d slices for %d dimension%s", (int)(num_cuts - num_rests),
                     (int)v->part.ndim, v->part.ndim == 1 ? "" : "s");
  }
  for (i = 0; i < num_cuts; ++i) {
    if (cuts[i].is_rest) {
      for (j = num_cuts - 1; j < v->part.ndim; ++j) v->part.axes[kept++] = v->part.axes[d++];
    } else if (cuts[i].is_index) {
      if (!apply_index(v, s, &cuts[i], &v->part.axes[d], d)) return false;
      ++d;
    } else {
      view_axis axis = v->part.axes[d++];
      if (!apply_slice(v, s, &cuts[i], &axis)) return false;
      v->part.axes[kept++] = axis;
    }
  }
  while (d < v->part.ndim) v->part.axes[kept++] = v->part.axes[d++];
  v->part.ndim = kept;
  return true;
}

static void transpose(view_array *array) {
  int32_t i;
  for (i = 0; i < array->ndim / 2; ++i) {
    const view_axis axis = array->axes[i];
    array->axes[i] = array->axes[array->ndim - 1 - i];
    array->axes[array->ndim - 1 - i] = axis;
  }
}

/* ---- Words ---- */

typedef enum {
  kWordTransposed,
  kWordOrder,
  kWordStrides,
  kWordBase,
  kWordByteOffset,
  kWordMisaligned,
  kWordGuard,
  kWordFill,
  kWordReadOnly,
  kWordReserved,
  kWordDevice,
  kWordDLTensor
} word;

static const struct {
  const char *name, *form; /* "order", ".order(F)" */
  bool is_first;           /* it comes before slices and .T */
  bool is_of_memory;       /* it says how memory is made, which an earlier argument has already */
} kWords[] = {{"T", ".T", false, false},
              {"order", ".order(C), .order(F) or, after a file, .order(K)", true, true},
              {"strides", ".strides(4, 1)", true, true},
              {"base", ".base", true, false},
              {"byte_offset", ".byte_offset(8)", false, false},
              {"misaligned", ".misaligned(1), from 0 to 63", false, true},
              {"guard", ".guard(end) or .guard(start)", false, true},
              {"fill", ".fill(0x7f), a byte", false, true},
              {"readonly", ".readonly", false, false},
              {"reserved", ".reserved", false, true},
              {"device", ".device(cuda:1)", false, false},
              {"dltensor", ".dltensor", false, false}};
enum { kNumWords = sizeof kWords / sizeof *kWords };

static size_t count_letters(const char *pos, const char *end) {
  const char *cursor = pos;
  while (cursor < end && identifier_has(*cursor)) ++cursor;
  return (size_t)(cursor - pos);
}

/* The word of that name; kNumWords: none. */
static size_t find_word(const char *name, size_t size) {
  size_t i;
  for (i = 0; i < kNumWords; ++i) {
    if (strlen(kWords[i].name) == size && memcmp(kWords[i].name, name, size) == 0) break;
  }
  return i;
}

bool view_follows(const char *pos, const char *end) {
  if (pos == end) return false;
  if (*pos == '[') return true;
  return *pos == '.' && find_word(pos + 1, count_letters(pos + 1, end)) < kNumWords;
}

static bool fail_word(const scan *s, size_t which) {
  return scan_fail(s, "`.%s` is written %s", kWords[which].name, kWords[which].form);
}

/* The text in parentheses, without the spaces at either end; release with free(). NULL after a
 * report. */
static char *take_value(scan *s, size_t which) {
  const char *begin, *end;
  if (!scan_take_prefix(s, "(")) {
    fail_word(s, which);
    return NULL;
  }
  begin = s->pos;
  end = memchr(begin, ')', (size_t)(s->end - begin));
  if (end == NULL) {
    fail_word(s, which);
    return NULL;
  }
  s->pos = end + 1;
  while (begin < end && isspace((unsigned char)*begin)) ++begin;
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  return tool_copy(begin, (size_t)(end - begin));
}

/* An integer from 0 to `most`. */
static bool parse_size(const char *text, unsigned long long most, size_t *out) {
  char *end;
  unsigned long long value = strtoull(text, &end, number_base(text));
  if (!isdigit((unsigned char)*text) || *end != '\0' || value > most) return false;
  *out = (size_t)value;
  return true;
}

static bool parse_strides(view *v, const scan *s, const char *text) {
  scan values = *s;
  int64_t stride;
  int32_t given = 0;
  values.pos = text;
  values.end = text + strlen(text);
  while (!scan_at_end(&values)) {
    if (given > 0 && !scan_take(&values, ',')) return fail_word(s, kWordStrides);
    if (!take_integer(&values, &stride)) return fail_word(s, kWordStrides);
    if (given < v->base.ndim) v->base.axes[given].stride = stride;
    ++given;
  }
  if (given != v->base.ndim) {
    return scan_fail(s, "there are %d strides for %d dimension%s", (int)given, (int)v->base.ndim,
                     v->base.ndim == 1 ? "" : "s");
  }
  return check_bits(v, s) && set_base(v, s);
}

static bool parse_order(view *v, const scan *s, const char *text, bool file_is_fortran) {
  const bool keeps = strcmp(text, "K") == 0 && v->source == kViewOfFile;
  if (!keeps && strcmp(text, "C") != 0 && strcmp(text, "F") != 0) return fail_word(s, kWordOrder);
  pack(&v->base, keeps ? file_is_fortran : *text == 'F');
  return check_bits(v, s) && set_base(v, s);
}

static bool parse_guard(view *v, const char *text) {
  v->how.guard = strcmp(text, "start") == 0 ? kGuardStart : kGuardEnd;
  return v->how.guard == kGuardStart || strcmp(text, "end") == 0;
}

static bool parse_device(view *v, const scan *s, const char *text) {
  text_buf known = {NULL, 0, 0};
  if (tvm_ffi_device_parse(text, strlen(text), &v->how.device)) return true;
  device_list(&known);
  scan_fail(s, "`.device` is written %s, with one of %s", kWords[kWordDevice].form, known.data);
  text_free(&known);
  return false;
}

/* The value of a word that has one; false after a report. */
static bool apply_value(view *v, const scan *s, size_t which, const char *text,
                        bool file_is_fortran) {
  const unsigned long long limit = SIZE_MAX / 8;
  size_t byte = 0;
  bool good = true;
  switch (which) {
    case kWordOrder:
      return parse_order(v, s, text, file_is_fortran);
    case kWordStrides:
      return parse_strides(v, s, text);
    case kWordByteOffset:
      good = parse_size(text, limit, &v->how.byte_offset);
      break;
    case kWordMisaligned:
      good = parse_size(text, kMemoryAlignment - 1, &v->how.misaligned);
      break;
    case kWordGuard:
      good = parse_guard(v, text);
      break;
    case kWordFill:
      good = parse_size(text, 255, &byte);
      v->how.fill = (unsigned char)byte;
      break;
    default:
      return parse_device(v, s, text);
  }
  return good || fail_word(s, which);
}

static bool fail_unknown(const scan *s, size_t size) {
  text_buf known = {NULL, 0, 0};
  size_t i;
  for (i = 0; i < kNumWords; ++i) text_add(&known, "%s.%s", i > 0 ? " " : "", kWords[i].name);
  scan_fail(s, "`.%.*s` is none of %s", tvmffi_shown_size(size), s->pos, known.data);
  text_free(&known);
  return false;
}

/* Reads what follows ".". */
static bool read_word(view *v, scan *s, bool file_is_fortran) {
  const size_t size = count_letters(s->pos, s->end), which = find_word(s->pos, size);
  char *text;
  bool good;
  if (which == kNumWords) return fail_unknown(s, size);
  s->pos += size;
  if (kWords[which].is_of_memory && v->source == kViewOfArgument) {
    return scan_fail(s, "`.%s` is not possible in the memory of an earlier argument",
                     kWords[which].name);
  }
  if (kWords[which].is_first && v->is_part) {
    return scan_fail(s, "`.%s` comes before slices and .T", kWords[which].name);
  }
  switch (which) {
    case kWordTransposed:
      v->is_part = true;
      transpose(&v->part);
      return check_bits(v, s);
    case kWordBase:
      if (v->source != kViewOfArgument) return scan_fail(s, "`.base` follows arg[N]");
      v->part = v->base;
      v->first = 0;
      return true;
    case kWordReadOnly:
      v->how.is_read_only = true;
      v->how.has_read_only_pages = v->source != kViewOfArgument;
      return true;
    case kWordReserved:
      v->how.has_no_memory = true;
      return true;
    case kWordDLTensor:
      v->is_dltensor = true;
      return true;
    default:
      text = take_value(s, which);
      good = text != NULL && apply_value(v, s, which, text, file_is_fortran);
      free(text);
      return good;
  }
}

bool view_read(view *v, scan *s, bool file_is_fortran) {
  v->text = s->pos;
  while (s->pos < s->end && (*s->pos == '[' || *s->pos == '.')) {
    v->has_layout = true;
    if (!(*s->pos++ == '[' ? read_slices(v, s) : read_word(v, s, file_is_fortran))) return false;
  }
  v->text_size = (size_t)(s->pos - v->text);
  return true;
}

/* ---- Storage ---- */

void view_get_shape(const view *v, int64_t *out) {
  int32_t d;
  for (d = 0; d < v->part.ndim; ++d) out[d] = v->part.axes[d].extent;
}

void view_get_contents_shape(const view *v, int64_t *out) {
  int32_t d;
  view_get_shape(v, out);
  for (d = 0; d < v->part.ndim && !is_empty(&v->part); ++d) {
    if (v->part.axes[d].stride == 0 && out[d] > 1) out[d] = 1;
  }
}

/* What of the base lies before and behind the part. */
static bool surround(const view *v, const int64_t *shape, const int64_t *strides, layout *how) {
  const int64_t item = (int64_t)tvm_ffi_dtype_get_bits(v->dtype) / 8;
  const int64_t count = is_empty(&v->base) ? 0 : v->base.high - v->base.low + 1;
  int64_t low = 0, high = 0, before = v->first - v->base.low, behind = count - before;
  if (!is_empty(&v->part)) {
    if (!tvm_ffi_detail_span(v->part.ndim, shape, strides, &low, &high)) return false;
    before += low;
    behind = v->base.high - v->first - high;
  }
  if (!tvm_ffi_detail_multiply(before, item, &before) ||
      !tvm_ffi_detail_multiply(behind, item, &behind) || (uint64_t)before > SIZE_MAX / 4 ||
      (uint64_t)behind > SIZE_MAX / 4) {
    return false;
  }
  how->before = (size_t)before;
  how->behind = (size_t)behind;
  return true;
}

storage *view_make_storage(const view *v) {
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  layout how = v->how;
  get_strides(&v->part, shape, strides);
  how.strides = strides;
  if (tvm_ffi_dtype_get_bits(v->dtype) % 8 == 0 && !surround(v, shape, strides, &how)) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "it reaches beyond what can be addressed");
    return NULL;
  }
  return storage_new(v->dtype, shape, v->part.ndim, &how);
}

storage *view_share_storage(const view *v, const view *other, storage *memory) {
  const int64_t item = (int64_t)tvm_ffi_dtype_get_bits(v->dtype) / 8;
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  layout how = v->how;
  get_strides(&v->part, shape, strides);
  how.strides = strides;
  return storage_share(memory, v->dtype, shape, v->part.ndim, (v->first - other->first) * item,
                       &how);
}
