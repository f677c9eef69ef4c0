/* SPDX-License-Identifier: Apache-2.0 */
/* A library that does what it should not: crash, exit or hang while it is loaded (ON_LOAD), or when
 * it is asked. */
#include <stdlib.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

typedef enum { crash, leave, hang, shut, nothing } deed;

static void perform(deed what) {
  int file;
  switch (what) {
    case crash:
      abort();
    case leave:
      _exit(3);
    case shut:
      for (file = 0; file < 256; ++file) close(file);
      perform(hang);
      break;
    case hang:
      for (;;) sleep(1000);
    case nothing:
      break;
  }
}

__attribute__((constructor)) static void load(void) {
  perform(ON_LOAD);
}

TVM_FFI_C_EXPORT(kernel, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT(_metadata_kernel, "() -> str") {
  (void)args;
  perform(crash);
  return 0;
}
