/* SPDX-License-Identifier: Apache-2.0 */
/* For file_system_posix.c: the member of struct stat with the time of the last change, which has
 * other names on some systems: file_time_<system>.c. */
#ifndef TVM_FFI_TOOL_FILE_TIME_H_
#define TVM_FFI_TOOL_FILE_TIME_H_

#include <sys/stat.h>
#include <time.h>

struct timespec file_time_written(const struct stat *status);

#endif /* TVM_FFI_TOOL_FILE_TIME_H_ */
