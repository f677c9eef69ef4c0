/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the other process, and serves its calls: sends a call, serves what the other side asks
 * meanwhile, and receives the answer. In the host, whose calls come from isolated.c, and in the
 * helper, which serves until the host has gone.
 */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c/host.h>

#include "base/utf8.h"
#include "message.h"
#include "remote_objects.h"
#include "tensor_copy.h"

enum { kMaxCalls = 200 /* of calls within callbacks */ };

/* ---- Serving one message ---- */

/* The time that the function itself takes in the host is not the helper's. */
static int call_function(reader *r, TVMFFIAny *args, TVMFFIAny *result) {
  peer *p = r->peer;
  const TVMFFIObjectHandle function = export_find(p, r->target);
  const int64_t begin = p->deadline != 0 ? clock_now() : 0;
  int code;
  if (function == NULL || TVMFFIObjectGetTypeIndex(function) != kTVMFFIFunction) {
    return reader_set_damage(r, "there is no function with this number");
  }
  tvm_ffi_object_retain(function); /* the call may release it */
  code = p->channel.own_side == kSideHelper
             ? tvm_ffi_float_state_call(function, args, r->num_args, result)
             : tvm_ffi_function_call(function, args, r->num_args, result);
  tvm_ffi_object_release(function);
  if (p->deadline != 0) p->deadline += clock_now() - begin;
  return code;
}

static int answer_error(peer *p) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  writer w;
  int code;
  memset(&w, 0, sizeof w);
  w.peer = p;
  if (error != NULL && tvm_ffi_error_is(error, TVM_FFI_C_ENV_ERROR_ALREADY_SET)) {
    p->saw_interrupt = true;
  }
  code = writer_begin(&w, kRaise, 0, 0);
  if (code == 0) code = writer_put_error(&w, error);
  tvm_ffi_object_release(error);
  if (code == 0) writer_send(&w, w.at - w.begin);
  writer_end(&w);
  return code;
}

/* A result that cannot be sent becomes an error. */
static int answer(reader *r, int code, const TVMFFIAny *args, const TVMFFIAny *result) {
  writer w;
  memset(&w, 0, sizeof w);
  w.peer = r->peer;
  w.answered = args;
  w.num_answered = r->num_args;
  if (code == 0) code = writer_begin(&w, kReturn, 0, 0);
  if (code == 0) code = writer_put(&w, result);
  if (code == 0) {
    const size_t size = w.at - w.begin;
    code = writer_attach_elements(&w);
    if (code == 0) writer_send(&w, size);
  }
  writer_end(&w);
  if (code != 0 && r->peer->is_ended) return -1; /* it took too long */
  return code == 0 ? 0 : answer_error(r->peer);
}

/* Receives the arguments and calls. *out_code is that of the function. */
static int run_call(reader *r, TVMFFIAny *args, int32_t *num_done, int *out_code,
                    TVMFFIAny *result) {
  peer *p = r->peer;
  while (*num_done < r->num_args) {
    const int code = reader_get(r, &args[*num_done]);
    if (code != 0) {
      *out_code = -1;
      return reader_is_broken(r) ? -1 : 0;
    }
    ++*num_done;
  }
  if (reader_copy_arguments(r) != 0) {
    *out_code = -1;
    return reader_is_broken(r) ? -1 : 0;
  }
  if (p->depth > kMaxCalls) {
    *out_code = TVM_FFI_C_RAISE("RecursionError",
                                "more than %d calls within calls between processes", kMaxCalls);
  } else if (r->op == kCall) {
    *out_code = call_function(r, args, result);
  } else if (p->hooks->serve != NULL && r->num_args == 1) {
    *out_code = p->hooks->serve(p, r->op, args, result);
  } else {
    return reader_set_damage(r, "a message is not expected");
  }
  return reader_is_broken(r) ? -1 : 0;
}

/* Serves a message of the other side that asks for something. -1: it is damaged, or has ended. */
static int serve(reader *r) {
  peer *p = r->peer;
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIAny few[8], *args = few;
  const uint64_t outer_number = p->number;
  int32_t num_done = 0, i;
  int code = -1, rc;
  if (r->num_args > 8) args = malloc((size_t)r->num_args * sizeof *args);
  if (args == NULL) return tvm_ffi_error_raise_memory();
  r->mode = p->channel.own_side == kSideHost ? kCopyBack : kInPlace;
  p->number = r->number;
  ++p->depth;
  rc = run_call(r, args, &num_done, &code, &result);
  --p->depth;
  if (rc == 0 && p->is_ended) rc = -1;
  if (rc == 0 && code == 0) rc = reader_write_back(r);
  /* Before the answer, which tells what has died. Tensors may be results; the views hold them. */
  for (i = 0; i < num_done; ++i) {
    const int32_t type = args[i].type_index;
    if (type == kTVMFFITensor) {
      tvm_ffi_object_release(args[i].v_obj);
    } else if (type != kTVMFFIDLTensorPtr) {
      tvm_ffi_any_clear(&args[i]);
    }
  }
  if (rc == 0 && p->hooks->before_answer != NULL) p->hooks->before_answer();
  if (rc == 0) rc = answer(r, code, args, &result);
  p->number = outer_number;
  tvm_ffi_any_clear(&result);
  reader_end_arguments(r);
  if (args != few) free(args);
  return rc;
}

/* ---- Receiving ---- */

/* A message could not be read or answered: it is damaged or took too long, or memory ran out. */
static int end_reading(peer *p, const reader *r, const char *otherwise) {
  if (r->damage != NULL) return p->hooks->end(p, kWaitDamaged, r->damage);
  return p->hooks->end(p, r->is_late ? kWaitTime : kWaitFailed, otherwise);
}

/* Waits for a message, and reads its beginning. */
static int receive(peer *p, reader *r) {
  wait_result result;
  int code;
  r->copy = NULL;
  while ((result = channel_wait(&p->channel, p->deadline)) == kWaitSignal) {
    p->is_interrupted = true;
    code = p->hooks->interrupted(p);
    p->is_interrupted = false;
    if (code != 0) return -1;
  }
  if (result != kWaitTurn) return p->hooks->end(p, result, NULL);
  code = reader_begin(r, p);
  if (code != 0) {
    reader_end(r);
    return end_reading(p, r, "there is no memory to read a message");
  }
  return 0;
}

/* ---- Calling ---- */

/* Reads the answer to a call. */
static int read_answer(reader *r, TVMFFIAny *result) {
  TVMFFIAny value;
  r->mode = kKeep;
  TVM_FFI_C_TRY(reader_get(r, &value));
  if (r->op == kReturn) {
    *result = value;
    return 0;
  }
  if (value.type_index != kTVMFFIError) {
    tvm_ffi_any_clear(&value);
    return TVM_FFI_C_RAISE("InternalError", "the function failed without an error");
  }
  TVMFFIErrorSetRaised(value.v_obj);
  tvm_ffi_any_clear(&value);
  return -1;
}

static int run_until_answer(peer *p, writer *w, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  TVMFFIAny value;
  reader r;
  int code;
  for (;;) {
    TVM_FFI_C_TRY(receive(p, &r));
    if (r.op == kReturn || r.op == kRaise) break;
    code = serve(&r);
    reader_end(&r);
    if (p->is_ended) return p->hooks->end(p, kWaitGone, NULL);
    if (code != 0) {
      return end_reading(p, &r, "there is no memory to answer a callback");
    }
    /* A helper that calls all the time is never waited for. */
    if (p->deadline != 0 && clock_now() >= p->deadline) return p->hooks->end(p, kWaitTime, NULL);
  }
  r.answers = args;
  r.num_answers = num_args;
  code = read_answer(&r, &value);
  reader_end(&r);
  if (reader_is_broken(&r)) return end_reading(p, &r, NULL);
  if (code != 0) return code;
  /* The rule of the error slot: tensors are changed only if the call has succeeded. */
  code = writer_copy_back(w);
  if (code != 0) {
    tvm_ffi_any_clear(&value);
  } else {
    *result = value;
  }
  return code;
}

/* "argument #1 of `scale`: ..." */
static int name_argument(const char *name, int32_t i) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  if (error == NULL) return -1;
  tvm_ffi_error_raise(tvm_ffi_error_get_kind(error).data, "argument #%d of %s: %.*s", (int)i, name,
                      tvmffi_shown_size(tvm_ffi_error_get_message(error).size),
                      tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
  return -1;
}

int peer_call(peer *self, operation op, uint32_t target, const char *name, const TVMFFIAny *args,
              int32_t num_args, TVMFFIAny *result) {
  const size_t top = self->top;
  const uint64_t outer_number = self->number;
  writer w;
  size_t size;
  int32_t i;
  int code;
  if (self->is_ended) return self->hooks->end(self, kWaitGone, NULL);
  if (num_args < 0) return TVM_FFI_C_RAISE("ValueError", "a negative number of arguments");
  if (self->is_interrupted) {
    return TVM_FFI_C_RAISE("RuntimeError",
                           "a signal handler cannot call the isolated module that it interrupts");
  }
  memset(&w, 0, sizeof w);
  w.peer = self;
  w.is_call = true;
  w.name = name;
  if (self->channel.own_side == kSideHost) self->number = ++self->last_number;
  code = writer_begin(&w, op, target, num_args);
  for (i = 0; code == 0 && i < num_args; ++i) {
    w.argument = i;
    code = writer_put(&w, &args[i]);
    if (code != 0) name_argument(name, i);
  }
  size = w.at - w.begin;
  if (code == 0) code = writer_attach_elements(&w);
  if (code != 0) {
    self->number = outer_number;
    writer_end(&w);
    return code;
  }
  self->top = w.at + (kTensorAlignment - w.at % kTensorAlignment) % kTensorAlignment;
  ++self->depth;
  writer_send(&w, size);
  code = run_until_answer(self, &w, args, num_args, result);
  --self->depth;
  self->number = outer_number;
  self->top = top;
  if (self->depth == 0) {
    self->saw_interrupt = false;
    channel_trim(&self->channel, w.at);
  }
  writer_end(&w);
  return code;
}

void peer_serve(peer *self) {
  reader r;
  while (receive(self, &r) == 0) {
    const int code = serve(&r);
    reader_end(&r);
    if (code != 0) self->hooks->end(self, kWaitDamaged, r.damage);
  }
}
