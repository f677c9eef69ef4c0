/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include "base/hash.h"
#include "platform/atomic.h"
#include "platform/platform.h"
#include "support/check.h"
#include "support/thread.h"

enum { kWriters = 2, kReaders = 2, kPerWriter = 2000 };

typedef struct {
  tvmffi_table_key key;
  char name[32];
  int value; /* the value that a reader must find */
} record;

typedef struct {
  tvmffi_table table;
  record records[kWriters][kPerWriter];
  int published[kWriters]; /* how many records of each writer must be found */
  int writers_at_work;
  int num_wrong;
} job;

static tvmffi_mutex writers_mutex = TVMFFI_MUTEX_INIT;

static size_t format_name(char *out, size_t size, int writer, int number) {
  return (size_t)snprintf(out, size, "writer%d.name%d", writer, number);
}

static void note_wrong(job *j) {
  (void)__atomic_add_fetch(&j->num_wrong, 1, __ATOMIC_RELAXED);
}

static void write_records(job *j, int writer) {
  int i;
  for (i = 0; i < kPerWriter; ++i) {
    record *r = &j->records[writer][i];
    r->key.size = format_name(r->name, sizeof r->name, writer, i);
    r->key.data = r->name;
    r->key.hash = tvmffi_hash_bytes(r->name, r->key.size);
    r->value = i + 1;
    tvmffi_mutex_lock(&writers_mutex);
    if (tvmffi_table_insert(&j->table, &r->key) != 0) note_wrong(j);
    tvmffi_mutex_unlock(&writers_mutex);
    tvmffi_atomic_store_release_int(&j->published[writer], i + 1);
  }
  (void)__atomic_sub_fetch(&j->writers_at_work, 1, __ATOMIC_RELEASE);
}

/* Published names must be found; names after them may be missing, but never incomplete. */
static void read_records(job *j, int reader) {
  unsigned number = (unsigned)reader;
  while (tvmffi_atomic_load_acquire_int(&j->writers_at_work) != 0) {
    int writer = (int)(number % kWriters), published, wanted;
    char name[32];
    size_t size;
    const record *found;
    number = number * 1664525u + 1013904223u;
    published = tvmffi_atomic_load_acquire_int(&j->published[writer]);
    wanted = (int)((number >> 8) % (unsigned)(published + 2));
    size = format_name(name, sizeof name, writer, wanted);
    found = (const record *)tvmffi_table_find(&j->table, name, size);
    if (found == NULL && wanted < published) note_wrong(j);
    if (found != NULL && found->value != wanted + 1) note_wrong(j);
  }
}

static void write_or_read(void *context, int index) {
  if (index < kWriters) {
    write_records(context, index);
  } else {
    read_records(context, index);
  }
}

TEST(test_L_11_readers_beside_writers) {
  static job j;
  int round;
  for (round = 0; round < 5; ++round) {
    memset(&j, 0, sizeof j);
    j.writers_at_work = kWriters;
    thread_run_many(kWriters + kReaders, write_or_read, &j);
    assert_int_equal(j.num_wrong, 0);
    assert_int_equal(j.table.num_records, kWriters * kPerWriter);
    tvmffi_table_fini(&j.table);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_L_11_readers_beside_writers),
})
