/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a function that is intercepted: whether it is recorded, and its events. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#if defined(RECORD_PROBES)
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#endif

#include "platform/compiler.h"
#include "record.h"

record_slot record_slots[kRecordSlots];
uint32_t record_num_slots;

/* What the recorder itself calls, such as the getter of a field, is not recorded. */
static __thread bool is_recording;

/* ---- How often a signature was called ---- */

/* Entries are claimed by their hash, and never freed. */
enum { kSignatures = 1 << 16, kProbes = 32 };

static struct { record_uint64 hash, count; } signatures[kSignatures];

void record_forget_signatures(void) {
  memset(signatures, 0, sizeof signatures);
}

/* The number of this call of its signature, from 0; *out_is_full if there is no room to count. */
static uint64_t count_signature(uint64_t hash, bool *out_is_full) {
  size_t i;
  *out_is_full = false;
  if (hash == 0) hash = 1;
  for (i = 0; i < kProbes; ++i) {
    size_t at = (size_t)(hash >> 40 ^ hash) + i;
    record_uint64 *place = &signatures[at % kSignatures].hash;
    uint64_t found;
    found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (found == 0 && __atomic_compare_exchange_n(place, &found, hash, false, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED)) {
      found = hash;
    }
    if (found == hash) {
      return __atomic_fetch_add(&signatures[at % kSignatures].count, 1, __ATOMIC_RELAXED);
    }
  }
  *out_is_full = true;
  return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_tensor(uint64_t hash, const DLTensor *tensor) {
  int32_t i;
  hash = mix(hash, (uint64_t)tensor->dtype.code << 24 | (uint64_t)tensor->dtype.bits << 16 |
                       tensor->dtype.lanes);
  hash = mix(hash, (uint64_t)tensor->device.device_type << 32 | (uint32_t)tensor->device.device_id);
  hash = mix(hash, (uint64_t)(uint32_t)tensor->ndim);
  if (tensor->ndim > 64 || tensor->shape == NULL) return hash;
  for (i = 0; i < tensor->ndim; ++i) {
    hash = mix(hash, (uint64_t)tensor->shape[i]);
    if (tensor->strides != NULL) hash = mix(hash, (uint64_t)tensor->strides[i]);
  }
  return hash;
}

static uint64_t mix_value(uint64_t hash, const TVMFFIAny *value, int depth) {
  hash = mix(hash, (uint64_t)(uint32_t)value->type_index);
  if (value->type_index == kTVMFFIDLTensorPtr && value->v_ptr != NULL) {
    hash = mix_tensor(hash, value->v_ptr);
  } else if (value->type_index == kTVMFFITensor) {
    hash = mix_tensor(hash, TVMFFITensorGetDLTensorPtr(value->v_obj));
  } else if (value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList) {
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(value->v_obj);
    const TVMFFIAny *items = cell->data;
    int64_t i;
    hash = mix(hash, (uint64_t)cell->size);
    for (i = 0; i < cell->size && i < 16 && depth < 3; ++i) {
      hash = mix_value(hash, &items[i], depth + 1);
    }
  }
  return hash;
}

/* Whether the options ask for this call, whatever comes of it. */
static bool is_due(uint32_t slot, const TVMFFIAny *args, int32_t num_args) {
  static int is_said;
  uint64_t hash = mix(mix(0x2545f4914f6cdd1du, slot), (uintptr_t)record_slots[slot].library);
  uint64_t number;
  bool is_full;
  int32_t i;
  if (record_set.all) return true;
  if (record_set.first == 0 && record_set.every == 0) return false;
  for (i = 0; i < num_args; ++i) hash = mix_value(hash, &args[i], 0);
  number = count_signature(hash, &is_full);
  if (is_full) {
    if (__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED) == 0) {
      record_note("there are too many signatures, and calls of new ones are not recorded");
    }
    return false;
  }
  return number < (uint64_t)record_set.first ||
         (record_set.every != 0 && number % (uint64_t)record_set.every == 0);
}

/* ---- Events ---- */

/* What the text of a call is made of; two calls of a function with the same image have the same. */
enum { kImageWords = 64 };

typedef struct {
  size_t size; /* in words; 0: the call has none */
  uint64_t words[kImageWords];
} call_image;

typedef struct {
  uint32_t generation;
  record_slot *slot;
  record_library *library; /* of the slot, which another thread may give to another library */
  uint64_t number;
  int64_t time;
  record_values values;
  /* Of the call that this one repeats. */
  uint64_t like; /* its number; 0: none */
  bool like_has_result;
  TVMFFIAny like_result;
  call_image image;
} event;

static bool has_streams(int32_t device_type) {
  return device_type != kDLCPU && device_type != kDLCUDAHost && device_type != kDLROCMHost;
}

/* Whether a storage before this one is on its device. */
static bool has_device(const record_storage *storages, size_t i) {
  size_t k = 0;
  while (k < i && (storages[k].device_type != storages[i].device_type ||
                   storages[k].device_id != storages[i].device_id)) {
    ++k;
  }
  return k < i;
}

/* The streams that work is on, of each device with memory of tensors. */
static void add_streams(record_text *out, const event *call) {
  const record_storage *storages = call->values.storages;
  bool is_first = true;
  size_t i;
  if (call->slot->runtime.stream == NULL) return;
  for (i = 0; i < call->values.num_storages; ++i) {
    const int32_t type = storages[i].device_type, id = storages[i].device_id;
    if (!has_streams(type) || has_device(storages, i)) continue;
    record_add_text(out, is_first ? ",\"streams\":[[" : ",[");
    is_first = false;
    record_add_int(out, type);
    record_add_text(out, ",");
    record_add_int(out, id);
    record_add_text(out, ",");
    record_add_pointer(out, call->slot->runtime.stream(type, id));
    record_add_text(out, "]");
  }
  if (!is_first) record_add_text(out, "]");
}

/* Everything about the inputs. keep: in memory, to be written by write_inputs() or not at all. */
static void read_inputs(event *call, const TVMFFIAny *args, int32_t num_args, bool keep) {
  record_text *values = &call->values.text;
  int32_t i;
  record_add(values, "[", 1);
  for (i = 0; i < num_args; ++i) {
    if (i != 0) record_add(values, ",", 1);
    call->values.is_output = record_set.patterns[kOutputs] != NULL &&
                             record_is_output(call->slot->function, i, num_args);
    record_value(&call->values, &args[i]);
  }
  call->values.is_output = false;
  record_add(values, "]", 1);
  record_find_storages(&call->values);
  record_read_storages(&call->values, 0, false, keep);
}

/* How the line of an event begins; `start` is up to the number. */
static void add_event(record_text *out, const char *start, uint64_t number, int64_t time) {
  const size_t size = strlen(start);
  char *at = record_begin_put(out, size + 32 + 3 * kRecordNumber);
  if (at == NULL) return;
  memcpy(at, start, size);
  at = record_put_uint(at + size, number);
  at = record_put_thread(record_put(at, ",\"thread\":"));
  at = record_put_int(record_put(at, ",\"time\":"), time);
  record_end_put(out, at);
}

/* Ends the line of an event that only repeats another. */
static void add_like(record_text *out, uint64_t number) {
  char *at = record_begin_put(out, 16 + kRecordNumber);
  if (at == NULL) return;
  at = record_put_uint(record_put(at, ",\"like\":"), number);
  record_end_put(out, record_put(at, "}"));
}

/* The line of a call, which has its number by now, and keeps it if that is written. */
static void write_call(event *call, record_text *line) {
  if (!record_write(call->generation, line)) call->number = 0;
  record_free(line);
  if (call->number != 0 && record_now() == call->generation) {
    (void)__atomic_fetch_add(&record_find_count(call->slot, call->generation)->recorded, 1,
                             __ATOMIC_RELAXED);
  }
}

static void write_inputs(event *call, bool is_late) {
  const record_slot *slot = call->slot;
  char room[kRoomLine];
  record_text line;
  if (!record_write_library(call->generation, call->library)) return;
  record_begin_in(&line, room, sizeof room);
  record_store_kept(&call->values);
  call->number = record_next_number();
  add_event(&line, "{\"event\":\"call\",\"call\":", call->number, call->time);
  record_add_text(&line, ",\"library\":");
  record_add_int(&line, call->library->number);
  record_add(&line, slot->name.data, slot->name.size);
  record_add_text(&line, ",\"args\":");
  record_add(&line, call->values.text.data, call->values.text.size);
  record_add_storages(&line, &call->values, 0);
  add_streams(&line, call);
  if (is_late) record_add_text(&line, ",\"late\":true");
  record_add(&line, "}", 1);
  line.is_failed = line.is_failed || slot->name.is_failed || call->values.text.is_failed;
  write_call(call, &line);
}

/* ---- Calls that repeat another ---- */

/*
 * Without data, a loop that calls functions would write the same lines again and again. A call that
 * repeats an earlier one has that one's number instead, if the earlier one is still in this table,
 * by the hash of its image. Threads that meet at an entry do not wait, but write whole lines, and
 * so does a child of fork for entries that other threads held then.
 */
typedef struct {
  uint32_t is_taken; /* a lock that is only tried */
  uint32_t generation;
  uint64_t number;
  call_image image;
  record_storage storages[kRoomTensors];
  size_t num_storages;
  bool has_result; /* its return is written */
  TVMFFIAny result;
} whole_call;

enum { kWholeCalls = 4096 };
static whole_call whole_calls[kWholeCalls];

/* If so many calls of a function in a row repeated none, only some are looked up. */
enum { kManyMisses = 256, kTryAgain = 64 };

static whole_call *try_whole_call(const call_image *image) {
  uint64_t hash = 0;
  whole_call *whole;
  size_t i;
  /* Products do not wait for each other, as they would in mix(). */
  for (i = 0; i < image->size; ++i) {
    hash += (image->words[i] ^ image->words[i] >> 32) * (0x9e3779b97f4a7c15u + 2 * i);
  }
  whole = &whole_calls[(hash ^ hash >> 32) % kWholeCalls];
  return __atomic_exchange_n(&whole->is_taken, 1, __ATOMIC_ACQUIRE) == 0 ? whole : NULL;
}

static void leave_whole_call(whole_call *whole) {
  __atomic_store_n(&whole->is_taken, 0, __ATOMIC_RELEASE);
}

static bool put_word(call_image *out, uint64_t word) {
  if (out->size == kImageWords) return false;
  out->words[out->size++] = word;
  return true;
}

static bool put_bytes(call_image *out, const char *bytes, size_t size) {
  const size_t num_words = (size + 7) / 8;
  if (size > sizeof out->words || !put_word(out, size)) return false;
  if (kImageWords - out->size < num_words) return false;
  if (num_words != 0) out->words[out->size + num_words - 1] = 0;
  if (size != 0) memcpy(&out->words[out->size], bytes, size);
  out->size += num_words;
  return true;
}

static bool put_extents(call_image *out, const int64_t *extents, int32_t ndim) {
  if (kImageWords - out->size < (size_t)ndim) return false;
  memcpy(&out->words[out->size], extents, (size_t)ndim * sizeof *extents);
  out->size += (size_t)ndim;
  return true;
}

static bool put_tensor(call_image *out, const record_runtime *runtime, const DLTensor *tensor) {
  const DLDevice device = tensor->device;
  const DLDataType dtype = tensor->dtype;
  if (tensor->ndim < 0 || tensor->ndim > kImageWords || tensor->shape == NULL) return false;
  if (kImageWords - out->size < 6) return false;
  (void)put_word(out, (uintptr_t)tensor->data);
  (void)put_word(out, tensor->byte_offset);
  (void)put_word(out, (uint64_t)device.device_type << 32 | (uint32_t)device.device_id);
  (void)put_word(out, (uint64_t)dtype.code << 24 | (uint64_t)dtype.bits << 16 | dtype.lanes);
  (void)put_word(out, (uint64_t)tensor->ndim << 1 | (tensor->strides != NULL ? 1 : 0));
  if (has_streams((int32_t)device.device_type) && runtime->stream != NULL) {
    (void)put_word(out, (uintptr_t)runtime->stream((int32_t)device.device_type, device.device_id));
  }
  return put_extents(out, tensor->shape, tensor->ndim) &&
         (tensor->strides == NULL || put_extents(out, tensor->strides, tensor->ndim));
}

/* Whether the text of a value depends on its sixteen bytes alone. */
static bool is_plain(const TVMFFIAny *value) {
  switch (value->type_index) {
    case kTVMFFINone:
    case kTVMFFIInt:
    case kTVMFFIBool:
    case kTVMFFIFloat:
    case kTVMFFIOpaquePtr:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      return true;
    default:
      return false;
  }
}

/* A Tensor object: which argument was the first with it, its flags, and what it describes. */
static bool put_object(call_image *out, const record_runtime *runtime, const TVMFFIAny *args,
                       int32_t i) {
  TVMFFIObject *object = args[i].v_obj;
  uint64_t flags = 0;
  int32_t first = 0;
  const bool has_flags = record_read_flags(runtime, object, &flags);
  while (args[first].type_index != kTVMFFITensor || args[first].v_obj != object) ++first;
  return put_word(out, (uint64_t)first << 1 | (has_flags ? 1 : 0)) && put_word(out, flags) &&
         put_tensor(out, runtime, TVMFFITensorGetDLTensorPtr(object));
}

static bool put_value(call_image *out, const record_runtime *runtime, const TVMFFIAny *args,
                      int32_t i) {
  const TVMFFIAny *value = &args[i];
  const TVMFFIByteArray *text = value->v_ptr;
  uint64_t words[2];
  memcpy(words, value, sizeof words);
  if (!put_word(out, words[0])) return false;
  if (is_plain(value)) return put_word(out, words[1]);
  switch (value->type_index) {
    case kTVMFFIDLTensorPtr:
      return value->v_ptr != NULL && put_tensor(out, runtime, value->v_ptr);
    case kTVMFFITensor:
      return put_object(out, runtime, args, i);
    case kTVMFFIRawStr:
      return value->v_c_str != NULL && put_bytes(out, value->v_c_str, strlen(value->v_c_str));
    case kTVMFFIByteArrayPtr:
      return put_bytes(out, text->data, text->size);
    case kTVMFFIStr:
    case kTVMFFIBytes:
      text = TVMFFIBytesGetByteArrayPtr(value->v_obj);
      return put_bytes(out, text->data, text->size);
    default:
      return false;
  }
}

/* Takes the image, unless something in the arguments is too large or too deep for it. */
static void take_image(event *call, const TVMFFIAny *args, int32_t num_args) {
  call_image *image = &call->image;
  bool is_whole;
  int32_t i;
  (void)put_word(image, (uintptr_t)call->slot);
  is_whole = put_word(image, (uintptr_t)call->library);
  for (i = 0; i < num_args && is_whole; ++i) {
    is_whole = put_value(image, &call->slot->runtime, args, i);
  }
  if (!is_whole) image->size = 0;
}

/* Whether to look this call up. It counts as a miss until find_like() finds it. */
static bool is_lookup_due(record_slot *slot) {
  const uint32_t misses = __atomic_load_n(&slot->num_misses, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->num_misses, misses + 1, __ATOMIC_RELAXED);
  return misses < kManyMisses || misses % kTryAgain == 0;
}

/* Whether this call repeats an earlier one, whose storages it then gets. */
static bool find_like(event *call) {
  const call_image *image = &call->image;
  whole_call *whole = image->size != 0 ? try_whole_call(image) : NULL;
  if (whole == NULL) return false;
  if (whole->generation == call->generation && whole->image.size == image->size &&
      memcmp(whole->image.words, image->words, image->size * sizeof *image->words) == 0) {
    call->like = whole->number;
    call->like_has_result = whole->has_result;
    call->like_result = whole->result;
    call->values.num_storages = whole->num_storages;
    memcpy(call->values.storages, whole->storages, whole->num_storages * sizeof *whole->storages);
  }
  leave_whole_call(whole);
  if (call->like != 0) __atomic_store_n(&call->slot->num_misses, 0, __ATOMIC_RELAXED);
  return call->like != 0;
}

static void write_repeated(event *call) {
  char room[kRoomLine];
  record_text line;
  record_begin_in(&line, room, sizeof room);
  call->number = record_next_number();
  add_event(&line, "{\"event\":\"call\",\"call\":", call->number, call->time);
  record_add(&line, call->slot->name.data, call->slot->name.size);
  add_like(&line, call->like);
  write_call(call, &line);
}

/* A call that was written whole may be repeated by later ones. */
static void keep_whole(const event *call) {
  whole_call *whole = NULL;
  if (call->number != 0 && call->image.size != 0 && call->values.num_storages <= kRoomTensors) {
    whole = try_whole_call(&call->image);
  }
  if (whole == NULL) return;
  whole->generation = call->generation;
  whole->number = call->number;
  whole->has_result = false;
  whole->num_storages = call->values.num_storages;
  memcpy(whole->storages, call->values.storages, whole->num_storages * sizeof *whole->storages);
  whole->image.size = call->image.size;
  memcpy(whole->image.words, call->image.words, call->image.size * sizeof *call->image.words);
  leave_whole_call(whole);
}

/* Its return, which was written whole, may be repeated, too. */
static void keep_result(const event *call, const TVMFFIAny *result) {
  whole_call *whole = NULL;
  if (call->image.size != 0 && is_plain(result)) whole = try_whole_call(&call->image);
  if (whole == NULL) return;
  if (whole->generation == call->generation && whole->number == call->number) {
    whole->result = *result;
    whole->has_result = true;
  }
  leave_whole_call(whole);
}

static bool repeats_result(const event *call, int rc, const TVMFFIAny *result) {
  return call->like != 0 && call->like_has_result && rc == 0 &&
         memcmp(result, &call->like_result, sizeof *result) == 0;
}

/* ---- The end of a call ---- */

/* The texts of the error in the runtime's slot of this thread, which stays there. */
static void add_raised(event *call) {
  const record_runtime *runtime = call->values.runtime;
  TVMFFIObjectHandle error = NULL;
  if (runtime->move_raised != NULL && runtime->set_raised != NULL && runtime->release != NULL) {
    (void)runtime->move_raised(&error);
  }
  if (error == NULL) {
    record_add(&call->values.text, "null", 4);
    return;
  }
  record_error_texts(&call->values, error);
  (void)runtime->set_raised(error);
  (void)runtime->release(error);
}

/* is_read: the storages have been read after the call already. */
static void write_end(event *call, int64_t time, int rc, const TVMFFIAny *result, bool is_read) {
  char room[kRoomLine];
  record_text line;
  size_t known = call->values.num_storages;
  bool is_written;
  if (call->number == 0 || record_now() != call->generation) return;
  if (repeats_result(call, rc, result)) {
    record_begin_in(&line, room, sizeof room);
    add_event(&line, "{\"event\":\"return\",\"call\":", call->number, time);
    add_like(&line, call->like);
    (void)record_write(call->generation, &line);
    record_free(&line);
    return;
  }
  record_values_again(&call->values);
  if (rc == 0) {
    record_value(&call->values, result);
    record_find_storages(&call->values);
  } else {
    add_raised(call);
  }
  if (!is_read) {
    record_read_storages(&call->values, 0, true, false);
  }
  record_begin_in(&line, room, sizeof room);
  add_event(&line, rc == 0 ? "{\"event\":\"return\",\"call\":" : "{\"event\":\"error\",\"call\":",
            call->number, time);
  if (rc != 0) record_add_text(&line, ",\"code\":");
  if (rc != 0) record_add_int(&line, rc);
  record_add_text(&line, rc == 0 ? ",\"result\":" : ",\"error\":");
  record_add(&line, call->values.text.data, call->values.text.size);
  record_add_storages(&line, &call->values, known);
  record_add(&line, "}", 1);
  line.is_failed = line.is_failed || call->values.text.is_failed;
  is_written = record_write(call->generation, &line);
  record_free(&line);
  if (is_written && rc == 0) keep_result(call, result);
}

static void init_event(event *call, uint32_t generation, record_slot *slot) {
  call->generation = generation;
  call->slot = slot;
  call->library = slot->library;
  call->number = call->like = 0;
  call->time = record_time();
  call->image.size = 0;
  record_values_init(&call->values, &slot->runtime);
}

/* ---- Probes ---- */

#if defined(RECORD_PROBES)
/* Whoever sets a probe counts these up. <sys/sdt.h> refers to them by their names. */
#define SEMAPHORE(probe) \
  unsigned short tvm_ffi_##probe##_semaphore __attribute__((section(".probes"), used))
SEMAPHORE(entry);
SEMAPHORE(return );
SEMAPHORE(error);
#define IS_SET(probe) \
  __builtin_expect(__atomic_load_n(&tvm_ffi_##probe##_semaphore, __ATOMIC_RELAXED) != 0, 0)

/* The error stays where it is. */
static void probe_error(const record_slot *slot, uintptr_t number) {
  const record_runtime *runtime = &slot->runtime;
  TVMFFIObjectHandle error = NULL;
  char kind[64] = "";
  if (runtime->move_raised != NULL && runtime->set_raised != NULL && runtime->release != NULL) {
    (void)runtime->move_raised(&error);
  }
  if (error != NULL) {
    const TVMFFIByteArray text = TVMFFIErrorGetCellPtr(error)->kind;
    memcpy(kind, text.data, text.size < sizeof kind ? text.size : sizeof kind - 1);
    (void)runtime->set_raised(error);
    (void)runtime->release(error);
  }
  STAP_PROBE4(tvm_ffi, error, slot->library->path, slot->function, number, kind);
}
#endif

/* The handle is a function object, unless the function is a symbol. */
static TVMFFISafeCallType get_code(const record_slot *slot, void *handle) {
  return slot->kind == kRecordSymbol ? slot->code : TVMFFIFunctionGetCellPtr(handle)->safe_call;
}

/* Calls the function itself. number: 0 if it is not recorded. */
static int call_function(const record_slot *slot, uint64_t number, void *handle,
                         const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
#if defined(RECORD_PROBES)
  int rc;
  if (IS_SET(entry)) {
    STAP_PROBE3(tvm_ffi, entry, slot->library->path, slot->function, (uintptr_t)number);
  }
  rc = get_code(slot, handle)(handle, args, num_args, result);
  if (rc == 0 && IS_SET(return )) {
    STAP_PROBE3(tvm_ffi, return, slot->library->path, slot->function, (uintptr_t)number);
  }
  if (rc != 0 && IS_SET(error)) {
    int before = errno;
    is_recording = true;
    probe_error(slot, (uintptr_t)number);
    is_recording = false;
    errno = before;
  }
  return rc;
#else
  (void)number;
  return get_code(slot, handle)(handle, args, num_args, result);
#endif
}

/* ---- Calls ---- */

static bool is_wanted(record_slot *slot, uint32_t generation) {
  if (__atomic_load_n(&slot->wanted_in, __ATOMIC_ACQUIRE) != generation) {
    __atomic_store_n(&slot->is_wanted, record_wants(slot->function, slot->library->path),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&slot->wanted_in, generation, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&slot->is_wanted, __ATOMIC_RELAXED);
}

/* Records the call, or keeps its inputs until it fails. */
static int call_recorded(event *call, bool is_kept, void *handle, const TVMFFIAny *args,
                         int32_t num_args, TVMFFIAny *result) {
  int rc, error = errno;
  is_recording = true;
  call->values.is_careful = call->slot->kind != kRecordSymbol;
  if (!is_kept && record_set.no_data && is_lookup_due(call->slot)) {
    take_image(call, args, num_args);
  }
  if (find_like(call)) {
    write_repeated(call);
  } else {
    read_inputs(call, args, num_args, is_kept);
    if (!is_kept) write_inputs(call, false);
    keep_whole(call);
  }
  is_recording = false;
  errno = error;
  rc = call_function(call->slot, call->number, handle, args, num_args, result);
  if (is_kept && rc == 0) {
    record_values_fini(&call->values);
    return rc;
  }
  error = errno;
  is_recording = true;
  {
    int64_t time = record_time();
    if (is_kept) write_inputs(call, false);
    write_end(call, time, rc, result, false);
  }
  record_values_fini(&call->values);
  is_recording = false;
  errno = error;
  return rc;
}

static int call_traced(record_trace *trace, uint32_t generation, record_slot *slot, void *handle,
                       const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int error = errno, rc;
  is_recording = true;
  record_trace_begin(trace, generation, slot, args, num_args);
  is_recording = false;
  errno = error;
  rc = call_function(slot, 0, handle, args, num_args, result);
  error = errno;
  is_recording = true;
  record_trace_end(trace, rc);
  is_recording = false;
  errno = error;
  return rc;
}

/*
 * What is known of a call takes thousands of bytes until it ends, which threads with small stacks
 * and calls deep within others have no room for on the stack. A call that is left by longjmp or an
 * exception keeps what it has: so there is a limit, and the stack behind it.
 */
typedef union {
  event call;
  record_trace trace;
} room;

enum { kRooms = 64, kMostAllocated = 16384 }; /* 80 MB; stacks hold fewer calls in calls */
static struct {
  room room;
  int is_taken;
} rooms[kRooms];
static uint32_t num_allocated; /* beyond these */

/* NULL: there is none. */
static room *take_room(void) {
  const size_t first = (uintptr_t)&is_recording >> 12; /* threads begin at different ones */
  const int error = errno;
  room *made = NULL;
  size_t i;
  for (i = 0; i < kRooms; ++i) {
    int *is_taken = &rooms[(first + i) % kRooms].is_taken;
    if (__atomic_load_n(is_taken, __ATOMIC_RELAXED) == 0 &&
        __atomic_exchange_n(is_taken, 1, __ATOMIC_ACQUIRE) == 0) {
      return &rooms[(first + i) % kRooms].room;
    }
  }
  if (__atomic_fetch_add(&num_allocated, 1, __ATOMIC_RELAXED) < kMostAllocated) {
    ++record_num_locked; /* the allocator has locks, too */
    made = malloc(sizeof *made);
    --record_num_locked;
  }
  if (made == NULL) (void)__atomic_fetch_sub(&num_allocated, 1, __ATOMIC_RELAXED);
  errno = error;
  return made;
}

static void leave_room(room *taken) {
  size_t i = 0;
  while (i < kRooms && &rooms[i].room != taken) ++i;
  if (i < kRooms) {
    __atomic_store_n(&rooms[i].is_taken, 0, __ATOMIC_RELEASE);
  } else {
    ++record_num_locked;
    free(taken);
    --record_num_locked;
    (void)__atomic_fetch_sub(&num_allocated, 1, __ATOMIC_RELAXED);
  }
}

static int call_in_room(room *in, uint32_t generation, record_slot *slot, bool is_kept,
                        void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  if (record_set.trace) {
    return call_traced(&in->trace, generation, slot, handle, args, num_args, result);
  }
  init_event(&in->call, generation, slot);
  return call_recorded(&in->call, is_kept, handle, args, num_args, result);
}

TVMFFI_NOINLINE static int call_on_stack(uint32_t generation, record_slot *slot, bool is_kept,
                                         void *handle, const TVMFFIAny *args, int32_t num_args,
                                         TVMFFIAny *result) {
  room in;
  return call_in_room(&in, generation, slot, is_kept, handle, args, num_args, result);
}

static int call_with_room(uint32_t generation, record_slot *slot, bool is_kept, void *handle,
                          const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  room *in = take_room();
  int rc;
  if (in == NULL) {
    return call_on_stack(generation, slot, is_kept, handle, args, num_args, result);
  }
  rc = call_in_room(in, generation, slot, is_kept, handle, args, num_args, result);
  leave_room(in);
  return rc;
}

/* The call has failed, and nobody looked at its inputs before. */
static void record_late_in(event *call, uint32_t generation, record_slot *slot, int64_t time,
                           int rc, const TVMFFIAny *args, int32_t num_args) {
  int error = errno;
  is_recording = true;
  init_event(call, generation, slot);
  call->time = time;
  call->values.is_careful = call->slot->kind != kRecordSymbol;
  read_inputs(call, args, num_args, false);
  write_inputs(call, true);
  write_end(call, time, rc, NULL, true);
  record_values_fini(&call->values);
  is_recording = false;
  errno = error;
}

TVMFFI_NOINLINE static void record_late_on_stack(uint32_t generation, record_slot *slot,
                                                 int64_t time, int rc, const TVMFFIAny *args,
                                                 int32_t num_args) {
  event call;
  record_late_in(&call, generation, slot, time, rc, args, num_args);
}

static void record_late(uint32_t generation, record_slot *slot, int64_t time, int rc,
                        const TVMFFIAny *args, int32_t num_args) {
  room *in = take_room();
  if (in == NULL) {
    record_late_on_stack(generation, slot, time, rc, args, num_args);
  } else {
    record_late_in(&in->call, generation, slot, time, rc, args, num_args);
    leave_room(in);
  }
}

/* The first call of a function opens files. */
static void count_call(record_slot *slot, uint32_t generation) {
  const int error = errno;
  (void)__atomic_fetch_add(&record_find_count(slot, generation)->calls, 1, __ATOMIC_RELAXED);
  errno = error;
}

/* A kernel may have forked: the counts of the child begin at the fork, behind this call. */
static void count_error(record_slot *slot, uint32_t generation, int rc) {
  if (rc != 0 && record_now() == generation) {
    (void)__atomic_fetch_add(&record_find_count(slot, generation)->errors, 1, __ATOMIC_RELAXED);
  }
}

int record_call(uint32_t index, void *handle, const TVMFFIAny *args, int32_t num_args,
                TVMFFIAny *result) {
  record_slot *slot = &record_slots[index];
  uint32_t generation = record_now();
  int rc;
  bool is_now;
  if (generation == 0 || is_recording || record_num_locked != 0 || !is_wanted(slot, generation)) {
    return get_code(slot, handle)(handle, args, num_args, result);
  }
  count_call(slot, generation);
  is_now = record_set.trace || is_due(index, args, num_args);
  if (is_now || record_set.on_error) {
    rc = call_with_room(generation, slot, !is_now, handle, args, num_args, result);
  } else {
    rc = call_function(slot, 0, handle, args, num_args, result);
    if (rc != 0 && record_now() == generation) {
      record_late(generation, slot, record_time(), rc, args, num_args);
    }
  }
  count_error(slot, generation, rc);
  return rc;
}
