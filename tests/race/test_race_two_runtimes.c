/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads use two copies of the runtime at once: the one in this program, and libtvm_ffi.so. Tables
 * and slots of threads are separate; objects are released by the other copy.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "core/any.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 2000, kNames = 16 };

/* The functions that are called in both copies. */
#define FUNCTIONS(F)                                                                           \
  F(int, FunctionCreate, (void *, TVMFFISafeCallType, void (*)(void *), TVMFFIObjectHandle *)) \
  F(int, FunctionGetGlobal, (const TVMFFIByteArray *, TVMFFIObjectHandle *))                   \
  F(int, FunctionSetGlobal, (const TVMFFIByteArray *, TVMFFIObjectHandle, int))                \
  F(int, FunctionCall, (TVMFFIObjectHandle, TVMFFIAny *, int32_t, TVMFFIAny *))                \
  F(int, ObjectDecRef, (TVMFFIObjectHandle))                                                   \
  F(int, StringFromByteArray, (const TVMFFIByteArray *, TVMFFIAny *))                          \
  F(int32_t, TypeGetOrAllocIndex,                                                              \
    (const TVMFFIByteArray *, int32_t, int32_t, int32_t, int32_t, int32_t))                    \
  F(int, TypeKeyToIndex, (const TVMFFIByteArray *, int32_t *))                                 \
  F(void, ErrorSetRaisedFromCStr, (const char *, const char *))                                \
  F(void, ErrorMoveFromRaised, (TVMFFIObjectHandle *))                                         \
  F(int, EnvSetStream, (int32_t, int32_t, TVMFFIStreamHandle, TVMFFIStreamHandle *))           \
  F(TVMFFIStreamHandle, EnvGetStream, (int32_t, int32_t))

#define MEMBER(result, name, parameters) result(*name) parameters;
#define ADDRESS(result, name, parameters) TVMFFI##name,
#define TEXT(result, name, parameters) "TVMFFI" #name,
typedef struct {
  FUNCTIONS(MEMBER)
} runtime;

static runtime copies[2] = {{FUNCTIONS(ADDRESS)}};
static const char *const kFunctionNames[] = {FUNCTIONS(TEXT)};
static int num_wrong[kThreads];

static int give(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(*(const char *)self);
  return 0;
}

/* Whether a name that each copy has for itself gives that copy's value. */
static bool uses_functions(const runtime *copy, const runtime *other, int which, int round) {
  static char values[2] = {7, 8};
  TVMFFIAny result = tvmffi_any_none();
  TVMFFIObjectHandle function, found;
  char name[32];
  TVMFFIByteArray bytes = {name, 0};
  bytes.size = (size_t)snprintf(name, sizeof name, "race.function_%d", round % kNames);
  if (copy->FunctionCreate(&values[which], give, NULL, &function) != 0) return false;
  if (copy->FunctionSetGlobal(&bytes, function, 1) != 0) return false;
  if (copy->FunctionGetGlobal(&bytes, &found) != 0 || found == NULL) return false;
  if (copy->FunctionCall(found, NULL, 0, &result) != 0) return false;
  (void)other->ObjectDecRef(found);
  (void)other->ObjectDecRef(function);
  return result.v_int64 == values[which];
}

static bool uses_types(const runtime *copy, int round) {
  char key[32];
  TVMFFIByteArray bytes = {key, 0};
  int32_t type_index, found = -1;
  bytes.size = (size_t)snprintf(key, sizeof key, "race.Type%d", round % kNames);
  type_index = copy->TypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
  return type_index >= kTVMFFIDynObjectBegin && copy->TypeKeyToIndex(&bytes, &found) == 0 &&
         found == type_index;
}

static bool uses_texts(const runtime *copy, const runtime *other) {
  static const char text[] = "longer than a small string";
  TVMFFIByteArray bytes = {text, sizeof text - 1};
  TVMFFIAny value;
  return copy->StringFromByteArray(&bytes, &value) == 0 && value.type_index == kTVMFFIStr &&
         strcmp(TVMFFIBytesGetByteArrayPtr(value.v_obj)->data, text) == 0 &&
         other->ObjectDecRef(value.v_obj) == 0;
}

/* Both slots hold an error and a stream at once. The last errors stay until the thread ends. */
static bool uses_slots(int index, bool is_last) {
  static const char *const kMessages[2] = {"inside", "outside"};
  bool is_right = true;
  int i;
  for (i = 0; i < 2; ++i) {
    copies[i].ErrorSetRaisedFromCStr("ValueError", kMessages[i]);
    is_right &= copies[i].EnvSetStream(kDLCUDA, index, &copies[i], NULL) == 0;
  }
  for (i = 0; i < 2; ++i) {
    TVMFFIObjectHandle error = NULL;
    is_right &= copies[i].EnvGetStream(kDLCUDA, index) == &copies[i];
    if (is_last) continue;
    copies[i].ErrorMoveFromRaised(&error);
    is_right &= error != NULL &&
                strcmp(TVMFFIErrorGetCellPtr(error)->message.data, kMessages[i]) == 0 &&
                copies[1 - i].ObjectDecRef(error) == 0;
  }
  return is_right;
}

static void use_both(void *arg, int index) {
  int round, i;
  (void)arg;
  for (round = 0; round < kRounds; ++round) {
    for (i = 0; i < 2; ++i) {
      const runtime *copy = &copies[i], *other = &copies[1 - i];
      if (!uses_functions(copy, other, i, round)) ++num_wrong[index];
      if (!uses_types(copy, round) || !uses_texts(copy, other)) ++num_wrong[index];
    }
    if (!uses_slots(index, round == kRounds - 1)) ++num_wrong[index];
  }
}

static void test_threads_with_two_runtimes(void **state) {
  void *library = dlopen("libtvm_ffi.so", RTLD_LAZY | RTLD_LOCAL);
  size_t i;
  (void)state;
  if (library == NULL) fail_msg("%s", dlerror());
  for (i = 0; i < sizeof kFunctionNames / sizeof *kFunctionNames; ++i) {
    void *address = dlsym(library, kFunctionNames[i]);
    assert_non_null(address);
    memcpy((char *)&copies[1] + i * sizeof address, &address, sizeof address);
  }
  assert_true(copies[0].FunctionCreate != copies[1].FunctionCreate);
  thread_run_many(kThreads, use_both, NULL);
  for (i = 0; i < kThreads; ++i) assert_int_equal(num_wrong[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_with_two_runtimes)};
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
