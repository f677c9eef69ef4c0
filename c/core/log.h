/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for the host's log hook. Without a hook, a message costs one load. */
#ifndef TVMFFI_CORE_LOG_H_
#define TVMFFI_CORE_LOG_H_

#include "platform/compiler.h"

/* Hold no lock when calling: the hook is the host's code. */
void tvmffi_log_warning(const char *format, ...) TVMFFI_PRINTF(1, 2);

#endif /* TVMFFI_CORE_LOG_H_ */
