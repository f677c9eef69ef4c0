/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of thread.h on Windows. They are those of windows.h under other names, so that the
 * macros of that header stay out of the sources that use locks; thread_windows.c checks the sizes.
 */
#ifndef TVMFFI_PLATFORM_THREAD_TYPES_WINDOWS_H_
#define TVMFFI_PLATFORM_THREAD_TYPES_WINDOWS_H_

#include <stddef.h>

/* An SRWLOCK, which is always taken exclusively. */
typedef struct {
  void *words[1];
} tvmffi_native_lock;
#define TVMFFI_NATIVE_LOCK_INIT \
  {                             \
    { NULL }                    \
  }

/* A CONDITION_VARIABLE. */
typedef struct {
  void *words[1];
} tvmffi_condition;
#define TVMFFI_CONDITION_INIT \
  {                           \
    { NULL }                  \
  }

/* A DWORD. */
typedef unsigned long tvmffi_thread_id;

#endif /* TVMFFI_PLATFORM_THREAD_TYPES_WINDOWS_H_ */
