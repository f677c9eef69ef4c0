/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality and hash: of values as trees or graphs in which variables may be renamed, as
 * the types of objects declare it. abi/04 section 3.
 */
#ifndef TVMFFI_STRUCTURAL_STRUCTURAL_H_
#define TVMFFI_STRUCTURAL_STRUCTURAL_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

typedef struct {
  bool map_free_vars;       /* all free variables count as definitions */
  bool skip_tensor_content; /* shape and type of tensors are enough */
} tvmffi_structural_options;

/* Whether two views are equal in *out. */
int tvmffi_structural_equal(const TVMFFIAny *a, const TVMFFIAny *b,
                            tvmffi_structural_options options, bool *out);

/* Where they first differ: an owned Array of two AccessPaths, or None when they do not. */
int tvmffi_structural_mismatch(const TVMFFIAny *a, const TVMFFIAny *b,
                               tvmffi_structural_options options, TVMFFIAny *out);

/* Equal values have equal hashes, in this process. */
int tvmffi_structural_hash(const TVMFFIAny *value, tvmffi_structural_options options,
                           uint64_t *out);

/*
 * Where in a value an error came from: an owned Array of AccessPaths from root, which may be NULL, to
 * what the visit that failed was in, as its VisitErrorContext says (abi/04 4.5). With
 * allow_prefix_match, paths that lead part of the way count where none leads further.
 */
int tvmffi_find_access_paths(TVMFFIObject *root, TVMFFIObject *context, bool allow_prefix_match,
                             TVMFFIObject **out);

/* ---- Between the files of structural functions --------------------------------------------------
 */

/*
 * The kind of region in force within a field, or where a hook asks for a kind (0: the same as
 * around it). A pattern region has no other inside.
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

/* What is in a variable that is defined alone is not defined with it. */
static inline int32_t tvmffi_region_inside(int32_t region, TVMFFISEqHashKind kind) {
  return kind == kTVMFFISEqHashKindFreeVar && region == kTVMFFIDefRegionKindSimple
             ? kTVMFFIDefRegionKindNone
             : region;
}

/* How objects of a type are compared; Unsupported where the type does not say. */
TVMFFISEqHashKind tvmffi_structural_find_kind(int32_t type_index);

/* The same, and TypeError where the type does not say. */
int tvmffi_structural_kind(int32_t type_index, TVMFFISEqHashKind *out);

#endif /* TVMFFI_STRUCTURAL_STRUCTURAL_H_ */
