/* SPDX-License-Identifier: Apache-2.0 */
/* Values as JSON, in the forms of docs/guide/record_format.md. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/utf8.h"
#include "record.h"

/* The limits of docs/guide/record_format.md#limits. */
enum { kMaxText = 1 << 20, kMaxDepth = 64, kMaxValues = 100000, kMaxDims = 64 };
#define MAX_STORAGE ((uint64_t)1 << 40)
enum { kMaxLine = 60 << 20 }; /* the storages and the rest of the line come on top */

/* ---- The values of a line ---- */

void record_values_init(record_values *values, const record_runtime *runtime) {
  record_room *room = &values->room;
  memset(values, 0, offsetof(record_values, room));
  values->runtime = runtime;
  record_begin_in(&values->text, room->text[0], kRoomText);
  record_begin_in(&values->other, room->text[1], kRoomText);
  values->tensors = room->tensors;
  values->storages = room->storages;
  values->objects = room->objects;
  values->max_tensors = values->max_storages = kRoomTensors;
  values->max_objects = kRoomObjects;
}

void record_values_again(record_values *values) {
  values->text.size = 0;
  values->num_tensors = values->num_objects = values->num_values = 0;
  free(values->slots); /* few calls need it */
  values->slots = NULL;
  values->num_slots = 0;
}

void record_values_fini(record_values *values) {
  size_t i;
  for (i = 0; i < values->num_storages; ++i) record_drop_kept(&values->storages[i]);
  free(values->block);
  if (values->storages != values->room.storages) free(values->storages);
  if (values->tensors != values->room.tensors) free(values->tensors);
  if (values->objects != values->room.objects) free((void *)values->objects);
  free(values->slots);
  record_free(&values->text);
  record_free(&values->other);
}

/* Makes room for more in items that begin in `room`; false without memory. */
static bool reserve(void **items, const void *room, size_t count, size_t more, size_t *capacity,
                    size_t size) {
  size_t wanted = *capacity * 2 + more;
  void *grown;
  if (*capacity - count >= more) return true;
  grown = *items == room ? malloc(wanted * size) : realloc(*items, wanted * size);
  if (grown == NULL) return false;
  if (*items == room) memcpy(grown, room, count * size);
  *items = grown;
  *capacity = wanted;
  return true;
}

static size_t place_of(const record_values *values, const void *object) {
  size_t mask = values->num_slots - 1;
  size_t i = (size_t)(((uintptr_t)object >> 4) * 0x9e3779b1u) & mask;
  while (values->slots[i] != 0 && values->objects[values->slots[i] - 1] != object) {
    i = (i + 1) & mask;
  }
  return i;
}

/* The id of an object; *out_is_new if it has none yet. False without memory. */
static bool find_id(record_values *values, const void *object, size_t *out, bool *out_is_new) {
  void *objects = (void *)values->objects;
  size_t i;
  if (!reserve(&objects, (const void *)values->room.objects, values->num_objects, 1,
               &values->max_objects, sizeof *values->objects)) {
    return false;
  }
  values->objects = objects;
  if (values->num_objects < kRoomObjects) { /* so few need no table */
    for (i = 0; i < values->num_objects && values->objects[i] != object; ++i) continue;
    *out = i;
    *out_is_new = i == values->num_objects;
    if (*out_is_new) values->objects[values->num_objects++] = object;
    return true;
  }
  if ((values->num_objects + 1) * 2 > values->num_slots) {
    size_t wanted = values->num_slots * 2 + (values->num_slots == 0 ? 64 : 0);
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (slots == NULL) return false;
    free(values->slots);
    values->slots = slots;
    values->num_slots = wanted;
    for (i = 0; i < values->num_objects; ++i) {
      slots[place_of(values, values->objects[i])] = (uint32_t)i + 1;
    }
  }
  i = place_of(values, object);
  *out_is_new = values->slots[i] == 0;
  if (*out_is_new) {
    values->objects[values->num_objects++] = object;
    values->slots[i] = (uint32_t)values->num_objects;
  }
  *out = values->slots[i] - 1;
  return true;
}

/* ---- Tensors ---- */

static const char kBeyondMemory[] = "its elements are beyond any memory";

/* The bytes that the elements take, from the first element on. NULL, or what is wrong. */
static const char *measure_tensor(const DLTensor *tensor, int64_t *out_begin, int64_t *out_end) {
  if (tvm_ffi_tensor_find_bytes(tensor, out_begin, out_end)) return NULL;
  if (tvm_ffi_tensor_get_numel(tensor) < 0) return "it has no number of elements";
  if (tvm_ffi_dtype_get_bits(tensor->dtype) == 0) return "its dtype has no size";
  if (!tvm_ffi_tensor_is_contiguous(tensor) && tvm_ffi_dtype_get_bits(tensor->dtype) % 8 != 0) {
    return "its elements are not whole bytes, and not contiguous";
  }
  return kBeyondMemory;
}

enum { kRoomDtype = 3 * kRecordNumber + 4, kRoomDevice = 2 * kRecordNumber + 3 };

static char *put_dtype(char *at, DLDataType dtype) {
  at = record_put_uint(record_put(at, "["), dtype.code);
  at = record_put_uint(record_put(at, ","), dtype.bits);
  at = record_put_uint(record_put(at, ","), dtype.lanes);
  return record_put(at, "]");
}

static char *put_device(char *at, int32_t type, int32_t id) {
  at = record_put_int(record_put(at, "["), type);
  at = record_put_int(record_put(at, ","), id);
  return record_put(at, "]");
}

static void add_dtype(record_text *out, DLDataType dtype) {
  char *at = record_begin_put(out, kRoomDtype);
  if (at != NULL) record_end_put(out, put_dtype(at, dtype));
}

static void add_device(record_text *out, int32_t type, int32_t id) {
  char *at = record_begin_put(out, kRoomDevice);
  if (at != NULL) record_end_put(out, put_device(at, type, id));
}

static char *put_extents(char *at, const int64_t *items, int32_t count) {
  int32_t i;
  if (items == NULL && count != 0) return record_put(at, "null");
  at = record_put(at, "[");
  for (i = 0; i < count; ++i) {
    if (i != 0) at = record_put(at, ",");
    at = record_put_int(at, items[i]);
  }
  return record_put(at, "]");
}

bool record_read_flags(const record_runtime *runtime, TVMFFIObjectHandle tensor, uint64_t *out) {
  DLManagedTensorVersioned *exported = NULL;
  if (runtime->to_dlpack == NULL) return false;
  if (runtime->to_dlpack(tensor, &exported) != 0 || exported == NULL) return false;
  *out = exported->flags;
  if (exported->deleter != NULL) exported->deleter(exported);
  return true;
}

static void add_flags(record_values *values, TVMFFIObjectHandle tensor) {
  uint64_t flags;
  if (!record_read_flags(values->runtime, tensor, &flags)) return;
  record_add_text(&values->text, ",\"flags\":");
  record_add_uint(&values->text, flags);
}

/* The inside of the object that describes a tensor. */
static void add_tensor(record_values *values, const DLTensor *tensor) {
  enum { kRoomFixed = 64 + kRoomDtype + kRoomDevice + kRecordNumber }; /* without extents */
  record_text *out = &values->text;
  const char *wrong = NULL;
  int64_t begin = 0, end = 0;
  const uint64_t data = (uintptr_t)tensor->data;
  /* Where `data` is no address, numbers that are near each other are different memory. */
  const uint64_t handle = tvm_ffi_device_is_addressable(tensor->device) ? 0 : data;
  const uint64_t first = data - handle + tensor->byte_offset;
  bool is_sound =
      tensor->ndim >= 0 && tensor->ndim <= kMaxDims && (tensor->ndim == 0 || tensor->shape != NULL);
  const size_t num_extents = is_sound ? 2 * (size_t)tensor->ndim : 0;
  char *at = record_begin_put(out, kRoomFixed + num_extents * kRecordNumber);
  if (at == NULL) return;
  at = put_dtype(record_put(at, "\"dtype\":"), tensor->dtype);
  if (is_sound) {
    at = put_extents(record_put(at, ",\"shape\":"), tensor->shape, tensor->ndim);
    at = put_extents(record_put(at, ",\"strides\":"), tensor->strides, tensor->ndim);
    wrong = measure_tensor(tensor, &begin, &end);
  } else {
    at = record_put(at, ",\"shape\":[],\"strides\":null");
    wrong = tensor->ndim > kMaxDims ? "it has more than 64 dimensions" : "it has no shape";
  }
  at = record_put_uint(record_put(at, ",\"byte_offset\":"), tensor->byte_offset);
  at = put_device(record_put(at, ",\"device\":"), (int32_t)tensor->device.device_type,
                  tensor->device.device_id);
  record_end_put(out, at);
  if (wrong == NULL && (uint64_t)(end - begin) > MAX_STORAGE) wrong = "it has more than 2^40 bytes";
  if (wrong == NULL && begin != end && tensor->data != NULL) {
    if (reserve((void **)&values->tensors, values->room.tensors, values->num_tensors, 1,
                &values->max_tensors, sizeof *values->tensors)) {
      record_tensor *added = &values->tensors[values->num_tensors++];
      added->place = out->size;
      added->handle = handle;
      added->first = first;
      added->begin = first + (uint64_t)begin;
      added->end = first + (uint64_t)end;
      added->device_type = (int32_t)tensor->device.device_type;
      added->device_id = tensor->device.device_id;
      added->may_go = values->num_may_go != 0;
      added->is_output = values->is_output;
      if (added->begin < added->end) return;
      --values->num_tensors; /* beyond the end of memory */
      wrong = kBeyondMemory;
    } else {
      out->is_failed = true;
    }
  }
  record_add_text(out, ",\"storage\":null,\"address\":");
  record_add_pointer(out, tensor->data);
  if (wrong != NULL) record_add_format(out, ",\"left_out\":\"%s\"", wrong);
}

/* ---- Objects ---- */

static void add_id(record_values *values, size_t id) {
  record_add_text(&values->text, ",\"id\":");
  record_add_uint(&values->text, id);
  record_add_text(&values->text, "}");
}

static void add_str(record_text *out, const char *bytes, size_t size) {
  if (size > kMaxText) {
    record_add_format(out, "{\"left_out\":\"a text of %zu bytes\"}", size);
  } else if (tvmffi_utf8_is_valid(bytes, size)) {
    record_add_string(out, bytes, size);
  } else {
    record_add_text(out, "{\"str\":\"");
    record_add_hex(out, bytes, size);
    record_add_text(out, "\"}");
  }
}

static void add_bytes(record_text *out, const char *key, const char *bytes, size_t size) {
  if (size > kMaxText) {
    record_add_format(out, "{\"left_out\":\"%zu bytes\"}", size);
    return;
  }
  record_add_text(out, key);
  record_add_hex(out, bytes, size);
  record_add_text(out, "\"}");
}

static void add_items(record_values *values, const char *key, const TVMFFISeqCell *cell,
                      size_t id) {
  const TVMFFIAny *items = cell->data;
  int64_t i;
  record_add_text(&values->text, key);
  for (i = 0; i < cell->size; ++i) {
    if (i != 0) record_add_text(&values->text, ",");
    record_value(values, &items[i]);
  }
  record_add_text(&values->text, "]");
  add_id(values, id);
}

/* A Map or Dict in memory: docs/abi/maps.md. */
typedef struct {
  TVMFFIObject header;
  const char *data;
  uint64_t size, slots;
  void (*data_deleter)(void *data);
  uint32_t fib_shift;
  uint64_t head, tail;
} map_object;

typedef struct {
  TVMFFIObject header;
  size_t num_words;
  uint64_t words[];
} bigint_object;

enum { kBlockSlots = 16, kBlockBytes = 784, kPairBytes = 32, kSlotBytes = 48, kNextAt = 40 };

static const uint64_t kSmallMap = (uint64_t)1 << 63;

static void add_pairs(record_values *values, const char *key, const map_object *map, size_t id) {
  uint64_t i, slot = (map->slots & kSmallMap) != 0 ? 0 : map->head;
  record_add_text(&values->text, key);
  for (i = 0; i < map->size; ++i) {
    const char *pair;
    if ((map->slots & kSmallMap) != 0) {
      pair = map->data + i * kPairBytes;
    } else {
      if (slot >= map->slots) break;
      pair = map->data + slot / kBlockSlots * kBlockBytes + kBlockSlots +
             slot % kBlockSlots * kSlotBytes;
      memcpy(&slot, pair + kNextAt, sizeof slot);
    }
    record_add_text(&values->text, i != 0 ? ",[" : "[");
    record_value(values, (const TVMFFIAny *)(const void *)pair);
    record_add_text(&values->text, ",");
    record_value(values, (const TVMFFIAny *)(const void *)(pair + sizeof(TVMFFIAny)));
    record_add_text(&values->text, "]");
  }
  record_add_text(&values->text, "]");
  add_id(values, id);
}

static void add_error_text(record_text *out, const char *key, const TVMFFIByteArray *text) {
  record_add_format(out, "\"%s\":", key);
  record_add_string(out, text->data, text->size > kMaxText ? kMaxText : text->size);
}

void record_error_texts(record_values *values, TVMFFIObjectHandle error) {
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  const TVMFFIObject *cause = cell->cause_chain;
  record_text *out = &values->text;
  record_add_text(out, "{");
  add_error_text(out, "kind", &cell->kind);
  record_add_text(out, ",");
  add_error_text(out, "message", &cell->message);
  record_add_text(out, ",");
  add_error_text(out, "backtrace", &cell->backtrace);
  if (cause != NULL && cause->type_index == kTVMFFIError && values->depth < kMaxDepth) {
    record_add_text(out, ",\"cause\":");
    ++values->depth;
    record_error_texts(values, cell->cause_chain);
    --values->depth;
  }
  record_add_text(out, "}");
}

static void add_fields_of(record_values *values, TVMFFIObject *object, const TVMFFITypeInfo *info,
                          size_t *count) {
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo *field = &info->fields[i];
    TVMFFIAny value;
    memset(&value, 0, sizeof value);
    if (field->getter == NULL) continue;
    if (field->getter((char *)object + field->offset, &value) != 0) continue;
    if ((*count)++ != 0) record_add_text(&values->text, ",");
    record_add_string(&values->text, field->name.data, field->name.size);
    record_add_text(&values->text, ":");
    record_value(values, &value);
    if (value.type_index >= kTVMFFIStaticObjectBegin && values->runtime->release != NULL) {
      (void)values->runtime->release(value.v_obj);
    }
  }
}

/* Whether objects of the type change: by their fields, or by methods, which may have a lock. The
 * constructor is a method, too, and has no object yet. */
static bool has_changes(const TVMFFITypeInfo *info) {
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    if ((info->fields[i].flags & kTVMFFIFieldFlagBitMaskWritable) != 0) return true;
  }
  for (i = 0; i < info->num_methods; ++i) {
    if (!tvm_ffi_string_equal(info->methods[i].name, "__ffi_init__")) return true;
  }
  return false;
}

/* Whether others may change its fields while they are read. */
static bool may_change(const TVMFFITypeInfo *info) {
  bool may = has_changes(info);
  int32_t i;
  for (i = 0; i < info->type_depth; ++i) may = may || has_changes(info->type_ancestors[i]);
  return may;
}

static void add_other(record_values *values, TVMFFIObject *object, size_t id) {
  const TVMFFITypeInfo *info =
      values->runtime->type_info == NULL ? NULL : values->runtime->type_info(object->type_index);
  record_text *out = &values->text;
  bool has_fields = false;
  size_t count = 0;
  int32_t i;
  if (info == NULL) {
    record_add_format(out, "{\"unknown\":%d}", (int)object->type_index);
    return;
  }
  record_add_text(out, "{\"object\":");
  record_add_string(out, info->type_key.data, info->type_key.size);
  for (i = 0; i < info->type_depth; ++i) {
    has_fields = has_fields || info->type_ancestors[i]->num_fields != 0;
  }
  has_fields = has_fields || info->num_fields != 0;
  if (!has_fields || object->type_index < kTVMFFIDynObjectBegin ||
      (values->is_careful && may_change(info))) {
    record_add_text(out, ",\"address\":");
    record_add_pointer(out, object);
  } else {
    record_add_text(out, ",\"fields\":{");
    for (i = 0; i < info->type_depth; ++i) {
      add_fields_of(values, object, info->type_ancestors[i], &count);
    }
    add_fields_of(values, object, info, &count);
    record_add_text(out, "}");
  }
  add_id(values, id);
}

static void add_object(record_values *values, TVMFFIObject *object) {
  record_text *out = &values->text;
  const TVMFFIByteArray *text = TVMFFIBytesGetByteArrayPtr(object);
  bool is_new, is_mutable;
  size_t id;
  if (object->type_index == kTVMFFIStr) {
    add_str(out, text->data, text->size);
    return;
  }
  if (object->type_index == kTVMFFIBytes) {
    add_bytes(out, "{\"bytes\":\"", text->data, text->size);
    return;
  }
  if (!find_id(values, object, &id, &is_new)) {
    out->is_failed = true;
    return;
  }
  if (!is_new) {
    record_add_text(out, "{\"ref\":");
    record_add_uint(out, id);
    record_add_text(out, "}");
    return;
  }
  is_mutable = object->type_index == kTVMFFIList || object->type_index == kTVMFFIDict ||
               object->type_index >= kTVMFFIStaticObjectEnd;
  if (is_mutable) ++values->num_may_go; /* the call may take tensors out of it */
  switch (object->type_index) {
    case kTVMFFIError:
      record_add_text(out, "{\"error\":");
      record_error_texts(values, object);
      add_id(values, id);
      break;
    case kTVMFFIFunction:
      record_add_text(out, "{\"function\":");
      record_add_pointer(out, object);
      record_add_text(out, ",\"symbol\":");
      record_add_symbol(out, TVMFFIFunctionGetCellPtr(object)->safe_call);
      add_id(values, id);
      break;
    case kTVMFFIShape: {
      const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(object);
      size_t i;
      record_add_text(out, "{\"shape\":[");
      for (i = 0; i < shape->size; ++i) {
        if (i != 0) record_add_text(out, ",");
        record_add_int(out, shape->data[i]);
      }
      record_add_text(out, "]");
      add_id(values, id);
      break;
    }
    case kTVMFFITensor:
      record_add_text(out, "{\"tensor\":{\"id\":");
      record_add_uint(out, id);
      record_add_text(out, ",");
      add_tensor(values, TVMFFITensorGetDLTensorPtr(object));
      add_flags(values, object);
      record_add_text(out, "}}");
      break;
    case kTVMFFIArray:
      add_items(values, "{\"array\":[", TVMFFISeqGetCellPtr(object), id);
      break;
    case kTVMFFIList:
      add_items(values, "{\"list\":[", TVMFFISeqGetCellPtr(object), id);
      break;
    case kTVMFFIMap:
      add_pairs(values, "{\"map\":[", (const map_object *)(const void *)object, id);
      break;
    case kTVMFFIDict:
      add_pairs(values, "{\"dict\":[", (const map_object *)(const void *)object, id);
      break;
    case kTVMFFIBigInt: {
      const bigint_object *number = (const bigint_object *)(const void *)object;
      record_add_text(out, "{\"bigint\":\"");
      if (number->num_words <= kMaxText / 8)
        record_add_hex(out, number->words, number->num_words * 8);
      record_add_text(out, "\"");
      add_id(values, id);
      break;
    }
    default:
      add_other(values, object, id);
      break;
  }
  if (is_mutable) --values->num_may_go;
}

/* ---- Values ---- */

/*
 * Most floats have few decimal digits: the value is whole / 10^k, both of them exact, and division
 * rounds to the double that reading the digits gives.
 */
static bool add_short_float(record_text *out, double value) {
#if FLT_EVAL_METHOD == 0
  const double size = value < 0 ? -value : value;
  uint64_t power = 1;
  size_t k;
  if (size >= 1e9) return false;
  for (k = 0; k <= 6; ++k, power *= 10) {
    const uint64_t whole = (uint64_t)(size * (double)power + 0.5);
    if ((double)whole / (double)power != size) continue;
    if (signbit(value)) record_add_text(out, "-");
    record_add_digits(out, whole / power, 1);
    if (k != 0) record_add_text(out, ".");
    if (k != 0) record_add_digits(out, whole % power, k);
    return true;
  }
#else
  (void)out, (void)value;
#endif
  return false;
}

static void add_float(record_text *out, double value) {
  char text[64];
  uint64_t bits;
  int digits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) {
    record_add_format(out, "{\"float\":\"nan:0x%016" PRIx64 "\"}", bits);
    return;
  }
  if (value - value != 0) {
    record_add_text(out, value > 0 ? "{\"float\":\"inf\"}" : "{\"float\":\"-inf\"}");
    return;
  }
  record_add_text(out, "{\"float\":\"");
  if (!add_short_float(out, value)) {
    for (digits = 15; digits < 17; ++digits) {
      double again;
      (void)snprintf(text, sizeof text, "%.*g", digits, value);
      again = strtod(text, NULL);
      if (memcmp(&again, &value, sizeof value) == 0) break;
    }
    record_add_double(out, value, digits);
  }
  record_add_text(out, "\"}");
}

static void add_raw_str(record_text *out, const char *text) {
  if (text == NULL) {
    record_add_text(out, "{\"left_out\":\"a null text\"}");
    return;
  }
  record_add_text(out, "{\"raw_str\":");
  add_str(out, text, strlen(text));
  record_add_text(out, "}");
}

void record_value(record_values *values, const TVMFFIAny *value) {
  record_text *out = &values->text;
  if (++values->num_values > kMaxValues || values->depth >= kMaxDepth || out->size > kMaxLine) {
    record_add_format(out, "{\"left_out\":\"%s\"}",
                      values->num_values > kMaxValues ? "more than 100000 values"
                      : values->depth >= kMaxDepth    ? "more than 64 values deep"
                                                      : "the line is too long");
    return;
  }
  ++values->depth;
  switch (value->type_index) {
    case kTVMFFINone:
      record_add_text(out, "null");
      break;
    case kTVMFFIInt:
      if (value->v_int64 >= -9007199254740991 && value->v_int64 <= 9007199254740991) {
        record_add_int(out, value->v_int64);
      } else {
        record_add_text(out, "{\"int\":");
        record_add_int(out, value->v_int64);
        record_add_text(out, "}");
      }
      break;
    case kTVMFFIBool:
      record_add_text(out, value->v_int64 != 0 ? "true" : "false");
      break;
    case kTVMFFIFloat:
      add_float(out, value->v_float64);
      break;
    case kTVMFFIOpaquePtr:
      record_add_text(out, "{\"pointer\":");
      record_add_pointer(out, value->v_ptr);
      record_add_text(out, "}");
      break;
    case kTVMFFIDataType:
      record_add_text(out, "{\"dtype\":");
      add_dtype(out, value->v_dtype);
      record_add_text(out, "}");
      break;
    case kTVMFFIDevice:
      record_add_text(out, "{\"device\":");
      add_device(out, (int32_t)value->v_device.device_type, value->v_device.device_id);
      record_add_text(out, "}");
      break;
    case kTVMFFIDLTensorPtr:
      if (value->v_ptr == NULL) {
        record_add_text(out, "{\"left_out\":\"a null DLTensor\"}");
        break;
      }
      record_add_text(out, "{\"dltensor\":{");
      add_tensor(values, value->v_ptr);
      record_add_text(out, "}}");
      break;
    case kTVMFFIRawStr:
      add_raw_str(out, value->v_c_str);
      break;
    case kTVMFFIByteArrayPtr: {
      const TVMFFIByteArray *bytes = value->v_ptr;
      add_bytes(out, "{\"raw_bytes\":\"", bytes->data, bytes->size);
      break;
    }
    case kTVMFFIObjectRValueRef: {
      TVMFFIObject *object = *(TVMFFIObject **)value->v_ptr;
      record_add_text(out, "{\"rvalue\":");
      ++values->num_may_go;
      if (object == NULL) {
        record_add_text(out, "null");
      } else {
        add_object(values, object);
      }
      --values->num_may_go;
      record_add_text(out, "}");
      break;
    }
    case kTVMFFISmallStr:
      add_str(out, value->v_bytes, value->small_str_len);
      break;
    case kTVMFFISmallBytes:
      add_bytes(out, "{\"bytes\":\"", value->v_bytes, value->small_str_len);
      break;
    case kTVMFFIUnchanged:
      record_add_text(out, "{\"unchanged\":true}");
      break;
    default:
      if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) {
        record_add_format(out, "{\"unknown\":%d}", (int)value->type_index);
      } else {
        add_object(values, value->v_obj);
      }
      break;
  }
  --values->depth;
}

/* ---- Storages ---- */

static int compare_tensors(const void *left, const void *right) {
  const record_tensor *a = *(const record_tensor *const *)left;
  const record_tensor *b = *(const record_tensor *const *)right;
  if (a->device_type != b->device_type) return a->device_type < b->device_type ? -1 : 1;
  if (a->device_id != b->device_id) return a->device_id < b->device_id ? -1 : 1;
  if (a->handle != b->handle) return a->handle < b->handle ? -1 : 1;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return 0;
}

static void sort_tensors(const record_tensor **items, size_t count) {
  size_t i, k;
  if (count > kRoomTensors) {
    qsort((void *)items, count, sizeof *items, compare_tensors);
    return;
  }
  for (i = 1; i < count; ++i) { /* so few are sorted faster so */
    const record_tensor *moved = items[i];
    for (k = i; k > 0 && compare_tensors(&moved, &items[k - 1]) < 0; --k) items[k] = items[k - 1];
    items[k] = moved;
  }
}

static record_storage *find_storage(const record_values *values, const record_tensor *tensor) {
  size_t i;
  for (i = 0; i < values->num_storages; ++i) {
    record_storage *storage = &values->storages[i];
    if (storage->device_type == tensor->device_type && storage->device_id == tensor->device_id &&
        storage->handle == tensor->handle && storage->begin <= tensor->begin &&
        tensor->end <= storage->end) {
      return storage;
    }
  }
  return NULL;
}

/* Adds what the tensors use that is in no storage yet. False without memory. */
static bool add_new_storages(record_values *values) {
  const record_tensor *few[kRoomTensors], **sorted = few;
  record_storage *last = NULL;
  size_t count = 0, known = values->num_storages, i;
  if (values->num_tensors == 0) return true;
  if (!reserve((void **)&values->storages, values->room.storages, known, values->num_tensors,
               &values->max_storages, sizeof *values->storages)) {
    return false;
  }
  if (values->num_tensors > kRoomTensors) {
    sorted = malloc(values->num_tensors * sizeof *sorted);
    if (sorted == NULL) return false;
  }
  for (i = 0; i < values->num_tensors; ++i) {
    if (known == 0 || find_storage(values, &values->tensors[i]) == NULL) {
      sorted[count++] = &values->tensors[i];
    }
  }
  sort_tensors(sorted, count);
  for (i = 0; i < count; ++i) {
    const record_tensor *tensor = sorted[i];
    if (last != NULL && last->device_type == tensor->device_type &&
        last->device_id == tensor->device_id && last->handle == tensor->handle &&
        tensor->begin < last->end && tensor->end - last->begin <= MAX_STORAGE) {
      if (tensor->end > last->end) last->end = tensor->end;
      last->may_go = last->may_go || tensor->may_go;
      last->is_output = last->is_output && tensor->is_output;
      continue;
    }
    last = &values->storages[values->num_storages++];
    memset(last, 0, sizeof *last);
    last->begin = tensor->begin;
    last->end = tensor->end;
    last->handle = tensor->handle;
    last->device_type = tensor->device_type;
    last->device_id = tensor->device_id;
    last->may_go = tensor->may_go;
    last->is_output = tensor->is_output;
  }
  if (sorted != few) free((void *)sorted);
  return true;
}

void record_find_storages(record_values *values) {
  record_text *whole = &values->other, text;
  size_t i, done = 0;
  if (values->num_tensors == 0) return;
  if (!add_new_storages(values)) {
    values->text.is_failed = true;
    return;
  }
  whole->size = 0;
  for (i = 0; i < values->num_tensors; ++i) {
    const record_tensor *tensor = &values->tensors[i];
    const record_storage *storage = find_storage(values, tensor);
    const size_t size = tensor->place - done;
    char *at = record_begin_put(whole, size + 32 + 2 * kRecordNumber);
    if (at == NULL) break;
    memcpy(at, values->text.data + done, size);
    done = tensor->place;
    at = record_put_uint(record_put(at + size, ",\"storage\":"),
                         (uint64_t)(storage - values->storages));
    at = record_put_uint(record_put(at, ",\"offset\":"), tensor->first - storage->begin);
    record_end_put(whole, at);
  }
  record_add(whole, values->text.data + done, values->text.size - done);
  whole->is_failed = whole->is_failed || values->text.is_failed;
  text = values->text;
  values->text = values->other;
  values->other = text;
}

void record_add_storages(record_text *out, const record_values *values, size_t begin) {
  size_t i;
  record_add_text(out, ",\"storages\":[");
  for (i = 0; i < values->num_storages; ++i) {
    const record_storage *storage = &values->storages[i];
    const char *text = storage->left_out != NULL ? storage->left_out : storage->data;
    const size_t size = strlen(text);
    char *at = record_begin_put(out, 96 + kRoomDevice + 4 * kRecordNumber + size);
    if (at == NULL) return;
    at = i != 0 ? record_put(at, ",{") : record_put(at, "{");
    if (i >= begin) {
      at = put_device(record_put(at, "\"device\":"), storage->device_type, storage->device_id);
      at = record_put_address(record_put(at, ",\"address\":"), storage->begin);
      if (storage->handle != 0) {
        at = record_put_address(record_put(at, ",\"handle\":"), storage->handle);
      }
      at = record_put_uint(record_put(at, ",\"bytes\":"), storage->end - storage->begin);
      at = record_put(at, ",");
    }
    at = storage->left_out != NULL ? record_put(at, "\"left_out\":\"")
                                   : record_put(at, "\"data\":\"");
    memcpy(at, text, size);
    at = record_put(at + size, "\"");
    if (storage->left_out == NULL && storage->is_small) {
      at = record_put_uint(record_put(at, ",\"at\":"), storage->at);
    }
    if (i >= begin && storage->is_output) at = record_put(at, ",\"output\":true");
    record_end_put(out, record_put(at, "}"));
  }
  record_add_text(out, "]");
}
