/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVMFFI_REFLECT_REGISTER_H_
#define TVMFFI_REFLECT_REGISTER_H_

/* Releases what fields, methods and metadata own; before the types are reset. */
void tvmffi_register_shutdown(void);

#endif /* TVMFFI_REFLECT_REGISTER_H_ */
