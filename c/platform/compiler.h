/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C99 lacks and compilers offer, one macro each; empty where there is nothing of the kind.
 * TVMFFI_COLD is for what seldom runs: kept out of the way of the rest, and compiled for size.
 * TVMFFI_USED is for what nothing in the file refers to.
 */
#ifndef TVMFFI_PLATFORM_COMPILER_H_
#define TVMFFI_PLATFORM_COMPILER_H_

#if defined(__GNUC__)
#define TVMFFI_PRINTF(format_index, first_arg) \
  __attribute__((format(printf, format_index, first_arg)))
#define TVMFFI_COLD __attribute__((cold, noinline))
#define TVMFFI_USED __attribute__((used))
#define TVMFFI_NO_SANITIZE_THREAD __attribute__((no_sanitize_thread))
#define TVMFFI_LIKELY(x) __builtin_expect(!!(x), 1)
#define TVMFFI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TVMFFI_PRINTF(format_index, first_arg)
#define TVMFFI_COLD
#define TVMFFI_USED
#define TVMFFI_NO_SANITIZE_THREAD
#define TVMFFI_LIKELY(x) (x)
#define TVMFFI_UNLIKELY(x) (x)
#endif

/*
 * Thread-local variables. Where the C library keeps a reserve for libraries loaded later (glibc,
 * 512 bytes for the whole process), the initial-exec model makes them as cheap as a global.
 */
#if defined(__GLIBC__) && defined(__GNUC__)
#define TVMFFI_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#elif defined(__GNUC__)
#define TVMFFI_THREAD_LOCAL __thread
#else
#error "c/platform/compiler.h: name this compiler's thread-local storage class"
#endif

#endif /* TVMFFI_PLATFORM_COMPILER_H_ */
