/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to memory that must not be accessed. One implementation per system: faults_<system>.c.
 */
#ifndef TVM_FFI_TOOL_FAULTS_H_
#define TVM_FFI_TOOL_FAULTS_H_

/* Calls `look` with the address of such an access, which then ends the program as it would without.
 * It may do only what is safe in a signal handler. Call it once. */
void faults_watch(void (*look)(const void *address));

#endif /* TVM_FFI_TOOL_FAULTS_H_ */
