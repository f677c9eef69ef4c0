/* SPDX-License-Identifier: Apache-2.0 */
/* The types of thread.h where there is one thread: nothing is in them, but C wants a member. */
#ifndef TVMFFI_PLATFORM_THREAD_TYPES_NONE_H_
#define TVMFFI_PLATFORM_THREAD_TYPES_NONE_H_

typedef char tvmffi_native_lock;
#define TVMFFI_NATIVE_LOCK_INIT 0

typedef char tvmffi_condition;
#define TVMFFI_CONDITION_INIT 0

typedef char tvmffi_thread_id;

#endif /* TVMFFI_PLATFORM_THREAD_TYPES_NONE_H_ */
