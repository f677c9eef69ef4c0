/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on functions: creating them from callbacks that print, calling them, global ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

/* ---- Callbacks ---- */

typedef enum {
  kReturnNothing,
  kReturnFirst, /* the first argument, as an owned value */
  kReturnCount,
  kReturnHeld,
  kReturnSum,
  kCallFirst, /* calls the first argument with the others */
  kRaiseText,
  kRaiseHeld, /* raises the held error */
  kFailWithCode,
  kFailSilently,
  kNumBehaviours
} behaviour_kind;

typedef struct {
  bool in_use;
  behaviour_kind behaviour;
  TVMFFIAny held;
} cell;

enum { kNumCells = 32 };
static cell cells[kNumCells];

static void say_call(const char *name, const TVMFFIAny *args, int32_t num_args) {
  const saved_line saved = begin_event();
  int32_t i;
  say("%s called with", name);
  for (i = 0; i < num_args; ++i) say(i > 0 ? ", " : " ");
  for (i = 0; i < num_args; ++i) {
    say(" (");
    say_value(&args[i]);
    say(")");
  }
  end_event(saved);
}

static int return_sum(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int64_t sum = 0;
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIInt) {
      api.TVMFFIErrorSetRaisedFromCStr("TypeError", "sum: not an int");
      return -1;
    }
    sum = (int64_t)((uint64_t)sum + (uint64_t)args[i].v_int64);
  }
  *result = make_value(kTVMFFIInt, sum);
  return 0;
}

static int call_first(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static int depth;
  TVMFFIAny rest[kMaxArgs];
  int rc;
  if (num_args < 1 || num_args > kMaxArgs || args[0].type_index != kTVMFFIFunction || depth > 4) {
    api.TVMFFIErrorSetRaisedFromCStr("TypeError", "call: no function");
    return -1;
  }
  memcpy(rest, args + 1, (size_t)(num_args - 1) * sizeof *rest);
  ++depth;
  rc = api.TVMFFIFunctionCall(args[0].v_obj, rest, num_args - 1, result);
  --depth;
  return rc;
}

static int run_cell(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  cell *slot = self;
  char name[32];
  int rc;
  snprintf(name, sizeof name, "cell %d", (int)(slot - cells));
  say_call(name, args, num_args);
  switch (slot->behaviour) {
    case kReturnFirst:
      if (num_args < 1) return 0;
      rc = api.TVMFFIAnyViewToOwnedAny(&args[0], result);
      if (rc == 0 && result->type_index == kTVMFFIDLTensorPtr) *result = make_none();
      return rc;
    case kReturnCount:
      *result = make_value(kTVMFFIInt, num_args);
      return 0;
    case kReturnHeld:
      *result = share_value(&slot->held);
      return 0;
    case kReturnSum:
      return return_sum(args, num_args, result);
    case kCallFirst:
      return call_first(args, num_args, result);
    case kRaiseText:
      api.TVMFFIErrorSetRaisedFromCStr("ValueError", name);
      return -1;
    case kRaiseHeld:
      if (slot->held.type_index == kTVMFFIError) api.TVMFFIErrorSetRaised(slot->held.v_obj);
      return -1;
    case kFailWithCode:
      return 7;
    case kFailSilently:
      return -1;
    default:
      return 0;
  }
}

static void delete_cell(void *self) {
  cell *slot = self;
  const saved_line saved = begin_event();
  say("deleted cell %d", (int)(slot - cells));
  end_event(saved);
  release_value(&slot->held);
  slot->in_use = false;
}

/* The callback of a function without self: the handle shows in which of two ways it was called. */
static int run_without_self(void *handle, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  say_call(handle == NULL ? "without self" : "with itself", args, num_args);
  if (handle != NULL) *result = make_value(kTVMFFIInt, TVMFFIObjectGetTypeIndex(handle));
  return 0;
}

static void delete_nothing(void *self) {
  const saved_line saved = begin_event();
  say("deleted %s", self == NULL ? "nothing" : "something");
  end_event(saved);
}

static cell *take_cell(void) {
  int i;
  for (i = 0; i < kNumCells; ++i) {
    if (!cells[i].in_use) return &cells[i];
  }
  return NULL;
}

/* func v behaviour held */
static void make_function(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  TVMFFIAny *held;
  int64_t behaviour;
  cell *slot = take_cell();
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_int(inputs, 1, 0, kNumBehaviours - 1, &behaviour) || !read_value(inputs, 2, &held)) {
    return;
  }
  if (slot == NULL) {
    skip("no cell is free");
    return;
  }
  rc = api.TVMFFIFunctionCreate(slot, run_cell, delete_cell, &obj);
  if (rc == 0) {
    slot->in_use = true;
    slot->behaviour = (behaviour_kind)behaviour;
    slot->held = share_value(held);
    say("cell %d ", (int)(slot - cells));
  }
  give_object(rc, target, obj);
}

/* func_bare v has_deleter */
static void make_bare_function(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  int64_t has_deleter;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_int(inputs, 1, 0, 1, &has_deleter)) {
    return;
  }
  rc = api.TVMFFIFunctionCreate(NULL, run_without_self, has_deleter ? delete_nothing : NULL, &obj);
  give_object(rc, target, obj);
}

/* ---- Calls ---- */

static void call(const operands *inputs) {
  TVMFFIAny result = make_none();
  TVMFFIObject *function;
  arguments args;
  int target, number, i, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_object(inputs, 1, kTVMFFIFunction, &function) ||
      !read_register(inputs, 1, 'v', kNumValues, &number) || !read_arguments(inputs, 2, &args)) {
    return;
  }
  for (i = 0; i < args.count; ++i) {
    if (args.slot_of[i] == number) {
      skip("the function itself is moved");
      return;
    }
  }
  rc = api.TVMFFIFunctionCall(function, args.views, args.count, &result);
  settle_arguments(&args);
  give(rc, target, result);
}

int call_global(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes = {name, strlen(name)};
  TVMFFIObjectHandle function = NULL;
  int rc = api.TVMFFIFunctionGetGlobal(&bytes, &function);
  if (rc != 0 || function == NULL) return rc != 0 ? rc : -2;
  rc = api.TVMFFIFunctionCall(function, args, num_args, result);
  api.TVMFFIObjectDecRef(function);
  return rc;
}

/* call_global v =name args... */
static void call_named(const operands *inputs) {
  TVMFFIAny result = make_none();
  arguments args;
  const char *name;
  int target, rc, i;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_text(inputs, 1, &name) ||
      !read_arguments(inputs, 2, &args)) {
    return;
  }
  for (i = 0; i < args.count; ++i) {
    if (strcmp(name, "ffi.Array") == 0 && args.views[i].type_index == kTVMFFIDLTensorPtr) {
      skip("an array would keep what is only lent");
      return;
    }
  }
  rc = call_global(name, args.views, args.count, &result);
  settle_arguments(&args);
  if (rc == -2) {
    say("no such function");
  } else {
    give(rc, target, result);
  }
}

/* extern_c v behaviour: ffi.FunctionFromExternC over a cell. */
static void make_extern_c(const operands *inputs) {
  static const TVMFFISafeCallType run = run_cell;
  static void (*const free_cell)(void *) = delete_cell;
  TVMFFIAny args[3], result = make_none();
  int64_t behaviour;
  cell *slot = take_cell();
  int target, rc, i;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_int(inputs, 1, 0, kNumBehaviours - 1, &behaviour)) {
    return;
  }
  if (slot == NULL) {
    skip("no cell is free");
    return;
  }
  for (i = 0; i < 3; ++i) args[i] = make_value(kTVMFFIOpaquePtr, 0);
  args[0].v_ptr = slot;
  copy_pointer(&args[1].v_ptr, &run);
  copy_pointer(&args[2].v_ptr, &free_cell);
  rc = call_global("ffi.FunctionFromExternC", args, 3, &result);
  if (rc == 0) {
    slot->in_use = true;
    slot->behaviour = (behaviour_kind)behaviour;
    slot->held = make_none();
  }
  give(rc, target, result);
}

/* ---- Global functions ---- */

static void get_global(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  TVMFFIByteArray name;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_bytes(inputs, 1, &name)) return;
  rc = api.TVMFFIFunctionGetGlobal(&name, &obj);
  give_object(rc, target, obj);
}

/* set_global =name v override */
static void set_global(const operands *inputs) {
  TVMFFIObject *function;
  TVMFFIByteArray name;
  int64_t can_override;
  if (!read_bytes(inputs, 0, &name) || !read_opt_object(inputs, 1, kTVMFFIFunction, &function) ||
      !read_int(inputs, 2, 0, 1, &can_override)) {
    return;
  }
  tell(api.TVMFFIFunctionSetGlobal(&name, function, (int)can_override));
}

/* set_global_info =name v override =doc =metadata flags */
static void set_global_info(const operands *inputs) {
  TVMFFIMethodInfo info;
  TVMFFIAny *method;
  int64_t can_override;
  if (!read_bytes(inputs, 0, &info.name) || !read_value(inputs, 1, &method) ||
      !read_int(inputs, 2, 0, 1, &can_override) || !read_bytes(inputs, 3, &info.doc) ||
      !read_bytes(inputs, 4, &info.metadata) || !read_int(inputs, 5, 0, 8191, &info.flags)) {
    return;
  }
  info.method = *method;
  tell(api.TVMFFIFunctionSetGlobalFromMethodInfo(&info, (int)can_override));
}

/* names =prefix: the global functions with that prefix, in the order the library lists them. */
static void list_names(const operands *inputs) {
  TVMFFIAny names = make_none(), count = make_none();
  TVMFFIByteArray prefix;
  TVMFFIAny number;
  int rc;
  if (!read_bytes(inputs, 0, &prefix)) return;
  rc = call_global("ffi.FunctionListGlobalNamesFunctor", NULL, 0, &names);
  number = make_value(kTVMFFIInt, -1);
  if (rc == 0) rc = api.TVMFFIFunctionCall(names.v_obj, &number, 1, &count);
  for (number.v_int64 = 0; rc == 0 && number.v_int64 < count.v_int64; ++number.v_int64) {
    TVMFFIAny name = make_none();
    TVMFFIByteArray text;
    rc = api.TVMFFIFunctionCall(names.v_obj, &number, 1, &name);
    if (rc != 0) break;
    text = name.type_index == kTVMFFISmallStr ? TVMFFISmallBytesGetContentByteArray(&name)
                                              : *TVMFFIBytesGetByteArrayPtr(name.v_obj);
    if (text.size >= prefix.size &&
        (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0)) {
      say_bytes(text.data, text.size);
      say(" ");
    }
    release_value(&name);
  }
  release_value(&names);
  tell(rc);
}

const operation function_operations[] = {
    {"func", make_function},     {"func_bare", make_bare_function},
    {"extern_c", make_extern_c}, {"call", call},
    {"call_global", call_named}, {"get_global", get_global},
    {"set_global", set_global},  {"set_global_info", set_global_info},
    {"names", list_names},       {NULL, NULL},
};
