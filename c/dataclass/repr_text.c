/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/type.h"
#include "dataclass/dataclass.h"

/* ---- Text and bytes ---- */

/*
 * The length of an ANSI sequence at the start of text (ESC [, digits or semicolons, m or K), or 0.
 */
static size_t match_ansi(const char *text, size_t size) {
  size_t i = 2;
  if (size < 3 || text[0] != 0x1b || text[1] != '[') return 0;
  while (i < size && (text[i] == ';' || (text[i] >= '0' && text[i] <= '9'))) ++i;
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

static bool get_bytes(const TVMFFIAny *value, TVMFFIByteArray *out) {
  switch (value->type_index) {
    case kTVMFFISmallBytes:
      *out = TVMFFISmallBytesGetContentByteArray(value);
      return true;
    case kTVMFFIBytes:
      *out = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
      return true;
    case kTVMFFIByteArrayPtr:
      *out = *(const TVMFFIByteArray *)value->v_ptr;
      return true;
    default:
      return false;
  }
}

/* ---- Numbers, types, devices ---- */

/* Six significant digits, with a decimal point in every locale. */
static void append_float(tvmffi_buf *out, double value) {
  char digits[48];
  const char *p = digits;
  (void)snprintf(digits, sizeof digits, "%g", value);
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

int tvmffi_repr_append_tensor(tvmffi_buf *out, TVMFFIObject *tensor) {
  const DLTensor *data = TVMFFITensorGetDLTensorPtr(tensor);
  TVMFFI_TRY(append_dtype(out, data->dtype));
  tvmffi_buf_append_text(out, "[");
  append_shape(out, data->shape, (size_t)data->ndim);
  tvmffi_buf_append_text(out, "]@");
  append_device(out, data->device);
  return 0;
}

int tvmffi_repr_append_plain(tvmffi_buf *out, const TVMFFIAny *value) {
  TVMFFIByteArray bytes;
  if (tvmffi_any_get_text(value, &bytes)) {
    append_text(out, &bytes);
    return 0;
  }
  if (get_bytes(value, &bytes)) {
    append_bytes(out, &bytes);
    return 0;
  }
  switch (value->type_index) {
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
