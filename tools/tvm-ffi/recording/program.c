/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in C or Python that make one recorded call again, without this tool: for a report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "base/utf8.h"
#include "recording/recording.h"
#include "system/system.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* Memory up to so many bytes is written into the program; more is read from the recording. */
enum { kMaxEmbedded = 1 << 18, kMaxRedacted = 1 << 24 };

typedef struct {
  const repeated_call *request;
  const call_values *values, *after; /* `after`: NULL if nothing is compared */
  bool is_python;
  text_buf *out;
  const void **objects; /* those that have a name, by its number; NULL: another value */
  size_t num_names;
  size_t num_redacted; /* texts */
  size_t num_keys;     /* of maps that are numbers, if values are redacted */
  size_t num_bool_keys;
  bool is_key;
  char *why; /* what cannot be written; NULL */
} emitter;

static const char kCBegin[] =
    "#include <inttypes.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <tvm/ffi/c.h>\n"
    "\n"
    "static void check(int code) {\n"
    "  if (code == 0) return;\n"
    "  tvm_ffi_error_print_raised(stderr);\n"
    "  exit(2);\n"
    "}\n"
    "\n"
    "/* Memory that begins `at` bytes behind a multiple of 4096, with `before` bytes before it. "
    "*/\n"
    "static char *place(const void *bytes, size_t size, size_t before, size_t at) {\n"
    "  char *block = calloc(1, size + before + 2 * 4096);\n"
    "  uintptr_t begin = (uintptr_t)block + before;\n"
    "  if (block == NULL) exit(2);\n"
    "  begin += (4096 + at - begin % 4096) % 4096;\n"
    "  memcpy((char *)begin, bytes, size);\n"
    "  return (char *)begin;\n"
    "}\n"
    "\n"
    "/* The bytes at the end of a file. */\n"
    "static void *read_end(const char *path, size_t size) {\n"
    "  FILE *file = fopen(path, \"rb\");\n"
    "  void *bytes = malloc(size + 1);\n"
    "  if (file == NULL || bytes == NULL || fseek(file, -(long)size, SEEK_END) != 0 ||\n"
    "      fread(bytes, 1, size, file) != size) {\n"
    "    fprintf(stderr, \"%s cannot be read\\n\", path);\n"
    "    exit(2);\n"
    "  }\n"
    "  fclose(file);\n"
    "  return bytes;\n"
    "}\n"
    "\n"
    "static DLTensor make(char *first, uint64_t byte_offset, DLDevice device, DLDataType dtype,\n"
    "                     int32_t ndim, int64_t *shape, int64_t *strides) {\n"
    "  DLTensor tensor;\n"
    "  tensor.data = first != NULL ? first - byte_offset : NULL;\n"
    "  tensor.device = device;\n"
    "  tensor.ndim = ndim;\n"
    "  tensor.dtype = dtype;\n"
    "  tensor.shape = shape;\n"
    "  tensor.strides = strides;\n"
    "  tensor.byte_offset = byte_offset;\n"
    "  return tensor;\n"
    "}\n"
    "\n"
    "static double number(DLDataType dtype, const char *at) {\n"
    "  float f;\n"
    "  double d;\n"
    "  int64_t i = 0;\n"
    "  if (dtype.code == kDLFloat && dtype.bits == 32) return memcpy(&f, at, 4), f;\n"
    "  if (dtype.code == kDLFloat && dtype.bits == 64) return memcpy(&d, at, 8), d;\n"
    "  memcpy(&i, at, dtype.bits < 64 ? dtype.bits / 8 : 8);\n"
    "  return (double)i;\n"
    "}\n"
    "\n"
    "/* Compares the elements with packed ones, bit by bit; returns 1 if they differ. */\n"
    "static int compare(const char *name, const DLTensor *x, const void *packed) {\n"
    "  const size_t size = x->dtype.bits * x->dtype.lanes / 8;\n"
    "  const char *expected = packed;\n"
    "  int64_t count = 1, wrong = 0, i, rest, offset;\n"
    "  int32_t d;\n"
    "  for (d = 0; d < x->ndim; ++d) count *= x->shape[d];\n"
    "  for (i = 0; i < count; ++i) {\n"
    "    const char *at;\n"
    "    for (offset = 0, rest = i, d = x->ndim - 1; d >= 0; rest /= x->shape[d--]) {\n"
    "      offset += rest % x->shape[d] * x->strides[d];\n"
    "    }\n"
    "    at = (char *)x->data + x->byte_offset + offset * (int64_t)size;\n"
    "    if (memcmp(at, expected + (size_t)i * size, size) == 0) continue;\n"
    "    if (wrong++ > 0) continue;\n"
    "    printf(\"%s: element %\" PRId64 \" is %.9g, recorded %.9g\\n\", name, i,\n"
    "           number(x->dtype, at), number(x->dtype, expected + (size_t)i * size));\n"
    "  }\n"
    "  printf(\"%s: %\" PRId64 \" of %\" PRId64 \" elements differ\\n\", name, wrong, count);\n"
    "  return wrong > 0;\n"
    "}\n"
    "\n";

static const char kPythonBegin[] =
    "import base64\n"
    "import ctypes\n"
    "import struct\n"
    "import sys\n"
    "\n"
    "import tvm_ffi\n"
    "\n"
    "KEPT = []\n"
    "\n"
    "\n"
    "class DLTensor(ctypes.Structure):\n"
    "    _fields_ = [(\"data\", ctypes.c_void_p), (\"device_type\", ctypes.c_int32),\n"
    "                (\"device_id\", ctypes.c_int32), (\"ndim\", ctypes.c_int32),\n"
    "                (\"code\", ctypes.c_uint8), (\"bits\", ctypes.c_uint8),\n"
    "                (\"lanes\", ctypes.c_uint16), (\"shape\", ctypes.POINTER(ctypes.c_int64)),\n"
    "                (\"strides\", ctypes.POINTER(ctypes.c_int64)),\n"
    "                (\"byte_offset\", ctypes.c_uint64)]\n"
    "\n"
    "\n"
    "class Managed(ctypes.Structure):\n"
    "    _fields_ = [(\"tensor\", DLTensor), (\"context\", ctypes.c_void_p),\n"
    "                (\"deleter\", ctypes.c_void_p)]\n"
    "\n"
    "\n"
    "class Versioned(ctypes.Structure):\n"
    "    _fields_ = [(\"major\", ctypes.c_uint32), (\"minor\", ctypes.c_uint32),\n"
    "                (\"context\", ctypes.c_void_p), (\"deleter\", ctypes.c_void_p),\n"
    "                (\"flags\", ctypes.c_uint64), (\"tensor\", DLTensor)]\n"
    "\n"
    "\n"
    "class Memory:\n"
    "    \"\"\"Bytes that begin `at` bytes behind a multiple of 4096, `before` bytes before "
    "them.\"\"\"\n"
    "\n"
    "    def __init__(self, content, before, at):\n"
    "        block = ctypes.create_string_buffer(len(content) + before + 2 * 4096)\n"
    "        KEPT.append(block)\n"
    "        begin = ctypes.addressof(block) + before\n"
    "        self.begin = begin + (at - begin) % 4096\n"
    "        ctypes.memmove(self.begin, content, len(content))\n"
    "\n"
    "\n"
    "class Tensor:\n"
    "    \"\"\"A tensor in any layout, which tvm_ffi.from_dlpack takes.\"\"\"\n"
    "\n"
    "    def __init__(self, first, byte_offset, device, dtype, shape, strides, flags):\n"
    "        self.dtype, self.shape, self.strides, self.first = dtype, shape, strides, first\n"
    "        self.device = device\n"
    "        count = len(shape)\n"
    "        self.extents = (ctypes.c_int64 * max(count, 1))(*shape)\n"
    "        self.steps = (ctypes.c_int64 * max(count, 1))(*strides)\n"
    "        data = first - byte_offset if first else None\n"
    "        tensor = DLTensor(data, *device, count, *dtype, self.extents, self.steps,\n"
    "                          byte_offset)\n"
    "        self.managed = Managed(tensor, None, None)\n"
    "        self.versioned = Versioned(1, 0, None, None, flags, tensor)\n"
    "        KEPT.append(self)\n"
    "\n"
    "    def __dlpack_device__(self):\n"
    "        return self.device\n"
    "\n"
    "    def __dlpack__(self, max_version=None, **_):\n"
    "        new = ctypes.pythonapi.PyCapsule_New\n"
    "        new.restype = ctypes.py_object\n"
    "        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]\n"
    "        if max_version is None:  # which has no flags, so that all can be written\n"
    "            return new(ctypes.addressof(self.managed), b\"dltensor\", None)\n"
    "        return new(ctypes.addressof(self.versioned), b\"dltensor_versioned\", None)\n"
    "\n"
    "    def elements(self):\n"
    "        size = self.dtype[1] * self.dtype[2] // 8\n"
    "        offsets = [0]\n"
    "        for extent, stride in zip(self.shape, self.strides):\n"
    "            offsets = [at + i * stride for at in offsets for i in range(extent)]\n"
    "        return [ctypes.string_at(self.first + at * size, size) for at in offsets]\n"
    "\n"
    "    def compare(self, name, expected):\n"
    "        \"\"\"Compares the elements with packed ones, bit by bit; True if they differ.\"\"\"\n"
    "        now = self.elements()\n"
    "        size = len(now[0]) if now else 1\n"
    "        then = [expected[i:i + size] for i in range(0, len(expected), size)]\n"
    "        wrong = [i for i, (a, b) in enumerate(zip(now, then)) if a != b]\n"
    "        if wrong:\n"
    "            a, b = self.number(now[wrong[0]]), self.number(then[wrong[0]])\n"
    "            print(f\"{name}: element {wrong[0]} is {a}, recorded {b}\")\n"
    "        print(f\"{name}: {len(wrong)} of {len(now)} elements differ\")\n"
    "        return bool(wrong)\n"
    "\n"
    "    def number(self, element):\n"
    "        kinds = {(2, 4): \"f\", (2, 8): \"d\", (2, 2): \"e\"}\n"
    "        kind = kinds.get((self.dtype[0], len(element)))\n"
    "        return struct.unpack(kind, element)[0] if kind else element.hex()\n"
    "\n"
    "\n";

static size_t refuse_value(emitter *e, const char *what) {
  if (e->why == NULL) e->why = tool_copy(what, strlen(what));
  return SIZE_MAX;
}

/* The number of a new name, `v[3]` in C and `v3` in Python. */
static size_t new_name(emitter *e, const void *object) {
  e->objects = tool_grow(e->objects, e->num_names, sizeof *e->objects);
  e->objects[e->num_names] = object;
  return e->num_names++;
}

static void add_name(const emitter *e, size_t name) {
  text_add(e->out, e->is_python ? "v%zu" : "v[%zu]", name);
}

/* Begins a statement that gives a name its value. */
static void begin_value(const emitter *e, size_t name) {
  if (!e->is_python) text_add(e->out, "  ");
  add_name(e, name);
  text_add(e->out, " = ");
}

static void end_value(const emitter *e) {
  text_add(e->out, e->is_python ? "\n" : ";\n");
}

/* A text literal of either language; Python's is of bytes. */
static void add_literal(const emitter *e, const char *bytes, size_t size) {
  size_t i;
  text_add(e->out, e->is_python ? "b\"" : "\"");
  for (i = 0; i < size; ++i) {
    const unsigned char c = (unsigned char)bytes[i];
    if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?') {
      text_add(e->out, "%c", c);
    } else {
      text_add(e->out, e->is_python ? "\\x%02x" : "\\%03o", c);
    }
  }
  text_add(e->out, "\"");
}

static size_t emit_real(emitter *e, double value) {
  const size_t name = new_name(e, NULL);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "struct.unpack(\"<d\", bytes.fromhex(\"");
    {
      int i;
      for (i = 0; i < 8; ++i) text_add(e->out, "%02x", (unsigned)(bits >> (8 * i) & 0xff));
    }
    text_add(e->out, "\"))[0]  # %s\n", REAL_G(17, value));
  } else {
    text_add(e->out, "  bits = UINT64_C(0x%016" PRIx64 "); /* %s */\n", bits, REAL_G(17, value));
    text_add(e->out, "  memcpy(&real, &bits, sizeof real);\n");
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_from_double(real);\n");
  }
  return name;
}

static size_t emit_text(emitter *e, const TVMFFIAny *value, const TVMFFIByteArray *text) {
  const bool is_bytes = value->type_index == kTVMFFIBytes ||
                        value->type_index == kTVMFFISmallBytes ||
                        value->type_index == kTVMFFIByteArrayPtr;
  const size_t name = new_name(e, NULL);
  if (e->is_python && !is_bytes && !tvmffi_utf8_is_valid(text->data, text->size)) {
    return refuse_value(e, "a str that is not UTF-8");
  }
  if (e->is_python) {
    begin_value(e, name);
    add_literal(e, text->data, text->size);
    text_add(e->out, is_bytes ? "\n" : ".decode(errors=\"surrogateescape\")\n");
    return name;
  }
  if (value->type_index == kTVMFFIRawStr) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_view_string(");
    add_literal(e, text->data, text->size);
    text_add(e->out, ");\n");
    return name;
  }
  text_add(e->out, "  check(tvm_ffi_%s(", is_bytes ? "bytes_create" : "string_create_sized");
  add_literal(e, text->data, text->size);
  text_add(e->out, ", %zu, &v[%zu]));\n", text->size, name);
  return name;
}

/* Texts that take the place of others all differ, because keys of maps do. */
static size_t emit_other_text(emitter *e, const TVMFFIAny *value) {
  char *other = tool_format("redacted%zu", ++e->num_redacted);
  const TVMFFIByteArray text = {other, strlen(other)};
  const size_t name = emit_text(e, value, &text);
  free(other);
  return name;
}

/* The tensor that is this argument. */
static size_t find_tensor(const emitter *e, const DLTensor *tensor) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    if (e->values->tensors[i].tensor == tensor) return i;
  }
  return SIZE_MAX;
}

static size_t emit_tensor(emitter *e, const TVMFFIAny *value, const DLTensor *tensor) {
  const size_t at = find_tensor(e, tensor);
  const bool is_view = value->type_index == kTVMFFIDLTensorPtr;
  size_t name;
  if (at == SIZE_MAX) return refuse_value(e, "a tensor");
  name = new_name(e, is_view ? NULL : value->v_obj);
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi.from_dlpack(t%zu)%s\n", at, is_view ? "  # it was a DLTensor *" : "");
  } else if (is_view) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_view_tensor(&t[%zu]);\n", at);
  } else {
    text_add(e->out, "  check(tvm_ffi_tensor_create_%s(&t[%zu], NULL, NULL, &object));\n",
             e->values->tensors[at].stored->is_read_only ? "read_only" : "around", at);
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_take_object(object);\n");
  }
  return name;
}

static size_t emit_value(emitter *e, const TVMFFIAny *value);

/* Writes an Array, List, Map or Dict of the values with these names. */
static size_t emit_container(emitter *e, const TVMFFIAny *value, const size_t *items,
                             size_t count) {
  static const struct {
    int32_t type_index;
    const char *python, *c;
  } kContainers[] = {{kTVMFFIArray, "tvm_ffi.Array([", "ffi.Array"},
                     {kTVMFFIList, "tvm_ffi.List([", "ffi.List"},
                     {kTVMFFIMap, "tvm_ffi.Map({", "ffi.Map"},
                     {kTVMFFIDict, "tvm_ffi.Dict({", "ffi.Dict"}};
  const size_t name = new_name(e, value->v_obj);
  const bool has_keys = value->type_index == kTVMFFIMap || value->type_index == kTVMFFIDict;
  size_t i, k = 0;
  while (kContainers[k].type_index != value->type_index) ++k;
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "%s", kContainers[k].python);
    for (i = 0; i < count; ++i) {
      if (i > 0) text_add(e->out, has_keys && i % 2 != 0 ? ": " : ", ");
      add_name(e, items[i]);
    }
    text_add(e->out, has_keys ? "})\n" : "])\n");
    return name;
  }
  text_add(e->out, "  {\n    TVMFFIAny items[%zu];\n", count + 1);
  for (i = 0; i < count; ++i) {
    text_add(e->out, "    items[%zu] = ", i);
    add_name(e, items[i]);
    text_add(e->out, ";\n");
  }
  text_add(e->out, "    check(tvm_ffi_function_call_global(\"%s\", items, %zu, &v[%zu]));\n  }\n",
           kContainers[k].c, count, name);
  return name;
}

typedef struct {
  emitter *e;
  size_t *items;
  size_t count;
  bool good;
} item_list;

static void add_item(item_list *list, const TVMFFIAny *value) {
  list->items = tool_grow(list->items, list->count, sizeof *list->items);
  list->items[list->count] = emit_value(list->e, value);
  if (list->items[list->count++] == SIZE_MAX) list->good = false;
}

static bool add_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  item_list *list = context;
  list->e->is_key = true;
  add_item(list, key);
  list->e->is_key = false;
  add_item(list, value);
  return true;
}

static size_t emit_items(emitter *e, const TVMFFIAny *value) {
  item_list list;
  size_t name;
  int64_t i;
  memset(&list, 0, sizeof list);
  list.e = e;
  list.good = true;
  if (value_is_list(value)) {
    for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
      add_item(&list, tvm_ffi_array_get_data(value->v_obj) + i);
    }
  } else {
    list.good = value_visit_map(value, add_pair, &list) && list.good;
  }
  TVMFFIErrorSetRaised(NULL);
  name =
      list.good ? emit_container(e, value, list.items, list.count) : refuse_value(e, "a container");
  free(list.items);
  return name;
}

static size_t emit_shape(emitter *e, const TVMFFIAny *value) {
  const TVMFFIShapeCell *cell = TVMFFIShapeGetCellPtr(value->v_obj);
  const size_t name = new_name(e, value->v_obj);
  size_t i;
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi.Shape((");
    for (i = 0; i < cell->size; ++i) text_add(e->out, "%" PRId64 ", ", cell->data[i]);
    text_add(e->out, "))\n");
    return name;
  }
  text_add(e->out, "  {\n    int64_t extents[%zu];\n", cell->size + 1);
  for (i = 0; i < cell->size; ++i) {
    text_add(e->out, "    extents[%zu] = INT64_C(%" PRId64 ");\n", i, cell->data[i]);
  }
  text_add(e->out, "    check(tvm_ffi_shape_create(extents, %zu, &object));\n  }\n", cell->size);
  begin_value(e, name);
  text_add(e->out, "tvm_ffi_any_take_object(object);\n");
  return name;
}

/* Writes one that is in the TVMFFIAny itself. */
static size_t emit_plain(emitter *e, const TVMFFIAny *value) {
  const size_t name = new_name(e, NULL);
  char text[kDtypeTextSize];
  begin_value(e, name);
  switch (value->type_index) {
    case kTVMFFINone:
      text_add(e->out, e->is_python ? "None" : "tvm_ffi_any_none()");
      break;
    case kTVMFFIBool:
      if (e->is_python) {
        text_add(e->out, "%s", value->v_int64 != 0 ? "True" : "False");
      } else {
        text_add(e->out, "tvm_ffi_any_from_bool(%d)", value->v_int64 != 0);
      }
      break;
    case kTVMFFIInt:
      if (e->is_python) {
        text_add(e->out, "%" PRId64, value->v_int64);
      } else if (value->v_int64 == INT64_MIN) {
        text_add(e->out, "tvm_ffi_any_from_int64(INT64_MIN)");
      } else {
        text_add(e->out, "tvm_ffi_any_from_int64(INT64_C(%" PRId64 "))", value->v_int64);
      }
      break;
    case kTVMFFIDataType:
      if (e->is_python) {
        text_add(e->out, "tvm_ffi.dtype(\"%s\")",
                 tvm_ffi_dtype_print(value->v_dtype, text, sizeof text));
      } else {
        text_add(e->out, "tvm_ffi_any_from_dtype(tvm_ffi_dtype_make(%d, %d, %d))",
                 value->v_dtype.code, value->v_dtype.bits, value->v_dtype.lanes);
      }
      break;
    case kTVMFFIDevice:
      if (e->is_python) {
        text_add(e->out, "tvm_ffi.device(\"%s\")",
                 tvm_ffi_device_print(value->v_device, text, sizeof text));
      } else {
        text_add(e->out, "tvm_ffi_any_from_device(tvm_ffi_device_make(%d, %d))",
                 (int)value->v_device.device_type, (int)value->v_device.device_id);
      }
      break;
    default: /* a NULL pointer, the only one that can be made again */
      text_add(e->out, e->is_python ? "ctypes.c_void_p(0)" : "tvm_ffi_any_from_pointer(NULL)");
  }
  end_value(e);
  return name;
}

static size_t emit_value(emitter *e, const TVMFFIAny *value) {
  TVMFFIAny other = *value;
  TVMFFIByteArray text;
  DLTensor *tensor;
  size_t i;
  for (i = 0; value->type_index >= kTVMFFIStaticObjectBegin && i < e->num_names; ++i) {
    if (e->objects[i] == value->v_obj) return i;
  }
  if (tvm_ffi_any_try_tensor(value, &tensor)) return emit_tensor(e, value, tensor);
  if (tvm_ffi_any_try_string(value, &text) || tvm_ffi_any_try_bytes(value, &text)) {
    return e->request->redacted ? emit_other_text(e, value) : emit_text(e, value, &text);
  }
  if (e->request->redacted) {
    size_t *num_keys = value->type_index == kTVMFFIBool ? &e->num_bool_keys : &e->num_keys;
    redact_scalar(&other, e->is_key ? ++*num_keys : 0);
    value = &other;
  }
  switch (value->type_index) {
    case kTVMFFIFloat:
      return emit_real(e, value->v_float64);
    case kTVMFFINone:
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
    case kTVMFFIOpaquePtr:
      return emit_plain(e, value);
    case kTVMFFIShape:
      return emit_shape(e, value);
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict:
      return emit_items(e, value);
    default:
      return refuse_value(e, tvm_ffi_any_get_type_name(value));
  }
}

/* Bytes as an array in C, or as Base64 in Python. */
static void emit_bytes(const emitter *e, const char *name, size_t i, const void *content,
                       size_t size) {
  enum { kLine = 54 }; /* bytes: 72 digits */
  const unsigned char *bytes = content;
  size_t k;
  if (!e->is_python) {
    text_add(e->out, "static const unsigned char %s_%zu[%zu] = {", name, i, size + 1);
    for (k = 0; k < size; ++k) {
      text_add(e->out, "%s%u,", k % 24 == 0 ? "\n    " : "", (unsigned)bytes[k]);
    }
    text_add(e->out, "%s0};\n", size % 24 == 0 ? "\n    " : "");
    return;
  }
  text_add(e->out, "%s_%zu = base64.b64decode(\"\"\"", name, i);
  for (k = 0; k < size; k += kLine) {
    text_add(e->out, "\n");
    text_add_base64(e->out, bytes + k, size - k < kLine ? size - k : kLine);
  }
  text_add(e->out, "\"\"\")\n");
}

/* Bytes before it to which `data` of a tensor may point. */
static uint64_t find_extra(const call_values *values, size_t storage_index) {
  uint64_t extra = 0;
  size_t i;
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    const uint64_t byte_offset = t->stored->tensor.byte_offset;
    if (t->storage == storage_index && byte_offset > (uint64_t)t->offset + extra) {
      extra = byte_offset - (uint64_t)t->offset;
    }
  }
  return extra;
}

static bool is_read_from_file(const emitter *e, size_t storage_index) {
  const recorded_storage *s = &e->values->storages[storage_index];
  return s->size > kMaxEmbedded && s->data != NULL && e->after != NULL;
}

/* The memory before the call, as data. */
static void emit_memory(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_storages; ++i) {
    if (call_values_find_tensor(e->values, i) == SIZE_MAX || is_read_from_file(e, i)) continue;
    emit_bytes(e, "memory", i, call_values_find_memory(e->values, i),
               (size_t)e->values->storages[i].size);
  }
}

/* Places the memory, in statements. */
static void emit_places(const emitter *e, const char *folder) {
  size_t i;
  for (i = 0; i < e->values->num_storages; ++i) {
    const recorded_storage *s = &e->values->storages[i];
    const unsigned place = (unsigned)(s->address % 4096);
    const unsigned at = e->request->redacted ? place & (0u - place) : place; /* as aligned */
    if (call_values_find_tensor(e->values, i) == SIZE_MAX) continue;
    text_add(e->out, e->is_python ? "m%zu = Memory(" : "  memory[%zu] = place(", i);
    if (is_read_from_file(e, i)) {
      char *path = tool_format("%s/tensors/%s.npy", folder, s->data);
      text_add(e->out, e->is_python ? "open(" : "read_end(");
      add_literal(e, path, strlen(path));
      if (e->is_python) {
        text_add(e->out, ", \"rb\").read()[-%" PRIu64 ":]", s->size);
      } else {
        text_add(e->out, ", %" PRIu64 "), %" PRIu64, s->size, s->size);
      }
      free(path);
    } else if (e->is_python) {
      text_add(e->out, "memory_%zu", i);
    } else {
      text_add(e->out, "memory_%zu, %" PRIu64, i, s->size);
    }
    text_add(e->out, ", %" PRIu64 ", %u)%s\n", find_extra(e->values, i), at,
             e->is_python ? "" : ";");
  }
}

/* The extents of tensors, as data of C. */
static void emit_extents(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    const DLTensor *x = &e->values->tensors[i].stored->tensor;
    int32_t d;
    int kind;
    for (kind = 0; kind < 2; ++kind) {
      const int64_t *values = kind == 0 ? x->shape : x->strides;
      if (values == NULL) continue;
      text_add(e->out, "static int64_t %s_%zu[%d] = {", kind == 0 ? "shape" : "strides", i,
               (int)x->ndim + 1);
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "INT64_C(%" PRId64 "), ", values[d]);
      text_add(e->out, "0};\n");
    }
  }
}

static void emit_tensors(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    const recorded_tensor *t = &e->values->tensors[i];
    const DLTensor *x = &t->stored->tensor;
    int32_t d;
    if (e->is_python) {
      text_add(e->out, "t%zu = Tensor(", i);
      if (t->storage == SIZE_MAX) {
        text_add(e->out, "0");
      } else {
        text_add(e->out, "m%zu.begin + %" PRId64, t->storage, t->offset);
      }
      text_add(e->out, ", %" PRIu64 ", (%d, %d), (%d, %d, %d), (", x->byte_offset,
               (int)x->device.device_type, (int)x->device.device_id, x->dtype.code, x->dtype.bits,
               x->dtype.lanes);
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "%" PRId64 ", ", x->shape[d]);
      text_add(e->out, "), (");
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "%" PRId64 ", ", t->stored->strides[d]);
      text_add(e->out, "), %d)\n", t->stored->is_read_only ? 1 : 0);
      continue;
    }
    text_add(e->out, "  t[%zu] = make(", i);
    if (t->storage == SIZE_MAX) {
      text_add(e->out, "NULL");
    } else {
      text_add(e->out, "memory[%zu] + %" PRId64, t->storage, t->offset);
    }
    text_add(e->out,
             ", %" PRIu64
             ", tvm_ffi_device_make(%d, %d),\n              "
             "tvm_ffi_dtype_make(%d, %d, %d), %d, shape_%zu, ",
             x->byte_offset, (int)x->device.device_type, (int)x->device.device_id, x->dtype.code,
             x->dtype.bits, x->dtype.lanes, (int)x->ndim, i);
    if (x->strides != NULL) {
      text_add(e->out, "strides_%zu);\n", i);
    } else {
      text_add(e->out, "NULL);\n");
    }
  }
}

/* Whether what the tensor had after the call is compared: it changed, and can be. */
static bool is_compared(const emitter *e, size_t i) {
  const recorded_tensor *t;
  const char *old, *now;
  if (e->after == NULL || i >= e->after->num_arg_tensors) return false;
  t = &e->after->tensors[i];
  if (t->storage == SIZE_MAX || !t->has_data) return false;
  if (tvm_ffi_dtype_get_bits(t->tensor->dtype) % 8 != 0 || t->tensor->strides == NULL) return false;
  old = e->values->storages[t->storage].data;
  now = e->after->storages[t->storage].data;
  return old == NULL || strcmp(old, now) != 0;
}

/* What compared tensors had after the call, as data. */
static void emit_expected(const emitter *e) {
  size_t i, size = 0;
  for (i = 0; i < e->values->num_tensors; ++i) {
    TVMFFIObjectHandle packed;
    if (!is_compared(e, i)) continue;
    packed = tensor_copy(e->after->tensors[i].tensor);
    if (packed == NULL) { /* it cannot be read */
      TVMFFIErrorSetRaised(NULL);
      continue;
    }
    if (tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(packed), &size) == 0) {
      emit_bytes(e, "expected", i, TVMFFITensorGetDLTensorPtr(packed)->data, size);
    }
    tvm_ffi_object_release(packed);
  }
}

/* What the recording says of the end of the call, as one line. */
static char *describe_end(const repeated_call *request) {
  word_list items;
  char *text;
  if (request->call->end == kCallUnfinished) return tool_copy("it did not return", 17);
  if (request->call->end == kCallRaised) {
    return request->redacted ? tool_format("raised an error")
                             : tool_format("raised %s", request->call->error);
  }
  items = recording_describe(request->recording, request->call, kAfter, !request->redacted);
  text = tool_format("returned %s", items.size > 0 ? items.items[0] : "none");
  words_free(&items);
  return text;
}

static void emit_c_main(emitter *e, const char *folder, const char *recorded) {
  const call_values *values = e->values;
  text_buf statements = {NULL, 0, 0}, *out = e->out;
  size_t *names = tool_alloc((values->num_args + 1) * sizeof *names), i;
  e->out = &statements;
  for (i = 0; i < values->num_args; ++i) names[i] = emit_value(e, &values->args[i]);
  e->out = out;
  text_add(out, "int main(int argc, char **argv) {\n  const char *library = argc > 1 ? argv[1] : ");
  if (e->request->library != NULL) {
    add_literal(e, e->request->library, strlen(e->request->library));
  } else {
    text_add(out, "NULL");
  }
  text_add(out,
           ";\n  char *memory[%zu], text[4096];\n  DLTensor t[%zu];\n"
           "  TVMFFIAny v[%zu], args[%zu], result = tvm_ffi_any_none();\n"
           "  TVMFFIObjectHandle function, object = NULL;\n  TVMFFIByteArray bytes;\n"
           "  uint64_t bits = 0;\n"
           "  double real = 0;\n  int differs = 0;\n"
           "  (void)memory, (void)t, (void)object, (void)bits, (void)real, (void)read_end,\n"
           "  (void)make, (void)place, (void)compare, (void)v;\n"
           "  if (library == NULL) {\n"
           "    fprintf(stderr, \"usage: %%s LIBRARY\\n\", argv[0]);\n    return 2;\n  }\n"
           "  check(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 1, NULL));\n"
           "  check(tvm_ffi_module_load_function(library, ",
           values->num_storages + 1, values->num_tensors + 1, e->num_names + 1,
           values->num_args + 1);
  add_literal(e, e->request->call->function, strlen(e->request->call->function));
  text_add(out, ", &function));\n");
  emit_places(e, folder);
  emit_tensors(e);
  if (statements.data != NULL) text_add_bytes(out, statements.data, statements.size);
  for (i = 0; i < values->num_args; ++i) {
    text_add(out, "  args[%zu] = v[%zu];\n", i, names[i]);
  }
  text_add(out, "  printf(\"recorded: %%s\\n\", ");
  add_literal(e, recorded, strlen(recorded));
  text_add(out,
           ");\n  fflush(stdout);\n"
           "  if (tvm_ffi_function_call(function, args, %zu, &result) != 0) {\n"
           "    tvm_ffi_error_format_raised(text, sizeof text);\n"
           "    printf(\"now: raised %%s\\n\", text);\n    return 1;\n  }\n"
           "  printf(\"now: returned %%s\", tvm_ffi_any_get_type_name(&result));\n"
           "  if (result.type_index == kTVMFFIInt) printf(\" %%\" PRId64, result.v_int64);\n"
           "  if (result.type_index == kTVMFFIFloat) printf(\" %%.17g\", result.v_float64);\n"
           "  if (tvm_ffi_any_try_string(&result, &bytes)) {\n"
           "    printf(\" %%.*s\", (int)bytes.size, bytes.data);\n  }\n"
           "  printf(\"\\n\");\n",
           values->num_args);
  for (i = 0; i < values->num_tensors; ++i) {
    if (!is_compared(e, i)) continue;
    text_add(out, "  differs |= compare(\"%s\", &t[%zu], expected_%zu);\n", values->tensors[i].name,
             i, i);
  }
  text_add(out, "  return differs;\n}\n");
  text_free(&statements);
  free(names);
}

static void emit_python_main(emitter *e, const char *folder, const char *recorded) {
  const call_values *values = e->values;
  size_t *names = tool_alloc((values->num_args + 1) * sizeof *names), i;
  emit_places(e, folder);
  emit_tensors(e);
  for (i = 0; i < values->num_args; ++i) names[i] = emit_value(e, &values->args[i]);
  text_add(e->out, "library = sys.argv[1] if len(sys.argv) > 1 else ");
  if (e->request->library != NULL) {
    add_literal(e, e->request->library, strlen(e->request->library));
    text_add(e->out, ".decode()\n");
  } else {
    text_add(e->out, "sys.exit(\"usage: python3 FILE LIBRARY\")\n");
  }
  text_add(e->out, "function = tvm_ffi.load_module(library).get_function(");
  add_literal(e, e->request->call->function, strlen(e->request->call->function));
  text_add(e->out, ".decode())\nprint(\"recorded:\", ");
  add_literal(e, recorded, strlen(recorded));
  text_add(e->out, ".decode(), flush=True)\ntry:\n    print(\"now: returned\", function(");
  for (i = 0; i < values->num_args; ++i) text_add(e->out, "%sv%zu", i > 0 ? ", " : "", names[i]);
  text_add(e->out,
           "))\nexcept Exception as error:\n"
           "    print(f\"now: raised {type(error).__name__}: {error}\")\n    sys.exit(1)\n"
           "differs = False\n");
  for (i = 0; i < values->num_tensors; ++i) {
    if (!is_compared(e, i)) continue;
    text_add(e->out, "differs |= t%zu.compare(\"%s\", expected_%zu)\n", i, values->tensors[i].name,
             i);
  }
  text_add(e->out, "sys.exit(differs)\n");
  free(names);
}

/* Adds a line of the comment that begins the program. Names come from the recording, and must not
 * end it. */
static void add_comment(const emitter *e, const char *line) {
  text_add(e->out, e->is_python ? "# " : " * ");
  for (; *line != '\0'; ++line) {
    const bool is_plain = *line >= ' ' && *line < 127 && *line != '*' && *line != '\\';
    text_add(e->out, "%c", is_plain ? *line : '_');
  }
  text_add(e->out, "\n");
}

/* Lists what is in a redacted program of what was recorded. */
static void emit_kept(const emitter *e, const char *recorded) {
  static const char *const kKept[] = {
      "- of tensors: data type, shape, strides, byte_offset, device, whether they are read-only,",
      "  the alignment of their memory, and which of them share it, and where",
      "- data types, devices and shapes that are arguments themselves, None and null pointers",
      "- names of types and of their fields",
      "- how many items arrays, lists, maps and dicts have, and how they are nested",
      "All else is replaced: elements of tensors by numbers from 0 to 1, integers among them by",
      "0 or 1, other integers by 1, floats by 0.5, bools by true, texts and bytes by texts, and",
      "keys of maps by others, all without looking at what was there. With these values the",
      "function may take another path, fail where it did not, or not fail where it did."};
  char *types = tool_format("- the types: (%s), %s", e->request->call->signature, recorded);
  size_t i;
  add_comment(e, "Of what was recorded, this file still has:");
  add_comment(e, "- the name of the function");
  add_comment(e, types);
  for (i = 0; i < sizeof kKept / sizeof *kKept; ++i) add_comment(e, kKept[i]);
  free(types);
}

static void emit_head(const emitter *e, const char *recorded) {
  const recorded_call *call = e->request->call;
  const char *library = e->request->library != NULL ? "[LIBRARY]" : "LIBRARY";
  char *name = identifier_make(call->function, strlen(call->function));
  if (!e->is_python) text_add(e->out, "/*\n");
  if (e->request->redacted) {
    text_add(e->out, "%sA call of %s, recorded by tvm-ffi, with other values.\n",
             e->is_python ? "# " : " * ", name);
    emit_kept(e, recorded);
  } else {
    text_add(e->out, "%sCall %" PRId64 " of %s, recorded by tvm-ffi.\n",
             e->is_python ? "# " : " * ", call->number, name);
  }
  if (e->is_python) {
    text_add(e->out, "# It takes the package tvm_ffi:\n#   python3 FILE %s\n%s", library,
             kPythonBegin);
  } else {
    text_add(e->out,
             " * Build and run it with\n"
             " *   cc FILE.c $(pkg-config --cflags --libs tvm_ffi) -o call\n"
             " *   ./call %s\n */\n%s",
             library, kCBegin);
  }
  free(name);
}

static void emit_program(emitter *e, const char *folder) {
  char *recorded = describe_end(e->request);
  emit_head(e, recorded);
  emit_memory(e);
  emit_expected(e);
  if (!e->is_python) emit_extents(e);
  text_add(e->out, "\n");
  (e->is_python ? emit_python_main : emit_c_main)(e, folder, recorded);
  free(recorded);
}

bool recording_write_program(const repeated_call *request, const char *path) {
  const DLDevice cpu = {kDLCPU, 0};
  text_buf program = {NULL, 0, 0};
  call_values values, after;
  char *folder = file_resolve(request->folder);
  emitter e;
  size_t i;
  bool good, is_written = false;
  memset(&e, 0, sizeof e);
  memset(&after, 0, sizeof after);
  good = recording_make_before(request->recording, request->call, cpu, &values);
  if (good && !request->redacted) {
    good = recording_make(request->recording, request->call, kAfter, cpu, &after, NULL) == kMade;
  }
  for (i = 0; good && request->redacted && i < values.num_storages; ++i) {
    if (values.storages[i].size <= kMaxRedacted) continue;
    good = report_error("call %" PRId64 ": a tensor is too large to be written into a program",
                        request->call->number);
  }
  if (good) {
    if (request->redacted) redact_tensors(&values);
    e.request = request;
    e.values = &values;
    e.after = request->redacted ? NULL : &after;
    e.is_python = request->is_python;
    e.out = &program;
    emit_program(&e, folder != NULL ? folder : request->folder);
    if (e.why != NULL) {
      report_error("call %" PRId64 ": a program cannot make %s", request->call->number, e.why);
    } else {
      is_written = tool_write_file(path, program.data, program.size);
    }
  }
  free(e.objects);
  free(e.why);
  free(folder);
  text_free(&program);
  call_values_free(&values);
  call_values_free(&after);
  return is_written;
}
