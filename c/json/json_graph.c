/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/integers.h"
#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/string_object.h"
#include "core/tensor.h"
#include "core/type.h"
#include "json/json.h"
#include "platform/atomic.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"
#include "reflect/walk.h"

/* ---- Base64 ---- */

static const char kBase64Digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int tvmffi_base64_encode(const char *data, size_t size, TVMFFIAny *out) {
  size_t groups = size / 3 + (size % 3 != 0), bytes, i;
  char *text, *p;
  int rc;
  if (!tvmffi_checked_mul_size(groups, 4, &bytes) || (p = text = tvmffi_alloc(bytes)) == NULL) {
    return tvmffi_fail_memory();
  }
  for (i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t group = (uint32_t)(unsigned char)data[i] << 16;
    if (left > 1) group |= (uint32_t)(unsigned char)data[i + 1] << 8;
    if (left > 2) group |= (unsigned char)data[i + 2];
    *p++ = kBase64Digits[group >> 18];
    *p++ = kBase64Digits[group >> 12 & 63];
    *p++ = left > 1 ? kBase64Digits[group >> 6 & 63] : '=';
    *p++ = left > 2 ? kBase64Digits[group & 63] : '=';
  }
  rc = tvmffi_string_to_any(text, bytes, out);
  tvmffi_free(text);
  return rc;
}

static int invalid(void) {
  return tvmffi_fail("InternalError",
                     "Check failed: (bytes.size %% 4 == 0) is false: invalid base64 encoding");
}

/* The value of a digit, or 64. */
static uint32_t value_of(char digit) {
  const char *found = digit != '\0' ? strchr(kBase64Digits, digit) : NULL;
  return found != NULL ? (uint32_t)(found - kBase64Digits) : 64;
}

/* Decodes whole groups; false when they contain anything but digits, or padding before the end. */
static bool decode(const char *text, size_t size, char *out, size_t *out_size) {
  size_t i, written = 0;
  for (i = 0; i < size; i += 4) {
    size_t padding = 0, j;
    uint32_t group = 0;
    if (i + 4 == size) padding = (size_t)(text[i + 3] == '=') + (text[i + 2] == '=');
    for (j = 0; j < 4; ++j) {
      uint32_t digit = j < 4 - padding ? value_of(text[i + j]) : 0;
      if (digit == 64) return false;
      group = group << 6 | digit;
    }
    out[written++] = (char)(group >> 16);
    if (padding < 2) out[written++] = (char)(group >> 8);
    if (padding < 1) out[written++] = (char)group;
  }
  *out_size = written;
  return true;
}

int tvmffi_base64_decode(const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  char *data;
  int rc;
  if (size % 4 != 0) return invalid();
  data = tvmffi_alloc(size / 4 * 3);
  if (data == NULL) return tvmffi_fail_memory();
  bytes.data = data;
  rc = decode(text, size, data, &bytes.size) ? TVMFFIBytesFromByteArray(&bytes, out) : invalid();
  tvmffi_free(data);
  return rc;
}

/* ---- Writing ---- */

static const char kGraphHook[] = "(0: AnyView) -> Any";

/* A container or object whose children become nodes before it does. */
typedef struct {
  TVMFFIAny value; /* owned */
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  bool has_child;
  bool has_key;       /* in a map: the key of the child has been added */
  TVMFFIObject *data; /* Array of node numbers, or Map from fields to values or node numbers */
} graph_frame;

/* The state of an object: kFirstNode + n means that its node has number n. */
enum { kNew, kOnWay /* has a frame */, kOffWay, kFirstNode };

typedef struct {
  tvmffi_stack frames;
  tvmffi_pointer_map objects; /* from objects to states; owned, so that no address is reused */
  tvmffi_pointer_map texts;   /* from the addresses of type and field names to Strings */
  TVMFFIObject *indices;      /* Dict from values that may equal others to their node numbers */
  TVMFFIObject *nodes;        /* Array */
} graph_writer;

/* Whether values of a field are stored in the object's own data, not as nodes. */
static bool json_graph_is_inline(const TVMFFIFieldInfo *field) {
  switch (field->field_static_type_index) {
    case kTVMFFINone:
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIFloat:
    case kTVMFFIDataType:
      return true;
    default:
      return false;
  }
}

/* ---- Building ---- */

/* Takes the value, also on failure. */
static int append_node(TVMFFIObject **array, TVMFFIAny value) {
  if (tvmffi_array_append(array, &value) == 0) return 0;
  tvmffi_any_release(&value);
  return tvmffi_fail_memory();
}

/* The name of a type or a field. A name too long for a small string is one String for all nodes. */
static int name_to_any(graph_writer *w, const char *name, size_t size, TVMFFIAny *out) {
  tvmffi_pointer_entry *entry;
  if (size <= kTvmffiMaxSmallText) return tvmffi_string_to_any(name, size, out);
  entry = tvmffi_pointer_map_ensure(&w->texts, name);
  if (entry == NULL) return tvmffi_fail_memory();
  if (entry->value.pointer == NULL) {
    entry->value.pointer = tvmffi_string_new(kTVMFFIStr, name, size);
    if (entry->value.pointer == NULL) return -1;
  }
  tvmffi_object_retain(entry->value.pointer);
  *out = tvmffi_any_object(entry->value.pointer);
  return 0;
}

/* Adds a value, which is taken also on failure, under a name. */
static int put_value(graph_writer *w, TVMFFIObject **map, const char *name, size_t size,
                     TVMFFIAny value) {
  TVMFFIAny key;
  if (name_to_any(w, name, size, &key) == 0) return tvmffi_map_put(map, &key, &value);
  tvmffi_any_release(&value);
  return -1;
}

#define PUT(w, map, name, value) put_value(w, map, name, sizeof(name) - 1, value)

/* Whether a value equals no other value and has no hook, so that its address identifies it. */
static bool is_itself_only(const TVMFFIAny *value) {
  switch (value->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIBigInt:
      return false;
    default:
      return value->type_index >= kTVMFFIStaticObjectBegin && !tvmffi_any_key_has_hook(value);
  }
}

/* The state of an object, which may be changed; NULL with the error raised. */
static uint64_t *state_of(graph_writer *w, TVMFFIObject *obj) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&w->objects, obj);
  if (entry == NULL) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  if (entry->value.number == kNew) {
    tvmffi_object_retain(obj);
    entry->value.number = kOffWay;
  }
  return &entry->value.number;
}

/* Remembers the number of a value's node. */
static int set_index(graph_writer *w, const TVMFFIAny *value, int64_t number) {
  TVMFFIAny key, index = tvmffi_any_int(number);
  if (is_itself_only(value)) {
    uint64_t *state = state_of(w, value->v_obj);
    if (state == NULL) return -1;
    *state = kFirstNode + (uint64_t)number;
    return 0;
  }
  key = tvmffi_any_copy(value);
  return tvmffi_map_put(&w->indices, &key, &index);
}

/* 1 and the number of a value's node, 0 when it has none yet, or -1. */
static int get_index(graph_writer *w, const TVMFFIAny *value, TVMFFIAny *out) {
  const TVMFFIAny *index;
  if (is_itself_only(value)) {
    const tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(&w->objects, value->v_obj);
    if (entry == NULL || entry->value.number < kFirstNode) return 0;
    *out = tvmffi_any_int((int64_t)(entry->value.number - kFirstNode));
    return 1;
  }
  if (tvmffi_map_find(w->indices, value, &index) != 0) return -1;
  if (index != NULL) *out = *index;
  return index != NULL;
}

/* Adds a node of a type. data is taken, also on failure; NULL for none. */
static int add_node(graph_writer *w, const TVMFFIAny *value, const char *type, TVMFFIAny *data) {
  TVMFFIObject *node = tvmffi_map_new_for(kTVMFFIMap, data != NULL ? 2 : 1);
  TVMFFIAny owned = data != NULL ? *data : tvmffi_any_none(), text;
  int rc = node != NULL ? name_to_any(w, type, strlen(type), &text) : tvmffi_fail_memory();
  if (rc == 0) rc = PUT(w, &node, "type", text);
  if (rc == 0 && data != NULL) {
    rc = PUT(w, &node, "data", owned);
    owned = tvmffi_any_none();
  }
  if (rc != 0) {
    tvmffi_any_release(&owned);
    tvmffi_object_release(node);
    return -1;
  }
  TVMFFI_TRY(append_node(&w->nodes, tvmffi_any_object(node)));
  return set_index(w, value, tvmffi_array_size(w->nodes) - 1);
}

/* ---- Values that hold no others ---- */

static int ints_to_array(const int64_t *values, size_t size, TVMFFIAny *out) {
  TVMFFIObject *array = tvmffi_array_new((int64_t)size);
  size_t i;
  if (array == NULL) return tvmffi_fail_memory();
  for (i = 0; i < size; ++i) tvmffi_array_items(array)[i] = tvmffi_any_int(values[i]);
  TVMFFISeqGetCellPtr(array)->size = (int64_t)size;
  *out = tvmffi_any_object(array);
  return 0;
}

static int device_to_array(DLDevice device, TVMFFIAny *out) {
  int64_t pair[2];
  pair[0] = (int64_t)device.device_type;
  pair[1] = device.device_id;
  return ints_to_array(pair, 2, out);
}

static int bigint_to_text(const TVMFFIAny *value, TVMFFIAny *out) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  int rc = tvmffi_bigint_append_decimal(&text, value);
  if (rc == 0) {
    rc = text.failed ? tvmffi_fail_memory() : tvmffi_string_to_any(text.data, text.size, out);
  }
  tvmffi_buf_fini(&text);
  return rc;
}

/* The data of an enum's member: the index under which it is found again. */
static int enum_to_index(const TVMFFIAny *value, TVMFFIAny *out) {
  const tvmffi_enum *member = (const tvmffi_enum *)(const void *)value->v_obj;
  *out = tvmffi_type_is_instance(value->type_index, kTvmffiIntEnum)
             ? tvmffi_any_int(member->int_index)
             : tvmffi_any_copy(&member->str_index);
  return 0;
}

/* 1 after adding a node for a value that holds no others, 0 for other values, or -1. */
static int add_plain(graph_writer *w, const TVMFFIAny *value) {
  const char *type = tvmffi_type_key(value->type_index);
  TVMFFIAny data = *value, arg = *value;
  TVMFFIByteArray content = {NULL, 0};
  TVMFFIObject *hook;
  int rc = 0;
  switch (value->type_index) {
    case kTVMFFINone:
      return add_node(w, value, type, NULL) == 0 ? 1 : -1;
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIFloat:
      break;
    case kTVMFFIDataType:
      rc = TVMFFIDataTypeToString(&value->v_dtype, &data);
      break;
    case kTVMFFIDevice:
      rc = device_to_array(value->v_device, &data);
      break;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      type = "ffi.String";
      data = tvmffi_any_copy(value);
      break;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      type = "ffi.Bytes";
      (void)tvmffi_any_get_bytes(value, &content);
      rc = tvmffi_base64_encode(content.data, content.size, &data);
      break;
    case kTVMFFIShape:
      rc = ints_to_array(TVMFFIShapeGetCellPtr(value->v_obj)->data,
                         TVMFFIShapeGetCellPtr(value->v_obj)->size, &data);
      break;
    case kTVMFFIBigInt:
      rc = bigint_to_text(value, &data);
      break;
    default:
      if (value->type_index < kTVMFFIStaticObjectBegin) {
        return tvmffi_fail("RuntimeError", "Cannot serialize type `%s`", type);
      }
      if (tvmffi_is_sequence(value->type_index) || tvmffi_is_map(value->type_index)) return 0;
      if (tvmffi_type_is_instance(value->type_index, kTvmffiEnum)) {
        rc = enum_to_index(value, &data);
        break;
      }
      TVMFFI_TRY(
          tvmffi_walk_find_hook(kTvmffiAttrDataToJson, value->type_index, kGraphHook, &hook));
      if (hook == NULL) return 0;
      rc = tvmffi_walk_call("ffi.ToJSONGraph", hook, &arg, 1, &data);
  }
  return rc == 0 && add_node(w, value, type, &data) == 0 ? 1 : -1;
}

/* ---- The walk ---- */

static int check_can_be_made(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  const TVMFFITypeMetadata *metadata;
  if (record == NULL) return -1;
  metadata = tvmffi_atomic_load_acquire_ptr(&record->info.metadata);
  if ((metadata != NULL && metadata->creator != NULL) ||
      tvmffi_type_find_attr(kTvmffiAttrNew, type_index) != NULL) {
    return 0;
  }
  return tvmffi_fail("TypeError",
                     "Type `%s` does not support ToJSONGraph (no native creator or __ffi_new__ "
                     "type attr)",
                     record->key.data);
}

static int fail_cycle(int32_t type_index) {
  return tvmffi_fail("ValueError", "Cycle detected during serialization: a %s contains itself",
                     type_index == kTVMFFIList   ? "List"
                     : type_index == kTVMFFIDict ? "Dict"
                                                 : tvmffi_type_key(type_index));
}

/* How many node numbers a container's data takes, unless the container changes meanwhile. */
static int64_t num_numbers(const TVMFFIAny *value) {
  return tvmffi_is_sequence(value->type_index) ? tvmffi_array_size(value->v_obj)
                                               : 2 * (int64_t)tvmffi_map_size(value->v_obj);
}

static int push_graph(graph_writer *w, const TVMFFIAny *value) {
  bool has_nodes = tvmffi_is_sequence(value->type_index) || tvmffi_is_map(value->type_index);
  uint64_t *state = state_of(w, value->v_obj);
  graph_frame *top;
  if (state == NULL) return -1;
  if (*state == kOnWay) return fail_cycle(value->type_index);
  if (!has_nodes) TVMFFI_TRY(check_can_be_made(value->type_index));
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.ToJSONGraph", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  *state = kOnWay;
  top->value = tvmffi_any_copy(value);
  top->data = has_nodes ? tvmffi_array_new(num_numbers(value)) : tvmffi_map_new();
  if (top->data == NULL) return tvmffi_fail_memory();
  tvmffi_child_first(&top->cursor, value->v_obj);
  return 0;
}

static void pop_graph(graph_writer *w) {
  graph_frame *top = tvmffi_stack_top(&w->frames);
  graph_frame last = *top;
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(&w->objects, last.value.v_obj);
  if (entry->value.number == kOnWay) entry->value.number = kOffWay;
  tvmffi_stack_pop(&w->frames);
  if (last.has_child) tvmffi_child_release(&last.child);
  tvmffi_object_release(last.data);
  tvmffi_any_release(&last.value);
}

/* 1 and the number of a value's node, 0 after pushing the value, or -1. */
static int find_node(graph_writer *w, const TVMFFIAny *value, TVMFFIAny *out) {
  int rc = get_index(w, value, out);
  if (rc != 0) return rc;
  rc = add_plain(w, value);
  if (rc == 0) return push_graph(w, value) == 0 ? 0 : -1;
  if (rc > 0) *out = tvmffi_any_int(tvmffi_array_size(w->nodes) - 1);
  return rc;
}

static int put_inline(graph_writer *w, graph_frame *top) {
  const TVMFFIAny *value = &top->child.value;
  const TVMFFIByteArray *name = &top->child.field->name;
  TVMFFIAny data;
  if (value->type_index == kTVMFFIDataType) {
    TVMFFI_TRY(TVMFFIDataTypeToString(&value->v_dtype, &data));
  } else {
    data = tvmffi_any_copy(value);
  }
  return put_value(w, &top->data, name->data, name->size, data);
}

/* Adds the current child to the data: 1, 0 if something was pushed or only the key added, or -1. */
static int enter_child(graph_writer *w) {
  graph_frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny index, value = top->child.value;
  bool is_key = tvmffi_is_map(top->value.type_index) && !top->has_key;
  int rc;
  if (top->child.field != NULL && json_graph_is_inline(top->child.field)) {
    return put_inline(w, top) == 0 ? 1 : -1;
  }
  if (is_key) value = top->child.key;
  rc = find_node(w, &value, &index);
  if (rc != 1) return rc;
  if (top->child.field != NULL) {
    const TVMFFIByteArray *name = &top->child.field->name;
    return put_value(w, &top->data, name->data, name->size, index) == 0 ? 1 : -1;
  }
  if (append_node(&top->data, index) != 0) return -1;
  top->has_key = is_key;
  return is_key ? 0 : 1;
}

static int write_next(graph_writer *w) {
  graph_frame *top = tvmffi_stack_top(&w->frames);
  int rc;
  if (!top->has_child) {
    rc = tvmffi_child_next(&top->cursor, &top->child);
    if (rc < 0) return -1;
    if (rc == 0) {
      TVMFFIAny data = tvmffi_any_object(top->data);
      top->data = NULL;
      TVMFFI_TRY(add_node(w, &top->value, tvmffi_type_key(top->value.type_index), &data));
      pop_graph(w);
      return 0;
    }
    top->has_child = true;
  }
  rc = enter_child(w);
  if (rc == 1) {
    top = tvmffi_stack_top(&w->frames);
    top->has_child = false;
    tvmffi_child_release(&top->child);
  }
  return rc < 0 ? -1 : 0;
}

/* Makes the Map of the whole graph. */
static int finish_graph(graph_writer *w, const TVMFFIAny *root, const TVMFFIAny *metadata,
                        TVMFFIAny *out) {
  TVMFFIObject *graph = tvmffi_map_new_for(kTVMFFIMap, metadata->type_index != kTVMFFINone ? 3 : 2);
  TVMFFIAny index, owned = tvmffi_any_none();
  int rc = graph != NULL ? 0 : tvmffi_fail_memory();
  if (rc == 0) rc = find_node(w, root, &index) == 1 ? 0 : -1;
  if (rc == 0) rc = PUT(w, &graph, "root_index", index);
  if (rc == 0) {
    rc = PUT(w, &graph, "nodes", tvmffi_any_object(w->nodes));
    w->nodes = NULL;
  }
  if (rc == 0 && metadata->type_index != kTVMFFINone) {
    rc = TVMFFIAnyViewToOwnedAny(metadata, &owned);
    if (rc == 0) rc = PUT(w, &graph, "metadata", owned);
  }
  if (rc == 0) {
    *out = tvmffi_any_object(graph);
  } else {
    tvmffi_object_release(graph);
  }
  return rc;
}

static void fini_graph_writer(graph_writer *w) {
  size_t i;
  while (w->frames.size != 0) pop_graph(w);
  tvmffi_stack_fini(&w->frames);
  for (i = 0; i < w->texts.capacity; ++i) tvmffi_object_release(w->texts.slots[i].value.pointer);
  tvmffi_pointer_map_fini(&w->texts);
  tvmffi_walk_release_keys(&w->objects);
  tvmffi_object_release(w->indices);
  tvmffi_object_release(w->nodes);
}

int tvmffi_json_graph_write(const TVMFFIAny *value, const TVMFFIAny *metadata, TVMFFIAny *out) {
  TVMFFIAny root, index;
  graph_writer w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &root));
  tvmffi_stack_init(&w.frames, sizeof(graph_frame));
  w.indices = tvmffi_dict_new();
  w.nodes = tvmffi_array_new(0);
  rc = w.indices != NULL && w.nodes != NULL ? find_node(&w, &root, &index) : tvmffi_fail_memory();
  if (rc > 0) rc = 0;
  while (rc == 0 && w.frames.size != 0) rc = write_next(&w);
  if (rc == 0) rc = finish_graph(&w, &root, metadata, out);
  fini_graph_writer(&w);
  tvmffi_any_release(&root);
  return rc;
}

/* ---- Reading ---- */

#define GRAPH "Invalid JSON Object Graph"

/* A node whose value is being made from the values of other nodes. */
typedef struct {
  int64_t node;
  int32_t type_index;
  TVMFFIAny data;    /* owned: a node may be a Dict */
  TVMFFIObject *obj; /* the object being made, owned */
  int64_t next;      /* index of the next element of data */
  TVMFFIAny key;     /* in a map: the key that the next value belongs to */
  tvmffi_field_cursor fields;
  const TVMFFIFieldInfo *field; /* the current one */
} read_frame;

typedef struct {
  tvmffi_stack frames;
  TVMFFIObject *nodes; /* lent by the graph */
  TVMFFIAny *values;   /* of the nodes, owned */
  char *states;        /* of the nodes */
} graph_reader;

enum { kNotRead, kReading, kRead };

/* ---- Reading JSON values ---- */

static int read_int(const TVMFFIAny *value, int64_t *out) {
  if (value->type_index != kTVMFFIInt && value->type_index != kTVMFFIBool) {
    return tvmffi_any_fail_conversion(value, "int");
  }
  *out = value->v_int64;
  return 0;
}

static int read_text(const TVMFFIAny *value, TVMFFIByteArray *out) {
  return tvmffi_any_get_text(value, out) ? 0 : tvmffi_any_fail_conversion(value, "str");
}

static int read_array(const TVMFFIAny *value, TVMFFIObject **out) {
  if (value->type_index != kTVMFFIArray) return tvmffi_any_fail_conversion(value, "Array<Any>");
  *out = value->v_obj;
  return 0;
}

static int read_map(const TVMFFIAny *value, TVMFFIObject **out) {
  if (!tvmffi_is_map(value->type_index)) return tvmffi_any_fail_conversion(value, "Map<Any, Any>");
  *out = value->v_obj;
  return 0;
}

static int require_entry(TVMFFIObject *map, const char *name, const TVMFFIAny **out) {
  *out = tvmffi_map_find_text(map, name, strlen(name));
  return *out != NULL ? 0 : tvmffi_map_fail_key();
}

/* Reads an Array of integers. */
static int read_ints(const TVMFFIAny *data, TVMFFIObject **out) {
  int64_t i;
  if (data->type_index != kTVMFFIArray) return tvmffi_any_fail_conversion(data, "Array<int>");
  *out = data->v_obj;
  for (i = 0; i < tvmffi_array_size(*out); ++i) {
    const TVMFFIAny *item = &tvmffi_array_items(*out)[i];
    if (item->type_index == kTVMFFIInt || item->type_index == kTVMFFIBool) continue;
    return tvmffi_fail("TypeError",
                       "Cannot convert from type `Array[index %lld: %s]` to `Array<int>`",
                       (long long)i, tvmffi_any_type_name(item));
  }
  return 0;
}

static int read_shape(const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIObject *array;
  TVMFFI_TRY(read_ints(data, &array));
  if (tvmffi_array_size(array) > INT32_MAX) return tvmffi_fail_memory();
  return tvmffi_shape_from_args(tvmffi_array_items(array), (int32_t)tvmffi_array_size(array), out);
}

static int read_device(const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIObject *array;
  DLDevice device;
  TVMFFI_TRY(read_ints(data, &array));
  if (tvmffi_array_size(array) != 2) {
    return tvmffi_fail("ValueError",
                       GRAPH
                       ": Device data must be an array of [device_type, device_id], got %lld "
                       "element(s)",
                       (long long)tvmffi_array_size(array));
  }
  device.device_type = (DLDeviceType)tvmffi_array_items(array)[0].v_int64;
  device.device_id = (int32_t)tvmffi_array_items(array)[1].v_int64;
  *out = tvmffi_any_device(device);
  return 0;
}

static int read_dtype(const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIByteArray text;
  DLDataType dtype;
  TVMFFI_TRY(read_text(data, &text));
  TVMFFI_TRY(TVMFFIDataTypeFromString(&text, &dtype));
  *out = tvmffi_any_dtype(dtype);
  return 0;
}

static int read_float(const TVMFFIAny *data, TVMFFIAny *out) {
  switch (data->type_index) {
    case kTVMFFIFloat:
      *out = *data;
      return 0;
    case kTVMFFIInt:
    case kTVMFFIBool:
      *out = tvmffi_any_float((double)data->v_int64);
      return 0;
    default:
      return tvmffi_any_fail_conversion(data, "float");
  }
}

static int read_bool(const TVMFFIAny *data, TVMFFIAny *out) {
  if (data->type_index != kTVMFFIBool && data->type_index != kTVMFFIInt) {
    return tvmffi_any_fail_conversion(data, "bool");
  }
  *out = tvmffi_any_bool(data->v_int64 != 0);
  return 0;
}

/* Reads an integer of any size from a decimal text. */
static int json_graph_read_bigint(const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIByteArray text;
  if (tvmffi_any_get_text(data, &text)) return tvmffi_bigint_from_decimal(&text, out);
  return tvmffi_fail("TypeError", "Cannot treat type `%s` as type `str`",
                     tvmffi_any_type_name(data));
}

/* Reads a value of a type that holds no others; *out_known is false for other types. */
static int read_plain(int32_t type_index, const TVMFFIAny *data, TVMFFIAny *out, bool *out_known) {
  TVMFFIByteArray text;
  int64_t number = 0;
  *out_known = true;
  switch (type_index) {
    case kTVMFFIBool:
      return read_bool(data, out);
    case kTVMFFIInt:
      TVMFFI_TRY(read_int(data, &number));
      *out = tvmffi_any_int(number);
      return 0;
    case kTVMFFIFloat:
      return read_float(data, out);
    case kTVMFFIDataType:
      return read_dtype(data, out);
    case kTVMFFIDevice:
      return read_device(data, out);
    case kTVMFFIStr:
      TVMFFI_TRY(read_text(data, &text));
      *out = tvmffi_any_copy(data);
      return 0;
    case kTVMFFIBytes:
      TVMFFI_TRY(read_text(data, &text));
      return tvmffi_base64_decode(text.data, text.size, out);
    case kTVMFFIShape:
      return read_shape(data, out);
    case kTVMFFIBigInt:
      return json_graph_read_bigint(data, out);
    default:
      *out_known = false;
      return 0;
  }
}

/* Finds the member of an enum by its integer or text. */
static int read_enum(int32_t type_index, const TVMFFIAny *data, TVMFFIAny *out) {
  const TVMFFIAny *state = tvmffi_type_find_attr(kTvmffiAttrEnum, type_index), *found = NULL;
  TVMFFIByteArray text = {"", 0};
  int64_t number = 0;
  bool by_number = tvmffi_type_is_instance(type_index, kTvmffiIntEnum);
  TVMFFI_TRY(by_number ? read_int(data, &number) : read_text(data, &text));
  if (state != NULL && state->type_index != kTvmffiEnumState) {
    return tvmffi_fail("TypeError", "Expected `ffi.EnumState` in enum state column, but got `%s`",
                       tvmffi_any_type_name(state));
  }
  if (state != NULL) {
    TVMFFIAny key = by_number ? tvmffi_any_int(number) : *data;
    TVMFFIObject *indexes = ((const tvmffi_enum_state *)(const void *)state->v_obj)->indexes;
    if (tvmffi_map_find(indexes, &key, &found) != 0) return -1;
  }
  if (found != NULL) {
    *out = tvmffi_any_copy(found);
    return 0;
  }
  if (by_number) {
    return tvmffi_fail("ValueError", "Enum `%s` has no instance with index %lld",
                       tvmffi_type_key(type_index), (long long)number);
  }
  return tvmffi_fail("ValueError", "Enum `%s` has no instance with index %.*s",
                     tvmffi_type_key(type_index), tvmffi_shown_size(text.size), text.data);
}

/* ---- Nodes ---- */

/* Makes a container or object, still without the values of other nodes. */
static int begin_object(read_frame *top) {
  TVMFFIObject *data = NULL;
  if (tvmffi_is_sequence(top->type_index)) {
    TVMFFI_TRY(read_array(&top->data, &data));
    if (top->type_index == kTVMFFIList) {
      top->obj = tvmffi_list_new(tvmffi_array_size(data));
      return top->obj != NULL ? 0 : -1;
    }
    top->obj = tvmffi_array_new(tvmffi_array_size(data));
    return top->obj != NULL ? 0 : tvmffi_fail_memory();
  }
  if (tvmffi_is_map(top->type_index)) {
    TVMFFI_TRY(read_array(&top->data, &data));
    if (tvmffi_array_size(data) % 2 != 0) {
      return tvmffi_fail("ValueError",
                         GRAPH
                         ": Map/Dict data must contain an even number of [key, value] "
                         "entries, got %lld",
                         (long long)tvmffi_array_size(data));
    }
    top->obj = top->type_index == kTVMFFIMap ? tvmffi_map_new() : tvmffi_dict_new();
    return top->obj != NULL ? 0 : tvmffi_fail_memory();
  }
  TVMFFI_TRY(tvmffi_reflect_create(top->type_index, &top->obj));
  TVMFFI_TRY(read_map(&top->data, &data));
  tvmffi_field_first(&top->fields, &tvmffi_type_find(top->type_index)->info);
  return 0;
}

static int push_read(graph_reader *w, int64_t node, int32_t type_index, const TVMFFIAny *data) {
  read_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.FromJSONGraph", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->node = node;
  top->type_index = type_index;
  top->data = tvmffi_any_copy(data);
  w->states[node] = kReading;
  return begin_object(top);
}

/* Reads a node at once, or pushes it. */
static int begin_node(graph_reader *w, int64_t node) {
  TVMFFIAny *out = &w->values[node];
  TVMFFIByteArray key;
  TVMFFIObject *map = NULL, *hook;
  const TVMFFIAny *type, *data;
  TVMFFIAny arg;
  int32_t type_index;
  bool known;
  TVMFFI_TRY(read_map(&tvmffi_array_items(w->nodes)[node], &map));
  TVMFFI_TRY(require_entry(map, "type", &type));
  TVMFFI_TRY(read_text(type, &key));
  TVMFFI_TRY(TVMFFITypeKeyToIndex(&key, &type_index));
  w->states[node] = kRead;
  if (type_index == kTVMFFINone) return 0;
  TVMFFI_TRY(require_entry(map, "data", &data));
  TVMFFI_TRY(read_plain(type_index, data, out, &known));
  if (known) return 0;
  if (tvmffi_type_is_instance(type_index, kTvmffiEnum)) return read_enum(type_index, data, out);
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrDataFromJson, type_index, kGraphHook, &hook));
  if (hook == NULL) return push_read(w, node, type_index, data);
  arg = *data; /* the hook may change what it lies in */
  return tvmffi_walk_call("ffi.FromJSONGraph", hook, &arg, 1, out);
}

/* 1 with the value of a node, lent; 0 after pushing the node; or -1. */
static int find_node_value(graph_reader *w, const TVMFFIAny *index, const TVMFFIAny **out) {
  int64_t node = 0;
  TVMFFI_TRY(read_int(index, &node));
  if (node < 0 || node >= tvmffi_array_size(w->nodes)) {
    return tvmffi_fail("ValueError", GRAPH ": invalid node index %lld", (long long)node);
  }
  if (w->states[node] == kReading) {
    return tvmffi_fail("ValueError", GRAPH ": node %lld contains itself", (long long)node);
  }
  *out = &w->values[node];
  if (w->states[node] == kRead) return 1;
  return begin_node(w, node) == 0 ? w->states[node] == kRead : -1;
}

/* ---- Children ---- */

/* Takes the value, also on failure. */
static int append_read(read_frame *top, TVMFFIAny value) {
  int rc = top->type_index == kTVMFFIList
               ? tvmffi_list_append(top->obj, &value)
               : (tvmffi_array_append(&top->obj, &value) == 0 ? 0 : tvmffi_fail_memory());
  if (rc != 0) tvmffi_any_release(&value);
  return rc;
}

/*
 * Reads the next element of a container's data, or pushes its node; *out_done at the end. 0 or -1.
 */
static int read_element(graph_reader *w, read_frame *top, bool *out_done) {
  TVMFFIObject *data = top->data.v_obj;
  const TVMFFIAny *value;
  TVMFFIAny copy;
  int rc;
  *out_done = top->next >= tvmffi_array_size(data);
  if (*out_done) return 0;
  rc = find_node_value(w, &tvmffi_array_items(data)[top->next], &value);
  if (rc != 1) return rc;
  ++top->next;
  if (tvmffi_is_sequence(top->type_index)) return append_read(top, tvmffi_any_copy(value));
  if (top->next % 2 != 0) {
    top->key = tvmffi_any_copy(value);
    return 0;
  }
  copy = tvmffi_any_copy(value);
  rc = tvmffi_map_put(&top->obj, &top->key, &copy);
  top->key = tvmffi_any_none();
  return rc;
}

static int set_inline(const read_frame *top, const TVMFFIAny *data) {
  TVMFFIAny value;
  bool known;
  TVMFFI_TRY(read_plain(top->field->field_static_type_index, data, &value, &known));
  if (!known) value = *data;
  return tvmffi_field_set(top->field, top->obj, &value);
}

/* Sets the next field of an object, or pushes the field's node; *out_done at the end. 0 or -1. */
static int read_field(graph_reader *w, read_frame *top, bool *out_done) {
  const TVMFFIAny *data, *value;
  int rc;
  if (top->field == NULL) top->field = tvmffi_field_next(&top->fields);
  *out_done = top->field == NULL;
  if (*out_done) return 0;
  data = tvmffi_map_find_text(top->data.v_obj, top->field->name.data, top->field->name.size);
  if (data == NULL) {
    if (!(top->field->flags & kTVMFFIFieldFlagBitMaskHasDefault)) {
      return tvmffi_fail("TypeError", "Required field `%s` not set in type `%s`",
                         top->field->name.data, tvmffi_type_key(top->type_index));
    }
    rc = tvmffi_field_set_default(top->field, top->obj);
  } else if (json_graph_is_inline(top->field)) {
    rc = set_inline(top, data);
  } else {
    rc = find_node_value(w, data, &value);
    if (rc != 1) return rc;
    rc = tvmffi_field_set(top->field, top->obj, value);
  }
  top->field = NULL;
  return rc;
}

static void pop_read(graph_reader *w) {
  read_frame *top = tvmffi_stack_top(&w->frames);
  read_frame last = *top;
  tvmffi_stack_pop(&w->frames);
  tvmffi_any_release(&last.data);
  tvmffi_any_release(&last.key);
  tvmffi_object_release(last.obj);
}

static int read_next(graph_reader *w) {
  read_frame *top = tvmffi_stack_top(&w->frames);
  bool has_elements = tvmffi_is_sequence(top->type_index) || tvmffi_is_map(top->type_index), done;
  TVMFFI_TRY(has_elements ? read_element(w, top, &done) : read_field(w, top, &done));
  if (!done) return 0;
  w->values[top->node] = tvmffi_any_object(top->obj);
  w->states[top->node] = kRead;
  top->obj = NULL;
  pop_read(w);
  return 0;
}

/* ---- Entry points ---- */

static int find_parts(const TVMFFIAny *graph, const TVMFFIAny **out_root,
                      TVMFFIObject **out_nodes) {
  const TVMFFIAny *nodes;
  if (graph->type_index != kTVMFFIMap) {
    return tvmffi_fail("ValueError", GRAPH ", expected an object");
  }
  *out_root = tvmffi_map_find_text(graph->v_obj, "root_index", sizeof "root_index" - 1);
  if (*out_root == NULL || (*out_root)->type_index != kTVMFFIInt) {
    return tvmffi_fail("ValueError", GRAPH ", expected `root_index` integer field");
  }
  nodes = tvmffi_map_find_text(graph->v_obj, "nodes", sizeof "nodes" - 1);
  if (nodes == NULL || nodes->type_index != kTVMFFIArray) {
    return tvmffi_fail("ValueError", GRAPH ", expected `nodes` array field");
  }
  *out_nodes = nodes->v_obj;
  return 0;
}

static int read_all(graph_reader *w, const TVMFFIAny *root, TVMFFIAny *out) {
  const TVMFFIAny *value;
  int rc = find_node_value(w, root, &value);
  if (rc < 0) return -1;
  while (w->frames.size != 0) TVMFFI_TRY(read_next(w));
  *out = tvmffi_any_copy(value);
  return 0;
}

int tvmffi_json_graph_read(const TVMFFIAny *graph, TVMFFIAny *out) {
  const TVMFFIAny *root;
  TVMFFIAny kept;
  size_t i, count;
  graph_reader w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(find_parts(graph, &root, &w.nodes));
  count = (size_t)tvmffi_array_size(w.nodes);
  w.values = tvmffi_alloc_zeroed(count, sizeof *w.values + 1); /* None, kNotRead */
  if (w.values == NULL) return tvmffi_fail_memory();
  w.states = (char *)(w.values + count);
  tvmffi_stack_init(&w.frames, sizeof(read_frame));
  kept = tvmffi_any_copy(graph); /* hooks and setters may release the graph */
  rc = read_all(&w, root, out);
  while (w.frames.size != 0) pop_read(&w);
  tvmffi_stack_fini(&w.frames);
  for (i = count; i-- > 0;) tvmffi_any_release(&w.values[i]);
  tvmffi_free(w.values);
  tvmffi_any_release(&kept);
  return rc;
}

/* ---- Functions and attributes ---- */

static int to_graph(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_json_graph_write(&args[0], &args[1], result);
}

static int from_graph(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_json_graph_read(&args[0], result);
}

static int to_text(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny graph;
  int rc;
  TVMFFI_TRY(tvmffi_json_graph_write(&args[0], &args[1], &graph));
  rc = tvmffi_json_write(&graph, 0, 0, result);
  tvmffi_any_release(&graph);
  return rc;
}

static int from_text(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray text = tvmffi_builtin_text(&args[0]);
  TVMFFIAny graph;
  int rc;
  TVMFFI_TRY(tvmffi_json_parse(text.data, text.size, &graph));
  rc = tvmffi_json_graph_read(&graph, result);
  tvmffi_any_release(&graph);
  return rc;
}

#define FUNCTIONS(F)                          \
  F("ffi.ToJSONGraph", "aa>a", to_graph)      \
  F("ffi.ToJSONGraphString", "aa>s", to_text) \
  F("ffi.FromJSONGraph", "a>a", from_graph)   \
  F("ffi.FromJSONGraphString", "s>a", from_text)

TVMFFI_BUILTIN_GROUP(tvmffi_json_graph_builtins, FUNCTIONS);

/* ---- ffi.BigInt ---- */

static int bigint_to_json(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.BigInt) -> str", 1, 1, args, num_args));
  return bigint_to_text(&args[0], result);
}

static int bigint_from_json(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: Any) -> BigInt", 1, 0, args, num_args));
  return json_graph_read_bigint(&args[0], result);
}

static const tvmffi_builtin_attr kGraphAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrDataToJson, false, bigint_to_json, NULL},
    {kTVMFFIBigInt, kTvmffiAttrDataFromJson, false, bigint_from_json, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_json_graph_attrs, kGraphAttrs);
