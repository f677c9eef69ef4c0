/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules. A Module object is laid out as C++ code sees it: a word for its virtual table in front
 * of the header, then imports and the cache of looked-up functions, then what the kind of module
 * has of its own.
 */
#ifndef TVMFFI_MODULE_MODULE_H_
#define TVMFFI_MODULE_MODULE_H_

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "base/buf.h"
#include "module/module_set.h"

static inline bool tvmffi_bytes_are(const TVMFFIByteArray *bytes, const char *text) {
  return bytes->size == strlen(text) && memcmp(bytes->data, text, bytes->size) == 0;
}

typedef struct tvmffi_module tvmffi_module;

/* Bits of a module's property mask. */
enum {
  kTvmffiModuleBinarySerializable = 1,
  kTvmffiModuleRunnable = 2,
  kTvmffiModuleCompilationExportable = 4
};

/* What a kind of module does. Members that may be NULL say so. */
typedef struct {
  const char *kind;
  int64_t property_mask;
  /* *out is an owned Function, or NULL when there is none of that name. */
  int (*get_function)(tvmffi_module *self, const TVMFFIByteArray *name, TVMFFIObject **out);
  /* NULL: whether get_function gives one. */
  int (*implements_function)(tvmffi_module *self, const TVMFFIByteArray *name, bool *out);
  /* *out is an owned text, or None. NULL: there is none. */
  int (*get_metadata)(tvmffi_module *self, const TVMFFIByteArray *name, TVMFFIAny *out);
  int (*get_doc)(tvmffi_module *self, const TVMFFIByteArray *name, TVMFFIAny *out);
  /* Gives up what the kind has of its own, with tvmffi_object_release_nested. NULL: nothing. */
  void (*destroy)(tvmffi_module *self);
} tvmffi_module_class;

struct tvmffi_module {
  TVMFFIObject header;
  TVMFFIObject *imports;      /* Array of Modules; changed under the lock of imports.c */
  TVMFFIObject *lookup_cache; /* Map from text to Function; under the lock of imports.c */
  /* From here on it is ours, not C++ code's. */
  const tvmffi_module_class *type;
};

/* The bytes in front of the header: the table's word, and padding where headers are 8-aligned. */
struct tvmffi_module_front {
  void *virtual_table;
  TVMFFIObject header;
};
#define TVMFFI_MODULE_PREFIX offsetof(struct tvmffi_module_front, header)

/* Where C++ code, and __tvm_ffi__library_ctx, say the module is. */
static inline void *tvmffi_module_context(tvmffi_module *module) {
  return (char *)module - TVMFFI_MODULE_PREFIX;
}

/*
 * A module of size bytes, imports and cache empty. What lies behind the base is the caller's to
 * fill in, before anything else happens to the module. NULL with MemoryError.
 */
void *tvmffi_module_new(size_t size, const tvmffi_module_class *type);

/* The module that an object is; RuntimeError when its methods are other code's. */
int tvmffi_module_from_object(TVMFFIObject *obj, tvmffi_module **out);

typedef enum {
  kTvmffiModuleFunction,   /* a Function */
  kTvmffiModuleImplements, /* Bool true */
  kTvmffiModuleMetadata,   /* a text */
  kTvmffiModuleDoc         /* a text */
} tvmffi_module_question;

/* Asks one module: an owned answer, or None when it has none. */
int tvmffi_module_ask(TVMFFIObject *module, tvmffi_module_question question,
                      const TVMFFIByteArray *name, TVMFFIAny *out);

/* Asks a module, and on request those it imports, depth first, until there is an answer. */
int tvmffi_module_query(TVMFFIObject *module, tvmffi_module_question question,
                        const TVMFFIByteArray *name, bool query_imports, TVMFFIAny *out);

/* Keeps a module for the process, or no longer. */
int tvmffi_module_pin(TVMFFIObject *module);
void tvmffi_module_unpin(TVMFFIObject *module);

/* Releases what the module layer holds: pinned modules, system libraries, its tables. */
void tvmffi_module_shutdown(void);

/* ---- imports.c ------------------------------------------------------------------------------- */

/* RuntimeError when self would import itself, by whatever detour. */
int tvmffi_imports_add(tvmffi_module *self, TVMFFIObject *other);
int tvmffi_imports_clear(tvmffi_module *self);

/*
 * All modules that a module imports, directly or not, each once, in the order of a walk that goes
 * to the imports of one before it goes to the next. Each is retained: see _release.
 */
int tvmffi_imports_collect(tvmffi_module *self, tvmffi_module_set *out);
void tvmffi_imports_release(tvmffi_module_set *collected);

/* ---- loader.c -------------------------------------------------------------------------------- */

/* Loads a module from a file, by the loader that is registered for its format. */
int tvmffi_loader_load_file(const TVMFFIByteArray *path, TVMFFIObject **out);

/*
 * The global function named prefix + key, NULL when there is none. The name is left in *name, an
 * empty buffer that the caller gives up whatever happens.
 */
int tvmffi_loader_find(const char *prefix, const TVMFFIByteArray *key, tvmffi_buf *name,
                       TVMFFIObject **out);

/* Calls a loader; TypeError unless it gives a Module. */
int tvmffi_loader_call(TVMFFIObject *loader, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIObject **out);

#endif /* TVMFFI_MODULE_MODULE_H_ */
