/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups of functions, types and attributes of the parts that the program has. In a file of its
 * own, because the tables of functions, types and attributes all read it, and call each other as
 * little as they can.
 */
#include "core/builtins.h"

#define GROUP_OF_PARTS(function, type, list)                                  \
  const type *function(size_t i) {                                            \
    const TVMFFIRuntimePart *const *part;                                     \
    const type *const *group;                                                 \
    for (part = TVMFFIRuntimeParts; *part != NULL; ++part) {                  \
      for (group = (*part)->list; group != NULL && *group != NULL; ++group) { \
        if (i-- == 0) return *group;                                          \
      }                                                                       \
    }                                                                         \
    return NULL;                                                              \
  }

GROUP_OF_PARTS(tvmffi_parts_functions, tvmffi_builtin_group, functions)
GROUP_OF_PARTS(tvmffi_parts_types, tvmffi_builtin_type_group, types)
GROUP_OF_PARTS(tvmffi_parts_attrs, tvmffi_builtin_attr_group, attrs)
