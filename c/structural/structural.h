/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality and hash: values are compared as trees or graphs in which variables may be
 * renamed, as the types of objects declare. docs/abi/structural.md.
 */
#ifndef TVMFFI_STRUCTURAL_STRUCTURAL_H_
#define TVMFFI_STRUCTURAL_STRUCTURAL_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "base/stack.h"
#include "core/type.h"
#include "json/json.h"
#include "platform/atomic.h"

/* ---- Equality and hash ---- */

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
 * The kind of region inside a field, or inside a region that a hook asks for (kind 0: no change).
 * Inside a pattern region, any other kind is ignored.
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

/* ---- Values that hold no others ---- */

/* Keys of maps that are found by their content alone, without running foreign code. */
static inline bool tvmffi_plain_is_key(const TVMFFIAny *key) {
  return key->type_index < kTVMFFIStaticObjectBegin || key->type_index == kTVMFFIStr ||
         key->type_index == kTVMFFIBytes || key->type_index == kTVMFFIBigInt;
}

/* All NaNs are equal, whatever their bits. */
static inline bool tvmffi_plain_is_nan(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIFloat && value->v_float64 != value->v_float64;
}

/* InternalError, which contains the verb, unless the tensor is contiguous and on the CPU. */
int tvmffi_plain_get_tensor_content(const DLTensor *tensor, const char *verb, TVMFFIByteArray *out);

/* ---- The tables of this layer, and the numbers of its types ---- */

enum {
  kTvmffiStructuralVisitor = kTvmffiReflectTypesEnd,
  kTvmffiVisitErrorContext,
  kTvmffiStructuralMutator,
  kTvmffiStructuralKey,
  kTvmffiStructuralTypesEnd
};

extern const tvmffi_builtin_group tvmffi_structural_builtins;
extern const tvmffi_builtin_group tvmffi_visit_builtins;
extern const tvmffi_builtin_group tvmffi_mutate_builtins;
extern const tvmffi_builtin_group tvmffi_find_paths_builtins;
extern const tvmffi_builtin_type_group tvmffi_structural_types;
extern const tvmffi_builtin_type_group tvmffi_structural_key_types;
extern const tvmffi_builtin_attr_group tvmffi_structural_type_attrs;
extern const tvmffi_builtin_attr_group tvmffi_structural_key_attrs;
extern const tvmffi_builtin_attr_group tvmffi_visit_attrs;
extern const tvmffi_builtin_attr_group tvmffi_mutate_attrs;

#endif /* TVMFFI_STRUCTURAL_STRUCTURAL_H_ */
