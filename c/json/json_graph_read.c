/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/type.h"
#include "json/json.h"
#include "json/json_graph.h"
#include "reflect/fields.h"
#include "reflect/objects.h"
#include "reflect/walk.h"

static const char kHook[] = "(0: AnyView) -> Any";

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
} frame;

typedef struct {
  tvmffi_stack frames;
  TVMFFIObject *nodes; /* lent by the graph */
  TVMFFIAny *values;   /* of the nodes, owned */
  char *states;        /* of the nodes */
} walk;

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
  return *out != NULL ? 0 : tvmffi_fail("KeyError", "key is not in Map");
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
  TVMFFI_TRY(read_ints(data, &array));
  if (tvmffi_array_size(array) != 2) {
    return tvmffi_fail("ValueError",
                       GRAPH
                       ": Device data must be an array of [device_type, device_id], got %lld "
                       "element(s)",
                       (long long)tvmffi_array_size(array));
  }
  *out = tvmffi_any_int(0);
  out->type_index = kTVMFFIDevice;
  out->v_device.device_type = (DLDeviceType)tvmffi_array_items(array)[0].v_int64;
  out->v_device.device_id = (int32_t)tvmffi_array_items(array)[1].v_int64;
  return 0;
}

static int read_dtype(const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIByteArray text;
  DLDataType dtype;
  TVMFFI_TRY(read_text(data, &text));
  TVMFFI_TRY(TVMFFIDataTypeFromString(&text, &dtype));
  *out = tvmffi_any_int(0);
  out->type_index = kTVMFFIDataType;
  out->v_dtype = dtype;
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

int tvmffi_json_graph_read_bigint(const TVMFFIAny *data, TVMFFIAny *out) {
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
      return tvmffi_json_graph_read_bigint(data, out);
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
                     tvmffi_type_key(type_index), (int)text.size, text.data);
}

/* ---- Nodes ---- */

static int fail_index(int64_t node) {
  return tvmffi_fail("ValueError", GRAPH ": invalid node index %lld", (long long)node);
}

/* Makes a container or object, still without the values of other nodes. */
static int begin_object(frame *top) {
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

static int push(walk *w, int64_t node, int32_t type_index, const TVMFFIAny *data) {
  frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("ffi.FromJSONGraph", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->node = node;
  top->type_index = type_index;
  top->data = tvmffi_any_copy(data);
  w->states[node] = kReading;
  return begin_object(top);
}

static int call_hook(TVMFFIObject *hook, const TVMFFIAny *data, TVMFFIAny *out) {
  TVMFFIAny arg = *data;
  return tvmffi_walk_call("ffi.FromJSONGraph", hook, &arg, 1, out);
}

/* Reads a node at once, or pushes it. */
static int begin(walk *w, int64_t node) {
  TVMFFIAny *out = &w->values[node];
  TVMFFIByteArray key;
  TVMFFIObject *map = NULL, *hook;
  const TVMFFIAny *type, *data;
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
  TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrDataFromJson, type_index, kHook, &hook));
  if (hook != NULL) return call_hook(hook, data, out);
  return push(w, node, type_index, data);
}

/* 1 with the value of a node, lent; 0 after pushing the node; or -1. */
static int find_value(walk *w, const TVMFFIAny *index, const TVMFFIAny **out) {
  int64_t node = 0;
  TVMFFI_TRY(read_int(index, &node));
  if (node < 0 || node >= tvmffi_array_size(w->nodes)) return fail_index(node);
  if (w->states[node] == kReading) {
    return tvmffi_fail("ValueError", GRAPH ": node %lld contains itself", (long long)node);
  }
  *out = &w->values[node];
  if (w->states[node] == kRead) return 1;
  return begin(w, node) == 0 ? w->states[node] == kRead : -1;
}

/* ---- Children ---- */

/* Takes the value, also on failure. */
static int append(frame *top, TVMFFIAny value) {
  int rc = top->type_index == kTVMFFIList
               ? tvmffi_list_append(top->obj, &value)
               : (tvmffi_array_append(&top->obj, &value) == 0 ? 0 : tvmffi_fail_memory());
  if (rc != 0) tvmffi_any_release(&value);
  return rc;
}

static int insert(frame *top, TVMFFIAny value) {
  int rc = tvmffi_map_insert(&top->obj, &top->key, &value);
  if (rc == 0) {
    top->key = tvmffi_any_none();
    return 0;
  }
  tvmffi_any_release(&value);
  return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
}

/*
 * Reads the next element of a container's data, or pushes its node; *out_done at the end. 0 or -1.
 */
static int read_element(walk *w, frame *top, bool *out_done) {
  TVMFFIObject *data = top->data.v_obj;
  const TVMFFIAny *value;
  int rc;
  *out_done = top->next >= tvmffi_array_size(data);
  if (*out_done) return 0;
  rc = find_value(w, &tvmffi_array_items(data)[top->next], &value);
  if (rc != 1) return rc;
  ++top->next;
  if (tvmffi_is_sequence(top->type_index)) return append(top, tvmffi_any_copy(value));
  if (top->next % 2 == 0) return insert(top, tvmffi_any_copy(value));
  top->key = tvmffi_any_copy(value);
  return 0;
}

static int set_inline(const frame *top, const TVMFFIAny *data) {
  TVMFFIAny value;
  bool known;
  TVMFFI_TRY(read_plain(top->field->field_static_type_index, data, &value, &known));
  if (!known) value = *data;
  return tvmffi_field_set(top->field, top->obj, &value);
}

/* Sets the next field of an object, or pushes the field's node; *out_done at the end. 0 or -1. */
static int read_field(walk *w, frame *top, bool *out_done) {
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
  } else if (tvmffi_json_graph_is_inline(top->field)) {
    rc = set_inline(top, data);
  } else {
    rc = find_value(w, data, &value);
    if (rc != 1) return rc;
    rc = tvmffi_field_set(top->field, top->obj, value);
  }
  top->field = NULL;
  return rc;
}

static void pop(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  frame last = *top;
  tvmffi_stack_pop(&w->frames);
  tvmffi_any_release(&last.data);
  tvmffi_any_release(&last.key);
  tvmffi_object_release(last.obj);
}

static int read_next(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  bool has_elements = tvmffi_is_sequence(top->type_index) || tvmffi_is_map(top->type_index), done;
  TVMFFI_TRY(has_elements ? read_element(w, top, &done) : read_field(w, top, &done));
  if (!done) return 0;
  w->values[top->node] = tvmffi_any_object(top->obj);
  w->states[top->node] = kRead;
  top->obj = NULL;
  pop(w);
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

static int read_all(walk *w, const TVMFFIAny *root, TVMFFIAny *out) {
  const TVMFFIAny *value;
  int rc = find_value(w, root, &value);
  if (rc < 0) return -1;
  while (w->frames.size != 0) TVMFFI_TRY(read_next(w));
  *out = tvmffi_any_copy(value);
  return 0;
}

int tvmffi_json_graph_read(const TVMFFIAny *graph, TVMFFIAny *out) {
  const TVMFFIAny *root;
  TVMFFIAny kept;
  size_t i, count, bytes;
  walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(find_parts(graph, &root, &w.nodes));
  count = (size_t)tvmffi_array_size(w.nodes);
  if (!tvmffi_checked_mul_size(count, sizeof *w.values + 1, &bytes) ||
      (w.values = tvmffi_alloc(bytes)) == NULL) {
    return tvmffi_fail_memory();
  }
  memset(w.values, 0, bytes); /* None, kNotRead */
  w.states = (char *)(w.values + count);
  tvmffi_stack_init(&w.frames, sizeof(frame));
  kept = tvmffi_any_copy(graph); /* hooks and setters may release the graph */
  rc = read_all(&w, root, out);
  while (w.frames.size != 0) pop(&w);
  tvmffi_stack_fini(&w.frames);
  for (i = count; i-- > 0;) tvmffi_any_release(&w.values[i]);
  tvmffi_free(w.values);
  tvmffi_any_release(&kept);
  return rc;
}
