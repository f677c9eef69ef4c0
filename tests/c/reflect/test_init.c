/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/fields.h"

#include "c/walk_support.h"
#include "core/error.h"

/* test.Init: `need`, then `may` with a default, keyword-only `word`, and `made` from a factory. */
typedef struct {
  TVMFFIObject header;
  TVMFFIAny fields[4];
} object;
enum { kMay, kNeed, kWord, kMade };

static int32_t init_type;
static int factory_fails;
static TVMFFIAny kwargs;

static int set_int(void *field, const TVMFFIAny *value) {
  if (value->type_index != kTVMFFIInt) {
    return tvmffi_fail("TypeError", "no int\nbut `%s`", tvmffi_any_type_name(value));
  }
  *(TVMFFIAny *)field = *value;
  return 0;
}

static int make_seven(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  assert_int_equal(num_args, 0);
  if (factory_fails == 1) return tvmffi_fail("KeyError", "no factory today");
  *result = factory_fails == 2 ? tvmffi_any_none() : tvmffi_any_int(7);
  return 0;
}

static void add(const char *name, int slot, int64_t flags, TVMFFIAny default_value) {
  TVMFFIFieldInfo field = make_field(name);
  field.flags = flags;
  field.size = sizeof(TVMFFIAny);
  field.alignment = 8;
  field.offset = (int64_t)(offsetof(object, fields) + (size_t)slot * sizeof(TVMFFIAny));
  field.getter = get_any_field;
  field.setter = setter_pointer(set_int);
  field.field_static_type_index = kTVMFFIAny;
  field.default_value_or_factory = default_value;
  check_ok(TVMFFITypeRegisterField(init_type, &field));
}

FIXTURE(make_type) {
  TVMFFITypeMetadata metadata;
  TVMFFIObjectHandle factory;
  TVMFFIAny args[2], result;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = sizeof(object);
  init_type = add_type("test.Init", 1, kTVMFFIObject);
  check_ok(TVMFFITypeRegisterMetadata(init_type, &metadata));
  check_ok(TVMFFIFunctionCreate(NULL, make_seven, NULL, &factory));
  add("may", kMay, kTVMFFIFieldFlagBitMaskHasDefault, tvmffi_any_int(5));
  add("need", kNeed, 0, tvmffi_any_none());
  add("word", kWord, kTVMFFIFieldFlagBitMaskKwOnly, tvmffi_any_none());
  add("made", kMade,
      kTVMFFIFieldFlagBitMaskInitOff | kTVMFFIFieldFlagBitMaskHasDefault |
          kTVMFFIFieldFlagBitMaskDefaultFromFactory,
      tvmffi_any_object(factory));
  TVMFFIObjectDecRef(factory);
  args[0] = tvmffi_any_int(init_type);
  args[1] = tvmffi_any_int(sizeof(object));
  check_ok(call_global("ffi._PyClassRegisterTypeAttrColumns", args, 2, &result));
  kwargs = call_ok("ffi.GetKwargsObject", NULL, 0);
  return 0;
}

static int call(TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  *result = tvmffi_any_none();
  return TVMFFIFunctionCall(find_attr(init_type, "__ffi_init__")->v_obj, args, num_args, result);
}

/*
 * Each character is an argument: digits are ints, K is KWARGS, ? is true, d is "made", and other
 * letters are the names that begin with them.
 */
static int parse(const char *text, TVMFFIAny *args) {
  static const char *const names[] = {"may", "need", "word", "zz", "made"};
  int n = 0;
  size_t i;
  for (; *text != '\0'; ++text) {
    args[n] = tvmffi_any_int(*text - '0');
    if (*text == 'K') args[n] = kwargs;
    if (*text == '?') args[n] = tvmffi_any_bool(1);
    for (i = 0; i < 5; ++i) {
      if (*text == (i == 4 ? 'd' : names[i][0])) args[n] = tvmffi_any_raw_str(names[i]);
    }
    ++n;
  }
  return n;
}

static void check_made(const char *text, int64_t may, int64_t need, int64_t word) {
  TVMFFIAny args[16], result;
  const object *made;
  check_ok(call(args, parse(text, args), &result));
  assert_int_equal(result.type_index, init_type);
  made = (const object *)(void *)result.v_obj;
  assert_int_equal(made->fields[kMay].v_int64, may);
  assert_int_equal(made->fields[kNeed].v_int64, need);
  assert_int_equal(made->fields[kWord].v_int64, word);
  assert_int_equal(made->fields[kMade].v_int64, 7);
  check_release(&result);
}

static void check_refused(const char *text, const char *message) {
  TVMFFIAny args[16], result;
  check_fails(call(args, parse(text, args), &result), "TypeError", message);
  assert_int_equal(result.type_index, kTVMFFINone);
}

TEST(test_arguments) {
  check_made("1Kw2", 5, 1, 2); /* required fields come first */
  check_made("13Kw2", 3, 1, 2);
  check_made("Kw2n4m6", 6, 4, 2);
}

#define INIT "test.Init.__ffi_init__()"

TEST(test_errors) {
  check_refused("123", INIT " takes at most 2 positional argument(s), but 3 were given");
  check_refused("??3", INIT " takes at most 2 positional argument(s), but 3 were given");
  check_refused("123K", INIT " takes at most 2 positional argument(s), but 3 were given");
  check_refused("1?3K", INIT " field 'may':\n  no int\n  but `bool`");
  check_refused("1Kw", INIT " KWARGS requires an even number of key-value arguments");
  check_refused("1Kz2w1", INIT " got an unexpected keyword argument 'zz'");
  check_refused("1Kd2w1", INIT " got an unexpected keyword argument 'made'");
  check_refused("1Kn2w1", INIT " got multiple values for argument 'need'");
  check_refused("1Kw2w1", INIT " got multiple values for argument 'word'");
  check_refused("", INIT " missing required argument: 'need'");
  check_refused("Kw1", INIT " missing required argument: 'need'");
  check_refused("1", INIT " missing required keyword-only argument: 'word'");
  check_refused("1K21", "Cannot convert from type `int` to `str`");
  check_refused("1Kw?", INIT " field 'word':\n  no int\n  but `bool`");
}

TEST(test_a_setter_is_the_cause) {
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle error;
  const TVMFFIErrorCell *cell;
  args[0] = tvmffi_any_none();
  assert_int_not_equal(call(args, 1, &result), 0);
  TVMFFIErrorMoveFromRaised(&error);
  cell = TVMFFIErrorGetCellPtr(error);
  assert_string_equal(cell->message.data, INIT " field 'need':\n  no int\n  but `None`");
  assert_non_null(cell->cause_chain);
  assert_string_equal(TVMFFIErrorGetCellPtr(cell->cause_chain)->message.data, "no int\nbut `None`");
  TVMFFIObjectDecRef(error);
}

TEST(test_factories) {
  TVMFFIAny args[16], result;
  int num_args = parse("1Kw2", args);
  factory_fails = 1;
  check_fails(call(args, num_args, &result), "KeyError", "no factory today");
  factory_fails = 2;
  check_fails(call(args, num_args, &result), "TypeError",
              INIT " default for field 'made':\n  no int\n  but `None`");
  factory_fails = 0;
}

TEST(test_a_type_has_one) {
  TVMFFIAny index = tvmffi_any_int(init_type), result;
  assert_int_not_equal(call_global("ffi._RegisterFFIInit", &index, 1, &result), 0);
  check_raised("RuntimeError", NULL);
  index = tvmffi_any_int(99999999);
  check_fails_with(call_global("ffi._RegisterFFIInit", &index, 1, &result), "InternalError",
                   "Cannot find type info for type_index=99999999");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_a_setter_is_the_cause),
      cmocka_unit_test(test_factories),
      cmocka_unit_test(test_a_type_has_one),
  };
  return cmocka_run_group_tests(tests, make_type, NULL) != 0;
}
