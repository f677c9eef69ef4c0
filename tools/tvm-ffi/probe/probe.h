/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are related to one that works, and how each of them is judged. */
#ifndef TVM_FFI_TOOL_PROBE_H_
#define TVM_FFI_TOOL_PROBE_H_

#include <tvm/ffi/c.h>

#include "base/command.h"
#include "base/text.h"
#include "system/posix_state.h"
#include "system/system.h"
#include "value/input.h"
#include "value/layout.h"
#include "value/output.h"
#include "value/schema.h"

/* ---- Tensors inside arrays and maps: inner.c ---- */

/* Where a value of the call is. */
typedef struct {
  size_t argument; /* it is this argument, or inside it */
  char label[24];  /* "1"; of the first tensor inside it "1.0" */
} input_place;

/* Whether a value is a Map or a Dict. */
bool inner_is_map(const TVMFFIAny *value);
/* The global function that makes a container of this type, or a Shape, of its items; of a map these
 * are keys, each with its value. */
const char *inner_maker(const TVMFFIAny *value);

/* What is done with each tensor of a container while that is copied. */
typedef struct {
  bool (*visit)(void *context, const TVMFFIAny *tensor, TVMFFIAny *out); /* what the copy has */
  void *context;
  text_buf *text; /* where the rest of the container is written, as on a command line; NULL */
} inner_visitor;

/* Copies an Array, a List, a Map or a Dict, and those inside it; false with an error raised. In any
 * case *out is to be cleared. */
bool inner_copy(const TVMFFIAny *container, const inner_visitor *visitor, TVMFFIAny *out);

/* Adds packed copies of the tensors inside arguments behind these. *out_places [own] are those of
 * all. False with an error raised. */
bool inner_find(input_list *inputs, input_place **out_places);

/* The references to an object, and to all that is inside it; 0: it is none. */
uint64_t inner_count_references(const TVMFFIAny *value);

typedef struct subject subject;

/* The first input inside an argument, behind which are the others; if there is none, the number of
 * inputs. */
size_t inner_first(const subject *s, size_t parent);

/* Copies an argument with tensors inside, each of which is visited as the input i. */
typedef struct {
  bool (*visit)(void *context, size_t i, TVMFFIAny *out);
  void *context;
  text_buf *text; /* as of inner_visitor */
} input_visitor;
bool inner_copy_argument(const subject *s, size_t parent, const input_visitor *visitor,
                         TVMFFIAny *out);

/* ---- One call: one_call.c ---- */

/* An attempt copies the arguments of the call that works, perhaps in another layout or with some of
 * them replaced, and keeps what became of them and of the memory around them. */

/* What a call leaves behind. */
typedef struct {
  TVMFFIObjectHandle *tensors; /* for each argument that is an output a packed tensor, else NULL */
  TVMFFIAny result;            /* unless it can only be compared as text */
  bool has_result;
  char *text;            /* of the result; NULL: it is large, and a copy of it is kept */
  unsigned host_changes; /* of what belongs to the host */
} effects;

/* The call that works. */
struct subject {
  const char *name;             /* of the function */
  TVMFFIObjectHandle function;  /* set in processes that call it */
  TVMFFIObjectHandle reference; /* and that of --against, if has_reference */
  bool has_reference;
  bool marks_outputs;       /* & was to be written before outputs: the call is no recorded one */
  const schema_type *types; /* NULL: not known */
  const input_list *inputs; /* arguments, then the tensors inside them; packed, in CPU memory */
  size_t num_passed;        /* how many are arguments */
  input_place *places;      /* of each input */
  DLDevice device;          /* where the function gets them */
  tolerance allowed;
  bool may_vary;   /* the same call need not have the same bits */
  bool shrinks;    /* a generated call that fails is made smaller */
  bool *is_output; /* of each input: a tensor that the function is to fill, or changes */
  effects after;
};

/* The tensor that is an argument; NULL if it is none. */
DLTensor *subject_tensor(const subject *s, size_t i);
/* Whether an argument is a tensor without values, which the function is to fill. */
bool subject_fills(const subject *s, size_t i);

/* ---- Making the arguments ---- */

typedef struct {
  TVMFFIAny value;           /* what is passed */
  storage *store;            /* NULL: no tensor */
  TVMFFIObjectHandle object; /* the Tensor, or what else has to be released */
  unsigned char *before;     /* the elements, packed; NULL: it has no memory */
  size_t size;               /* their bytes */
  bool is_output;
  TVMFFIObjectHandle on_device; /* a copy of the storage */
  DLTensor view;                /* of the storage there */
  /* Since the first call: */
  TVMFFIObjectHandle kept; /* its object, which stays whatever the function releases */
  uint32_t references;     /* to its object then; 0: none was made, or it is no object */
  const DLTensor *passed;  /* what the function gets; NULL: no tensor */
  DLTensor header;         /* and what that was before the call, */
  uint64_t header_digest;  /* with its extents and strides */
} argument;

typedef struct {
  const subject *s;
  argument *args; /* of each input of the subject */
  size_t num_args;
  size_t num_passed;    /* how many are arguments; the others are inside them */
  bool is_whole;        /* all of them are made */
  size_t room;          /* for how many there is room before: */
  bool by_reference;    /* the reference is called instead */
  int stack_byte;       /* what the stack below the call is filled with, which also finds errno and
                           floating-point exceptions set; 0: all is left as it is */
  int fill_byte;        /* what the stack below this call is filled with; 0: it is left as it is */
  TVMFFIAny *views_end; /* where those end that are passed, next to what nobody may read */
  /* After a call: */
  bool returned;
  bool broke_device;     /* what it launched failed there: `error` says how */
  unsigned host_changes; /* host_compare() */
  int code;
  TVMFFIAny result;
  TVMFFIObjectHandle error;
} attempt;

/* Makes all arguments as they are in the call that works, tensors packed; if `how` is not NULL,
 * those in that layout. False with an error raised; attempt_free() is due in any case. */
bool attempt_init(attempt *a, const subject *s, const layout *how);
void attempt_free(attempt *a);

/* These replace an argument; false with an error raised. */
/* The tensor in another layout, with the same elements. */
bool attempt_place(attempt *a, size_t i, const layout *how);
/* Another tensor. `packed` are its elements; NULL: they repeat those that the argument had, or it
 * has no memory. */
bool attempt_set_tensor(attempt *a, size_t i, DLDataType dtype, const int64_t *shape, int32_t ndim,
                        const layout *how, const void *packed);
/* `value` [take] */
bool attempt_set_value(attempt *a, size_t i, TVMFFIAny value);
/* Passes the DLTensor in place of the Tensor. Its extents and strides end where nobody may read. */
bool attempt_pass_view(attempt *a, size_t i);
/* Passes a tensor whose data pointer is NULL. */
bool attempt_clear_data(attempt *a, size_t i);
/* Passes the tensor of another argument, in the same memory. */
bool attempt_share(attempt *a, size_t i, size_t other);
/* Passes the input in memory of the output, so many bytes behind its begin. The elements of the
 * output there are those of the input. */
bool attempt_share_part(attempt *a, size_t in, size_t filled, size_t bytes);
/* Gives two arguments of one type and shape memory that overlaps, by all but one element: the
 * second begins one element behind the first. The elements of an input are those that it had; they
 * may change, as they are also the output's. False with an error raised. */
bool attempt_overlap(attempt *a, size_t first, size_t second);
/* Places all tensors in one memory, each behind the one before it or below. False with an error
 * raised. */
bool attempt_order(attempt *a, bool is_descending);
void attempt_remove(attempt *a, size_t i);
/* `value` [take] */
void attempt_append(attempt *a, TVMFFIAny value);

/* ---- Calling, and looking at what happened ---- */

/* What memory holds that the function has not written, but for some rows. */
enum { kUnwritten = 0xa5 };

/* Calls the function, and tells the parent process so. What it reads behind its arguments is a
 * crash. False with an error raised if the arguments cannot be passed. */
bool attempt_call(attempt *a);
/* The same in any thread. */
bool attempt_call_here(attempt *a);
/* Releases the result, and gives tensors the elements that they had: for another call. False with
 * an error raised. */
bool attempt_reset(attempt *a);

/* Whether the elements of a tensor are those that it had. */
bool argument_is_unchanged(const argument *arg);
/* What may help where an input was changed. */
extern const char kHintOutput[];
/* Whether the call kept to what any call has to: errors are raised, with a kind; inputs and all
 * that is not of an output are unchanged. If not, writes what it did. */
bool attempt_is_clean(const attempt *a, text_buf *out);

/* "ValueError: x must be contiguous" */
void attempt_describe_error(const attempt *a, text_buf *out);
/* Whether the error says which argument is meant, or has it inside, by its number or name. */
bool attempt_names_argument(const attempt *a, size_t chosen);

/* Takes what it left behind; false with an error raised. Release with effects_free(). */
bool attempt_take_effects(const attempt *a, effects *out);
void effects_free(effects *e, size_t num_args);
/* Whether both have the same result, by the same bits. */
bool effects_have_same_result(const effects *x, const effects *y);

/* Whether both did the same: by the same bits, or within the tolerance, which depends on the
 * arguments of the attempt if none was given. If not, writes where the first difference is.
 * Arguments without a tensor in `expected` are not compared. */
bool effects_match(const attempt *a, const effects *got, const effects *expected, bool exact,
                   text_buf *out);

/* ---- What belongs to the host: host_state.c ---- */

typedef struct {
  process_state process;
  int rounding;
  bool has_subnormals; /* tiny numbers are not taken for zeros */
  uint64_t locale_name;
} host_state;

/* Whether tiny numbers are not taken for zeros. */
bool host_has_subnormals(void);

void host_read(host_state *out);
/* What differs, as bits; */
unsigned host_compare(const host_state *before, const host_state *after);
/* the first of them in words. */
const char *host_describe(unsigned changes);

/* ---- The kinds of calls: rows.c ---- */

enum { kMaxInputs = 1 << 10 }; /* of a call */

/* Inputs that are changed alike. */
typedef struct {
  uint64_t words[kMaxInputs / 64];
} input_set;

typedef enum { kVerdictNone, kPassed, kRefused, kFailed, kLeftOut } verdict;

/* What a child process tells its parent about a call. */
typedef struct {
  volatile int verdict;
  volatile int is_note;        /* the detail is worth knowing, although the call passed */
  volatile int changed_host;   /* what belongs to the host, beyond what the call that works does */
  volatile int names_argument; /* of a wrong call that was refused; -1: it need not */
  char detail[1 << 14];        /* why, as one line; the last byte is never written */
  char call[1 << 12]; /* a smaller call that fails alike, against the reference; empty: none */
} outcome;

typedef struct row row;

/* One call, or a few, of a row. */
typedef struct {
  const row *kind;
  char name[64];         /* "misaligned:0:byte", for --only */
  int arg;               /* the input that it changes; -1: */
  input_set set;         /* all of these; case_changes() */
  int64_t number, other; /* what else there is to choose */
} probe_case;

typedef struct {
  probe_case *items;
  size_t size;
} case_list;

enum {
  kRowNeedsHost = 1,       /* memory that the CPU can use */
  kRowNamesArgument = 2,   /* an error is to say which argument is wrong */
  kRowEndsAtMemory = 4,    /* a crash where memory ends passes: the function uses all elements */
  kRowMayTakeLong = 32,    /* a call without end passes, after a short time */
  kRowNeedsReference = 16, /* a second implementation */
  kRowAnyNumbers = 64,     /* an element, which may be a size, is any number */
  kRowSharesMemory = 256,  /* arguments are in one memory */
  kRowOfInputs = 512,      /* whether inputs stay as they are */
  kRowOtherShapes = 128,   /* tensors have others than in the call that works */
  kRowVariesSets = 8       /* cases of sets of tensors have the number of those of one */
};

/* What is called, how it is judged, and what is told of it. */
struct row {
  help_row told; /* with the cause of failures and their cure as notes */
  /* Adds the calls of the row. NULL: it has no calls of its own. */
  void (*list)(const subject *s, const row *kind, case_list *out);
  int64_t choice; /* for `list` */
  /* Changes the arguments, which are those of the call that works; NULL: not at all. False with an
   * error raised if the call cannot be made. */
  bool (*make)(attempt *a, const probe_case *which);
  /* Makes the call, and judges it. */
  void (*judge)(attempt *a, const probe_case *which, outcome *out);
  /* Sets the layout of a tensor, for layouts.c; `chosen` is the number of the case, `strides` are
   * room for strides. Or NULL. */
  void (*arrange)(const DLTensor *tensor, int64_t chosen, layout *how, int64_t *strides);
  int flags;
};

typedef struct {
  const char *name;
  help_row heading;
  const char *good, *bad; /* what is said if no row failed, and before those that did */
  const row *rows;
  size_t num_rows;
} row_group;

/* In the order in which they are shown; NULL behind the last one. */
const row *rows_at(size_t i);
const row_group *row_group_at(size_t i);
/* "layouts" */
const char *row_group_of(const row *kind);
/* Calls that only a reference can judge. */
extern const row_group *const kNumberGroup;
extern const row_group *const kHostGroup;
/* It has no calls of its own: whether the errors of wrong calls say which argument is meant. */
extern const row *const kNamedRow;
/* The same call again. */
extern const row *const kRepeatRow;
/* All of them with the headings of their groups, for the help. */
const help_row *rows_help(void);

/* Whether the case changes this input. */
bool case_changes(const probe_case *which, size_t i);

/* All calls that are related to this one. */
void rows_list(const subject *s, case_list *out);

/* In a process that makes calls: memory that a function has not written is the same in all. */
void rows_begin(void);

/* Makes such a call, and judges it. */
void rows_run(const subject *s, const probe_case *which, outcome *out);

/* Before the runtime is used: lets rows make its allocations fail, if it can do that. */
void rows_prepare(void);

/* What `ending` has if the call took longer than its limit. */
extern const char kTookLonger[];

/* How a call is judged after which the process did not end by itself; `ending` says how it ended.
 */
void rows_judge_end(const probe_case *which, const char *ending, outcome *out);

#endif /* TVM_FFI_TOOL_PROBE_H_ */
