/* SPDX-License-Identifier: Apache-2.0 */
#include "library/library_argument.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/install_paths.h"
#include "base/report.h"
#include "build_info.h"
#include "system/system.h"

/* With the shared library they are weak, because another runtime in its place may lack them. With
 * the archive they are not, because the linker would not take them from it. */
#if TOOL_SHARED && defined(__ELF__)
#pragma weak TVMFFIRuntimeSetMemoryHooks
#pragma weak TVMFFIRuntimeSetLiveObjectCounting
#pragma weak TVMFFIRuntimeGetLiveObjectCount
#define HAS_OWN (TVMFFIRuntimeSetMemoryHooks != NULL)
#else
#define HAS_OWN true
#endif

/* Whether the library is the one whose functions this process calls. */
static bool is_used(const char *library) {
  char *used = install_path_of_library();
  file_status a, b;
  bool same = used != NULL && file_status_get(used, &a) && file_status_get(library, &b) &&
              file_status_is_same(&a, &b);
  free(used);
  return same;
}

bool other_runtime_use(const char *library, int *out_code) {
  char *path = file_resolve(library), reason[256];
  bool good = false;
  *out_code = kExitLoad;
  if (path == NULL) {
    report_error("--runtime=%s: %s", library, strerror(errno));
  } else if (program_has_replaced_runtime(path) || is_used(path)) {
    good = is_used(path);
    if (!good) {
      report_error("--runtime=%s: this program, or the system, does not use it%s", library,
                   TOOL_SHARED ? "" : ": the program has a runtime linked in");
    }
  } else {
    program_replace_runtime(path, reason, sizeof reason);
    report_error("--runtime=%s: %s", library, reason);
  }
  free(path);
  return good;
}

bool own_runtime_is_used(void) {
  return HAS_OWN;
}

bool own_runtime_set_memory_hooks(const TVMFFIRuntimeMemoryHooks *hooks) {
  return TVMFFIRuntimeSetMemoryHooks(hooks) == 0;
}

void own_runtime_count_objects(bool enabled) {
  TVMFFIRuntimeSetLiveObjectCounting(enabled);
}

int64_t own_runtime_get_object_count(int32_t type_index) {
  return TVMFFIRuntimeGetLiveObjectCount(type_index);
}
