/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_unload.h"

#include <stdio.h>

#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/global.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "platform/platform.h"

static bool record_needs_range(const TVMFFITypeInfo *info, const tvmffi_dl_range *range) {
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo *field = &info->fields[i];
    bool is_function = (field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0;
    TVMFFIAny setter = is_function ? tvmffi_any_object(field->setter)
                                   : tvmffi_any_ptr(kTVMFFIOpaquePtr, field->setter);
    if (tvmffi_dl_range_has(range, (uintptr_t)field->getter) ||
        tvmffi_function_needs_range(&setter, range) ||
        tvmffi_function_needs_range(&field->default_value_or_factory, range)) {
      return true;
    }
  }
  for (i = 0; i < info->num_methods; ++i) {
    if (tvmffi_function_needs_range(&info->methods[i].method, range)) return true;
  }
  return info->metadata != NULL && tvmffi_dl_range_has(range, (uintptr_t)info->metadata->creator);
}

bool tvmffi_library_types_need(const tvmffi_dl_range *range, char *out, size_t out_size) {
  int32_t i, end = tvmffi_type_end();
  bool found = false;
  (void)tvmffi_type_find(0); /* on first use it takes the lock */
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  for (i = 0; i < end && !found; ++i) {
    const tvmffi_type_record *record = tvmffi_type_find(i);
    found = record != NULL && record_needs_range(&record->info, range);
    if (found) (void)snprintf(out, out_size, "type `%s` needs it", record->key.data);
  }
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return found;
}

bool tvmffi_library_is_needed(void *handle, char *out, size_t out_size) {
  tvmffi_dl_range range;
  if (!tvmffi_dl_find_range(handle, &range)) {
    /* GCOVR_EXCL_START: elf.c tells it of every library that is open */
    (void)snprintf(out, out_size, "the system does not tell where its code is");
    return true;
    /* GCOVR_EXCL_STOP */
  }
  return tvmffi_global_needs_range(&range, out, out_size) ||
         tvmffi_library_types_need(&range, out, out_size) ||
         tvmffi_attr_needs_range(&range, out, out_size);
}

int tvmffi_library_allow_unload(tvmffi_library_file *file) {
  char reason[256];
  if (tvmffi_library_is_needed(file->handle, reason, sizeof reason)) {
    return tvmffi_fail("RuntimeError", "%s cannot be unloaded: %s", file->path, reason);
  }
  tvmffi_library_file_set_may_unload(file);
  return 0;
}

static int num_unloading; /* files that are being closed */

static void forget_other_threads(void) {
  num_unloading = 0; /* not even one that this thread is closing: see below */
}

static tvmffi_mutex unloading_mutex =
    TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, forget_other_threads);

/*
 * Undoes the opening. False if something else keeps the file loaded; then it is open again. That
 * cannot be told while another file is being closed: the system may put off unloading this one.
 * Closing runs code of the library, and so takes no lock.
 */
static bool close_file(const tvmffi_library_file *file) {
  bool is_only_one;
  void *again;
  tvmffi_mutex_lock(&unloading_mutex);
  ++num_unloading;
  tvmffi_mutex_unlock(&unloading_mutex);
  tvmffi_dl_close(file->handle);
  tvmffi_mutex_lock(&unloading_mutex);
  if (num_unloading != 0) --num_unloading; /* it is 0 if a destructor has forked */
  is_only_one = num_unloading == 0;
  tvmffi_mutex_unlock(&unloading_mutex);
  again = is_only_one ? tvmffi_dl_open_loaded(file->path) : NULL;
  if (again == file->handle) return false;
  if (again != NULL) tvmffi_dl_close(again);
  return true;
}

bool tvmffi_library_unload(tvmffi_library_file *file) {
  char reason[256];
  if (tvmffi_library_is_needed(file->handle, reason, sizeof reason)) {
    tvmffi_log_warning("%s stays loaded: %s", file->path, reason);
    return false;
  }
  if (close_file(file)) return true;
  tvmffi_library_file_forget_kernels(file); /* others may have loaded it again meanwhile */
  file->may_unload = false;
  return false;
}
