/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder needs of macOS; linux.c has the same for Linux. It is compiled and linked by
 * the tests, and has not been run.
 */
#include <crt_externs.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mach-o/loader.h>
#include <mach/mach.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#include "record.h"

/* ---- Files that are loaded ---- */

/* Whether the address, which is that in the file, is in a section with instructions. */
static bool is_in_code(const struct segment_command_64 *segment, uint64_t address) {
  const struct section_64 *section = (const struct section_64 *)(const void *)(segment + 1);
  uint32_t i;
  for (i = 0; i < segment->nsects; ++i, ++section) {
    if (address - section->addr < section->size) {
      return (section->flags & (S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS)) != 0;
    }
  }
  return false;
}

static void write_uuid(const struct uuid_command *command, record_loaded_file *out) {
  size_t i;
  for (i = 0; i < sizeof command->uuid; ++i) {
    (void)snprintf(out->build_id + 2 * i, 3, "%02x", command->uuid[i]);
  }
}

bool record_find_file(const void *address, record_loaded_file *out) {
  const struct mach_header_64 *header;
  const char *command;
  uint64_t slide = 0;
  Dl_info info;
  uint32_t i;
  if (dladdr(address, &info) == 0 || info.dli_fbase == NULL || info.dli_fname == NULL) return false;
  header = info.dli_fbase;
  if (header->magic != MH_MAGIC_64) return false;
  out->address = (uintptr_t)address;
  out->is_code = false;
  out->is_program = header->filetype == MH_EXECUTE;
  out->build_id[0] = '\0';
  if (!(out->is_program || info.dli_fname[0] != '/') ||
      realpath(info.dli_fname, out->path) == NULL) {
    (void)snprintf(out->path, sizeof out->path, "%s", info.dli_fname);
  }
  /* The first segment that is loaded is __TEXT, which begins with the header. */
  command = (const char *)(header + 1);
  for (i = 0; i < header->ncmds; ++i) {
    const struct load_command *load = (const struct load_command *)(const void *)command;
    const void *whole = command;
    if (load->cmd == LC_UUID) write_uuid(whole, out);
    if (load->cmd == LC_SEGMENT_64) {
      const struct segment_command_64 *segment = whole;
      if (strcmp(segment->segname, SEG_TEXT) == 0) slide = (uintptr_t)header - segment->vmaddr;
      if (is_in_code(segment, out->address - slide)) out->is_code = true;
    }
    command += load->cmdsize;
  }
  return true;
}

void *record_find_loaded(const char *name) {
  return dlsym(RTLD_DEFAULT, name);
}

/* What is interposed is not so for this library. */
void *(*record_find_dlsym(void))(void *, const char *) {
  return dlsym;
}

/* ---- The process ---- */

int64_t record_thread_id(void) {
  uint64_t number = 0;
  (void)pthread_threadid_np(NULL, &number);
  return (int64_t)number;
}

const char *record_program_name(void) {
  return getprogname();
}

void record_add_command(record_text *out) {
  char *const *words = *_NSGetArgv();
  const int count = *_NSGetArgc();
  int i;
  for (i = 0; i < count && words[i] != NULL; ++i) {
    if (i != 0) record_add(out, ",", 1);
    record_add_string(out, words[i], strlen(words[i]));
  }
}

/* ---- Files ---- */

/* Whether a write would send a signal to the process: a reason for errno, or 0. */
static int find_signal(int file, size_t size) {
  struct pollfd pipe;
  struct rlimit limit;
  struct stat status;
  if (fstat(file, &status) != 0) return 0;
  if (S_ISREG(status.st_mode)) {
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                   (uint64_t)status.st_size + size > (uint64_t)limit.rlim_cur
               ? EFBIG
               : 0;
  }
  pipe.fd = file;
  pipe.events = POLLOUT;
  pipe.revents = 0;
  return poll(&pipe, 1, 0) == 1 && (pipe.revents & (POLLHUP | POLLERR)) != 0 ? EPIPE : 0;
}

/*
 * Here SIGXFSZ and SIGPIPE are sent to the process, and a thread that holds them back leaves them
 * to the others. So a write that would send one is not tried. All files of the recorder are written
 * at their end. While SIGTTOU is held back, a write to a terminal is done.
 */
ssize_t record_write_some(int file, const void *bytes, size_t size) {
  const int reason = find_signal(file, size);
  sigset_t held, old;
  ssize_t written;
  int error;
  if (reason != 0) {
    errno = reason;
    return -1;
  }
  (void)sigemptyset(&held);
  (void)sigaddset(&held, SIGTTOU);
  (void)pthread_sigmask(SIG_BLOCK, &held, &old);
  written = write(file, bytes, size);
  error = errno;
  (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return written;
}

bool record_is_in_memory(int file) {
  (void)file;
  return false;
}

bool record_sync(int file) {
  return fsync_volume_np(file, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT) == 0;
}

/* ---- Memory ---- */

bool record_read_memory(void *out, uint64_t address, size_t size) {
  vm_size_t copied = 0;
  return vm_read_overwrite(mach_task_self(), (vm_address_t)address, size, (vm_address_t)out,
                           &copied) == KERN_SUCCESS &&
         copied == size;
}

bool record_read_ranges(void *out, const record_range *ranges, size_t count) {
  char *at = out;
  size_t i;
  for (i = 0; i < count && record_read_memory(at, ranges[i].address, ranges[i].size); ++i) {
    at += ranges[i].size;
  }
  return i == count;
}

bool record_is_readable(uint64_t address, size_t size) {
  (void)address;
  (void)size;
  return false;
}

/* ---- What takes the place of functions of others ---- */

/*
 * The loader gives each function in the second column the address in the first, in all libraries
 * but this one, if this library is there when the program starts. It leaves out a function that is
 * not there: the runtime of a program that loads it later.
 */
typedef struct {
  void (*replacement)(void), (*original)(void);
} interposed;

int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol)
    __attribute__((weak_import));

/*
 * What RTLD_DEFAULT, RTLD_NEXT and RTLD_SELF mean depends on the caller, so that lookups which are
 * no concern of ours have to end in a jump to the real function: the library is compiled so.
 */
static void *find_symbol(void *handle, const char *name) {
  void *found;
  if (handle == RTLD_NEXT || handle == RTLD_SELF || !record_is_kernel(name)) {
    return dlsym(handle, name);
  }
  found = dlsym(handle, name);
  if (found == NULL) return dlsym(handle, name); /* in the scope of the caller, for dlerror() */
  return record_replace(name, found, __builtin_return_address(0));
}

static int register_symbol(const char *name, void *symbol) {
  const void *caller = __builtin_return_address(0);
  return TVMFFIEnvModRegisterSystemLibSymbol(
      name, name != NULL && symbol != NULL ? record_replace(name, symbol, caller) : symbol);
}

static const interposed kInterposed[]
    __attribute__((used, section("__DATA,__interpose,interposing"))) = {
        {(void (*)(void))find_symbol, (void (*)(void))dlsym},
        {(void (*)(void))register_symbol, (void (*)(void))TVMFFIEnvModRegisterSystemLibSymbol}};

/*
 * The system removes DYLD_INSERT_LIBRARIES for some programs. `tvm-ffi record` knows by a byte in
 * this pipe that it did not: program_run_preloaded in tools/tvm-ffi/system/posix_programs.c.
 */
static void say_loaded(void) __attribute__((constructor));
static void say_loaded(void) {
  const char *pipe = getenv("TVM_FFI_RECORD_LOADED");
  int file = pipe == NULL ? -1 : atoi(pipe);
  if (file <= STDERR_FILENO) return;
  if (write(file, "", 1) < 0) return; /* then the tool says that it was not loaded */
  (void)close(file);
  (void)unsetenv("TVM_FFI_RECORD_LOADED");
}
