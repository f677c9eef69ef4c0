/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions for JSON. */
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "json/builtin_tables.h"
#include "json/json.h"

static int parse(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text = tvmffi_builtin_text(&args[0]);
  (void)num_args;
  return tvmffi_json_parse(text.data, text.size, result);
}

/* The indent is cut to 32 bits, as in the reference, where it is an int. */
static int stringify(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny value;
  int rc;
  (void)num_args;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[0], &value));
  rc = tvmffi_json_write(&value, (int32_t)args[1].v_int64, tvmffi_text_limit_get(), result);
  tvmffi_any_release(&value);
  return rc;
}

#define FUNCTIONS(F)                \
  F("ffi.json.Parse", "s>a", parse) \
  F("ffi.json.Stringify", "an>s", stringify)

TVMFFI_BUILTIN_GROUP(tvmffi_json_builtins, FUNCTIONS);
