/* SPDX-License-Identifier: Apache-2.0
 * The second unit of the program in unit_a. */
int tvm_ffi_other_unit(void);

int tvm_ffi_other_unit(void) {
  return 0;
}
