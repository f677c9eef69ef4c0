/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks by type of value, as structural walks, visits, maps and mutations take them. */
#ifndef TVMFFI_STRUCTURAL_CALLBACKS_H_
#define TVMFFI_STRUCTURAL_CALLBACKS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

typedef struct {
  int32_t type_index; /* -1: any value */
  bool wants_more;    /* an argument more than others: the region, or the mode */
  TVMFFIObject *function;
} tvmffi_callback;

typedef struct {
  tvmffi_callback *items;
  size_t size;
} tvmffi_callbacks;

/*
 * Copies what two arguments (letter c or C of builtins.c) list, the first before the second, which
 * may be NULL. Those of the second want more, as do those whose third element is true.
 */
int tvmffi_callbacks_init(tvmffi_callbacks *callbacks, const TVMFFIAny *first,
                          const TVMFFIAny *second);
/* Inside a deleter: functions are released as nested objects. */
void tvmffi_callbacks_fini(tvmffi_callbacks *callbacks);

/* The first that is for a value like this, or NULL. */
const tvmffi_callback *tvmffi_callbacks_find(const tvmffi_callbacks *callbacks,
                                             const TVMFFIAny *value);

/* Calls it, with one argument less where it does not want more. The result, or the Error. */
TVMFFIAny tvmffi_callback_call(const char *what, const tvmffi_callback *callback,
                               const TVMFFIAny *args, int32_t num_args);

#endif /* TVMFFI_STRUCTURAL_CALLBACKS_H_ */
