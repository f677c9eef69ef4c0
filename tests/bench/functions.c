/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on functions, global names, errors and the once cell. */
#include <tvm/ffi/c/function.h>

#include "bench.h"

int bench_add_three(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  if (num_args != 3 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt ||
      args[2].type_index != kTVMFFIInt) {
    return -1;
  }
  *result = bench_int(args[0].v_int64 + args[1].v_int64 + args[2].v_int64);
  return 0;
}

/* self is the bench_runtime to raise with. */
int bench_fail(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const bench_runtime *api = self;
  (void)args;
  (void)num_args;
  (void)result;
  api->ErrorSetRaisedFromCStr("ValueError", "the value is not what it should be");
  return -1;
}

int bench_call_function(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  size_t i;
  int wrong = 0;
  for (i = 0; i < calls; ++i) {
    args[0] = bench_int((int64_t)i);
    args[1] = bench_int(2);
    args[2] = bench_int(3);
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(s->add, args, 3, &result);
  }
  return wrong != 0 || result.v_int64 != (int64_t)calls + 4;
}

/*
 * What the helpers call is passed on to the runtime under test, as a program's procedure linkage
 * table passes it on to its own: by one more jump.
 */
static const bench_runtime *under_test;

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  under_test->ErrorSetRaised(error);
}
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  under_test->ErrorSetRaisedFromCStr(kind, message);
}
void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t num_parts) {
  under_test->ErrorSetRaisedFromCStrParts(kind, parts, num_parts);
}
void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result) {
  under_test->ErrorMoveFromRaised(result);
}
int TVMFFIErrorCreate(const TVMFFIByteArray *kind, const TVMFFIByteArray *message,
                      const TVMFFIByteArray *backtrace, TVMFFIObjectHandle *out) {
  return under_test->ErrorCreate(kind, message, backtrace, out);
}
const TVMFFIByteArray *TVMFFIBacktrace(const char *file, int line, const char *func, int cross) {
  return under_test->Backtrace(file, line, func, cross);
}
const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index) {
  return under_test->GetTypeInfo(type_index);
}
int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  return under_test->ObjectDecRef(obj);
}

int bench_call_function_by_helper(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  size_t i;
  int wrong = 0;
  under_test = &s->api;
  for (i = 0; i < calls; ++i) {
    args[0] = bench_int((int64_t)i);
    args[1] = bench_int(2);
    args[2] = bench_int(3);
    wrong |= tvm_ffi_function_call(s->add, args, 3, &result);
  }
  return wrong != 0 || result.v_int64 != (int64_t)calls + 4;
}

int bench_create_function(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) {
    TVMFFIObjectHandle function;
    wrong |= s->api.FunctionCreate(s, bench_add_three, NULL, &function);
    wrong |= s->api.ObjectDecRef(function);
  }
  return wrong;
}

/* All that happens to an object which a callee shares for a while. */
int bench_use_function(bench_state *s, size_t calls) {
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  size_t i;
  int wrong = 0;
  for (i = 0; i < calls; ++i) {
    TVMFFIObjectHandle function;
    wrong |= s->api.FunctionCreate(s, bench_add_three, NULL, &function);
    wrong |= s->api.ObjectIncRef(function);
    args[0] = bench_int((int64_t)i);
    args[1] = bench_int(2);
    args[2] = bench_int(3);
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(function, args, 3, &result);
    wrong |= s->api.ObjectDecRef(function);
    wrong |= s->api.ObjectDecRef(function);
  }
  return wrong != 0 || result.v_int64 != (int64_t)calls + 4;
}

int bench_count_references(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= s->api.ObjectIncRef(s->add);
    wrong |= s->api.ObjectDecRef(s->add);
  }
  return wrong;
}

int bench_get_global(bench_state *s, size_t calls) {
  TVMFFIByteArray name = BENCH_BYTES("bench.a_function_of_three");
  TVMFFIObjectHandle function = NULL;
  int wrong = 0;
  for (; calls != 0; --calls) {
    wrong |= s->api.FunctionGetGlobal(&name, &function);
    wrong |= s->api.ObjectDecRef(function);
  }
  return wrong != 0 || function != s->add;
}

/* Reads the caller's names in order, so that only the runtime's memory misses the caches. */
int bench_get_global_among_many(bench_state *s, size_t calls) {
  TVMFFIObjectHandle function = NULL;
  size_t i = s->position % s->names.num_known;
  int wrong = 0;
  for (; calls != 0; --calls) {
    const bench_name *text = &s->names.all[i];
    TVMFFIByteArray name = bench_bytes(text->text, text->size);
    if (++i == s->names.num_known) i = 0;
    wrong |= s->api.FunctionGetGlobal(&name, &function);
    if (function != s->add) return -1;
    wrong |= s->api.ObjectDecRef(function);
  }
  s->position = i;
  return wrong;
}

int bench_set_global(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) {
    const bench_name *text = &s->names.all[s->names.num_known++];
    TVMFFIByteArray name = bench_bytes(text->text, text->size);
    wrong |= s->api.FunctionSetGlobal(&name, s->add, 0);
  }
  return wrong;
}

int bench_raise_error(bench_state *s, size_t calls) {
  TVMFFIObjectHandle error;
  int wrong = 0;
  for (; calls != 0; --calls) {
    error = NULL;
    s->api.ErrorSetRaisedFromCStr("ValueError", "the value is not what it should be");
    s->api.ErrorMoveFromRaised(&error);
    if (error == NULL) return -1;
    wrong |= s->api.ObjectDecRef(error);
  }
  return wrong;
}

/* A runtime without the switch walks the stack in any case. */
int bench_raise_error_with_backtrace(bench_state *s, size_t calls) {
  int wrong;
  if (s->api.set_backtrace != NULL) (void)s->api.set_backtrace(1);
  wrong = bench_raise_error(s, calls);
  if (s->api.set_backtrace != NULL) (void)s->api.set_backtrace(0);
  return wrong;
}

int bench_failing_call(bench_state *s, size_t calls) {
  TVMFFIObjectHandle error;
  int wrong = 0;
  for (; calls != 0; --calls) {
    TVMFFIAny result = bench_any(kTVMFFINone);
    error = NULL;
    wrong |= s->api.FunctionCall(s->failing, NULL, 0, &result) == 0;
    s->api.ErrorMoveFromRaised(&error);
    if (error == NULL) return -1;
    wrong |= s->api.ObjectDecRef(error);
  }
  return wrong;
}

static int init_once(void **result) {
  static int initialized;
  *result = &initialized;
  return 0;
}

int bench_once_hit(bench_state *s, size_t calls) {
  int wrong = 0;
  for (; calls != 0; --calls) wrong |= s->api.HandleInitOnce(&s->once, init_once);
  return wrong != 0 || s->once == NULL;
}
