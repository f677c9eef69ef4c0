/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that Halide compiles ahead of time take pointers to buffers, which describe tensors,
 * and values. They return an error code, and give a handler the message. */
#include <stdlib.h>

#include "wrap/wrap.h"

static bool check(const spec_source *source, const spec *earlier, size_t num_earlier,
                  const spec *target) {
  (void)earlier, (void)num_earlier;
  return wrap_check_error_code(source, &kWrapHalide, target) &&
         wrap_check_no_work(source, &kWrapHalide, target);
}

static char *make_type(const spec_param *param) {
  (void)param;
  return tool_format("struct halide_buffer_t");
}

static const wrap_description kBuffer = {"", "buffer", make_type};

static void write_types(text_buf *out, const wrap_request *request) {
  (void)request;
  text_add(out,
           "#ifndef HALIDE_HALIDERUNTIME_H /* the headers of functions have these, too */\n"
           "struct halide_type_t {\n"
           "  uint8_t code, bits;\n"
           "  uint16_t lanes;\n"
           "};\n"
           "typedef struct halide_dimension_t {\n"
           "  int32_t min, extent, stride;\n"
           "  uint32_t flags;\n"
           "} halide_dimension_t;\n"
           "struct halide_buffer_t {\n"
           "  uint64_t device;\n"
           "  const struct halide_device_interface_t *device_interface;\n"
           "  uint8_t *host;\n"
           "  uint64_t flags;\n"
           "  struct halide_type_t type;\n"
           "  int32_t dimensions;\n"
           "  halide_dimension_t *dim;\n"
           "  void *padding;\n"
           "};\n"
           "typedef void (*halide_error_handler_t)(void *user_context, const char *message);\n"
           "halide_error_handler_t halide_set_error_handler(halide_error_handler_t handler);\n"
           "#endif\n\n");
}

static void write_prototype(text_buf *out, const spec *target) {
  wrap_write_described_prototype(out, target, &kBuffer);
}

static void write_variables(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    char *dims;
    if (param->form != kParamTensor || param->num_dims == 0) continue;
    dims = spec_make_local(target, param, "dims");
    text_add(out, "  halide_dimension_t %s[%zu];\n", dims, param->num_dims);
    free(dims);
  }
  wrap_write_described_variables(out, target, &kBuffer);
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

static void write_call(text_buf *out, const wrap_request *request, const spec *target) {
  size_t i;
  (void)request;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->form == kParamTensor) write_buffer(out, target, param);
  }
  text_add(out, "  wrap_halide_begin();\n");
  wrap_write_described_call(out, target, &kBuffer);
  wrap_begin_failure(out, target);
  text_add(out, "wrap_halide_fail(\"%s\", returned)", target->name);
  wrap_end_failure(out, target);
}

const wrap_abi kWrapHalide = {"halide",        true,        kWrapHalideRuntime,
                              check,           write_types, write_prototype,
                              write_variables, write_call};
