/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors made from reflected fields. */
#ifndef TVMFFI_REFLECT_INIT_H_
#define TVMFFI_REFLECT_INIT_H_

#include <tvm/ffi/c_api.h>

/* Makes one for a type from its present fields, and registers it as __ffi_init__. */
int tvmffi_reflect_register_init(int32_t type_index);

#endif /* TVMFFI_REFLECT_INIT_H_ */
