/* SPDX-License-Identifier: Apache-2.0 */
/* Calls methods of C++ modules and throws for C++ callers, both through the helper library. */
#include <stdio.h>
#include <string.h>

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/cxx_helper.h"
#include "module/module.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/platform.h"

/* The helper that is linked in, or else a library that is loaded on first use and never closed. */
#if TVMFFI_HAS_OPTIONAL_SYMBOLS
/* Weak and hidden: the linker makes the address NULL unless the helper is linked in. */
extern const tvmffi_cxx_helper tvmffi_cxx_helper_v1 __attribute__((weak, visibility("hidden")));
static const tvmffi_cxx_helper *helper = &tvmffi_cxx_helper_v1;
#else
static const tvmffi_cxx_helper *helper = NULL;
#endif

/* NULL, with the reason, when the helper cannot be loaded; the next call tries again. */
static const tvmffi_cxx_helper *ensure_helper(char *reason, size_t reason_size) {
  const tvmffi_cxx_helper *found = tvmffi_atomic_load_acquire_ptr(&helper);
  void *library;
  if (found != NULL) return found;
  library = tvmffi_dl_open_beside("libtvm_ffi_cxx.so", reason, reason_size);
  if (library == NULL) return NULL;
  found = tvmffi_dl_symbol(library, TVMFFI_CXX_HELPER_SYMBOL);
  if (found != NULL) {
    tvmffi_cxx_complete_type_info(library);
    tvmffi_atomic_store_release_ptr(&helper, found);
  } else {
    (void)snprintf(reason, reason_size, "it is of another version");
    tvmffi_dl_close(library);
  }
  return found;
}

/* Methods take `const String &`, which is a small string or an object, never a raw text. */
static int own_texts(tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *out) {
  static const unsigned char kNumTexts[kTvmffiModuleNumMethods] = {0, 0, 1, 1, 1, 1,
                                                                   2, 0, 0, 1, 0, 0};
  unsigned i;
  for (i = 0; i < kNumTexts[method]; ++i) {
    if (TVMFFIAnyViewToOwnedAny(&args[i], &out[i]) != 0) return -1;
  }
  if (method == kTvmffiModuleImport) {
    out[0] = args[0];
    tvmffi_object_retain(out[0].v_obj);
  }
  return 0;
}

static int raise_thrown(const tvmffi_cxx_thrown *thrown) {
  if (thrown->error == NULL) return tvmffi_fail("InternalError", "%s", thrown->text);
  TVMFFIErrorSetRaised(thrown->error);
  tvmffi_object_release(thrown->error);
  return -1;
}

int tvmffi_cxx_call(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *args,
                    TVMFFIAny *result) {
  TVMFFIAny owned[2];
  tvmffi_cxx_thrown thrown;
  const tvmffi_cxx_helper *found = ensure_helper(thrown.text, sizeof thrown.text);
  int rc;
  if (found == NULL) {
    return tvmffi_fail("RuntimeError",
                       "The methods of this ffi.Module are C++ code: calling them needs "
                       "libtvm_ffi_cxx.so beside libtvm_ffi, or where libraries are looked for: %s",
                       thrown.text);
  }
  owned[0] = owned[1] = tvmffi_any_none();
  rc = own_texts(method, args, owned);
  if (rc == 0) {
    rc = found->call(tvmffi_module_to_cxx(module), method, owned, result, &thrown);
    if (rc != 0) rc = raise_thrown(&thrown);
    if (rc == 0 && method == kTvmffiModuleKind) rc = TVMFFIAnyViewToOwnedAny(result, result);
  }
  tvmffi_any_release(&owned[0]);
  tvmffi_any_release(&owned[1]);
  return rc;
}

void tvmffi_cxx_throw_raised(void) {
  char reason[256];
  const tvmffi_cxx_helper *found = ensure_helper(reason, sizeof reason);
  TVMFFIObjectHandle error = NULL;
  if (found == NULL) return; /* the error stays raised */
  TVMFFIErrorMoveFromRaised(&error);
  if (error != NULL) found->raise(error);
}
