/* SPDX-License-Identifier: Apache-2.0 */
#include "system/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/win32.h"
#include "system/command_line.h"
#include "system/exceptions_windows.h"
#include "system/handles_windows.h"

/* ---- Finding ---- */

static bool is_file(const char *path) {
  const DWORD attributes = GetFileAttributesA(path);
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/* The absolute path of a file in a folder, or by its own path if folder_size is 0. */
static char *find_file(const char *folder, size_t folder_size, const char *name,
                       const char *suffix) {
  enum { kMaxPath = 4096 };
  const size_t size = folder_size + strlen(name) + strlen(suffix) + 2;
  char *path = malloc(size), *found = malloc(kMaxPath);
  if (path != NULL && found != NULL) {
    snprintf(path, size, "%.*s%s%s%s", (int)folder_size, folder, folder_size > 0 ? "\\" : "", name,
             suffix);
    if (is_file(path)) {
      const DWORD length = GetFullPathNameA(path, kMaxPath, found, NULL);
      if (length > 0 && length < kMaxPath) {
        free(path);
        return found;
      }
    }
  }
  free(path);
  free(found);
  return NULL;
}

/* Of the suffixes that a shell adds, only this one is of a program that the system runs itself. */
static char *find_program(const char *folder, size_t folder_size, const char *name) {
  char *found = find_file(folder, folder_size, name, ".exe");
  return found != NULL ? found : find_file(folder, folder_size, name, "");
}

char *launch_find(const char *name) {
  const char *folders = getenv("PATH");
  if (strpbrk(name, "/\\:") != NULL) return find_program("", 0, name);
  while (folders != NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ";");
    char *found = size > 0 ? find_program(folders, size, name) : NULL;
    if (found != NULL) return found;
    folders += size + (folders[size] == ';');
  }
  return NULL;
}

/* ---- Running ---- */

static int to_errno(DWORD error) {
  enum { kElevationRequired = 740 }; /* only an administrator may run it; not in all headers */
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case kElevationRequired:
      return EACCES;
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
      return ENOEXEC;
    case ERROR_FILENAME_EXCED_RANGE: /* the command line is too long */
      return E2BIG;
    case ERROR_NOT_ENOUGH_MEMORY:
      return ENOMEM;
    default:
      return EIO;
  }
}

/* Starts the program; 0, or the number of an error. */
static int start(const char *program, char *line, HANDLE *out) {
  STARTUPINFOA startup;
  PROCESS_INFORMATION started;
  HANDLE nothing = CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                               OPEN_EXISTING, 0, NULL);
  int code = 0;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = handle_inherit(nothing, true);
  startup.hStdOutput = handle_inherit(GetStdHandle(STD_ERROR_HANDLE), true);
  startup.hStdError = startup.hStdOutput;
  if (CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started)) {
    (void)CloseHandle(started.hThread);
    *out = started.hProcess;
  } else {
    code = to_errno(GetLastError());
  }
  (void)CloseHandle(nothing);
  return code;
}

bool launch_run(char *const *words, launch_end *out) {
  char *program = launch_find(words[0]), *line = command_line_write(words);
  HANDLE process;
  DWORD code = 0;
  int error = program == NULL ? ENOENT : line == NULL ? ENOMEM : start(program, line, &process);
  free(program);
  free(line);
  errno = error;
  if (error != 0) return false;
  (void)WaitForSingleObject(process, INFINITE);
  (void)GetExitCodeProcess(process, &code);
  (void)CloseHandle(process);
  out->code = (int)code;
  out->ended[0] = '\0';
  if (exception_is_code(code)) {
    snprintf(out->ended, sizeof out->ended, "%s", exception_name(code));
  }
  return true;
}
