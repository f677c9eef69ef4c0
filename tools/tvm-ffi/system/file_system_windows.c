/* SPDX-License-Identifier: Apache-2.0 */
/* The functions whose names end in A take UTF-8, as do those of C: the program's manifest says so.
 */
#include "system/file_system.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platform/win32.h"

/* ---- Errors ---- */

/* Sets errno to the reason of the last failed call of the system; returns false. */
static bool fail(void) {
  static const struct {
    DWORD code;
    int number;
  } kReasons[] = {
      {ERROR_FILE_NOT_FOUND, ENOENT},   {ERROR_PATH_NOT_FOUND, ENOENT},
      {ERROR_INVALID_NAME, ENOENT},     {ERROR_BAD_NETPATH, ENOENT},
      {ERROR_BAD_PATHNAME, ENOENT},     {ERROR_ACCESS_DENIED, EACCES},
      {ERROR_LOCK_VIOLATION, EACCES},   {ERROR_SHARING_VIOLATION, EACCES},
      {ERROR_WRITE_PROTECT, EROFS},     {ERROR_ALREADY_EXISTS, EEXIST},
      {ERROR_FILE_EXISTS, EEXIST},      {ERROR_DISK_FULL, ENOSPC},
      {ERROR_DIR_NOT_EMPTY, ENOTEMPTY}, {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
      {ERROR_DIRECTORY, ENOTDIR},       {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
  };
  const DWORD code = GetLastError();
  size_t i;
  errno = EIO;
  for (i = 0; i < sizeof kReasons / sizeof *kReasons; ++i) {
    if (kReasons[i].code == code) errno = kReasons[i].number;
  }
  return false;
}

/* ---- What a file is ---- */

/* The system counts steps of 100 nanoseconds since 1601. */
static int64_t in_nanoseconds(FILETIME time) {
  const int64_t steps = (int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
  const int64_t steps_until_1970 = INT64_C(116444736000000000);
  return (steps - steps_until_1970) * 100;
}

/* Pipes and consoles have neither size nor number. */
static bool look_at(HANDLE file, file_status *out) {
  BY_HANDLE_FILE_INFORMATION status;
  const DWORD type = GetFileType(file);
  memset(out, 0, sizeof *out);
  out->is_characters = type == FILE_TYPE_CHAR;
  if (type != FILE_TYPE_DISK) return type != FILE_TYPE_UNKNOWN || fail();
  if (!GetFileInformationByHandle(file, &status)) return fail();
  out->is_folder = (status.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  out->is_regular = !out->is_folder;
  out->device = status.dwVolumeSerialNumber;
  out->number = (uint64_t)status.nFileIndexHigh << 32 | status.nFileIndexLow;
  out->size = (uint64_t)status.nFileSizeHigh << 32 | status.nFileSizeLow;
  out->written = in_nanoseconds(status.ftLastWriteTime);
  return true;
}

/* Opens a file or a folder to ask about it or to change its attributes. */
static HANDLE open_handle(const char *path, DWORD access) {
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return CreateFileA(path, access, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

bool file_status_get(const char *path, file_status *out) {
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES);
  bool good;
  if (file == INVALID_HANDLE_VALUE) return fail();
  good = look_at(file, out);
  CloseHandle(file);
  return good;
}

bool file_status_get_open(FILE *file, file_status *out) {
  return look_at((HANDLE)_get_osfhandle(_fileno(file)), out);
}

bool file_status_is_same(const file_status *a, const file_status *b) {
  return a->number != 0 && a->device == b->device && a->number == b->number;
}

int64_t file_clock(void) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return in_nanoseconds(now);
}

/* ---- Rights ---- */

enum { kMayExist = 0, kMayWrite = 2, kMayRead = 4 }; /* of _access() */

bool file_exists(const char *path) {
  return _access(path, kMayExist) == 0;
}

bool file_can_read(const char *path) {
  return _access(path, kMayRead) == 0;
}

bool file_can_write(const char *path) {
  return _access(path, kMayWrite) == 0;
}

/* Of a folder, the system tells only by making a file in it. */
bool folder_can_write(const char *path) {
  file_status status;
  if (!file_status_get(path, &status)) return false;
  if (status.is_folder) return true;
  errno = ENOTDIR;
  return false;
}

/* ---- Links ---- */

/* The absolute path of what a path leads to, with slashes; release with free(). */
static char *find_final(const char *path) {
  enum { kMaxPath = 4096 };
  static const char kPrefix[] = "\\\\?\\", kNetwork[] = "\\\\?\\UNC\\";
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES);
  char *found = malloc(kMaxPath), *begin = found, *at;
  DWORD size = 0;
  if (file != INVALID_HANDLE_VALUE) {
    if (found != NULL) {
      size = GetFinalPathNameByHandleA(file, found, kMaxPath, FILE_NAME_NORMALIZED);
    }
    CloseHandle(file);
  }
  if (size == 0 || size >= kMaxPath) {
    fail();
    free(found);
    return NULL;
  }
  if (strncmp(found, kNetwork, sizeof kNetwork - 1) == 0) {
    begin = found + sizeof kNetwork - 3; /* a share begins with two slashes */
    *begin = '\\';
  } else if (strncmp(found, kPrefix, sizeof kPrefix - 1) == 0) {
    begin = found + sizeof kPrefix - 1;
  }
  memmove(found, begin, strlen(begin) + 1);
  for (at = found; *at != '\0'; ++at) {
    if (*at == '\\') *at = '/';
  }
  return found;
}

bool file_read_link(const char *path, char *out, size_t out_size) {
  const DWORD attributes = GetFileAttributesA(path);
  char *target = NULL;
  bool good;
  if (attributes == INVALID_FILE_ATTRIBUTES) return fail();
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) target = find_final(path);
  good = target != NULL && strlen(target) < out_size;
  if (good) strcpy(out, target);
  free(target);
  return good;
}

char *file_resolve(const char *path) {
  return find_final(path);
}

/* ---- Changes ---- */

/* Rights are those that the folder gives to new files. Unlike a file of _open(), it can be removed
 * before it is closed, as it is when the program is ended meanwhile. */
FILE *file_create(const char *path, const char *old) {
  const HANDLE handle = CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  int file;
  (void)old;
  if (handle == INVALID_HANDLE_VALUE) {
    fail();
    return NULL;
  }
  file = _open_osfhandle((intptr_t)handle, _O_BINARY);
  if (file < 0) {
    CloseHandle(handle);
    return NULL;
  }
  return _fdopen(file, "wb");
}

bool file_rename(const char *path, const char *name) {
  return MoveFileExA(path, name, MOVEFILE_REPLACE_EXISTING) || fail();
}

void file_touch(const char *path) {
  const HANDLE file = open_handle(path, FILE_WRITE_ATTRIBUTES);
  FILETIME now;
  if (file == INVALID_HANDLE_VALUE) return;
  GetSystemTimeAsFileTime(&now);
  SetFileTime(file, NULL, &now, &now);
  CloseHandle(file);
}

/* Folders of Windows have the rights of those above them. */
bool folder_make(const char *path, bool is_private) {
  (void)is_private;
  return _mkdir(path) == 0;
}

bool folder_remove(const char *path) {
  return _rmdir(path) == 0;
}
