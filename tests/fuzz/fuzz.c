/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"

void fuzz_found(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
  abort();
}

int64_t fuzz_int(fuzz_input *input, int num_bytes) {
  uint64_t value = 0, sign = UINT64_C(1) << (8 * num_bytes - 1);
  int i;
  for (i = 0; i < num_bytes; ++i) value |= (uint64_t)fuzz_byte(input) << (8 * i);
  return (int64_t)((value ^ sign) - sign);
}

TVMFFIByteArray fuzz_text(fuzz_input *input, size_t limit) {
  TVMFFIByteArray text;
  size_t left;
  text.size = fuzz_byte(input) % limit;
  left = (size_t)(input->end - input->pos);
  if (text.size > left) text.size = left;
  text.data = (const char *)input->pos;
  input->pos += text.size;
  return text;
}

/* ---- Memory ---- */

static size_t live_blocks, blocks_before;
static long countdown = -1;
static bool keeps_failing;

static void *allocate(void *context, size_t size) {
  void *block;
  (void)context;
  if (countdown == 0) {
    if (!keeps_failing) countdown = -1;
    return NULL;
  }
  if (countdown > 0) --countdown;
  block = malloc(size);
  if (block != NULL) ++live_blocks;
  return block;
}

static void deallocate(void *context, void *block) {
  (void)context;
  --live_blocks;
  free(block);
}

void fuzz_fail_after(long n, bool from_then_on) {
  countdown = n;
  keeps_failing = from_then_on;
}

void fuzz_begin(void) {
  static const TVMFFIRuntimeMemoryHooks kHooks = {allocate, deallocate, NULL};
  static bool installed;
  if (!installed) fuzz_require(TVMFFIRuntimeSetMemoryHooks(&kHooks) == 0);
  installed = true;
  blocks_before = live_blocks;
}

/* Shutting down, and filling the tables again, takes longer than most inputs. */
void fuzz_end(void) {
  fuzz_fail_after(-1, false);
  TVMFFIErrorSetRaised(NULL);
  if (live_blocks == blocks_before) return;
  TVMFFIRuntimeShutdown();
  fuzz_require(live_blocks == 0);
}

/* ---- Calls ---- */

static void check_error(TVMFFIObjectHandle error) {
  /* Those of docs/errors.md, and FuzzError, which functions of the targets raise. */
  static const char *const kKinds[] = {
      "TypeError",     "ValueError",     "RuntimeError",   "IndexError",
      "KeyError",      "AttributeError", "MemoryError",    "NotImplementedError",
      "OverflowError", "InternalError",  "AssertionError", "FuzzError"};
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  size_t i;
  fuzz_require(TVMFFIObjectGetTypeIndex(error) == kTVMFFIError);
  fuzz_require(cell->message.data[cell->message.size] == '\0');
  fuzz_require(cell->backtrace.data[cell->backtrace.size] == '\0');
  for (i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
    if (strcmp(cell->kind.data, kKinds[i]) == 0) return;
  }
  fuzz_found(__FILE__, __LINE__, cell->kind.data);
}

int fuzz_checked(int rc) {
  TVMFFIObjectHandle error;
  TVMFFIErrorMoveFromRaised(&error);
  fuzz_require((rc != 0) == (error != NULL));
  if (error != NULL) check_error(error);
  TVMFFIObjectDecRef(error);
  return rc;
}

void fuzz_check_value(const TVMFFIAny *value) {
  int32_t type = value->type_index;
  if (type >= kTVMFFIStaticObjectBegin) {
    fuzz_require(value->v_obj != NULL && value->v_obj->type_index == type);
    fuzz_require((uint32_t)value->v_obj->combined_ref_count != 0);
  } else {
    fuzz_require(type >= kTVMFFINone && type <= kTVMFFIUnchanged);
    fuzz_require(type < kTVMFFIDLTensorPtr || type > kTVMFFIObjectRValueRef);
    fuzz_require(type != kTVMFFIBool || (uint64_t)value->v_int64 <= 1);
    fuzz_require(type != kTVMFFINone || value->v_int64 == 0);
  }
  if (type == kTVMFFISmallStr || type == kTVMFFISmallBytes) {
    fuzz_require(value->small_str_len <= 7);
  } else {
    fuzz_require(value->zero_padding == 0);
  }
}

int fuzz_call_function(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result) {
  TVMFFIAny copies[8];
  int rc;
  fuzz_require(num_args >= 0 && num_args <= 8);
  if (num_args > 0) memcpy(copies, args, (size_t)num_args * sizeof *args);
  *result = tvmffi_any_none();
  rc = TVMFFIFunctionCall(function, copies, num_args, result);
  if (num_args > 0) fuzz_require(memcmp(copies, args, (size_t)num_args * sizeof *args) == 0);
  if (rc == 0) {
    fuzz_check_value(result);
  } else {
    fuzz_require(result->type_index == kTVMFFINone);
  }
  return rc;
}

int fuzz_call(const char *name, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes;
  TVMFFIObjectHandle function = NULL;
  int rc;
  bytes.data = name;
  bytes.size = strlen(name);
  *result = tvmffi_any_none();
  if (fuzz_checked(TVMFFIFunctionGetGlobal(&bytes, &function)) != 0) return -1;
  fuzz_require(function != NULL);
  rc = fuzz_checked(fuzz_call_function(function, args, num_args, result));
  TVMFFIObjectDecRef(function);
  return rc;
}

TVMFFIAny fuzz_view(const TVMFFIByteArray *text) {
  return tvmffi_any_ptr(kTVMFFIByteArrayPtr, text);
}

TVMFFIByteArray fuzz_bytes_of(const TVMFFIAny *text) {
  if (text->type_index == kTVMFFISmallStr || text->type_index == kTVMFFISmallBytes) {
    return TVMFFISmallBytesGetContentByteArray(text);
  }
  fuzz_require(text->type_index == kTVMFFIStr || text->type_index == kTVMFFIBytes);
  return *TVMFFIBytesGetByteArrayPtr(text->v_obj);
}

bool fuzz_same_bytes(TVMFFIByteArray a, TVMFFIByteArray b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
