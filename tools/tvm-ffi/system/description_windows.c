/* SPDX-License-Identifier: Apache-2.0 */
#include "system/description.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/win32.h"

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
