/* SPDX-License-Identifier: Apache-2.0 */
#include "container/lend.h"

#include "c/container_support.h"
#include "container/list.h"
#include "container/map.h"
#include "core/object.h"
#include "reflect/fields.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */

/* A walk that lends the only element of a container. Only the container owns the probe. */
typedef struct {
  probe p;
  TVMFFIAny container, element;
  tvmffi_lend lend;
} scene;

static void lend_element(scene *s) {
  bool is_dict = s->container.type_index == kTVMFFIDict;
  s->element = tvmffi_any_object(&s->p);
  tvmffi_lend_child(&s->lend, &s->element, s->container.v_obj,
                    is_dict ? tvmffi_map_first(s->container.v_obj) : 0);
}

static void begin_scene(scene *s, const char *name) {
  TVMFFIAny items[2];
  bool is_dict = strcmp(name, "ffi.Dict") == 0;
  probe_init(&s->p);
  items[0] = tvmffi_any_int(7);
  items[is_dict] = tvmffi_any_object(&s->p);
  s->container = call_ok(name, items, 1 + is_dict);
  TVMFFIObjectDecRef(&s->p);
  tvmffi_lend_begin(&s->lend, &s->container);
  tvmffi_lend_drop(&s->lend);
  lend_element(s);
}

static void end_scene(scene *s) {
  tvmffi_lend_end(&s->lend);
  check_release(&s->container);
  assert_int_equal(s->p.strong_deletes, 1);
  assert_null(tvmffi_thread.record->lent);
}

/* Checks that the element has `count` references and that the walk may still use it. */
static void check_there(scene *s, uint32_t count) {
  assert_int_equal(s->p.strong_deletes, 0);
  assert_int_equal(check_use_count(&s->p), count);
  assert_true(tvmffi_lend_is_there(&s->lend));
}

static void check_gone(scene *s) {
  assert_int_equal(s->p.strong_deletes, 1);
  assert_false(tvmffi_lend_is_there(&s->lend));
}

static void change(const scene *s, const char *name, int32_t num, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIAny result;
  check_ok(call4(name, num, s->container, a, b, none, &result));
  check_release(&result);
}

/* ---- Places in containers ---- */

TEST(test_what_is_lent_has_no_more_references) {
  static const char *const kNames[] = {"ffi.Array", "ffi.List", "ffi.Dict"};
  scene s;
  int i;
  for (i = 0; i < 3; ++i) {
    begin_scene(&s, kNames[i]);
    check_there(&s, 1);
    assert_true(s.p.header.combined_ref_count == TVMFFI_BOTH_ONE);
    end_scene(&s);
  }
}

/* Removed as inline code of clients does: the element is destroyed, and not touched after that. */
TEST(test_what_was_destroyed_is_not_there) {
  scene s;
  begin_scene(&s, "ffi.List");
  check_ok(tvmffi_list_erase(s.container.v_obj, 0, 1));
  check_gone(&s);
  assert_null(tvmffi_lend_begin_guard().lend);
  end_scene(&s);
  begin_scene(&s, "ffi.Dict");
  tvmffi_map_clear(s.container.v_obj);
  check_gone(&s);
  end_scene(&s);
}

TEST(test_another_value_in_the_place) {
  TVMFFIAny other = none;
  scene s;
  begin_scene(&s, "ffi.List");
  check_ok(tvmffi_list_splice(s.container.v_obj, 0, 1, &other, 1));
  check_gone(&s);
  end_scene(&s);
}

TEST(test_held_and_lent_again) {
  scene s;
  begin_scene(&s, "ffi.List");
  tvmffi_lend_hold(&s.lend);
  assert_null(s.lend.obj);
  check_there(&s, 2);
  tvmffi_lend_again(&s.lend, &s.p.header, s.container.v_obj, 0);
  check_there(&s, 1);
  tvmffi_lend_hold(&s.lend);
  check_ok(tvmffi_list_erase(s.container.v_obj, 0, 1));
  check_there(&s, 1);
  tvmffi_lend_again(&s.lend, &s.p.header, s.container.v_obj, 0);
  check_there(&s, 1); /* it has no place in the list any more, so it is kept */
  tvmffi_lend_drop(&s.lend);
  assert_int_equal(s.p.strong_deletes, 1);
  end_scene(&s);
}

/* ---- Guards ---- */

TEST(test_functions_that_take_an_element_away_keep_it) {
  TVMFFIAny zero = tvmffi_any_int(0), one = tvmffi_any_int(1);
  const struct {
    const char *name;
    int32_t num;
    TVMFFIAny a, b;
  } changes[] = {
      {"ffi.ListClear", 1, none, none},
      {"ffi.ListSetItem", 3, zero, one},
      {"ffi.ListPop", 2, zero, none},
      {"ffi.ListErase", 2, zero, none},
      {"ffi.ListEraseRange", 3, zero, one},
      {"ffi.ListInsert", 3, zero, one},
      {"ffi.DictClear", 1, none, none},
      {"ffi.DictErase", 2, tvmffi_any_int(7), none},
      {"ffi.DictSetItem", 3, tvmffi_any_int(7), one},
  };
  scene s;
  size_t i;
  for (i = 0; i < sizeof changes / sizeof *changes; ++i) {
    bool is_insert = strcmp(changes[i].name, "ffi.ListInsert") == 0;
    begin_scene(&s, strncmp(changes[i].name, "ffi.List", 8) == 0 ? "ffi.List" : "ffi.Dict");
    change(&s, changes[i].name, changes[i].num, changes[i].a, changes[i].b);
    check_there(&s, is_insert ? 2 : 1);
    tvmffi_lend_drop(&s.lend);
    assert_int_equal(s.p.strong_deletes, !is_insert);
    end_scene(&s);
  }
}

TEST(test_functions_that_leave_it_do_not) {
  scene s;
  begin_scene(&s, "ffi.List");
  change(&s, "ffi.ListAppend", 2, tvmffi_any_int(1), none);
  change(&s, "ffi.ListReserve", 2, tvmffi_any_int(100), none);
  change(&s, "ffi.ListErase", 2, tvmffi_any_int(1), none);
  change(&s, "ffi.ListReverse", 1, none, none);
  check_there(&s, 1);
  end_scene(&s);
}

/* A root has no place: it is kept when one of its references is released, also by a setter. */
TEST(test_roots_that_lose_an_owner_are_kept) {
  TVMFFIAny root, field, other = none;
  tvmffi_lend lend;
  probe p;
  probe_init(&p);
  root = field = tvmffi_any_object(&p);
  tvmffi_lend_begin(&lend, &root);
  check_ok(tvmffi_field_set_any(&other, &none));
  assert_int_equal(check_use_count(&p), 1);
  assert_false(lend.is_kept);
  check_ok(tvmffi_field_set_any(&field, &none));
  assert_int_equal(p.strong_deletes, 0);
  assert_true(tvmffi_lend_is_there(&lend));
  tvmffi_lend_end(&lend);
  assert_int_equal(p.strong_deletes, 1);
}

TEST(test_setters_of_frontends_keep) {
  TVMFFIAny root, field;
  tvmffi_lend lend;
  probe p;
  probe_init(&p);
  root = field = tvmffi_any_object(&p);
  tvmffi_lend_begin(&lend, &root);
  check_ok(tvmffi_field_set_optional_object(&field.v_obj, &none));
  assert_int_equal(p.strong_deletes, 0);
  tvmffi_lend_end(&lend);
  assert_int_equal(p.strong_deletes, 1);
}

/* ---- Nested walks ---- */

TEST(test_a_walk_within_keeps_what_the_outer_one_lends) {
  tvmffi_lend inner;
  scene s;
  begin_scene(&s, "ffi.List");
  tvmffi_lend_begin(&inner, &none);
  check_there(&s, 2);
  tvmffi_lend_end(&inner);
  check_there(&s, 1);
  assert_false(s.lend.is_kept);
  tvmffi_lend_begin(&inner, &none);
  check_ok(tvmffi_list_erase(s.container.v_obj, 0, 1));
  tvmffi_lend_end(&inner);
  check_there(&s, 1);
  end_scene(&s);
}

TEST(test_a_walk_over_the_same_value_counts_nothing) {
  tvmffi_lend inner;
  scene s;
  begin_scene(&s, "ffi.List");
  tvmffi_lend_begin(&inner, &s.element);
  check_there(&s, 1);
  assert_ptr_equal(inner.parent, s.container.v_obj);
  change(&s, "ffi.ListClear", 1, none, none); /* the inner walk keeps it, then hands it over */
  assert_false(s.lend.is_kept);
  tvmffi_lend_end(&inner);
  assert_true(s.lend.is_kept);
  check_there(&s, 1);
  tvmffi_lend_begin(&inner, &s.element);
  assert_null(inner.parent); /* it is in no container now */
  assert_true(tvmffi_lend_is_there(&inner));
  tvmffi_lend_end(&inner);
  assert_int_equal(s.p.strong_deletes, 0);
  end_scene(&s);
}

TEST(test_a_walk_that_turns_to_another_value_keeps_the_outer_one) {
  tvmffi_lend inner;
  scene s;
  begin_scene(&s, "ffi.List");
  tvmffi_lend_begin(&inner, &s.element);
  tvmffi_lend_drop(&inner);
  tvmffi_lend_guard_outer(&inner);
  check_there(&s, 2);
  tvmffi_lend_guard_outer(&inner); /* a second guard adds no reference */
  check_there(&s, 2);
  tvmffi_lend_end(&inner);
  check_there(&s, 1);
  end_scene(&s);
}

RUN_TESTS({
    cmocka_unit_test(test_what_is_lent_has_no_more_references),
    cmocka_unit_test(test_what_was_destroyed_is_not_there),
    cmocka_unit_test(test_another_value_in_the_place),
    cmocka_unit_test(test_held_and_lent_again),
    cmocka_unit_test(test_functions_that_take_an_element_away_keep_it),
    cmocka_unit_test(test_functions_that_leave_it_do_not),
    cmocka_unit_test(test_roots_that_lose_an_owner_are_kept),
    cmocka_unit_test(test_setters_of_frontends_keep),
    cmocka_unit_test(test_a_walk_within_keeps_what_the_outer_one_lends),
    cmocka_unit_test(test_a_walk_over_the_same_value_counts_nothing),
    cmocka_unit_test(test_a_walk_that_turns_to_another_value_keeps_the_outer_one),
})
