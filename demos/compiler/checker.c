/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what names stand for, and checks shapes, dtypes and the order of statements. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* What is visible where the checker is. */
static Kernel *current;
static Statement *assignment;
static Index *scope[kMaxDims * (kMaxNesting + 1)];
static int num_scope;

bool same_extent(const Extent *a, const Extent *b) {
  return a == b || (a->name == NULL && b->name == NULL && a->value == b->value);
}

/* ---- Names ---- */

static Variable *find_variable(const char *name) {
  int i;
  for (i = 0; i < current->num_variables; ++i) {
    if (strcmp(current->variables[i]->name, name) == 0) return current->variables[i];
  }
  return NULL;
}

static Extent *find_extent(const char *name) {
  int i;
  for (i = 0; i < current->num_extents; ++i) {
    if (strcmp(current->extents[i]->name, name) == 0) return current->extents[i];
  }
  return NULL;
}

static Index *find_index(const char *name) {
  int i;
  for (i = 0; i < num_scope; ++i) {
    if (strcmp(scope[i]->name, name) == 0) return scope[i];
  }
  return NULL;
}

static Kernel *find_kernel(Kernel *kernels, const char *name) {
  while (kernels != NULL && strcmp(kernels->name, name) != 0) kernels = kernels->next;
  return kernels;
}

static void open_index(Index *index) {
  if (find_index(index->name) != NULL) {
    fail(index->place, "`%s` is an index variable here already", index->name);
  }
  if (find_variable(index->name) != NULL || find_extent(index->name) != NULL) {
    fail(index->place, "`%s` is a parameter, a local tensor or a length, so it cannot be an index",
         index->name);
  }
  scope[num_scope++] = index;
}

/* Where the scope of an index variable ends, some subscript has told how far it goes. */
static void close_index(Index *index) {
  if (index->extent == NULL) {
    fail(index->place, "how far `%s` runs is unknown: no subscript is `%s` alone", index->name,
         index->name);
  }
  --num_scope;
}

/* ---- Subscripts ---- */

static void print_extent(const Extent *extent, char *buffer, size_t capacity) {
  if (extent->name != NULL) {
    snprintf(buffer, capacity, "%s", extent->name);
  } else {
    snprintf(buffer, capacity, "%lld", (long long)extent->value);
  }
}

/* An index variable alone runs over the dimension. */
static void set_extent(const Subscript *subscript, const Extent *extent, const char *tensor) {
  Index *index = subscript->terms[0].variable;
  char before[64], now[64];
  if (index->extent == NULL) index->extent = extent;
  if (same_extent(index->extent, extent)) return;
  print_extent(index->extent, before, sizeof before);
  print_extent(extent, now, sizeof now);
  fail(subscript->place, "`%s` runs up to %s, but this dimension of `%s` has the length %s",
       index->name, before, tensor, now);
}

static void check_subscript(Subscript *subscript, Extent *extent, const char *tensor) {
  int i;
  for (i = 0; i < subscript->num_terms; ++i) {
    subscript->terms[i].variable = find_index(subscript->terms[i].name);
    if (subscript->terms[i].variable == NULL) {
      fail(subscript->terms[i].place, "`%s` is not an index variable here",
           subscript->terms[i].name);
    }
  }
  extent->is_used = true;
  if (subscript->num_terms == 1 && subscript->offset == 0) {
    set_extent(subscript, extent, tensor);
  } else if (subscript->num_terms == 0 && extent->name == NULL &&
             subscript->offset >= extent->value) {
    fail(subscript->place, "this dimension of `%s` has the length %lld", tensor,
         (long long)extent->value);
  }
}

/* The subscripts are those of the target, in their order. */
static bool is_at_target(const Expression *element) {
  const Expression *target = assignment->target;
  int i;
  for (i = 0; i < element->num_subscripts; ++i) {
    const Subscript *a = element->subscripts[i], *b = target->subscripts[i];
    if (a->num_terms != 1 || a->offset != 0 || a->terms[0].variable != b->terms[0].variable) {
      return false;
    }
  }
  return true;
}

static void find_tensor(Expression *element) {
  Variable *variable = find_variable(element->name);
  if (variable == NULL) fail(element->place, "there is no tensor `%s`", element->name);
  if (!variable->is_tensor) fail(element->place, "`%s` is a scalar", element->name);
  if (variable->ndim != element->num_subscripts) {
    fail(element->place, "`%s` takes %d subscripts, not %d", element->name, variable->ndim,
         element->num_subscripts);
  }
  element->variable = variable;
  variable->has_elements = true;
}

static void check_read(Variable *variable, Place place) {
  if (variable->role != kInput && !variable->is_assigned) {
    fail(place, "`%s` is read before it is assigned", variable->name);
  }
  variable->is_read = true;
}

/* ---- Dtypes ---- */

static const char *describe(Dtype type) {
  return dtypes[type].name;
}

static void check_type(const Expression *value, Dtype got, Dtype wanted) {
  if (got == wanted) return;
  fail(value->place, "this is %s, but %s is needed here: write %s(...)", describe(got),
       describe(wanted), describe(wanted));
}

/* The dtype of a name; finds what it stands for. */
static Dtype resolve_name(Expression *name) {
  name->variable = find_variable(name->name);
  if (name->variable != NULL) {
    if (name->variable->is_tensor) {
      fail(name->place, "`%s` is a tensor: write an element, `%s[...]`", name->name, name->name);
    }
    name->variable->is_read = true;
    return name->variable->type;
  }
  name->index = find_index(name->name);
  name->extent = find_extent(name->name);
  if (name->index == NULL && name->extent == NULL) {
    fail(name->place, "nothing is named `%s`", name->name);
  }
  if (name->extent != NULL) name->extent->is_used = true;
  return kInt64;
}

/* The dtype that an expression has by itself, in *out; false if it has only numbers. */
static bool infer(Expression *value, Dtype *out) {
  int i, outer = num_scope;
  bool found = false;
  switch (value->kind) {
    case kNumber:
      return false;
    case kName:
      *out = resolve_name(value);
      return true;
    case kElement:
      find_tensor(value);
      *out = value->variable->type;
      return true;
    case kConvert:
      *out = value->type;
      return true;
    default:
      for (i = 0; i < value->num_indices; ++i) open_index(value->indices[i]);
      /* The condition of `where` may have another dtype. */
      for (i = value->kind == kWhere; !found && i < 3 && value->args[i] != NULL; ++i) {
        found = infer(value->args[i], out);
      }
      num_scope = outer;
      return found;
  }
}

static void check_number(const Expression *number) {
  double value = strtod(number->name, NULL);
  errno = 0;
  if (is_float(number->type)) {
    if (value > (number->type == kFloat32 ? FLT_MAX : DBL_MAX)) {
      fail(number->place, "this number is too large for %s", describe(number->type));
    }
    return;
  }
  if (number->is_fraction) {
    fail(number->place, "an %s is needed here", describe(number->type));
  }
  if (strtoll(number->name, NULL, 10) > (number->type == kInt32 ? INT32_MAX : INT64_MAX) ||
      errno != 0) {
    fail(number->place, "this number is too large for %s", describe(number->type));
  }
}

/* ---- Expressions ---- */

static void check_expression(Expression *value, Dtype wanted);

static void check_element(Expression *element) {
  const Variable *variable;
  int i;
  find_tensor(element);
  check_read(element->variable, element->place);
  variable = element->variable;
  for (i = 0; i < element->num_subscripts; ++i) {
    check_subscript(element->subscripts[i], variable->shape[i], variable->name);
  }
  if (variable == assignment->target->variable && !is_at_target(element)) {
    fail(element->place, "while `%s` is assigned, only the assigned element of it can be read",
         variable->name);
  }
}

static void check_condition(Expression *compare) {
  if (!infer(compare, &compare->type)) compare->type = kFloat64;
  check_expression(compare->args[0], compare->type);
  check_expression(compare->args[1], compare->type);
}

static void check_conversion(Expression *conversion) {
  Dtype from = conversion->type;
  infer(conversion->args[0], &from);
  if (is_float(from) && !is_float(conversion->type)) {
    fail(conversion->place, "%s cannot be converted to %s", describe(from),
         describe(conversion->type));
  }
  check_expression(conversion->args[0], from);
}

static void check_reduction(Expression *reduction) {
  int i;
  for (i = 0; i < reduction->num_indices; ++i) open_index(reduction->indices[i]);
  check_expression(reduction->args[0], reduction->type);
  for (i = reduction->num_indices; i-- > 0;) close_index(reduction->indices[i]);
}

static void check_expression(Expression *value, Dtype wanted) {
  int i;
  if (value->kind == kConvert) check_type(value, value->type, wanted);
  value->type = wanted;
  switch (value->kind) {
    case kNumber:
      check_number(value);
      break;
    case kName:
      check_type(value, resolve_name(value), wanted);
      break;
    case kElement:
      check_element(value);
      check_type(value, value->variable->type, wanted);
      break;
    case kWhere:
      check_condition(value->args[0]);
      check_expression(value->args[1], wanted);
      check_expression(value->args[2], wanted);
      break;
    case kConvert:
      check_conversion(value);
      break;
    case kReduce:
      check_reduction(value);
      break;
    default:
      if (!is_float(wanted) && value->kind == kFunction) {
        fail(value->place, "`%s` is for floats, but %s is needed here", value->function->name,
             describe(wanted));
      }
      if (!is_float(wanted) && value->kind == kBinary && *value->name == '/') {
        fail(value->place, "integers cannot be divided: convert them, as in float64(n)");
      }
      for (i = 0; i < 3 && value->args[i] != NULL; ++i) check_expression(value->args[i], wanted);
  }
}

/* ---- Statements ---- */

static void check_writable(const Variable *variable, Place place) {
  if (variable->role == kInput) {
    fail(place, "`%s` is an input, which cannot be assigned", variable->name);
  }
}

/* The target's subscripts are the index variables of the statement's loops. */
static void open_target(Statement *statement) {
  Expression *target = statement->target;
  int i;
  find_tensor(target);
  check_writable(target->variable, target->place);
  for (i = 0; i < target->num_subscripts; ++i) {
    Subscript *subscript = target->subscripts[i];
    Index *index = (Index *)allocate(sizeof *index);
    if (subscript->num_terms != 1 || subscript->offset != 0) {
      fail(subscript->place, "an assigned element has index variables, and nothing else, here");
    }
    index->place = subscript->place;
    index->name = subscript->terms[0].name;
    open_index(index);
    check_subscript(subscript, target->variable->shape[i], target->variable->name);
    statement->indices[i] = index;
  }
}

static void check_assignment(Statement *statement) {
  assignment = statement;
  open_target(statement);
  check_expression(statement->value, statement->target->variable->type);
  num_scope = 0;
  statement->target->variable->is_assigned = true;
}

static void describe_variable(const Variable *variable, char *buffer, size_t capacity) {
  if (variable->is_tensor) {
    snprintf(buffer, capacity, "%s tensor of ndim %d", describe(variable->type), variable->ndim);
  } else {
    snprintf(buffer, capacity, "%s scalar", describe(variable->type));
  }
}

/* Argument i of a call, and what the lengths of the callee's shapes are in this kernel. */
static void check_passed(const Statement *call, int i, const Extent **bound) {
  const Variable *parameter = call->callee->variables[i], *passed = call->passed[i];
  char wanted[64], got[64];
  int dim, k;
  if (parameter->is_tensor != passed->is_tensor || parameter->type != passed->type ||
      parameter->ndim != passed->ndim) {
    describe_variable(parameter, wanted, sizeof wanted);
    describe_variable(passed, got, sizeof got);
    fail(call->names[i], "`%s` takes a %s here, not a %s", call->callee->name, wanted, got);
  }
  for (dim = 0; dim < parameter->ndim; ++dim) {
    const Extent *extent = parameter->shape[dim];
    for (k = 0; k < call->callee->num_extents; ++k) {
      if (call->callee->extents[k] != extent) continue;
      if (bound[k] == NULL) bound[k] = passed->shape[dim];
      extent = bound[k];
      break;
    }
    if (!same_extent(extent, passed->shape[dim])) {
      print_extent(extent, wanted, sizeof wanted);
      print_extent(passed->shape[dim], got, sizeof got);
      fail(call->names[i], "dimension %d should have the length %s for `%s`, but has %s", dim,
           wanted, call->callee->name, got);
    }
  }
}

static void check_call(Statement *call, Kernel *kernels) {
  const Extent *bound[kMaxVariables * kMaxDims] = {NULL};
  const Place *names = call->names;
  Kernel *callee = find_kernel(kernels, call->callee_name);
  int i, k;
  if (callee == NULL || !callee->is_import) {
    fail(call->callee_place, "no kernel `%s` is imported", call->callee_name);
  }
  if (call->num_args != callee->num_inputs || call->num_results != callee->num_outputs) {
    fail(call->callee_place, "`%s` has %d inputs and %d outputs, but here %d and %d",
         call->callee_name, callee->num_inputs, callee->num_outputs, call->num_args,
         call->num_results);
  }
  callee->is_called = true;
  call->callee = callee;
  for (i = 0; i < call->num_args + call->num_results; ++i) {
    const char *name = copy_text(names[i].start, names[i].length);
    call->passed[i] = find_variable(name);
    if (call->passed[i] == NULL) fail(names[i], "nothing is named `%s`", name);
    if (i < call->num_args) {
      check_read(call->passed[i], names[i]);
    } else {
      check_writable(call->passed[i], names[i]);
      for (k = 0; k < i; ++k) {
        if (call->passed[k] == call->passed[i]) fail(names[i], "`%s` is passed twice", name);
      }
    }
    check_passed(call, i, bound);
  }
  for (i = call->num_args; i < call->num_args + call->num_results; ++i) {
    call->passed[i]->is_assigned = true;
  }
}

/* ---- Kernels ---- */

static void check_declaration(const Variable *variable, int number) {
  int i;
  for (i = 0; i < number; ++i) {
    if (strcmp(current->variables[i]->name, variable->name) == 0) {
      fail(variable->place, "`%s` is declared twice", variable->name);
    }
  }
  if (find_extent(variable->name) != NULL) {
    fail(variable->place, "`%s` is the name of a length, too", variable->name);
  }
  if (variable->role != kInput && !variable->is_tensor) {
    fail(variable->place, "`%s` has to be a tensor: write `[]` for a single element",
         variable->name);
  }
  for (i = 0; variable->role == kLocal && i < variable->ndim; ++i) {
    if (variable->shape[i]->place.start > variable->place.start &&
        variable->shape[i]->name != NULL) {
      fail(variable->shape[i]->place, "no parameter has a dimension of the length `%s`",
           variable->shape[i]->name);
    }
  }
}

static void check_use(const Variable *variable) {
  if (variable->role != kInput && !variable->is_assigned) {
    fail(variable->place, "`%s` is never assigned", variable->name);
  }
  if (variable->role != kOutput && !variable->is_read) {
    fail(variable->place, "`%s` is never used", variable->name);
  }
}

static void check_kernel(Kernel *kernel, struct Kernel *kernels) {
  Statement *statement;
  int i;
  current = kernel;
  if (find_kernel(kernels, kernel->name) != kernel) {
    fail(kernel->place, "`%s` is declared twice", kernel->name);
  }
  if (kernel->num_outputs == 0) fail(kernel->place, "`%s` has no outputs", kernel->name);
  for (i = 0; i < kernel->num_variables; ++i) check_declaration(kernel->variables[i], i);
  if (kernel->is_import) return;
  for (statement = kernel->statements; statement != NULL; statement = statement->next) {
    if (statement->target != NULL) {
      check_assignment(statement);
    } else {
      check_call(statement, kernels);
    }
  }
  for (i = 0; i < kernel->num_variables; ++i) check_use(kernel->variables[i]);
}

void check_program(Kernel *kernels) {
  Kernel *kernel;
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) check_kernel(kernel, kernels);
  for (kernel = kernels; kernel != NULL; kernel = kernel->next) {
    if (kernel->is_import && !kernel->is_called) {
      fail(kernel->place, "`%s` is imported and never called", kernel->name);
    }
  }
}
