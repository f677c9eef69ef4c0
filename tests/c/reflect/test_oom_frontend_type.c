/* SPDX-License-Identifier: Apache-2.0 */
/* Registering types of frontends, and constructors made of fields, without memory. */
#include "reflect/frontend_type.h"

#include "c/walk_support.h"
#include "core/error.h"
#include "support/oom.h"

typedef struct {
  int32_t type_index;
  TVMFFIObjectHandle function;
  TVMFFIAny args[2];
  int32_t num_args;
} job;

static int call(void *context) {
  job *j = context;
  TVMFFIAny result = tvmffi_any_none();
  return TVMFFIFunctionCall(j->function, j->args, j->num_args, &result);
}

/* Returns the type's function of this attribute, or NULL if there is none. */
static TVMFFIObject *find_function(const job *j, const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&bytes);
  int32_t row;
  if (column == NULL) return NULL;
  row = j->type_index - column->begin_index;
  return row >= 0 && row < column->size ? column->data[row].v_obj : NULL;
}

static void not_registered(void *context) {
  assert_null(find_function(context, "__ffi_init__"));
}

/* Makes a type with two fields, to be registered by the named function. */
static job begin(const char *key, const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  job j;
  j.type_index = add_type(key, 1, kTVMFFIObject);
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &j.function));
  j.args[0] = tvmffi_any_int(j.type_index);
  j.args[1] = tvmffi_any_int(sizeof(node));
  add_any_field(j.type_index, "value", offsetof(node, value), 0);
  add_any_field(j.type_index, "next", offsetof(node, next), kTVMFFIFieldFlagBitMaskHasDefault);
  return j;
}

TEST(test_constructors) {
  job j = begin("my.Made", "ffi._RegisterFFIInit");
  TVMFFITypeMetadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(node);
  check_ok(TVMFFITypeRegisterMetadata(j.type_index, &metadata));
  j.num_args = 1;
  assert_true(oom_check(call, not_registered, NULL, &j, 1) >= 1);
  assert_non_null(find_function(&j, "__ffi_init__"));
  TVMFFIObjectDecRef(j.function);
}

/* Attributes that a failed attempt registered do not prevent the next attempt. */
TEST(test_types_of_frontends) {
  job j = begin("my.Defined", "ffi._PyClassRegisterTypeAttrColumns");
  TVMFFIAny args[2], value = tvmffi_any_none();
  j.num_args = 2;
  assert_true(oom_check(call, not_registered, NULL, &j, 1) >= 3);
  args[0] = tvmffi_any_int(1);
  args[1] = tvmffi_any_int(2);
  check_ok(TVMFFIFunctionCall(find_function(&j, "__ffi_init__"), args, 2, &value));
  assert_int_equal(as_node(&value)->next.v_int64, 2);
  check_release(&value);
  check_fails_with(call(&j), "RuntimeError", "`__ffi_init__`"); /* registering again is an error */
  TVMFFIObjectDecRef(j.function);
}

static job made;

/* Makes an object and a copy of it. */
static int make_and_copy(void *context) {
  TVMFFIAny object = tvmffi_any_none(), copy = tvmffi_any_none();
  int rc;
  (void)context;
  TVMFFI_TRY(TVMFFIFunctionCall(find_function(&made, "__ffi_new__"), NULL, 0, &object));
  rc = TVMFFIFunctionCall(find_function(&made, "__ffi_shallow_copy__"), &object, 1, &copy);
  tvmffi_any_release(&object);
  if (rc == 0) tvmffi_any_release(&copy);
  return rc;
}

static int init(void *context) {
  TVMFFIAny args[2], value = tvmffi_any_none();
  (void)context;
  args[0] = tvmffi_any_raw_str("a text of more than seven bytes");
  args[1] = tvmffi_any_raw_str("and another one");
  TVMFFI_TRY(TVMFFIFunctionCall(find_function(&made, "__ffi_init__"), args, 2, &value));
  tvmffi_any_release(&value);
  return 0;
}

TEST(test_objects) {
  made = begin("my.Object", "ffi._PyClassRegisterTypeAttrColumns");
  made.num_args = 2;
  check_ok(call(&made));
  TVMFFIObjectDecRef(made.function);
  assert_int_equal(oom_check(make_and_copy, NULL, NULL, NULL, 0), 2);
  assert_int_equal(oom_check(init, NULL, NULL, NULL, 0), 3);
}

RUN_OOM_TESTS({
    test_and_oom_shut_down(test_constructors),
    test_and_oom_shut_down(test_types_of_frontends),
    test_and_oom_shut_down(test_objects),
})
