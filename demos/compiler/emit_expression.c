/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an assignment as loops. Names of the program get an ending (x_data, i_at, n_size), so that
 * they never are those of C or of each other. */
#include <stdlib.h>

#include "emitter.h"

static int num_reductions;

void start_numbers(void) {
  num_reductions = 0;
}

void put_extent(const Extent *extent) {
  if (extent->name != NULL) {
    put("%s_size", extent->name);
  } else {
    put("%lld", (long long)extent->value);
  }
}

bool is_alone(const Subscript *subscript) {
  return subscript->num_terms == 1 && subscript->offset == 0;
}

void put_sum(const Subscript *subscript) {
  int i;
  for (i = 0; i < subscript->num_terms; ++i) {
    put("%s%s_at", i > 0 ? " + " : "", subscript->terms[i].name);
  }
  if (subscript->num_terms == 0) {
    put("%lld", (long long)subscript->offset);
  } else if (subscript->offset != 0) {
    put(" + %lld", (long long)subscript->offset);
  }
}

void put_element(const Expression *element) {
  const char *separator = "";
  int i;
  put("%s_data[", element->name);
  for (i = 0; i < element->num_subscripts; ++i) {
    const Subscript *subscript = element->subscripts[i];
    bool is_sum = subscript->num_terms > 0 && !is_alone(subscript);
    if (subscript->num_terms == 0 && subscript->offset == 0) continue;
    put(is_sum ? "%s(" : "%s", separator);
    put_sum(subscript);
    put(is_sum ? ") * %s_stride[%d]" : " * %s_stride[%d]", element->name, i);
    separator = " + ";
  }
  put("%s]", *separator == '\0' ? "0" : "");
}

/* ---- Expressions ---- */

static void put_expression(const Expression *value);

static void put_operand(const Expression *value) {
  bool is_compound = is_float(value->type) && (value->kind == kBinary || value->kind == kNegate);
  if (is_compound || value->kind == kWhere) {
    put("(");
    put_expression(value);
    put(")");
  } else {
    put_expression(value);
  }
}

static void put_number(const Expression *number) {
  if (is_float(number->type)) {
    put("%s%s%s", number->name, number->is_fraction ? "" : ".0",
        number->type == kFloat32 ? "f" : "");
  } else {
    /* Not its text: leading zeros would make it octal. */
    long long value = strtoll(number->name, NULL, 10);
    put(number->type == kInt64 ? "INT64_C(%lld)" : "%lld", value);
  }
}

/* left + right; without left, 0 - right. Integers wrap around, as unsigned ones do. */
static void put_arithmetic(const Expression *left, const char *sign, const Expression *right) {
  const DtypeInfo *type = &dtypes[right->type];
  if (is_float(right->type)) {
    if (left != NULL) put_operand(left);
    put(left != NULL ? " %s " : "%s", sign);
    put_operand(right);
    return;
  }
  put(left != NULL ? "(%s)((%s)" : "(%s)(0", type->c_type, type->wrapping);
  if (left != NULL) put_operand(left);
  put(" %s (%s)", sign, type->wrapping);
  put_operand(right);
  put(")");
}

static void put_call(const char *function, const Expression *call) {
  int i;
  put("%s(", function);
  for (i = 0; i < call->function->num_args; ++i) {
    put("%s", i > 0 ? ", " : "");
    put_expression(call->args[i]);
  }
  put(")");
}

static void put_expression(const Expression *value) {
  switch (value->kind) {
    case kNumber:
      put_number(value);
      break;
    case kName:
      put(value->variable != NULL ? "%s_value"
          : value->index != NULL  ? "%s_at"
                                  : "%s_size",
          value->name);
      break;
    case kElement:
      put_element(value);
      break;
    case kNegate:
      put_arithmetic(NULL, "-", value->args[0]);
      break;
    case kBinary:
      put_arithmetic(value->args[0], value->name, value->args[1]);
      break;
    case kCompare:
      put_operand(value->args[0]);
      put(" %s ", value->name);
      put_operand(value->args[1]);
      break;
    case kWhere:
      put_expression(value->args[0]);
      put(" ? ");
      put_operand(value->args[1]);
      put(" : ");
      put_operand(value->args[2]);
      break;
    case kFunction:
      put_call(value->type == kFloat32 ? value->function->float32 : value->function->float64,
               value);
      break;
    case kConvert:
      put("(%s)", dtypes[value->type].c_type);
      put_operand(value->args[0]);
      break;
    case kReduce:
      put("%s_%d", value->name, value->number);
      break;
  }
}

/* ---- Loops ---- */

static void open_loop(Index *index) {
  begin();
  put("for (int64_t %s_at = 0; %s_at < ", index->name, index->name);
  put_extent(index->extent);
  put("; ++%s_at) {\n", index->name);
  begin_block();
  index->is_open = true;
}

static void close_loop(Index *index) {
  index->is_open = false;
  end_block();
  line("}");
}

/* Whether the loops of all index variables in a value are open, except those of its reductions. */
static bool is_ready(const Expression *value) {
  bool ready = true;
  int i, k;
  if (value->kind == kName) return value->index == NULL || value->index->is_open;
  for (i = 0; i < value->num_subscripts; ++i) {
    for (k = 0; k < value->subscripts[i]->num_terms; ++k) {
      if (!value->subscripts[i]->terms[k].variable->is_open) return false;
    }
  }
  for (i = 0; i < value->num_indices; ++i) value->indices[i]->is_open = true;
  for (i = 0; i < 3 && value->args[i] != NULL; ++i) ready = ready && is_ready(value->args[i]);
  for (i = 0; i < value->num_indices; ++i) value->indices[i]->is_open = false;
  return ready;
}

/* Adds a value to a sum, or takes it as the new maximum or minimum. */
static void emit_step(const Expression *reduction) {
  const char *name = reduction->name;
  const int number = reduction->number;
  const Expression *value = reduction->args[0];
  if (reduction->reduction == '+') {
    begin();
    put("%s_%d = ", name, number);
    put_arithmetic(reduction, "+", value);
    put(";\n");
    return;
  }
  begin();
  put("const %s value_%d = ", dtypes[reduction->type].c_type, number);
  put_expression(value);
  put(";\n");
  begin();
  put("if (value_%d %c %s_%d", number, reduction->reduction, name, number);
  if (is_float(reduction->type)) put(" || isnan(value_%d)", number); /* the result is NaN, too */
  put(") %s_%d = value_%d;\n", name, number, number);
}

/* Computes each reduction outside of the loops that do not change it. */
static void emit_ready_reductions(Expression *value) {
  const DtypeInfo *type = &dtypes[value->type];
  int i;
  if (value->number != 0) return; /* done */
  for (i = 0; i < 3 && value->args[i] != NULL; ++i) emit_ready_reductions(value->args[i]);
  if (value->kind != kReduce || !is_ready(value)) return;
  value->number = ++num_reductions;
  line("%s %s_%d = %s;", type->c_type, value->name, value->number,
       value->reduction == '+'   ? "0"
       : value->reduction == '>' ? type->lowest
                                 : type->highest);
  for (i = 0; i < value->num_indices; ++i) {
    open_loop(value->indices[i]);
    emit_ready_reductions(value->args[0]);
  }
  emit_step(value);
  for (i = value->num_indices; i-- > 0;) close_loop(value->indices[i]);
}

void emit_assignment(Statement *assignment) {
  const Expression *target = assignment->target;
  int i;
  emit_ready_reductions(assignment->value);
  for (i = 0; i < target->num_subscripts; ++i) {
    open_loop(assignment->indices[i]);
    emit_ready_reductions(assignment->value);
  }
  begin();
  put_element(target);
  put(" = ");
  put_expression(assignment->value);
  put(";\n");
  for (i = target->num_subscripts; i-- > 0;) close_loop(assignment->indices[i]);
}
