/* SPDX-License-Identifier: Apache-2.0 */
/* Images beside an object file, as tools for embedding put them there: NAME with that CONTENT, or for
 * test_cubin_launcher.cc two that the fakes take for cubins, and one that is none. */
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
