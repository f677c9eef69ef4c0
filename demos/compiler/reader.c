/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a program by recursive descent: one function for each rule of the grammar in README.md. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const Function functions[] = {
    {"abs", "fabsf", "fabs", 1},  {"exp", "expf", "exp", 1},    {"log", "logf", "log", 1},
    {"pow", "powf", "pow", 2},    {"sin", "sinf", "sin", 1},    {"cos", "cosf", "cos", 1},
    {"sqrt", "sqrtf", "sqrt", 1}, {"tanh", "tanhf", "tanh", 1},
};

static Place token;                             /* the next one; its length is 0 at the end */
static const char *source_start, *previous_end; /* the end of the token before it */
static int nesting, num_nodes;

static Expression *read_expression(void);

/* ---- Tokens ---- */

static size_t measure_number(const char *at) {
  const char *start = at;
  while (isdigit((unsigned char)*at)) ++at;
  if (*at == '.') ++at;
  while (isdigit((unsigned char)*at)) ++at;
  if (*at == 'e' || *at == 'E') {
    const char *exponent = at + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    if (isdigit((unsigned char)*exponent)) {
      while (isdigit((unsigned char)*exponent)) ++exponent;
      at = exponent;
    }
  }
  return (size_t)(at - start);
}

static void advance(void) {
  const char *at = token.start + token.length;
  static const char *const pairs[] = {"->", "<=", ">=", "==", "!="};
  size_t i;
  previous_end = at;
  for (;;) {
    at += strspn(at, " \t\r\n");
    if (*at != '#') break;
    at += strcspn(at, "\n");
  }
  token.start = at;
  token.length = *at != '\0';
  for (i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    if (strncmp(at, pairs[i], 2) == 0) token.length = 2;
  }
  if (isdigit((unsigned char)*at)) {
    token.length = measure_number(at);
  } else if (isalpha((unsigned char)*at)) {
    while (isalnum((unsigned char)at[token.length]) || at[token.length] == '_') ++token.length;
  } else if (*at != '\0' && strchr("()[]{}:,=+-*/<>!", *at) == NULL) {
    if ((unsigned char)*at >= 0x80 || !isprint((unsigned char)*at)) {
      fail(token, "the byte 0x%02x cannot be here", (unsigned)(unsigned char)*at);
    }
    fail(token, "`%c` cannot be here", *at);
  }
}

static bool is_next(const char *text) {
  return strlen(text) == token.length && strncmp(token.start, text, token.length) == 0;
}

static bool take(const char *text) {
  if (!is_next(text)) return false;
  advance();
  return true;
}

/* The last byte of the last token, where the file has ended. */
static void place_at_end(Place *place) {
  if (previous_end > source_start) place->start = previous_end - 1;
}

static void fail_expected(const char *expected) {
  if (token.length == 0) {
    place_at_end(&token);
    fail(token, "expected %s, but the file ends", expected);
  }
  fail(token, "expected %s, not `%.*s`", expected, (int)token.length, token.start);
}

static void expect(const char *text, const char *shown) {
  if (!take(text)) fail_expected(shown);
}

static bool is_name(void) {
  return isalpha((unsigned char)*token.start) != 0;
}

static char *read_name(const char *expected, Place *out) {
  static const char *const reserved[] = {"import", "kernel", "local", "max", "min", "sum", "where"};
  size_t i;
  if (!is_name()) fail_expected(expected);
  for (i = 0; i < sizeof reserved / sizeof *reserved; ++i) {
    if (is_next(reserved[i])) {
      fail(token, "expected %s, but `%s` has a meaning of its own", expected, reserved[i]);
    }
  }
  *out = token;
  advance();
  return copy_text(out->start, out->length);
}

static int64_t read_integer(const char *expected) {
  char *end;
  long long value;
  if (!isdigit((unsigned char)*token.start)) fail_expected(expected);
  errno = 0;
  value = strtoll(token.start, &end, 10);
  if (end != token.start + token.length) fail_expected(expected);
  if (errno != 0) fail(token, "this number does not fit 64 bits");
  advance();
  return value;
}

/* ---- Expressions ---- */

static Expression *make_expression(Kind kind, Place place) {
  Expression *made = (Expression *)allocate(sizeof *made);
  if (++num_nodes > kMaxNodes) fail(place, "this statement is too long");
  made->kind = kind;
  made->place = place;
  return made;
}

/* Makes a place reach up to the last token that was read. */
static void extend(Place *place) {
  place->length = (size_t)(previous_end - place->start);
}

static Subscript *read_subscript(void) {
  Subscript *made = (Subscript *)allocate(sizeof *made);
  made->place = token;
  do {
    if (is_name()) {
      if (made->num_terms == kMaxTerms) fail(token, "more than %d index variables", kMaxTerms);
      made->terms[made->num_terms].name =
          read_name("an index variable", &made->terms[made->num_terms].place);
      ++made->num_terms;
    } else {
      Place number = token;
      int64_t value = read_integer("an index variable or a number");
      if (value > INT32_MAX - made->offset) fail(number, "this index is too large");
      made->offset += value;
    }
  } while (take("+"));
  extend(&made->place);
  return made;
}

/* NAME has been read; the next token is `[`. */
static Expression *read_element(const char *name, Place name_place) {
  Expression *made = make_expression(kElement, name_place);
  made->name = name;
  expect("[", "`[`");
  if (!is_next("]")) {
    do {
      if (made->num_subscripts == kMaxDims) fail(token, "more than %d indices", kMaxDims);
      made->subscripts[made->num_subscripts++] = read_subscript();
    } while (take(","));
  }
  expect("]", "`,` or `]`");
  extend(&made->place);
  return made;
}

static Expression *read_number(void) {
  Expression *made = make_expression(kNumber, token);
  made->name = copy_text(token.start, token.length);
  made->is_fraction = strpbrk(made->name, ".eE") != NULL;
  advance();
  return made;
}

static void read_args(Expression *call, int num_args) {
  int i;
  expect("(", "`(`");
  for (i = 0; i < num_args; ++i) {
    call->args[i] = read_expression();
    if (i + 1 < num_args) expect(",", "`,` and a further argument");
  }
  expect(")", "`)`");
}

static bool precedes_comma(void) {
  const char *end = token.start + token.length;
  return end[strspn(end, " \t\r\n")] == ',';
}

/* sum(i, j, value): variables, then what is reduced. */
static Expression *read_reduction(char reduction) {
  Expression *made = make_expression(kReduce, token);
  made->reduction = reduction;
  made->name = copy_text(token.start, token.length);
  advance();
  expect("(", "`(`");
  do {
    Index *index = (Index *)allocate(sizeof *index);
    if (made->num_indices == kMaxDims) fail(token, "more than %d index variables", kMaxDims);
    index->name = read_name("an index variable", &index->place);
    made->indices[made->num_indices++] = index;
    if (!is_next(",")) fail_expected("`,` after the index variable");
    advance();
  } while (is_name() && precedes_comma());
  made->args[0] = read_expression();
  expect(")", "`)`");
  return made;
}

static Expression *read_comparison(void) {
  static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
  Expression *left = read_expression(), *made;
  size_t i;
  for (i = 0; i < sizeof operators / sizeof *operators; ++i) {
    if (is_next(operators[i])) {
      made = make_expression(kCompare, token);
      made->name = operators[i];
      advance();
      made->args[0] = left;
      made->args[1] = read_expression();
      return made;
    }
  }
  fail_expected("a comparison, such as `<`");
  return NULL;
}

static Expression *read_where(void) {
  Expression *made = make_expression(kWhere, token);
  advance();
  expect("(", "`(`");
  made->args[0] = read_comparison();
  expect(",", "`,`");
  made->args[1] = read_expression();
  expect(",", "`,`");
  made->args[2] = read_expression();
  expect(")", "`)`");
  return made;
}

/* Whether there is a dtype of the next token's name. */
static bool find_dtype(Dtype *out) {
  int i;
  for (i = 0; i < kNumDtypes; ++i) {
    if (is_next(dtypes[i].name)) {
      *out = (Dtype)i;
      return true;
    }
  }
  return false;
}

static Expression *read_call(Place name_place) {
  size_t i;
  Expression *made;
  for (i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (strlen(functions[i].name) == name_place.length &&
        strncmp(functions[i].name, name_place.start, name_place.length) == 0) {
      made = make_expression(kFunction, name_place);
      made->function = &functions[i];
      read_args(made, functions[i].num_args);
      return made;
    }
  }
  fail(name_place, "there is no function `%.*s`; a kernel is called as `y = %.*s(x)`",
       (int)name_place.length, name_place.start, (int)name_place.length, name_place.start);
  return NULL;
}

static Expression *read_operand(void) {
  Expression *made;
  Dtype type;
  Place name_place;
  char *name;
  if (isdigit((unsigned char)*token.start)) return read_number();
  if (is_next("sum")) return read_reduction('+');
  if (is_next("max")) return read_reduction('>');
  if (is_next("min")) return read_reduction('<');
  if (is_next("where")) return read_where();
  if (take("(")) {
    made = read_expression();
    expect(")", "an operator or `)`");
    return made;
  }
  if (find_dtype(&type)) {
    made = make_expression(kConvert, token);
    made->type = type;
    advance();
    read_args(made, 1);
    return made;
  }
  name = read_name("a value", &name_place);
  if (is_next("[")) return read_element(name, name_place);
  if (is_next("(")) return read_call(name_place);
  made = make_expression(kName, name_place);
  made->name = name;
  return made;
}

static Expression *read_factor(void) {
  Expression *made;
  if (++nesting > kMaxNesting) fail(token, "nested more than %d levels deep", kMaxNesting);
  if (is_next("-")) {
    made = make_expression(kNegate, token);
    advance();
    made->args[0] = read_factor();
  } else {
    made = read_operand();
  }
  --nesting;
  return made;
}

static Expression *make_binary(const char *text, Expression *left, Expression *(*read)(void)) {
  Expression *made = make_expression(kBinary, token);
  made->name = text;
  advance();
  made->args[0] = left;
  made->args[1] = read();
  return made;
}

static Expression *read_term(void) {
  Expression *left = read_factor();
  while (is_next("*") || is_next("/")) {
    left = make_binary(is_next("*") ? "*" : "/", left, read_factor);
  }
  return left;
}

static Expression *read_expression(void) {
  Expression *left = read_term();
  while (is_next("+") || is_next("-")) {
    left = make_binary(is_next("+") ? "+" : "-", left, read_term);
  }
  return left;
}

/* ---- Kernels ---- */

/* The kernel's extent of that name, or a number. */
static Extent *read_extent(Kernel *kernel) {
  Extent *made;
  Place place = token;
  char *name;
  int i;
  if (!is_name()) {
    made = (Extent *)allocate(sizeof *made);
    made->place = place;
    made->value = read_integer("a length: a name or a number");
    if (made->value == 0) fail(place, "a dimension has at least one element");
    return made;
  }
  name = read_name("a length", &place);
  for (i = 0; i < kernel->num_extents; ++i) {
    if (strcmp(kernel->extents[i]->name, name) == 0) {
      kernel->extents[i]->is_used = true;
      return kernel->extents[i];
    }
  }
  made = (Extent *)allocate(sizeof *made);
  made->place = place;
  made->name = name;
  kernel->extents[kernel->num_extents++] = made;
  return made;
}

/* x: float32[n, m], or without brackets a scalar. */
static void read_variable(Kernel *kernel, Role role) {
  Variable *made = (Variable *)allocate(sizeof *made);
  made->name = read_name("a name", &made->place);
  made->role = role;
  expect(":", "`:` and a dtype");
  if (!find_dtype(&made->type)) fail_expected("int32, int64, float32 or float64");
  advance();
  if (take("[")) {
    made->is_tensor = true;
    if (!is_next("]")) {
      do {
        if (made->ndim == kMaxDims) fail(token, "more than %d dimensions", kMaxDims);
        made->shape[made->ndim++] = read_extent(kernel);
      } while (take(","));
    }
    expect("]", "`,` or `]`");
  }
  if (kernel->num_variables == kMaxVariables) {
    fail(made->place, "more than %d parameters and local tensors", kMaxVariables);
  }
  kernel->variables[kernel->num_variables++] = made;
}

static void read_parameters(Kernel *kernel, Role role) {
  expect("(", "`(`");
  if (take(")")) return;
  do {
    read_variable(kernel, role);
  } while (take(","));
  expect(")", "`,` or `)`");
}

/* a, b = callee(c, d); the first name has been read. */
static void read_kernel_call(Statement *made, Place first) {
  int num_results = 0;
  Place results[kMaxVariables];
  results[num_results++] = first;
  while (take(",")) {
    if (num_results == kMaxVariables) fail(token, "more than %d results", kMaxVariables);
    read_name("a tensor", &results[num_results++]);
  }
  expect("=", made->num_results == 0 ? "`[`, or `=` and a kernel" : "`,` or `=`");
  made->callee_name = read_name("a kernel", &made->callee_place);
  if (!take("(")) {
    fail(made->callee_place,
         "expected the call of a kernel, `%s(...)`; write elements as `%.*s[i]`", made->callee_name,
         (int)first.length, first.start);
  }
  if (!is_next(")")) {
    do {
      if (made->num_args + num_results == kMaxVariables) {
        fail(token, "more than %d arguments and results", kMaxVariables);
      }
      read_name("a tensor or a scalar", &made->names[made->num_args++]);
    } while (take(","));
  }
  expect(")", "`,` or `)`");
  memcpy(made->names + made->num_args, results, (size_t)num_results * sizeof *results);
  made->num_results = num_results;
}

static Statement *read_statement(void) {
  Statement *made = (Statement *)allocate(sizeof *made);
  char *name = read_name("a statement", &made->place);
  num_nodes = 0;
  if (!is_next("[")) {
    read_kernel_call(made, made->place);
    return made;
  }
  made->target = read_element(name, made->place);
  expect("=", "`=`");
  made->value = read_expression();
  return made;
}

static Kernel *read_kernel(bool is_import) {
  Kernel *made = (Kernel *)allocate(sizeof *made);
  Statement **last = &made->statements;
  made->is_import = is_import;
  made->name = read_name("the name of a kernel", &made->place);
  read_parameters(made, kInput);
  made->num_inputs = made->num_variables;
  expect("->", "`->` and the outputs");
  read_parameters(made, kOutput);
  made->num_outputs = made->num_variables - made->num_inputs;
  if (is_import) return made;
  expect("{", "`{`");
  while (take("local")) read_variable(made, kLocal);
  while (!take("}")) {
    if (!is_name()) fail_expected("a statement or `}`");
    if (is_next("local")) fail(token, "local tensors are declared before the first statement");
    *last = read_statement();
    last = &(*last)->next;
  }
  return made;
}

Kernel *read_program(const char *text) {
  Kernel *first = NULL, **last = &first;
  source_start = text;
  token.start = text;
  token.length = 0;
  advance();
  while (token.length != 0) {
    bool is_import = is_next("import");
    if (!is_import && !is_next("kernel")) fail_expected("`kernel` or `import`");
    advance();
    *last = read_kernel(is_import);
    last = &(*last)->next;
  }
  return first;
}
