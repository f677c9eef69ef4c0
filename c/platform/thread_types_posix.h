/* SPDX-License-Identifier: Apache-2.0 */
/* The types of thread.h on systems with POSIX threads. */
#ifndef TVMFFI_PLATFORM_THREAD_TYPES_POSIX_H_
#define TVMFFI_PLATFORM_THREAD_TYPES_POSIX_H_

#include <pthread.h>

typedef pthread_mutex_t tvmffi_native_lock;
#define TVMFFI_NATIVE_LOCK_INIT PTHREAD_MUTEX_INITIALIZER

typedef pthread_cond_t tvmffi_condition;
#define TVMFFI_CONDITION_INIT PTHREAD_COND_INITIALIZER

typedef pthread_t tvmffi_thread_id;

#endif /* TVMFFI_PLATFORM_THREAD_TYPES_POSIX_H_ */
