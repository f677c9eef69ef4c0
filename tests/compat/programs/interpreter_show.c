/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter's output: values without addresses, and separate lines for callbacks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

enum { kMaxLine = 1 << 16, kMaxDepth = 6 };

static char line[kMaxLine];
static size_t line_size;

void say(const char *format, ...) {
  va_list args;
  int size;
  va_start(args, format);
  size = vsnprintf(line + line_size, kMaxLine - line_size, format, args);
  va_end(args);
  if (size > 0) line_size += (size_t)size;
  if (line_size >= kMaxLine) line_size = kMaxLine - 1;
}

saved_line begin_event(void) {
  saved_line saved;
  saved.size = line_size;
  saved.text = malloc(line_size + 1);
  if (saved.text == NULL) abort();
  memcpy(saved.text, line, line_size);
  line_size = 0;
  say("  ");
  return saved;
}

void end_event(saved_line saved) {
  printf("%.*s\n", (int)line_size, line);
  line_size = saved.size;
  if (saved.text != NULL) memcpy(line, saved.text, saved.size);
  free(saved.text);
}

/* ---- Parts ---- */

void say_bytes(const char *data, size_t size) {
  size_t i;
  say("\"");
  for (i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)data[i];
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '%') {
      say("%c", byte);
    } else {
      say("%%%02x", byte);
    }
  }
  say("\"");
}

void say_pointer(const void *ptr) {
  int i;
  if (ptr == NULL) say("NULL");
  for (i = 0; i < kNumMarks; ++i) {
    if (ptr == &marks[i]) say("mark %d", i);
  }
  if (ptr != NULL && ((const char *)ptr < marks || (const char *)ptr >= marks + kNumMarks)) {
    say("a pointer");
  }
}

void say_list(const int64_t *items, int32_t count) {
  int32_t i;
  if (items == NULL) say("NULL");
  if (items == NULL) return;
  say("[");
  for (i = 0; i < count; ++i) say("%s%" PRId64, i > 0 ? "," : "", items[i]);
  say("]");
}

void say_type_index(int32_t type_index) {
  if (type_index >= first_type) {
    say("first+%" PRId32, type_index - first_type);
  } else {
    say("%" PRId32, type_index);
  }
}

/* Prints a backtrace from the "bt:" that programs begin theirs with, without frames before it. */
static void say_backtrace(const TVMFFIByteArray *text) {
  size_t i;
  for (i = 0; i + 3 <= text->size; ++i) {
    if (memcmp(text->data + i, "bt:", 3) == 0) {
      say(" backtrace ");
      say_bytes(text->data + i, text->size - i);
      return;
    }
  }
}

static void say_nested(const TVMFFIAny *any, int depth);

static void say_object(TVMFFIObjectHandle obj, int depth) {
  TVMFFIAny any = make_none();
  if (obj != NULL) any = make_object(obj);
  say_nested(&any, depth);
}

static void say_error(const TVMFFIErrorCell *cell, int depth) {
  say("error ");
  say_bytes(cell->kind.data, cell->kind.size);
  say(" ");
  say_bytes(cell->message.data, cell->message.size);
  say_backtrace(&cell->backtrace);
  if (cell->cause_chain != NULL) say(" from ");
  if (cell->cause_chain != NULL) say_object(cell->cause_chain, depth + 1);
  if (cell->extra_context != NULL) say(" with ");
  if (cell->extra_context != NULL) say_object(cell->extra_context, depth + 1);
}

static void say_sequence(const TVMFFISeqCell *cell, int depth) {
  const TVMFFIAny *items = cell->data;
  int64_t i;
  say("[");
  for (i = 0; i < cell->size; ++i) {
    if (i > 0) say(", ");
    say_nested(&items[i], depth + 1);
  }
  say("] of %" PRId64, cell->capacity);
}

static void say_content(const TVMFFIAny *any, int depth) {
  const TVMFFIObjectHandle obj = any->v_obj;
  const TVMFFIByteArray *bytes;
  const TVMFFIShapeCell *shape;
  switch (any->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
      bytes = TVMFFIBytesGetByteArrayPtr(obj);
      say(any->type_index == kTVMFFIStr ? "heap str " : "heap bytes ");
      say_bytes(bytes->data, bytes->size);
      if (bytes->data[bytes->size] != '\0') say(" without NUL");
      return;
    case kTVMFFIError:
      say_error(TVMFFIErrorGetCellPtr(obj), depth);
      return;
    case kTVMFFIShape:
      shape = TVMFFIShapeGetCellPtr(obj);
      say("shape ");
      say_list(shape->data, (int32_t)shape->size);
      return;
    case kTVMFFITensor:
      say("tensor ");
      say_tensor(TVMFFITensorGetDLTensorPtr(obj));
      return;
    case kTVMFFIArray:
    case kTVMFFIList:
      say(any->type_index == kTVMFFIArray ? "array " : "list ");
      say_sequence(TVMFFISeqGetCellPtr(obj), depth);
      return;
    case kTVMFFIOpaquePyObject:
      say("opaque ");
      say_pointer(TVMFFIOpaqueObjectGetCellPtr(obj)->handle);
      return;
    case kTVMFFIBigInt: {
      const TVMFFIByteArray words = api.TVMFFIBigIntGetContentByteArray(any);
      say("big int ");
      say_bytes(words.data, words.size);
      return;
    }
    default:
      say("object of ");
      say_type_index(any->type_index);
  }
}

static void say_small(const TVMFFIAny *any) {
  static const char nothing[8];
  const uint32_t size = any->small_str_len;
  say(any->type_index == kTVMFFISmallStr ? "str " : "bytes ");
  if (size > 7) say("of bad length");
  if (size > 7) return;
  say_bytes(any->v_bytes, size);
  if (memcmp(any->v_bytes + size, nothing, 8 - size) != 0) say(" unclean");
}

static void say_nested(const TVMFFIAny *any, int depth) {
  const TVMFFIByteArray *bytes;
  const bool is_small = any->type_index == kTVMFFISmallStr || any->type_index == kTVMFFISmallBytes;
  if (!is_small && any->zero_padding != 0) say("unclean ");
  if (depth > kMaxDepth) {
    say("...");
    return;
  }
  switch (any->type_index) {
    case kTVMFFINone:
    case kTVMFFIUnchanged:
      say(any->type_index == kTVMFFINone ? "None" : "unchanged");
      if (any->v_uint64 != 0) say(" unclean");
      return;
    case kTVMFFIInt:
      say("int %" PRId64, any->v_int64);
      return;
    case kTVMFFIBool:
      say("bool %" PRId64, any->v_int64);
      return;
    case kTVMFFIFloat:
      say("float %016" PRIx64, any->v_uint64);
      return;
    case kTVMFFIOpaquePtr:
      say("ptr ");
      say_pointer(any->v_ptr);
      return;
    case kTVMFFIDataType:
      say("dtype %d,%d,%d", any->v_dtype.code, any->v_dtype.bits, any->v_dtype.lanes);
      return;
    case kTVMFFIDevice:
      say("device %d:%" PRId32, (int)any->v_device.device_type, any->v_device.device_id);
      return;
    case kTVMFFIDLTensorPtr:
      say("borrowed ");
      say_tensor(any->v_ptr);
      return;
    case kTVMFFIRawStr:
      say("raw ");
      say_bytes(any->v_c_str, strlen(any->v_c_str));
      return;
    case kTVMFFIByteArrayPtr:
      bytes = any->v_ptr;
      say("raw bytes ");
      say_bytes(bytes->data, bytes->size);
      return;
    case kTVMFFIObjectRValueRef:
      say("rvalue ");
      say_object(*(TVMFFIObjectHandle *)any->v_ptr, depth + 1);
      return;
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
      say_small(any);
      return;
    case kTVMFFIFunction:
      say("function");
      return;
    case kTVMFFIModule:
      say("module");
      return;
    case kTVMFFIObject:
      say("plain object");
      return;
    default:
      if (any->type_index < kTVMFFIStaticObjectBegin) {
        say("value of type %" PRId32, any->type_index);
      } else {
        say_content(any, depth);
      }
  }
}

void say_value(const TVMFFIAny *any) {
  say_nested(any, 0);
}

/* ---- Results ---- */

void say_failure(int rc) {
  TVMFFIObjectHandle raised = NULL;
  api.TVMFFIErrorMoveFromRaised(&raised);
  say("fails with %d, ", rc);
  say_object(raised, 0);
  if (raised != NULL) api.TVMFFIObjectDecRef(raised);
}

void give(int rc, int target, TVMFFIAny value) {
  if (rc != 0) {
    say_failure(rc);
    return;
  }
  store(target, value);
  say_value(&values[target]);
}

void give_object(int rc, int target, TVMFFIObjectHandle obj) {
  give(rc, target, rc == 0 && obj != NULL ? make_object(obj) : make_none());
}

void tell(int rc) {
  if (rc != 0) {
    say_failure(rc);
  } else {
    say("ok");
  }
}
