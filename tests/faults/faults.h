/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failing allocations under the unmodified unit tests. Every function that a test calls and that
 * returns an error code is replaced by a wrapper (written by wrappers.py). The wrapper calls it
 * with its first allocation failing, then with its second, and so on, and passes the first result
 * to the test that no failure spoilt. The test cannot tell, because a call that failed has no
 * effect; that is what these programs check.
 *
 * TVM_FFI_TEST_FAULTS=once: one allocation fails at a time; `lasting`: all that follow fail too.
 * Without it the wrappers pass calls on, and the programs are the plain unit tests.
 */
#ifndef TESTS_FAULTS_FAULTS_H_
#define TESTS_FAULTS_FAULTS_H_

#include <stdbool.h>
#include <stddef.h>
#include <tvm/ffi/c_api.h>

/* A wrapped function. */
typedef struct {
  const char *name;
  bool is_silent; /* raises no error */
  long num_calls;
  long first; /* which allocation of the next call fails first */
} faults_site;

enum { kFaultsNumOutputs = 4, kFaultsOutputSize = 64 };

/* A call of a wrapped function. */
typedef struct {
  faults_site *site;
  bool is_nested; /* made by a callback of the test: nothing fails, for many check their results */
  long outer_countdown;
  long n;               /* which allocation fails */
  int num_growths;      /* how often this one has left more blocks behind than there were before */
  long live_blocks;     /* before the call */
  TVMFFIObject *raised; /* before the call */
  int num_outputs;
  struct {
    const void *address;
    size_t size;
    unsigned char before[kFaultsOutputSize];
  } outputs[kFaultsNumOutputs];
} faults_call;

/* Whether a function is one of the runtime's own. */
bool faults_is_built_in(const void *function);

/* False: call the function as it is, because no failures are wanted, or it is called by another. */
bool faults_begin(faults_call *call, faults_site *site, bool can_fail);

/* Names an output, which a failed call must leave unchanged or set to zero. NULL is ignored. */
void faults_watch(faults_call *call, const void *output, size_t size);

/* Whether to call the function again. Fails the test if the call did harm. */
bool faults_again(faults_call *call, bool succeeded);

#endif /* TESTS_FAULTS_FAULTS_H_ */
