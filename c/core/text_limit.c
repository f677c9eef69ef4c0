/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text_limit.h"

#include <stdint.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/error.h"
#include "platform/atomic.h"

static const uint64_t kDefault = UINT64_C(1) << 30;
static uint64_t limit; /* 0: the default */

static uint64_t or_default(uint64_t num_bytes) {
  return num_bytes != 0 ? num_bytes : kDefault;
}

uint64_t TVMFFIRuntimeSetTextLimit(uint64_t num_bytes) {
  return or_default(tvmffi_atomic_exchange_u64(&limit, num_bytes));
}

size_t tvmffi_text_limit_get(void) {
  uint64_t num_bytes = or_default(tvmffi_atomic_load_acquire_u64(&limit));
  return num_bytes < SIZE_MAX - 1 ? (size_t)num_bytes : SIZE_MAX - 1;
}

int tvmffi_text_limit_fail(const char *function_name, const tvmffi_buf *text) {
  if (!text->is_too_long) return tvmffi_fail_memory();
  return tvmffi_fail("ValueError",
                     "%s: the text is longer than the limit of %llu bytes "
                     "(TVMFFIRuntimeSetTextLimit)",
                     function_name, (unsigned long long)text->max_size);
}

void tvmffi_text_limit_shutdown(void) {
  (void)TVMFFIRuntimeSetTextLimit(0);
}
