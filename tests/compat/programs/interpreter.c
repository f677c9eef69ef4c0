/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs programs on a library and prints what they do (interpreter.h says how they are written):
 *
 *   interpreter [--wrong] LIBRARY [KERNELS...] < programs > traces
 *
 * Each program ends with the line `run`. It runs in a child process forked after the library was
 * loaded; the last line of its trace says how the child ended, also when a signal killed it.
 */
#define _POSIX_C_SOURCE 200809L
#include "interpreter.h"
#include "../../support/environment.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSecondsPerProgram = 2, kMaxInputLine = 1 << 14 };

library_api api;
TVMFFIAny values[kNumValues];
int32_t types[kNumTypes];
int32_t first_type;
char marks[kNumMarks];
const char *library_paths[kMaxLibraries];
int num_libraries;

/* ---- The library ---- */

static void require_symbol(void *library, const char *name, void *target) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    fprintf(stderr, "interpreter: the library has no %s\n", name);
    exit(2);
  }
  copy_pointer(target, &symbol);
}

/* Does the library's one-time work before any program runs: programs then start and crash fast. */
static void warm_up(void) {
  const struct rlimit nothing = {0, 0};
  TVMFFIObjectHandle raised = NULL;
  (void)setrlimit(RLIMIT_CORE, &nothing);
  (void)signal(SIGSEGV, SIG_DFL); /* the reference installs a handler that walks the stack */
  api.TVMFFIErrorSetRaisedFromCStr("ValueError", "the first");
  api.TVMFFIErrorMoveFromRaised(&raised);
  api.TVMFFIObjectDecRef(raised);
}

static void open_library(const char *path) {
  TVMFFIByteArray key = {"compat.First", 12};
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "interpreter: %s\n", dlerror());
    exit(2);
  }
/* Checks that each pointer has the type that the header declares; nothing is linked. */
#define API(result, name, parameters)        \
  require_symbol(library, #name, &api.name); \
  (void)sizeof(api.name == &name);
#include "interpreter_api.h"
  first_type = api.TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
}

/* The mistake of --wrong: data types are printed without their lanes. */
static int (*right_to_string)(const DLDataType *, TVMFFIAny *);

static int print_without_lanes(const DLDataType *dtype, TVMFFIAny *out) {
  DLDataType scalar = *dtype;
  scalar.lanes = 1;
  return right_to_string(&scalar, out);
}

void make_wrong(void) {
  right_to_string = api.TVMFFIDataTypeToString;
  api.TVMFFIDataTypeToString = print_without_lanes;
}

/* ---- A line ---- */

/* The byte that two hexadecimal digits spell, or -1. */
static int read_hex(const char *digits) {
  char copy[3] = {digits[0], digits[0] != '\0' ? digits[1] : '\0', '\0'};
  char *end;
  long value = strtol(copy, &end, 16);
  return end == copy + 2 ? (int)value : -1;
}

/* Decodes a text in place. */
static void decode(operand *item, char *text) {
  char *target = text;
  item->text = text;
  while (*text != '\0') {
    int byte = *text == '%' ? read_hex(text + 1) : -1;
    *target++ = byte >= 0 ? (char)byte : *text;
    text += byte >= 0 ? 3 : 1;
  }
  *target = '\0';
  item->size = (size_t)(target - item->text);
}

/* Splits a line into the name and operands; false for an empty line. */
static bool split(char *line, char **name, operands *out) {
  char *next = strtok(line, " ");
  out->count = 0;
  *name = next;
  if (next == NULL) return false;
  while ((next = strtok(NULL, " ")) != NULL && out->count < kMaxOperands) {
    operand *item = &out->items[out->count++];
    item->is_text = *next == '=';
    decode(item, next + item->is_text);
  }
  return true;
}

static const operation *find_operation(const char *name) {
  const operation *const groups[] = {value_operations,  error_operations, function_operations,
                                     tensor_operations, env_operations,   type_operations,
                                     module_operations};
  size_t i;
  for (i = 0; i < sizeof groups / sizeof *groups; ++i) {
    const operation *entry;
    for (entry = groups[i]; entry->name != NULL; ++entry) {
      if (strcmp(entry->name, name) == 0) return entry;
    }
  }
  return NULL;
}

typedef struct {
  const operation *found;
  operands inputs;
} thread_job;

static void *run_thread(void *context) {
  const thread_job *job = context;
  job->found->run(&job->inputs);
  return NULL;
}

/* `in_thread operation operands...`: runs the operation in a thread and joins it. */
static void run_in_thread(const operands *inputs) {
  static thread_job job;
  pthread_t thread;
  job.found = inputs->count > 0 ? find_operation(inputs->items[0].text) : NULL;
  if (job.found == NULL) {
    say("no such operation");
    return;
  }
  job.inputs.count = inputs->count - 1;
  memcpy(job.inputs.items, inputs->items + 1, (size_t)job.inputs.count * sizeof *inputs->items);
  if (pthread_create(&thread, NULL, run_thread, &job) != 0) abort();
  pthread_join(thread, NULL);
}

static const operation thread_operation = {"in_thread", run_in_thread};

static void run_line(int number, char *line) {
  static operands inputs; /* its texts point into the line */
  const operation *found;
  saved_line event;
  char *name;
  if (!split(line, &name, &inputs)) return;
  found = strcmp(name, "in_thread") == 0 ? &thread_operation : find_operation(name);
  say("%d %s: ", number, name);
  if (found != NULL) {
    found->run(&inputs);
  } else {
    say("no such operation");
  }
  event.text = NULL;
  event.size = 0;
  end_event(event);
}

/* ---- A program ---- */

static void end_program(void) {
  TVMFFIObjectHandle raised = NULL;
  saved_line nothing = {NULL, 0};
  int i;
  api.TVMFFIErrorMoveFromRaised(&raised);
  say("end: ");
  if (raised == NULL) say("nothing raised");
  if (raised != NULL) {
    TVMFFIAny error = make_object(raised);
    say_value(&error);
    api.TVMFFIObjectDecRef(raised);
  }
  release_exports();
  for (i = 0; i < kNumValues; ++i) release_value(&values[i]);
  release_weak();
  end_event(nothing);
}

/* Runs every line of a program; the child process does nothing else. */
static void run_program(char *text) {
  int number = 0;
  while (text != NULL && *text != '\0') {
    char *end = strchr(text, '\n');
    if (end != NULL) *end = '\0';
    run_line(number++, text);
    text = end != NULL ? end + 1 : NULL;
  }
  end_program();
}

static void run_in_child(char *text) {
  int status = 0;
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    (void)alarm(kSecondsPerProgram * environment_slower());
    run_program(text);
    exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror("interpreter");
    exit(2);
  }
  if (WIFSIGNALED(status)) {
    printf("ended by signal %d\n", WTERMSIG(status));
  } else {
    printf("ended with %d\n", WEXITSTATUS(status));
  }
  fflush(stdout);
}

/* Reads a program up to its line `run`; false at the end of the input. */
static bool read_program(char **text, size_t *capacity) {
  size_t size = 0;
  for (;;) {
    char *line;
    if (*capacity - size < kMaxInputLine) {
      *text = realloc(*text, *capacity += 16 * kMaxInputLine);
      if (*text == NULL) abort();
    }
    line = *text + size;
    if (fgets(line, kMaxInputLine, stdin) == NULL) return false;
    if (strcmp(line, "run\n") == 0) {
      *line = '\0';
      return true;
    }
    size += strlen(line);
  }
}

int main(int argc, char **argv) {
  char *text = NULL;
  size_t capacity = 0;
  int next = 1, i;
  const bool wrong = argc > 1 && strcmp(argv[1], "--wrong") == 0;
  next += wrong;
  if (next >= argc || argc - next - 1 > kMaxLibraries) {
    fprintf(stderr, "usage: interpreter [--wrong] LIBRARY [KERNELS...]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  open_library(argv[next]);
  if (wrong) make_wrong();
  warm_up();
  for (i = next + 1; i < argc; ++i) library_paths[num_libraries++] = argv[i];
  while (read_program(&text, &capacity)) run_in_child(text);
  free(text);
  return 0;
}
