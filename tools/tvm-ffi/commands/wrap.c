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
#include "wrap/header.h"

typedef struct {
  spec *items;
  size_t count;
  name_table names; /* of the kernels */
  bool returns_outputs;
  bool result_is_error; /* a result other than 0 becomes an error */
  bool has_header, has_includes;
  const char *types; /* what the types of handles begin with */
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
  return name_table_find(&input->names, target->exported) == SIZE_MAX ||
         spec_fail(source, target->column, "`%s` is the kernel of an earlier spec",
                   target->exported);
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
  next.is_declared = input->has_header;
  next.types = input->types;
  if (!spec_bind(source, input->returns_outputs, &next) || !check_abi(source, input, &next) ||
      !check_result(source, input, &next) || !check_declared(source, input, &next) ||
      !check_lean(source, input, &next) || !check_names(source, input, &next)) {
    spec_free(&next);
    return false;
  }
  name_table_add(&input->names, next.exported);
  input->items = tool_grow(input->items, input->count, sizeof *input->items);
  input->items[input->count++] = next;
  return true;
}

/* ---- Lines of files and operands ---- */

/* Whether a line of a file has no spec: it is empty, or a comment. */
static bool is_skipped(const char *line, size_t size) {
  while (size > 0 && strchr(" \t\r", *line) != NULL && *line != '\0') ++line, --size;
  return size == 0 || *line == '#';
}

/* Joins each line that ends with a backslash with the next one; returns how many were joined. */
static size_t join_lines(char *line, char *end) {
  size_t count = 0;
  for (;;) {
    char *newline = memchr(line, '\n', (size_t)(end - line)), *last = newline;
    if (newline == NULL) return count;
    while (last > line && last[-1] == '\r') --last;
    if (last == line || last[-1] != '\\') return count;
    memset(last - 1, ' ', (size_t)(newline - last) + 2);
    ++count;
    line = newline + 1;
  }
}

/* Where each line goes. */
typedef struct {
  bool (*add)(void *context, const spec_source *source);
  void *context;
} line_taker;

static bool add_lines(const line_taker *taker, const char *path) {
  size_t size, number = 0;
  char *content = tool_read_file(path, &size), *line = content, *end;
  bool good = content != NULL;
  for (; good && line < content + size; line = end + 1) {
    const size_t joined = join_lines(line, content + size), first = number + 1;
    const size_t left = (size_t)(content + size - line);
    char *place;
    spec_source source;
    end = memchr(line, '\n', left);
    if (end == NULL) end = line + left;
    number += 1 + joined;
    if (is_skipped(line, (size_t)(end - line))) continue;
    place = tool_format("%s:%zu", path, first);
    source.place = place;
    source.begin = line;
    source.size = (size_t)(end - line);
    source.refusal = NULL;
    good = taker->add(taker->context, &source);
    free(place);
  }
  free(content);
  return good;
}

static bool add_operands(const line_taker *taker, const arguments *args) {
  const size_t count = arguments_num_operands(args);
  size_t i;
  for (i = 0; i < count; ++i) {
    const char *operand = arguments_operand(args, i);
    spec_source source;
    if (*operand == '@') {
      if (!add_lines(taker, operand + 1)) return false;
      continue;
    }
    source.place = "SPEC";
    source.begin = operand;
    source.size = strlen(operand);
    source.refusal = NULL;
    if (!taker->add(taker->context, &source)) return false;
  }
  return true;
}

static bool add_source(void *input, const spec_source *source) {
  return add_spec(input, source);
}

static bool read_specs(wrap_input *input, const arguments *args) {
  const line_taker taker = {add_source, input};
  if (!add_operands(&taker, args)) return false;
  return input->count > 0 || report_error("no spec: the files have none");
}

static bool set_doc(wrap_input *input, const arguments *args) {
  const char *doc = arguments_text(args, kOptionDoc, NULL);
  if (doc == NULL) return true;
  if (input->count > 1) {
    return report_error(
        "--doc describes one kernel: with several, write // and the text after each spec");
  }
  free(input->items[0].doc);
  input->items[0].doc = tool_format("%s", doc);
  return true;
}

/* ---- Functions of headers ---- */

typedef enum { kAsItIs, kWithLine, kNeedsLine, kRefused, kNumVerdicts } verdict;

/* Words for the table, and for JSON. */
static const char *const kVerdicts[kNumVerdicts] = {"as it is", "with a line", "needs a line",
                                                    "refused"};

typedef struct {
  char **includes; /* the headers, as after #include */
  size_t num_includes;
  header_content content;
  header_lines lines;
  header_kernels kernels;
  verdict *verdicts; /* of each kernel */
  char **reasons;    /* NULL: none */
  char **open;       /* what nobody has said of who owns a handle; NULL: nothing */
  size_t counts[kNumVerdicts];
} header_input;

static bool add_header_line(void *lines, const spec_source *source) {
  return header_add_line(lines, source);
}

/* A file that exists is included by its path, any other is one in the compiler's include path. */
static void name_includes(const arguments *args, header_input *out) {
  const text_list names = arguments_values(args, kOptionHeader);
  size_t i;
  out->includes = tool_alloc((names.count + 1) * sizeof *out->includes);
  for (i = 0; i < names.count; ++i) {
    const char *name = names.items[i];
    const bool is_path = *name == '<' || file_exists(name);
    out->includes[out->num_includes++] = tool_format(is_path ? "%s" : "<%s>", name);
  }
}

/* Adds the kernel of a function. False after a report of what is wrong with its line; without a
 * line *refusal is what is wrong with the function. */
static bool add_kernel(wrap_input *input, const header_kernel *kernel, char **refusal) {
  const bool has_line = kernel->line != NULL;
  char *text = header_write_spec(kernel, !input->request.is_lean), *place;
  spec_source source;
  bool good;
  if (text == NULL) return false;
  place = has_line ? tool_format("%s (%s)", kernel->line->place, kernel->function->name)
                   : tool_format("%s", kernel->function->name);
  source.place = place;
  source.begin = text;
  source.size = strlen(text);
  source.refusal = has_line ? NULL : refusal;
  good = add_spec(input, &source)
             ? !has_line || header_check_types(kernel, &input->items[input->count - 1])
             : !has_line;
  free(place);
  free(text);
  return good;
}

/* Decides what becomes of a function; false after a report. */
static bool judge_kernel(wrap_input *input, header_input *headers, size_t i) {
  const header_kernel *kernel = &headers->kernels.items[i];
  char *reason = header_refuse(kernel);
  verdict result = kRefused;
  if (reason == NULL) {
    reason = header_ask(kernel);
    result = kNeedsLine;
  }
  if (reason == NULL) {
    if (!add_kernel(input, kernel, &reason)) return false;
    result = reason != NULL ? kRefused : kernel->line != NULL ? kWithLine : kAsItIs;
  }
  headers->verdicts[i] = result;
  headers->reasons[i] = reason;
  if (!input->request.is_lean && result < kNeedsLine) headers->open[i] = header_ask_owner(kernel);
  ++headers->counts[result];
  return true;
}

static bool read_headers(wrap_input *input, header_input *headers, const arguments *args) {
  const line_taker taker = {add_header_line, &headers->lines};
  const text_list patterns = arguments_values(args, kOptionMatch);
  header_request request;
  size_t i;
  name_includes(args, headers);
  request.headers.items = (const char *const *)headers->includes;
  request.headers.count = headers->num_includes;
  request.flags = arguments_values(args, kOptionCflags);
  request.library = arguments_text(args, kOptionLibclang, NULL);
  if (!add_operands(&taker, args) || !header_read(&request, &headers->content) ||
      !header_find_kernels(&headers->content, &headers->lines, &patterns, &headers->kernels)) {
    return false;
  }
  headers->verdicts = tool_alloc((headers->kernels.count + 1) * sizeof *headers->verdicts);
  headers->reasons = tool_alloc((headers->kernels.count + 1) * sizeof *headers->reasons);
  memset(headers->reasons, 0, (headers->kernels.count + 1) * sizeof *headers->reasons);
  headers->open = tool_alloc((headers->kernels.count + 1) * sizeof *headers->open);
  memset(headers->open, 0, (headers->kernels.count + 1) * sizeof *headers->open);
  for (i = 0; i < headers->kernels.count; ++i) {
    if (!judge_kernel(input, headers, i)) return false;
  }
  return true;
}

static void free_headers(header_input *headers) {
  size_t i;
  for (i = 0; i < headers->num_includes; ++i) free(headers->includes[i]);
  for (i = 0; headers->reasons != NULL && i < headers->kernels.count; ++i) {
    free(headers->reasons[i]);
    if (headers->open != NULL) free(headers->open[i]);
  }
  free(headers->open);
  free(headers->includes);
  free(headers->verdicts);
  free(headers->reasons);
  free(headers->kernels.items);
  header_free_lines(&headers->lines);
  header_free(&headers->content);
}

/* ---- Functions of headers: the table ---- */

static void print_table(const header_input *headers) {
  size_t i, width = 0;
  for (i = 0; i < headers->kernels.count; ++i) {
    const size_t length = strlen(headers->kernels.items[i].function->name);
    if (length > width) width = length;
  }
  for (i = 0; i < headers->kernels.count; ++i) {
    const char *reason = headers->reasons[i], *open = headers->open[i];
    printf("%s%-*s%s  %s%s%s%s%s\n", report_color(kColorName), (int)width,
           headers->kernels.items[i].function->name, report_color(kColorNone),
           kVerdicts[headers->verdicts[i]], reason != NULL ? ": " : "",
           reason != NULL ? reason : "", open != NULL ? "; unknown: " : "",
           open != NULL ? open : "");
  }
  printf("%zu functions: %zu as they are, %zu with a line, %zu need a line, %zu refused\n",
         headers->kernels.count, headers->counts[kAsItIs], headers->counts[kWithLine],
         headers->counts[kNeedsLine], headers->counts[kRefused]);
}

static void print_json_table(const header_input *headers) {
  size_t i;
  json_begin_object(NULL);
  json_begin_array("functions");
  for (i = 0; i < headers->kernels.count; ++i) {
    json_begin_object(NULL);
    json_text("name", headers->kernels.items[i].function->name);
    json_text("wrapped", kVerdicts[headers->verdicts[i]]);
    json_text("reason", headers->reasons[i]);
    json_text("unknown", headers->open[i]);
    json_end();
  }
  json_end();
  json_end();
}

/* Prints lines for the functions that need one, or take an address with a length; comments where no
 * convention helps. */
static void print_proposals(const header_input *headers) {
  size_t i;
  for (i = 0; i < headers->kernels.count; ++i) {
    const header_function *function = headers->kernels.items[i].function;
    char *line;
    if (headers->verdicts[i] != kNeedsLine && headers->verdicts[i] != kAsItIs) continue;
    line = header_suggest(function);
    if (line != NULL) {
      printf("%s\n", line);
    } else if (headers->verdicts[i] == kNeedsLine) {
      printf("# %s needs %s\n", function->name, headers->reasons[i]);
    }
    free(line);
  }
}

/* Whether a function was asked for by its name. */
static bool is_named(const header_function *function, const arguments *args) {
  const text_list patterns = arguments_values(args, kOptionMatch);
  size_t i;
  for (i = 0; i < patterns.count; ++i) {
    if (strcmp(patterns.items[i], function->name) == 0) return true;
  }
  return false;
}

/* Tells which functions are left out; false after a report if that is one that was named. */
static bool check_left_out(const header_input *headers, const arguments *args) {
  const size_t count = headers->counts[kNeedsLine] + headers->counts[kRefused];
  size_t i, first = SIZE_MAX;
  for (i = 0; i < headers->kernels.count; ++i) {
    const header_kernel *kernel = &headers->kernels.items[i];
    const verdict result = headers->verdicts[i];
    if (result == kAsItIs || result == kWithLine) continue;
    if (first == SIZE_MAX) first = i;
    if ((kernel->line != NULL && kernel->line->is_name) || is_named(kernel->function, args)) {
      return report_error("`%s` cannot be wrapped: %s%s", kernel->function->name,
                          result == kNeedsLine ? "a line must say " : "", headers->reasons[i]);
    }
  }
  if (count == 0) return true;
  if (count == headers->kernels.count) {
    return report_error("no function can be wrapped; --list says why, as for `%s`: %s",
                        headers->kernels.items[first].function->name, headers->reasons[first]);
  }
  report_note("%zu of %zu functions are left out; --list says why, as for `%s`: %s", count,
              headers->kernels.count, headers->kernels.items[first].function->name,
              headers->reasons[first]);
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

/* Includes headers that were read first, for what they declare. */
static bool set_includes(wrap_input *input, const header_input *headers, const arguments *args,
                         word_list *out) {
  const text_list includes = arguments_values(args, kOptionInclude);
  const char *output = arguments_text(args, kOptionOutput, NULL);
  size_t i;
  for (i = 0; i < headers->num_includes; ++i) words_add(out, headers->includes[i]);
  for (i = 0; i < includes.count; ++i) {
    if (!check_include(includes.items[i], output)) return false;
    words_add(out, includes.items[i]);
  }
  input->request.includes = (const char *const *)out->items;
  input->request.num_includes = out->size;
  return true;
}

static int write_kernels(wrap_input *input, const header_input *headers, const arguments *args) {
  const char *output = arguments_text(args, kOptionOutput, NULL);
  const bool json = arguments_has(args, kOptionJson);
  word_list includes = {NULL, 0};
  text_buf source = {NULL, 0, 0};
  bool good = set_includes(input, headers, args, &includes);
  input->request.specs = input->items;
  input->request.num_specs = input->count;
  if (good) wrap_write(&source, &input->request);
  if (good && (output != NULL || !json)) {
    good = tool_write_file(output != NULL ? output : "-", source.data, source.size);
  }
  if (good && json) write_json(input, &source);
  text_free(&source);
  words_free(&includes);
  return good ? kExitOk : kExitUsage;
}

/* What --header does with other options; false after a report. */
static bool check_options(const wrap_input *input, const arguments *args) {
  static const int kOfHeaders[] = {kOptionMatch, kOptionTable, kOptionSuggest, kOptionCflags,
                                   kOptionLibclang};
  const char *output = arguments_text(args, kOptionOutput, NULL);
  const bool has_header = arguments_has(args, kOptionHeader);
  size_t i;
  if (arguments_has(args, kOptionJson) && output != NULL && tool_is_same_file(output, "-", false)) {
    return report_error("--json prints the kernels: --output must be another file");
  }
  for (i = 0; !has_header && i < sizeof kOfHeaders / sizeof *kOfHeaders; ++i) {
    if (arguments_has(args, kOfHeaders[i])) {
      return report_error("--%s needs --header", arguments_name(args, kOfHeaders[i]));
    }
  }
  if (has_header && input->request.abi != &kWrapPlain) {
    return report_error("--header is for functions that are called as written: not with --abi=%s",
                        input->request.abi->name);
  }
  if (!has_header && arguments_num_operands(args) == 0) {
    return report_error("usage: tvm-ffi wrap [OPTION...] SPEC...|@FILE, or with --header FILE");
  }
  if (!identifier_is(input->types, strlen(input->types))) {
    return report_error("--namespace must be a name of letters, digits and _, but is `%s`",
                        input->types);
  }
  return output == NULL || file_check_ending("output", output, 1u << kHoldsC | 1u << kHoldsUnknown);
}

/* Reads headers, and prints or writes what was asked for. */
static int use_headers(wrap_input *input, header_input *headers, const arguments *args) {
  if (!read_headers(input, headers, args)) return kExitUsage;
  if (arguments_has(args, kOptionTable)) {
    if (arguments_has(args, kOptionJson)) {
      print_json_table(headers);
    } else {
      print_table(headers);
    }
    return kExitOk;
  }
  if (arguments_has(args, kOptionSuggest)) {
    print_proposals(headers);
    return kExitOk;
  }
  if (headers->kernels.count == 0) {
    return report_fail(kExitUsage,
                       "the header declares no function of its own: --match names those of headers "
                       "that it includes");
  }
  if (!check_left_out(headers, args) || !set_doc(input, args)) return kExitUsage;
  return write_kernels(input, headers, args);
}

static int command_wrap(const arguments *args) {
  wrap_input input;
  header_input headers;
  int code = kExitUsage;
  size_t i;
  memset(&input, 0, sizeof input);
  memset(&headers, 0, sizeof headers);
  input.request.is_lean = arguments_has(args, kOptionLean);
  input.request.abi = wrap_abi_at(arguments_word(args, kOptionAbi, 0));
  input.has_header = arguments_has(args, kOptionHeader);
  input.has_includes = input.has_header || arguments_has(args, kOptionInclude);
  input.result_is_error = input.request.abi->result_is_error || arguments_has(args, kOptionErrors);
  input.types = arguments_text(args, kOptionNamespace, "c");
  input.returns_outputs = arguments_word(args, kOptionOutputs, 0) == 1;
  if (!check_options(&input, args)) return kExitUsage;
  if (arguments_has(args, kOptionHeader)) {
    code = use_headers(&input, &headers, args);
  } else if (read_specs(&input, args) && set_doc(&input, args)) {
    code = write_kernels(&input, &headers, args);
  }
  for (i = 0; i < input.count; ++i) spec_free(&input.items[i]);
  free(input.items);
  name_table_free(&input.names);
  free_headers(&headers);
  return code;
}

/* ---- Options and help ---- */

static const option kWrapOptions[] = {
    {kOptionHeader, "header", 0, "FILE", true,
     "read the functions from this C header, by libclang; a FILE that does not exist is one in the "
     "compiler's include path"},
    MATCH_FUNCTIONS_OPTION,
    {kOptionTable, "list", 0, NULL, false,
     "print for each function whether it can be wrapped, and what is missing"},
    {kOptionSuggest, "suggest", 0, NULL, false,
     "print lines for the functions that need one, as their parameters are named: check them"},
    {kOptionCflags, "cflags", 0, "FLAGS", true,
     "compiler flags for reading headers, such as -DNAME"},
    {kOptionLibclang, "libclang", 0, "FILE", false,
     "the library of clang that reads headers (default: the newest of the system)"},
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
    {kOptionNamespace, "namespace", 0, "NAME", false,
     "objects of the header's type TYPE have the type NAME.TYPE (default c.TYPE), which those of "
     "other libraries have not"},
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
    "const void NAME[n] is text or Bytes, out void NAME[n] a buffer that is returned as Bytes:\n"
    "size=return, size=PARAMETER or size=text says how much of it. A pointer to a type of the\n"
    "header, thing *NAME, is an object; out thing **NAME free=f makes one, which f ends, and of=x\n"
    "keeps x alive, a handle or a tensor. closes says that the call ends it, takes that the\n"
    "library has it then, alone that no handle may have a part of it.\n"
    "int (*f)(int x, void *data), void *data takes a function of the caller's.\n"
    "struct point {double x; double y;} NAME is a Map.\n\n"
    "With --header the types come from the header. A line says only what a prototype does not:\n"
    "the function, and those of its parameters that need more, in any order. The name may be a\n"
    "pattern for many functions. Functions that need no line are wrapped as they are.\n\n"
    "  tvm-ffi wrap --header cblas.h --list\n"
    "  tvm-ffi wrap --header cblas.h 'cblas_dasum(x[n:incx])' --match cblas_dasum -o blas.c\n\n"
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
    .min_operands = 0,
    .max_operands = -1,
    .run = command_wrap,
};
