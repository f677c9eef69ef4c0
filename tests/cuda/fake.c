/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the CUDA fakes: the log, failures on demand, kernels. */
#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxKernels = 32, kMaxLog = 65536, kMaxName = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fake_kernel kernels[kMaxKernels];
static int num_kernels;
static int num_devices = 1;
static char log_text[kMaxLog];
static size_t log_size;
static long num_calls, fail_at = -1;
static int fail_at_code, fail_code;
static char fail_function[kMaxName];
static struct {
  void (*reset)(void);
  long (*count)(void);
} states[kFakeMaxStates];
static int num_states;

__attribute__((__format__(__printf__, 1, 0))) static void append(const char *format,
                                                                 va_list values) {
  int size = vsnprintf(log_text + log_size, sizeof log_text - log_size, format, values);
  if (size < 0 || (size_t)size >= sizeof log_text - log_size) {
    fprintf(stderr, "the log of the fake is full\n");
    abort();
  }
  log_size += (size_t)size;
}

__attribute__((__format__(__printf__, 1, 2))) static void put(const char *format, ...) {
  va_list values;
  va_start(values, format);
  append(format, values);
  va_end(values);
}

/* ---- Control ---- */

void fake_clear_log(void) {
  pthread_mutex_lock(&lock);
  log_size = 0;
  log_text[0] = '\0';
  pthread_mutex_unlock(&lock);
}

void fake_reset(void) {
  int i;
  fake_clear_log();
  num_kernels = 0;
  num_devices = 1;
  num_calls = 0;
  fail_at = -1;
  fail_code = 0;
  for (i = 0; i < num_states; ++i) states[i].reset();
}

void fake_add_kernel(const fake_kernel *kernel) {
  if (num_kernels == kMaxKernels) abort();
  kernels[num_kernels++] = *kernel;
}

void fake_set_device_count(int count) {
  if (count < 0 || count > kFakeMaxDevices) abort();
  num_devices = count;
}

void fake_fail_after(long n, int code) {
  fail_at = n < 0 ? -1 : num_calls + n;
  fail_at_code = code;
}

void fake_fail(const char *function, int code) {
  (void)snprintf(fail_function, sizeof fail_function, "%s", function);
  fail_code = code;
}

const char *fake_get_log(void) {
  return log_text;
}

long fake_get_call_count(void) {
  return num_calls;
}

long fake_get_live_count(void) {
  long count = 0;
  int i;
  for (i = 0; i < num_states; ++i) count += states[i].count();
  return count;
}

void fake_add_state(void (*reset)(void), long (*count)(void)) {
  if (num_states == kFakeMaxStates) abort();
  states[num_states].reset = reset;
  states[num_states++].count = count;
}

/* ---- For the fakes ---- */

int fake_begin(const char *function, const char *format, ...) {
  va_list values;
  int code = 0;
  pthread_mutex_lock(&lock);
  put("%s ", function);
  va_start(values, format);
  append(format, values);
  va_end(values);
  if (log_text[log_size - 1] == ' ') --log_size; /* no arguments */
  if (fail_at == num_calls) {
    code = fail_at_code;
    fail_at = -1;
  } else if (strcmp(function, fail_function) == 0) {
    code = fail_code;
  }
  ++num_calls;
  return code;
}

int fake_end(int code) {
  if (code != 0) put(" -> %d", code);
  put("\n");
  pthread_mutex_unlock(&lock);
  return code;
}

int fake_query(const char *function) {
  pthread_mutex_lock(&lock);
  return strcmp(function, fail_function) == 0 ? fail_code : 0;
}

int fake_answer(int code) {
  pthread_mutex_unlock(&lock);
  return code;
}

int fake_is_image(const void *image) {
  static const char fatbin[] = "\x50\xed\x55\xba", elf[] =
                                                       "\x7f"
                                                       "ELF";
  return image != NULL && (memcmp(image, fatbin, 4) == 0 || memcmp(image, elf, 4) == 0 ||
                           strstr((const char *)image, ".version") != NULL);
}

const char *fake_find_entry(const void *image, const char *name) {
  static const char entry[] = ".entry ";
  const size_t size = strlen(name);
  const char *cursor = (const char *)image;
  while ((cursor = strstr(cursor, entry)) != NULL) {
    cursor += sizeof entry - 1;
    if (strncmp(cursor, name, size) == 0 && strchr("( \t\r\n", cursor[size]) != NULL) {
      return cursor + size;
    }
  }
  return NULL;
}

size_t fake_get_param_size(const void *image, const char *name, size_t i) {
  const char *cursor = fake_find_entry(image, name);
  for (; cursor != NULL && *cursor != ')' && *cursor != '\0'; ++cursor) {
    if (strncmp(cursor, ".param .", 8) == 0 && i-- == 0) return (size_t)atoi(cursor + 9) / 8;
  }
  return 0;
}

const fake_kernel *fake_find_kernel(const void *image, const char *name) {
  const char *text = (const char *)image;
  const int is_binary = text[0] == '\x7f' || text[0] == '\x50';
  int i;
  for (i = 0; i < num_kernels; ++i) {
    if (strcmp(kernels[i].name, name) == 0 && (is_binary || fake_find_entry(text, name) != NULL)) {
      return &kernels[i];
    }
  }
  return NULL;
}

int fake_get_device_count(void) {
  return num_devices;
}

void fake_load_kernels(void) {
  static int is_loaded;
  const char *path = getenv("FAKE_CUDA_KERNELS");
  void *library;
  union {
    void *object;
    void (*function)(void);
  } add;
  if (path == NULL || is_loaded) return;
  is_loaded = 1;
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  add.object = library != NULL ? dlsym(library, "fake_kernels") : NULL;
  if (add.object == NULL) {
    fprintf(stderr, "FAKE_CUDA_KERNELS: %s\n", dlerror());
    abort();
  }
  add.function();
}
