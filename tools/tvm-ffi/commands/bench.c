/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a function of a library, or of two libraries alternately. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c.h>

#include "base/report.h"
#include "bench/bench.h"
#include "commands/call.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/tensor.h"

enum { kMinSamples = STATISTICS_FEWEST, kMaxSamples = 1000000 };
static const double kMinTime = 0.5, kWarmup = 0.1; /* seconds, unless options say otherwise */

typedef struct {
  bench_style style;
  const char *compare; /* an older report; NULL */
  double min_time, warmup;
  long long repeat; /* number of samples; 0: limited by min_time instead */
} bench_options;

typedef struct {
  bench_options options;
  call request;
  kernel kernels[kMaxLibraries];
  schema_type *types;
  input_list inputs;
  TVMFFIAny *views;
  TVMFFIObjectHandle no_op;
  bench_results results;
  size_t capacity;
} bench;

/* ---- Measuring ---- */

TVM_FFI_C_FUNCTION(do_nothing, "(...: Any) -> None") {
  (void)args;
  return 0;
}

/* The nanoseconds of `count` calls; negative with an error raised. */
static double time_calls(const bench *b, const bench_runner *runner, size_t count) {
  const TVMFFIAny none_value = tvm_ffi_any_none();
  int32_t num_args = (int32_t)b->inputs.size;
  uint64_t start = clock_nanoseconds();
  size_t i;
  for (i = 0; i < count; ++i) {
    TVMFFIAny result = none_value;
    int code = TVMFFIFunctionCall(runner->function, b->views, num_args, &result);
    if (code != 0) {
      tvm_ffi_error_ensure(code);
      return -1;
    }
    if (call_raise_result(&result) != 0) return -1;
    tvm_ffi_any_clear(&result);
  }
  return device_wait() == 0 ? (double)(clock_nanoseconds() - start) : -1;
}

/* The nanoseconds of one reading of the clock. */
static double time_clock(void) {
  enum { kReads = 1000 };
  uint64_t start = clock_nanoseconds(), last = start;
  int i;
  for (i = 0; i < kReads; ++i) last = clock_nanoseconds();
  return (double)(last - start) / (double)kReads;
}

/*
 * Doubles the calls per sample until reading the clock takes at most a thousandth of its time. A
 * helper process sleeps while others are sampled, and the first call wakes it, which takes as long
 * as many calls: those of a helper take so much time that this is a hundredth.
 */
static bool choose_batch(const bench *b, bench_runner *runner, bool is_isolated) {
  const double most_wakes = 5e6;
  double least = 1000 * time_clock();
  if (least < 10e3) least = 10e3;
  if (is_isolated && least < most_wakes) least = most_wakes;
  for (runner->batch = 1;; runner->batch *= 2) {
    double ns = time_calls(b, runner, runner->batch);
    if (ns < 0) return false;
    if (ns >= least || runner->batch >= (size_t)1 << 30) return true;
  }
}

static bool warm_up(const bench *b, const bench_runner *runner) {
  double start = clock_seconds();
  do {
    if (time_calls(b, runner, 1) < 0) return false;
  } while (clock_seconds() - start < b->options.warmup);
  return true;
}

static void reserve_samples(bench *b) {
  size_t i;
  if (b->results.num_samples < b->capacity) return;
  b->capacity = 2 * b->capacity + 64;
  for (i = 0; i < b->results.num_runners; ++i) {
    bench_runner *runner = &b->results.runners[i];
    runner->samples = tool_realloc(runner->samples, b->capacity * sizeof *runner->samples);
  }
}

static bool is_enough(const bench *b, double seconds) {
  if (b->options.repeat > 0) return b->results.num_samples >= (size_t)b->options.repeat;
  return b->results.num_samples >= kMinSamples &&
         (seconds >= b->options.min_time || b->results.num_samples >= kMaxSamples);
}

/* Samples all functions in turn, in reverse order every other round. */
static bool take_samples(bench *b) {
  double start = clock_seconds(), told = start;
  while (!is_enough(b, clock_seconds() - start)) {
    size_t k;
    reserve_samples(b);
    for (k = 0; k < b->results.num_runners; ++k) {
      bench_runner *runner =
          &b->results.runners[b->results.num_samples % 2 == 0 ? k : b->results.num_runners - 1 - k];
      double ns = time_calls(b, runner, runner->batch);
      if (ns < 0) return false;
      runner->samples[b->results.num_samples] = ns / (double)runner->batch;
    }
    ++b->results.num_samples;
    if (clock_seconds() - told > 0.1) {
      told = clock_seconds();
      supervise_progress("%zu samples", b->results.num_samples);
    }
  }
  return true;
}

/* -1 with an error raised. */
static int measure(void *context) {
  bench *b = context;
  size_t i;
  TVMFFIErrorSetRaised(NULL);
  for (i = 0; i < b->results.num_runners; ++i) {
    const bool is_isolated = i < b->request.num_paths && b->request.isolated[i] != NULL;
    bench_runner *runner = &b->results.runners[i];
    if (!warm_up(b, runner) || !choose_batch(b, runner, is_isolated)) return -1;
  }
  return take_samples(b) ? 0 : -1;
}

/* ---- The command ---- */

/* The bytes of the tensors among the arguments. */
static double count_bytes(const input_list *inputs) {
  double sum = 0;
  size_t i, size;
  for (i = 0; i < inputs->size; ++i) {
    DLTensor *tensor;
    if (tvm_ffi_any_try_tensor(&inputs->items[i].value, &tensor) &&
        tvm_ffi_tensor_compute_size(tensor, &size) == 0) {
      sum += (double)size;
    }
  }
  return sum;
}

static bool read_style(const arguments *args, bench_style *out) {
  out->json = arguments_has(args, kOptionJson);
  out->full = arguments_has(args, kOptionFull);
  out->histogram = arguments_has(args, kOptionHistogram);
  out->svg_path = arguments_text(args, kOptionSvg, NULL);
  if (out->json && out->histogram) {
    return report_error("--json prints no --histogram; --svg writes one to a file");
  }
  if (out->svg_path != NULL && strcmp(out->svg_path, "-") == 0) {
    return report_error("--svg takes a file");
  }
  return true;
}

static int measure_and_show(bench *b, const TVMFFIAny *old) {
  size_t i;
  int code = kExitOk;
  if (TVMFFIFunctionCreate(NULL, do_nothing, NULL, &b->no_op) != 0) {
    runtime_error_report("tvm-ffi bench", false);
    return kExitRaised;
  }
  for (i = 0; i < b->request.num_paths; ++i) {
    b->results.runners[i].name = b->request.names[i];
    b->results.runners[i].function = b->kernels[i].function;
  }
  b->results.runners[i].name = "(nothing)";
  b->results.runners[i].function = b->no_op;
  b->results.num_runners = i + 1;
  b->views = call_view_inputs(&b->inputs);
  if (foreign_call(kStageCall, b->request.function, measure, b) == 0) {
    b->results.function = b->request.function;
    b->results.bytes = count_bytes(&b->inputs);
    if (!bench_report(&b->results, &b->options.style, old, b->options.compare)) {
      code = kExitUsage;
    }
  } else {
    runtime_error_report(b->request.function, true);
    code = kExitRaised;
  }
  for (i = 0; i < b->results.num_runners; ++i) free(b->results.runners[i].samples);
  free(b->views);
  tvm_ffi_object_release(b->no_op);
  return code;
}

/* As hosts load it: to look for output after each call takes as long as the call. */
static void show_no_output(call *request) {
  size_t i;
  for (i = 0; i < request->num_paths; ++i) {
    char *given = request->isolated[i];
    if (given == NULL) continue;
    request->isolated[i] = tool_format(",shows_output=0%s", given);
    free(given);
  }
}

static int load_and_measure(void *context) {
  bench *b = context;
  const char *compare = b->options.compare;
  TVMFFIAny old = tvm_ffi_any_none();
  size_t i;
  int code = kExitOk;
  show_no_output(&b->request);
  for (i = 0; i < b->request.num_paths; ++i) {
    if (!call_load(&b->request, i, &b->kernels[i], &code)) goto done;
  }
  b->types = library_read_schema(&b->kernels[0].lib, b->request.function);
  code = kExitUsage;
  if (call_read_inputs(&b->request, b->types, &b->inputs) &&
      (compare == NULL || bench_read_old(compare, b->request.function, &old))) {
    code = measure_and_show(b, &old);
  }
done:
  tvm_ffi_any_clear(&old);
  input_list_free(&b->inputs);
  schema_free(b->types);
  for (i = 0; i < b->request.num_paths; ++i) kernel_free(&b->kernels[i]);
  return code;
}

int bench_recorded(call *request, bool as_json,
                   int (*make)(void *context, DLDevice device, input_list *out), void *context) {
  TVMFFIAny none = tvm_ffi_any_none();
  bench b;
  size_t i;
  int code = kExitOk;
  memset(&b, 0, sizeof b);
  b.options.style.json = as_json;
  b.options.min_time = kMinTime;
  b.options.warmup = kWarmup;
  b.request = *request;
  for (i = 0; i < request->num_paths && code == kExitOk; ++i) {
    b.request.names[i] = request->paths[i];
    if (call_load(&b.request, i, &b.kernels[i], &code)) code = kExitOk;
  }
  if (code == kExitOk) code = make(context, b.request.device, &b.inputs);
  if (code == kExitOk) code = measure_and_show(&b, &none);
  free(b.inputs.items);
  return code;
}

static bool read_options(const arguments *args, bench_options *out) {
  out->compare = arguments_text(args, kOptionCompare, NULL);
  return read_style(args, &out->style) &&
         arguments_real(args, kOptionMinTime, kMinTime, 0, 1e6, &out->min_time) &&
         arguments_real(args, kOptionWarmup, kWarmup, 0, 1e6, &out->warmup) &&
         arguments_int(args, kOptionRepeat, 0, 1, kMaxSamples, &out->repeat);
}

static int command_bench(const arguments *args) {
  bench b;
  int code = kExitUsage;
  memset(&b, 0, sizeof b);
  if (call_parse(args, kMaxLibraries, &b.request) && read_options(args, &b.options)) {
    code = call_in_child(&b.request, load_and_measure, &b);
  }
  call_free(&b.request);
  return code;
}

/* ---- Options and help ---- */

static const option kBenchOptions[] = {
    CALL_OPTIONS(true),
    {kOptionMinTime, "min_time", 0, "SECONDS", false, "how long to measure (default 0.5)"},
    {kOptionWarmup, "warmup", 0, "SECONDS", false,
     "how long to call it before measuring (default 0.1)"},
    {kOptionRepeat, "repeat", 0, "N", false,
     "how many samples to take (default: as many as --min_time allows, but at least 7)"},
    {kOptionCompare, "compare", 0, "FILE", false,
     "compare with this file, an earlier output of --json"},
    {kOptionFull, "full", 0, NULL, false, "show all percentiles and the number of samples"},
    {kOptionHistogram, "histogram", 0, NULL, false,
     "draw how often each time was measured, for two libraries side by side"},
    {kOptionSvg, "svg", 0, "FILE", false, "write this drawing as SVG"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kBenchText[] =
    "Arguments are written as for run. A sample is as many calls as the clock needs to measure\n"
    "them to a thousandth; libraries are sampled in turn. The runtime's share is the time of a\n"
    "function that does nothing, called with the same arguments. Bytes per second count each\n"
    "tensor argument once, over the median time. A difference is significant if the 95 %\n"
    "confidence interval of the ratio of the medians lies beyond 1 %. Each sample ends when the\n"
    "work on the device has finished. The last operand is the function if it is not a file and is\n"
    "not named like a library. LIB and isolated:LIB together show what a helper process costs: a\n"
    "sample of the latter takes 5 ms or more, as its first call has to wake the helper, and what "
    "it\n"
    "prints is not shown unless OPTIONS contain shows_output=1.\n\n"
    "  tvm-ffi bench libscale.so 'scale(1024xf32=rand, 2.5, &1024xf32)'\n"
    "  tvm-ffi bench libscale.so isolated:libscale.so 'scale(1024xf32=rand, 2.5, &1024xf32)'\n"
    "  tvm-ffi bench libscale.so old/libscale.so -f count -i 4xf32 --histogram";

const command kBenchCommand = {
    .name = "bench",
    .operands = "LIB [OTHER-LIB] ['FUNCTION(ARGUMENT, ...)']",
    .summary = "Measure a function of one library, or of two side by side",
    .description = kBenchText,
    .options = kBenchOptions,
    .max_operands = 3,
    .run = command_bench,
};
