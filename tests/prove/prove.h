/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the proofs of tests/prove are written with. A proof is a function without arguments, named
 * prove_NAME, which chooses values, assumes what callers promise, calls what is proved, and says
 * what holds then. CBMC looks at all choices at once.
 *
 * Compiled as a program (prove.py --native NAME), it makes the choices that CBMC printed for its
 * counterexample, so that sanitizers judge the same run.
 */
#ifndef TESTS_PROVE_PROVE_H_
#define TESTS_PROVE_PROVE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__CPROVER__)

uint64_t nondet_u64(void);
#define ASSUME(condition) __CPROVER_assume(condition)
#define PROVE(condition) __CPROVER_assert(condition, #condition)

#else

#include <stdio.h>
#include <stdlib.h>

static inline uint64_t nondet_u64(void) {
  unsigned long long value;
  if (scanf("%llu", &value) != 1) exit(77); /* the counterexample ends here */
  return value;
}
#define ASSUME(condition)                               \
  do {                                                  \
    if (!(condition)) {                                 \
      fprintf(stderr, "not assumed: %s\n", #condition); \
      exit(77);                                         \
    }                                                   \
  } while (0)
#define PROVE(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#endif

/* The value of each choice passes through here, where prove.py finds it in a counterexample. */
static inline uint64_t choose_u64(void) {
  const uint64_t prove_chosen = nondet_u64();
  return prove_chosen;
}

static inline int64_t choose_i64(void) {
  return (int64_t)choose_u64();
}

static inline size_t choose_size(void) {
  return (size_t)choose_u64();
}

/* A number from 0 to `most`. */
static inline size_t choose_up_to(size_t most) {
  const size_t value = choose_size();
  ASSUME(value <= most);
  return value;
}

static inline bool choose_bool(void) {
  return choose_up_to(1) == 1;
}

/* Fills memory with any bytes. */
static inline void choose_bytes(void *memory, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) ((unsigned char *)memory)[i] = (unsigned char)choose_up_to(UINT8_MAX);
}

/* Functions of <string.h> that CBMC does not know: strspn and strpbrk. */
static inline size_t count_set(const char *text, const char *set) {
  size_t i = 0;
  while (text[i] != '\0' && strchr(set, text[i]) != NULL) ++i;
  return i;
}

static inline char *find_set(const char *text, const char *set) {
  size_t i = 0;
  while (text[i] != '\0' && strchr(set, text[i]) == NULL) ++i;
  return text[i] != '\0' ? (char *)(uintptr_t)(text + i) : NULL;
}

#endif /* TESTS_PROVE_PROVE_H_ */
