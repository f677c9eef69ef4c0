/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be included before link.h: in glibc for x86-64 it has structs with members of a type that tcc
 * and pcc lack. Nothing here uses those structs.
 */
#ifndef TVMFFI_PLATFORM_INT128_H_
#define TVMFFI_PLATFORM_INT128_H_

#if defined(__TINYC__) || defined(__PCC__)
typedef struct {
  unsigned char bytes[16];
} tvmffi_int128;
#define __int128_t tvmffi_int128
#endif

#endif /* TVMFFI_PLATFORM_INT128_H_ */
