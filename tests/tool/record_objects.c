/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for the tests of `tvm-ffi record --functions`: record_objects KERNELS DEED [REGISTERS]
 * calls function objects that have no symbol, by TVMFFIFunctionCall, as Python does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<linux/filter.h>) && __has_include(<linux/seccomp.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define HAVE_SECCOMP 1
#endif
#endif

enum { kMany = 15000 };

static const char *kernels;

static void must(bool is_good, const char *what) {
  if (is_good) return;
  printf("%s failed\n", what);
  exit(2);
}

static TVMFFIObjectHandle find_global(const char *name) {
  const TVMFFIByteArray text = tvm_ffi_string_get_bytes(name);
  TVMFFIObjectHandle function = NULL;
  must(TVMFFIFunctionGetGlobal(&text, &function) == 0 && function != NULL, name);
  return function;
}

static void set_global(const char *name, TVMFFIObjectHandle function) {
  const TVMFFIByteArray text = tvm_ffi_string_get_bytes(name);
  must(TVMFFIFunctionSetGlobal(&text, function, 1) == 0, "TVMFFIFunctionSetGlobal");
}

static TVMFFIAny call(TVMFFIObjectHandle function, TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny result = tvm_ffi_any_none();
  must(TVMFFIFunctionCall(function, args, num_args, &result) == 0, "a call");
  return result;
}

static void print_call(TVMFFIObjectHandle function) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(7);
  printf("%lld\n", (long long)call(function, &arg, 1).v_int64);
}

/* ---- Functions ---- */

static int echo(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  if (num_args > 0) *result = args[0];
  return 0;
}

static TVMFFIObjectHandle make_echo(void) {
  TVMFFIObjectHandle function;
  must(TVMFFIFunctionCreate(&kernels, echo, NULL, &function) == 0, "TVMFFIFunctionCreate");
  return function;
}

/* ---- Modules ---- */

/* A function whose code was compiled in the process, and does what echo() does. It stays. */
static TVMFFIObjectHandle make_compiled(void) {
  struct {
    TVMFFIObject object;
    TVMFFIFunctionCell cell;
  } *place = calloc(1, sizeof *place);
  must(place != NULL, "calloc");
  place->object.combined_ref_count = (UINT64_C(1) << 32) + 1;
  place->object.type_index = kTVMFFIFunction;
  place->cell.safe_call = echo;
#if defined(__x86_64__) && defined(__LP64__)
  {
    unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* jumps there */
    void *memory =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED, "mmap");
    memcpy(code + 2, &place->cell.safe_call, sizeof place->cell.safe_call);
    memcpy(memory, code, sizeof code);
    memcpy(&place->cell.safe_call, &memory, sizeof memory);
  }
#endif
  return place;
}

static TVMFFIObjectHandle kept; /* that the module gives each time */

/* Has functions itself, and what else it is asked for from the library. */
static int get_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  static TVMFFIObjectHandle kernel;
  (void)self, (void)module;
  if (tvm_ffi_string_equal(*name, "own")) {
    *out = make_echo();
    return 0;
  }
  if (strncmp(name->data, "many.", 5) == 0) *out = make_echo();
  if (tvm_ffi_string_equal(*name, "late")) {
    *out = make_echo();
    /* looks a kernel up the first time */
    return kernel == NULL ? tvm_ffi_module_load_function(kernels, "echo", &kernel) : 0;
  }
  if (tvm_ffi_string_equal(*name, "kept")) {
    *out = kept;
    return TVMFFIObjectIncRef(kept);
  }
  if (tvm_ffi_string_equal(*name, "consume")) {
    *out = make_compiled();
    return 0;
  }
  return tvm_ffi_string_equal(*name, "echo") ? tvm_ffi_module_load_function(kernels, "echo", out)
                                             : 0;
}

static TVMFFIObjectHandle make_module(void) {
  static const TVMFFIRuntimeModuleVTable kTable = {
      .struct_size = sizeof kTable, .kind = "test_objects", .get_function = get_function};
  TVMFFIObjectHandle module;
  must(TVMFFIRuntimeModuleCreate(&kTable, NULL, &module) == 0, "TVMFFIRuntimeModuleCreate");
  return module;
}

static TVMFFIObjectHandle find_in_module(TVMFFIObjectHandle module, const char *name) {
  static TVMFFIObjectHandle finder;
  TVMFFIAny args[3], result;
  if (finder == NULL) finder = find_global("ffi.ModuleGetFunction");
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string(name);
  args[2] = tvm_ffi_any_from_bool(false);
  result = call(finder, args, 3);
  return result.type_index == kTVMFFIFunction ? result.v_obj : NULL;
}

static void print_call_in(TVMFFIObjectHandle module, const char *name) {
  TVMFFIObjectHandle function = find_in_module(module, name);
  print_call(function);
  tvm_ffi_object_release(function);
}

/* A function of the module twice, one of a library through it, and one of the library itself. */
static void run_modules(void) {
  TVMFFIObjectHandle module = make_module(), library_module;
  print_call_in(module, "own");
  print_call_in(module, "own");
  print_call_in(module, "echo");
  printf("%s\n", find_in_module(module, "none") == NULL ? "none" : "a function");
  must(tvm_ffi_module_load(kernels, &library_module) == 0, "tvm_ffi_module_load");
  print_call_in(library_module, "echo");
  tvm_ffi_object_release(library_module);
  tvm_ffi_object_release(module);
}

/* A module finds what it needs when it is first asked for a function. */
static void run_late(void) {
  TVMFFIObjectHandle module = make_module();
  print_call_in(module, "late");
  print_call_in(module, "late");
}

/* Functions of modules of any number of names leave slots for kernels. */
static void run_names(void) {
  enum { kNames = 4200 };
  TVMFFIObjectHandle module = make_module(), function;
  char name[32];
  int i;
  for (i = 0; i < kNames; ++i) {
    (void)snprintf(name, sizeof name, "many.%d", i);
    function = find_in_module(module, name);
    (void)call(function, NULL, 0);
    tvm_ffi_object_release(function);
  }
  print_call_in(module, "echo");
}

/* A kernel has the name of a function that is compiled again and again. */
static void run_compiled(void) {
  TVMFFIObjectHandle kernel;
  int i;
  must(tvm_ffi_module_load_function(kernels, "consume", &kernel) == 0, "a kernel");
  for (i = 0; i < 5000; ++i) {
    TVMFFIAny arg = tvm_ffi_any_from_int64(7);
    (void)call(find_in_module(make_module(), "consume"), &arg, 1);
  }
  must(tvm_ffi_module_load_function(kernels, "echo", &kernel) == 0, "a kernel");
  print_call(kernel);
}

/* A child of fork calls such a function, while a thread of its parent had a lock of the loader. */
static int is_listing[2];

static int wait_in_list(struct dl_phdr_info *info, size_t size, void *context) {
  char byte = 0;
  (void)info, (void)size, (void)context;
  must(write(is_listing[1], &byte, 1) == 1, "write");
  (void)sleep(1);
  return 1;
}

static void *list_files(void *context) {
  (void)dl_iterate_phdr(wait_in_list, context);
  return NULL;
}

static void run_fork(void) {
  TVMFFIObjectHandle module = make_module();
  pthread_t thread;
  pid_t child;
  int status;
  char byte;
  tvm_ffi_object_release(find_in_module(module, "consume"));
  must(pipe(is_listing) == 0 && pthread_create(&thread, NULL, list_files, NULL) == 0 &&
           read(is_listing[0], &byte, 1) == 1,
       "a thread");
  child = fork();
  if (child == 0) {
    print_call_in(module, "consume");
    (void)fflush(stdout);
    _exit(0);
  }
  must(waitpid(child, &status, 0) == child && status == 0, "a child");
  (void)pthread_join(thread, NULL);
}

/* A function of the system library is seen where it is registered. */
static void run_system(void) {
  TVMFFIAny prefix = tvm_ffi_any_view_string("testing_"), module;
  union {
    TVMFFISafeCallType function;
    void *address;
  } kernel;
  kernel.function = echo;
  must(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_testing_own", kernel.address) == 0,
       "TVMFFIEnvModRegisterSystemLibSymbol");
  module = call(find_global("ffi.SystemLib"), &prefix, 1);
  print_call_in(module.v_obj, "own");
  print_call_in(make_module(), "own"); /* by the name it could be that one */
}

/* ---- Methods ---- */

static void add_method(const char *key, const char *name) {
  const TVMFFIByteArray text = tvm_ffi_string_get_bytes(key);
  const int32_t index = TVMFFITypeGetOrAllocIndex(&text, -1, 1, 0, 1, kTVMFFIObject);
  TVMFFIMethodInfo method;
  const TVMFFITypeInfo *type;
  memset(&method, 0, sizeof method);
  method.name = tvm_ffi_string_get_bytes(name);
  method.method = tvm_ffi_any_view_object(make_echo());
  must(index >= 0 && TVMFFITypeRegisterMethod(index, &method) == 0, "TVMFFITypeRegisterMethod");
  tvm_ffi_object_release(method.method.v_obj);
  type = TVMFFIGetTypeInfo(index);
  print_call(type->methods[type->num_methods - 1].method.v_obj);
}

static void run_methods(void) {
  add_method("test.objects.Counter", "next");
  add_method("test.objects.Counter", "__ffi_init__");
  add_method("ffi.TestObjects", "next"); /* looks like one of the runtime's own */
}

/* Methods may change these objects meanwhile: their fields are not read. */
static int get_field(void *field, TVMFFIAny *result) {
  (void)field;
  *result = tvm_ffi_any_none();
  return 0;
}

static TVMFFIObject make_object(const char *key, int64_t flags) {
  const TVMFFIByteArray text = tvm_ffi_string_get_bytes(key);
  TVMFFIFieldInfo field;
  TVMFFIObject object;
  memset(&object, 0, sizeof object);
  object.combined_ref_count = (UINT64_C(1) << 32) + 100;
  object.type_index = TVMFFITypeGetOrAllocIndex(&text, -1, 1, 0, 1, kTVMFFIObject);
  memset(&field, 0, sizeof field);
  field.name = tvm_ffi_string_get_bytes("count");
  field.getter = get_field;
  field.flags = flags;
  must(TVMFFITypeRegisterField(object.type_index, &field) == 0, "TVMFFITypeRegisterField");
  return object;
}

static TVMFFIMethodInfo make_method(int32_t type_index, const char *name) {
  TVMFFIMethodInfo method;
  memset(&method, 0, sizeof method);
  method.name = tvm_ffi_string_get_bytes(name);
  method.method = tvm_ffi_any_view_object(make_echo());
  must(TVMFFITypeRegisterMethod(type_index, &method) == 0, "TVMFFITypeRegisterMethod");
  return method;
}

/* An object of its type, one with a field that can be written, and one that only methods change. */
static void run_self(void) {
  static TVMFFIObject object, writable, changed;
  TVMFFIAny args[3], result = tvm_ffi_any_none();
  TVMFFIMethodInfo method;
  object = make_object("test.objects.Self", 0);
  writable = make_object("test.objects.Writable", kTVMFFIFieldFlagBitMaskWritable);
  changed = make_object("test.objects.Changed", 0);
  method = make_method(object.type_index, "next");
  (void)make_method(changed.type_index, "change");
  args[0] = tvm_ffi_any_view_object(&object);
  args[1] = tvm_ffi_any_view_object(&writable);
  args[2] = tvm_ffi_any_view_object(&changed);
  must(TVMFFIFunctionCall(method.method.v_obj, args, 3, &result) == 0, "a call");
  printf("%d\n", result.v_obj == &object);
}

/* One that has only a constructor does not change, and is read. */
static void run_constant(void) {
  static TVMFFIObject object;
  TVMFFIAny arg;
  object = make_object("test.objects.Constant", 0);
  (void)make_method(object.type_index, "__ffi_init__");
  set_global("test.objects.constant", make_echo());
  arg = tvm_ffi_any_view_object(&object);
  (void)call(find_global("test.objects.constant"), &arg, 1);
}

/* ---- Objects that end ---- */

static int num_ended;

static void count_end(void *object, int flags) {
  (void)object;
  num_ended += (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0;
}

/* The runtime asks for the deleter before it unloads libraries, and a program may put another in
 * front of it. */
static void run_deleter(const char *registers) {
  static struct {
    TVMFFIObject object;
    TVMFFIFunctionCell cell;
  } place;
  const TVMFFIByteArray name = tvm_ffi_string_get_bytes("test.objects.elsewhere");
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  TVMFFIObjectHandle module;
  int i;
  must(tvm_ffi_module_load(registers, &module) == 0, registers);
  place.object.combined_ref_count = (UINT64_C(1) << 32) + 1;
  place.object.type_index = kTVMFFIFunction;
  place.object.deleter = count_end;
  place.cell.safe_call = TVMFFIFunctionGetCellPtr(find_global("test.tool.area"))->safe_call;
  must(TVMFFIFunctionSetGlobal(&name, &place, 1) == 0, "TVMFFIFunctionSetGlobal");
  for (i = 0; i < 2; ++i) {
    tvm_ffi_object_release(find_global("test.objects.elsewhere"));
    printf("%s\n", place.object.deleter == count_end ? "its own" : "another");
  }
  args[0] = args[1] = tvm_ffi_any_from_int64(7);
  must(TVMFFIFunctionCall(&place, args, 2, &result) == 0, "a call");
  printf("%lld\n", (long long)result.v_int64);
  tvm_ffi_object_release(find_global("test.objects.elsewhere"));
  TVMFFIFunctionSetGlobal(&name, make_echo(), 1);
  tvm_ffi_object_release(&place);
  printf("%d\n", num_ended);
}

/* Any number may come and go, and as many as there is room for may stay. */
static void run_many(bool stay) {
  TVMFFIObjectHandle module = make_module();
  int i;
  for (i = 0; i < 2 * kMany; ++i) {
    TVMFFIObjectHandle function = find_in_module(module, "own");
    (void)call(function, NULL, 0);
    if (!stay) tvm_ffi_object_release(function);
  }
}

/* Functions that are left out take no place of others. */
static void run_left_out(void) {
  TVMFFIObjectHandle module = make_module();
  int i;
  for (i = 0; i < 4 * kMany; ++i) (void)find_in_module(module, "own");
  print_call_in(module, "consume");
}

/* Where the system lets no memory be read, living objects keep their places. */
static void refuse_reads(void) {
#ifdef HAVE_SECCOMP
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pipe2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
}

static void run_no_reads(void) {
  enum { kFirst = 20 };
  TVMFFIObjectHandle first[kFirst];
  char name[32];
  int i;
  refuse_reads();
  for (i = 0; i < kFirst; ++i) {
    (void)snprintf(name, sizeof name, "test.objects.%d", i);
    set_global(name, make_echo());
    first[i] = find_global(name);
  }
  run_many(true);
  for (i = 0; i < kFirst; ++i) print_call(first[i]);
}

/* Global functions of a library, of one that it needs, and with code of the runtime. */
static void run_globals(const char *library) {
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle module;
  must(tvm_ffi_module_load(library, &module) == 0, library);
  args[0] = args[1] = tvm_ffi_any_from_int64(7);
  print_call(find_global("test.tool.around"));
  result = call(find_global("test.tool.area"), args, 2);
  printf("%lld\n", (long long)result.v_int64);
  print_call(find_global("test.tool.with_self"));
}

/* Nor do those of modules take all that there are in the end. */
static void run_starve(void) {
  TVMFFIObjectHandle module = make_module();
  int i;
  for (i = 0; i < 5 * kMany; ++i) tvm_ffi_object_release(find_in_module(module, "own"));
  set_global("test.objects.late", make_echo());
  print_call(find_global("test.objects.late"));
}

/* All functions of a module that are called have no place: there is a note, and no call. */
static void run_no_place(void) {
  TVMFFIObjectHandle module = make_module(), function;
  int i;
  for (i = 0; i < 3 * kMany; ++i) tvm_ffi_object_release(find_in_module(module, "own"));
  function = find_in_module(module, "own");
  print_call(function);
}

/* The words of the recorder's data. */
typedef struct {
  uintptr_t *items;
  size_t size;
} word_array;

static int compare_words(const void *a, const void *b) {
  const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return (x > y) - (x < y);
}

static int copy_data(struct dl_phdr_info *info, size_t size, void *context) {
  word_array *out = context;
  int i;
  (void)size;
  if (strstr(info->dlpi_name, "tvm_ffi_record") == NULL) return 0;
  for (i = 0; i < info->dlpi_phnum; ++i) {
    const size_t count = info->dlpi_phdr[i].p_memsz / sizeof *out->items;
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_W) == 0) continue;
    out->items = realloc(out->items, (out->size + count) * sizeof *out->items);
    must(out->items != NULL, "realloc");
    memcpy(out->items + out->size, (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
           count * sizeof *out->items);
    out->size += count;
  }
  return 1;
}

/* The recorder keeps the memory of objects that have ended. A program that looks for memory that
 * nothing refers to finds none of it. */
static void run_reachable(void) {
  static uintptr_t hidden[2 * kMany]; /* inverted: refers to nothing */
  TVMFFIObjectHandle module = make_module();
  word_array words = {NULL, 0};
  int i, num_lost = 0;
  for (i = 0; i < 2 * kMany; ++i) {
    TVMFFIObjectHandle function = find_in_module(module, "own");
    hidden[i] = ~(uintptr_t)function;
    tvm_ffi_object_release(function);
  }
  (void)dl_iterate_phdr(copy_data, &words);
  if (words.size != 0) qsort(words.items, words.size, sizeof *words.items, compare_words);
  for (i = 0; i < 2 * kMany && words.size != 0; ++i) {
    const uintptr_t address = ~hidden[i];
    num_lost += bsearch(&address, words.items, words.size, sizeof address, compare_words) == NULL;
  }
  printf("%d\n", num_lost);
  free(words.items);
}

/* ---- Lookups that allocate nothing ---- */

static int num_allocated;

#ifdef __GLIBC__
void *__libc_malloc(size_t size);
void *malloc(size_t size);
void *malloc(size_t size) {
  (void)__atomic_fetch_add(&num_allocated, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}
#endif

static void print_allocated(const char *what, TVMFFIObjectHandle module) {
  int before = 0, i;
  for (i = 0; i < 20; ++i) {
    if (i == 10) before = num_allocated;
    tvm_ffi_object_release(module != NULL ? find_in_module(module, what) : find_global(what));
  }
  printf("%s: %d\n", what, num_allocated - before);
}

/* A handler of a signal may make these lookups, as the runtime allocates nothing for them. */
static void run_warm(void) {
  TVMFFIObjectHandle function = make_echo(), module = make_module();
  set_global("test.objects.first", function);
  set_global("test.objects.second", function);
  set_global("test.objects.third", function);
  set_global("test.objects.kept", kept = make_echo());
  print_allocated("ffi.Array", NULL);
  print_allocated("test.objects.first", NULL);
  print_allocated("test.objects.second", NULL);
  print_allocated("test.objects.third", NULL);
  print_allocated("kept", module);
  print_allocated("test.objects.kept", NULL);
}

/* ---- Threads ---- */

static void *run_all(void *context) {
  (void)context;
  run_modules();
  run_methods();
  return NULL;
}

static void run_little_stack(void) {
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  pthread_attr_t little;
  pthread_t thread;
  must(pthread_attr_init(&little) == 0 &&
           pthread_attr_setstacksize(&little, (size_t)(least > 16384 ? least : 16384)) == 0 &&
           pthread_create(&thread, &little, run_all, NULL) == 0 && pthread_join(thread, NULL) == 0,
       "a thread");
}

int main(int argc, char **argv) {
  const char *deed = argc > 2 ? argv[2] : "";
  kernels = argv[1];
  if (strcmp(deed, "modules") == 0) run_modules();
  if (strcmp(deed, "system") == 0) run_system();
  if (strcmp(deed, "compiled") == 0) run_compiled();
  if (strcmp(deed, "fork") == 0) run_fork();
  if (strcmp(deed, "self") == 0) run_self();
  if (strcmp(deed, "constant") == 0) run_constant();
  if (strcmp(deed, "deleter") == 0) run_deleter(argv[3]);
  if (strcmp(deed, "methods") == 0) run_methods();
  if (strcmp(deed, "many") == 0) run_many(false);
  if (strcmp(deed, "left-out") == 0) run_left_out();
  if (strcmp(deed, "many-that-stay") == 0) run_many(true);
  if (strcmp(deed, "starve") == 0) run_starve();
  if (strcmp(deed, "no-place") == 0) run_no_place();
  if (strcmp(deed, "reachable") == 0) run_reachable();
  if (strcmp(deed, "no-reads") == 0) run_no_reads();
  if (strcmp(deed, "globals") == 0) run_globals(argv[3]);
  if (strcmp(deed, "late") == 0) run_late();
  if (strcmp(deed, "names") == 0) run_names();
  if (strcmp(deed, "warm") == 0) run_warm();
  if (strcmp(deed, "little-stack") == 0) run_little_stack();
  return 0;
}
