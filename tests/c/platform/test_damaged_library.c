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

#include "base/buf.h"
#include "base/utf8.h"
#include "c/module_support.h"
#include "module/library_file.h"
#include "platform/platform.h"
#include "support/environment.h"

static char folder[kEnvironmentPath];
static char path[sizeof folder + 16];
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
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char place[64];
  int rc = tvmffi_library_file_open(&name, &file);
  void *symbol;
  if (rc != 0) return 1;
  (void)tvmffi_dl_find_path(&num_taken, place, sizeof place); /* looks at all libraries */
  (void)tvmffi_library_is_needed(file->handle, &reason.to_set);
  tvmffi_buf_fini(&reason.buf);
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
    (void)alarm(10 * environment_slower());
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

/* ---- What is said of files that cannot be loaded ---- */

/* The ends of the child that tries to load a file. */
enum { kRefused = 10, kTaken, kWrong };

static char *shown_path; /* the file that is loaded */
static int num_refused;

/* Whether an error shows a whole reason, as UTF-8. */
static bool shows(TVMFFIObjectHandle error, const char *reason) {
  const TVMFFIByteArray message = TVMFFIErrorGetCellPtr(error)->message;
  tvmffi_buf expected = TVMFFI_BUF_INIT;
  tvmffi_buf_append_text(&expected, reason);
  tvmffi_buf_escape_invalid(&expected);
  return tvmffi_utf8_is_valid(message.data, message.size) && strlen(message.data) == message.size &&
         strstr(message.data, expected.data) != NULL;
}

/* Loads it by the system and then by the runtime, whose error shows the system's reason. In between
 * it says that the process has survived the system's loader. */
static int load_twice(int survived) {
  const TVMFFIByteArray name = {shown_path, strlen(shown_path)};
  const char *own_reason;
  char *reason;
  tvmffi_library_file *file;
  TVMFFIObjectHandle error;
  if (dlopen(shown_path, RTLD_LAZY | RTLD_LOCAL) != NULL) return kTaken;
  reason = strdup(dlerror());
  if (write(survived, "s", 1) != 1) return kWrong;
  if (tvmffi_library_file_open(&name, &file) == 0) return kTaken;
  TVMFFIErrorMoveFromRaised(&error);
  own_reason = tvmffi_dl_check(shown_path);
  if (shows(error, own_reason != NULL ? own_reason : reason)) return kRefused;
  print_error("%s\n%s\n", reason, TVMFFIErrorGetCellPtr(error)->message.data);
  return kWrong;
}

static void check_reason(void) {
  int status = 0, survived[2];
  char letter = '\0';
  pid_t child;
  assert_int_equal(pipe(survived), 0);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* cmocka's */
    size_t i;
    for (i = 0; i < sizeof signals / sizeof signals[0]; ++i) (void)signal(signals[i], SIG_DFL);
    (void)alarm(10 * environment_slower());
    _exit(load_twice(survived[1]));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  (void)close(survived[1]);
  if (read(survived[0], &letter, 1) < 0) fail();
  (void)close(survived[0]);
  /* The system's loader does not survive all of them. */
  if (!WIFEXITED(status) && letter == '\0') return;
  assert_true(WIFEXITED(status));
  assert_int_not_equal(WEXITSTATUS(status), kWrong);
  num_refused += WEXITSTATUS(status) == kRefused;
}

/* Bytes that are no UTF-8, and characters of all lengths. */
static const char *const kOdd[] = {
    "\xe9",         /* Latin-1 */
    "\xc0\xaf",     /* longer than need be */
    "\xed\xa0\x80", /* half of a pair */
    "\xc3\xa9",     /* two bytes, and more below */
    "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf0\x9f\x98", "\x80", "\xff", "a", "%s%n",
};
enum { kNumOdd = sizeof kOdd / sizeof *kOdd, kLongest = 6000 };
static const size_t kSizes[] = {1, 2, 3, 4, 200, 255, 256, 511, 512, 513, 1023, 1024, 1025, 4000};
enum { kNumSizes = sizeof kSizes / sizeof *kSizes };

/* Fills text with an odd text, over and over, and returns its size, which is at most `size`. */
static size_t fill(char *text, size_t size, const char *odd) {
  size_t used = 0;
  for (; used + strlen(odd) <= size; used += strlen(odd)) strcpy(text + used, odd);
  text[used] = '\0';
  return used;
}

TEST(test_reasons_for_files_that_are_missing) {
  char text[2 * kLongest];
  size_t i, k;
  num_refused = 0;
  shown_path = text;
  for (i = 0; i < kNumOdd; ++i) {
    for (k = 0; k < kNumSizes; ++k) {
      strcpy(text, "/tmp/");
      (void)fill(text + 5, kSizes[k], kOdd[i]);
      check_reason();
    }
  }
  shown_path = path;
  assert_int_equal(num_refused, kNumOdd * kNumSizes);
}

#if defined(__alpha__) || defined(__s390x__)
typedef uint64_t hash_word;
#else
typedef uint32_t hash_word;
#endif

/* Writes a library without code that needs another one. */
static void write_needing(const char *name) {
  static struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[3];
    ElfW(Dyn) entries[7];
    ElfW(Sym) symbols[1];
    hash_word hash[4]; /* one bucket, one symbol, which is none */
    char strings[1 + kLongest];
  } file;
  FILE *out;
  memset(&file, 0, sizeof file);
  memcpy(&file.header, bytes, sizeof file.header);
  file.header.e_phoff = (char *)file.segments - (char *)&file;
  file.header.e_phnum = 3;
  file.header.e_shnum = file.header.e_shstrndx = 0;
  file.segments[0].p_type = PT_LOAD;
  file.segments[0].p_flags = PF_R | PF_W;
  file.segments[0].p_filesz = file.segments[0].p_memsz = sizeof file;
  file.segments[0].p_align = 0x10000;
  file.segments[1].p_type = PT_DYNAMIC;
  file.segments[1].p_flags = PF_R | PF_W;
  file.segments[1].p_offset = (size_t)((char *)file.entries - (char *)&file);
  file.segments[1].p_vaddr = file.segments[1].p_offset;
  file.segments[1].p_filesz = file.segments[1].p_memsz = sizeof file.entries;
  file.segments[1].p_align = sizeof(void *);
  file.segments[2].p_type = PT_GNU_STACK;
  file.segments[2].p_flags = PF_R | PF_W;
  file.entries[0].d_tag = DT_NEEDED;
  file.entries[0].d_un.d_val = 1;
  file.entries[1].d_tag = DT_STRTAB;
  file.entries[1].d_un.d_ptr = (size_t)(file.strings - (char *)&file);
  file.entries[2].d_tag = DT_STRSZ;
  file.entries[2].d_un.d_val = sizeof file.strings;
  file.entries[3].d_tag = DT_SYMTAB;
  file.entries[3].d_un.d_ptr = (size_t)((char *)file.symbols - (char *)&file);
  file.entries[4].d_tag = DT_SYMENT;
  file.entries[4].d_un.d_val = sizeof *file.symbols;
  file.entries[5].d_tag = DT_HASH;
  file.entries[5].d_un.d_ptr = (size_t)((char *)file.hash - (char *)&file);
  file.hash[0] = file.hash[1] = 1;
  assert_true(strlen(name) + 1 < sizeof file.strings);
  strcpy(file.strings + 1, name);
  out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(&file, 1, sizeof file, out), sizeof file);
  assert_int_equal(fclose(out), 0);
}

TEST(test_reasons_for_libraries_that_are_missing) {
  char name[kLongest];
  size_t i, k;
  num_refused = 0;
  for (i = 0; i < kNumOdd; ++i) {
    for (k = 0; k < kNumSizes; ++k) {
      if (fill(name, kSizes[k], kOdd[i]) == 0) strcpy(name, "x");
      write_needing(name);
      check_reason();
    }
  }
  assert_int_equal(num_refused, kNumOdd * kNumSizes);
}

/* Of what the loader says, some has names of the file. */
TEST(test_reasons_for_damaged_files) {
  static const unsigned char kValues[] = {0xe9, '/'};
  const ElfW(Phdr) *dynamic = find_segment(PT_DYNAMIC), *code = find_segment(PT_LOAD);
  const ElfW(Dyn) *entry = (const void *)(bytes + dynamic->p_offset);
  size_t strings = 0, size = 0, i, k;
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr - code->p_vaddr + code->p_offset;
    if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
  }
  assert_in_range(size, 10, num_bytes);
  assert_in_range(strings, 1, num_bytes - size);
  num_refused = 0;
  for (i = 0; i < sizeof(ElfW(Ehdr)) + size; ++i) {
    unsigned char *at = i < size ? bytes + strings + i : bytes + (i - size), before = *at;
    for (k = 0; k < sizeof kValues; ++k) {
      *at = kValues[k];
      write_file();
      check_reason();
    }
    *at = before;
  }
  assert_in_range(num_refused, 20, 2 * (sizeof(ElfW(Ehdr)) + size));
}

/* A library for another C library than this program's, on Linux. */
TEST(test_other_c_libraries) {
#if defined(__GLIBC__)
  static const char *const kOthers[] = {"libc.so", "libc.musl-x86_64.so.1", "libc.so.7"};
  static const char kOwn[] = "libc.so.6", kThis[] = "glibc";
#else
  static const char *const kOthers[] = {"libc.so.6", "libc.so.6.1", "libc.so.0"};
  static const char kOwn[] = "libc.so", kThis[] = "musl";
#endif
  char said[256];
  size_t i;
  TVMFFIByteArray name = {path, strlen(path)};
  tvmffi_library_file *file;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    write_needing(kOthers[i]);
    (void)snprintf(said, sizeof said,
                   "; it is for another C library: it needs %s, and this program runs with %s",
                   kOthers[i], kThis);
    reason.to_set.set(&reason.to_set, "the loader's own reason");
    tvmffi_dl_explain_libc(path, &reason.to_set);
    assert_memory_equal(reason.to_set.text, "the loader's own reason", 23);
    assert_string_equal(reason.to_set.text + 23, said);
#if defined(__GLIBC__) /* musl takes them for its own */
    check_fails_with(tvmffi_library_file_open(&name, &file), "InternalError", said);
#endif
  }
  reason.to_set.set(&reason.to_set, "as it was");
  write_needing(kOwn);
  tvmffi_dl_explain_libc(path, &reason.to_set);
  write_needing("libcrypto.so.3");
  tvmffi_dl_explain_libc(path, &reason.to_set);
  write_needing("libc.so_with_a_name_that_is_too_long");
  tvmffi_dl_explain_libc(path, &reason.to_set);
  tvmffi_dl_explain_libc("libc.so", &reason.to_set);
  tvmffi_dl_explain_libc("/no/such/library.so", &reason.to_set);
  tvmffi_dl_explain_libc("/dev/null", &reason.to_set);
  assert_string_equal(reason.to_set.text, "as it was");
  tvmffi_buf_fini(&reason.buf);
  (void)name;
  (void)file;
}

/* Reading what a library needs survives any damage to the tables. */
TEST(test_other_c_libraries_in_damaged_files) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  const ElfW(Phdr) *dynamic = find_segment(PT_DYNAMIC);
  const ElfW(Ehdr) *header = (const void *)bytes;
  const size_t tables = header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr));
  size_t i;
  reason.to_set.set(&reason.to_set, "as it was");
  for (i = 0; i < tables + dynamic->p_filesz; ++i) {
    unsigned char *at = i < tables ? bytes + i : bytes + dynamic->p_offset + (i - tables);
    const unsigned char before = *at;
    *at = (unsigned char)~before;
    write_file();
    tvmffi_dl_explain_libc(path, &reason.to_set);
    *at = before;
  }
  assert_string_equal(reason.to_set.text, "as it was");
  tvmffi_buf_fini(&reason.buf);
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
  environment_temporary("tvm_ffi_damaged", folder);
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/damaged.so", folder);
  shown_path = path;
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
      cmocka_unit_test(test_reasons_for_files_that_are_missing),
      cmocka_unit_test(test_reasons_for_libraries_that_are_missing),
      cmocka_unit_test(test_reasons_for_damaged_files),
      cmocka_unit_test(test_other_c_libraries),
      cmocka_unit_test(test_other_c_libraries_in_damaged_files),
      cmocka_unit_test(test_damaged_headers),
      cmocka_unit_test(test_damaged_dynamic_section),
  };
  return cmocka_run_group_tests(tests, read_library, remove_library) != 0;
}
