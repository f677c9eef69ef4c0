/* SPDX-License-Identifier: Apache-2.0 */
/* The types of structural functions: interrupts, error contexts, visitors and mutators. */
#include "core/any.h"
#include "reflect/fields.h"
#include "reflect/objects.h"

static const tvmffi_builtin_field kInterruptFields[] = {
    {TVMFFI_FIELD_TEXTS("value", "a", ""), kTVMFFIFieldFlagBitMaskHasDefault, kTvmffiStoredAny,
     offsetof(tvmffi_visit_interrupt, value), kTVMFFIAny, tvmffi_field_set_any, NULL},
};

static const tvmffi_builtin_field kContextFields[] = {
    {TVMFFI_FIELD_TEXTS("reverse_visit_pattern", "+O", ""), 0, kTvmffiStoredObject,
     offsetof(tvmffi_visit_error_context, reverse_visit_pattern), kTVMFFIList,
     tvmffi_field_set_list_of_objects, NULL},
    {TVMFFI_FIELD_TEXTS("prev_error_context", "?O", ""), 0, kTvmffiStoredObject,
     offsetof(tvmffi_visit_error_context, prev_error_context), kTVMFFIAny,
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
