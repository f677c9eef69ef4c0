/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a message that the other side has written. It is copied to private memory first, and
 * nothing in it is believed: in the host, the writer may be a kernel that has gone astray. In the
 * host and in the helper.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "remote_objects.h"
#include "tensor_copy.h"

/* ---- Views: tensors whose elements come from the other side ---- */

typedef struct view {
  DLManagedTensorVersioned managed;
  TVMFFIObjectHandle object; /* the Tensor; NULL for a DLTensor that is passed as a pointer */
  tensor_block *block;       /* the elements, if they are copied */
  char *first, *begin, *end; /* the first element where they were sent, and all of them */
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
  tensor_block_release(self->block);
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
 * Copies the elements of views into one block, which ends with them: views that overlap where they
 * were sent do so here, too.
 */
static int copy_elements(view *const *views, size_t count, const char *end, int64_t deadline,
                         bool *is_late) {
  const char *begin = views[0]->begin;
  tensor_block *block;
  size_t i;
  TVM_FFI_C_TRY(tensor_block_make(begin, (size_t)(end - begin), &block));
  for (i = 0; i < count && !*is_late; ++i) {
    view *v = views[i];
    char *to = block->bytes + (v->first - begin);
    *is_late = tensor_take_copy(&v->managed.dl_tensor, v->first, to, deadline) == kCopyLate;
    v->block = tensor_block_retain(block);
    v->managed.dl_tensor.data = to;
    if (v->object != NULL) TVMFFITensorGetDLTensorPtr(v->object)->data = to;
  }
  tensor_block_release(block);
  return *is_late ? -1 : 0;
}

/* ---- Words ---- */

int reader_set_damage(reader *r, const char *reason) {
  r->damage = reason;
  return -1;
}

bool reader_is_broken(const reader *r) {
  return r->damage != NULL || r->is_late;
}

enum {
  kValueMemory = 64, /* what an element takes in a container, of a map with its table */
  kObjectMemory = 128,
  kSmallText = 7 /* text and bytes up to this size have no object */
};

/* What is read takes so many bytes of memory, and as much time as a copy of them does. */
static int spend(reader *r, uint64_t bytes) {
  enum { kWork = 1 << 20 };
  const peer *p = r->peer;
  if (bytes > r->memory_left) {
    return reader_set_damage(r, "it takes more memory of the host than options.answer allows");
  }
  r->memory_left -= bytes;
  r->work += bytes;
  if (r->work < kWork || p->deadline == 0) return 0;
  r->work = 0;
  r->is_late = clock_now() >= p->deadline;
  return r->is_late ? -1 : 0;
}

static int get_bytes(reader *r, size_t size, const char **out) {
  const size_t padded = (size + 7) / 8 * 8;
  if (padded < size || padded > (size_t)(r->end - r->at)) {
    return reader_set_damage(r, "a message is too short");
  }
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
  if (size > (uint64_t)(r->end - r->at))
    return reader_set_damage(r, "a text is longer than its message");
  out->size = (size_t)size;
  TVM_FFI_C_TRY(spend(r, size));
  return get_bytes(r, out->size, &out->data);
}

/* Of a text or bytes. */
static int get_content(reader *r, TVMFFIByteArray *out) {
  TVM_FFI_C_TRY(get_sized(r, out));
  return out->size <= kSmallText ? 0 : spend(r, kObjectMemory);
}

/* The number of elements, each of which takes a word at least. */
static int get_count(reader *r, size_t words_each, size_t *out) {
  uint64_t count;
  TVM_FFI_C_TRY(get(r, &count));
  if (count > (uint64_t)(r->end - r->at) / (8 * words_each) || count > INT32_MAX / 2) {
    return reader_set_damage(r, "a container is larger than its message");
  }
  *out = (size_t)count;
  return 0;
}

/* ---- Tensors ---- */

/* The first element at an offset, if all are within a range. */
static char *find_elements(char *base, uint64_t begin, uint64_t end, uint64_t offset, int64_t lo,
                           int64_t hi) {
  if (offset < begin || offset > end) return NULL;
  if (lo < 0 && 0 - (uint64_t)lo > offset - begin) return NULL;
  if (hi > 0 && (uint64_t)hi > end - offset) return NULL;
  return base + offset;
}

/* The first element in a part of the other side's region, which the host may have to open first. */
static char *find_in_region(reader *r, channel_part which, uint64_t begin, uint64_t end,
                            uint64_t offset, int64_t lo, int64_t hi) {
  channel *c = &r->peer->channel;
  char *base = c->region[c->own_side == kSideHost ? kSideHelper : kSideHost];
  char *first = find_elements(base, begin, end, offset, lo, hi);
  size_t used;
  if (first == NULL) return NULL;
  used = (size_t)offset + (size_t)hi - (which == kPartHeap ? c->message_limit : 0);
  if (channel_open_part(c, which, used)) return first;
  r->lacks_memory = true;
  return NULL;
}

static char *find_place(reader *r, unsigned place, uint64_t offset, int64_t lo, int64_t hi) {
  const peer *p = r->peer;
  const channel *c = &p->channel;
  switch (place) {
    case kPlaceAttached:
      return find_in_region(r, kPartHelper, r->structure_end, c->message_limit, offset, lo, hi);
    case kPlacePool:
      if (c->own_side != kSideHelper || r->mode != kInPlace) return NULL;
      return find_elements(p->pool, 0, p->pool_size, offset, lo, hi);
    case kPlaceHeap:
      if (c->own_side != kSideHelper || r->mode != kInPlace) return NULL;
      return find_elements(c->region[c->own_side], c->message_limit, c->region_size, offset, lo,
                           hi);
    case kPlaceLent:
      if (c->own_side != kSideHost || r->mode != kKeep) return NULL;
      return find_in_region(r, kPartHeap, c->message_limit, c->region_size, offset, lo, hi);
    default:
      return NULL;
  }
}

static int take_lent(reader *r, view *made) {
  uint64_t number;
  TVM_FFI_C_TRY(get(r, &number));
  if (number == 0 || number > UINT32_MAX) return reader_set_damage(r, "a tensor has no number");
  TVM_FFI_C_TRY(import_begin(r->peer));
  made->number = (uint32_t)number;
  made->lender = r->peer;
  r->peer->hooks->retain(r->peer);
  return 0;
}

static int fill_view(reader *r, unsigned place, char *first, int64_t lo, int64_t hi, view *made) {
  made->managed.dl_tensor.data = made->first = first;
  made->begin = first + lo;
  made->end = first + hi;
  if (place == kPlaceLent) return take_lent(r, made);
  if (r->mode == kInPlace) {
    if (place == kPlacePool) r->peer->hooks->open_pool(r->peer, made->begin, made->end);
    return 0;
  }
  TVM_FFI_C_TRY(spend(r, (uint64_t)hi - (uint64_t)lo));
  /* Arguments are copied when all of them are known. */
  if (r->mode == kCopyBack) return 0;
  return copy_elements(&made, 1, made->end, r->peer->deadline, &r->is_late);
}

static int get_tensor(reader *r, bool is_object, unsigned ndim, unsigned place, TVMFFIAny *out) {
  DLTensor layout;
  uint64_t offset, dtype;
  int64_t numbers[2 * kMaxDims], lo, hi;
  const char *bytes;
  const size_t size = ndim * sizeof(int64_t);
  char *first;
  view *made;
  if (ndim > kMaxDims) return reader_set_damage(r, "a tensor has too many dimensions");
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
  if (!tensor_find_extent(&layout, &lo, &hi)) return reader_set_damage(r, "a tensor is not valid");
  TVM_FFI_C_TRY(spend(r, sizeof(view) + 4 * size));
  first = find_place(r, place, offset, lo, hi);
  if (first == NULL && r->lacks_memory) return tvm_ffi_error_raise_memory();
  if (first == NULL) return reader_set_damage(r, "a tensor is not in the shared memory");
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
      return reader_set_damage(r, "a result is a pointer to a tensor");
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

/* ---- Values ---- */

static int get_value(reader *r, int depth, TVMFFIAny *out);

static int make_container(unsigned tag, const TVMFFIAny *items, size_t count, TVMFFIAny *out) {
  static const char *const kNames[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};
  return tvm_ffi_function_call_global(kNames[tag - kTagArray], items, (int32_t)count, out);
}

/* docs/abi/layouts.md#equality-and-hash */
static uint64_t hash_bytes(TVMFFIByteArray bytes) {
  uint64_t hash = 0, part;
  size_t i, k;
  for (i = 0; i < bytes.size; i += 8) {
    for (part = 0, k = 0; k < 8 && i + k < bytes.size; ++k) {
      part |= (uint64_t)(unsigned char)bytes.data[i + k] << 8 * k;
    }
    hash = (hash * UINT64_C(1099511628211) + part) % 2147483647;
  }
  return hash;
}

static uint64_t hash_key(const TVMFFIAny *key) {
  uint64_t type = (uint64_t)(int64_t)key->type_index, hash;
  switch (key->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      type = key->type_index == kTVMFFISmallStr ? kTVMFFIStr : kTVMFFIBytes;
      hash = hash_bytes(TVMFFISmallBytesGetContentByteArray(key));
      break;
    case kTVMFFIStr:
    case kTVMFFIBytes:
      hash = hash_bytes(*TVMFFIBytesGetByteArrayPtr(key->v_obj));
      break;
    case kTVMFFIBigInt:
      hash = hash_bytes(TVMFFIBigIntGetContentByteArray(key));
      break;
    default:
      hash = key->v_uint64;
  }
  return type ^ (hash + UINT64_C(0x9e3779b9) + (type << 6) + (type >> 2));
}

/*
 * Keys that all lead to the same place of a map are compared each with each: what would be the work
 * of seconds in a small message, and of hours in a large one, counts as so many times the bytes of
 * the map. Other keys cost nothing.
 */
static int spend_on_collisions(reader *r, const TVMFFIAny *items, size_t count, size_t bytes) {
  enum { kFew = 64, kUsual = 16, kFirstBits = 6, kSteps = 4 };
  const uint16_t most = UINT16_MAX;
  uint16_t *chains, longest = 0;
  unsigned bits = kFirstBits;
  size_t i;
  if (r->peer->channel.own_side != kSideHost || count <= 2 * kFew) return 0;
  while ((size_t)1 << bits < count / 2) ++bits;
  chains = calloc((size_t)1 << bits, sizeof *chains);
  if (chains == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < count; i += 2) {
    /* docs/abi/maps.md */
    const uint64_t place = hash_key(&items[i]) * UINT64_C(11400714819323198485) >> (64 - bits);
    if (chains[place] < most && ++chains[place] > longest) longest = chains[place];
  }
  free(chains);
  return longest <= kUsual ? 0 : spend(r, (uint64_t)longest * kSteps * bytes);
}

static int get_container(reader *r, unsigned tag, int depth, TVMFFIAny *out) {
  const size_t each = tag == kTagMap || tag == kTagDict ? 2 : 1;
  const char *begin = r->at;
  TVMFFIAny *items;
  size_t count, done = 0;
  int code = 0;
  if (depth >= kMaxDepth) return reader_set_damage(r, "a container is nested too deep");
  TVM_FFI_C_TRY(get_count(r, each, &count));
  count *= each;
  TVM_FFI_C_TRY(spend(r, count * kValueMemory));
  items = malloc((count + 1) * sizeof *items);
  if (items == NULL) return tvm_ffi_error_raise_memory();
  while (code == 0 && done < count) {
    code = get_value(r, depth + 1, &items[done]);
    if (code == 0 && items[done].type_index == kTVMFFIDLTensorPtr) {
      code = reader_set_damage(r, "an element is a pointer to a tensor");
    }
    if (code == 0) ++done;
  }
  if (code == 0 && each == 2) {
    code = spend_on_collisions(r, items, count, (size_t)(r->at - begin));
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
  TVM_FFI_C_TRY(spend(r, count * sizeof *numbers));
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
  return tag == kTagText ? get_sized(r, out) : reader_set_damage(r, "an error has no text");
}

static int get_error(reader *r, bool has_cause, int depth, TVMFFIObjectHandle *out) {
  TVMFFIByteArray kind, message, backtrace;
  TVMFFIObjectHandle cause = NULL;
  int code = 0;
  if (depth > kMaxDepth) return reader_set_damage(r, "an error has too many causes");
  TVM_FFI_C_TRY(get_error_text(r, &kind));
  TVM_FFI_C_TRY(get_error_text(r, &message));
  TVM_FFI_C_TRY(get_error_text(r, &backtrace));
  if (has_cause) {
    uint64_t tag;
    TVM_FFI_C_TRY(get(r, &tag));
    if ((uint32_t)tag != kTagError) return reader_set_damage(r, "the cause of an error is none");
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
    if (number == 0) return reader_set_damage(r, "a function has no number");
    TVM_FFI_C_TRY(import_function(r->peer, number, &function));
    *out = tvm_ffi_any_take_object(function);
    return 0;
  }
  function = export_find(r->peer, number);
  if (function == NULL || TVMFFIObjectGetTypeIndex(function) != kTVMFFIFunction) {
    return reader_set_damage(r, "there is no function with this number");
  }
  *out = tvm_ffi_any_share_object(function);
  return 0;
}

static int get_argument(reader *r, uint32_t i, TVMFFIAny *out) {
  if (i >= (uint32_t)r->num_answers || r->answers[i].type_index != kTVMFFITensor) {
    return reader_set_damage(r, "a result is an argument that is no tensor");
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
  if ((uint32_t)word >= kNumTags) return reader_set_damage(r, "a value has no type");
  tag = (unsigned)(uint32_t)word;
  if (tag > kTagDevice && tag != kTagText && tag != kTagBytes) {
    TVM_FFI_C_TRY(spend(r, kObjectMemory));
  }
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
      TVM_FFI_C_TRY(get_content(r, &bytes));
      return tvm_ffi_string_create_sized(bytes.data, bytes.size, out);
    case kTagBytes:
      TVM_FFI_C_TRY(get_content(r, &bytes));
      return tvm_ffi_bytes_create(bytes.data, bytes.size, out);
    case kTagBigInt:
      TVM_FFI_C_TRY(get_sized(r, &bytes));
      if (bytes.size % 8 != 0) return reader_set_damage(r, "an integer has no whole words");
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

int reader_get(reader *r, TVMFFIAny *out) {
  return get_value(r, 0, out);
}

/* ---- Elements of arguments ---- */

static int compare_views(const void *a, const void *b) {
  const view *x = *(view *const *)a, *y = *(view *const *)b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

int reader_copy_arguments(reader *r) {
  size_t count = 0, i, next;
  view *v, **sorted;
  int code = 0;
  if (r->mode != kCopyBack || r->views == NULL) return 0;
  for (v = r->views; v != NULL; v = v->next) ++count;
  sorted = malloc(count * sizeof *sorted);
  if (sorted == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0, v = r->views; v != NULL; v = v->next) sorted[i++] = v;
  if (count > 1) qsort(sorted, count, sizeof *sorted, compare_views);
  for (i = 0; code == 0 && i < count; i = next) {
    const char *end = sorted[i]->end;
    for (next = i + 1; next < count && sorted[next]->begin < end; ++next) {
      if (sorted[next]->end > end) end = sorted[next]->end;
    }
    code = copy_elements(sorted + i, next - i, end, r->peer->deadline, &r->is_late);
  }
  free(sorted);
  return code;
}

/* ---- The message ---- */

/*
 * An answer that is late, or comes from a process that a kernel has started, is not taken for that
 * of another call.
 */
static int check_number(reader *r) {
  peer *p = r->peer;
  if (p->channel.own_side == kSideHost || r->op == kReturn || r->op == kRaise) {
    return r->number == p->number ? 0 : reader_set_damage(r, "it belongs to another call");
  }
  if (r->number <= p->last_number) return reader_set_damage(r, "a call has come twice");
  p->last_number = r->number;
  return 0;
}

int reader_begin(reader *r, peer *p) {
  channel *c = &p->channel;
  const side other = c->own_side == kSideHost ? kSideHelper : kSideHost;
  const uint64_t offset = __atomic_load_n(&c->header->message[other].offset, __ATOMIC_RELAXED);
  const uint64_t size = __atomic_load_n(&c->header->message[other].size, __ATOMIC_RELAXED);
  uint64_t words[kMessageHead], word, i, num_released;
  const char *bytes;
  memset(r, 0, offsetof(reader, small));
  r->peer = p;
  r->memory_left = c->own_side == kSideHost ? p->answer_limit : UINT64_MAX;
  if (size > kMaxMessage || offset % 8 != 0 || offset > c->message_limit ||
      size > c->message_limit - offset) {
    return reader_set_damage(r, "a message is not in its place");
  }
  TVM_FFI_C_TRY(spend(r, size));
  r->copy = size <= sizeof r->small ? r->small : malloc((size_t)size);
  if (r->copy == NULL || !channel_open_part(c, kPartHelper, (size_t)(offset + size))) {
    return tvm_ffi_error_raise_memory();
  }
  memcpy(r->copy, c->region[other] + offset, (size_t)size);
  r->at = r->copy;
  r->end = r->copy + size;
  r->structure_end = offset + size;
  TVM_FFI_C_TRY(get_bytes(r, sizeof words, &bytes));
  memcpy(words, bytes, sizeof words);
  r->op = (uint32_t)words[0] < kNumOperations ? (operation)(uint32_t)words[0] : kNumOperations;
  num_released = words[0] >> 32;
  r->target = (uint32_t)words[1];
  r->number = words[2];
  if (words[1] >> 32 > (uint64_t)(r->end - r->at) / 8) {
    return reader_set_damage(r, "a call is too short");
  }
  r->num_args = (int32_t)(words[1] >> 32);
  if (r->num_args > 0) TVM_FFI_C_TRY(spend(r, (uint64_t)r->num_args * sizeof(TVMFFIAny)));
  TVM_FFI_C_TRY(check_number(r));
  if (num_released > (uint64_t)(r->end - r->at) / 8) {
    return reader_set_damage(r, "a message is too short");
  }
  for (i = 0; i < num_released; ++i) {
    TVM_FFI_C_TRY(get(r, &word));
    export_end(p, (uint32_t)word);
  }
  return 0;
}

/* ---- Arguments after a call ---- */

static uint32_t count_references(TVMFFIObjectHandle object) {
  const TVMFFIObject *header = object;
  const aligned_uint64 *counts =
      (const void *)&header->combined_ref_count; /* for i386: no libatomic */
  return (uint32_t)__atomic_load_n(counts, __ATOMIC_ACQUIRE);
}

/* A tensor that the called function has kept gets elements of its own. */
static void keep_elements(view *kept) {
  bool is_late = false;
  if (kept->block != NULL) return;
  if (copy_elements(&kept, 1, kept->end, 0, &is_late) != 0) {
    static int nothing;
    /* Without memory: a crash of the helper, when it is used. */
    TVMFFITensorGetDLTensorPtr(kept->object)->data = &nothing;
    TVMFFIErrorSetRaised(NULL);
  }
}

void reader_end_arguments(reader *r) {
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

int reader_write_back(reader *r) {
  const view *v;
  if (r->mode != kCopyBack) return 0;
  for (v = r->views; v != NULL; v = v->next) {
    const DLTensor *tensor = &v->managed.dl_tensor;
    if (tensor_return_copy(tensor, tensor->data, v->first, r->peer->deadline) != kCopyDone) {
      r->is_late = true;
      return -1;
    }
  }
  return 0;
}

void reader_end(reader *r) {
  if (r->copy != r->small) free(r->copy);
  r->copy = NULL;
}
