// SPDX-License-Identifier: Apache-2.0
// C++ code of a client that subclasses ModuleObj. The layouts of the classes and the order of their
// methods are those of the ABI; all but two of the methods are inline, those two are the library's.
#ifndef TESTS_CXX_MODULES_CLIENT_H_
#define TESTS_CXX_MODULES_CLIENT_H_

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

class Object {
 public:
  TVMFFIObject header_;
};

class ObjectRef {
 public:
  ObjectRef() : obj_(nullptr) {}
  explicit ObjectRef(TVMFFIObject *taken) : obj_(taken) {}
  ObjectRef(const ObjectRef &other) : obj_(other.obj_) {
    if (obj_ != nullptr) TVMFFIObjectIncRef(obj_);
  }
  ObjectRef(ObjectRef &&other) noexcept : obj_(other.obj_) { other.obj_ = nullptr; }
  ObjectRef &operator=(ObjectRef other) {
    std::swap(obj_, other.obj_);
    return *this;
  }
  ~ObjectRef() {
    if (obj_ != nullptr) TVMFFIObjectDecRef(obj_);
  }
  TVMFFIObject *get() const { return obj_; }

 private:
  TVMFFIObject *obj_;
};

class Function : public ObjectRef {
 public:
  using ObjectRef::ObjectRef;
};

template <typename Signature>
class TypedFunction : public Function {
 public:
  using Function::Function;
};

class Array : public ObjectRef {
 public:
  using ObjectRef::ObjectRef;
  std::int64_t size() const { return reinterpret_cast<TVMFFISeqCell *>(get() + 1)->size; }
};

class String;

class Module : public ObjectRef {
 public:
  using ObjectRef::ObjectRef;
  // In the library with C++ functions, as are all functions here without a body.
  static Module LoadFromFile(const String &path);
  static void VisitContextSymbols(const TypedFunction<void(String, void *)> &visitor);
};

class Error : public ObjectRef, public std::exception {
 public:
  explicit Error(TVMFFIObject *taken) : ObjectRef(taken) {}
  Error(const char *kind, const char *message) : ObjectRef(Create(kind, message)) {}
  const char *what() const noexcept override { return cell()->message.data; }
  std::string kind() const { return cell()->kind.data; }
  std::string message() const { return cell()->message.data; }

 private:
  const TVMFFIErrorCell *cell() const { return TVMFFIErrorGetCellPtr(get()); }
  static TVMFFIObject *Create(const char *kind, const char *message) {
    TVMFFIByteArray texts[3] = {
        {kind, std::strlen(kind)}, {message, std::strlen(message)}, {"", 0}};
    TVMFFIObjectHandle error = nullptr;
    if (TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &error) != 0) std::terminate();
    return static_cast<TVMFFIObject *>(error);
  }
};

// An owned value with a destructor: String, Bytes and Optional<String> are of this kind.
class Value {
 public:
  Value() : any_() {}
  explicit Value(const TVMFFIAny &taken) : any_(taken) {}
  Value(const Value &other) : any_(other.any_) {
    if (is_object()) TVMFFIObjectIncRef(any_.v_obj);
  }
  Value &operator=(const Value &) = delete;
  ~Value() {
    if (is_object()) TVMFFIObjectDecRef(any_.v_obj);
  }
  const TVMFFIAny &any() const { return any_; }
  bool has_value() const { return any_.type_index != kTVMFFINone; }
  std::string str() const {
    if (any_.type_index == kTVMFFISmallStr || any_.type_index == kTVMFFISmallBytes) {
      TVMFFIByteArray small = TVMFFISmallBytesGetContentByteArray(&any_);
      return std::string(small.data, small.size);
    }
    if (any_.type_index != kTVMFFIStr && any_.type_index != kTVMFFIBytes) return "(no text)";
    return std::string(TVMFFIBytesGetByteArrayPtr(any_.v_obj)->data,
                       TVMFFIBytesGetByteArrayPtr(any_.v_obj)->size);
  }

 protected:
  typedef int (*Maker)(const TVMFFIByteArray *, TVMFFIAny *);
  Value(const std::string &text, Maker make) : any_() {
    TVMFFIByteArray bytes = {text.data(), text.size()};
    if (make(&bytes, &any_) != 0) std::terminate();
  }

 private:
  bool is_object() const { return any_.type_index >= kTVMFFIStaticObjectBegin; }
  TVMFFIAny any_;
};

class String : public Value {
 public:
  using Value::Value;
  String(const char *text) : Value(text, TVMFFIStringFromByteArray) {}
};

class Bytes : public Value {
 public:
  using Value::Value;
  Bytes(const char *text) : Value(text, TVMFFIBytesFromByteArray) {}
};

class Any : public Value {
 public:
  using Value::Value;
};

template <typename T, typename = void>
class Optional : public Value {
 public:
  using Value::Value;
};

template <>
class Optional<Function> : public Function {
 public:
  using Function::Function;
  bool has_value() const { return get() != nullptr; }
};

template <>
class Optional<String> : public String {
 public:
  using String::String;
  Optional() : String(TVMFFIAny()) {}
};

static_assert(sizeof(Optional<Function>) == sizeof(void *) && sizeof(Array) == sizeof(void *), "");
static_assert(sizeof(Optional<String>) == 16 && sizeof(Bytes) == 16 && sizeof(String) == 16, "");
static_assert(sizeof(Error) == 2 * sizeof(void *), "");

TVMFFIObject *CallGlobal(const char *name);

class ModuleObj : public Object {
 public:
  ModuleObj() : imports_(CallGlobal("ffi.Array")) {}

  virtual const char *kind() const = 0;
  virtual int GetPropertyMask() const { return 0; }
  virtual Optional<Function> GetFunction(const String &name) = 0;
  virtual bool ImplementsFunction(const String &name) { return GetFunction(name).has_value(); }
  virtual Optional<String> GetFunctionDoc(const String &) { return Optional<String>(); }
  virtual Optional<String> GetFunctionMetadata(const String &) { return Optional<String>(); }
  virtual void WriteToFile(const String &, const String &) const {
    throw Error("RuntimeError", "no WriteToFile");
  }
  virtual Array GetWriteFormats() const { return Array(CallGlobal("ffi.Array")); }
  virtual Bytes SaveToBytes() const { throw Error("RuntimeError", "no SaveToBytes"); }
  virtual String InspectSource(const String &) const { return String(""); }
  virtual void ImportModule(const Module &other);
  virtual void ClearImports();

  Optional<Function> GetFunction(const String &name, bool query_imports);
  bool ImplementsFunction(const String &name, bool query_imports);
  Optional<String> GetFunctionDoc(const String &name, bool query_imports);
  Optional<String> GetFunctionMetadata(const String &name, bool query_imports);

  TVMFFIObject *handle() { return &header_; }
  const Array &imports() const { return imports_; }

 protected:
  ~ModuleObj() = default;

 private:
  Array imports_;
  ObjectRef cache_;  // only used by modules that are the context of a library; none here is
};

}  // namespace ffi
}  // namespace tvm

namespace client {

using tvm::ffi::Array;
using tvm::ffi::Bytes;
using tvm::ffi::Error;
using tvm::ffi::Function;
using tvm::ffi::Module;
using tvm::ffi::ModuleObj;
using tvm::ffi::ObjectRef;
using tvm::ffi::Optional;
using tvm::ffi::String;

// The behaviour of the methods of a Loud module.
enum Mode {
  kGive,
  kGiveNothing,
  kGiveWrong,
  kThrowError,
  kThrowDerived,   // a class derived from Error
  kThrowStandard,  // std::runtime_error
  kThrowLong,      // std::runtime_error with a long text
  kThrowInt,
  kThrowMoved,  // an Error whose object was moved out
  kKindNull,
  kKindLib,
  kKindEmpty,
  kGiveAny,  // GetFunction as in the first releases of 0.1.13
  kNumModes
};

extern int num_alive;

struct DerivedError : Error {
  using Error::Error;
  int more = 1;
};

// A module that overrides every method.
class Loud : public ModuleObj {
 public:
  explicit Loud(Mode mode) : mode_(mode) { ++num_alive; }
  ~Loud() { --num_alive; }

  const char *kind() const override;
  int GetPropertyMask() const override { return Act() == kKindLib || Act() == kKindEmpty ? 1 : 5; }
  Optional<Function> GetFunction(const String &name) override;
  bool ImplementsFunction(const String &name) override;
  Optional<String> GetFunctionDoc(const String &name) override;
  Optional<String> GetFunctionMetadata(const String &name) override;
  void WriteToFile(const String &path, const String &format) const override;
  Array GetWriteFormats() const override;
  Bytes SaveToBytes() const override;
  String InspectSource(const String &format) const override;

 private:
  Mode Act() const;  // throws, or returns the mode
  Mode mode_;
  mutable std::string text_;
};

// A module that overrides only the pure virtual methods.
class Quiet : public ModuleObj {
 public:
  Quiet() { ++num_alive; }
  ~Quiet() { --num_alive; }
  const char *kind() const override { return "quiet"; }
  Optional<Function> GetFunction(const String &name) override;
};

// Makes a module. [own]
TVMFFIObject *Make(Mode mode);
TVMFFIObject *MakeQuiet();

// Calls the methods of a module made by the runtime, which the caller passes: of kind "ours", mask
// 5, function "f" gives 3, "!" fails with KeyError "refused" in every method that takes a text,
// other names give nothing; doc "doc", metadata and source the requested name, bytes "bytes",
// formats "c" and "o". Throws std::logic_error that says what is wrong.
void CheckOurs(TVMFFIObject *module, bool with_helper);

// Checks RTTI: type_info of a runtime module and of our own, dynamic_cast, catching base classes.
void CheckTypes(TVMFFIObject *ours);

}  // namespace client

#endif  // TESTS_CXX_MODULES_CLIENT_H_
