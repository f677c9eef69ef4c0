/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkdtemp */
#include <fcntl.h>
#include <sys/stat.h>
#include <tvm/ffi/c/module.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "base/hash.h"
#include "c/module_support.h"
#include "core/string_object.h"
#include "module/library.h"
#include "support/environment.h"
#include "support/thread.h"

static int deleted; /* how often library code deleted something */
static int closed;  /* how often a library's destructor ran */
static char folder[kEnvironmentPath];

FIXTURE(set_up) {
  static int is_registered;
  deleted = closed = 0;
  if (is_registered) return 0;
  is_registered = 1;
  environment_temporary("tvm_ffi_files", folder);
  assert_non_null(mkdtemp(folder));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_deleted", &deleted));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  return 0;
}

FIXTURE(remove_folder) {
  return rmdir(folder);
}

static TVMFFIAny leave(TVMFFIObject *module) {
  TVMFFIAny left = tvmffi_any_none();
  check_ok(call_function(module, "leave", NULL, 0, &left));
  return left;
}

static void check_same_library(TVMFFIObject *a, TVMFFIObject *b, bool expected) {
  assert_int_equal(tvmffi_library_identity(a) == tvmffi_library_identity(b), expected);
}

/* ---- Kernels ---- */

enum { kNumKernels = 2000 };

static char addresses[kNumKernels];

/* Keeps the addresses that are missing. A thread that is second must find those of the first. */
static void *keep_kernels(void *file) {
  char text[32];
  size_t i;
  for (i = 0; i < kNumKernels; ++i) {
    TVMFFIByteArray name = {text, (size_t)snprintf(text, sizeof text, "kernel_%zu", i * 31)};
    uint64_t hash = tvmffi_hash_bytes(name.data, name.size);
    if (tvmffi_library_file_find_kernel(file, &name, hash) == NULL &&
        tvmffi_library_file_keep_kernel(file, &name, hash, &addresses[i]) != 0) {
      return file;
    }
    /* the first address stays */
    if (tvmffi_library_file_keep_kernel(file, &name, hash, file) != 0) return file;
    if (tvmffi_library_file_find_kernel(file, &name, hash) != (void *)&addresses[i]) return file;
    --name.size;
    if (tvmffi_library_file_find_kernel(file, &name, hash) != NULL) return file;
  }
  return NULL;
}

TEST(test_kernels) {
  TVMFFIByteArray path = check_bytes(module_path("leave_nothing.so"));
  TVMFFIObject *module = load("leave_nothing.so");
  void *(*const bodies[4])(void *) = {keep_kernels, keep_kernels, keep_kernels, keep_kernels};
  tvmffi_library_file *file;
  check_ok(tvmffi_library_file_open(&path, &file));
  assert_int_equal(thread_count_results(4, bodies, file), 0);
  assert_int_equal(file->kernels.num_records, kNumKernels);
  check_ok(TVMFFIRuntimeModuleAllowUnload(module)); /* which frees the addresses */
  tvmffi_library_file_close(file);
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

/* ---- Files that change ---- */

static const char *in_folder(const char *name) {
  static char path[4096];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static TVMFFIObject *load_path(const char *path) {
  TVMFFIObject *module;
  check_ok(load_file(path, &module));
  return module;
}

/* Replaces the file at the path by a copy of a library of the tests. */
static void put_copy(const char *file, const char *path) {
  char bytes[4096], fresh[4096];
  FILE *source = fopen(module_path(file), "rb"), *copy;
  size_t n;
  (void)snprintf(fresh, sizeof fresh, "%s/fresh", folder);
  copy = fopen(fresh, "wb");
  assert_non_null(source);
  assert_non_null(copy);
  while ((n = fread(bytes, 1, sizeof bytes, source)) != 0) {
    assert_int_equal(fwrite(bytes, 1, n, copy), n);
  }
  (void)fclose(source);
  assert_int_equal(fclose(copy), 0);
  assert_int_equal(rename(fresh, path), 0);
}

TEST(test_a_file_is_replaced) {
  const char *path = in_folder("replaced.so");
  TVMFFIObject *modules[3], *again;
  char respelled[4096];
  int i;
  for (i = 0; i < 3; ++i) { /* the old libraries are in use meanwhile */
    put_copy(i == 1 ? "kernels.so" : "leave_nothing.so", path);
    modules[i] = load_path(path);
    again = load_path(path);
    check_same_library(modules[i], again, true);
    TVMFFIObjectDecRef(again);
  }
  check_same_library(modules[0], modules[2], false);
  assert_null(get_function(modules[0], "main", 0));
  assert_int_equal(call_int(modules[1], "main"), 1);
  assert_null(get_function(modules[2], "main", 0));
  for (i = 0; i < 3; ++i) TVMFFIObjectDecRef(modules[i]);
  /* the path of the newest file by other names */
  (void)snprintf(respelled, sizeof respelled, "%s/.//./replaced.so", folder);
  modules[0] = load_path(path);
  modules[1] = load_path(respelled);
  check_same_library(modules[0], modules[1], true);
  TVMFFIObjectDecRef(modules[0]);
  TVMFFIObjectDecRef(modules[1]);
  (void)unlink(path);
}

/* Every path by which the runtime might open the second file is in use for another. */
TEST(test_a_file_is_replaced_under_many_paths) {
  const char *path = in_folder("many.so");
  TVMFFIObject *modules[9];
  char respelled[4096];
  uint32_t i;
  for (i = 0; i < 8; ++i) {
    tvmffi_dl_respell(path, i + 1, respelled);
    put_copy("leave_nothing.so", path);
    modules[i] = load_path(i == 0 ? path : respelled);
  }
  put_copy("kernels.so", path);
  modules[8] = load_path(path);
  assert_int_equal(call_int(modules[8], "main"), 1);
  for (i = 0; i < 8; ++i) {
    TVMFFIAny left = leave(modules[i]);
    check_release(&left);
    check_same_library(modules[i], modules[(i + 1) % 8], false);
  }
  for (i = 0; i < 9; ++i) TVMFFIObjectDecRef(modules[i]);
  (void)unlink(path);
}

/* The system is given the path in another way, and names that one in its message. */
TEST(test_an_error_shows_the_path_of_the_host) {
  const char *path = in_folder("shown.so");
  TVMFFIObject *module, *again;
  TVMFFIObjectHandle error = NULL;
  const char *message;
  FILE *file;
  put_copy("kernels.so", path);
  module = load_path(path);
  (void)unlink(path);
  file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs("too short", file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(load_file(path, &again), -1);
  TVMFFIErrorMoveFromRaised(&error);
  assert_non_null(error);
  message = TVMFFIErrorGetCellPtr(error)->message.data;
  assert_non_null(strstr(message, path));
  assert_null(strstr(message, "//"));
  assert_null(strstr(message, "/./"));
  TVMFFIObjectDecRef(error);
  TVMFFIObjectDecRef(module);
  (void)unlink(path);
}

/* So do messages about a library that was opened by another way to write its path. */
TEST(test_what_is_kept_is_named_by_the_path_of_the_host) {
  const char *path = in_folder("named.so");
  TVMFFIObject *module, *again;
  char shown[2 * 4096];
  put_copy("kernels.so", path);
  module = load_path(path);
  put_copy("leave_a_global.so", path);
  again = load_path(path);
  (void)snprintf(shown, sizeof shown, "%s cannot be unloaded: global function `test.left_behind`",
                 path);
  check_fails_with(TVMFFIRuntimeModuleAllowUnload(again), "RuntimeError", shown);
  remove_global("test.left_behind");
  check_ok(TVMFFIRuntimeModuleAllowUnload(again));
  TVMFFIObjectDecRef(again);
  TVMFFIObjectDecRef(module);
  (void)unlink(path);
}

/* The mappings of files in this process: those of memory may come and go with malloc. */
static int count_mappings(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  int count = 0;
  if (maps == NULL) return -1;
  while (fgets(line, sizeof line, maps) != NULL) count += strchr(line, '/') != NULL;
  (void)fclose(maps);
  return count;
}

/*
 * A service that builds its kernel again and again. The old one is released before the new one is
 * loaded, or after that.
 */
TEST(test_rebuilt_kernels_leave_nothing_behind) {
  enum { kWarmUp = 20, kRounds = 200 };
  const char *path = in_folder("rebuilt.so");
  TVMFFIObjectHandle kept = NULL;
  int mappings = 0, i;
  for (i = 0; i < kWarmUp + kRounds; ++i) {
    TVMFFIObjectHandle module = NULL, function = NULL;
    TVMFFIAny args[2], result;
    if (i == kWarmUp) mappings = count_mappings();
    if (i % 4 < 2) {
      tvm_ffi_object_release(kept);
      kept = NULL;
    }
    put_copy("kernels.so", path);
    check_ok(tvm_ffi_module_load_with_function(path, "add", &module, &function));
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
    tvm_ffi_object_release(module);
    args[0] = tvm_ffi_any_from_int64(i);
    args[1] = tvm_ffi_any_from_int64(1);
    check_ok(tvm_ffi_function_call(function, args, 2, &result));
    assert_int_equal(result.v_int64, i + 1);
    tvm_ffi_object_release(kept);
    kept = function;
  }
  if (kCheckUnloads && mappings != -1) assert_int_equal(count_mappings(), mappings);
  tvm_ffi_object_release(kept);
  (void)unlink(path);
}

static void keep_message(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)snprintf(context, 256, "%s", message);
}

/* The initialiser of the new library would register the same function, and fail. */
TEST(test_a_library_with_global_functions_is_not_replaced) {
  const char *path = in_folder("global.so");
  TVMFFIObject *module, *again;
  char logged[256] = "";
  if (!kCheckUnloads) skip(); /* musl tells files apart itself, and loads both */
  put_copy("leave_a_global.so", path);
  module = load_path(path);
  put_copy("leave_nothing.so", path);
  check_ok(TVMFFIRuntimeSetLogHook(keep_message, logged));
  again = load_path(path);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
  check_same_library(module, again, true);
  assert_non_null(strstr(logged,
                         "global.so is used as it was before the file was replaced: "
                         "global function `test.left_behind` needs it"));
  TVMFFIObjectDecRef(again);
  remove_global("test.left_behind");
  again = load_path(path);
  check_same_library(module, again, false);
  TVMFFIObjectDecRef(again);
  TVMFFIObjectDecRef(module);
  (void)unlink(path);
}

/* As when it was loaded by a name that the system looks up: then the path says which file it is. */
TEST(test_a_file_that_is_not_known) {
  TVMFFIByteArray path = check_bytes(module_path("leave_a_global.so"));
  TVMFFIObject *module = load("leave_a_global.so");
  tvmffi_library_file *file, *again;
  char logged[256] = "";
  check_ok(tvmffi_library_file_open(&path, &file));
  assert_true(file->is_identified);
  file->is_identified = false;
  check_ok(TVMFFIRuntimeSetLogHook(keep_message, logged));
  check_ok(tvmffi_library_file_open(&path, &again));
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
  assert_ptr_equal(again, file);
  assert_true(file->is_identified);
  assert_string_equal(logged, "");
  tvmffi_library_file_close(file);
  tvmffi_library_file_close(file);
  remove_global("test.left_behind");
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

TEST(test_a_file_is_moved) {
  char path[4096];
  TVMFFIObject *module, *moved, *other;
  (void)snprintf(path, sizeof path, "%s/before.so", folder);
  put_copy("leave_nothing.so", path);
  module = load_path(path);
  assert_int_equal(rename(path, in_folder("after.so")), 0);
  put_copy("kernels.so", path);
  moved = load_path(in_folder("after.so"));
  other = load_path(path);
  check_same_library(module, moved, true);
  check_same_library(module, other, false);
  TVMFFIObjectDecRef(module);
  TVMFFIObjectDecRef(moved);
  TVMFFIObjectDecRef(other);
  (void)unlink(path);
  (void)unlink(in_folder("after.so"));
}

/* The file grows at its end, so that what is in memory remains whole. */
TEST(test_a_file_is_written_over) {
  const char *path = in_folder("over.so");
  TVMFFIObject *module, *again;
  FILE *file;
  put_copy("leave_nothing.so", path);
  module = load_path(path);
  file = fopen(path, "ab");
  assert_non_null(file);
  assert_true(fputc(0, file) == 0);
  assert_int_equal(fclose(file), 0);
  check_fails_with(load_file(path, &again), "InternalError",
                   "over.so the file was written over while it is loaded; delete it, then write");
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
  if (kCheckUnloads) TVMFFIObjectDecRef(load_path(path));
  (void)unlink(path);
}

static void set_time(const char *path, time_t seconds, long nanoseconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {0, 0}};
  times[1].tv_sec = seconds;
  times[1].tv_nsec = nanoseconds;
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(test_a_changed_time_of_a_loaded_file_is_logged_once) {
  const char *path = in_folder("touched.so");
  char logged[256];
  TVMFFIObject *module, *again;
  int i;
  put_copy("leave_nothing.so", path);
  set_time(path, 1000000000, 5);
  module = load_path(path);
  check_ok(TVMFFIRuntimeSetLogHook(keep_message, logged));
  for (i = 0; i < 4; ++i) {
    if (i == 0) set_time(path, 1000000001, 5);
    if (i == 2) set_time(path, 1000000001, 6);
    logged[0] = '\0';
    again = load_path(path);
    check_same_library(module, again, true);
    TVMFFIObjectDecRef(again);
    if (i % 2 == 0) {
      assert_non_null(strstr(logged, "touched.so was changed while it is loaded"));
    } else {
      assert_string_equal(logged, "");
    }
  }
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
  TVMFFIObjectDecRef(module);
  (void)unlink(path);
}

/* ---- Paths ---- */

enum { kHugeSize = 8 << 20 };

typedef struct {
  char *text;
  int rc;
  TVMFFIObject *module;
} huge_load;

static void load_huge(void *context) {
  huge_load *load_it = context;
  TVMFFIByteArray path = check_bytes(load_it->text);
  tvmffi_library_file *file;
  load_it->rc = tvmffi_library_file_open(&path, &file);
  if (load_it->rc != 0) TVMFFIErrorSetRaised(NULL);
}

/* The loader of glibc copies a path without a slash to the stack. */
TEST(test_a_path_longer_than_path_max_is_an_error) {
  static const size_t sizes[] = {4096, 300 << 10, kHugeSize};
  char *text = malloc(kHugeSize + 1);
  TVMFFIByteArray path;
  tvmffi_library_file *file;
  huge_load in_thread = {text, 0, NULL};
  size_t i;
  assert_non_null(text);
  path.data = text;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    char expected[80];
    path.size = sizes[i];
    memset(text, 'a', path.size);
    text[path.size] = '\0';
    (void)snprintf(expected, sizeof expected, "the path has %zu bytes, more than 4095", path.size);
    check_fails_with(tvmffi_library_file_open(&path, &file), "InternalError", expected);
    thread_run(load_huge, &in_thread, 128 << 10);
    assert_int_equal(in_thread.rc, -1);
  }
  text[4095] = '\0';
  path.size = 4095;
  check_fails_with(tvmffi_library_file_open(&path, &file), "InternalError", "aaa");
  free(text);
}

static void ask_huge(void *context) {
  huge_load *ask_it = context;
  TVMFFIAny args[3], result;
  args[0] = tvmffi_any_object(ask_it->module);
  args[1] = tvmffi_any_raw_str(ask_it->text);
  args[2] = tvmffi_any_bool(false);
  ask_it->rc = call_global("ffi.ModuleGetFunction", args, 3, &result);
  if (result.type_index != kTVMFFINone) ask_it->rc = 1;
}

TEST(test_a_huge_name_of_a_function_is_not_found) {
  huge_load ask = {malloc(kHugeSize + 1), 1, load("kernels.so")};
  assert_non_null(ask.text);
  memset(ask.text, 'a', kHugeSize);
  ask.text[kHugeSize] = '\0';
  thread_run(ask_huge, &ask, 128 << 10);
  assert_int_equal(ask.rc, 0);
  TVMFFIObjectDecRef(ask.module);
  free(ask.text);
}

/* A FIFO without a writer, a device without end, a folder. */
TEST(test_what_is_no_file_is_refused) {
  const char *path = in_folder("fifo");
  TVMFFIObject *module;
  assert_int_equal(mkfifo(path, 0600), 0);
  check_fails_with(load_file(path, &module), "InternalError", "it is not a regular file");
  (void)unlink(path);
  check_fails_with(load_file("/dev/zero", &module), "InternalError", "it is not a regular file");
  check_fails_with(load_file(folder, &module), "InternalError", "directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_kernels, set_up),
      cmocka_unit_test_setup(test_a_file_is_replaced, set_up),
      cmocka_unit_test_setup(test_a_file_is_replaced_under_many_paths, set_up),
      cmocka_unit_test_setup(test_an_error_shows_the_path_of_the_host, set_up),
      cmocka_unit_test_setup(test_what_is_kept_is_named_by_the_path_of_the_host, set_up),
      cmocka_unit_test_setup(test_rebuilt_kernels_leave_nothing_behind, set_up),
      cmocka_unit_test_setup(test_a_library_with_global_functions_is_not_replaced, set_up),
      cmocka_unit_test_setup(test_a_file_that_is_not_known, set_up),
      cmocka_unit_test_setup(test_a_file_is_moved, set_up),
      cmocka_unit_test_setup(test_a_file_is_written_over, set_up),
      cmocka_unit_test_setup(test_a_changed_time_of_a_loaded_file_is_logged_once, set_up),
      cmocka_unit_test_setup(test_a_path_longer_than_path_max_is_an_error, set_up),
      cmocka_unit_test_setup(test_a_huge_name_of_a_function_is_not_found, set_up),
      cmocka_unit_test_setup(test_what_is_no_file_is_refused, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, remove_folder) != 0;
}
