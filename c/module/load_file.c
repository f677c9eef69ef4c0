/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules in files: libraries, and files of any format for which a loader is registered. In a file
 * of its own, which programs without the part Loading do not take from the archive.
 */
#include "module/library.h"

#include <stdbool.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/module.h"
#include "platform/compiler.h"
#include "platform/platform.h"

/* ---- Libraries in files ---- */

static void *find_file_symbol(const tvmffi_library *library, const char *name, size_t size) {
  (void)size;
  return tvmffi_dl_symbol(library->file->handle, name);
}

TVMFFI_NOINLINE static int look_up_and_keep(const tvmffi_library *library,
                                            const TVMFFIByteArray *name, uint64_t hash,
                                            void **out) {
  TVMFFI_TRY(tvmffi_library_look_up_kernel(library, name, out));
  if (*out != NULL) {
    /* Out of memory, the next lookup asks the system again. */
    (void)tvmffi_library_file_keep_kernel(library->file, name, hash, *out);
  }
  return 0;
}

static int find_kernel(const tvmffi_library *library, const TVMFFIByteArray *name, void **out) {
  uint64_t hash = tvmffi_hash_bytes(name->data, name->size);
  *out = tvmffi_library_file_find_kernel(library->file, name, hash);
  return TVMFFI_LIKELY(*out != NULL) ? 0 : look_up_and_keep(library, name, hash, out);
}

static void close_file(tvmffi_library *library) {
  tvmffi_library_file_close(library->file);
}

static const tvmffi_library_source kFile = {find_file_symbol, find_kernel, tvmffi_dl_symbol_size,
                                            close_file};

int tvmffi_library_open(const TVMFFIByteArray *path, tvmffi_library **out) {
  static const TVMFFIByteArray no_prefix = {NULL, 0};
  tvmffi_library_file *file;
  TVMFFI_TRY(tvmffi_library_file_open(path, &file));
  if (tvmffi_library_new(&kFile, file, &no_prefix, out) != 0) {
    tvmffi_library_file_close(file);
    return -1;
  }
  return 0;
}

/* ---- Files of any format ---- */

/*
 * Kernel libraries find these functions in the program if it links the static library. A linker
 * takes from that only what the program itself refers to; so this file, which loads libraries,
 * refers to all of them. Nothing reads the list; the shared library is linked without it, because
 * its linker drops unreferenced sections.
 */
typedef void (*any_function)(void);
TVMFFI_USED static const any_function kNeededByLibraries[] = {
    (any_function)TVMFFIAnyViewToOwnedAny,
    (any_function)TVMFFIBacktrace,
    (any_function)TVMFFIBigIntFromByteArray,
    (any_function)TVMFFIBigIntGetContentByteArray,
    (any_function)TVMFFIBytesFromByteArray,
    (any_function)TVMFFIDataTypeFromString,
    (any_function)TVMFFIDataTypeToString,
    (any_function)TVMFFIEnvCheckSignals,
    (any_function)TVMFFIEnvGetDLPackManagedTensorAllocator,
    (any_function)TVMFFIEnvGetStream,
    (any_function)TVMFFIEnvModLookupFromImports,
    (any_function)TVMFFIEnvModRegisterContextSymbol,
    (any_function)TVMFFIEnvModRegisterSystemLibSymbol,
    (any_function)TVMFFIEnvRegisterCAPI,
    (any_function)TVMFFIEnvSetDLPackManagedTensorAllocator,
    (any_function)TVMFFIEnvSetStream,
    (any_function)TVMFFIEnvTensorAlloc,
    (any_function)TVMFFIErrorCreate,
    (any_function)TVMFFIErrorCreateWithCauseAndExtraContext,
    (any_function)TVMFFIErrorMoveFromRaised,
    (any_function)TVMFFIErrorSetRaised,
    (any_function)TVMFFIErrorSetRaisedFromCStr,
    (any_function)TVMFFIErrorSetRaisedFromCStrParts,
    (any_function)TVMFFIFunctionCall,
    (any_function)TVMFFIFunctionCreate,
    (any_function)TVMFFIFunctionGetGlobal,
    (any_function)TVMFFIFunctionSetGlobal,
    (any_function)TVMFFIFunctionSetGlobalFromMethodInfo,
    (any_function)TVMFFIGetCustomAllocator,
    (any_function)TVMFFIGetTypeAttrColumn,
    (any_function)TVMFFIGetTypeInfo,
    (any_function)TVMFFIGetVersion,
    (any_function)TVMFFIHandleDeinitOnce,
    (any_function)TVMFFIHandleInitOnce,
    (any_function)TVMFFIObjectCreateOpaque,
    (any_function)TVMFFIObjectDecRef,
    (any_function)TVMFFIObjectIncRef,
    (any_function)TVMFFISetCustomAllocator,
    (any_function)TVMFFIStringFromByteArray,
    (any_function)TVMFFITensorCreateUnsafeView,
    (any_function)TVMFFITensorFromDLPack,
    (any_function)TVMFFITensorFromDLPackVersioned,
    (any_function)TVMFFITensorToDLPack,
    (any_function)TVMFFITensorToDLPackVersioned,
    (any_function)TVMFFITypeGetOrAllocIndex,
    (any_function)TVMFFITypeKeyToIndex,
    (any_function)TVMFFITypeRegisterAttr,
    (any_function)TVMFFITypeRegisterField,
    (any_function)TVMFFITypeRegisterMetadata,
    (any_function)TVMFFITypeRegisterMethod,
};

/* The part after the last slash or backslash. */
static TVMFFIByteArray find_base_name(const TVMFFIByteArray *path) {
  TVMFFIByteArray base = *path;
  size_t i;
  for (i = 0; i < path->size; ++i) {
    if (path->data[i] == '/' || path->data[i] == '\\') {
      base.data = path->data + i + 1;
      base.size = path->size - i - 1;
    }
  }
  return base;
}

/* Splits at the last dot; false when there is none. */
static bool split_extension(TVMFFIByteArray *name, TVMFFIByteArray *out_extension) {
  size_t i = name->size;
  while (i != 0 && name->data[i - 1] != '.') --i;
  if (i == 0) return false;
  out_extension->data = name->data + i;
  out_extension->size = name->size - i;
  name->size = i - 1;
  return true;
}

static bool is_number(const TVMFFIByteArray *bytes) {
  size_t i;
  for (i = 0; i < bytes->size && tvmffi_is_digit(bytes->data[i]); ++i) continue;
  return i == bytes->size && i != 0;
}

/* The format for a file name. All names for libraries, on any system, give `so`. */
static TVMFFIByteArray find_format(const TVMFFIByteArray *path) {
  static const TVMFFIByteArray so = {"so", 2};
  TVMFFIByteArray name = find_base_name(path), extension, unversioned;
  if (!split_extension(&name, &extension)) return so;
  if (tvmffi_bytes_are(&extension, "dll") || tvmffi_bytes_are(&extension, "dylib") ||
      tvmffi_bytes_are(&extension, "dso")) {
    return so;
  }
  for (unversioned = extension; is_number(&unversioned);) { /* libname.so.1.2 */
    if (!split_extension(&name, &unversioned)) break;
  }
  return tvmffi_bytes_are(&unversioned, "so") ? so : extension;
}

/*
 * Finds the loader for a file format. The text of the error is the one that the reference gives,
 * with its missing spaces.
 */
static int find_format_loader(const TVMFFIByteArray *format, TVMFFIObject **out) {
  tvmffi_buf name = TVMFFI_BUF_INIT;
  int rc = tvmffi_loader_find("ffi.Module.load_from_file.", format, &name, out);
  if (rc == 0 && *out == NULL) {
    rc = tvmffi_fail("RuntimeError",
                     "Loader for `.%.*s` files is not registered, resolved to (%s) in the global "
                     "registry.Ensure that you have loaded the correct runtime code, andthat you "
                     "are on the correct hardware architecture.",
                     tvmffi_shown_size(format->size), format->data, name.data);
  }
  tvmffi_buf_fini(&name);
  return rc;
}

#ifdef TVMFFI_PROFILE_FULL

/* Whether a path is `isolated:` or `isolated,OPTIONS:`, and what to load. */
static bool names_isolated(const TVMFFIByteArray *path) {
  static const char kScheme[] = "isolated";
  const size_t size = sizeof kScheme - 1;
  return path->size > size && memcmp(path->data, kScheme, size) == 0 &&
         (path->data[size] == ':' ||
          (path->data[size] == ',' && memchr(path->data, ':', path->size) != NULL));
}

/* Such a path is for a library beside this one, which stays open (docs/guide/isolated.md). */
static int load_isolated(const TVMFFIByteArray *path, TVMFFIObject **out) {
  int (*load)(const TVMFFIByteArray *path, TVMFFIObjectHandle *out);
  TVMFFIObjectHandle module;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  static const char kName[] = "libtvm_ffi_isolated" TVMFFI_LIBRARY_ENDING;
  void *library = tvmffi_dl_open_beside(kName, &reason.to_set);
  void *symbol = library != NULL ? tvmffi_dl_symbol(library, "tvm_ffi_isolated_load_named") : NULL;
  if (symbol == NULL) {
    (void)tvmffi_fail(
        "RuntimeError",
        "Failed to load `%.*s`: %s, which runs kernels in a process of their own on "
        "Linux and macOS, cannot be used: %s",
        tvmffi_shown_size(path->size), path->data, kName,
        library != NULL ? "it has no tvm_ffi_isolated_load_named" : reason.to_set.text);
    tvmffi_buf_fini(&reason.buf);
    return -1;
  }
  tvmffi_buf_fini(&reason.buf);
  memcpy(&load, &symbol, sizeof load);
  TVMFFI_TRY(load(path, &module));
  *out = module;
  return 0;
}

#endif

TVMFFI_COLD int tvmffi_loader_load_file(const TVMFFIByteArray *path, TVMFFIObject **out) {
  TVMFFIAny args[2];
  TVMFFIByteArray format;
  TVMFFIObject *loader = NULL;
  int rc = -1;
  args[0] = args[1] = tvmffi_any_none();
  if (path->size == 0) {
    return tvmffi_fail("RuntimeError", "Failed to get file format from an empty path");
  }
#ifdef TVMFFI_PROFILE_FULL
  if (names_isolated(path)) return load_isolated(path, out);
#endif
  format = find_format(path);
  TVMFFI_TRY(find_format_loader(&format, &loader));
  if (tvmffi_string_to_any(path->data, path->size, &args[0]) != 0) goto done;
  if (tvmffi_string_to_any(format.data, format.size, &args[1]) != 0) goto done;
  rc = tvmffi_loader_call(loader, args, 2, out);
done:
  tvmffi_any_release(&args[0]);
  tvmffi_any_release(&args[1]);
  tvmffi_object_release(loader);
  return rc;
}

int TVMFFIRuntimeModuleLoad(const char *path, TVMFFIObjectHandle *out) {
  TVMFFIByteArray bytes;
  TVMFFIObject *module;
  TVMFFI_REQUIRE(path);
  TVMFFI_REQUIRE(out);
  bytes.data = path;
  bytes.size = strlen(path);
  TVMFFI_TRY(tvmffi_loader_load_file(&bytes, &module));
  *out = module;
  return 0;
}

/* ---- The functions of the part Loading ---- */

static int load_from_file(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray path = tvmffi_builtin_text(&args[0]);
  TVMFFIObject *module;
  TVMFFI_TRY(tvmffi_loader_load_file(&path, &module));
  *result = tvmffi_any_object(module);
  return 0;
}

/* The loader for libraries. */
static int load_library(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray path = tvmffi_builtin_text(&args[0]);
  tvmffi_library *library;
  TVMFFIObject *module = NULL;
  int rc;
  TVMFFI_TRY(tvmffi_library_open(&path, &library));
  rc = tvmffi_library_load(library, &module);
  tvmffi_object_release(library);
  if (rc == 0) *result = tvmffi_any_object(module);
  return rc;
}

#define FUNCTIONS(F)                                      \
  F("ffi.Module.load_from_file.so", "ss>M", load_library) \
  F("ffi.ModuleLoadFromFile", "s>M", load_from_file)

TVMFFI_BUILTIN_GROUP(tvmffi_loading_builtins, FUNCTIONS);
