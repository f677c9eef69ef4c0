/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the file that CMakeLists.txt embedded. */
#include <stdio.h>

extern const char __tvm_ffi__cubin_text[], __tvm_ffi__cubin_text_end[];

int main(void) {
  fwrite(__tvm_ffi__cubin_text, 1, (size_t)(__tvm_ffi__cubin_text_end - __tvm_ffi__cubin_text),
         stdout);
  return 0;
}
