/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/win32.h"
#include "system/child.h"
#include "system/child_restart.h"
#include "system/exceptions_windows.h"
#include "system/handles_windows.h"

enum { kErrorModes = SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX };

/* In the child's environment: the number of its handle of the shared memory. */
static const char kVariable[] = "TVM_FFI_TOOL_SHARED";

/* ---- In the child ---- */

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

/* ---- In the parent ---- */

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
static bool start_with(WCHAR *line) {
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
static bool start(void) {
  const WCHAR *given = GetCommandLineW();
  WCHAR *line = malloc((wcslen(given) + 1) * sizeof *line);
  bool is_started;
  if (line == NULL) return false;
  is_started = start_with(wcscpy(line, given));
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
    is_started = start();
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

const char *child_crash_name(int code) {
  return exception_name((uint32_t)code);
}

void child_end_alike(int code) {
  const uint32_t kControlC = 0xC000013A;
  if ((uint32_t)code == kControlC) ExitProcess(kControlC);
}
