/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/walk.h"

#include <string.h>

#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "platform/platform.h"

/* The stack that a hook may use before the next check. */
enum { kMinStack = 64 * 1024 };

int tvmffi_walk_check_depth(const char *walk_name, size_t depth) {
  if (depth < kTvmffiMaxWalkDepth) return 0;
  return tvmffi_fail("ValueError", "%s: maximum stack depth (%d) exceeded", walk_name,
                     (int)kTvmffiMaxWalkDepth);
}

int tvmffi_walk_check_stack(const char *walk_name) {
  if (TVMFFI_LIKELY(tvmffi_stack_left() >= kMinStack)) return 0;
  return tvmffi_fail("ValueError", "%s: hooks of types are nested too deep for the stack",
                     walk_name);
}

int tvmffi_walk_call(const char *walk_name, void *func, const TVMFFIAny *args, int32_t num_args,
                     TVMFFIAny *result) {
  *result = tvmffi_any_none();
  TVMFFI_TRY(tvmffi_walk_check_stack(walk_name));
  return tvmffi_function_call(func, args, num_args, result);
}

int tvmffi_walk_find_hook(int attr, int32_t type_index, const char *signature, TVMFFIObject **out) {
  const TVMFFIAny *hook = tvmffi_type_find_attr(attr, type_index);
  *out = NULL;
  if (hook == NULL) return 0;
  if (hook->type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "Cannot treat type `%s` as type `%s`",
                       tvmffi_any_type_name(hook), signature);
  }
  *out = hook->v_obj;
  return 0;
}

void tvmffi_walk_release_keys(tvmffi_pointer_map *map) {
  size_t i;
  for (i = 0; i < map->capacity; ++i) {
    tvmffi_object_release((void *)(uintptr_t)map->slots[i].key);
    tvmffi_object_release((void *)(uintptr_t)map->slots[i].partner);
  }
  tvmffi_pointer_map_fini(map);
}

/* ---- Functions that are passed to hooks ---- */

static int call_function(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_walk_function *function = self;
  int i, rc;
  if (num_args != function->num_args) {
    return tvmffi_builtin_fail_count(function->signature, function->num_args, num_args);
  }
  for (i = 0; i < num_args; ++i) {
    if (function->params[i] == 'i' && args[i].type_index != kTVMFFIInt &&
        args[i].type_index != kTVMFFIBool) {
      return tvmffi_builtin_fail_type(function->signature, i, "int", &args[i]);
    }
  }
  if (!function->is_lent) {
    return tvmffi_fail("RuntimeError", "`%s` was called outside of the hook that it was given to",
                       function->signature);
  }
  function->is_lent = false; /* while the walk goes on */
  rc = function->body(function->walk, args, result);
  function->is_lent = true;
  return rc;
}

tvmffi_walk_function *tvmffi_walk_function_new(const char *signature, const char *params,
                                               int (*body)(void *walk, const TVMFFIAny *args,
                                                           TVMFFIAny *result),
                                               void *walk) {
  tvmffi_walk_function *function =
      tvmffi_object_new(sizeof *function, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (function == NULL) return NULL;
  tvmffi_own_function_init(&function->base, call_function);
  function->signature = signature;
  function->params = params;
  function->num_args = (int)strlen(params);
  function->body = body;
  function->walk = walk;
  function->is_lent = false;
  return function;
}

int tvmffi_walk_call_with(const char *walk_name, void *hook, tvmffi_walk_function *function,
                          const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int rc;
  function->is_lent = true;
  rc = tvmffi_walk_call(walk_name, hook, args, num_args, result);
  function->is_lent = false;
  return rc;
}
