/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "module/library.h"

/* ---- Building blobs ---- */

typedef struct {
  unsigned char bytes[4096];
  size_t size;
} blob;

static void put_int(blob *b, uint64_t value) {
  int i;
  assert_true(b->size + 8 <= sizeof b->bytes);
  for (i = 0; i < 8; ++i) b->bytes[b->size++] = (unsigned char)(value >> (8 * i));
}

static void put_text(blob *b, const char *text) {
  size_t size = strlen(text);
  put_int(b, size);
  memcpy(b->bytes + b->size, text, size);
  b->size += size;
}

/* Appends a list of up to four integers. */
static void put_list(blob *b, int count, uint64_t i0, uint64_t i1, uint64_t i2, uint64_t i3) {
  uint64_t all[4];
  int i;
  all[0] = i0;
  all[1] = i1;
  all[2] = i2;
  all[3] = i3;
  put_int(b, (uint64_t)count);
  for (i = 0; i < count; ++i) put_int(b, all[i]);
}

static blob begin(void) {
  blob b;
  memset(&b, 0, sizeof b);
  put_int(&b, 0);
  return b;
}

/* Sets the length in front and loads the blob from a block of exactly its size, for sanitizers. */
static int load_blob(blob *b, TVMFFIObject **out) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  unsigned char *exact = malloc(b->size);
  tvmffi_library *library;
  size_t end = b->size;
  int rc;
  assert_non_null(exact);
  b->size = 0;
  put_int(b, end - 8);
  b->size = end;
  memcpy(exact, b->bytes, end);
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  *out = NULL;
  rc = tvmffi_library_bin_load(library, exact, end, out);
  tvmffi_object_release(library);
  free(exact);
  return rc;
}

static void check_malformed(blob *b, const char *message) {
  TVMFFIObject *module;
  assert_int_not_equal(load_blob(b, &module), 0);
  assert_null(module);
  check_raised_with("InternalError", "Malformed __tvm_ffi__library_bin: ");
  assert_int_not_equal(load_blob(b, &module), 0);
  check_raised_with("InternalError", message);
}

/* ---- Loaders ---- */

static int num_loaded;
static char payloads[256]; /* all payloads, each followed by a semicolon */
static TVMFFIObject *to_give;

/* Makes a module for each payload: the system library with the payload as prefix. */
static int load_demo(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray payload;
  (void)handle;
  assert_int_equal(num_args, 1);
  if (args[0].type_index == kTVMFFISmallBytes) {
    payload = TVMFFISmallBytesGetContentByteArray(&args[0]);
  } else {
    assert_int_equal(args[0].type_index, kTVMFFIBytes);
    payload = *TVMFFIBytesGetByteArrayPtr(args[0].v_obj);
  }
  ++num_loaded;
  (void)snprintf(payloads + strlen(payloads), sizeof payloads - strlen(payloads), "%.*s;",
                 (int)payload.size, payload.data);
  if (to_give != NULL) {
    tvmffi_object_retain(to_give);
    *result = tvmffi_any_object(to_give);
    return 0;
  }
  {
    TVMFFIObject *module;
    int rc = tvmffi_system_lib_get(&payload, &module);
    if (rc == 0) *result = tvmffi_any_object(module);
    return rc;
  }
}

FIXTURE(set_up) {
  num_loaded = 0;
  memset(payloads, 0, sizeof payloads);
  to_give = NULL;
  register_global("ffi.Module.load_from_bytes.demo", load_demo);
  return 0;
}

static TVMFFIObject *imports_of(TVMFFIObject *module) {
  return ((tvmffi_module *)(void *)module)->imports;
}

/* ---- Blobs that load ---- */

TEST(test_the_library_alone) {
  blob b = begin();
  TVMFFIObject *module;
  TVMFFIAny kind;
  put_list(&b, 2, 0, 0, 0, 0);
  put_list(&b, 0, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_ok(load_blob(&b, &module));
  check_ok(call_on(module, "ffi.ModuleGetKind", NULL, -1, &kind));
  assert_memory_equal(kind.v_bytes, "library", 7);
  assert_int_equal(tvmffi_array_size(imports_of(module)), 0);
  assert_int_equal(check_use_count(module), 1);
  TVMFFIObjectDecRef(module);
}

TEST(test_the_worked_example_in_a_file) {
  TVMFFIObject *module = load("embedded.so");
  assert_string_equal(payloads, "hi!;");
  assert_int_equal(tvmffi_array_size(imports_of(module)), 1);
  assert_int_equal(call_int(module, "one"), 1);
  TVMFFIObjectDecRef(module);
}

TEST(test_a_tree) {
  blob b = begin();
  TVMFFIObject *module, *imports;
  put_list(&b, 4, 0, 2, 3, 3); /* 0: {2, 1};  1: {2};  2: none */
  put_list(&b, 3, 2, 1, 2, 0);
  put_text(&b, "demo");
  put_text(&b, "root, with more than seven bytes");
  put_text(&b, "_lib");
  put_text(&b, "demo");
  put_text(&b, ""); /* an empty payload counts as one */
  check_ok(load_blob(&b, &module));
  assert_string_equal(payloads, "root, with more than seven bytes;;");
  imports = imports_of(module);
  assert_int_equal(tvmffi_array_size(imports), 2);
  assert_int_equal(tvmffi_array_size(imports_of(tvmffi_array_items(imports)[1].v_obj)), 1);
  assert_ptr_equal(tvmffi_array_items(imports_of(tvmffi_array_items(imports)[1].v_obj))[0].v_obj,
                   tvmffi_array_items(imports)[0].v_obj);
  check_ok(tvmffi_imports_clear(module)); /* the module is kept by its prefix */
  TVMFFIObjectDecRef(module);
}

TEST(test_modules_nobody_imports_and_bytes_behind_them) {
  blob b = begin();
  TVMFFIObject *module;
  put_list(&b, 3, 0, 0, 0, 0);
  put_list(&b, 0, 0, 0, 0, 0);
  put_text(&b, "_lib");
  put_text(&b, "_lib");
  put_text(&b, "not a part of it");
  check_ok(load_blob(&b, &module));
  assert_int_equal(check_use_count(module), 1);
  TVMFFIObjectDecRef(module);
}

/* ---- Blobs that are refused ---- */

TEST(test_L_12a_lists) {
  blob b = begin();
  put_list(&b, 1, 0, 0, 0, 0); /* one_indptr */
  put_list(&b, 0, 0, 0, 0, 0);
  check_malformed(&b, "it holds no module");
  b = begin();
  put_list(&b, 2, 0, 1000000, 0, 0); /* indptr_oob */
  put_list(&b, 0, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "the imports of a module are out of range");
  b = begin();
  put_list(&b, 2, 0, UINT64_C(1) << 63, 0, 0);
  put_list(&b, 0, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "the imports of a module are out of range");
  b = begin();
  put_list(&b, 2, 0, 1, 0, 0); /* child_oob */
  put_list(&b, 1, 7, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "an imported module is out of range");
  b = begin();
  put_list(&b, 2, 1, 1, 0, 0);
  put_list(&b, 1, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "the imports do not begin at 0");
  b = begin();
  put_list(&b, 4, 0, 2, 1, 2);
  put_list(&b, 2, 1, 1, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "the imports of a module end before they begin");
  b = begin();
  put_list(&b, 2, 0, 0, 0, 0);
  put_list(&b, 1, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "there are imports of no module");
}

TEST(test_L_12b_empty_and_huge) {
  blob b = begin();
  check_malformed(&b, "cut off"); /* zero */
  put_list(&b, 0, 0, 0, 0, 0);    /* empty_tree */
  put_list(&b, 0, 0, 0, 0, 0);
  check_malformed(&b, "it holds no module");
  b = begin();
  put_int(&b, UINT64_C(1) << 61); /* huge_vec */
  check_malformed(&b, "the list of where imports begin is cut off");
  b = begin();
  put_list(&b, 2, 0, 0, 0, 0);
  put_int(&b, UINT64_C(1) << 61);
  check_malformed(&b, "the list of imports is cut off");
  b = begin();
  put_list(&b, 2, 0, 0, 0, 0);
  put_list(&b, 0, 0, 0, 0, 0);
  put_int(&b, UINT64_C(1) << 40); /* huge_str */
  check_malformed(&b, "a module's kind is cut off");
}

TEST(test_L_12c_short_texts) {
  blob b = begin(), head;
  put_list(&b, 2, 0, 0, 0, 0);
  put_list(&b, 0, 0, 0, 0, 0);
  head = b;
  put_int(&b, 100); /* trunc_str */
  memcpy(b.bytes + b.size, "_lib", 4);
  b.size += 4;
  check_malformed(&b, "a module's kind is cut off");
  b = head;
  put_text(&b, "demo");
  put_int(&b, 5);
  memcpy(b.bytes + b.size, "hi!", 3);
  b.size += 3;
  check_malformed(&b, "a module's payload is cut off");
  b = head;
  put_text(&b, "");
  check_malformed(&b, "a module's kind is empty");
  assert_int_equal(num_loaded, 0);
}

TEST(test_L_12d_circles) {
  blob b = begin();
  TVMFFIObject *module;
  put_list(&b, 2, 0, 1, 0, 0); /* self_cycle */
  put_list(&b, 1, 0, 0, 0, 0);
  put_text(&b, "_lib");
  check_malformed(&b, "modules import each other in a circle");
  b = begin();
  put_list(&b, 4, 0, 1, 2, 3);
  put_list(&b, 3, 1, 2, 1, 0);
  put_text(&b, "_lib");
  put_text(&b, "demo");
  put_text(&b, "x");
  put_text(&b, "_lib");
  check_malformed(&b, "modules import each other in a circle");
  assert_int_equal(num_loaded, 0); /* everything is checked before a module is loaded */
  check_fails_with(load_file(module_path("hostile.so"), &module), "InternalError", "in a circle");
  /* No cycle of indices, but the loader returns the same module twice. */
  to_give = get_system_lib("test_library_bin_");
  b = begin();
  put_list(&b, 3, 0, 1, 1, 0);
  put_list(&b, 1, 1, 0, 0, 0);
  put_text(&b, "demo");
  put_text(&b, "x");
  put_text(&b, "demo");
  put_text(&b, "y");
  check_fails(load_blob(&b, &module), "RuntimeError", "Cyclic dependency detected during import");
  TVMFFIObjectDecRef(to_give);
}

/* The blob is truncated at every size, with the length in front set to match. */
TEST(test_every_prefix_is_refused) {
  blob whole = begin(), b;
  TVMFFIObject *module;
  size_t size;
  put_list(&whole, 3, 0, 1, 1, 0);
  put_list(&whole, 1, 1, 0, 0, 0);
  put_text(&whole, "_lib");
  put_text(&whole, "demo");
  put_text(&whole, "hi!");
  for (size = 8; size < whole.size; ++size) {
    b = whole;
    b.size = size;
    check_malformed(&b, "");
  }
  check_ok(load_blob(&whole, &module));
  TVMFFIObjectDecRef(module);
}

TEST(test_the_length_in_front) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  unsigned char bytes[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  tvmffi_library *library;
  TVMFFIObject *module;
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  check_fails_with(tvmffi_library_bin_load(library, bytes, 7, &module), "InternalError",
                   "it is cut off");
  check_fails_with(tvmffi_library_bin_load(library, bytes, 8, &module), "InternalError",
                   "its length is out of range");
  check_fails_with(tvmffi_library_bin_load(library, bytes, SIZE_MAX, &module), "InternalError",
                   "its length is out of range"); /* past the end of memory */
  tvmffi_object_release(library);
}

/* Reads neither a byte behind the length nor a byte behind the library. */
TEST(test_the_length_and_the_symbol) {
  TVMFFIObject *module;
  TVMFFIObjectDecRef(load("embedded_sized.so"));
  TVMFFIObjectDecRef(load("embedded_unsized.so"));
#if !defined(_WIN32) /* its libraries do not have the sizes of symbols */
  check_fails_with(load_file(module_path("hostile_sized.so"), &module), "InternalError",
                   "its length is out of range");
#endif
  check_fails_with(load_file(module_path("hostile_unsized.so"), &module), "InternalError",
                   "its length is out of range");
}

TEST(test_loaders_that_fail) {
  blob b = begin();
  TVMFFIObject *module;
  put_list(&b, 3, 0, 1, 1, 0);
  put_list(&b, 1, 1, 0, 0, 0);
  put_text(&b, "_lib");
  put_text(&b, "nosuch"); /* unknown_kind */
  put_text(&b, "xx");
  check_fails(load_blob(&b, &module), "RuntimeError",
              "Library binary was created using {nosuch} but a loader of that name is not "
              "registered. Make sure to have runtime that registers "
              "ffi.Module.load_from_bytes.nosuch");
  register_global("ffi.Module.load_from_bytes.nosuch", call_key_error);
  check_fails(load_blob(&b, &module), "KeyError", "not here");
  register_global("ffi.Module.load_from_bytes.nosuch", call_seven);
  check_fails(load_blob(&b, &module), "TypeError",
              "Cannot convert from type `int` to `ffi.Module`");
  remove_global("ffi.Module.load_from_bytes.nosuch");
}

/* ---- Loaders of other kinds ---- */

/* The loader of an embedded module may be registered by another library or by the embedding one. */

static int triple(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  assert_int_equal(num_args, 1);
  *result = tvmffi_any_int(3 * args[0].v_int64);
  return 0;
}

FIXTURE(register_triple) {
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_in_triple", address_of(triple));
}

/* Loads the library and calls its kernel, which calls a function of the module embedded in it. */
static void check_carrier(const char *file) {
  TVMFFIObject *module = load(file);
  TVMFFIAny arg = tvmffi_any_int(14), result;
  check_ok(call_function(module, "call_import", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIInt);
  assert_int_equal(result.v_int64, 42);
  TVMFFIObjectDecRef(module);
}

TEST(test_another_library_that_was_loaded_before) {
  TVMFFIObject *module, *loader;
  check_fails_with(load_file(module_path("carrier_of_other.so"), &module), "RuntimeError",
                   "created using {otherlib} but a loader of that name is not registered");
  loader = load("loader_of_other.so");
  check_carrier("carrier_of_other.so");
  TVMFFIObjectDecRef(loader); /* the library stays loaded, and its loader is used */
  check_carrier("carrier_of_other.so");
  remove_global("ffi.Module.load_from_bytes.otherlib");
  check_fails_with(load_file(module_path("carrier_of_other.so"), &module), "RuntimeError",
                   "a loader of that name is not registered");
}

TEST(test_an_initialiser_of_the_library_itself) {
  check_carrier("carrier_of_own.so");
  check_carrier("carrier_of_own.so"); /* its initialisers do not run again */
}

RUN_TESTS({
    cmocka_unit_test_setup(test_the_library_alone, set_up),
    cmocka_unit_test_setup(test_the_worked_example_in_a_file, set_up),
    cmocka_unit_test_setup(test_a_tree, set_up),
    cmocka_unit_test_setup(test_modules_nobody_imports_and_bytes_behind_them, set_up),
    cmocka_unit_test_setup(test_L_12a_lists, set_up),
    cmocka_unit_test_setup(test_L_12b_empty_and_huge, set_up),
    cmocka_unit_test_setup(test_L_12c_short_texts, set_up),
    cmocka_unit_test_setup(test_L_12d_circles, set_up),
    cmocka_unit_test_setup(test_every_prefix_is_refused, set_up),
    cmocka_unit_test_setup(test_the_length_in_front, set_up),
    cmocka_unit_test_setup(test_the_length_and_the_symbol, set_up),
    cmocka_unit_test_setup(test_loaders_that_fail, set_up),
    cmocka_unit_test_setup(test_another_library_that_was_loaded_before, register_triple),
    cmocka_unit_test_setup(test_an_initialiser_of_the_library_itself, register_triple),
})
