/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiler extensions that C99 lacks, one macro each; empty where the compiler has none.
 * TVMFFI_COLD is for rarely run functions: kept apart from hot code, and compiled for size.
 * TVMFFI_NOINLINE is for slow paths: inline, their saved registers would burden the fast path.
 * TVMFFI_USED is for definitions that nothing in the file refers to.
 * TVMFFI_HAS_OPTIONAL_SYMBOLS: whether the address of a symbol that is declared weak and is not
 * there is NULL. In PE files it would be moved along with the library, the linker of macOS wants a
 * list of such symbols, pcc does not know the attribute, and the headers of glibc hide attributes
 * from compilers that they do not know.
 * TVMFFI_REPLACEABLE_EXPORT is for exports that give way to another definition in the process.
 * Libraries of Windows import each symbol from a library that they name, so none are needed there.
 * TVMFFI_RETURNS_IN_REGISTERS: whether a function returns a struct of 16 bytes in two registers, of
 * which the first is also the one for integers.
 * TVMFFI_CALLER is an address in the code that called the function it is used in, NULL where that
 * is not known.
 * TVMFFI_STATIC_ASSERT(condition, name) does not compile if the condition is false: an array has a
 * negative size then.
 * TVMFFI_ASM_NAME is the name that a C function has for the assembler, and TVMFFI_ASM_FUNCTION the
 * directives for a function with such a name that is not seen outside the library.
 */
#ifndef TVMFFI_PLATFORM_COMPILER_H_
#define TVMFFI_PLATFORM_COMPILER_H_

#if defined(__MINGW32__) && !defined(__clang__) /* for GCC there, printf has the formats of \
                                                   Microsoft's library, not those of C99 */
#define TVMFFI_PRINTF(format_index, first_arg) \
  __attribute__((format(gnu_printf, format_index, first_arg)))
#elif defined(__GNUC__)
#define TVMFFI_PRINTF(format_index, first_arg) \
  __attribute__((format(printf, format_index, first_arg)))
#else
#define TVMFFI_PRINTF(format_index, first_arg)
#endif

#if defined(_WIN32) || defined(__APPLE__) || defined(__PCC__) || !defined(__GNUC__)
#define TVMFFI_HAS_OPTIONAL_SYMBOLS 0
#else
#define TVMFFI_HAS_OPTIONAL_SYMBOLS 1
#endif

#if defined(_WIN32) || !defined(__GNUC__)
#define TVMFFI_REPLACEABLE_EXPORT
#else
#define TVMFFI_REPLACEABLE_EXPORT __attribute__((weak, visibility("default")))
#endif

#if (defined(__x86_64__) && !defined(_WIN32)) || \
    (defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define TVMFFI_RETURNS_IN_REGISTERS 1
#else
#define TVMFFI_RETURNS_IN_REGISTERS 0
#endif

#if defined(__GNUC__) && defined(__ELF__)
#define TVMFFI_CALLER __builtin_return_address(0)
#else
#define TVMFFI_CALLER NULL
#endif

#define TVMFFI_STATIC_ASSERT(condition, name) \
  typedef char tvmffi_assert_##name[(condition) ? 1 : -1]

#if defined(__APPLE__)
#define TVMFFI_ASM_NAME(name) "_" name
#define TVMFFI_LIBRARY_ENDING ".dylib"
#else
#define TVMFFI_ASM_NAME(name) name
#define TVMFFI_LIBRARY_ENDING ".so"
#endif

#if defined(__ELF__)
#define TVMFFI_ASM_FUNCTION(name) ".hidden " name "\n.type " name ", %function\n"
#else
#define TVMFFI_ASM_FUNCTION(name)
#endif

#if defined(__GNUC__)
#define TVMFFI_COLD __attribute__((cold, noinline))
#define TVMFFI_NOINLINE __attribute__((noinline))
#define TVMFFI_USED __attribute__((used))
#define TVMFFI_NO_SANITIZE_THREAD __attribute__((no_sanitize_thread))
#define TVMFFI_LIKELY(x) __builtin_expect(!!(x), 1)
#define TVMFFI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TVMFFI_COLD
#define TVMFFI_NOINLINE
#define TVMFFI_USED
#define TVMFFI_NO_SANITIZE_THREAD
#define TVMFFI_LIKELY(x) (x)
#define TVMFFI_UNLIKELY(x) (x)
#endif

/*
 * For functions that call what was defined elsewhere, perhaps with another type: with void * for a
 * pointer to a struct, say, as the code that TVM emits. Calls are the same for the processor; the
 * sanitizer for function types would refuse them.
 */
#if defined(__clang__)
#define TVMFFI_NO_SANITIZE_FUNCTION __attribute__((no_sanitize("function")))
#else
#define TVMFFI_NO_SANITIZE_FUNCTION
#endif

/*
 * Thread-local variables. Where the C library reserves static TLS space for libraries that are
 * loaded later (glibc: 512 bytes for the whole process), the initial-exec model makes them as cheap
 * as globals.
 */
#if defined(TVMFFI_SINGLE_THREAD)
#define TVMFFI_THREAD_LOCAL
#elif defined(__GLIBC__) && defined(__GNUC__)
#define TVMFFI_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#elif defined(__GNUC__)
#define TVMFFI_THREAD_LOCAL __thread
#else
#error "c/platform/compiler.h: name this compiler's thread-local storage, or build for one thread"
#endif

#endif /* TVMFFI_PLATFORM_COMPILER_H_ */
