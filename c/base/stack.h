/* SPDX-License-Identifier: Apache-2.0 */
/* A growable stack of structs, for walks that must not recurse on the thread's stack. */
#ifndef TVMFFI_BASE_STACK_H_
#define TVMFFI_BASE_STACK_H_

#include <stddef.h>

typedef struct {
  char *data;
  size_t element_size;
  size_t size; /* elements */
  size_t capacity;
} tvmffi_stack;

void tvmffi_stack_init(tvmffi_stack *stack, size_t element_size);
/* Frees the stack's memory, but nothing that its elements own. */
void tvmffi_stack_fini(tvmffi_stack *stack);

/*
 * Pushes an element, all bytes 0; NULL if out of memory. May move the others, which invalidates
 * pointers to them.
 */
void *tvmffi_stack_push(tvmffi_stack *stack);

/* The top element, or NULL. */
static inline void *tvmffi_stack_top(const tvmffi_stack *stack) {
  return stack->size == 0 ? NULL : stack->data + (stack->size - 1) * stack->element_size;
}

static inline void *tvmffi_stack_at(const tvmffi_stack *stack, size_t i) {
  return stack->data + i * stack->element_size;
}

static inline void tvmffi_stack_pop(tvmffi_stack *stack) {
  --stack->size;
}

#endif /* TVMFFI_BASE_STACK_H_ */
