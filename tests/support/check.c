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
