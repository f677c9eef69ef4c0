/* SPDX-License-Identifier: Apache-2.0 */
/* Plain functions of C, which take pointers to the elements of tensors, and values. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

/* The integer of that name that is passed as a value, not by its address; NULL: there is none. */
static const spec_param *find_integer(const spec *target, const char *name) {
  const spec_param *found = spec_integer_of(target, name);
  return found != NULL && found->direction == kByValue ? found : NULL;
}

/* Whether `[n][m]` stands in the prototype as it is written: C has it for constants, and for names
 * of earlier parameters. */
static bool is_array(const spec *target, const spec_param *param) {
  bool is_valid = !param->is_flat && param->num_dims > 0 && param->form == kParamTensor &&
                  param->type->kind != kTypeVoid;
  size_t i, k;
  for (i = 0; is_valid && i < param->num_dims; ++i) {
    const char *name = param->dims[i].extent.name;
    if (param->dims[i].extent.text != NULL) return false;
    if (name == NULL) continue;
    is_valid = false;
    for (k = 0; &target->params[k] != param; ++k) {
      if (find_integer(target, name) == &target->params[k]) is_valid = true;
    }
    /* The first extent is not part of the type. */
    if (!is_valid && i == 0 && param->num_dims > 1) is_valid = true;
  }
  return is_valid;
}

/* A tensor or a work array. */
static void write_array(wrap_list *list, const spec *target, const spec_param *param) {
  text_buf line = {NULL, 0, 0};
  const char *type = param->type->name;
  size_t i;
  if (param->c_type.name != NULL) {
    text_add(&line, "%s %s", param->c_type.name, param->local);
  } else if (param->form == kParamWork || !is_array(target, param)) {
    text_add(&line, "%s%s *%s", param->is_const ? "const " : "", type, param->local);
  } else {
    text_add(&line, "%s%s %s", param->is_const ? "const " : "", type, param->local);
    for (i = 0; i < param->num_dims; ++i) {
      const spec_number *extent = &param->dims[i].extent;
      const spec_param *integer = extent->name != NULL ? find_integer(target, extent->name) : NULL;
      if (extent->name == NULL) {
        text_add(&line, "[%lld]", (long long)extent->value);
      } else {
        text_add(&line, "[%s]", integer != NULL && integer < param ? integer->local : "");
      }
    }
  }
  wrap_add_item(list, "%s", line.data);
  text_free(&line);
}

/* A header without the function would leave the declaration below unchecked. */
static void write_declared(text_buf *out, const wrap_request *request) {
  size_t i;
  if (request->num_includes == 0) return;
  text_add(out, "/* An error here: the headers do not declare the function. */\n");
  for (i = 0; i < request->num_specs; ++i) {
    const char *name = request->specs[i].name;
    text_add(out, "extern char wrap_size_of_%s[sizeof &%s];\n", name, name);
  }
  text_add(out, "\n");
}

static void write_prototype(text_buf *out, const spec *target) {
  wrap_list list;
  size_t i;
  wrap_write_result(out, target);
  text_add(out, "%s(", target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->declaration != NULL) {
      wrap_add_item(&list, "%s", param->declaration);
    } else if (param->form == kParamCallback) {
      wrap_write_callback_parameter(&list, param);
    } else if (param->form == kParamScalar || param->form == kParamConstant ||
               param->form == kParamContext) {
      wrap_write_value_parameter(&list, param);
    } else {
      write_array(&list, target, param);
    }
  }
  text_add(out, "%s);\n", target->num_params == 0 ? "void" : "");
}

/* What a callback finds the caller's function by. */
static void write_context(wrap_list *list, const spec *target, const spec_param *param) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *callback = &target->params[i];
    char *place;
    if (callback->form != kParamCallback ||
        strcmp(spec_context_of(target, callback)->name, param->name) != 0) {
      continue;
    }
    place = spec_make_local(target, callback, "context");
    wrap_add_item(list, "%s.data", place);
    free(place);
  }
}

static void write_call(text_buf *out, const spec *target) {
  wrap_list list;
  size_t i;
  if (target->has_errno) text_add(out, "  errno = 0;\n");
  /* In parentheses a macro of the header with the name of the function is not used. Text may be
   * `unsigned char *` there. */
  text_add(out, target->is_declared ? "  %s%s(%s)(" : "  %s%s%s(",
           target->result->kind != kTypeVoid ? "returned = " : "",
           target->is_declared && strcmp(target->result->name, "const char *") == 0
               ? "(const char *)"
               : "",
           target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamScalar) {
      char *value = wrap_argument(target, param);
      wrap_add_item(&list, "%s", value);
      free(value);
    } else if (param->form == kParamConstant) {
      wrap_add_item(&list, "%s", param->constant);
    } else if (param->form == kParamCallback) {
      char *name = wrap_callback_name(target, param);
      wrap_add_item(&list, "%s", name);
      free(name);
    } else if (param->form == kParamContext) {
      write_context(&list, target, param);
    } else {
      char *address = wrap_address(param);
      wrap_add_item(&list, "%s", address);
      free(address);
    }
  }
  text_add(out, ");\n");
  wrap_write_end(out, target);
  for (i = 0; i < target->num_params; ++i) {
    if (target->params[i].form == kParamCallback) {
      wrap_write_callback_error(out, target, &target->params[i]);
    }
  }
  if (target->failure != kErrorNone) wrap_write_failure(out, target);
}

static bool check(const spec_source *source, const spec *earlier, size_t num_earlier,
                  const spec *target) {
  (void)earlier, (void)num_earlier;
  return wrap_check_function(source, target);
}

const wrap_abi kWrapPlain = {
    "plain",    false, NULL, check, write_declared, write_prototype, wrap_write_returned,
    write_call, NULL};
