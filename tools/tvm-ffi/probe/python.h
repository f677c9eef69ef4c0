/* SPDX-License-Identifier: Apache-2.0 */
/* A reference that is a function in Python, on NumPy. There is one at a time. */
#ifndef TVM_FFI_TOOL_PYTHON_H_
#define TVM_FFI_TOOL_PYTHON_H_

#include "probe/probe.h"

/* The program that Python runs, reference.py, line by line. */
extern const char *const kPythonReference[];

bool python_names_file(const char *path);

/* Starts a Python beside this process, which children ask; false after a report. */
bool python_start(const char *file, const char *function);
/* The kind of errors that are not of the function in Python, such as of what it returned. */
extern const char kReferenceError[];

/* Whether it waits for a request: it has not ended, and all that it said was read. */
bool python_is_ready(void);
/* Whether a child that has ended had asked it, and may not have taken its answer. */
bool python_is_asked(void);
/* After such a child. */
bool python_restart(void);
/* Ends it, if there is one. */
void python_end(void);

/* A function that lets Python make the call: it gets arrays for tensors, but none for those that it
 * is to fill, which it returns. */
int python_function(subject *s, TVMFFIObjectHandle *out);

#endif /* TVM_FFI_TOOL_PYTHON_H_ */
