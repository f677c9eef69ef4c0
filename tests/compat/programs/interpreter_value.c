/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on values, objects and their counts, text, big integers and data types. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

/* ---- Helpers ---- */

TVMFFIAny make_value(int32_t type_index, int64_t payload) {
  TVMFFIAny any;
  any.type_index = type_index;
  any.zero_padding = 0;
  any.v_int64 = payload;
  return any;
}

TVMFFIAny make_none(void) {
  return make_value(kTVMFFINone, 0);
}

TVMFFIAny make_object(TVMFFIObjectHandle obj) {
  TVMFFIAny any = make_value(TVMFFIObjectGetTypeIndex(obj), 0);
  any.v_obj = obj;
  return any;
}

TVMFFIAny make_raw_text(const char *text) {
  TVMFFIAny any = make_value(kTVMFFIRawStr, 0);
  any.v_c_str = text;
  return any;
}

TVMFFIAny share_value(const TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) api.TVMFFIObjectIncRef(any->v_obj);
  return *any;
}

void release_value(TVMFFIAny *any) {
  const TVMFFIAny old = *any;
  *any = make_none(); /* first, so that a deleter never sees the released value */
  if (old.type_index >= kTVMFFIStaticObjectBegin) api.TVMFFIObjectDecRef(old.v_obj);
}

void store(int target, TVMFFIAny value) {
  release_value(&values[target]);
  values[target] = value;
}

void copy_pointer(void *target, const void *source) {
  memcpy(target, source, sizeof(void *));
}

/* ---- Plain values ---- */

static void set_none(const operands *inputs) {
  int target;
  if (read_register(inputs, 0, 'v', kNumValues, &target)) give(0, target, make_none());
}

static void set_int(const operands *inputs) {
  int64_t number;
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target)) return;
  if (read_int(inputs, 1, INT64_MIN, INT64_MAX, &number))
    give(0, target, make_value(kTVMFFIInt, number));
}

static void set_bool(const operands *inputs) {
  int64_t number;
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target)) return;
  if (read_int(inputs, 1, 0, 1, &number)) give(0, target, make_value(kTVMFFIBool, number));
}

static void set_float(const operands *inputs) {
  const char *text;
  TVMFFIAny any = make_value(kTVMFFIFloat, 0);
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_text(inputs, 1, &text)) return;
  any.v_float64 = strtod(text, NULL);
  give(0, target, any);
}

static void set_pointer(const operands *inputs) {
  TVMFFIAny any = make_value(kTVMFFIOpaquePtr, 0);
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_mark(inputs, 1, &any.v_ptr))
    return;
  give(0, target, any);
}

static bool read_dtype(const operands *inputs, int position, DLDataType *out) {
  int64_t code, bits, lanes;
  if (!read_int(inputs, position, 0, 255, &code) ||
      !read_int(inputs, position + 1, 0, 255, &bits) ||
      !read_int(inputs, position + 2, 0, 65535, &lanes)) {
    return false;
  }
  out->code = (uint8_t)code;
  out->bits = (uint8_t)bits;
  out->lanes = (uint16_t)lanes;
  return true;
}

static void set_dtype(const operands *inputs) {
  TVMFFIAny any = make_value(kTVMFFIDataType, 0);
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_dtype(inputs, 1, &any.v_dtype))
    return;
  give(0, target, any);
}

static void set_device(const operands *inputs) {
  TVMFFIAny any = make_value(kTVMFFIDevice, 0);
  int32_t type, id;
  int target;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_int32(inputs, 1, &type) ||
      !read_int32(inputs, 2, &id)) {
    return;
  }
  any.v_device = TVMFFIDLDeviceFromIntPair(type, id);
  give(0, target, any);
}

/* ---- Text ---- */

static void make_of_bytes(const operands *inputs,
                          int (*make)(const TVMFFIByteArray *input, TVMFFIAny *out)) {
  TVMFFIByteArray bytes;
  TVMFFIAny any = make_none();
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_bytes(inputs, 1, &bytes)) return;
  rc = make(&bytes, &any);
  give(rc, target, any);
}

static void make_str(const operands *inputs) {
  make_of_bytes(inputs, api.TVMFFIStringFromByteArray);
}
static void make_bytes(const operands *inputs) {
  make_of_bytes(inputs, api.TVMFFIBytesFromByteArray);
}
static void make_big(const operands *inputs) {
  make_of_bytes(inputs, api.TVMFFIBigIntFromByteArray);
}

static void show_words(const operands *inputs) {
  TVMFFIByteArray words;
  TVMFFIAny *any;
  if (!read_value(inputs, 0, &any)) return;
  if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBigInt) {
    skip("no integer");
    return;
  }
  words = api.TVMFFIBigIntGetContentByteArray(any);
  say_bytes(words.data, words.size);
  if (words.data == any->v_bytes) say(" in place");
}

static void parse_dtype(const operands *inputs) {
  TVMFFIAny any = make_value(kTVMFFIDataType, 0);
  TVMFFIByteArray text;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_bytes(inputs, 1, &text)) return;
  rc = api.TVMFFIDataTypeFromString(&text, &any.v_dtype);
  give(rc, target, any);
}

static void print_dtype(const operands *inputs) {
  TVMFFIAny any = make_none();
  DLDataType dtype;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_dtype(inputs, 1, &dtype)) return;
  rc = api.TVMFFIDataTypeToString(&dtype, &any);
  give(rc, target, any);
}

/* Parses a dtype, prints the result, and stores nothing. */
static void try_dtype(const operands *inputs) {
  TVMFFIAny any = make_none();
  TVMFFIByteArray text;
  DLDataType dtype;
  int rc;
  if (!read_bytes(inputs, 0, &text)) return;
  api.TVMFFIErrorSetRaised(NULL);
  rc = api.TVMFFIDataTypeFromString(&text, &dtype);
  if (rc != 0) {
    say_failure(rc);
    return;
  }
  say("%d,%d,%d ", dtype.code, dtype.bits, dtype.lanes);
  rc = api.TVMFFIDataTypeToString(&dtype, &any);
  if (rc != 0) say_failure(rc);
  if (rc == 0) say_value(&any);
  release_value(&any);
}

/* ---- Ownership ---- */

/* Makes an owned value of an argument. A result that only borrows is shown and not kept. */
static void own(const operands *inputs) {
  TVMFFIAny any = make_none();
  arguments args;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_arguments(inputs, 1, &args))
    return;
  if (args.count != 1) {
    skip("one argument is wanted");
    return;
  }
  rc = api.TVMFFIAnyViewToOwnedAny(&args.views[0], &any);
  settle_arguments(&args);
  if (rc == 0 && any.type_index == kTVMFFIDLTensorPtr) {
    say_value(&any);
    any = make_none();
  }
  give(rc, target, any);
}

/* The same for an rvalue reference whose object was already moved out. */
static void own_moved(const operands *inputs) {
  TVMFFIObjectHandle slot = NULL;
  TVMFFIAny view = make_value(kTVMFFIObjectRValueRef, 0), any = make_none();
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target)) return;
  view.v_ptr = &slot;
  rc = api.TVMFFIAnyViewToOwnedAny(&view, &any);
  give(rc, target, any);
}

static void copy(const operands *inputs) {
  TVMFFIAny *any;
  int target;
  if (read_register(inputs, 0, 'v', kNumValues, &target) && read_value(inputs, 1, &any)) {
    give(0, target, share_value(any));
  }
}

static void drop(const operands *inputs) {
  TVMFFIAny *any;
  if (!read_value(inputs, 0, &any)) return;
  release_value(any);
  say("dropped");
}

static void drop_nothing(const operands *inputs) {
  (void)inputs;
  tell(api.TVMFFIObjectDecRef(NULL));
}

static void show(const operands *inputs) {
  TVMFFIAny *any;
  if (read_value(inputs, 0, &any)) say_value(any);
}

static void count(const operands *inputs) {
  TVMFFIObject *obj;
  if (!read_object(inputs, 0, kTVMFFIObject, &obj)) return;
  say("strong %" PRIu64 " weak %" PRIu64 " padding %" PRIu32, obj->combined_ref_count & 0xffffffffu,
      obj->combined_ref_count >> 32, obj->__padding);
}

static void compare(const operands *inputs) {
  TVMFFIAny *a, *b;
  if (!read_value(inputs, 0, &a) || !read_value(inputs, 1, &b)) return;
  say("%s", memcmp(a, b, sizeof *a) == 0 ? "same" : "different");
}

static void make_version(const operands *inputs) {
  TVMFFIVersion version;
  (void)inputs;
  api.TVMFFIGetVersion(&version);
  say("%" PRIu32 ".%" PRIu32 ".%" PRIu32, version.major, version.minor, version.patch);
}

/* ---- Opaque objects ---- */

static void delete_opaque(void *handle) {
  const saved_line saved = begin_event();
  say("deleted opaque ");
  say_pointer(handle);
  end_event(saved);
}

static void make_opaque(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  int64_t has_deleter;
  int32_t type_index;
  void *handle;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_mark(inputs, 1, &handle) ||
      !read_int(inputs, 2, 0, 1, &has_deleter) || !read_int32(inputs, 3, &type_index)) {
    return;
  }
  rc = api.TVMFFIObjectCreateOpaque(handle, type_index, has_deleter ? delete_opaque : NULL, &obj);
  give_object(rc, target, obj);
}

/* ---- Weak references, counted the way clients do it inline ---- */

static const uint64_t kOneWeak = (uint64_t)1 << 32;
static TVMFFIObject *weak[kNumWeak];

static void release_weak_of(int number) {
  TVMFFIObject *obj = weak[number];
  uint64_t old;
  weak[number] = NULL;
  if (obj == NULL) return;
  old = obj->combined_ref_count;
  obj->combined_ref_count = old - kOneWeak;
  if (old == kOneWeak && obj->deleter != NULL) {
    obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

void release_weak(void) {
  int i;
  for (i = 0; i < kNumWeak; ++i) release_weak_of(i);
}

static void make_weak(const operands *inputs) {
  TVMFFIObject *obj;
  int target;
  if (!read_register(inputs, 0, 'w', kNumWeak, &target) ||
      !read_object(inputs, 1, kTVMFFIObject, &obj)) {
    return;
  }
  obj->combined_ref_count += kOneWeak;
  release_weak_of(target);
  weak[target] = obj;
  say("ok");
}

static void drop_weak(const operands *inputs) {
  int number;
  if (!read_register(inputs, 0, 'w', kNumWeak, &number)) return;
  release_weak_of(number);
  say("ok");
}

static void lock_weak(const operands *inputs) {
  int target, number;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_register(inputs, 1, 'w', kNumWeak, &number)) {
    return;
  }
  if (weak[number] == NULL || (weak[number]->combined_ref_count & 0xffffffffu) == 0) {
    give(0, target, make_none());
    return;
  }
  ++weak[number]->combined_ref_count;
  give_object(0, target, weak[number]);
}

const operation value_operations[] = {
    {"none", set_none},
    {"int", set_int},
    {"bool", set_bool},
    {"float", set_float},
    {"ptr", set_pointer},
    {"dtype", set_dtype},
    {"device", set_device},
    {"str", make_str},
    {"bytes", make_bytes},
    {"big", make_big},
    {"words", show_words},
    {"dtype_parse", parse_dtype},
    {"dtype_print", print_dtype},
    {"dtype_try", try_dtype},
    {"own", own},
    {"own_moved", own_moved},
    {"copy", copy},
    {"drop", drop},
    {"drop_nothing", drop_nothing},
    {"show", show},
    {"count", count},
    {"compare", compare},
    {"version", make_version},
    {"opaque", make_opaque},
    {"weak", make_weak},
    {"unweak", drop_weak},
    {"lock", lock_weak},
    {NULL, NULL},
};
