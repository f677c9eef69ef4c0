// SPDX-License-Identifier: Apache-2.0
// The C++ functions that binaries built with the reference's headers link. Each calls a function of
// the C layers and throws the error that it raises. Parameters are borrowed, results are the
// caller's.
#include <tvm/ffi/extra/c_runtime_api.h>

// Headers of the C library, which must not be included for the first time inside extern "C".
#include <cstdlib>
#include <cstring>

#include "cxx/classes.h"

extern "C" {
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/string_object.h"
#include "dataclass/dataclass.h"
#include "json/json.h"
#include "json/json_graph.h"
#include "module/module.h"
#include "structural/structural.h"
}

namespace tvm {
namespace ffi {
namespace {

// Throws the error that a C function raised, unless it returned 0.
void Check(int rc) {
  TVMFFIObjectHandle error = nullptr;
  if (rc == 0) return;
  TVMFFIErrorMoveFromRaised(&error);
  throw Error(static_cast<TVMFFIObject *>(error));
}

}  // namespace

// ---- Values ----

TVMFFI_CXX_EXPORT Any DeepCopy(const Any &value) {
  TVMFFIAny result;
  Check(tvmffi_deep_copy(value.get(), &result));
  return Any(result);
}

TVMFFI_CXX_EXPORT String ReprPrint(const Any &value) {
  TVMFFIAny result;
  Check(tvmffi_repr(value.get(), &result));
  return String(result);
}

TVMFFI_CXX_EXPORT std::int64_t RecursiveHash(const Any &value) {
  std::uint64_t hash;
  Check(tvmffi_recursive_hash(value.get(), &hash));
  return static_cast<std::int64_t>(hash);
}

TVMFFI_CXX_EXPORT bool RecursiveEq(const Any &a, const Any &b) {
  bool is_equal;
  Check(tvmffi_recursive_equal(a.get(), b.get(), &is_equal));
  return is_equal;
}

static int Compare(const Any &a, const Any &b) {
  int order;
  Check(tvmffi_recursive_compare(a.get(), b.get(), &order));
  return order;
}

TVMFFI_CXX_EXPORT bool RecursiveLt(const Any &a, const Any &b) {
  return Compare(a, b) < 0;
}

TVMFFI_CXX_EXPORT bool RecursiveLe(const Any &a, const Any &b) {
  return Compare(a, b) <= 0;
}

TVMFFI_CXX_EXPORT bool RecursiveGt(const Any &a, const Any &b) {
  return Compare(a, b) > 0;
}

TVMFFI_CXX_EXPORT bool RecursiveGe(const Any &a, const Any &b) {
  return Compare(a, b) >= 0;
}

// ---- JSON ----

TVMFFI_CXX_EXPORT Any ToJSONGraph(const Any &value, const Any &metadata) {
  TVMFFIAny result;
  Check(tvmffi_json_graph_write(value.get(), metadata.get(), &result));
  return Any(result);
}

TVMFFI_CXX_EXPORT Any FromJSONGraph(const Any &graph) {
  TVMFFIAny result;
  Check(tvmffi_json_graph_read(graph.get(), &result));
  return Any(result);
}

namespace json {

static void SetText(String *out, const TVMFFIByteArray &bytes) {
  TVMFFIAny text;
  Check(tvmffi_string_to_any(bytes.data, bytes.size, &text));
  out->Reset(text);
}

static void TakeRaisedMessage(String *out) {
  TVMFFIObjectHandle raised = nullptr;
  TVMFFIErrorMoveFromRaised(&raised);
  ObjectRef error(static_cast<TVMFFIObject *>(raised));
  SetText(out, TVMFFIErrorGetCellPtr(raised)->message);
}

// If opt_error is given, a bad text does not throw: the result is None and *opt_error the message,
// which is empty on success.
TVMFFI_CXX_EXPORT Any Parse(const String &text, String *opt_error) {
  TVMFFIByteArray bytes = {"", 0};
  TVMFFIAny result = tvmffi_any_none();
  (void)tvmffi_any_get_text(text.get(), &bytes);
  int rc = tvmffi_json_parse(bytes.data, bytes.size, &result);
  Any value(result);
  if (opt_error == nullptr) {
    Check(rc);
  } else if (rc != 0) {
    TakeRaisedMessage(opt_error);
  } else {
    SetText(opt_error, TVMFFIByteArray());
  }
  return value;
}

static String Write(const Any &value, std::int32_t indent) {
  TVMFFIAny result;
  Check(tvmffi_json_write(value.get(), indent, tvmffi_text_limit_get(), &result));
  return String(result);
}

// An indent of None has v_int64 0.
TVMFFI_CXX_EXPORT String Stringify(const Any &value, const Optional<int> &indent) {
  return Write(value, static_cast<std::int32_t>(indent.get()->v_int64));
}

// The function of releases up to 0.1.12. Their Optional<int> is not an Any, but an int and a flag;
// passed by value it is in memory of the caller, which destroys it.
TVMFFI_CXX_EXPORT String Stringify(const Any &value, Optional<int> indent) {
  struct {
    std::int32_t value;
    bool has_value;
  } old;
  std::memcpy(&old, &indent, sizeof old);
  return Write(value, old.has_value ? old.value : 0);
}

}  // namespace json

// ---- Structural functions ----

class StructuralEqual {
 public:
  TVMFFI_CXX_EXPORT static bool Equal(const Any &a, const Any &b, bool map_free_vars,
                                      bool skip_tensor_content);
  TVMFFI_CXX_EXPORT static ObjectRef GetFirstMismatch(const Any &a, const Any &b,
                                                      bool map_free_vars, bool skip_tensor_content);
};

bool StructuralEqual::Equal(const Any &a, const Any &b, bool map_free_vars,
                            bool skip_tensor_content) {
  tvmffi_structural_options options = {map_free_vars, skip_tensor_content};
  bool is_equal;
  Check(tvmffi_structural_equal(a.get(), b.get(), options, &is_equal));
  return is_equal;
}

// A pair of AccessPaths, NULL when there is no mismatch.
ObjectRef StructuralEqual::GetFirstMismatch(const Any &a, const Any &b, bool map_free_vars,
                                            bool skip_tensor_content) {
  tvmffi_structural_options options = {map_free_vars, skip_tensor_content};
  TVMFFIAny result;
  Check(tvmffi_structural_mismatch(a.get(), b.get(), options, &result));
  return ObjectRef(result.v_obj);
}

class StructuralHash {
 public:
  TVMFFI_CXX_EXPORT static std::uint64_t Hash(const Any &value, bool map_free_vars,
                                              bool skip_tensor_content);
};

std::uint64_t StructuralHash::Hash(const Any &value, bool map_free_vars, bool skip_tensor_content) {
  tvmffi_structural_options options = {map_free_vars, skip_tensor_content};
  std::uint64_t hash;
  Check(tvmffi_structural_hash(value.get(), options, &hash));
  return hash;
}

class VisitErrorContext : public ObjectRef {
 public:
  TVMFFI_CXX_EXPORT static ObjectRef FindAccessPaths(const ObjectRef &root,
                                                     const VisitErrorContext &context,
                                                     bool allow_prefix_match);
};

ObjectRef VisitErrorContext::FindAccessPaths(const ObjectRef &root,
                                             const VisitErrorContext &context,
                                             bool allow_prefix_match) {
  TVMFFIObject *paths;
  Check(tvmffi_find_access_paths(root.get(), context.get(), allow_prefix_match, &paths));
  return ObjectRef(paths);
}

// ---- Modules ----

// Methods are called on modules of clients and of the C layers: `this` is the start of a module as
// C++ sees it.
class ModuleObj {
 public:
  TVMFFI_CXX_EXPORT ObjectRef GetFunction(const String &name, bool query_imports);
  TVMFFI_CXX_EXPORT bool ImplementsFunction(const String &name, bool query_imports);
  TVMFFI_CXX_EXPORT Optional<String> GetFunctionDoc(const String &name, bool query_imports);
  TVMFFI_CXX_EXPORT Optional<String> GetFunctionMetadata(const String &name, bool query_imports);

 private:
  TVMFFIAny Query(tvmffi_module_method method, const String &name, bool query_imports) {
    TVMFFIAny result;
    Check(tvmffi_module_query(tvmffi_module_from_cxx(this), method, name.get(), query_imports,
                              &result));
    return result;
  }
};

// NULL when there is none.
ObjectRef ModuleObj::GetFunction(const String &name, bool query_imports) {
  return ObjectRef(Query(kTvmffiModuleGetFunction, name, query_imports).v_obj);
}

bool ModuleObj::ImplementsFunction(const String &name, bool query_imports) {
  return Query(kTvmffiModuleImplementsFunction, name, query_imports).v_int64 != 0;
}

Optional<String> ModuleObj::GetFunctionDoc(const String &name, bool query_imports) {
  return Optional<String>(Query(kTvmffiModuleGetDoc, name, query_imports));
}

Optional<String> ModuleObj::GetFunctionMetadata(const String &name, bool query_imports) {
  return Optional<String>(Query(kTvmffiModuleGetMetadata, name, query_imports));
}

class Module : public ObjectRef {
 public:
  using ContextSymbolVisitor = TypedFunction<void(String, void *)>;

  TVMFFI_CXX_EXPORT static ObjectRef LoadFromFile(const String &path);
  TVMFFI_CXX_EXPORT static void VisitContextSymbols(const ContextSymbolVisitor &visitor);
};

ObjectRef Module::LoadFromFile(const String &path) {
  TVMFFIByteArray bytes = {"", 0};
  TVMFFIObject *module;
  (void)tvmffi_any_get_text(path.get(), &bytes);
  Check(tvmffi_loader_load_file(&bytes, &module));
  return ObjectRef(module);
}

// Calls visitor(name, pointer) for each symbol that a compiler's runtime has registered.
void Module::VisitContextSymbols(const ContextSymbolVisitor &visitor) {
  auto call = [](void *context, const char *name, void *value) {
    TVMFFIAny args[2] = {tvmffi_any_raw_str(name), tvmffi_any_ptr(kTVMFFIOpaquePtr, value)};
    TVMFFIAny result;
    int rc = tvmffi_function_call_foreign(context, args, 2, &result);
    tvmffi_any_release(&result);
    return rc;
  };
  Check(TVMFFIRuntimeContextSymbolVisit(call, visitor.get()));
}

}  // namespace ffi
}  // namespace tvm
