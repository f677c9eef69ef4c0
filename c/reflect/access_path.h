/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The location of something in a value: steps from a root. A path shares all steps but its last
 * with its parent.
 */
#ifndef TVMFFI_REFLECT_ACCESS_PATH_H_
#define TVMFFI_REFLECT_ACCESS_PATH_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* Kinds of steps; their numbers are part of the ABI. */
enum {
  kTvmffiStepAttr, /* the key is a name */
  kTvmffiStepArrayItem,
  kTvmffiStepMapItem,
  kTvmffiStepAttrMissing,
  kTvmffiStepArrayItemMissing,
  kTvmffiStepMapItemMissing
};

typedef struct {
  TVMFFIObject header;
  int32_t kind;
  TVMFFIAny key;
} tvmffi_access_step;

typedef struct {
  TVMFFIObject header;
  TVMFFIObject *parent; /* NULL for the root, as is its step */
  TVMFFIObject *step;
  int32_t depth;
} tvmffi_access_path;

/* A step; the key is copied. NULL with the error raised. */
TVMFFIObject *tvmffi_access_step_new(int32_t kind, const TVMFFIAny *key);

/* A root, and a path one step longer, which shares parent and step. NULL with the error raised. */
TVMFFIObject *tvmffi_access_path_root(void);
TVMFFIObject *tvmffi_access_path_extend(TVMFFIObject *parent, TVMFFIObject *step);

#endif /* TVMFFI_REFLECT_ACCESS_PATH_H_ */
