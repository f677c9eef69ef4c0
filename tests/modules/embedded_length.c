/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that embeds only itself and gives its length as LENGTH bytes plus HIGH TiB; correct are
 * 44 and 0. UNSIZED: made with assembler code, so that the symbol has no size.
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
#if defined(__clang__)
__attribute__((no_sanitize("address"))) /* it would make the symbol larger */
#endif
const unsigned char __tvm_ffi__library_bin[] = {
    LENGTH, 0, 0, 0, 0, HIGH, 0, 0, /* size of the rest */
    2,      0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,
    0,      0, 0, 0, /* one module */
    0,      0, 0, 0, 0, 0,    0, 0, 4, 0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b'};
#endif
