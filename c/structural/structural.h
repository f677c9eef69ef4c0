/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality and hash: values are compared as trees or graphs in which variables may be
 * renamed, as the types of objects declare. docs/abi/structural.md.
 */
#ifndef TVMFFI_STRUCTURAL_STRUCTURAL_H_
#define TVMFFI_STRUCTURAL_STRUCTURAL_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/type.h"
#include "platform/atomic.h"

typedef struct {
  bool map_free_vars;       /* treat all free variables as definitions */
  bool skip_tensor_content; /* compare only shape and type of tensors */
} tvmffi_structural_options;

/* Sets *out to whether two views are equal. */
int tvmffi_structural_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                            tvmffi_structural_options options, bool *out);

/* Gives where they first differ: an owned Array of two AccessPaths, or None if they are equal. */
int tvmffi_structural_mismatch(const TVMFFIAny *a, const TVMFFIAny *b,
                               tvmffi_structural_options options, TVMFFIAny *out);

/*
 * Equal values have equal hashes within one process, with one exception, which the reference has
 * too: an entry of a Map whose key is an object counts only if that object was hashed before.
 */
int tvmffi_structural_hash(const TVMFFIAny *value, tvmffi_structural_options options,
                           uint64_t *out);

/*
 * Finds where in a value an error came from: *out is an owned Array of AccessPaths from root, which
 * may be NULL, to what the failed visit was in, as its VisitErrorContext says
 * (docs/abi/structural.md#where-an-error-came-from). With allow_prefix_match, paths that match only
 * the beginning count where none goes further.
 */
int tvmffi_find_access_paths(TVMFFIObject *root, TVMFFIObject *context, bool allow_prefix_match,
                             TVMFFIObject **out);

/* ---- Shared by the files of structural functions ---- */

/*
 * The kind of region inside a field, or inside a region that a hook asks for (kind 0: no change). A
 * pattern region contains no other kind.
 */
static inline int32_t tvmffi_region_enter(int32_t current, int32_t kind) {
  return kind == kTVMFFIDefRegionKindNone || current == kTVMFFIDefRegionKindPattern ? current
                                                                                    : kind;
}

static inline int32_t tvmffi_region_of_field(int32_t current, const TVMFFIFieldInfo *field) {
  int32_t kind = field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple ? kTVMFFIDefRegionKindSimple
                 : field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern
                     ? kTVMFFIDefRegionKindPattern
                     : kTVMFFIDefRegionKindNone;
  return tvmffi_region_enter(current, kind);
}

/* In a simple region a free variable is defined, but the variables inside of it are not. */
static inline int32_t tvmffi_region_inside(int32_t region, TVMFFISEqHashKind kind) {
  return kind == kTVMFFISEqHashKindFreeVar && region == kTVMFFIDefRegionKindSimple
             ? kTVMFFIDefRegionKindNone
             : region;
}

/* How objects of a type are compared; Unsupported if the type does not declare it. */
static inline TVMFFISEqHashKind tvmffi_structural_find_kind(int32_t type_index) {
  const tvmffi_type_record *record = tvmffi_type_find(type_index);
  const TVMFFITypeMetadata *metadata =
      record != NULL ? tvmffi_atomic_load_acquire_ptr(&record->info.metadata) : NULL;
  return metadata != NULL ? metadata->structural_eq_hash_kind : kTVMFFISEqHashKindUnsupported;
}

/* The same, but a TypeError if the type does not declare it. */
int tvmffi_structural_kind(int32_t type_index, TVMFFISEqHashKind *out);

#endif /* TVMFFI_STRUCTURAL_STRUCTURAL_H_ */
