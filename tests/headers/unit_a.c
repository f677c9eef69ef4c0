/* SPDX-License-Identifier: Apache-2.0
 * Every public header is included on the command line, here and in the other unit: a header that
 * defines something without making it static or inline does not link. */
int tvm_ffi_other_unit(void);

int main(void) {
  return tvm_ffi_other_unit();
}
