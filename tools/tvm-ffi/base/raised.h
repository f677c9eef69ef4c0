/* SPDX-License-Identifier: Apache-2.0 */
/* The error in the runtime's slot of this thread; all of these take it out. */
#ifndef TVM_FFI_TOOL_RAISED_H_
#define TVM_FFI_TOOL_RAISED_H_

#include <stdbool.h>

/* Its message; release with free(), never NULL. The line has "Kind: " before the message. */
char *raised_take_message(void);
char *raised_take_line(void);
/* Prints "speaker: Kind: message" and the error's causes to stderr, optionally its backtrace. */
void raised_report(const char *speaker, bool with_backtrace);

#endif /* TVM_FFI_TOOL_RAISED_H_ */
