/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a message into the own region: the words of a call or of an answer, behind which elements
 * of tensors are attached. In the host and in the helper; the tensors of a host's calls and those
 * of a helper's answers need not be attached if they lie in shared memory.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "remote_objects.h"
#include "tensor_copy.h"

enum {
  kSmallTensor = 64 << 10 /* results up to this size are attached; larger ones are lent */
};

/* A tensor whose elements are attached. */
typedef struct attached_tensor {
  tensor_pair pair;
  int32_t argument; /* that it belongs to */
  uintptr_t begin, end;
  size_t offset_at; /* where the message has the offset of the first element */
} attached_tensor;

/* ---- Words ---- */

static int fail_size(void) {
  return TVM_FFI_C_RAISE("MemoryError",
                         "a message between processes does not fit into the shared memory");
}

static int fail_large(void) {
  return TVM_FFI_C_RAISE("MemoryError",
                         "all but tensors of a call or an answer between processes has at most %d "
                         "MiB, text and bytes among it",
                         kMaxMessage >> 20);
}

static int put_bytes(writer *w, const void *bytes, size_t size) {
  const size_t padded = (size + 7) / 8 * 8;
  char *to;
  if (padded < size || padded > kMaxMessage - (w->at - w->begin)) return fail_large();
  if (!channel_reserve(&w->peer->channel, w->at + padded)) return fail_size();
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
  number = export_begin(w->peer, object);
  if (number == 0) return tvm_ffi_error_raise_memory();
  w->exported[w->num_exported++] = number;
  *out = number;
  return 0;
}

/* ---- Tensors ---- */

static bool lies_in(uintptr_t begin, uintptr_t end, const char *base, size_t size) {
  return base != NULL && begin >= (uintptr_t)base && end <= (uintptr_t)base + size;
}

static int put_layout(writer *w, const DLTensor *tensor, unsigned tag, unsigned place,
                      uint64_t offset) {
  enum { kBefore = 3 };
  const size_t ndim = (size_t)tensor->ndim;
  int64_t words[kBefore + 2 * kMaxDims];
  int64_t *shape = words + kBefore, *strides = shape + ndim;
  words[0] = (int64_t)(tag | (uint64_t)ndim << 32 | (uint64_t)place << 48);
  words[1] = (int64_t)offset;
  words[2] = 0;
  memcpy(&words[2], &tensor->dtype, sizeof tensor->dtype);
  if (ndim > 0) memcpy(shape, tensor->shape, ndim * sizeof *shape);
  if (ndim > 0 && tensor->strides != NULL) {
    memcpy(strides, tensor->strides, ndim * sizeof *strides);
  } else {
    tvm_ffi_shape_fill_strides(shape, tensor->ndim, strides);
  }
  return put_bytes(w, words, (kBefore + 2 * ndim) * sizeof *words);
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
  memset(added, 0, sizeof *added);
  added->pair.layout = tensor;
  added->pair.first = first;
  added->pair.readable = w->peer->channel.own_side == kSideHost ? &w->peer->readable : NULL;
  added->pair.deadline = w->peer->deadline;
  added->argument = w->argument;
  added->begin = begin;
  added->end = end;
  added->offset_at = w->at + sizeof(uint64_t);
  TVM_FFI_C_TRY(put_layout(w, tensor, tag, kPlaceAttached, 0));
  /* A callback may take it out of the container that was passed. */
  added->pair.object = tvm_ffi_object_retain(object);
  ++w->num_attached;
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
    char device[48];
    return TVM_FFI_C_RAISE("TypeError", "a tensor on %s cannot cross to another process",
                           tvm_ffi_device_print(tensor->device, device, sizeof device));
  }
  if (!tensor_find_extent(tensor, &lo, &hi) || (first == NULL && hi > lo)) {
    return TVM_FFI_C_RAISE("ValueError",
                           "a tensor that is not valid, or whose elements share bytes and are "
                           "not contiguous, cannot cross to another process");
  }
  begin = (uintptr_t)first + (uintptr_t)lo;
  end = (uintptr_t)first + (uintptr_t)hi;
  if (hi > lo && c->own_side == kSideHost && w->is_call) { /* what both sides see already */
    if (lies_in(begin, end, p->pool, p->pool_size)) {
      return put_layout(w, tensor, tag, kPlacePool, (uintptr_t)first - (uintptr_t)p->pool);
    }
    if (lies_in(begin, end, c->region[kSideHelper] + c->message_limit,
                c->region_size - c->message_limit)) {
      return put_layout(w, tensor, tag, kPlaceHeap,
                        (uintptr_t)first - (uintptr_t)c->region[kSideHelper]);
    }
  }
  if (c->own_side == kSideHelper && !w->is_call && object != NULL && hi > lo) { /* lend it */
    TVMFFIObjectHandle made;
    int code;
    if (lies_in(begin, end, c->region[kSideHelper] + c->message_limit,
                c->region_size - c->message_limit)) {
      return put_lent(w, tensor, object, (uintptr_t)first);
    }
    if ((uint64_t)hi - (uint64_t)lo > kSmallTensor) {
      TVM_FFI_C_TRY(tensor_copy_compact(tensor, first, &made));
      code = put_lent(w, TVMFFITensorGetDLTensorPtr(made), made,
                      (uintptr_t)TVMFFITensorGetDLTensorPtr(made)->data);
      tvm_ffi_object_release(made);
      return code;
    }
  }
  return attach(w, tensor, object, tag, first, begin, end);
}

/* ---- Values ---- */

/* The payload of a value without an object. */
static int put_plain(writer *w, unsigned tag, const TVMFFIAny *value) {
  uint64_t words[2];
  words[0] = tag;
  words[1] = value->v_uint64;
  return put_bytes(w, words, sizeof words);
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
      return put_plain(w, kTagInt, value);
    case kTVMFFIBool:
      return put_tag(w, kTagBool, value->v_int64 != 0);
    case kTVMFFIFloat:
      return put_plain(w, kTagFloat, value);
    case kTVMFFIOpaquePtr:
      if (value->v_ptr == NULL) return put_tag(w, kTagNull, 0);
      return TVM_FFI_C_RAISE("TypeError", "a pointer cannot cross to another process");
    case kTVMFFIDataType:
      return put_plain(w, kTagDtype, value);
    case kTVMFFIDevice:
      return put_plain(w, kTagDevice, value);
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

int writer_put(writer *w, const TVMFFIAny *value) {
  return put_value(w, value, 0);
}

int writer_put_error(writer *w, TVMFFIObjectHandle error) {
  return error != NULL ? put_error(w, error, 0) : put_tag(w, kTagNone, 0);
}

/* ---- Attached elements ---- */

static int compare_begins(const void *a, const void *b) {
  const attached_tensor *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Elements are aligned as they are in this process. Tensors that overlap do so there, too. */
static int place_elements(writer *w) {
  const channel *c = &w->peer->channel;
  char *region = c->region[c->own_side];
  size_t at = w->at, block_at = 0, i;
  uintptr_t block_begin = 0, block_end = 0; /* in the process */
  if (w->num_attached > 1) {
    qsort(w->attached, w->num_attached, sizeof *w->attached, compare_begins);
  }
  for (i = 0; i < w->num_attached; ++i) {
    attached_tensor *t = &w->attached[i];
    uint64_t offset = at;
    if (t->begin != t->end) {
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
      offset = block_at + (size_t)(t->begin - block_begin) + ((uintptr_t)t->pair.first - t->begin);
    }
    t->pair.copy = region + offset;
    memcpy(region + t->offset_at, &offset, sizeof offset);
  }
  w->at = (at + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  return 0;
}

/* The copy of a tensor's elements has failed, in the direction of `verb`. */
static int fail_copy(const writer *w, const attached_tensor *t, copy_result result,
                     const char *verb) {
  peer *p = w->peer;
  if (result == kCopyLate) return p->hooks->end(p, kWaitTime, NULL);
  if (!w->is_call) {
    return TVM_FFI_C_RAISE("ValueError",
                           "the elements of a returned tensor cannot be %s: their memory is "
                           "protected, or not mapped",
                           verb);
  }
  return TVM_FFI_C_RAISE("ValueError",
                         "argument #%d of %s: the elements of a tensor cannot be %s: their memory "
                         "is protected, or not mapped",
                         (int)t->argument, w->name, verb);
}

int writer_attach_elements(writer *w) {
  size_t i;
  if (w->num_attached == 0) return 0;
  TVM_FFI_C_TRY(place_elements(w));
  for (i = 0; i < w->num_attached; ++i) {
    const copy_result result = tensor_copy_out(&w->attached[i].pair);
    if (result != kCopyDone) return fail_copy(w, &w->attached[i], result, "read");
  }
  return 0;
}

int writer_copy_back(writer *w) {
  size_t i;
  for (i = 0; i < w->num_attached; ++i) {
    copy_result result;
    w->attached[i].pair.deadline = w->peer->deadline; /* which the time of callbacks has moved */
    result = tensor_find_changes(&w->attached[i].pair);
    if (result != kCopyDone) return fail_copy(w, &w->attached[i], result, "written");
  }
  for (i = 0; i < w->num_attached; ++i) {
    const copy_result result = tensor_copy_back(&w->attached[i].pair);
    if (result != kCopyDone) return fail_copy(w, &w->attached[i], result, "written");
  }
  return 0;
}

/* ---- The message ---- */

int writer_begin(writer *w, operation op, uint32_t target, int32_t num_args) {
  peer *p = w->peer;
  uint64_t words[kMessageHead];
  size_t i, count;
  int code;
  w->begin = w->at = p->top;
  pthread_mutex_lock(&p->lock);
  count = p->num_released;
  words[0] = (uint64_t)op | (uint64_t)count << 32;
  words[1] = target | (uint64_t)(uint32_t)num_args << 32;
  words[2] = p->number;
  code = put_bytes(w, words, sizeof words);
  for (i = 0; code == 0 && i < count; ++i) code = put(w, p->released[i]);
  pthread_mutex_unlock(&p->lock);
  w->num_released = count;
  return code;
}

void writer_send(writer *w, size_t size) {
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

void writer_end(writer *w) {
  size_t i;
  for (i = 0; !w->is_sent && i < w->num_exported; ++i) export_end(w->peer, w->exported[i]);
  for (i = 0; i < w->num_attached; ++i) tvm_ffi_object_release(w->attached[i].pair.object);
  free(w->exported);
  free(w->attached);
}
