/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by dtype_parse.c and dtype_print.c. */
#ifndef TVMFFI_CORE_DTYPE_H_
#define TVMFFI_CORE_DTYPE_H_

#include <tvm/ffi/c_api.h>

#include "platform/compiler.h"

enum {
  /* DLPack's codes of floats named after their format, which the first 1.x headers lack. */
  kDTypeFirstFloat8 = 7,
  kDTypeLastFloat8 = 14,
  kDTypeFirstFloat6 = 15,
  kDTypeLastFloat6 = 16,
  kDTypeFloat4 = 17,
  kDTypeNumNames = 18,     /* codes with a name in the table below */
  kDTypeFirstCustom = 129, /* codes from here on belong to registered types */
  kDTypeMaxLanes = 32767,  /* for fixed lanes; n scalable lanes are stored as -n */
  kDTypeMaxScalableLanes = 32768
};

/* Text in place, so that the table needs no relocations. */
typedef struct {
  char text[19];
  uint8_t size;
} tvmffi_dtype_name;

/* Indexed by DLDataTypeCode. */
extern const tvmffi_dtype_name tvmffi_dtype_names[kDTypeNumNames];

/*
 * Calls the global function of that name, which frontends register, with one argument. ValueError
 * if it is not registered.
 */
TVMFFI_COLD int tvmffi_dtype_call_custom(const char *function_name, TVMFFIAny arg,
                                         TVMFFIAny *result);

#endif /* TVMFFI_CORE_DTYPE_H_ */
