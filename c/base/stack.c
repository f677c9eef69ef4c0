/* SPDX-License-Identifier: Apache-2.0 */
#include "base/stack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"

enum { kFirstStackCapacity = 16 };

void tvmffi_stack_init(tvmffi_stack *stack, size_t element_size) {
  memset(stack, 0, sizeof *stack);
  stack->element_size = element_size;
}

void tvmffi_stack_fini(tvmffi_stack *stack) {
  tvmffi_free(stack->data);
  stack->data = NULL;
  stack->size = stack->capacity = 0;
}

static int grow_stack(tvmffi_stack *stack) {
  size_t capacity = stack->capacity != 0 ? stack->capacity : kFirstStackCapacity / 2, bytes;
  char *grown;
  if (!tvmffi_checked_mul_size(capacity, 2, &capacity) ||
      !tvmffi_checked_mul_size(capacity, stack->element_size, &bytes) ||
      (grown = tvmffi_alloc(bytes)) == NULL) {
    return -1;
  }
  if (stack->size != 0) memcpy(grown, stack->data, stack->size * stack->element_size);
  tvmffi_free(stack->data);
  stack->data = grown;
  stack->capacity = capacity;
  return 0;
}

void *tvmffi_stack_push(tvmffi_stack *stack) {
  void *top;
  if (stack->size == stack->capacity && grow_stack(stack) != 0) return NULL;
  top = tvmffi_stack_at(stack, stack->size++);
  memset(top, 0, stack->element_size);
  return top;
}
