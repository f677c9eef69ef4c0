/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attribute __ffi_repr__ of steps and paths: `<root>.name[0]["key"]`
 * (docs/abi/objects.md#access-paths).
 */
#include "base/buf.h"
#include "base/stack.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/string_object.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/builtin_tables.h"

static const char kSignature[] = "(0: ffi.Object, 1: (0: AnyView) -> str) -> str";

/* The text around the key of a step, by its kind. */
static const struct {
  char prefix[12], suffix[4];
  bool has_plain_key; /* a name or a number, written without quotes */
} kForms[] = {
    {".", "", true},
    {"[", "]", true},
    {"[", "]", false},
    {"[<missing:", ">]", false},
    {"[<missing:", ">]", true},
    {"[<missing:", ">]", false},
};

static int append_step(tvmffi_buf *text, const tvmffi_access_step *step, TVMFFIObject *repr) {
  enum { kNumForms = sizeof kForms / sizeof *kForms };
  TVMFFIByteArray key;
  TVMFFIAny arg = step->key, result;
  int rc = 0;
  if (step->kind < 0 || step->kind >= kNumForms) {
    return tvmffi_fail("ValueError", "A step has kind %d", (int)step->kind);
  }
  tvmffi_buf_append_text(text, kForms[step->kind].prefix);
  if (kForms[step->kind].has_plain_key && arg.type_index == kTVMFFIInt) {
    tvmffi_buf_appendf(text, "%lld", (long long)arg.v_int64);
  } else if (kForms[step->kind].has_plain_key && tvmffi_any_get_text(&arg, &key)) {
    tvmffi_buf_append(text, key.data, key.size);
  } else {
    TVMFFI_TRY(tvmffi_function_call(repr, &arg, 1, &result));
    if (tvmffi_any_get_text(&result, &key)) {
      tvmffi_buf_append(text, key.data, key.size);
    } else {
      rc = tvmffi_any_fail_conversion(&result, "str");
    }
    tvmffi_any_release(&result);
  }
  tvmffi_buf_append_text(text, kForms[step->kind].suffix);
  return rc;
}

/* Writes the steps from the root on. They are found in the opposite order, hence the stack. */
static int append_path(tvmffi_buf *text, const tvmffi_access_path *path, TVMFFIObject *repr) {
  const tvmffi_access_path *parent;
  tvmffi_stack steps;
  int rc = 0;
  tvmffi_stack_init(&steps, sizeof(TVMFFIObject *));
  for (; (parent = tvmffi_access_path_parent(path)) != NULL; path = parent) {
    TVMFFIObject **step = tvmffi_stack_push(&steps);
    if (step == NULL) {
      tvmffi_stack_fini(&steps);
      return tvmffi_fail_memory();
    }
    *step = path->step;
  }
  tvmffi_buf_append_text(text, "<root>");
  while (rc == 0 && steps.size != 0) {
    const void *step = *(TVMFFIObject **)tvmffi_stack_top(&steps);
    rc = append_step(text, step, repr);
    tvmffi_stack_pop(&steps);
  }
  tvmffi_stack_fini(&steps);
  return rc;
}

static int call_repr(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int32_t type_index = ((const tvmffi_attr_function *)self)->type_index;
  tvmffi_buf text = TVMFFI_BUF_INIT;
  int rc;
  TVMFFI_TRY(tvmffi_attr_check_args(self, kSignature, 2, 1, args, num_args));
  if (args[1].type_index != kTVMFFIFunction) {
    return tvmffi_any_fail_conversion(&args[1], "(0: AnyView) -> str");
  }
  rc = type_index == kTvmffiAccessStep
           ? append_step(&text, (const void *)args[0].v_obj, args[1].v_obj)
           : append_path(&text, (const void *)args[0].v_obj, args[1].v_obj);
  if (rc == 0) {
    rc = text.failed ? tvmffi_fail_memory() : tvmffi_string_to_any(text.data, text.size, result);
  }
  tvmffi_buf_fini(&text);
  return rc;
}

static const tvmffi_builtin_attr kAttrs[] = {
    {kTvmffiAccessStep, kTvmffiAttrRepr, false, call_repr, NULL},
    {kTvmffiAccessPath, kTvmffiAttrRepr, false, call_repr, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_access_path_repr_attrs = {kAttrs, functions, kNumAttrs};
