/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of kernels are not linked with the runtime: a host must make the runtime's symbols
 * global before it loads them. In this host the runtime is already loaded with RTLD_LOCAL, and the
 * host promotes it to RTLD_GLOBAL.
 *
 *     call_promoted libtvm_ffi.so kernels.so */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_NOLOAD */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

static void expect(int holds, const char *label) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", label);
  exit(1);
}

/* Copies the pointer as bytes, because C99 has no cast from void * to a function pointer. */
#define FIND(library, name, function)          \
  do {                                         \
    void *found = dlsym(library, name);        \
    expect(found != NULL, name);               \
    memcpy(&(function), &found, sizeof found); \
  } while (0)

static TVMFFISafeCallType choose;
static void (*take_error)(TVMFFIObjectHandle *out);

static int call(const char *name, TVMFFIAny *result) {
  TVMFFIAny arg;
  memset(&arg, 0, sizeof arg);
  memset(result, 0, sizeof *result);
  arg.type_index = kTVMFFIRawStr;
  arg.v_c_str = name;
  return choose(NULL, &arg, 1, result);
}

int main(int argc, char **argv) {
  void *runtime, *kernels;
  TVMFFIObjectHandle error = NULL;
  const TVMFFIErrorCell *cell;
  TVMFFIAny result;
  expect(argc == 3, "two paths are given");
  runtime = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  expect(runtime != NULL, "the runtime loads");
  expect(dlsym(RTLD_DEFAULT, "TVMFFIErrorMoveFromRaised") == NULL, "its symbols are not global");
  expect(dlopen("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == runtime,
         "it is promoted by its name");
  kernels = dlopen(argv[2], RTLD_LAZY | RTLD_LOCAL);
  if (kernels == NULL) fprintf(stderr, "%s\n", dlerror());
  expect(kernels != NULL, "the kernels load");
  expect(dlsym(RTLD_DEFAULT, "__tvm_ffi_choose") == NULL, "the kernels are local");
  FIND(kernels, "__tvm_ffi_choose", choose);
  FIND(runtime, "TVMFFIErrorMoveFromRaised", take_error);
  expect(call("two", &result) == 0 && result.type_index == kTVMFFIInt && result.v_int64 == 2,
         "a call gives its result");
  expect(call("three", &result) == -1, "a call fails");
  take_error(&error);
  expect(error != NULL, "its error is the runtime's");
  cell = (const TVMFFIErrorCell *)((const char *)error + sizeof(TVMFFIObject));
  expect(strcmp(cell->kind.data, "my_own_kind") == 0, "of the kind that was thrown");
  expect(strcmp(cell->message.data, "no choice is called three at float8x4") == 0, "and its text");
  ((TVMFFIObject *)error)->deleter(error, kTVMFFIObjectDeleterFlagBitMaskBoth);
  return 0;
}
