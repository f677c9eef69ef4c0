/* SPDX-License-Identifier: Apache-2.0 */
/* Reads headers by libclang, which is loaded when it is needed. Nothing of it is there when this is
 * compiled: its types and functions are declared as its manual describes them
 * (clang.llvm.org/doxygen/group__CINDEX.html). They are the same in all its versions since 8. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/utf8.h"
#include "system/system.h"
#include "wrap/header.h"

/* ---- Declarations of libclang ---- */

typedef struct {
  const void *data;
  unsigned flags;
} clang_string;

typedef struct {
  int kind, extra;
  const void *data[3];
} clang_cursor;

typedef struct {
  int kind;
  void *data[2];
} clang_type;

typedef struct {
  const void *data[2];
  unsigned offset;
} clang_location;

typedef struct {
  const void *data[2];
  unsigned begin, end;
} clang_range;

typedef struct {
  const char *name, *content;
  unsigned long size;
} clang_file_text;

typedef int (*clang_visitor)(clang_cursor cursor, clang_cursor parent, void *context);
typedef void (*clang_inclusion_visitor)(void *file, clang_location *stack, unsigned depth,
                                        void *context);

enum {
  kCursorField = 6,
  kCursorEnumConstant = 7,
  kCursorFunction = 8,
  kVisitBreak = 0,
  kVisitContinue = 1,
  kSkipBodies = 0x40,
  kSeverityError = 3
};

/* Kinds of types. */
enum {
  kClangUnexposed = 1,
  kClangVoid = 2,
  kClangBool = 3,
  kClangCharU = 4,
  kClangUChar = 5,
  kClangUShort = 8,
  kClangUInt = 9,
  kClangULong = 10,
  kClangULongLong = 11,
  kClangCharS = 13,
  kClangSChar = 14,
  kClangShort = 16,
  kClangInt = 17,
  kClangLong = 18,
  kClangLongLong = 19,
  kClangFloat = 21,
  kClangDouble = 22,
  kClangLongDouble = 23,
  kClangFloat16 = 32,
  kClangBFloat16 = 39,
  kClangComplex = 100,
  kClangPointer = 101,
  kClangRecord = 105,
  kClangEnum = 106,
  kClangTypedef = 107,
  kClangFunctionNoProto = 110,
  kClangFunctionProto = 111,
  kClangConstantArray = 112,
  kClangIncompleteArray = 114,
  kClangVariableArray = 115,
  kClangElaborated = 119,
  kClangAttributed = 163
};

/* The functions of libclang that are used: each is a member with its name. */
static struct {
  void *(*createIndex)(int exclude_pch, int show_diagnostics);
  void (*disposeIndex)(void *index);
  int (*parseTranslationUnit2)(void *index, const char *source, const char *const *words, int count,
                               clang_file_text *texts, unsigned num_texts, unsigned options,
                               void **out);
  void (*disposeTranslationUnit)(void *unit);
  unsigned (*getNumDiagnostics)(void *unit);
  void *(*getDiagnostic)(void *unit, unsigned i);
  int (*getDiagnosticSeverity)(void *diagnostic);
  unsigned (*defaultDiagnosticDisplayOptions)(void);
  clang_string (*formatDiagnostic)(void *diagnostic, unsigned options);
  void (*disposeDiagnostic)(void *diagnostic);
  const char *(*getCString)(clang_string text);
  void (*disposeString)(clang_string text);
  clang_cursor (*getTranslationUnitCursor)(void *unit);
  unsigned (*visitChildren)(clang_cursor parent, clang_visitor visit, void *context);
  void (*getInclusions)(void *unit, clang_inclusion_visitor visit, void *context);
  clang_string (*getCursorSpelling)(clang_cursor cursor);
  clang_type (*getCursorType)(clang_cursor cursor);
  clang_location (*getCursorLocation)(clang_cursor cursor);
  clang_range (*getCursorExtent)(clang_cursor cursor);
  clang_location (*getRangeStart)(clang_range range);
  clang_location (*getRangeEnd)(clang_range range);
  void (*getExpansionLocation)(clang_location at, void **file, unsigned *line, unsigned *column,
                               unsigned *offset);
  int (*Cursor_getNumArguments)(clang_cursor cursor);
  clang_cursor (*Cursor_getArgument)(clang_cursor cursor, unsigned i);
  clang_string (*Cursor_getRawCommentText)(clang_cursor cursor);
  clang_range (*Cursor_getCommentRange)(clang_cursor cursor);
  clang_type (*getResultType)(clang_type type);
  unsigned (*isFunctionTypeVariadic)(clang_type type);
  int (*getNumArgTypes)(clang_type type);
  clang_type (*getArgType)(clang_type type, unsigned i);
  clang_type (*getCanonicalType)(clang_type type);
  clang_type (*getPointeeType)(clang_type type);
  clang_type (*getElementType)(clang_type type);
  clang_type (*getArrayElementType)(clang_type type);
  long long (*getArraySize)(clang_type type);
  unsigned (*isConstQualifiedType)(clang_type type);
  unsigned (*isVolatileQualifiedType)(clang_type type);
  unsigned (*isRestrictQualifiedType)(clang_type type);
  clang_cursor (*getTypeDeclaration)(clang_type type);
  clang_type (*getTypedefDeclUnderlyingType)(clang_cursor cursor);
  clang_type (*getEnumDeclIntegerType)(clang_cursor cursor);
  long long (*getEnumConstantDeclValue)(clang_cursor cursor);
  clang_type (*Type_getNamedType)(clang_type type);
  clang_type (*Type_getModifiedType)(clang_type type);
  clang_string (*getTypeSpelling)(clang_type type);
  long long (*Type_getSizeOf)(clang_type type);
  unsigned (*Cursor_isBitField)(clang_cursor cursor);
} clang;

/* In the order of the members. */
static const char *const kFunctions[] = {
    "createIndex",
    "disposeIndex",
    "parseTranslationUnit2",
    "disposeTranslationUnit",
    "getNumDiagnostics",
    "getDiagnostic",
    "getDiagnosticSeverity",
    "defaultDiagnosticDisplayOptions",
    "formatDiagnostic",
    "disposeDiagnostic",
    "getCString",
    "disposeString",
    "getTranslationUnitCursor",
    "visitChildren",
    "getInclusions",
    "getCursorSpelling",
    "getCursorType",
    "getCursorLocation",
    "getCursorExtent",
    "getRangeStart",
    "getRangeEnd",
    "getExpansionLocation",
    "Cursor_getNumArguments",
    "Cursor_getArgument",
    "Cursor_getRawCommentText",
    "Cursor_getCommentRange",
    "getResultType",
    "isFunctionTypeVariadic",
    "getNumArgTypes",
    "getArgType",
    "getCanonicalType",
    "getPointeeType",
    "getElementType",
    "getArrayElementType",
    "getArraySize",
    "isConstQualifiedType",
    "isVolatileQualifiedType",
    "isRestrictQualifiedType",
    "getTypeDeclaration",
    "getTypedefDeclUnderlyingType",
    "getEnumDeclIntegerType",
    "getEnumConstantDeclValue",
    "Type_getNamedType",
    "Type_getModifiedType",
    "getTypeSpelling",
    "Type_getSizeOf",
    "Cursor_isBitField",
};

enum { kNumFunctions = sizeof kFunctions / sizeof *kFunctions };

/* ---- Loading it ---- */

/* Opens libclang by the names that systems give it, newer versions first; NULL if there is none. */
static void *open_any(void) {
  static const char *const kNames[] = {
      "libclang.so", "libclang.dylib", "libclang.dll",
      "/Library/Developer/CommandLineTools/usr/lib/libclang.dylib",
      ("/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib/"
       "libclang.dylib")};
  enum { kNewest = 24, kOldest = 8 };
  tvmffi_dl_reason reason = kNoReason;
  void *library = NULL;
  size_t i;
  int version;
  for (i = 0; library == NULL && i < sizeof kNames / sizeof *kNames; ++i) {
    library = tvmffi_dl_open(kNames[i], &reason);
  }
  for (version = kNewest; library == NULL && version >= kOldest; --version) {
    char *const names[] = {tool_format("libclang-%d.so.1", version),
                           tool_format("libclang-%d.so.%d", version, version),
                           tool_format("libclang.so.%d", version),
                           tool_format("/usr/lib/llvm-%d/lib/libclang.so.1", version)};
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
      if (library == NULL) library = tvmffi_dl_open(names[i], &reason);
      free(names[i]);
    }
  }
  return library;
}

/* The library stays loaded until the tool ends. False after a report. */
static bool load(const char *path) {
  tvmffi_dl_reason reason = kNoReason;
  void *library = path != NULL ? tvmffi_dl_open(path, &reason) : open_any(), *found;
  size_t i;
  if (library == NULL && path != NULL) {
    return report_error("--libclang: cannot load %s: %s", path, reason.text);
  }
  if (library == NULL) {
    return report_error(
        "--header needs libclang, which is not installed: install libclang1 (Debian, Ubuntu), "
        "clang-libs (Fedora), clang (Arch), llvm (Homebrew) or the Python package libclang, or "
        "name its file by --libclang");
  }
  for (i = 0; i < kNumFunctions; ++i) {
    char *name = tool_format("clang_%s", kFunctions[i]);
    found = tvmffi_dl_symbol(library, name);
    free(name);
    if (found == NULL) {
      return report_error("libclang has no function clang_%s: version 8 or later is needed",
                          kFunctions[i]);
    }
    memcpy((char *)&clang + i * sizeof found, &found, sizeof found);
  }
  return true;
}

/* A text of libclang; release with free(). */
static char *take_text(clang_string text) {
  const char *data = clang.getCString(text);
  char *copy = tool_format("%s", data != NULL ? data : "");
  clang.disposeString(text);
  return copy;
}

/* ---- Headers that belong to compilers ---- */

/* libclang is often installed without the headers of clang, which system headers include. Those of
 * gcc have what only gcc reads. These are found after all others. */
#define OWN_FOLDER "/tvm-ffi-headers"

static const struct {
  const char *path, *content;
} kOwnHeaders[] = {
    {OWN_FOLDER "/stddef.h",
     "#ifndef __STDDEF_H\n#define __STDDEF_H\n"
     "typedef __SIZE_TYPE__ size_t;\ntypedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
     "#ifndef __cplusplus\ntypedef __WCHAR_TYPE__ wchar_t;\n#endif\n"
     "typedef struct { long long a __attribute__((aligned)); } max_align_t;\n"
     "#undef NULL\n#define NULL ((void *)0)\n"
     "#define offsetof(type, member) __builtin_offsetof(type, member)\n#endif\n"},
    {OWN_FOLDER "/stdarg.h",
     "#ifndef __STDARG_H\n#define __STDARG_H\n"
     "typedef __builtin_va_list va_list;\ntypedef __builtin_va_list __gnuc_va_list;\n"
     "#define va_start(list, last) __builtin_va_start(list, last)\n"
     "#define va_end(list) __builtin_va_end(list)\n"
     "#define va_arg(list, type) __builtin_va_arg(list, type)\n"
     "#define va_copy(to, from) __builtin_va_copy(to, from)\n#endif\n"},
    {OWN_FOLDER "/stdbool.h",
     "#ifndef __STDBOOL_H\n#define __STDBOOL_H\n#define bool _Bool\n#define true 1\n"
     "#define false 0\n#define __bool_true_false_are_defined 1\n#endif\n"},
    {OWN_FOLDER "/stdalign.h",
     "#ifndef __STDALIGN_H\n#define __STDALIGN_H\n#define alignas _Alignas\n"
     "#define alignof _Alignof\n#endif\n"},
    {OWN_FOLDER "/stdnoreturn.h", "#define noreturn _Noreturn\n"},
    {OWN_FOLDER "/iso646.h",
     "#define and &&\n#define or ||\n#define not !\n#define xor ^\n#define bitand &\n"
     "#define bitor |\n#define compl ~\n#define not_eq !=\n"},
    {OWN_FOLDER "/float.h",
     "#ifndef __FLOAT_H\n#define __FLOAT_H\n#define FLT_RADIX __FLT_RADIX__\n"
     "#define FLT_MANT_DIG __FLT_MANT_DIG__\n#define DBL_MANT_DIG __DBL_MANT_DIG__\n"
     "#define FLT_DIG __FLT_DIG__\n#define DBL_DIG __DBL_DIG__\n"
     "#define FLT_MIN_EXP __FLT_MIN_EXP__\n#define DBL_MIN_EXP __DBL_MIN_EXP__\n"
     "#define FLT_MAX_EXP __FLT_MAX_EXP__\n#define DBL_MAX_EXP __DBL_MAX_EXP__\n"
     "#define FLT_MAX __FLT_MAX__\n#define DBL_MAX __DBL_MAX__\n"
     "#define FLT_MIN __FLT_MIN__\n#define DBL_MIN __DBL_MIN__\n"
     "#define FLT_EPSILON __FLT_EPSILON__\n#define DBL_EPSILON __DBL_EPSILON__\n"
     "#define LDBL_MAX __LDBL_MAX__\n#define LDBL_MIN __LDBL_MIN__\n"
     "#define LDBL_EPSILON __LDBL_EPSILON__\n#define LDBL_DIG __LDBL_DIG__\n#endif\n"},
    {OWN_FOLDER "/limits.h",
     "#ifndef __LIMITS_H\n#define __LIMITS_H\n#define CHAR_BIT __CHAR_BIT__\n"
     "#define SCHAR_MAX __SCHAR_MAX__\n#define SCHAR_MIN (-SCHAR_MAX - 1)\n"
     "#define UCHAR_MAX (SCHAR_MAX * 2 + 1)\n"
     "#ifdef __CHAR_UNSIGNED__\n#define CHAR_MIN 0\n#define CHAR_MAX UCHAR_MAX\n#else\n"
     "#define CHAR_MIN SCHAR_MIN\n#define CHAR_MAX SCHAR_MAX\n#endif\n"
     "#define SHRT_MAX __SHRT_MAX__\n#define SHRT_MIN (-SHRT_MAX - 1)\n"
     "#define USHRT_MAX (SHRT_MAX * 2 + 1)\n"
     "#define INT_MAX __INT_MAX__\n#define INT_MIN (-INT_MAX - 1)\n"
     "#define UINT_MAX (INT_MAX * 2U + 1U)\n"
     "#define LONG_MAX __LONG_MAX__\n#define LONG_MIN (-LONG_MAX - 1L)\n"
     "#define ULONG_MAX (LONG_MAX * 2UL + 1UL)\n"
     "#define LLONG_MAX __LONG_LONG_MAX__\n#define LLONG_MIN (-LLONG_MAX - 1LL)\n"
     "#define ULLONG_MAX (LLONG_MAX * 2ULL + 1ULL)\n#endif\n"},
};

enum { kNumOwnHeaders = sizeof kOwnHeaders / sizeof *kOwnHeaders };

/* ---- Types ---- */

static const char kConst[] = "const ";

/* Takes typedefs and attributes off, one at a time; false if there is none. */
static bool peel(clang_type *type) {
  clang_type inner;
  switch (type->kind) {
    case kClangTypedef:
      inner = clang.getTypedefDeclUnderlyingType(clang.getTypeDeclaration(*type));
      break;
    case kClangElaborated:
      inner = clang.Type_getNamedType(*type);
      break;
    case kClangAttributed:
      inner = clang.Type_getModifiedType(*type);
      break;
    case kClangUnexposed:
      inner = clang.getCanonicalType(*type);
      break;
    default:
      return false;
  }
  if (inner.kind == 0 || inner.kind == kClangUnexposed) return false;
  *type = inner;
  return true;
}

/* The name of a number of C that has one word for it in a SPEC; NULL if it is another type. */
static const char *name_builtin(int kind) {
  switch (kind) {
    case kClangBool:
      return "bool";
    case kClangCharU:
      return "unsigned char";
    case kClangUChar:
      return "unsigned char";
    case kClangUShort:
      return "unsigned short";
    case kClangUInt:
      return "unsigned int";
    case kClangULong:
      return "unsigned long";
    case kClangULongLong:
      return "unsigned long long";
    case kClangCharS:
      return "signed char";
    case kClangSChar:
      return "signed char";
    case kClangShort:
      return "short";
    case kClangInt:
      return "int";
    case kClangLong:
      return "long";
    case kClangLongLong:
      return "long long";
    case kClangFloat:
      return "float";
    case kClangDouble:
      return "double";
    case kClangLongDouble:
      return "long double";
    case kClangFloat16:
      return "_Float16";
    case kClangBFloat16:
      return "__bf16";
    default:
      return NULL;
  }
}

/* What a SPEC calls a number; NULL if the type is none. Names such as int64_t are the same type on
 * every system, and others are what the compiler makes of them here. */
static const char *name_number(clang_type type) {
  static const char *const kNames[] = {"int8_t",   "int16_t",   "int32_t",  "int64_t", "uint8_t",
                                       "uint16_t", "uint32_t",  "uint64_t", "size_t",  "ptrdiff_t",
                                       "intptr_t", "uintptr_t", NULL};
  do {
    if (type.kind == kClangTypedef) {
      char *name = take_text(clang.getCursorSpelling(clang.getTypeDeclaration(type)));
      const char *found = text_find(name, kNames);
      free(name);
      if (found != NULL) return found;
    }
  } while (peel(&type));
  if (type.kind == kClangEnum) {
    return name_number(clang.getEnumDeclIntegerType(clang.getTypeDeclaration(type)));
  }
  if (type.kind == kClangComplex) {
    const int part = clang.getCanonicalType(clang.getElementType(type)).kind;
    return part == kClangFloat ? "float _Complex" : part == kClangDouble ? "double _Complex" : NULL;
  }
  return name_builtin(type.kind);
}

static bool is_char(clang_type type) {
  const int kind = clang.getCanonicalType(type).kind;
  return kind == kClangCharU || kind == kClangCharS;
}

static bool is_function(clang_type type) {
  const int kind = clang.getCanonicalType(type).kind;
  return kind == kClangFunctionProto || kind == kClangFunctionNoProto;
}

/* Appends the constant of an enumeration; stops at one that is no int. */
static int add_choice(clang_cursor cursor, clang_cursor parent, void *context) {
  text_buf *out = context;
  const long long value = clang.getEnumConstantDeclValue(cursor);
  char *name;
  (void)parent;
  if (cursor.kind != kCursorEnumConstant) return kVisitContinue;
  if (value < INT32_MIN || value > INT32_MAX) {
    text_cut(out, 0);
    return kVisitBreak;
  }
  name = take_text(clang.getCursorSpelling(cursor));
  text_add(out, "%s%s = %lld", out->size == 0 ? "{" : ", ", name, value);
  free(name);
  return kVisitContinue;
}

/* The constants of an enumeration; NULL if there are none, or one is no int. */
static char *describe_choices(clang_type canonical) {
  text_buf choices = {NULL, 0, 0};
  clang.visitChildren(clang.getTypeDeclaration(canonical), add_choice, &choices);
  if (choices.size > 0) {
    text_add(&choices, "}");
    return choices.data;
  }
  text_free(&choices);
  return NULL;
}

/* An enumeration, which the header names without const. */
static void describe_enum(clang_type type, header_type *out) {
  const size_t size = strlen(kConst);
  out->choices = describe_choices(clang.getCanonicalType(type));
  while (text_begins(out->written, kConst)) {
    memmove(out->written, out->written + size, strlen(out->written + size) + 1);
  }
}

typedef struct {
  text_buf text;
  bool is_refused;
} field_list;

/* Appends a field of a structure; stops at one that is no number. */
static int add_field(clang_cursor cursor, clang_cursor parent, void *context) {
  field_list *out = context;
  const clang_type type = clang.getCursorType(cursor);
  const char *number = name_number(type);
  char *name;
  (void)parent;
  if (cursor.kind != kCursorField) return kVisitContinue;
  if (number == NULL || clang.Cursor_isBitField(cursor) != 0 ||
      clang.getCanonicalType(type).kind == kClangLongDouble ||
      clang.getCanonicalType(type).kind == kClangComplex) {
    out->is_refused = true;
    return kVisitBreak;
  }
  name = take_text(clang.getCursorSpelling(cursor));
  if (*name == '\0' || identifier_is_c_word(name)) out->is_refused = true;
  text_add(&out->text, "%s%s %s;", out->text.size == 0 ? "{" : " ", is_char(type) ? "char" : number,
           name);
  free(name);
  return kVisitContinue;
}

/* The fields of a structure of numbers; NULL: it has none, or others. */
static char *describe_fields(clang_type canonical) {
  field_list fields = {{NULL, 0, 0}, false};
  clang.visitChildren(clang.getTypeDeclaration(canonical), add_field, &fields);
  if (fields.text.size > 0 && !fields.is_refused) {
    text_add(&fields.text, "}");
    return fields.text.data;
  }
  text_free(&fields.text);
  return NULL;
}

static void refuse_type(header_type *out, const char *what) {
  out->kind = kHeaderOther;
  out->refusal = tool_format("%s", what);
}

static void refuse_other(clang_type canonical, header_type *out) {
  char *name = take_text(clang.getTypeSpelling(canonical));
  refuse_type(out, "");
  free(out->refusal);
  out->refusal = tool_format("`%s`, which no kernel takes", name);
  free(name);
}

/* Whether it is an array, also one whose extent is a parameter. */
static bool is_array(clang_type canonical) {
  return canonical.kind == kClangConstantArray || canonical.kind == kClangIncompleteArray ||
         canonical.kind == kClangVariableArray;
}

/* Moves from an array to its elements, and returns the extents that it has: "[2][3]". The first
 * ones of a parameter may be left out. NULL: they are, and it is like a pointer. */
static char *enter_array(clang_type *type) {
  text_buf extents = {NULL, 0, 0};
  clang_type array = clang.getCanonicalType(*type);
  bool has_size = array.kind == kClangConstantArray;
  while (is_array(array)) {
    if (array.kind == kClangVariableArray) has_size = false;
    if (has_size) text_add(&extents, "[%lld]", clang.getArraySize(array));
    while (type->kind != array.kind && peel(type)) continue;
    *type = clang.getArrayElementType(type->kind == array.kind ? *type : array);
    array = clang.getCanonicalType(*type);
  }
  if (!has_size) text_free(&extents);
  return has_size ? extents.data : NULL;
}

static bool is_address(clang_type type) {
  const clang_type canonical = clang.getCanonicalType(type);
  return canonical.kind == kClangPointer &&
         clang.getCanonicalType(clang.getPointeeType(canonical)).kind == kClangVoid;
}

static bool is_text(clang_type type) {
  const clang_type canonical = clang.getCanonicalType(type);
  const clang_type target =
      canonical.kind == kClangPointer ? clang.getPointeeType(canonical) : canonical;
  return canonical.kind == kClangPointer && is_char(target) &&
         clang.isConstQualifiedType(clang.getCanonicalType(target)) != 0;
}

/* Appends a parameter of a callback, or its result; false: it takes and returns no such thing. An
 * enumeration is the integer that the compiler makes of it, which is compatible with it. */
static bool add_callback_type(text_buf *out, clang_type type, bool is_data) {
  const clang_type canonical = clang.getCanonicalType(type);
  const char *number = name_number(type);
  if (number != NULL && canonical.kind != kClangLongDouble) {
    text_add(out, "%s", is_char(type) ? "char" : number);
  } else if (is_text(type)) {
    text_add(out, "const char *");
  } else if (canonical.kind == kClangVoid) {
    text_add(out, "void");
  } else if (is_address(type)) {
    text_add(out, "void *%s", is_data ? HEADER_DATA : "");
  } else {
    return false;
  }
  return true;
}

/* Which parameter of a callback is the caller's data: the only address, or the only one that is not
 * const. -1: there is none. -2: several may be it. */
static int find_data(clang_type canonical, int count) {
  int i, found = -1, num_open = 0, open = -1, num_all = 0;
  for (i = 0; i < count; ++i) {
    const clang_type arg = clang.getArgType(canonical, (unsigned)i);
    if (!is_address(arg)) continue;
    found = i;
    ++num_all;
    if (clang.isConstQualifiedType(clang.getPointeeType(clang.getCanonicalType(arg))) != 0)
      continue;
    open = i;
    ++num_open;
  }
  if (num_all <= 1) return found;
  return num_open == 1 ? open : -2;
}

/* A function as a parameter: its type, and whether it is given an address, which may be the
 * caller's data. */
static void describe_callback(clang_type type, header_type *out) {
  const clang_type canonical = clang.getCanonicalType(type);
  const int count = clang.getNumArgTypes(canonical);
  text_buf text = {NULL, 0, 0};
  bool good = !is_text(clang.getResultType(canonical)) &&
              add_callback_type(&text, clang.getResultType(canonical), false);
  const int data = find_data(canonical, count);
  int i;
  out->kind = kHeaderFunction;
  out->takes_data = data != -1;
  good = good && data >= 0;
  text_add(&text, " (*" HEADER_NAME ")(");
  for (i = 0; i < count; ++i) {
    const clang_type arg = clang.getArgType(canonical, (unsigned)i);
    if (i > 0) text_add(&text, ", ");
    good = add_callback_type(&text, arg, i == data) && good;
  }
  text_add(&text, ")");
  if (good) {
    out->callback = text.data;
  } else {
    text_free(&text);
  }
}

/* A structure: its name, and whether its members are known. One without a name is none. */
static void describe_object(clang_type type, header_type *out) {
  char *name = take_text(clang.getTypeSpelling(type));
  const char *at = name;
  while (text_begins(at, kConst)) at += strlen(kConst);
  if (strchr(at, '(') == NULL && !text_begins(at, "union ")) {
    out->object = tool_format("%s", at);
    out->is_known = clang.Type_getSizeOf(clang.getCanonicalType(type)) >= 0;
    out->fields = describe_fields(clang.getCanonicalType(type));
  }
  free(name);
}

/* What a pointer leads to, or the elements of an array. */
static void describe_target(clang_type target, header_type *out) {
  const bool is_string = is_char(target);
  clang_type canonical;
  const char *number;
  out->inner = enter_array(&target);
  out->is_char = is_char(target);
  canonical = clang.getCanonicalType(target);
  number = name_number(target);
  out->is_const = clang.isConstQualifiedType(canonical) != 0;
  if (canonical.kind == kClangLongDouble) number = NULL;
  if (number != NULL) out->number = tool_format("%s", number);
  if (clang.isVolatileQualifiedType(canonical) != 0) {
    refuse_type(out, "a pointer to volatile");
  } else if (is_function(target)) {
    describe_callback(target, out);
  } else if (canonical.kind == kClangVoid) {
    out->kind = kHeaderAddress;
    out->is_void = true;
  } else if (is_string && out->is_const && out->extents == NULL) {
    out->kind = kHeaderText;
  } else if (number != NULL) {
    out->kind = kHeaderElements;
  } else if (canonical.kind == kClangRecord) {
    out->kind = kHeaderObject;
    describe_object(target, out);
  } else if (canonical.kind == kClangPointer) {
    out->kind = kHeaderPointers;
    while (target.kind != kClangPointer && peel(&target)) continue;
    target = clang.getPointeeType(target.kind == kClangPointer ? target : canonical);
    if (clang.getCanonicalType(target).kind == kClangRecord) describe_object(target, out);
  } else {
    out->kind = kHeaderAddress;
  }
}

static void describe_type(clang_type type, header_type *out) {
  const clang_type canonical = clang.getCanonicalType(type);
  const char *number = name_number(type);
  memset(out, 0, sizeof *out);
  out->written = take_text(clang.getTypeSpelling(type));
  if (strstr(out->written, "va_list") != NULL) {
    refuse_type(out, "a va_list");
  } else if (canonical.kind == kClangVoid) {
    out->kind = kHeaderVoid;
  } else if (number != NULL) {
    out->kind = kHeaderNumber;
    /* A caller has no wider number than a double. */
    out->number = tool_format("%s", is_char(type)                        ? "char"
                                    : canonical.kind == kClangLongDouble ? "double"
                                                                         : number);
    if (canonical.kind == kClangEnum) describe_enum(type, out);
  } else if (is_function(type)) {
    describe_callback(type, out);
  } else if (canonical.kind == kClangPointer) {
    out->is_restrict = clang.isRestrictQualifiedType(canonical) != 0;
    while (type.kind != kClangPointer && peel(&type)) continue;
    describe_target(clang.getPointeeType(type.kind == kClangPointer ? type : canonical), out);
  } else if (is_array(canonical)) {
    out->extents = enter_array(&type);
    describe_target(type, out);
  } else if (canonical.kind == kClangRecord) {
    describe_object(type, out);
    if (out->object != NULL && out->fields != NULL) {
      out->kind = kHeaderStructure;
    } else {
      refuse_type(out, "a structure by value");
    }
  } else {
    refuse_other(canonical, out);
  }
}

/* ---- Comments ---- */

static unsigned line_of(clang_location location) {
  unsigned line = 0;
  clang.getExpansionLocation(location, NULL, &line, NULL, NULL);
  return line;
}

/* Whether a line of a comment is text, and not a rule of it. */
static bool has_letters(const char *line, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    if ((unsigned char)line[i] >= 0x80 || identifier_has(line[i])) return true;
  }
  return false;
}

/* Appends the first paragraph of a comment, in one line. */
static void add_paragraph(text_buf *out, const char *comment) {
  while (*comment != '\0') {
    const size_t length = strcspn(comment, "\n");
    const char *begin = comment, *end = comment + length;
    while (begin < end && strchr(" \t\r/*!<-=#", *begin) != NULL) ++begin;
    while (end > begin && strchr(" \t\r/*-=#", end[-1]) != NULL) --end;
    comment += length + (comment[length] == '\n');
    if (!has_letters(begin, (size_t)(end - begin))) {
      if (out->size > 0) return;
      continue;
    }
    if (out->size > 0) text_add(out, " ");
    for (; begin < end; ++begin) {
      const bool is_space = *begin == '\t' || *begin == '\r' || *begin == '\f';
      text_add_bytes(out, is_space ? " " : begin, 1);
    }
  }
}

/* The comment that ends in the line above the function; NULL: none. */
static char *describe_doc(clang_cursor cursor) {
  const clang_range range = clang.Cursor_getCommentRange(cursor);
  const unsigned end = line_of(clang.getRangeEnd(range));
  const unsigned begin = line_of(clang.getRangeStart(clang.getCursorExtent(cursor)));
  text_buf doc = {NULL, 0, 0};
  char *comment;
  if (end == 0 || end + 1 != begin) return NULL;
  comment = take_text(clang.Cursor_getRawCommentText(cursor));
  add_paragraph(&doc, comment);
  free(comment);
  return doc.data;
}

/* ---- Functions ---- */

typedef struct {
  header_content *out;
  name_table names; /* of the functions, in their order */
  void **own;       /* the files that were asked for */
  size_t num_own;
} header_reader;

static bool is_own(const header_reader *reader, clang_cursor cursor) {
  void *file = NULL;
  size_t i;
  clang.getExpansionLocation(clang.getCursorLocation(cursor), &file, NULL, NULL, NULL);
  for (i = 0; i < reader->num_own; ++i) {
    if (reader->own[i] == file) return true;
  }
  return false;
}

static void free_type(header_type *type) {
  free(type->number);
  free(type->choices);
  free(type->written);
  free(type->object);
  free(type->callback);
  free(type->fields);
  free(type->extents);
  free(type->inner);
  free(type->refusal);
}

static void free_function(header_function *function) {
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    free(function->params[i].name);
    free_type(&function->params[i].type);
  }
  free(function->params);
  free_type(&function->result);
  free(function->name);
  free(function->doc);
}

/* Names that the header leaves out are those of their places. */
static void describe_params(clang_cursor cursor, header_function *out) {
  const int count = clang.Cursor_getNumArguments(cursor);
  size_t i;
  out->num_params = count > 0 ? (size_t)count : 0;
  out->params = tool_alloc((out->num_params + 1) * sizeof *out->params);
  for (i = 0; i < out->num_params; ++i) {
    const clang_cursor param = clang.Cursor_getArgument(cursor, (unsigned)i);
    char *name = take_text(clang.getCursorSpelling(param));
    if (*name == '\0') {
      free(name);
      name = tool_format("arg%zu", i + 1);
    }
    out->params[i].name = name;
    describe_type(clang.getCursorType(param), &out->params[i].type);
  }
}

static void describe_function(clang_cursor cursor, header_function *out) {
  const clang_type type = clang.getCursorType(cursor);
  memset(out, 0, sizeof *out);
  out->name = take_text(clang.getCursorSpelling(cursor));
  out->is_variadic = clang.isFunctionTypeVariadic(type) != 0;
  describe_type(clang.getResultType(type), &out->result);
  if (clang.getCanonicalType(clang.getResultType(type)).kind == kClangLongDouble) {
    refuse_type(&out->result, "`long double`, which no kernel returns");
  }
  describe_params(cursor, out);
  out->doc = describe_doc(cursor);
}

/* A later declaration of the same function may have the names and the comment. */
static int visit(clang_cursor cursor, clang_cursor parent, void *context) {
  header_reader *reader = context;
  header_content *out = reader->out;
  header_function next;
  size_t i;
  (void)parent;
  if (cursor.kind != kCursorFunction) return kVisitContinue;
  describe_function(cursor, &next);
  next.is_own = is_own(reader, cursor);
  i = name_table_add(&reader->names, next.name);
  if (i < out->num_functions) {
    next.is_own = next.is_own || out->functions[i].is_own;
    if (next.doc == NULL) {
      next.doc = out->functions[i].doc;
      out->functions[i].doc = NULL;
    }
    free_function(&out->functions[i]);
  } else {
    out->functions = tool_grow(out->functions, out->num_functions, sizeof *out->functions);
    ++out->num_functions;
  }
  out->functions[i] = next;
  return kVisitContinue;
}

static void see_inclusion(void *file, clang_location *stack, unsigned depth, void *context) {
  header_reader *reader = context;
  (void)stack;
  if (depth != 1) return;
  reader->own = tool_grow(reader->own, reader->num_own, sizeof *reader->own);
  reader->own[reader->num_own++] = file;
}

/* The source that is parsed, in the current folder, from which headers are named. It is no file. */
#define SOURCE "tvm-ffi-headers.c"

/* Reports the errors of the compiler; true if there are none. */
static bool check_errors(void *unit) {
  const unsigned count = clang.getNumDiagnostics(unit);
  enum { kMaxShown = 5 };
  int num_errors = 0;
  unsigned i;
  for (i = 0; i < count; ++i) {
    void *diagnostic = clang.getDiagnostic(unit, i);
    if (clang.getDiagnosticSeverity(diagnostic) >= kSeverityError && ++num_errors <= kMaxShown) {
      char *text =
          take_text(clang.formatDiagnostic(diagnostic, clang.defaultDiagnosticDisplayOptions()));
      const char *found = text_begins(text, SOURCE ":") ? strstr(text, "error: ") : NULL;
      if (found != NULL) {
        report_error_line("--header: %s", found + strlen("error: "));
      } else {
        report_error_line("%s", text);
      }
      free(text);
    }
    clang.disposeDiagnostic(diagnostic);
  }
  return num_errors == 0;
}

/* A structure that a function makes is its own, though the header has the members. */
static void mark_objects(header_content *content) {
  name_table made = {NULL, 0, NULL, 0};
  size_t i, k;
  for (i = 0; i < content->num_functions; ++i) {
    const header_type *result = &content->functions[i].result;
    if (result->kind == kHeaderObject && result->object != NULL && !result->is_const) {
      name_table_add(&made, result->object);
    }
  }
  for (i = 0; i < content->num_functions; ++i) {
    header_function *function = &content->functions[i];
    for (k = 0; k <= function->num_params; ++k) {
      header_type *type = k > 0 ? &function->params[k - 1].type : &function->result;
      if (type->object != NULL && name_table_find(&made, type->object) != SIZE_MAX) {
        type->is_known = false;
      }
    }
  }
  name_table_free(&made);
}

static void read_functions(void *unit, header_content *out) {
  header_reader reader = {NULL, {NULL, 0, NULL, 0}, NULL, 0};
  reader.out = out;
  clang.getInclusions(unit, see_inclusion, &reader);
  clang.visitChildren(clang.getTranslationUnitCursor(unit), visit, &reader);
  mark_objects(out);
  free(reader.own);
  name_table_free(&reader.names);
}

/* Parses a source that includes the headers. False after a report. */
static bool parse(const header_request *request, const word_list *words, header_content *out) {
  clang_file_text texts[kNumOwnHeaders + 1];
  text_buf source = {NULL, 0, 0};
  void *index = clang.createIndex(0, 0), *unit = NULL;
  bool good;
  int code;
  size_t i;
  for (i = 0; i < request->headers.count; ++i) {
    const char *name = request->headers.items[i];
    text_add(&source, *name == '<' ? "#include %s\n" : "#include \"%s\"\n", name);
  }
  for (i = 0; i < kNumOwnHeaders; ++i) {
    texts[i].name = kOwnHeaders[i].path;
    texts[i].content = kOwnHeaders[i].content;
    texts[i].size = (unsigned long)strlen(kOwnHeaders[i].content);
  }
  texts[i].name = SOURCE;
  texts[i].content = source.data;
  texts[i].size = (unsigned long)source.size;
  code =
      clang.parseTranslationUnit2(index, SOURCE, (const char *const *)words->items,
                                  (int)words->size, texts, kNumOwnHeaders + 1, kSkipBodies, &unit);
  good = code == 0 || report_error("libclang failed with code %d", code);
  good = good && check_errors(unit);
  if (good) read_functions(unit, out);
  if (unit != NULL) clang.disposeTranslationUnit(unit);
  clang.disposeIndex(index);
  text_free(&source);
  return good;
}

bool header_read(const header_request *request, header_content *out) {
  static const char *const kWords[] = {"-xc", "-std=gnu11", "-fparse-all-comments", "-w"};
  word_list words = {NULL, 0};
  bool good;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!load(request->library)) return false;
  for (i = 0; i < sizeof kWords / sizeof *kWords; ++i) words_add(&words, kWords[i]);
  for (i = 0; i < request->flags.count; ++i) words_add_text(&words, request->flags.items[i]);
  words_add(&words, "-idirafter");
  words_add(&words, OWN_FOLDER);
  good = parse(request, &words, out);
  words_free(&words);
  return good;
}

void header_free(header_content *content) {
  size_t i;
  for (i = 0; i < content->num_functions; ++i) free_function(&content->functions[i]);
  free(content->functions);
  memset(content, 0, sizeof *content);
}
