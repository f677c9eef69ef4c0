/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of the functions of containers. */
#ifndef TESTS_C_CONTAINER_SUPPORT_H_
#define TESTS_C_CONTAINER_SUPPORT_H_

#include "core/any.h"
#include "module_support.h"

/* Calls a global function, which must succeed. The result is owned. */
static inline TVMFFIAny call_ok(const char *name, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny result;
  check_ok(call_global(name, args, num_args, &result));
  return result;
}

/* Calls a global function with the first num_args of a, b, c and d; unused ones may be None. */
static inline int call4(const char *name, int32_t num_args, TVMFFIAny a, TVMFFIAny b, TVMFFIAny c,
                        TVMFFIAny d, TVMFFIAny *result) {
  TVMFFIAny args[4];
  args[0] = a;
  args[1] = b;
  args[2] = c;
  args[3] = d;
  return call_global(name, args, num_args, result);
}

/* Makes a container of the given integers; name is its constructor, such as "ffi.Array". */
static inline TVMFFIAny make_of_ints(const char *name, const int64_t *numbers, int32_t num) {
  TVMFFIAny args[64];
  int32_t i;
  assert_true(num <= 64);
  for (i = 0; i < num; ++i) args[i] = tvmffi_any_int(numbers[i]);
  return call_ok(name, args, num);
}

/* Checks that a sequence holds exactly these integers. */
static inline void check_ints(const TVMFFIAny *seq, const int64_t *numbers, int64_t num) {
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(seq->v_obj);
  const TVMFFIAny *items = cell->data;
  int64_t i;
  assert_int_equal(cell->size, num);
  assert_true(cell->capacity >= num);
  for (i = 0; i < num; ++i) {
    assert_int_equal(items[i].type_index, kTVMFFIInt);
    assert_int_equal(items[i].v_int64, numbers[i]);
  }
}

#endif /* TESTS_C_CONTAINER_SUPPORT_H_ */
