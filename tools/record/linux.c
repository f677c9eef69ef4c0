/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder needs of Linux; macos.c has the same for macOS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#include "platform/elf_image.h"
#include "record.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Files that are loaded ---- */

static void read_build_id(const tvmffi_elf_image *file, const ElfW(Phdr) * segment,
                          record_loaded_file *out) {
  const char *at = (const char *)(file->base + segment->p_vaddr);
  size_t left = segment->p_memsz;
  while (left >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
    size_t name = (note->n_namesz + 3u) & ~(size_t)3, text = (note->n_descsz + 3u) & ~(size_t)3;
    const unsigned char *bytes = (const unsigned char *)(note + 1) + name;
    size_t i;
    if (name > left || text > left || sizeof *note + name + text > left) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz <= 64 &&
        memcmp(note + 1, "GNU", 4) == 0) {
      for (i = 0; i < note->n_descsz; ++i)
        (void)snprintf(out->build_id + 2 * i, 3, "%02x", bytes[i]);
      return;
    }
    at += sizeof *note + name + text;
    left -= sizeof *note + name + text;
  }
}

static const char kGone[] = " (deleted)"; /* another file may have the name now */

/* The size of a path as the system tells it, without that. */
static size_t cut_gone(const char *path, size_t size) {
  const size_t gone = sizeof kGone - 1;
  return size > gone && memcmp(path + size - gone, kGone, gone) == 0 ? size - gone : size;
}

/* Writes the absolute path of the file that an address is mapped from; false if it is not known. */
static bool find_mapped(uintptr_t address, char *out, size_t out_size) {
  enum { kLine = kRecordPath + 128 };
  FILE *maps = fopen("/proc/self/maps", "re");
  char *line = malloc(kLine); /* the stack of a thread may be small */
  bool is_found = false;
  while (maps != NULL && line != NULL && !is_found && fgets(line, kLine, maps) != NULL) {
    char *at = line, *path = (strchr)(line, '/'), *end = (strchr)(line, '\n');
    const unsigned long long begin = strtoull(at, &at, 16), stop = strtoull(at + 1, NULL, 16);
    if (address < begin || address >= stop || path == NULL || end == NULL) continue;
    end = path + cut_gone(path, (size_t)(end - path));
    is_found = (size_t)(end - path) < out_size;
    if (!is_found) break;
    memcpy(out, path, (size_t)(end - path));
    out[end - path] = '\0';
  }
  if (maps != NULL) (void)fclose(maps);
  free(line);
  return is_found;
}

/* The loader has relative paths as they were given, in a folder that may be another now. */
static void set_path(const char *path, record_loaded_file *out) {
  if (path[0] == '/' || !find_mapped(out->address, out->path, sizeof out->path)) {
    (void)snprintf(out->path, sizeof out->path, "%s", path);
  }
}

/*
 * dl_iterate_phdr takes a lock that glibc does not free in a child of fork, if another thread had
 * it: there it would never return. From version 2.35 glibc finds the file without a lock.
 */
#if defined(__GLIBC__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
#pragma weak _dl_find_object

/* The file's header, which its segments follow, is at its beginning, and mapped, in most files.
 * *out_is_sure: there is none; code that was compiled in the process is in no file. */
static bool find_without_lock(const void *address, tvmffi_elf_image *out, bool *out_is_sure) {
  struct dl_find_object found;
  const ElfW(Ehdr) * header;
  *out_is_sure = false;
  if (_dl_find_object == NULL) return false;
  if (_dl_find_object((void *)(uintptr_t)address, &found) != 0) {
    *out_is_sure = true;
    return false;
  }
  header = found.dlfo_map_start;
  memset(out, 0, sizeof *out);
  out->base = (uintptr_t)found.dlfo_link_map->l_addr;
  out->path = found.dlfo_link_map->l_name;
  out->entries = found.dlfo_link_map->l_ld;
  while (out->entries != NULL && out->entries[out->num_entries].d_tag != DT_NULL) {
    ++out->num_entries;
  }
  /* Elsewhere its segments may be where nothing is mapped. */
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff != sizeof *header ||
      header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum > 64) {
    return false;
  }
  out->segments = (const ElfW(Phdr) *)(const void *)((const char *)header + header->e_phoff);
  out->num_segments = header->e_phnum;
  return tvmffi_elf_find_segment(out, (uintptr_t)address) != NULL;
}
#else
static bool find_without_lock(const void *address, tvmffi_elf_image *out, bool *out_is_sure) {
  (void)address, (void)out;
  *out_is_sure = false;
  return false;
}
#endif

static bool find_image(const void *address, tvmffi_elf_image *out) {
  bool is_sure;
  return find_without_lock(address, out, &is_sure) ||
         (!is_sure && tvmffi_elf_find_image(address, out));
}

bool record_find_place(const void *address, record_place *out) {
  tvmffi_elf_image file;
  if (!find_image(address, &file)) return false;
  out->base = file.base;
  out->name = file.path != NULL ? file.path : "";
  return true;
}

bool record_find_file(const void *address, record_loaded_file *out) {
  tvmffi_elf_image file;
  size_t i;
  out->address = (uintptr_t)address;
  out->build_id[0] = '\0';
  if (!find_image(address, &file)) return false;
  out->is_code = (tvmffi_elf_find_segment(&file, out->address)->p_flags & PF_X) != 0;
  out->is_program = file.path == NULL || file.path[0] == '\0';
  if (out->is_program) {
    ssize_t size = readlink("/proc/self/exe", out->path, sizeof out->path - 1);
    out->path[size < 0 ? 0 : cut_gone(out->path, (size_t)size)] = '\0';
  } else {
    set_path(file.path, out);
  }
  for (i = 0; i < file.num_segments; ++i) {
    if (file.segments[i].p_type == PT_NOTE && out->build_id[0] == '\0') {
      read_build_id(&file, &file.segments[i], out);
    }
  }
  return true;
}

/* ---- Symbols of such files ---- */

/*
 * The loader's own dlsym, and the function of the runtime behind ours, cannot be found by dlsym.
 * The tables of symbols are read instead, of each file in the loader's order.
 */
typedef struct {
  const char *name;
  uintptr_t self; /* an address in this library, which is left out, as other recorders are */
  size_t most;    /* how many files are looked in */
  void *found;
} search;

static void init_search(search *out, const char *name) {
  static const char anchor = 0;
  out->name = name;
  out->self = (uintptr_t)&anchor;
  out->most = SIZE_MAX;
  out->found = NULL;
}

static bool is_it(const tvmffi_elf_image *file, const ElfW(Sym) * symbol, const char *texts,
                  search *wanted) {
  const int type = symbol->st_info & 15;
  /* Those that c/platform/elf_writer.c writes have no type; what marks a recorder is data. */
  if (symbol->st_shndx == SHN_UNDEF ||
      (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT) ||
      strcmp(texts + symbol->st_name, wanted->name) != 0) {
    return false;
  }
  wanted->found = (void *)(file->base + symbol->st_value);
  return true;
}

static uint32_t gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t sysv_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash & 0xf0000000u) >> 24) & ~(hash & 0xf0000000u);
  }
  return hash;
}

static bool look_in_gnu_table(const tvmffi_elf_image *file, const uint32_t *table,
                              const ElfW(Sym) * symbols, const char *texts, search *wanted) {
  const uint32_t num_buckets = table[0], first = table[1];
  const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
  const uint32_t *chain = buckets + num_buckets;
  uint32_t hash = gnu_hash(wanted->name), i;
  if (num_buckets == 0) return false;
  i = buckets[hash % num_buckets];
  if (i < first) return false;
  for (;; ++i) {
    if ((chain[i - first] | 1) == (hash | 1) && is_it(file, &symbols[i], texts, wanted))
      return true;
    if ((chain[i - first] & 1) != 0) return false;
  }
}

static bool look_in_table(const tvmffi_elf_image *file, const uint32_t *table,
                          const ElfW(Sym) * symbols, const char *texts, search *wanted) {
  const uint32_t num_buckets = table[0];
  const uint32_t *buckets = table + 2, *chain = buckets + num_buckets;
  uint32_t i;
  if (num_buckets == 0) return false;
  for (i = buckets[sysv_hash(wanted->name) % num_buckets]; i != 0; i = chain[i]) {
    if (is_it(file, &symbols[i], texts, wanted)) return true;
  }
  return false;
}

static bool look_in_file(const tvmffi_elf_image *file, search *wanted) {
  size_t size;
  const ElfW(Sym) *symbols = tvmffi_elf_find_pointed(file, DT_SYMTAB, sizeof(ElfW(Addr)), &size);
  const char *texts = tvmffi_elf_find_pointed(file, DT_STRTAB, 1, &size);
  const uint32_t *table = tvmffi_elf_find_pointed(file, DT_GNU_HASH, sizeof *table, &size);
  if (symbols == NULL || texts == NULL) return false;
  if (table != NULL) return look_in_gnu_table(file, table, symbols, texts, wanted);
  table = tvmffi_elf_find_pointed(file, DT_HASH, sizeof *table, &size);
  return table != NULL && look_in_table(file, table, symbols, texts, wanted);
}

/* Runtimes that look whether they are the only one know a recorder by it: c/platform/elf_open.c. */
static const char kMark[] = "tvm_ffi_record_passes_on";

static bool is_recorder(const tvmffi_elf_image *file) {
  search mark;
  init_search(&mark, kMark);
  return look_in_file(file, &mark);
}

static bool look_for_symbol(const tvmffi_elf_image *file, void *context) {
  search *wanted = context;
  if (wanted->most == 0) return true; /* without having found it */
  --wanted->most;
  if (tvmffi_elf_find_segment(file, wanted->self) != NULL) return false;
  if (look_in_file(file, wanted) && !is_recorder(file)) return true;
  wanted->found = NULL;
  return false;
}

static void *find_in_first(const char *name, size_t most) {
  search wanted;
  init_search(&wanted, name);
  wanted.most = most;
  (void)tvmffi_elf_visit_images(look_for_symbol, &wanted);
  return wanted.found;
}

void *record_find_loaded(const char *name) {
  return find_in_first(name, SIZE_MAX);
}

/* Whether there is a second one. */
static bool look_for_only(const tvmffi_elf_image *file, void *context) {
  search *wanted = context;
  void *before = wanted->found;
  if (tvmffi_elf_find_segment(file, wanted->self) != NULL) return false;
  if (!look_in_file(file, wanted) || is_recorder(file)) {
    wanted->found = before;
    return false;
  }
  return before != NULL;
}

void *record_find_only(const char *name) {
  search wanted;
  init_search(&wanted, name);
  return tvmffi_elf_visit_images(look_for_only, &wanted) ? NULL : wanted.found;
}

void *record_find_in_file(const void *address, const char *name) {
  tvmffi_elf_image file;
  search wanted;
  init_search(&wanted, name);
  return find_image(address, &file) && look_in_file(&file, &wanted) ? wanted.found : NULL;
}

/* Not inlined, so that dlsym() can end in a jump. */
TVMFFI_NOINLINE void *(*record_find_dlsym(void))(void *, const char *) {
  static record_any_function real;
  if (__atomic_load_n(&real.address, __ATOMIC_ACQUIRE) == NULL) {
    void *found = NULL;
#if defined(__GLIBC__)
    /* Without dl_iterate_phdr, which AddressSanitizer intercepts and cannot pass on yet when it
     * looks up its first symbols. The versions are those of glibc's ports, the newest first. */
    static const char *const kVersions[] = {"GLIBC_2.34",  "GLIBC_2.27", "GLIBC_2.17", "GLIBC_2.4",
                                            "GLIBC_2.2.5", "GLIBC_2.2",  "GLIBC_2.0"};
    size_t i;
    for (i = 0; found == NULL && i < sizeof kVersions / sizeof *kVersions; ++i) {
      found = dlvsym(RTLD_NEXT, "dlsym", kVersions[i]);
    }
#endif
    if (found == NULL) found = record_find_loaded("dlsym");
    __atomic_store_n(&real.address, found, __ATOMIC_RELEASE);
  }
  return real.dlsym;
}

/* ---- The process ---- */

int64_t record_thread_id(void) {
  return (int64_t)syscall(SYS_gettid);
}

const char *record_program_name(void) {
  return program_invocation_short_name;
}

void record_add_command(record_text *out) {
  static char text[4096];
  ssize_t size = 0, i, begin = 0;
  bool is_first = true;
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    size = read(file, text, sizeof text);
    (void)close(file);
  }
  for (i = 0; i < size; ++i) {
    if (text[i] != '\0' && i + 1 != size) continue;
    if (!is_first) record_add(out, ",", 1);
    is_first = false;
    record_add_string(out, text + begin, (size_t)(i - begin) + (text[i] != '\0' ? 1u : 0u));
    begin = i + 1;
  }
}

/* ---- Files ---- */

/*
 * A write sends SIGXFSZ beyond the limit for the size of a file, which a program may set at any
 * time, SIGPIPE to a pipe that nobody reads, and SIGTTOU to a terminal from the background: these
 * end or stop the program. They are held back meanwhile, and those that were sent are taken. While
 * SIGTTOU is held back, the write is done.
 */
static void take_signal(const sigset_t *old, int number) {
  const struct timespec now = {0, 0};
  sigset_t wanted;
  if (sigismember(old, number) != 0) return; /* it is the program's */
  (void)sigemptyset(&wanted);
  (void)sigaddset(&wanted, number);
  (void)sigtimedwait(&wanted, NULL, &now);
}

ssize_t record_write_some(int file, const void *bytes, size_t size) {
  sigset_t held, old;
  ssize_t written;
  int error;
  (void)sigemptyset(&held);
  (void)sigaddset(&held, SIGXFSZ);
  (void)sigaddset(&held, SIGPIPE);
  (void)sigaddset(&held, SIGTTOU);
  (void)pthread_sigmask(SIG_BLOCK, &held, &old);
  written = write(file, bytes, size);
  error = errno;
  if (written < 0 && error == EFBIG) take_signal(&old, SIGXFSZ);
  /* A pipe whose reader has gone meanwhile has taken a part. */
  if (written < 0 ? error == EPIPE : (size_t)written < size) take_signal(&old, SIGPIPE);
  (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return written;
}

bool record_is_in_memory(int file) {
  enum { kTmpfs = 0x01021994 }; /* TMPFS_MAGIC of <linux/magic.h>, which not all systems have */
  struct statfs status;
  return fstatfs(file, &status) == 0 && status.f_type == kTmpfs;
}

bool record_sync(int file) {
  return syncfs(file) == 0;
}

/* ---- Memory ---- */

/*
 * Through the system, which gives an error for memory that is not there instead of a signal:
 * process_vm_readv, or where that is not allowed, a pipe.
 */
bool record_read_memory(void *out, uint64_t address, size_t size) {
  static int is_refused;
  char *to = out;
  int ends[2];
  bool is_copied = true;
  while (size != 0 && !__atomic_load_n(&is_refused, __ATOMIC_RELAXED)) {
    struct iovec local, remote;
    ssize_t copied;
    local.iov_base = to;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (copied > 0) {
      to += copied;
      address += (uint64_t)copied;
      size -= (size_t)copied;
    } else if (copied == 0 || errno == EFAULT || errno == ENOMEM) {
      return false;
    } else {
      __atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
    }
  }
  if (size == 0) return true;
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return false;
  while (size != 0 && is_copied) {
    ssize_t copied = write(ends[1], (const void *)(uintptr_t)address, size < 65536 ? size : 65536);
    is_copied = copied > 0 && read(ends[0], to, (size_t)copied) == copied;
    if (!is_copied) break;
    to += copied;
    address += (uint64_t)copied;
    size -= (size_t)copied;
  }
  (void)close(ends[0]);
  (void)close(ends[1]);
  return is_copied;
}

bool record_read_ranges(void *out, const record_range *ranges, size_t count) {
  struct iovec local, remote[kRecordRanges];
  size_t i;
  local.iov_base = out;
  local.iov_len = 0;
  for (i = 0; i < count; ++i) {
    remote[i].iov_base = (void *)(uintptr_t)ranges[i].address;
    remote[i].iov_len = ranges[i].size;
    local.iov_len += ranges[i].size;
  }
  return process_vm_readv(getpid(), &local, 1, remote, count, 0) == (ssize_t)local.iov_len;
}

bool record_is_readable(uint64_t address, size_t size) {
  enum { kPopulateRead = 22 }; /* MADV_POPULATE_READ, of Linux 5.14 */
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = address / page * page;
  return madvise((void *)(uintptr_t)begin, (size_t)(address - begin) + size, kPopulateRead) == 0;
}

/* ---- What takes the place of functions of others ---- */

/* See kMark. */
EXPORT const char tvm_ffi_record_passes_on[] = "TVMFFIEnvModRegisterSystemLibSymbol";

/*
 * A library that calls a function of a runtime is bound to the first one in the global scope, then
 * in its own. Ours comes first there, so the next one is the one that it would be bound to. Its own
 * scope is that of the library itself or of one that needs it, because they were opened together:
 * a file that c/platform/elf_writer.c has written may be one.
 */
typedef struct {
  const char *name;
  const void *own; /* the function that is not wanted: ours */
  void *found;
} scope_search;

static bool look_in_scope(const char *path, scope_search *wanted) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) {
    wanted->found = record_find_dlsym()(handle, wanted->name);
    (void)dlclose(handle);
  }
  if (wanted->found == NULL) (void)dlerror();
  if (wanted->found != NULL &&
      (wanted->found == wanted->own || record_find_in_file(wanted->found, kMark) != NULL)) {
    wanted->found = NULL;
  }
  return wanted->found != NULL;
}

/* The paths of files, with a NUL behind each. */
typedef struct {
  const char *needed; /* a path */
  record_text paths;
} needing_files;

static bool is_named(const char *path, const char *name) {
  const char *last = strrchr(path, '/');
  return strcmp(path, name) == 0 || (last != NULL && strcmp(last + 1, name) == 0);
}

static bool take_needing(const tvmffi_elf_image *file, void *context) {
  needing_files *out = context;
  size_t size, i;
  const char *texts = tvmffi_elf_find_pointed(file, DT_STRTAB, 1, &size);
  bool is_needing = false;
  if (texts == NULL || file->path == NULL || file->path[0] == '\0') return false;
  for (i = 0; i < file->num_entries && file->entries[i].d_tag != DT_NULL && !is_needing; ++i) {
    is_needing = file->entries[i].d_tag == DT_NEEDED && file->entries[i].d_un.d_val < size &&
                 is_named(out->needed, texts + file->entries[i].d_un.d_val);
  }
  if (is_needing) record_add(&out->paths, file->path, strlen(file->path) + 1);
  return false;
}

/* In the scope of the file, and of those that need it. */
static bool look_in_scopes(const char *path, int depth, scope_search *wanted) {
  enum { kMostDepth = 8 }; /* files may need each other */
  needing_files needing;
  size_t at = 0;
  if (look_in_scope(path, wanted)) return true;
  if (depth == kMostDepth) return false;
  memset(&needing, 0, sizeof needing);
  needing.needed = path;
  (void)tvmffi_elf_visit_images(take_needing, &needing);
  while (at < needing.paths.size && wanted->found == NULL) {
    (void)look_in_scopes(needing.paths.data + at, depth + 1, wanted);
    at += strlen(needing.paths.data + at) + 1;
  }
  record_free(&needing.paths);
  return wanted->found != NULL;
}

static bool look_beside(const void *address, scope_search *wanted) {
  tvmffi_elf_image file;
  return find_image(address, &file) && file.path != NULL && file.path[0] != '\0' &&
         look_in_scopes(file.path, 0, wanted);
}

/* Files that were there when this library was, in the loader's order: the program, and what it was
 * started with, are its global scope. Later ones follow. */
static size_t num_at_start;

static bool count_image(const tvmffi_elf_image *file, void *context) {
  (void)file;
  ++*(size_t *)context;
  return false;
}

static void count_at_start(void) __attribute__((constructor(101))); /* before those that ask */
static void count_at_start(void) {
  size_t count = 0;
  (void)tvmffi_elf_visit_images(count_image, &count);
  num_at_start = count;
}

/* Whether `a` is in a file that was loaded after the start, and after the file of `b`. */
typedef struct {
  uintptr_t a, b;
  size_t index, of_a, of_b;
} order;

static bool note_order(const tvmffi_elf_image *file, void *context) {
  order *both = context;
  if (tvmffi_elf_find_segment(file, both->a) != NULL) both->of_a = both->index;
  if (tvmffi_elf_find_segment(file, both->b) != NULL) both->of_b = both->index;
  ++both->index;
  return false;
}

static bool is_later(const void *a, const void *b) {
  order both;
  memset(&both, 0, sizeof both);
  both.a = (uintptr_t)a;
  both.b = (uintptr_t)b;
  (void)tvmffi_elf_visit_images(note_order, &both);
  return num_at_start != 0 && both.of_a >= num_at_start && both.of_a > both.of_b;
}

/* A program may be linked with a recorder while another is preloaded: one is enough, and what is
 * behind both was there at the start. */
void *record_find_next(const char *name) {
  const int error = errno;
  void *found = record_find_dlsym()(RTLD_NEXT, name);
  if (found == NULL) {
    (void)dlerror();
  } else if (record_find_in_file(found, kMark) != NULL) {
    found = find_in_first(name, num_at_start);
  }
  errno = error;
  return found;
}

void *record_find_behind(const char *name, const void *own, const void *symbol,
                         const void *caller) {
  scope_search wanted;
  const int error = errno;
  void *next = record_find_next(name);
  wanted.name = name;
  wanted.own = own;
  wanted.found = next;
  /* What entered the global scope later does not change what a library is bound to. */
  if (next == NULL || is_later(next, symbol)) {
    wanted.found = NULL;
    if (!look_beside(symbol, &wanted) && !look_beside(caller, &wanted)) {
      wanted.found = next != NULL ? next : record_find_loaded(name);
    }
  }
  errno = error;
  return wanted.found;
}

/* As record_is_kernel(), not by strcmp(). */
static bool is_same_name(const char *x, const char *y) {
  while (*x != '\0' && *x == *y) ++x, ++y;
  return *x == *y;
}

/* Whether somebody would find a function of a runtime here, and nowhere without this library: a
 * program may look for one to see whether there is a runtime. Not inlined, so that dlsym() can end
 * in a jump. */
TVMFFI_NOINLINE static bool is_here_only(void *handle, const char *name, const void *caller) {
  static const char *const kNames[] = {"TVMFFIEnvModRegisterSystemLibSymbol",
                                       "TVMFFIFunctionGetGlobal", "TVMFFIFunctionCall",
                                       "TVMFFITypeRegisterMethod"};
  enum { kNumNames = sizeof kNames / sizeof *kNames };
  const int error = errno;
  scope_search wanted;
  bool is_here;
  size_t i = 0;
  while (i < kNumNames && !is_same_name(name, kNames[i])) ++i;
  if (i == kNumNames || handle == RTLD_NEXT) return false;
  wanted.name = name;
  wanted.own = record_find_dlsym()(handle, name);
  wanted.found = NULL;
  is_here = wanted.own != NULL && record_find_in_file(wanted.own, kMark) != NULL &&
            record_find_next(name) == NULL &&
            (handle != RTLD_DEFAULT || !look_beside(caller, &wanted));
  if (is_here) (void)record_find_dlsym()(RTLD_NEXT, name); /* for dlerror() */
  errno = error;
  return is_here;
}

/*
 * What RTLD_DEFAULT and RTLD_NEXT mean depends on the caller, so that lookups which are no concern
 * of ours have to end in a jump to the real function. The library is compiled so, and nothing whose
 * address is passed on may be a variable of this function.
 */
EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
  void *(*real)(void *, const char *) = record_find_dlsym();
  void *found;
  if (real == NULL) return NULL;
  if (handle == RTLD_NEXT || !record_is_kernel(name)) {
    if (is_here_only(handle, name, __builtin_return_address(0))) return NULL;
    return real(handle, name);
  }
  found = real(handle, name);
  if (found == NULL) return real(handle, name); /* in the scope of the caller, and for dlerror() */
  return record_replace(name, found, __builtin_return_address(0));
}

/*
 * The symbol is in the library that registers it: the return address is not, if its function ends
 * in this call, which is a jump then.
 */
EXPORT int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  record_any_function own, real;
  own.register_symbol = TVMFFIEnvModRegisterSystemLibSymbol;
  real.address = record_find_behind("TVMFFIEnvModRegisterSystemLibSymbol", own.address, symbol,
                                    __builtin_return_address(0));
  if (real.address == NULL) return -1; /* no runtime is there that an error could be raised in */
  __atomic_store_n(&record_has_system_library, true, __ATOMIC_RELAXED);
  return real.register_symbol(
      name, name != NULL && symbol != NULL ? record_replace(name, symbol, real.address) : symbol);
}
