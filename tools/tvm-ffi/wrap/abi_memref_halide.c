/* SPDX-License-Identifier: Apache-2.0 */
/* ABIs in which tensors are passed as pointers to descriptions, and the rest as values. */
#include <stdlib.h>

#include "wrap/wrap.h"

/* ---- Descriptions ---- */

/* How tensors are described, if the function takes a pointer to a description of each. */
typedef struct {
  const char *prefix;                          /* of the function's name */
  const char *suffix;                          /* of the kernel's variables */
  const char *passed;                          /* its type for the function; NULL: the same */
  char *(*make_type)(const spec_param *param); /* of a description; release with free() */
} description;

static void write_described_prototype(text_buf *out, const spec *target, const description *kind) {
  wrap_list list;
  size_t i;
  wrap_write_result(out, target);
  text_add(out, "%s%s(", kind->prefix, target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) {
      char *type = kind->make_type(param);
      wrap_add_item(&list, "%s *%s", kind->passed != NULL ? kind->passed : type, param->local);
      free(type);
    } else {
      wrap_write_value_parameter(&list, param);
    }
  }
  text_add(out, "%s);\n", target->num_params == 0 ? "void" : "");
}

static void write_described_variables(text_buf *out, const spec *target, const description *kind) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    char *type, *local;
    if (param->form != kParamTensor) continue;
    type = kind->make_type(param);
    local = spec_make_local(target, param, kind->suffix);
    text_add(out, "  %s %s;\n", type, local);
    free(local);
    free(type);
  }
  wrap_write_returned(out, target);
}

static void write_described_call(text_buf *out, const spec *target, const description *kind) {
  wrap_list list;
  size_t i;
  text_add(out, "  %s%s%s(", target->result->kind != kTypeVoid ? "returned = " : "", kind->prefix,
           target->name);
  list = wrap_begin_list(out);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    const bool is_tensor = param->form == kParamTensor;
    char *value =
        is_tensor ? spec_make_local(target, param, kind->suffix) : wrap_argument(target, param);
    if (is_tensor && kind->passed != NULL) {
      wrap_add_item(&list, "(%s *)&%s", kind->passed, value);
    } else {
      wrap_add_item(&list, is_tensor ? "&%s" : "%s", value);
    }
    free(value);
  }
  text_add(out, ");\n");
}

/* ---- MLIR ---- */

/* Functions that MLIR compiles with the attribute llvm.emit_c_interface are called
 * _mlir_ciface_NAME, and take pointers to descriptors of tensors, and values. */

static bool memref_check(const spec_source *source, const spec *earlier, size_t num_earlier,
                         const spec *target) {
  (void)earlier, (void)num_earlier;
  return wrap_check_not_plain(source, &kWrapMemref, target);
}

static char *memref_make_type(const spec_param *param) {
  return tool_format("wrap_memref_%zu", param->num_dims);
}

static const description kMemref = {"_mlir_ciface_", "memref", NULL, memref_make_type};

/* Whether a tensor of the request has that many dimensions; `out_more`: whether one has more. */
static bool has_rank(const wrap_request *request, size_t rank, bool *out_more) {
  bool found = false;
  size_t i, k;
  *out_more = false;
  for (i = 0; i < request->num_specs; ++i) {
    const spec *target = &request->specs[i];
    for (k = 0; k < target->num_params; ++k) {
      const spec_param *param = &target->params[k];
      if (param->form != kParamTensor) continue;
      found = found || param->num_dims == rank;
      *out_more = *out_more || param->num_dims > rank;
    }
  }
  return found;
}

static void memref_write_types(text_buf *out, const wrap_request *request) {
  bool has_more = true;
  size_t rank;
  text_add(
      out,
      "/* How MLIR describes tensors: this, then the size and the stride of each dimension. */\n"
      "#ifndef TVM_FFI_HAS_wrap_memref\n"
      "#define TVM_FFI_HAS_wrap_memref\n"
      "typedef struct {\n"
      "  void *allocated, *aligned;\n"
      "  intptr_t offset;\n"
      "} wrap_memref;\n"
      "#endif\n");
  for (rank = 0; has_more; ++rank) {
    if (!has_rank(request, rank, &has_more)) continue;
    text_add(out,
             "#ifndef TVM_FFI_HAS_wrap_memref_%zu\n"
             "#define TVM_FFI_HAS_wrap_memref_%zu\n"
             "typedef struct {\n"
             "  wrap_memref head;\n",
             rank, rank);
    if (rank > 0) text_add(out, "  intptr_t sizes[%zu], strides[%zu];\n", rank, rank);
    text_add(out, "} wrap_memref_%zu;\n#endif\n", rank);
  }
  text_add(out, "\n");
}

static void memref_write_prototype(text_buf *out, const spec *target) {
  write_described_prototype(out, target, &kMemref);
}

static void memref_write_variables(text_buf *out, const spec *target) {
  write_described_variables(out, target, &kMemref);
}

static void write_descriptor(text_buf *out, const spec *target, const spec_param *param) {
  const bool is_owner = wrap_is_owner(target);
  char *local = spec_make_local(target, param, kMemref.suffix), *tensor = wrap_tensor(param);
  wrap_list list;
  text_add(out, is_owner ? "  code = wrap_memref_set(" : "  TVM_FFI_C_TRY(wrap_memref_set(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d", param->arg);
  wrap_add_item(&list, "%s", tensor);
  wrap_add_item(&list, "&%s.head", local);
  if (param->num_dims > 0) {
    wrap_add_item(&list, "%s.sizes", local);
    wrap_add_item(&list, "%s.strides", local);
  } else {
    wrap_add_item(&list, "NULL");
    wrap_add_item(&list, "NULL");
  }
  text_add(out, is_owner ? ");\n  if (code != 0) goto done;\n" : "));\n");
  free(tensor);
  free(local);
}

static void memref_write_call(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) write_descriptor(out, target, param);
  }
  write_described_call(out, target, &kMemref);
  if (target->failure != kErrorNone) wrap_write_failure(out, target);
}

const wrap_abi kWrapMemref = {"memref",
                              false,
                              kWrapMemrefHalideRuntime,
                              memref_check,
                              memref_write_types,
                              memref_write_prototype,
                              memref_write_variables,
                              memref_write_call,
                              NULL};

/* ---- Halide ---- */

/* Functions that Halide compiles ahead of time take pointers to buffers, which describe tensors,
 * and values. They return an error code, and give a handler the message. */

static bool halide_check(const spec_source *source, const spec *earlier, size_t num_earlier,
                         const spec *target) {
  (void)earlier, (void)num_earlier;
  return wrap_check_function(source, target) &&
         wrap_check_error_code(source, &kWrapHalide, target) &&
         wrap_check_not_plain(source, &kWrapHalide, target);
}

static char *halide_make_type(const spec_param *param) {
  (void)param;
  return tool_format("wrap_halide_buffer");
}

static const description kBuffer = {"", "buffer", "struct halide_buffer_t", halide_make_type};

/* Headers of functions define Halide's types, and may be above or below in the same source: the
 * kernels have types of their own, which are the header's if that is above. */
static void halide_write_types(text_buf *out, const wrap_request *request) {
  const char *kernel = request->specs[0].exported;
  text_add(out,
           "#define wrap_halide_dimension wrap_halide_dimension_of_%s\n"
           "#define wrap_halide_buffer wrap_halide_buffer_of_%s\n",
           kernel, kernel);
  text_add(out,
           "struct halide_buffer_t;\n"
           "#ifdef HALIDE_HALIDERUNTIME_H\n"
           "typedef struct halide_dimension_t wrap_halide_dimension;\n"
           "typedef struct halide_buffer_t wrap_halide_buffer;\n"
           "#else\n"
           "struct halide_device_interface_t;\n"
           "typedef struct {\n"
           "  int32_t min, extent, stride;\n"
           "  uint32_t flags;\n"
           "}\n"
           "#if defined(__GNUC__)\n"
           "__attribute__((__may_alias__))\n"
           "#endif\n"
           "wrap_halide_dimension;\n"
           "typedef struct {\n"
           "  uint64_t device;\n"
           "  const struct halide_device_interface_t *device_interface;\n"
           "  uint8_t *host;\n"
           "  uint64_t flags;\n"
           "  struct {\n"
           "    uint8_t code, bits;\n"
           "    uint16_t lanes;\n"
           "  } type;\n"
           "  int32_t dimensions;\n"
           "  wrap_halide_dimension *dim;\n"
           "  void *padding;\n"
           "}\n"
           "#if defined(__GNUC__)\n"
           "__attribute__((__may_alias__))\n"
           "#endif\n"
           "wrap_halide_buffer;\n"
           "#endif\n"
           "void (*halide_set_error_handler(void (*handler)(void *user_context, const char "
           "*message)))(\n"
           "    void *user_context, const char *message);\n\n");
}

static void halide_write_after(text_buf *out) {
  text_add(out, "#undef wrap_halide_dimension\n#undef wrap_halide_buffer\n");
}

static void halide_write_prototype(text_buf *out, const spec *target) {
  write_described_prototype(out, target, &kBuffer);
}

static void halide_write_variables(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    char *dims;
    if (param->form != kParamTensor || param->num_dims == 0) continue;
    dims = spec_make_local(target, param, "dims");
    text_add(out, "  wrap_halide_dimension %s[%zu];\n", dims, param->num_dims);
    free(dims);
  }
  write_described_variables(out, target, &kBuffer);
}

static void write_buffer(text_buf *out, const spec *target, const spec_param *param) {
  const bool is_owner = wrap_is_owner(target);
  char *buffer = spec_make_local(target, param, kBuffer.suffix), *tensor = wrap_tensor(param);
  char *dims = param->num_dims > 0 ? spec_make_local(target, param, "dims") : tool_format("NULL");
  wrap_list list;
  text_add(out, is_owner ? "  code = wrap_halide_set(" : "  TVM_FFI_C_TRY(wrap_halide_set(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "args, %d", param->arg);
  wrap_add_item(&list, "%s", tensor);
  wrap_add_item(&list, "%s", dims);
  wrap_add_item(&list, "&%s", buffer);
  text_add(out, is_owner ? ");\n  if (code != 0) goto done;\n" : "));\n");
  free(dims);
  free(tensor);
  free(buffer);
}

static void halide_write_call(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) write_buffer(out, target, param);
  }
  text_add(out, "  wrap_halide_begin();\n");
  write_described_call(out, target, &kBuffer);
  wrap_begin_failure(out, target);
  text_add(out, "wrap_halide_fail(\"%s\", returned)", target->name);
  wrap_end_failure(out, target);
}

const wrap_abi kWrapHalide = {"halide",
                              true,
                              kWrapMemrefHalideRuntime,
                              halide_check,
                              halide_write_types,
                              halide_write_prototype,
                              halide_write_variables,
                              halide_write_call,
                              halide_write_after};
