/* SPDX-License-Identifier: Apache-2.0 */
/* The types of C that specs know, and the words of C that they refuse. */
#include "wrap/spec_reader.h"

#include <string.h>

/* ---- The types of C that specs know ---- */

#define SIZED(code, type) "tvm_ffi_dtype_make(" code ", 8 * sizeof(" type "), 1)"

/* An extent is no more than INT64_MAX, so that is the limit of unsigned types of 64 bits too: that
 * of those whose size differs between systems is WRAP_MAX. */
static const spec_type kTypes[] = {
    {"void", kTypeVoid, NULL, NULL, NULL},
    {"bool", kTypeBool, "TVM_FFI_C_BOOL", NULL, NULL},
    {"float", kTypeFloat, "TVM_FFI_C_FLOAT32", NULL, NULL},
    {"double", kTypeFloat, "TVM_FFI_C_FLOAT64", NULL, NULL},
    {"_Float16", kTypeHalf, "tvm_ffi_dtype_make(kDLFloat, 16, 1)", NULL, NULL},
    {"__bf16", kTypeHalf, "tvm_ffi_dtype_make(kDLBfloat, 16, 1)", NULL, NULL},
    {"float _Complex", kTypeComplex, "tvm_ffi_dtype_make(kDLComplex, 64, 1)", NULL, NULL},
    {"double _Complex", kTypeComplex, "tvm_ffi_dtype_make(kDLComplex, 128, 1)", NULL, NULL},
    {"int8_t", kTypeInt, "TVM_FFI_C_INT8", "INT8_MIN", "INT8_MAX"},
    {"int16_t", kTypeInt, "TVM_FFI_C_INT16", "INT16_MIN", "INT16_MAX"},
    {"int32_t", kTypeInt, "TVM_FFI_C_INT32", "INT32_MIN", "INT32_MAX"},
    {"int64_t", kTypeInt, "TVM_FFI_C_INT64", NULL, NULL},
    {"uint8_t", kTypeUint, "TVM_FFI_C_UINT8", "0", "UINT8_MAX"},
    {"uint16_t", kTypeUint, "TVM_FFI_C_UINT16", "0", "UINT16_MAX"},
    {"uint32_t", kTypeUint, "TVM_FFI_C_UINT32", "0", "UINT32_MAX"},
    {"uint64_t", kTypeWide, "TVM_FFI_C_UINT64", "0", "INT64_MAX"},
    {"signed char", kTypeInt, "TVM_FFI_C_INT8", "SCHAR_MIN", "SCHAR_MAX"},
    {"short", kTypeInt, SIZED("kDLInt", "short"), "SHRT_MIN", "SHRT_MAX"},
    {"int", kTypeInt, SIZED("kDLInt", "int"), "INT_MIN", "INT_MAX"},
    {"long", kTypeInt, SIZED("kDLInt", "long"), "LONG_MIN", "LONG_MAX"},
    {"long long", kTypeInt, SIZED("kDLInt", "long long"), NULL, NULL},
    {"unsigned char", kTypeUint, "TVM_FFI_C_UINT8", "0", "UCHAR_MAX"},
    {"unsigned short", kTypeUint, SIZED("kDLUInt", "unsigned short"), "0", "USHRT_MAX"},
    {"unsigned int", kTypeUint, SIZED("kDLUInt", "unsigned int"), "0", "UINT_MAX"},
    {"unsigned long", kTypeWide, SIZED("kDLUInt", "unsigned long"), "0", "WRAP_MAX(unsigned long)"},
    {"unsigned long long", kTypeWide, SIZED("kDLUInt", "unsigned long long"), "0", "INT64_MAX"},
    {"size_t", kTypeWide, SIZED("kDLUInt", "size_t"), "0", "WRAP_MAX(size_t)"},
    {"ptrdiff_t", kTypeInt, SIZED("kDLInt", "ptrdiff_t"), "PTRDIFF_MIN", "PTRDIFF_MAX"},
    {"intptr_t", kTypeInt, SIZED("kDLInt", "intptr_t"), "INTPTR_MIN", "INTPTR_MAX"},
    {"uintptr_t", kTypeWide, SIZED("kDLUInt", "uintptr_t"), "0", "WRAP_MAX(uintptr_t)"},
    {"char", kTypeChar, NULL, NULL, NULL},
    {"const char *", kTypeText, NULL, NULL, NULL},
    {"void *", kTypePointer, NULL, NULL, NULL},
    {"const void *", kTypePointer, NULL, NULL, NULL},
};

enum { kNumTypes = sizeof kTypes / sizeof *kTypes };

/* Of results only. */
const spec_type kSpecChangeableText = {"char *", kTypeText, NULL, NULL, NULL};
const spec_type kSpecFunction = {"function", kTypeFunction, NULL, NULL, NULL};

/* NULL if there is none of that name. */
const spec_type *spec_find_type(const char *name) {
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (strcmp(kTypes[i].name, name) == 0) return &kTypes[i];
  }
  return NULL;
}

/* Words of C before a name that no spec has, and what to do about each. */
static const struct {
  const char *name, *advice;
} kRefusedWords[] = {
    {"extern", "it stands before the result only"},
    {"static", "leave it out"},
    {"inline", "leave it out"},
    {"__inline", "leave it out"},
    {"__inline__", "leave it out"},
    {"__extension__", "leave it out"},
    {"__attribute", "leave `__attribute((...))` out"},
    {"__attribute__", "leave `__attribute__((...))` out"},
    {"__declspec", "leave `__declspec(...)` out"},
    {"register", "leave it out"},
    {"volatile", "wrap a function without it"},
    {"struct", "write its fields, as in `struct point {double x;}`, or a pointer to it"},
    {"union", "a kernel takes tensors, numbers, text and addresses; that of a union is a void *"},
};

enum { kNumRefusedWords = sizeof kRefusedWords / sizeof *kRefusedWords };

bool spec_is_spelt(const char *name, const char *word, size_t size) {
  return strlen(name) == size && memcmp(name, word, size) == 0;
}

/* What to do about a word that no spec has; NULL: it is another one. */
const char *spec_find_advice(const char *word, size_t size) {
  size_t i;
  for (i = 0; i < kNumRefusedWords; ++i) {
    if (spec_is_spelt(kRefusedWords[i].name, word, size)) return kRefusedWords[i].advice;
  }
  return NULL;
}

/* restrict of C99, and as compilers spell it in headers for C++ too. */
bool spec_is_restrict(const char *word, size_t size) {
  return spec_is_spelt("restrict", word, size) || spec_is_spelt("__restrict", word, size) ||
         spec_is_spelt("__restrict__", word, size);
}

bool spec_is_type_word(const char *word, size_t size) {
  static const char *const kParts[] = {"const", "signed", "unsigned", "_Bool", "enum", "_Complex"};
  size_t i;
  for (i = 0; i < kNumTypes; ++i) {
    if (spec_is_spelt(kTypes[i].name, word, size)) return true;
  }
  for (i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    if (spec_is_spelt(kParts[i], word, size)) return true;
  }
  return spec_is_restrict(word, size) || spec_find_advice(word, size) != NULL;
}

const char *spec_type_space(const spec_type *type) {
  return type->name[strlen(type->name) - 1] == '*' ? "" : " ";
}
