/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/endian.h
 * Byte order: of this machine, of files, and conversion between the two.
 */
#ifndef TVM_FFI_ENDIAN_H_
#define TVM_FFI_ENDIAN_H_

#include <tvm/ffi/detail/config.h>

/** Whether the least significant byte comes first in memory. */
#ifndef TVM_FFI_LITTLE_ENDIAN
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && \
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TVM_FFI_LITTLE_ENDIAN 0
#else
#define TVM_FFI_LITTLE_ENDIAN 1
#endif
#endif

/** Whether files are written in little-endian order; a user may define it. */
#ifndef TVM_FFI_IO_USE_LITTLE_ENDIAN
#define TVM_FFI_IO_USE_LITTLE_ENDIAN 1
#endif

/** Whether memory may be written to files unchanged. */
#define TVM_FFI_IO_NO_ENDIAN_SWAP (TVM_FFI_LITTLE_ENDIAN == TVM_FFI_IO_USE_LITTLE_ENDIAN)

TVM_FFI_NAMESPACE_BEGIN

/** Reverses the bytes of each element in place. */
TVM_FFI_LOCAL inline void ByteSwap(void *data, size_t elem_bytes, size_t num_elems) {
  unsigned char *bytes = static_cast<unsigned char *>(data);
  for (; num_elems > 0; --num_elems, bytes += elem_bytes) {
    for (size_t i = 0; i < elem_bytes / 2; ++i) {
      const unsigned char byte = bytes[i];
      bytes[i] = bytes[elem_bytes - 1 - i];
      bytes[elem_bytes - 1 - i] = byte;
    }
  }
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_ENDIAN_H_
