/* SPDX-License-Identifier: Apache-2.0 */
/* Modules in C++, compiled with the headers of the reference package: a class of modules, and code
 * that calls any module through its virtual methods. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <stdexcept>
#include <string>
#include <typeinfo>

namespace ffi = tvm::ffi;

namespace {

int64_t alive = 0;

class CounterModule : public ffi::ModuleObj {
 public:
  explicit CounterModule(int64_t start) : start_(start) { ++alive; }
  ~CounterModule() { --alive; }

  const char *kind() const final { return "compat.counter"; }
  int GetPropertyMask() const final { return ffi::Module::kBinarySerializable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    if (name == "start") return ffi::Function::FromTyped([start = start_]() { return start; });
    if (name == "error") TVM_FFI_THROW(KeyError) << "no function is called " << name;
    if (name == "standard") throw std::runtime_error("a standard exception");
    if (name == "null") return ffi::Function(nullptr);
    return std::nullopt;
  }
  ffi::Optional<ffi::String> GetFunctionDoc(const ffi::String &name) final {
    if (name == "start") return ffi::String("Where it starts.");
    return std::nullopt;
  }
  ffi::Bytes SaveToBytes() const final { return ffi::Bytes(std::to_string(start_)); }
  void WriteToFile(const ffi::String &file, const ffi::String &format) const final {
    TVM_FFI_THROW(ValueError) << "not written: " << file << " as " << format;
  }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"txt", "a longer format"}; }
  ffi::String InspectSource(const ffi::String &format) const final { return "in " + format; }

 private:
  int64_t start_;
};

/* A module with nothing but the methods that it must have. */
class PlainModule : public ffi::ModuleObj {
 public:
  const char *kind() const final { return "compat.plain"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &) final { return std::nullopt; }
};

ffi::Module Make(int64_t start) {
  return ffi::Module(ffi::make_object<CounterModule>(start));
}
ffi::Module MakePlain() {
  return ffi::Module(ffi::make_object<PlainModule>());
}
int64_t CountAlive() {
  return alive;
}

/* ---- Calling modules ---- */

ffi::String Describe(ffi::Module module) {
  std::string text = module->kind();
  text += " " + std::to_string(module->GetPropertyMask());
  for (const ffi::String &format : module->GetWriteFormats()) text += " " + std::string(format);
  text += " [" + std::string(module->InspectSource("c")) + "]";
  const ffi::ModuleObj &object = *module.operator->();
  text += typeid(object) == typeid(CounterModule) ? " its type is counter" : "";
  text += dynamic_cast<const CounterModule *>(&object) != nullptr ? " it is a counter" : "";
  return text;
}

ffi::String Ask(ffi::Module module, ffi::String name) {
  std::string text = module->ImplementsFunction(name) ? "there" : "not there";
  text += module->GetFunction(name).has_value() ? ", got" : ", not got";
  ffi::Optional<ffi::String> doc = module->GetFunctionDoc(name);
  ffi::Optional<ffi::String> metadata = module->GetFunctionMetadata(name);
  text += doc.has_value() ? ", " + std::string(doc.value()) : ", no doc";
  text += metadata.has_value() ? ", " + std::string(metadata.value()) : ", no metadata";
  return text;
}

ffi::Bytes Save(ffi::Module module) {
  return module->SaveToBytes();
}
void Write(ffi::Module module, ffi::String path, ffi::String format) {
  module->WriteToFile(path, format);
}
void Import(ffi::Module module, ffi::Module other) {
  module->ImportModule(other);
}
void Clear(ffi::Module module) {
  module->ClearImports();
}

/* The exception that a failing method throws, as C++ code sees it. */
ffi::String Catch(ffi::Module module) {
  std::string text;
  try {
    module->SaveToBytes();
  } catch (const ffi::Error &error) {
    text = error.kind() + ": " + error.message();
  }
  try {
    module->WriteToFile("a", "b");
  } catch (const std::exception &error) {
    text += std::string(" | ") + error.what();
  }
  return text;
}

ffi::Function LookUp(ffi::Module module, ffi::String name) {
  TVMFFIObjectHandle found = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(module.operator->(), name.c_str(), &found));
  return ffi::Function(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::FunctionObj>(
      static_cast<TVMFFIObject *>(found)));
}

}  // namespace

#define EXPORT(name, function) TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function);

EXPORT(make, Make)
EXPORT(make_plain, MakePlain)
EXPORT(count_alive, CountAlive)
EXPORT(describe, Describe)
EXPORT(ask, Ask)
EXPORT(save, Save)
EXPORT(write, Write)
EXPORT(import_module, Import)
EXPORT(clear, Clear)
EXPORT(catch_errors, Catch)
EXPORT(look_up, LookUp)
