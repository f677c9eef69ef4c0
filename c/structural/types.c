/* SPDX-License-Identifier: Apache-2.0 */
/* The types of structural functions: interrupts, error contexts, visitors and mutators. */
#include "structural/types.h"

#include "container/list.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"

static int fill_context(void *self) {
  tvmffi_visit_error_context *context = self;
  context->reverse_visit_pattern = tvmffi_list_new(0);
  return context->reverse_visit_pattern != NULL ? 0 : -1;
}

static int create_interrupt(TVMFFIObjectHandle *result) {
  return tvmffi_reflect_make(kTVMFFIVisitInterrupt, result);
}

static int create_context(TVMFFIObjectHandle *result) {
  return tvmffi_reflect_make(kTvmffiVisitErrorContext, result);
}

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

static TVMFFIFieldInfo interrupt_fields[sizeof kInterruptFields / sizeof *kInterruptFields];
static TVMFFIFieldInfo context_fields[sizeof kContextFields / sizeof *kContextFields];

static const tvmffi_builtin_type kStructureTypes[] = {
    {.type_index = kTVMFFIVisitInterrupt,
     .letter = 'I',
     .key = "ffi.VisitInterrupt",
     .any_offset = offsetof(tvmffi_visit_interrupt, value),
     .metadata = {.creator = create_interrupt, .total_size = sizeof(tvmffi_visit_interrupt)},
     TVMFFI_FIELDS(kInterruptFields, interrupt_fields)},
    {.type_index = kTvmffiStructuralVisitor,
     .letter = 'W',
     .key = "ffi.StructuralVisitor",
     .metadata.total_size = sizeof(tvmffi_structural_visitor)},
    {.type_index = kTvmffiVisitErrorContext,
     .letter = 'X',
     .key = "ffi.VisitErrorContext",
     .num_objects = 2,
     .fill = fill_context,
     .metadata = {.creator = create_context, .total_size = sizeof(tvmffi_visit_error_context)},
     TVMFFI_FIELDS(kContextFields, context_fields)},
    {.type_index = kTvmffiStructuralMutator,
     .letter = 'U',
     .key = "ffi.StructuralMutator",
     .metadata.total_size = sizeof(tvmffi_structural_mutator)},
};

const tvmffi_builtin_type_group tvmffi_structural_types =
    TVMFFI_TYPE_GROUP_WITH_MEMBERS(kStructureTypes);

static const tvmffi_builtin_attr kStructuralTypeAttrs[] = {
    TVMFFI_MAKES_AND_COPIES(kTVMFFIVisitInterrupt),
    TVMFFI_MAKES_AND_COPIES(kTvmffiVisitErrorContext),
    TVMFFI_IS_FINAL(kTVMFFIVisitInterrupt, true),
    TVMFFI_IS_FINAL(kTvmffiStructuralVisitor, false),
    TVMFFI_IS_FINAL(kTvmffiVisitErrorContext, true),
    TVMFFI_IS_FINAL(kTvmffiStructuralMutator, false),
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_structural_type_attrs, kStructuralTypeAttrs);
