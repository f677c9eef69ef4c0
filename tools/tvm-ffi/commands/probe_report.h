/* SPDX-License-Identifier: Apache-2.0 */
/* What the command probe knows of the calls that it makes, and how it shows that. */
#ifndef TVM_FFI_TOOL_PROBE_REPORT_H_
#define TVM_FFI_TOOL_PROBE_REPORT_H_

#include "commands/call.h"
#include "probe/probe.h"
#include "process/box.h"
#include "process/supervise.h"
#include "recording/recording.h"

typedef struct {
  probe_case which;
  bool counts, counts_named; /* in its own row, in kNamedRow */
  verdict judged;
  int names_argument;
  bool is_note, changed_host;
  bool took_longer;    /* than the limit */
  char *detail, *call; /* call: a smaller one that fails alike; NULL: none */
} probed;

typedef struct {
  const arguments *args;
  call request;
  supervision settings;
  subject s;
  schema_type *types;
  input_list inputs;
  recording *r; /* NULL: the call is written on the command line */
  const recorded_call *recorded;
  call reference; /* the library and the function of --against */
  char *reference_path;
  bool is_python; /* it is a function in Python */
  call_values values;
  box *told;               /* what children tell; its record: */
  outcome *judged;         /* of a case, */
  volatile size_t *chosen; /* and which of them a child is to run, which is told to that, */
  volatile bool *shrinks;  /* and whether it makes a call that fails smaller */
  text_list only, skip;
  bool as_json;
  double timeout; /* seconds */
  bool is_quick;  /* the call that works took less than a tenth of a second */
  bool has_hung;  /* a call took longer than that, and failed */
  probed *cases;
  size_t num_cases;
  size_t num_compared; /* cases that were refused only because arguments differed */
} probe;

/* "named:type:0:str"; lent until the next call. */
const char *probe_name_named(const probe_case *which);

/* Whether a failure of the call would be one of those that are printed. */
bool probe_shows_failure(const probe *p, const probed *c);

size_t probe_count_failures(const probe *p);

/* Prints what was found: a summary, a table, failures and notes; or one document. */
void probe_show(const probe *p);

/* Writes the one document of a probe whose call does not work. */
void probe_write_failure(const probe *p);

#endif /* TVM_FFI_TOOL_PROBE_REPORT_H_ */
