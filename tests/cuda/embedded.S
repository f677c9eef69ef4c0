/* SPDX-License-Identifier: Apache-2.0 */
/* Images in an object file, as embedding tools write them: NAME with CONTENT, or for
 * test_cubin_launcher.cc two that the fakes accept as cubins, and one that is not an image. */
  .section .rodata, "a"

#define EMBED(name, content) EMBED_AS(name, content)
#define EMBED_AS(name, content) \
  .globl __tvm_ffi__cubin_##name, __tvm_ffi__cubin_##name##_end; \
  .balign 16; \
  __tvm_ffi__cubin_##name: content; \
  __tvm_ffi__cubin_##name##_end:

#ifdef NAME
  EMBED(NAME, CONTENT)
#else
  EMBED(first, .ascii "\177ELF the first")
  EMBED(second, .ascii "\177ELF the second")
  EMBED(broken, .asciz "no image")
#endif

  .section .note.GNU-stack, "", %progbits
