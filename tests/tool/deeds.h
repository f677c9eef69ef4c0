/* SPDX-License-Identifier: Apache-2.0 */
/* What the library of deeds.c does. */
#ifndef TVM_FFI_TESTS_DEEDS_H_
#define TVM_FFI_TESTS_DEEDS_H_

typedef struct {
  const char *name;
  void (*act)(void);
} deed;

/* Those that only some systems have; the last one has no name. One list per system:
 * deeds_<system>.c. */
extern const deed kSystemDeeds[];

void deeds_hang(void);

#endif /* TVM_FFI_TESTS_DEEDS_H_ */
