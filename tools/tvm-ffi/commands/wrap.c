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
  wrap_request request;
} wrap_input;

/* ---- Reading ---- */

static bool check_result(const spec_source *source, const wrap_input *input, const spec *target) {
  const spec_kind kind = target->result->kind;
  if (!input->request.result_is_error || kind == kTypeInt || kind == kTypeUint) return true;
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

static bool check_abi(const spec_source *source, const wrap_input *input, const spec *target) {
  const wrap_abi *abi = input->request.abi;
  return abi->check == NULL || abi->check(source, input->items, input->count, target);
}

static bool add_spec(wrap_input *input, const spec_source *source) {
  spec next;
  if (!spec_read(source, &next)) return false;
  if (!spec_bind(source, input->returns_outputs, &next) || !check_abi(source, input, &next) ||
      !check_result(source, input, &next) || !check_names(source, input, &next)) {
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
  input.request.result_is_error =
      input.request.abi->result_is_error || arguments_has(args, kOptionErrors);
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
     "include that header or source of the functions, for the compiler to compare; <FILE> is one "
     "that the compiler finds in its include path"},
    {kOptionInclude, "include", 'I', "FILE", true, NULL},
    {kOptionAbi, "abi", 0, "plain|casadi|memref|halide", false,
     "how the functions are called: as written, or as a code generator does it (default plain)"},
    {kOptionOutputs, "outputs", 0, "arguments|return", false,
     "who allocates tensors that are not const: the caller, or the kernel, which returns them "
     "(default arguments)"},
    {kOptionErrors, "errors", 0, "nonzero", false,
     "the functions return an error code: one that is not 0 is raised"},
    {kOptionLean, "lean", 0, NULL, false,
     "without headers of ours: the kernel has the declarations that it uses"},
    {kOptionDoc, "doc", 0, "TEXT", false, "what the kernel does, for list, stub and Python"},
    {kOptionOutput, "output", 'o', "FILE", false, "where to write (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kWrapText[] =
    "A SPEC is the prototype of a C function, with the shapes of its tensors:\n\n"
    "  tvm-ffi wrap 'void softmax(float y[n][m], const float x[n][m], int n, int m)'\n"
    "  tvm-ffi wrap 'sort = int sort_i32(int y[n], const int x[n], int n)' --errors=nonzero\n"
    "  tvm-ffi wrap 'void half(int n, const float x[n:s] strides blas, int s, float y[n])'\n\n"
    "TYPE NAME[n][4] is a tensor that the CPU can read: an input if it is const, else an\n"
    "output. Extents of the same name must be equal. An integer parameter of such a name is read\n"
    "from the tensor, and not passed by the caller. [n, m] is [n][m] for a function that takes a\n"
    "pointer to the elements; [] is a tensor without dimensions. Tensors are contiguous, unless\n"
    "[n:s][m:1] gives the strides: a name, which may be that of an integer parameter, or a\n"
    "number; a dimension without one has the stride of a contiguous tensor. Strides are above 0\n"
    "unless NAME[n:s] strides any takes all, with the address of the first element, or strides\n"
    "blas those of BLAS: of a vector any but 0, with the lowest address; of a matrix "
    "NAME[n:s][m:1]\n"
    "or NAME[n:1][m:s] at least the other extent. NAME[n] align 16 begins at a multiple of 16\n"
    "bytes. TYPE restrict NAME[n] must not share memory with another tensor if one of them is\n"
    "written; NAME[n] inplace x may be exactly x.\n\n"
    "TYPE *NAME[n][4] is a work array, which the kernel allocates; a small one of constant\n"
    "extents is on the stack. Other parameters are numbers, which have to fit, const char * (text\n"
    "without a NUL) and void *. A name and = before the prototype is the name of the kernel, and\n"
    "text after // its description. An operand @FILE is a file with a SPEC in each line, in which\n"
    "# begins a comment line; @- is standard input.\n\n"
    "With --abi the SPEC has the arguments of a generated function, and the kernel makes of them\n"
    "what it takes. casadi: inputs (double NAME is one too) and outputs in CasADi's order, with\n"
    "its names and its numbers of rows and columns. memref: arguments of a function that MLIR\n"
    "compiles with the attribute llvm.emit_c_interface. halide: arguments of a function that\n"
    "Halide compiles ahead of time. The int of CasADi and Halide is an error code.\n\n"
    "  tvm-ffi wrap --abi=casadi 'int f(const double x[2][3], double a, double y[2])'\n"
    "  tvm-ffi wrap --abi=memref 'void f(const float x[n][m], float a, float y[n][m])'\n"
    "  tvm-ffi wrap --abi=halide 'int f(const float x[n][m], float a, float y[n][m])'";

const command kWrapCommand = {
    "wrap",    "SPEC...|@FILE", "Write kernels that check their arguments and call functions of C",
    kWrapText, kWrapOptions,    1,
    -1,        command_wrap};
