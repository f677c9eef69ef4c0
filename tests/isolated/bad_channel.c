/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that go for what the helper shares with its host: files, memory and words of the header.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

#include "../../isolated/channel.h"

static volatile int sink;

/* ---- Files ---- */

TVM_FFI_C_EXPORT(close_files, "() -> None") {
  int i;
  (void)args;
  for (i = 0; i < 1024; ++i) close(i);
  return 0;
}

/* Closes the helper's files, and opens another one in the place of each. */
TVM_FFI_C_EXPORT(replace_files, "(path: str) -> None") {
  TVMFFIByteArray path;
  int i;
  if (tvm_ffi_args_read_string(args, 0, &path) != 0) return -1;
  for (i = 3; i < 64; ++i) close(i);
  for (i = 0; i < 8; ++i) {
    if (open(path.data, O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) _exit(3);
  }
  usleep(100000); /* the host no longer spins */
  return 0;
}

/* Closes one of them. The host sleeps then. */
TVM_FFI_C_EXPORT(close_file, "(0: int) -> None") {
  int64_t file;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &file));
  close((int)file);
  usleep(50000);
  return 0;
}

/* Neither its peer nor the thread of the helper that watches it is told in another way. */
TVM_FFI_C_EXPORT(shut_socket, "() -> None") {
  (void)args;
  shutdown(kFileSocket, SHUT_RDWR);
  usleep(50000);
  return 0;
}

/* As much as it holds, and what has come is taken away. */
TVM_FFI_C_EXPORT(fill_socket, "() -> None") {
  char bytes[4096] = {0};
  (void)args;
  while (recv(kFileSocket, bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
  while (send(kFileSocket, bytes, sizeof bytes, MSG_DONTWAIT) > 0) continue;
  return 0;
}

/* The host is woken for nothing, all the time. */
static void *ring_always(void *context) {
  const uint64_t one = 1;
  (void)context;
  for (;;) {
    if (write(kFileBell, &one, sizeof one) < 0) usleep(1000);
  }
  return NULL;
}

TVM_FFI_C_EXPORT(ring, "() -> None") {
  pthread_t thread;
  (void)args;
  if (pthread_create(&thread, NULL, ring_always, NULL) != 0) abort();
  usleep(50000);
  return 0;
}

/* The next ring waits until somebody reads the count, which nobody does. */
TVM_FFI_C_EXPORT(ring_most_often, "() -> None") {
  const uint64_t most = UINT64_MAX - 1;
  (void)args;
  if (fcntl(kFileBell, F_SETFL, O_NONBLOCK) == 0) (void)!write(kFileBell, &most, sizeof most);
  (void)fcntl(kFileBell, F_SETFL, 0);
  usleep(50000);
  return 0;
}

/* Its standard streams, which the next call prints to. */
TVM_FFI_C_EXPORT(close_streams, "() -> None") {
  (void)args;
  close(0);
  close(1);
  close(2);
  return 0;
}

/* The file of the channel cannot be made smaller. */
TVM_FFI_C_EXPORT(shrink_file, "() -> None") {
  (void)args;
  return ftruncate(kFileChannel, 0) == 0 || ftruncate(kFilePool, 0) == 0
             ? TVM_FFI_C_RAISE("InternalError", "the file has shrunk")
             : 0;
}

/* ---- Memory of the channel ---- */

/* The header once more. */
static char *map_header(void) {
  char *at =
      mmap(NULL, sizeof(channel_header), PROT_READ | PROT_WRITE, MAP_SHARED, kFileChannel, 0);
  if (at == MAP_FAILED) abort();
  return at;
}

/* The first byte of the mapping that the helper itself uses; NULL: the system does not tell. */
static char *find_header(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], *found = NULL;
  while (maps != NULL && found == NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:tvm_ffi_isolated (") == NULL) continue;
    found = (char *)(uintptr_t)strtoull(line, NULL, 16);
  }
  if (maps != NULL) fclose(maps);
  return found;
}

/* All of the header, or the helper's view of it: unmapped, protected, or replaced by other memory.
 */
TVM_FFI_C_EXPORT(lose_header, "(0: int) -> None") {
  const size_t size = ((sizeof(channel_header) + 4095) / 4096) * 4096;
  char *header = find_header();
  int64_t how;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &how));
  if (header == NULL) abort();
  if (how == 0) munmap(header, size);
  if (how == 1) mprotect(header, size, PROT_NONE);
  if (how == 2) {
    (void)mmap(header, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0);
  }
#ifdef FALLOC_FL_PUNCH_HOLE
  if (how == 3) {
    (void)fallocate(kFileChannel, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)1 << 20);
  }
#endif
  return 0;
}

/* One word of the header, once, while the host sleeps. */
TVM_FFI_C_EXPORT(overwrite_word, "(offset: int, value: int) -> None") {
  char *header = map_header();
  int64_t offset, value;
  uint32_t word;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &offset));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &value));
  word = (uint32_t)value;
  usleep(2000);
  memcpy(header + offset, &word, sizeof word);
  return 0;
}

typedef struct {
  char *at;
  int byte;
} words_to_fill;

/* Each time the host sleeps and the helper runs, or the other way round. */
static void *fill_often(void *context) {
  const words_to_fill *words = context;
  for (;;) {
    memset(words->at, words->byte, 256);
    usleep(1000);
  }
  return NULL;
}

/* Overwrites the words by which host and helper wait for each other, once or ever again. */
TVM_FFI_C_EXPORT(overwrite_words, "(byte: int, often: bool) -> None") {
  static words_to_fill words;
  int64_t byte;
  bool often;
  pthread_t thread;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &byte));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 1, &often));
  words.at = map_header() + 64; /* behind what was read once */
  words.byte = (int)byte;
  usleep(100000); /* the host sleeps */
  memset(words.at, words.byte, 256);
  if (often && pthread_create(&thread, NULL, fill_often, &words) != 0) abort();
  return 0;
}

/* Messages in both directions, while they are written and read. */
static void *scribble(void *context) {
  char *at = context;
  unsigned state = 1;
  for (;;) {
    state = state * 1103515245 + 12345;
    at[state >> 16 & 255] = (char)(state >> 8);
  }
  return NULL;
}

TVM_FFI_C_EXPORT(scribble_on_messages, "(0: int) -> None") {
  const channel_header *header = (const void *)map_header();
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t begin = (sizeof *header + page - 1) / page * page;
  int64_t which;
  pthread_t thread;
  char *at;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, kFileChannel,
            (off_t)(begin + (which == 1 ? header->region_size : 0)));
  if (at == MAP_FAILED) abort();
  if (pthread_create(&thread, NULL, scribble, at) != 0) abort();
  for (sink = 0; sink < 100000; ++sink) continue;
  return 0;
}
