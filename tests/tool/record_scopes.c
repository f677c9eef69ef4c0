/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runtimes in one process, each only with the function by which a library registers with the
 * system library, and a library, a group and hosts that call it: test_record.py sees which of them
 * it reaches.
 */
#include <dlfcn.h>
#include <stdio.h>

#if !defined(RUNTIME)
int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol);
#endif

#if defined(RUNTIME)
int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  printf("runtime %s: %s%s\n", RUNTIME, name, symbol != NULL ? "" : ", which is nowhere");
  return 0;
}
#elif defined(REGISTERS)
static int kernel(void *self, const void *args, int num_args, void *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  return 0;
}

int register_kernel(void);
int register_kernel(void) {
  union {
    int (*function)(void *, const void *, int, void *);
    void *address;
  } cast;
  cast.function = kernel;
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_scopes", cast.address);
}
#elif defined(GROUP)
int register_kernel(void);

/* So that it needs both. */
int register_other(void);
int register_other(void) {
  return register_kernel() + TVMFFIEnvModRegisterSystemLibSymbol("other", NULL);
}
#else
/* Opens libraries for themselves, and lets the last of the process register. */
int main(int argc, char **argv) {
  union {
    void *address;
    int (*call)(void);
  } registers;
  void *opened = NULL;
  int i;
#if defined(WITH_RUNTIME)
  if (argc == 1) return TVMFFIEnvModRegisterSystemLibSymbol("none", NULL);
#endif
  for (i = 1; i < argc; ++i) {
    opened = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) {
      printf("%s\n", dlerror());
      return 2;
    }
  }
  registers.address = opened != NULL ? dlsym(opened, "register_kernel") : NULL;
  if (registers.address == NULL) return 2;
  printf("%d\n", registers.call());
  return 0;
}
#endif
