/* SPDX-License-Identifier: Apache-2.0 */
/* An extension module with types of its own, like those of packages that contain more than kernels:
 * a pair with methods, a matcher with members of any type and several constructors, the launcher of
 * a bridge. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <memory>
#include <string>
#include <vector>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using tvm::ffi::Any;
using tvm::ffi::AnyView;
using tvm::ffi::Array;
using tvm::ffi::Bytes;
using tvm::ffi::Map;
using tvm::ffi::Object;
using tvm::ffi::ObjectRef;
using tvm::ffi::String;

/* ---- A pair ---- */

class IntPairObj : public Object {
 public:
  int64_t a;
  int64_t b;
  IntPairObj() = default;
  IntPairObj(int64_t first, int64_t second) : a(first), b(second) {}
  int64_t Sum() const { return a + b; }
  void Swap() { std::swap(a, b); }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("units.IntPair", IntPairObj, Object);
};
class IntPair : public ObjectRef {
 public:
  explicit IntPair(int64_t a, int64_t b) { data_ = ffi::make_object<IntPairObj>(a, b); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntPair, ObjectRef, IntPairObj);
};

/* ---- A matcher ---- */

class GrammarObj : public Object {
 public:
  explicit GrammarObj(std::string text) : text_(std::make_unique<std::string>(std::move(text))) {}
  const std::string &text() const { return *text_; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("units.Grammar", GrammarObj, Object);

 private:
  std::unique_ptr<std::string> text_;
};

class MatcherObj : public Object {
 public:
  MatcherObj(const ObjectRef &grammar, AnyView stops, bool strict) : strict_(strict) {
    const GrammarObj *node = grammar.as<GrammarObj>();
    if (node == nullptr) throw ffi::Error("GrammarError", "this is no grammar", "");
    text_ = node->text();
    if (stops != nullptr) {
      for (int64_t stop : stops.cast<Array<int64_t>>()) stops_.push_back(stop);
    }
  }
  bool Accept(int64_t token) {
    accepted_.push_back(token);
    for (int64_t stop : stops_) {
      if (stop == token) return !strict_;
    }
    return true;
  }
  String Describe() const {
    return text_ + " " + std::to_string(stops_.size()) + " " + std::to_string(accepted_.size());
  }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("units.Matcher", MatcherObj, Object);

 private:
  std::string text_;
  std::vector<int64_t> stops_, accepted_;
  bool strict_;
};

/* ---- A launcher ---- */

class LauncherObj : public Object {
 public:
  LauncherObj(int device, int stage, size_t size, Array<int64_t> blob)
      : device_(device), stage_(stage), size_(size), blob_(std::move(blob)) {}
  size_t Size() const { return size_ + blob_.size(); }
  void *Handle() { return this; }
  int64_t Where() const noexcept { return device_ * 10 + stage_; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("units.Launcher", LauncherObj, Object);

 private:
  int device_, stage_;
  size_t size_;
  Array<int64_t> blob_;
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<IntPairObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_rw("a", &IntPairObj::a, "The first field.")
      .def_rw("b", &IntPairObj::b, "The second field.")
      .def("sum", &IntPairObj::Sum, "IntPair.sum()")
      .def("swap", &IntPairObj::Swap)
      .def_static("of", [](const Array<int64_t> &both) { return IntPair(both[0], both[1]); });
  refl::ObjectDef<GrammarObj>(refl::init(false)).def_static("from_text", [](const String &text) {
    return ObjectRef(ffi::make_object<GrammarObj>(std::string(text)));
  });
  refl::ObjectDef<MatcherObj>()
      .def(refl::init<ObjectRef, AnyView, bool>(), "__init__")
      .def("accept", [](MatcherObj *self, int64_t token) { return self->Accept(token); })
      .def("describe", [](const MatcherObj *self) { return self->Describe(); });
  refl::ObjectDef<LauncherObj>()
      .def(refl::init<int, int, size_t, Array<int64_t>>(), "__init__")
      .def("size", &LauncherObj::Size)
      .def("handle", &LauncherObj::Handle)
      .def("where", [](const LauncherObj *self) { return self->Where(); });
  refl::GlobalDef()
      .def("units.pair_sum", [](const IntPair &pair) { return pair->Sum(); })
      .def_method("units.pair_swap", &IntPairObj::Swap);
}

/* ---- Uses by a host ---- */

String describe_type(const String &key) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(ffi::TypeKeyToIndex(std::string(key)));
  std::string text;
  refl::ForEachFieldInfo(info, [&text](const TVMFFIFieldInfo *field) {
    text += std::string(field->name.data, field->name.size) + " ";
  });
  for (int32_t i = 0; i < info->num_methods; ++i) {
    text += std::string(info->methods[i].name.data, info->methods[i].name.size) + "() ";
  }
  return text;
}
String use_pair(Any a, Any b) {
  const Any pair = refl::GetMethod("units.IntPair", "__ffi_init__")(a, b);
  ffi::Function::GetGlobalRequired("units.pair_swap")(pair);
  refl::FieldSetter("units.IntPair", "b")(pair.cast<ObjectRef>(), 40);
  return std::to_string(refl::FieldGetter("units.IntPair", "a")(pair.cast<IntPair>()).cast<int>()) +
         " " +
         std::to_string(ffi::Function::GetGlobalRequired("units.pair_sum")(pair).cast<int64_t>());
}
int64_t sum_of(const Array<int64_t> &both) {
  const Any pair = refl::GetMethod("units.IntPair", "of")(both);
  return refl::GetMethod("units.IntPair", "sum")(pair).cast<int64_t>();
}
String match(Any grammar, Any stops, Array<int64_t> tokens) {
  if (auto text = grammar.as<String>()) {
    grammar = refl::GetMethod("units.Grammar", "from_text")(*text);
  }
  const Any matcher = refl::GetMethod("units.Matcher", "__ffi_init__")(grammar, stops, true);
  std::string accepted;
  for (int64_t token : tokens) {
    const bool ok = refl::GetMethod("units.Matcher", "accept")(matcher, token).cast<bool>();
    accepted += ok ? "+" : "-";
  }
  return accepted + " " +
         std::string(refl::GetMethod("units.Matcher", "describe")(matcher).cast<String>());
}
int64_t launch(int64_t device) {
  const Any launcher =
      refl::GetMethod("units.Launcher", "__ffi_init__")(device, 1, 5, Array<int64_t>{1, 2});
  const void *handle = refl::GetMethod("units.Launcher", "handle")(launcher).cast<void *>();
  return refl::GetMethod("units.Launcher", "size")(launcher).cast<int64_t>() * 100 +
         refl::GetMethod("units.Launcher", "where")(launcher).cast<int64_t>() +
         (handle == launcher.as<LauncherObj>() ? 0 : 1);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe_type, describe_type);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_pair, use_pair);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_of, sum_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(match, match);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_object, launch);

}  // namespace
