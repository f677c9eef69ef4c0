/* SPDX-License-Identifier: Apache-2.0 */
/* The module made by the runtime that the client calls: client.h says how it behaves. */
#ifndef TESTS_CXX_MODULES_OURS_H_
#define TESTS_CXX_MODULES_OURS_H_

#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

static int ours_destroyed;

static inline int ours_give_three(void *handle, const TVMFFIAny *args, int32_t num_args,
                                  TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = 3;
  return 0;
}

static inline int ours_are(const TVMFFIByteArray *text, const char *wanted) {
  return text->size == strlen(wanted) && memcmp(text->data, wanted, text->size) == 0;
}

static inline int ours_check(const TVMFFIByteArray *text) {
  if (!ours_are(text, "!")) return 0;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "refused");
  return -1;
}

static inline int ours_get_function(void *self, TVMFFIObjectHandle module,
                                    const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  if (ours_check(name) != 0) return -1;
  return ours_are(name, "f") ? TVMFFIFunctionCreate(NULL, ours_give_three, NULL, out) : 0;
}

static inline int ours_echo(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  (void)self;
  return ours_check(name) != 0 ? -1 : TVMFFIStringFromByteArray(name, out);
}

static inline int ours_get_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  TVMFFIByteArray doc = {"doc", 3};
  (void)self;
  return ours_check(name) != 0 ? -1 : TVMFFIStringFromByteArray(&doc, out);
}

static int ours_refuse_to_save; /* after writing to a file of this name */

static inline int ours_save(void *self, TVMFFIAny *out) {
  TVMFFIByteArray bytes = {"bytes", 5}, refused = {"!", 1};
  (void)self;
  if (ours_refuse_to_save) return ours_check(&refused);
  return TVMFFIBytesFromByteArray(&bytes, out);
}

static inline int ours_write(void *self, const TVMFFIByteArray *path,
                             const TVMFFIByteArray *format) {
  (void)self;
  (void)format;
  ours_refuse_to_save = ours_are(path, "ours_refuse_to_save");
  return ours_check(path);
}

static inline void ours_destroy(void *self) {
  (void)self;
  ++ours_destroyed;
}

static const char *const ours_formats[] = {"c", "o", NULL};
static const TVMFFIRuntimeModuleVTable ours_vtable = {
    sizeof(TVMFFIRuntimeModuleVTable),
    "ours",
    kTVMFFIRuntimeModuleBinarySerializable | kTVMFFIRuntimeModuleCompilationExportable,
    ours_get_function,
    NULL,
    ours_echo,
    ours_get_doc,
    ours_save,
    ours_write,
    ours_formats,
    ours_echo,
    ours_destroy};

#endif /* TESTS_CXX_MODULES_OURS_H_ */
