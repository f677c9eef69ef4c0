/* SPDX-License-Identifier: Apache-2.0 */
#include "dataclass/dataclass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "base/utf8.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/string_object.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"

/* ---- Text and bytes ---- */

/*
 * The length of an ANSI sequence at the start of text (ESC [, digits or semicolons, m or K), or 0.
 */
static size_t match_ansi(const char *text, size_t size) {
  size_t i = 2;
  if (size < 3 || text[0] != 0x1b || text[1] != '[') return 0;
  while (i < size && (text[i] == ';' || tvmffi_is_digit(text[i]))) ++i;
  return i < size && (text[i] == 'm' || text[i] == 'K') ? i + 1 : 0;
}

/*
 * The length of a UTF-8 sequence of more than one byte at the start of text, and its code point; or
 * 0. Like the reference it accepts overlong forms and surrogates.
 */
static size_t match_utf8(const char *text, size_t size, unsigned *out_code) {
  unsigned char first = (unsigned char)text[0];
  size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0, i;
  unsigned code;
  if (first >= 0xf8 || length == 0 || length > size) return 0;
  code = first & (0xffU >> (length + 1));
  for (i = 1; i < length; ++i) {
    if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | ((unsigned char)text[i] & 0x3f);
  }
  *out_code = code;
  return length;
}

/* Appends the first character or sequence of text and returns its length in text. */
static size_t append_escaped(tvmffi_buf *out, const char *text, size_t size) {
  unsigned char c = (unsigned char)text[0];
  unsigned code = 0;
  size_t length;
  if (c == '\n' || c == '\t' || c == '\r') {
    tvmffi_buf_append_text(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
  } else if (c == '"' || c == '\\') {
    tvmffi_buf_appendf(out, "\\%c", c);
  } else if ((length = match_ansi(text, size)) != 0) {
    tvmffi_buf_append_text(out, "\\x1b");
    tvmffi_buf_append(out, text + 1, length - 1);
    return length;
  } else if (c >= 0x80 && (length = match_utf8(text, size, &code)) != 0) {
    tvmffi_buf_appendf(out, length == 4 ? "\\U%08x" : "\\u%04x", code);
    return length;
  } else if (c < 0x20 || c >= 0x7f) {
    tvmffi_buf_appendf(out, "\\x%02x", c);
  } else {
    tvmffi_buf_append(out, text, 1);
  }
  return 1;
}

static void append_text(tvmffi_buf *out, const TVMFFIByteArray *text) {
  size_t i = 0;
  tvmffi_buf_append_text(out, "\"");
  while (i < text->size) {
    size_t run = i;
    while (run < text->size && (unsigned char)text->data[run] >= 0x20 &&
           (unsigned char)text->data[run] < 0x7f && text->data[run] != '"' &&
           text->data[run] != '\\') {
      ++run;
    }
    tvmffi_buf_append(out, text->data + i, run - i);
    i = run;
    if (i < text->size) i += append_escaped(out, text->data + i, text->size - i);
  }
  tvmffi_buf_append_text(out, "\"");
}

static void append_bytes(tvmffi_buf *out, const TVMFFIByteArray *bytes) {
  size_t i;
  tvmffi_buf_append_text(out, "b\"");
  for (i = 0; i < bytes->size; ++i) {
    unsigned char c = (unsigned char)bytes->data[i];
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      tvmffi_buf_append(out, &bytes->data[i], 1);
    } else {
      tvmffi_buf_appendf(out, "\\x%02x", c);
    }
  }
  tvmffi_buf_append_text(out, "\"");
}

/* ---- Numbers, types, devices ---- */

/* Six significant digits, with a decimal point in every locale. */
static void append_float(tvmffi_buf *out, double value) {
  char digits[48];
  const char *p = digits;
  (void)snprintf(digits, sizeof digits, "%g", value);
  if (value - value != 0) { /* "-nan(ind)" of Windows has no point */
    tvmffi_buf_append_text(out, digits);
    return;
  }
  while (*p != '\0') {
    size_t run = strspn(p, "0123456789+-einfa");
    tvmffi_buf_append(out, p, run);
    p += run;
    if (*p != '\0') tvmffi_buf_append_text(out, ".");
    p += strcspn(p, "0123456789+-einfa");
  }
}

static int append_dtype(tvmffi_buf *out, DLDataType dtype) {
  TVMFFIAny text;
  TVMFFIByteArray bytes;
  TVMFFI_TRY(TVMFFIDataTypeToString(&dtype, &text));
  (void)tvmffi_any_get_text(&text, &bytes);
  tvmffi_buf_append(out, bytes.data, bytes.size);
  tvmffi_any_release(&text);
  return 0;
}

/* Indexed by DLDeviceType; each ends with a NUL. */
static const char kDeviceNames[] =
    "\0cpu\0cuda\0cuda_host\0opencl\0\0\0vulkan\0metal\0vpi\0rocm\0rocm_host\0ext_dev\0"
    "cuda_managed\0oneapi\0webgpu\0hexagon\0maia\0trn";

static void append_device(tvmffi_buf *out, DLDevice device) {
  enum { kNumDevices = 19 };
  const char *name = kDeviceNames;
  int i, type = (int)device.device_type;
  for (i = 0; i < type && i < kNumDevices; ++i) name += strlen(name) + 1;
  if (type < 0 || type >= kNumDevices || name[0] == '\0') name = "unknown";
  tvmffi_buf_appendf(out, "%s:%d", name, (int)device.device_id);
}

static void append_shape(tvmffi_buf *out, const int64_t *dims, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    tvmffi_buf_appendf(out, "%s%lld", i == 0 ? "" : ", ", (long long)dims[i]);
  }
}

/* Appends a text such as float32[2, 3]@cpu:0. */
static int repr_append_tensor(tvmffi_buf *out, TVMFFIObject *tensor) {
  const DLTensor *data = TVMFFITensorGetDLTensorPtr(tensor);
  TVMFFI_TRY(append_dtype(out, data->dtype));
  tvmffi_buf_append_text(out, "[");
  append_shape(out, data->shape, (size_t)data->ndim);
  tvmffi_buf_append_text(out, "]@");
  append_device(out, data->device);
  return 0;
}

/*
 * Appends a value that is neither a container nor an object with fields. -1 with the error raised.
 */
static int repr_append_plain(tvmffi_buf *out, const TVMFFIAny *value) {
  TVMFFIByteArray bytes;
  if (tvmffi_any_get_text(value, &bytes)) {
    append_text(out, &bytes);
    return 0;
  }
  if (tvmffi_any_get_bytes(value, &bytes)) {
    append_bytes(out, &bytes);
    return 0;
  }
  switch (value->type_index) {
    case kTVMFFIByteArrayPtr:
      append_bytes(out, value->v_ptr);
      return 0;
    case kTVMFFINone:
      tvmffi_buf_append_text(out, "None");
      return 0;
    case kTVMFFIBool:
      tvmffi_buf_append_text(out, value->v_int64 != 0 ? "True" : "False");
      return 0;
    case kTVMFFIInt:
      tvmffi_buf_appendf(out, "%lld", (long long)value->v_int64);
      return 0;
    case kTVMFFIFloat:
      append_float(out, value->v_float64);
      return 0;
    case kTVMFFIDataType:
      return append_dtype(out, value->v_dtype);
    case kTVMFFIDevice:
      append_device(out, value->v_device);
      return 0;
    case kTVMFFIBigInt:
      return tvmffi_bigint_append_decimal(out, value);
    case kTVMFFIShape:
      tvmffi_buf_append_text(out, "Shape(");
      append_shape(out, TVMFFIShapeGetCellPtr(value->v_obj)->data,
                   TVMFFIShapeGetCellPtr(value->v_obj)->size);
      tvmffi_buf_append_text(out, ")");
      return 0;
    default:
      tvmffi_buf_append_text(out, tvmffi_type_key(value->type_index));
      return 0;
  }
}

/* ---- All values ---- */

static const char kReprName[] = "ffi.ReprPrint";
static const char kReprHook[] = "(0: ffi.Object, 1: (0: AnyView) -> str) -> str";

/* An object that is being printed. */
typedef struct {
  TVMFFIObject *obj; /* lent by the map of objects */
  tvmffi_child_cursor cursor;
  tvmffi_child child; /* a map's entry whose key has been printed */
  size_t num_printed; /* number of children printed */
  size_t start;       /* offset of the object's text */
  bool has_child;
} repr_frame;

/*
 * The text of an object that has been printed: part of the walk's text, or of a text that was given
 * to a hook.
 */
typedef struct {
  const TVMFFIObject *obj;
  TVMFFIObject *kept; /* a String, or NULL for the walk's text */
  size_t start, size;
} printed;

typedef struct {
  tvmffi_stack frames;
  tvmffi_pointer_map objects; /* owned; 1 + index in done, or a state below */
  tvmffi_stack done;          /* printed */
  tvmffi_stack kept;          /* TVMFFIObject *: texts that were given to hooks */
  tvmffi_buf text;
  bool with_address;
  tvmffi_walk_function *function; /* passed to hooks; made on first use */
} repr_walk;

/* States of objects: being printed, and abandoned after an error that a hook then ignored. */
#define kPrinting UINT64_MAX
#define kForgotten (UINT64_MAX - 1)

/* ---- Pieces ---- */

static void append_address(repr_walk *w, const TVMFFIObject *obj) {
  if (w->with_address) tvmffi_buf_appendf(&w->text, "@%p", (const void *)obj);
}

/* The brackets around the children of a container; NULL for objects with fields. */
static const char *brackets_of(const TVMFFIObject *obj) {
  switch (obj->type_index) {
    case kTVMFFIArray:
      return "()";
    case kTVMFFIList:
      return "[]";
    case kTVMFFIMap:
    case kTVMFFIDict:
      return "{}";
    default:
      return NULL;
  }
}

/* Whether an object is printed by visiting its children, if it has any. */
static bool may_have_children(const TVMFFIObject *obj) {
  switch (obj->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIShape:
    case kTVMFFITensor:
    case kTVMFFIBigInt:
      return false;
    default:
      return true;
  }
}

static void append_opening(repr_walk *w, const TVMFFIObject *obj) {
  const char *brackets = brackets_of(obj);
  if (brackets != NULL) {
    tvmffi_buf_append(&w->text, brackets, 1);
  } else {
    tvmffi_buf_append_text(&w->text, tvmffi_type_key(obj->type_index));
    append_address(w, obj);
  }
}

static void append_separator(repr_walk *w, const repr_frame *top) {
  if (top->num_printed != 0) {
    tvmffi_buf_append_text(&w->text, ", ");
  } else if (brackets_of(top->obj) == NULL) {
    tvmffi_buf_append_text(&w->text, "(");
  }
}

static void append_closing(repr_walk *w, const repr_frame *top) {
  const char *brackets = brackets_of(top->obj);
  if (brackets == NULL) {
    if (top->num_printed != 0) tvmffi_buf_append_text(&w->text, ")");
    return;
  }
  if (top->obj->type_index == kTVMFFIArray && top->num_printed == 1) {
    tvmffi_buf_append_text(&w->text, ",");
  }
  tvmffi_buf_append(&w->text, brackets + 1, 1);
  append_address(w, top->obj);
}

/* ---- Objects met ---- */

static int meet_printed(repr_walk *w, TVMFFIObject *obj) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&w->objects, obj);
  if (entry == NULL) return tvmffi_fail_memory();
  if (entry->value.number == 0) tvmffi_object_retain(obj);
  entry->value.number = kPrinting;
  return 0;
}

static int finish_repr(repr_walk *w, const TVMFFIObject *obj, size_t start) {
  printed *made;
  if (w->text.failed) return tvmffi_text_limit_fail(kReprName, &w->text);
  made = tvmffi_stack_push(&w->done);
  if (made == NULL) return tvmffi_fail_memory();
  made->obj = obj;
  made->start = start;
  made->size = w->text.size - start;
  tvmffi_pointer_map_find(&w->objects, obj)->value.number = w->done.size;
  return 0;
}

static void forget(repr_walk *w, const TVMFFIObject *obj) {
  tvmffi_pointer_map_find(&w->objects, obj)->value.number = kForgotten;
}

/* Appends the text of a printed object again. Reserves first, because the buffer may move. */
static void append_printed(repr_walk *w, const printed *piece) {
  if (piece->kept != NULL) {
    tvmffi_buf_append(&w->text, TVMFFIBytesGetByteArrayPtr(piece->kept)->data + piece->start,
                      piece->size);
    return;
  }
  if (!tvmffi_buf_reserve(&w->text, piece->size)) return;
  tvmffi_buf_append(&w->text, w->text.data + piece->start, piece->size);
}

/* ---- Hooks ---- */

static int print(repr_walk *w, const TVMFFIAny *value);

/*
 * Moves the text from start on out of the walk's text into a String for a hook, and keeps that for
 * the objects printed in it.
 */
static int keep_text(repr_walk *w, size_t start, size_t first_done, TVMFFIAny *out) {
  TVMFFIObject **kept;
  TVMFFIObject *text = tvmffi_string_new(kTVMFFIStr, w->text.data + start, w->text.size - start);
  size_t i;
  if (text == NULL) return -1;
  kept = tvmffi_stack_push(&w->kept);
  if (kept == NULL) {
    tvmffi_object_release(text);
    return tvmffi_fail_memory();
  }
  *kept = text;
  for (i = first_done; i < w->done.size; ++i) {
    printed *made = tvmffi_stack_at(&w->done, i);
    if (made->kept != NULL) continue;
    made->kept = text;
    made->start -= start;
  }
  w->text.size = start;
  tvmffi_object_retain(text);
  *out = tvmffi_any_object(text);
  return 0;
}

/* The body of the function that is passed to hooks. */
static int print_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  repr_walk *w = self;
  size_t start = w->text.size, first_done = w->done.size;
  if (print(w, &args[0]) == 0 && keep_text(w, start, first_done, result) == 0) return 0;
  while (w->done.size > first_done) {
    forget(w, ((const printed *)tvmffi_stack_top(&w->done))->obj);
    tvmffi_stack_pop(&w->done);
  }
  if (start < w->text.size) w->text.size = start;
  return -1;
}

static int call_repr_hook(repr_walk *w, TVMFFIObject *hook, TVMFFIObject *obj) {
  size_t start = w->text.size;
  TVMFFIAny args[2], result;
  TVMFFIByteArray text;
  TVMFFI_TRY(
      tvmffi_walk_function_ensure(&w->function, "(0: AnyView) -> str", "a", print_for_hook, w));
  args[0] = tvmffi_any_object(obj);
  args[1] = tvmffi_any_object(w->function);
  TVMFFI_TRY(tvmffi_walk_call_with(kReprName, hook, w->function, args, 2, &result));
  if (!tvmffi_any_get_text(&result, &text)) return tvmffi_any_refuse(&result, "str");
  tvmffi_buf_append(&w->text, text.data, text.size);
  tvmffi_any_release(&result);
  return finish_repr(w, obj, start);
}

/* ---- The walk ---- */

static void append_enum(repr_walk *w, TVMFFIObject *obj) {
  const tvmffi_enum *member = (const tvmffi_enum *)(const void *)obj;
  TVMFFIByteArray name;
  tvmffi_buf_append_text(&w->text, tvmffi_type_key(obj->type_index));
  if (tvmffi_any_get_text(&member->str_index, &name)) {
    tvmffi_buf_append_text(&w->text, ".");
    tvmffi_buf_append(&w->text, name.data, name.size);
  }
  append_address(w, obj);
}

static int push_repr(repr_walk *w, TVMFFIObject *obj) {
  repr_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth(kReprName, w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->obj = obj;
  top->start = w->text.size;
  tvmffi_child_first(&top->cursor, obj);
  append_opening(w, obj);
  return 0;
}

static int begin_met(repr_walk *w, TVMFFIObject *obj) {
  TVMFFIObject *hook;
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrRepr, obj->type_index, kReprHook, &hook));
  if (hook != NULL) return call_repr_hook(w, hook, obj);
  if (tvmffi_type_is_instance(obj->type_index, kTvmffiEnum)) {
    size_t start = w->text.size;
    append_enum(w, obj);
    return finish_repr(w, obj, start);
  }
  return push_repr(w, obj);
}

/* Prints an object for the first time, or pushes it. */
static int begin_repr(repr_walk *w, TVMFFIObject *obj) {
  if (obj == &tvmffi_invalid_object || obj == &tvmffi_kwargs_object) {
    tvmffi_buf_append_text(&w->text, obj == &tvmffi_invalid_object ? "<MISSING>" : "<KWARGS>");
    return 0;
  }
  if (!may_have_children(obj)) {
    TVMFFIAny value = tvmffi_any_object(obj);
    if (obj->type_index != kTVMFFITensor) return repr_append_plain(&w->text, &value);
    TVMFFI_TRY(repr_append_tensor(&w->text, obj));
    append_address(w, obj);
    return 0;
  }
  TVMFFI_TRY(meet_printed(w, obj));
  if (begin_met(w, obj) == 0) return 0;
  forget(w, obj);
  return -1;
}

/* Appends a value, or pushes it. */
static int append_value(repr_walk *w, const TVMFFIAny *value) {
  const tvmffi_pointer_entry *entry;
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) {
    return repr_append_plain(&w->text, value);
  }
  entry = tvmffi_pointer_map_find(&w->objects, value->v_obj);
  if (entry == NULL || entry->value.number == kForgotten) return begin_repr(w, value->v_obj);
  if (entry->value.number == kPrinting) {
    tvmffi_buf_append_text(&w->text, "...");
    append_address(w, value->v_obj);
  } else {
    append_printed(w, tvmffi_stack_at(&w->done, (size_t)entry->value.number - 1));
  }
  return 0;
}

/* Whether a field is shown: not if switched off, nor if an earlier field has the same name. */
static bool is_shown(const repr_frame *top, const TVMFFIFieldInfo *field) {
  const TVMFFIFieldInfo *earlier;
  tvmffi_field_cursor cursor;
  if (field->flags & kTVMFFIFieldFlagBitMaskReprOff) return false;
  tvmffi_field_first(&cursor, top->cursor.fields.type);
  while ((earlier = tvmffi_field_next(&cursor)) != field && earlier != NULL) {
    if (tvmffi_bytes_equal(&earlier->name, &field->name)) return false;
  }
  return true;
}

/* Appends the next child of the top frame: 1, 0 at the end, or -1. */
static int append_next(repr_walk *w) {
  repr_frame *top = tvmffi_stack_top(&w->frames);
  tvmffi_child child;
  int rc;
  if (top->has_child) { /* the key of an entry has been printed */
    TVMFFIAny value = top->child.value;
    top->has_child = false;
    top->child.value = tvmffi_any_none();
    tvmffi_any_release(&top->child.key);
    tvmffi_buf_append_text(&w->text, ": ");
    rc = append_value(w, &value);
    tvmffi_any_release(&value);
    return rc == 0 ? 1 : -1;
  }
  rc = tvmffi_child_next(&top->cursor, &child);
  if (rc != 1) return rc;
  if (child.field != NULL && !is_shown(top, child.field)) {
    tvmffi_child_release(&child);
    return 1;
  }
  append_separator(w, top);
  ++top->num_printed;
  if (tvmffi_is_map(top->obj->type_index)) {
    top->child = child;
    top->has_child = true;
    return append_value(w, &child.key) == 0 ? 1 : -1;
  }
  if (child.field != NULL) {
    tvmffi_buf_append(&w->text, child.field->name.data, child.field->name.size);
    tvmffi_buf_append_text(&w->text, "=");
  }
  rc = append_value(w, &child.value);
  tvmffi_child_release(&child);
  return rc == 0 ? 1 : -1;
}

static void pop_repr(repr_walk *w) {
  repr_frame *top = tvmffi_stack_top(&w->frames);
  if (top->has_child) tvmffi_child_release(&top->child);
  tvmffi_stack_pop(&w->frames);
}

/* Appends a value with all that it holds. */
static int print(repr_walk *w, const TVMFFIAny *value) {
  size_t base = w->frames.size;
  int rc = append_value(w, value);
  while (rc == 0 && w->frames.size > base) {
    int more = append_next(w);
    if (more < 0) {
      rc = -1;
    } else if (more == 0) {
      repr_frame *top = tvmffi_stack_top(&w->frames);
      append_closing(w, top);
      rc = finish_repr(w, top->obj, top->start);
      if (rc == 0) pop_repr(w);
    }
  }
  while (w->frames.size > base) {
    forget(w, ((const repr_frame *)tvmffi_stack_top(&w->frames))->obj);
    pop_repr(w);
  }
  return rc == 0 && w->text.failed ? tvmffi_text_limit_fail(kReprName, &w->text) : rc;
}

static bool wants_addresses(void) {
  const char *setting = getenv("TVM_FFI_REPR_WITH_ADDR");
  return setting != NULL && strcmp(setting, "1") == 0;
}

int tvmffi_repr(const TVMFFIAny *value, TVMFFIAny *out) {
  repr_walk w;
  size_t i;
  int rc;
  memset(&w, 0, sizeof w);
  tvmffi_stack_init(&w.frames, sizeof(repr_frame));
  tvmffi_stack_init(&w.done, sizeof(printed));
  tvmffi_stack_init(&w.kept, sizeof(TVMFFIObject *));
  w.with_address = wants_addresses();
  w.text.max_size = tvmffi_text_limit_get();
  rc = print(&w, value);
  if (rc == 0) rc = tvmffi_string_to_any(w.text.data, w.text.size, out);
  tvmffi_object_release(w.function);
  for (i = 0; i < w.kept.size; ++i) {
    tvmffi_object_release(*(TVMFFIObject **)tvmffi_stack_at(&w.kept, i));
  }
  tvmffi_walk_release_keys(&w.objects);
  tvmffi_stack_fini(&w.frames);
  tvmffi_stack_fini(&w.done);
  tvmffi_stack_fini(&w.kept);
  tvmffi_buf_fini(&w.text);
  return rc;
}
