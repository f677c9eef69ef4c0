/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of types: a value per name and type. Built-in types have some from the start. */
#ifndef TVMFFI_CORE_TYPE_ATTR_H_
#define TVMFFI_CORE_TYPE_ATTR_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/function.h"

/*
 * Attributes whose columns exist from the start have numbers, in the order of tvmffi_attr_names.
 * The core reads the first ones only.
 */
enum {
  kTvmffiAttrAnyHash,
  kTvmffiAttrAnyEqual,
  kTvmffiCoreAttrsEnd,
  /* How objects are made, copied, shown and compared. */
  kTvmffiAttrNew = kTvmffiCoreAttrsEnd,
  kTvmffiAttrInit,
  kTvmffiAttrShallowCopy,
  kTvmffiAttrConvert,
  kTvmffiAttrTypeFinal,
  kTvmffiAttrRepr,
  kTvmffiAttrHash,
  kTvmffiAttrEq,
  kTvmffiAttrCompare,
  kTvmffiAttrEnum,
  /* JSON graphs. */
  kTvmffiAttrDataToJson,
  kTvmffiAttrDataFromJson,
  /* Structural functions. */
  kTvmffiAttrSHash,
  kTvmffiAttrSEqual,
  kTvmffiAttrSVisit,
  kTvmffiAttrSMutate,
  kTvmffiAttrSMaybeInplaceMutate,
  kTvmffiNumFirstAttrs
};

/* Their names, each NUL-terminated. */
extern const char tvmffi_attr_names[];

/* The value of such an attribute, or NULL; it lives until shutdown. Takes no lock. */
const TVMFFIAny *tvmffi_type_find_attr(int attr, int32_t type_index);

/*
 * An attribute of a built-in type: a Function, if there is a body for one; else a pointer to a C
 * function, if there is one; else true or false.
 */
typedef struct {
  int16_t type_index;
  int8_t attr;
  bool value;
  /* self is a tvmffi_attr_function. */
  TVMFFISafeCallType body;
  void (*native)(void);
} tvmffi_builtin_attr;

/* The Function object of such an attribute. Those of built-in types are static and never destroyed;
 * reflect/frontend_type.c makes others. */
typedef struct {
  tvmffi_own_function base;
  int32_t type_index;
  int32_t attr;
} tvmffi_attr_function;

typedef struct {
  const tvmffi_builtin_attr *attrs;
  tvmffi_attr_function *functions; /* one per attribute */
  size_t count;
} tvmffi_builtin_attr_group;

/* Defines a group of the attributes in an array, and the memory for their functions. */
#define TVMFFI_BUILTIN_ATTR_GROUP(group, attrs)                                   \
  static tvmffi_attr_function group##_functions[sizeof(attrs) / sizeof *(attrs)]; \
  const tvmffi_builtin_attr_group group = {attrs, group##_functions,              \
                                           sizeof(attrs) / sizeof *(attrs)}

/*
 * For the bodies of attributes: checks that there are `expected` arguments and that the first
 * num_self are of the attribute's type. 0, or -1 with the TypeError of `<type
 * key>.<attribute><signature>`.
 */
int tvmffi_attr_check_args(const void *self, const char *signature, int expected, int num_self,
                           const TVMFFIAny *args, int32_t num_args);

/*
 * Whether the value of an attribute needs what lies in a range of addresses; out then says which
 * type has it, as NUL-terminated text.
 */
bool tvmffi_attr_needs_range(const tvmffi_dl_range *range, tvmffi_dl_reason *out);

/* Releases the values; before the types are reset. */
void tvmffi_type_attr_shutdown(void);

#endif /* TVMFFI_CORE_TYPE_ATTR_H_ */
