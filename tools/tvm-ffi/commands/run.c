/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function of a library with values from the command line, and prints or checks the
 * outputs. */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/report.h"
#include "base/text.h"
#include "commands/call.h"
#include "library/library.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/device.h"
#include "value/output.h"
#include "value/tensor.h"
#include "value/value_text.h"

typedef struct {
  text_list outputs, expected; /* of --output and --expected_output */
  bool as_json, prints_statistics, checks_leaks;
  tolerance allowed;
  tensor_detail detail;
} run_options;

typedef struct {
  run_options options;
  call request;
  kernel callee;
  schema_type *types;
  input_list inputs, expected;
  snapshot initial;
  output_list outputs;
  double load_seconds, call_seconds;
} run;

/* ---- Expected outputs ---- */

static bool is_ignored(const run *r, size_t i) {
  return strcmp(r->options.expected.items[i], "(ignored)") == 0;
}

/* Reads one value per option; None for those to be ignored. */
static bool read_expected(run *r) {
  size_t i;
  for (i = 0; i < r->options.expected.count; ++i) {
    const char *spec = r->options.expected.items[i];
    char label[40];
    snprintf(label, sizeof label, "--expected_output %zu", i);
    if (is_ignored(r, i)) spec = "none";
    if (!input_read(r->request.reader, spec, label, NULL, &r->expected)) return false;
    if (r->expected.size != i + 1) return report_error("%s: is not a single value", label);
  }
  return true;
}

/* "[PASS] scale: " */
static void print_verdict(const run *r, bool pass) {
  fprintf(streams_results(), "%s[%s]%s ", report_color(pass ? kColorGood : kColorBad),
          pass ? "PASS" : "FAIL", report_color(kColorNone));
  text_print_escaped(streams_results(), r->request.function);
  fputs(": ", streams_results());
}

static void print_check(const run *r, const output *item, const comparison *result) {
  DLTensor *tensor;
  text_buf line = {NULL, 0, 0};
  if (tvm_ffi_any_try_tensor(&item->value, &tensor)) {
    text_add(&line, " ");
    tensor_type_write(&line, tensor->dtype, tensor->shape, tensor->ndim);
  }
  if (!result->is_same) text_add(&line, " %s", result->difference.data);
  if (result->has_numbers) {
    text_add(&line, "%smax|err|=%s", result->is_same ? " " : "; ", REAL_G(6, result->max_error));
  }
  print_verdict(r, result->is_same);
  fprintf(streams_results(), "%s%s\n", item->name, line.data != NULL ? line.data : "");
  text_free(&line);
}

static void print_check_json(const output *item, const comparison *result) {
  json_begin_object(NULL);
  json_text("name", item->name);
  json_bool("pass", result->is_same);
  if (result->has_numbers) json_real("max_abs_error", result->max_error);
  json_text("difference", result->is_same ? NULL : result->difference.data);
  json_end();
}

/* Whether all outputs are as expected; prints that too. */
static bool check_outputs(const run *r, bool json) {
  bool pass = r->outputs.size == r->expected.size;
  size_t i;
  if (json) json_begin_array("checks");
  for (i = 0; i < r->outputs.size && i < r->expected.size; ++i) {
    comparison result;
    if (is_ignored(r, i)) continue;
    compare_values(&r->outputs.items[i].value, &r->expected.items[i].value, &r->options.allowed,
                   &result);
    if (json) {
      print_check_json(&r->outputs.items[i], &result);
    } else {
      print_check(r, &r->outputs.items[i], &result);
    }
    pass = pass && result.is_same;
    comparison_free(&result);
  }
  if (json) {
    json_end();
    json_bool("pass", pass);
  } else if (r->outputs.size != r->expected.size) {
    print_verdict(r, false);
    fprintf(streams_results(), "%zu output%s, expected %zu\n", r->outputs.size,
            r->outputs.size == 1 ? "" : "s", r->expected.size);
  }
  return pass;
}

/* ---- A call ---- */

typedef struct {
  const run *r;
  const TVMFFIAny *views;
  TVMFFIAny result;
  double seconds;
} timed_call;

static int call_function(void *context) {
  timed_call *c = context;
  const double start = clock_seconds();
  int code = tvm_ffi_function_call(c->r->callee.function, c->views, (int32_t)c->r->inputs.size,
                                   &c->result);
  if (code == 0 && device_wait() != 0) {
    tvm_ffi_any_clear(&c->result);
    code = -1;
  }
  c->seconds = clock_seconds() - start;
  return code;
}

/* Calls the function once; -1 with an error raised, also for a result that is one. */
static int call_once(const run *r, const TVMFFIAny *views, timed_call *out) {
  out->r = r;
  out->views = views;
  if (foreign_call(kStageCall, r->request.function, call_function, out) != 0) return -1;
  return call_raise_result(&out->result);
}

/* ---- Leaks ---- */

/* Makes a second call, after objects that are created only once exist, and reports the objects that
 * stay alive after it. */
static int check_leaks(const run *r, const TVMFFIAny *views) {
  enum { kLookAt = 1024 };
  timed_call c;
  text_buf kinds = {NULL, 0, 0};
  int32_t type;
  int64_t alive;
  own_runtime_count_objects(true);
  if (call_once(r, views, &c) != 0) {
    runtime_error_report(r->request.function, true);
    return kExitRaised;
  }
  tvm_ffi_any_clear(&c.result);
  TVMFFIErrorSetRaised(NULL);
  alive = own_runtime_get_object_count(kTVMFFIAny);
  for (type = kTVMFFIStaticObjectBegin; alive > 0 && type < kLookAt; ++type) {
    int64_t count = own_runtime_get_object_count(type);
    if (count > 0) text_add(&kinds, ", %lld %s", (long long)count, tvm_ffi_type_get_name(type));
  }
  own_runtime_count_objects(false);
  if (alive == 0) return kExitOk;
  report_error("%s: objects that the call made are still alive after it: %s", r->request.function,
               kinds.data != NULL ? kinds.data + 2 : "of other types");
  text_free(&kinds);
  return kExitCheck;
}

/* ---- Gaps ---- */

/* Whether the function left all bytes around and between the elements of its arguments alone. */
static int check_gaps(const run *r) {
  char where[96];
  size_t i;
  int code = kExitOk;
  for (i = 0; i < r->inputs.size; ++i) {
    const input_memory *memory = r->inputs.items[i].memory;
    if (memory == NULL || storage_is_intact(memory->stored, where, sizeof where)) continue;
    code = report_fail(kExitCheck, "%s: wrote outside the elements of arg[%zu]: %s",
                       r->request.function, i, where);
  }
  return code;
}

/* ---- The call ---- */

static void print_json(const run *r, bool *pass) {
  size_t i;
  json_begin_object(NULL);
  json_text("function", r->request.function);
  json_begin_array("outputs");
  for (i = 0; i < r->outputs.size; ++i) {
    value_write_json(NULL, r->outputs.items[i].name, &r->outputs.items[i].value,
                     r->options.detail.max_elements);
  }
  json_end();
  if (r->options.expected.count > 0) *pass = check_outputs(r, true);
  if (r->options.prints_statistics) {
    json_real("load_seconds", r->load_seconds);
    json_real("call_seconds", r->call_seconds);
  }
  json_end();
}

static int show_outputs(const run *r) {
  size_t given = r->options.outputs.count, i;
  bool json = r->options.as_json, pass = true;
  if (given > r->outputs.size) {
    return report_fail(kExitUsage,
                       "%s: there are fewer outputs than --output options: %zu, not %zu",
                       r->request.function, r->outputs.size, given);
  }
  for (i = 0; i < given; ++i) {
    const char *spec = r->options.outputs.items[i];
    if (json && strcmp(spec, "-") == 0) continue; /* the JSON has all outputs */
    if (!output_write(&r->outputs.items[i], spec, &r->options.detail)) return kExitUsage;
  }
  if (json) {
    print_json(r, &pass);
    return pass ? kExitOk : kExitMismatch;
  }
  if (r->options.expected.count > 0) {
    pass = check_outputs(r, false);
  } else if (given == 0) {
    for (i = 0; i < r->outputs.size; ++i) output_print(&r->outputs.items[i], &r->options.detail);
    if (r->outputs.size == 0) fputs("result: none\n", streams_results());
  }
  if (r->options.prints_statistics) {
    fprintf(streams_results(), "load %s ms, call %s us\n", REAL_F(3, r->load_seconds * 1e3),
            REAL_F(3, r->call_seconds * 1e6));
  }
  return pass ? kExitOk : kExitMismatch;
}

static int call_and_show(run *r) {
  TVMFFIAny *views = call_view_inputs(&r->inputs);
  timed_call c;
  int code;
  snapshot_take(&r->inputs, &r->initial);
  code = call_once(r, views, &c);
  r->call_seconds = c.seconds;
  if (code == 0) {
    output_collect(c.result, &r->inputs, &r->initial, &r->outputs);
    code = show_outputs(r);
    output_list_free(&r->outputs);
    if (code == kExitOk) code = check_gaps(r);
    if (code == kExitOk && !device_check_reads()) code = kExitRaised;
    if (code == kExitOk && r->options.checks_leaks) code = check_leaks(r, views);
  } else {
    runtime_error_report(r->request.function, true);
    code = kExitRaised;
  }
  snapshot_free(&r->initial);
  free(views);
  return code;
}

static int load_and_call(void *context) {
  run *r = context;
  double start = clock_seconds();
  int code;
  if (!call_load(&r->request, 0, &r->callee, &code)) return code;
  r->load_seconds = clock_seconds() - start;
  r->types = library_read_schema(&r->callee.lib, r->request.function);
  code = kExitUsage;
  if (call_read_inputs(&r->request, r->types, &r->inputs) && read_expected(r)) {
    code = call_and_show(r);
  }
  input_list_free(&r->inputs);
  input_list_free(&r->expected);
  schema_free(r->types);
  kernel_free(&r->callee);
  return code;
}

/* How much of each tensor is printed: all of it as JSON, which programs read. */
static bool choose_detail(const arguments *args, tensor_detail *out) {
  const bool is_full = arguments_has(args, kOptionFull),
             is_limited = arguments_has(args, kOptionOutputMaxElementCount);
  long long count;
  if (!arguments_int(args, kOptionOutputMaxElementCount, 0, 0, INT32_MAX, &count)) return false;
  if (is_full && is_limited) {
    return report_error("--%s and --%s cannot be combined", arguments_name(args, kOptionFull),
                        arguments_name(args, kOptionOutputMaxElementCount));
  }
  *out = is_full || arguments_has(args, kOptionJson) ? kTensorWhole : kTensorElided;
  if (is_limited) {
    out->max_elements = (size_t)count;
    out->max_unelided = SIZE_MAX;
  }
  return true;
}

static bool read_options(const arguments *args, const call *request, run_options *out) {
  out->outputs = arguments_values(args, kOptionOutput);
  out->expected = arguments_values(args, kOptionExpectedOutput);
  out->as_json = arguments_has(args, kOptionJson);
  out->prints_statistics = arguments_has(args, kOptionPrintStatistics);
  out->checks_leaks = arguments_has(args, kOptionLeakCheck);
  if (out->checks_leaks && call_is_isolated(request)) {
    return report_error(
        "--leak-check counts the objects of this process, but those of an isolated library are in "
        "another");
  }
  return output_check(out->outputs, out->as_json) && choose_detail(args, &out->detail) &&
         arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->allowed.absolute);
}

static int command_run(const arguments *args) {
  run r;
  int code = kExitUsage;
  memset(&r, 0, sizeof r);
  if (call_parse(args, 1, &r.request) && read_options(args, &r.request, &r.options)) {
    code = call_in_child(&r.request, load_and_call, &r);
  }
  call_free(&r.request);
  return code;
}

/* ---- Options and help ---- */

static const option kRunOptions[] = {
    CALL_OPTIONS(false),
    {kOptionOutput, "output", 'o', "SPEC", true,
     "where an output goes: - (print), @FILE (.npy, or raw bytes), +FILE (append), empty "
     "(nowhere); default: all are printed"},
    {kOptionExpectedOutput, "expected_output", 'e', "SPEC", true,
     "the expected output, written like an input; (ignored) skips one"},
    TOLERANCE_OPTIONS("the expected number"),
    {kOptionOutputMaxElementCount, "output_max_element_count", 0, "N", false,
     "print the first N elements of each tensor"},
    {kOptionFull, "full", 0, NULL, false,
     "print all elements, even of a tensor with more than 1000 (default: the first and last three "
     "of each dimension)"},
    {kOptionPrintStatistics, "print_statistics", 0, NULL, false,
     "print how long loading and the call took"},
    {kOptionLeakCheck, "leak-check", 0, NULL, false,
     "call twice, and fail if the second call leaves objects alive"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kRunText[] =
    "An argument is a number (3, 2.5), true, false, none, a tensor, or one of\n"
    "  i:3  f:3  b:true  s:\"text\"  x:@FILE (bytes)  dtype:float32  dev:cuda:0  shape:[2,3]\n"
    "  [1, 2.5, \"a\"]  {k: \"v\"}  fn:echo (or any global function).\n"
    "A tensor is\n"
    "  2x2xf32=1 2 3 4  2x2xi32=[[1 2][3 4]]  4xbf16=0.5 (all the same)  4xf32=rand\n"
    "  4xf32=@FILE (raw bytes)  4xf32=+FILE (the bytes that follow)\n"
    "  @FILE.npy  +FILE.npy (the next array in it)  *FILE.npy (all the rest)\n"
    "  &4xf32, 4xf32 (zeros, for the function to fill).\n"
    "After the type, @FILE.npy or +FILE.npy, a layout says how the tensor lies in memory:\n"
    "  4x4xf32[::2, 1:]=1 (a part, as in NumPy)  4x4xf32.T  @x.npy.order(F)  .strides(0, 1)\n"
    "  .byte_offset(8)  .misaligned(1)  .guard(end)  .guard(start)  .fill(0x7f) (gaps)\n"
    "  .readonly  .reserved (no memory)  .device(cuda:1) (claims it)  .dltensor (not a Tensor)\n"
    "  arg[0], arg[0][1:], arg[0].base[1:] (the memory of an earlier argument).\n"
    "If the function changes a byte in the gaps of such a tensor, the exit code is 5.\n\n"
    "If the library has the types of its functions, a plain 3 becomes a float, and a plain word a\n"
    "string, where the function takes one.\n\n"
    "A LIB may be a source (.c, .cc, .cpp, .cxx, .cu), an object file or an archive. It is\n"
    "compiled by $CC, $CXX or $NVCC (default cc, c++, nvcc), with the headers of this project,\n"
    "-O2 and the flags of --cflags. The library is kept in $XDG_CACHE_HOME/tvm-ffi or\n"
    "~/.cache/tvm-ffi, and is reused while the command and all files that it reads stay the "
    "same.\n\n"
    "With --isolated the library is an isolated module: it is loaded and called in a helper\n"
    "process, to which arguments are copied. If the helper ends, the call raises an error such as\n"
    "HelperCrashError, with exit code 1, or 4 during loading. A LIB named isolated:LIB or\n"
    "isolated,OPTIONS:LIB means the same. What the library prints goes to standard error, unless\n"
    "OPTIONS contain shows_output=0. This needs Linux and libtvm_ffi_isolated; on macOS it\n"
    "compiles, but has never been run.\n\n"
    "The outputs are the result, the tensors given to be filled, and those that the call changed.\n"
    "They are printed, unless --output or --expected_output says otherwise. --json always prints\n"
    "all elements.\n\n"
    "A number is as expected if it differs by at most ATOL + RTOL * |expected|. By default ATOL\n"
    "and RTOL are 1e-6 and 1e-5 for f32, 1e-12 and 1e-9 for f64, 1e-6 and two units in the last\n"
    "place for narrower floats, and 0 for integers.\n\n"
    "  tvm-ffi run libscale.so 'scale(@x.npy, 2.5, &4xf32)' --output=@y.npy\n"
    "  tvm-ffi run libscale.so -f scale -i 4xf32=1 -i 2.5 -i 4xf32 -e '4xf32=2.5'\n"
    "  tvm-ffi run scale.c 'scale(4xf32=1, 2.5, &4xf32)'\n"
    "  tvm-ffi run --isolated=timeout=2 libscale.so 'scale(4xf32=1, 2.5, &4xf32)'\n"
    "  tvm-ffi run libscale.so 'scale(8xf32[2:6]=1, 2.5, &4xf32.guard(end))'";

const command kRunCommand = {
    .name = "run",
    .operands = "LIB ['FUNCTION(ARGUMENT, ...)']",
    .summary = "Call a function of a library",
    .description = kRunText,
    .options = kRunOptions,
    .max_operands = 2,
    .run = command_run,
};
