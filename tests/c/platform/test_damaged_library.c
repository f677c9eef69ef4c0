/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files with damaged tables: what the system's loader takes, our reading of the same tables
 * must survive. Each file is loaded twice, in a child process of its own: by the system alone, and
 * by the runtime.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "platform/int128.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "c/module_support.h"
#include "module/library_file.h"
#include "platform/platform.h"

static char folder[] = "/tmp/tvm_ffi_damaged_XXXXXX";
static char path[64];
static unsigned char *bytes;
static size_t num_bytes;
static int num_taken; /* by the system's loader */
static pid_t test_process;

/* Ends a child in which a damaged library has jumped into the code of this test. */
static void end_strays(void) {
  if (getpid() != test_process) _exit(1);
}

static void write_file(void) {
  FILE *file;
  end_strays();
  file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, num_bytes, file), num_bytes);
  assert_int_equal(fclose(file), 0);
}

/* All that the runtime asks the system about a library. */
static int load_by_system(void) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) return 1;
  (void)dlsym(handle, "__tvm_ffi__library_ctx");
  (void)dlsym(handle, "__tvm_ffi__library_bin");
  (void)dlsym(handle, "__tvm_ffi_main");
  (void)dlclose(handle);
  return 0;
}

static int load_by_runtime(void) {
  TVMFFIByteArray name = {path, strlen(path)};
  tvmffi_library_file *file;
  char reason[64];
  int rc = tvmffi_library_file_open(&name, &file);
  void *symbol;
  if (rc != 0) return 1;
  (void)tvmffi_dl_find_path(&num_taken, reason, sizeof reason); /* looks at all libraries */
  (void)tvmffi_library_is_needed(file->handle, reason, sizeof reason);
  symbol = tvmffi_dl_symbol(file->handle, "__tvm_ffi_main");
  if (symbol != NULL) (void)tvmffi_dl_symbol_size("__tvm_ffi_main", symbol);
  (void)tvmffi_library_allow_unload(file);
  tvmffi_library_file_close(file);
  return 0;
}

/* Whether it ended by itself. */
static bool ends_well(int (*load_it)(void), bool *out_loaded) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* cmocka's */
  int status = 0;
  size_t i;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)freopen("/dev/null", "w", stderr);
    for (i = 0; i < sizeof signals / sizeof signals[0]; ++i) (void)signal(signals[i], SIG_DFL);
    (void)alarm(10);
    _exit(load_it());
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  *out_loaded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static void check_with(size_t offset, unsigned char value) {
  unsigned char before = bytes[offset];
  bool is_loaded, is_ours_loaded;
  bytes[offset] = value;
  write_file();
  if (before != value && ends_well(load_by_system, &is_loaded) && is_loaded) {
    ++num_taken;
    if (!ends_well(load_by_runtime, &is_ours_loaded)) {
      fail_msg("byte %zu set to 0x%x kills the process", offset, value);
    }
  }
  bytes[offset] = before;
}

static void check_all(size_t begin, size_t size) {
  size_t i;
  for (i = begin; i < begin + size; ++i) {
    check_with(i, i % 2 == 0 ? 0xff : 0x7f);
    check_with(i, (unsigned char)(bytes[i] + 4));
  }
}

static const ElfW(Phdr) * find_segment(uint32_t type) {
  const ElfW(Ehdr) *header = (const void *)bytes;
  const ElfW(Phdr) *segment = (const void *)(bytes + header->e_phoff);
  int i;
  for (i = 0; i < header->e_phnum; ++i, ++segment) {
    if (segment->p_type == type) return segment;
  }
  return NULL;
}

TEST(test_damaged_headers) {
  const ElfW(Ehdr) *header = (const void *)bytes;
  check_all(header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr)));
  assert_true(num_taken > 100);
}

TEST(test_damaged_dynamic_section) {
  const ElfW(Phdr) *dynamic = find_segment(PT_DYNAMIC);
  assert_non_null(dynamic);
  check_all(dynamic->p_offset, dynamic->p_filesz);
}

static const char kElsewhere[] = "the file is damaged: its tables are not in its segments";

static void check_is_damaged(const char *reason) {
  write_file();
  assert_string_equal(tvmffi_dl_check(path), reason);
}

/* A segment that says where the program headers are lies: in memory, or in a segment. */
TEST(test_program_headers_elsewhere) {
  const ElfW(Ehdr) *header = (const void *)bytes;
  ElfW(Phdr) *segment = (ElfW(Phdr) *)(uintptr_t)find_segment(PT_GNU_STACK), saved;
  bool is_loaded;
  if (segment == NULL) skip(); /* the linker makes none */
  saved = *segment;
  segment->p_type = PT_PHDR;
  segment->p_vaddr = (ElfW(Addr))1 << 30;
  write_file();
  assert_true(ends_well(load_by_runtime, &is_loaded));
  assert_false(is_loaded);
  segment->p_offset = header->e_phoff;
  segment->p_vaddr = find_segment(PT_LOAD)->p_vaddr + header->e_phoff;
  segment->p_memsz = segment->p_filesz = header->e_phnum * sizeof *segment;
  write_file();
  assert_null(tvmffi_dl_check(path));
  segment->p_vaddr -= 8;
  check_is_damaged(kElsewhere);
  segment->p_offset -= 8;
  check_is_damaged(kElsewhere);
  *segment = saved;
}

/* The system would read other bytes of the segment as the dynamic section. */
TEST(test_a_dynamic_section_elsewhere) {
  ElfW(Phdr) *segment = (ElfW(Phdr) *)(uintptr_t)find_segment(PT_DYNAMIC);
  assert_non_null(segment);
  segment->p_vaddr -= 16;
  check_is_damaged(kElsewhere);
  segment->p_vaddr += 16;
}

/* The system would map them over other libraries. */
TEST(test_segments_that_overlap) {
  static const char kReason[] = "the file is damaged: its segments overlap";
  ElfW(Phdr) *segment = (ElfW(Phdr) *)(uintptr_t)find_segment(PT_LOAD), saved;
  assert_non_null(segment);
  saved = *segment;
  segment->p_memsz = 4 << 20; /* tcc leaves 2 MB between segments */
  check_is_damaged(kReason);
  segment->p_memsz = saved.p_filesz - 1;
  check_is_damaged(kReason);
  segment->p_memsz = UINTPTR_MAX;
  segment->p_vaddr = 1;
  check_is_damaged(kReason);
  *segment = saved;
}

/* The system would make the memory of others read-only. */
TEST(test_read_only_data_beyond_the_segments) {
  ElfW(Phdr) *segment = (ElfW(Phdr) *)(uintptr_t)find_segment(PT_GNU_RELRO), saved;
  if (segment == NULL) skip(); /* the linker makes none */
  saved = *segment;
  segment->p_memsz = 1 << 20;
  check_is_damaged(kElsewhere);
  segment->p_memsz = 0; /* the same as none */
  write_file();
  assert_null(tvmffi_dl_check(path));
  *segment = saved;
}

FIXTURE(read_library) {
  FILE *file = fopen(module_path("leave_nothing.so"), "rb");
  test_process = getpid();
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  num_bytes = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(num_bytes);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, num_bytes, file), num_bytes);
  (void)fclose(file);
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/damaged.so", folder);
  return 0;
}

FIXTURE(remove_library) {
  end_strays();
  free(bytes);
  (void)unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_program_headers_elsewhere),
      cmocka_unit_test(test_a_dynamic_section_elsewhere),
      cmocka_unit_test(test_segments_that_overlap),
      cmocka_unit_test(test_read_only_data_beyond_the_segments),
      cmocka_unit_test(test_damaged_headers),
      cmocka_unit_test(test_damaged_dynamic_section),
  };
  return cmocka_run_group_tests(tests, read_library, remove_library) != 0;
}
