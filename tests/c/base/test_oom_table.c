/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include "base/hash.h"
#include "core/error.h"
#include "support/check.h"
#include "support/oom.h"

enum { kMany = 300 };

typedef struct {
  tvmffi_table_key key;
  char name[16];
} record;

static record records[kMany];

typedef struct {
  tvmffi_table table;
  size_t count;
} job;

static void init_records(void) {
  int i;
  for (i = 0; i < kMany; ++i) {
    records[i].key.size = (size_t)snprintf(records[i].name, sizeof records[i].name, "%d", i);
    records[i].key.data = records[i].name;
    records[i].key.hash = tvmffi_hash_bytes(records[i].name, records[i].key.size);
  }
}

static int insert_next(void *context) {
  job *j = context;
  if (tvmffi_table_insert(&j->table, &records[j->count].key) != 0) return tvmffi_fail_memory();
  ++j->count;
  return 0;
}

/* Checks that exactly the inserted names are found. */
static void check_names(void *context) {
  const job *j = context;
  size_t i;
  assert_int_equal(j->table.num_records, j->count);
  for (i = 0; i < kMany; ++i) {
    const tvmffi_table_key *found =
        tvmffi_table_find(&j->table, records[i].name, records[i].key.size);
    assert_ptr_equal(found, i < j->count ? &records[i].key : NULL);
  }
}

TEST(test_inserting) {
  job j;
  long failures = 0;
  init_records();
  memset(&j, 0, sizeof j);
  while (j.count < kMany) failures += oom_check(insert_next, check_names, NULL, &j, 1);
  check_names(&j);
  assert_in_range(failures, 2, 10); /* the table grew a few times, not at every insertion */
  tvmffi_table_fini(&j.table);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_inserting_what_was_reserved) {
  size_t allocations;
  job j;
  init_records();
  memset(&j, 0, sizeof j);
  oom_fail_after(0);
  assert_int_equal(tvmffi_table_reserve(&j.table, kMany), -1);
  check_names(&j);
  assert_int_equal(tvmffi_table_reserve(&j.table, kMany), 0);
  allocations = oom_allocations();
  while (j.count < kMany) check_ok(insert_next(&j));
  assert_int_equal(oom_allocations(), allocations);
  check_names(&j);
  tvmffi_table_fini(&j.table);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_inserting),
    cmocka_unit_test(test_inserting_what_was_reserved),
})
