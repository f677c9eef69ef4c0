/* SPDX-License-Identifier: Apache-2.0 */
/* For glibc, musl, FreeBSD and others. Their stacks grow downwards. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include <pthread.h>
#include <stdint.h>

#include "platform/compiler.h"
#include "platform/stack.h"

/* The lowest address of this thread's stack; 1 if the system did not say, 0 before it was asked. */
static TVMFFI_THREAD_LOCAL uintptr_t lowest;

TVMFFI_COLD static uintptr_t find_lowest(void) {
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  /* cppcheck-suppress uninitvar */ /* written by the call */
  if (pthread_attr_getstack(&attributes, &start, &size) != 0) start = NULL;
  (void)pthread_attr_destroy(&attributes);
  return start != NULL ? (uintptr_t)start : 1;
}

size_t tvmffi_stack_left(void) {
  /* The frame's address, not a variable's: sanitizers may place variables elsewhere. */
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  if (lowest == 0) lowest = find_lowest();
  /* Below the thread's stack: this is a coroutine, which runs on a stack of its own. */
  if (lowest == 1 || address < lowest) return SIZE_MAX;
  return (size_t)(address - lowest);
}
