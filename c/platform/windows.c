/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h on Windows, which has no fork: ranks and lists of locks are not used. A handle is the
 * address of a library. Paths are UTF-8; slashes and backslashes both separate folders.
 */
#include "platform/platform.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/win32.h"

/* ---- Locks ---- */

/* What platform.h says. */
TVMFFI_STATIC_ASSERT(sizeof(tvmffi_native_lock) == sizeof(SRWLOCK), same_lock);
TVMFFI_STATIC_ASSERT(sizeof(tvmffi_condition) == sizeof(CONDITION_VARIABLE), same_condition);
TVMFFI_STATIC_ASSERT(sizeof(tvmffi_thread_id) == sizeof(DWORD), same_id);

static SRWLOCK *native_lock(tvmffi_mutex *mutex) {
  return (SRWLOCK *)(void *)&mutex->lock;
}

static CONDITION_VARIABLE *native_condition(tvmffi_condition *condition) {
  return (CONDITION_VARIABLE *)(void *)condition;
}

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  AcquireSRWLockExclusive(native_lock(mutex));
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  ReleaseSRWLockExclusive(native_lock(mutex));
}

void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)SleepConditionVariableSRW(native_condition(condition), native_lock(mutex), INFINITE, 0);
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  WakeAllConditionVariable(native_condition(condition));
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  static const tvmffi_condition without_waiters = TVMFFI_CONDITION_INIT;
  *condition = without_waiters;
}

/* ---- Threads ---- */

tvmffi_thread_id tvmffi_thread_self(void) {
  return GetCurrentThreadId();
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return a == b;
}

void tvmffi_thread_yield(void) {
  if (!SwitchToThread()) Sleep(0);
}

/*
 * The slot is allocated once and never freed: a thread may end at any time, and then calls fn,
 * which is in the library that this code is linked into. So that library must stay loaded from
 * then on.
 */
static DWORD exit_slot;
static void (*exit_fn)(void *arg);
static int exit_slot_made;
static tvmffi_mutex exit_slot_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockTypes, NULL);

int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  if (!tvmffi_atomic_load_acquire_int(&exit_slot_made)) {
    DWORD slot = 0;
    tvmffi_mutex_lock(&exit_slot_mutex);
    if (!exit_slot_made) {
      slot = TlsAlloc();
      if (slot != TLS_OUT_OF_INDEXES) {
        exit_slot = slot;
        exit_fn = fn;
        tvmffi_atomic_store_release_int(&exit_slot_made, 1);
      }
    }
    tvmffi_mutex_unlock(&exit_slot_mutex);
    if (slot == TLS_OUT_OF_INDEXES) return -1;
    tvmffi_dl_keep_own(); /* outside the lock: it may be taken under the loader's */
  }
  return TlsSetValue(exit_slot, arg) ? 0 : -1;
}

/*
 * Not FlsAlloc: its function is called for the main thread as well when main returns, and for each
 * fiber. Like a pthread key's, this one is called again for what fn left to be called for.
 */
static void NTAPI on_thread_event(PVOID library, DWORD event, PVOID reserved) {
  enum { kMaxCalls = 4 };
  int i;
  (void)library;
  (void)reserved;
  if (event != DLL_THREAD_DETACH || !tvmffi_atomic_load_acquire_int(&exit_slot_made)) return;
  for (i = 0; i < kMaxCalls; ++i) {
    void *arg = TlsGetValue(exit_slot);
    if (arg == NULL) return;
    (void)TlsSetValue(exit_slot, NULL);
    exit_fn(arg);
  }
}

/*
 * The linker sorts sections by the part of the name after the dollar sign and makes them one table
 * of functions, which the loader calls in this order. MinGW's function that frees thread-local
 * variables is in .CRT$XLD.
 */
TVMFFI_USED __attribute__((section(".CRT$XLB"))) static const PIMAGE_TLS_CALLBACK kOnThreadEvent =
    on_thread_event;

enum { kMaxWindowsPath = 4096 }; /* UTF-16 units and bytes, with the NUL */

/* ---- Libraries: paths ---- */

static bool has_folder(const char *path) {
  return strpbrk(path, "/\\") != NULL;
}

/* The part after the last slash or backslash. */
static const char *find_module_name(const char *path) {
  const char *base = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/' || *path == '\\') base = path + 1;
  }
  return base;
}

/* False if it is too long or not UTF-8. */
static bool to_wide(const char *text, WCHAR *out, int out_size) {
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, out_size) != 0;
}

/*
 * The path for the system's loader: one with a folder becomes absolute, so that the library's own
 * libraries are looked for beside it. A dot at the end of a name without any keeps the loader from
 * appending an extension.
 */
static bool to_loader_path(const char *path, WCHAR *out) {
  WCHAR given[kMaxWindowsPath];
  DWORD size;
  if (!has_folder(path)) return to_wide(path, out, kMaxWindowsPath);
  if (!to_wide(path, given, kMaxWindowsPath)) return false;
  size = GetFullPathNameW(given, kMaxWindowsPath, out, NULL);
  if (size == 0 || size >= kMaxWindowsPath - 1) return false;
  if (strchr(find_module_name(path), '.') == NULL) {
    out[size] = L'.';
    out[size + 1] = L'\0';
  }
  return true;
}

/* ---- Libraries: reasons ---- */

static void write_reason(DWORD code, tvmffi_dl_reason *reason) {
  WCHAR text[1024];
  char bytes[3 * 1024 + 1]; /* a UTF-16 unit is at most three bytes */
  DWORD size;
  int length;
  size = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0,
                        text, (DWORD)(sizeof text / sizeof *text), NULL);
  while (size != 0 && (text[size - 1] <= L' ' || text[size - 1] == L'.')) --size;
  length = size == 0 ? 0
                     : WideCharToMultiByte(CP_UTF8, 0, text, (int)size, bytes,
                                           (int)sizeof bytes - 1, NULL, NULL);
  bytes[length] = '\0';
  reason->set(reason, "%s (error %lu of Windows)", length != 0 ? bytes : "unknown reason",
              (unsigned long)code);
}

/* ---- Libraries: opening ---- */

/* A missing library must not make the system show a window. */
static HMODULE load_wide(const WCHAR *path, DWORD flags, DWORD *out_error) {
  DWORD previous = 0;
  bool is_set = SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &previous) != 0;
  HMODULE library = LoadLibraryExW(path, NULL, flags);
  *out_error = GetLastError();
  if (is_set) (void)SetThreadErrorMode(previous, NULL);
  return library;
}

void *tvmffi_dl_open(const char *path, tvmffi_dl_reason *reason) {
  WCHAR wide[kMaxWindowsPath];
  HMODULE library;
  DWORD error;
  if (!to_loader_path(path, wide)) {
    reason->set(reason, "the path is not UTF-8, or has more than %d characters",
                kMaxWindowsPath - 2);
    return NULL;
  }
  library = load_wide(wide, has_folder(path) ? LOAD_WITH_ALTERED_SEARCH_PATH : 0, &error);
  if (library == NULL) write_reason(error, reason);
  return library;
}

void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason) {
  (void)path;
  (void)reason;
}

void *tvmffi_dl_open_loaded(const char *path) {
  WCHAR wide[kMaxWindowsPath];
  HMODULE library = NULL;
  if (!to_loader_path(path, wide) || !GetModuleHandleExW(0, wide, &library)) return NULL;
  return library;
}

/*
 * Windows makes paths canonical before it compares them, but leaves alone what begins with \\?\.
 * There is only one such path, for any number: another file can be loaded once under a path, which
 * takes renaming the old one, because loaded files cannot be deleted or written to.
 */
void tvmffi_dl_respell(const char *path, uint32_t number, char *out) {
  bool is_absolute = path[0] != '\0' && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  (void)number;
  if (is_absolute) {
    strcpy(out, "\\\\?\\");
    out += strlen(out);
  }
  for (; *path != '\0'; ++path) *out++ = (char)(*path == '/' ? '\\' : *path);
  *out = '\0';
}

bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out) {
  enum { kTicksPerSecond = 10000000 };
  BY_HANDLE_FILE_INFORMATION status;
  WCHAR wide[kMaxWindowsPath];
  HANDLE file;
  uint64_t ticks;
  bool found;
  if (!has_folder(path) || !to_loader_path(path, wide)) return false;
  file = CreateFileW(wide, FILE_READ_ATTRIBUTES,
                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                     FILE_FLAG_BACKUP_SEMANTICS, NULL); /* the flag is for folders */
  if (file == INVALID_HANDLE_VALUE) return false;
  found = GetFileInformationByHandle(file, &status) != 0;
  (void)CloseHandle(file);
  if (!found) return false;
  ticks =
      (uint64_t)status.ftLastWriteTime.dwHighDateTime << 32 | status.ftLastWriteTime.dwLowDateTime;
  out->device = status.dwVolumeSerialNumber;
  out->inode = (uint64_t)status.nFileIndexHigh << 32 | status.nFileIndexLow;
  out->size = (uint64_t)status.nFileSizeHigh << 32 | status.nFileSizeLow;
  out->modified = ticks / kTicksPerSecond; /* since 1601: only compared */
  out->modified_nanoseconds = ticks % kTicksPerSecond * 100;
  return true;
}

void *tvmffi_dl_open_beside(const char *name, tvmffi_dl_reason *reason) {
  static const char anchor = 0;
  char path[kMaxWindowsPath];
  if (tvmffi_dl_find_path(&anchor, path, sizeof path)) {
    char *base = path + (find_module_name(path) - path);
    if (strlen(name) < sizeof path - (size_t)(base - path)) {
      void *handle;
      strcpy(base, name);
      handle = tvmffi_dl_open(path, reason);
      if (handle != NULL) return handle;
    }
  }
  return tvmffi_dl_open(name, reason);
}

void tvmffi_dl_close(void *handle) {
  (void)FreeLibrary(handle);
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  return (void *)(uintptr_t)GetProcAddress(handle, name);
}

/* There is no global scope: symbols of the program take its place. */
void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries) {
  void *found = tvmffi_dl_symbol(GetModuleHandleW(NULL), name);
  for (; found == NULL && *libraries != NULL; ++libraries) {
    void *library = tvmffi_dl_open_loaded(*libraries);
    if (library == NULL) continue;
    found = tvmffi_dl_symbol(library, name);
    if (found == NULL) tvmffi_dl_close(library);
  }
  return found;
}

/* ---- What lies where in loaded libraries ---- */

bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out) {
  const IMAGE_DOS_HEADER *start = handle;
  const IMAGE_NT_HEADERS *header;
  if (start == NULL || start->e_magic != IMAGE_DOS_SIGNATURE) return false;
  header = (const IMAGE_NT_HEADERS *)((uintptr_t)start + (uintptr_t)start->e_lfanew);
  if (header->Signature != IMAGE_NT_SIGNATURE) return false;
  out->begin = (uintptr_t)start;
  out->end = out->begin + header->OptionalHeader.SizeOfImage;
  return true;
}

static bool is_readable(const MEMORY_BASIC_INFORMATION *pages) {
  const DWORD readable = PAGE_READONLY | PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READ |
                         PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
  return pages->State == MEM_COMMIT && pages->Type == MEM_IMAGE &&
         (pages->Protect & readable) != 0 && (pages->Protect & PAGE_GUARD) == 0;
}

/* PE files do not have the sizes of symbols. */
size_t tvmffi_dl_symbol_size(const char *name, const void *address) {
  MEMORY_BASIC_INFORMATION pages;
  uintptr_t start = (uintptr_t)address, end = start;
  const void *library = NULL;
  (void)name;
  while (VirtualQuery((const void *)end, &pages, sizeof pages) != 0 && is_readable(&pages)) {
    if (library != NULL && pages.AllocationBase != library) break;
    library = pages.AllocationBase;
    end = (uintptr_t)pages.BaseAddress + pages.RegionSize;
  }
  return library != NULL ? (size_t)(end - start) : SIZE_MAX;
}

/* The library that contains an address; NULL if none does. */
static HMODULE find_loaded_module(const void *address, DWORD flags) {
  HMODULE library = NULL;
  const WCHAR *place = address; /* that is how the function takes it */
  return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flags, place, &library)
             ? library
             : NULL;
}

void tvmffi_dl_keep(const void *address) {
  (void)find_loaded_module(address, GET_MODULE_HANDLE_EX_FLAG_PIN);
}

void tvmffi_dl_keep_own(void) {
  tvmffi_dl_keep(&exit_slot_made);
}

bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size) {
  WCHAR wide[kMaxWindowsPath];
  HMODULE library = find_loaded_module(address, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT);
  DWORD size;
  if (library == NULL) return false;
  size = GetModuleFileNameW(library, wide, kMaxWindowsPath);
  if (size == 0 || size >= kMaxWindowsPath) return false;
  return WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, out,
                             out_size > INT_MAX ? INT_MAX : (int)out_size, NULL, NULL) != 0;
}

/* ---- The stack ---- */

/* The call reads the thread's own block of memory, so there is nothing to gain by keeping bounds.
 */
size_t tvmffi_stack_left(void) {
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  ULONG_PTR lowest = 0, highest = 0;
  GetCurrentThreadStackLimits(&lowest, &highest);
  /* A coroutine runs on a stack of its own, unless it is a fiber. */
  if (address < lowest || address >= highest) return SIZE_MAX;
  return (size_t)(address - lowest);
}
