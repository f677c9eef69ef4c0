/* SPDX-License-Identifier: Apache-2.0 */
#include "container/list.h"

#include <stdio.h>
#include <stdlib.h>

#include "container/array.h"
#include "core/any.h"
#include "core/object.h"
#include "support/check.h"
#include "support/probe.h"
#include "support/thread.h"

static TVMFFISeqCell *cell_of(TVMFFIObject *list) {
  return TVMFFISeqGetCellPtr(list);
}

static void append_int(TVMFFIObject *list, int64_t value) {
  TVMFFIAny any = tvmffi_any_int(value);
  check_ok(tvmffi_list_append(list, &any));
}

static TVMFFIObject *new_of(int64_t num) {
  TVMFFIObject *list = tvmffi_list_new(0);
  int64_t i;
  for (i = 0; i < num; ++i) append_int(list, i);
  return list;
}

/* Checks the elements against numbers in text form: "0 1 2". */
static void check_list(TVMFFIObject *list, const char *expected) {
  char text[4096] = "";
  int64_t i;
  for (i = 0; i < tvmffi_array_size(list); ++i) {
    assert_true(strlen(text) + 32 < sizeof text);
    (void)snprintf(text + strlen(text), 32, i == 0 ? "%d" : " %d",
                   (int)tvmffi_array_items(list)[i].v_int64);
  }
  assert_string_equal(text, expected);
}

static void test_the_layout(void **state) {
  TVMFFIObject *list = tvmffi_list_new(0);
  (void)state;
  assert_int_equal(list->type_index, kTVMFFIList);
  assert_null(cell_of(list)->data);
  assert_int_equal(cell_of(list)->capacity, 0);
  assert_non_null(cell_of(list)->data_deleter); /* set even without data: clients call it */
  cell_of(list)->data_deleter(NULL);
  TVMFFIObjectDecRef(list);
  list = tvmffi_list_new(7);
  assert_int_equal(cell_of(list)->capacity, 7);
  assert_non_null(cell_of(list)->data);
  TVMFFIObjectDecRef(list);
}

static void test_growth(void **state) {
  static const int64_t capacities[] = {1, 2, 4, 4, 8, 8, 8, 8, 16};
  TVMFFIObject *list = tvmffi_list_new(0);
  size_t i;
  (void)state;
  for (i = 0; i < sizeof capacities / sizeof *capacities; ++i) {
    append_int(list, (int64_t)i);
    assert_int_equal(cell_of(list)->capacity, capacities[i]);
  }
  check_list(list, "0 1 2 3 4 5 6 7 8");
  check_ok(tvmffi_list_reserve(list, 3));
  check_ok(tvmffi_list_reserve(list, INT64_MIN));
  assert_int_equal(cell_of(list)->capacity, 16);
  check_ok(tvmffi_list_reserve(list, 100));
  assert_int_equal(cell_of(list)->capacity, 100);
  check_list(list, "0 1 2 3 4 5 6 7 8");
  TVMFFIObjectDecRef(list);
}

/* As client code does it, whose operator new is malloc. */
static void test_a_client_replaces_the_block(void **state) {
  TVMFFIObject *list = new_of(3);
  TVMFFISeqCell *cell = cell_of(list);
  TVMFFIAny *block = malloc(50 * sizeof *block);
  (void)state;
  assert_non_null(block);
  memcpy(block, cell->data, 3 * sizeof *block);
  cell->data_deleter(cell->data);
  cell->data = block;
  cell->capacity = 50;
  append_int(list, 3);
  assert_ptr_equal(cell->data, block);
  check_ok(tvmffi_list_reserve(list, 51));
  assert_ptr_not_equal(cell->data, block);
  check_list(list, "0 1 2 3");
  TVMFFIObjectDecRef(list);
}

static int client_freed;

static void client_free(void *data) {
  ++client_freed;
  free(data);
}

/* A list from a client keeps its deleter, which frees the old blocks. */
static void test_a_list_of_a_client(void **state) {
  TVMFFIObject *list = tvmffi_list_new(0);
  TVMFFISeqCell *cell = cell_of(list);
  (void)state;
  cell->data_deleter = client_free;
  append_int(list, 1);
  assert_int_equal(client_freed, 1); /* called with NULL */
  append_int(list, 2);
  assert_int_equal(client_freed, 2);
  assert_true(cell->data_deleter == client_free);
  TVMFFIObjectDecRef(list);
  assert_int_equal(client_freed, 3);
}

static void test_splice_and_erase(void **state) {
  TVMFFIAny added[3];
  TVMFFIObject *list = new_of(6);
  int i;
  (void)state;
  for (i = 0; i < 3; ++i) added[i] = tvmffi_any_int(10 + i);
  check_ok(tvmffi_list_splice(list, 1, 3, added, 3));
  check_list(list, "0 10 11 12 3 4 5");
  check_ok(tvmffi_list_splice(list, 0, 0, added, 1));
  check_list(list, "10 0 10 11 12 3 4 5");
  check_ok(tvmffi_list_splice(list, 8, 8, added, 2));
  check_list(list, "10 0 10 11 12 3 4 5 10 11");
  check_ok(tvmffi_list_splice(list, 2, 9, added, 1));
  check_list(list, "10 0 10 11");
  check_ok(tvmffi_list_erase(list, 1, 3));
  check_list(list, "10 11");
  check_ok(tvmffi_list_erase(list, 0, 0));
  check_ok(tvmffi_list_erase(list, 0, 2));
  check_list(list, "");
  TVMFFIObjectDecRef(list);
}

/* More elements than the local buffer holds, so memory is allocated. */
static void test_long_ranges(void **state) {
  enum { kElements = 100 };
  TVMFFIObject *list = new_of(kElements);
  probe p;
  int64_t i;
  (void)state;
  probe_init(&p);
  for (i = 10; i < 90; ++i) {
    TVMFFIObjectIncRef(&p);
    tvmffi_array_items(list)[i] = tvmffi_any_object(&p);
  }
  assert_int_equal(check_use_count(&p), 81);
  check_ok(tvmffi_list_erase(list, 10, 50));
  assert_int_equal(check_use_count(&p), 41);
  assert_int_equal(tvmffi_array_items(list)[50].v_int64, 90);
  check_ok(tvmffi_list_splice(list, 0, 50, NULL, 0));
  assert_int_equal(check_use_count(&p), 1);
  check_list(list, "90 91 92 93 94 95 96 97 98 99");
  for (i = 0; i < 40; ++i) append_int(list, i);
  check_ok(tvmffi_list_erase(list, 0, 50)); /* up to the end */
  check_list(list, "");
  TVMFFIObjectDecRef(list);
}

static void test_refused(void **state) {
  TVMFFIObject *list = new_of(3);
  TVMFFIAny out = tvmffi_any_none();
  (void)state;
  check_fails(tvmffi_list_pop(list, 3, &out), "IndexError", "Index 3 out of bounds 3");
  check_fails(tvmffi_list_pop(list, -1, &out), "IndexError", "Index -1 out of bounds 3");
  check_fails(tvmffi_list_erase(list, -1, 2), "IndexError", "Erase range [-1, 2) out of bounds 3");
  check_fails(tvmffi_list_erase(list, 2, 1), "IndexError", "Erase range [2, 1) out of bounds 3");
  check_fails(tvmffi_list_erase(list, 0, 4), "IndexError", "Erase range [0, 4) out of bounds 3");
  check_fails(tvmffi_list_reserve(list, INT64_C(1) << 62), "MemoryError", NULL);
  check_fails(tvmffi_list_reserve(list, INT64_MAX), "MemoryError", NULL);
  assert_null(tvmffi_list_new(INT64_MAX));
  check_raised("MemoryError", NULL);
  check_list(list, "0 1 2");
  TVMFFIObjectDecRef(list);
}

/* ---- Elements whose destruction changes the list ---- */

static TVMFFIObject *meddled;
static int num_meddled;

static void meddle(void *self) {
  TVMFFIAny any = tvmffi_any_int((int64_t)(intptr_t)self);
  ++num_meddled;
  check_ok(tvmffi_list_append(meddled, &any));
  if (num_meddled == 1) check_ok(tvmffi_list_erase(meddled, 0, tvmffi_array_size(meddled) / 2));
}

static int do_nothing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return 0;
}

static void fill_with_meddlers(int64_t num) {
  int64_t i;
  meddled = tvmffi_list_new(0);
  num_meddled = 0;
  for (i = 0; i < num; ++i) {
    TVMFFIObjectHandle function;
    TVMFFIAny any;
    check_ok(TVMFFIFunctionCreate((void *)(intptr_t)i, do_nothing, meddle, &function));
    any = tvmffi_any_object(function);
    check_ok(tvmffi_list_append(meddled, &any));
  }
}

static void test_elements_that_change_the_list(void **state) {
  (void)state;
  fill_with_meddlers(40);
  check_ok(tvmffi_list_erase(meddled, 0, 40));
  assert_true(num_meddled >= 20);
  while (tvmffi_array_size(meddled) > 0) { /* until no function is left in the list */
    TVMFFIAny last;
    check_ok(tvmffi_list_pop(meddled, tvmffi_array_size(meddled) - 1, &last));
    check_release(&last);
    if (num_meddled > 1000) break;
  }
  TVMFFIObjectDecRef(meddled);

  fill_with_meddlers(40);
  check_ok(tvmffi_list_erase(meddled, 1, 30));
  check_ok(tvmffi_list_erase(meddled, 0, 1));
  assert_true(num_meddled >= 30);
  while (tvmffi_array_size(meddled) > 0 && num_meddled < 1000) {
    check_ok(tvmffi_list_erase(meddled, 0, 1));
  }
  TVMFFIObjectDecRef(meddled);
}

static void release_deep(void *arg) {
  TVMFFIObject *list = arg;
  TVMFFIObjectDecRef(list);
}

static void test_L_21_nested_lists(void **state) {
  TVMFFIObject *list = tvmffi_list_new(0);
  int i;
  (void)state;
  for (i = 0; i < 1000000; ++i) {
    TVMFFIObject *outer = tvmffi_list_new(1);
    TVMFFIAny any = tvmffi_any_object(list);
    check_ok(tvmffi_list_append(outer, &any));
    list = outer;
  }
  thread_run(release_deep, list, 256 * 1024);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_layout),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_a_client_replaces_the_block),
      cmocka_unit_test(test_a_list_of_a_client),
      cmocka_unit_test(test_splice_and_erase),
      cmocka_unit_test(test_long_ranges),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_elements_that_change_the_list),
      cmocka_unit_test(test_L_21_nested_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
