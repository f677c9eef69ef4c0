/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "system/file_system.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "system/file_time.h"

/* ---- What a file is ---- */

static int64_t in_nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void convert(const struct stat *status, file_status *out) {
  out->is_regular = S_ISREG(status->st_mode);
  out->is_folder = S_ISDIR(status->st_mode);
  out->is_characters = S_ISCHR(status->st_mode);
  out->device = (uint64_t)status->st_dev;
  out->number = (uint64_t)status->st_ino;
  out->size = (uint64_t)status->st_size;
  out->written = in_nanoseconds(file_time_written(status));
}

bool file_status_get(const char *path, file_status *out) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
  convert(&status, out);
  return true;
}

bool file_status_get_open(FILE *file, file_status *out) {
  struct stat status;
  if (fstat(fileno(file), &status) != 0) return false;
  convert(&status, out);
  return true;
}

bool file_status_is_same(const file_status *a, const file_status *b) {
  return a->device == b->device && a->number == b->number;
}

int64_t file_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return in_nanoseconds(now);
}

/* ---- Rights ---- */

bool file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

bool file_can_read(const char *path) {
  return access(path, R_OK) == 0;
}

bool file_can_write(const char *path) {
  return access(path, W_OK) == 0;
}

bool folder_can_write(const char *path) {
  return access(path, W_OK | X_OK) == 0;
}

/* ---- Links ---- */

bool file_read_link(const char *path, char *out, size_t out_size) {
  ssize_t size = readlink(path, out, out_size);
  if (size <= 0 || (size_t)size == out_size) return false;
  out[size] = '\0';
  return true;
}

char *file_resolve(const char *path) {
  return realpath(path, NULL);
}

/* ---- Changes ---- */

/* Another user's file keeps its owner if the system allows it. */
static void copy_mode(int file, const struct stat *old) {
  if (old->st_uid == geteuid() || fchown(file, old->st_uid, old->st_gid) == 0) {
    fchmod(file, old->st_mode & 0777);
  }
}

FILE *file_create(const char *path, const char *old) {
  struct stat status;
  int file;
  if (old != NULL && stat(old, &status) != 0) return NULL;
  file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return NULL;
  if (old != NULL) copy_mode(file, &status);
  return fdopen(file, "wb");
}

bool file_rename(const char *path, const char *name) {
  return rename(path, name) == 0;
}

void file_touch(const char *path) {
  utimensat(AT_FDCWD, path, NULL, 0);
}

bool folder_make(const char *path, bool is_private) {
  return mkdir(path, is_private ? 0700 : 0777) == 0;
}

bool folder_remove(const char *path) {
  return rmdir(path) == 0;
}
