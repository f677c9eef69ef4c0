/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "module/library.h"
#include "module/module.h"

/* ---- Kinds of modules ---- */

/* A `demo` module is made from a payload and saves that payload. */
typedef struct {
  TVMFFIByteArray payload;
} demo;

static int num_alive, num_loaded;

static int save_demo(void *self, TVMFFIAny *out) {
  return TVMFFIBytesFromByteArray(&((demo *)self)->payload, out);
}

static void destroy_demo(void *self) {
  --num_alive;
  free(self);
}

static const TVMFFIRuntimeModuleVTable kDemo = {
    .struct_size = sizeof kDemo,
    .kind = "demo",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleRunnable,
    .get_function = find_no_function,
    .save_to_bytes = save_demo,
    .destroy = destroy_demo};

static TVMFFIObject *new_demo_of(const char *data, size_t size) {
  TVMFFIObjectHandle module;
  demo *self = malloc(sizeof *self + size);
  char *copy = (char *)(self + 1);
  assert_non_null(self);
  if (size != 0) memcpy(copy, data, size);
  self->payload.data = copy;
  self->payload.size = size;
  check_ok(TVMFFIRuntimeModuleCreate(&kDemo, self, &module));
  ++num_alive;
  return module;
}

static TVMFFIObject *new_demo(const char *payload) {
  return new_demo_of(payload, strlen(payload));
}

static TVMFFIByteArray content_of(const TVMFFIAny *bytes) {
  if (bytes->type_index == kTVMFFISmallBytes) return TVMFFISmallBytesGetContentByteArray(bytes);
  assert_int_equal(bytes->type_index, kTVMFFIBytes);
  return *TVMFFIBytesGetByteArrayPtr(bytes->v_obj);
}

static int load_demo(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray payload = content_of(&args[0]);
  (void)handle;
  (void)num_args;
  ++num_loaded;
  *result = tvmffi_any_object(new_demo_of(payload.data, payload.size));
  return 0;
}

/* A module of source code, of which nothing is packed. */
static const TVMFFIRuntimeModuleVTable kSource = {
    .struct_size = sizeof kSource,
    .kind = "c",
    .property_mask = kTVMFFIRuntimeModuleCompilationExportable,
    .get_function = find_no_function};

/* Kinds that cannot be packed. */
static const TVMFFIRuntimeModuleVTable kStubborn = {.struct_size = sizeof kStubborn,
                                                    .kind = "stubborn",
                                                    .property_mask = kTVMFFIRuntimeModuleRunnable,
                                                    .get_function = find_no_function,
                                                    .save_to_bytes = save_demo};

static int refuse(void *self, TVMFFIAny *out) {
  (void)out;
  if (self != NULL) return -3;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "not now");
  return -1;
}

static const TVMFFIRuntimeModuleVTable kRefusing = {
    .struct_size = sizeof kRefusing,
    .kind = "refusing",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable,
    .get_function = find_no_function,
    .save_to_bytes = refuse};

/* Says that it is bytes, and has none. */
static int save_null(void *self, TVMFFIAny *out) {
  (void)self;
  memset(out, 0, sizeof *out);
  out->type_index = kTVMFFIBytes;
  return 0;
}

static const TVMFFIRuntimeModuleVTable kHollow = {
    .struct_size = sizeof kHollow,
    .kind = "hollow",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable,
    .get_function = find_no_function,
    .save_to_bytes = save_null};
static const TVMFFIRuntimeModuleVTable kMute = {
    .struct_size = sizeof kMute,
    .kind = "mute",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable,
    .get_function = find_no_function};

static TVMFFIObject *create(const TVMFFIRuntimeModuleVTable *vtable, void *self) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(vtable, self, &module));
  return module;
}

FIXTURE(set_up) {
  num_alive = num_loaded = 0;
  register_global("ffi.Module.load_from_bytes.demo", load_demo);
  return 0;
}

/* ---- Packing and loading ---- */

static TVMFFIAny pack(TVMFFIObject *root) {
  uint32_t count = check_use_count(root);
  TVMFFIAny bytes = tvmffi_any_none();
  check_ok(TVMFFIRuntimeModulePack(root, &bytes));
  assert_int_equal(bytes.type_index, kTVMFFIBytes);
  assert_int_equal(check_use_count(root), count);
  return bytes;
}

static void check_refused(TVMFFIObject *root, int code, const char *kind, const char *message) {
  TVMFFIAny bytes = tvmffi_any_int(7);
  uint32_t count = check_use_count(root);
  check_fails_as(code, TVMFFIRuntimeModulePack(root, &bytes), kind, message);
  assert_int_equal(bytes.v_int64, 7); /* the output is not written */
  assert_int_equal(check_use_count(root), count);
}

/* Loads the bytes from a block of exactly their size, for the sanitizers. */
static TVMFFIObject *load_bytes(const TVMFFIByteArray *bytes) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  char *exact = malloc(bytes->size);
  tvmffi_library *library;
  TVMFFIObject *module;
  assert_non_null(exact);
  memcpy(exact, bytes->data, bytes->size);
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  check_ok(tvmffi_library_bin_load(library, exact, bytes->size, &module));
  tvmffi_object_release(library);
  free(exact);
  return module;
}

static TVMFFIObject *load_packed(const TVMFFIAny *packed) {
  TVMFFIByteArray bytes = content_of(packed);
  return load_bytes(&bytes);
}

static TVMFFIObject *import_of(TVMFFIObject *module, int64_t i) {
  TVMFFIObject *imports = ((tvmffi_module *)(void *)module)->imports;
  assert_in_range(i, 0, tvmffi_array_size(imports) - 1);
  return tvmffi_array_items(imports)[i].v_obj;
}

static int64_t num_imports(TVMFFIObject *module) {
  return tvmffi_array_size(((tvmffi_module *)(void *)module)->imports);
}

static void check_demo(TVMFFIObject *module, const char *payload, size_t size) {
  void *self;
  check_ok(TVMFFIRuntimeModuleGetSelf(module, &kDemo, &self));
  assert_int_equal(((demo *)self)->payload.size, size);
  assert_memory_equal(((demo *)self)->payload.data, payload, size);
}

/* Checks that packing a loaded module gives the same bytes. Releases the module. */
static void check_packs_again(TVMFFIObject *loaded, const TVMFFIAny *packed) {
  TVMFFIAny again = pack(loaded);
  TVMFFIByteArray left = content_of(packed), right = content_of(&again);
  assert_int_equal(left.size, right.size);
  assert_memory_equal(left.data, right.data, left.size);
  check_release(&again);
  TVMFFIObjectDecRef(loaded);
}

/* ---- Modules that are packed ---- */

static const unsigned char kWorkedExample[] = {
    0x53, 0, 0, 0, 0, 0, 0, 0,   3,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0,
    0,    1, 0, 0, 0, 0, 0, 0,   0,   1,   0,   0, 0, 0, 0, 0, 0, 1, 0,   0,   0,   0,   0,
    0,    0, 1, 0, 0, 0, 0, 0,   0,   0,   4,   0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b', 4,
    0,    0, 0, 0, 0, 0, 0, 'd', 'e', 'm', 'o', 3, 0, 0, 0, 0, 0, 0, 0,   'h', 'i', '!'};

TEST(test_the_worked_example) {
  TVMFFIObject *library = load("kernels.so"), *child = new_demo("hi!");
  TVMFFIByteArray content;
  TVMFFIAny packed;
  import_module(library, child);
  packed = pack(library);
  assert_int_equal(check_use_count(child), 2);
  content = content_of(&packed);
  assert_int_equal(content.size, 91);
  assert_int_equal(sizeof kWorkedExample, 91);
  assert_memory_equal(content.data, kWorkedExample, 91);
  check_release(&packed);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(child);
  assert_int_equal(num_alive, 0);
}

/* As a compiler does: the root is source code, packed as `_lib`; without code data is the root. */
TEST(test_source_takes_the_place_of_the_library) {
  TVMFFIObject *source = create(&kSource, NULL), *child = new_demo("hi!");
  TVMFFIByteArray content;
  TVMFFIAny packed;
  import_module(source, child);
  packed = pack(source);
  content = content_of(&packed);
  assert_int_equal(content.size, 91);
  assert_memory_equal(content.data, kWorkedExample, 91);
  check_release(&packed);
  TVMFFIObjectDecRef(source);
  TVMFFIObjectDecRef(child);
}

/* A library with the bytes embedded in it, opened by the system's loader. */
TEST(test_a_file) {
  TVMFFIObject *loaded = load("embedded.so");
  TVMFFIByteArray content;
  TVMFFIAny packed;
  check_demo(import_of(loaded, 0), "hi!", 3);
  packed = pack(loaded);
  content = content_of(&packed);
  assert_memory_equal(content.data, kWorkedExample, 91);
  check_release(&packed);
  TVMFFIObjectDecRef(loaded);
}

TEST(test_one_module) {
  TVMFFIObject *library = load("kernels.so"), *alone = new_demo("x"), *loaded;
  TVMFFIAny packed = pack(library);
  loaded = load_packed(&packed);
  assert_int_equal(num_imports(loaded), 0);
  assert_non_null(tvmffi_library_identity(loaded));
  check_packs_again(loaded, &packed);
  check_release(&packed);
  packed = pack(alone);
  loaded = load_packed(&packed);
  check_demo(loaded, "x", 1);
  check_packs_again(loaded, &packed);
  check_release(&packed);
  TVMFFIObjectDecRef(alone);
  TVMFFIObjectDecRef(library);
  assert_int_equal(num_alive, 0);
}

/*  root: {left, library, right, left};  left: {below};  right: {below, library};  below: none */
TEST(test_a_module_of_two_importers_is_packed_once) {
  TVMFFIObject *root = new_demo("root"), *left = new_demo("left"), *right = new_demo("right");
  TVMFFIObject *below = new_demo("below"), *library = load("kernels.so"), *loaded;
  TVMFFIAny packed;
  import_module(root, left);
  import_module(root, library);
  import_module(root, right);
  import_module(root, left); /* twice, which is allowed */
  import_module(left, below);
  import_module(right, below);
  import_module(right, library);
  packed = pack(root);
  TVMFFIObjectDecRef(root);
  TVMFFIObjectDecRef(left);
  TVMFFIObjectDecRef(right);
  TVMFFIObjectDecRef(below);
  TVMFFIObjectDecRef(library);
  assert_int_equal(num_alive, 0);
  loaded = load_packed(&packed);
  assert_int_equal(num_loaded, 4);
  check_demo(loaded, "root", 4);
  assert_int_equal(num_imports(loaded), 4);
  left = import_of(loaded, 0);
  right = import_of(loaded, 2);
  check_demo(left, "left", 4);
  assert_non_null(tvmffi_library_identity(import_of(loaded, 1)));
  check_demo(right, "right", 5);
  assert_ptr_equal(import_of(loaded, 3), left);
  assert_int_equal(num_imports(left), 1);
  assert_int_equal(num_imports(right), 2);
  check_demo(import_of(left, 0), "below", 5);
  assert_ptr_equal(import_of(right, 0), import_of(left, 0));
  assert_ptr_equal(import_of(right, 1), import_of(loaded, 1));
  check_packs_again(loaded, &packed);
  check_release(&packed);
  assert_int_equal(num_alive, 0);
}

/* Payloads of up to seven bytes are small values, longer ones objects; any bytes are allowed. */
TEST(test_payloads) {
  static const size_t sizes[] = {1, 7, 8, 255, 256, 257, 100000};
  char *payload = malloc(100000);
  size_t i;
  assert_non_null(payload);
  for (i = 0; i < 100000; ++i) payload[i] = (char)(i * 7);
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    TVMFFIObject *module = new_demo_of(payload, sizes[i]), *loaded;
    TVMFFIAny packed = pack(module);
    TVMFFIObjectDecRef(module);
    loaded = load_packed(&packed);
    check_demo(loaded, payload, sizes[i]);
    check_packs_again(loaded, &packed);
    check_release(&packed);
  }
  free(payload);
  assert_int_equal(num_alive, 0);
}

/* Numbers above 255, and a list of imports that grows. */
TEST(test_many_imports) {
  enum { kCount = 600 };
  TVMFFIObject *root = new_demo("root"), *loaded;
  TVMFFIAny packed;
  char name[32];
  int i;
  for (i = 0; i < kCount; ++i) {
    TVMFFIObject *child;
    (void)snprintf(name, sizeof name, "%d", i);
    child = new_demo(name);
    import_module(root, child);
    TVMFFIObjectDecRef(child);
  }
  packed = pack(root);
  TVMFFIObjectDecRef(root);
  loaded = load_packed(&packed);
  assert_int_equal(num_imports(loaded), kCount);
  for (i = 0; i < kCount; ++i) {
    (void)snprintf(name, sizeof name, "%d", i);
    check_demo(import_of(loaded, i), name, strlen(name));
  }
  check_packs_again(loaded, &packed);
  check_release(&packed);
  assert_int_equal(num_alive, 0);
}

TEST(test_a_long_chain) {
  TVMFFIObject *top = new_demo("end"), *loaded;
  TVMFFIAny packed;
  int i;
  for (i = 0; i < 1000; ++i) {
    TVMFFIObject *above = new_demo("link");
    import_module(above, top);
    TVMFFIObjectDecRef(top);
    top = above;
  }
  packed = pack(top);
  TVMFFIObjectDecRef(top);
  loaded = load_packed(&packed);
  assert_int_equal(num_alive, 1001);
  check_packs_again(loaded, &packed);
  check_release(&packed);
  assert_int_equal(num_alive, 0);
}

/* Imports that are no modules, put there by foreign code, are skipped, as everywhere. */
TEST(test_imports_that_are_no_modules) {
  TVMFFIObject *root = new_demo("root"), *child = new_demo("child"), *loaded;
  TVMFFIObject **imports = &((tvmffi_module *)(void *)root)->imports;
  TVMFFIAny item = tvmffi_any_none(), packed;
  check_ok(tvmffi_array_append(imports, &item));
  item = tvmffi_any_int(7);
  check_ok(tvmffi_array_append(imports, &item));
  import_module(root, child);
  TVMFFIObjectDecRef(child);
  packed = pack(root);
  loaded = load_packed(&packed);
  assert_int_equal(num_imports(loaded), 1);
  check_demo(import_of(loaded, 0), "child", 5);
  check_packs_again(loaded, &packed);
  check_release(&packed);
  TVMFFIObjectDecRef(root);
  assert_int_equal(num_alive, 0);
}

/* ---- Modules that are refused ---- */

TEST(test_arguments) {
  TVMFFIObject *array = tvmffi_array_new(0), *module = new_demo("x");
  TVMFFIAny bytes;
  check_fails(TVMFFIRuntimeModulePack(NULL, &bytes), "ValueError",
              "TVMFFIRuntimeModulePack: argument `root` must not be NULL");
  check_fails(TVMFFIRuntimeModulePack(module, NULL), "ValueError",
              "TVMFFIRuntimeModulePack: argument `out` must not be NULL");
  check_refused(array, -1, "TypeError",
                "TVMFFIRuntimeModulePack: expected `root` to be a `ffi.Module`, but got a "
                "`ffi.Array`");
  TVMFFIObjectDecRef(array);
  TVMFFIObjectDecRef(module);
}

/* The refused module is an import; bytes written before it are freed. */
static void check_import_refused(TVMFFIObject *module, int code, const char *kind,
                                 const char *message) {
  TVMFFIObject *root = new_demo("a payload of some length, which comes before");
  import_module(root, module);
  check_refused(root, code, kind, message);
  TVMFFIObjectDecRef(root);
  assert_int_equal(check_use_count(module), 1);
  check_refused(module, code, kind, message);
  TVMFFIObjectDecRef(module);
  assert_int_equal(num_alive, 0);
}

TEST(test_modules_that_are_refused) {
  check_import_refused(create(&kStubborn, NULL), -1, "RuntimeError",
                       "Module[stubborn] cannot be embedded: it is not binary-serializable");
  check_import_refused(create(&kMute, NULL), -1, "RuntimeError",
                       "Module[mute] does not support SaveToBytes");
  check_import_refused(create(&kRefusing, NULL), -1, "KeyError", "not now");
  check_import_refused(create(&kRefusing, &num_alive), -3, "InternalError",
                       "callee returned -3 without setting an error");
  check_import_refused(new_demo(""), -1, "RuntimeError",
                       "Module[demo] cannot be embedded: it was saved to no bytes");
  check_import_refused(create(&kHollow, NULL), -1, "RuntimeError",
                       "Module[hollow] cannot be embedded: it was saved to no bytes");
}

TEST(test_two_libraries_are_refused) {
  static const char message[] =
      "Module[library] cannot be embedded: the tree has modules of two libraries";
  TVMFFIObject *root = new_demo("root"), *first = load("kernels.so"), *again = load("kernels.so");
  TVMFFIObject *second = load("embedded.so"), *system = get_system_lib("test_pack_");
  TVMFFIObject *prefixed = get_system_lib("test_pack_other_");
  TVMFFIAny packed;
  import_module(root, first);
  import_module(root, again); /* the same library again, so it counts once */
  packed = pack(root);
  check_release(&packed);
  import_module(root, system);
  check_refused(root, -1, "RuntimeError", message);
  check_ok(tvmffi_imports_clear(root));
  import_module(root, system);
  import_module(root, prefixed); /* the system library counts once, whatever the prefixes */
  packed = pack(root);
  check_release(&packed);
  check_ok(tvmffi_imports_clear(root));
  import_module(first, second);
  check_refused(first, -1, "RuntimeError", message);
  TVMFFIObjectDecRef(system);
  TVMFFIObjectDecRef(prefixed);
  TVMFFIObjectDecRef(second);
  TVMFFIObjectDecRef(again);
  TVMFFIObjectDecRef(first);
  TVMFFIObjectDecRef(root);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_the_worked_example, set_up),
    cmocka_unit_test_setup(test_source_takes_the_place_of_the_library, set_up),
    cmocka_unit_test_setup(test_a_file, set_up),
    cmocka_unit_test_setup(test_one_module, set_up),
    cmocka_unit_test_setup(test_a_module_of_two_importers_is_packed_once, set_up),
    cmocka_unit_test_setup(test_payloads, set_up),
    cmocka_unit_test_setup(test_many_imports, set_up),
    cmocka_unit_test_setup(test_a_long_chain, set_up),
    cmocka_unit_test_setup(test_imports_that_are_no_modules, set_up),
    cmocka_unit_test_setup(test_arguments, set_up),
    cmocka_unit_test_setup(test_modules_that_are_refused, set_up),
    cmocka_unit_test_setup(test_two_libraries_are_refused, set_up),
})
