/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/module.h
 * Modules: collections of functions, loaded from a file or implemented by a class of yours.
 *
 * A class derives from ModuleObj; its objects are made with make_object and returned as a Module.
 * Other libraries call its virtual functions too, and have other exception classes: an exception of
 * an override arrives there without its kind. Functions that the module returns are not affected.
 *
 * A virtual function returns an Optional<Function> of 8 bytes, as in all releases of the reference
 * but 0.1.13, 0.1.13.post0 and .post1, whose runtimes must not be given modules of such a class.
 */
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

TVM_FFI_NAMESPACE_BEGIN

class Module;

/**
 * The base of module classes. The order of the virtual functions and of the members is part of the
 * ABI: modules of other libraries have the same, and are called through it.
 */
class ModuleObj : public Object {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIModule;
  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIModule, ModuleObj, Object);

  TVM_FFI_LOCAL ModuleObj() : imports_(ArrayObj::New(4)) {}

  /** A short name of the class; the data of an embedded module is looked up by it. */
  TVM_FFI_LOCAL virtual const char *kind() const = 0;
  /** Module::ModulePropertyMask bits. */
  TVM_FFI_LOCAL virtual int GetPropertyMask() const { return 0; }
  /** A function of this module, if it has one with this name. */
  TVM_FFI_LOCAL virtual Optional<Function> GetFunction(const String &name) = 0;
  TVM_FFI_LOCAL virtual bool ImplementsFunction(const String &name) {
    return GetFunction(name).has_value();
  }
  TVM_FFI_LOCAL virtual Optional<String> GetFunctionDoc(const String &) { return std::nullopt; }
  TVM_FFI_LOCAL virtual Optional<String> GetFunctionMetadata(const String &) {
    return std::nullopt;
  }
  TVM_FFI_LOCAL virtual void WriteToFile(const String &, const String &) const {
    ThrowUnsupported("WriteToFile");
  }
  TVM_FFI_LOCAL virtual Array<String> GetWriteFormats() const { return Array<String>(); }
  TVM_FFI_LOCAL virtual Bytes SaveToBytes() const { ThrowUnsupported("SaveToBytes"); }
  TVM_FFI_LOCAL virtual String InspectSource(const String &) const { return String(); }
  /* Inline already here: otherwise each source that includes this has the vtable and all that it
   * refers to. Cold, so that GCC does not guess that a call means this body. */
  /** Errors: RuntimeError (other imports this module). */
  TVM_FFI_LOCAL_COLD virtual void ImportModule(const Module &other);
  TVM_FFI_LOCAL_COLD virtual void ClearImports() { imports_.clear(); }

  /** The same; with query_imports also in imported modules, depth first, each of them once. */
  TVM_FFI_LOCAL Optional<Function> GetFunction(const String &name, bool query_imports);
  TVM_FFI_LOCAL bool ImplementsFunction(const String &name, bool query_imports);
  TVM_FFI_LOCAL Optional<String> GetFunctionDoc(const String &name, bool query_imports);
  TVM_FFI_LOCAL Optional<String> GetFunctionMetadata(const String &name, bool query_imports);
  TVM_FFI_LOCAL const Array<Any> &imports() const { return imports_; }
  /**
   * The same through the runtime, which returns exceptions of an override as errors.
   * Errors: AttributeError (no such function), those of the module.
   */
  template <typename F = Function>
  TVM_FFI_LOCAL Expected<F> GetFunctionExpected(const String &name, bool query_imports = false);

 private:
  [[noreturn]] TVM_FFI_LOCAL_COLD void ThrowUnsupported(const char *operation) const {
    {
      detail::Text text;
      text.Put("Module[");
      text.Put(kind());
      text.Put("] does not support ");
      text.Put(operation);
      detail::RaiseText("RuntimeError", text);
    }
    detail::ThrowRaised();
  }

 protected:
  /** Not virtual, because each object is deleted by the deleter of its own class. */
  TVM_FFI_LOCAL_INLINE ~ModuleObj() = default;

  Array<Any> imports_;

 private:
  /** Belongs to the runtime, which stores here what this module's code looks up in its imports. */
  Map<String, Function> import_lookup_cache_;
};

class Module : public ObjectRef {
 public:
  using ContainerType = ModuleObj;
  using __PtrType = ModuleObj *;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  enum ModulePropertyMask : int {
    /** SaveToBytes works, and the loader registered for this kind restores the module. */
    kBinarySerializable = 1,
    kRunnable = 2,
    /** WriteToFile writes something that a compiler can link. */
    kCompilationExportable = 4
  };

  TVM_FFI_LOCAL_INLINE explicit Module(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_LOCAL explicit Module(const ObjectPtr<ModuleObj> &data) : ObjectRef(data) {
    if (data_ == nullptr) detail::Throw("InternalError", "a Module is never null");
  }
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Module)

  TVM_FFI_LOCAL_INLINE ModuleObj *get() const { return static_cast<ModuleObj *>(data_.get()); }
  TVM_FFI_LOCAL_INLINE ModuleObj *operator->() const { return get(); }

  /** Errors: those of the loader. */
  TVM_FFI_LOCAL static Module LoadFromFile(const String &file_name) {
    return Function::GetGlobalRequired("ffi.ModuleLoadFromFile")(file_name).cast<Module>();
  }
  template <typename M = Module>
  TVM_FFI_LOCAL static Expected<M> LoadFromFileExpected(const String &file_name) {
    TVM_FFI_DETAIL_ASSIGN_OR_RETURN(outcome, const Function load,
                                    Function::GetGlobalRequiredExpected("ffi.ModuleLoadFromFile"));
    return load.template CallExpected<M>(file_name);
  }
  /**
   * Reports the names and pointers of TVMFFIEnvModRegisterContextSymbol, in order of registration,
   * for loaders that link code themselves. Only this runtime has the function: a library that calls
   * it does not load on others. Errors: those of visit.
   */
  TVM_FFI_LOCAL static void VisitContextSymbols(const TypedFunction<void(String, void *)> &visit) {
    void *context = const_cast<void *>(static_cast<const void *>(&visit));
    detail::CheckSafeCall(TVMFFIRuntimeContextSymbolVisit(VisitContextSymbol, context));
  }

 private:
  TVM_FFI_LOCAL static int VisitContextSymbol(void *context, const char *name, void *symbol) {
    TVM_FFI_SAFE_CALL_BEGIN();
    (*static_cast<const TypedFunction<void(String, void *)> *>(context))(name, symbol);
    TVM_FFI_SAFE_CALL_END();
  }
};

namespace detail {

/** A set of modules: an open-addressing hash table, at most half full; free slots are None. */
class TVM_FFI_TAGGED ModuleSet {
 public:
  TVM_FFI_LOCAL ModuleSet() : slots_(16, Any()) {}
  TVM_FFI_LOCAL_INLINE ~ModuleSet() = default;
  /** Returns whether the module is new. */
  TVM_FFI_LOCAL bool Add(const Any &module) {
    if (2 * size_ >= slots_.size()) {
      const Array<Any> old = std::move(slots_);
      slots_ = Array<Any>(2 * old.size(), Any());
      for (const Any &each : *old.GetArrayObj()) {
        if (each != nullptr) slots_.Set(Find(each), each);
      }
    }
    const int64_t slot = Find(module);
    if (slots_.GetArrayObj()->at(slot) != nullptr) return false;
    slots_.Set(slot, module);
    ++size_;
    return true;
  }

 private:
  /** The slot of a module, or the free one for it. */
  TVM_FFI_LOCAL int64_t Find(const Any &module) const {
    const uintptr_t address =
        reinterpret_cast<uintptr_t>(AnyUnsafe::TVMFFIAnyPtrFromAny(module)->v_obj);
    uint64_t slot = (static_cast<uint64_t>(address) * 0x9e3779b97f4a7c15) >> 32;
    const Any *slots = slots_.GetArrayObj()->begin();
    for (;; ++slot) {
      slot %= slots_.size();
      if (slots[slot] == nullptr || slots[slot].same_as(module)) return static_cast<int64_t>(slot);
    }
  }

  Array<Any> slots_;
  size_t size_ = 0;
};

/** Visits a module and all that it imports, depth first, each of them once. */
class TVM_FFI_TAGGED ModuleWalk {
 public:
  TVM_FFI_LOCAL explicit ModuleWalk(const Module &root) { ahead_.push_back(Any(root)); }
  TVM_FFI_LOCAL_INLINE ~ModuleWalk() = default;
  /** [lend] Valid while the walk lives; null at the end. Errors: TypeError (an import is not a
   * module). */
  TVM_FFI_LOCAL ModuleObj *Next() {
    while (!ahead_.empty()) {
      const Any next = ahead_.back();
      ahead_.pop_back();
      const Module module = next.cast<Module>();
      if (!reached_.Add(next)) continue;
      const Array<Any> imports = module->imports();
      for (size_t i = imports.size(); i-- > 0;) ahead_.push_back(imports[static_cast<int64_t>(i)]);
      return module.get();
    }
    return nullptr;
  }

 private:
  ModuleSet reached_;
  Array<Any> ahead_;
};

/** Asks a module, then its imports. */
template <typename Found, typename Ask>
TVM_FFI_LOCAL Found AskImports(ModuleObj *module, bool query_imports, const Ask &ask) {
  Found found = ask(module);
  if (found || !query_imports || module->imports().empty()) return found;
  ModuleWalk walk(Module(GetObjectPtr<ModuleObj>(module)));
  (void)walk.Next();  // the module itself, which has been asked
  while (!found && (module = walk.Next()) != nullptr) found = ask(module);
  return found;
}

}  // namespace detail

void ModuleObj::ImportModule(const Module &other) {
  detail::ModuleWalk walk(other);
  while (const ModuleObj *module = walk.Next()) {
    if (module == this) detail::Throw("RuntimeError", "Cyclic dependency detected during import");
  }
  imports_.push_back(Any(other));
}

TVM_FFI_LOCAL inline Optional<Function> ModuleObj::GetFunction(const String &name,
                                                               bool query_imports) {
  return detail::AskImports<Optional<Function>>(
      this, query_imports, [&](ModuleObj *module) { return module->GetFunction(name); });
}
TVM_FFI_LOCAL inline bool ModuleObj::ImplementsFunction(const String &name, bool query_imports) {
  return detail::AskImports<bool>(
      this, query_imports, [&](ModuleObj *module) { return module->ImplementsFunction(name); });
}
TVM_FFI_LOCAL inline Optional<String> ModuleObj::GetFunctionDoc(const String &name,
                                                                bool query_imports) {
  return detail::AskImports<Optional<String>>(
      this, query_imports, [&](ModuleObj *module) { return module->GetFunctionDoc(name); });
}
TVM_FFI_LOCAL inline Optional<String> ModuleObj::GetFunctionMetadata(const String &name,
                                                                     bool query_imports) {
  return detail::AskImports<Optional<String>>(
      this, query_imports, [&](ModuleObj *module) { return module->GetFunctionMetadata(name); });
}

template <typename F>
TVM_FFI_LOCAL Expected<F> ModuleObj::GetFunctionExpected(const String &name, bool query_imports) {
  TVM_FFI_DETAIL_ASSIGN_OR_RETURN(get_outcome, const Function get,
                                  Function::GetGlobalRequiredExpected("ffi.ModuleGetFunction"));
  TVM_FFI_DETAIL_ASSIGN_OR_RETURN(
      found_outcome, F found,
      get.CallExpected<F>(Module(GetObjectPtr<ModuleObj>(this)), name, query_imports));
  if (found == nullptr) {
    return TVM_FFI_UNEXPECTED(AttributeError) << "Module has no function `" << name << "`";
  }
  return found;
}

/** Symbol names of libraries. */
namespace symbol {
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_symbol_prefix = "__tvm_ffi_";
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_main = "__tvm_ffi_main";
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_library_ctx = "__tvm_ffi__library_ctx";
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_library_bin = "__tvm_ffi__library_bin";
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_metadata_prefix = "__tvm_ffi__metadata_";
TVM_FFI_LOCAL inline constexpr const char *tvm_ffi_doc_prefix = "__tvm_ffi__doc_";
}  // namespace symbol

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_MODULE_H_
