/* SPDX-License-Identifier: Apache-2.0 */
/* Global functions are set, overridden, removed and listed while other threads fetch them. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/global.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 20000 };

static int num_made, num_deleted;
static int is_done; /* the writers are done */
static int num_added;

static void count(int *counter) {
  (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

typedef struct {
  int alive; /* kAlive until the function is destroyed */
} closure;

enum { kAlive = 1234 };

static int call(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(((const closure *)self)->alive);
  return 0;
}

static void delete_closure(void *self) {
  ((closure *)self)->alive = 0;
  count(&num_deleted);
  free(self);
}

static TVMFFIObjectHandle new_function(void) {
  closure *made = malloc(sizeof *made);
  TVMFFIObjectHandle function = NULL;
  if (made == NULL) abort();
  made->alive = kAlive;
  count(&num_made);
  if (TVMFFIFunctionCreate(made, call, delete_closure, &function) != 0) abort();
  return function;
}

static void set_new(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = new_function();
  expect(TVMFFIFunctionSetGlobal(&bytes, function, 1) == 0);
  TVMFFIObjectDecRef(function);
}

/* Returns whether there is a function of that name, and checks that it can be called. */
static bool fetch(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result = tvmffi_any_none();
  expect(TVMFFIFunctionGetGlobal(&bytes, &function) == 0);
  if (function == NULL) return false;
  expect(TVMFFIFunctionCall(function, NULL, 0, &result) == 0);
  expect(result.type_index == kTVMFFIInt && result.v_int64 == kAlive);
  TVMFFIObjectDecRef(function);
  return true;
}

static void run(int num_threads, void (*work)(void *arg, int index)) {
  expect_failures = is_done = 0;
  thread_run_many(num_threads, work, NULL);
  assert_int_equal(expect_failures, 0);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(num_deleted, num_made);
}

static void override_or_fetch(void *arg, int index) {
  int i;
  (void)arg;
  if (index < 2) {
    for (i = 0; i < kRounds; ++i) set_new("my.f");
    count(&is_done);
  } else {
    while (tvmffi_atomic_load_acquire_int(&is_done) < 2) expect(fetch("my.f"));
  }
}

TEST(test_L_11_override_while_others_fetch) {
  set_new("my.f");
  run(kThreads, override_or_fetch);
}

static void remove_or_fetch(void *arg, int index) {
  bool removed;
  int i;
  (void)arg;
  if (index == 0) {
    for (i = 0; i < kRounds; ++i) {
      set_new("my.f");
      expect(tvmffi_global_remove("my.f", 4, &removed) == 0 && removed);
    }
    count(&is_done);
  } else {
    while (!tvmffi_atomic_load_acquire_int(&is_done)) (void)fetch("my.f");
  }
}

TEST(test_L_11_remove_while_others_fetch) {
  run(kThreads, remove_or_fetch);
}

/* F-31: the thread that releases last sees all writes to the function, and it is deleted once. */
static void share(void *arg, int index) {
  int i;
  (void)arg;
  for (i = 0; i < kRounds; ++i) {
    if (i % kThreads == index) set_new("my.f");
    (void)fetch("my.f");
  }
}

TEST(test_F_31_every_function_dies_once) {
  run(kThreads, share);
}

static const char *name_of(int i, char *buffer, size_t size) {
  (void)snprintf(buffer, size, "my.%d", i);
  return buffer;
}

enum { kNamesAtOnce = 8 };

/* One thread sets and removes ever new names, so that the records of absent ones are freed. */
static void pass_by_or_fetch(void *arg, int index) {
  char name[32];
  bool removed;
  int i, k;
  (void)arg;
  if (index == 0) {
    for (i = 0; i < kRounds; ++i) {
      set_new(name_of(i, name, sizeof name));
      tvmffi_atomic_store_release_int(&num_added, i + 1);
      if (i < kNamesAtOnce) continue;
      (void)name_of(i - kNamesAtOnce, name, sizeof name);
      expect(tvmffi_global_remove(name, strlen(name), &removed) == 0 && removed);
    }
    count(&is_done);
  } else {
    while (!tvmffi_atomic_load_acquire_int(&is_done)) {
      i = tvmffi_atomic_load_acquire_int(&num_added);
      for (k = 0; k < 2 * kNamesAtOnce; ++k) (void)fetch(name_of(i - k, name, sizeof name));
    }
  }
}

TEST(test_records_of_absent_names_are_freed_while_others_fetch) {
  num_added = 0;
  run(kThreads, pass_by_or_fetch);
}

static void grow_or_fetch(void *arg, int index) {
  char name[32];
  int i;
  (void)arg;
  if (index == 0) {
    for (i = 0; i < kRounds; ++i) {
      set_new(name_of(i, name, sizeof name));
      tvmffi_atomic_store_release_int(&num_added, i + 1);
    }
  } else {
    for (i = 0; i < kRounds; i = tvmffi_atomic_load_acquire_int(&num_added)) {
      int k;
      for (k = i; k > 0; k /= 2) expect(fetch(name_of(k - 1, name, sizeof name)));
    }
  }
}

TEST(test_names_are_there_as_soon_as_set) {
  num_added = 0;
  run(kThreads, grow_or_fetch);
}

/* A list shows the names of one moment: my.a and my.b are never there together. */
static void check_list(void) {
  TVMFFIObject *names = NULL;
  TVMFFIAny arg = tvmffi_any_int(-1), result = tvmffi_any_none();
  int64_t i, num_names;
  int num_mine = 0;
  expect(tvmffi_global_list_names(&names) == 0);
  expect(TVMFFIFunctionCall(names, &arg, 1, &result) == 0);
  num_names = result.v_int64;
  for (i = 0; i < num_names; ++i) {
    TVMFFIByteArray text = {"", 0};
    arg = tvmffi_any_int(i);
    expect(TVMFFIFunctionCall(names, &arg, 1, &result) == 0);
    expect(tvmffi_any_get_text(&result, &text));
    expect(text.size == strlen(text.data) && text.size >= 4);
    if (strncmp(text.data, "my.", 3) == 0) ++num_mine;
    tvmffi_any_release(&result);
  }
  expect(num_mine <= 1);
  TVMFFIObjectDecRef(names);
}

static void list_or_change(void *arg, int index) {
  static const char *const kNames[] = {"my.a", "my.with a long name, to change the sizes"};
  TVMFFIAny metadata = tvmffi_any_none();
  bool removed;
  int i;
  (void)arg;
  if (index == 0) {
    for (i = 0; i < kRounds; ++i) {
      set_new(kNames[i % 2]);
      expect(tvmffi_global_remove(kNames[i % 2], strlen(kNames[i % 2]), &removed) == 0 && removed);
    }
    count(&is_done);
  } else {
    while (!tvmffi_atomic_load_acquire_int(&is_done)) {
      check_list();
      if (tvmffi_global_metadata("my.a", 4, &metadata) != 0) TVMFFIErrorSetRaised(NULL);
    }
  }
}

TEST(test_L_11_list_while_names_come_and_go) {
  run(kThreads, list_or_change);
}

static TVMFFIObjectHandle fetched[kThreads];

static void fetch_built_in(void *arg, int index) {
  TVMFFIByteArray name = check_bytes("ffi.String");
  (void)arg;
  expect(TVMFFIFunctionGetGlobal(&name, &fetched[index]) == 0);
}

TEST(test_a_built_in_is_made_once) {
  int round, i;
  for (round = 0; round < 50; ++round) {
    thread_run_many(kThreads, fetch_built_in, NULL);
    assert_non_null(fetched[0]);
    for (i = 0; i < kThreads; ++i) {
      assert_ptr_equal(fetched[i], fetched[0]);
      TVMFFIObjectDecRef(fetched[i]);
    }
    check_ok(TVMFFIRuntimeShutdown()); /* back to the start */
  }
}

RUN_TESTS({
    cmocka_unit_test(test_L_11_override_while_others_fetch),
    cmocka_unit_test(test_L_11_remove_while_others_fetch),
    cmocka_unit_test(test_F_31_every_function_dies_once),
    cmocka_unit_test(test_names_are_there_as_soon_as_set),
    cmocka_unit_test(test_records_of_absent_names_are_freed_while_others_fetch),
    cmocka_unit_test(test_L_11_list_while_names_come_and_go),
    cmocka_unit_test(test_a_built_in_is_made_once),
})
