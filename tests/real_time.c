/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what functions do besides computing: blocks of memory that they allocate and free, locks,
 * calls of the dynamic loader, system calls. Each is measured at its first use in a thread, and
 * later; the rows are those of docs/guide/real_time.md, which tests/real_time.py compares.
 *
 *     real_time FOLDER_OF_TEST_MODULES
 *
 * For Linux with glibc. Allocations are counted by functions that take the place of malloc and its
 * like in the whole process, locks and the loader by --wrap in the runtime and in this file, system
 * calls by a process that traces this one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/host.h>
#include <unistd.h>

/* ---- Counting ---- */

enum { kBlocks, kFrees, kLocks, kLoader, kSystemCalls, kNumCounts };

typedef struct {
  volatile pid_t thread; /* the one whose system calls are counted */
  volatile long stops;   /* at the entry and at the exit of each */
} traced;

static traced *trace;
static long counts[kNumCounts];
static __thread int is_measured; /* others, such as the main thread, are not counted */

static void count(int kind) {
  if (is_measured) ++counts[kind];
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
  count(kBlocks);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(kBlocks);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count(kBlocks);
  return __libc_realloc(block, size);
}

void free(void *block) {
  if (block != NULL) count(kFrees);
  __libc_free(block);
}

#define WRAP(kind, type, name, parameters, arguments) \
  type __real_##name parameters;                      \
  type __wrap_##name parameters;                      \
  type __wrap_##name parameters {                     \
    count(kind);                                      \
    return __real_##name arguments;                   \
  }

WRAP(kLocks, int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
WRAP(kLoader, void *, dlopen, (const char *path, int mode), (path, mode))
WRAP(kLoader, void *, dlsym, (void *handle, const char *name), (handle, name))
WRAP(kLoader, int, dlclose, (void *handle), (handle))
WRAP(kLoader, int, dladdr, (const void *address, Dl_info *info), (address, info))
WRAP(kLoader, int, dlinfo, (void *handle, int request, void *out), (handle, request, out))
WRAP(kLoader, int, dl_iterate_phdr,
     (int (*visit)(struct dl_phdr_info *info, size_t size, void *data), void *data), (visit, data))

/* ---- What is measured ---- */

static const char *path;
static DLDevice cpu, cuda;
static float data[8];
static int64_t extent = 4, step = 1;
static tvm_ffi_vector vector;
static tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;
static TVMFFIObjectHandle add, module, tensor, made, prepared, array, map;
static TVMFFIAny arguments[3], value;
static DLManagedTensorVersioned borrowed, *exported;
static void *once = &cpu;
static int failed;

static void expect(int code) {
  failed |= code != 0;
}

TVM_FFI_C_FUNCTION(sum, "(0: int, 1: int) -> int") {
  int64_t a, b;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
}

static void numbers(void) {
  arguments[0] = tvm_ffi_any_from_int64(40);
  arguments[1] = tvm_ffi_any_from_int64(2);
}
static void call(void) {
  expect(tvm_ffi_function_call(add, arguments, 2, &value));
  value = tvm_ffi_any_none();
  expect(TVMFFIFunctionCall(add, arguments, 2, &value));
}
static void call_in_environment(void) {
  tvm_ffi_env env = tvm_ffi_env_make(cuda);
  env.stream = &env;
  env.allocator = tvm_ffi_env_allocate_cpu;
  expect(tvm_ffi_env_call(&env, add, arguments, 2, &value));
}
static void call_keeping_state(void) {
  expect(tvm_ffi_float_state_call(add, arguments, 2, &value));
}
static void call_by_name(void) {
  expect(tvm_ffi_function_call_global("test.sum", arguments, 2, &value));
}

static void retain(void) {
  tvm_ffi_object_release(tvm_ffi_object_retain(tensor));
}
static void short_text(void) {
  expect(tvm_ffi_string_create("float32", &value));
}
static void long_text(void) {
  expect(tvm_ffi_string_create("more than seven bytes", &value));
}
static void clear(void) {
  tvm_ffi_any_clear(&value);
}
static void release(void) {
  tvm_ffi_object_release(made);
  made = NULL;
}

static void init_vector(void) {
  arguments[2] = tvm_ffi_vector_init(&vector, data, cpu, TVM_FFI_C_FLOAT32, 8);
}
static void around(void) {
  expect(tvm_ffi_tensor_create_read_only(&vector.tensor, NULL, NULL, &made));
}
static void view(void) {
  expect(tvm_ffi_tensor_create_view(tensor, 1, &extent, &step, 1, &made));
}
static void set_allocator(void) {
  expect(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 0, NULL));
}
static void create(void) {
  expect(tvm_ffi_tensor_create(cpu, TVM_FFI_C_FLOAT32, 1, &extent, &made));
}
static void import(void) {
  borrowed.version.major = 1;
  borrowed.dl_tensor = vector.tensor;
  expect(TVMFFITensorFromDLPackVersioned(&borrowed, 0, 0, &made));
}
static void export(void) {
  expect(TVMFFITensorToDLPackVersioned(tensor, &exported));
}
static void delete_export(void) {
  exported->deleter(exported);
}
static void check_view(void) {
  tvm_ffi_args self = {NULL, arguments + 2, 1, &value, "f(0: DLTensor*) -> void"};
  expect(tvm_ffi_args_check_writable(&self, 0));
}
static void give_tensor(void) {
  arguments[2] = tvm_ffi_any_view_object(tensor);
}

static void raise_error(void) {
  expect(tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "n is %d", 3) + 1);
}
static void raise_with_place(void) {
  expect(TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "n is %d", 3) + 1);
}
static void raise_prepared(void) {
  expect(tvm_ffi_error_raise_prepared(prepared) + 1);
}
static void drop_error(void) {
  TVMFFIErrorSetRaised(NULL);
}
static void format_error(void) {
  char text[64];
  failed |= tvm_ffi_error_format_raised(text, sizeof text) != 18;
}
static void take_error(void) {
  made = tvm_ffi_error_take();
}

static void get_stream(void) {
  failed |= TVMFFIEnvGetStream(kDLCUDA, 0) != NULL;
}
static void set_stream(void) {
  expect(TVMFFIEnvSetStream(kDLCUDA, 0, data, NULL));
  expect(TVMFFIEnvSetStream(kDLCUDA, 0, NULL, NULL));
}
static void allocator(void) {
  DLPackManagedTensorAllocator old = TVMFFIEnvGetDLPackManagedTensorAllocator();
  expect(TVMFFIEnvSetDLPackManagedTensorAllocator(old, 0, NULL));
}
static void check_interrupt(void) {
  expect(tvm_ffi_env_check_interrupt());
}

static void get_global(void) {
  expect(tvm_ffi_function_get_global("test.sum", &made));
}
static void type(void) {
  TVMFFIByteArray key = tvm_ffi_string_get_bytes("ffi.Tensor");
  int32_t index = 0;
  expect(TVMFFITypeKeyToIndex(&key, &index));
  failed |= TVMFFIGetTypeInfo(index) == NULL;
}
static void load(void) {
  expect(tvm_ffi_module_load(path, &made));
}
static void get_cached(void) {
  expect(tvm_ffi_function_cache_get(&cache, path, "add", &made));
}
static void get_current(void) {
  expect(tvm_ffi_function_cache_get_current(&cache, path, "add", &made));
}
static void get_function(void) {
  expect(tvm_ffi_module_get_function(module, "add", &made));
}
static void create_function(void) {
  expect(TVMFFIFunctionCreate(NULL, sum, NULL, &made));
}

static void read_array(void) {
  const TVMFFIAny *item;
  expect(tvm_ffi_array_read_item(array, 1, &item));
}
static void get_map_item(void) {
  expect(tvm_ffi_map_get_item(map, tvm_ffi_any_view_string("axis"), &value));
}
static void create_array(void) {
  expect(tvm_ffi_array_create(arguments, 2, &made));
}
static void create_map(void) {
  expect(tvm_ffi_map_create(arguments, 1, &made));
}

static void parse_dtype(void) {
  TVMFFIByteArray text = tvm_ffi_string_get_bytes("float32x4");
  DLDataType dtype;
  expect(TVMFFIDataTypeFromString(&text, &dtype));
}
static void init_once(void) {
  expect(TVMFFIHandleInitOnce(&once, NULL));
}
static void prime(void) {
  expect(tvm_ffi_thread_prime(&cuda, 1));
}

static const struct {
  const char *name;
  void (*before)(void), (*run)(void), (*after)(void);
} rows[] = {
    {"`tvm_ffi_function_call`, `TVMFFIFunctionCall`", numbers, call, NULL},
    {"`tvm_ffi_float_state_call`", numbers, call_keeping_state, NULL},
    {"`tvm_ffi_env_call`", numbers, call_in_environment, NULL},
    {"`tvm_ffi_function_call_global`", numbers, call_by_name, NULL},
    {"`tvm_ffi_object_retain`, `tvm_ffi_object_release` of an object in use", NULL, retain, NULL},
    {"`tvm_ffi_object_release` of the last reference of a tensor's view", view, release, NULL},
    {"`tvm_ffi_string_create`, up to 7 bytes", NULL, short_text, clear},
    {"`tvm_ffi_string_create`, longer", NULL, long_text, clear},
    {"`tvm_ffi_vector_init`, `tvm_ffi_tensor_init`", NULL, init_vector, NULL},
    {"`tvm_ffi_tensor_create_around`, `_create_read_only`", NULL, around, release},
    {"`tvm_ffi_tensor_create_view`", NULL, view, release},
    {"`tvm_ffi_tensor_create` with `tvm_ffi_env_allocate_cpu`", set_allocator, create, release},
    {"`TVMFFITensorFromDLPackVersioned`", NULL, import, release},
    {"`TVMFFITensorToDLPackVersioned`", NULL, export, delete_export},
    {"`tvm_ffi_args_check_writable` of a view", init_vector, check_view, NULL},
    {"`tvm_ffi_args_check_writable` of a Tensor", give_tensor, check_view, NULL},
    {"`tvm_ffi_error_raise`", NULL, raise_error, drop_error},
    {"`TVM_FFI_C_RAISE`", NULL, raise_with_place, drop_error},
    {"`tvm_ffi_error_raise_prepared`", NULL, raise_prepared, drop_error},
    {"`tvm_ffi_error_take`", raise_error, take_error, release},
    {"`tvm_ffi_error_format_raised` of a prepared error", raise_prepared, format_error, NULL},
    {"`tvm_ffi_error_format_raised` of another", raise_error, format_error, NULL},
    {"`TVMFFIEnvGetStream`", NULL, get_stream, NULL},
    {"`TVMFFIEnvSetStream`", NULL, set_stream, NULL},
    {"`TVMFFIEnvSetDLPackManagedTensorAllocator`, `TVMFFIEnvGet...`", NULL, allocator, NULL},
    {"`tvm_ffi_env_check_interrupt`", NULL, check_interrupt, NULL},
    {"`tvm_ffi_function_get_global`", NULL, get_global, release},
    {"`tvm_ffi_module_load` of a library that is loaded", NULL, load, release},
    {"`tvm_ffi_function_cache_get`", NULL, get_cached, release},
    {"`tvm_ffi_function_cache_get_current`", NULL, get_current, release},
    {"`tvm_ffi_module_get_function`", NULL, get_function, release},
    {"`TVMFFIFunctionCreate`", NULL, create_function, release},
    {"`TVMFFITypeKeyToIndex`, `TVMFFIGetTypeInfo`", NULL, type, NULL},
    {"`TVMFFIDataTypeFromString`", NULL, parse_dtype, NULL},
    {"`TVMFFIHandleInitOnce`, already initialised", NULL, init_once, NULL},
    {"`tvm_ffi_array_read_item`", NULL, read_array, NULL},
    {"`tvm_ffi_array_create`", numbers, create_array, release},
    {"`tvm_ffi_map_get_item`", NULL, get_map_item, clear},
    {"`tvm_ffi_map_create`", numbers, create_map, release},
    {"`tvm_ffi_thread_prime`", NULL, prime, NULL},
};

enum { kNumRows = sizeof rows / sizeof rows[0] };

/* ---- Measuring ---- */

static void describe(const long *values, bool has_numbers, char *text, size_t size) {
  static const char *const names[kNumCounts][2] = {{"block", "blocks"},
                                                   {"free", "frees"},
                                                   {"lock", "locks"},
                                                   {"call of the loader", "calls of the loader"},
                                                   {"system call", "system calls"}};
  size_t used = 0;
  int i;
  for (i = 0; i < kNumCounts; ++i) {
    char number[24] = "";
    if (values[i] == 0) continue;
    if (has_numbers) snprintf(number, sizeof number, "%ld ", values[i]);
    used += (size_t)snprintf(text + used, size - used, "%s%s%s", used != 0 ? ", " : "", number,
                             names[i][!has_numbers || values[i] != 1]);
  }
  if (used == 0) snprintf(text, size, "nothing");
}

static void measure(int row, char *text, size_t size) {
  long stops;
  memset(counts, 0, sizeof counts);
  is_measured = 1;
  stops = trace->stops;
  rows[row].run();
  stops = trace->stops - stops;
  is_measured = 0;
  counts[kSystemCalls] = stops / 2;
  describe(counts, rows[row].run != load, text, size); /* those of glibc's loader vary */
}

typedef struct {
  int row, is_primed;
  char first[120], later[120];
} job;

static sem_t measured, ending;

static void *run_job(void *data_of_thread) {
  job *self = (job *)data_of_thread;
  const int row = self->row;
  int i;
  free(malloc(1)); /* what malloc has for each thread */
  trace->thread = (pid_t)syscall(SYS_gettid);
  if (self->is_primed) prime();
  for (i = 0; i < 2; ++i) {
    if (rows[row].before != NULL) rows[row].before();
    measure(row, i == 0 ? self->first : self->later, sizeof self->first);
    if (rows[row].after != NULL) rows[row].after();
  }
  trace->thread = 0;
  sem_post(&measured); /* it goes on until the end: the next thread would take over what it has */
  sem_wait(&ending);
  return NULL;
}

static void run_in_thread(job *self) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_job, self) != 0) exit(1);
  sem_wait(&measured);
}

static int print_rows(void) {
  int row;
  sem_init(&measured, 0, 0);
  sem_init(&ending, 0, 0);
  for (row = 0; row < kNumRows; ++row) { /* first uses in the process */
    if (rows[row].before != NULL) rows[row].before();
    rows[row].run();
    if (rows[row].after != NULL) rows[row].after();
  }
  for (row = 0; row < kNumRows; ++row) {
    job fresh = {0, 0, "", ""}, primed = {0, 1, "", ""};
    fresh.row = primed.row = row;
    run_in_thread(&fresh);
    run_in_thread(&primed);
    if (strcmp(primed.first, primed.later) != 0 || strcmp(primed.first, fresh.later) != 0) {
      fprintf(stderr, "%s: first %s, then %s; in a primed thread %s, then %s\n", rows[row].name,
              fresh.first, fresh.later, primed.first, primed.later);
      failed = 1;
    }
    printf("| %s | %s | %s |\n", rows[row].name, fresh.first, primed.first);
  }
  for (row = 0; row < 2 * kNumRows; ++row) sem_post(&ending);
  if (failed) tvm_ffi_error_print_raised(stderr);
  return failed;
}

static int set_up(void) {
  const TVMFFIByteArray kind = tvm_ffi_string_get_bytes(TVM_FFI_C_VALUE_ERROR);
  const TVMFFIByteArray message = tvm_ffi_string_get_bytes("n is 3"), none = {NULL, 0};
  TVMFFIAny pair[2];
  cpu = tvm_ffi_device_make(kDLCPU, 0);
  cuda = tvm_ffi_device_make(kDLCUDA, 0);
  init_vector();
  expect(tvm_ffi_function_register("test.sum", sum, false));
  expect(tvm_ffi_function_get_global("test.sum", &add));
  expect(tvm_ffi_module_load(path, &module));
  expect(tvm_ffi_tensor_create_around(&vector.tensor, NULL, NULL, &tensor));
  expect(TVMFFIErrorCreate(&kind, &message, &none, &prepared));
  numbers();
  expect(tvm_ffi_array_create(arguments, 2, &array));
  pair[0] = tvm_ffi_any_view_string("axis");
  pair[1] = tvm_ffi_any_from_int64(1);
  expect(tvm_ffi_map_create(pair, 1, &map));
  if (failed) tvm_ffi_error_print_raised(stderr);
  return failed;
}

/* ---- Tracing ---- */

/* Counts the stops of the thread that is measured, and returns the exit status of the process. */
static int follow(pid_t process) {
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  int status = 0, ended = 0;
  if (waitpid(process, &status, __WALL) != process) return 1;
  if (WIFEXITED(status)) return WEXITSTATUS(status); /* it must not be traced */
  if (!WIFSTOPPED(status)) return 1;
  if (ptrace(PTRACE_SETOPTIONS, process, NULL, options) != 0 ||
      ptrace(PTRACE_SYSCALL, process, NULL, NULL) != 0) {
    (void)kill(process, SIGKILL);
    return 1;
  }
  for (;;) {
    long signal = 0;
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return ended;
    if (!WIFSTOPPED(status)) {
      if (thread == process) ended = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
      continue;
    }
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      if (thread == trace->thread) ++trace->stops;
    } else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
      signal = WSTOPSIG(status);
    }
    (void)ptrace(PTRACE_SYSCALL, thread, NULL, signal);
  }
}

int main(int argc, char **argv) {
  static char buffer[4096];
  pid_t child;
  if (argc != 2) return 2;
  snprintf(buffer, sizeof buffer, "%s/kernels.so", argv[1]);
  path = buffer;
  /* Memory for all threads from one place that is there already, or malloc calls the system. */
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  trace = (traced *)mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                         -1, 0);
  if (trace == MAP_FAILED) return 1;
  child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    long stops;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
      printf("no system calls can be counted here: ptrace: %s\n", strerror(errno));
      fflush(stdout);
      _exit(77);
    }
    raise(SIGSTOP);
    trace->thread = getpid();
    stops = trace->stops;
    (void)getppid();
    if (trace->stops - stops != 2) return 77; /* traced, but not told of calls */
    return set_up() != 0 || print_rows() != 0;
  }
  return follow(child);
}
