/* SPDX-License-Identifier: Apache-2.0 */
/* Loaders of modules: global functions, found by the format of a file or the kind of a module. */
#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/global.h"
#include "core/object.h"
#include "module/module.h"

int tvmffi_loader_find(const char *prefix, const TVMFFIByteArray *key, tvmffi_buf *name,
                       TVMFFIObject **out) {
  tvmffi_buf_append_text(name, prefix);
  tvmffi_buf_append(name, key->data, key->size);
  if (name->failed) return tvmffi_fail_memory();
  return tvmffi_global_get(name->data, name->size, out);
}

int tvmffi_loader_call(TVMFFIObject *loader, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIObject **out) {
  TVMFFIAny result;
  TVMFFI_TRY(tvmffi_function_call(loader, args, num_args, &result));
  if (result.type_index != kTVMFFIModule || result.v_obj == NULL) {
    (void)tvmffi_any_fail_conversion(&result, "ffi.Module");
    tvmffi_any_release(&result);
    return -1;
  }
  *out = result.v_obj;
  return 0;
}
