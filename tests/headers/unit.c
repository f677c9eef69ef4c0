/* SPDX-License-Identifier: Apache-2.0
 * Both units of a program; the second is compiled with SECOND_UNIT. Every public header is included
 * on the command line of each: a header that defines something without making it static or inline
 * does not link. */
int tvm_ffi_other_unit(void);

#if defined(SECOND_UNIT)
int tvm_ffi_other_unit(void) {
  return 0;
}
#else
int main(void) {
  return tvm_ffi_other_unit();
}
#endif
