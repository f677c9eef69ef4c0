/* SPDX-License-Identifier: Apache-2.0 */
/* Describes this library and system, for bug reports. */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/install_paths.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "build_info.h"
#include "commands/commands.h"
#include "library/library.h"
#include "platform/platform.h"
#include "system/system.h"

static bool as_json;

/* ---- Printing a fact: as a line of text or in JSON ---- */

static void say(const char *key, const char *label, const char *value) {
  if (as_json) {
    json_text(key, value);
  } else {
    printf("%-17s ", label);
    text_print_escaped(stdout, value != NULL ? value : "unknown");
    putchar('\n');
  }
}

static void say_int(const char *key, const char *label, int64_t value) {
  if (as_json) {
    json_int(key, value);
  } else {
    printf("%-17s %lld\n", label, (long long)value);
  }
}

/* The same; frees the text. */
static void say_taken(const char *key, const char *label, char *value) {
  say(key, label, value);
  free(value);
}

/* ---- Facts ---- */

static char *describe_compiler(void) {
#if defined(__clang__)
  return tool_format("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return tool_format("gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return tool_format("unknown");
#endif
}

static char *describe_system(void) {
  const uint16_t probe = 1;
  const char *order = *(const unsigned char *)&probe == 1 ? "little" : "big";
  char name[256];
  if (!description_write(name, sizeof name)) return tool_format("%s-endian", order);
  return tool_format("%s, %s-endian", name, order);
}

/* Whether the library in use is CXX_LIBRARY, which has this function, and the helper built in. */
static bool has_cxx_functions(void) {
  const char *const no_others[] = {NULL};
  return tvmffi_dl_find_loaded("_ZN3tvm3ffi8DeepCopyERKNS0_3AnyE", no_others) != NULL;
}

/* Whether the library has the C++ functions, or which library installed with it has them. */
static char *describe_cxx_functions(const char *used) {
  char *cxx_library = path_beside(used != NULL ? used : "", CXX_LIBRARY);
  char *said = has_cxx_functions() ? tool_format("in the library")
               : file_exists(cxx_library)
                   ? tool_format("not in the library, but in %s", cxx_library)
                   : tool_format("not in the library");
  free(cxx_library);
  return said;
}

/* The helper's path beside the library, or its name if it is found elsewhere, or that it is
 * missing; *exit_code is not kExitOk if loading it failed badly. */
static char *describe_cxx_helper(const char *used, int *exit_code) {
  static const char kName[] = "libtvm_ffi_cxx.so";
  char *path;
  bool loads;
  *exit_code = kExitOk;
  if (has_cxx_functions()) return tool_format("in the library");
  path = path_beside(used != NULL ? used : "", kName);
  *exit_code = ask_to_load(path, &loads);
  if (loads) return path;
  free(path);
  if (*exit_code == kExitOk) *exit_code = ask_to_load(kName, &loads);
  if (loads) return tool_format("%s, where libraries are looked for", kName);
  if (*exit_code != kExitOk) return tool_format("broken: modules written in C++ cannot be called");
  return tool_format("not found: modules written in C++ cannot be called");
}

static char *format_version(uint32_t major, uint32_t minor, uint32_t patch) {
  return tool_format("%u.%u.%u", (unsigned)major, (unsigned)minor, (unsigned)patch);
}

static const char *find_profile(void) {
  TVMFFIObjectHandle function = NULL;
  bool full = tvm_ffi_function_find_global("ffi.Array", &function) == 0 && function != NULL;
  tvm_ffi_object_release(function);
  return full ? "full" : "core";
}

static int command_info(const arguments *args) {
  TVMFFIVersion version;
  int64_t num_functions = 0;
  char *used;
  int code;
  if (ask_command(0, &code)) return code;
  used = install_path_of_library();
  TVMFFIGetVersion(&version);
  as_json = arguments_has(args, kOptionJson);
  if (!registered_count_functions(&num_functions)) {
    runtime_error_report("tvm-ffi info", false);
    free(used);
    return kExitRaised;
  }
  if (as_json) json_begin_object(NULL);
  say_taken("abi_version", "ABI version",
            format_version(version.major, version.minor, version.patch));
  say_taken("header_version", "headers",
            format_version(TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH));
  say_taken("dlpack_version", "DLPack version",
            tool_format("%d.%d", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
  say("profile", "profile", find_profile());
  say("library", "library", used);
  say_taken("cxx_helper", "C++ helper", describe_cxx_helper(used, &code));
  say_taken("cxx_functions", "C++ functions", describe_cxx_functions(used));
  say("backtraces", "backtraces",
      TOOL_BACKTRACES ? "there, off until switched on" : "not in this build");
  say_int("types", "types", registered_count_types());
  say_int("global_functions", "global functions", num_functions);
  say_int("first_registered_type", "own types from", kTVMFFIDynObjectBegin);
  say_int("text_in_place", "text in a value", (int64_t)sizeof(int64_t) - 1);
  say_int("pointer_bits", "pointer bits", (int64_t)sizeof(void *) * 8);
  say_taken("system", "system", describe_system());
  say_taken("compiler", "compiler", describe_compiler());
  say("build_options", "build options", TOOL_OPTIONS);
  if (as_json) json_end();
  free(used);
  return code;
}

/* ---- Options and help ---- */

static const option kNoOptions[] = {{kOptionNone, NULL, 0, NULL, false, NULL}};

const command kInfoCommand = {
    .name = "info",
    .operands = "",
    .summary = "Describe this library, to paste into a report",
    .options = kNoOptions,
    .run = command_info,
};
