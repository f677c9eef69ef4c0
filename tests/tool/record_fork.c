/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_fork RUNTIME: a program that opens its runtime, and is linked with a library whose handler
 * of fork looks a function up. That comes before the handlers of the recorder, so that it is called
 * within them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

extern int record_fork_is_ready;

#if defined(HANDLER)
int record_fork_is_ready;

static void look_up(void) {
  const TVMFFIByteArray name = {"ffi.Array", 9};
  TVMFFIObjectHandle found = NULL;
  union {
    void *address;
    int (*look_up)(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
  } get;
  if (!record_fork_is_ready) return;
  get.address = dlsym(RTLD_DEFAULT, "TVMFFIFunctionGetGlobal");
  if (get.address != NULL && get.look_up(&name, &found) == 0 && found != NULL) {
    printf("found\n");
    (void)fflush(stdout);
  }
}

__attribute__((constructor)) static void add_handler(void) {
  (void)pthread_atfork(look_up, NULL, NULL);
}
#else
int main(int argc, char **argv) {
  int status;
  pid_t child;
  if (argc < 2 || dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == NULL) return 2;
  record_fork_is_ready = 1;
  child = fork();
  if (child == 0) _exit(0);
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 2;
}
#endif
