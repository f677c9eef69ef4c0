/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "platform/platform.h"
#include "support/check.h"
#include "support/environment.h"

static char *content; /* the bytes of a library file */
static size_t size;

static char library_path[4096];

FIXTURE(find_library) {
  const char *folder = getenv("TVM_FFI_TEST_MODULES");
  if (folder == NULL) return -1;
  (void)snprintf(library_path, sizeof library_path, "%s/kernels.so", folder);
  return 0;
}

FIXTURE(read_library) {
  FILE *file = fopen(library_path, "rb");
  if (file == NULL) return -1;
  content = malloc(1 << 20);
  if (content == NULL) return -1;
  size = fread(content, 1, 1 << 20, file);
  (void)fclose(file);
  return size > 4096 ? 0 : -1;
}

FIXTURE(free_library) {
  free(content);
  return 0;
}

/* Loads the library's first n bytes from a file, in a child process; returns its exit status. */
static int load_first(size_t n, const char *path) {
  FILE *file = fopen(path, "wb");
  pid_t child;
  int status;
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tvmffi_reason reason = TVMFFI_REASON_INIT;
    void *handle = tvmffi_dl_open(path, &reason.to_set);
    _exit(handle != NULL ? 10 : reason.to_set.text[0] != '\0' ? 20 : 30);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The system's loader would crash with SIGBUS on such a file. */
TEST(test_files_that_are_cut_off_are_refused) {
  char path[kEnvironmentPath];
  int file;
  size_t n;
  environment_temporary("tvm_ffi_cut", path);
  file = mkstemp(path);
  assert_true(file >= 0);
  (void)close(file);
  for (n = 0; n < size; n += n < 1024 ? 61 : 1021) {
    int status = load_first(n, path);
    /* Near the end only parts that no loader reads are missing. */
    if (status != 20 && !(status == 10 && n > 4096)) {
      print_error("%zu bytes of %zu: status %d\n", n, size, status);
      fail();
    }
  }
  assert_int_equal(load_first(size, path), 10);
  (void)unlink(path);
}

TEST(test_reasons) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  assert_string_equal(reason.to_set.text, "");
  assert_null(tvmffi_dl_open("./no/such/library.so", &reason.to_set));
  assert_non_null(strstr(reason.to_set.text, "./no/such/library.so"));
  assert_null(tvmffi_dl_open("./no/other/library.so", &reason.to_set));
  assert_non_null(strstr(reason.to_set.text, "./no/other/library.so"));
  assert_null(strstr(reason.to_set.text, "./no/such/library.so"));
  tvmffi_buf_fini(&reason.buf);
}

TEST(test_what_is_loaded_is_found) {
  static const char *const libraries[] = {"libnosuchlibrary.so.1", "libc.so.6", NULL};
  assert_non_null(tvmffi_dl_find_loaded("malloc", libraries + 2));
  assert_non_null(tvmffi_dl_find_loaded("malloc", libraries));
  assert_null(tvmffi_dl_find_loaded("no_such_symbol", libraries));
}

static void *open_library(void) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *handle = tvmffi_dl_open(library_path, &reason.to_set);
  assert_string_equal(reason.to_set.text, "");
  return handle;
}

TEST(test_what_is_loaded_is_opened) {
  void *handle, *again;
  assert_null(tvmffi_dl_open_loaded(library_path));
  handle = open_library();
  assert_non_null(handle);
  again = tvmffi_dl_open_loaded(library_path);
  assert_ptr_equal(again, handle);
  tvmffi_dl_close(handle);
  tvmffi_dl_close(again);
  check_unloaded(tvmffi_dl_open_loaded(library_path) != NULL);
}

TEST(test_respelled_paths) {
  static const char kPath[] = "/some/folder/file.so";
  char all[100][sizeof kPath + kTvmffiDlRespelled], longest[sizeof kPath + kTvmffiDlRespelled];
  uint32_t i, j;
  for (i = 0; i < 100; ++i) {
    tvmffi_dl_respell(kPath, i, all[i]);
    assert_int_equal(strncmp(all[i], "/some/folder/", 13), 0);
    assert_string_equal(all[i] + strlen(all[i]) - 8, "/file.so");
    for (j = 0; j < i; ++j) assert_string_not_equal(all[i], all[j]);
  }
  assert_string_equal(all[0], kPath);
  assert_string_equal(all[1], "/some/folder/./file.so");
  assert_string_equal(all[6], "/some/folder//././file.so");
  tvmffi_dl_respell(kPath, UINT32_MAX, longest);
  assert_true(strlen(longest) < sizeof longest);
}

TEST(test_files_are_told_apart) {
  tvmffi_dl_file file, same, other;
  char respelled[sizeof library_path + kTvmffiDlRespelled];
  assert_true(tvmffi_dl_find_file(library_path, &file));
  tvmffi_dl_respell(library_path, 5, respelled);
  assert_true(tvmffi_dl_find_file(respelled, &same));
  assert_memory_equal(&file, &same, sizeof file);
  assert_true(tvmffi_dl_find_file("/", &other));
  assert_memory_not_equal(&file, &other, sizeof file);
  assert_false(tvmffi_dl_find_file("/no/such/file.so", &other));
  assert_false(tvmffi_dl_find_file("libc.so.6", &other)); /* the system searches for it */
}

/* Libraries of tests/modules are found in a folder beside this program, others by their name. */
TEST(test_beside_this_code_or_by_name) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *handle;
  if (access("/proc/self/exe", F_OK) != 0) skip(); /* the program has no path then */
  handle = tvmffi_dl_open_beside("modules/kernels.so", &reason.to_set);
  assert_string_equal(reason.to_set.text, "");
  assert_non_null(handle);
  assert_non_null(tvmffi_dl_symbol(handle, "__tvm_ffi_add"));
  tvmffi_dl_close(handle);
  handle = tvmffi_dl_open_beside("libc.so.6", &reason.to_set);
  assert_non_null(handle);
  tvmffi_dl_close(handle);
  assert_null(tvmffi_dl_open_beside("libnosuchlibrary.so", &reason.to_set));
  assert_non_null(strstr(reason.to_set.text, "libnosuchlibrary.so"));
  tvmffi_buf_fini(&reason.buf);
}

TEST(test_a_name_that_is_too_long) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char *name = malloc(5000);
  assert_non_null(name);
  memset(name, 'x', 4999);
  name[4999] = '\0';
  assert_null(tvmffi_dl_open_beside(name, &reason.to_set));
  tvmffi_buf_fini(&reason.buf);
  free(name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_files_that_are_cut_off_are_refused, read_library,
                                      free_library),
      cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_what_is_loaded_is_found),
      cmocka_unit_test(test_what_is_loaded_is_opened),
      cmocka_unit_test(test_respelled_paths),
      cmocka_unit_test(test_files_are_told_apart),
      cmocka_unit_test(test_beside_this_code_or_by_name),
      cmocka_unit_test(test_a_name_that_is_too_long),
  };
  return cmocka_run_group_tests(tests, find_library, NULL) != 0;
}
