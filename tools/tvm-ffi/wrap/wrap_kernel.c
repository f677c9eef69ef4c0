/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a kernel: reads the arguments, checks them, calls the function, returns its results. */
#include <stdlib.h>
#include <string.h>

#include "wrap/abi.h"

/* ---- The beginning ---- */

/* Variables of a type in one declaration. */
typedef struct {
  const char *type; /* "int64_t ", "DLTensor *" */
  text line;
} declaration;

static void declare(declaration *variables, const char *name) {
  if (variables->line.size == 0) {
    text_add(&variables->line, "  %s", variables->type);
  } else {
    const char *star = strchr(variables->type, '*');
    text_add(&variables->line, ", %s", star != NULL ? star : "");
  }
  text_add(&variables->line, "%s", name);
}

static void end_declaration(text *out, declaration *variables) {
  if (variables->line.size > 0) text_add(out, "%s;\n", variables->line.data);
  text_free(&variables->line);
}

static void write_variables(text *out, const wrap_request *request, const spec *target) {
  declaration tensors = {"DLTensor *", {NULL, 0, 0}}, integers = {"int64_t ", {NULL, 0, 0}},
              numbers = {"double ", {NULL, 0, 0}}, flags = {"bool ", {NULL, 0, 0}},
              texts = {"TVMFFIByteArray ", {NULL, 0, 0}}, pointers = {"void *", {NULL, 0, 0}};
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (param->form == kParamTensor) {
      declare(&tensors, param->local);
    } else {
      switch (param->type->kind) {
        case kTypeFloat:
          declare(&numbers, param->local);
          break;
        case kTypeBool:
          declare(&flags, param->local);
          break;
        case kTypeText:
          declare(&texts, param->local);
          break;
        case kTypePointer:
          declare(&pointers, param->local);
          break;
        default:
          declare(&integers, param->local);
          break;
      }
    }
  }
  for (i = 0; i < target->num_symbols; ++i) {
    const spec_symbol *symbol = &target->symbols[i];
    if (!symbol->is_scalar && symbol->num_uses > 0) declare(&integers, symbol->local);
  }
  end_declaration(out, &tensors);
  end_declaration(out, &integers);
  end_declaration(out, &numbers);
  end_declaration(out, &flags);
  end_declaration(out, &texts);
  end_declaration(out, &pointers);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->is_result) {
      text_add(out, "  TVMFFIObjectHandle %s = NULL;\n", param->local);
    } else if (param->form == kParamWork && wrap_is_allocated(param)) {
      text_add(out, "  %s *%s = NULL;\n", param->type->name, param->local);
    } else if (param->form == kParamWork) {
      text_add(out, "  %s %s[%zu];\n", param->type->name, param->local, wrap_count_elements(param));
    }
  }
  request->abi->write_variables(out, target);
  if (wrap_is_owner(target)) text_add(out, "  int code = -1;\n");
}

/* ---- Reading and checking arguments ---- */

static void write_scalar(text *out, const spec_param *param) {
  const spec_type *type = param->type;
  const char *reader = "int64";
  switch (type->kind) {
    case kTypeFloat:
      reader = "double";
      break;
    case kTypeBool:
      reader = "bool";
      break;
    case kTypeText:
      reader = "string";
      break;
    case kTypePointer:
      reader = "pointer";
      break;
    default:
      break;
  }
  if (type->high != NULL) {
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, %d, %s, %s, &%s));\n",
             param->arg, type->low, type->high, param->local);
  } else {
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_read_%s(args, %d, &%s));\n", reader, param->arg,
             param->local);
  }
}

/* The symbol that is read from this extent or stride; NULL: it is to be checked. */
static const spec_symbol *find_read(const spec *target, const spec_param *param, size_t dim,
                                    bool is_stride) {
  const spec_dim *entry = &param->dims[dim];
  const char *name = is_stride ? entry->stride.name : entry->extent.name;
  const spec_symbol *symbol = name != NULL ? spec_symbol_of(target, name) : NULL;
  const bool is_read = symbol != NULL && &target->params[symbol->param] == param &&
                       symbol->dim == dim && symbol->is_stride == is_stride && !symbol->is_scalar;
  return is_read ? symbol : NULL;
}

/* The stride that follows from later dimensions: "m * s"; release with free(). */
static char *make_stride(const spec *target, const spec_param *param, size_t dim) {
  text product = {NULL, 0, 0};
  char *value;
  size_t k;
  for (k = dim; k + 1 < param->num_dims && !param->dims[k].has_stride; ++k) {
    value = wrap_value(target, &param->dims[k + 1].extent);
    text_add(&product, "%s%s", product.size > 0 ? " * " : "", value);
    free(value);
  }
  if (param->dims[k].has_stride) {
    value = wrap_value(target, &param->dims[k].stride);
    text_add(&product, "%s%s", product.size > 0 ? " * " : "", value);
    free(value);
  }
  if (product.size == 0) text_add(&product, "1");
  return product.data;
}

static void write_extents(text *out, const spec *target, const spec_param *param) {
  size_t k;
  for (k = 0; k < param->num_dims; ++k) {
    const spec_symbol *symbol = find_read(target, param, k, false);
    if (symbol == NULL) {
      char *value = wrap_value(target, &param->dims[k].extent);
      text_add(out,
               "  if (%s->shape[%zu] != %s) return tvm_ffi_args_check_size(args, %d, %zu, %s);\n",
               param->local, k, value, param->arg, k, value);
      free(value);
    } else if (symbol->num_uses > 0) {
      text_add(out, "  %s = %s->shape[%zu];\n", symbol->local, param->local, k);
    }
  }
}

static void write_strides(text *out, const spec *target, const spec_param *param) {
  size_t k;
  if (!wrap_is_strided(param)) return;
  for (k = 0; k < param->num_dims; ++k) {
    const spec_symbol *symbol = find_read(target, param, k, true);
    if (symbol == NULL || symbol->num_uses == 0) continue;
    text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(%s, %zu, &%s));\n", param->local, k,
             symbol->local);
  }
  for (k = 0; k < param->num_dims; ++k) {
    char *value;
    if (find_read(target, param, k, true) != NULL) continue;
    value = make_stride(target, param, k);
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_stride(args, %d, %s, %zu, %s));\n", param->arg,
             param->local, k, value);
    free(value);
  }
}

static void write_tensor(text *out, const spec *target, const spec_param *param) {
  wrap_list list;
  text_add(out, "  TVM_FFI_C_TRY(%s(",
           wrap_is_strided(param) ? "wrap_read_strided" : "wrap_read_tensor");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d, %s", param->arg, param->type->dtype);
  wrap_add_item(&list, "%zu, &%s", param->num_dims, param->local);
  text_add(out, "));\n");
  write_extents(out, target, param);
  write_strides(out, target, param);
  if (!param->is_const) {
    text_add(out, "  TVM_FFI_C_TRY(wrap_check_writable(args, %d));\n", param->arg);
  }
}

/* What was read from tensors must fit the integers that are passed on. */
static void write_ranges(text *out, const spec *target) {
  wrap_list list;
  size_t i;
  for (i = 0; i < target->num_symbols; ++i) {
    const spec_symbol *symbol = &target->symbols[i];
    const spec_param *param = spec_integer_of(target, symbol->name);
    bool is_compared; /* here; compilers warn that this is never true of a wide type */
    if (symbol->is_scalar || param == NULL || param->type->high == NULL) continue;
    is_compared = !symbol->is_stride && !wrap_is_wide(param->type);
    if (is_compared) {
      text_add(out, "  if (%s > %s) return wrap_check_extent(", symbol->local, param->type->high);
    } else {
      text_add(out, "  TVM_FFI_C_TRY(%s(",
               symbol->is_stride ? "wrap_check_range" : "wrap_check_extent");
    }
    list = wrap_begin_list(out);
    wrap_add_item(&list, "args, %d, \"%s\"", target->params[symbol->param].arg, symbol->name);
    wrap_add_item(&list, "%s", symbol->local);
    if (symbol->is_stride) wrap_add_item(&list, "%s", param->type->low);
    wrap_add_item(&list, "%s", param->type->high);
    text_add(out, is_compared ? ");\n" : "));\n");
  }
}

/* ---- What the kernel allocates ---- */

static void write_shape(text *out, const spec *target, const spec_param *param) {
  size_t i;
  text_add(out, "    const int64_t shape[%zu] = {", param->num_dims > 0 ? param->num_dims : 1);
  for (i = 0; i < param->num_dims; ++i) {
    char *value = wrap_value(target, &param->dims[i].extent);
    text_add(out, "%s%s", i > 0 ? ", " : "", value);
    free(value);
  }
  text_add(out, "%s};\n", param->num_dims > 0 ? "" : "1");
}

static void write_allocation(text *out, const spec *target, const spec_param *param) {
  wrap_list list;
  text_add(out, "  {\n");
  write_shape(out, target, param);
  if (param->is_result) {
    text_add(out, "    code = tvm_ffi_tensor_create(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "tvm_ffi_device_make(kDLCPU, 0)");
    wrap_add_item(&list, "%s", param->type->dtype);
    wrap_add_item(&list, "%zu, shape, &%s", param->num_dims, param->local);
    text_add(out, ");\n");
  } else {
    text_add(out,
             "    %s = wrap_allocate(sizeof(%s), %zu, shape);\n"
             "    code = %s != NULL ? 0 : -1;\n",
             param->local, param->type->name, param->num_dims, param->local);
  }
  text_add(out, "    if (code != 0) goto done;\n  }\n");
}

/* ---- The whole ---- */

void wrap_write_kernel(text *out, const wrap_request *request, const spec *target) {
  size_t i;
  text_add(out, "\n");
  wrap_write_asserts(out, target);
  wrap_write_signature(out, request, target);
  write_variables(out, request, target);
  text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, %d));\n", target->num_args);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (param->form == kParamTensor) {
      write_tensor(out, target, param);
    } else {
      write_scalar(out, param);
    }
  }
  write_ranges(out, target);
  for (i = 0; i < target->num_params; ++i) {
    if (wrap_is_allocated(&target->params[i])) write_allocation(out, target, &target->params[i]);
  }
  request->abi->write_call(out, request, target);
  wrap_write_results(out, request, target);
  text_add(out, "}\n");
}
