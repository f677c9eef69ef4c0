/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command on another libtvm_ffi than the one that the tool was made with, and asks that one
 * for what only it has. */
#ifndef TVM_FFI_TOOL_OTHER_RUNTIME_H_
#define TVM_FFI_TOOL_OTHER_RUNTIME_H_

#include <stdbool.h>
#include <tvm/ffi/extra/c_runtime_api.h>

/* Call it first in a command. True if the command runs on that library from now on, which starts
 * the program again. False after a report, with the exit code. */
bool other_runtime_use(const char *library, int *out_code);

/* Whether the runtime has the functions below, which must not be called otherwise. */
bool own_runtime_is_used(void);
bool own_runtime_set_memory_hooks(const TVMFFIRuntimeMemoryHooks *hooks);
void own_runtime_count_objects(bool enabled);
int64_t own_runtime_get_object_count(int32_t type_index);

#endif /* TVM_FFI_TOOL_OTHER_RUNTIME_H_ */
