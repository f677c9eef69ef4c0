/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of walks over objects: a type with two fields, and its objects. */
#ifndef TESTS_C_WALK_SUPPORT_H_
#define TESTS_C_WALK_SUPPORT_H_

#include "container_support.h"
#include "reflect_support.h"

typedef struct {
  TVMFFIObject header;
  TVMFFIAny value;
  TVMFFIAny next;
} node;

static inline node *as_node(const TVMFFIAny *any) {
  return (node *)(void *)any->v_obj;
}

static inline int get_any_field(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  return 0;
}

static inline int set_any_field(void *field, const TVMFFIAny *value) {
  TVMFFIAny owned;
  if (TVMFFIAnyViewToOwnedAny(value, &owned) != 0) return -1;
  tvmffi_any_release(field);
  *(TVMFFIAny *)field = owned;
  return 0;
}

/* Adds a field to a type of nodes; flags as kTVMFFIFieldFlagBitMask... */
static inline void add_any_field(int32_t type_index, const char *name, int64_t offset,
                                 int64_t flags) {
  TVMFFIFieldInfo field = make_field(name);
  field.flags = flags;
  field.size = sizeof(TVMFFIAny);
  field.alignment = 8;
  field.offset = offset;
  field.getter = get_any_field;
  field.setter = setter_pointer(set_any_field);
  field.field_static_type_index = kTVMFFIAny;
  check_ok(TVMFFITypeRegisterField(type_index, &field));
}

/* Registers a type of nodes as a frontend does. The flags are those of its two fields. */
static inline int32_t add_node_type(const char *key, TVMFFISEqHashKind kind, int64_t value_flags,
                                    int64_t next_flags) {
  int32_t type_index = add_type(key, 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata;
  TVMFFIAny args[2], result;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(node);
  metadata.structural_eq_hash_kind = kind;
  check_ok(TVMFFITypeRegisterMetadata(type_index, &metadata));
  add_any_field(type_index, "value", offsetof(node, value), value_flags);
  add_any_field(type_index, "next", offsetof(node, next), next_flags);
  args[0] = tvmffi_any_int(type_index);
  args[1] = tvmffi_any_int(sizeof(node));
  check_ok(call_global("ffi._PyClassRegisterTypeAttrColumns", args, 2, &result));
  return type_index;
}

static inline TVMFFIFieldInfo *writable_field(int32_t type_index, int i) {
  return (TVMFFIFieldInfo *)(uintptr_t)&TVMFFIGetTypeInfo(type_index)->fields[i];
}

/* Gives both fields the library's own getter, with which walks can borrow the fields' objects. */
static inline void set_own_getters(int32_t type_index) {
  TVMFFIAny storage = tvmffi_any_int(kTVMFFIAny);
  TVMFFIAny getter = call_ok("ffi.MakeFieldGetter", &storage, 1);
  int i;
  for (i = 0; i < 2; ++i) {
    writable_field(type_index, i)->getter = (TVMFFIFieldGetter)(intptr_t)getter.v_int64;
  }
}

static inline const TVMFFIAny *find_attr(int32_t type_index, const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&bytes);
  assert_true(type_index - column->begin_index < column->size);
  return &column->data[type_index - column->begin_index];
}

/* Makes a node, which takes ownership of the values. */
static inline TVMFFIAny new_node(int32_t type_index, TVMFFIAny value, TVMFFIAny next) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(find_attr(type_index, "__ffi_new__")->v_obj, NULL, 0, &result));
  as_node(&result)->value = value;
  as_node(&result)->next = next;
  return result;
}

static inline void set_attr(int32_t type_index, const char *name, TVMFFIAny value) {
  TVMFFIByteArray bytes = check_bytes(name);
  check_ok(TVMFFITypeRegisterAttr(type_index, &bytes, &value));
}

/* Sets a hook of a type. */
static inline void set_hook(int32_t type_index, const char *name, TVMFFISafeCallType call) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(NULL, call, NULL, &function));
  set_attr(type_index, name, tvmffi_any_object(function));
  TVMFFIObjectDecRef(function);
}

/* Makes a container with the function of its name; takes ownership of the elements. */
static inline TVMFFIAny make1(const char *name, TVMFFIAny item) {
  TVMFFIAny made = call_ok(name, &item, 1);
  check_release(&item);
  return made;
}

static inline TVMFFIAny make2(const char *name, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIAny items[2], made;
  items[0] = a;
  items[1] = b;
  made = call_ok(name, items, 2);
  check_release(&items[0]);
  check_release(&items[1]);
  return made;
}

static inline TVMFFIAny own_str(const char *text) {
  TVMFFIAny view = tvmffi_any_raw_str(text), owned;
  check_ok(TVMFFIAnyViewToOwnedAny(&view, &owned));
  return owned;
}

static inline TVMFFIAny own_bytes(const char *text) {
  TVMFFIByteArray bytes = check_bytes(text);
  TVMFFIAny owned;
  check_ok(TVMFFIBytesFromByteArray(&bytes, &owned));
  return owned;
}

static inline TVMFFIAny share(TVMFFIAny value) {
  return tvmffi_any_copy(&value);
}

static inline TVMFFIAny item_of(TVMFFIAny seq, int i) {
  return ((TVMFFIAny *)TVMFFISeqGetCellPtr(seq.v_obj)->data)[i];
}

/* Makes a List of a number and of itself; break_cycle releases it. */
static inline TVMFFIAny make_cycle(int64_t number) {
  TVMFFIAny list = make1("ffi.List", tvmffi_any_int(number)), args[2], none;
  args[0] = args[1] = list;
  check_ok(call_global("ffi.ListAppend", args, 2, &none));
  return list;
}

static inline void break_cycle(TVMFFIAny *list) {
  TVMFFIAny none;
  check_ok(call_global("ffi.ListClear", list, 1, &none));
  check_release(list);
}

/* Checks the repr of a value, and releases the value. */
static inline void check_repr(TVMFFIAny value, const char *expected) {
  TVMFFIAny text = call_ok("ffi.ReprPrint", &value, 1);
  check_str(&text, expected);
  check_release(&value);
}

#endif /* TESTS_C_WALK_SUPPORT_H_ */
