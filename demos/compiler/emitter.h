/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the emitter share: each needs those before it. */
#ifndef COMPILER_EMITTER_H_
#define COMPILER_EMITTER_H_

#include <stdio.h>

#include "program.h"

#if defined(__GNUC__)
#define PRINTF __attribute__((format(printf, 1, 2)))
#else
#define PRINTF
#endif

/* ---- emit_text.c ---- */

/* The file that all is written to from now on. */
void begin_text(FILE *file);
/* Indentation, text as printf's, and a newline; the same in parts: begin(), put()..., put("\n"). */
PRINTF void line(const char *format, ...);
PRINTF void put(const char *format, ...);
void begin(void);
/* Lines until end_block() are indented more. */
void begin_block(void);
void end_block(void);

/* ---- emit_expression.c ---- */

void put_extent(const Extent *extent); /* n_size, or a number */
void put_element(const Expression *element);
void put_sum(const Subscript *subscript); /* i_at + k_at + 1 */
bool is_alone(const Subscript *subscript);
/* Variables of reductions are numbered from 1 in each kernel. */
void start_numbers(void);
/* Loops over the target's indices, and the reductions in the value. */
void emit_assignment(Statement *assignment);

#endif /* COMPILER_EMITTER_H_ */
