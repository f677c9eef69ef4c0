/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specs of `wrap`. The first byte chooses the options, the rest is a spec. One that is refused has
 * one report; of another a kernel is written, which names its arguments.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "wrap/wrap.h"

enum { kReturnsOutputs = 1, kResultIsError = 2, kIsLean = 4, kAbiShift = 3 };

static const wrap_abi *choose_abi(int options) {
  size_t count = 0;
  while (wrap_abi_at(count) != NULL) ++count;
  return wrap_abi_at((size_t)(options >> kAbiShift) % count);
}

static bool read(const spec_source *source, int options, spec *out) {
  const wrap_abi *abi = choose_abi(options);
  if (!spec_read(source, out)) return false;
  if (spec_bind(source, (options & kReturnsOutputs) != 0, out) &&
      (abi->check == NULL || abi->check(source, NULL, 0, out))) {
    const bool is_error = abi->result_is_error || (options & kResultIsError) != 0;
    if (is_error && out->failure == kErrorNone) out->failure = kErrorNonzero;
    return true;
  }
  spec_free(out);
  return false;
}

/* Reads the parameters as they are shown, which gives the same ones. */
static void read_again(const spec *target) {
  text_buf shown = {NULL, 0, 0}, again = {NULL, 0, 0};
  spec_source source;
  spec second;
  size_t i;
  text_add(&shown, "void f(");
  for (i = 0; i < target->num_params; ++i) {
    text_add(&shown, "%s", i > 0 ? ", " : "");
    spec_write_param(&shown, &target->params[i]);
  }
  text_add(&shown, ")");
  source.place = "SPEC";
  source.begin = shown.data;
  source.size = shown.size;
  source.refusal = NULL;
  fuzz_require(spec_read(&source, &second));
  fuzz_require(second.num_params == target->num_params);
  for (i = 0; i < target->num_params; ++i) {
    text_buf first = {NULL, 0, 0};
    spec_write_param(&first, &target->params[i]);
    spec_write_param(&again, &second.params[i]);
    fuzz_require(strcmp(first.data, again.data) == 0);
    text_free(&first);
    text_free(&again);
  }
  spec_free(&second);
  text_free(&shown);
}

static void write(const spec *target, int options) {
  wrap_request request;
  text_buf written = {NULL, 0, 0};
  memset(&request, 0, sizeof request);
  request.specs = target;
  request.num_specs = 1;
  request.abi = choose_abi(options);
  request.is_lean = (options & kIsLean) != 0;
  wrap_write(&written, &request);
  fuzz_require(strlen(written.data) == written.size);
  fuzz_require(strstr(written.data, "TVM_FFI_C_EXPORT(") != NULL);
  text_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input in = fuzz_open(data, size);
  const int options = fuzz_byte(&in);
  spec_source source;
  spec target;
  fuzz_begin();
  source.place = "SPEC";
  source.begin = (const char *)in.pos;
  source.size = (size_t)(in.end - in.pos);
  source.refusal = NULL;
  quiet_num_reports = 0;
  if (read(&source, options, &target)) {
    fuzz_require(quiet_num_reports == 0);
    read_again(&target);
    write(&target, options);
    spec_free(&target);
  } else {
    fuzz_require(quiet_num_reports == 1);
  }
  fuzz_end();
  return 0;
}
