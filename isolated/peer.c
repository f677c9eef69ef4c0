/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c/host.h>

enum {
  kMaxDepth = 100,         /* of containers in containers, and of causes of errors */
  kMaxCalls = 200,         /* of calls within callbacks */
  kMaxDims = 64,           /* of a tensor */
  kMaxMessage = 1 << 28,   /* of the part of a message that is copied before it is read */
  kSmallTensor = 64 << 10, /* results up to this size are copied; larger ones are lent */
  kTensorAlignment = 64
};

/* Where the elements of a tensor are. */
enum {
  kPlaceAttached, /* behind the message, as long as the call */
  kPlacePool,
  kPlaceHeap, /* in the receiver's region */
  kPlaceLent  /* in the sender's region, until the receiver releases the object */
};

/* ---- Layouts of tensors ---- */

/*
 * The bytes that the elements take, relative to the first. False for what has no such layout;
 * nothing is assumed of the tensor.
 */
static bool find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi) {
  const int64_t bits = (int64_t)tensor->dtype.bits * tensor->dtype.lanes;
  int64_t numel = 1, first = 0, last = 0, compact = 1, bytes;
  bool is_compact = true;
  int32_t i;
  if (tensor->ndim < 0 || tensor->ndim > kMaxDims || tensor->dtype.code == kDLOpaqueHandle) {
    return false;
  }
  if (tensor->dtype.bits == 0 || tensor->dtype.lanes == 0 || tensor->dtype.lanes > 0x7fff) {
    return false;
  }
  if (tensor->ndim > 0 && tensor->shape == NULL) return false;
  for (i = 0; i < tensor->ndim; ++i) {
    if (tensor->shape[i] < 0) return false;
    if (tensor->shape[i] == 0) numel = 0;
  }
  *lo = *hi = 0;
  if (numel == 0) return true;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    const int64_t extent = tensor->shape[i];
    const int64_t stride = tensor->strides != NULL ? tensor->strides[i] : compact;
    int64_t reach;
    if (__builtin_mul_overflow(extent - 1, stride, &reach)) return false;
    if (__builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last)) {
      return false;
    }
    if (extent != 1 && stride != compact) is_compact = false;
    if (__builtin_mul_overflow(compact, extent, &compact)) return false;
  }
  if (bits % 8 != 0) { /* elements share bytes */
    if (!is_compact || __builtin_mul_overflow(compact, bits, &bytes)) return false;
    *hi = bytes / 8 + (bytes % 8 != 0);
    return true;
  }
  if (last == INT64_MAX) return false;
  return !__builtin_mul_overflow(first, bits / 8, lo) &&
         !__builtin_mul_overflow(last + 1, bits / 8, hi);
}

/* Copies bytes that differ; asks once whether it may. False: it may not. */
typedef struct {
  TVMFFIObjectHandle object; /* the Tensor that must be writable, or NULL */
  bool is_known, may_write;
  bool always; /* the target is memory of this library, with unknown content */
} copy_rule;

static bool may_write(copy_rule *rule) {
  uint64_t flags = 0;
  if (!rule->is_known) {
    rule->is_known = true;
    /* Without memory to ask, nothing is written. */
    rule->may_write =
        rule->object == NULL || (tvm_ffi_tensor_read_flags(rule->object, &flags) == 0 &&
                                 (flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0);
  }
  return rule->may_write;
}

static bool copy_run(char *to, const char *from, size_t size, copy_rule *rule) {
  enum { kStep = 16 << 10 };
  if (rule->always) {
    memcpy(to, from, size);
    return true;
  }
  while (size > 0) {
    const size_t step = size < kStep ? size : kStep;
    if (memcmp(to, from, step) != 0) {
      if (!may_write(rule)) return false;
      memcpy(to, from, step);
    }
    to += step;
    from += step;
    size -= step;
  }
  return true;
}

/*
 * Copies the elements between two places with the same layout, of which both addresses are the
 * first element. The gaps between elements are left alone: they may be another thread's.
 */
static void copy_elements(const DLTensor *layout, char *to, const char *from, copy_rule rule) {
  int64_t index[kMaxDims] = {0}, run, lo, hi, compact = 1;
  int32_t outer = layout->ndim, i;
  if (!find_extent(layout, &lo, &hi) || lo == hi) return;
  if (layout->strides == NULL || (int64_t)layout->dtype.bits * layout->dtype.lanes % 8 != 0) {
    copy_run(to, from, (size_t)hi, &rule);
    return;
  }
  run = (int64_t)layout->dtype.bits * layout->dtype.lanes / 8;
  while (outer > 0 && (layout->shape[outer - 1] == 1 || layout->strides[outer - 1] == compact)) {
    compact *= layout->shape[--outer];
  }
  for (;;) {
    int64_t offset = 0;
    for (i = 0; i < outer; ++i) offset += index[i] * layout->strides[i] * run;
    if (!copy_run(to + offset, from + offset, (size_t)(compact * run), &rule)) return;
    for (i = outer - 1; i >= 0 && ++index[i] == layout->shape[i]; --i) index[i] = 0;
    if (i < 0) return;
  }
}

/* ---- Objects of the other side ---- */

/* Counts one more object, and reserves what is needed to release it later. */
static int import_begin(peer *self) {
  int code = 0;
  pthread_mutex_lock(&self->lock);
  if (self->num_imports == self->released_capacity) {
    const size_t capacity = self->released_capacity == 0 ? 16 : 2 * self->released_capacity;
    uint32_t *released = realloc(self->released, capacity * sizeof *released);
    if (released != NULL) {
      self->released = released;
      self->released_capacity = capacity;
    } else {
      code = -1;
    }
  }
  if (code == 0) ++self->num_imports;
  pthread_mutex_unlock(&self->lock);
  return code == 0 ? 0 : tvm_ffi_error_raise_memory();
}

/* There was no such object after all. */
static void import_cancel(peer *self) {
  pthread_mutex_lock(&self->lock);
  --self->num_imports;
  pthread_mutex_unlock(&self->lock);
}

/* An object of the other side has died here: the next message says so. */
static void import_end(peer *self, uint32_t number) {
  pthread_mutex_lock(&self->lock);
  self->released[self->num_released++] = number;
  pthread_mutex_unlock(&self->lock);
}

/* A function of the other side, as a Function of this one. */
typedef struct proxy {
  peer *owner;
  TVMFFIObjectHandle object;
  uint32_t number;
  struct proxy *next, *previous; /* of the same owner, under its lock */
} proxy;

static int call_proxy(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const proxy *self = handle;
  return self->owner->hooks->call(self->owner, self->number, args, num_args, result);
}

static void delete_proxy(void *handle) {
  proxy *self = handle;
  peer *owner = self->owner;
  pthread_mutex_lock(&owner->lock);
  if (self->next != NULL) self->next->previous = self->previous;
  *(self->previous != NULL ? &self->previous->next : &owner->proxies) = self->next;
  pthread_mutex_unlock(&owner->lock);
  import_end(owner, self->number);
  owner->hooks->release(owner);
  free(self);
}

static int import_function(peer *owner, uint32_t number, TVMFFIObjectHandle *out) {
  proxy *self = malloc(sizeof *self);
  if (self == NULL) return tvm_ffi_error_raise_memory();
  self->owner = owner;
  self->number = number;
  if (import_begin(owner) != 0) {
    free(self);
    return -1;
  }
  if (TVMFFIFunctionCreate(self, call_proxy, delete_proxy, &self->object) != 0) {
    import_cancel(owner);
    free(self);
    return -1;
  }
  owner->hooks->retain(owner);
  pthread_mutex_lock(&owner->lock);
  self->previous = NULL;
  self->next = owner->proxies;
  if (self->next != NULL) self->next->previous = self;
  owner->proxies = self;
  pthread_mutex_unlock(&owner->lock);
  *out = self->object;
  return 0;
}

uint32_t peer_number_of(peer *self, const TVMFFIAny *value) {
  const proxy *found;
  uint32_t number = 0;
  if (value->type_index != kTVMFFIFunction) return 0;
  pthread_mutex_lock(&self->lock);
  for (found = self->proxies; found != NULL && found->object != value->v_obj; found = found->next) {
    continue;
  }
  if (found != NULL) number = found->number;
  pthread_mutex_unlock(&self->lock);
  return number;
}

/* ---- Objects of this side ---- */

/* Keeps an object for the other side. 0 without memory. */
static uint32_t export_object(peer *self, TVMFFIObjectHandle object) {
  uint32_t number = self->first_free;
  if (number != 0) {
    self->first_free = self->exports[number - 1].next_free;
  } else {
    if (self->num_exports == self->exports_capacity) {
      const uint32_t capacity = self->exports_capacity == 0 ? 16 : 2 * self->exports_capacity;
      peer_export *exports = realloc(self->exports, capacity * sizeof *exports);
      if (exports == NULL) return 0;
      self->exports = exports;
      self->exports_capacity = capacity;
    }
    number = ++self->num_exports;
  }
  self->exports[number - 1].object = tvm_ffi_object_retain(object);
  return number;
}

/* The object with a number from the other side; NULL: it has none. */
static TVMFFIObjectHandle find_export(const peer *self, uint32_t number) {
  return number >= 1 && number <= self->num_exports ? self->exports[number - 1].object : NULL;
}

static void release_export(peer *self, uint32_t number) {
  const TVMFFIObjectHandle object = find_export(self, number);
  if (object == NULL) return;
  self->exports[number - 1].object = NULL;
  self->exports[number - 1].next_free = self->first_free;
  self->first_free = number;
  tvm_ffi_object_release(object); /* last, for it may run code that comes back here */
}

void peer_release_exports(peer *self) {
  uint32_t i;
  for (i = 1; i <= self->num_exports; ++i) release_export(self, i);
}

void peer_init(peer *self) {
  pthread_mutex_init(&self->lock, NULL);
}

void peer_fini(peer *self) {
  peer_release_exports(self);
  pthread_mutex_destroy(&self->lock);
  free(self->exports);
  free(self->released);
}

/* ---- Views: tensors whose elements come from the other side ---- */

typedef struct view {
  DLManagedTensorVersioned managed;
  TVMFFIObjectHandle object; /* the Tensor; NULL for a DLTensor that is passed as a pointer */
  void *copy;                /* the elements, if they are this view's own */
  char *attached;            /* the first element in the other side's region, to be written back */
  peer *lender;              /* whom `number` belongs to; NULL: not lent */
  uint32_t number;
  struct view *next;
  int64_t numbers[]; /* shape and strides */
} view;

static void free_view(view *self) {
  if (self->lender != NULL) {
    import_end(self->lender, self->number);
    self->lender->hooks->release(self->lender);
  }
  free(self->copy);
  free(self);
}

static void delete_view(DLManagedTensorVersioned *managed) {
  free_view(managed->manager_ctx);
}

static view *new_view(const DLTensor *layout) {
  const size_t dims = (size_t)layout->ndim;
  view *self = calloc(1, sizeof *self + (2 * dims + 1) * sizeof(int64_t));
  if (self == NULL) return NULL;
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = delete_view;
  self->managed.dl_tensor = *layout;
  self->managed.dl_tensor.shape = self->numbers;
  self->managed.dl_tensor.strides = self->numbers + dims;
  self->managed.dl_tensor.byte_offset = 0;
  if (dims > 0) {
    memcpy(self->numbers, layout->shape, dims * sizeof(int64_t));
    if (layout->strides != NULL) {
      memcpy(self->numbers + dims, layout->strides, dims * sizeof(int64_t));
    } else {
      tvm_ffi_shape_fill_strides(layout->shape, layout->ndim, self->numbers + dims);
    }
  }
  return self;
}

/*
 * Gives the tensor elements of its own, in which those at `from` are copied. Their addresses are
 * aligned as `from` is.
 */
static int take_copy(DLTensor *tensor, const char *from, void **out_copy) {
  const copy_rule rule = {.always = true};
  int64_t lo, hi;
  size_t shift;
  char *first;
  if (!find_extent(tensor, &lo, &hi)) {
    return TVM_FFI_C_RAISE("ValueError", "a tensor without a layout");
  }
  shift = (size_t)((uintptr_t)(from + lo) % kTensorAlignment);
  if (posix_memalign(out_copy, kTensorAlignment, (size_t)(hi - lo) + shift + 1) != 0) {
    *out_copy = NULL;
    return tvm_ffi_error_raise_memory();
  }
  /* Gaps are not initialised by anything else. */
  memset(*out_copy, 0, (size_t)(hi - lo) + shift + 1);
  first = (char *)*out_copy + shift - lo;
  copy_elements(tensor, first, from, rule);
  tensor->data = first;
  return 0;
}

/* ---- Writing ---- */

/* A tensor whose elements are attached: copied behind the message, as long as the call. */
typedef struct {
  const DLTensor *tensor;
  TVMFFIObjectHandle object; /* NULL: a pointer */
  char *first;               /* of the tensor, in this process */
  uintptr_t begin, end;
  size_t offset_at; /* where the message has the offset of the first element */
  size_t offset;    /* which is this, in the own region */
} attached_tensor;

typedef struct {
  peer *peer;
  size_t begin, at;
  bool is_call;              /* of this side, rather than an answer */
  const TVMFFIAny *answered; /* the arguments of the call that is answered */
  int32_t num_answered;
  attached_tensor *attached;
  size_t num_attached, attached_capacity;
  uint32_t *exported; /* in this message, to be taken back if it cannot be sent */
  size_t num_exported, exported_capacity;
  size_t num_released; /* that the message tells */
  bool is_sent;
} writer;

static int fail_size(void) {
  return TVM_FFI_C_RAISE("MemoryError",
                         "a message between processes does not fit into the shared memory");
}

static int put_bytes(writer *w, const void *bytes, size_t size) {
  const size_t padded = (size + 7) / 8 * 8;
  char *to;
  if (padded < size || padded > w->peer->channel.message_limit - w->at ||
      w->at + padded - w->begin > kMaxMessage ||
      !channel_reserve(&w->peer->channel, w->at + padded)) {
    return fail_size();
  }
  to = w->peer->channel.region[w->peer->channel.own_side] + w->at;
  if (padded != size) memset(to + padded - 8, 0, 8);
  if (size > 0) memcpy(to, bytes, size);
  w->at += padded;
  return 0;
}

static int put(writer *w, uint64_t word) {
  return put_bytes(w, &word, sizeof word);
}

static int put_tag(writer *w, unsigned tag, uint64_t more) {
  return put(w, tag | more << 32);
}

static int put_sized(writer *w, unsigned tag, TVMFFIByteArray bytes) {
  TVM_FFI_C_TRY(put_tag(w, tag, 0));
  TVM_FFI_C_TRY(put(w, bytes.size));
  return put_bytes(w, bytes.data, bytes.size);
}

static int put_export(writer *w, TVMFFIObjectHandle object, uint32_t *out) {
  uint32_t number;
  if (w->num_exported == w->exported_capacity) {
    const size_t capacity = w->exported_capacity == 0 ? 8 : 2 * w->exported_capacity;
    uint32_t *exported = realloc(w->exported, capacity * sizeof *exported);
    if (exported == NULL) return tvm_ffi_error_raise_memory();
    w->exported = exported;
    w->exported_capacity = capacity;
  }
  number = export_object(w->peer, object);
  if (number == 0) return tvm_ffi_error_raise_memory();
  w->exported[w->num_exported++] = number;
  *out = number;
  return 0;
}

static bool lies_in(uintptr_t begin, uintptr_t end, const char *base, size_t size) {
  return base != NULL && begin >= (uintptr_t)base && end <= (uintptr_t)base + size;
}

static int put_layout(writer *w, const DLTensor *tensor, unsigned tag, unsigned place,
                      uint64_t offset) {
  uint64_t dtype = 0;
  int64_t strides[kMaxDims];
  const size_t size = (size_t)tensor->ndim * sizeof(int64_t);
  memcpy(&dtype, &tensor->dtype, sizeof tensor->dtype);
  TVM_FFI_C_TRY(put_tag(w, tag, (uint64_t)tensor->ndim | (uint64_t)place << 16));
  TVM_FFI_C_TRY(put(w, offset));
  TVM_FFI_C_TRY(put(w, dtype));
  TVM_FFI_C_TRY(put_bytes(w, tensor->shape, size));
  if (tensor->strides != NULL) return put_bytes(w, tensor->strides, size);
  tvm_ffi_shape_fill_strides(tensor->shape, tensor->ndim, strides);
  return put_bytes(w, strides, size);
}

static int attach(writer *w, const DLTensor *tensor, TVMFFIObjectHandle object, unsigned tag,
                  char *first, uintptr_t begin, uintptr_t end) {
  attached_tensor *added;
  if (w->num_attached == w->attached_capacity) {
    const size_t capacity = w->attached_capacity == 0 ? 8 : 2 * w->attached_capacity;
    attached_tensor *attached = realloc(w->attached, capacity * sizeof *attached);
    if (attached == NULL) return tvm_ffi_error_raise_memory();
    w->attached = attached;
    w->attached_capacity = capacity;
  }
  added = &w->attached[w->num_attached];
  added->tensor = tensor;
  added->object = object;
  added->first = first;
  added->begin = begin;
  added->end = end;
  added->offset_at = w->at + sizeof(uint64_t);
  TVM_FFI_C_TRY(put_layout(w, tensor, tag, kPlaceAttached, 0));
  ++w->num_attached;
  return 0;
}

/* A compact copy of the tensor in memory that the host can keep. */
static int copy_to_heap(const DLTensor *tensor, char *first, TVMFFIObjectHandle *out) {
  DLTensor wanted = *tensor;
  char *to;
  int64_t lo, hi;
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&wanted, out));
  to = TVMFFITensorGetDLTensorPtr(*out)->data;
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    if (find_extent(tensor, &lo, &hi)) memcpy(to, first, (size_t)hi);
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

static int put_lent(writer *w, const DLTensor *tensor, TVMFFIObjectHandle object, uintptr_t first) {
  const channel *c = &w->peer->channel;
  uint32_t number;
  TVM_FFI_C_TRY(put_export(w, object, &number));
  TVM_FFI_C_TRY(
      put_layout(w, tensor, kTagTensor, kPlaceLent, first - (uintptr_t)c->region[c->own_side]));
  return put(w, number);
}

static int put_tensor(writer *w, DLTensor *tensor, TVMFFIObjectHandle object, unsigned tag) {
  const peer *p = w->peer;
  const channel *c = &p->channel;
  char *first = tensor->data == NULL ? NULL : (char *)tensor->data + tensor->byte_offset;
  int64_t lo, hi;
  uintptr_t begin, end;
  if (tensor->device.device_type != kDLCPU) {
    return TVM_FFI_C_RAISE("TypeError",
                           "a tensor of device type %d cannot cross to another process",
                           (int)tensor->device.device_type);
  }
  if (!find_extent(tensor, &lo, &hi) || (first == NULL && hi > lo)) {
    return TVM_FFI_C_RAISE("ValueError",
                           "a tensor that is not valid, or whose elements share bytes and are "
                           "not contiguous, cannot cross to another process");
  }
  begin = (uintptr_t)first + (uintptr_t)lo;
  end = (uintptr_t)first + (uintptr_t)hi;
  if (hi > lo && c->own_side == kSideHost && w->is_call) {
    if (lies_in(begin, end, p->pool, p->pool_size)) {
      return put_layout(w, tensor, tag, kPlacePool, (uintptr_t)first - (uintptr_t)p->pool);
    }
    if (lies_in(begin, end, c->region[kSideHelper] + c->message_limit,
                c->region_size - c->message_limit)) {
      return put_layout(w, tensor, tag, kPlaceHeap,
                        (uintptr_t)first - (uintptr_t)c->region[kSideHelper]);
    }
  }
  if (c->own_side == kSideHelper && !w->is_call && object != NULL && hi > lo) {
    TVMFFIObjectHandle made;
    int code;
    if (lies_in(begin, end, c->region[kSideHelper] + c->message_limit,
                c->region_size - c->message_limit)) {
      return put_lent(w, tensor, object, (uintptr_t)first);
    }
    if (hi - lo > kSmallTensor) {
      TVM_FFI_C_TRY(copy_to_heap(tensor, first, &made));
      code = put_lent(w, TVMFFITensorGetDLTensorPtr(made), made,
                      (uintptr_t)TVMFFITensorGetDLTensorPtr(made)->data);
      tvm_ffi_object_release(made);
      return code;
    }
  }
  return attach(w, tensor, object, tag, first, begin, end);
}

static int put_value(writer *w, const TVMFFIAny *value, int depth);

static int put_sequence(writer *w, TVMFFIObjectHandle sequence, unsigned tag, int depth) {
  const int64_t size = tvm_ffi_array_get_size(sequence);
  int64_t i;
  TVM_FFI_C_TRY(put_tag(w, tag, 0));
  TVM_FFI_C_TRY(put(w, (uint64_t)size));
  for (i = 0; i < size; ++i) {
    TVM_FFI_C_TRY(put_value(w, tvm_ffi_array_get_data(sequence) + i, depth + 1));
  }
  return 0;
}

static int put_entries(writer *w, TVMFFIObjectHandle iterator, int64_t size, int depth) {
  int64_t i;
  int step;
  for (i = 0; i < size; ++i) {
    for (step = 0; step <= 2; ++step) { /* the key, the value, on to the next */
      TVMFFIAny arg = tvm_ffi_any_from_int64(step), part;
      int code;
      TVM_FFI_C_TRY(tvm_ffi_function_call(iterator, &arg, 1, &part));
      code = step < 2 ? put_value(w, &part, depth + 1) : 0;
      tvm_ffi_any_clear(&part);
      TVM_FFI_C_TRY(code);
    }
  }
  return 0;
}

static int put_map(writer *w, TVMFFIObjectHandle map, unsigned tag, int depth) {
  const char *name = tag == kTagMap ? "ffi.MapForwardIterFunctor" : "ffi.DictForwardIterFunctor";
  TVMFFIAny arg = tvm_ffi_any_view_object(map), iterator;
  int64_t size;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_map_read_size(map, &size));
  TVM_FFI_C_TRY(put_tag(w, tag, 0));
  TVM_FFI_C_TRY(put(w, (uint64_t)size));
  TVM_FFI_C_TRY(tvm_ffi_function_call_global(name, &arg, 1, &iterator));
  code = put_entries(w, iterator.v_obj, size, depth);
  tvm_ffi_any_clear(&iterator);
  return code;
}

static int put_error(writer *w, TVMFFIObjectHandle error, int depth) {
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  const bool has_cause = cell->cause_chain != NULL && depth < kMaxDepth;
  TVM_FFI_C_TRY(put_tag(w, kTagError, has_cause));
  TVM_FFI_C_TRY(put_sized(w, kTagText, cell->kind));
  TVM_FFI_C_TRY(put_sized(w, kTagText, cell->message));
  TVM_FFI_C_TRY(put_sized(w, kTagText, cell->backtrace));
  return has_cause ? put_error(w, cell->cause_chain, depth + 1) : 0;
}

static int put_function(writer *w, const TVMFFIAny *value) {
  uint32_t number = peer_number_of(w->peer, value);
  if (number != 0) return put_tag(w, kTagYours, number);
  TVM_FFI_C_TRY(put_export(w, value->v_obj, &number));
  return put_tag(w, kTagFunction, number);
}

/* The index of a tensor among the arguments of the call that is answered, or -1. */
static int32_t find_argument(const writer *w, const TVMFFIAny *value) {
  int32_t i;
  for (i = 0; i < w->num_answered; ++i) {
    if (w->answered[i].type_index == kTVMFFITensor && w->answered[i].v_obj == value->v_obj)
      return i;
  }
  return -1;
}

static int put_object(writer *w, const TVMFFIAny *value, int depth) {
  const TVMFFIObjectHandle object = value->v_obj;
  if (depth > kMaxDepth) {
    return TVM_FFI_C_RAISE("ValueError", "a value that is nested more than %d levels deep",
                           kMaxDepth);
  }
  switch (value->type_index) {
    case kTVMFFIStr:
      return put_sized(w, kTagText, *TVMFFIBytesGetByteArrayPtr(object));
    case kTVMFFIBytes:
      return put_sized(w, kTagBytes, *TVMFFIBytesGetByteArrayPtr(object));
    case kTVMFFIBigInt:
      return put_sized(w, kTagBigInt, TVMFFIBigIntGetContentByteArray(value));
    case kTVMFFIShape: {
      const TVMFFIShapeCell *cell = TVMFFIShapeGetCellPtr(object);
      TVM_FFI_C_TRY(put_tag(w, kTagShape, 0));
      TVM_FFI_C_TRY(put(w, cell->size));
      return put_bytes(w, cell->data, cell->size * sizeof(int64_t));
    }
    case kTVMFFIArray:
      return put_sequence(w, object, kTagArray, depth);
    case kTVMFFIList:
      return put_sequence(w, object, kTagList, depth);
    case kTVMFFIMap:
      return put_map(w, object, kTagMap, depth);
    case kTVMFFIDict:
      return put_map(w, object, kTagDict, depth);
    case kTVMFFIError:
      return put_error(w, object, depth);
    case kTVMFFIFunction:
      return put_function(w, value);
    case kTVMFFITensor: {
      const int32_t i = find_argument(w, value);
      if (i >= 0) return put_tag(w, kTagArgument, (uint64_t)i);
      return put_tensor(w, TVMFFITensorGetDLTensorPtr(object), object, kTagTensor);
    }
    default:
      return TVM_FFI_C_RAISE("TypeError", "a value of type `%s` cannot cross to another process",
                             tvm_ffi_any_get_type_name(value));
  }
}

static int put_value(writer *w, const TVMFFIAny *value, int depth) {
  switch (value->type_index) {
    case kTVMFFINone:
      return put_tag(w, kTagNone, 0);
    case kTVMFFIInt:
      TVM_FFI_C_TRY(put_tag(w, kTagInt, 0));
      return put(w, value->v_uint64);
    case kTVMFFIBool:
      return put_tag(w, kTagBool, value->v_int64 != 0);
    case kTVMFFIFloat:
      TVM_FFI_C_TRY(put_tag(w, kTagFloat, 0));
      return put(w, value->v_uint64);
    case kTVMFFIOpaquePtr:
      if (value->v_ptr == NULL) return put_tag(w, kTagNull, 0);
      return TVM_FFI_C_RAISE("TypeError", "a pointer cannot cross to another process");
    case kTVMFFIDataType:
      TVM_FFI_C_TRY(put_tag(w, kTagDtype, 0));
      return put(w, value->v_uint64);
    case kTVMFFIDevice:
      TVM_FFI_C_TRY(put_tag(w, kTagDevice, 0));
      return put(w, value->v_uint64);
    case kTVMFFIDLTensorPtr:
      if (value->v_ptr == NULL) break;
      return put_tensor(w, value->v_ptr, NULL, kTagDLTensor);
    case kTVMFFIRawStr:
      if (value->v_c_str == NULL) break;
      return put_sized(w, kTagText, tvm_ffi_string_get_bytes(value->v_c_str));
    case kTVMFFIByteArrayPtr:
      if (value->v_ptr == NULL) break;
      return put_sized(w, kTagBytes, *(const TVMFFIByteArray *)value->v_ptr);
    case kTVMFFISmallStr:
      return put_sized(w, kTagText, TVMFFISmallBytesGetContentByteArray(value));
    case kTVMFFISmallBytes:
      return put_sized(w, kTagBytes, TVMFFISmallBytesGetContentByteArray(value));
    case kTVMFFIObjectRValueRef: {
      const TVMFFIObjectHandle *place = value->v_ptr;
      TVMFFIAny moved = tvm_ffi_any_view_object(place != NULL ? *place : NULL);
      return moved.type_index == kTVMFFINone ? put_tag(w, kTagNone, 0)
                                             : put_object(w, &moved, depth);
    }
    default:
      if (value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj != NULL) {
        return put_object(w, value, depth);
      }
  }
  return TVM_FFI_C_RAISE("TypeError", "a value of type index %d cannot cross to another process",
                         (int)value->type_index);
}

static int compare_begins(const void *a, const void *b) {
  const attached_tensor *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/*
 * Copies the elements of attached tensors behind the message, aligned as they are. Tensors that
 * overlap do so there, too.
 */
static int attach_elements(writer *w) {
  const channel *c = &w->peer->channel;
  char *region = c->region[c->own_side];
  const copy_rule rule = {.always = true};
  size_t at = w->at, i;
  uintptr_t block_begin = 0, block_end = 0; /* in the process */
  size_t block_at = 0;
  if (w->num_attached == 0) return 0;
  qsort(w->attached, w->num_attached, sizeof *w->attached, compare_begins);
  for (i = 0; i < w->num_attached; ++i) {
    attached_tensor *t = &w->attached[i];
    const size_t into = (size_t)((uintptr_t)t->first - t->begin);
    uint64_t offset;
    if (t->begin == t->end) {
      t->offset = at;
      offset = at;
      memcpy(region + t->offset_at, &offset, sizeof offset);
      continue;
    }
    if (t->begin >= block_end) {
      at = (at + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
      at += (size_t)(t->begin % kTensorAlignment);
      block_at = at;
      block_begin = t->begin;
      block_end = t->begin;
    }
    if (t->end > block_end) {
      const size_t more = (size_t)(t->end - block_end);
      if (at > c->message_limit || more > c->message_limit - at) return fail_size();
      at += more;
      block_end = t->end;
    }
    if (!channel_reserve(&w->peer->channel, at)) return fail_size();
    t->offset = block_at + (size_t)(t->begin - block_begin) + into;
    offset = t->offset;
    memcpy(region + t->offset_at, &offset, sizeof offset);
  }
  for (i = 0; i < w->num_attached; ++i) {
    copy_elements(w->attached[i].tensor, region + w->attached[i].offset, w->attached[i].first,
                  rule);
  }
  w->at = (at + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  return 0;
}

/* What the called function changed. */
static void copy_attached_back(const writer *w) {
  const channel *c = &w->peer->channel;
  size_t i;
  for (i = 0; i < w->num_attached; ++i) {
    const attached_tensor *t = &w->attached[i];
    const copy_rule rule = {.object = t->object};
    copy_elements(t->tensor, t->first, c->region[c->own_side] + t->offset, rule);
  }
}

/* Begins a message with the objects that died since the last one. */
static int begin_message(writer *w, operation op, uint32_t target, int32_t num_args) {
  peer *p = w->peer;
  size_t i, count;
  int code = 0;
  w->begin = w->at = p->top;
  pthread_mutex_lock(&p->lock);
  count = p->num_released;
  if (put_tag(w, (unsigned)op, count) != 0 || put_tag(w, target, (uint64_t)num_args) != 0) {
    code = -1;
  }
  for (i = 0; code == 0 && i < count; ++i) code = put(w, p->released[i]);
  pthread_mutex_unlock(&p->lock);
  w->num_released = count;
  return code;
}

/* `size` is that of the message without the elements of tensors. */
static void send_message(writer *w, size_t size) {
  peer *p = w->peer;
  if (w->num_released > 0) {
    pthread_mutex_lock(&p->lock);
    p->num_released -= w->num_released;
    p->num_imports -= w->num_released;
    memmove(p->released, p->released + w->num_released, p->num_released * sizeof *p->released);
    pthread_mutex_unlock(&p->lock);
  }
  w->is_sent = true;
  channel_send(&p->channel, w->begin, size);
}

static void end_writer(writer *w) {
  size_t i;
  for (i = 0; !w->is_sent && i < w->num_exported; ++i) release_export(w->peer, w->exported[i]);
  free(w->exported);
  free(w->attached);
}

/* ---- Reading ---- */

/* How tensors of a message are received. */
typedef enum {
  kInPlace,  /* arguments in the helper: the elements are used where they are */
  kCopyBack, /* arguments in the host: copied, and what changed is written back */
  kKeep      /* results: copied, or lent */
} tensor_mode;

typedef struct {
  peer *peer;
  char *copy; /* of the message */
  const char *at, *end;
  operation op;
  uint32_t target;
  int32_t num_args;
  uint64_t structure_end; /* in the sender's region */
  tensor_mode mode;
  view *views;              /* of arguments */
  const TVMFFIAny *answers; /* the arguments of the call that is answered */
  int32_t num_answers;
  const char *damage; /* what is wrong with the message; then an error may not be raised */
} reader;

static int damaged(reader *r, const char *reason) {
  r->damage = reason;
  return -1;
}

static int get_bytes(reader *r, size_t size, const char **out) {
  const size_t padded = (size + 7) / 8 * 8;
  if (padded < size || padded > (size_t)(r->end - r->at))
    return damaged(r, "a message is too short");
  *out = r->at;
  r->at += padded;
  return 0;
}

static int get(reader *r, uint64_t *out) {
  const char *bytes;
  TVM_FFI_C_TRY(get_bytes(r, sizeof *out, &bytes));
  memcpy(out, bytes, sizeof *out);
  return 0;
}

static int get_sized(reader *r, TVMFFIByteArray *out) {
  uint64_t size;
  TVM_FFI_C_TRY(get(r, &size));
  if (size > (uint64_t)(r->end - r->at)) return damaged(r, "a text is longer than its message");
  out->size = (size_t)size;
  return get_bytes(r, out->size, &out->data);
}

/* The number of elements, each of which takes a word at least. */
static int get_count(reader *r, size_t words_each, size_t *out) {
  uint64_t count;
  TVM_FFI_C_TRY(get(r, &count));
  if (count > (uint64_t)(r->end - r->at) / (8 * words_each) || count > INT32_MAX / 2) {
    return damaged(r, "a container is larger than its message");
  }
  *out = (size_t)count;
  return 0;
}

/* The first element at an offset, if all are within a range. */
static char *find_elements(char *base, uint64_t begin, uint64_t end, uint64_t offset, int64_t lo,
                           int64_t hi) {
  if (offset < begin || offset > end) return NULL;
  if (lo < 0 && (uint64_t)-lo > offset - begin) return NULL;
  if (hi > 0 && (uint64_t)hi > end - offset) return NULL;
  return base + offset;
}

static char *find_place(const reader *r, unsigned place, uint64_t offset, int64_t lo, int64_t hi) {
  const peer *p = r->peer;
  const channel *c = &p->channel;
  const side other = c->own_side == kSideHost ? kSideHelper : kSideHost;
  switch (place) {
    case kPlaceAttached:
      return find_elements(c->region[other], r->structure_end, c->message_limit, offset, lo, hi);
    case kPlacePool:
      if (c->own_side != kSideHelper || r->mode != kInPlace) return NULL;
      return find_elements(p->pool, 0, p->pool_size, offset, lo, hi);
    case kPlaceHeap:
      if (c->own_side != kSideHelper || r->mode != kInPlace) return NULL;
      return find_elements(c->region[c->own_side], c->message_limit, c->region_size, offset, lo,
                           hi);
    case kPlaceLent:
      if (c->own_side != kSideHost || r->mode != kKeep) return NULL;
      return find_elements(c->region[other], c->message_limit, c->region_size, offset, lo, hi);
    default:
      return NULL;
  }
}

static int take_lent(reader *r, view *made) {
  uint64_t number;
  TVM_FFI_C_TRY(get(r, &number));
  if (number == 0 || number > UINT32_MAX) return damaged(r, "a tensor has no number");
  TVM_FFI_C_TRY(import_begin(r->peer));
  made->number = (uint32_t)number;
  made->lender = r->peer;
  r->peer->hooks->retain(r->peer);
  return 0;
}

static int fill_view(reader *r, unsigned place, char *first, int64_t lo, int64_t hi, view *made) {
  made->managed.dl_tensor.data = first;
  if (place == kPlaceLent) return take_lent(r, made);
  if (r->mode == kInPlace) {
    if (place == kPlacePool) r->peer->hooks->open_pool(r->peer, first + lo, first + hi);
    return 0;
  }
  if (r->mode == kCopyBack) made->attached = first;
  return take_copy(&made->managed.dl_tensor, first, &made->copy);
}

static int get_tensor(reader *r, bool is_object, unsigned ndim, unsigned place, TVMFFIAny *out) {
  DLTensor layout;
  uint64_t offset, dtype;
  int64_t numbers[2 * kMaxDims], lo, hi;
  const char *bytes;
  const size_t size = ndim * sizeof(int64_t);
  char *first;
  view *made;
  if (ndim > kMaxDims) return damaged(r, "a tensor has too many dimensions");
  TVM_FFI_C_TRY(get(r, &offset));
  TVM_FFI_C_TRY(get(r, &dtype));
  TVM_FFI_C_TRY(get_bytes(r, 2 * size, &bytes));
  memcpy(numbers, bytes, 2 * size);
  memset(&layout, 0, sizeof layout);
  memcpy(&layout.dtype, &dtype, sizeof layout.dtype);
  layout.device.device_type = kDLCPU;
  layout.ndim = (int32_t)ndim;
  layout.shape = numbers;
  layout.strides = numbers + ndim;
  if (!find_extent(&layout, &lo, &hi)) return damaged(r, "a tensor is not valid");
  first = find_place(r, place, offset, lo, hi);
  if (first == NULL) return damaged(r, "a tensor is not in the shared memory");
  made = new_view(&layout);
  if (made == NULL) return tvm_ffi_error_raise_memory();
  if (fill_view(r, place, first, lo, hi, made) != 0 ||
      (is_object && TVMFFITensorFromDLPackVersioned(&made->managed, 0, 0, &made->object) != 0)) {
    free_view(made);
    return -1;
  }
  if (r->mode == kKeep) {
    if (!is_object) {
      free_view(made);
      return damaged(r, "a result is a pointer to a tensor");
    }
    *out = tvm_ffi_any_take_object(made->object);
    return 0;
  }
  made->next = r->views;
  r->views = made;
  *out = is_object ? tvm_ffi_any_share_object(made->object)
                   : tvm_ffi_any_view_tensor(&made->managed.dl_tensor);
  return 0;
}

static int get_value(reader *r, int depth, TVMFFIAny *out);

static int make_container(unsigned tag, const TVMFFIAny *items, size_t count, TVMFFIAny *out) {
  static const char *const kNames[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};
  return tvm_ffi_function_call_global(kNames[tag - kTagArray], items, (int32_t)count, out);
}

static int get_container(reader *r, unsigned tag, int depth, TVMFFIAny *out) {
  const size_t each = tag == kTagMap || tag == kTagDict ? 2 : 1;
  TVMFFIAny *items;
  size_t count, done = 0;
  int code = 0;
  if (depth >= kMaxDepth) return damaged(r, "a container is nested too deep");
  TVM_FFI_C_TRY(get_count(r, each, &count));
  count *= each;
  items = malloc((count + 1) * sizeof *items);
  if (items == NULL) return tvm_ffi_error_raise_memory();
  while (code == 0 && done < count) {
    code = get_value(r, depth + 1, &items[done]);
    if (code == 0 && items[done].type_index == kTVMFFIDLTensorPtr) {
      code = damaged(r, "an element is a pointer to a tensor");
    }
    if (code == 0) ++done;
  }
  if (code == 0) code = make_container(tag, items, count, out);
  while (done > 0) tvm_ffi_any_clear(&items[--done]);
  free(items);
  return code;
}

static int get_shape(reader *r, TVMFFIAny *out) {
  const char *bytes;
  int64_t *numbers;
  size_t count;
  TVMFFIObjectHandle shape;
  int code;
  TVM_FFI_C_TRY(get_count(r, 1, &count));
  TVM_FFI_C_TRY(get_bytes(r, count * sizeof *numbers, &bytes));
  numbers = malloc((count + 1) * sizeof *numbers);
  if (numbers == NULL) return tvm_ffi_error_raise_memory();
  memcpy(numbers, bytes, count * sizeof *numbers);
  code = tvm_ffi_shape_create(numbers, (int32_t)count, &shape);
  free(numbers);
  if (code == 0) *out = tvm_ffi_any_take_object(shape);
  return code;
}

static int get_error_text(reader *r, TVMFFIByteArray *out) {
  uint64_t tag;
  TVM_FFI_C_TRY(get(r, &tag));
  return tag == kTagText ? get_sized(r, out) : damaged(r, "an error has no text");
}

static int get_error(reader *r, bool has_cause, int depth, TVMFFIObjectHandle *out) {
  TVMFFIByteArray kind, message, backtrace;
  TVMFFIObjectHandle cause = NULL;
  int code = 0;
  if (depth > kMaxDepth) return damaged(r, "an error has too many causes");
  TVM_FFI_C_TRY(get_error_text(r, &kind));
  TVM_FFI_C_TRY(get_error_text(r, &message));
  TVM_FFI_C_TRY(get_error_text(r, &backtrace));
  if (has_cause) {
    uint64_t tag;
    TVM_FFI_C_TRY(get(r, &tag));
    if ((uint32_t)tag != kTagError) return damaged(r, "the cause of an error is none");
    TVM_FFI_C_TRY(get_error(r, (tag >> 32) != 0, depth + 1, &cause));
  }
  /* To frontends, this kind means that an exception of theirs is pending. */
  if (tvm_ffi_string_equal(kind, TVM_FFI_C_ENV_ERROR_ALREADY_SET) && !r->peer->saw_interrupt) {
    kind = tvm_ffi_string_get_bytes(TVM_FFI_C_RUNTIME_ERROR);
  }
  code = TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &backtrace, cause, NULL, out);
  tvm_ffi_object_release(cause);
  return code == 0 ? 0 : tvm_ffi_error_raise_memory();
}

static int get_function(reader *r, unsigned tag, uint32_t number, TVMFFIAny *out) {
  TVMFFIObjectHandle function = NULL;
  if (tag == kTagFunction) {
    if (number == 0) return damaged(r, "a function has no number");
    TVM_FFI_C_TRY(import_function(r->peer, number, &function));
    *out = tvm_ffi_any_take_object(function);
    return 0;
  }
  function = find_export(r->peer, number);
  if (function == NULL || TVMFFIObjectGetTypeIndex(function) != kTVMFFIFunction) {
    return damaged(r, "there is no function with this number");
  }
  *out = tvm_ffi_any_share_object(function);
  return 0;
}

static int get_argument(reader *r, uint32_t i, TVMFFIAny *out) {
  if (i >= (uint32_t)r->num_answers || r->answers[i].type_index != kTVMFFITensor) {
    return damaged(r, "a result is an argument that is no tensor");
  }
  *out = tvm_ffi_any_share_object(r->answers[i].v_obj);
  return 0;
}

static int get_plain(reader *r, int32_t type_index, TVMFFIAny *out) {
  uint64_t bits;
  TVM_FFI_C_TRY(get(r, &bits));
  *out = tvm_ffi_any_none();
  out->type_index = type_index;
  out->v_uint64 = bits;
  if (type_index == kTVMFFIDataType) { /* it has four bytes; the others are 0 */
    out->v_uint64 = 0;
    memcpy(&out->v_dtype, &bits, sizeof out->v_dtype);
  }
  return 0;
}

static int get_value(reader *r, int depth, TVMFFIAny *out) {
  uint64_t word;
  uint32_t more;
  unsigned tag;
  TVMFFIByteArray bytes;
  TVMFFIObjectHandle error;
  TVM_FFI_C_TRY(get(r, &word));
  more = (uint32_t)(word >> 32);
  if ((uint32_t)word >= kNumTags) return damaged(r, "a value has no type");
  tag = (unsigned)(uint32_t)word;
  switch (tag) {
    case kTagNone:
      *out = tvm_ffi_any_none();
      return 0;
    case kTagBool:
      *out = tvm_ffi_any_from_bool(more != 0);
      return 0;
    case kTagNull:
      *out = tvm_ffi_any_from_pointer(NULL);
      return 0;
    case kTagInt:
      return get_plain(r, kTVMFFIInt, out);
    case kTagFloat:
      return get_plain(r, kTVMFFIFloat, out);
    case kTagDtype:
      return get_plain(r, kTVMFFIDataType, out);
    case kTagDevice:
      return get_plain(r, kTVMFFIDevice, out);
    case kTagText:
      TVM_FFI_C_TRY(get_sized(r, &bytes));
      return tvm_ffi_string_create_sized(bytes.data, bytes.size, out);
    case kTagBytes:
      TVM_FFI_C_TRY(get_sized(r, &bytes));
      return tvm_ffi_bytes_create(bytes.data, bytes.size, out);
    case kTagBigInt:
      TVM_FFI_C_TRY(get_sized(r, &bytes));
      if (bytes.size % 8 != 0) return damaged(r, "an integer has no whole words");
      return TVMFFIBigIntFromByteArray(&bytes, out);
    case kTagShape:
      return get_shape(r, out);
    case kTagArray:
    case kTagList:
    case kTagMap:
    case kTagDict:
      return get_container(r, tag, depth, out);
    case kTagTensor:
    case kTagDLTensor:
      return get_tensor(r, tag == kTagTensor, more & 0xffff, more >> 16, out);
    case kTagFunction:
    case kTagYours:
      return get_function(r, tag, more, out);
    case kTagArgument:
      return get_argument(r, more, out);
    default:
      TVM_FFI_C_TRY(get_error(r, more != 0, depth, &error));
      *out = tvm_ffi_any_take_object(error);
      return 0;
  }
}

/*
 * Copies the message that the other side has sent, and reads its beginning. From here on, nothing
 * but elements of tensors is read from the shared memory.
 */
static int begin_reading(peer *p, reader *r) {
  const channel *c = &p->channel;
  const side other = c->own_side == kSideHost ? kSideHelper : kSideHost;
  const uint64_t offset = __atomic_load_n(&c->header->message[other].offset, __ATOMIC_RELAXED);
  const uint64_t size = __atomic_load_n(&c->header->message[other].size, __ATOMIC_RELAXED);
  uint64_t word, i, num_released;
  memset(r, 0, sizeof *r);
  r->peer = p;
  if (size > kMaxMessage || offset % 8 != 0 || offset > c->message_limit ||
      size > c->message_limit - offset) {
    return damaged(r, "a message is not in its place");
  }
  r->copy = malloc((size_t)size + 1);
  if (r->copy == NULL) return tvm_ffi_error_raise_memory();
  memcpy(r->copy, c->region[other] + offset, (size_t)size);
  r->at = r->copy;
  r->end = r->copy + size;
  r->structure_end = offset + size;
  TVM_FFI_C_TRY(get(r, &word));
  r->op = (uint32_t)word < kNumOperations ? (operation)(uint32_t)word : kNumOperations;
  num_released = word >> 32;
  TVM_FFI_C_TRY(get(r, &word));
  r->target = (uint32_t)word;
  if (word >> 32 > (uint64_t)(r->end - r->at) / 8) return damaged(r, "a call is too short");
  r->num_args = (int32_t)(word >> 32);
  if (num_released > (uint64_t)(r->end - r->at) / 8) return damaged(r, "a message is too short");
  for (i = 0; i < num_released; ++i) {
    TVM_FFI_C_TRY(get(r, &word));
    release_export(p, (uint32_t)word);
  }
  return 0;
}

/* ---- Serving ---- */

static uint32_t count_references(TVMFFIObjectHandle object) {
  const TVMFFIObject *header = object;
  return (uint32_t)__atomic_load_n(&header->combined_ref_count, __ATOMIC_ACQUIRE);
}

/* A tensor that the called function has kept gets elements of its own. */
static void keep_elements(view *kept) {
  DLTensor *tensor = TVMFFITensorGetDLTensorPtr(kept->object);
  if (kept->copy != NULL) return;
  if (take_copy(tensor, tensor->data, &kept->copy) != 0) {
    static int nothing;
    tensor->data = &nothing; /* without memory: a crash of the helper, when it is used */
    TVMFFIErrorSetRaised(NULL);
  }
}

/* After a call: lets go of the arguments. */
static void end_views(reader *r) {
  while (r->views != NULL) {
    view *done = r->views;
    r->views = done->next;
    if (done->object == NULL) {
      free_view(done);
      continue;
    }
    if (count_references(done->object) > 1) keep_elements(done);
    tvm_ffi_object_release(done->object);
  }
}

/* Elements that the called function changed, before the answer is sent. */
static void write_views_back(const reader *r) {
  const copy_rule rule = {.is_known = true, .may_write = true};
  const view *v;
  for (v = r->views; v != NULL; v = v->next) {
    if (v->attached == NULL) continue;
    copy_elements(&v->managed.dl_tensor, v->attached, v->managed.dl_tensor.data, rule);
  }
}

static int call_function(reader *r, TVMFFIAny *args, TVMFFIAny *result) {
  const TVMFFIObjectHandle function = find_export(r->peer, r->target);
  int code;
  if (function == NULL || TVMFFIObjectGetTypeIndex(function) != kTVMFFIFunction) {
    return damaged(r, "there is no function with this number");
  }
  tvm_ffi_object_retain(function); /* the call may release it */
  code = r->peer->channel.own_side == kSideHelper
             ? tvm_ffi_float_state_call(function, args, r->num_args, result)
             : tvm_ffi_function_call(function, args, r->num_args, result);
  tvm_ffi_object_release(function);
  return code;
}

static int answer_error(peer *p) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  writer w;
  int code;
  memset(&w, 0, sizeof w);
  w.peer = p;
  if (error != NULL && tvm_ffi_error_is(error, TVM_FFI_C_ENV_ERROR_ALREADY_SET)) {
    p->saw_interrupt = true;
  }
  code = begin_message(&w, kRaise, 0, 0);
  if (code == 0) code = error != NULL ? put_error(&w, error, 0) : put_tag(&w, kTagNone, 0);
  tvm_ffi_object_release(error);
  if (code == 0) send_message(&w, w.at - w.begin);
  end_writer(&w);
  return code;
}

/* A result that cannot be sent becomes an error. */
static int answer(reader *r, int code, const TVMFFIAny *args, const TVMFFIAny *result) {
  writer w;
  memset(&w, 0, sizeof w);
  w.peer = r->peer;
  w.answered = args;
  w.num_answered = r->num_args;
  if (code == 0) code = begin_message(&w, kReturn, 0, 0);
  if (code == 0) code = put_value(&w, result, 0);
  if (code == 0) {
    const size_t size = w.at - w.begin;
    code = attach_elements(&w);
    if (code == 0) send_message(&w, size);
  }
  end_writer(&w);
  return code == 0 ? 0 : answer_error(r->peer);
}

/* Receives the arguments and calls. *out_code is that of the function. */
static int run_call(reader *r, TVMFFIAny *args, int32_t *num_done, int *out_code,
                    TVMFFIAny *result) {
  peer *p = r->peer;
  while (*num_done < r->num_args) {
    const int code = get_value(r, 0, &args[*num_done]);
    if (code != 0) {
      *out_code = -1;
      return r->damage != NULL ? -1 : 0;
    }
    ++*num_done;
  }
  if (p->depth > kMaxCalls) {
    *out_code = TVM_FFI_C_RAISE("RecursionError",
                                "more than %d calls within calls between processes", kMaxCalls);
  } else if (r->op == kCall) {
    *out_code = call_function(r, args, result);
  } else if (p->hooks->serve != NULL && r->num_args == 1) {
    *out_code = p->hooks->serve(p, r->op, args, result);
  } else {
    return damaged(r, "a message is not expected");
  }
  return r->damage != NULL ? -1 : 0;
}

/* Serves a message of the other side that asks for something. -1: it is damaged, or has ended. */
static int serve(reader *r) {
  peer *p = r->peer;
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIAny few[8], *args = few;
  const int64_t begin = p->channel.own_side == kSideHost ? clock_now() : 0;
  int32_t num_done = 0, i;
  int code = -1, rc;
  if (r->num_args > 8) args = malloc((size_t)r->num_args * sizeof *args);
  if (args == NULL) return tvm_ffi_error_raise_memory();
  r->mode = p->channel.own_side == kSideHost ? kCopyBack : kInPlace;
  ++p->depth;
  rc = run_call(r, args, &num_done, &code, &result);
  --p->depth;
  if (rc == 0 && p->is_ended) rc = -1;
  if (rc == 0 && p->deadline != 0) p->deadline += clock_now() - begin;
  if (rc == 0 && code == 0) write_views_back(r);
  /* Before the answer, which tells what has died. Tensors may be results; the views hold them. */
  for (i = 0; i < num_done; ++i) {
    const int32_t type = args[i].type_index;
    if (type == kTVMFFITensor) {
      tvm_ffi_object_release(args[i].v_obj);
    } else if (type != kTVMFFIDLTensorPtr) {
      tvm_ffi_any_clear(&args[i]);
    }
  }
  if (rc == 0) rc = answer(r, code, args, &result);
  tvm_ffi_any_clear(&result);
  end_views(r);
  if (args != few) free(args);
  return rc;
}

/* A message could not be read, or not be answered: it is damaged, or that for want of memory. */
static int end_reading(peer *p, const reader *r, const char *otherwise) {
  return r->damage != NULL ? p->hooks->end(p, kWaitDamaged, r->damage)
                           : p->hooks->end(p, kWaitFailed, otherwise);
}

/* Waits for a message, and reads its beginning. */
static int receive(peer *p, reader *r) {
  wait_result result;
  int code;
  memset(r, 0, sizeof *r);
  while ((result = channel_wait(&p->channel, p->deadline)) == kWaitSignal) {
    p->is_interrupted = true;
    code = p->hooks->interrupted(p);
    p->is_interrupted = false;
    if (code != 0) return -1;
  }
  if (result != kWaitTurn) return p->hooks->end(p, result, NULL);
  code = begin_reading(p, r);
  if (code != 0) {
    free(r->copy);
    r->copy = NULL;
    return end_reading(p, r, "there is no memory to read a message");
  }
  return 0;
}

/* Reads the answer to a call. */
static int read_answer(reader *r, TVMFFIAny *result) {
  TVMFFIAny value;
  r->mode = kKeep;
  TVM_FFI_C_TRY(get_value(r, 0, &value));
  if (r->op == kReturn) {
    *result = value;
    return 0;
  }
  if (value.type_index != kTVMFFIError) {
    tvm_ffi_any_clear(&value);
    return TVM_FFI_C_RAISE("InternalError", "the function failed without an error");
  }
  TVMFFIErrorSetRaised(value.v_obj);
  tvm_ffi_any_clear(&value);
  return -1;
}

static int run_until_answer(peer *p, writer *w, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  reader r;
  int code;
  for (;;) {
    TVM_FFI_C_TRY(receive(p, &r));
    if (r.op == kReturn || r.op == kRaise) break;
    code = serve(&r);
    free(r.copy);
    if (p->is_ended) return p->hooks->end(p, kWaitGone, NULL);
    if (code != 0) {
      return end_reading(p, &r, "there is no memory to answer a callback");
    }
  }
  r.answers = args;
  r.num_answers = num_args;
  /* The rule of the error slot: tensors are changed only if the call has succeeded. */
  if (r.op == kReturn) copy_attached_back(w);
  code = read_answer(&r, result);
  free(r.copy);
  return r.damage != NULL ? p->hooks->end(p, kWaitDamaged, r.damage) : code;
}

/* "argument #1 of `scale`: ..." */
static int name_argument(const char *name, int32_t i) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  char kind[64];
  if (error == NULL) return -1;
  snprintf(kind, sizeof kind, "%.*s", (int)tvm_ffi_error_get_kind(error).size,
           tvm_ffi_error_get_kind(error).data);
  tvm_ffi_error_raise(kind, "argument #%d of %s: %.*s", (int)i, name,
                      (int)tvm_ffi_error_get_message(error).size,
                      tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
  return -1;
}

int peer_call(peer *self, operation op, uint32_t target, const char *name, const TVMFFIAny *args,
              int32_t num_args, TVMFFIAny *result) {
  const size_t top = self->top;
  writer w;
  size_t size;
  int32_t i;
  int code;
  if (self->is_ended) return self->hooks->end(self, kWaitGone, NULL);
  if (num_args < 0) return TVM_FFI_C_RAISE("ValueError", "a negative number of arguments");
  if (self->is_interrupted) {
    return TVM_FFI_C_RAISE("RuntimeError",
                           "a signal handler cannot call the isolated module that it interrupts");
  }
  memset(&w, 0, sizeof w);
  w.peer = self;
  w.is_call = true;
  code = begin_message(&w, op, target, num_args);
  for (i = 0; code == 0 && i < num_args; ++i) {
    code = put_value(&w, &args[i], 0);
    if (code != 0) name_argument(name, i);
  }
  size = w.at - w.begin;
  if (code == 0) code = attach_elements(&w);
  if (code != 0) {
    end_writer(&w);
    return code;
  }
  self->top = w.at + (kTensorAlignment - w.at % kTensorAlignment) % kTensorAlignment;
  ++self->depth;
  send_message(&w, size);
  code = run_until_answer(self, &w, args, num_args, result);
  --self->depth;
  self->top = top;
  if (self->depth == 0) {
    self->saw_interrupt = false;
    channel_trim(&self->channel, w.at);
  }
  end_writer(&w);
  return code;
}

void peer_serve(peer *self) {
  reader r;
  while (receive(self, &r) == 0) {
    const int code = serve(&r);
    free(r.copy);
    if (code != 0) self->hooks->end(self, kWaitDamaged, r.damage);
  }
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
  if (layout.device.device_type != kDLCPU || !find_extent(&layout, &lo, &hi)) {
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
