/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <tvm/ffi/extra/c_runtime_api.h>

static void take(TVMFFIObjectHandle *error, TVMFFIErrorCell *cell) {
  memset(cell, 0, sizeof *cell);
  TVMFFIErrorMoveFromRaised(error);
  if (*error != NULL) *cell = *TVMFFIErrorGetCellPtr(*error);
}

void check_raised_at(const char *kind, const char *message, int part, const char *file, int line) {
  TVMFFIObjectHandle error;
  TVMFFIErrorCell cell;
  take(&error, &cell);
  if (error == NULL) _fail(file, line);
  if (kind != NULL) _assert_string_equal(cell.kind.data, kind, file, line);
  if (message != NULL && !part) _assert_string_equal(cell.message.data, message, file, line);
  if (message != NULL && part && strstr(cell.message.data, message) == NULL) {
    print_error("\"%s\" is not in \"%s\"\n", message, cell.message.data);
    _fail(file, line);
  }
  TVMFFIObjectDecRef(error);
}

void check_ok_at(int rc, const char *expression, const char *file, int line) {
  TVMFFIObjectHandle error;
  TVMFFIErrorCell cell;
  if (rc == 0) return;
  take(&error, &cell);
  print_error("%s gave %d: %s: %s\n", expression, rc, error != NULL ? cell.kind.data : "(no error)",
              error != NULL ? cell.message.data : "");
  _fail(file, line);
}

void check_not_raised_at(const char *file, int line) {
  TVMFFIObjectHandle error;
  TVMFFIErrorCell cell;
  take(&error, &cell);
  if (error == NULL) return;
  print_error("raised: %s: %s\n", cell.kind.data, cell.message.data);
  _fail(file, line);
}

int check_shut_down(void **state) {
  (void)state;
  return TVMFFIRuntimeShutdown();
}

uint32_t check_use_count(TVMFFIObjectHandle obj) {
  return (uint32_t)((TVMFFIObject *)obj)->combined_ref_count;
}

void check_release(TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(any->v_obj);
  memset(any, 0, sizeof *any);
}

int call_nothing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return 0;
}

int call_seven(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  memset(result, 0, sizeof *result);
  result->type_index = kTVMFFIInt;
  result->v_int64 = 7;
  return 0;
}

int call_key_error(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "not here");
  return -1;
}

int find_no_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                     TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  (void)name;
  (void)out;
  return 0;
}

void check_str_at(TVMFFIAny *value, const char *expected, const char *file, int line) {
  TVMFFIByteArray text = {NULL, 0};
  if (value->type_index == kTVMFFISmallStr) text = TVMFFISmallBytesGetContentByteArray(value);
  if (value->type_index == kTVMFFIStr) text = *TVMFFIBytesGetByteArrayPtr(value->v_obj);
  if (text.data == NULL) {
    print_error("a value of type %d is not the str \"%s\"\n", (int)value->type_index, expected);
    _fail(file, line);
  }
  _assert_string_equal(text.data, expected, file, line);
  if (text.size != strlen(expected)) _fail(file, line); /* there are NULs in it */
  check_release(value);
}

static void delete_probe(void *self, int flags) {
  probe *p = (probe *)self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) ++p->strong_deletes;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ++p->weak_deletes;
}

void probe_init(probe *p) {
  memset(p, 0, sizeof *p);
  p->header.combined_ref_count = UINT64_C(0x100000001);
  p->header.type_index = kTVMFFIObject;
  p->header.deleter = delete_probe;
}
