/* SPDX-License-Identifier: Apache-2.0 */
/* A build step: writes the C file that embeds a module in the kernel library.
 *
 *     pack curves.poly embedded.c
 *
 * REGISTER_LOADERS is the function that registers the loaders of the module's kind. A tree is
 * packed: the kernel library, which does not exist yet, imports the module. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

int REGISTER_LOADERS(void);

/* Stands for the library: a module that is compiled into the library when it is exported. */
static int get_no_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                           TVMFFIObjectHandle *out) {
  (void)self, (void)module, (void)name, (void)out;
  return 0;
}

static const TVMFFIRuntimeModuleVTable library_to_be = {
    .struct_size = sizeof(TVMFFIRuntimeModuleVTable),
    .kind = "c",
    .property_mask = kTVMFFIRuntimeModuleCompilationExportable,
    .get_function = get_no_function,
};

static int pack(const char *path, TVMFFIAny *out) {
  TVMFFIObjectHandle library, module = NULL;
  TVMFFIAny args[2], result;
  int code;
  TVM_FFI_C_TRY(REGISTER_LOADERS());
  TVM_FFI_C_TRY(TVMFFIRuntimeModuleCreate(&library_to_be, NULL, &library));
  code = tvm_ffi_module_load(path, &module);
  if (code == 0) {
    args[0] = tvm_ffi_any_view_object(library);
    args[1] = tvm_ffi_any_view_object(module);
    code = tvm_ffi_function_call_global("ffi.ModuleImportModule", args, 2, &result);
  }
  if (code == 0) code = TVMFFIRuntimeModulePack(library, out);
  tvm_ffi_object_release(module);
  tvm_ffi_object_release(library);
  return code;
}

int main(int argc, char **argv) {
  TVMFFIAny packed;
  TVMFFIByteArray bytes;
  size_t i;
  FILE *file;
  if (argc != 3) return 2;
  if (pack(argv[1], &packed) != 0) {
    tvm_ffi_error_print_raised(stderr);
    return 1;
  }
  file = fopen(argv[2], "w");
  if (file == NULL || !tvm_ffi_any_try_bytes(&packed, &bytes)) return 1;
  fprintf(file, "/* Written by pack.c. */\n#include <tvm/ffi/c_api.h>\n\n");
  fprintf(file, "TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];\n");
  fprintf(file, "const unsigned char __tvm_ffi__library_bin[] = {");
  for (i = 0; i < bytes.size; ++i) {
    fprintf(file, "%s%u,", i % 16 == 0 ? "\n    " : " ", (unsigned)(unsigned char)bytes.data[i]);
  }
  fprintf(file, "\n};\n");
  tvm_ffi_any_clear(&packed);
  return fclose(file) != 0;
}
