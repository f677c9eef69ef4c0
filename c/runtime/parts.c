/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of all layers as parts, which programs choose. */
#include "container/container.h"
#include "core/builtins.h"
#include "dataclass/dataclass.h"
#include "json/json.h"
#include "module/module.h"
#include "reflect/builtin_objects.h"
#include "structural/structural.h"

#ifdef TVMFFI_PROFILE_FULL
/* If not, core/type.h has room for another number of types than the layers have. */
TVMFFI_STATIC_ASSERT((int)kTvmffiStructuralTypesEnd == (int)kTvmffiFirstClientType, counted_types);
#endif

static const tvmffi_builtin_group *const kCoreFunctions[] = {&tvmffi_core_builtins, NULL};
static const tvmffi_builtin_type_group *const kCoreTypes[] = {&tvmffi_core_types, NULL};
static const tvmffi_builtin_attr_group *const kCoreAttrs[] = {&tvmffi_bigint_attrs, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartCore = {kCoreFunctions, kCoreTypes, kCoreAttrs};

static const tvmffi_builtin_group *const kModuleFunctions[] = {&tvmffi_module_builtins, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartModules = {kModuleFunctions, NULL, NULL};

static const tvmffi_builtin_group *const kLoadingFunctions[] = {&tvmffi_loading_builtins, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartLoading = {kLoadingFunctions, NULL, NULL};

#ifdef TVMFFI_PROFILE_FULL

static const tvmffi_builtin_group *const kContainerFunctions[] = {
    &tvmffi_array_builtins, &tvmffi_list_builtins, &tvmffi_map_builtins, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartContainers = {kContainerFunctions, NULL, NULL};

static const tvmffi_builtin_group *const kJsonFunctions[] = {&tvmffi_json_builtins, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartJson = {kJsonFunctions, NULL, NULL};

static const tvmffi_builtin_group *const kReflectionFunctions[] = {
    &tvmffi_constructor_builtins, &tvmffi_frontend_builtins, &tvmffi_dataclass_builtins, NULL};
static const tvmffi_builtin_type_group *const kReflectionTypes[] = {
    &tvmffi_enum_types, &tvmffi_access_path_types, &tvmffi_module_types, NULL};
static const tvmffi_builtin_attr_group *const kReflectionAttrs[] = {&tvmffi_object_attrs,
                                                                    &tvmffi_enum_attrs,
                                                                    &tvmffi_access_path_attrs,
                                                                    &tvmffi_access_path_repr_attrs,
                                                                    &tvmffi_convert_attrs,
                                                                    &tvmffi_dataclass_attrs,
                                                                    NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartReflection = {kReflectionFunctions, kReflectionTypes,
                                                       kReflectionAttrs};

static const tvmffi_builtin_group *const kJsonGraphFunctions[] = {&tvmffi_json_graph_builtins,
                                                                  NULL};
static const tvmffi_builtin_attr_group *const kJsonGraphAttrs[] = {&tvmffi_json_graph_attrs, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartJsonGraph = {kJsonGraphFunctions, NULL, kJsonGraphAttrs};

static const tvmffi_builtin_group *const kStructuralFunctions[] = {
    &tvmffi_structural_builtins, &tvmffi_visit_builtins, &tvmffi_mutate_builtins,
    &tvmffi_find_paths_builtins, NULL};
static const tvmffi_builtin_type_group *const kStructuralTypes[] = {
    &tvmffi_structural_types, &tvmffi_structural_key_types, NULL};
static const tvmffi_builtin_attr_group *const kStructuralAttrs[] = {
    &tvmffi_structural_type_attrs, &tvmffi_structural_key_attrs, &tvmffi_visit_attrs,
    &tvmffi_mutate_attrs, NULL};
const TVMFFIRuntimePart TVMFFIRuntimePartStructural = {kStructuralFunctions, kStructuralTypes,
                                                       kStructuralAttrs};

#endif /* TVMFFI_PROFILE_FULL */
