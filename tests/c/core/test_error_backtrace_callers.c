/* SPDX-License-Identifier: Apache-2.0 */
/* Backtraces contain the functions that called the library: all of it has unwind tables. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/structural_support.h"
#include "core/error.h"
#include "core/type.h"
#include "platform/platform.h"

FIXTURE(reset) {
  tvmffi_backtrace_shutdown();
  return 0;
}

/* ---- Each function is in a section of its own, which identifies it ---- */

#define IN_SECTION(name) __attribute__((noinline, section(#name)))
#define SECTION(name)                                  \
  extern const char __start_##name[], __stop_##name[]; \
  IN_SECTION(name)

static const TVMFFIAny none; /* {0, 0, 0}: None */

static int fail_in_builtin(void) {
  TVMFFIAny array = make("ffi.Array", 1, tvmffi_any_int(1), none), result;
  int rc = call4("ffi.ArrayGetItem", 2, array, tvmffi_any_int(7), none, none, &result);
  check_release(&array);
  return rc;
}

static int walk_with(TVMFFISafeCallType callback) {
  TVMFFIAny root = make("ffi.Array", 1, tvmffi_any_int(1), none), result;
  int rc = run_with("ffi.StructuralWalk", root, list_callback(kTVMFFIInt, callback, NULL, -1), 0,
                    &result);
  check_release(&root);
  return rc;
}

/* None of these functions ends with a call: a tail call is a jump, which leaves no frame. */
SECTION(in_raising)
static int raising(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "of a callback");
  return -1;
}

SECTION(in_throwing)
static int throwing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray kind = check_bytes("ValueError");
  TVMFFIObjectHandle error;
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  check_ok(TVMFFIErrorCreate(&kind, &kind, TVMFFIBacktrace("kernel.cc", 7, "throwing", 0), &error));
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return -1;
}

SECTION(in_inner)
static int inner(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return -(fail_in_builtin() != 0);
}

/* The iterator is a Function that is not built in, but made by a built-in one. */
static int fail_in_iterator(void) {
  TVMFFIAny map = make("ffi.Map", 0, none, none), key = tvmffi_any_int(0), result;
  TVMFFIAny iterator = call_ok("ffi.MapForwardIterFunctor", &map, 1);
  int rc = TVMFFIFunctionCall(iterator.v_obj, &key, 1, &result);
  check_release(&iterator);
  check_release(&map);
  return rc;
}

SECTION(in_iterating)
static int iterating(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return -(fail_in_iterator() != 0);
}

SECTION(in_outer)
static int outer(TVMFFISafeCallType callback) {
  return -((callback != NULL ? walk_with(callback) : fail_in_builtin()) != 0);
}

/* Calls a setter through its pointer, as frontends do. */
SECTION(in_setting)
static int setting(TVMFFIFieldSetter setter, const TVMFFIAny *value) {
  static TVMFFIAny place; /* room for any field */
  int rc = setter(&place, value);
  if (rc == 0) {
    (void)setter(&place, &none); /* releases the value; setters of number fields refuse None */
    TVMFFIErrorSetRaised(NULL);
  }
  place = none;
  return -(rc != 0);
}

extern const char __start_in_walk_named[], __stop_in_walk_named[];

static const char *name_of(uintptr_t pc) {
  static const struct {
    const char *begin, *end, *name;
  } kSections[] = {{__start_in_raising, __stop_in_raising, "raising"},
                   {__start_in_throwing, __stop_in_throwing, "throwing"},
                   {__start_in_inner, __stop_in_inner, "inner"},
                   {__start_in_iterating, __stop_in_iterating, "iterating"},
                   {__start_in_setting, __stop_in_setting, "setting"},
                   {__start_in_outer, __stop_in_outer, "outer"},
                   {__start_in_walk_named, __stop_in_walk_named, "walk_named"}};
  size_t i;
  for (i = 0; i < sizeof kSections / sizeof *kSections; ++i) {
    if (pc > (uintptr_t)kSections[i].begin && pc <= (uintptr_t)kSections[i].end) {
      return kSections[i].name;
    }
  }
  return "<unknown>"; /* left out; NULL would show as an address where that is short */
}

static int num_frames;

/* A walker that runs the built-in one, but names only the functions above. */
typedef struct {
  TVMFFIRuntimeFrameVisitor visitor;
  void *context;
  bool has_begun; /* the frame of walk_named was seen; sanitizers add one before it */
} naming;

static int name_frame(void *context, const TVMFFIRuntimeFrame *frame) {
  naming *names = context;
  TVMFFIRuntimeFrame named = *frame;
  ++num_frames;
  named.symbol = name_of(frame->pc);
  if (!names->has_begun) {
    names->has_begun = strcmp(named.symbol, "walk_named") == 0;
    return 0;
  }
  return names->visitor(names->context, &named);
}

IN_SECTION(in_walk_named)
static void walk_named(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  naming names = {NULL, NULL, false};
  (void)context;
  names.visitor = visitor;
  names.context = visitor_context;
  tvmffi_stack_walk(NULL, name_frame, &names);
}

static void check_backtrace(const char *expected) {
  TVMFFIObjectHandle error;
  TVMFFIErrorMoveFromRaised(&error);
  assert_non_null(error);
  assert_string_equal(TVMFFIErrorGetCellPtr(error)->backtrace.data, expected);
  TVMFFIObjectDecRef(error);
}

static void begin_naming(void) {
  check_ok(TVMFFIRuntimeSetStackWalker(walk_named, NULL));
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  num_frames = 0;
  (void)TVMFFIBacktrace(NULL, 0, NULL, 0);
  if (num_frames == 0) {
    print_message("this build has no stack walker\n");
    skip();
  }
}

static void check_outer(TVMFFISafeCallType callback, const char *expected) {
  begin_naming();
  assert_int_equal(outer(callback), -1);
  check_backtrace(expected);
}

#define LINE(name) "  File \"<unknown>\", line 0, in " name "\n"

TEST(test_who_called_a_built_in) {
  check_outer(NULL, LINE("outer"));
}

TEST(test_who_called_a_walk_with_a_callback) {
  check_outer(raising, LINE("raising") LINE("outer"));
}

TEST(test_a_built_in_within_a_built_in) {
  check_outer(inner, LINE("inner") LINE("outer"));
}

TEST(test_functions_that_built_ins_make) {
  check_outer(iterating, LINE("iterating") LINE("outer"));
}

TEST(test_errors_that_clients_make_with_a_backtrace) {
  check_outer(throwing, "  File \"kernel.cc\", line 7, in throwing\n" LINE("outer"));
}

/* Counts how often the setters of a type's fields refuse one of the values. */
static int check_setters(const TVMFFITypeInfo *type, const TVMFFIAny *values, size_t num_values) {
  int num_refused = 0;
  int32_t i;
  for (i = 0; i < type->num_fields; ++i) {
    union {
      void *address;
      TVMFFIFieldSetter function;
    } setter;
    size_t k;
    setter.address = type->fields[i].setter;
    if (setter.address == NULL) continue;
    assert_false(type->fields[i].flags & kTVMFFIFieldFlagBitSetterIsFunctionObj);
    for (k = 0; k < num_values; ++k) {
      if (setting(setter.function, &values[k]) == 0) continue;
      check_backtrace(LINE("setting"));
      ++num_refused;
    }
  }
  return num_refused;
}

TEST(test_setters_that_are_called_directly) {
  TVMFFIAny values[4] = {{0}, {0}, {0}, {0}};
  int num_refused = 0;
  int32_t index;
  values[1] = tvmffi_any_int(7);
  values[2] = make("ffi.Array", 1, values[1], none);
  values[3] = make("ffi.Map", 2, values[1], values[1]);
  begin_naming();
  for (index = kTVMFFIStaticObjectBegin; index < kTvmffiBuiltinTypesEnd; ++index) {
    const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(index);
    if (type != NULL) num_refused += check_setters(type, values, 4);
  }
  TVMFFIErrorSetRaised(NULL); /* raised by lookups of indices that no type has */
  assert_true(num_refused >= 20);
  check_release(&values[2]);
  check_release(&values[3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_who_called_a_built_in, reset),
      cmocka_unit_test_setup(test_who_called_a_walk_with_a_callback, reset),
      cmocka_unit_test_setup(test_a_built_in_within_a_built_in, reset),
      cmocka_unit_test_setup(test_functions_that_built_ins_make, reset),
      cmocka_unit_test_setup(test_errors_that_clients_make_with_a_backtrace, reset),
      cmocka_unit_test_setup(test_setters_that_are_called_directly, reset),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}
