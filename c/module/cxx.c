/* SPDX-License-Identifier: Apache-2.0 */
#include "module/module.h"

#include <limits.h>

#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "module/cxx_helper.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/platform.h"

/* ---- Calls of methods in C++ ---- */

/* The helper that is linked in, or else a library that is loaded on first use and never closed. */
#if TVMFFI_HAS_OPTIONAL_SYMBOLS
/* Weak and hidden: the linker makes the address NULL unless the helper is linked in. */
extern const tvmffi_cxx_helper tvmffi_cxx_helper_v1 __attribute__((weak, visibility("hidden")));
static const tvmffi_cxx_helper *helper = &tvmffi_cxx_helper_v1;
#else
static const tvmffi_cxx_helper *helper = NULL;
#endif

/* NULL, with the reason, when the helper cannot be loaded; the next call tries again. */
static const tvmffi_cxx_helper *ensure_helper(tvmffi_dl_reason *reason) {
  const tvmffi_cxx_helper *found = tvmffi_atomic_load_acquire_ptr(&helper);
  void *library;
  if (found != NULL) return found;
  library = tvmffi_dl_open_beside("libtvm_ffi_cxx" TVMFFI_LIBRARY_ENDING, reason);
  if (library == NULL) return NULL;
  found = tvmffi_dl_symbol(library, TVMFFI_CXX_HELPER_SYMBOL);
  if (found != NULL) {
    tvmffi_cxx_complete_type_info(library);
    tvmffi_atomic_store_release_ptr(&helper, found);
  } else {
    reason->set(reason, "it is of another version");
    tvmffi_dl_close(library);
  }
  return found;
}

/* Methods take `const String &`, which is a small string or an object, never a raw text. */
static int own_texts(tvmffi_module_method method, const TVMFFIAny *args, TVMFFIAny *out) {
  static const unsigned char kNumTexts[kTvmffiModuleNumMethods] = {0, 0, 1, 1, 1, 1,
                                                                   2, 0, 0, 1, 0, 0};
  unsigned i;
  for (i = 0; i < kNumTexts[method]; ++i) {
    if (TVMFFIAnyViewToOwnedAny(&args[i], &out[i]) != 0) return -1;
  }
  if (method == kTvmffiModuleImport) {
    out[0] = args[0];
    tvmffi_object_retain(out[0].v_obj);
  }
  return 0;
}

static int raise_thrown(const tvmffi_cxx_thrown *thrown) {
  if (thrown->error == NULL) return tvmffi_fail("InternalError", "%s", thrown->text);
  TVMFFIErrorSetRaised(thrown->error);
  tvmffi_object_release(thrown->error);
  return -1;
}

int tvmffi_cxx_call(TVMFFIObject *module, tvmffi_module_method method, const TVMFFIAny *args,
                    TVMFFIAny *result) {
  TVMFFIAny owned[2];
  tvmffi_cxx_thrown thrown;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  const tvmffi_cxx_helper *found = ensure_helper(&reason.to_set);
  int rc;
  if (found == NULL) {
    (void)tvmffi_fail("RuntimeError",
                      "The methods of this ffi.Module are C++ code: calling them needs "
                      "libtvm_ffi_cxx.so beside libtvm_ffi, or where libraries are looked for: %s",
                      reason.to_set.text);
  }
  tvmffi_buf_fini(&reason.buf);
  if (found == NULL) return -1;
  owned[0] = owned[1] = tvmffi_any_none();
  rc = own_texts(method, args, owned);
  if (rc == 0) {
    rc = found->call(tvmffi_module_to_cxx(module), method, owned, result, &thrown);
    if (rc != 0) rc = raise_thrown(&thrown);
    if (rc == 0 && method == kTvmffiModuleKind) rc = TVMFFIAnyViewToOwnedAny(result, result);
  }
  tvmffi_any_release(&owned[0]);
  tvmffi_any_release(&owned[1]);
  return rc;
}

/* Throws the raised error as a C++ exception. Returns only when the helper library is missing. */
static void cxx_throw_raised(void) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  const tvmffi_cxx_helper *found = ensure_helper(&reason.to_set);
  TVMFFIObjectHandle error = NULL;
  tvmffi_buf_fini(&reason.buf);
  if (found == NULL) return; /* the error stays raised */
  TVMFFIErrorMoveFromRaised(&error);
  if (error != NULL) found->raise(error);
}

/* ---- The virtual table of modules in C ---- */

/*
 * ModuleObj as C++ code of the Itanium ABI knows it: the virtual table and the type_info of the
 * class, and its two methods that are defined in the library, under their mangled names. Libraries
 * with subclasses link to these four symbols. That needs no C++ runtime: the parts of type_info
 * that come from one are filled in when there is one.
 *
 * The symbols are weak, so that another definition in the process wins. The modules of this library
 * use a virtual table of their own.
 */

/* ---- Virtual methods: C++ calls them for our modules ---- */

/*
 * During construction and destruction a C++ module has the virtual table of its base class, which
 * may be this one. It is not a module of this library, and gets no answer.
 */
static int answer(void *self, tvmffi_module_method method, const TVMFFIAny *args,
                  TVMFFIAny *result) {
  TVMFFIObject *module = tvmffi_module_from_cxx(self);
  *result = tvmffi_any_none();
  if (tvmffi_module_is_own(module) && tvmffi_module_call(module, method, args, result) != 0) {
    cxx_throw_raised();
  }
  return result->type_index;
}

static const char *cxx_get_kind(void *self) {
  const tvmffi_module *module = (tvmffi_module *)(void *)tvmffi_module_from_cxx(self);
  return tvmffi_module_is_own(&module->header) ? module->vtable->kind : "";
}

static int cxx_get_property_mask(void *self) {
  TVMFFIAny result;
  (void)answer(self, kTvmffiModulePropertyMask, NULL, &result);
  return (int)result.v_int64;
}

static bool cxx_implements_function(void *self, const TVMFFIAny *name) {
  TVMFFIAny result;
  (void)answer(self, kTvmffiModuleImplementsFunction, name, &result);
  return result.v_int64 != 0;
}

static void cxx_write_to_file(void *self, const TVMFFIAny *path, const TVMFFIAny *format) {
  TVMFFIAny args[2], result;
  args[0] = *path;
  args[1] = *format;
  (void)answer(self, kTvmffiModuleWriteToFile, args, &result);
}

/*
 * The other methods return objects, which C++ returns in memory that the caller provides. `text` is
 * None when absent; String and Bytes have no such state and become empty.
 */
static void cxx_get_function(void *self, const TVMFFIAny *name, TVMFFIObject **out) {
  TVMFFIAny result;
  *out = NULL;
  (void)answer(self, kTvmffiModuleGetFunction, name, &result);
  *out = result.v_obj;
}

static void cxx_get_doc(void *self, const TVMFFIAny *name, TVMFFIAny *out) {
  (void)answer(self, kTvmffiModuleGetDoc, name, out);
}

static void cxx_get_metadata(void *self, const TVMFFIAny *name, TVMFFIAny *out) {
  (void)answer(self, kTvmffiModuleGetMetadata, name, out);
}

static void cxx_get_write_formats(void *self, const TVMFFIAny *unused, TVMFFIObject **out) {
  TVMFFIAny result;
  (void)unused;
  *out = NULL;
  (void)answer(self, kTvmffiModuleGetWriteFormats, NULL, &result);
  *out = result.v_obj;
}

static void cxx_save_to_bytes(void *self, const TVMFFIAny *unused, TVMFFIAny *out) {
  (void)unused;
  if (answer(self, kTvmffiModuleSaveToBytes, NULL, out) == kTVMFFINone) {
    out->type_index = kTVMFFISmallBytes;
  }
}

static void cxx_inspect_source(void *self, const TVMFFIAny *format, TVMFFIAny *out) {
  if (answer(self, kTvmffiModuleInspectSource, format, out) == kTVMFFINone) {
    out->type_index = kTVMFFISmallStr;
  }
}

/* ---- Results that are returned in memory ---- */

typedef TVMFFIObject *handle_result;
typedef TVMFFIAny any_result;

#if defined(__i386__)
/* i386: like any struct, in memory whose address the callee pops off the stack. */
#define RETURNS_IN_MEMORY(name, result_type)                           \
  typedef struct {                                                     \
    result_type value;                                                 \
  } name##_result;                                                     \
  static name##_result name##_slot(void *self, const TVMFFIAny *arg) { \
    name##_result result;                                              \
    name(self, arg, &result.value);                                    \
    return result;                                                     \
  }
#elif defined(__aarch64__)
/* AArch64 passes the address of the result in x8: two instructions make it the third argument. */
#define SLOT(name) TVMFFI_ASM_NAME("tvmffi_" #name "_slot")
#define RETURNS_IN_MEMORY(name, result_type)                                                       \
  __attribute__((used, visibility("hidden"))) void tvmffi_##name(void *self, const TVMFFIAny *arg, \
                                                                 result_type *out);                \
  void tvmffi_##name(void *self, const TVMFFIAny *arg, result_type *out) {                         \
    name(self, arg, out);                                                                          \
  }                                                                                                \
  void name##_slot(void) __asm__(SLOT(name));                                                      \
  __asm__(".text\n.p2align 2\n" TVMFFI_ASM_FUNCTION(SLOT(name))                                    \
              SLOT(name) ":\n.cfi_startproc\nhint #34\nmov x2, x8\nb " TVMFFI_ASM_NAME(            \
                  "tvmffi_" #name) "\n.cfi_endproc\n");
#else
/* The address of the result is the first argument, and is returned. */
#define RETURNS_IN_MEMORY(name, result_type)                              \
  static void *name##_slot(void *out, void *self, const TVMFFIAny *arg) { \
    name(self, arg, out);                                                 \
    return out;                                                           \
  }
#endif

RETURNS_IN_MEMORY(cxx_get_function, handle_result)
RETURNS_IN_MEMORY(cxx_get_doc, any_result)
RETURNS_IN_MEMORY(cxx_get_metadata, any_result)
RETURNS_IN_MEMORY(cxx_get_write_formats, handle_result)
RETURNS_IN_MEMORY(cxx_save_to_bytes, any_result)
RETURNS_IN_MEMORY(cxx_inspect_source, any_result)

/* ---- The four symbols ---- */

TVMFFI_REPLACEABLE_EXPORT void _ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE(
    void *self, TVMFFIObject *const *imported);
TVMFFI_REPLACEABLE_EXPORT void _ZN3tvm3ffi9ModuleObj12ClearImportsEv(void *self);

/* ModuleObj::ImportModule(const Module &), for modules of this library and of C++ code */
void _ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE(void *self, TVMFFIObject *const *imported) {
  if (tvmffi_imports_add(tvmffi_module_from_cxx(self), *imported) != 0) cxx_throw_raised();
}

/* ModuleObj::ClearImports() */
void _ZN3tvm3ffi9ModuleObj12ClearImportsEv(void *self) {
  if (tvmffi_imports_clear(tvmffi_module_from_cxx(self)) != 0) cxx_throw_raised();
}

/* Defined by the C++ runtime; NULL without one. */
#if TVMFFI_HAS_OPTIONAL_SYMBOLS
extern const char class_type_info_vtable[] __asm__("_ZTVN10__cxxabiv117__class_type_infoE")
    __attribute__((weak));
extern const char vmi_class_type_info_vtable[] __asm__("_ZTVN10__cxxabiv121__vmi_class_type_infoE")
    __attribute__((weak));
#define INSIDE(vtable) ((vtable) + kTableStart)
#else
#define INSIDE(vtable) NULL
#endif

/* The vtable pointer of an object points past the first two words of the table. */
enum { kTableStart = 2 * sizeof(void *) };

/* std::type_info of a class without bases, and of one with bases. */
typedef struct {
  const char *vtable;
  const char *name;
} class_type_info;

typedef struct {
  class_type_info start;
  unsigned flags, num_bases;
  const class_type_info *base;
  intptr_t base_flags; /* the offset of the base, and the flag for public */
} vmi_class_type_info;

static class_type_info object_type_info = {INSIDE(class_type_info_vtable), "N3tvm3ffi6ObjectE"};

/* typeinfo for ModuleObj */
TVMFFI_REPLACEABLE_EXPORT extern vmi_class_type_info _ZTIN3tvm3ffi9ModuleObjE;
vmi_class_type_info _ZTIN3tvm3ffi9ModuleObjE = {
    {INSIDE(vmi_class_type_info_vtable), "N3tvm3ffi9ModuleObjE"},
    0,
    1,
    &object_type_info,
    (intptr_t)(TVMFFI_MODULE_PREFIX << CHAR_BIT | 2)};

typedef void (*slot)(void);

typedef struct {
  const void *offset_to_top, *type_info;
  slot slots[kTvmffiModuleNumMethods];
} module_vtable;

#define MODULE_VTABLE                                                                              \
  {                                                                                                \
    NULL, &_ZTIN3tvm3ffi9ModuleObjE, {                                                             \
      (slot) cxx_get_kind, (slot)cxx_get_property_mask, (slot)cxx_get_function_slot,               \
          (slot)cxx_implements_function, (slot)cxx_get_doc_slot, (slot)cxx_get_metadata_slot,      \
          (slot)cxx_write_to_file, (slot)cxx_get_write_formats_slot, (slot)cxx_save_to_bytes_slot, \
          (slot)cxx_inspect_source_slot, (slot)_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE, \
          (slot)_ZN3tvm3ffi9ModuleObj12ClearImportsEv                                              \
    }                                                                                              \
  }

/* vtable for ModuleObj */
TVMFFI_REPLACEABLE_EXPORT extern const module_vtable _ZTVN3tvm3ffi9ModuleObjE;
const module_vtable _ZTVN3tvm3ffi9ModuleObjE = MODULE_VTABLE;

const tvmffi_dl_name tvmffi_cxx_names[] = {
    {"_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE",
     {.code = (slot)_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE}},
    {"_ZN3tvm3ffi9ModuleObj12ClearImportsEv",
     {.code = (slot)_ZN3tvm3ffi9ModuleObj12ClearImportsEv}},
    {"_ZTIN3tvm3ffi9ModuleObjE", {.data = &_ZTIN3tvm3ffi9ModuleObjE}},
    {"_ZTVN3tvm3ffi9ModuleObjE", {.data = &_ZTVN3tvm3ffi9ModuleObjE}},
    {NULL, {NULL}},
};

/* Used by the modules of this library only, so it identifies them. */
static const module_vtable own_vtable = MODULE_VTABLE;

const void *tvmffi_cxx_vtable(void) {
  return own_vtable.slots;
}

/* ---- type_info ---- */

/*
 * The system's loader resolves the weak references if a C++ runtime is already loaded. Otherwise
 * they hold kTableStart at most until a library is opened that brings a C++ runtime along.
 */
static bool is_complete(const char *const *vtable) {
  return (uintptr_t)tvmffi_atomic_load_relaxed_ptr(vtable) > kTableStart;
}

static void complete(const char **vtable, void *library, const char *name) {
  const char *found = is_complete(vtable) ? NULL : tvmffi_dl_symbol(library, name);
  if (found == NULL) return;
  tvmffi_dl_keep(found); /* the library and what it brought along may be unloaded */
  tvmffi_atomic_store_release_ptr(vtable, found + kTableStart);
}

void tvmffi_cxx_complete_type_info(void *library) {
  complete(&object_type_info.vtable, library, "_ZTVN10__cxxabiv117__class_type_infoE");
  complete(&_ZTIN3tvm3ffi9ModuleObjE.start.vtable, library,
           "_ZTVN10__cxxabiv121__vmi_class_type_infoE");
}
