/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of library_bin.c, which describes the format. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "base/stack.h"
#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "module/library.h"
#include "module/module.h"

/*
 * The modules of a tree, each once, numbered breadth first: the root, its imports, then theirs. The
 * root and the lists of imports keep them alive.
 */
typedef struct {
  tvmffi_module_set modules;
  tvmffi_stack imports; /* TVMFFIObject *: for each module a retained Array, or NULL */
} packing;

static void put_int(tvmffi_buf *buffer, uint64_t value) {
  char bytes[8];
  size_t i;
  for (i = 0; i < sizeof bytes; ++i) bytes[i] = (char)(unsigned char)(value >> 8 * i);
  tvmffi_buf_append(buffer, bytes, sizeof bytes);
}

static void put_bytes(tvmffi_buf *buffer, const TVMFFIByteArray *bytes) {
  put_int(buffer, bytes->size);
  tvmffi_buf_append(buffer, bytes->data, bytes->size);
}

/* ---- The tree ---- */

static TVMFFIObject *imports_of(const packing *t, size_t module) {
  return *(TVMFFIObject **)tvmffi_stack_at(&t->imports, module);
}

static int64_t num_imports(const packing *t, size_t module) {
  TVMFFIObject *imports = imports_of(t, module);
  return imports == NULL ? 0 : tvmffi_array_size(imports);
}

/* NULL if the element is not a module: foreign code can store anything there. */
static TVMFFIObject *import_at(const packing *t, size_t module, int64_t i) {
  const TVMFFIAny *import = &tvmffi_array_items(imports_of(t, module))[i];
  return import->type_index == kTVMFFIModule ? import->v_obj : NULL;
}

/* Fails only without memory, with no error raised. */
static int collect_packed(TVMFFIObject *root, packing *t) {
  size_t i;
  int64_t j;
  if (tvmffi_module_set_add(&t->modules, root) < 0) return -1;
  for (i = 0; i < t->modules.size; ++i) {
    TVMFFIObject **imports = tvmffi_stack_push(&t->imports);
    if (imports == NULL) return -1;
    *imports = tvmffi_imports_get(t->modules.items[i]);
    for (j = 0; j < num_imports(t, i); ++j) {
      TVMFFIObject *import = import_at(t, i, j);
      if (import != NULL && tvmffi_module_set_add(&t->modules, import) < 0) return -1;
    }
  }
  return 0;
}

static void fini_packing(packing *t) {
  size_t i;
  for (i = 0; i < t->imports.size; ++i) tvmffi_object_release(imports_of(t, i));
  tvmffi_stack_fini(&t->imports);
  tvmffi_module_set_fini(&t->modules);
}

/* ---- Writing ---- */

static void put_imports(const packing *t, tvmffi_buf *buffer) {
  tvmffi_buf children = TVMFFI_BUF_INIT;
  uint64_t num_children = 0;
  size_t i;
  int64_t j;
  put_int(buffer, t->modules.size + 1);
  put_int(buffer, 0);
  for (i = 0; i < t->modules.size; ++i) {
    for (j = 0; j < num_imports(t, i); ++j) {
      const TVMFFIObject *import = import_at(t, i, j);
      if (import == NULL) continue;
      put_int(&children, tvmffi_module_set_find(&t->modules, import));
      ++num_children;
    }
    put_int(buffer, num_children);
  }
  put_int(buffer, num_children);
  tvmffi_buf_append(buffer, children.data, children.size);
  buffer->failed |= children.failed;
  tvmffi_buf_fini(&children);
}

/* Writes the kind and the payload of a module that is not code in the library. */
static int put_payload(TVMFFIObject *module, const TVMFFIByteArray *kind, bool is_serializable,
                       tvmffi_buf *buffer) {
  TVMFFIAny saved;
  TVMFFIByteArray payload = {NULL, 0};
  if (kind->size == 0 || tvmffi_bytes_are(kind, "_lib")) { /* possible in C++ code */
    return tvmffi_fail("RuntimeError", "Module[%.*s] cannot be embedded: it has no kind of its own",
                       tvmffi_shown_size(kind->size), kind->data);
  }
  if (!is_serializable) {
    return tvmffi_fail("RuntimeError",
                       "Module[%.*s] cannot be embedded: it is not binary-serializable",
                       tvmffi_shown_size(kind->size), kind->data);
  }
  TVMFFI_TRY(tvmffi_module_call(module, kTvmffiModuleSaveToBytes, NULL, &saved));
  (void)tvmffi_any_get_bytes(&saved, &payload);
  put_bytes(buffer, kind);
  put_bytes(buffer, &payload);
  tvmffi_any_release(&saved);
  if (payload.size != 0) return 0;
  return tvmffi_fail("RuntimeError", "Module[%.*s] cannot be embedded: it was saved to no bytes",
                     tvmffi_shown_size(kind->size), kind->data);
}

/* *library is the library that the tree will be embedded in, NULL as long as it is not known. */
static int put_module(TVMFFIObject *module, const void **library, tvmffi_buf *buffer) {
  static const TVMFFIByteArray lib = {"_lib", 4};
  const void *own_library = tvmffi_library_identity(module);
  TVMFFIAny mask, kind;
  TVMFFIByteArray kind_bytes;
  int rc;
  if (own_library != NULL) {
    if (*library == NULL) *library = own_library;
    if (*library != own_library) {
      return tvmffi_fail("RuntimeError",
                         "Module[library] cannot be embedded: the tree has modules of two "
                         "libraries");
    }
    put_bytes(buffer, &lib);
    return 0;
  }
  TVMFFI_TRY(tvmffi_module_call(module, kTvmffiModulePropertyMask, NULL, &mask));
  if ((mask.v_int64 & kTVMFFIRuntimeModuleCompilationExportable) != 0) {
    put_bytes(buffer, &lib);
    return 0;
  }
  TVMFFI_TRY(tvmffi_module_call(module, kTvmffiModuleKind, NULL, &kind));
  (void)tvmffi_any_get_text(&kind, &kind_bytes);
  rc = put_payload(module, &kind_bytes,
                   (mask.v_int64 & kTVMFFIRuntimeModuleBinarySerializable) != 0, buffer);
  tvmffi_any_release(&kind);
  return rc;
}

TVMFFI_COLD int TVMFFIRuntimeModulePack(TVMFFIObjectHandle root, TVMFFIAny *out) {
  TVMFFIObject *module = root;
  packing t = {TVMFFI_MODULE_SET_INIT, {NULL, sizeof(TVMFFIObject *), 0, 0}};
  tvmffi_buf body = TVMFFI_BUF_INIT, all = TVMFFI_BUF_INIT;
  const void *library = NULL;
  TVMFFIByteArray bytes;
  size_t i;
  int rc = 0;
  TVMFFI_REQUIRE(root);
  TVMFFI_REQUIRE(out);
  if (module->type_index != kTVMFFIModule) {
    return tvmffi_fail("TypeError", "%s: expected `root` to be a `ffi.Module`, but got a `%s`",
                       __func__, tvmffi_type_key(module->type_index));
  }
  if (collect_packed(module, &t) == 0) {
    put_imports(&t, &body);
  } else {
    body.failed = true;
  }
  for (i = 0; rc == 0 && !body.failed && i < t.modules.size; ++i) {
    rc = put_module(t.modules.items[i], &library, &body);
  }
  if (rc == 0) {
    put_int(&all, body.size);
    tvmffi_buf_append(&all, body.data, body.size);
    if (body.failed || all.failed) {
      rc = tvmffi_fail_memory();
    } else {
      bytes.data = all.data;
      bytes.size = all.size;
      rc = TVMFFIBytesFromByteArray(&bytes, out);
    }
  }
  tvmffi_buf_fini(&body);
  tvmffi_buf_fini(&all);
  fini_packing(&t);
  return rc;
}
