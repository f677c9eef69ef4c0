/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million calls and ten thousand restarts: memory, open files, shared memory and processes of the
 * host do not grow, nor does the memory of its helper. Prints what there is of each on the way.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#include "isolated/host.h"

enum { kCalls = 1000000, kRestarts = 10000, kReports = 10 };

static const DLDevice kCpu = {kDLCPU, 0};

/* ---- What there is ---- */

typedef struct {
  int64_t helper;                 /* its process */
  long resident, helper_resident; /* KiB */
  int files, shared_files, processes;
} usage;

/* Of a process, in KiB: with the shared memory that it has touched. */
static long read_resident(int64_t process) {
  char path[64];
  long pages = 0;
  FILE *file;
  snprintf(path, sizeof path, "/proc/%lld/statm", (long long)process);
  file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int count_files(void) {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  assert_non_null(folder);
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count - 3; /* ".", ".." and the folder */
}

/* Mappings of files in memory that the library has made. */
static int count_shared_files(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  char line[4096];
  int count = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    count += strstr(line, "memfd:tvm_ffi_isolated") != NULL;
  }
  fclose(file);
  return count;
}

/* The children of this process, those included that have ended. */
static int count_processes(void) {
  DIR *folder = opendir("/proc");
  const struct dirent *entry;
  int count = 0;
  assert_non_null(folder);
  while ((entry = readdir(folder)) != NULL) {
    char path[300], text[512] = "";
    const char *after_name;
    FILE *file;
    int parent = 0;
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    file = fopen(path, "r");
    if (file == NULL) continue; /* it has gone meanwhile */
    if (fgets(text, sizeof text, file) != NULL && (after_name = strrchr(text, ')')) != NULL &&
        sscanf(after_name, ") %*c %d", &parent) == 1) {
      count += parent == getpid();
    }
    fclose(file);
  }
  closedir(folder);
  return count;
}

static usage read_usage(TVMFFIObjectHandle module) {
  usage now;
  check_ok(tvm_ffi_isolated_read_process(module, 0, &now.helper));
  assert_int_not_equal(now.helper, 0);
  now.resident = read_resident(getpid());
  now.helper_resident = read_resident(now.helper);
  now.files = count_files();
  now.shared_files = count_shared_files();
  now.processes = count_processes();
  return now;
}

static void report(const char *what, int done, const usage *now) {
  printf("%8d %-8s  %6ld KiB  %6ld KiB in the helper  %2d files  %d shared  %d processes\n", done,
         what, now->resident, now->helper_resident, now->files, now->shared_files, now->processes);
  fflush(stdout);
}

/* Memory is not given back to the last page. A leak of a byte a call, or 100 a restart, shows. */
static void check_has_not_grown(const usage *before, const usage *now) {
  enum { kTolerance = 512 }; /* KiB */
  assert_true(now->resident <= before->resident + kTolerance);
  if (now->helper == before->helper) {
    assert_true(now->helper_resident <= before->helper_resident + kTolerance);
  }
  assert_int_equal(now->files, before->files);
  assert_int_equal(now->shared_files, before->shared_files);
  assert_int_equal(now->processes, before->processes);
}

/*
 * Does `count` rounds with a module after as many as it takes to warm up, and checks that nothing
 * grows.
 */
static void repeat(const char *what, TVMFFIObjectHandle module, void (*round)(int i), int count,
                   int count_to_warm_up) {
  usage before, now;
  double begin;
  int i;
  for (i = 0; i < count_to_warm_up; ++i) round(i);
  before = now = read_usage(module);
  report(what, 0, &before);
  begin = host_now();
  for (i = 1; i <= count; ++i) {
    round(i);
    if (i % (count / kReports) == 0) {
      now = read_usage(module);
      report(what, i, &now);
      check_has_not_grown(&before, &now); /* a leak takes gigabytes by the end */
    }
  }
  printf("%.1f us each\n", (host_now() - begin) / count * 1e6);
}

/* ---- Forks ---- */

/* A child of the host calls a module of its parent, by a helper of its own. */
static void fork_host(TVMFFIObjectHandle function, int64_t arg) {
  enum { kMost = 30 };
  int status = 0;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    TVMFFIAny number = tvm_ffi_any_from_int64(arg), result = tvm_ffi_any_none();
    (void)alarm(kMost * environment_slower());
    _exit(tvm_ffi_function_call(function, &number, 1, &result) != 0 || result.v_int64 != arg);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* ---- Calls ---- */

static TVMFFIObjectHandle same, add_to, iota, own_iota, keep, adder, call, callback, owned, shared;

TVM_FFI_C_FUNCTION(be_called, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(7));
}

static void call_once(int i) {
  enum { kFork = 2000 };
  float data[4] = {1, 2, 3, 4};
  tvm_ffi_vector v;
  TVMFFIAny args[3], result;
  if (i % kFork == 0) fork_host(same, i);
  switch (i % 16) {
    case 0: /* a text, which is copied */
      args[0] = tvm_ffi_any_view_string("a text that is not short");
      check_ok(tvm_ffi_function_call(same, args, 1, &result));
      tvm_ffi_any_clear(&result);
      break;
    case 1: /* tensors, which are copied, and one that is not */
      args[0] = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 4);
      args[1] = tvm_ffi_any_view_object(shared);
      check_ok(tvm_ffi_function_call(add_to, args, 2, &result));
      break;
    case 2: /* a result that is copied */
    case 3: /* and one that is lent */
      args[0] = tvm_ffi_any_from_int64(i % 16 == 2 ? 100 : 20000);
      check_ok(tvm_ffi_function_call(iota, args, 1, &result));
      tvm_ffi_any_clear(&result);
      break;
    case 4: /* a function of the helper */
      check_ok(tvm_ffi_function_call(adder, NULL, 0, &result));
      tvm_ffi_any_clear(&result);
      break;
    case 5: /* a function of the host */
      args[0] = tvm_ffi_any_view_object(callback);
      check_ok(tvm_ffi_function_call(call, args, 1, &result));
      break;
    case 6: /* a result in memory of the kernel's own, which is copied */
    case 7: /* and one that is copied to be lent */
      args[0] = tvm_ffi_any_from_int64(i % 16 == 6 ? 100 : 20000);
      check_ok(tvm_ffi_function_call(own_iota, args, 1, &result));
      tvm_ffi_any_clear(&result);
      break;
    case 8: /* a tensor that the kernel keeps until the next one; the one before is the result */
      args[0] = tvm_ffi_any_view_object(owned);
      check_ok(tvm_ffi_function_call(keep, args, 1, &result));
      tvm_ffi_any_clear(&result);
      break;
    default:
      args[0] = tvm_ffi_any_from_int64(i);
      check_ok(tvm_ffi_function_call(same, args, 1, &result));
      assert_int_equal(result.v_int64, i);
  }
}

TEST(test_calls) {
  const TVMFFIObjectHandle module = host_load("isolated_good.so");
  DLPackManagedTensorAllocator before;
  float data[4] = {1, 2, 3, 4};
  tvm_ffi_vector v;
  int64_t n = 4;
  (void)tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, n);
  check_ok(tvm_ffi_tensor_create_around(&v.tensor, NULL, NULL, &owned));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_isolated_allocate, 0, &before));
  check_ok(tvm_ffi_tensor_create(kCpu, TVM_FFI_C_FLOAT32, 1, &n, &shared));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, NULL));
  memset(TVMFFITensorGetDLTensorPtr(shared)->data, 0, 16);
  check_ok(TVMFFIFunctionCreate(NULL, be_called, NULL, &callback));
  same = host_get(module, "same");
  add_to = host_get(module, "add_to");
  iota = host_get(module, "iota");
  own_iota = host_get(module, "own_iota");
  keep = host_get(module, "keep");
  adder = host_get(module, "adder");
  call = host_get(module, "call");
  repeat("calls", module, call_once, kCalls, kCalls / 100);
  tvm_ffi_object_release(same);
  tvm_ffi_object_release(add_to);
  tvm_ffi_object_release(iota);
  tvm_ffi_object_release(own_iota);
  tvm_ffi_object_release(keep);
  tvm_ffi_object_release(adder);
  tvm_ffi_object_release(call);
  tvm_ffi_object_release(callback);
  tvm_ffi_object_release(owned);
  tvm_ffi_object_release(shared);
  tvm_ffi_object_release(module);
  assert_int_equal(count_processes(), 0);
}

/* ---- Restarts ---- */

static TVMFFIObjectHandle fine, echo, fork_and_wait, endings[4];

/*
 * A kernel ends its helper after a process that it has started; the next call starts another. Now
 * and then a child of the host does so at that time.
 */
static void restart_once(int i) {
  enum { kFork = 50 };
  TVMFFIAny arg = tvm_ffi_any_from_int64(i % 2), result;
  check_ok(tvm_ffi_function_call(fork_and_wait, &arg, 1, &result));
  assert_int_equal(tvm_ffi_function_call(endings[i % 4], NULL, 0, &result), -1);
  check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
  assert_int_equal(result.v_int64, 42);
  if (i % kFork == 0) fork_host(echo, i);
}

TEST(test_restarts) {
  static const char *const kEndings[] = {"crash", "end_with_exit", "kill_itself", "end_with_abort"};
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  int i;
  fine = host_get(module, "fine");
  echo = host_get(module, "echo");
  fork_and_wait = host_get(module, "fork_a_crash");
  for (i = 0; i < 4; ++i) endings[i] = host_get(module, kEndings[i]);
  repeat("restarts", module, restart_once, kRestarts, kRestarts / 50);
  for (i = 0; i < 4; ++i) tvm_ffi_object_release(endings[i]);
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(echo);
  tvm_ffi_object_release(fork_and_wait);
  tvm_ffi_object_release(module);
  TVMFFIErrorSetRaised(NULL);
  assert_int_equal(count_processes(), 0);
  assert_int_equal(count_shared_files(), 2); /* the memory of tensors stays, and its addresses */
}

RUN_TESTS({
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_restarts),
})
