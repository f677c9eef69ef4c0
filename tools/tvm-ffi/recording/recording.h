/* SPDX-License-Identifier: Apache-2.0 */
/* Reads recordings of calls (docs/guide/record_format.md), and makes the values of a call again. */
#ifndef TVM_FFI_TOOL_RECORDING_H_
#define TVM_FFI_TOOL_RECORDING_H_

#include <tvm/ffi/c.h>

#include "base/text.h"
#include "value/layout.h"

/* ---- What is recorded ---- */

typedef enum {
  kCallUnfinished, /* the function crashed, or had not returned when the recording ended */
  kCallReturned,
  kCallRaised
} call_end;

/* A line of the events. */
typedef struct {
  size_t file;
  const char *text; /* NULL: there is none */
  size_t size;
  bool is_repeated; /* it is the line of another call, which the call of this one repeats */
} recorded_line;

/* What `function` of a call is: a symbol of the library, or the name that a function object has in
 * the registry, in a module or from its type. */
typedef enum {
  kFunctionSymbol,
  kFunctionGlobal,
  kFunctionModule,
  kFunctionMethod,
  kNumFunctionKinds
} function_kind;

typedef struct {
  int64_t number, thread;
  int64_t nanoseconds;   /* how long it took; -1: not known */
  int64_t begin, finish; /* nanoseconds since its process began to record; of a late call, begin is
                            when it had failed; without an end the same */
  const char *function, *library, *build_id; /* the last is NULL if it is not known */
  function_kind kind;                        /* of `function` */
  char *signature;                           /* "4xf32, float, 4xf32.strides(2)" */
  call_end end;
  char *error;         /* of kCallRaised, "ValueError: x is empty"; empty: not known */
  uint64_t bytes;      /* of the memory that was recorded before the call */
  size_t num_left_out; /* storages before the call without their bytes */
  bool is_late;        /* that memory was read after the call had failed */
  bool is_cut;         /* of its process recording ended early: how it ended may not be known */
  recorded_line before, after;
  char *packed; /* its library in the archive, if the user trusts that; NULL */
} recorded_call;

/* How often a function was called while the recording ran, recorded or not. */
typedef struct {
  const char *function;
  int64_t calls, errors, recorded;
} recorded_count;

/* A process that was recorded, of which there is a file of events. */
typedef struct {
  char *name;      /* of the file, in reports */
  char *command;   /* its words; empty: not known */
  int64_t pid;     /* -1: not known */
  int64_t unix_ns; /* when it began to record, since 1970; 0: not known */
} recorded_process;

typedef struct recording recording;

/* Reads all events of a folder, or of an archive, which is unpacked. NULL after a report that the
 * folder is no recording, or where it is damaged. A last line that was not finished is left out,
 * with a note. */
recording *recording_open(const char *folder);
void recording_free(recording *r);
/* Whether a folder has calls, without reading all of it. Nothing is reported. */
bool recording_has_calls(const char *folder);

/* In the order of their numbers. */
size_t recording_num_calls(const recording *r);
const recorded_call *recording_call(const recording *r, size_t i);
/* The call with this number; NULL: there is none. */
const recorded_call *recording_find_call(const recording *r, int64_t wanted);
/* `before.file` of a call is the number of its process. */
size_t recording_num_processes(const recording *r);
const recorded_process *recording_process(const recording *r, size_t i);
size_t recording_num_counts(const recording *r);
const recorded_count *recording_count(const recording *r, size_t i);
/* How often a function was called while the recording ran; -1 if that is not known. */
int64_t recording_count_calls(const recording *r, const char *function);
/* What a user should know, in sentences: notes, and why the recording stopped before the end. */
const word_list *recording_notes(const recording *r);
/* What processes had that recorded no call, in sentences. */
const word_list *recording_unseen(const recording *r);

/* The event at the begin (kBefore) or the end of a call as JSON, with all keys. NULL: there is
 * none. Release it with free(). */
typedef enum { kBefore, kAfter } recorded_moment;
char *recording_event(const recording *r, const recorded_call *c, recorded_moment when);

/* For fuzzing: reads one file of events, which is `name` in reports. `bytes` [borrow]. */
recording *recording_open_bytes(const char *name, const char *bytes, size_t size);

/* Writes the arguments (kBefore) or the result (kAfter) of a call, each as a text, tensors by type
 * and layout alone. Without values: the types of all. */
word_list recording_describe(const recording *r, const recorded_call *c, recorded_moment when,
                             bool with_values);

/* ---- The tensors of a call, as they were recorded ---- */

/* Memory that tensors share. */
typedef struct {
  DLDevice device; /* where it was */
  uint64_t address, size;
  char *data;           /* the name of its bytes; NULL: they were left out */
  int64_t at;           /* where they are in the process's file of small memory; -1: in their own */
  char *left_out;       /* why; NULL */
  bool is_output;       /* the call only writes it, and what it had before was left out */
  unsigned char *bytes; /* NULL until they are read */
} recorded_storage;

/* The elements at one moment. */
typedef struct {
  const unsigned char *first; /* [lend] the first element; NULL: not here */
  const char *missing;        /* why; NULL: there was no such moment */
} recorded_elements;

typedef struct {
  char *name;       /* "arg[0]", "arg[1][2]", "result" */
  DLTensor view;    /* `data` is NULL; the strides are those of the layout, never NULL */
  int64_t *extents; /* shape and strides */
  bool is_dltensor, is_read_only, is_result;
  bool is_changed; /* the bytes after the call are others than before, or one of them is missing */
  recorded_elements before, after;
  char *left_out; /* what the recording says of a tensor that is not sound; NULL */
} described_tensor;

typedef struct {
  described_tensor *items;
  size_t size, num_more; /* how many more there were than `max_tensors` */
  bool is_damaged;       /* a file of bytes is missing, or not what was recorded: reported */
  recorded_storage *before, *after;
  size_t num_before, num_after;
} call_tensors;

/* Reads the tensors of arguments, then those of the result, with as many bytes as *max_bytes still
 * allows, from which it takes what it has read. Nothing is made: also tensors are there whose bytes
 * are not, or whose layout nobody can make. */
void recording_read_tensors(const recording *r, const recorded_call *c, size_t max_tensors,
                            uint64_t *max_bytes, call_tensors *out);
void call_tensors_free(call_tensors *tensors);

/* ---- The values of a call, made again ---- */

typedef struct {
  char *name;       /* "arg[0]", "arg[1][2]", "result[0]" */
  DLTensor *tensor; /* [lend] */
  storage *stored;
  size_t storage; /* SIZE_MAX: none */
  int64_t offset; /* in that */
  bool is_dltensor, has_data;
} recorded_tensor;

typedef struct {
  TVMFFIAny *args; /* views */
  size_t num_args;
  TVMFFIAny result; /* a view; None unless has_result: of kAfter and a call that returned */
  bool has_result;
  recorded_tensor *tensors; /* in the arguments, or in the result, in the order they come */
  size_t num_tensors, num_arg_tensors;
  recorded_storage *storages;
  size_t num_storages;
  struct recorded_objects *objects; /* what has to be released */
} call_values;

typedef enum {
  kMade,
  kCannotRepeat, /* the reason was written */
  kDamaged       /* reported */
} making;

/* Makes the arguments as they were before the call, or after it, in memory that lies as it did:
 * the same strides, offsets, addresses modulo 4096, and sharing. Tensors on devices are made on
 * `device`, which is open, or if that is a CPU said to be where they were. With kAfter, data that
 * was left out makes tensors with has_data false; the result is made too, and its tensors follow
 * those of the arguments. Without a `why`, as much is made as can be: data may be left out, and
 * what cannot be made is None. */
making recording_make(const recording *r, const recorded_call *c, recorded_moment when,
                      DLDevice device, call_values *out, text_buf *why);
/* The same of kBefore, whole. False after a report, also of why it cannot be made. */
bool recording_make_before(const recording *r, const recorded_call *c, DLDevice device,
                           call_values *out);
void call_values_free(call_values *values);

/* The first tensor in a storage; SIZE_MAX if there is none. */
size_t call_values_find_tensor(const call_values *values, size_t storage_index);
/* Where the bytes of a storage are that has a tensor. */
char *call_values_find_memory(const call_values *values, size_t storage_index);

/* ---- A call for other tools: export.c ---- */

/* Whether the name ends in .npz or .safetensors; false after a report. */
bool recording_can_export(const char *path);
/* Writes the tensors and numbers of a call before and after it to such a file. False after a
 * report; of what the format cannot have, there is a note. */
bool recording_export_call(const recording *r, const recorded_call *c, const char *path);

/* ---- A recording in one file: pack.c ---- */

/* Writes the recording with its libraries, and those that they need, to a zip. False after a
 * report; there is a note for each library that is not there as it was recorded. */
bool recording_pack(const recording *r, const char *path);
/* Whether the file begins as such a zip does. */
bool recording_is_archive(const char *path);
/* Whether it was unpacked from an archive, to files that recording_free() removes. */
bool recording_is_unpacked(const recording *r);
/* Uses the libraries that are in the archive. */
void recording_trust(recording *r);
/* Loads the libraries that the one of the call needs, if they are in the archive. */
void recorded_library_prepare(const recording *r, const recorded_call *c);

/* ---- The library of a call: recorded_library.c ---- */

/* A recording is data, but a library runs. */

/* Why the library that the recording names must not be loaded without the user's word; release with
 * free(). NULL: its file is there, and has the recorded build id. Nothing is reported. */
char *recorded_library_refuse(const recording *r, const recorded_call *c);
/* The same; false after a report, which says how to load it. */
bool recorded_library_may_load(const recording *r, const recorded_call *c);
/* What a call is of, and why it is not made again, if no symbol of the library is the function. */
const char *recorded_call_explain(const recorded_call *c);
/* Whether a symbol of the library is the function; false after a report. */
bool recorded_call_has_symbol(const recorded_call *c);

/* ---- Values in place of those that were recorded: redact.c ---- */

/* Nothing in them depends on what was there, but its type and layout. */

void redact_tensors(call_values *values);
/* Replaces a bool, an int or a float, and leaves others. `key` is 0, or a number for each key. */
void redact_scalar(TVMFFIAny *value, size_t key);

/* ---- A program that repeats a call ---- */

typedef struct {
  const recording *recording;
  const recorded_call *call;
  const char *library; /* which the program loads unless it is given another; NULL: it takes one */
  const char *folder;  /* of the recording: the program reads memory there that is large */
  bool is_python;      /* else it is C */
  bool redacted;       /* other values: redact.c; nothing is read or compared */
} repeated_call;

/* Writes the program to a file, "-": to stdout. False after a report. */
bool recording_write_program(const repeated_call *request, const char *path);

/* ---- Texts as HTML, and small pictures of tensors: html.c ---- */

/* Texts are made safe between tags, in attributes with quotes, and in XML. */

enum {
  kHtmlMaxText = 4000, /* bytes of a text */
  kHtmlMaxName = 300   /* bytes of a name */
};

/* Adds at most `limit` bytes of a text; those that are no printable UTF-8 become "\x1b". */
void html_add(text_buf *out, const char *text, size_t limit);
/* The same in one line. */
void html_add_line(text_buf *out, const char *text, size_t limit);
/* "1,024 calls"; `single` is NULL for the number alone, `many` for a plural with s. */
void html_add_count(text_buf *out, uint64_t count, const char *single, const char *many);

/* What may still be drawn on a page. */
typedef struct {
  uint64_t elements; /* that are read */
  size_t pictures;
} drawing_budget;
drawing_budget drawing_budget_full(void);

/* The picture of a tensor whose first element is at `first`, and what its numbers are. `name` is
 * safe. */
void html_draw_tensor(drawing_budget *budget, text_buf *out, const DLTensor *view,
                      const unsigned char *first, const char *name);

/* An output of a replayed call that differs. */
typedef struct {
  const char *name, *difference;
  const char *expected_title, *title; /* "recorded", "replayed" */
  const DLTensor *expected, *now;     /* packed; NULL: no tensor, or too large */
} drawn_difference;

/* Adds both beside each other. */
void html_draw_difference(drawing_budget *budget, const drawn_difference *drawn, text_buf *out);

/* ---- A page that shows a recording ---- */

/* The lines of page.css and page.js; they end with NULL. The first line is about the file. */
extern const char *const kPageStyle[], *const kPageScript[];

enum { kMaxPageCalls = 300 }; /* how many calls it has with arguments and results */

/* What a replay says of a call. */
typedef struct {
  const char *verdict; /* "same", "differs", "raised", "left out" */
  bool is_bad, is_same;
  char *detail;
  text_buf pictures; /* of html_draw_difference() */
  size_t num_more;   /* tensors that differ and are not in them */
} call_outcome;

typedef struct {
  const recording *recording;
  const char *folder;
  const recorded_call *const *calls; /* which it shows */
  size_t num_calls;
  bool has_commands; /* shows the command lines of processes */
  drawing_budget budget;
  /* Of a replay, else NULL: */
  const call_outcome *outcomes; /* of each call */
  const char *library;          /* that was called; NULL: the recorded ones */
  const char *against;          /* whose results are expected; NULL: the recorded ones */
  bool is_other_build;          /* a library that was called is another build than recorded */
} shown_page;

/* Whether the path is that of a file of the recording, which a page would overwrite: reported. */
bool recording_has_file(const recording *r, const char *folder, const char *path);

/* Writes one HTML file without resources, "-": to stdout. False after a report: it was not written,
 * or bytes of the recording are damaged, which the page says too. */
bool recording_write_page(const shown_page *request, const char *path);

#endif /* TVM_FFI_TOOL_RECORDING_H_ */
