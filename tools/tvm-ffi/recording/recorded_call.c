/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a call as they were recorded, and its values made again, or why they cannot be. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/utf8.h"
#include "recording/recorded_value.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Tensors, as they were recorded ---- */

typedef struct {
  const recording *r;
  call_tensors *out;
  size_t max_tensors;
  bool is_result, is_swapped;
  bool has_after; /* else the call did not end */
  text_buf path;
} tensor_reader;

static recorded_elements find_elements(const tensor_reader *reader, const described_tensor *t,
                                       const tensor_facts *facts, const recorded_storage *s) {
  const bool is_packed =
      tvm_ffi_dtype_get_bits(facts->dtype) % 8 == 0 || tvm_ffi_tensor_is_contiguous(&t->view);
  recorded_elements found = {NULL, NULL};
  if (s->bytes == NULL) {
    found.missing = s->left_out;
  } else if (reader->is_swapped) {
    found.missing = "its bytes are in the order of another kind of machine";
  } else if (!is_packed) {
    found.missing = "its elements are not whole bytes and are not contiguous";
  } else {
    found.first = s->bytes + facts->offset;
  }
  return found;
}

/* Both moments of a tensor with a storage. */
static void find_moments(const tensor_reader *reader, const tensor_facts *facts,
                         described_tensor *t) {
  const call_tensors *all = reader->out;
  const size_t at = facts->storage;
  const char *old = at < all->num_before ? all->before[at].data : NULL;
  const char *now = reader->has_after ? all->after[at].data : NULL;
  t->is_changed = old == NULL || now == NULL || strcmp(old, now) != 0;
  if (at < all->num_before) t->before = find_elements(reader, t, facts, &all->before[at]);
  if (!reader->has_after) return;
  t->after = t->is_changed ? find_elements(reader, t, facts, &all->after[at]) : t->before;
}

static void describe_tensor(tensor_reader *reader, const TVMFFIAny *json, bool is_dltensor) {
  const TVMFFIAny left_out = recorded_look(reader->r, json, "left_out");
  call_tensors *all = reader->out;
  const recorded_storage *storages = reader->is_result ? all->after : all->before;
  const size_t count = reader->is_result ? all->num_after : all->num_before;
  described_tensor *t;
  tensor_facts facts;
  int64_t packed = 1;
  int32_t i;
  if (all->size == reader->max_tensors) {
    ++all->num_more;
    return;
  }
  if (tensor_facts_read(reader->r, json, storages, count, &facts) != NULL) return;
  all->items = tool_grow(all->items, all->size, sizeof *all->items);
  t = &all->items[all->size++];
  memset(t, 0, sizeof *t);
  t->name = tool_copy(reader->path.data, reader->path.size);
  t->is_dltensor = is_dltensor;
  t->is_read_only = facts.is_read_only;
  t->is_result = reader->is_result;
  t->left_out = recorded_copy_text(&left_out);
  t->extents = tool_alloc((2 * (size_t)facts.ndim + 1) * sizeof *t->extents);
  t->view = tensor_facts_view(&facts);
  t->view.byte_offset = (uint64_t)facts.byte_offset;
  t->view.shape = t->extents;
  t->view.strides = t->extents + facts.ndim;
  for (i = facts.ndim - 1; i >= 0; --i) {
    t->view.shape[i] = facts.shape[i];
    t->view.strides[i] = facts.has_strides ? facts.strides[i] : packed;
    packed = (int64_t)((uint64_t)packed * (uint64_t)facts.shape[i]);
  }
  if (facts.storage != SIZE_MAX) {
    find_moments(reader, &facts, t);
    return;
  }
  t->before.missing = facts.is_left_out ? "it was left out" : "it has no elements, or no memory";
  if (reader->is_result) t->after.missing = t->before.missing;
}

static void describe_tensors(tensor_reader *reader, const TVMFFIAny *json);

static void describe_item(tensor_reader *reader, const TVMFFIAny *json, const char *format, ...)
    TOOL_PRINTF(3, 4);

/* An item within the value whose path it is. */
static void describe_item(tensor_reader *reader, const TVMFFIAny *json, const char *format, ...) {
  const size_t size = reader->path.size;
  va_list values;
  va_start(values, format);
  text_add_list(&reader->path, format, values);
  va_end(values);
  describe_tensors(reader, json);
  text_cut(&reader->path, size);
}

static bool describe_field(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  enum { kMaxField = 64 }; /* bytes: a path repeats it for each tensor in the field */
  TVMFFIByteArray name;
  if (!tvm_ffi_any_try_string(key, &name)) return false;
  if (name.size > kMaxField) name.size = tvmffi_utf8_cut(name.data, kMaxField);
  describe_item(context, value, ".%.*s", tvmffi_shown_size(name.size), name.data);
  return true;
}

/* Values were checked when the recording was opened, so they are not nested too deeply. */
static void describe_tensors(tensor_reader *reader, const TVMFFIAny *json) {
  TVMFFIAny content, fields;
  value_form form;
  size_t i;
  if (!recorded_read_form(reader->r, json, &form, &content)) return;
  switch (form) {
    case kRecordedTensor:
    case kRecordedDLTensor:
      describe_tensor(reader, &content, form == kRecordedDLTensor);
      break;
    case kRecordedArray:
    case kRecordedList:
      for (i = 0; i < recorded_count_items(&content); ++i) {
        describe_item(reader, recorded_item_at(&content, i), "[%zu]", i);
      }
      break;
    case kRecordedMap:
    case kRecordedDict:
      for (i = 0; i < 2 * recorded_count_items(&content); ++i) {
        describe_item(reader, recorded_item_at(recorded_item_at(&content, i / 2), i % 2), "[%zu]",
                      i / 2);
      }
      break;
    case kRecordedObject:
      fields = recorded_look(reader->r, json, "fields");
      if (recorded_is_map(&fields)) (void)value_visit_map(&fields, describe_field, reader);
      break;
    case kRecordedRvalue:
      describe_tensors(reader, &content);
      break;
    default:
      break;
  }
}

/* Reads the bytes of storages, but of those that have the same bytes in `others`. */
static void load_as_allowed(const recording *r, const recorded_call *c, recorded_storage *storages,
                            size_t count, const recorded_storage *others, size_t num_others,
                            uint64_t *max_bytes, bool *is_damaged) {
  size_t i;
  for (i = 0; i < count; ++i) {
    recorded_storage *s = &storages[i];
    const char *why = "its file is missing or damaged";
    if (s->data == NULL) continue;
    if (i < num_others && others[i].data != NULL && strcmp(s->data, others[i].data) == 0) continue;
    if (s->size > *max_bytes) {
      why = "as many bytes were read as the page may read";
    } else {
      *max_bytes -= s->size;
      if (recorded_storage_load(r, c, s)) continue;
      *is_damaged = true;
    }
    free(s->left_out);
    s->left_out = tool_copy(why, strlen(why));
  }
}

void recording_read_tensors(const recording *r, const recorded_call *c, size_t max_tensors,
                            uint64_t *max_bytes, call_tensors *out) {
  TVMFFIAny before, after, args, result;
  tensor_reader reader;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!recorded_parse_call(r, c, &before, &after)) {
    TVMFFIErrorSetRaised(NULL);
    return;
  }
  memset(&reader, 0, sizeof reader);
  reader.r = r;
  reader.out = out;
  reader.max_tensors = max_tensors;
  reader.is_swapped = r->files[c->before.file].is_swapped;
  reader.has_after = recorded_is_map(&after);
  (void)recorded_storages_read(r, &before, NULL, &out->before, &out->num_before);
  load_as_allowed(r, c, out->before, out->num_before, NULL, 0, max_bytes, &out->is_damaged);
  if (reader.has_after) {
    (void)recorded_storages_read(r, &before, &after, &out->after, &out->num_after);
    load_as_allowed(r, c, out->after, out->num_after, out->before, out->num_before, max_bytes,
                    &out->is_damaged);
  }
  args = recorded_look(r, &before, "args");
  for (i = 0; i < recorded_count_items(&args); ++i) {
    describe_item(&reader, recorded_item_at(&args, i), "arg[%zu]", i);
  }
  if (c->end == kCallReturned) {
    result = recorded_look(r, &after, "result");
    reader.is_result = true;
    describe_item(&reader, &result, "result");
  }
  text_free(&reader.path);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
}

void call_tensors_free(call_tensors *tensors) {
  size_t i;
  for (i = 0; i < tensors->size; ++i) {
    free(tensors->items[i].name);
    free(tensors->items[i].extents);
    free(tensors->items[i].left_out);
  }
  free(tensors->items);
  recorded_storages_free(tensors->before, tensors->num_before);
  recorded_storages_free(tensors->after, tensors->num_after);
  memset(tensors, 0, sizeof *tensors);
}

/* ---- Making values ---- */

/* What values have that were made, to be released. */
struct recorded_objects {
  TVMFFIAny *owned; /* objects, small texts */
  size_t num_owned;
  TVMFFIObjectHandle **slots; /* of kTVMFFIObjectRValueRef */
  size_t num_slots;
  void **blocks; /* of malloc(), for raw texts */
  size_t num_blocks;
};

typedef struct {
  const recording *r;
  recorded_moment when;
  DLDevice device;
  call_values *out;
  struct recorded_objects *objects;
  TVMFFIAny *by_id; /* views; None: not made yet */
  size_t num_ids;
  TVMFFIObjectHandle *on_device; /* of each storage a copy; NULL */
  storage **first;               /* of each storage the first tensor; NULL */
  uint64_t *extra;               /* bytes before each storage, for byte_offset */
  text_buf path;
  text_buf *why;
} maker;

static bool cannot(maker *m, const char *format, ...) TOOL_PRINTF(2, 3);

static bool cannot(maker *m, const char *format, ...) {
  va_list values;
  if (m->why == NULL) return false;
  text_add(m->why, "%s ", m->path.data);
  va_start(values, format);
  text_add_list(m->why, format, values);
  va_end(values);
  return false;
}

static bool cannot_raised(maker *m) {
  char *message = runtime_error_take_message();
  cannot(m, "cannot be made: %s", message);
  free(message);
  return false;
}

static void *keep_block(maker *m, void *block) {
  struct recorded_objects *o = m->objects;
  o->blocks = tool_grow(o->blocks, o->num_blocks, sizeof *o->blocks);
  return o->blocks[o->num_blocks++] = block;
}

/* Takes a value, and returns a view of it. */
static TVMFFIAny keep(maker *m, TVMFFIAny value) {
  struct recorded_objects *o = m->objects;
  o->owned = tool_grow(o->owned, o->num_owned, sizeof *o->owned);
  return o->owned[o->num_owned++] = value;
}

/* Gives an object its id, by which values after it refer to it. */
static void note_id(maker *m, const TVMFFIAny *id, TVMFFIAny value) {
  int64_t index;
  if (!recorded_read_int_between(id, 0, kMaxValues - 1, &index)) return;
  while (m->num_ids <= (size_t)index) {
    m->by_id = tool_grow(m->by_id, m->num_ids, sizeof *m->by_id);
    m->by_id[m->num_ids++] = tvm_ffi_any_none();
  }
  m->by_id[index] = value;
}

/* Passes what was made, which it takes. */
static bool pass(maker *m, TVMFFIAny made, const TVMFFIAny *id, TVMFFIAny *out) {
  *out = keep(m, made);
  note_id(m, id, *out);
  return true;
}

/* ---- Tensors ---- */

static bool is_host(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLROCMHost;
}

/* Lays a tensor out in memory of its storage. */
static storage *make_storage(maker *m, tensor_facts *facts, recorded_storage *memory) {
  enum { kPage = 4096 };
  const size_t at = facts->storage;
  layout how = kLayoutPacked;
  DLTensor view = tensor_facts_view(facts);
  size_t down, up;
  storage *made;
  how.strides = facts->has_strides ? facts->strides : NULL;
  how.byte_offset = (size_t)facts->byte_offset;
  how.is_read_only = facts->is_read_only;
  how.device = facts->device;
  if (m->first[at] != NULL) {
    return storage_share(
        m->first[at], facts->dtype, facts->shape, facts->ndim,
        facts->offset + (int64_t)m->extra[at] -
            ((char *)tvm_ffi_tensor_get_data(&m->first[at]->tensor) - m->first[at]->block->begin),
        &how);
  }
  if (!tensor_measure(&view, &down, &up)) return NULL;
  how.before = (size_t)facts->offset - down + (size_t)m->extra[at];
  how.behind = (size_t)(memory->size - (uint64_t)facts->offset) - up;
  how.has_own_pages = true;
  how.misaligned = (size_t)((memory->address - m->extra[at] - kMemoryAlignment) % kPage);
  made = storage_new(facts->dtype, facts->shape, facts->ndim, &how);
  if (made == NULL) return NULL;
  m->first[at] = made;
  if (memory->bytes != NULL) {
    memcpy(made->block->begin + m->extra[at], memory->bytes, (size_t)memory->size);
  }
  return made;
}

/* One without elements, or without memory. */
static storage *make_empty(tensor_facts *facts) {
  layout how = kLayoutPacked;
  DLTensor view = tensor_facts_view(facts);
  storage *made;
  how.strides = facts->has_strides ? facts->strides : NULL;
  how.byte_offset = (size_t)facts->byte_offset;
  how.is_read_only = facts->is_read_only;
  how.device = facts->device;
  how.has_no_memory = tvm_ffi_tensor_get_numel(&view) != 0;
  made = storage_new(facts->dtype, facts->shape, facts->ndim, &how);
  if (made != NULL && facts->address == 0) made->tensor.data = NULL;
  return made;
}

static recorded_tensor *add_made(maker *m, storage *stored, const tensor_facts *facts) {
  call_values *out = m->out;
  recorded_tensor *t;
  out->tensors = tool_grow(out->tensors, out->num_tensors, sizeof *out->tensors);
  t = &out->tensors[out->num_tensors++];
  memset(t, 0, sizeof *t);
  t->name = tool_copy(m->path.data, m->path.size);
  t->tensor = &stored->tensor;
  t->stored = stored;
  t->storage = facts->storage;
  t->offset = facts->offset;
  t->has_data = facts->storage == SIZE_MAX || out->storages[facts->storage].data != NULL;
  return t;
}

/* Makes what is passed: the object, or for a DLTensor * its address. */
static bool pass_tensor(maker *m, recorded_tensor *t, const TVMFFIAny *id, TVMFFIAny *out) {
  const bool moves = !is_host(t->tensor->device) && m->device.device_type != kDLCPU;
  TVMFFIObjectHandle object = NULL;
  if (moves && t->storage != SIZE_MAX) {
    object = device_copy_storage(m->device, t->stored, &m->on_device[t->storage]);
  } else if (!t->is_dltensor) {
    object = storage_make_object(t->stored);
  }
  if (object == NULL && (!t->is_dltensor || moves)) return cannot_raised(m);
  if (object != NULL) {
    *out = keep(m, tvm_ffi_any_take_object(object));
    t->tensor = TVMFFITensorGetDLTensorPtr(object);
    note_id(m, id, *out);
  }
  if (t->is_dltensor) *out = tvm_ffi_any_view_tensor(t->tensor);
  return true;
}

static bool make_tensor(maker *m, const TVMFFIAny *json, bool is_dltensor, TVMFFIAny *out) {
  const TVMFFIAny id = recorded_look(m->r, json, "id");
  recorded_storage *memory = NULL;
  tensor_facts facts;
  recorded_tensor *made;
  storage *stored;
  if (tensor_facts_read(m->r, json, m->out->storages, m->out->num_storages, &facts) != NULL) {
    return cannot(m, "is not valid");
  }
  if (facts.is_left_out) return cannot(m, "is a tensor that was left out");
  if (facts.byte_offset < 0) return cannot(m, "has a negative byte_offset");
  if (facts.storage != SIZE_MAX) memory = &m->out->storages[facts.storage];
  if (memory != NULL && m->when == kBefore && m->why != NULL && memory->data == NULL &&
      !memory->is_output) {
    return cannot(m, "has no recorded data: %s", memory->left_out);
  }
  if (m->when == kBefore && m->why != NULL && m->device.device_type == kDLCPU &&
      !is_host(facts.device)) {
    char name[48];
    return cannot(m, "is on %s, and --device does not say where it may be",
                  tvm_ffi_device_print(facts.device, name, sizeof name));
  }
  stored = memory != NULL ? make_storage(m, &facts, memory) : make_empty(&facts);
  if (stored == NULL) return cannot_raised(m);
  made = add_made(m, stored, &facts);
  made->is_dltensor = is_dltensor;
  if (is_dltensor && !facts.has_strides) stored->tensor.strides = NULL;
  return pass_tensor(m, made, &id, out);
}

/* ---- Other values ---- */

static bool make_value(maker *m, const TVMFFIAny *json, TVMFFIAny *out);

/* Makes an item within the value that is made now. */
static bool make_item(maker *m, const TVMFFIAny *json, size_t i, TVMFFIAny *out) {
  const size_t size = m->path.size;
  bool good;
  text_add(&m->path, "[%zu]", i);
  good = make_value(m, json, out);
  text_cut(&m->path, size);
  return good;
}

static bool make_array(maker *m, const TVMFFIAny *items, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = recorded_count_items(items);
  TVMFFIAny *views = keep_block(m, tool_alloc((count + 1) * sizeof *views));
  TVMFFIObjectHandle object;
  size_t i;
  for (i = 0; i < count; ++i) {
    if (!make_item(m, recorded_item_at(items, i), i, &views[i])) return false;
  }
  if (tvm_ffi_array_create(views, (int32_t)count, &object) != 0) return cannot_raised(m);
  return pass(m, tvm_ffi_any_take_object(object), id, out);
}

/* It may be within itself, so it has its id before its items. */
static bool make_list(maker *m, const TVMFFIAny *items, const TVMFFIAny *id, TVMFFIAny *out) {
  TVMFFIObjectHandle object;
  TVMFFIAny item;
  size_t i;
  if (tvm_ffi_list_create(NULL, 0, &object) != 0) return cannot_raised(m);
  (void)pass(m, tvm_ffi_any_take_object(object), id, out);
  for (i = 0; i < recorded_count_items(items); ++i) {
    if (!make_item(m, recorded_item_at(items, i), i, &item)) return false;
    if (tvm_ffi_list_append(object, item) != 0) return cannot_raised(m);
  }
  return true;
}

static bool make_map(maker *m, const TVMFFIAny *pairs, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = recorded_count_items(pairs);
  TVMFFIAny *views = keep_block(m, tool_alloc((2 * count + 1) * sizeof *views));
  TVMFFIObjectHandle object;
  size_t i;
  for (i = 0; i < 2 * count; ++i) {
    if (!make_item(m, recorded_item_at(recorded_item_at(pairs, i / 2), i % 2), i / 2, &views[i]))
      return false;
  }
  if (tvm_ffi_map_create(views, (int32_t)count, &object) != 0) return cannot_raised(m);
  return pass(m, tvm_ffi_any_take_object(object), id, out);
}

static bool make_dict(maker *m, const TVMFFIAny *pairs, const TVMFFIAny *id, TVMFFIAny *out) {
  TVMFFIAny args[3], none;
  size_t i;
  if (tvm_ffi_function_call_global("ffi.Dict", NULL, 0, &args[0]) != 0) return cannot_raised(m);
  (void)pass(m, args[0], id, out);
  for (i = 0; i < recorded_count_items(pairs); ++i) {
    const TVMFFIAny *pair = recorded_item_at(pairs, i);
    if (!make_item(m, recorded_item_at(pair, 0), i, &args[1]) ||
        !make_item(m, recorded_item_at(pair, 1), i, &args[2])) {
      return false;
    }
    if (tvm_ffi_function_call_global("ffi.DictSetItem", args, 3, &none) != 0) {
      return cannot_raised(m);
    }
  }
  return true;
}

typedef struct {
  maker *m;
  TVMFFIAny *args; /* for ffi.MakeObjectFromPackedArgs */
  size_t count;
} field_maker;

static bool make_field(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  field_maker *f = context;
  TVMFFIAny name;
  if (tvm_ffi_any_copy(key, &name) != 0) return cannot_raised(f->m);
  f->args[f->count++] = keep(f->m, name);
  if (!make_item(f->m, value, f->count / 2, &f->args[f->count])) return false;
  ++f->count;
  return true;
}

static bool make_object(maker *m, const TVMFFIAny *json, const TVMFFIAny *key, const TVMFFIAny *id,
                        TVMFFIAny *out) {
  const TVMFFIAny fields = recorded_look(m->r, json, "fields");
  TVMFFIByteArray name;
  TVMFFIAny made;
  field_maker f;
  int64_t count = 0;
  int32_t type_index;
  if (!tvm_ffi_any_try_string(key, &name)) return cannot(m, "is an object without a type");
  if (!recorded_is_map(&fields)) {
    return cannot(m, "is a %.*s, of which no fields are known", tvmffi_shown_size(name.size),
                  name.data);
  }
  if (TVMFFITypeKeyToIndex(&name, &type_index) != 0) {
    TVMFFIErrorSetRaised(NULL);
    return cannot(m, "is a %.*s, a type that is not registered here", tvmffi_shown_size(name.size),
                  name.data);
  }
  if (tvm_ffi_map_read_size(fields.v_obj, &count) != 0) return cannot_raised(m);
  f.m = m;
  f.args = keep_block(m, tool_alloc((2 * (size_t)count + 1) * sizeof *f.args));
  f.args[0] = tvm_ffi_any_from_int64(type_index);
  f.count = 1;
  if (!value_visit_map(&fields, make_field, &f)) return false;
  if (tvm_ffi_function_call_global("ffi.MakeObjectFromPackedArgs", f.args, (int32_t)f.count,
                                   &made) != 0) {
    return cannot_raised(m);
  }
  return pass(m, made, id, out);
}

static bool make_error(maker *m, const TVMFFIAny *json, const TVMFFIAny *id, TVMFFIAny *out) {
  const TVMFFIAny kind = recorded_look(m->r, json, "kind"),
                  message = recorded_look(m->r, json, "message"),
                  backtrace = recorded_look(m->r, json, "backtrace");
  TVMFFIByteArray texts[3];
  TVMFFIObjectHandle error;
  memset(texts, 0, sizeof texts);
  texts[2].data = "";
  if (!tvm_ffi_any_try_string(&kind, &texts[0]) || !tvm_ffi_any_try_string(&message, &texts[1])) {
    return cannot(m, "is an error without kind or message");
  }
  (void)tvm_ffi_any_try_string(&backtrace, &texts[2]);
  if (TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &error) != 0) return cannot_raised(m);
  return pass(m, tvm_ffi_any_take_object(error), id, out);
}

/* The function may take the object from where the value points. */
static bool make_rvalue(maker *m, const TVMFFIAny *json, TVMFFIAny *out) {
  struct recorded_objects *o = m->objects;
  TVMFFIObjectHandle *slot;
  TVMFFIAny inner;
  if (!make_value(m, json, &inner)) return false;
  if (inner.type_index < kTVMFFIStaticObjectBegin) return cannot(m, "is a reference to no object");
  slot = tool_alloc(sizeof *slot);
  *slot = inner.v_obj;
  o->slots = tool_grow(o->slots, o->num_slots, sizeof *o->slots);
  o->slots[o->num_slots++] = slot;
  if (o->num_owned > 0 && o->owned[o->num_owned - 1].type_index == inner.type_index &&
      o->owned[o->num_owned - 1].v_obj == inner.v_obj) {
    --o->num_owned; /* as before, nobody else has a reference */
  } else {
    TVMFFIObjectIncRef(*slot);
  }
  memset(out, 0, sizeof *out);
  out->type_index = kTVMFFIObjectRValueRef;
  out->v_ptr = slot;
  return true;
}

static bool make_text(maker *m, value_form form, const TVMFFIAny *content, TVMFFIAny *out) {
  const bool is_bytes = form == kRecordedBytes || form == kRecordedRawBytes;
  text_buf bytes = {NULL, 0, 0};
  TVMFFIByteArray *view = keep_block(m, tool_alloc(sizeof *view));
  TVMFFIAny made;
  if (form == kRecordedText || form == kRecordedRawText) {
    (void)recorded_read_str(m->r, content, &bytes);
  } else {
    (void)recorded_read_hex(content, &bytes);
  }
  text_add_bytes(&bytes, "", 1); /* that is not NULL, and ends with a NUL */
  view->data = keep_block(m, bytes.data);
  view->size = bytes.size - 1;
  if (form == kRecordedRawText) {
    *out = tvm_ffi_any_view_string(view->data);
  } else if (form == kRecordedRawBytes) {
    *out = tvm_ffi_any_view_bytes(view);
  } else if ((is_bytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(view, &made) != 0) {
    return cannot_raised(m);
  } else {
    *out = keep(m, made);
  }
  return true;
}

static bool make_shape(maker *m, const TVMFFIAny *content, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = recorded_count_items(content);
  int64_t *extents = keep_block(m, tool_alloc((count + 1) * sizeof *extents));
  TVMFFIObjectHandle shape;
  if (!recorded_read_ints(content, count, INT64_MIN, INT64_MAX, extents) ||
      tvm_ffi_shape_create(extents, (int32_t)count, &shape) != 0) {
    return cannot_raised(m);
  }
  return pass(m, tvm_ffi_any_take_object(shape), id, out);
}

static bool make_big_int(maker *m, const TVMFFIAny *content, const TVMFFIAny *id, TVMFFIAny *out) {
  text_buf bytes = {NULL, 0, 0};
  TVMFFIByteArray view;
  TVMFFIAny made;
  int code;
  (void)recorded_read_hex(content, &bytes);
  view.data = bytes.data;
  view.size = bytes.size;
  code = TVMFFIBigIntFromByteArray(&view, &made);
  text_free(&bytes);
  if (code != 0) return cannot_raised(m);
  return pass(m, made, id, out);
}

static bool make_plain(maker *m, value_form form, const TVMFFIAny *content, const TVMFFIAny *id,
                       TVMFFIAny *out) {
  TVMFFIByteArray text;
  DLDataType dtype;
  DLDevice device;
  uint64_t address = 0;
  int64_t value = 0;
  double real = 0;
  *out = tvm_ffi_any_none();
  switch (form) {
    case kRecordedNone:
      return true;
    case kRecordedBool:
      *out = tvm_ffi_any_from_bool(content->v_int64 != 0);
      return true;
    case kRecordedInt:
    case kRecordedBigInt64:
      (void)recorded_read_int(content, &value);
      *out = tvm_ffi_any_from_int64(value);
      return true;
    case kRecordedFloat:
      (void)recorded_read_float(content, &real);
      *out = tvm_ffi_any_from_double(real);
      return true;
    case kRecordedDataType:
      if (recorded_read_dtype(content, &dtype)) *out = tvm_ffi_any_from_dtype(dtype);
      return true;
    case kRecordedDevice:
      if (recorded_read_device(content, &device)) *out = tvm_ffi_any_from_device(device);
      return true;
    case kRecordedShape:
      return make_shape(m, content, id, out);
    case kRecordedPointer:
      (void)recorded_read_address(content, &address);
      *out = tvm_ffi_any_from_pointer(NULL);
      return address == 0 || cannot(m, "is an opaque pointer");
    case kRecordedFunction:
      return cannot(m, "is a function");
    case kRecordedError:
      return make_error(m, content, id, out);
    case kRecordedBigInt:
      return make_big_int(m, content, id, out);
    case kRecordedUnchanged:
      out->type_index = kTVMFFIUnchanged;
      return true;
    case kRecordedUnknown:
      return cannot(m, "is a value of an unknown type");
    case kRecordedLeftOut:
      text.data = "";
      text.size = 0;
      (void)tvm_ffi_any_try_string(content, &text);
      return cannot(m, "was left out: %.*s", tvmffi_shown_size(text.size), text.data);
    default:
      return make_text(m, form, content, out);
  }
}

static bool make_value(maker *m, const TVMFFIAny *json, TVMFFIAny *out) {
  TVMFFIAny content, id = tvm_ffi_any_none();
  value_form form;
  int64_t value;
  if (!recorded_read_form(m->r, json, &form, &content)) return cannot(m, "has no known form");
  if (recorded_is_map(json)) id = recorded_look(m->r, json, "id");
  switch (form) {
    case kRecordedTensor:
    case kRecordedDLTensor:
      return make_tensor(m, &content, form == kRecordedDLTensor, out);
    case kRecordedArray:
      return make_array(m, &content, &id, out);
    case kRecordedList:
      return make_list(m, &content, &id, out);
    case kRecordedMap:
      return make_map(m, &content, &id, out);
    case kRecordedDict:
      return make_dict(m, &content, &id, out);
    case kRecordedObject:
      return make_object(m, json, &content, &id, out);
    case kRecordedRvalue:
      return make_rvalue(m, &content, out);
    case kRecordedRef:
      if (!recorded_read_int_between(&content, 0, (int64_t)m->num_ids - 1, &value) ||
          m->by_id[value].type_index == kTVMFFINone) {
        return cannot(m, "is an object within itself");
      }
      *out = m->by_id[value];
      return true;
    default:
      return make_plain(m, form, &content, &id, out);
  }
}

/* ---- Calls ---- */

/* How many bytes before each storage belong to the memory, because `data` of a tensor points
 * there. */
static void measure_extra(maker *m, const TVMFFIAny *json, int depth) {
  TVMFFIAny content;
  tensor_facts facts;
  value_form form;
  size_t i;
  if (depth > 2 * kMaxNesting) return; /* in a value that was left out, which is not checked */
  if (recorded_is_array(json)) {
    for (i = 0; i < recorded_count_items(json); ++i) {
      measure_extra(m, recorded_item_at(json, i), depth + 1);
    }
    return;
  }
  if (!recorded_is_map(json) || !recorded_read_form(m->r, json, &form, &content)) return;
  if (form != kRecordedTensor && form != kRecordedDLTensor) {
    measure_extra(m, &content, depth + 1);
  } else if (tensor_facts_read(m->r, &content, m->out->storages, m->out->num_storages, &facts) ==
                 NULL &&
             facts.storage != SIZE_MAX && facts.byte_offset > facts.offset &&
             (uint64_t)(facts.byte_offset - facts.offset) > m->extra[facts.storage]) {
    m->extra[facts.storage] = (uint64_t)(facts.byte_offset - facts.offset);
  }
}

static bool load_storages(maker *m, const recorded_call *c) {
  size_t i;
  for (i = 0; i < m->out->num_storages; ++i) {
    recorded_storage *s = &m->out->storages[i];
    if (s->data != NULL && !recorded_storage_load(m->r, c, s)) return false;
  }
  return true;
}

static bool make_args(maker *m, const TVMFFIAny *args) {
  const size_t count = recorded_count_items(args);
  size_t i;
  m->out->args = tool_alloc((count + 1) * sizeof *m->out->args);
  for (i = 0; i < count; ++i) {
    text_cut(&m->path, 0);
    text_add(&m->path, "arg[%zu]", i);
    m->out->num_args = i + 1;
    if (make_value(m, recorded_item_at(args, i), &m->out->args[i])) continue;
    m->out->args[i] = tvm_ffi_any_none();
    if (m->why != NULL) return false;
  }
  return true;
}

/* A result is a line of its own, so ids begin anew. */
static bool make_result(maker *m, const TVMFFIAny *after) {
  const TVMFFIAny result = recorded_look(m->r, after, "result");
  m->num_ids = 0;
  text_cut(&m->path, 0);
  text_add(&m->path, "result");
  m->out->has_result = make_value(m, &result, &m->out->result);
  if (!m->out->has_result) m->out->result = tvm_ffi_any_none();
  return m->out->has_result || m->why == NULL;
}

static making make_all(maker *m, const recorded_call *c, const TVMFFIAny *before,
                       const TVMFFIAny *after) {
  const TVMFFIAny args = recorded_look(m->r, before, "args");
  call_values *out = m->out;
  size_t i, count;
  making made = kMade;
  if (recorded_storages_read(m->r, before,
                             m->when == kAfter && recorded_is_map(after) ? after : NULL,
                             &out->storages, &out->num_storages) != NULL) {
    return kDamaged; /* it was read before */
  }
  if (m->r->files[c->before.file].is_swapped) {
    if (m->why != NULL) text_add(m->why, "its bytes are in the order of another kind of machine");
    return kCannotRepeat;
  }
  if (!load_storages(m, c)) return kDamaged;
  count = out->num_storages + 1;
  m->first = tool_alloc(count * sizeof *m->first);
  m->on_device = tool_alloc(count * sizeof *m->on_device);
  m->extra = tool_alloc(count * sizeof *m->extra);
  for (i = 0; i < count; ++i) {
    m->first[i] = NULL;
    m->on_device[i] = NULL;
    m->extra[i] = 0;
  }
  measure_extra(m, &args, 0);
  if (!make_args(m, &args)) made = kCannotRepeat;
  out->num_arg_tensors = out->num_tensors;
  if (made == kMade && m->when == kAfter && c->end == kCallReturned && !make_result(m, after)) {
    made = kCannotRepeat;
  }
  for (i = 0; i < count; ++i) tvm_ffi_object_release(m->on_device[i]);
  free(m->first);
  free(m->on_device);
  free(m->extra);
  return made;
}

making recording_make(const recording *r, const recorded_call *c, recorded_moment when,
                      DLDevice device, call_values *out, text_buf *why) {
  TVMFFIAny before, after;
  making made;
  maker m;
  memset(out, 0, sizeof *out);
  memset(&m, 0, sizeof m);
  m.r = r;
  m.when = when;
  m.device = device;
  m.out = out;
  m.why = why;
  m.objects = out->objects = tool_alloc(sizeof *out->objects);
  memset(m.objects, 0, sizeof *m.objects);
  out->result = tvm_ffi_any_none();
  if (!recorded_parse_call(r, c, &before, &after)) {
    runtime_error_report(r->folder, false);
    return kDamaged;
  }
  made = make_all(&m, c, &before, &after);
  text_free(&m.path);
  free(m.by_id);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
  return made;
}

bool recording_make_before(const recording *r, const recorded_call *c, DLDevice device,
                           call_values *out) {
  text_buf why = {NULL, 0, 0};
  const making made = recording_make(r, c, kBefore, device, out, &why);
  if (made == kCannotRepeat) report_error("call %" PRId64 ": %s", c->number, why.data);
  text_free(&why);
  return made == kMade;
}

/* A List or a Dict may be within itself. */
static void empty(const TVMFFIAny *value) {
  const bool is_list = value->type_index == kTVMFFIList;
  TVMFFIAny none;
  if (!is_list && value->type_index != kTVMFFIDict) return;
  if (tvm_ffi_function_call_global(is_list ? "ffi.ListClear" : "ffi.DictClear", value, 1, &none) !=
      0) {
    TVMFFIErrorSetRaised(NULL);
  }
}

size_t call_values_find_tensor(const call_values *values, size_t storage_index) {
  size_t i = 0;
  while (i < values->num_tensors && values->tensors[i].storage != storage_index) ++i;
  return i < values->num_tensors ? i : SIZE_MAX;
}

char *call_values_find_memory(const call_values *values, size_t storage_index) {
  const recorded_tensor *t = &values->tensors[call_values_find_tensor(values, storage_index)];
  return (char *)tvm_ffi_tensor_get_data(&t->stored->tensor) - t->offset;
}

void call_values_free(call_values *values) {
  struct recorded_objects *o = values->objects;
  size_t i;
  if (o == NULL) return;
  for (i = 0; i < o->num_owned; ++i) empty(&o->owned[i]);
  for (i = 0; i < o->num_slots; ++i) {
    tvm_ffi_object_release(*o->slots[i]);
    free(o->slots[i]);
  }
  for (i = o->num_owned; i > 0; --i) tvm_ffi_any_clear(&o->owned[i - 1]);
  for (i = 0; i < o->num_blocks; ++i) free(o->blocks[i]);
  for (i = 0; i < values->num_tensors; ++i) {
    storage_free(values->tensors[i].stored);
    free(values->tensors[i].name);
  }
  recorded_storages_free(values->storages, values->num_storages);
  free(values->tensors);
  free(values->args);
  free(o->slots);
  free(o->owned);
  free(o->blocks);
  free(o);
  memset(values, 0, sizeof *values);
}
