/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/library.h"
#include "module/module.h"

/* ---- A kind of module that has every method and does what `mode` says ---- */

static enum { kGive, kGiveNothing, kGiveWrong, kFail, kFailSilently } mode;
static TVMFFIObject *wrong;  /* an object of a type that no method may return */
static char asked[64];       /* the text arguments of the last call */
static int spy, num_calls;   /* &spy is `self` */
static int num_destroyed[2]; /* counts of the two kinds below */
static char order[16];       /* the modules destroyed so far, in order */

static void note(void *self, const TVMFFIByteArray *text, const TVMFFIByteArray *more) {
  ++num_calls;
  assert_ptr_equal(self, &spy);
  asked[0] = '\0';
  if (text == NULL) return;
  (void)snprintf(asked, sizeof asked, "%.*s%s%s", (int)text->size, text->data,
                 more == NULL ? "" : ",", more == NULL ? "" : more->data);
}

/* Does what `mode` says for a method that must return a text or bytes. */
static int act(const char *text, bool is_bytes, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  assert_int_equal(out->type_index, kTVMFFINone);
  assert_int_equal(out->v_int64, 0);
  check_not_raised();
  switch (mode) {
    case kGive:
      bytes = check_bytes(text);
      return is_bytes ? TVMFFIBytesFromByteArray(&bytes, out)
                      : TVMFFIStringFromByteArray(&bytes, out);
    case kGiveWrong:
      tvmffi_object_retain(wrong);
      *out = tvmffi_any_object(wrong);
      return 0;
    case kFail:
      TVMFFIErrorSetRaisedFromCStr("KeyError", "refused");
      return -1;
    case kFailSilently:
      return -7;
    default:
      return 0;
  }
}

static int get_spied(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                     TVMFFIObjectHandle *out) {
  TVMFFIAny any = tvmffi_any_none();
  note(self, name, NULL);
  assert_int_equal(((TVMFFIObject *)module)->type_index, kTVMFFIModule);
  assert_null(*out);
  if (mode == kGive) return TVMFFIFunctionCreate(NULL, call_seven, NULL, out);
  TVMFFI_TRY(act("", false, &any));
  *out = any.v_obj;
  return 0;
}

static int implements_spied(void *self, const TVMFFIByteArray *name, int *out) {
  TVMFFIAny any = tvmffi_any_none();
  note(self, name, NULL);
  assert_int_equal(*out, 0);
  if (mode == kGive) *out = 256; /* any number but 0 is true */
  return mode == kGive ? 0 : act("", false, &any);
}

static int describe_spied(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  note(self, name, NULL);
  return act("{\"type_schema\": \"\"}", false, out);
}

static int get_spied_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  note(self, name, NULL);
  return act("doc", false, out);
}

static int save_spied(void *self, TVMFFIAny *out) {
  note(self, NULL, NULL);
  return act("bytes", true, out);
}

static int write_spied(void *self, const TVMFFIByteArray *path, const TVMFFIByteArray *format) {
  TVMFFIAny any = tvmffi_any_none();
  assert_int_equal(path->data[path->size], '\0');
  assert_int_equal(format->data[format->size], '\0');
  note(self, path, format);
  return mode == kGive ? 0 : act("", false, &any);
}

static int inspect_spied(void *self, const TVMFFIByteArray *format, TVMFFIAny *out) {
  note(self, format, NULL);
  return act("int main(void);", false, out);
}

static void destroy_spied(void *self) {
  assert_ptr_equal(self, &spy);
  ++num_destroyed[0];
  strcat(order, "s");
}

static const char *const kFormats[] = {"c", "a format of some length", NULL};
static const TVMFFIRuntimeModuleVTable kSpied = {
    sizeof kSpied,
    "spied",
    kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleCompilationExportable,
    get_spied,
    implements_spied,
    describe_spied,
    get_spied_doc,
    save_spied,
    write_spied,
    kFormats,
    inspect_spied,
    destroy_spied};

/* A kind of module that has only the required methods. */
static void destroy_plain(void *self) {
  ++num_destroyed[1];
  strcat(order, (const char *)self);
}

static const TVMFFIRuntimeModuleVTable kPlain = {.struct_size = sizeof kPlain,
                                                 .kind = "a kind with a long name",
                                                 .get_function = find_no_function,
                                                 .destroy = destroy_plain};

static TVMFFIObject *create(const TVMFFIRuntimeModuleVTable *vtable, void *self) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(vtable, self, &module));
  assert_int_equal(check_use_count(module), 1);
  return module;
}

FIXTURE(set_up) {
  mode = kGive;
  num_calls = 0;
  memset(num_destroyed, 0, sizeof num_destroyed);
  memset(order, 0, sizeof order);
  wrong = tvmffi_array_new(0);
  return wrong == NULL;
}

FIXTURE(tear_down) {
  assert_int_equal(check_use_count(wrong), 1);
  TVMFFIObjectDecRef(wrong);
  return 0;
}

/* ---- Creation ---- */

static void check_refused(const TVMFFIRuntimeModuleVTable *vtable, const char *message) {
  TVMFFIObjectHandle module = &spy;
  check_fails(TVMFFIRuntimeModuleCreate(vtable, &spy, &module), "ValueError", message);
  assert_ptr_equal(module, &spy); /* the output is not written */
  assert_int_equal(num_destroyed[0], 0);
}

TEST(test_vtables_that_are_refused) {
  TVMFFIRuntimeModuleVTable vtable = kSpied;
  char message[128];
  vtable.struct_size = sizeof vtable - 1;
  (void)snprintf(message, sizeof message,
                 "TVMFFIRuntimeModuleCreate: `vtable->struct_size` is %zu, expected at least %zu",
                 sizeof vtable - 1, sizeof vtable);
  check_refused(&vtable, message);
  vtable.struct_size = 0;
  check_fails_with(TVMFFIRuntimeModuleCreate(&vtable, NULL, &(TVMFFIObjectHandle){NULL}),
                   "ValueError", "`vtable->struct_size` is 0,");
  vtable = kSpied;
  vtable.kind = NULL;
  check_refused(&vtable, "TVMFFIRuntimeModuleCreate: argument `vtable->kind` must not be NULL");
  vtable.kind = "";
  check_refused(&vtable, "TVMFFIRuntimeModuleCreate: `vtable->kind` must not be \"\"");
  vtable.kind = "_lib";
  check_refused(&vtable, "TVMFFIRuntimeModuleCreate: `vtable->kind` must not be \"_lib\"");
  vtable = kSpied;
  vtable.get_function = NULL;
  check_refused(&vtable,
                "TVMFFIRuntimeModuleCreate: argument `vtable->get_function` must not be NULL");
}

TEST(test_arguments_that_are_null) {
  TVMFFIObject *module = create(&kSpied, &spy);
  void *self;
  check_refused(NULL, "TVMFFIRuntimeModuleCreate: argument `vtable` must not be NULL");
  check_fails(TVMFFIRuntimeModuleCreate(&kSpied, &spy, NULL), "ValueError",
              "TVMFFIRuntimeModuleCreate: argument `out` must not be NULL");
  check_fails(TVMFFIRuntimeModuleGetSelf(NULL, &kSpied, &self), "ValueError",
              "TVMFFIRuntimeModuleGetSelf: argument `module` must not be NULL");
  check_fails(TVMFFIRuntimeModuleGetSelf(module, NULL, &self), "ValueError",
              "TVMFFIRuntimeModuleGetSelf: argument `vtable` must not be NULL");
  check_fails(TVMFFIRuntimeModuleGetSelf(module, &kSpied, NULL), "ValueError",
              "TVMFFIRuntimeModuleGetSelf: argument `out` must not be NULL");
  TVMFFIObjectDecRef(module);
}

/* A vtable of a later version is larger; fields that this version does not know are ignored. */
TEST(test_a_larger_vtable) {
  struct {
    TVMFFIRuntimeModuleVTable vtable;
    void (*later)(void);
  } larger;
  TVMFFIObject *module;
  void *self;
  larger.vtable = kSpied;
  larger.vtable.struct_size = sizeof larger;
  larger.later = NULL;
  module = create(&larger.vtable, &spy);
  check_ok(TVMFFIRuntimeModuleGetSelf(module, &larger.vtable, &self));
  assert_ptr_equal(self, &spy);
  TVMFFIObjectDecRef(module);
  assert_int_equal(num_destroyed[0], 1);
}

TEST(test_self_is_for_its_maker) {
  TVMFFIObject *module = create(&kSpied, &spy), *without = create(&kPlain, NULL), *library;
  TVMFFIRuntimeModuleVTable copy = kSpied;
  char nothing[] = "";
  void *self = &mode;
  check_fails(TVMFFIRuntimeModuleGetSelf(module, &kPlain, &self), "TypeError",
              "TVMFFIRuntimeModuleGetSelf: `module` is a `ffi.Module` that was not made with this "
              "vtable");
  check_fails(TVMFFIRuntimeModuleGetSelf(module, &copy, &self), "TypeError", NULL);
  library = get_system_lib("test_custom_");
  check_fails(TVMFFIRuntimeModuleGetSelf(library, &kPlain, &self), "TypeError", NULL);
  check_fails(TVMFFIRuntimeModuleGetSelf(wrong, &kPlain, &self), "TypeError",
              "TVMFFIRuntimeModuleGetSelf: `module` is a `ffi.Array` that was not made with this "
              "vtable");
  assert_ptr_equal(self, &mode);
  check_ok(TVMFFIRuntimeModuleGetSelf(without, &kPlain, &self));
  assert_null(self);
  check_ok(TVMFFIRuntimeModuleGetSelf(module, &kSpied, &self));
  assert_ptr_equal(self, &spy);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(module);
  ((tvmffi_module *)(void *)without)->self = nothing; /* destroy_plain reads it as a string */
  TVMFFIObjectDecRef(without);
  assert_int_equal(num_destroyed[1], 1);
}

/* ---- Methods ---- */

/* A method, called by its global function; save_to_bytes has no global function. */
typedef struct {
  const char *global, *text;
  int flag;
  bool may_be_none;
} method;

static const method kGiving[] = {
    {"ffi.ModuleGetFunction", "f", 0, true},
    {"ffi.ModuleGetFunctionMetadata", "f", 0, true},
    {"ffi.ModuleGetFunctionDoc", "a name of some length", 0, true},
    {"ffi.ModuleInspectSource", "c", -1, false},
    {NULL, NULL, -1, false},
};
enum { kNumGiving = sizeof kGiving / sizeof *kGiving };

static int call_method(const method *m, TVMFFIObject *module, TVMFFIAny *result) {
  if (m->global != NULL) return call_on(module, m->global, m->text, m->flag, result);
  return tvmffi_module_call(module, kTvmffiModuleSaveToBytes, NULL, result);
}

static int write_to_file(TVMFFIObject *module) {
  TVMFFIAny args[3], result;
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_raw_str("a file of some length");
  args[2] = tvmffi_any_raw_str("c");
  TVMFFI_TRY(call_global("ffi.ModuleWriteToFile", args, 3, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  return 0;
}

TEST(test_what_methods_give) {
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetKind", NULL, -1, &result));
  check_str(&result, "spied");
  check_ok(call_on(module, "ffi.ModuleGetPropertyMask", NULL, -1, &result));
  assert_int_equal(result.v_int64, 5);
  assert_int_equal(num_calls, 0);
  assert_int_equal(call_int(module, "f"), 7);
  assert_string_equal(asked, "f");
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "a name of some length", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  assert_string_equal(asked, "a name of some length");
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "g", 0, &result));
  check_str(&result, "{\"type_schema\": \"\"}");
  assert_string_equal(asked, "g");
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "h", 0, &result));
  check_str(&result, "doc");
  assert_string_equal(asked, "h");
  check_ok(write_to_file(module));
  assert_string_equal(asked, "a file of some length,c");
  check_ok(call_on(module, "ffi.ModuleInspectSource", "c", -1, &result));
  check_str(&result, "int main(void);");
  assert_string_equal(asked, "c");
  check_ok(tvmffi_module_call(module, kTvmffiModuleSaveToBytes, NULL, &result));
  assert_int_equal(result.type_index, kTVMFFISmallBytes);
  assert_memory_equal(result.v_bytes, "bytes", 5);
  check_ok(call_on(module, "ffi.ModuleGetWriteFormats", NULL, -1, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  assert_int_equal(tvmffi_array_size(result.v_obj), 2);
  assert_int_equal(tvmffi_array_items(result.v_obj)[0].type_index, kTVMFFISmallStr);
  assert_int_equal(tvmffi_array_items(result.v_obj)[1].type_index, kTVMFFIStr);
  check_release(&result);
  assert_int_equal(num_calls, 7);
  TVMFFIObjectDecRef(module);
}

TEST(test_methods_that_give_nothing) {
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  int i;
  mode = kGiveNothing;
  for (i = 0; i < kNumGiving; ++i) {
    int rc = call_method(&kGiving[i], module, &result);
    assert_int_equal(result.type_index, kTVMFFINone);
    if (kGiving[i].may_be_none) {
      check_ok(rc);
    } else {
      check_fails(rc, "TypeError", "A method of ffi.Module gave a result of type `None`");
    }
  }
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 0);
  TVMFFIObjectDecRef(module);
}

TEST(test_methods_that_give_a_wrong_type) {
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  int i;
  mode = kGiveWrong;
  for (i = 0; i < kNumGiving; ++i) {
    check_fails(call_method(&kGiving[i], module, &result), "TypeError",
                "A method of ffi.Module gave a result of type `ffi.Array`");
    assert_int_equal(result.type_index, kTVMFFINone);
    assert_int_equal(check_use_count(wrong), 1);
  }
  TVMFFIObjectDecRef(module);
}

TEST(test_methods_that_fail) {
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  int i;
  mode = kFail;
  for (i = 0; i < kNumGiving; ++i) {
    assert_int_equal(call_method(&kGiving[i], module, &result), -1);
    check_raised("KeyError", "refused");
    assert_int_equal(result.type_index, kTVMFFINone);
  }
  check_fails(call_on(module, "ffi.ModuleImplementsFunction", "f", 1, &result), "KeyError",
              "refused");
  check_fails(write_to_file(module), "KeyError", "refused");
  TVMFFIObjectDecRef(module);
}

TEST(test_L_13_methods_that_fail_silently) {
  static const char message[] = "callee returned -7 without setting an error";
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  int i;
  mode = kFailSilently;
  for (i = 0; i < kNumGiving; ++i) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "an old one, which nobody took");
    assert_int_equal(call_method(&kGiving[i], module, &result), -7);
    check_raised("InternalError", message);
    assert_int_equal(result.type_index, kTVMFFINone);
  }
  check_fails_as(-7, call_on(module, "ffi.ModuleImplementsFunction", "f", 1, &result),
                 "InternalError", message);
  check_fails_as(-7, write_to_file(module), "InternalError", message);
  TVMFFIObjectDecRef(module);
}

/* ---- Modules without some of the methods ---- */

TEST(test_implements_asks_get_function) {
  TVMFFIRuntimeModuleVTable vtable = kSpied;
  TVMFFIObject *module;
  TVMFFIAny result;
  vtable.implements_function = NULL;
  module = create(&vtable, &spy);
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result));
  assert_int_equal(result.v_int64, 1);
  assert_int_equal(num_calls, 1);
  mode = kGiveNothing;
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 0);
  mode = kFail;
  check_fails(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result), "KeyError",
              "refused");
  mode = kFailSilently;
  check_fails_as(-7, call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result),
                 "InternalError", "callee returned -7 without setting an error");
  mode = kGiveWrong;
  check_fails(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result), "TypeError",
              "A method of ffi.Module gave a result of type `ffi.Array`");
  TVMFFIObjectDecRef(module);
}

/* ---- Destruction ---- */

TEST(test_destroyed_once_before_its_imports) {
  static char a[] = "a", b[] = "b";
  TVMFFIObject *module = create(&kSpied, &spy), *left = create(&kPlain, a);
  TVMFFIObject *right = create(&kPlain, b);
  import_module(module, left);
  import_module(module, right);
  TVMFFIObjectDecRef(right);
  TVMFFIObjectIncRef(module);
  TVMFFIObjectDecRef(module);
  assert_string_equal(order, "");
  TVMFFIObjectDecRef(module);
  assert_int_equal(num_destroyed[0], 1);
  assert_int_equal(num_destroyed[1], 1);
  assert_string_equal(order, "sb");
  TVMFFIObjectDecRef(left);
  assert_string_equal(order, "sba");
}

/* A client replaces the deleter to learn when the module dies. */
static void (*deleter_behind)(void *self, int flags);
static int num_deletes;

static void delete_in_front(void *self, int flags) {
  ++num_deletes;
  deleter_behind(self, flags);
}

TEST(test_a_deleter_in_front) {
  TVMFFIObject *module = create(&kSpied, &spy);
  TVMFFIAny result;
  void *self;
  deleter_behind = module->deleter;
  module->deleter = delete_in_front;
  check_ok(call_on(module, "ffi.ModuleGetKind", NULL, -1, &result));
  check_str(&result, "spied");
  assert_int_equal(call_int(module, "f"), 7);
  check_ok(TVMFFIRuntimeModuleGetSelf(module, &kSpied, &self));
  TVMFFIObjectDecRef(module);
  assert_int_equal(num_deletes, 1);
  assert_int_equal(num_destroyed[0], 1);
}

TEST(test_a_module_without_destroy) {
  TVMFFIRuntimeModuleVTable vtable = kPlain;
  vtable.destroy = NULL;
  TVMFFIObjectDecRef(create(&vtable, NULL));
  assert_int_equal(num_destroyed[1], 0);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

RUN_TESTS({
    ROW(test_vtables_that_are_refused),
    ROW(test_arguments_that_are_null),
    ROW(test_a_larger_vtable),
    ROW(test_self_is_for_its_maker),
    ROW(test_what_methods_give),
    ROW(test_methods_that_give_nothing),
    ROW(test_methods_that_give_a_wrong_type),
    ROW(test_methods_that_fail),
    ROW(test_L_13_methods_that_fail_silently),
    ROW(test_implements_asks_get_function),
    ROW(test_destroyed_once_before_its_imports),
    ROW(test_a_deleter_in_front),
    ROW(test_a_module_without_destroy),
})
