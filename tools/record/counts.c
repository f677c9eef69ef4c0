/* SPDX-License-Identifier: Apache-2.0 */
/* How often each function was called. In a recording the counts are in a mapped file, so that they
 * are there whatever becomes of the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

/* A function that is counted, of a library: a slot may be given to another library. */
typedef struct counted {
  const char *function;
  record_kind kind;
  const record_library *library;
  record_count *count;
  struct counted *next;
} counted;

/* All under the lock. */
static counted *all;
static uint32_t counted_in; /* the generation that they are of */
static uint64_t num_counted;
static record_count *first; /* NULL: there is none */
static record_count *page;  /* of the newest counts; NULL: the file could not be made longer */

void record_forget_counts(void) {
  while (all != NULL) {
    counted *known = all;
    all = known->next;
    free(known);
  }
  num_counted = 0;
  first = page = NULL; /* a call that has not ended may still count in it, so it stays mapped */
}

/* Maps the page of the file with the next counts, after writing zeros there: storing to a page that
 * the disk has no room for would end the program, as it may on btrfs and ZFS: see append.c. */
static void map_page(const char *path, uint64_t size) {
  static const char zeros[1 << 12];
  const int file =
      open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kRecordFileMode);
  const uint64_t begin = num_counted * sizeof(record_count);
  void *mapped = MAP_FAILED;
  struct stat status;
  uint64_t at;
  int error;
  const bool is_next = file >= 0 && fstat(file, &status) == 0 && (uint64_t)status.st_size == begin;
  bool is_long = is_next;
  for (at = 0; at < size && is_long; at += sizeof zeros) {
    is_long = record_write_all(file, zeros, sizeof zeros, &error);
  }
  if (is_long) {
    mapped = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)begin);
  }
  if (is_next && mapped == MAP_FAILED && ftruncate(file, (off_t)begin) != 0) {
    (void)unlink(path); /* zeros would be read as counts */
  }
  if (file >= 0) (void)close(file);
  page = mapped == MAP_FAILED ? NULL : mapped;
}

/* Where the next function is counted; NULL: there is no place in the file. */
static record_count *find_place(const char *path) {
  const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), count = size / sizeof(record_count);
  if (num_counted % count == 0) map_page(path, size);
  return page == NULL ? NULL : &page[num_counted % count];
}

static bool write_function(const record_slot *slot) {
  record_text line = {NULL, 0, 0, NULL, false};
  bool is_written;
  record_add_text(&line, "{\"event\":\"function\",\"number\":");
  record_add_uint(&line, num_counted);
  record_add_text(&line, ",\"library\":");
  record_add_int(&line, slot->library->number);
  record_add(&line, slot->name.data, slot->name.size);
  record_add(&line, "}\n", 2);
  is_written = !line.is_failed && record_append(line.data, line.size);
  record_free(&line);
  return is_written;
}

/* Of a recording: under the lock, after its library was written. NULL: it is counted nowhere. */
static record_count *find_recorded(const record_slot *slot, uint32_t generation) {
  const record_library *library = slot->library;
  static char path[kRecordPath + 64]; /* the stack of a thread may be small */
  counted *known;
  if (!record_has_events(generation) || library->number < 0) return NULL;
  if (counted_in != generation) record_forget_counts();
  counted_in = generation;
  for (known = all; known != NULL; known = known->next) {
    if (known->library == library && known->kind == slot->kind &&
        strcmp(known->function, slot->function) == 0) {
      return known->count;
    }
  }
  known = malloc(sizeof *known);
  if (known == NULL) return NULL;
  record_name_beside(path, sizeof path, "counts");
  known->function = slot->function;
  known->kind = slot->kind;
  known->library = library;
  known->count = find_place(path); /* without one, the event says that counts are missing */
  if (!write_function(slot)) {
    free(known);
    return NULL;
  }
  if (num_counted++ == 0) first = known->count;
  known->next = all;
  all = known;
  return known->count;
}

void record_count_failure(void) {
  if (first != NULL) __atomic_store_n(&first->stopped, 1, __ATOMIC_RELAXED);
}

record_count *record_begin_count(record_slot *slot, uint32_t generation) {
  record_count *count = NULL;
  const bool is_written = record_set.trace || record_write_library(generation, slot->library);
  record_lock();
  if (__atomic_load_n(&slot->counted_in, __ATOMIC_RELAXED) != generation) {
    if (is_written && !record_set.trace) count = find_recorded(slot, generation);
    if (count == NULL) {
      count = &slot->own;
      memset(count, 0, sizeof *count);
    }
    __atomic_store_n(&slot->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->counted_in, generation, __ATOMIC_RELEASE);
  }
  count = __atomic_load_n(&slot->count, __ATOMIC_RELAXED);
  record_unlock();
  return count;
}
