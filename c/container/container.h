/* SPDX-License-Identifier: Apache-2.0 */
/* What Array, List, Map and Dict have in common. */
#ifndef TVMFFI_CONTAINER_CONTAINER_H_
#define TVMFFI_CONTAINER_CONTAINER_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/builtins.h"

static inline bool tvmffi_is_sequence(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList;
}

static inline bool tvmffi_is_map(int32_t type_index) {
  return type_index == kTVMFFIMap || type_index == kTVMFFIDict;
}

static inline bool tvmffi_is_container(int32_t type_index) {
  return tvmffi_is_sequence(type_index) || tvmffi_is_map(type_index);
}

/* ---- The tables of this layer ---- */

extern const tvmffi_builtin_group tvmffi_array_builtins;
extern const tvmffi_builtin_group tvmffi_list_builtins;
extern const tvmffi_builtin_group tvmffi_map_builtins;

/* ---- The profile ---- */

/*
 * The profile that is built. Code that depends on this constant being 1 is compiled in both, never
 * called in the core profile, and dropped there by the linker. Tables whose contents differ use
 * TVMFFI_PROFILE_FULL itself.
 */

#ifdef TVMFFI_PROFILE_FULL
enum { kTvmffiFullProfile = 1 };
#else
enum { kTvmffiFullProfile = 0 };
#endif

#endif /* TVMFFI_CONTAINER_CONTAINER_H_ */
