/* SPDX-License-Identifier: Apache-2.0 */
/* The device of --device, through its plugin (tvm/ffi/c/device_plugin.h). */
#ifndef TVM_FFI_TOOL_DEVICE_H_
#define TVM_FFI_TOOL_DEVICE_H_

#include <stdbool.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/device_plugin.h>

/* That of CUDA, which is part of the tool: it loads the system's driver, and is not linked to it.
 */
extern const tvm_ffi_device_plugin kCudaPlugin;

/* Finds the plugin of the device, and opens the device. `name` is the value of --device. False
 * after a report. */
bool device_plugin_open(const char *name, DLDevice device);

/* Of the open device; 0, or an error raised that names the plugin. */

/* Makes the device and its stream those of this thread. */
int device_plugin_use(void);
int device_plugin_allocate(size_t size, void **out);
void device_plugin_release(void *data);
int device_plugin_copy_in(void *data, uint64_t offset, const void *source, size_t size);
int device_plugin_copy_out(const void *data, uint64_t offset, void *dest, size_t size);
int device_plugin_wait(void);

/* Whether nothing failed that was to be read from the device: who shows values goes on without.
 * False after a report. */
bool device_check_reads(void);

#endif /* TVM_FFI_TOOL_DEVICE_H_ */
