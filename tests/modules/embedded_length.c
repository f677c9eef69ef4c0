/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that embed nothing but themselves, in LENGTH bytes and HIGH TiB: 44 and 0 is
 * right. UNSIZED: from
 * assembler code, which does not say how large its data is.
 */
#include <tvm/ffi/c_api.h>

#if defined(UNSIZED)
#define TEXT_OF(x) #x
#define BYTE(x) ".byte " TEXT_OF(x) "\n"
__asm__(
    ".section .rodata\n"
    ".globl __tvm_ffi__library_bin\n"
    "__tvm_ffi__library_bin:\n" BYTE(LENGTH) ".byte 0, 0, 0, 0\n" BYTE(HIGH) ".byte 0, 0\n"
    ".byte 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0\n"
    ".byte 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0\n"
    ".ascii \"_lib\"\n"
    ".text\n");
#else
TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {
    LENGTH, 0, 0, 0, 0, HIGH, 0, 0, /* that follow */
    2,      0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,
    0,      0, 0, 0, /* one module */
    0,      0, 0, 0, 0, 0,    0, 0, 4, 0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b'};
#endif
