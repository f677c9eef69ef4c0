/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that earlier runs compiled, in XDG_CACHE_HOME/tvm-ffi or ~/.cache/tvm-ffi.
 *
 * KEY.files lists the files that a command has read, where KEY stands for the command.
 * KEY-CONTENT.so is the library, where CONTENT stands for what was in these files. */
#ifndef TVM_FFI_TOOL_SOURCE_CACHE_H_
#define TVM_FFI_TOOL_SOURCE_CACHE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *stem;    /* "FOLDER/KEY" */
  char *library; /* where the compiler is to write the library, */
  char *rule;    /* and, as a rule of make, which files it has read */
} source_cache;

/* Makes the folder. `key` is all that the library depends on besides files. False after a report.
 */
bool source_cache_open(const char *key, size_t key_size, source_cache *out);
void source_cache_close(source_cache *cache);

/* The library, if an earlier run made it of the same files; release with free(). NULL if not. */
char *source_cache_find(const source_cache *cache);

/* Whether a new library can be kept; reported. */
bool source_cache_can_store(const source_cache *cache);

typedef enum { kStored, kFilesChanged, kNotStored } store_result;

/* Keeps the new library, and removes those that were not used for a month. *out is its path;
 * release with free(). kFilesChanged if a file was written since `start` (of file_clock), so
 * that it may not be what was compiled: nothing is kept. kNotStored after a report. */
store_result source_cache_store(const source_cache *cache, const char *source, int64_t start,
                                char **out);

#endif /* TVM_FFI_TOOL_SOURCE_CACHE_H_ */
