/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of one process, without regard to messages: the bytes that a layout takes, copies of
 * elements, and new tensors in memory that both processes see. In the host and in the helper.
 */
#define _POSIX_C_SOURCE 200809L
#include "tensor_copy.h"

#include <stdlib.h>
#include <string.h>

#include "system.h"

/* ---- Layouts ---- */

bool tensor_find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi) {
  return tensor->ndim >= 0 && tensor->ndim <= kMaxDims &&
         (tensor->ndim == 0 || tensor->shape != NULL) && tensor->dtype.code != kDLOpaqueHandle &&
         tvm_ffi_tensor_find_bytes(tensor, lo, hi) &&
         (uint64_t)*hi - (uint64_t)*lo <= INT64_MAX; /* so that -*lo and *hi - *lo are defined */
}

/* ---- Walks over the bytes of a layout ---- */

/*
 * The bytes of the elements as runs, each of so many bytes, and steps from one to the next. Each
 * byte is in one run, but where dimensions overlap in a way that is neither a repetition nor
 * without gaps.
 */
typedef struct {
  int64_t begin, run; /* of the first run, relative to the first element */
  int64_t end;        /* of the last */
  int32_t ndim;
  int64_t extent[kMaxDims], step[kMaxDims], index[kMaxDims];
} run_list;

/* Inserts a dimension by its step: the smallest is the first. */
static void insert_dimension(run_list *list, int64_t extent, int64_t step) {
  int32_t i = list->ndim++;
  for (; i > 0 && list->step[i - 1] > step; --i) {
    list->extent[i] = list->extent[i - 1];
    list->step[i] = list->step[i - 1];
  }
  list->extent[i] = extent;
  list->step[i] = step;
}

/*
 * Dimensions whose steps leave gaps of at most `gap` bytes make one run, and those with the same
 * step one dimension.
 */
static void merge_dimensions(run_list *list, int64_t gap) {
  const int32_t ndim = list->ndim;
  int32_t i;
  list->ndim = 0;
  for (i = 0; i < ndim; ++i) {
    const int64_t extent = list->extent[i], step = list->step[i];
    if (list->ndim == 0 && step - list->run <= gap) {
      list->run += step * (extent - 1);
    } else if (list->ndim > 0 && step == list->step[list->ndim - 1]) {
      list->extent[list->ndim - 1] += extent - 1;
    } else {
      list->extent[list->ndim] = extent;
      list->step[list->ndim++] = step;
    }
  }
}

/* False: there are no bytes. */
static bool find_runs(const DLTensor *layout, int64_t gap, run_list *out) {
  const int64_t bits = (int64_t)layout->dtype.bits * layout->dtype.lanes;
  int64_t lo, hi;
  int32_t i;
  if (!tensor_find_extent(layout, &lo, &hi) || lo == hi) return false;
  out->begin = 0;
  out->end = hi;
  out->run = hi;
  out->ndim = 0;
  if (layout->strides == NULL || bits % 8 != 0) return true; /* contiguous */
  out->run = bits / 8;
  for (i = 0; i < layout->ndim; ++i) {
    int64_t step;
    if (layout->shape[i] == 1 || layout->strides[i] == 0) continue;
    step = layout->strides[i] * out->run;
    if (step < 0) out->begin += step * (layout->shape[i] - 1);
    insert_dimension(out, layout->shape[i], step < 0 ? -step : step);
  }
  merge_dimensions(out, gap);
  for (i = 0; i < out->ndim; ++i) out->index[i] = 0;
  return true;
}

/* Runs in pieces, with a look at the clock now and then. */
typedef struct {
  run_list runs;
  int64_t offset, left; /* what is left of a run, and where it begins */
  int64_t most;         /* bytes in a piece */
  int64_t deadline, work;
  bool is_late;
} walk;

static bool walk_begin(walk *self, const DLTensor *layout, int64_t gap, int64_t most,
                       int64_t deadline) {
  if (!find_runs(layout, gap, &self->runs)) return false;
  self->offset = self->runs.begin;
  self->left = self->runs.run;
  self->most = most;
  self->deadline = deadline;
  self->work = 0;
  self->is_late = false;
  return true;
}

/* Whether the runs have more bytes than there are from the first to the last. */
static bool runs_overlap(const run_list *runs) {
  const int64_t size = runs->end - runs->begin;
  int64_t sum = runs->run;
  int32_t i;
  for (i = 0; i < runs->ndim; ++i) {
    if (runs->extent[i] > size / sum) return true;
    sum *= runs->extent[i];
  }
  return false;
}

/*
 * For a layout that the other side has chosen: never more bytes than are in its range. If elements
 * overlap in an odd way, whatever `gap` is, it is all of those.
 */
static bool walk_begin_limited(walk *self, const DLTensor *layout, int64_t gap, int64_t most,
                               int64_t deadline) {
  if (!walk_begin(self, layout, 0, most, deadline)) return false;
  if (gap > 0 && !runs_overlap(&self->runs)) (void)walk_begin(self, layout, gap, most, deadline);
  if (runs_overlap(&self->runs)) {
    self->offset = self->runs.begin;
    self->runs.run = self->left = self->runs.end - self->runs.begin;
    self->runs.ndim = 0;
  }
  return true;
}

static bool walk_next_run(walk *self) {
  run_list *runs = &self->runs;
  int32_t i;
  self->offset -= runs->run;
  for (i = 0; i < runs->ndim; ++i) {
    self->offset += runs->step[i];
    if (++runs->index[i] < runs->extent[i]) break;
    self->offset -= runs->step[i] * runs->extent[i];
    runs->index[i] = 0;
  }
  self->left = runs->run;
  return i < runs->ndim;
}

/* The next piece. False: there is none, or the deadline has passed. */
static bool walk_next(walk *self, int64_t *offset, size_t *size) {
  enum { kWork = 1 << 22, kWorkOfPiece = 256 };
  if (self->left == 0 && !walk_next_run(self)) return false;
  *offset = self->offset;
  *size = (size_t)(self->left < self->most ? self->left : self->most);
  self->offset += (int64_t)*size;
  self->left -= (int64_t)*size;
  self->work += (int64_t)*size + kWorkOfPiece;
  if (self->work >= kWork && self->deadline != 0) {
    self->work = 0;
    self->is_late = clock_now() >= self->deadline;
  }
  return !self->is_late;
}

/* ---- Memory of the caller, which may not be there ---- */

static const char *first_page(const char *at) {
  return at - (uintptr_t)at % memory_page_size();
}

static const char *end_of_page(const char *end) {
  const size_t page = memory_page_size();
  return end + (page - (uintptr_t)end % page) % page;
}

static bool can_access(const char *begin, const char *end, bool writes) {
  const char *first = first_page(begin);
  return memory_can_access((void *)(uintptr_t)first, (size_t)(end_of_page(end) - first), writes);
}

/*
 * So much memory is unmapped when it is freed, and takes long enough to copy that one more call of
 * the system does not show. Less is most often kept by malloc(), so that it stays readable.
 */
enum { kCheckedAgain = 128 << 10 };

/* Whether memory that could be read once still can, as far as a look at it takes no time. */
static bool is_still_mapped(const char *begin, size_t size) {
  const char *first = first_page(begin);
  return size < kCheckedAgain ||
         memory_is_mapped((void *)(uintptr_t)first, (size_t)(end_of_page(begin + size) - first));
}

static bool check_readable(readable_memory *known, const char *begin, const char *end) {
  if (!can_access(begin, end, false)) return false;
  known->begin[known->next] = (uintptr_t)first_page(begin);
  known->end[known->next] = (uintptr_t)end_of_page(end);
  known->next = (known->next + 1) % kReadableRanges;
  return true;
}

/* What was looked at last in this tensor, and how much at once. */
typedef struct {
  const char *end;
  size_t window;
} read_window;

/*
 * Where runs follow each other, looks at twice as much at once each time, up to the end of the
 * tensor, unless that cannot be read. Otherwise at the pages of the run alone: in shared memory, a
 * look at a page makes the system provide it.
 */
static bool can_read(readable_memory *known, read_window *last, const char *at, size_t size,
                     const char *tensor_end) {
  const size_t most = 1 << 20, rest = (size_t)(tensor_end - at), page = memory_page_size();
  const char *end = at + size;
  int i;
  for (i = 0; i < kReadableRanges; ++i) {
    if ((uintptr_t)at >= known->begin[i] && (uintptr_t)end <= known->end[i]) {
      return is_still_mapped(at, size);
    }
  }
  if (last->end != NULL && at >= last->end && (size_t)(at - last->end) < page) {
    last->window = last->window < page ? page : 2 * last->window;
    if (last->window > most) last->window = most;
    if (last->window > rest) last->window = rest;
  } else {
    last->window = 0;
  }
  if (last->window > size && check_readable(known, at, at + last->window)) {
    last->end = end_of_page(at + last->window);
    return true;
  }
  last->end = end_of_page(end);
  return check_readable(known, at, end);
}

/* What was found writable last in this tensor, and how much was asked for at once. */
typedef struct {
  const char *begin, *end; /* whole pages: runs of a strided tensor share them */
  size_t window;
} writable_memory;

/*
 * Asks for more at once where all is written: for twice as much of the same run each time. If that
 * cannot be written, the piece alone counts.
 */
static bool can_write(writable_memory *known, const char *at, size_t size, size_t run) {
  const size_t most = 1 << 20;
  if (known->begin != NULL && at >= known->begin && at + size <= known->end) return true;
  known->window = known->window == 0 || known->window >= most ? size : 2 * known->window;
  if (known->window > run) known->window = run;
  if (known->window < size || !can_access(at, at + known->window, true)) {
    known->window = size;
    if (!can_access(at, at + size, true)) return false;
  }
  known->begin = first_page(at);
  known->end = end_of_page(at + known->window);
  return true;
}

/* ---- Copies of elements ---- */

enum {
  kPieceOut = 1 << 28, /* a copy of much takes less time than many of little */
  kPieceBack = 16 << 10
};

copy_result tensor_copy_out(const tensor_pair *pair) {
  read_window last = {NULL, 0};
  walk w;
  int64_t offset;
  size_t size;
  if (!walk_begin(&w, pair->layout, 0, kPieceOut, pair->deadline)) return kCopyDone;
  while (walk_next(&w, &offset, &size)) {
    if (pair->readable != NULL &&
        !can_read(pair->readable, &last, pair->first + offset, size, pair->first + w.runs.end)) {
      return kCopyNotMapped;
    }
    memcpy(pair->copy + offset, pair->first + offset, size);
  }
  return w.is_late ? kCopyLate : kCopyDone;
}

static bool is_read_only(TVMFFIObjectHandle object) {
  uint64_t flags = 0;
  /* Without memory to ask, nothing is written. */
  return object != NULL && (tvm_ffi_tensor_read_flags(object, &flags) != 0 ||
                            (flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
}

copy_result tensor_find_changes(tensor_pair *pair) {
  writable_memory known = {NULL, NULL, 0};
  const char *end_of_run = NULL;
  walk w;
  int64_t offset, piece = 0, count = 0;
  size_t size;
  pair->first_piece = pair->end_piece = 0;
  if (!walk_begin(&w, pair->layout, 0, kPieceBack, pair->deadline)) return kCopyDone;
  for (; walk_next(&w, &offset, &size); ++piece) {
    char *to = pair->first + offset;
    if (pair->readable != NULL && end_of_run != to) { /* callbacks may have freed it */
      if (!is_still_mapped(to, size + (size_t)w.left)) return kCopyNotMapped;
    }
    end_of_run = w.left > 0 ? to + size : NULL;
    if (memcmp(to, pair->copy + offset, size) == 0) continue;
    if (count == 0 && is_read_only(pair->object)) return kCopyDone;
    if (pair->readable != NULL && !can_write(&known, to, size, size + (size_t)w.left)) {
      return kCopyNotMapped;
    }
    if (count++ == 0) pair->first_piece = piece;
    pair->end_piece = piece + 1;
  }
  pair->all_differ = count == pair->end_piece - pair->first_piece;
  return w.is_late ? kCopyLate : kCopyDone;
}

/* What differs now and did not before, because the other process writes on, is checked again. */
copy_result tensor_copy_back(const tensor_pair *pair) {
  writable_memory known = {NULL, NULL, 0};
  walk w;
  int64_t offset, piece;
  size_t size;
  if (pair->end_piece == 0) return kCopyDone;
  if (!walk_begin(&w, pair->layout, 0, kPieceBack, 0)) return kCopyDone;
  for (piece = 0; piece < pair->end_piece && walk_next(&w, &offset, &size); ++piece) {
    char *to = pair->first + offset;
    if (piece < pair->first_piece) continue;
    if (!pair->all_differ) {
      if (memcmp(to, pair->copy + offset, size) == 0) continue;
      if (pair->readable != NULL && !can_write(&known, to, size, size)) return kCopyNotMapped;
    }
    memcpy(to, pair->copy + offset, size);
  }
  return kCopyDone;
}

/* ---- Copies of what the other side sends ---- */

int tensor_block_make(const char *like, size_t size, tensor_block **out) {
  const size_t head = sizeof(tensor_block) + kTensorAlignment -
                      sizeof(tensor_block) % kTensorAlignment + (uintptr_t)like % kTensorAlignment;
  void *memory;
  if (posix_memalign(&memory, kTensorAlignment, head + size + 1) != 0) {
    return tvm_ffi_error_raise_memory();
  }
  *out = memory;
  (*out)->references = 1;
  (*out)->bytes = (char *)memory + head;
  return 0;
}

tensor_block *tensor_block_retain(tensor_block *self) {
  __atomic_fetch_add(&self->references, 1, __ATOMIC_RELAXED);
  return self;
}

void tensor_block_release(tensor_block *self) {
  if (self != NULL && __atomic_sub_fetch(&self->references, 1, __ATOMIC_ACQ_REL) == 0) free(self);
}

/*
 * A gap of less than a page shares its memory with elements, so that a copy of it takes less time
 * than a run of its own. The pages of larger gaps may not be there, and are not asked for.
 */
copy_result tensor_take_copy(const DLTensor *layout, const char *from, char *to, int64_t deadline) {
  enum { kStep = 1 << 26 };
  walk w;
  int64_t offset;
  size_t size;
  if (!walk_begin_limited(&w, layout, (int64_t)memory_page_size(), kStep, deadline)) {
    return kCopyDone;
  }
  while (walk_next(&w, &offset, &size)) memcpy(to + offset, from + offset, size);
  return w.is_late ? kCopyLate : kCopyDone;
}

copy_result tensor_return_copy(const DLTensor *layout, const char *from, char *to,
                               int64_t deadline) {
  walk w;
  int64_t offset;
  size_t size;
  if (!walk_begin_limited(&w, layout, 0, kPieceBack, deadline)) return kCopyDone;
  while (walk_next(&w, &offset, &size)) {
    if (memcmp(to + offset, from + offset, size) != 0) memcpy(to + offset, from + offset, size);
  }
  return w.is_late ? kCopyLate : kCopyDone;
}

int tensor_copy_compact(const DLTensor *tensor, char *first, TVMFFIObjectHandle *out) {
  DLTensor wanted = *tensor;
  char *to;
  int64_t lo, hi;
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&wanted, out));
  to = TVMFFITensorGetDLTensorPtr(*out)->data;
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    if (tensor_find_extent(tensor, &lo, &hi)) memcpy(to, first, (size_t)hi);
  } else {
    const int64_t size = (int64_t)tensor->dtype.bits * tensor->dtype.lanes / 8;
    int64_t index[kMaxDims] = {0}, offset;
    int32_t i;
    do {
      for (offset = 0, i = 0; i < tensor->ndim; ++i) offset += index[i] * tensor->strides[i];
      memcpy(to, first + offset * size, (size_t)size);
      to += size;
      for (i = tensor->ndim - 1; i >= 0 && ++index[i] == tensor->shape[i]; --i) index[i] = 0;
    } while (i >= 0);
  }
  return 0;
}

/* ---- Tensors in shared memory ---- */

typedef struct {
  DLManagedTensorVersioned managed;
  heap *source;
  size_t size;
  int64_t numbers[]; /* shape and strides */
} heap_tensor;

static void delete_heap_tensor(DLManagedTensorVersioned *managed) {
  heap_tensor *self = managed->manager_ctx;
  heap_free(self->source, managed->dl_tensor.data, self->size);
  free(self);
}

int tensor_in_heap(heap *source, const DLTensor *prototype, DLManagedTensorVersioned **out,
                   void *error_ctx,
                   void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  DLTensor layout = *prototype;
  heap_tensor *self;
  int64_t lo, hi;
  layout.strides = NULL;
  if (layout.device.device_type != kDLCPU || !tensor_find_extent(&layout, &lo, &hi)) {
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR,
              "shared memory is for tensors of the CPU with a valid shape and dtype");
    return -1;
  }
  self = calloc(1, sizeof *self + (2 * (size_t)layout.ndim + 1) * sizeof(int64_t));
  if (self != NULL) {
    self->source = source;
    self->size = (size_t)hi + (hi == 0);
    layout.data = heap_allocate(source, self->size);
  }
  if (self == NULL || layout.data == NULL) {
    free(self);
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "no shared memory is left");
    return -1;
  }
  layout.byte_offset = 0;
  layout.shape = self->numbers;
  layout.strides = self->numbers + layout.ndim;
  if (layout.ndim > 0) {
    memcpy(layout.shape, prototype->shape, (size_t)layout.ndim * sizeof(int64_t));
    tvm_ffi_shape_fill_strides(layout.shape, layout.ndim, layout.strides);
  }
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = delete_heap_tensor;
  self->managed.dl_tensor = layout;
  *out = &self->managed;
  return 0;
}
