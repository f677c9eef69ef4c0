/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of all groups use: which calls there are (cases.c), and how they are made and
 * judged (judging.c). */
#ifndef TVM_FFI_TOOL_ROWS_H_
#define TVM_FFI_TOOL_ROWS_H_

#include "probe/probe.h"
#include "system/system.h"

/* ---- Groups, one file each ---- */

/* The title of the last column of the page's tables. */
#define WHY_KERNELS_FAIL "why kernels fail, and the usual fix"

extern const row_group kLayoutRows, kShapeRows, kNumberRows, kValueRows, kStateRows, kHostRows,
    kCallRows;

/* ---- Which calls there are: cases.c ---- */

/* Adds a call. Its name is that of the row and then, after colons, what the format says. */
void add_case(case_list *out, const row *kind, int arg, int64_t what, const char *format, ...)
    TOOL_PRINTF(5, 6);

/* A tensor with elements; NULL for all else. */
const DLTensor *find_tensor(const subject *s, size_t i);

/* For row.list: one call; */
void list_once(const subject *s, const row *kind, case_list *out);
/* one for each tensor that has so many dimensions of more than one element; */
void list_each_tensor(const subject *s, const row *kind, case_list *out);
/* and one with all of them; */
void list_tensors(const subject *s, const row *kind, case_list *out);
/* one for each tensor that is no output; */
void list_inputs(const subject *s, const row *kind, case_list *out);
/* one for each extent that some dimension has, for all dimensions that have it. */
void list_extents(const subject *s, const row *kind, case_list *out);

/* Tensors that belong together, of which all are changed alike: a function that only compares them
 * with each other then sees no difference. */
typedef struct {
  char name[24]; /* "all", "inputs", "outputs", "f32" */
  input_set set; /* of two or more */
} tensor_set;
enum { kMostSets = 8 };

bool input_set_has(const input_set *set, size_t i);

/* Finds all, the inputs, the outputs, and those of each dtype; returns how many sets there are. */
size_t find_sets(const subject *s, tensor_set *out);
/* Adds a call that changes a set. */
void add_set_case(case_list *out, const row *kind, const tensor_set *set, int64_t what,
                  const char *word);

/* ---- Rows that are large: threads.c, sequence.c ---- */

/* Until it is switched off, new objects of the runtime end at memory that cannot be accessed, where
 * it lets the tool allocate them: state.c. */
void guard_new_objects(bool on);

/* Gives inputs other elements, of which sums, products and extremes are others, too. False with an
 * error raised. */
bool change_inputs(attempt *a);
/* The same in the memory that they have; they get them before each call. The first and the last
 * element may stay. */
bool turn_inputs(attempt *a, bool keeps_ends);

void list_threads(const subject *s, const row *kind, case_list *out);
void judge_threads(attempt *a, const probe_case *which, outcome *out);
void list_sequences(const subject *s, const row *kind, case_list *out);
void judge_sequence(attempt *a, const probe_case *which, outcome *out);

/* ---- Verdicts: judging.c ---- */

void judge(outcome *out, verdict how, const char *format, ...) TOOL_PRINTF(3, 4);
/* The call could not be made, for a reason that the runtime has raised. */
void leave_out(outcome *out);

/* Makes the call. True if it returned, and did no harm; else it has been judged. */
bool call_and_look(attempt *a, outcome *out);
/* The same for the call that works, which is not to be refused either. */
bool call_again_and_look(attempt *a, outcome *out);
/* The same again and again; false if a call failed, which has been judged. */
bool call_often(attempt *a, int count, outcome *out);
/* Whether the call had these effects; else it has been judged. */
bool look_at_effects(const attempt *a, const effects *expected, bool exact, outcome *out);

/* Makes the call as it was given, in new arguments, after others, "a refused call". */
void look_again(const subject *s, const char *after, outcome *out);

/* For row.judge: the call is to have the effects of the call that works, or to be refused; */
void expect_same(attempt *a, const probe_case *which, outcome *out);
/* it is to do no harm, whatever it computes. */
void expect_clean(attempt *a, const probe_case *which, outcome *out);

/* Makes two calls with the same values, the first with packed tensors: the second is to have the
 * effects of the first, or to be refused. */
void compare_calls(attempt *packed, attempt *other, outcome *out);

/* After a verdict that only holds for functions that use the elements: makes the call as it was
 * given, with tensors that nobody may use. If it returns, the verdict is taken back;
 * rows_judge_end() sees the crash. */
void look_whether_used(const subject *s, const probe_case *which, outcome *out);

/* What is compared may be that of a few calls, which may fill caches, or of many. */
enum { kFew = 4, kMany = 32 };
/* Reads the state, makes `warm` calls before and `count` in between; false if it has been judged.
 */
bool read_states(attempt *a, int warm, int count, process_state *before, process_state *after,
                 outcome *out);

/* ---- Arguments of several rows: judging.c ---- */

/* Row-major strides, each of them `factor` times as large. */
void set_strides(const DLTensor *tensor, int64_t factor, int64_t *strides);
/* Where the CPU's memory is used, a function that uses more than it has crashes. */
layout guard_end(const subject *s);
/* Copies the shape with another extent in all dimensions that have the first; whether there are
 * any. */
bool replace_extent(const DLTensor *tensor, int64_t extent, int64_t other, int64_t *shape);
/* Gives all tensors another extent in place of one; `stride`, unless 0, is that of each dimension
 * of one element. False with an error raised. */
bool set_extent(attempt *a, int64_t extent, int64_t other, int64_t stride, const layout *how);
/* Makes the argument a tensor of that shape without memory, of which the first `opened` bytes stay.
 * False with an error raised. */
bool take_memory(attempt *a, size_t i, const int64_t *shape, size_t opened);

#endif /* TVM_FFI_TOOL_ROWS_H_ */
