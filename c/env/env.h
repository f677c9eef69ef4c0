/* SPDX-License-Identifier: Apache-2.0 */
/* The environment layer's part of runtime shutdown; its other functions are in c_env_api.h. */
#ifndef TVMFFI_ENV_ENV_H_
#define TVMFFI_ENV_ENV_H_

void tvmffi_allocator_shutdown(void);
void tvmffi_frontend_shutdown(void);

/* Resets the process-wide state. The state of threads is released in thread_state.c. */
static inline void tvmffi_env_shutdown(void) {
  tvmffi_allocator_shutdown();
  tvmffi_frontend_shutdown();
}

#endif /* TVMFFI_ENV_ENV_H_ */
