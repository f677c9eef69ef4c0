/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads use three copies of the runtime at once: the archive in the program, and two copies of
 * libtvm_ffi.so. Each has its own types, global functions and slots for errors. Objects go from
 * thread to thread, and are used and released by another copy than the one that made them.
 */
#include <dlfcn.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/any.h"
#include "core/type.h"
#include "race/expect.h"
#include "support/thread.h"

enum { kThreads = 4, kCopies = 3, kRounds = 3000, kPlaces = 5, kLevels = 5 };

typedef struct {
  int (*ObjectIncRef)(TVMFFIObjectHandle obj);
  int (*ObjectDecRef)(TVMFFIObjectHandle obj);
  int (*FunctionCreate)(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                        TVMFFIObjectHandle *out);
  int (*FunctionGetGlobal)(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
  int (*FunctionSetGlobal)(const TVMFFIByteArray *name, TVMFFIObjectHandle func,
                           int allow_override);
  int (*FunctionCall)(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                      TVMFFIAny *result);
  int (*StringFromByteArray)(const TVMFFIByteArray *input, TVMFFIAny *out);
  int32_t (*TypeGetOrAllocIndex)(const TVMFFIByteArray *type_key, int32_t static_type_index,
                                 int32_t type_depth, int32_t num_child_slots,
                                 int32_t child_slots_can_overflow, int32_t parent_type_index);
  int (*TypeKeyToIndex)(const TVMFFIByteArray *type_key, int32_t *out_type_index);
  const TVMFFITypeInfo *(*GetTypeInfo)(int32_t type_index);
  void (*ErrorSetRaised)(TVMFFIObjectHandle error);
  void (*ErrorSetRaisedFromCStr)(const char *kind, const char *message);
  void (*ErrorMoveFromRaised)(TVMFFIObjectHandle *result);
  int (*RuntimeSetLiveObjectCounting)(int enabled);
  int64_t (*RuntimeGetLiveObjectCount)(int32_t type_index);
  int (*RuntimeShutdown)(void);
} runtime;

static const char *const kNames[] = {
    "TVMFFIObjectIncRef",
    "TVMFFIObjectDecRef",
    "TVMFFIFunctionCreate",
    "TVMFFIFunctionGetGlobal",
    "TVMFFIFunctionSetGlobal",
    "TVMFFIFunctionCall",
    "TVMFFIStringFromByteArray",
    "TVMFFITypeGetOrAllocIndex",
    "TVMFFITypeKeyToIndex",
    "TVMFFIGetTypeInfo",
    "TVMFFIErrorSetRaised",
    "TVMFFIErrorSetRaisedFromCStr",
    "TVMFFIErrorMoveFromRaised",
    "TVMFFIRuntimeSetLiveObjectCounting",
    "TVMFFIRuntimeGetLiveObjectCount",
    "TVMFFIRuntimeShutdown",
};
enum { kNumNames = sizeof kNames / sizeof kNames[0] };

/* The others are filled in when their files are loaded. */
static runtime copies[kCopies] = {{
    TVMFFIObjectIncRef,
    TVMFFIObjectDecRef,
    TVMFFIFunctionCreate,
    TVMFFIFunctionGetGlobal,
    TVMFFIFunctionSetGlobal,
    TVMFFIFunctionCall,
    TVMFFIStringFromByteArray,
    TVMFFITypeGetOrAllocIndex,
    TVMFFITypeKeyToIndex,
    TVMFFIGetTypeInfo,
    TVMFFIErrorSetRaised,
    TVMFFIErrorSetRaisedFromCStr,
    TVMFFIErrorMoveFromRaised,
    TVMFFIRuntimeSetLiveObjectCounting,
    TVMFFIRuntimeGetLiveObjectCount,
    TVMFFIRuntimeShutdown,
}};
static int numbers[kCopies] = {0, 1, 2}; /* what the functions of a copy return */
static int num_made[kCopies], num_deleted[kCopies];
static int32_t indices[kCopies][kThreads][kRounds];
static TVMFFIObjectHandle places[kPlaces]; /* where threads leave objects for each other */

FIXTURE(set_up) {
  static const char *const kFiles[kCopies] = {NULL, "second_runtime.so", "third_runtime.so"};
  int i, j;
  assert_int_equal(sizeof copies[0], kNumNames * sizeof(void *));
  for (i = 1; i < kCopies; ++i) {
    void *library = dlopen(module_path(kFiles[i]), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fail_msg("%s", dlerror());
    for (j = 0; j < kNumNames; ++j) {
      void *address = dlsym(library, kNames[j]);
      assert_non_null(address);
      memcpy((char *)&copies[i] + (size_t)j * sizeof address, &address, sizeof address);
    }
    for (j = 0; j < i; ++j) assert_true(copies[i].FunctionCall != copies[j].FunctionCall);
  }
  return 0;
}

/* ---- Types ---- */

static int32_t register_type(const runtime *copy, const char *key) {
  TVMFFIByteArray bytes = check_bytes(key);
  return copy->TypeGetOrAllocIndex(&bytes, -1, 1, 0, 0, kTVMFFIObject);
}

/* All threads register one key in all copies, and each a key of its own in one copy. */
static void use_types(int index, int round) {
  int i, owner = (index + round) % kCopies;
  char common[32], single[32];
  (void)snprintf(common, sizeof common, "my.common.%d", round);
  (void)snprintf(single, sizeof single, "my.%d.%d", index, round);
  (void)register_type(&copies[owner], single);
  for (i = 0; i < kCopies; ++i) {
    TVMFFIByteArray bytes = check_bytes(single);
    TVMFFIObjectHandle error;
    const TVMFFITypeInfo *info;
    int32_t found = -1;
    indices[i][index][round] = register_type(&copies[i], common);
    info = copies[i].GetTypeInfo(indices[i][index][round]);
    expect(info != NULL && strcmp(info->type_key.data, common) == 0);
    expect((copies[i].TypeKeyToIndex(&bytes, &found) == 0) == (i == owner));
    copies[i].ErrorMoveFromRaised(&error);
    expect((error != NULL) == (i != owner));
    if (error != NULL) copies[owner].ObjectDecRef(error);
  }
}

/* ---- Global functions ---- */

static int give_number(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(*(const int *)self);
  return 0;
}

static void count_deleted(void *self) {
  (void)__atomic_fetch_add(&num_deleted[*(const int *)self], 1, __ATOMIC_RELAXED);
}

static TVMFFIObjectHandle new_function(int i) {
  TVMFFIObjectHandle function;
  if (copies[i].FunctionCreate(&numbers[i], give_number, count_deleted, &function) != 0) abort();
  (void)__atomic_fetch_add(&num_made[i], 1, __ATOMIC_RELAXED);
  return function;
}

/* NULL if there is none. */
static TVMFFIObjectHandle find_global(const runtime *copy, const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  expect(copy->FunctionGetGlobal(&bytes, &function) == 0);
  return function;
}

/* The same name has another function in each copy; each is called, and released, by the next. */
static void use_globals(void) {
  TVMFFIByteArray name = check_bytes("my.f");
  int i;
  for (i = 0; i < kCopies; ++i) {
    const runtime *copy = &copies[i], *next = &copies[(i + 1) % kCopies];
    TVMFFIObjectHandle function = new_function(i);
    TVMFFIAny result = tvmffi_any_none();
    expect(copy->FunctionSetGlobal(&name, function, 1) == 0);
    next->ObjectDecRef(function);
    function = find_global(copy, "my.f");
    expect(function != NULL);
    if (function == NULL) continue;
    expect(next->FunctionCall(function, NULL, 0, &result) == 0 && result.v_int64 == i);
    next->ObjectDecRef(function);
  }
}

static void remove_function(const runtime *copy) {
  TVMFFIObjectHandle remover = find_global(copy, "ffi.FunctionRemoveGlobal");
  TVMFFIAny name = tvmffi_any_raw_str("my.f"), result = tvmffi_any_none();
  assert_non_null(remover);
  check_ok(copy->FunctionCall(remover, &name, 1, &result));
  check_ok(copy->ObjectDecRef(remover));
}

/* ---- Errors ---- */

static void expect_raised(const runtime *copy, const runtime *other, const char *message) {
  TVMFFIObjectHandle error;
  copy->ErrorMoveFromRaised(&error);
  expect(error != NULL);
  if (error == NULL) return;
  expect(strcmp(TVMFFIErrorGetCellPtr(error)->message.data, message) == 0);
  other->ObjectDecRef(error);
}

/* Errors are in all slots of the thread at once; then one goes from copy to copy. */
static void use_errors(int index, int round) {
  char messages[kCopies][64];
  TVMFFIObjectHandle error;
  int i;
  for (i = 0; i < kCopies; ++i) {
    (void)snprintf(messages[i], sizeof messages[i], "of copy %d, thread %d, round %d", i, index,
                   round);
    copies[i].ErrorSetRaisedFromCStr("ValueError", messages[i]);
  }
  for (i = kCopies - 1; i > 0; --i) expect_raised(&copies[i], &copies[i - 1], messages[i]);
  for (i = 0; i + 1 < kCopies; ++i) {
    copies[i].ErrorMoveFromRaised(&error);
    expect(error != NULL);
    copies[i + 1].ErrorSetRaised(error);
    copies[i].ObjectDecRef(error);
  }
  expect_raised(&copies[kCopies - 1], &copies[0], messages[0]);
}

/* ---- Objects ---- */

/* Makes an Array in a copy; takes the items. NULL in the core profile, where there are none. */
static TVMFFIObjectHandle new_array(const runtime *copy, const runtime *other, TVMFFIAny *items,
                                    int32_t num_items) {
  TVMFFIObjectHandle make_array = find_global(copy, "ffi.Array");
  TVMFFIAny result = tvmffi_any_none();
  int32_t i;
  if (make_array == NULL) return NULL;
  expect(other->FunctionCall(make_array, items, num_items, &result) == 0);
  other->ObjectDecRef(make_array);
  for (i = 0; i < num_items; ++i) other->ObjectDecRef(items[i].v_obj);
  return result.v_obj;
}

/* A function, a text, or Arrays of all copies around both. */
static TVMFFIObjectHandle new_object(int index, int round) {
  int maker = (index + round) % kCopies, level;
  TVMFFIObjectHandle obj;
  TVMFFIByteArray text;
  TVMFFIAny items[2];
  char buffer[32];
  items[0] = tvmffi_any_object(new_function(maker));
  if (round % 3 == 0) return items[0].v_obj;
  (void)snprintf(buffer, sizeof buffer, "a text of copy %d", maker);
  text = check_bytes(buffer);
  expect(copies[maker].StringFromByteArray(&text, &items[1]) == 0);
  obj = round % 3 == 1 ? NULL : new_array(&copies[maker], &copies[0], items, 2);
  if (obj == NULL) {
    copies[round % kCopies].ObjectDecRef(items[0].v_obj);
    return items[1].v_obj;
  }
  for (level = 1; level < kLevels; ++level) {
    const runtime *copy = &copies[(maker + level) % kCopies];
    items[0] = tvmffi_any_object(obj);
    obj = new_array(copy, &copies[maker], items, 1);
  }
  return obj;
}

/* Returns which copy it says it is of. */
static int use_object(const runtime *copy, TVMFFIObjectHandle obj) {
  int32_t type_index = ((const TVMFFIObject *)obj)->type_index;
  int maker = -1;
  if (type_index == kTVMFFIFunction) {
    TVMFFIAny result = tvmffi_any_none();
    expect(copy->FunctionCall(obj, NULL, 0, &result) == 0 && result.type_index == kTVMFFIInt);
    maker = (int)result.v_int64;
  } else if (type_index == kTVMFFIStr) {
    expect(sscanf(TVMFFIBytesGetByteArrayPtr(obj)->data, "a text of copy %d", &maker) == 1);
  } else {
    const TVMFFIAny *items = TVMFFISeqGetCellPtr(obj)->data;
    expect(type_index == kTVMFFIArray);
    maker = use_object(copy, items[0].v_obj);
    if (TVMFFISeqGetCellPtr(obj)->size > 1) expect(maker == use_object(copy, items[1].v_obj));
  }
  expect(maker >= 0 && maker < kCopies);
  return maker;
}

/* Leaves an object and takes what another thread has left. */
static void exchange_objects(int index, int round) {
  const runtime *copy = &copies[(2 * index + round) % kCopies];
  const runtime *other = &copies[(index + 2 * round) % kCopies];
  TVMFFIObjectHandle obj = new_object(index, round);
  obj = __atomic_exchange_n(&places[round % kPlaces], obj, __ATOMIC_ACQ_REL);
  if (obj == NULL) return;
  copy->ObjectIncRef(obj);
  (void)use_object(copy, obj);
  copy->ObjectDecRef(obj);
  other->ObjectDecRef(obj);
}

/* ---- All of it at once ---- */

static void use_all(void *context, int index) {
  int round, i;
  (void)context;
  for (round = 0; round < kRounds; ++round) {
    use_types(index, round);
    use_globals();
    use_errors(index, round);
    exchange_objects(index, round);
  }
  for (i = 0; i < kCopies; ++i) {
    copies[i].ErrorSetRaisedFromCStr("ValueError", "still in the slot when the thread ends");
  }
}

static void check_all(void) {
  int i, thread, round;
  expect_failures = 0;
  memset(num_made, 0, sizeof num_made);
  memset(num_deleted, 0, sizeof num_deleted);
  thread_run_many(kThreads, use_all, NULL);
  assert_int_equal(expect_failures, 0);
  for (i = 0; i < kPlaces; ++i) {
    if (places[i] != NULL) check_ok(copies[i % kCopies].ObjectDecRef(places[i]));
    places[i] = NULL;
  }
  for (i = 0; i < kCopies; ++i) {
    for (round = 0; round < kRounds; ++round) {
      assert_true(indices[i][0][round] >= kTvmffiFirstClientType);
      for (thread = 1; thread < kThreads; ++thread) {
        assert_int_equal(indices[i][thread][round], indices[i][0][round]);
      }
    }
    remove_function(&copies[i]);
    assert_true(num_made[i] > kThreads * kRounds);
    assert_int_equal(num_deleted[i], num_made[i]);
  }
}

TEST(test_threads_use_all_copies_at_once) {
  check_all();
}

/* Counting takes a lock for every object, which hides races: hence the test above. */
TEST(test_objects_die_in_the_copy_that_made_them) {
  int i;
  for (i = 0; i < kCopies; ++i) { /* built-in functions are made when looked up, and stay */
    check_ok(copies[i].ObjectDecRef(find_global(&copies[i], "ffi.Array")));
    check_ok(copies[i].ObjectDecRef(find_global(&copies[i], "ffi.FunctionRemoveGlobal")));
    check_ok(copies[i].RuntimeSetLiveObjectCounting(1));
  }
  check_all();
  for (i = 0; i < kCopies; ++i) {
    assert_int_equal(copies[i].RuntimeGetLiveObjectCount(kTVMFFIAny), 0);
    check_ok(copies[i].RuntimeSetLiveObjectCounting(0));
  }
}

/* So that each test registers its types anew. */
FIXTURE(shut_down) {
  int i;
  for (i = 0; i < kCopies; ++i) check_ok(copies[i].RuntimeShutdown());
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_threads_use_all_copies_at_once, shut_down),
      cmocka_unit_test_teardown(test_objects_die_in_the_copy_that_made_them, shut_down),
  };
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
