/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include "base/hash.h"
#include "support/check.h"
#include "support/valid.h"

/* Enough for the table to be replaced several times. */
enum { kMany = 1000 };

typedef struct {
  tvmffi_table_key key;
  char name[32];
} record;

static void init_record(record *r, const char *name, size_t size) {
  memcpy(r->name, name, size);
  r->key.data = r->name;
  r->key.size = size;
  r->key.hash = tvmffi_hash_bytes(name, size);
}

static void init_numbered(record *r, int number) {
  char name[32];
  int size = snprintf(name, sizeof name, "name %d", number);
  init_record(r, name, (size_t)size);
}

TEST(test_an_empty_table) {
  tvmffi_table table = {NULL, 0};
  assert_null(tvmffi_table_find(&table, "a", 1));
  assert_null(tvmffi_table_find(&table, NULL, 0));
  check_ok(tvmffi_table_reserve(&table, 0));
  assert_null(tvmffi_table_find(&table, "a", 1));
  tvmffi_table_fini(&table);
}

TEST(test_names_are_found_while_it_grows) {
  static record records[kMany];
  tvmffi_table table = {NULL, 0};
  record absent;
  int i, j;
  init_numbered(&absent, kMany);
  for (i = 0; i < kMany; ++i) {
    init_numbered(&records[i], i);
    assert_null(tvmffi_table_find(&table, records[i].name, records[i].key.size));
    check_ok(tvmffi_table_insert(&table, &records[i].key));
    for (j = 0; j <= i; j += i / 8 + 1) {
      assert_ptr_equal(tvmffi_table_find(&table, records[j].name, records[j].key.size),
                       &records[j].key);
    }
    assert_null(tvmffi_table_find(&table, absent.name, absent.key.size));
    assert_true(table_is_valid(&table));
  }
  for (i = 0; i < kMany; ++i) {
    assert_ptr_equal(
        tvmffi_table_find_hashed(&table, records[i].name, records[i].key.size, records[i].key.hash),
        &records[i].key);
  }
  assert_int_equal(table.num_records, kMany);
  tvmffi_table_fini(&table);
}

/* F-24: names are compared by length and bytes; a prefix never matches. */
TEST(test_names_are_compared_whole) {
  static const char kNames[][4] = {"", "a", "ab", "abc", "ab\0", "\0", "b"};
  static const size_t kSizes[] = {0, 1, 2, 3, 3, 1, 1};
  tvmffi_table table = {NULL, 0};
  record records[7];
  size_t i;
  for (i = 0; i < 7; ++i) {
    init_record(&records[i], kNames[i], kSizes[i]);
    check_ok(tvmffi_table_insert(&table, &records[i].key));
  }
  for (i = 0; i < 7; ++i) {
    assert_ptr_equal(tvmffi_table_find(&table, kNames[i], kSizes[i]), &records[i].key);
  }
  assert_ptr_equal(tvmffi_table_find(&table, NULL, 0), &records[0].key);
  assert_null(tvmffi_table_find(&table, "ac", 2));
  tvmffi_table_fini(&table);
}

/* All have the hash of the last slot, so that probing wraps around to the first one. */
TEST(test_names_whose_hashes_collide) {
  record records[20];
  tvmffi_table table = {NULL, 0};
  int i;
  for (i = 0; i < 20; ++i) {
    init_numbered(&records[i], i);
    records[i].key.hash = UINT64_MAX;
    check_ok(tvmffi_table_insert(&table, &records[i].key));
  }
  for (i = 0; i < 20; ++i) {
    assert_ptr_equal(
        tvmffi_table_find_hashed(&table, records[i].name, records[i].key.size, UINT64_MAX),
        &records[i].key);
  }
  assert_null(tvmffi_table_find_hashed(&table, "name 20", 7, UINT64_MAX));
  assert_null(tvmffi_table_find_hashed(&table, "name 0", 6, 0));
  assert_null(tvmffi_table_find_hashed(&table, "name ", 5, UINT64_MAX));
  tvmffi_table_fini(&table);
}

/* A reader that has loaded the slots keeps using them while the table is replaced. */
TEST(test_replaced_slots_stay_readable) {
  static record records[kMany];
  tvmffi_table table = {NULL, 0}, before;
  int i;
  for (i = 0; i < 10; ++i) {
    init_numbered(&records[i], i);
    check_ok(tvmffi_table_insert(&table, &records[i].key));
  }
  before = table;
  for (; i < kMany; ++i) {
    init_numbered(&records[i], i);
    check_ok(tvmffi_table_insert(&table, &records[i].key));
  }
  assert_ptr_not_equal(table.current, before.current);
  for (i = 0; i < 10; ++i) {
    assert_ptr_equal(tvmffi_table_find(&before, records[i].name, records[i].key.size),
                     &records[i].key);
  }
  assert_null(tvmffi_table_find(&before, records[kMany - 1].name, records[kMany - 1].key.size));
  tvmffi_table_fini(&table);
}

TEST(test_a_table_is_used_again) {
  tvmffi_table table = {NULL, 0};
  record r;
  tvmffi_table_fini(&table);
  init_numbered(&r, 1);
  check_ok(tvmffi_table_insert(&table, &r.key));
  tvmffi_table_fini(&table);
  assert_null(tvmffi_table_find(&table, r.name, r.key.size));
  assert_int_equal(table.num_records, 0);
  check_ok(tvmffi_table_insert(&table, &r.key));
  assert_ptr_equal(tvmffi_table_find(&table, r.name, r.key.size), &r.key);
  tvmffi_table_fini(&table);
}

TEST(test_reserving_what_cannot_be) {
  tvmffi_table table = {NULL, 0};
  record r;
  assert_int_equal(tvmffi_table_reserve(&table, SIZE_MAX), -1);
  assert_int_equal(tvmffi_table_reserve(&table, SIZE_MAX / 2), -1);
  assert_null(table.current);
  init_numbered(&r, 1);
  check_ok(tvmffi_table_insert(&table, &r.key));
  assert_int_equal(tvmffi_table_reserve(&table, SIZE_MAX), -1);
  assert_ptr_equal(tvmffi_table_find(&table, r.name, r.key.size), &r.key);
  tvmffi_table_fini(&table);
}

static bool has_even_number(const tvmffi_table_key *key) {
  return (key->data[key->size - 1] - '0') % 2 == 0;
}

TEST(test_records_are_left_out) {
  static record records[kMany];
  tvmffi_table table = {NULL, 0};
  int i, round;
  check_ok(tvmffi_table_keep(&table, has_even_number));
  tvmffi_table_free_replaced(&table);
  for (i = 0; i < kMany; ++i) {
    init_numbered(&records[i], i);
    check_ok(tvmffi_table_insert(&table, &records[i].key));
  }
  for (round = 0; round < 2; ++round) {
    check_ok(tvmffi_table_keep(&table, has_even_number));
    tvmffi_table_free_replaced(&table);
    assert_null(table.current->replaced);
    assert_int_equal(table.num_records, kMany / 2);
    for (i = 0; i < kMany; ++i) {
      assert_ptr_equal(tvmffi_table_find(&table, records[i].name, records[i].key.size),
                       i % 2 == 0 ? &records[i].key : NULL);
    }
  }
  for (i = 1; i < kMany; i += 2) check_ok(tvmffi_table_insert(&table, &records[i].key));
  for (i = 0; i < kMany; ++i) {
    assert_ptr_equal(tvmffi_table_find(&table, records[i].name, records[i].key.size),
                     &records[i].key);
  }
  tvmffi_table_fini(&table);
}

RUN_TESTS({
    cmocka_unit_test(test_an_empty_table),
    cmocka_unit_test(test_names_are_found_while_it_grows),
    cmocka_unit_test(test_names_are_compared_whole),
    cmocka_unit_test(test_names_whose_hashes_collide),
    cmocka_unit_test(test_replaced_slots_stay_readable),
    cmocka_unit_test(test_a_table_is_used_again),
    cmocka_unit_test(test_reserving_what_cannot_be),
    cmocka_unit_test(test_records_are_left_out),
})
