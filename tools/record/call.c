/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a function that is intercepted: whether it is recorded, and its events. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

record_slot record_slots[kRecordSlots];
uint32_t record_num_slots;

/* What the recorder itself calls, such as the getter of a field, is not recorded. */
static __thread bool is_recording;

/* ---- How often a signature was called ---- */

/* Entries are claimed by their hash, and never freed. */
enum { kSignatures = 1 << 16, kProbes = 32 };

static struct { uint64_t hash, count; } signatures[kSignatures];

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
    uint64_t *place = &signatures[at % kSignatures].hash, found;
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
  uint64_t hash = mix(0x2545f4914f6cdd1du, slot), number;
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

typedef struct {
  uint32_t generation;
  record_slot *slot;
  uint64_t number;
  int64_t time;
  record_values values;
} event;

enum { kRoomLine = 2048 }; /* most lines fit */

/* The stream that work on the first device with streams is on. */
static void add_stream(record_text *out, const event *call) {
  size_t i;
  for (i = 0; i < call->values.num_storages; ++i) {
    const record_storage *storage = &call->values.storages[i];
    if (storage->device_type != kDLCUDA && storage->device_type != kDLROCM) continue;
    if (call->slot->runtime.stream == NULL) return;
    record_add_format(
        out, ",\"stream\":\"0x%" PRIxPTR "\"",
        (uintptr_t)call->slot->runtime.stream(storage->device_type, storage->device_id));
    return;
  }
}

/* Everything about the inputs. keep: in memory, to be written by write_inputs() or not at all. */
static void read_inputs(event *call, int64_t time, const TVMFFIAny *args, int32_t num_args,
                        bool keep) {
  record_text *values = &call->values.text;
  int32_t i;
  call->time = time;
  record_add(values, "[", 1);
  for (i = 0; i < num_args; ++i) {
    if (i != 0) record_add(values, ",", 1);
    record_value(&call->values, &args[i]);
  }
  record_add(values, "]", 1);
  record_find_storages(&call->values);
  record_read_storages(&call->values, 0, false, keep);
}

/* What calls and their ends begin with, after `event`. */
static void add_call(record_text *out, uint64_t number, int64_t time) {
  record_add_uint(out, number);
  record_add_text(out, ",\"thread\":");
  record_add_int(out, record_thread());
  record_add_text(out, ",\"time\":");
  record_add_int(out, time);
}

static void write_inputs(event *call, bool is_late) {
  const record_slot *slot = call->slot;
  char room[kRoomLine];
  record_text line;
  if (!record_write_library(call->generation, slot->library)) return;
  record_begin_in(&line, room, sizeof room);
  record_store_kept(&call->values);
  call->number = record_next_number();
  record_add_text(&line, "{\"event\":\"call\",\"call\":");
  add_call(&line, call->number, call->time);
  record_add_text(&line, ",\"library\":");
  record_add_int(&line, slot->library->number);
  record_add(&line, slot->names.data, slot->names.size);
  record_add(&line, call->values.text.data, call->values.text.size);
  record_add_storages(&line, &call->values, 0);
  add_stream(&line, call);
  if (is_late) record_add_text(&line, ",\"late\":true");
  record_add(&line, "}", 1);
  line.is_failed = line.is_failed || slot->names.is_failed || call->values.text.is_failed;
  if (line.is_failed) call->number = 0;
  record_write(call->generation, &line);
  record_free(&line);
  (void)__atomic_fetch_add(&call->slot->num_recorded, 1, __ATOMIC_RELAXED);
}

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
  if (call->number == 0 || record_now() != call->generation) return;
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
  record_add_text(&line,
                  rc == 0 ? "{\"event\":\"return\",\"call\":" : "{\"event\":\"error\",\"call\":");
  add_call(&line, call->number, time);
  if (rc != 0) record_add_text(&line, ",\"code\":");
  if (rc != 0) record_add_int(&line, rc);
  record_add_text(&line, rc == 0 ? ",\"result\":" : ",\"error\":");
  record_add(&line, call->values.text.data, call->values.text.size);
  record_add_storages(&line, &call->values, known);
  record_add(&line, "}", 1);
  line.is_failed = line.is_failed || call->values.text.is_failed;
  record_write(call->generation, &line);
  record_free(&line);
}

static void init_event(event *call, uint32_t generation, record_slot *slot) {
  call->generation = generation;
  call->slot = slot;
  call->number = 0;
  record_values_init(&call->values, &slot->runtime);
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
  read_inputs(call, record_time(), args, num_args, is_kept);
  if (!is_kept) write_inputs(call, false);
  is_recording = false;
  errno = error;
  rc = call->slot->code(handle, args, num_args, result);
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

/* The call has failed, and nobody looked at its inputs before. */
static void record_late(uint32_t generation, record_slot *slot, int64_t time, int rc,
                        const TVMFFIAny *args, int32_t num_args) {
  event call;
  int error = errno;
  is_recording = true;
  init_event(&call, generation, slot);
  read_inputs(&call, time, args, num_args, false);
  write_inputs(&call, true);
  write_end(&call, time, rc, NULL, true);
  record_values_fini(&call.values);
  is_recording = false;
  errno = error;
}

int record_call(uint32_t index, void *handle, const TVMFFIAny *args, int32_t num_args,
                TVMFFIAny *result) {
  record_slot *slot = &record_slots[index];
  uint32_t generation = record_now();
  int rc;
  bool is_now;
  if (generation == 0 || is_recording || !is_wanted(slot, generation)) {
    return slot->code(handle, args, num_args, result);
  }
  (void)__atomic_fetch_add(&slot->num_calls, 1, __ATOMIC_RELAXED);
  is_now = is_due(index, args, num_args);
  if (is_now || record_set.on_error) {
    event call;
    init_event(&call, generation, slot);
    rc = call_recorded(&call, !is_now, handle, args, num_args, result);
  } else {
    rc = slot->code(handle, args, num_args, result);
    if (rc != 0 && record_now() == generation) {
      record_late(generation, slot, record_time(), rc, args, num_args);
    }
  }
  if (rc != 0) (void)__atomic_fetch_add(&slot->num_errors, 1, __ATOMIC_RELAXED);
  return rc;
}
