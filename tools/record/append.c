/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grow at their end: of events, of traces, and of small memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

enum { kWindow = 1 << 19 };

/* A high number, so that programs that close the low ones, or count on them, are not disturbed. */
static int keep_high(int file) {
  int high = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 500);
  if (high < 0) return file;
  (void)close(file);
  return high;
}

/* Keeps the descriptor, with what tells its file from others; false, with errno. */
static bool take(record_file *f, int file) {
  struct stat status;
  f->file = keep_high(file);
  if (f->file < 0 || fstat(f->file, &status) != 0) return false;
  f->device = status.st_dev;
  f->inode = status.st_ino;
  return true;
}

bool record_file_make(record_file *f, char filler) {
  const int file = open(f->path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, kRecordFileMode);
  f->file = -1;
  if (file < 0 || !take(f, file)) return false;
  f->size = f->file_size = 0;
  f->window = NULL;
  f->filler = filler;
  f->is_mapping = true;
  f->is_in_memory = record_is_in_memory(f->file);
  return true;
}

/*
 * Whether the descriptor still is that of the file. Programs close descriptors that are not theirs,
 * and open other files in their place.
 */
static bool is_ours(const record_file *f) {
  struct stat status;
  return fstat(f->file, &status) == 0 && status.st_dev == f->device && status.st_ino == f->inode;
}

/* Opens the file again, if the program has closed it. */
static bool ensure_open(record_file *f) {
  return is_ours(f) || take(f, open(f->path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
}

static void unmap_window(record_file *f) {
  if (f->window != NULL) (void)munmap(f->window, (size_t)(f->file_size - f->window_begin));
  f->window = NULL;
}

/* After that, the file ends where its content does. False, with errno. */
static bool trim(record_file *f) {
  unmap_window(f);
  if (!ensure_open(f) || ftruncate(f->file, (off_t)f->size) != 0) return false;
  f->file_size = f->size;
  return true;
}

void record_file_close(record_file *f, bool is_own) {
  if (is_own && f->window != NULL) (void)trim(f);
  unmap_window(f);
  if (f->file >= 0 && is_ours(f)) (void)close(f->file);
  f->file = -1;
}

/*
 * Maps the pages of the window, of a file in memory. When a page is read, the kernel maps the 16
 * around it, and they can be stored to, too; a store would map one page only, and MAP_POPULATE
 * takes longer. On disks, stores map several pages, and what was mapped by reading would have to be
 * mapped again.
 */
static void map_pages(const char *window, size_t size) {
  enum { kGroup = 1 << 16 };
  size_t at = 0;
  while (at < size) {
    (void)*(const volatile char *)(window + at);
    at += kGroup - ((uintptr_t)(window + at) & (kGroup - 1));
  }
}

/*
 * Maps the end of the file for so many more bytes. The filler is written there first: storing to a
 * page that the disk has no room for would end the program, and pages that were just written are
 * mapped faster than those of a hole. File systems that never write in place, such as btrfs and
 * ZFS, need new room for a store nevertheless: there a full disk may end the program (SIGBUS).
 * False: that failed.
 */
static bool map_window(record_file *f, size_t size) {
  static char filling[1 << 16];
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = f->size / page * page;
  /* A short recording is a short file, should its process crash. */
  const uint64_t least = f->size < kWindow ? sizeof filling : kWindow;
  void *mapped;
  int error;
  unmap_window(f);
  if (!ensure_open(f)) return false;
  memset(filling, f->filler, sizeof filling);
  while (f->file_size < f->size + size || f->file_size - begin < least) {
    if (!record_write_all(f->file, filling, sizeof filling, &error)) return false;
    f->file_size += sizeof filling;
  }
  mapped = mmap(NULL, (size_t)(f->file_size - begin), PROT_READ | PROT_WRITE, MAP_SHARED, f->file,
                (off_t)begin);
  if (mapped == MAP_FAILED) return false;
  f->window = mapped;
  f->window_begin = begin;
  if (f->is_in_memory) map_pages(f->window, (size_t)(f->file_size - begin));
  return true;
}

/* The last byte comes last: what was not finished when the process died has no end of a line. */
bool record_file_append(record_file *f, const void *bytes, size_t size) {
  int error = 0;
  if (f->is_mapping && (f->window == NULL || f->file_size - f->size < size) &&
      !map_window(f, size)) {
    f->is_mapping = false;
    if (!trim(f)) {
      record_give_up(f->path, errno);
      return false;
    }
  }
  if (f->is_mapping) {
    char *end = f->window + (f->size - f->window_begin);
    memcpy(end, bytes, size - 1);
    __atomic_store_n(end + size - 1, ((const char *)bytes)[size - 1], __ATOMIC_RELEASE);
    f->size += size;
    return true;
  }
  if (!ensure_open(f)) {
    record_give_up(f->path, errno);
    return false;
  }
  if (record_write_all(f->file, bytes, size, &error)) {
    f->size += size;
    return true;
  }
  if (ftruncate(f->file, (off_t)f->size) != 0) error = errno;
  record_give_up(f->path, error);
  return false;
}
