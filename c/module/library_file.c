/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library_file.h"

#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/integers.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/global.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "module/module.h"
#include "platform/compiler.h"
#include "platform/platform.h"

static void library_file_forget_kernels(tvmffi_library_file *file);
static void library_file_set_may_unload(tvmffi_library_file *file);

/* ---- The names of the runtime, for libraries ---- */

/* The functions of the ABI. */
/* clang-format off */
#define ABI(X) \
  X(TVMFFIAnyViewToOwnedAny) X(TVMFFIBacktrace) X(TVMFFIBigIntFromByteArray) \
  X(TVMFFIBigIntGetContentByteArray) X(TVMFFIBytesFromByteArray) X(TVMFFIDataTypeFromString) \
  X(TVMFFIDataTypeToString) X(TVMFFIEnvCheckSignals) X(TVMFFIEnvGetDLPackManagedTensorAllocator) \
  X(TVMFFIEnvGetStream) X(TVMFFIEnvModLookupFromImports) X(TVMFFIEnvModRegisterContextSymbol) \
  X(TVMFFIEnvModRegisterSystemLibSymbol) X(TVMFFIEnvRegisterCAPI) \
  X(TVMFFIEnvSetDLPackManagedTensorAllocator) X(TVMFFIEnvSetStream) X(TVMFFIEnvTensorAlloc) \
  X(TVMFFIErrorCreate) X(TVMFFIErrorCreateWithCauseAndExtraContext) X(TVMFFIErrorMoveFromRaised) \
  X(TVMFFIErrorSetRaised) X(TVMFFIErrorSetRaisedFromCStr) X(TVMFFIErrorSetRaisedFromCStrParts) \
  X(TVMFFIFunctionCall) X(TVMFFIFunctionCreate) X(TVMFFIFunctionGetGlobal) \
  X(TVMFFIFunctionSetGlobal) X(TVMFFIFunctionSetGlobalFromMethodInfo) X(TVMFFIGetCustomAllocator) \
  X(TVMFFIGetTypeAttrColumn) X(TVMFFIGetTypeInfo) X(TVMFFIGetVersion) X(TVMFFIHandleDeinitOnce) \
  X(TVMFFIHandleInitOnce) X(TVMFFIObjectCreateOpaque) X(TVMFFIObjectDecRef) X(TVMFFIObjectIncRef) \
  X(TVMFFISetCustomAllocator) X(TVMFFIStringFromByteArray) X(TVMFFITensorCreateUnsafeView) \
  X(TVMFFITensorFromDLPack) X(TVMFFITensorFromDLPackVersioned) X(TVMFFITensorToDLPack) \
  X(TVMFFITensorToDLPackVersioned) X(TVMFFITypeGetOrAllocIndex) X(TVMFFITypeKeyToIndex) \
  X(TVMFFITypeRegisterAttr) X(TVMFFITypeRegisterField) X(TVMFFITypeRegisterMetadata) \
  X(TVMFFITypeRegisterMethod)
/* clang-format on */

/*
 * Weak, so that this list pulls no more of the archive into a program. In the single file
 * that would make the definitions weak; a program that chooses its parts there stays small without
 * the names.
 */
#if TVMFFI_HAS_OPTIONAL_SYMBOLS && !(defined(TVM_FFI_AMALGAMATED_H_) && defined(TVM_FFI_OWN_PARTS))
#if !defined(TVM_FFI_AMALGAMATED_H_)
#define OPTIONAL(name) extern __typeof__(name) name __attribute__((weak));
ABI(OPTIONAL)
#endif
#define NAMED(name) {#name, {.code = (void (*)(void))name}},
#else
#define NAMED(name)
#endif

static const tvmffi_dl_name kAbiNames[] = {ABI(NAMED){NULL, {NULL}}};
static const tvmffi_dl_name *const kNames[] = {kAbiNames, tvmffi_cxx_names, NULL};

/* ---- Unloading ---- */

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

bool tvmffi_library_types_need(const tvmffi_dl_range *range, tvmffi_dl_reason *out) {
  int32_t i, end = tvmffi_type_end();
  bool found = false;
  (void)tvmffi_type_find(0); /* on first use it takes the lock */
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  for (i = 0; i < end && !found; ++i) {
    const tvmffi_type_record *record = tvmffi_type_find(i);
    found = record != NULL && record_needs_range(&record->info, range);
    if (found) out->set(out, "type `%s` needs it", record->key.data);
  }
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  return found;
}

bool tvmffi_library_is_needed(void *handle, tvmffi_dl_reason *out) {
  tvmffi_dl_range range;
  if (!tvmffi_dl_find_range(handle, &range)) {
    /* GCOVR_EXCL_START: elf_image.c tells it of every library that is open */
    out->set(out, "the system does not tell where its code is");
    return true;
    /* GCOVR_EXCL_STOP */
  }
  return tvmffi_global_needs_range(&range, out) || tvmffi_library_types_need(&range, out) ||
         tvmffi_attr_needs_range(&range, out);
}

int tvmffi_library_allow_unload(tvmffi_library_file *file) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  int rc = 0;
  if (!tvmffi_library_is_needed(file->handle, &reason.to_set)) {
    library_file_set_may_unload(file);
  } else if (reason.buf.failed) {
    rc = tvmffi_fail_memory();
  } else {
    rc = tvmffi_fail("RuntimeError", "%s cannot be unloaded: %s", file->path, reason.to_set.text);
  }
  tvmffi_buf_fini(&reason.buf);
  return rc;
}

/* The library comes first: while it is unloaded, its code still calls the runtime. */
static void close_handles(void *handle, void *group) {
  tvmffi_dl_close(handle);
  if (group != NULL) tvmffi_dl_close(group);
}

/* ---- The files that are loaded ---- */

static tvmffi_library_file *opened;
static uint32_t num_respelled; /* paths */
static int num_closing;        /* files */
static bool closings_overlap;  /* whether two of them were closed at a time */

static void forget_other_closings(void) {
  num_closing = 0; /* not even one that this thread is closing, whose destructor forks */
}

static tvmffi_mutex opened_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, forget_other_closings);

/* ---- Kernels ---- */

typedef struct {
  tvmffi_table_key key;
  void *address;
} kernel;

void *tvmffi_library_file_find_kernel(const tvmffi_library_file *file, const TVMFFIByteArray *name,
                                      uint64_t hash) {
  const tvmffi_table_key *found =
      tvmffi_table_find_hashed(&file->kernels, name->data, name->size, hash);
  return found == NULL ? NULL : ((const kernel *)(const void *)found)->address;
}

int tvmffi_library_file_keep_kernel(tvmffi_library_file *file, const TVMFFIByteArray *name,
                                    uint64_t hash, void *address) {
  kernel *added =
      (kernel *)tvmffi_table_new_record(sizeof *added, name->data, name->size, hash, tvmffi_alloc);
  int rc = 0;
  if (added == NULL) return -1;
  added->address = address;
  tvmffi_mutex_lock(&opened_mutex);
  /* Another thread may have been first. */
  if (tvmffi_library_file_find_kernel(file, name, hash) == NULL) {
    rc = tvmffi_table_insert(&file->kernels, &added->key);
    if (rc == 0) added = NULL;
  }
  tvmffi_mutex_unlock(&opened_mutex);
  tvmffi_free(added);
  return rc;
}

/* Forgets all addresses; nobody may be reading them. */
static void library_file_forget_kernels(tvmffi_library_file *file) {
  const tvmffi_table_slots *slots = file->kernels.current;
  size_t i;
  for (i = 0; slots != NULL && i <= slots->mask; ++i) tvmffi_free(slots->slots[i].record);
  tvmffi_table_fini(&file->kernels);
}

/* ---- Records ---- */

static void free_file(tvmffi_library_file *file) {
  library_file_forget_kernels(file);
  tvmffi_free(file);
}

static tvmffi_library_file *new_record(const char *path, size_t path_size) {
  tvmffi_library_file *file;
  size_t bytes;
  if (!tvmffi_checked_add_size(path_size, sizeof *file + 2 + kTvmffiDlRespelled, &bytes) ||
      !tvmffi_checked_add_size(path_size, bytes, &bytes)) { /* twice the path */
    return NULL;
  }
  file = tvmffi_alloc(bytes);
  if (file == NULL) return NULL;
  memset(file, 0, sizeof *file);
  file->uses = 1;
  memcpy(file->path, path, path_size + 1);
  file->opened_path = file->path + path_size + 1;
  memcpy(file->opened_path, path, path_size + 1);
  return file;
}

/* ---- The list; call these under the mutex ---- */

static void link_record(tvmffi_library_file *file) {
  file->previous = NULL;
  file->next = opened;
  if (opened != NULL) opened->previous = file;
  opened = file;
}

static void unlink_file(tvmffi_library_file *file) {
  if (file->next != NULL) file->next->previous = file->previous;
  if (file->previous != NULL) {
    file->previous->next = file->next;
  } else {
    opened = file->next;
  }
}

static tvmffi_library_file *find_handle(const void *handle) {
  tvmffi_library_file *file = opened;
  while (file != NULL && file->handle != handle) file = file->next;
  return file;
}

static bool is_same_file(const tvmffi_library_file *file, const tvmffi_dl_file *on_disk) {
  return file->is_identified && file->on_disk.device == on_disk->device &&
         file->on_disk.inode == on_disk->inode;
}

static bool is_same_time(const tvmffi_dl_file *a, const tvmffi_dl_file *b) {
  return a->modified == b->modified && a->modified_nanoseconds == b->modified_nanoseconds;
}

static tvmffi_library_file *find_file(const tvmffi_dl_file *on_disk) {
  tvmffi_library_file *file = opened;
  while (file != NULL && !is_same_file(file, on_disk)) file = file->next;
  return file;
}

/* ---- Opening: runs code of the library, and so takes no lock ---- */

static int fail_open(const char *path, const char *reason) {
  return tvmffi_fail("InternalError", "Failed to load dynamic shared library %s %s", path, reason);
}

/*
 * Takes the file, if it is loaded, without asking the system. *out is NULL otherwise. The code in
 * memory of a file that was written over is neither the old nor the new: nothing of it may run.
 * Another size proves that; another time may as well come from touch or from a backup, so it is
 * only logged, once.
 */
static int use_loaded(const char *path, const tvmffi_dl_file *on_disk, tvmffi_library_file **out) {
  bool has_other_size = false, has_other_time = false;
  tvmffi_mutex_lock(&opened_mutex);
  *out = find_file(on_disk);
  if (*out != NULL) {
    has_other_size = (*out)->on_disk.size != on_disk->size;
    has_other_time = !is_same_time(&(*out)->on_disk, on_disk);
    if (!has_other_size) {
      ++(*out)->uses;
      (*out)->on_disk = *on_disk;
    }
  }
  tvmffi_mutex_unlock(&opened_mutex);
  if (!has_other_size) {
    if (has_other_time) tvmffi_log_warning("%s was changed while it is loaded", path);
    return 0;
  }
  return fail_open(path,
                   "the file was written over while it is loaded; delete it, then write the new "
                   "one");
}

/* Whether an opened library is the one in a file. */
typedef enum { kIsIt, kIsAnother, kIsUnknown } file_identity;

static file_identity compare_file(const void *handle, const tvmffi_dl_file *on_disk) {
  const tvmffi_library_file *file;
  file_identity result = kIsIt;
  tvmffi_mutex_lock(&opened_mutex);
  file = find_handle(handle);
  if (file != NULL && !is_same_file(file, on_disk)) {
    result = file->is_identified ? kIsAnother : kIsUnknown;
  }
  tvmffi_mutex_unlock(&opened_mutex);
  return result;
}

static uint32_t next_respelling(void) {
  uint32_t number;
  tvmffi_mutex_lock(&opened_mutex);
  number = ++num_respelled;
  tvmffi_mutex_unlock(&opened_mutex);
  return number;
}

/*
 * Opens the file that on_disk describes, if *is_known. If the path may have led to another file
 * before, tries other ways to write it, and leaves the last one in added->opened_path. If the
 * system gives the same handle twice, then it is the file: its record is out of date.
 *
 * A library that has registered something is not replaced, because its successor is likely to
 * register the same, and to fail at that: then the old one is opened, and *is_known becomes false.
 */
static void *open_file(const char *path, bool *is_known, const tvmffi_dl_file *on_disk,
                       tvmffi_library_file *added, tvmffi_dl_reason *reason) {
  void *handle = tvmffi_dl_open_bound(path, kNames, &added->group, reason);
  void *previous = NULL;
  while (handle != NULL && *is_known && handle != previous) {
    file_identity found = compare_file(handle, on_disk);
    if (found == kIsIt) break;
    if (found == kIsAnother && tvmffi_library_is_needed(handle, reason)) {
      tvmffi_log_warning("%s is used as it was before the file was replaced: %s", path,
                         reason->text);
      *is_known = false;
      break;
    }
    previous = handle;
    close_handles(handle, added->group);
    tvmffi_dl_respell(path, next_respelling(), added->opened_path);
    handle = tvmffi_dl_open_bound(added->opened_path, kNames, &added->group, reason);
  }
  return handle;
}

/* Makes added the record of its file, or adds it to the one that there is. Under the mutex. */
static tvmffi_library_file *enter_file(tvmffi_library_file *added) {
  tvmffi_library_file *file = find_handle(added->handle);
  if (file == NULL) {
    link_record(added);
    return added;
  }
  if (added->is_identified) {
    file->is_identified = true;
    file->on_disk = added->on_disk;
  }
  file->uses += added->uses;
  file->may_unload |= added->may_unload;
  if (file->group == NULL) { /* the first opening of it was not by a group */
    file->group = added->group;
    added->group = NULL;
  }
  return file;
}

/* Undoes the opening of a record that is not listed. */
static void discard_file(tvmffi_library_file *file) {
  close_handles(file->handle, file->group);
  free_file(file);
}

/* Writes the host's own path in a text of the system, which has the one that it was given. */
static void show_given_path(const tvmffi_library_file *file, char *text) {
  size_t given_size = strlen(file->path), opened_size = strlen(file->opened_path);
  if (opened_size == given_size) return;
  while ((text = strstr(text, file->opened_path)) != NULL) {
    const char *rest = text + opened_size;
    memcpy(text, file->path, given_size); /* the shorter one */
    text += given_size;
    memmove(text, rest, strlen(rest) + 1);
  }
}

/* Ends the reason, and the record of what could not be opened. */
static int fail_with_reason(tvmffi_library_file *file, tvmffi_reason *reason) {
  if (reason->buf.failed) {
    (void)tvmffi_fail_memory();
  } else {
    tvmffi_dl_explain_libc(file->opened_path, &reason->to_set);
    if (!reason->buf.failed) show_given_path(file, reason->buf.data);
    (void)fail_open(file->path, reason->to_set.text);
  }
  tvmffi_buf_fini(&reason->buf);
  free_file(file);
  return -1;
}

TVMFFI_COLD int tvmffi_library_file_open(const TVMFFIByteArray *path, tvmffi_library_file **out) {
  tvmffi_library_file *added;
  tvmffi_dl_file on_disk, afterwards;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  bool is_known;
  if (path->size == 0) { /* some loaders take it to mean the program itself */
    return tvmffi_fail("InternalError", "Failed to load dynamic shared library: empty path");
  }
  if (memchr(path->data, '\0', path->size) != NULL) {
    return tvmffi_fail("InternalError",
                       "Failed to load dynamic shared library %s: NUL character in the path",
                       path->data);
  }
  is_known = tvmffi_dl_find_file(path->data, &on_disk);
  if (is_known) {
    TVMFFI_TRY(use_loaded(path->data, &on_disk, out));
    if (*out != NULL) return 0;
  }
  added = new_record(path->data, path->size);
  if (added == NULL) return tvmffi_fail_memory();
  added->handle = open_file(path->data, &is_known, &on_disk, added, &reason.to_set);
  if (added->handle == NULL) return fail_with_reason(added, &reason);
  tvmffi_buf_fini(&reason.buf);
  tvmffi_cxx_complete_type_info(added->handle);
  /* Unless the path led to the same file before and after, it is not known which one was opened. */
  if (is_known && tvmffi_dl_find_file(path->data, &afterwards)) {
    added->is_identified = memcmp(&afterwards, &on_disk, sizeof on_disk) == 0;
    added->on_disk = on_disk;
  }
  tvmffi_mutex_lock(&opened_mutex);
  *out = enter_file(added);
  tvmffi_mutex_unlock(&opened_mutex);
  if (*out != added) discard_file(added);
  return 0;
}

/* ---- Closing ---- */

static bool is_needed(const tvmffi_library_file *file) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  const bool result = tvmffi_library_is_needed(file->handle, &reason.to_set);
  if (result) tvmffi_log_warning("%s stays loaded: %s", file->path, reason.to_set.text);
  tvmffi_buf_fini(&reason.buf);
  return result;
}

/*
 * Undoes the opening. If the file stays loaded because something else has opened it, opens it again
 * like the first time, so that it finds this runtime, and returns true.
 */
static bool is_open_after_closing(tvmffi_library_file *file) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  void *again, *bound;
  close_handles(file->handle, file->group);
  file->group = NULL;
  again = tvmffi_dl_open_loaded(file->opened_path);
  if (again != file->handle) {
    if (again != NULL) tvmffi_dl_close(again);
    return false;
  }
  bound = tvmffi_dl_open_bound(file->opened_path, kNames, &file->group, &reason.to_set);
  tvmffi_buf_fini(&reason.buf);
  if (bound != NULL) tvmffi_dl_close(again); /* the same library, by the same path */
  library_file_forget_kernels(file);         /* others may have loaded it again meanwhile */
  file->may_unload = false;
  return true;
}

/*
 * Closing runs code of the library, and so takes no lock. What keeps a file loaded may be the
 * handle of a thread that is closing it, too: only a thread that was alone in closing files from
 * beginning to end takes it as the host's, and keeps the record.
 */
void tvmffi_library_file_close(tvmffi_library_file *file) {
  bool is_last, is_kept, is_open;
  tvmffi_mutex_lock(&opened_mutex);
  is_last = --file->uses == 0 && file->may_unload;
  if (is_last) {
    unlink_file(file);
    closings_overlap = num_closing++ != 0;
  }
  tvmffi_mutex_unlock(&opened_mutex);
  if (!is_last) return;
  is_kept = is_needed(file);
  is_open = is_kept || is_open_after_closing(file);
  tvmffi_mutex_lock(&opened_mutex);
  is_kept = (is_kept || (is_open && !closings_overlap)) && enter_file(file) == file;
  tvmffi_mutex_unlock(&opened_mutex);
  if (!is_open) {
    free_file(file);
  } else if (!is_kept) {
    discard_file(file);
  }
  tvmffi_mutex_lock(&opened_mutex);
  if (num_closing != 0) --num_closing; /* it is 0 if a destructor has forked */
  tvmffi_mutex_unlock(&opened_mutex);
}

/* Lets the last closing unload the file, if nothing needs it then. */
static void library_file_set_may_unload(tvmffi_library_file *file) {
  tvmffi_mutex_lock(&opened_mutex);
  file->may_unload = true;
  tvmffi_mutex_unlock(&opened_mutex);
}

void tvmffi_library_file_shutdown(void) {
  tvmffi_library_file *file, *next;
  for (file = opened; file != NULL; file = next) {
    next = file->next;
    if (file->uses != 0) continue;
    unlink_file(file);
    free_file(file);
  }
}
