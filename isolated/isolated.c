/* SPDX-License-Identifier: Apache-2.0 */
/* In the host: modules whose functions run in helper processes. */
#define _GNU_SOURCE /* dladdr */
#include <tvm/ffi/extra/isolated.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h> /* (memchr)(...) is not glibc's macro with _Generic: C99 has none */
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "base/utf8.h"
#include "process.h"
#include "tensor_copy.h"

/* ---- Places for helpers ---- */

typedef struct module module;

/* One helper at a time, and the calls to it one after the other. */
typedef struct {
  uint32_t references; /* the module's, and one of each process that was started here */
  fork_lock call_lock; /* held during a call; guards the next three members */
  process *process;    /* NULL: none is started yet */
  uint64_t serial;     /* counts the processes */
  double timeout;      /* of calls of functions that kernels returned */
} site;

/* The calls that this thread has in progress: a callback may call the module again. */
typedef struct active {
  const site *site;
  struct active *next;
} active;

static __thread active *active_calls;

static bool is_active(const site *self) {
  const active *a;
  for (a = active_calls; a != NULL && a->site != self; a = a->next) continue;
  return a != NULL;
}

static void site_release(site *self) {
  if (__atomic_sub_fetch(&self->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  fork_lock_fini(&self->call_lock);
  free(self);
}

static void release_process(process *self) {
  site *place = self->place;
  if (process_release(self)) site_release(place);
}

/* ---- One call ---- */

/* The members that a call within a callback has to put back. */
typedef struct {
  active entry;
  site *site;
  bool is_outermost;
  int cancel_state;
} entered;

/* A thread that is cancelled in a call is so after it, or the lock would be held for ever. */
static void begin_entry(site *place, bool is_outermost, entered *out) {
  out->is_outermost = is_outermost;
  out->site = place;
  out->entry.site = place;
  out->entry.next = active_calls;
  active_calls = &out->entry;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &out->cancel_state);
}

static void enter_site(site *place, entered *out) {
  const bool is_outermost = !is_active(place);
  if (is_outermost) pthread_mutex_lock(&place->call_lock.mutex);
  begin_entry(place, is_outermost, out);
}

static void leave_site(entered *self) {
  active_calls = self->entry.next;
  if (self->is_outermost) pthread_mutex_unlock(&self->site->call_lock.mutex);
  (void)pthread_setcancelstate(self->cancel_state, NULL);
}

/* The call of an entered helper. Its time limit is its own. */
static int call_process(process *self, double timeout, operation op, uint32_t target,
                        const char *name, const TVMFFIAny *args, int32_t num_args,
                        TVMFFIAny *result) {
  const int64_t outer_deadline = self->peer.deadline;
  const double outer_timeout = self->timeout;
  const char *outer_called = self->called;
  int code;
  self->peer.deadline = timeout > 0 ? clock_now() + (int64_t)(timeout * 1e9) : 0;
  self->timeout = timeout;
  self->called = name;
  process_retain(self); /* a callback may release the module */
  code = peer_call(&self->peer, op, target, name, args, num_args, result);
  self->peer.deadline = outer_deadline;
  self->timeout = outer_timeout;
  self->called = outer_called;
  release_process(self);
  return code;
}

/* ---- What helpers do in the host ---- */

static int call_returned(peer *self, uint32_t target, const TVMFFIAny *args, int32_t num_args,
                         TVMFFIAny *result) {
  process *owner = (process *)(void *)self;
  entered call;
  int code;
  enter_site(owner->place, &call);
  code = call_process(owner, call.site->timeout, kCall, target, "a function that a kernel returned",
                      args, num_args, result);
  leave_site(&call);
  return code;
}

static int on_interrupt(peer *self) {
  if (TVMFFIEnvCheckSignals() == 0) return 0;
  (void)process_end(self, kWaitSignal, NULL);
  TVMFFIErrorSetRaisedFromCStr(TVM_FFI_C_ENV_ERROR_ALREADY_SET, "");
  return -1;
}

static void retain_peer(peer *self) {
  process_retain((process *)(void *)self);
}

static void release_peer(peer *self) {
  release_process((process *)(void *)self);
}

static const peer_hooks kHostHooks = {.end = process_end,
                                      .interrupted = on_interrupt,
                                      .call = call_returned,
                                      .retain = retain_peer,
                                      .release = release_peer};

/* ---- Modules ---- */

struct module {
  tvm_ffi_isolated_options options;
  char *path, *helper, *reads, *environment; /* the last two may be NULL */
  uint32_t next_site;                        /* where a call waits that finds all busy */
  int32_t num_sites;
  site *sites[];
};

/* Starts a helper that has loaded the library. */
static int start_process(const module *self, site *place) {
  const tensor_pool *pool = process_get_pool();
  TVMFFIAny path = tvm_ffi_any_view_string(self->path), result;
  process *made = NULL;
  int code;
  if (pool == NULL) {
    return TVM_FFI_C_RAISE(TVM_FFI_ISOLATED_START_ERROR,
                           "cannot start a helper process: shared memory for tensors: %s",
                           strerror(errno));
  }
  TVM_FFI_C_TRY(process_start(&self->options, self->path, pool, &kHostHooks, &made));
  made->place = place;
  __atomic_fetch_add(&place->references, 1, __ATOMIC_RELAXED);
  code = call_process(made, self->options.load_timeout, kLoad, 0, "the loading", &path, 1, &result);
  if (code != 0) {
    release_process(made);
    return code;
  }
  tvm_ffi_any_clear(&result);
  place->process = made;
  ++place->serial;
  return 0;
}

/* A helper that runs, or the error by which the last one ended. */
static int ensure_process(const module *self, site *place) {
  process *old = place->process;
  if (old != NULL && !process_has_left(old)) return 0;
  /* Within a call of it, which will fail. In a child by fork, it is the call of a lost thread. */
  if (old != NULL && old->peer.depth > 0 && !old->is_of_parent) return 0;
  if (old != NULL) {
    if (self->options.no_restart && (old->ended != NULL || !old->is_of_parent)) {
      return process_end(&old->peer, kWaitGone, NULL);
    }
    /* It has ended between two calls: what kernels kept in it is lost, so the caller is told. */
    if (!old->peer.is_ended) return process_end(&old->peer, kWaitGone, NULL);
    place->process = NULL;
    release_process(old);
  }
  return start_process(self, place);
}

/* Enters a place of the module: that of a call in progress, a free one, or the next to be free. */
static void enter_module(module *self, int32_t *out_index, entered *out) {
  int32_t i;
  for (i = 0; active_calls != NULL && i < self->num_sites; ++i) {
    if (!is_active(self->sites[i])) continue;
    enter_site(self->sites[i], out);
    *out_index = i;
    return;
  }
  for (i = 0; i < self->num_sites; ++i) {
    if (pthread_mutex_trylock(&self->sites[i]->call_lock.mutex) != 0) continue;
    begin_entry(self->sites[i], true, out);
    *out_index = i;
    return;
  }
  i = (int32_t)(__atomic_fetch_add(&self->next_site, 1, __ATOMIC_RELAXED) %
                (uint32_t)self->num_sites);
  enter_site(self->sites[i], out);
  *out_index = i;
}

/* Asks a helper of the module for something by name. */
static int ask(module *self, operation op, const TVMFFIByteArray *name, TVMFFIAny *out) {
  TVMFFIAny text;
  entered call;
  int32_t i;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_string_create_sized(name->data, name->size, &text));
  enter_module(self, &i, &call);
  code = ensure_process(self, call.site);
  if (code == 0) {
    code = call_process(call.site->process, self->options.load_timeout, op, 0, "a look-up", &text,
                        1, out);
  }
  leave_site(&call);
  tvm_ffi_any_clear(&text);
  return code;
}

/* ---- Functions of modules ---- */

/* A function in one helper. */
typedef struct {
  uint64_t serial; /* of the process; 0: not looked up yet */
  uint32_t number;
  TVMFFIObjectHandle proxy;
} bound_function;

typedef struct {
  TVMFFIObjectHandle owner; /* the Module */
  module *module;
  char *name;
  bound_function bound[]; /* one for each site, guarded by its lock */
} function;

/* Looks the function up in a helper that was started after the last look-up. */
static int bind_function(function *self, site *place, bound_function *bound) {
  TVMFFIAny name = tvm_ffi_any_view_string(self->name), result;
  const TVMFFIObjectHandle old = bound->proxy;
  TVM_FFI_C_TRY(call_process(place->process, self->module->options.load_timeout, kGet, 0,
                             "a look-up", &name, 1, &result));
  bound->number = peer_number_of(&place->process->peer, &result);
  if (bound->number == 0) {
    tvm_ffi_any_clear(&result);
    return TVM_FFI_C_RAISE(TVM_FFI_C_ATTRIBUTE_ERROR, "Module has no function `%s`", self->name);
  }
  bound->proxy = result.v_obj;
  bound->serial = place->serial;
  tvm_ffi_object_release(old);
  return 0;
}

static int call_bound(function *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  bound_function *bound;
  entered call;
  int32_t i;
  int code;
  enter_module(self->module, &i, &call);
  bound = &self->bound[i];
  code = ensure_process(self->module, call.site);
  if (code == 0 && bound->serial != call.site->serial) {
    code = bind_function(self, call.site, bound);
  }
  if (code == 0) {
    code = call_process(call.site->process, self->module->options.timeout, kCall, bound->number,
                        self->name, args, num_args, result);
  }
  leave_site(&call);
  return code;
}

static int call_function(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return call_bound(handle, args, num_args, result);
}

static void delete_function(void *handle) {
  function *self = handle;
  int32_t i;
  for (i = 0; i < self->module->num_sites; ++i) tvm_ffi_object_release(self->bound[i].proxy);
  tvm_ffi_object_release(self->owner);
  free(self->name);
  free(self);
}

static int new_function(module *owner, TVMFFIObjectHandle handle, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  function *self = calloc(1, sizeof *self + (size_t)owner->num_sites * sizeof(bound_function));
  if (self != NULL) self->name = malloc(name->size + 1);
  if (self == NULL || self->name == NULL) {
    free(self);
    return tvm_ffi_error_raise_memory();
  }
  memcpy(self->name, name->data, name->size);
  self->name[name->size] = '\0';
  self->module = owner;
  if (TVMFFIFunctionCreate(self, call_function, delete_function, out) != 0) {
    free(self->name);
    free(self);
    return -1;
  }
  self->owner = tvm_ffi_object_retain(handle);
  return 0;
}

/* ---- The table of the module's kind ---- */

static int get_function(void *self, TVMFFIObjectHandle handle, const TVMFFIByteArray *name,
                        TVMFFIObjectHandle *out) {
  TVMFFIAny found;
  bool exists;
  /* The name goes on as a C string. */
  if (name->size > 0 && (memchr)(name->data, '\0', name->size) != NULL) return 0;
  TVM_FFI_C_TRY(ask(self, kGet, name, &found));
  exists = found.type_index == kTVMFFIFunction;
  tvm_ffi_any_clear(&found);
  return exists ? new_function(self, handle, name, out) : 0;
}

static int get_metadata(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return ask(self, kMetadata, name, out);
}

static int get_doc(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return ask(self, kDoc, name, out);
}

static void destroy_module(void *handle) {
  module *self = handle;
  int32_t i;
  for (i = 0; i < self->num_sites; ++i) {
    process *running = self->sites[i]->process;
    self->sites[i]->process = NULL;
    if (running != NULL) release_process(running);
    site_release(self->sites[i]);
  }
  free(self->path);
  free(self->helper);
  free(self->reads);
  free(self->environment);
  free(self);
}

static const TVMFFIRuntimeModuleVTable kModuleKind = {sizeof(TVMFFIRuntimeModuleVTable),
                                                      "isolated",
                                                      kTVMFFIRuntimeModuleRunnable,
                                                      get_function,
                                                      NULL,
                                                      get_metadata,
                                                      get_doc,
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      destroy_module};

/* ---- Loading ---- */

/*
 * The helper is installed in the folder tvm_ffi beside the library; for a program with the archive,
 * beside the program. If it is not there, its name is in the error of the start.
 */
static char *find_helper(const char *given) {
  static const char *const kNames[] = {"tvm_ffi/tvm_ffi_isolated_helper",
                                       "tvm_ffi_isolated_helper"};
  Dl_info library;
  size_t i;
  if (given == NULL && dladdr((const void *)&kModuleKind, &library) != 0 &&
      library.dli_fname != NULL && (strchr)(library.dli_fname, '/') != NULL) {
    const size_t folder = (size_t)((strrchr)(library.dli_fname, '/') - library.dli_fname) + 1;
    for (i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
      char *path = malloc(folder + strlen(kNames[i]) + 1);
      if (path == NULL) return NULL;
      memcpy(path, library.dli_fname, folder);
      strcpy(path + folder, kNames[i]);
      if (access(path, X_OK) == 0) return path;
      free(path);
    }
  }
  return strdup(given != NULL ? given : kNames[1]);
}

static int check_options(const tvm_ffi_isolated_options *options) {
  const int32_t known =
      TVM_FFI_ISOLATED_NETWORK | TVM_FFI_ISOLATED_FILES | TVM_FFI_ISOLATED_PROCESSES;
  enum { kMaxProcesses = 1024 };
  TVM_FFI_C_CHECK(options->timeout >= 0 && options->timeout < 1e9 && options->load_timeout >= 0 &&
                      options->load_timeout < 1e9,
                  TVM_FFI_C_VALUE_ERROR, "a timeout is negative, or larger than 1e9 s");
  TVM_FFI_C_CHECK(options->processes >= 0 && options->processes <= kMaxProcesses,
                  TVM_FFI_C_VALUE_ERROR, "options.processes is %d, but must be from 0 to %d",
                  (int)options->processes, kMaxProcesses);
  TVM_FFI_C_CHECK((options->forbids & ~known) == 0, TVM_FFI_C_VALUE_ERROR,
                  "options.forbids has unknown bits: 0x%x", (unsigned)options->forbids);
  TVM_FFI_C_CHECK(options->sandbox >= 0 && options->sandbox <= TVM_FFI_ISOLATED_SANDBOX_BEST,
                  TVM_FFI_C_VALUE_ERROR, "options.sandbox is %d, but must be from 0 to %d",
                  (int)options->sandbox, TVM_FFI_ISOLATED_SANDBOX_BEST);
  TVM_FFI_C_CHECK(options->sandbox != 0 || (options->reads == NULL && options->environment == NULL),
                  TVM_FFI_C_VALUE_ERROR, "options.%s needs options.sandbox",
                  options->reads != NULL ? "reads" : "environment");
  return 0;
}

/* Programs that were compiled before the last members were there are as good. */
static int complete_options(const tvm_ffi_isolated_options *given, tvm_ffi_isolated_options *out) {
  const tvm_ffi_isolated_options defaults = TVM_FFI_ISOLATED_OPTIONS_INIT;
  const size_t least = offsetof(tvm_ffi_isolated_options, answer);
  *out = defaults;
  if (given == NULL) return 0;
  TVM_FFI_C_CHECK(given->struct_size >= least, TVM_FFI_C_VALUE_ERROR,
                  "options.struct_size is %zu, but must be at least %zu", given->struct_size,
                  least);
  memcpy(out, given, given->struct_size < sizeof *out ? given->struct_size : sizeof *out);
  return check_options(out);
}

/*
 * A helper may hold as much as its limit, and a container of numbers counts five times as much as
 * it takes there; parts that containers share are sent once for each of them.
 */
static uint64_t default_answer(uint64_t memory) {
  const uint64_t least = (uint64_t)1 << 28, usual = (uint64_t)1 << 32;
  if (memory == 0) return usual;
  if (memory > UINT64_MAX / 16) return UINT64_MAX;
  return 16 * memory < least ? least : 16 * memory;
}

static module *new_module(const char *path, const tvm_ffi_isolated_options *options) {
  const int32_t count = options->processes > 0 ? options->processes : 1;
  module *self = calloc(1, sizeof *self + (size_t)count * sizeof(site *));
  if (self == NULL) return NULL;
  self->options = *options;
  if (self->options.load_timeout == 0) self->options.load_timeout = 60;
  if (self->options.answer == 0) self->options.answer = default_answer(self->options.memory);
  self->path = strdup(path);
  self->helper = find_helper(options->helper);
  self->options.helper = self->helper;
  if (options->reads != NULL) self->options.reads = self->reads = strdup(options->reads);
  if (options->environment != NULL) {
    self->options.environment = self->environment = strdup(options->environment);
  }
  for (; self->num_sites < count; ++self->num_sites) {
    site *place = calloc(1, sizeof *place);
    if (place == NULL) break;
    place->references = 1;
    place->timeout = options->timeout;
    if (!fork_lock_init(&place->call_lock)) {
      free(place);
      break;
    }
    self->sites[self->num_sites] = place;
  }
  if (self->path != NULL && self->helper != NULL && self->num_sites == count &&
      (self->reads != NULL) == (options->reads != NULL) &&
      (self->environment != NULL) == (options->environment != NULL)) {
    return self;
  }
  destroy_module(self);
  return NULL;
}

int tvm_ffi_isolated_load(const char *path, const tvm_ffi_isolated_options *options,
                          TVMFFIObjectHandle *out) {
  tvm_ffi_isolated_options all;
  module *self;
  entered call;
  int32_t i;
  int code;
  TVM_FFI_C_CHECK(path != NULL && out != NULL, TVM_FFI_C_VALUE_ERROR, "`%s` is NULL",
                  path == NULL ? "path" : "out");
  TVM_FFI_C_TRY(complete_options(options, &all));
  self = new_module(path, &all);
  if (self == NULL) return tvm_ffi_error_raise_memory();
  /* The first helper starts now, so that what is wrong with the library is known. */
  enter_module(self, &i, &call);
  code = ensure_process(self, call.site);
  leave_site(&call);
  if (code == 0) code = TVMFFIRuntimeModuleCreate(&kModuleKind, self, out);
  if (code != 0) destroy_module(self);
  return code;
}

/* ---- Loading by name ---- */

typedef enum { kSeconds, kNumber, kBytes, kForbids, kSandbox, kNames } option_type;

typedef struct {
  const char *name;
  size_t offset;
  option_type type;
} option;

#define OPTION(member, type) \
  { #member, offsetof(tvm_ffi_isolated_options, member), type }
static const option kOptions[] = {
    OPTION(timeout, kSeconds),   OPTION(load_timeout, kSeconds), OPTION(processes, kNumber),
    OPTION(no_restart, kNumber), OPTION(shows_output, kNumber),  OPTION(forbids, kForbids),
    OPTION(memory, kBytes),      OPTION(cpu_seconds, kBytes),    OPTION(open_files, kBytes),
    OPTION(answer, kBytes),      OPTION(sandbox, kSandbox),      OPTION(reads, kNames),
    OPTION(environment, kNames),
};
#undef OPTION

static bool is_text(const TVMFFIByteArray *part, const char *text) {
  return part->size == strlen(text) && memcmp(part->data, text, part->size) == 0;
}

/* Takes what is before the next separator away from the rest; NULL remains behind the last part. */
static TVMFFIByteArray take_part(TVMFFIByteArray *rest, char separator) {
  const char *end = rest->size > 0 ? (memchr)(rest->data, separator, rest->size) : NULL;
  TVMFFIByteArray part = *rest;
  if (end != NULL) part.size = (size_t)(end - rest->data);
  rest->data = end != NULL ? end + 1 : NULL;
  rest->size -= part.size + (end != NULL);
  return part;
}

/* Digits with a point among them, whatever the locale of the host is. */
static bool read_decimal(const TVMFFIByteArray *text, double *out) {
  double value = 0, scale = 0;
  size_t i;
  for (i = 0; i < text->size; ++i) {
    const char c = text->data[i];
    if (c == '.' && scale == 0 && i > 0) {
      scale = 1;
    } else if (c >= '0' && c <= '9') {
      value = 10 * value + (c - '0');
      scale *= 10;
    } else {
      return false;
    }
  }
  *out = scale > 0 ? value / scale : value;
  return text->size > 0;
}

static bool read_forbidden(TVMFFIByteArray words, int32_t *out) {
  static const struct {
    const char *name;
    int32_t bit;
  } kWords[] = {{"network", TVM_FFI_ISOLATED_NETWORK},
                {"files", TVM_FFI_ISOLATED_FILES},
                {"processes", TVM_FFI_ISOLATED_PROCESSES}};
  do {
    const TVMFFIByteArray word = take_part(&words, '+');
    size_t i;
    for (i = 0; i < sizeof kWords / sizeof *kWords && !is_text(&word, kWords[i].name); ++i)
      continue;
    if (i == sizeof kWords / sizeof *kWords) return false;
    *out |= kWords[i].bit;
  } while (words.data != NULL);
  return true;
}

/* A value without `=` is NULL. */
static bool read_sandbox(const TVMFFIByteArray *value, int32_t *out) {
  *out = value->data == NULL ? TVM_FFI_ISOLATED_SANDBOX_ALL : TVM_FFI_ISOLATED_SANDBOX_BEST;
  return value->data == NULL || is_text(value, "best");
}

/* Names with a plus sign between them, as a copy with colons. */
static bool read_names(const TVMFFIByteArray *value, char **out) {
  size_t i;
  if (value->size == 0 || (memchr)(value->data, '\0', value->size) != NULL) return false;
  free(*out); /* of the same option before */
  *out = malloc(value->size + 1);
  if (*out == NULL) return false;
  for (i = 0; i < value->size; ++i) (*out)[i] = value->data[i] == '+' ? ':' : value->data[i];
  (*out)[value->size] = '\0';
  return true;
}

/* False: the value is not one of that type. */
static bool set_option(const option *which, const TVMFFIByteArray *value,
                       tvm_ffi_isolated_options *out) {
  void *member = (char *)out + which->offset;
  double number;
  if (which->type == kForbids) return read_forbidden(*value, member);
  if (which->type == kSandbox) return read_sandbox(value, member);
  if (which->type == kNames) return read_names(value, member);
  if (!read_decimal(value, &number)) return false;
  if (which->type == kSeconds) {
    *(double *)member = number;
    return true;
  }
  if (number > (which->type == kNumber ? INT32_MAX : 9e18) ||
      (memchr)(value->data, '.', value->size) != NULL) {
    return false;
  }
  if (which->type == kNumber) *(int32_t *)member = (int32_t)number;
  if (which->type == kBytes) *(uint64_t *)member = (uint64_t)number;
  return true;
}

static int read_options(TVMFFIByteArray text, tvm_ffi_isolated_options *out) {
  while (text.data != NULL) {
    const TVMFFIByteArray whole = take_part(&text, ',');
    TVMFFIByteArray value = whole;
    const TVMFFIByteArray name = take_part(&value, '=');
    size_t i;
    for (i = 0; i < sizeof kOptions / sizeof *kOptions; ++i) {
      if (is_text(&name, kOptions[i].name)) break;
    }
    TVM_FFI_C_CHECK(i < sizeof kOptions / sizeof *kOptions && set_option(&kOptions[i], &value, out),
                    TVM_FFI_C_VALUE_ERROR,
                    "`%.*s` is not an option of `isolated:`, or not a value of it",
                    tvmffi_shown_size(whole.size), whole.data);
  }
  return 0;
}

/* The options own the names among them. */
static int load_with(const TVMFFIByteArray *path, TVMFFIByteArray words,
                     tvm_ffi_isolated_options *options, TVMFFIObjectHandle *out) {
  char *copy;
  int code;
  TVM_FFI_C_TRY(read_options(words, options));
  copy = malloc(path->size + 1);
  if (copy == NULL) return tvm_ffi_error_raise_memory();
  memcpy(copy, path->data, path->size);
  copy[path->size] = '\0';
  code = tvm_ffi_isolated_load(copy, options, out);
  free(copy);
  return code;
}

int tvm_ffi_isolated_load_named(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  TVMFFIByteArray path, words, scheme;
  int code;
  TVM_FFI_C_CHECK(name != NULL && out != NULL, TVM_FFI_C_VALUE_ERROR, "`%s` is NULL",
                  name == NULL ? "name" : "out");
  path = *name;
  words = take_part(&path, ':');
  scheme = take_part(&words, ',');
  TVM_FFI_C_CHECK(
      is_text(&scheme, "isolated") && path.size > 0 && (memchr)(path.data, '\0', path.size) == NULL,
      TVM_FFI_C_VALUE_ERROR, "`%.*s` is not `isolated:` with a path", tvmffi_shown_size(name->size),
      name->data);
  code = load_with(&path, words, &options, out);
  free((char *)(uintptr_t)options.reads);
  free((char *)(uintptr_t)options.environment);
  return code;
}

/* What the module has at a place that the caller names; NULL after an error. */
static site *find_site(TVMFFIObjectHandle handle, int32_t index) {
  void *found;
  const module *self;
  if (TVMFFIRuntimeModuleGetSelf(handle, &kModuleKind, &found) != 0) return NULL;
  self = found;
  if (index >= 0 && index < self->num_sites) return self->sites[index];
  (void)TVM_FFI_C_RAISE(TVM_FFI_C_INDEX_ERROR, "there is no process %d: the module has %d",
                        (int)index, (int)self->num_sites);
  return NULL;
}

int tvm_ffi_isolated_read_process(TVMFFIObjectHandle handle, int32_t index, int64_t *out) {
  site *place = find_site(handle, index);
  entered call;
  if (place == NULL) return -1;
  enter_site(place, &call);
  *out = place->process != NULL && !process_has_left(place->process)
             ? place->process->peer.channel.helper
             : 0;
  leave_site(&call);
  return 0;
}

int tvm_ffi_isolated_read_sandbox(TVMFFIObjectHandle handle, int32_t index, int32_t *out) {
  site *place = find_site(handle, index);
  entered call;
  if (place == NULL) return -1;
  enter_site(place, &call);
  *out = place->process != NULL && !process_has_left(place->process)
             ? (int32_t)place->process->sandbox_parts
             : 0;
  leave_site(&call);
  return 0;
}

/* ---- Tensors ---- */

int tvm_ffi_isolated_allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                              void (*set_error)(void *error_ctx, const char *kind,
                                                const char *message)) {
  tensor_pool *pool = process_get_pool();
  if (pool == NULL) {
    char text[128];
    snprintf(text, sizeof text, "shared memory for tensors: %s", strerror(errno));
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, text);
    return -1;
  }
  return tensor_in_heap(&pool->heap, prototype, out, error_ctx, set_error);
}
