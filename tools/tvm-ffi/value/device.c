/* SPDX-License-Identifier: Apache-2.0 */
#include "value/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/install_paths.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "process/supervise.h"
#include "system/system.h"

/* Of the device that was opened last, and the only one. */
static struct {
  const tvm_ffi_device_plugin *plugin;
  char *name;                /* of the plugin's file, or "CUDA" */
  TVMFFIObjectHandle module; /* that file's; NULL: none was loaded */
  DLDevice device;
  TVMFFIStreamHandle stream;
  void *unread; /* the message of the first copy from the device that failed, for threads that
                   read and replace it at once; NULL: none did */
} opened;

/* ---- Plugins in files ---- */

/* Beside the runtime's library, or where the system looks for libraries. */
static char *find_file(const char *name) {
  char *library = install_path_of_library();
  char *path = library != NULL ? path_beside(library, name) : NULL;
  free(library);
  if (path != NULL && file_exists(path)) return path;
  free(path);
  return tool_copy(name, strlen(name));
}

/* Loads the file as a kernel library, which stays loaded, and asks it for its plugin. */
static int load_plugin(void *context) {
  const TVMFFIAny none_value = tvm_ffi_any_none();
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny args[2], result = none_value;
  void *plugin = NULL;
  int code;
  args[0] = tvm_ffi_any_view_string(context);
  args[1] = tvm_ffi_any_view_string("so");
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.Module.load_from_file.so", args, 2, &result));
  opened.module = result.v_obj;
  code = tvm_ffi_module_get_function(opened.module, "tvm_ffi_device_plugin", &function);
  result = none_value;
  if (code == 0) code = tvm_ffi_function_call(function, NULL, 0, &result);
  tvm_ffi_object_release(function);
  if (code == 0 && !tvm_ffi_any_try_pointer(&result, &plugin)) plugin = NULL;
  tvm_ffi_any_clear(&result);
  opened.plugin = plugin;
  return code;
}

/* What is wrong with a plugin; NULL: nothing. Release with free(). */
static char *find_fault(const tvm_ffi_device_plugin *p, DLDevice device) {
  const char *missing;
  if (p == NULL) return tool_format("its function tvm_ffi_device_plugin returned no plugin");
  if (p->version != TVM_FFI_C_DEVICE_PLUGIN_VERSION) {
    return tool_format("it is of version %d, and this program takes version %d", (int)p->version,
                       TVM_FFI_C_DEVICE_PLUGIN_VERSION);
  }
  if (p->device_type != (int32_t)device.device_type) {
    return tool_format("it is for device type %d, not %d", (int)p->device_type,
                       (int)device.device_type);
  }
  missing = p->stream == NULL     ? "stream"
            : p->allocate == NULL ? "allocate"
            : p->release == NULL  ? "release"
            : p->copy_in == NULL  ? "copy_in"
            : p->copy_out == NULL ? "copy_out"
            : p->wait == NULL     ? "wait"
                                  : NULL;
  return missing != NULL ? tool_format("its function `%s` is missing", missing) : NULL;
}

/* Finds the plugin of a device that the tool has none for; false after a report. */
static bool find_plugin(const char *name, DLDevice device) {
  const char *type = tvm_ffi_device_get_type_name((int32_t)device.device_type);
  char *path, *fault, *begin;
  bool good;
  opened.name = tool_format("tvm_ffi_device_%s%s", type, kSystem.library_suffix);
  path = find_file(opened.name);
  if (foreign_call(kStageLoad, opened.name, load_plugin, path) == 0) {
    fault = find_fault(opened.plugin, device);
  } else {
    fault = runtime_error_take_message();
  }
  good = fault == NULL;
  if (!good) {
    begin = tool_format("Failed to load dynamic shared library %s ", path);
    report_error("--device=%s: its plugin %s cannot be used: %s", name, opened.name,
                 text_begins(fault, begin) ? fault + strlen(begin) : fault);
    free(begin);
  }
  free(path);
  free(fault);
  return good;
}

/* ---- Calls of the plugin ----
 * Each begins without an error raised, so that none before it is taken for the plugin's. */

static int end(const char *action, int code) {
  char *why, *failure;
  if (code == 0) return 0;
  tvm_ffi_error_ensure(code);
  why = runtime_error_take_message();
  failure = tool_format("%s cannot %s: %s", opened.name, action, why);
  code = tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "%s", failure);
  free(failure);
  free(why);
  return code;
}

static int open_stream(TVMFFIStreamHandle *out) {
  const int32_t type = (int32_t)opened.device.device_type;
  TVMFFIErrorSetRaised(NULL);
  TVM_FFI_C_TRY(end("use the device", opened.plugin->stream(opened.device.device_id, out)));
  return TVMFFIEnvSetStream(tvm_ffi_detail_find_stream_type(type), opened.device.device_id, *out,
                            NULL);
}

bool device_plugin_open(const char *name, DLDevice device) {
  char *why;
  free(opened.name);
  opened.device = device;
  if (device.device_type == kDLCUDA) {
    opened.name = tool_copy("CUDA", 4);
    opened.plugin = &kCudaPlugin;
  } else if (!find_plugin(name, device)) {
    return false;
  }
  if (open_stream(&opened.stream) == 0) return true;
  why = runtime_error_take_message();
  report_error("--device=%s: %s", name, why);
  free(why);
  return false;
}

int device_plugin_use(void) {
  TVMFFIStreamHandle stream = NULL; /* which is opened.stream, for all threads */
  return open_stream(&stream);
}

int device_plugin_allocate(size_t size, void **out) {
  int code;
  *out = NULL;
  TVMFFIErrorSetRaised(NULL);
  code = opened.plugin->allocate(opened.device.device_id, opened.stream, size > 0 ? size : 1, out);
  if (code == 0 && *out == NULL) {
    code = tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "it returned NULL without an error");
  }
  return end("allocate memory", code);
}

void device_plugin_release(void *data) {
  opened.plugin->release(opened.device.device_id, opened.stream, data);
}

int device_plugin_copy_in(void *data, uint64_t offset, const void *source, size_t size) {
  if (size == 0) return 0;
  TVMFFIErrorSetRaised(NULL);
  return end("copy to the device", opened.plugin->copy_in(opened.device.device_id, opened.stream,
                                                          data, offset, source, size));
}

/* Keeps the message of the error that is raised, which stays raised. */
static void keep_unread(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const TVMFFIByteArray text = tvm_ffi_error_get_message(error);
  char *message = tool_copy(text.data, text.size);
  if (!tvm_ffi_detail_replace(&opened.unread, NULL, message)) free(message); /* not the first */
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
}

int device_plugin_copy_out(const void *data, uint64_t offset, void *dest, size_t size) {
  int code;
  if (size == 0) return 0;
  TVMFFIErrorSetRaised(NULL);
  code = end("copy from the device", opened.plugin->copy_out(opened.device.device_id, opened.stream,
                                                             data, offset, dest, size));
  if (code != 0 && tvm_ffi_detail_load(&opened.unread) == NULL) keep_unread();
  return code;
}

int device_plugin_wait(void) {
  TVMFFIErrorSetRaised(NULL);
  return end("finish", opened.plugin->wait(opened.device.device_id, opened.stream));
}

bool device_check_reads(void) {
  const char *unread = tvm_ffi_detail_load(&opened.unread);
  return unread == NULL || report_error("%s", unread);
}
