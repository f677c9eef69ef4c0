/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVMFFI_CORE_CUSTOM_ALLOCATOR_H_
#define TVMFFI_CORE_CUSTOM_ALLOCATOR_H_

/* Restores the default allocator. */
void tvmffi_custom_allocator_shutdown(void);

#endif /* TVMFFI_CORE_CUSTOM_ALLOCATOR_H_ */
