/* SPDX-License-Identifier: Apache-2.0 */
/* Where temporary files are. One implementation per system: temporary_place_<system>.c. */
#ifndef TVM_FFI_TOOL_TEMPORARY_PLACE_H_
#define TVM_FFI_TOOL_TEMPORARY_PLACE_H_

/* The path of the folder; lent until the next call. */
const char *temporary_place(void);

#endif /* TVM_FFI_TOOL_TEMPORARY_PLACE_H_ */
