/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the functions of maps, dicts and lists fails once. */
#include "container/map.h"
#include "core/any.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/probe.h"

typedef struct {
  TVMFFIObjectHandle function;
  TVMFFIAny args[64], result;
  int32_t num_args;
} call;

static int run(void *context) {
  call *c = context;
  return TVMFFIFunctionCall(c->function, c->args, c->num_args, &c->result);
}

static TVMFFIObject *dict; /* checked unless NULL */
static probe item;
static struct {
  const void *data;
  uint64_t size, slots;
  uint32_t uses;
} before;

static void remember(void) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)dict;
  before.uses = check_use_count(&item);
  if (dict == NULL) return;
  before.data = self->data;
  before.size = self->size;
  before.slots = self->slots;
}

static void unchanged(void *context) {
  const tvmffi_map *self = (const tvmffi_map *)(const void *)dict;
  assert_int_equal(((call *)context)->result.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(&item), before.uses);
  if (dict == NULL) return;
  assert_ptr_equal(self->data, before.data);
  assert_true(self->size == before.size);
  assert_true(self->slots == before.slots);
}

static void undo(void *context) {
  check_release(&((call *)context)->result);
}

/* Counts the allocations that fail in a call. Its result is released, unless it goes to `kept`. */
static long count_failures(const char *name, const TVMFFIAny *args, int32_t num_args,
                           TVMFFIAny *kept) {
  TVMFFIByteArray bytes = check_bytes(name);
  long failures;
  call c;
  memset(&c, 0, sizeof c);
  if (num_args != 0) memcpy(c.args, args, (size_t)num_args * sizeof *args);
  c.num_args = num_args;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &c.function));
  remember();
  failures =
      oom_check(run, unchanged, kept == NULL ? undo : NULL, &c, kept != NULL || dict != NULL);
  if (kept != NULL) *kept = c.result;
  TVMFFIObjectDecRef(c.function);
  return failures;
}

static TVMFFIAny args[64];

static void fill_args(int num_pairs) {
  int i;
  for (i = 0; i < num_pairs; ++i) {
    args[2 * i] = tvmffi_any_int(i);
    args[2 * i + 1] = tvmffi_any_object(&item);
  }
}

static void test_making(void **state) {
  (void)state;
  fill_args(20);
  assert_int_equal(count_failures("ffi.Map", args, 4, NULL), 1);
  assert_int_equal(count_failures("ffi.Dict", args, 8, NULL), 1);
  assert_int_equal(count_failures("ffi.Map", args, 40, NULL), 2);
  args[38] = args[0]; /* a duplicate key: the dict is made again by growing */
  assert_true(count_failures("ffi.Dict", args, 40, NULL) > 4);
  args[38] = tvmffi_any_raw_str("a text of some length");
  assert_int_equal(count_failures("ffi.Dict", args, 40, NULL), 3);
  assert_int_equal(check_use_count(&item), 1);
}

static void test_changing_a_dict(void **state) {
  TVMFFIAny kept;
  long growths = 0;
  int i;
  (void)state;
  assert_int_equal(count_failures("ffi.Dict", NULL, 0, &kept), 1);
  dict = kept.v_obj;
  for (i = 0; i < 200; ++i) {
    args[0] = kept;
    args[1] = tvmffi_any_int(i);
    args[2] = tvmffi_any_object(&item);
    growths += count_failures("ffi.DictSetItem", args, 3, NULL);
  }
  assert_in_range(growths, 6, 12);
  args[1] = tvmffi_any_raw_str("a text of some length");
  assert_int_equal(count_failures("ffi.DictSetItem", args, 3, NULL), 1);
  assert_int_equal(count_failures("ffi.DictErase", args, 2, NULL), 1);
  assert_int_equal(count_failures("ffi.DictForwardIterFunctor", args, 1, NULL), 1);
  assert_int_equal(count_failures("ffi.DictClear", args, 1, NULL), 0);
  assert_int_equal(check_use_count(&item), 1);
  dict = NULL;
  check_release(&kept);
}

static void test_copies(void **state) {
  TVMFFIAny kept;
  (void)state;
  fill_args(20);
  assert_int_equal(count_failures("ffi.Map", args, 40, &kept), 2);
  args[0] = kept;
  args[1] = tvmffi_any_int(5);
  assert_int_equal(count_failures("ffi.DictErase", args, 2, NULL), 2);
  assert_int_equal(count_failures("ffi.ContainerFindFirstNonCPUDevice", args, 1, NULL), 2);
  check_release(&kept);
  assert_int_equal(check_use_count(&item), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_changing_a_dict),
      cmocka_unit_test(test_copies),
  };
  oom_install();
  probe_init(&item);
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
