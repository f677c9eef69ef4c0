/* SPDX-License-Identifier: Apache-2.0 */
/* Device plugins (tvm/ffi/c/device_plugin.h), which read memory of devices other than CUDA's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "record.h"

#if defined(__APPLE__)
#define SUFFIX ".dylib"
#else
#define SUFFIX ".so"
#endif

/* What was found for a type of device, once: the plugin, or NULL and a sentence. Kept for ever. */
typedef struct {
  const tvm_ffi_device_plugin *plugin;
  char why[256];
} found_plugin;

static found_plugin *all_found[TVM_FFI_C_DETAIL_DEVICE_TYPES];

/* The raised error of this thread, to be put back; NULL. */
static TVMFFIObjectHandle take_raised(const record_runtime *runtime) {
  TVMFFIObjectHandle error = NULL;
  (void)runtime->move_raised(&error);
  return error;
}

/* Drops what a plugin raised, and puts back what was raised before. */
static void restore_raised(const record_runtime *runtime, TVMFFIObjectHandle before) {
  TVMFFIObjectHandle error = take_raised(runtime);
  if (error != NULL) (void)runtime->release(error);
  if (before == NULL) return;
  (void)runtime->set_raised(before);
  (void)runtime->release(before);
}

/* A sentence goes into JSON as it is. */
static void set_reason(found_plugin *out, const char *name, const char *what, const char *why) {
  char *at;
  (void)snprintf(out->why, sizeof out->why, "%s %s%s", name, what, why);
  for (at = out->why; *at != '\0'; ++at) {
    if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\') *at = '?';
  }
}

/* Loads it as the tool does: beside the runtime, or where the system looks for libraries. All that
 * it needs has to be there: what is missing would end the program in the first call of it. */
static void *load(const record_runtime *runtime, const char *name) {
  record_loaded_file *file = malloc(sizeof *file); /* the stack of a thread may be small */
  record_any_function cast;
  char *end;
  void *handle = NULL;
  memcpy(&cast.address, &runtime->move_raised, sizeof cast.address);
  if (file != NULL && record_find_file(cast.address, file) &&
      (end = strrchr(file->path, '/')) != NULL &&
      (size_t)(end + 1 - file->path) + strlen(name) < sizeof file->path) {
    memcpy(end + 1, name, strlen(name) + 1);
    handle = dlopen(file->path, RTLD_NOW | RTLD_LOCAL);
  }
  free(file);
  return handle != NULL ? handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* What the plugin's one function returns; NULL. */
static const tvm_ffi_device_plugin *ask(const record_runtime *runtime, void *handle) {
  TVMFFIObjectHandle raised;
  TVMFFIAny result = tvm_ffi_any_none();
  void *plugin = NULL;
  record_any_function cast;
  cast.address = record_find_dlsym()(handle, "__tvm_ffi_tvm_ffi_device_plugin");
  if (cast.address == NULL) return NULL;
  raised = take_raised(runtime);
  if (cast.kernel(NULL, NULL, 0, &result) != 0 || !tvm_ffi_any_try_pointer(&result, &plugin)) {
    plugin = NULL;
  }
  restore_raised(runtime, raised);
  return plugin;
}

static void find(const record_runtime *runtime, int32_t device_type, found_plugin *out) {
  const tvm_ffi_device_plugin *plugin;
  const char *why;
  char name[64];
  void *handle;
  (void)snprintf(name, sizeof name, "tvm_ffi_device_%s" SUFFIX,
                 tvm_ffi_device_get_type_name(device_type));
  handle = load(runtime, name);
  if (handle == NULL) {
    why = dlerror();
    set_reason(out, name, "cannot be loaded to read it: ", why != NULL ? why : "unknown error");
    return;
  }
  plugin = ask(runtime, handle); /* the library stays loaded */
  if (plugin == NULL) {
    set_reason(out, name, "is no device plugin", "");
  } else if (plugin->version != TVM_FFI_C_DEVICE_PLUGIN_VERSION) {
    set_reason(out, name, "is a device plugin of another version", "");
  } else if (plugin->device_type != device_type || plugin->copy_out == NULL) {
    set_reason(out, name, "is no device plugin for this device", "");
  } else {
    out->plugin = plugin;
  }
}

/* Without a lock: another thread may hold that of the loader, and wait for one of the recorder. */
static const found_plugin *find_once(const record_runtime *runtime, int32_t device_type) {
  found_plugin **const place = &all_found[device_type];
  found_plugin *found = __atomic_load_n(place, __ATOMIC_ACQUIRE), *made;
  if (found != NULL) return found;
  made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  find(runtime, device_type, made);
  if (__atomic_compare_exchange_n(place, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return made;
  }
  free(made); /* a thread that came first made it */
  return found;
}

const char *record_begin_plugin(const record_runtime *runtime, const record_storage *storage,
                                record_plugin_memory *out) {
  const DLDevice device = tvm_ffi_device_make(storage->device_type, storage->device_id);
  const found_plugin *found;
  if (tvm_ffi_device_get_type_name(storage->device_type) == NULL) {
    return "memory of this kind of device is not read";
  }
  if (runtime->stream == NULL || runtime->move_raised == NULL || runtime->set_raised == NULL ||
      runtime->release == NULL) {
    return "the runtime of the call lacks functions that reading it needs";
  }
  out->stream = runtime->stream(storage->device_type, storage->device_id);
  /* Without one the memory may only claim its device, and be no handle. */
  if (out->stream == NULL && !tvm_ffi_detail_has_default_stream(device)) {
    return "no stream of its device is set, by which it is read";
  }
  found = find_once(runtime, storage->device_type);
  if (found == NULL) return "memory ran out";
  if (found->plugin == NULL) return found->why;
  out->runtime = runtime;
  out->plugin = found->plugin;
  out->handle = storage->handle;
  out->device_id = storage->device_id;
  return NULL;
}

bool record_copy_plugin(void *context, void *out, uint64_t address, size_t size) {
  const record_plugin_memory *memory = context;
  const TVMFFIObjectHandle raised = take_raised(memory->runtime);
  const uint64_t data = memory->handle != 0 ? memory->handle : address;
  const int code =
      memory->plugin->copy_out(memory->device_id, memory->stream, (const void *)(uintptr_t)data,
                               memory->handle != 0 ? address : 0, out, size);
  restore_raised(memory->runtime, raised);
  return code == 0;
}
