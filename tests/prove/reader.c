/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated/reader.c: a message of any bytes. Each function alone; those that a function calls are
 * replaced by what they promise, so that the depth of values does not matter.
 */
#include "isolated/message.h"
#include "isolated/remote_objects.h"
#include "isolated/tensor_copy.h"
#define TESTS_PROVE_HAS_TENSORS
#include "objects.h"
#include "prove.h"

static int get_container(reader *r, unsigned tag, int depth, TVMFFIAny *out);
static int get_tensor(reader *r, bool is_object, unsigned ndim, unsigned place, TVMFFIAny *out);
static int get_shape(reader *r, TVMFFIAny *out);
static int get_error(reader *r, bool has_cause, int depth, TVMFFIObjectHandle *out);

#include "isolated/reader.c"

/* ---- What the reader calls ---- */

static size_t num_imports, num_blocks, num_looks;

int64_t clock_now(void) {
  ++num_looks;
  return (int64_t)choose_up_to(INT64_MAX);
}

bool channel_open_more(channel *self, channel_part which, size_t size) {
  PROVE(which != kPartHost);
  PROVE(size <=
        (which == kPartHelper ? self->message_limit : self->region_size - self->message_limit));
  return choose_bool();
}

int import_begin(peer *self) {
  (void)self;
  if (choose_bool()) return tvm_ffi_error_raise_memory();
  ++num_imports;
  return 0;
}

void import_end(peer *self, uint32_t number) {
  (void)self;
  PROVE(number != 0);
  --num_imports;
}

int import_function(peer *owner, uint32_t number, TVMFFIObjectHandle *out) {
  (void)owner;
  PROVE(number != 0);
  return make_object(kTVMFFIFunction, out);
}

/* The Tensor that is made of a view, and what this side has exported. */
static struct {
  TVMFFIObject header;
  DLTensor tensor;
} tensor_object;
static DLManagedTensorVersioned *managed_tensor;
static TVMFFIObject exported;

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned *from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle *out) {
  (void)require_alignment, (void)require_contiguous;
  if (choose_bool()) return tvm_ffi_error_raise_memory();
  tensor_object.header.combined_ref_count = 1;
  tensor_object.header.type_index = kTVMFFITensor;
  tensor_object.tensor = from->dl_tensor;
  managed_tensor = from;
  *out = &tensor_object;
  return 0;
}

int TVMFFIObjectIncRef(TVMFFIObjectHandle object) {
  if (object == &shared_object) {
    ++num_objects;
  } else {
    ++((TVMFFIObject *)object)->combined_ref_count;
  }
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle object) {
  if (object == &shared_object) {
    PROVE(num_objects > 0);
    --num_objects;
  } else if (--((TVMFFIObject *)object)->combined_ref_count == 0 && object == &tensor_object) {
    managed_tensor->deleter(managed_tensor);
  }
  return 0;
}

TVMFFIObjectHandle export_find(const peer *self, uint32_t number) {
  (void)self, (void)number;
  return choose_bool() ? &exported : NULL;
}

static size_t num_ended;

void export_end(peer *self, uint32_t number) {
  (void)self, (void)number;
  ++num_ended;
}

static int64_t extent_lo, extent_hi;

bool tensor_find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi) {
  PROVE(tensor->ndim <= kMaxDims && tensor->shape != NULL && tensor->strides != NULL);
  *lo = extent_lo = choose_i64();
  *hi = extent_hi = choose_i64();
  ASSUME(*lo <= 0 && *hi >= 0 && (uint64_t)*hi - (uint64_t)*lo <= INT64_MAX);
  return choose_bool();
}

int tensor_block_make(const char *like, size_t size, tensor_block **out) {
  (void)like;
  *out = malloc(sizeof **out);
  if (*out == NULL) return tvm_ffi_error_raise_memory();
  (*out)->bytes = malloc(size + 1);
  ASSUME((*out)->bytes != NULL);
  (*out)->references = 1;
  ++num_blocks;
  return 0;
}

tensor_block *tensor_block_retain(tensor_block *self) {
  ++self->references;
  return self;
}

void tensor_block_release(tensor_block *self) {
  if (self == NULL || --self->references > 0) return;
  free(self->bytes);
  free(self);
  --num_blocks;
}

/* The first and the last byte stand for all. */
copy_result tensor_take_copy(const DLTensor *layout, const char *from, char *to, int64_t deadline) {
  (void)layout, (void)deadline;
  to[0] = from[0];
  return choose_bool() ? kCopyDone : kCopyLate;
}

copy_result tensor_return_copy(const DLTensor *layout, const char *from, char *to,
                               int64_t deadline) {
  return tensor_take_copy(layout, from, to, deadline);
}

static void peer_hook(peer *self) {
  (void)self;
}

static char pool[64];

static void open_pool_hook(peer *self, char *begin, char *end) {
  (void)self;
  PROVE(pool <= begin && begin <= end && end <= pool + sizeof pool);
}

static const peer_hooks hooks = {NULL, NULL,      NULL,      NULL,
                                 NULL, peer_hook, peer_hook, open_pool_hook};

/* ---- A message of up to 48 bytes ---- */

enum { kWords = 8 };

static uint64_t message[kWords];
static peer side_peer;
static char region[2][64];
static channel_header header;

static void choose_peer(void) {
  side_peer.channel.own_side = choose_bool() ? kSideHost : kSideHelper;
  side_peer.channel.header = &header;
  side_peer.channel.region[0] = region[0];
  side_peer.channel.region[1] = region[1];
  side_peer.channel.region_size = choose_up_to(sizeof region[0]);
  side_peer.channel.message_limit = choose_up_to(side_peer.channel.region_size);
  side_peer.hooks = &hooks;
  side_peer.deadline = choose_i64();
  side_peer.pool = pool;
  side_peer.pool_size = sizeof pool;
  side_peer.number = choose_u64();
  side_peer.last_number = choose_u64();
  side_peer.answer_limit = choose_u64();
  side_peer.saw_interrupt = choose_bool();
}

/* The rest of any message, of so many words, at the end of the memory that there is. */
static void choose_reader(reader *r, size_t words) {
  size_t i;
  choose_peer();
  memset(r, 0, offsetof(reader, small));
  for (i = 0; i < kWords; ++i) message[i] = choose_u64();
  r->peer = &side_peer;
  r->copy = r->small; /* for reader_end, which frees others */
  r->at = (const char *)(message + kWords - words);
  r->end = (const char *)(message + kWords);
  r->memory_left = choose_u64();
  r->work = choose_up_to((1 << 20) - 1);
  r->mode = (tensor_mode)choose_up_to(kKeep);
  r->structure_end = choose_up_to(side_peer.channel.message_limit);
}

/* A failure says why: the message is damaged, it is late, or an error is raised. */
static void prove_reader(const reader *r, int code) {
  PROVE((const char *)message <= r->at && r->at <= r->end && (r->end - r->at) % 8 == 0);
  PROVE(code == 0 || code == -1);
  PROVE((code != 0) == (r->damage != NULL || r->is_late || num_errors > 0));
}

static int get_value(reader *r, int depth, TVMFFIAny *out) {
  PROVE(depth >= 0 && depth <= kMaxDepth);
  if (r->at == r->end || choose_bool()) return reader_set_damage(r, "damaged");
  r->at += 8;
  return make_any(out);
}

static int get_container(reader *r, unsigned tag, int depth, TVMFFIAny *out) {
  PROVE(tag >= kTagArray && tag <= kTagDict);
  return get_value(r, depth, out);
}

static int get_tensor(reader *r, bool is_object, unsigned ndim, unsigned place, TVMFFIAny *out) {
  (void)is_object, (void)ndim, (void)place;
  return get_value(r, 0, out);
}

static int get_shape(reader *r, TVMFFIAny *out) {
  return get_value(r, 0, out);
}

static int get_error(reader *r, bool has_cause, int depth, TVMFFIObjectHandle *out) {
  (void)has_cause;
  PROVE(depth >= 0 && depth <= kMaxDepth + 1);
  if (r->at == r->end || choose_bool()) return reader_set_damage(r, "damaged");
  r->at += 8;
  return make_object(kTVMFFIError, out);
}

static void end_reader(reader *r) {
  reader_end(r);
  PROVE(num_objects == 0 && tensor_object.header.combined_ref_count == 0 && num_blocks == 0 &&
        num_imports == 0);
}

/* ---- Words ---- */

void prove_reader_get_bytes(void) {
  reader r;
  const char *bytes;
  const size_t size = choose_size();
  int code;
  choose_reader(&r, choose_up_to(4));
  code = get_bytes(&r, size, &bytes);
  prove_reader(&r, code);
  if (code == 0) PROVE(bytes >= (const char *)message && size <= (size_t)(r.at - bytes));
  end_reader(&r);
}

void prove_reader_get_content(void) {
  reader r;
  TVMFFIByteArray bytes;
  uint64_t memory;
  int code;
  choose_reader(&r, choose_up_to(4));
  memory = r.memory_left;
  code = get_content(&r, &bytes);
  prove_reader(&r, code);
  if (code == 0) {
    PROVE(bytes.data >= (const char *)message && bytes.data + bytes.size <= r.end);
    PROVE(memory - r.memory_left >= bytes.size);
  }
  end_reader(&r);
}

void prove_reader_get_count(void) {
  reader r;
  size_t count, each = 1 + choose_up_to(1);
  int code;
  choose_reader(&r, choose_up_to(4));
  code = get_count(&r, each, &count);
  prove_reader(&r, code);
  if (code == 0) PROVE(8 * each * count <= (size_t)(r.end - r.at) && count <= INT32_MAX / 2);
  end_reader(&r);
}

/* What is read is counted, and after each mebibyte the clock is looked at. */
void prove_reader_spend(void) {
  reader r;
  const uint64_t bytes = choose_u64();
  uint64_t memory, work;
  int code;
  choose_reader(&r, choose_up_to(4));
  memory = r.memory_left;
  work = r.work;
  code = spend(&r, bytes);
  prove_reader(&r, code);
  if (code == 0) {
    PROVE(bytes <= memory && r.memory_left == memory - bytes);
    PROVE(side_peer.deadline == 0 ||
          (r.work < 1 << 20 && (r.work == work + bytes || num_looks == 1)));
  }
  end_reader(&r);
}

/* ---- Values ---- */

/* A message that is read again after a value gives each byte to one value only. */
void prove_reader_get_value(void) {
  const char *begin;
  reader r;
  TVMFFIAny value;
  int code;
  choose_reader(&r, choose_up_to(4));
  begin = r.at;
  code = get_value_itself(&r, (int)choose_up_to(kMaxDepth), &value);
  prove_reader(&r, code);
  if (code == 0) {
    PROVE(r.at > begin);
    tvm_ffi_any_clear(&value);
  }
  end_reader(&r);
}

void prove_reader_get_shape(void) {
  reader r;
  TVMFFIAny value;
  int code;
  choose_reader(&r, choose_up_to(2));
  code = get_shape_itself(&r, &value);
  prove_reader(&r, code);
  if (code == 0) tvm_ffi_any_clear(&value);
  end_reader(&r);
}

void prove_reader_get_error(void) {
  reader r;
  TVMFFIObjectHandle error;
  int code;
  choose_reader(&r, choose_up_to(8));
  code = get_error_itself(&r, choose_bool(), (int)choose_up_to(kMaxDepth + 1), &error);
  prove_reader(&r, code);
  if (code == 0) TVMFFIObjectDecRef(error);
  end_reader(&r);
}

void prove_reader_get_function(void) {
  reader r;
  TVMFFIAny value;
  int code;
  choose_reader(&r, choose_up_to(4));
  exported.combined_ref_count = 1;
  exported.type_index = (int32_t)choose_u64();
  code = get_function(&r, choose_bool() ? kTagFunction : kTagYours, (uint32_t)choose_u64(), &value);
  prove_reader(&r, code);
  if (code == 0) {
    PROVE(TVMFFIObjectGetTypeIndex(value.v_obj) == kTVMFFIFunction);
    tvm_ffi_any_clear(&value);
  }
  PROVE(exported.combined_ref_count == 1);
  end_reader(&r);
}

void prove_reader_get_argument(void) {
  reader r;
  TVMFFIAny value, answers[3];
  TVMFFIObject tensor;
  size_t i;
  int code;
  choose_reader(&r, choose_up_to(4));
  for (i = 0; i < 3; ++i) {
    answers[i] = tvm_ffi_any_none();
    answers[i].type_index = (int32_t)choose_u64();
    answers[i].v_obj = answers[i].type_index == kTVMFFITensor ? &tensor : NULL;
  }
  tensor.combined_ref_count = 1;
  tensor.type_index = kTVMFFITensor;
  r.answers = answers;
  r.num_answers = (int32_t)choose_up_to(3);
  code = get_argument(&r, (uint32_t)choose_u64(), &value);
  prove_reader(&r, code);
  PROVE(tensor.combined_ref_count == (code == 0 ? 2 : 1));
  if (code == 0) PROVE(value.v_obj == &tensor);
  end_reader(&r);
}

/* ---- Places, numbers of calls ---- */

void prove_reader_find_place(void) {
  reader r;
  const uint64_t offset = choose_u64();
  const int64_t lo = choose_i64(), hi = choose_i64();
  const unsigned place = (unsigned)choose_up_to(UINT16_MAX);
  const char *first, *base;
  size_t size;
  choose_reader(&r, 0);
  ASSUME(lo <= 0 && hi >= 0 && (uint64_t)hi - (uint64_t)lo <= INT64_MAX);
  first = find_place(&r, place, offset, lo, hi);
  if (first == NULL) return;
  base = place == kPlacePool   ? pool
         : place == kPlaceHeap ? region[side_peer.channel.own_side]
                               : region[side_peer.channel.own_side == kSideHost];
  size = place == kPlacePool ? sizeof pool : side_peer.channel.region_size;
  PROVE(offset <= size && first == base + offset);
  PROVE(0 - (uint64_t)lo <= offset && (uint64_t)hi <= size - offset);
  /* What a message is read from is not written as elements of a tensor. */
  if (place == kPlaceAttached) PROVE(offset + (uint64_t)lo >= r.structure_end);
}

/* An answer is taken for that of the call in progress only, and no call is taken twice. */
void prove_reader_check_number(void) {
  reader r;
  uint64_t last;
  int code;
  choose_reader(&r, 0);
  r.number = choose_u64();
  r.op = (operation)choose_up_to(kNumOperations);
  last = side_peer.last_number;
  code = check_number(&r);
  prove_reader(&r, code);
  if (code != 0) return;
  if (side_peer.channel.own_side == kSideHost || r.op == kReturn || r.op == kRaise) {
    PROVE(r.number == side_peer.number);
  } else {
    PROVE(r.number > last && side_peer.last_number == r.number);
  }
}

void prove_reader_get_plain(void) {
  reader r;
  TVMFFIAny value;
  const int32_t type = choose_bool() ? kTVMFFIDataType : kTVMFFIInt;
  int code;
  choose_reader(&r, choose_up_to(2));
  code = get_plain(&r, type, &value);
  prove_reader(&r, code);
  if (code != 0) return;
  PROVE(value.type_index == type && value.zero_padding == 0);
  if (type == kTVMFFIDataType) PROVE(value.v_uint64 <= UINT32_MAX);
}
