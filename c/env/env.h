/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment layer offers to the runtime's shutdown; the rest of it is c_env_api.h. */
#ifndef TVMFFI_ENV_ENV_H_
#define TVMFFI_ENV_ENV_H_

void tvmffi_allocator_shutdown(void);
void tvmffi_frontend_shutdown(void);

/* Forgets what is process-wide. What threads have of their own goes with their state. */
static inline void tvmffi_env_shutdown(void) {
  tvmffi_allocator_shutdown();
  tvmffi_frontend_shutdown();
}

#endif /* TVMFFI_ENV_ENV_H_ */
