/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose names end in A take UTF-8, as do those of C: the program's manifest says so.
 * MinGW is the only compiler of Windows that this project is for. */
#include "system/system.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platform/win32.h"

/* ---- The clock ---- */

uint64_t clock_nanoseconds(void) {
  enum { kNanoseconds = 1000000000 };
  static uint64_t frequency; /* ticks per second */
  LARGE_INTEGER ticks;
  uint64_t count;
  if (frequency == 0) {
    (void)QueryPerformanceFrequency(&ticks);
    frequency = (uint64_t)ticks.QuadPart;
  }
  (void)QueryPerformanceCounter(&ticks);
  count = (uint64_t)ticks.QuadPart;
  /* In two parts, whose products do not overflow. */
  return count / frequency * kNanoseconds + count % frequency * kNanoseconds / frequency;
}

/* ---- The system's name ---- */

typedef LONG(WINAPI *version_function)(OSVERSIONINFOW *out);

/* GetVersion() tells a program of an older Windows than the real one unless its manifest names
 * that. */
static bool get_version(OSVERSIONINFOW *out) {
  const HMODULE library = GetModuleHandleA("ntdll.dll");
  const FARPROC found = library != NULL ? GetProcAddress(library, "RtlGetVersion") : NULL;
  version_function get;
  if (found == NULL) return false;
  memcpy(&get, &found, sizeof get);
  memset(out, 0, sizeof *out);
  out->dwOSVersionInfoSize = sizeof *out;
  return get(out) == 0;
}

static const char *name_processor(void) {
  SYSTEM_INFO info;
  GetNativeSystemInfo(&info);
  switch (info.wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_AMD64:
      return "x86_64";
    case PROCESSOR_ARCHITECTURE_ARM64:
      return "aarch64";
    case PROCESSOR_ARCHITECTURE_INTEL:
      return "i686";
    default:
      return "unknown processor";
  }
}

bool description_write(char *out, size_t out_size) {
  OSVERSIONINFOW version;
  if (!get_version(&version)) return false;
  snprintf(out, out_size, "Windows %lu.%lu.%lu %s", (unsigned long)version.dwMajorVersion,
           (unsigned long)version.dwMinorVersion, (unsigned long)version.dwBuildNumber,
           name_processor());
  return true;
}

/* ---- Paths, libraries and compilers ---- */

const system_traits kSystem = {
    .path_separators = "/\\",
    .has_drives = true,
    .runtime_library = "tvm_ffi.dll",
    .library_suffix = ".dll",
    .cuda_driver = "nvcuda.dll",
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"LOCALAPPDATA", "tvm-ffi"}},
    .c_compiler = "gcc",
    .cxx_compiler = "g++",
    /* Without -static, a library needs DLLs of the compiler beside it. */
    .library_flags = "-fvisibility=hidden -static",
    .cuda_library_flags = "",
    .archive_flags = {"-Wl,--whole-archive", "-Wl,--no-whole-archive"},
    .links_runtime = true,
};

/* ---- Places of files ---- */

static void write_slashes(char *path) {
  for (; *path != '\0'; ++path) {
    if (*path == '\\') *path = '/';
  }
}

bool own_program_find(char *out, size_t out_size) {
  const DWORD size = GetModuleFileNameA(NULL, out, (DWORD)out_size);
  if (size == 0 || size == out_size) return false;
  write_slashes(out);
  return true;
}

bool loaded_path_find(const void *address, char *out, size_t out_size) {
  (void)address;
  (void)out;
  (void)out_size;
  return false;
}

const char *temporary_folder(void) {
  enum { kMaxPath = 1024 };
  static char place[kMaxPath];
  const DWORD size = GetTempPathA(kMaxPath, place); /* it has a backslash at its end */
  if (size == 0 || size >= kMaxPath) return ".";
  place[size - 1] = '\0';
  return place;
}

/* ---- Files and folders ---- */

/* Sets errno to the reason of the last failed call of the system; returns false. */
static bool fail(void) {
  enum { kElevationRequired = 740 }; /* only an administrator may run it; not in all headers */
  static const struct {
    DWORD code;
    int number;
  } kReasons[] = {
      {ERROR_FILE_NOT_FOUND, ENOENT},
      {ERROR_PATH_NOT_FOUND, ENOENT},
      {ERROR_INVALID_NAME, ENOENT},
      {ERROR_BAD_NETPATH, ENOENT},
      {ERROR_BAD_PATHNAME, ENOENT},
      {ERROR_ACCESS_DENIED, EACCES},
      {ERROR_LOCK_VIOLATION, EACCES},
      {ERROR_SHARING_VIOLATION, EACCES},
      {ERROR_WRITE_PROTECT, EROFS},
      {ERROR_ALREADY_EXISTS, EEXIST},
      {ERROR_FILE_EXISTS, EEXIST},
      {ERROR_DISK_FULL, ENOSPC},
      {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
      {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
      {ERROR_DIRECTORY, ENOTDIR},
      {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
      {kElevationRequired, EACCES},
      {ERROR_BAD_EXE_FORMAT, ENOEXEC},
      {ERROR_EXE_MACHINE_TYPE_MISMATCH, ENOEXEC},
      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
  };
  const DWORD code = GetLastError();
  size_t i;
  errno = EIO;
  for (i = 0; i < sizeof kReasons / sizeof *kReasons; ++i) {
    if (kReasons[i].code == code) errno = kReasons[i].number;
  }
  return false;
}

/* The system counts steps of 100 nanoseconds since 1601. */
static int64_t in_nanoseconds(FILETIME time) {
  const int64_t steps = (int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
  const int64_t steps_until_1970 = INT64_C(116444736000000000);
  return (steps - steps_until_1970) * 100;
}

void host_name_write(char *out, size_t out_size) {
  char name[MAX_COMPUTERNAME_LENGTH + 1] = "";
  DWORD size = sizeof name;
  if (!GetComputerNameA(name, &size)) name[0] = '\0';
  snprintf(out, out_size, "%s", name);
}

uint64_t random_number(void) {
  LARGE_INTEGER ticks;
  FILETIME now;
  QueryPerformanceCounter(&ticks);
  GetSystemTimeAsFileTime(&now);
  return (uint64_t)ticks.QuadPart * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)in_nanoseconds(now) ^
         (uint64_t)GetCurrentProcessId() << 32;
}

/* Pipes and consoles have neither size nor number. */
static bool get_status(HANDLE file, file_status *out) {
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
  good = get_status(file, out);
  CloseHandle(file);
  return good;
}

bool file_status_get_open(FILE *file, file_status *out) {
  return get_status((HANDLE)_get_osfhandle(_fileno(file)), out);
}

bool file_status_is_same(const file_status *a, const file_status *b) {
  return a->number != 0 && a->device == b->device && a->number == b->number;
}

int64_t file_clock(void) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return in_nanoseconds(now);
}

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

/* The absolute path has slashes. */
char *file_resolve(const char *path) {
  enum { kMaxPath = 4096 };
  static const char kPrefix[] = "\\\\?\\", kNetwork[] = "\\\\?\\UNC\\";
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES);
  char *found = malloc(kMaxPath), *begin = found;
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
  write_slashes(found);
  return found;
}

bool file_read_link(const char *path, char *out, size_t out_size) {
  const DWORD attributes = GetFileAttributesA(path);
  char *target = NULL;
  bool good;
  if (attributes == INVALID_FILE_ATTRIBUTES) return fail();
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) target = file_resolve(path);
  good = target != NULL && strlen(target) < out_size;
  if (good) strcpy(out, target);
  free(target);
  return good;
}

static bool is_below_link(const char *path) {
  char folder[4096], target[4096];
  size_t size = strlen(path);
  while (size > 0 && (strchr)("/\\", path[size - 1]) == NULL) --size;
  while (size > 0 && (strchr)("/\\", path[size - 1]) != NULL) --size;
  if (size == 0 || size >= sizeof folder) return false;
  memcpy(folder, path, size);
  folder[size] = '\0';
  return file_read_link(folder, target, sizeof target);
}

FILE *file_open_regular(const char *path, file_links links) {
  char target[4096];
  file_status status;
  FILE *file;
  if ((links != kLinksFollowed && file_read_link(path, target, sizeof target)) ||
      (links == kLinksAbove && is_below_link(path))) {
    errno = ELOOP;
    return NULL;
  }
  file = fopen(path, "rb");
  if (file == NULL) {
    const int reason = errno;
    /* Windows says of a folder that it may not be opened. */
    errno = file_status_get(path, &status) && !status.is_regular ? ESPIPE : reason;
    return NULL;
  }
  if (file_status_get_open(file, &status) && status.is_regular) return file;
  fclose(file);
  errno = ESPIPE;
  return NULL;
}

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

/* Files and folders of Windows have the rights of the folder that they are in. */
bool file_make_private(const char *path) {
  (void)path;
  return true;
}

bool folder_make(const char *path, bool is_private) {
  (void)is_private;
  return _mkdir(path) == 0;
}

bool folder_is_own(const char *path) {
  (void)path;
  return true;
}

bool folder_remove(const char *path) {
  return _rmdir(path) == 0;
}

/* There are no files in memory. */
bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]) {
  (void)bytes;
  (void)size;
  (void)out_path;
  return false;
}

/* ---- Memory ---- */

static void *allocate(void *begin, size_t size, DWORD kind, DWORD access) {
  void *got = VirtualAlloc(begin, size, kind, access);
  if (got == NULL) errno = ENOMEM;
  return got;
}

size_t pages_size(void) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  return system.dwPageSize;
}

void *pages_reserve(size_t size) {
  return allocate(NULL, size, MEM_RESERVE, PAGE_NOACCESS);
}

static bool protect(void *begin, size_t size, DWORD access) {
  DWORD old;
  if (VirtualProtect(begin, size, access, &old)) return true;
  errno = ENOMEM;
  return false;
}

/* Pages that are committed already keep what they have, and their protection. */
bool pages_open(void *begin, size_t size) {
  return allocate(begin, size, MEM_COMMIT, PAGE_READWRITE) != NULL &&
         protect(begin, size, PAGE_READWRITE);
}

bool pages_open_read(void *begin, size_t size) {
  return protect(begin, size, PAGE_READONLY);
}

bool pages_close(void *begin, size_t size) {
  return protect(begin, size, PAGE_NOACCESS);
}

bool pages_discard(void *begin, size_t size) {
  return size == 0 || VirtualFree(begin, size, MEM_DECOMMIT) != 0;
}

void pages_release(void *begin, size_t size) {
  (void)size;
  (void)VirtualFree(begin, 0, MEM_RELEASE);
}

void *pages_share(size_t size) {
  return allocate(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *aligned_block(size_t size, size_t alignment) {
  return _aligned_malloc(size > 0 ? size : 1, alignment);
}

void aligned_free(void *block) {
  _aligned_free(block);
}

/* ---- Descriptors ---- */

/* Chooses whether processes that are started from now on have the handle, too. Returns it. */
static HANDLE handle_inherit(HANDLE handle, bool is_inherited) {
  (void)SetHandleInformation(handle, HANDLE_FLAG_INHERIT, is_inherited ? HANDLE_FLAG_INHERIT : 0);
  return handle;
}

/* The C library keeps the numbers of closed standard streams itself. */
void descriptors_prepare(void) {
  int fd;
  for (fd = kDescriptorInput; fd <= kDescriptorErrors; ++fd) (void)_setmode(fd, _O_BINARY);
  _fmode = _O_BINARY;
}

/* The C library has no way to ask for a high number. */
int descriptor_copy(int descriptor) {
  const int copy = _dup(descriptor);
  if (copy >= 0) (void)handle_inherit((HANDLE)_get_osfhandle(copy), false);
  return copy;
}

FILE *descriptor_copy_stream(int descriptor) {
  int copy = descriptor_copy(descriptor);
  return copy >= 0 ? _fdopen(copy, "wb") : NULL;
}

void descriptor_replace(int target, int source) {
  (void)_dup2(source, target);
}

void descriptor_end_input(void) {
  int nothing = _open("NUL", _O_RDONLY | _O_BINARY);
  if (nothing > kDescriptorInput) {
    (void)_dup2(nothing, kDescriptorInput);
    (void)_close(nothing);
  }
}

void descriptor_close(int descriptor) {
  (void)_close(descriptor);
}

/* Consoles obey since Windows 10, once they are told to. */
bool descriptor_is_terminal(int descriptor) {
  HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
  DWORD mode;
  return GetConsoleMode(handle, &mode) != 0 &&
         SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

/* ---- Events that end the program ---- */

static void (*cleans[kMaxCleans])(void);
static int num_cleans;
static CRITICAL_SECTION lock; /* for both, and for what they clean up */
static bool has_lock;

/* Runs in a thread of its own; the next handler, which is the system's, ends the program. It keeps
 * the lock, so that the program does not go on with what is cleaned up. */
static BOOL WINAPI clean_and_go_on(DWORD event) {
  int i;
  (void)event;
  EnterCriticalSection(&lock);
  for (i = num_cleans; i > 0; --i) cleans[i - 1]();
  return FALSE;
}

void signals_block(void) {
  if (has_lock) EnterCriticalSection(&lock);
}

void signals_unblock(void) {
  if (has_lock) LeaveCriticalSection(&lock);
}

void signals_catch(void (*clean)(void)) {
  if (!has_lock) InitializeCriticalSection(&lock);
  has_lock = true;
  signals_block();
  cleans[num_cleans++] = clean;
  signals_unblock();
  if (num_cleans == 1) (void)SetConsoleCtrlHandler(clean_and_go_on, TRUE);
}

void signals_restore(void) {
  signals_block();
  --num_cleans;
  signals_unblock();
  /* Without the lock: it waits until no handler runs. */
  if (num_cleans == 0) (void)SetConsoleCtrlHandler(clean_and_go_on, FALSE);
}

/* Writing always fails. */
void signals_ignore_writes(bool with_pipes) {
  (void)with_pipes;
}

void signals_restore_writes(void) {}

/* ---- Faults ---- */

static void (*look_at)(const void *address);

static LONG CALLBACK on_fault(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  /* Its parameters are the kind of access and the address. */
  if (record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record->NumberParameters >= 2) {
    look_at((const void *)record->ExceptionInformation[1]);
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

void faults_watch(void (*look)(const void *address)) {
  const bool is_first = true; /* before the handlers of others */
  look_at = look;
  (void)AddVectoredExceptionHandler(is_first, on_fault);
}

/* ---- Command line ---- */

/* Keeps the start files of MinGW from replacing words of our own command line that have a * or ? by
 * names of files. */
int _dowildcard = 0;

/* ---- Other programs ---- */

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
    if (folder_size > 0) memcpy(path, folder, folder_size);
    snprintf(path + folder_size, size - folder_size, "%s%s%s", folder_size > 0 ? "\\" : "", name,
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

/* Starts the program; false with errno set. */
static bool start_program(const char *program, char *line, HANDLE *out) {
  STARTUPINFOA startup;
  PROCESS_INFORMATION started;
  HANDLE nothing = CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                               OPEN_EXISTING, 0, NULL);
  bool good;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = handle_inherit(nothing, true);
  startup.hStdOutput = handle_inherit(GetStdHandle(STD_ERROR_HANDLE), true);
  startup.hStdError = startup.hStdOutput;
  good = CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started);
  if (good) {
    (void)CloseHandle(started.hThread);
    *out = started.hProcess;
  } else {
    (void)fail();
    if (errno == ENAMETOOLONG) errno = E2BIG; /* the command line is */
  }
  (void)CloseHandle(nothing);
  return good;
}

bool launch_run(char *const *words, launch_end *out) {
  char *program = launch_find(words[0]), *line = command_line_write(words);
  HANDLE process;
  DWORD code = 0;
  bool is_started;
  int reason;
  errno = program == NULL ? ENOENT : ENOMEM;
  is_started = program != NULL && line != NULL && start_program(program, line, &process);
  reason = errno;
  free(program);
  free(line);
  errno = reason;
  if (!is_started) return false;
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

/* ---- The child process: what it calls itself ---- */

enum { kErrorModes = SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX };

/* In the child's environment: the number of its handle of the shared memory. */
static const char kVariable[] = "TVM_FFI_TOOL_SHARED";

void child_end_strays(int exit_code) {
  (void)exit_code; /* processes are not copied */
}

/* Unlike ExitProcess(), it calls nothing of any library. */
void child_exit(int exit_code) {
  (void)TerminateProcess(GetCurrentProcess(), (UINT)exit_code);
}

/* Otherwise the exit code would be 3, which programs choose, too. */
static void end_aborted(int signal_number) {
  const UINT kFatalAppExit = 0x40000015;
  (void)signal_number;
  (void)TerminateProcess(GetCurrentProcess(), kFatalAppExit);
}

/* Otherwise the system first looks for a debugger, or writes a dump. */
static LONG WINAPI end_crashed(EXCEPTION_POINTERS *exception) {
  (void)TerminateProcess(GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
  return EXCEPTION_EXECUTE_HANDLER;
}

/* Lets end_crashed() run after an overflow of the main thread's stack. */
static void reserve_stack(void) {
  ULONG size = 1 << 14;
  (void)SetThreadStackGuarantee(&size);
}

void *child_find_shared(size_t shared_size) {
  const char *number = getenv(kVariable);
  void *shared = NULL;
  if (number != NULL) {
    HANDLE mapping = (HANDLE)(uintptr_t)strtoull(number, NULL, 10);
    shared = MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, shared_size);
    if (shared != NULL) (void)CloseHandle(mapping);
  }
  if (shared == NULL) return NULL;
  /* Processes that are started from here are no such children. */
  (void)SetEnvironmentVariableA(kVariable, NULL);
  (void)SetErrorMode(kErrorModes);
  (void)SetUnhandledExceptionFilter(end_crashed);
  reserve_stack();
  (void)signal(SIGABRT, end_aborted);
  return shared;
}

/* ---- The child process: what its parent calls ---- */

static HANDLE child, job;

static void *share(size_t size, HANDLE *out_mapping) {
  SECURITY_ATTRIBUTES inherited;
  void *shared;
  memset(&inherited, 0, sizeof inherited);
  inherited.nLength = sizeof inherited;
  inherited.bInheritHandle = TRUE;
  *out_mapping =
      CreateFileMappingA(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE, 0, (DWORD)size, NULL);
  if (*out_mapping == NULL) return NULL;
  shared = MapViewOfFile(*out_mapping, FILE_MAP_ALL_ACCESS, 0, 0, size);
  if (shared == NULL) (void)CloseHandle(*out_mapping);
  return shared;
}

/* All processes in the job end when its last handle is closed, which is when this process ends. */
static HANDLE make_job(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  HANDLE made = CreateJobObjectA(NULL, NULL);
  memset(&limits, 0, sizeof limits);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  (void)SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return made;
}

/* Starts this program with the command line `line`. */
static bool start_child_with(WCHAR *line) {
  enum { kMaxPath = 4096 };
  static WCHAR program[kMaxPath];
  STARTUPINFOW startup;
  PROCESS_INFORMATION started;
  const DWORD size = GetModuleFileNameW(NULL, program, kMaxPath);
  if (size == 0 || size >= kMaxPath) return false;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = handle_inherit(GetStdHandle(STD_INPUT_HANDLE), true);
  startup.hStdOutput = handle_inherit(GetStdHandle(STD_OUTPUT_HANDLE), true);
  startup.hStdError = handle_inherit(GetStdHandle(STD_ERROR_HANDLE), true);
  if (!CreateProcessW(program, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup,
                      &started)) {
    return false;
  }
  child = started.hProcess;
  job = make_job();
  (void)AssignProcessToJobObject(job, child);
  (void)ResumeThread(started.hThread);
  (void)CloseHandle(started.hThread);
  return true;
}

/* The command line is passed on as this process got it, in a copy, for the system may write to
 * it. */
static bool start_child(void) {
  const WCHAR *given = GetCommandLineW();
  WCHAR *line = malloc((wcslen(given) + 1) * sizeof *line);
  bool is_started;
  if (line == NULL) return false;
  is_started = start_child_with(wcscpy(line, given));
  free(line);
  return is_started;
}

void *child_restart(size_t shared_size, char *out_reason, size_t reason_size) {
  char number[24];
  HANDLE mapping;
  void *shared = share(shared_size, &mapping);
  bool is_started = false;
  DWORD error;
  if (shared != NULL) {
    snprintf(number, sizeof number, "%llu", (unsigned long long)(uintptr_t)mapping);
    (void)SetEnvironmentVariableA(kVariable, number);
    is_started = start_child();
  }
  error = GetLastError();
  if (shared != NULL) {
    (void)SetEnvironmentVariableA(kVariable, NULL);
    (void)CloseHandle(mapping);
  }
  if (is_started) return shared;
  if (shared != NULL) (void)UnmapViewOfFile(shared);
  snprintf(out_reason, reason_size, "error %lu of Windows", (unsigned long)error);
  return NULL;
}

child_state child_look(int *out_code) {
  DWORD code;
  if (WaitForSingleObject(child, 0) == WAIT_TIMEOUT) return kChildRuns;
  if (!GetExitCodeProcess(child, &code)) code = 0;
  *out_code = (int)code;
  return exception_is_code(code) ? kChildCrashed : kChildExited;
}

void child_nap(int milliseconds) {
  (void)WaitForSingleObject(child, (DWORD)milliseconds);
}

void child_kill(void) {
  if (child == NULL) return;
  (void)TerminateJobObject(job, 1);
  (void)TerminateProcess(child, 1);       /* if it is not in the job */
  (void)WaitForSingleObject(child, 1000); /* its files cannot be removed before */
}

void child_forget(void) {
  (void)TerminateJobObject(job, 1);
  (void)CloseHandle(job);
  (void)CloseHandle(child);
  child = NULL;
}

void child_end_output(void) {} /* it is shown while it is printed */

const char *child_crash_name(int code) {
  return exception_name((uint32_t)code);
}

void child_end_alike(int code) {
  const uint32_t kControlC = 0xC000013A;
  if ((uint32_t)code == kControlC) ExitProcess(kControlC);
}

/* ---- This program on another runtime ---- */

bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  (void)words;
  (void)library;
  (void)variables;
  (void)out_status;
  snprintf(out_reason, reason_size, "only Linux preloads a library");
  return false;
}

void program_end_like(int status) {
  exit(status);
}

bool program_has_failed(int status) {
  return status != 0;
}

void program_replace_runtime(const char *library, char *out_reason, size_t reason_size) {
  (void)library;
  snprintf(out_reason, reason_size, "only Linux lets a program run on another one");
}

bool program_has_replaced_runtime(const char *library) {
  (void)library;
  return false;
}
