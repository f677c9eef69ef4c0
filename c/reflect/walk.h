/* SPDX-License-Identifier: Apache-2.0 */
/* Going through what values hold. */
#ifndef TVMFFI_REFLECT_WALK_H_
#define TVMFFI_REFLECT_WALK_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/pointer_map.h"
#include "container/container.h"
#include "core/function.h"
#include "reflect/fields.h"

/* ---- What a value holds ---- */

/*
 * Iterates over what any value holds: elements of Array and List, entries of Map and Dict,
 * reflected fields of other objects. tvmffi_child_next returns owned values, because code that is
 * called with a child may change the List or Dict it came from.
 */

typedef struct {
  TVMFFIObject *obj; /* lent */
  uint64_t position; /* index, or position in a map */
  tvmffi_field_cursor fields;
} tvmffi_child_cursor;

typedef struct {
  TVMFFIAny value;
  TVMFFIAny key;                /* the key of an entry, otherwise None */
  int64_t index;                /* the index of an element */
  const TVMFFIFieldInfo *field; /* NULL unless it is a field */
} tvmffi_child;

/* Starts in front of the first child; the object must outlive the cursor. */
void tvmffi_child_first(tvmffi_child_cursor *cursor, TVMFFIObject *obj);

/*
 * 1 and the next child, 0 after the last, -1 with the error raised (a getter may fail). Texts,
 * bytes, shapes, tensors, functions and other types without fields have no children.
 */
int tvmffi_child_next(tvmffi_child_cursor *cursor, tvmffi_child *out);

/*
 * The same, without the fields that structural functions ignore. Values of fields are owned;
 * elements and entries are lent (container/lend.h), at the position that the cursor had. Members of
 * *out that do not apply to the child, such as the key of an element, are not written.
 */
int tvmffi_child_next_lent(tvmffi_child_cursor *cursor, tvmffi_child *out);

void tvmffi_child_release(tvmffi_child *child);

/* ---- Walks ---- */

/*
 * Common parts of all walks over objects. A walk keeps its state on the heap, so nesting does not
 * use the thread's stack. Hooks of types do: they may start another walk, and are refused when
 * little stack is left.
 */

/* The maximum depth of nested objects in any walk. */
enum { kTvmffiMaxWalkDepth = 1 << 20 };

/* -1 with ValueError "<walk_name>: maximum stack depth (1048576) exceeded" at that depth. */
int tvmffi_walk_check_depth(const char *walk_name, size_t depth);

/* -1 with ValueError if a call of foreign code might run out of stack. */
int tvmffi_walk_check_stack(const char *walk_name);

/* Calls a hook with tvmffi_function_call_foreign, after that check. */
int tvmffi_walk_call(const char *walk_name, void *func, const TVMFFIAny *args, int32_t num_args,
                     TVMFFIAny *result);

/*
 * *out is the Function in an attribute of a type, or NULL. TypeError if the attribute is something
 * else; the message shows signature as the expected type.
 */
int tvmffi_walk_find_hook(int attr, int32_t type_index, const char *signature, TVMFFIObject **out);

/* Frees a map that owns its keys and the objects that they are paired with. */
void tvmffi_walk_release_keys(tvmffi_pointer_map *map);
/* The same for a map from objects to objects that it also owns. */
void tvmffi_walk_release_objects(tvmffi_pointer_map *map);

/* ---- Functions that are passed to hooks ---- */

/*
 * They continue the walk that called the hook, and work only during that call: used later, by a
 * getter, a deleter or other foreign code, they would change a walk that is in the middle of a
 * step.
 */

typedef struct {
  tvmffi_own_function base;
  const char *signature;
  int num_args;
  /* One letter per parameter: a any, i int. */
  const char *params;
  int (*body)(void *walk, const TVMFFIAny *args, TVMFFIAny *result);
  void *walk;
  bool is_lent; /* a hook is being called, and the walk waits */
} tvmffi_walk_function;

/* Makes such a Function, unless *function is one; signature is like `(0: AnyView) -> str`. */
int tvmffi_walk_function_ensure(tvmffi_walk_function **function, const char *signature,
                                const char *params,
                                int (*body)(void *walk, const TVMFFIAny *args, TVMFFIAny *result),
                                void *walk);

/* The same as tvmffi_walk_call, for a hook that has the function among its arguments. */
int tvmffi_walk_call_with(const char *walk_name, void *hook, tvmffi_walk_function *function,
                          const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* The same for a hook that returns an int or a bool; expected names one of them for the error. */
int tvmffi_walk_ask(const char *walk_name, void *hook, tvmffi_walk_function *function,
                    const TVMFFIAny *args, int32_t num_args, const char *expected, int64_t *out);

#endif /* TVMFFI_REFLECT_WALK_H_ */
