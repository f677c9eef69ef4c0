/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions about layouts, checked when a file is compiled as C99 or C++. */
#ifndef TESTS_ABI_PIN_H_
#define TESTS_ABI_PIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PIN(condition) static_assert(condition, #condition)
#else
#define PIN_JOIN(a, b) a##b
#define PIN_NAME(line) PIN_JOIN(pin_line_, line)
#define PIN(condition) typedef char PIN_NAME(__LINE__)[(condition) ? 1 : -1]
#endif

/* The value for this class of machine. */
#if UINTPTR_MAX > 0xffffffffu
#define BY_CLASS(lp64, ilp32, i386) (lp64)
#elif defined(__i386__)
#define BY_CLASS(lp64, ilp32, i386) (i386)
#else
#define BY_CLASS(lp64, ilp32, i386) (ilp32)
#endif

#define PIN_FIELD(type, field, lp64, ilp32, i386) \
  PIN(offsetof(type, field) == BY_CLASS(lp64, ilp32, i386))
#define PIN_SIZE(type, lp64, ilp32, i386) PIN(sizeof(type) == BY_CLASS(lp64, ilp32, i386))
#define PIN_FIELD_SIZE(type, field, lp64, ilp32, i386) \
  PIN(sizeof(((type *)0)->field) == BY_CLASS(lp64, ilp32, i386))

/* The alignment of a type is its offset after a char. */
#define ALIGN_PROBE(type)     \
  struct align_probe_##type { \
    char first;               \
    type second;              \
  }
#define PIN_ALIGN(type, lp64, ilp32, i386) \
  PIN(offsetof(struct align_probe_##type, second) == BY_CLASS(lp64, ilp32, i386))

#endif /* TESTS_ABI_PIN_H_ */
