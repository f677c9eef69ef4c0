/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NOLOAD, getcwd */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/dl.h"
#include "support/check.h"

static char path[4096];

static void *open_file(const char *file) {
  char reason[256];
  void *handle;
  assert_true(snprintf(path, sizeof path, "%s/%s", getenv("TVM_FFI_TEST_MODULES"), file) <
              (int)sizeof path);
  handle = tvmffi_dl_open(path, reason, sizeof reason);
  assert_non_null(handle);
  return handle;
}

/* ---- Symbols ---- */

static int num_visited, num_known;
static const char *refused;

static bool visit(const char *name, bool is_taken) {
  static const struct {
    const char *name;
    bool is_taken;
  } kKnown[] = {
      {"TVMFFIStringFromByteArray", true},
      {"TVMFFIErrorSetRaised", true},
      {"__tvm_ffi_leave", false},
      {"__tvm_ffi__library_ctx", false},
      {"__test_closed", false},
  };
  size_t i;
  ++num_visited;
  for (i = 0; i < sizeof kKnown / sizeof kKnown[0]; ++i) {
    if (strcmp(name, kKnown[i].name) == 0 && is_taken == kKnown[i].is_taken) ++num_known;
  }
  return refused == NULL || strcmp(name, refused) != 0;
}

static bool visit_all(const char *file, const char *refused_name) {
  void *handle = open_file(file);
  bool rc;
  num_visited = num_known = 0;
  refused = refused_name;
  rc = tvmffi_dl_all_symbols(handle, visit);
  tvmffi_dl_close(handle);
  assert_null(dlopen(path, RTLD_LAZY | RTLD_NOLOAD)); /* visiting does not keep it loaded */
  return rc;
}

/* The number of symbols is found with hash tables of both formats, GNU and System V. */
static void test_symbols(void **state) {
  int all;
  (void)state;
  assert_true(visit_all("leave_nothing.so", NULL));
  assert_int_equal(num_known, 5);
  all = num_visited;
  assert_true(visit_all("leave_nothing_sysv.so", NULL));
  assert_int_equal(num_known, 5);
  assert_int_equal(num_visited, all);
  assert_false(visit_all("leave_nothing.so", "__tvm_ffi_leave"));
  assert_in_range(num_visited, 1, all);
}

static void test_symbols_of_what_is_brought_along(void **state) {
  (void)state;
  assert_true(visit_all("leave_nothing_along.so", NULL));
  /* Only the library that was brought along uses this symbol. */
  assert_false(visit_all("leave_nothing_along.so", "TVMFFIFunctionGetGlobal"));
  assert_true(visit_all("leave_nothing_along.so", "malloc")); /* libc is not visited */
}

/* ---- Addresses ---- */

static void test_sizes(void **state) {
  static const char kName[] = "__tvm_ffi__library_ctx";
  void *handle = open_file("leave_nothing.so"), *symbol = tvmffi_dl_symbol(handle, kName);
  char *on_heap = malloc(1);
  (void)state;
  assert_non_null(on_heap);
  assert_int_equal(tvmffi_dl_symbol_size(kName, symbol), sizeof(void *));
  /* for another name, or inside a symbol: the rest of the segment */
  assert_in_range(tvmffi_dl_symbol_size("no_such_name", symbol), sizeof(void *), 1 << 20);
  assert_int_equal(tvmffi_dl_symbol_size("no_such_name", symbol),
                   tvmffi_dl_symbol_size(kName, (char *)symbol + 1) + 1);
  assert_true(tvmffi_dl_symbol_size(kName, on_heap) == SIZE_MAX);
  free(on_heap);
  tvmffi_dl_close(handle);
}

static void test_keeping(void **state) {
  void *handle = open_file("leave_nothing.so");
  (void)state;
  tvmffi_dl_keep(&num_known); /* addresses of the program, the stack and nothing are ignored */
  tvmffi_dl_keep(&handle);
  tvmffi_dl_keep(NULL);
  tvmffi_dl_keep(tvmffi_dl_symbol(handle, "__tvm_ffi_leave"));
  tvmffi_dl_close(handle);
  handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  assert_non_null(handle);
  tvmffi_dl_close(handle);
}

/* Neither argv[0] nor a relative path would identify the file. */
static void test_paths(void **state) {
  static const char here = 0;
  char found[4096], again[4096], before[4096];
  void *handle;
  (void)state;
  assert_true(tvmffi_dl_find_path(&here, found, sizeof found));
  assert_int_equal(found[0], '/');
  assert_non_null(strstr(found, "/test_dl_elf"));
  assert_false(tvmffi_dl_find_path(&here, again, strlen(found)));
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir("/"), 0);
  assert_true(tvmffi_dl_find_path(&here, again, strlen(found) + 1));
  assert_string_equal(again, found);

  handle = open_file("kernels.so");
  assert_true(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi_add"), found, sizeof found));
  assert_string_equal(found, path);
  assert_false(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi_add"), found, strlen(path)));
  tvmffi_dl_close(handle);

  assert_int_equal(chdir(getenv("TVM_FFI_TEST_MODULES")), 0);
  handle = dlopen("./embedded.so", RTLD_LAZY);
  assert_non_null(handle);
  assert_false(tvmffi_dl_find_path(dlsym(handle, "__tvm_ffi__library_bin"), found, sizeof found));
  assert_int_equal(dlclose(handle), 0);
  assert_int_equal(chdir(before), 0);
  assert_false(tvmffi_dl_find_path(NULL, found, sizeof found));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_symbols), cmocka_unit_test(test_symbols_of_what_is_brought_along),
      cmocka_unit_test(test_sizes),   cmocka_unit_test(test_paths),
      cmocka_unit_test(test_keeping), /* last, because it keeps the library loaded */
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
