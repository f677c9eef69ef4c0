/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/string_object.h"
#include "core/type.h"
#include "json/json.h"
#include "json/json_graph.h"
#include "platform/atomic.h"
#include "reflect/objects.h"
#include "reflect/walk.h"

static const char kHook[] = "(0: AnyView) -> Any";

/* A container or object whose children become nodes before it does. */
typedef struct {
  TVMFFIAny value; /* owned */
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  bool has_child;
  bool has_key;       /* in a map: the key of the child has been added */
  TVMFFIObject *data; /* Array of node numbers, or Map from fields to values or node numbers */
} frame;

/* The state of an object: kFirstNode + n means that its node has number n. */
enum { kNew, kOnWay /* has a frame */, kOffWay, kFirstNode };

typedef struct {
  tvmffi_stack frames;
  tvmffi_pointer_map objects; /* from objects to states; owned, so that no address is reused */
  tvmffi_pointer_map texts;   /* from the addresses of type and field names to Strings */
  TVMFFIObject *indices;      /* Dict from values that may equal others to their node numbers */
  TVMFFIObject *nodes;        /* Array */
} walk;

bool tvmffi_json_graph_is_inline(const TVMFFIFieldInfo *field) {
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
static int append(TVMFFIObject **array, TVMFFIAny value) {
  if (tvmffi_array_append(array, &value) == 0) return 0;
  tvmffi_any_release(&value);
  return tvmffi_fail_memory();
}

/* The name of a type or a field. A name too long for a small string is one String for all nodes. */
static int name_to_any(walk *w, const char *name, size_t size, TVMFFIAny *out) {
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
static int put(walk *w, TVMFFIObject **map, const char *name, size_t size, TVMFFIAny value) {
  TVMFFIAny key;
  int rc = name_to_any(w, name, size, &key);
  if (rc == 0 && tvmffi_map_insert(map, &key, &value) == 0) return 0;
  if (rc == 0) {
    tvmffi_any_release(&key);
    tvmffi_error_raise_memory(); /* text keys run no foreign code, so memory ran out */
  }
  tvmffi_any_release(&value);
  return -1;
}

#define PUT(w, map, name, value) put(w, map, name, sizeof(name) - 1, value)

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
static uint64_t *state_of(walk *w, TVMFFIObject *obj) {
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
static int set_index(walk *w, const TVMFFIAny *value, int64_t number) {
  TVMFFIAny key, index = tvmffi_any_int(number);
  int rc;
  if (is_itself_only(value)) {
    uint64_t *state = state_of(w, value->v_obj);
    if (state == NULL) return -1;
    *state = kFirstNode + (uint64_t)number;
    return 0;
  }
  key = tvmffi_any_copy(value);
  rc = tvmffi_map_insert(&w->indices, &key, &index);
  if (rc == 0) return 0;
  tvmffi_any_release(&key);
  return rc == kTvmffiRaised ? -1 : tvmffi_fail_memory();
}

/* 1 and the number of a value's node, 0 when it has none yet, or -1. */
static int get_index(walk *w, const TVMFFIAny *value, TVMFFIAny *out) {
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
static int add_node(walk *w, const TVMFFIAny *value, const char *type, TVMFFIAny *data) {
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
  TVMFFI_TRY(append(&w->nodes, tvmffi_any_object(node)));
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

static int call_hook(TVMFFIObject *hook, const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIAny arg = *value;
  return tvmffi_walk_call("ffi.ToJSONGraph", hook, &arg, 1, out);
}

/* 1 after adding a node for a value that holds no others, 0 for other values, or -1. */
static int add_plain(walk *w, const TVMFFIAny *value) {
  const char *type = tvmffi_type_key(value->type_index);
  TVMFFIAny data = *value;
  TVMFFIByteArray content;
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
      content = value->type_index == kTVMFFIBytes ? *TVMFFIBytesGetByteArrayPtr(value->v_obj)
                                                  : TVMFFISmallBytesGetContentByteArray(value);
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
      TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrDataToJson, value->type_index, kHook, &hook));
      if (hook == NULL) return 0;
      rc = call_hook(hook, value, &data);
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

static int push(walk *w, const TVMFFIAny *value) {
  bool has_nodes = tvmffi_is_sequence(value->type_index) || tvmffi_is_map(value->type_index);
  uint64_t *state = state_of(w, value->v_obj);
  frame *top;
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

static void pop(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  frame last = *top;
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_find(&w->objects, last.value.v_obj);
  if (entry->value.number == kOnWay) entry->value.number = kOffWay;
  tvmffi_stack_pop(&w->frames);
  if (last.has_child) tvmffi_child_release(&last.child);
  tvmffi_object_release(last.data);
  tvmffi_any_release(&last.value);
}

/* 1 and the number of a value's node, 0 after pushing the value, or -1. */
static int find_node(walk *w, const TVMFFIAny *value, TVMFFIAny *out) {
  int rc = get_index(w, value, out);
  if (rc != 0) return rc;
  rc = add_plain(w, value);
  if (rc == 0) return push(w, value) == 0 ? 0 : -1;
  if (rc > 0) *out = tvmffi_any_int(tvmffi_array_size(w->nodes) - 1);
  return rc;
}

static int put_inline(walk *w, frame *top) {
  const TVMFFIAny *value = &top->child.value;
  const TVMFFIByteArray *name = &top->child.field->name;
  TVMFFIAny data = *value;
  if (value->type_index == kTVMFFIDataType) {
    TVMFFI_TRY(TVMFFIDataTypeToString(&value->v_dtype, &data));
  } else if (value->type_index >= kTVMFFIStaticObjectBegin) {
    data = tvmffi_any_copy(value);
  }
  return put(w, &top->data, name->data, name->size, data);
}

/* Adds the current child to the data: 1, 0 if something was pushed or only the key added, or -1. */
static int enter_child(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny index, value = top->child.value;
  bool is_key = tvmffi_is_map(top->value.type_index) && !top->has_key;
  int rc;
  if (top->child.field != NULL && tvmffi_json_graph_is_inline(top->child.field)) {
    return put_inline(w, top) == 0 ? 1 : -1;
  }
  if (is_key) value = top->child.key;
  rc = find_node(w, &value, &index);
  if (rc != 1) return rc;
  if (top->child.field != NULL) {
    const TVMFFIByteArray *name = &top->child.field->name;
    return put(w, &top->data, name->data, name->size, index) == 0 ? 1 : -1;
  }
  if (append(&top->data, index) != 0) return -1;
  top->has_key = is_key;
  return is_key ? 0 : 1;
}

static int write_next(walk *w) {
  frame *top = tvmffi_stack_top(&w->frames);
  int rc;
  if (!top->has_child) {
    rc = tvmffi_child_next(&top->cursor, &top->child);
    if (rc < 0) return -1;
    if (rc == 0) {
      TVMFFIAny data = tvmffi_any_object(top->data);
      top->data = NULL;
      TVMFFI_TRY(add_node(w, &top->value, tvmffi_type_key(top->value.type_index), &data));
      pop(w);
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
static int finish(walk *w, const TVMFFIAny *root, const TVMFFIAny *metadata, TVMFFIAny *out) {
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

static void fini(walk *w) {
  size_t i;
  while (w->frames.size != 0) pop(w);
  tvmffi_stack_fini(&w->frames);
  for (i = 0; i < w->texts.capacity; ++i) tvmffi_object_release(w->texts.slots[i].value.pointer);
  tvmffi_pointer_map_fini(&w->texts);
  for (i = 0; i < w->objects.capacity; ++i) {
    if (w->objects.slots[i].value.number != kNew) {
      tvmffi_object_release((TVMFFIObject *)(uintptr_t)w->objects.slots[i].key);
    }
  }
  tvmffi_pointer_map_fini(&w->objects);
  tvmffi_object_release(w->indices);
  tvmffi_object_release(w->nodes);
}

int tvmffi_json_graph_write(const TVMFFIAny *value, const TVMFFIAny *metadata, TVMFFIAny *out) {
  TVMFFIAny root, index;
  walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(value, &root));
  tvmffi_stack_init(&w.frames, sizeof(frame));
  w.indices = tvmffi_dict_new();
  w.nodes = tvmffi_array_new(0);
  rc = w.indices != NULL && w.nodes != NULL ? find_node(&w, &root, &index) : tvmffi_fail_memory();
  if (rc > 0) rc = 0;
  while (rc == 0 && w.frames.size != 0) rc = write_next(&w);
  if (rc == 0) rc = finish(&w, &root, metadata, out);
  fini(&w);
  tvmffi_any_release(&root);
  return rc;
}
