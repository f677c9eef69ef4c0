/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks by type of value, as passed to structural walks, visits, maps and mutations. */
#ifndef TVMFFI_STRUCTURAL_CALLBACKS_H_
#define TVMFFI_STRUCTURAL_CALLBACKS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

typedef struct {
  int32_t type_index; /* -1: any value */
  bool wants_more;    /* takes one more argument: the region, or whether to mutate in place */
  TVMFFIObject *function;
} tvmffi_callback;

typedef struct {
  tvmffi_callback *items;
  size_t size;
} tvmffi_callbacks;

/*
 * Copies the callbacks listed in two arguments (letter c or C of builtins.c), the first list before
 * the second, which may be NULL. Callbacks of the second list, and those whose third element is
 * true, want the additional argument.
 */
int tvmffi_callbacks_init(tvmffi_callbacks *callbacks, const TVMFFIAny *first,
                          const TVMFFIAny *second);
/* For deleters: functions are released as nested objects. */
void tvmffi_callbacks_fini(tvmffi_callbacks *callbacks);

/* The first callback for a value of this type, or NULL. */
const tvmffi_callback *tvmffi_callbacks_find(const tvmffi_callbacks *callbacks,
                                             const TVMFFIAny *value);

/* Calls it. Returns its result or an Error. */
TVMFFIAny tvmffi_callback_call(const char *walk_name, const tvmffi_callback *callback,
                               const TVMFFIAny *args, int32_t num_args);

#endif /* TVMFFI_STRUCTURAL_CALLBACKS_H_ */
