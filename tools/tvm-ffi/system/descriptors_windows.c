/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

#include "platform/win32.h"
#include "system/descriptors.h"
#include "system/handles_windows.h"

/* The C library keeps the numbers of closed standard streams itself. */
void descriptors_prepare(void) {
  int fd;
  for (fd = kDescriptorInput; fd <= kDescriptorErrors; ++fd) (void)_setmode(fd, _O_BINARY);
  _fmode = _O_BINARY;
}

/* The C library has no way to ask for a high number. */
int descriptor_copy(int descriptor) {
  const int copy = _dup(descriptor);
  if (copy >= 0) (void)handle_inherit((HANDLE)_get_osfhandle(copy), false);
  return copy;
}

FILE *descriptor_copy_stream(int descriptor) {
  int copy = descriptor_copy(descriptor);
  return copy >= 0 ? _fdopen(copy, "wb") : NULL;
}

void descriptor_replace(int target, int source) {
  (void)_dup2(source, target);
}

void descriptor_end_input(void) {
  int nothing = _open("NUL", _O_RDONLY | _O_BINARY);
  if (nothing > kDescriptorInput) {
    (void)_dup2(nothing, kDescriptorInput);
    (void)_close(nothing);
  }
}

void descriptor_close(int descriptor) {
  (void)_close(descriptor);
}

/* Consoles obey since Windows 10, once they are told to. */
bool descriptor_is_terminal(int descriptor) {
  HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
  DWORD mode;
  return GetConsoleMode(handle, &mode) != 0 &&
         SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}
