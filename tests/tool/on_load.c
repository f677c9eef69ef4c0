/* SPDX-License-Identifier: Apache-2.0 */
/* A library that does what it should not: crash, exit or hang while it is loaded (ON_LOAD), or when
 * it is asked. */
#include <stdlib.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

static inline void crash(void) {
  abort();
}
static inline void leave(void) {
  _exit(3);
}
static inline void hang(void) {
  for (;;) sleep(1000);
}
static inline void shut(void) {
  int file;
  for (file = 0; file < 256; ++file) close(file);
  hang();
}
static inline void nothing(void) {}

__attribute__((constructor)) static void load(void) {
  ON_LOAD();
}

TVM_FFI_C_EXPORT(kernel, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT(_metadata_kernel, "() -> str") {
  (void)args;
  crash();
  return 0;
}
