/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLES_SMALL_SYSTEM_KERNELS_H_
#define SAMPLES_SMALL_SYSTEM_KERNELS_H_

/* Enters the kernels in the system library, with the prefix `small_`. */
int kernels_register(void);

#endif /* SAMPLES_SMALL_SYSTEM_KERNELS_H_ */
