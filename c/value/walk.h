/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all walks over objects have in common. A walk keeps what it has to do in memory of its own,
 * so that nesting costs none of the thread's stack; hooks of types, which are called on top of it
 * and may start the next walk, are refused when little of it is left.
 */
#ifndef TVMFFI_VALUE_WALK_H_
#define TVMFFI_VALUE_WALK_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"
#include "core/function.h"

/* Objects may be nested so deep, and no deeper: in any walk. */
enum { kTvmffiMaxWalkDepth = 1 << 20 };

/* -1, ValueError "<what>: maximum stack depth (1048576) exceeded" when there is no more room. */
int tvmffi_walk_check_depth(const char *what, size_t depth);

/* -1, ValueError where foreign code that is called would run out of stack. */
int tvmffi_walk_check_stack(const char *what);

/* tvmffi_function_call, of a hook, after that check. */
int tvmffi_walk_call(const char *what, void *func, const TVMFFIAny *args, int32_t num_args,
                     TVMFFIAny *result);

/*
 * The Function that is an attribute of a type in *out, or NULL. TypeError when the attribute is
 * something else; signature is how the error shows what it should be.
 */
int tvmffi_walk_find_hook(int attr, int32_t type_index, const char *signature, TVMFFIObject **out);

/* Ends a map whose keys, and what they are paired with, are objects that it owns. */
void tvmffi_walk_release_keys(tvmffi_pointer_map *map);

/* ---- Functions that hooks are handed ------------------------------------------------------------
 * They go on with the walk that called the hook, and only there: a getter, a deleter or another
 * piece of foreign code that kept one would move the walk from under its own feet. */

typedef struct {
  tvmffi_own_function base;
  const char *signature;
  int num_args;
  /* The letters of parameters: a any, i int. */
  const char *params;
  int (*body)(void *walk, const TVMFFIAny *args, TVMFFIAny *result);
  void *walk;
  bool is_lent; /* a hook has it, and the walk waits */
} tvmffi_walk_function;

/* A Function; signature is like `(0: AnyView) -> str`. NULL with the error raised. */
tvmffi_walk_function *tvmffi_walk_function_new(const char *signature, const char *params,
                                               int (*body)(void *walk, const TVMFFIAny *args,
                                                           TVMFFIAny *result),
                                               void *walk);

/* tvmffi_walk_call, of a hook that has the function among its arguments. */
int tvmffi_walk_call_with(const char *what, void *hook, tvmffi_walk_function *function,
                          const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

#endif /* TVMFFI_VALUE_WALK_H_ */
