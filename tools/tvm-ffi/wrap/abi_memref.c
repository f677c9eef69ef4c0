/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that MLIR compiles with the attribute llvm.emit_c_interface are called
 * _mlir_ciface_NAME, and take pointers to descriptors of tensors, and values. */
#include <stdlib.h>

#include "wrap/wrap.h"

static bool check(const spec_source *source, const spec *earlier, size_t num_earlier,
                  const spec *target) {
  (void)earlier, (void)num_earlier;
  return wrap_check_no_work(source, &kWrapMemref, target);
}

static char *make_type(const spec_param *param) {
  return tool_format("wrap_memref_%zu", param->num_dims);
}

static const wrap_description kMemref = {"_mlir_ciface_", "memref", make_type};

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

static void write_types(text_buf *out, const wrap_request *request) {
  bool has_more = true;
  size_t rank;
  text_add(
      out,
      "/* How MLIR describes tensors: this, then the size and the stride of each dimension. */\n"
      "typedef struct {\n"
      "  void *allocated, *aligned;\n"
      "  intptr_t offset;\n"
      "} wrap_memref;\n\n");
  for (rank = 0; has_more; ++rank) {
    if (!has_rank(request, rank, &has_more)) continue;
    text_add(out, "typedef struct {\n  wrap_memref head;\n");
    if (rank > 0) text_add(out, "  intptr_t sizes[%zu], strides[%zu];\n", rank, rank);
    text_add(out, "} wrap_memref_%zu;\n\n", rank);
  }
}

static void write_prototype(text_buf *out, const spec *target) {
  wrap_write_described_prototype(out, target, &kMemref);
}

static void write_variables(text_buf *out, const spec *target) {
  wrap_write_described_variables(out, target, &kMemref);
}

static void write_descriptor(text_buf *out, const spec *target, const spec_param *param) {
  char *local = spec_make_local(target, param, kMemref.suffix), *tensor = wrap_tensor(param);
  wrap_list list;
  text_add(out, "  wrap_memref_set(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "&%s.head", local);
  if (param->num_dims > 0) {
    wrap_add_item(&list, "%s.sizes", local);
    wrap_add_item(&list, "%s.strides", local);
  } else {
    wrap_add_item(&list, "NULL");
    wrap_add_item(&list, "NULL");
  }
  wrap_add_item(&list, "%s", tensor);
  text_add(out, ");\n");
  free(tensor);
  free(local);
}

static void write_call(text_buf *out, const wrap_request *request, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) write_descriptor(out, target, param);
  }
  wrap_write_described_call(out, target, &kMemref);
  if (request->result_is_error) wrap_write_failure(out, target);
}

const wrap_abi kWrapMemref = {"memref",    false,           kWrapMemrefRuntime, check,
                              write_types, write_prototype, write_variables,    write_call};
