/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of tensors: how it is read, on CUDA devices too, and the files that it is kept in.
 * plugin.c reads that of other devices. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/murmur.h"
#include "record.h"

/* Memory of up to kSmall bytes has no file of its own. */
enum { kChunk = 1 << 18, kHeader = 128, kSmall = 1 << 16 };

record_uint64 record_stored_bytes;

/* Copies memory that may not be there; false if it is not. */
typedef bool (*copy_function)(void *context, void *out, uint64_t address, size_t size);

/* ---- Memory of the process ---- */

static bool copy_memory(void *context, void *out, uint64_t address, size_t size) {
  (void)context;
  return record_read_memory(out, address, size);
}

/* A copy of memory that was at another address. */
typedef struct {
  const void *bytes;
  uint64_t begin;
} kept_memory;

static bool copy_kept(void *context, void *out, uint64_t address, size_t size) {
  const kept_memory *kept = context;
  memmove(out, (const char *)kept->bytes + (address - kept->begin), size); /* it may be the same */
  return true;
}

/* ---- Memory of CUDA devices ---- */

/* The functions of the driver that the process has loaded. */
typedef union {
  void *addresses[8];
  struct {
    int (*get_device)(int *out, int ordinal);
    int (*retain)(void **out_context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **out_context);
    int (*is_capturing)(void *stream, int *out);
    int (*copy)(void *target, uint64_t source, size_t size, void *stream);
    int (*synchronize)(void *stream);
  } call;
} cuda_driver;

static const char *const kDriverNames[8] = {
    "cuDeviceGet",          "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
    "cuCtxPushCurrent_v2",  "cuCtxPopCurrent_v2",       "cuStreamIsCapturing",
    "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"};

static bool find_driver(cuda_driver *out) {
  size_t i;
  for (i = 0; i < 8; ++i) {
    out->addresses[i] = record_find_loaded(kDriverNames[i]);
    if (out->addresses[i] == NULL) return false;
  }
  return true;
}

typedef struct {
  cuda_driver driver;
  void *stream;
  int device;
} cuda_memory;

static void end_cuda(cuda_memory *cuda) {
  void *context;
  (void)cuda->driver.call.pop(&context);
  (void)cuda->driver.call.release(cuda->device);
}

/*
 * On the stream that the runtime has for calls on the device, so that what was launched there
 * before comes first.
 */
static bool copy_cuda(void *context, void *out, uint64_t address, size_t size) {
  const cuda_memory *cuda = context;
  return cuda->driver.call.copy(out, address, size, cuda->stream) == 0 &&
         cuda->driver.call.synchronize(cuda->stream) == 0;
}

/* Makes the device current; NULL, or why its memory cannot be read. */
static const char *begin_cuda(const record_runtime *runtime, int32_t id, cuda_memory *out) {
  int capturing = 0;
  void *context;
  if (!find_driver(&out->driver)) return "the process has not loaded libcuda";
  out->stream = runtime->stream == NULL ? NULL : runtime->stream(kDLCUDA, id);
  if (out->driver.call.get_device(&out->device, id) != 0 ||
      out->driver.call.retain(&context, out->device) != 0) {
    return "CUDA does not have this device";
  }
  if (out->driver.call.push(context) != 0) {
    (void)out->driver.call.release(out->device);
    return "CUDA does not give its context";
  }
  if (out->driver.call.is_capturing(out->stream, &capturing) != 0 || capturing != 0) {
    end_cuda(out);
    return "its stream is being captured";
  }
  return NULL;
}

/* ---- Files ---- */

/* The header of an .npy of so many bytes. */
static void write_header(uint64_t size, char out[kHeader]) {
  int used;
  memset(out, ' ', kHeader);
  memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
  used = snprintf(out + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%llu,), }",
                  (unsigned long long)size);
  out[10 + used] = ' ';
  out[127] = '\n';
}

static const char kNotReadable[] = "there is no memory at this address that can be read";
static const char kNotCopied[] = "its device plugin could not copy it";
static const char kNotWritten[] = "it could not be written";
static const char kNoMemory[] = "memory ran out";
static const char kTooLarge[] = "it has more bytes than max_bytes";
static const char kTooMuch[] = "max_total bytes were written already";

/*
 * One pass over the memory: hashes it, and writes it to a file unless that is -1. What is written
 * is a copy, because others may change the memory meanwhile.
 */
static const char *pass(copy_function copy, void *context, uint64_t address, uint64_t size,
                        unsigned char *chunk, int file, int *out_error, murmur *out) {
  uint64_t at;
  memset(out, 0, sizeof *out);
  for (at = 0; at < size; at += kChunk) {
    size_t part = size - at < kChunk ? (size_t)(size - at) : kChunk;
    const unsigned char *bytes = chunk;
    if (size > kChunk && file < 0 && copy == copy_memory &&
        record_is_readable(address + at, part)) {
      bytes = (const unsigned char *)(uintptr_t)(address + at);
    } else if (!copy(context, chunk, address + at, part)) {
      return copy == record_copy_plugin ? kNotCopied : kNotReadable;
    }
    murmur_add(out, bytes, part);
    if (file >= 0 && !record_write_all(file, chunk, part, out_error)) return kNotWritten;
  }
  return NULL;
}

/* Ends the recording because of a failure. */
static const char *fail_to_write(const char *path, int error) {
  record_lock();
  record_give_up(path, error);
  record_unlock();
  return kNotWritten;
}

/* The path of a file in tensors, which the stack of a thread may be too small for. */
static bool name_file(record_text *out, const char *name, const char *ending) {
  memset(out, 0, sizeof *out);
  record_add_text(out, record_folder);
  record_add_text(out, "/tensors/");
  record_add_text(out, name);
  record_add(out, ending, strlen(ending) + 1);
  if (out->is_failed) record_free(out);
  return !out->is_failed;
}

/* Whether there is a file with that hash, which is complete; with `part`, else that becomes it.
 * NULL, or why not. */
static const char *take_name(const char *hash, uint64_t size, const char *part, bool *out_is_new,
                             int *out_error) {
  struct stat status;
  record_text path;
  if (!name_file(&path, hash, ".npy")) return kNoMemory;
  *out_is_new =
      stat(path.data, &status) != 0 || (uint64_t)status.st_size != size + (uint64_t)kHeader;
  if (*out_is_new && part != NULL && rename(part, path.data) != 0) *out_error = errno;
  record_free(&path);
  return NULL;
}

/*
 * A file of any size, which is hashed while it is written, and then gets its name; if there is one
 * with the same bytes, it is removed again. Others may change the memory meanwhile: the hash is
 * that of what was written.
 */
static const char *write_large(copy_function copy, void *context, uint64_t address, uint64_t size,
                               unsigned char *block, char out_hash[kRecordHash], bool *out_is_new) {
  const char *why = NULL;
  char thread[kRecordNumber];
  record_text part;
  murmur state;
  int file, error = 0;
  *out_is_new = true;
  *record_put_int(thread, record_thread_id()) = '\0';
  if (!name_file(&part, thread, ".part")) return kNoMemory;
  file = open(part.data, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kRecordFileMode);
  if (file < 0) {
    why = fail_to_write(part.data, errno);
    record_free(&part);
    return why;
  }
  if (!record_write_all(file, block, kHeader, &error)) why = kNotWritten;
  if (why == NULL) {
    why = pass(copy, context, address, size, block + kHeader, file, &error, &state);
  }
  if (close(file) != 0 && error == 0) error = errno;
  if (why == NULL && error == 0) {
    murmur_end(&state, out_hash);
    why = take_name(out_hash, size, part.data, out_is_new, &error);
  }
  if (why != NULL || error != 0 || !*out_is_new) (void)unlink(part.data);
  if (error != 0) why = fail_to_write(part.data, error);
  record_free(&part);
  return why;
}

/*
 * Whether large memory, looked at before a call or after it, had new bytes when it was looked at
 * last: then it is written at once, else it is hashed first and mostly need not be written at all.
 * What comes first is written at once before a call, and hashed after it. It is a guess: entries
 * are shared by chance, and both ways are right.
 */
enum { kUnseen, kOld, kNew };

static unsigned char *find_guess(uint64_t address, uint64_t size, bool after) {
  enum { kGuesses = 1024 };
  static unsigned char guesses[2 * kGuesses];
  const uint64_t hash = (address ^ size << 20) * UINT64_C(0x9e3779b97f4a7c15) >> 54;
  return &guesses[2 * hash + (after ? 1 : 0)];
}

/* Takes from what may be written; false if there is not so much left. */
static bool take_bytes(uint64_t size) {
  uint64_t before = __atomic_fetch_add(&record_stored_bytes, size, __ATOMIC_RELAXED);
  if (before + size <= (uint64_t)record_set.max_total) return true;
  (void)__atomic_fetch_sub(&record_stored_bytes, size, __ATOMIC_RELAXED);
  return false;
}

/* The same, within what may be written. */
static const char *write_taken(copy_function copy, void *context, uint64_t address, uint64_t size,
                               unsigned char *block, char out_hash[kRecordHash], bool *out_is_new) {
  const char *why;
  *out_is_new = false;
  if (!take_bytes(size)) return kTooMuch;
  why = write_large(copy, context, address, size, block, out_hash, out_is_new);
  if (why != NULL || !*out_is_new) {
    (void)__atomic_fetch_sub(&record_stored_bytes, size, __ATOMIC_RELAXED);
  }
  return why;
}

/*
 * Writes `size` bytes of memory as a file, unless there is one with the same. after: the call,
 * which mostly changes few of its inputs. NULL, or why not.
 */
static const char *store_large(copy_function copy, void *context, uint64_t address, uint64_t size,
                               bool after, char out_hash[kRecordHash]) {
  unsigned char *block, *guess = find_guess(address, size, after);
  const unsigned char last = __atomic_load_n(guess, __ATOMIC_RELAXED);
  bool is_new = false;
  const char *why;
  murmur state;
  int error = 0;
  block = malloc(kHeader + (size < kChunk ? (size_t)size : kChunk));
  if (block == NULL) return kNoMemory;
  write_header(size, (char *)block);
  why = last == kNew || (last == kUnseen && !after)
            ? write_taken(copy, context, address, size, block, out_hash, &is_new)
            : kTooMuch;
  if (why == kTooMuch) { /* it may have been written before */
    why = pass(copy, context, address, size, block + kHeader, -1, &error, &state);
    if (why == NULL) {
      murmur_end(&state, out_hash);
      why = take_name(out_hash, size, NULL, &is_new, &error);
    }
    if (why == NULL && is_new) {
      why = write_taken(copy, context, address, size, block, out_hash, &is_new);
    }
  }
  __atomic_store_n(guess, is_new ? kNew : kOld, __ATOMIC_RELAXED);
  free(block);
  return why;
}

/* ---- Small memory, in one file ---- */

/* Where bytes lie that were written before, by their hash; newer ones take the place of older. */
enum { kKnown = 1 << 15 };

typedef struct {
  char data[kRecordHash];
  uint32_t generation;
  uint64_t at;
} known_bytes;

/* Writes bytes to the file of this process, unless they are there. NULL, or why not. */
static const char *store_small(const void *bytes, uint64_t size, record_storage *out) {
  static known_bytes all_known[kKnown]; /* under the lock */
  const uint32_t generation = record_now();
  murmur state = {0, 0, 0};
  known_bytes *known;
  const char *why = NULL;
  uint64_t hash;
  murmur_add(&state, bytes, (size_t)size);
  murmur_end(&state, out->data);
  memcpy(&hash, out->data, sizeof hash); /* of eight digits */
  known = &all_known[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 49];
  record_lock();
  if (known->generation != generation || memcmp(known->data, out->data, kRecordHash) != 0) {
    if (!take_bytes(size)) {
      why = kTooMuch;
    } else if (!record_append_memory(bytes, (size_t)size, &known->at)) {
      why = kNotWritten;
    }
    memcpy(known->data, out->data, kRecordHash);
    known->generation = why == NULL ? generation : 0;
  }
  out->at = known->at;
  out->is_small = true;
  record_unlock();
  return why;
}

/* ---- Storages ---- */

static bool is_for_cpu(int32_t device_type) {
  return device_type == kDLCPU || device_type == kDLCUDAHost || device_type == kDLROCMHost;
}

/* Why the memory is not looked at; NULL. */
static const char *refuse(const record_storage *storage, bool after) {
  if (record_set.no_data) return "no data";
  if (after && storage->may_go) return "the call may have freed it";
  if (!after && storage->is_output) return "an output";
  if (storage->end - storage->begin > (uint64_t)record_set.max_bytes) return kTooLarge;
  return NULL;
}

static bool is_small(const record_storage *storage) {
  return is_for_cpu(storage->device_type) && storage->end - storage->begin <= kSmall;
}

/*
 * Reads the small memory of all storages by as few system calls as can be, into a block that keeps
 * it; each gets its place there. False without memory.
 */
static bool read_small(record_values *values, size_t begin, bool after) {
  record_range ranges[kRecordRanges];
  record_storage *of[kRecordRanges];
  size_t size = 0, count = 0, i, k;
  unsigned char *block = values->room.block, *at;
  for (i = begin; i < values->num_storages; ++i) {
    record_storage *storage = &values->storages[i];
    if (refuse(storage, after) == NULL && is_small(storage))
      size += (size_t)(storage->end - storage->begin);
  }
  if (size > sizeof values->room.block) block = values->block = malloc(size);
  if (block == NULL) return false;
  for (i = begin, at = block; i < values->num_storages; ++i) {
    record_storage *storage = &values->storages[i];
    const bool is_last = i + 1 == values->num_storages;
    if (refuse(storage, after) == NULL && is_small(storage)) {
      ranges[count].address = storage->begin;
      ranges[count].size = (size_t)(storage->end - storage->begin);
      storage->kept = at;
      storage->left_out = NULL;
      at += ranges[count].size;
      of[count++] = storage;
    }
    if (count == 0 || (count < kRecordRanges && !is_last)) continue;
    if (!record_read_ranges(of[0]->kept, ranges, count)) {
      for (k = 0; k < count; ++k) {
        if (record_read_memory(of[k]->kept, ranges[k].address, ranges[k].size)) continue;
        of[k]->left_out = kNotReadable;
      }
    }
    count = 0;
  }
  return true;
}

/* Memory that is not small: writes or keeps it. */
static void read_storage(const record_runtime *runtime, record_storage *storage, bool after,
                         bool keep) {
  uint64_t size = storage->end - storage->begin;
  copy_function copy = copy_memory;
  union {
    cuda_memory cuda;
    record_plugin_memory plugin;
  } memory;
  if (storage->device_type == kDLCUDA || storage->device_type == kDLCUDAManaged) {
    copy = copy_cuda;
    storage->left_out = begin_cuda(runtime, storage->device_id, &memory.cuda);
  } else if (!is_for_cpu(storage->device_type)) {
    copy = record_copy_plugin;
    storage->left_out = record_begin_plugin(runtime, storage, &memory.plugin);
  }
  if (storage->left_out != NULL) return;
  if (!keep && size > kSmall) {
    storage->left_out = store_large(copy, &memory, storage->begin, size, after, storage->data);
  } else if (size > SIZE_MAX / 2 || (storage->kept = malloc((size_t)size)) == NULL) {
    storage->left_out = kNoMemory;
  } else {
    storage->is_alone = true;
    if (!copy(&memory, storage->kept, storage->begin, (size_t)size)) {
      storage->left_out = copy == record_copy_plugin ? kNotCopied : kNotReadable;
    }
  }
  if (copy == copy_cuda) end_cuda(&memory.cuda);
}

void record_read_storages(record_values *values, size_t begin, bool after, bool keep) {
  size_t i;
  const bool is_read = read_small(values, begin, after);
  for (i = begin; i < values->num_storages; ++i) {
    record_storage *storage = &values->storages[i];
    const char *why = refuse(storage, after);
    if (storage->kept == NULL) storage->left_out = why;
    if (why != NULL) continue;
    if (!is_small(storage)) {
      storage->is_small = false;
      read_storage(values->runtime, storage, after, keep);
    } else if (!is_read) {
      storage->left_out = kNoMemory;
    }
  }
  if (!keep) record_store_kept(values);
}

void record_store_kept(record_values *values) {
  size_t i;
  for (i = 0; i < values->num_storages; ++i) {
    record_storage *storage = &values->storages[i];
    const uint64_t size = storage->end - storage->begin;
    if (storage->left_out == NULL && storage->kept != NULL) {
      kept_memory kept;
      kept.bytes = storage->kept;
      kept.begin = storage->begin;
      storage->left_out = size <= kSmall ? store_small(storage->kept, size, storage)
                                         : store_large(copy_kept, &kept, storage->begin, size,
                                                       false, storage->data);
    }
    record_drop_kept(storage);
  }
  free(values->block);
  values->block = NULL;
}

void record_drop_kept(record_storage *storage) {
  if (storage->is_alone) free(storage->kept);
  storage->is_alone = false;
  storage->kept = NULL;
}
