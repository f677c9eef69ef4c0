/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader looks a library's undefined names up among the global ones, and then in the group that
 * the library was opened with. In a plugin that was opened with RTLD_LOCAL, or that hides its copy
 * of the archive, the names of this runtime are in neither. So the library is opened as a part of a
 * group that has them, by means of two files without code, written for the occasion:
 *
 *     names  defines all names. Its symbols get their values in memory, once it is loaded:
 *            only then is it known where it lies, which the loader adds to each value.
 *     group  needs (DT_NEEDED) names, the library, and the file that has the runtime
 *
 * No name becomes global by this, so other copies of the runtime in the process see nothing of it.
 * The library's dependencies, which come last, do see what the file with the runtime exports.
 * The file that has the runtime stays loaded as long as the group.
 */
#define _GNU_SOURCE /* memfd_create, mkostemp */
#include "platform/elf_writer.h"

#if TVM_FFI_ELF_TABLES && TVMFFI_ELF_WRITES
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- What is in such a file ---- */

#if defined(__alpha__) || defined(__s390x__)
typedef uint64_t hash_word;
#else
typedef uint32_t hash_word;
#endif

enum {
  kNumBuckets = 32,
  kMaxNeeded = 3,
  kNumEntries = kMaxNeeded + 6,
  kMaxWritten = 64,
  kMaxSpelled = kMaxWritten + kTvmffiDlRespelled,
  kMaxAttempts = 16 /* few: only those of other copies of the runtime are in the way */
};

/* Tells a file of names from all others in the process. */
typedef struct {
  const void *runtime;
  uintptr_t number;
} written_identity;

/* How such a file begins. The symbols follow, then the hash table, then the strings. */
typedef struct {
  ElfW(Ehdr) header;
  ElfW(Phdr) segments[3];
  ElfW(Dyn) entries[kNumEntries];
  written_identity self;
} written_head;

typedef struct {
  written_identity self;
  const tvmffi_dl_name *const *lists; /* defined */
  const char *needed[kMaxNeeded];
  size_t num_needed;
} written_contents;

static uint32_t hash_name(const char *name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

typedef struct {
  size_t num_symbols, hash, strings, size; /* offsets; size: of the file */
} written_layout;

static written_layout plan_written(const written_contents *wanted) {
  const tvmffi_dl_name *const *list, *entry;
  written_layout out;
  size_t bytes = 1, i;
  out.num_symbols = 1;
  TVMFFI_FOR_NAMES(wanted->lists, list, entry) {
    ++out.num_symbols;
    bytes += strlen(entry->name) + 1;
  }
  for (i = 0; i < wanted->num_needed; ++i) bytes += strlen(wanted->needed[i]) + 1;
  out.hash = sizeof(written_head) + out.num_symbols * sizeof(ElfW(Sym));
  out.strings = out.hash + (2 + kNumBuckets + out.num_symbols) * sizeof(hash_word);
  out.size = out.strings + bytes;
  return out;
}

static ElfW(Dyn) make_entry(int tag, size_t value) {
  ElfW(Dyn) entry;
  entry.d_tag = tag;
  entry.d_un.d_val = value;
  return entry;
}

/* start: zeros, as many as planned. like: the header of a file that the loader accepts here. */
static void fill_written(char *start, const written_layout *at, const written_contents *wanted,
                         const ElfW(Ehdr) * like) {
  written_head *out = (written_head *)(void *)start;
  ElfW(Sym) *symbols = (ElfW(Sym) *)(void *)(start + sizeof *out);
  hash_word *buckets = (hash_word *)(void *)(start + at->hash) + 2, *chains = buckets + kNumBuckets;
  ElfW(Dyn) *next = out->entries;
  const tvmffi_dl_name *const *list, *entry;
  size_t text = at->strings + 1, i;
  memcpy(out->header.e_ident, like->e_ident, EI_NIDENT);
  out->header.e_type = ET_DYN;
  out->header.e_machine = like->e_machine;
  out->header.e_version = EV_CURRENT;
  out->header.e_flags = like->e_flags;
  out->header.e_phoff = offsetof(written_head, segments);
  out->header.e_ehsize = sizeof out->header;
  out->header.e_phentsize = sizeof out->segments[0];
  out->header.e_phnum = 3;
  out->segments[0].p_type = PT_LOAD;
  out->segments[0].p_flags = PF_R | PF_W;
  out->segments[0].p_align = 0x10000; /* the largest page of any processor here */
  out->segments[0].p_filesz = out->segments[0].p_memsz = at->size;
  out->segments[1].p_type = PT_DYNAMIC;
  out->segments[1].p_flags = PF_R | PF_W;
  out->segments[1].p_align = sizeof(ElfW(Addr));
  out->segments[1].p_offset = offsetof(written_head, entries);
  out->segments[1].p_vaddr = out->segments[1].p_paddr = offsetof(written_head, entries);
  out->segments[1].p_filesz = out->segments[1].p_memsz = sizeof out->entries;
  out->segments[2].p_type = PT_GNU_STACK; /* without it the loader makes stacks executable */
  out->segments[2].p_flags = PF_R | PF_W;
  out->self = wanted->self;
  for (i = 0; i < wanted->num_needed; ++i) {
    *next++ = make_entry(DT_NEEDED, text - at->strings);
    strcpy(start + text, wanted->needed[i]);
    text += strlen(wanted->needed[i]) + 1;
  }
  *next++ = make_entry(DT_HASH, at->hash);
  *next++ = make_entry(DT_STRTAB, at->strings);
  *next++ = make_entry(DT_SYMTAB, sizeof *out);
  *next++ = make_entry(DT_STRSZ, at->size - at->strings);
  *next = make_entry(DT_SYMENT, sizeof *symbols);
  buckets[-2] = kNumBuckets;
  buckets[-1] = (hash_word)at->num_symbols;
  i = 0;
  TVMFFI_FOR_NAMES(wanted->lists, list, entry) {
    hash_word *bucket = &buckets[hash_name(entry->name) % kNumBuckets];
    symbols[++i].st_name = (ElfW(Word))(text - at->strings);
    symbols[i].st_info = STB_GLOBAL << 4 | STT_NOTYPE;
    symbols[i].st_shndx = 1; /* any section: defined */
    chains[i] = *bucket;
    *bucket = (hash_word)i;
    strcpy(start + text, entry->name);
    text += strlen(entry->name) + 1;
  }
}

static bool write_all(int descriptor, const char *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = pwrite(descriptor, bytes + done, size - done, (off_t)done);
    if (count <= 0) return false;
    done += (size_t)count;
  }
  return true;
}

/* A file that exists only while it is loaded. */
typedef struct {
  int descriptor;
  bool is_in_memory;
  char path[kMaxWritten];
} written_file;

static void discard_written(const written_file *file) {
  if (!file->is_in_memory) (void)unlink(file->path);
  (void)close(file->descriptor);
}

static bool create_written(bool in_memory, written_file *out) {
  out->is_in_memory = in_memory;
#if defined(MFD_CLOEXEC)
  if (in_memory) {
    out->descriptor = memfd_create("tvm_ffi", MFD_CLOEXEC);
    (void)snprintf(out->path, sizeof out->path, "/proc/self/fd/%d", out->descriptor);
    return out->descriptor >= 0;
  }
#else
  if (in_memory) return false;
#endif
  strcpy(out->path, "/tmp/tvm_ffi.XXXXXX");
  out->descriptor = mkostemp(out->path, O_CLOEXEC);
  return out->descriptor >= 0;
}

static bool write_file(const written_contents *wanted, const ElfW(Ehdr) * like, bool in_memory,
                       written_file *out) {
  written_layout at = plan_written(wanted);
  bool is_written = false;
  /* cppcheck-suppress invalidFunctionArg */ /* -1 is for memory of no file */
  void *bytes = mmap(NULL, at.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return false;
  fill_written(bytes, &at, wanted, like);
  if (create_written(in_memory, out)) {
    is_written = write_all(out->descriptor, bytes, at.size);
    if (!is_written) discard_written(out);
  }
  (void)munmap(bytes, at.size);
  return is_written;
}

static tvmffi_mutex number_mutex = TVMFFI_MUTEX_INIT;
static uint32_t last_number;

static uint32_t next_number(void) {
  uint32_t number;
  tvmffi_mutex_lock(&number_mutex);
  number = ++last_number;
  tvmffi_mutex_unlock(&number_mutex);
  return number;
}

/* How an opened file begins, if it is one of those written here. */
static written_head *find_head(void *handle) {
  const char *entries = tvmffi_elf_find_dynamic(handle);
  tvmffi_elf_image file;
  if (!tvmffi_elf_find_image(entries, &file) || file.entries != (const void *)entries) return NULL;
  if (tvmffi_elf_bytes_at(&file, file.base) < sizeof(written_head)) return NULL;
  if (entries != (const char *)file.base + offsetof(written_head, entries)) return NULL;
  return (written_head *)file.base;
}

/*
 * Opens such a file. The loader of glibc compares paths as texts before it looks at the file, and
 * this path may be that of an earlier file: each attempt writes it otherwise. How it did in the end
 * is in spelled, which has kMaxSpelled bytes.
 */
static void *open_written(const written_file *file, const written_identity *self, int mode,
                          char *spelled) {
  int i;
  for (i = 0; i < kMaxAttempts; ++i) {
    const written_head *opened;
    void *handle;
    tvmffi_dl_respell(file->path, next_number(), spelled);
    handle = dlopen(spelled, mode | RTLD_LOCAL);
    if (handle == NULL) return NULL;
    opened = find_head(handle);
    if (opened != NULL && memcmp(&opened->self, self, sizeof *self) == 0) return handle;
    (void)dlclose(handle);
  }
  return NULL;
}

static void set_values(void *handle, const tvmffi_dl_name *const *lists) {
  const tvmffi_dl_name *const *list, *entry;
  written_head *opened = find_head(handle);
  ElfW(Sym) *symbol = (ElfW(Sym) *)(void *)(opened + 1);
  TVMFFI_FOR_NAMES(lists, list, entry) {
    (++symbol)->st_value = (ElfW(Addr))((uintptr_t)entry->at.data - (uintptr_t)opened);
  }
}

static void init_contents(written_contents *out, const tvmffi_dl_name *const *lists) {
  memset(out, 0, sizeof *out);
  out->self.runtime = &last_number;
  out->self.number = next_number();
  out->lists = lists;
}

/*
 * Opens the group for a library, and with it the library: at once, if that is possible, so that
 * nothing is left to go wrong later. A library that lacks functions of others, such as a driver
 * that is not there, is opened lazily. On failure returns NULL, with a reason if the library needs
 * something of a runtime that is not there.
 */
static void *open_group(const char *path, const char *names, const ElfW(Ehdr) * like,
                        bool in_memory, tvmffi_dl_reason *reason) {
  static const tvmffi_dl_name *const kNone[] = {NULL};
  char spelled[kMaxSpelled];
  written_file file;
  written_contents wanted;
  tvmffi_elf_image own;
  void *group;
  init_contents(&wanted, kNone);
  wanted.needed[wanted.num_needed++] = names;
  wanted.needed[wanted.num_needed++] = path; /* its own names come before those of the plugin */
  if (tvmffi_elf_find_image(&last_number, &own) && own.path != NULL && own.path[0] != '\0') {
    wanted.needed[wanted.num_needed++] = own.path;
  }
  if (!write_file(&wanted, like, in_memory, &file)) return NULL;
  group = open_written(&file, &wanted.self, RTLD_NOW, spelled);
  if (group == NULL) {
    const char *text = dlerror();
    if (text != NULL && tvmffi_elf_lacks_runtime(text)) {
      reason->set(reason, "%s, which this runtime does not have", text);
    } else {
      group = open_written(&file, &wanted.self, RTLD_LAZY, spelled);
      if (group == NULL) (void)dlerror();
    }
  }
  discard_written(&file);
  return group;
}

static void *hand_over(const char *path, const tvmffi_dl_name *const *lists,
                       const ElfW(Ehdr) * like, bool in_memory, tvmffi_dl_reason *reason) {
  char spelled[kMaxSpelled];
  written_file file;
  written_contents wanted;
  void *names, *group = NULL;
  init_contents(&wanted, lists);
  if (!write_file(&wanted, like, in_memory, &file)) return NULL;
  names = open_written(&file, &wanted.self, RTLD_LAZY, spelled);
  if (names != NULL) {
    set_values(names, lists);
    group = open_group(path, spelled, like, in_memory, reason);
    (void)dlclose(names); /* it stays open as a part of the group */
  } else {
    (void)dlerror();
  }
  discard_written(&file);
  return group;
}

static bool read_header(const char *path, ElfW(Ehdr) * out) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  bool is_read;
  if (descriptor < 0) return false;
  is_read = pread(descriptor, out, sizeof *out, 0) == (ssize_t)sizeof *out &&
            memcmp(out->e_ident, ELFMAG, SELFMAG) == 0;
  (void)close(descriptor);
  return is_read;
}

void *tvmffi_elf_open_group(const char *path, const tvmffi_dl_name *const *lists,
                            tvmffi_dl_reason *reason) {
  ElfW(Ehdr) like;
  void *group;
  if (strchr(path, '/') == NULL || tvmffi_dl_check(path) != NULL || !read_header(path, &like)) {
    return NULL;
  }
  group = hand_over(path, lists, &like, true, reason);
  if (group == NULL && reason->text[0] == '\0') {
    group = hand_over(path, lists, &like, false, reason);
  }
  return group;
}

#endif /* TVM_FFI_ELF_TABLES && TVMFFI_ELF_WRITES */
