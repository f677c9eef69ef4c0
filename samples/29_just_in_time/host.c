/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles kernels of text while the program runs, in its own memory, by libtcc. */
#include <libtcc.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>

/* A kernel over one expression. tvm_ffi_kernel.h is all that it includes. */
static const char kKernel[] =
    "#include <tvm_ffi_kernel.h>\n"
    "TVM_FFI_C_EXPORT(apply, \"(0: DLTensor*, 1: DLTensor*) -> None\") {\n"
    "  DLTensor *in, *out;\n"
    "  int64_t i, n;\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &in));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &out));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, tvm_ffi_dtype_make(kDLFloat, 32, 1)));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCPU));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));\n"
    "  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));\n"
    "  n = tvm_ffi_tensor_get_numel(in);\n"
    "  for (i = 0; i < n; ++i) {\n"
    "    const float x = ((const float *)tvm_ffi_tensor_get_data(in))[i];\n"
    "    ((float *)tvm_ffi_tensor_get_data(out))[i] = (float)(%s);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

/* Keeps the first message of the compiler. */
static void take_message(void *context, const char *message) {
  char *first = context;
  if (*first == '\0') snprintf(first, 256, "%s", message);
}

/* The code lies in memory of the compiler's state, which lives as long as the function. */
static void delete_code(void *state) {
  tcc_delete(state);
}

/* Compiles text in memory; NULL if it is wrong. */
static TVMFFISafeCallType compile(TCCState *state, const char *folder, const char *text) {
  void *address;
  TVMFFISafeCallType kernel = NULL;
  /* In memory; functions of the ABI are then those of this process. */
  tcc_set_output_type(state, TCC_OUTPUT_MEMORY);
  tcc_add_include_path(state, folder);
  if (tcc_compile_string(state, text) != 0) return NULL;
#ifdef TCC_RELOCATE_AUTO
  if (tcc_relocate(state, TCC_RELOCATE_AUTO) < 0) return NULL;
#else
  if (tcc_relocate(state) < 0) return NULL;
#endif
  address = tcc_get_symbol(state, "__tvm_ffi_apply");
  if (address != NULL) memcpy(&kernel, &address, sizeof kernel);
  return kernel;
}

/* Makes a function of an expression of x. */
static int create_function(const char *folder, const char *expression, TVMFFIObjectHandle *out) {
  char text[2048], message[256] = "";
  TCCState *state = tcc_new();
  TVMFFISafeCallType kernel;
  int code;
  if (state == NULL) return tvm_ffi_error_raise_memory();
  tcc_set_error_func(state, message, take_message);
  snprintf(text, sizeof text, kKernel, expression);
  kernel = compile(state, folder, text);
  if (kernel == NULL) {
    tcc_delete(state);
    fprintf(stderr, "%s\n", message); /* its words depend on the version */
    return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "`%s` is not an expression of x", expression);
  }
  code = TVMFFIFunctionCreate(state, kernel, delete_code, out);
  if (code != 0) tcc_delete(state);
  return code;
}

/* Compiles and calls; prints the result. */
static int apply(const char *folder, const char *expression, DLDataType dtype) {
  float in[4] = {-2, -1, 0, 3}, out[4] = {0};
  int64_t shape[1] = {4}, strides[1];
  TVMFFIObjectHandle function = NULL;
  DLTensor tensors[2];
  TVMFFIAny args[2];
  int code;
  TVM_FFI_C_TRY(create_function(folder, expression, &function));
  tvm_ffi_tensor_init(&tensors[0], in, tvm_ffi_device_make(kDLCPU, 0), dtype, 1, shape, strides);
  tensors[1] = tensors[0];
  tensors[1].data = out;
  args[0] = tvm_ffi_any_view_tensor(&tensors[0]);
  args[1] = tvm_ffi_any_view_tensor(&tensors[1]);
  code = tvm_ffi_function_call_void(function, args, 2);
  tvm_ffi_object_release(function);
  if (code == 0) printf("%s: %g %g %g %g\n", expression, out[0], out[1], out[2], out[3]);
  return code;
}

int main(int argc, char **argv) {
  const DLDataType float32 = TVM_FFI_C_FLOAT32;
  if (argc != 2) {
    fprintf(stderr, "usage: host FOLDER-OF-tvm_ffi_kernel.h\n");
    return 2;
  }
  if (apply(argv[1], "x * x + 1", float32) != 0 || apply(argv[1], "x < 0 ? -x : x", float32) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  /* An expression that is wrong, and a call that is wrong. */
  if (apply(argv[1], "x +", float32) == 0) return 1;
  tvm_ffi_error_print_raised(stdout);
  if (apply(argv[1], "x", TVM_FFI_C_INT32) == 0) return 1;
  tvm_ffi_error_print_raised(stdout);
  return 0;
}
