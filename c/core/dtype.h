/* SPDX-License-Identifier: Apache-2.0 */
/* What parsing and printing data types share. */
#ifndef TVMFFI_CORE_DTYPE_H_
#define TVMFFI_CORE_DTYPE_H_

#include <tvm/ffi/c_api.h>

#include "platform/compiler.h"

enum {
  /* DLPack's codes of floats whose name says the format: the first 1.x headers lack them. */
  kDTypeFirstFloat8 = 7,
  kDTypeLastFloat8 = 14,
  kDTypeFirstFloat6 = 15,
  kDTypeLastFloat6 = 16,
  kDTypeFloat4 = 17,
  kDTypeNumNames = 18,     /* codes that have a name of their own */
  kDTypeFirstCustom = 129, /* codes from here on belong to registered types */
  kDTypeMaxLanes = 32767,  /* fixed ones; n scalable lanes are stored as -n */
  kDTypeMaxScalableLanes = 32768
};

/* Text in place, so that the table needs no relocations. */
typedef struct {
  char text[19];
  uint8_t size;
} tvmffi_dtype_name;

/* By DLDataTypeCode. */
extern const tvmffi_dtype_name tvmffi_dtype_names[kDTypeNumNames];

/*
 * Calls the global function of that name, which frontends register, with one argument.
 * ValueError when there is none.
 */
TVMFFI_COLD int tvmffi_dtype_call_custom(const char *function_name, TVMFFIAny arg,
                                         TVMFFIAny *result);

#endif /* TVMFFI_CORE_DTYPE_H_ */
