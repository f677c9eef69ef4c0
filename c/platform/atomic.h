/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations on plain objects (the ABI's reference count is a plain uint64_t).
 *
 * Memory orders, and why: taking a reference is relaxed, because a thread that takes one already
 * holds one. Releasing a reference is a release operation, so that everything done with the object
 * happens before its destruction; the thread that destroys the object issues an acquire fence to
 * see all that. Publishing a table is a release store, reading it an acquire load. Sequential
 * consistency is used for one purpose only, the handshake of global.c: a reader says in its thread
 * record that it reads, and a writer that took something out waits for all who say so.
 *
 * One header per kind of compiler, with the same names.
 */
#ifndef TVMFFI_PLATFORM_ATOMIC_H_
#define TVMFFI_PLATFORM_ATOMIC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(TVMFFI_SINGLE_THREAD)
#include "platform/atomic_none.h"
#elif defined(__GNUC__)
#include "platform/atomic_gnu.h"
#else
#error "c/platform/atomic.h needs the __atomic builtins of GCC or Clang; or build for one thread"
#endif

#endif /* TVMFFI_PLATFORM_ATOMIC_H_ */
