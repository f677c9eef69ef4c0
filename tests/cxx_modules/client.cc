// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <new>
#include <typeinfo>

namespace tvm {
namespace ffi {

TVMFFIObject *CallGlobal(const char *name) {
  TVMFFIByteArray bytes = {name, std::strlen(name)};
  TVMFFIObjectHandle function = nullptr;
  TVMFFIAny result = TVMFFIAny();
  if (TVMFFIFunctionGetGlobal(&bytes, &function) != 0 || function == nullptr ||
      TVMFFIFunctionCall(function, nullptr, 0, &result) != 0) {
    std::terminate();
  }
  TVMFFIObjectDecRef(function);
  return result.v_obj;
}

}  // namespace ffi
}  // namespace tvm

namespace client {

int num_alive = 0;

// ---- Modules ----

static int GiveThree(void *, const TVMFFIAny *, std::int32_t, TVMFFIAny *result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = 3;
  return 0;
}

static TVMFFIObject *NewFunction() {
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionCreate(nullptr, GiveThree, nullptr, &function) != 0) std::terminate();
  return static_cast<TVMFFIObject *>(function);
}

// Another reference to the object that a value holds, as a value.
static TVMFFIAny Share(const tvm::ffi::Value &value) {
  TVMFFIObjectIncRef(value.any().v_obj);
  return value.any();
}

Mode Loud::Act() const {
  switch (mode_) {
    case kThrowError:
      throw Error("KeyError", "thrown");
    case kThrowDerived:
      throw DerivedError("IndexError", "thrown by a class of our own");
    case kThrowStandard:
      throw std::runtime_error("a standard exception");
    case kThrowLong: {
      std::string text(1, 'x');
      for (int i = 0; i < 1000; ++i) text += "\xc3\xa4";  // two bytes each
      throw std::runtime_error(text);
    }
    case kThrowInt:
      throw 7;
    case kThrowMoved: {
      Error error("KeyError", "moved away");
      Error taken(std::move(error));
      throw error;  // NOLINT: by value, for the object that it was moved out of
    }
    default:
      return mode_;
  }
}

const char *Loud::kind() const {
  switch (Act()) {
    case kKindNull:
      return nullptr;
    case kKindLib:
      return "_lib";
    case kKindEmpty:
      return "";
    default:
      return "loud";
  }
}

Optional<Function> Loud::GetFunction(const String &name) {
  Mode mode = Act();
  if (mode == kGiveWrong) return Optional<Function>(tvm::ffi::CallGlobal("ffi.Array"));
  if (mode == kGiveNothing || name.str() != "a function of some length") {
    return Optional<Function>();
  }
  return Optional<Function>(NewFunction());
}

bool Loud::ImplementsFunction(const String &name) {
  return Act() == kGive && name.str() == "f";
}

Optional<String> Loud::GetFunctionDoc(const String &name) {
  Mode mode = Act();
  if (mode == kGiveWrong) return Optional<String>(Share(Bytes("bytes of some length")));
  return mode == kGiveNothing ? Optional<String>()
                              : Optional<String>(("doc of " + name.str()).c_str());
}

Optional<String> Loud::GetFunctionMetadata(const String &name) {
  Mode mode = Act();
  return mode == kGiveNothing ? Optional<String>() : Optional<String>(name.str().c_str());
}

void Loud::WriteToFile(const String &path, const String &format) const {
  Act();
  if (path.str() != "a file of some length" || format.str() != "c") throw Error("ValueError", "?");
}

Array Loud::GetWriteFormats() const {
  switch (Act()) {
    case kGiveWrong:
      return Array(NewFunction());
    case kGiveNothing:
      return Array();
    default:
      return Array(tvm::ffi::CallGlobal("ffi.Array"));
  }
}

Bytes Loud::SaveToBytes() const {
  switch (Act()) {
    case kGiveWrong:
      return Bytes(Share(String("a text, not bytes")));
    case kGiveNothing:
      return Bytes(TVMFFIAny());
    default:
      return Bytes("hi!");
  }
}

String Loud::InspectSource(const String &format) const {
  return Act() == kGiveNothing ? String(TVMFFIAny())
                               : String(("source of " + format.str()).c_str());
}

Optional<Function> Quiet::GetFunction(const String &name) {
  return name.str() == "f" ? Optional<Function>(NewFunction()) : Optional<Function>();
}

// ---- Creating modules ----

template <typename T>
static T *Cast(TVMFFIObject *obj) {
  return static_cast<T *>(reinterpret_cast<tvm::ffi::Object *>(obj));
}

template <typename T>
static void Delete(void *self, int flags) {
  T *obj = Cast<T>(static_cast<TVMFFIObject *>(self));
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) obj->T::~T();
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) ::operator delete(obj);
}

template <typename T>
static TVMFFIObject *Finish(T *obj) {
  obj->header_.combined_ref_count = (UINT64_C(1) << 32) + 1;
  obj->header_.type_index = kTVMFFIModule;
  obj->header_.deleter = Delete<T>;
  return obj->handle();
}

// GetFunction, the third virtual method, as in the first releases of 0.1.13: the result is always
// the 16 bytes of an Any.
class Old {
 public:
  virtual void First() {}
  virtual void Second() {}
  virtual tvm::ffi::Value GetFunction(const String &name) {
    TVMFFIAny any = TVMFFIAny();
    if (name.str() == "f") {
      any.type_index = kTVMFFIFunction;
      any.v_obj = NewFunction();
    }
    return tvm::ffi::Value(any);
  }
};

TVMFFIObject *Make(Mode mode) {
  Loud *loud = new Loud(mode);
  if (mode == kGiveAny) {
    static void *table[14];
    static Old old;
    void ***front = reinterpret_cast<void ***>(loud);
    std::memcpy(table, *front - 2, sizeof table);
    table[2 + 2] = (*reinterpret_cast<void ***>(&old))[2];
    *front = table + 2;
  }
  return Finish(loud);
}

TVMFFIObject *MakeQuiet() {
  return Finish(new Quiet);
}

// ---- Calling modules of the library ----

static void Expect(bool condition, const char *message, int line) {
  if (!condition) throw std::logic_error(std::to_string(line) + ": " + message);
}
#define EXPECT(condition) Expect((condition), #condition, __LINE__)

// The action must throw this error. Without the helper library it must return, with the error
// raised in the slot instead.
template <typename Action>
static void ExpectThrown(bool with_helper, const char *kind, const char *message, Action action) {
  TVMFFIObjectHandle left = nullptr;
  bool has_thrown = false;
  std::string caught_kind, caught_message;
  try {
    action();
  } catch (const std::logic_error &) {
    throw;
  } catch (const Error &error) {
    has_thrown = true;
    caught_kind = error.kind();
    caught_message = error.message();
    EXPECT(static_cast<const ObjectRef &>(error).get()->type_index == kTVMFFIError);
  }
  TVMFFIErrorMoveFromRaised(&left);
  EXPECT(has_thrown == with_helper);
  EXPECT((left == nullptr) == with_helper);
  if (!with_helper) {
    Error error(static_cast<TVMFFIObject *>(left));
    caught_kind = error.kind();
    caught_message = error.message();
  }
  Expect(caught_kind == kind, caught_kind.c_str(), __LINE__);
  Expect(caught_message == message, caught_message.c_str(), __LINE__);
}

static void CheckFailures(ModuleObj *ours, bool with_helper) {
  const String bad("!");
  auto expect_refused = [&](auto action) {
    ExpectThrown(with_helper, "KeyError", "refused", action);
  };
  for (int i = 0; i < 3; ++i) {
    expect_refused([&] { EXPECT(!ours->GetFunction(bad).has_value()); });
    expect_refused([&] { EXPECT(!ours->ImplementsFunction(bad)); });
    expect_refused([&] { EXPECT(!ours->GetFunctionDoc(bad).has_value()); });
    expect_refused([&] { EXPECT(!ours->GetFunctionMetadata(bad).has_value()); });
    expect_refused([&] { EXPECT(ours->InspectSource(bad).str().empty()); });
    expect_refused([&] { ours->WriteToFile(bad, bad); });
    ours->WriteToFile(String("ours_refuse_to_save"), bad);
    expect_refused([&] { EXPECT(ours->SaveToBytes().str().empty()); });
    ours->WriteToFile(String("another file"), bad);
  }
  if (!with_helper) return;
  try {
    ours->GetFunction(bad);
    EXPECT(false);
  } catch (const std::exception &error) {
    EXPECT(std::string(error.what()) == "refused");
    EXPECT(dynamic_cast<const Error *>(&error) != nullptr);
  }
  try {
    ours->GetFunction(bad);
    EXPECT(false);
  } catch (const ObjectRef &error) {
    EXPECT(error.get()->type_index == kTVMFFIError);
  }
}

static void CheckImports(ModuleObj *ours, bool with_helper) {
  Module module(Make(kGive)), self(ours->handle());
  ModuleObj *theirs = Cast<ModuleObj>(module.get());
  TVMFFIObjectIncRef(ours->handle());
  auto expect_cycle = [&](auto action) {
    ExpectThrown(with_helper, "RuntimeError", "Cyclic dependency detected during import", action);
  };
  ours->ImportModule(module);
  EXPECT(static_cast<std::uint32_t>(module.get()->combined_ref_count) == 2);
  EXPECT(ours->imports().size() == 1);
  expect_cycle([&] { theirs->ImportModule(self); });
  expect_cycle([&] { theirs->ImportModule(module); });
  expect_cycle([&] { ours->ImportModule(self); });
  EXPECT(theirs->imports().size() == 0);
  ours->ClearImports();
  EXPECT(static_cast<std::uint32_t>(module.get()->combined_ref_count) == 1);
  for (int i = 0; i < 9; ++i) theirs->ImportModule(self);
  EXPECT(theirs->imports().size() == 9);
  expect_cycle([&] { ours->ImportModule(module); });
  theirs->ClearImports();
  EXPECT(static_cast<std::uint32_t>(self.get()->combined_ref_count) == 2);
}

void CheckOurs(TVMFFIObject *module, bool with_helper) {
  ModuleObj *ours = Cast<ModuleObj>(module);
  EXPECT(std::string(ours->kind()) == "ours");
  EXPECT(ours->GetPropertyMask() == 5);
  {
    Optional<Function> function = ours->GetFunction(String("f"));
    TVMFFIAny result = TVMFFIAny();
    EXPECT(function.has_value());
    EXPECT(TVMFFIFunctionCall(function.get(), nullptr, 0, &result) == 0);
    EXPECT(result.v_int64 == 3);
  }
  EXPECT(!ours->GetFunction(String("g, which is not there")).has_value());
  EXPECT(ours->ImplementsFunction(String("f")));
  EXPECT(!ours->ImplementsFunction(String("g")));
  EXPECT(ours->GetFunctionDoc(String("f")).str() == "doc");
  EXPECT(ours->GetFunctionMetadata(String("a name of some length")).str() ==
         "a name of some length");
  EXPECT(ours->InspectSource(String("c")).str() == "c");
  EXPECT(ours->SaveToBytes().str() == "bytes");
  EXPECT(ours->GetWriteFormats().size() == 2);
  ours->WriteToFile(String("a file of some length"), String("c"));
  CheckImports(ours, with_helper);
  CheckFailures(ours, with_helper);
  EXPECT(static_cast<std::uint32_t>(module->combined_ref_count) == 1);
}

void CheckTypes(TVMFFIObject *ours) {
  Module loud_ref(Make(kGive)), quiet_ref(MakeQuiet());
  ModuleObj *module = Cast<ModuleObj>(ours), *loud = Cast<ModuleObj>(loud_ref.get());
  ModuleObj *quiet = Cast<ModuleObj>(quiet_ref.get());
  EXPECT(std::string(typeid(*module).name()) == "N3tvm3ffi9ModuleObjE");
  EXPECT(typeid(*module) == typeid(ModuleObj));
  EXPECT(typeid(*module) != typeid(*loud));
  EXPECT(typeid(*loud) == typeid(Loud));
  EXPECT(dynamic_cast<Loud *>(module) == nullptr);
  EXPECT(dynamic_cast<void *>(module) == module);
  EXPECT(dynamic_cast<Loud *>(loud) == static_cast<Loud *>(loud));
  EXPECT(dynamic_cast<Quiet *>(quiet) == static_cast<Quiet *>(quiet));
  EXPECT(dynamic_cast<Loud *>(quiet) == nullptr);
  try {
    throw static_cast<Loud *>(loud);
  } catch (ModuleObj *caught) {  // a conversion to a base class, which needs type_info
    EXPECT(caught == loud);
  }
  try {
    throw static_cast<Quiet *>(quiet);
  } catch (tvm::ffi::Object *caught) {
    EXPECT(&caught->header_ == quiet_ref.get());
  }
}

}  // namespace client
