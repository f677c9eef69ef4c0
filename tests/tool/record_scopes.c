/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runtimes in one process, each only with functions that the recorder takes the place of, and a
 * library, a group and hosts that call them: test_record.py sees which of them it reaches. And a
 * library that waits while it is loaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *data;
  size_t size;
} text;

int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol);
int TVMFFIFunctionGetGlobal(const text *name, void **out);
int register_kernel(void);
int look_up(void);

#if defined(RUNTIME)
int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  printf("runtime %s: %s%s\n", RUNTIME, name, symbol != NULL ? "" : ", which is nowhere");
  return 0;
}

int TVMFFIFunctionGetGlobal(const text *name, void **out) {
  printf("runtime %s looks up %.*s\n", RUNTIME, (int)name->size, name->data);
  *out = NULL;
  return 0;
}
#elif defined(WAITS)
/* Says that it is loaded by one pipe, and waits for another. */
__attribute__((constructor)) static void wait_for_other(void) {
  const char *says = getenv("SAYS"), *waits = getenv("WAITS");
  char byte = 1;
  if (says == NULL || waits == NULL) return;
  if (write(atoi(says), &byte, 1) != 1 || read(atoi(waits), &byte, 1) != 1) _exit(3);
}
#elif defined(REGISTERS)
static int kernel(void *self, const void *args, int num_args, void *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  return 0;
}

int register_kernel(void) {
  union {
    int (*function)(void *, const void *, int, void *);
    void *address;
  } cast;
  cast.function = kernel;
  return TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_scopes", cast.address);
}

int look_up(void) {
  const text name = {"a function", 10};
  void *found = &found;
  const int rc = TVMFFIFunctionGetGlobal(&name, &found);
  return found == NULL ? rc : 1; /* a call at the end would be a jump */
}
#elif defined(GROUP)

/* So that it needs both. */
int register_other(void);
int register_other(void) {
  return register_kernel() + TVMFFIEnvModRegisterSystemLibSymbol("other", NULL);
}
#else
/* Lets a library register, and look up. */
typedef union {
  void *address;
  int (*call)(void);
} caller;

static int call_by_name(void *opened, const char *name) {
  caller found;
  found.address = opened != NULL ? dlsym(opened, name) : NULL;
  if (found.address == NULL) return 2;
  printf("%d\n", found.call());
  return 0;
}

static int call_both(void *opened) {
  return call_by_name(opened, "register_kernel") != 0 ? 2 : call_by_name(opened, "look_up");
}

/* A library looks up while another is loaded, which waits for that. */
static int pipes[2][2];

static void *look_up_meanwhile(void *context) {
  const caller *found = context;
  char byte;
  if (read(pipes[0][0], &byte, 1) != 1) exit(2);
  printf("%d\n", found->call());
  if (write(pipes[1][1], &byte, 1) != 1) exit(2);
  return NULL;
}

static void call_while_loading(void *opened, const char *path) {
  pthread_t thread;
  char numbers[2][16];
  caller found;
  found.address = opened != NULL ? dlsym(opened, "look_up") : NULL; /* it waits for the loader */
  if (found.address == NULL) exit(2);
  if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0) exit(2);
  (void)snprintf(numbers[0], sizeof numbers[0], "%d", pipes[0][1]);
  (void)snprintf(numbers[1], sizeof numbers[1], "%d", pipes[1][0]);
  if (setenv("SAYS", numbers[0], 1) != 0 || setenv("WAITS", numbers[1], 1) != 0 ||
      pthread_create(&thread, NULL, look_up_meanwhile, &found) != 0 ||
      dlopen(path, RTLD_NOW) == NULL || pthread_join(thread, NULL) != 0) {
    exit(2);
  }
}

static void say_what_is_there(void) {
  static const char *const kNames[] = {"TVMFFIEnvModRegisterSystemLibSymbol",
                                       "TVMFFIFunctionGetGlobal"};
  void *program = dlopen(NULL, RTLD_NOW);
  int i;
  for (i = 0; i < 2; ++i) puts(dlsym(RTLD_DEFAULT, kNames[i]) != NULL ? "there" : "none");
  puts(dlsym(program, kNames[1]) != NULL ? "there" : "none");
}

/* Opens libraries for themselves, and lets the last of them make its calls; also where the word
 * "call" is, and while a library behind "-" is loaded. A library behind "+" is opened for all, and
 * is not called. Behind "?" it says whether a runtime is there. */
int main(int argc, char **argv) {
  void *opened = NULL;
  int i;
#if defined(WITH_RUNTIME)
  if (argc == 1) return TVMFFIEnvModRegisterSystemLibSymbol("none", NULL);
#endif
  for (i = 1; i < argc; ++i) {
    const int is_for_all = argv[i][0] == '+';
    void *file;
    if (strcmp(argv[i], "call") == 0) {
      (void)call_both(opened);
      continue;
    }
    if (argv[i][0] == '?') {
      say_what_is_there();
      return 0;
    }
    if (argv[i][0] == '-') {
      call_while_loading(opened, argv[i] + 1);
      continue;
    }
    file = dlopen(argv[i] + is_for_all, RTLD_NOW | (is_for_all ? RTLD_GLOBAL : RTLD_LOCAL));
    if (file == NULL) {
      printf("%s\n", dlerror());
      return 2;
    }
    if (!is_for_all) opened = file;
  }
  return call_both(opened);
}
#endif
