/* SPDX-License-Identifier: Apache-2.0 */
#include "core/string_object.h"

#include <stdint.h>
#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/integers.h"
#include "core/error.h"
#include "core/object.h"
#include "platform/atomic.h"

/* ---- Objects ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIByteArray bytes;
  char content[]; /* and a NUL */
} string_object;

TVMFFIObject *tvmffi_string_new(int32_t type_index, const char *data, size_t size) {
  string_object *string;
  size_t total;
  if (!tvmffi_checked_add_size(size, sizeof *string + 1, &total)) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  string = tvmffi_object_new(total, type_index, tvmffi_object_delete_plain);
  if (string == NULL) return NULL;
  string->bytes.data = string->content;
  string->bytes.size = size;
  if (size != 0) memcpy(string->content, data, size);
  string->content[size] = '\0';
  return &string->header;
}

/* Reads all of data before writing to out: they may overlap. Constant-size copies are inlined. */
static void store_small(int32_t type_index, const char *data, size_t size, TVMFFIAny *out) {
  char head[4], tail[4];
  if (size >= 4) {
    memcpy(head, data, 4);
    memcpy(tail, data + size - 4, 4);
  } else if (size != 0) {
    head[0] = data[0];
    head[1] = data[size / 2];
    tail[0] = data[size - 1];
  }
  out->type_index = type_index;
  out->small_str_len = (uint32_t)size;
  out->v_uint64 = 0;
  if (size >= 4) {
    memcpy(out->v_bytes, head, 4);
    memcpy(&out->v_bytes[size - 4], tail, 4);
  } else if (size != 0) {
    out->v_bytes[0] = head[0];
    out->v_bytes[size / 2] = head[1];
    out->v_bytes[size - 1] = tail[0];
  }
}

static inline int make_value(int32_t small_index, int32_t heap_index, const char *data, size_t size,
                             TVMFFIAny *out) {
  if (size <= kTvmffiMaxSmallText) {
    store_small(small_index, data, size, out);
  } else {
    TVMFFIObject *string = tvmffi_string_new(heap_index, data, size);
    if (string == NULL) return -1;
    out->type_index = heap_index;
    out->zero_padding = 0;
    out->v_uint64 = 0;
    out->v_obj = string;
  }
  return 0;
}

int tvmffi_string_to_any(const char *data, size_t size, TVMFFIAny *out) {
  return make_value(kTVMFFISmallStr, kTVMFFIStr, data, size, out);
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVMFFI_REQUIRE(input);
  TVMFFI_REQUIRE(out);
  if (input->size != 0) TVMFFI_REQUIRE(input->data);
  return make_value(kTVMFFISmallStr, kTVMFFIStr, input->data, input->size, out);
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVMFFI_REQUIRE(input);
  TVMFFI_REQUIRE(out);
  if (input->size != 0) TVMFFI_REQUIRE(input->data);
  return make_value(kTVMFFISmallBytes, kTVMFFIBytes, input->data, input->size, out);
}

/* ---- The limit of texts that are made of whole values ---- */

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
