/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the parts of a kernel around its loops: reading and checking arguments, local tensors,
 * calls of imported kernels, and what a file has besides kernels. */
#include "emitter.h"

static bool has_locals; /* of this kernel: there is memory to free, at the label `done` */

/* A call whose code is returned unless it is 0: begin_try(); put(the call); end_try(); */
static void begin_try(void) {
  begin();
  put(has_locals ? "if ((code = " : "TVM_FFI_C_TRY(");
}
static void end_try(void) {
  put(has_locals ? ") != 0) goto done;\n" : ");\n");
}

/* ---- What is known of a kernel ---- */

static int count_params(const Kernel *kernel) {
  return kernel->num_inputs + kernel->num_outputs;
}

static void put_params(const Kernel *kernel, int first, int end) {
  int i, dim;
  put("(");
  for (i = first; i < end; ++i) {
    const Variable *variable = kernel->variables[i];
    put("%s%s: %s", i > first ? ", " : "", variable->name, dtypes[variable->type].name);
    for (dim = 0; dim < variable->ndim; ++dim) {
      const Extent *extent = variable->shape[dim];
      put("%s", dim > 0 ? ", " : "[");
      if (extent->name != NULL) put("%s", extent->name);
      if (extent->name == NULL) put("%lld", (long long)extent->value);
    }
    if (variable->is_tensor) put("%s", variable->ndim > 0 ? "]" : "[]");
  }
  put(")");
}

/* The kernel as its program declares it. */
static void put_header(const Kernel *kernel) {
  put("%s", kernel->name);
  put_params(kernel, 0, kernel->num_inputs);
  put(" -> ");
  put_params(kernel, kernel->num_inputs, count_params(kernel));
}

static const char *get_type(const Variable *variable) {
  return variable->is_tensor ? "DLTensor*" : dtypes[variable->type].schema;
}

static void emit_metadata(const Kernel *kernel) {
  int i;
  put("\nTVM_FFI_C_EXPORT_DOC(%s, \"", kernel->name);
  put_header(kernel);
  put("\");\nTVM_FFI_C_EXPORT_SCHEMA(%s, TVM_FFI_C_TYPE(\"None\"),", kernel->name);
  for (i = 0; i < count_params(kernel); ++i) {
    put("%s\n    TVM_FFI_C_PARAM(\"%s\", \"%s\")", i > 0 ? " \",\"" : "",
        kernel->variables[i]->name, get_type(kernel->variables[i]));
  }
  put(");\n\n");
}

/* ---- Arguments ---- */

static void emit_read_tensor(const Variable *variable, int i) {
  if (variable->has_elements && variable->ndim > 0) {
    line("int64_t %s_stride[%d];", variable->name, variable->ndim);
  }
  line("DLTensor *%s_tensor;", variable->name);
  begin();
  put("TVM_FFI_C_TRY(read_argument(args, %d, %s, %d, &%s_tensor, ", i,
      dtypes[variable->type].constant, variable->ndim, variable->name);
  put(variable->has_elements && variable->ndim > 0 ? "%s_stride));\n" : "NULL));\n",
      variable->name);
}

static void emit_read_scalar(const Variable *variable, int i) {
  static const char *const readers[] = {"int32", "int64", "double", "double"};
  const char *name = variable->name, *ending = variable->type == kFloat32 ? "number" : "value";
  const char *type = is_float(variable->type) ? "double" : dtypes[variable->type].c_type;
  line("%s %s_%s;", type, name, ending);
  line("TVM_FFI_C_TRY(tvm_ffi_args_read_%s(args, %d, &%s_%s));", readers[variable->type], i, name,
       ending);
  if (variable->type == kFloat32) line("const float %s_value = (float)%s_number;", name, name);
}

/* A length is read from the first argument that has it, and checked in the others. */
static void emit_shapes(const Kernel *kernel) {
  const Extent *known[kMaxVariables * kMaxDims];
  int num_known = 0, i, dim, k;
  for (i = 0; i < count_params(kernel); ++i) {
    const Variable *variable = kernel->variables[i];
    for (dim = 0; dim < variable->ndim; ++dim) {
      const Extent *extent = variable->shape[dim];
      for (k = 0; k < num_known && known[k] != extent; ++k) {
      }
      if (extent->name != NULL && k == num_known) {
        known[num_known++] = extent;
        if (!extent->is_used) continue;
        line("const int64_t %s_size = %s_tensor->shape[%d];", extent->name, variable->name, dim);
      } else {
        begin();
        put("TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, %d, %d, ", i, dim);
        put_extent(extent);
        put("));\n");
      }
    }
  }
}

static void emit_data(const Variable *tensor) {
  const char *name = tensor->name, *constant = tensor->role == kInput ? "const " : "";
  const char *type = dtypes[tensor->type].c_type;
  if (!tensor->has_elements) return;
  if (tensor->role == kLocal) {
    line("const DLTensor *%s_tensor = TVMFFITensorGetDLTensorPtr(%s_local);", name, name);
    if (tensor->ndim > 0) line("const int64_t *%s_stride = %s_tensor->strides;", name, name);
  }
  line("%s%s *%s_data = (%s%s *)tvm_ffi_tensor_get_data(%s_tensor);", constant, type, name,
       constant, type, name);
}

/* ---- What the lengths have to be for the subscripts ---- */

/* Sums in subscripts stay within their dimension, if any element is read at all. */
static void emit_reach(const Expression *element, int dim) {
  const Subscript *subscript = element->subscripts[dim];
  const char *separator = "if (";
  int i, k;
  for (i = 0; i < element->num_subscripts; ++i) {
    for (k = 0; k < element->subscripts[i]->num_terms; ++k) {
      const Index *index = element->subscripts[i]->terms[k].variable;
      if (index->extent->name == NULL) continue;
      if (*separator == 'i') begin();
      put("%s", separator);
      put_extent(index->extent);
      put(" > 0");
      separator = " && ";
    }
  }
  if (*separator == ' ') put(") {\n");
  if (*separator == ' ') begin_block();
  begin();
  put("TVM_FFI_C_TRY(check_reach(args, \"%s\", %d, ", element->name, dim);
  for (i = 0; i < subscript->num_terms; ++i) put("add(");
  put("%lld", (long long)subscript->offset);
  for (i = 0; i < subscript->num_terms; ++i) {
    put(", ");
    put_extent(subscript->terms[i].variable->extent);
    put(" - 1)");
  }
  put(", ");
  put_extent(element->variable->shape[dim]);
  put("));\n");
  if (*separator == ' ') {
    end_block();
    line("}");
  }
}

static bool needs_reach(const Expression *element, int dim) {
  const Subscript *subscript = element->subscripts[dim];
  if (is_alone(subscript)) return false;
  return subscript->num_terms > 0 || element->variable->shape[dim]->name != NULL;
}

/* The largest or smallest of nothing is an error. */
static void emit_not_empty(const Expression *reduction) {
  int i;
  for (i = 0; i < reduction->num_indices; ++i) {
    const char *name = reduction->indices[i]->extent->name;
    if (reduction->reduction == '+' || name == NULL) continue;
    line("TVM_FFI_C_TRY(check_not_empty(args, \"%s\", \"%s\", %s_size));", reduction->name, name,
         name);
  }
}

static void emit_value_checks(const Expression *value) {
  int i;
  for (i = 0; i < value->num_subscripts; ++i) {
    if (needs_reach(value, i)) emit_reach(value, i);
  }
  if (value->kind == kReduce) emit_not_empty(value);
  for (i = 0; i < 3 && value->args[i] != NULL; ++i) emit_value_checks(value->args[i]);
}

/* ---- Local tensors ---- */

static void emit_local(const Variable *local) {
  int dim;
  begin();
  put("const int64_t %s_shape[%d] = {", local->name, local->ndim > 0 ? local->ndim : 1);
  for (dim = 0; dim < local->ndim; ++dim) {
    put("%s", dim > 0 ? ", " : "");
    put_extent(local->shape[dim]);
  }
  put("%s};\n", local->ndim > 0 ? "" : "0");
  line("if ((code = allocate(%s, %d, %s_shape, &%s_local)) != 0) goto done;",
       dtypes[local->type].constant, local->ndim, local->name, local->name);
}

/* They are Tensor objects, which imported kernels may keep and pass on to Python. */
static void emit_locals(const Kernel *kernel) {
  int i, first = count_params(kernel);
  if (!has_locals) return;
  line("int code;");
  for (i = first; i < kernel->num_variables; ++i) {
    line("TVMFFIObjectHandle %s_local = NULL;", kernel->variables[i]->name);
  }
  for (i = first; i < kernel->num_variables; ++i) emit_local(kernel->variables[i]);
}

/* ---- Calls ---- */

static int find_param(const Kernel *kernel, const Variable *variable) {
  int i;
  for (i = 0; kernel->variables[i] != variable; ++i) {
  }
  return i;
}

static void emit_call(const Kernel *kernel, const Statement *call) {
  int i, num_args = call->num_args + call->num_results;
  line("{");
  begin_block();
  line("TVMFFIAny packed[%d];", num_args);
  for (i = 0; i < num_args; ++i) {
    const Variable *variable = call->passed[i];
    if (variable->role == kLocal) {
      line("packed[%d] = tvm_ffi_any_view_object(%s_local);", i, variable->name);
    } else {
      line("packed[%d] = args->args[%d]; /* %s */", i, find_param(kernel, variable),
           variable->name);
    }
  }
  begin_try();
  put("call_import(&%s_import, find_%s, packed, %d)", call->callee_name, call->callee_name,
      num_args);
  end_try();
  end_block();
  line("}");
}

/* ---- Kernels ---- */

static void emit_arguments(const Kernel *kernel) {
  int i;
  line("TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, %d));", count_params(kernel));
  for (i = 0; i < count_params(kernel); ++i) {
    if (kernel->variables[i]->is_tensor) {
      emit_read_tensor(kernel->variables[i], i);
    } else {
      emit_read_scalar(kernel->variables[i], i);
    }
  }
  emit_shapes(kernel);
}

static void emit_body(const Kernel *kernel) {
  Statement *statement;
  int i;
  has_locals = false;
  emit_arguments(kernel);
  for (statement = kernel->statements; statement != NULL; statement = statement->next) {
    if (statement->target != NULL) emit_value_checks(statement->value);
  }
  has_locals = kernel->num_variables > count_params(kernel);
  emit_locals(kernel);
  for (i = 0; i < kernel->num_variables; ++i) emit_data(kernel->variables[i]);
  start_numbers();
  for (statement = kernel->statements; statement != NULL; statement = statement->next) {
    if (statement->target != NULL) {
      emit_assignment(statement);
    } else {
      emit_call(kernel, statement);
    }
  }
  if (!has_locals) {
    line("return 0;");
    return;
  }
  put("done:\n");
  for (i = count_params(kernel); i < kernel->num_variables; ++i) {
    line("tvm_ffi_object_release(%s_local);", kernel->variables[i]->name);
  }
  line("return code;");
}

static void emit_kernel(const Kernel *kernel) {
  int i;
  emit_metadata(kernel);
  put("TVM_FFI_C_EXPORT(%s, \"(", kernel->name);
  for (i = 0; i < count_params(kernel); ++i) {
    put("%s%d: %s", i > 0 ? ", " : "", i, get_type(kernel->variables[i]));
  }
  put(") -> void\") {\n");
  begin_block();
  emit_body(kernel);
  end_block();
  put("}\n");
}

/* ---- The file ---- */

/* Functions of which a file has those that its kernels use. */
static const char read_argument[] =
    "\n"
    "/* Argument i: a tensor on the CPU, and its strides unless opt_strides is NULL. */\n"
    "static int read_argument(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t "
    "ndim,\n"
    "                         DLTensor **out, int64_t *opt_strides) {\n"
    "  int32_t dim;\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));\n"
    "  for (dim = 0; opt_strides != NULL && dim < ndim; ++dim) {\n"
    "    TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(*out, dim, &opt_strides[dim]));\n"
    "  }\n"
    "  return 0;\n"
    "}\n";
static const char check_reach[] =
    "\n"
    "/* a + b, where neither is negative; no more than INT64_MAX. */\n"
    "static int64_t add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }\n"
    "\n"
    "/* The last index in a dimension of a tensor is smaller than its length. */\n"
    "static int check_reach(const tvm_ffi_args *args, const char *name, int dim, int64_t last,\n"
    "                       int64_t size) {\n"
    "  TVM_FFI_C_CHECK(last < size, TVM_FFI_C_VALUE_ERROR,\n"
    "                  \"`%s` needs index %lld in dimension %d of %s, which has size %lld\",\n"
    "                  args->signature, (long long)last, dim, name, (long long)size);\n"
    "  return 0;\n"
    "}\n";
static const char check_not_empty[] =
    "\n"
    "/* There is something to take the maximum or minimum of. */\n"
    "static int check_not_empty(const tvm_ffi_args *args, const char *reduction, const char "
    "*name,\n"
    "                           int64_t size) {\n"
    "  TVM_FFI_C_CHECK(size > 0, TVM_FFI_C_VALUE_ERROR, \"`%s` takes the %s of nothing: %s is "
    "0\",\n"
    "                  args->signature, reduction, name);\n"
    "  return 0;\n"
    "}\n";
static const char allocate_local[] =
    "\n"
    "static int allocate_data(void *context, DLTensor *tensor, size_t size) {\n"
    "  (void)context;\n"
    "  tensor->data = malloc(size > 0 ? size : 1);\n"
    "  return tensor->data != NULL ? 0 : tvm_ffi_error_raise_memory();\n"
    "}\n"
    "\n"
    "static void free_data(void *context, DLTensor *tensor) {\n"
    "  (void)context;\n"
    "  free(tensor->data);\n"
    "}\n"
    "\n"
    "/* A Tensor with memory of its own. */\n"
    "static int allocate(DLDataType dtype, int32_t ndim, const int64_t *shape,\n"
    "                    TVMFFIObjectHandle *out) {\n"
    "  static const tvm_ffi_tensor_allocator allocator = {allocate_data, free_data, NULL};\n"
    "  return tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim,\n"
    "                                    shape, out);\n"
    "}\n";
static const char call_import[] =
    "\n"
    "/* The loader stores this library's module here, for TVMFFIEnvModLookupFromImports. */\n"
    "TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;\n"
    "void *__tvm_ffi__library_ctx = NULL;\n"
    "\n"
    "/* Calls an imported kernel, which is looked up once. The module keeps it. */\n"
    "static int call_import(void **kernel, int (*find)(void **), const TVMFFIAny *args,\n"
    "                       int32_t num_args) {\n"
    "  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(kernel, find));\n"
    "  return tvm_ffi_function_call_void(*kernel, args, num_args);\n"
    "}\n";

static bool uses_reach(const Expression *value) {
  int i;
  for (i = 0; i < value->num_subscripts; ++i) {
    if (needs_reach(value, i)) return true;
  }
  for (i = 0; i < 3 && value->args[i] != NULL; ++i) {
    if (uses_reach(value->args[i])) return true;
  }
  return false;
}

static bool uses_not_empty(const Expression *value) {
  int i;
  for (i = 0; i < value->num_indices; ++i) {
    if (value->reduction != '+' && value->indices[i]->extent->name != NULL) return true;
  }
  for (i = 0; i < 3 && value->args[i] != NULL; ++i) {
    if (uses_not_empty(value->args[i])) return true;
  }
  return false;
}

static bool any_value(const Kernel *kernels, bool (*has)(const Expression *value)) {
  const Kernel *kernel;
  const Statement *statement;
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    for (statement = kernel->statements; statement != NULL; statement = statement->next) {
      if (statement->value != NULL && has(statement->value)) return true;
    }
  }
  return false;
}

static void emit_functions(const Kernel *kernels) {
  const Kernel *kernel;
  bool have_locals = false, have_tensors = false, have_imports = false;
  int i;
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    have_imports = have_imports || kernel->is_import;
    have_locals = have_locals || kernel->num_variables > count_params(kernel);
    for (i = 0; i < kernel->num_variables && !kernel->is_import; ++i) have_tensors = true;
  }
  if (have_tensors) put("%s", read_argument);
  if (any_value(kernels, uses_reach)) put("%s", check_reach);
  if (any_value(kernels, uses_not_empty)) put("%s", check_not_empty);
  if (have_locals) put("%s", allocate_local);
  if (have_imports) put("%s", call_import);
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    if (!kernel->is_import) continue;
    put("\nstatic void *%s_import;\nstatic int find_%s(void **out) {\n", kernel->name,
        kernel->name);
    put("  return TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, \"%s\", out);\n}\n",
        kernel->name);
  }
}

/* Symbols of the system library begin with a prefix. Constructors run before main(). */
static void emit_system_library(const Kernel *kernels, const char *prefix) {
  const Kernel *kernel;
  bool have_imports = false;
  put("\nstatic void enter(const char *symbol, TVMFFISafeCallType kernel) {\n"
      "  void *address;\n"
      "  memcpy(&address, &kernel, sizeof address);\n"
      "  TVMFFIEnvModRegisterSystemLibSymbol(symbol, address);\n"
      "}\n\n"
      "__attribute((constructor)) static void enter_kernels(void) {\n");
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    have_imports = have_imports || kernel->is_import;
    if (kernel->is_import) continue;
    put("  enter(\"__tvm_ffi_%s%s\", __tvm_ffi_%s);\n", prefix, kernel->name, kernel->name);
  }
  if (have_imports) {
    put("  TVMFFIEnvModRegisterSystemLibSymbol(\"%s__tvm_ffi__library_ctx\", "
        "&__tvm_ffi__library_ctx);\n",
        prefix);
  }
  put("}\n");
}

void emit_program(const Kernel *kernels, FILE *file, const char *opt_title, const char *source_name,
                  const char *opt_prefix) {
  const Kernel *kernel;
  begin_text(file);
  if (opt_title != NULL) put("/* %s */\n", opt_title);
  put("/* Made of %s by demos/compiler. */\n", source_name);
  put("#include <math.h>\n#include <tvm/ffi/c.h>\n#include <tvm/ffi/extra/c_env_api.h>\n");
  emit_functions(kernels);
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    if (!kernel->is_import) emit_kernel(kernel);
  }
  if (opt_prefix != NULL) emit_system_library(kernels, opt_prefix);
}
