/* SPDX-License-Identifier: Apache-2.0 */
/* Types that structural functions use: what a walk gives back, where an error came from, who walks.
 */
#include "core/any.h"
#include "reflect/fields.h"
#include "reflect/objects.h"

#define OBJECT TVMFFI_SCHEMA("ffi.Object")
#define ANY TVMFFI_SCHEMA("Any")

static const tvmffi_builtin_field kInterruptFields[] = {
    {"value", NULL, TVMFFI_METADATA(ANY), kTVMFFIFieldFlagBitMaskHasDefault, kTvmffiStoredAny,
     offsetof(tvmffi_visit_interrupt, value), kTVMFFIAny, tvmffi_field_set_any, NULL},
};

static const tvmffi_builtin_field kContextFields[] = {
    {"reverse_visit_pattern", NULL, TVMFFI_METADATA(TVMFFI_SCHEMA_OF("ffi.List", OBJECT)), 0,
     kTvmffiStoredObject, offsetof(tvmffi_visit_error_context, reverse_visit_pattern), kTVMFFIList,
     tvmffi_field_set_list_of_objects, NULL},
    {"prev_error_context", NULL, TVMFFI_METADATA(TVMFFI_SCHEMA_OF("Optional", OBJECT)), 0,
     kTvmffiStoredObject, offsetof(tvmffi_visit_error_context, prev_error_context), kTVMFFIAny,
     tvmffi_field_set_optional_object, NULL},
};

static TVMFFIFieldInfo interrupt_fields[1], context_fields[2];

static const tvmffi_builtin_type kTypes[] = {
    {kTVMFFIVisitInterrupt,
     {{NULL, 0},
      tvmffi_create_visit_interrupt,
      sizeof(tvmffi_visit_interrupt),
      kTVMFFISEqHashKindUnsupported},
     1,
     0,
     kInterruptFields,
     NULL,
     interrupt_fields,
     NULL,
     NULL},
    {kTvmffiVisitErrorContext,
     {{NULL, 0},
      tvmffi_create_visit_error_context,
      sizeof(tvmffi_visit_error_context),
      kTVMFFISEqHashKindUnsupported},
     2,
     0,
     kContextFields,
     NULL,
     context_fields,
     NULL,
     NULL},
    {kTvmffiStructuralVisitor,
     {{NULL, 0}, NULL, sizeof(tvmffi_structural_visitor), kTVMFFISEqHashKindUnsupported},
     0,
     0,
     NULL,
     NULL,
     NULL,
     NULL,
     NULL},
    {kTvmffiStructuralMutator,
     {{NULL, 0}, NULL, sizeof(tvmffi_structural_mutator), kTVMFFISEqHashKindUnsupported},
     0,
     0,
     NULL,
     NULL,
     NULL,
     NULL,
     NULL},
};

const tvmffi_builtin_type_group tvmffi_structural_types = {kTypes, sizeof kTypes / sizeof *kTypes};
