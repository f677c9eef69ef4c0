/* SPDX-License-Identifier: Apache-2.0 */
/* Writes how a kernel returns its results, and releases what is left. */
#include "wrap/wrap.h"

/* Whether an integer of this type may be larger than what an int of a TVMFFIAny holds. */
static bool is_too_wide(const spec_type *type) {
  return type->kind == kTypeUint && wrap_is_wide(type);
}

/* The result as a TVMFFIAny. */
static const char *make_value(const spec_type *type) {
  switch (type->kind) {
    case kTypeFloat:
      return "tvm_ffi_any_from_double(returned)";
    case kTypeBool:
      return "tvm_ffi_any_from_bool(returned)";
    case kTypePointer:
      return "tvm_ffi_any_from_pointer((void *)returned)";
    case kTypeText:
      return "returned != NULL ? tvm_ffi_any_view_string(returned) : tvm_ffi_any_none()";
    default:
      break;
  }
  return is_too_wide(type) ? "any" : "tvm_ffi_any_from_int64((int64_t)returned)";
}

static void write_wide(text *out, const spec *target) {
  if (wrap_is_owner(target)) {
    text_add(out,
             "    code = tvm_ffi_any_from_uint64((uint64_t)returned, &any);\n"
             "    if (code != 0) goto done;\n");
  } else {
    text_add(out, "    TVM_FFI_C_TRY(tvm_ffi_any_from_uint64((uint64_t)returned, &any));\n");
  }
}

static void write_only_value(text *out, const spec *target) {
  const char *leave = wrap_is_owner(target) ? "code =" : "return";
  if (is_too_wide(target->result)) {
    text_add(out, "  {\n    TVMFFIAny any;\n");
    write_wide(out, target);
    text_add(out, "    %s tvm_ffi_args_return(args, any);\n  }\n", leave);
  } else {
    wrap_list list;
    text_add(out, "  %s tvm_ffi_args_return(", leave);
    list = wrap_begin_list(out);
    wrap_add_item(&list, "args");
    wrap_add_item(&list, "%s", make_value(target->result));
    text_add(out, ");\n");
  }
}

static void write_only_tensor(text *out, const spec *target) {
  size_t i;
  for (i = 0; !target->params[i].is_result; ++i) continue;
  text_add(out,
           "  *args->result = tvm_ffi_any_take_object(%s);\n"
           "  %s = NULL;\n"
           "  code = 0;\n",
           target->params[i].local, target->params[i].local);
}

static void write_array(text *out, const wrap_request *request, const spec *target, size_t count) {
  size_t i, n = 0;
  text_add(out, "  {\n    TVMFFIObjectHandle array;\n    TVMFFIAny items[%zu];\n", count);
  if (wrap_has_value(request, target)) {
    if (is_too_wide(target->result)) {
      text_add(out, "    TVMFFIAny any;\n");
      write_wide(out, target);
    }
    text_add(out, "    items[%zu] = %s;\n", n++, make_value(target->result));
  }
  for (i = 0; i < target->num_params; ++i) {
    if (!target->params[i].is_result) continue;
    text_add(out, "    items[%zu] = tvm_ffi_any_view_object(%s);\n", n++, target->params[i].local);
  }
  text_add(out,
           "    code = tvm_ffi_array_create(items, %zu, &array);\n"
           "    if (code == 0) *args->result = tvm_ffi_any_take_object(array);\n"
           "  }\n",
           count);
}

static void write_release(text *out, const spec *target) {
  size_t i;
  if (!wrap_is_owner(target)) return;
  text_add(out, "done:\n");
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (!wrap_is_allocated(param)) continue;
    text_add(out, param->is_result ? "  tvm_ffi_object_release(%s);\n" : "  free(%s);\n",
             param->local);
  }
  text_add(out, "  return code;\n");
}

void wrap_write_results(text *out, const wrap_request *request, const spec *target) {
  const size_t count = wrap_count_results(request, target);
  if (count > 1) {
    write_array(out, request, target, count);
  } else if (count == 1 && wrap_has_value(request, target)) {
    write_only_value(out, target);
  } else if (count == 1) {
    write_only_tensor(out, target);
  } else {
    text_add(out, wrap_is_owner(target) ? "  code = 0;\n" : "  return 0;\n");
  }
  write_release(out, target);
}
