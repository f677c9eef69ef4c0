/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands for the runtime in proofs of what uses it: objects that are counted, and calls that
 * may fail. Bytes that are handed over are read.
 */
#ifndef TESTS_PROVE_OBJECTS_H_
#define TESTS_PROVE_OBJECTS_H_

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "prove.h"

static size_t num_objects; /* that are alive */
static size_t num_errors;  /* raised so far */

/* All objects are this one, which CBMC follows much faster than memory of their own. */
static TVMFFIObject shared_object;

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  (void)kind, (void)message;
  ++num_errors;
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  if (error != NULL) ++num_errors;
}

static int make_object(int32_t type_index, TVMFFIObjectHandle *out) {
  if (choose_bool()) return tvm_ffi_error_raise_memory();
  shared_object.type_index = type_index;
  ++num_objects;
  *out = &shared_object;
  return 0;
}

/* A value of any type. */
static int make_any(TVMFFIAny *out) {
  *out = tvm_ffi_any_none();
  out->type_index = (int32_t)choose_up_to(kTVMFFIStaticObjectBegin + 8);
  if (out->type_index < kTVMFFIStaticObjectBegin) {
    out->v_uint64 = choose_u64();
    return 0;
  }
  out->v_obj = NULL;
  return make_object(out->type_index, &out->v_ptr);
}

#ifndef TESTS_PROVE_HAS_TENSORS
int TVMFFIObjectIncRef(TVMFFIObjectHandle object) {
  PROVE(object == &shared_object && num_objects > 0);
  ++num_objects;
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle object) {
  PROVE(object == &shared_object && num_objects > 0);
  --num_objects;
  return 0;
}
#endif

/* Any byte of a text stands for all of them. */
static void read_bytes(const TVMFFIByteArray *bytes) {
  volatile char seen;
  size_t i;
  if (bytes->size == 0) return;
  i = choose_up_to(bytes->size - 1);
  seen = bytes->data[i];
  (void)seen;
}

static int make_from_bytes(const TVMFFIByteArray *input, int32_t type_index, TVMFFIAny *out) {
  TVMFFIObjectHandle made;
  read_bytes(input);
  TVM_FFI_C_TRY(make_object(type_index, &made));
  *out = tvm_ffi_any_take_object(made);
  return 0;
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  return make_from_bytes(input, kTVMFFIStr, out);
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  return make_from_bytes(input, kTVMFFIBytes, out);
}

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  PROVE(input->size % 8 == 0);
  return make_from_bytes(input, kTVMFFIBytes, out);
}

int TVMFFIErrorCreateWithCauseAndExtraContext(const TVMFFIByteArray *kind,
                                              const TVMFFIByteArray *message,
                                              const TVMFFIByteArray *backtrace,
                                              TVMFFIObjectHandle cause, TVMFFIObjectHandle extra,
                                              TVMFFIObjectHandle *out) {
  (void)extra;
  read_bytes(kind);
  read_bytes(message);
  read_bytes(backtrace);
  PROVE(cause == NULL || cause == &shared_object);
  return make_object(kTVMFFIError, out);
}

/* The elements are read, and the result is an object. */
static inline int tvm_ffi_function_call_global(const char *name, const TVMFFIAny *args,
                                               int32_t num_args, TVMFFIAny *result) {
  TVMFFIObjectHandle made;
  (void)name;
  PROVE(num_args >= 0);
  if (num_args > 0) PROVE(args[choose_up_to((size_t)num_args - 1)].zero_padding == 0);
  TVM_FFI_C_TRY(make_object(kTVMFFIArray, &made));
  *result = tvm_ffi_any_take_object(made);
  return 0;
}

#endif /* TESTS_PROVE_OBJECTS_H_ */
