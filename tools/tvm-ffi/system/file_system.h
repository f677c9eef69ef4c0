/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders. Functions that return false or NULL leave the reason in errno. Paths are
 * UTF-8. One implementation per system: file_system_<system>.c. */
#ifndef TVM_FFI_TOOL_FILE_SYSTEM_H_
#define TVM_FFI_TOOL_FILE_SYSTEM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- What a file is ---- */

typedef struct {
  bool is_regular, is_folder;
  bool is_characters;      /* a terminal, or a device such as /dev/null */
  uint64_t device, number; /* no two files that exist have the same */
  uint64_t size;
  int64_t written; /* when its contents were last written, in nanoseconds of file_clock() */
} file_status;

/* The file that a path leads to, through links. */
bool file_status_get(const char *path, file_status *out);
bool file_status_get_open(FILE *file, file_status *out);

/* Whether both are the same file. A pipe may be taken for another one. */
bool file_status_is_same(const file_status *a, const file_status *b);

/* The time now, as the system stamps files with it. */
int64_t file_clock(void);

/* ---- Rights ---- */

bool file_exists(const char *path);
bool file_can_read(const char *path);
bool file_can_write(const char *path);
/* Whether files can be made in the folder. */
bool folder_can_write(const char *path);

/* ---- Links ---- */

/* Writes where a symbolic link leads to: a path that is absolute, or begins in the folder of the
 * link. False for all else, and if it is longer than `out_size` - 1 bytes. */
bool file_read_link(const char *path, char *out, size_t out_size);

/* The absolute path of a file that exists, without links; release with free(). */
char *file_resolve(const char *path);

/* ---- Changes ---- */

/* Creates a file for writing; EEXIST if there is one. It gets the mode of the file `old`, and the
 * owner if the system allows it; NULL: those of any new file. */
FILE *file_create(const char *path, const char *old);

/* Gives a file another name, in the same folder. A file that has that name already is replaced at
 * once: others see the old file or the new one, and never none. */
bool file_rename(const char *path, const char *name);

/* Says that the file is in use: sets its times to now. Nothing happens if that is not allowed. */
void file_touch(const char *path);

/* Makes a folder; EEXIST if there is one. A private one is closed to other users, where folders
 * have modes. */
bool folder_make(const char *path, bool is_private);
/* Removes an empty folder. */
bool folder_remove(const char *path);

#endif /* TVM_FFI_TOOL_FILE_SYSTEM_H_ */
