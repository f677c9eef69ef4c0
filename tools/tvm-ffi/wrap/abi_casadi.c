/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that CasADi generates take arrays of pointers to matrices, which are stored column by
 * column, and the memory that they work in. Other functions tell their shapes. */
#include <stdlib.h>
#include <string.h>

#include "wrap/wrap.h"

/* The type of the elements, which is the same for all; NULL: there are none. */
static const char *find_real(const spec *specs, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (specs[i].num_params > 0) return specs[i].params[0].type->name;
  }
  return NULL;
}

static bool check_param(const spec_source *source, const spec_param *param, const char *real) {
  if (param->type->kind != kTypeFloat) {
    return spec_fail(source, param->column,
                     "`%s` is of the type `%s`, but CasADi functions take double or float",
                     param->name, param->type->name);
  }
  if (strcmp(param->type->name, real) != 0) {
    return spec_fail(
        source, param->column,
        "`%s` is of the type `%s`, and another matrix of `%s`: the functions of a file "
        "have one casadi_real",
        param->name, param->type->name, real);
  }
  if (param->num_dims > 2) {
    return spec_fail(source, param->column,
                     "`%s` has %zu dimensions, but CasADi matrices have up to 2", param->name,
                     param->num_dims);
  }
  return true;
}

static bool check(const spec_source *source, const spec *earlier, size_t num_earlier,
                  const spec *target) {
  const char *real = find_real(earlier, num_earlier);
  size_t i;
  if (real == NULL) real = find_real(target, 1);
  if (!wrap_check_function(source, target) ||
      !wrap_check_error_code(source, &kWrapCasadi, target) ||
      !wrap_check_not_plain(source, &kWrapCasadi, target)) {
    return false;
  }
  for (i = 0; i < target->num_params; ++i) {
    if (!check_param(source, &target->params[i], real)) return false;
  }
  return true;
}

static void write_types(text_buf *out, const wrap_request *request) {
  const char *real = find_real(request->specs, request->num_specs);
  text_add(out,
           "#ifdef casadi_real\n"
           "#define wrap_casadi_real casadi_real\n"
           "#else\n"
           "#define wrap_casadi_real %s\n"
           "#endif\n"
           "#ifdef casadi_int\n"
           "#define wrap_casadi_int casadi_int\n"
           "#else\n"
           "#define wrap_casadi_int long long int\n"
           "#endif\n",
           real != NULL ? real : "double");
}

static void write_after(text_buf *out) {
  text_add(out, "#undef wrap_casadi_real\n#undef wrap_casadi_int\n");
}

static void write_prototype(text_buf *out, const spec *target) {
  const char *const name = target->name, *real = find_real(target, 1);
  wrap_list list;
  if (real == NULL) real = "wrap_casadi_real";
  text_add(out, "int %s(", name);
  list = wrap_begin_list(out);
  wrap_add_item(&list, "const %s **arg", real);
  wrap_add_item(&list, "%s **res", real);
  wrap_add_item(&list, "wrap_casadi_int *iw");
  wrap_add_item(&list, "%s *w", real);
  wrap_add_item(&list, "int mem");
  text_add(out, ");\n");
  text_add(out,
           "wrap_casadi_int %s_n_in(void);\n"
           "wrap_casadi_int %s_n_out(void);\n"
           "const char *%s_name_in(wrap_casadi_int i);\n"
           "const char *%s_name_out(wrap_casadi_int i);\n"
           "const wrap_casadi_int *%s_sparsity_in(wrap_casadi_int i);\n"
           "const wrap_casadi_int *%s_sparsity_out(wrap_casadi_int i);\n",
           name, name, name, name, name, name);
  text_add(out, "int %s_work(", name);
  list = wrap_begin_list(out);
  wrap_add_item(&list, "wrap_casadi_int *sz_arg");
  wrap_add_item(&list, "wrap_casadi_int *sz_res");
  wrap_add_item(&list, "wrap_casadi_int *sz_iw");
  wrap_add_item(&list, "wrap_casadi_int *sz_w");
  text_add(out,
           ");\n"
           "int %s_checkout(void);\n"
           "void %s_release(int mem);\n",
           name, name);
}

/* The inputs, or the outputs, in their order. */
static int write_matrices(text_buf *out, const spec *target, bool is_output) {
  int count = 0;
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    char *value;
    if ((param->form == kParamTensor && !param->is_const) != is_output) continue;
    value = param->form == kParamScalar ? wrap_argument(target, param) : wrap_tensor(param);
    text_add(out, "        {.name = \"%s\", .arg = %d, .%s = %s},\n", param->name, param->arg,
             param->form == kParamScalar ? "value" : "tensor", value);
    free(value);
    ++count;
  }
  return count;
}

static void write_variables(text_buf *out, const spec *target) {
  static const char *const kParts[] = {"",          "_n_in",        "_n_out",        "_name_in",
                                       "_name_out", "_sparsity_in", "_sparsity_out", "_work",
                                       "_checkout", "_release"};
  wrap_list list;
  size_t i;
  text_add(out, "  static const wrap_casadi_function wrap_function = {");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "\"%s\"", target->name);
  for (i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    wrap_add_item(&list, "%s%s", target->name, kParts[i]);
  }
  text_add(out, "};\n");
}

static void write_call(text_buf *out, const spec *target) {
  const bool is_owner = wrap_is_owner(target);
  text_buf matrices = {NULL, 0, 0};
  int num_in, num_out;
  num_in = write_matrices(&matrices, target, false);
  num_out = write_matrices(&matrices, target, true);
  if (num_in + num_out == 0) text_add(&matrices, "        {.name = NULL},\n");
  text_add(out, "  {\n    wrap_casadi_matrix wrap_matrices[] = {\n%s    };\n", matrices.data);
  text_add(out, is_owner ? "    code = " : "    TVM_FFI_C_TRY(");
  text_add(out, "wrap_casadi_call(args, &wrap_function, wrap_matrices, %d, %d)%s;\n", num_in,
           num_out, is_owner ? "" : ")");
  text_add(out, "%s  }\n", is_owner ? "    if (code != 0) goto done;\n" : "");
  text_free(&matrices);
}

const wrap_abi kWrapCasadi = {"casadi",        true,        kWrapCasadiRuntime,
                              check,           write_types, write_prototype,
                              write_variables, write_call,  write_after};
