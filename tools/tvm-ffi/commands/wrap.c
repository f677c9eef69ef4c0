/* SPDX-License-Identifier: Apache-2.0 */
/* The command: reads specs from operands and files, and writes kernels for them. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "commands/commands.h"
#include "system/system.h"

typedef struct {
  spec *items;
  size_t count;
  bool returns_outputs;
  bool result_is_error; /* a result other than 0 becomes an error */
  bool has_includes;
  wrap_request request;
} wrap_input;

/* ---- Reading ---- */

/* With the option, functions return an error code unless their spec says otherwise. */
static bool check_result(const spec_source *source, const wrap_input *input, spec *target) {
  const spec_kind kind = target->result->kind;
  if (!input->result_is_error || target->failure != kErrorNone) return true;
  target->failure = kErrorNonzero;
  if (kind == kTypeInt || kind == kTypeUint || kind == kTypeWide) return true;
  return spec_fail(source, target->column,
                   "with --errors=nonzero `%s` must return an integer, not `%s`", target->name,
                   target->result->name);
}

static bool check_names(const spec_source *source, const wrap_input *input, const spec *target) {
  size_t i;
  for (i = 0; i < input->count; ++i) {
    if (strcmp(input->items[i].exported, target->exported) == 0) {
      return spec_fail(source, target->column, "`%s` is the kernel of an earlier spec",
                       target->exported);
    }
  }
  return true;
}

static bool check_declared(const spec_source *source, const wrap_input *input, const spec *target) {
  const size_t column = spec_find_declared(target);
  return column == SIZE_MAX || input->has_includes ||
         spec_fail(source, column, "a header has to declare this: give it with --include=FILE");
}

static bool check_lean(const spec_source *source, const wrap_input *input, const spec *target) {
  const size_t column = spec_find_heavy(target);
  return column == SIZE_MAX || !input->request.is_lean ||
         spec_fail(source, column, "this needs the library's headers: leave --lean out");
}

static bool check_abi(const spec_source *source, const wrap_input *input, const spec *target) {
  const wrap_abi *abi = input->request.abi;
  return abi->check == NULL || abi->check(source, input->items, input->count, target);
}

static bool add_spec(wrap_input *input, const spec_source *source) {
  spec next;
  if (!spec_read(source, &next)) return false;
  if (!spec_bind(source, input->returns_outputs, &next) || !check_abi(source, input, &next) ||
      !check_result(source, input, &next) || !check_declared(source, input, &next) ||
      !check_lean(source, input, &next) || !check_names(source, input, &next)) {
    spec_free(&next);
    return false;
  }
  input->items = tool_realloc(input->items, (input->count + 1) * sizeof *input->items);
  input->items[input->count++] = next;
  return true;
}

/* Whether a line of a file has no spec: it is empty, or a comment. */
static bool is_skipped(const char *line, size_t size) {
  while (size > 0 && strchr(" \t\r", *line) != NULL && *line != '\0') ++line, --size;
  return size == 0 || *line == '#';
}

static bool add_lines(wrap_input *input, const char *path) {
  size_t size, number = 0;
  char *content = tool_read_file(path, &size);
  const char *line = content, *end;
  bool good = content != NULL;
  for (; good && line < content + size; line = end + 1) {
    const size_t left = (size_t)(content + size - line);
    char *place;
    spec_source source;
    end = memchr(line, '\n', left);
    if (end == NULL) end = line + left;
    ++number;
    if (is_skipped(line, (size_t)(end - line))) continue;
    place = tool_format("%s:%zu", path, number);
    source.place = place;
    source.begin = line;
    source.size = (size_t)(end - line);
    good = add_spec(input, &source);
    free(place);
  }
  free(content);
  return good;
}

static bool read_specs(wrap_input *input, const arguments *args) {
  const size_t count = arguments_num_operands(args);
  const char *doc = arguments_text(args, kOptionDoc, NULL);
  size_t i;
  for (i = 0; i < count; ++i) {
    const char *operand = arguments_operand(args, i);
    spec_source source;
    if (*operand == '@') {
      if (!add_lines(input, operand + 1)) return false;
      continue;
    }
    source.place = "SPEC";
    source.begin = operand;
    source.size = strlen(operand);
    if (!add_spec(input, &source)) return false;
  }
  if (input->count == 0) return report_error("no spec: the files have none");
  if (doc == NULL) return true;
  if (input->count > 1) {
    return report_error(
        "--doc describes one kernel: with several, write // and the text after each spec");
  }
  free(input->items[0].doc);
  input->items[0].doc = tool_format("%s", doc);
  return true;
}

/* ---- Writing ---- */

static void write_json(const wrap_input *input, const text_buf *source) {
  size_t i;
  json_begin_object(NULL);
  json_begin_array("kernels");
  for (i = 0; i < input->count; ++i) {
    json_begin_object(NULL);
    json_text("name", input->items[i].exported);
    json_text("function", input->items[i].name);
    json_end();
  }
  json_end();
  json_bytes("source", source->data, source->size);
  json_end();
}

/* Whether the file to include is where the compiler will look for it: in the folder of the output,
 * or in the current folder, which may be an include folder. False after a report. */
static bool check_include(const char *name, const char *output) {
  char *beside = output != NULL ? path_beside(output, name) : NULL;
  const bool found = *name == '<' || file_exists(name) || (beside != NULL && file_exists(beside));
  free(beside);
  if (found) return true;
  if (path_is_absolute(name)) {
    report_error("--include: there is no file %s", name);
  } else {
    report_error("--include: there is no file %s; write <%s> if the compiler finds it elsewhere",
                 name, name);
  }
  return false;
}

static int write_kernels(wrap_input *input, const arguments *args) {
  const char *output = arguments_text(args, kOptionOutput, NULL);
  const bool json = arguments_has(args, kOptionJson);
  const text_list includes = arguments_values(args, kOptionInclude);
  text_buf source = {NULL, 0, 0};
  bool good = true;
  size_t i;
  input->request.specs = input->items;
  input->request.num_specs = input->count;
  input->request.includes = includes.items;
  input->request.num_includes = includes.count;
  for (i = 0; i < includes.count; ++i) good = good && check_include(includes.items[i], output);
  if (good) wrap_write(&source, &input->request);
  if (good && (output != NULL || !json)) {
    good = tool_write_file(output != NULL ? output : "-", source.data, source.size);
  }
  if (good && json) write_json(input, &source);
  text_free(&source);
  return good ? kExitOk : kExitUsage;
}

static int command_wrap(const arguments *args) {
  const char *output = arguments_text(args, kOptionOutput, NULL);
  wrap_input input;
  int code = kExitUsage;
  size_t i;
  memset(&input, 0, sizeof input);
  input.request.is_lean = arguments_has(args, kOptionLean);
  input.request.abi = wrap_abi_at(arguments_word(args, kOptionAbi, 0));
  input.has_includes = arguments_has(args, kOptionInclude);
  input.result_is_error = input.request.abi->result_is_error || arguments_has(args, kOptionErrors);
  input.returns_outputs = arguments_word(args, kOptionOutputs, 0) == 1;
  if (arguments_has(args, kOptionJson) && output != NULL && tool_is_same_file(output, "-", false)) {
    return report_fail(kExitUsage, "--json prints the kernels: --output must be another file");
  }
  if (read_specs(&input, args) &&
      (output == NULL ||
       file_check_ending("output", output, 1u << kHoldsC | 1u << kHoldsUnknown))) {
    code = write_kernels(&input, args);
  }
  for (i = 0; i < input.count; ++i) spec_free(&input.items[i]);
  free(input.items);
  return code;
}

/* ---- Options and help ---- */

static const option kWrapOptions[] = {
    {kOptionInclude, "include", 0, "FILE", true,
     "include this header or source of the functions, so that the compiler compares them with the "
     "SPEC; <FILE> is one in the compiler's include path"},
    {kOptionInclude, "include", 'I', "FILE", true, NULL},
    {kOptionAbi, "abi", 0, "plain|casadi|memref|halide", false,
     "how the functions are called: as written, or as a code generator does (default plain)"},
    {kOptionOutputs, "outputs", 0, "arguments|return", false,
     "who allocates tensors that are not const: the caller, or the kernel, which returns them "
     "(default arguments)"},
    {kOptionErrors, "errors", 0, "nonzero", false,
     "the functions return an error code; if it is not 0, an error is raised"},
    {kOptionLean, "lean", 0, NULL, false,
     "include none of our headers: the file has the declarations that it uses"},
    {kOptionDoc, "doc", 0, "TEXT", false, "a description of the kernel, for list, stub and Python"},
    {kOptionOutput, "output", 'o', "FILE", false, "the file to write (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kWrapText[] =
    "A SPEC is the prototype of a C function, with the shapes of its tensors:\n\n"
    "  tvm-ffi wrap 'void softmax(float y[n][m], const float x[n][m], int n, int m)'\n"
    "  tvm-ffi wrap 'sort = int sort_i32(int y[n], const int x[n], int n)' --errors=nonzero\n"
    "  tvm-ffi wrap 'void half(int n, const float x[n:s] strides blas, int s, float y[n])'\n\n"
    "TYPE NAME[n][4] is a tensor that the CPU can read: an input if it is const, otherwise an\n"
    "output. Extents of the same name must be equal. An integer parameter with the name of an\n"
    "extent or stride is read from the tensor; the caller does not pass it. [n, m] is [n][m] for\n"
    "a function that takes a pointer to the elements; [] is a tensor without dimensions.\n\n"
    "Tensors must be contiguous, unless strides are given, as in [n:s][m:1]. A stride is a number\n"
    "or a name, which may be that of an integer parameter; a dimension without one has the stride\n"
    "of a contiguous tensor. Strides must be above 0. NAME[n:s] strides any takes all strides,\n"
    "and passes the address of the first element. strides blas takes those of BLAS: for a vector,\n"
    "any but 0, and passes the lowest address; for a matrix NAME[n:s][m:1] or NAME[n:1][m:s], at\n"
    "least the other extent.\n\n"
    "NAME[n] align 16 must begin at a multiple of 16 bytes. TYPE restrict NAME[n] must not share\n"
    "memory with another tensor if one of them is written; NAME[n] inplace x may be exactly x.\n"
    "TYPE *NAME[n][4] is a work array, which the kernel allocates; a small one of constant\n"
    "extents is on the stack. Other parameters are numbers, which must fit their type, text\n"
    "without a NUL (const char *) and void *. in int *NAME passes the address of a number; out\n"
    "and inout return what the function writes there. enum {A, B} NAME takes names, too.\n"
    "int NAME = 3 is no argument, but always 3. error=nonzero, zero, negative or null behind the\n"
    "parameters says which result is an error: negative:errno adds the text of errno, and\n"
    "error_text=FUNCTION(return) what the function returns. A name and = before the prototype\n"
    "name the kernel; text after // describes it. An operand @FILE is a file with one SPEC per\n"
    "line, where # begins a comment line; @- is standard input.\n\n"
    "With --abi the SPEC has the arguments of the kernel, which converts them to what the\n"
    "generated function takes. casadi: inputs (double NAME is one as well) and outputs in\n"
    "CasADi's order, with its names and its numbers of rows and columns. memref: the arguments of\n"
    "a function that MLIR compiles with the attribute llvm.emit_c_interface. halide: the\n"
    "arguments of a function that Halide compiles ahead of time. The int of CasADi and Halide is\n"
    "an error code.\n\n"
    "  tvm-ffi wrap --abi=casadi 'int f(const double x[2][3], double a, double y[2])'\n"
    "  tvm-ffi wrap --abi=memref 'void f(const float x[n][m], float a, float y[n][m])'\n"
    "  tvm-ffi wrap --abi=halide 'int f(const float x[n][m], float a, float y[n][m])'";

const command kWrapCommand = {
    .name = "wrap",
    .operands = "SPEC...|@FILE",
    .summary = "Write kernels that check their arguments and call C functions",
    .description = kWrapText,
    .options = kWrapOptions,
    .min_operands = 1,
    .max_operands = -1,
    .run = command_wrap,
};
