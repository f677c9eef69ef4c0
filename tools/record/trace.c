/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a trace (`tvm-ffi record --trace`), and its table of functions and their times. */
#define _GNU_SOURCE /* strnlen */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record.h"

/* ---- Times ---- */

/* How often a call of each slot took about so long: below 16 ns exact, above it in eighths of a
 * power of two. */
enum { kTimes = 16 + 8 * 60 };
static uint32_t times[kRecordSlots][kTimes];

void record_forget_times(void) {
  uint32_t i;
  for (i = 0; i < record_num_slots; ++i) {
    memset(times[i], 0, sizeof times[i]);
    record_slots[i].total_ns = 0;
    memset(&record_slots[i].own, 0, sizeof record_slots[i].own);
  }
}

static size_t index_of_time(uint64_t ns) {
  const int power = 63 - __builtin_clzll(ns | 1);
  return ns < 16 ? (size_t)ns : (size_t)(16 + (power - 4) * 8) + (size_t)(ns >> (power - 3) & 7);
}

/* The shortest time with this index. */
static uint64_t time_of_index(size_t i) {
  return i < 16 ? i : (uint64_t)(8 + (i - 16) % 8) << ((i - 16) / 8 + 1);
}

/* ---- Events ---- */

static void add_tensor_type(record_text *out, const DLTensor *tensor) {
  static const char *const kCodes[] = {"int",    "uint",    "float", "handle",
                                       "bfloat", "complex", "bool"};
  enum { kRoomFixed = 16 + 2 * kRecordNumber }; /* without extents */
  const DLDataType dtype = tensor->dtype;
  const char *code = dtype.code < sizeof kCodes / sizeof *kCodes ? kCodes[dtype.code] : "type";
  const int32_t shown = tensor->shape == NULL || tensor->ndim < 0 ? 0
                        : tensor->ndim < 64                       ? tensor->ndim
                                                                  : 64;
  char *at = record_begin_put(out, kRoomFixed + (kRecordNumber + 2) * (size_t)shown);
  int32_t i;
  if (at == NULL) return;
  *at++ = '"';
  while (*code != '\0') *at++ = *code++;
  at = record_put_uint(at, dtype.bits);
  if (dtype.lanes != 1) at = record_put_uint(record_put(at, "x"), dtype.lanes);
  at = record_put(at, "[");
  for (i = 0; i < shown; ++i) {
    if (i != 0) at = record_put(at, ", ");
    if (tensor->shape[i] >= 0 && tensor->shape[i] < INT64_C(1) << 53) {
      at = record_put_int(at, tensor->shape[i]);
    } else {
      at += snprintf(at, kRecordNumber, "%lld", (long long)tensor->shape[i]);
    }
  }
  record_end_put(out, record_put(at, "]\""));
}

/* An argument in short, as JSON. */
static void add_short(record_text *out, const record_runtime *runtime, const TVMFFIAny *value) {
  enum { kShown = 60 };
  const TVMFFIByteArray *text;
  record_values values;
  switch (value->type_index) {
    case kTVMFFIDLTensorPtr:
      if (value->v_ptr == NULL) break;
      add_tensor_type(out, value->v_ptr);
      return;
    case kTVMFFITensor:
      add_tensor_type(out, TVMFFITensorGetDLTensorPtr(value->v_obj));
      return;
    case kTVMFFIFloat:
      record_add_text(out, "\"");
      record_add_double(out, value->v_float64, 9);
      record_add_text(out, "\"");
      return;
    case kTVMFFIStr:
      text = TVMFFIBytesGetByteArrayPtr(value->v_obj);
      record_add_string(out, text->data, text->size < kShown ? text->size : kShown);
      return;
    case kTVMFFIRawStr:
      if (value->v_c_str == NULL) break;
      record_add_string(out, value->v_c_str, strnlen(value->v_c_str, kShown));
      return;
    case kTVMFFIArray:
    case kTVMFFIList:
      record_add_format(out, "\"%s of %lld\"", value->type_index == kTVMFFIArray ? "Array" : "List",
                        (long long)TVMFFISeqGetCellPtr(value->v_obj)->size);
      return;
    default:
      break;
  }
  if (value->type_index >= kTVMFFIStaticObjectBegin) {
    const TVMFFITypeInfo *info =
        runtime->type_info != NULL ? runtime->type_info(value->type_index) : NULL;
    record_add_string(out, info != NULL ? info->type_key.data : "object",
                      info != NULL ? info->type_key.size : strlen("object"));
    return;
  }
  record_values_init(&values, runtime);
  record_value(&values, value);
  record_add(out, values.text.data, values.text.size);
  record_values_fini(&values);
}

/* Kind and message of the error that was raised, which stays there. */
static void add_short_error(record_text *out, const record_runtime *runtime) {
  record_text text = {NULL, 0, 0, NULL, false};
  TVMFFIObjectHandle error = NULL;
  if (runtime->move_raised != NULL && runtime->set_raised != NULL && runtime->release != NULL) {
    (void)runtime->move_raised(&error);
  }
  if (error != NULL) {
    const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
    record_add(&text, cell->kind.data, cell->kind.size);
    record_add_text(&text, ": ");
    record_add(&text, cell->message.data, cell->message.size < 1000 ? cell->message.size : 1000);
    (void)runtime->set_raised(error);
    (void)runtime->release(error);
  } else {
    record_add_text(&text, "failed");
  }
  record_add_string(out, text.data, text.size);
  record_free(&text);
}

/* Nanoseconds as microseconds, the unit of the format. */
static char *put_time(char *at, uint64_t ns) {
  const uint32_t fraction = (uint32_t)(ns % 1000);
  at = record_put_uint(at, ns / 1000);
  at[0] = '.';
  at[1] = (char)('0' + fraction / 100);
  at[2] = (char)('0' + fraction / 10 % 10);
  at[3] = (char)('0' + fraction % 10);
  return at + 4;
}

void record_trace_begin(record_trace *trace, uint32_t generation, record_slot *slot,
                        const TVMFFIAny *args, int32_t num_args) {
  int32_t i;
  trace->generation = generation;
  trace->slot = slot;
  trace->num_args = num_args;
  record_begin_in(&trace->args, trace->room, sizeof trace->room);
  for (i = 0; i < num_args && i < 64; ++i) {
    char *at = record_begin_put(&trace->args, 4 + kRecordNumber);
    if (at == NULL) break;
    at = i != 0 ? record_put(at, ",\"") : record_put(at, "\"");
    record_end_put(&trace->args, record_put(record_put_int(at, i), "\":"));
    add_short(&trace->args, &slot->runtime, &args[i]);
  }
  trace->begin = record_clock();
}

/* The process of this generation. */
static int64_t find_pid(uint32_t generation) {
  static uint32_t pid_of;
  static int64_t pid;
  if (__atomic_load_n(&pid_of, __ATOMIC_ACQUIRE) != generation) {
    __atomic_store_n(&pid, (int64_t)getpid(), __ATOMIC_RELAXED);
    __atomic_store_n(&pid_of, generation, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&pid, __ATOMIC_RELAXED);
}

void record_trace_end(record_trace *trace, int rc) {
  const uint64_t taken = record_clock() - trace->begin;
  record_slot *slot = trace->slot;
  char room[kRoomLine];
  record_text line;
  char *at;
  (void)__atomic_fetch_add(&slot->total_ns, taken, __ATOMIC_RELAXED);
  (void)__atomic_fetch_add(&times[slot - record_slots][index_of_time(taken)], 1, __ATOMIC_RELAXED);
  record_begin_in(&line, room, sizeof room);
  record_add(&line, slot->title.data, slot->title.size);
  if (rc != 0) record_add_text(&line, ",\"cat\":\"error\",\"cname\":\"terrible\"");
  at = record_begin_put(&line, 64 + 4 * kRecordNumber + trace->args.size);
  if (at != NULL) {
    at = record_put_int(record_put(at, ",\"pid\":"), find_pid(trace->generation));
    at = record_put_thread(record_put(at, ",\"tid\":"));
    at = put_time(record_put(at, ",\"ts\":"), trace->begin);
    at = put_time(record_put(at, ",\"dur\":"), taken);
    at = record_put(at, ",\"args\":{");
    memcpy(at, trace->args.data, trace->args.size);
    record_end_put(&line, at + trace->args.size);
  }
  if (rc != 0) {
    record_add_text(&line, trace->num_args > 0 ? ",\"error\":" : "\"error\":");
    add_short_error(&line, &slot->runtime);
  }
  record_add_text(&line, "}},");
  line.is_failed = line.is_failed || trace->args.is_failed || slot->title.is_failed;
  (void)record_write(trace->generation, &line);
  record_free(&line);
  record_free(&trace->args);
}

/* ---- The table ---- */

/* The time that so many of a hundred calls of a slot took at most, to an eighth. */
static uint64_t find_percentile(uint32_t slot, uint64_t percent) {
  uint64_t count = 0, seen = 0;
  size_t i;
  for (i = 0; i < kTimes; ++i) count += times[slot][i];
  for (i = 0; i < kTimes; ++i) {
    seen += times[slot][i];
    if (seen * 100 >= count * percent) break;
  }
  return time_of_index(i + 1) - 1;
}

void record_add_table(record_text *out) {
  static bool is_shown[kRecordSlots];
  const uint32_t num_slots = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  uint64_t all = 0;
  uint32_t i, best;
  for (i = 0; i < num_slots; ++i) {
    is_shown[i] = record_slots[i].own.calls == 0;
    all += record_slots[i].total_ns;
  }
  record_add_text(out,
                  "share %    total us     mean us      P99 us       calls    errors  function\n");
  for (;;) { /* the one that took longest, of those that are left */
    const record_slot *slot;
    for (i = 0, best = num_slots; i < num_slots; ++i) {
      if (is_shown[i]) continue;
      if (best == num_slots || record_slots[i].total_ns > record_slots[best].total_ns) best = i;
    }
    if (best == num_slots) break;
    is_shown[best] = true;
    slot = &record_slots[best];
    record_add_fixed(out, all == 0 ? 0.0 : 100.0 * (double)slot->total_ns / (double)all, 7, 2);
    record_add_fixed(out, (double)slot->total_ns / 1e3, 12, 1);
    record_add_fixed(out, (double)slot->total_ns / (double)slot->own.calls / 1e3, 12, 3);
    record_add_fixed(out, (double)find_percentile(best, 99) / 1e3, 12, 3);
    record_add_format(out, " %11llu %9llu  ", (unsigned long long)slot->own.calls,
                      (unsigned long long)slot->own.errors);
    record_add_text(out, slot->function);
    record_add_text(out, "\n");
  }
}
