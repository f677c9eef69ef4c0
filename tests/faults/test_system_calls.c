/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failing calls of the system. Each trial is a child process that has not used the library before:
 * the n-th call of one function fails there, or also all that follow, while libraries are loaded,
 * used and unloaded, threads begin and end, and backtraces are taken. Then the same is done without
 * failures and must work, and nothing may be left: no memory, no open file, no loaded library.
 *
 * The arguments are the functions, which the linker replaces by the wrappers below. Each of them
 * must have failed.
 */
#define _GNU_SOURCE /* mkdtemp, dl_iterate_phdr, pthread_getattr_np, the types of the wrappers */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "base/buf.h"
#include "c/module_support.h"
#include "faults/trials.h"
#include "module/library.h"
#include "platform/platform.h"
#include "support/environment.h"
#include "support/oom.h"
#include "support/thread.h"

/* ---- Calls ---- */

/* The system has a reason for each of these failures, too. */
WRAP(void *, dlopen, (const char *path, int flags), (path, flags),
     __real_dlopen("/no/such/file/because/it/fails", flags))
WRAP(void *, dlsym, (void *handle, const char *name), (handle, name),
     __real_dlsym(handle, "no_such_symbol_because_it_fails"))
WRAP(int, dlinfo, (void *handle, int request, void *out), (handle, request, out), -1)
WRAP(int, dladdr, (const void *address, Dl_info *out), (address, out), 0)
WRAP(int, dl_iterate_phdr,
     (int (*visit)(struct dl_phdr_info *info, size_t size, void *context), void *context),
     (visit, context), 0)
WRAP(int, fstat64, (int descriptor, struct stat *out), (descriptor, out), (errno = EIO, -1))
WRAP(int, stat64, (const char *path, struct stat *out), (path, out), (errno = ENOMEM, -1))
WRAP(ssize_t, pread64, (int descriptor, void *out, size_t size, off_t offset),
     (descriptor, out, size, offset), (errno = EIO, -1))
WRAP(ssize_t, readlink, (const char *path, char *out, size_t size), (path, out, size),
     (errno = ENOMEM, -1))
WRAP(int, backtrace, (void **out, int size), (out, size), 0)
WRAP(int, pthread_key_create, (pthread_key_t * out, void (*destroy)(void *)), (out, destroy),
     EAGAIN)
WRAP(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM)
WRAP(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *out), (thread, out), ENOMEM)
WRAP(int, pthread_attr_getstack, (const pthread_attr_t *attributes, void **out, size_t *out_size),
     (attributes, out, out_size), EINVAL)
WRAP(int, __register_atfork,
     (void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library),
     (prepare, parent, child, library), ENOMEM)

/* ---- Checks, in the child process ---- */

/* A call has failed: with an error, and with one that says what is true. */
static void check_refused(const char *part) {
  TVMFFIObjectHandle error;
  const TVMFFIErrorCell *cell;
  TVMFFIErrorMoveFromRaised(&error);
  require(error != NULL);
  cell = TVMFFIErrorGetCellPtr(error);
  if (part == NULL) require(strstr(cell->message.data, "cut off") == NULL);
  if (part == NULL) require(strstr(cell->message.data, "damaged") == NULL);
  if (part != NULL && fired == 0) require(strstr(cell->message.data, part) != NULL);
  require(strstr(cell->message.data, "unknown reason") == NULL);
  TVMFFIObjectDecRef(error);
}

/* Whether a call succeeded, which only a failure of the system's may prevent. */
static bool worked(int rc) {
  is_armed = false;
  if (rc == 0) {
    check_not_raised();
    return true;
  }
  require(rc == -1);
  require(fired != 0);
  is_noticed = true;
  check_refused(NULL);
  return false;
}

static char folder[kEnvironmentPath];

/* Valid until the next call but one. */
static const char *in_folder(const char *name) {
  static char paths[2][sizeof folder + 32];
  static int next;
  next = !next;
  (void)snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
  return paths[next];
}

static TVMFFIObject *try_load(const char *path) {
  TVMFFIByteArray bytes = check_bytes(path);
  TVMFFIObject *module = NULL;
  tvmffi_library *library;
  int rc;
  is_armed = true;
  rc = tvmffi_library_open(&bytes, &library);
  if (rc == 0) {
    rc = tvmffi_library_load(library, &module);
    TVMFFIObjectDecRef(library);
  }
  return worked(rc) ? module : NULL;
}

static void check_not_loaded(const char *path, const char *part) {
  TVMFFIObject *module = NULL;
  int rc;
  is_armed = true;
  rc = load_file(path, &module);
  is_armed = false;
  require(rc == -1 && module == NULL);
  check_refused(part);
}

/* Calls a function of a module that returns 1. A function may seem not to be there. */
static void call_it(TVMFFIObject *module, const char *name) {
  TVMFFIAny result, args[2];
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_raw_str(name);
  is_armed = true;
  if (!worked(tvmffi_module_call(module, kTvmffiModuleGetFunction, args + 1, &result))) return;
  if (result.type_index == kTVMFFINone) {
    require(fired != 0);
    is_noticed = true;
    return;
  }
  args[0] = result;
  is_armed = true;
  require(worked(tvmffi_function_call_foreign(args[0].v_obj, NULL, 0, &result)));
  require(result.v_int64 == 1);
  TVMFFIObjectDecRef(args[0].v_obj);
}

/* Lets the library be unloaded: the second attempt must succeed. */
static void release(TVMFFIObject *module) {
  if (module == NULL) return;
  is_armed = true;
  if (!worked(TVMFFIRuntimeModuleAllowUnload(module))) {
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  }
  is_armed = true;
  TVMFFIObjectDecRef(module);
  is_armed = false;
}

/* ---- What is done ---- */

static void load_and_load_again(void) {
  TVMFFIObject *module = try_load(in_folder("kernels.so"));
  TVMFFIObject *again = try_load(in_folder("kernels.so"));
  if (module != NULL && again != NULL) {
    require(tvmffi_library_identity(module) == tvmffi_library_identity(again));
  }
  if (module != NULL) call_it(module, "main");
  if (again != NULL) call_it(again, "main");
  release(module);
  release(again);
}

/* A loader of modules of kind `demo`. */
static int load_demo(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const TVMFFIByteArray no_prefix = {"", 0};
  TVMFFIObject *module;
  (void)handle;
  (void)args;
  (void)num_args;
  if (tvmffi_system_lib_get(&no_prefix, &module) != 0) return -1;
  *result = tvmffi_any_object(module);
  return 0;
}

static void load_embedded(void) {
  TVMFFIObject *module = try_load(in_folder("embedded.so"));
  if (module != NULL) call_it(module, "one");
  release(module);
}

/* It brings its own loader, which cannot be unloaded. */
static void load_carrier(void) {
  TVMFFIObject *module = try_load(module_path("carrier_of_own.so"));
  if (module != NULL) TVMFFIObjectDecRef(module);
}

/* If the new file cannot be told from the old one, that one is used. */
static void replace_a_file(void) {
  TVMFFIObject *old, *module;
  (void)unlink(in_folder("replaced.so"));
  require(link(in_folder("leave_nothing.so"), in_folder("replaced.so")) == 0);
  old = try_load(in_folder("replaced.so"));
  (void)unlink(in_folder("replaced.so"));
  require(link(in_folder("other.so"), in_folder("replaced.so")) == 0);
  module = try_load(in_folder("replaced.so"));
  if (module != NULL) call_it(module, "main");
  release(old);
  release(module);
}

static void load_what_cannot_be_loaded(void) {
  check_not_loaded(in_folder("cut_off.so"), "cut off");
  check_not_loaded(in_folder("missing.so"), "No such file");
  check_not_loaded("libnosuchlibrary.so", "libnosuchlibrary.so");
}

static void open_beside(void) {
  tvmffi_reason why = TVMFFI_REASON_INIT;
  void *handle;
  is_armed = true;
  handle = tvmffi_dl_open_beside("modules/kernels.so", &why.to_set);
  is_armed = false;
  require(handle != NULL || (fired != 0 && why.to_set.text[0] != '\0'));
  tvmffi_buf_fini(&why.buf);
  if (handle != NULL) tvmffi_dl_close(handle);
}

static void give_frame(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  static const TVMFFIRuntimeFrame kFrame = {1, "_ZN4demo8functionEv", "file.cc", 7};
  (void)context;
  (void)visitor(visitor_context, &kFrame);
}

static void take_backtraces(void) {
  const TVMFFIByteArray *text;
  is_armed = true;
  text = TVMFFIBacktrace(NULL, 0, NULL, 1);
  is_armed = false;
  require(text != NULL); /* the names of the program's functions may be unknown */
  check_ok(TVMFFIRuntimeSetStackWalker(give_frame, NULL));
  is_armed = true;
  text = TVMFFIBacktrace(NULL, 0, NULL, 1);
  is_armed = false;
  require(text != NULL && strstr(text->data, "function") != NULL);
  check_ok(TVMFFIRuntimeSetStackWalker(NULL, NULL));
}

/* What the thread holds at its end must be released, although it first could not be told of it. */
static void use_in_thread(void *out_stack_left) {
  is_armed = true;
  *(size_t *)out_stack_left = tvmffi_stack_left();
  TVMFFIErrorSetRaisedFromCStr("ValueError", "the first");
  (void)TVMFFIBacktrace("file.c", 1, "function", 0);
  is_armed = false;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "the second");
}

static void use_a_thread(void) {
  size_t stack_left = 0;
  thread_run(use_in_thread, &stack_left, 0);
  require(stack_left == SIZE_MAX ? fired != 0 : stack_left > 4096);
}

static const struct {
  const char *name;
  void (*run)(void);
} steps[] = {{"load and load again", load_and_load_again},
             {"embedded modules", load_embedded},
             {"a library with its own loader", load_carrier},
             {"a file that was replaced", replace_a_file},
             {"files that cannot be loaded", load_what_cannot_be_loaded},
             {"a library beside the program", open_beside},
             {"backtraces", take_backtraces},
             {"a thread", use_a_thread}};

static void run_steps(void) {
  size_t i;
  for (i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    step = steps[i].name;
    steps[i].run();
  }
}

static int count_open_files(void) {
  DIR *files = opendir("/proc/self/fd");
  int count = 0;
  require(files != NULL);
  while (readdir(files) != NULL) ++count;
  (void)closedir(files);
  return count;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  if (strncmp(info->dlpi_name, folder, strlen(folder)) == 0) ++*(int *)count;
  return 0;
}

static int try_once(void) {
  int open_files = count_open_files(), loaded = 0, is_fired;
  is_trial = true;
  (void)atexit(print_step);
  oom_install();
  is_armed = true; /* the first mutexes */
  register_global("ffi.Module.load_from_bytes.demo", load_demo);
  is_armed = false;
  run_steps();
  is_fired = fired != 0;
  fired = 0;
  countdown = -1;
  run_steps();
  step = "end";
  check_ok(TVMFFIRuntimeShutdown());
  require(oom_live_blocks() == 0);
  require(count_open_files() == open_files);
  (void)dl_iterate_phdr(count_loaded, &loaded);
  require(loaded == 0);
  is_trial = false;
  return !is_fired ? kUnspoilt : is_noticed ? kNoticed : kUnnoticed;
}

/* Copies up to max_size bytes of a library of the tests. */
static void copy_file(const char *library, const char *name, size_t max_size) {
  static char bytes[1 << 20];
  FILE *source = fopen(module_path(library), "rb"), *copy = fopen(in_folder(name), "wb");
  size_t size;
  require(source != NULL && copy != NULL);
  size = fread(bytes, 1, sizeof bytes, source);
  require(size > 8192 && size < sizeof bytes);
  if (size > max_size) size = max_size;
  require(fwrite(bytes, 1, size, copy) == size);
  require(fclose(copy) == 0);
  (void)fclose(source);
}

int main(int argc, char **argv) {
  static const char *const files[] = {"kernels.so",       "other.so",   "embedded.so",
                                      "leave_nothing.so", "cut_off.so", "replaced.so"};
  int i, num_harmful = 0;
  environment_temporary("tvm_ffi_calls", folder);
  require(mkdtemp(folder) != NULL);
  for (i = 0; i < 4; ++i) copy_file(i == 1 ? "kernels.so" : files[i], files[i], SIZE_MAX);
  copy_file("kernels.so", "cut_off.so", 5000);
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  for (i = 1; i < argc; ++i) num_harmful += try_all(argv[i], false) + try_all(argv[i], true);
  (void)printf("%ld failures injected into %d functions\n", num_failures, argc - 1);
  for (i = 0; i < 6; ++i) (void)unlink(in_folder(files[i]));
  (void)rmdir(folder);
  return num_harmful != 0 || argc < 2;
}
