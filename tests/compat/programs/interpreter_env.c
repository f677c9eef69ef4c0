/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on streams, frontend hooks, the object allocator, and one-time initialisation. */
#define _POSIX_C_SOURCE 200809L /* alarm */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/environment.h"
#include "interpreter.h"

/* ---- Streams ---- */

/* set_stream type id mark wants_original */
static void set_stream(const operands *inputs) {
  TVMFFIStreamHandle original = &marks[kNumMarks - 1];
  int32_t type, id;
  int64_t wants_original;
  void *stream;
  int rc;
  if (!read_int32(inputs, 0, &type) || !read_int32(inputs, 1, &id) ||
      !read_mark(inputs, 2, &stream) || !read_int(inputs, 3, 0, 1, &wants_original)) {
    return;
  }
  rc = api.TVMFFIEnvSetStream(type, id, stream, wants_original ? &original : NULL);
  tell(rc);
  if (rc != 0 || !wants_original) return;
  say(", before ");
  say_pointer(original);
}

static void get_stream(const operands *inputs) {
  int32_t type, id;
  if (!read_int32(inputs, 0, &type) || !read_int32(inputs, 1, &id)) return;
  say_pointer(api.TVMFFIEnvGetStream(type, id));
}

/* ---- Hooks of a frontend ---- */

static int signals_code;

static void say_hook(const char *text) {
  const saved_line saved = begin_event();
  say("%s", text);
  end_event(saved);
}

static int check_signals(void) {
  say_hook("signals are checked");
  return signals_code;
}

static void *ensure_lock(void) {
  say_hook("the lock is taken");
  return &marks[0];
}

static void *ensure_lock_again(void) {
  say_hook("the lock was taken");
  return NULL;
}

static void release_lock(void *state) {
  const saved_line saved = begin_event();
  say("the lock is released, ");
  say_pointer(state);
  end_event(saved);
}

/* hook =name which: 0 removes it */
static void set_hook(const operands *inputs) {
  static int (*const check)(void) = check_signals;
  static void *(*const ensure[])(void) = {ensure_lock, ensure_lock_again};
  static void (*const release)(void *) = release_lock;
  const char *name;
  void *symbol = NULL;
  int64_t choice;
  if (!read_text(inputs, 0, &name) || !read_int(inputs, 1, 0, 2, &choice)) return;
  if (choice > 0 && strcmp(name, "PyGILState_Ensure") == 0) {
    copy_pointer(&symbol, &ensure[choice - 1]);
  } else if (choice > 0 && strcmp(name, "PyGILState_Release") == 0) {
    copy_pointer(&symbol, &release);
  } else if (choice > 0) {
    copy_pointer(&symbol, &check);
  }
  tell(api.TVMFFIEnvRegisterCAPI(name, symbol));
}

/* signals code: calls the check-signals hook, if there is one, which returns the code */
static void ask_signals(const operands *inputs) {
  int32_t code;
  if (!read_int32(inputs, 0, &code)) return;
  signals_code = code;
  say("%d", api.TVMFFIEnvCheckSignals());
}

/* ---- The allocator of objects ---- */

static void *refuse(size_t size, size_t alignment, int32_t type_index, void *context) {
  (void)size;
  (void)alignment;
  (void)type_index;
  (void)context;
  return NULL;
}

static TVMFFICustomAllocator own_allocators[] = {{refuse, &marks[0]}, {refuse, &marks[1]}};

/* set_object_allocator 0 (the default), 1 or 2 */
static void set_object_allocator(const operands *inputs) {
  int64_t choice;
  if (!read_int(inputs, 0, 0, 2, &choice)) return;
  tell(api.TVMFFISetCustomAllocator(choice == 0 ? NULL : &own_allocators[choice - 1]));
}

/* Tries out the default allocator. */
static void get_object_allocator(const operands *inputs) {
  TVMFFICustomAllocator *now = api.TVMFFIGetCustomAllocator();
  TVMFFIObjectAllocHeader header;
  char *body;
  (void)inputs;
  if (now == &own_allocators[0] || now == &own_allocators[1]) {
    say("allocator %d", now == &own_allocators[0] ? 1 : 2);
    return;
  }
  body = now->allocate(100, 16, kTVMFFIObject, now->context);
  say("default, %s", body == NULL ? "gives nothing" : "gives memory");
  if (body == NULL) return;
  memset(body, 1, 100);
  memcpy(&header, body - sizeof header, sizeof header);
  say(" aligned to %d", (uintptr_t)body % 16 == 0 ? 16 : (uintptr_t)body % 8 == 0 ? 8 : 1);
  if (header.delete_space != NULL) header.delete_space(body);
}

/* ---- Initialising once ---- */

enum { kNumHandles = 4 };
static void *handles[kNumHandles];
static int init_handle;        /* which handle the running initialiser initialises */
static int64_t init_behaviour; /* one of the cases of init() */

static int init_nested(void **result) {
  *result = &marks[9];
  return 0;
}

static int init(void **result) {
  say_hook("init");
  switch (init_behaviour) {
    case 0:
      *result = &marks[init_handle];
      return 0;
    case 1:
      return 0; /* leaves the handle NULL */
    case 2:
      api.TVMFFIErrorSetRaisedFromCStr("ValueError", "init");
      return -1;
    case 3:
      return 5;
    default: { /* initialises another handle first */
      int rc;
      (void)alarm(environment_slower()); /* it may deadlock */
      rc = api.TVMFFIHandleInitOnce(&handles[kNumHandles - 1], init_nested);
      *result = &marks[init_handle];
      return rc;
    }
  }
}

/* init_once handle behaviour */
static void init_once(const operands *inputs) {
  int64_t number, behaviour;
  int rc;
  if (!read_int(inputs, 0, 0, kNumHandles - 1, &number) || !read_int(inputs, 1, 0, 4, &behaviour))
    return;
  if (behaviour == 4 && number == kNumHandles - 1) {
    skip("the last handle is for the nested one");
    return;
  }
  init_handle = (int)number;
  init_behaviour = behaviour;
  rc = api.TVMFFIHandleInitOnce(&handles[number], init);
  tell(rc);
  say(", ");
  say_pointer(handles[number]);
}

static int deinit_code;

static int deinit(void *handle) {
  const saved_line saved = begin_event();
  say("deinit ");
  say_pointer(handle);
  end_event(saved);
  return deinit_code;
}

/* deinit_once handle code */
static void deinit_once(const operands *inputs) {
  int64_t number;
  int32_t code;
  int rc;
  if (!read_int(inputs, 0, 0, kNumHandles - 1, &number) || !read_int32(inputs, 1, &code)) return;
  deinit_code = code;
  rc = api.TVMFFIHandleDeinitOnce(&handles[number], deinit);
  tell(rc);
  say(", ");
  say_pointer(handles[number]);
}

const operation env_operations[] = {
    {"set_stream", set_stream},
    {"get_stream", get_stream},
    {"hook", set_hook},
    {"signals", ask_signals},
    {"set_object_allocator", set_object_allocator},
    {"get_object_allocator", get_object_allocator},
    {"init_once", init_once},
    {"deinit_once", deinit_once},
    {NULL, NULL},
};
