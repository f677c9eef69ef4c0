/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of structural visits and mutations. */
#ifndef TESTS_C_STRUCTURAL_SUPPORT_H_
#define TESTS_C_STRUCTURAL_SUPPORT_H_

#include "c/container_support.h"
#include "c/reflect_support.h"
#include "core/error.h"
#include "core/object.h"
#include "reflect/fields.h"

/* ---- Objects with two reflected fields, `a` and `b` ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIAny a, b;
} node;

static inline void destroy_node(void *self) {
  check_release(&((node *)self)->a);
  check_release(&((node *)self)->b);
}

static inline void delete_node(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_node, destroy_node, 0);
}

/* Makes a node, which takes ownership of both values. */
static inline TVMFFIAny new_node(int32_t type_index, TVMFFIAny a, TVMFFIAny b) {
  node *made = tvmffi_object_new(sizeof *made, type_index, delete_node);
  assert_non_null(made);
  made->a = a;
  made->b = b;
  return tvmffi_any_object(made);
}

static inline node *as_node(const TVMFFIAny *value) {
  return (node *)(void *)value->v_obj;
}

static inline int get_field(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  return 0;
}

static inline int copy_node(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  const node *original = as_node(&args[0]);
  node *copy;
  (void)self;
  (void)num_args;
  copy = tvmffi_object_new(sizeof *copy, original->header.type_index, delete_node);
  if (copy == NULL) return -1;
  copy->a = tvmffi_any_copy(&original->a);
  copy->b = tvmffi_any_copy(&original->b);
  *result = tvmffi_any_object(copy);
  return 0;
}

/* Sets a type attribute to the value; takes ownership of the value. */
static inline void set_attr(int32_t type_index, const char *name, TVMFFIAny value) {
  TVMFFIByteArray bytes = check_bytes(name);
  check_ok(TVMFFITypeRegisterAttr(type_index, &bytes, &value));
  check_release(&value);
}

/* A hook that is a C function, as the value of an attribute. */
static inline TVMFFIAny pointer(TVMFFIAny (*hook)(void *self, TVMFFIAny value)) {
  union {
    TVMFFIAny (*function)(void *self, TVMFFIAny value);
    void *address;
  } cast;
  cast.function = hook;
  return tvmffi_any_ptr(kTVMFFIOpaquePtr, cast.address);
}

static inline TVMFFIAny make_function(TVMFFISafeCallType body, void *self) {
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionCreate(self, body, NULL, &function));
  return tvmffi_any_object(function);
}

static inline void add_value_field(int32_t type_index, const char *name, int64_t offset,
                                   int64_t flags) {
  TVMFFIFieldInfo field = make_field(name);
  field.offset = offset;
  field.flags = flags;
  field.getter = get_field;
  field.setter = setter_pointer(tvmffi_field_set_any);
  field.size = field.alignment = 8;
  check_ok(TVMFFITypeRegisterField(type_index, &field));
}

/* Registers a type of nodes. The flags are those of field `a`. */
static inline int32_t add_node_type(const char *key, TVMFFISEqHashKind kind, int64_t flags) {
  int32_t type_index = add_type(key, 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(node);
  metadata.structural_eq_hash_kind = kind;
  check_ok(TVMFFITypeRegisterMetadata(type_index, &metadata));
  add_value_field(type_index, "a", offsetof(node, a), flags);
  add_value_field(type_index, "b", offsetof(node, b), 0);
  set_attr(type_index, "__ffi_shallow_copy__", make_function(copy_node, NULL));
  return type_index;
}

/* ---- Values ---- */

/* Makes a container of the first num of a and b; takes ownership of them. */
static inline TVMFFIAny make(const char *name, int32_t num, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIAny result;
  check_ok(call4(name, num, a, b, tvmffi_any_none(), tvmffi_any_none(), &result));
  if (num > 0) check_release(&a);
  if (num > 1) check_release(&b);
  return result;
}

static inline TVMFFIAny item(const TVMFFIAny *seq, int i) {
  return ((TVMFFIAny *)TVMFFISeqGetCellPtr(seq->v_obj)->data)[i];
}

/* Makes a list with one callback: (type, function) if flag is negative, else with the flag. */
static inline TVMFFIAny list_callback(int32_t type_index, TVMFFISafeCallType body, void *self,
                                      int flag) {
  TVMFFIAny args[3], entry;
  args[0] = tvmffi_any_int(type_index);
  args[1] = make_function(body, self);
  args[2] = tvmffi_any_bool(flag > 0);
  entry = call_ok("ffi.Array", args, flag < 0 ? 2 : 3);
  check_release(&args[1]);
  return make("ffi.Array", 1, entry, tvmffi_any_none());
}

static inline TVMFFIAny no_callbacks(void) {
  return make("ffi.Array", 0, tvmffi_any_none(), tvmffi_any_none());
}

/* Calls a structural function with one list of callbacks, which it takes ownership of. */
static inline int run_with(const char *name, TVMFFIAny root, TVMFFIAny callbacks, int order,
                           TVMFFIAny *result) {
  TVMFFIAny none = no_callbacks();
  int32_t num = order < 0 ? 2 : 4;
  int rc = call4(name, num, root, callbacks, none, tvmffi_any_int(order), result);
  check_release(&callbacks);
  check_release(&none);
  return rc;
}

/*
 * Moves the raised error to *out. Returns the number of objects in its visit context, and points
 * *objects at them.
 */
static inline int64_t take_error(TVMFFIObjectHandle *out, const TVMFFIAny **objects) {
  TVMFFIObject *context;
  TVMFFIAny list;
  TVMFFIErrorMoveFromRaised(out);
  assert_non_null(*out);
  context = TVMFFIErrorGetCellPtr(*out)->extra_context;
  if (context == NULL) return 0;
  list.v_obj = *(TVMFFIObject *const *)(const void *)(context + 1);
  *objects = TVMFFISeqGetCellPtr(list.v_obj)->data;
  return TVMFFISeqGetCellPtr(list.v_obj)->size;
}

#endif /* TESTS_C_STRUCTURAL_SUPPORT_H_ */
