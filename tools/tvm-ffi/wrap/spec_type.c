/* SPDX-License-Identifier: Apache-2.0 */
/* The types of C that specs know. */
#include <string.h>

#include "wrap/spec.h"

#define SIZED(code, type) "tvm_ffi_dtype_make(" code ", 8 * sizeof(" type "), 1)"

/* An int holds no more than INT64_MAX, so that of unsigned types is their limit too. */
static const spec_type kTypes[] = {
    {"void", kTypeVoid, NULL, NULL, NULL},
    {"bool", kTypeBool, "TVM_FFI_C_BOOL", NULL, NULL},
    {"float", kTypeFloat, "TVM_FFI_C_FLOAT32", NULL, NULL},
    {"double", kTypeFloat, "TVM_FFI_C_FLOAT64", NULL, NULL},
    {"int8_t", kTypeInt, "TVM_FFI_C_INT8", "INT8_MIN", "INT8_MAX"},
    {"int16_t", kTypeInt, "TVM_FFI_C_INT16", "INT16_MIN", "INT16_MAX"},
    {"int32_t", kTypeInt, "TVM_FFI_C_INT32", "INT32_MIN", "INT32_MAX"},
    {"int64_t", kTypeInt, "TVM_FFI_C_INT64", NULL, NULL},
    {"uint8_t", kTypeUint, "TVM_FFI_C_UINT8", "0", "UINT8_MAX"},
    {"uint16_t", kTypeUint, "TVM_FFI_C_UINT16", "0", "UINT16_MAX"},
    {"uint32_t", kTypeUint, "TVM_FFI_C_UINT32", "0", "UINT32_MAX"},
    {"uint64_t", kTypeUint, "TVM_FFI_C_UINT64", "0", "INT64_MAX"},
    {"signed char", kTypeInt, "TVM_FFI_C_INT8", "SCHAR_MIN", "SCHAR_MAX"},
    {"short", kTypeInt, SIZED("kDLInt", "short"), "SHRT_MIN", "SHRT_MAX"},
    {"int", kTypeInt, SIZED("kDLInt", "int"), "INT_MIN", "INT_MAX"},
    {"long", kTypeInt, SIZED("kDLInt", "long"), "LONG_MIN", "LONG_MAX"},
    {"long long", kTypeInt, SIZED("kDLInt", "long long"), NULL, NULL},
    {"unsigned char", kTypeUint, "TVM_FFI_C_UINT8", "0", "UCHAR_MAX"},
    {"unsigned short", kTypeUint, SIZED("kDLUInt", "unsigned short"), "0", "USHRT_MAX"},
    {"unsigned int", kTypeUint, SIZED("kDLUInt", "unsigned int"), "0", "UINT_MAX"},
    {"unsigned long", kTypeUint, SIZED("kDLUInt", "unsigned long"), "0", "LONG_MAX"},
    {"unsigned long long", kTypeUint, SIZED("kDLUInt", "unsigned long long"), "0", "INT64_MAX"},
    {"size_t", kTypeUint, SIZED("kDLUInt", "size_t"), "0", "PTRDIFF_MAX"},
    {"ptrdiff_t", kTypeInt, SIZED("kDLInt", "ptrdiff_t"), "PTRDIFF_MIN", "PTRDIFF_MAX"},
    {"intptr_t", kTypeInt, SIZED("kDLInt", "intptr_t"), "INTPTR_MIN", "INTPTR_MAX"},
    {"uintptr_t", kTypeUint, SIZED("kDLUInt", "uintptr_t"), "0", "INTPTR_MAX"},
    {"const char *", kTypeText, NULL, NULL, NULL},
    {"void *", kTypePointer, NULL, NULL, NULL},
    {"const void *", kTypePointer, NULL, NULL, NULL},
};

enum { kNumTypes = sizeof kTypes / sizeof *kTypes };

const spec_type *spec_find_type(const char *name) {
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (strcmp(kTypes[i].name, name) == 0) return &kTypes[i];
  }
  return NULL;
}

bool spec_is_type_word(const char *word, size_t size) {
  static const char *const kParts[] = {"const", "volatile", "restrict", "signed", "unsigned",
                                       "_Bool", "char",     "_Complex", "struct", "union",
                                       "enum",  "static",   "extern",   "inline", "register"};
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (strlen(kTypes[i].name) == size && memcmp(kTypes[i].name, word, size) == 0) return true;
  }
  for (i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    if (strlen(kParts[i]) == size && memcmp(kParts[i], word, size) == 0) return true;
  }
  return false;
}

const char *spec_type_space(const spec_type *type) {
  return type->name[strlen(type->name) - 1] == '*' ? "" : " ";
}
