/* SPDX-License-Identifier: Apache-2.0 */
/* The error that the runtime holds for this thread; all of these take it. */
#ifndef TVM_FFI_TOOL_RAISED_H_
#define TVM_FFI_TOOL_RAISED_H_

#include <stdbool.h>

/* Its message, or with its kind in front; of free(), never NULL. */
char *raised_take_message(void);
char *raised_take_line(void);
/* "who: Kind: message" with its causes on stderr, and its backtrace. */
void raised_report(const char *who, bool with_backtrace);

#endif /* TVM_FFI_TOOL_RAISED_H_ */
