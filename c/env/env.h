/* SPDX-License-Identifier: Apache-2.0 */
/* The environment layer's part of runtime shutdown; its other functions are in c_env_api.h. */
#ifndef TVMFFI_ENV_ENV_H_
#define TVMFFI_ENV_ENV_H_

/* Resets the process-wide state. The state of threads is released in thread_state.c. */
void tvmffi_env_shutdown(void);

#endif /* TVMFFI_ENV_ENV_H_ */
