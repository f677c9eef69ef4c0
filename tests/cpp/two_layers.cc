/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a program, compiled with one version of the layer; two_layers.py compiles it with two.
 * The only names that both objects define are those of the layer. */
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;

int UseVersion1();
int UseVersion2();

#if VERSION == 1
#define USE_VERSION UseVersion1
#define POINT_KEY "test.TwoLayers1"
#else
#define USE_VERSION UseVersion2
#define POINT_KEY "test.TwoLayers2"
#endif

namespace {

int64_t CountItems(ffi::Array<ffi::String> items, const std::vector<int64_t> &more,
                   ffi::Optional<double> last) {
  return static_cast<int64_t>(items.size() + more.size()) + (last.has_value() ? 1 : 0);
}

ffi::Expected<int64_t> Half(std::tuple<int64_t, ffi::String> value) {
  if (std::get<0>(value) % 2 != 0) {
    return TVM_FFI_UNEXPECTED(ValueError)
           << std::get<0>(value) << " is odd: " << std::get<1>(value);
  }
  return std::get<0>(value) / 2;
}

int64_t Positive(int64_t x) {
  TVM_FFI_CHECK_GT(x, 0, ValueError) << "of version " << VERSION;
  return x;
}

struct PointObj : ffi::Object {
  int64_t x = 1;
  ffi::String name = "a name that is longer than a small string";
  int64_t Sum(int64_t y) const { return x + y; }
  int64_t Length(ffi::String text) const { return x + static_cast<int64_t>(text.size()); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL(POINT_KEY, PointObj, ffi::Object);
};

int failed = 0;

void Expect(bool is_true, int line) {
  if (is_true) return;
  std::fprintf(stderr, "version %d, line %d\n", VERSION, line);
  ++failed;
}

/** Whether the call throws an Error of that kind whose message contains part. */
template <typename F>
bool Fails(const char *kind, const char *part, const F &call) {
  try {
    call();
  } catch (const ffi::Error &error) {
    if (error.kind() == kind && error.message().find(part) != std::string::npos) return true;
    std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
  return false;
}

void UseFunctions() {
  const std::string text(100, 'x');
  const ffi::Function count = ffi::Function::FromTyped(CountItems, "count");
  const ffi::Array<ffi::String> items{"one", text, "three"};
  const std::vector<int64_t> more{1, 2, 3, 4};
  Expect(count(items, more, 0.5).cast<int64_t>() == 8, __LINE__);
  Expect(count(items, ffi::Array<int64_t>{}, nullptr).cast<int64_t>() == 3, __LINE__);
  Expect(Fails("TypeError",
               "Mismatched type on argument #0 when calling: `count(0: Array<str>, 1: "
               "std::vector<int>, 2: Optional<float>) -> int`. Expected `Array<str>` but got "
               "`int`",
               [&] { count(1, more, 0.5); }),
         __LINE__);

  const ffi::Function join = ffi::Function::FromTyped(
      [text, items](const ffi::String &with) { return text + items[0] + with; });
  Expect(join("!").cast<ffi::String>() == text + "one!", __LINE__);

  const ffi::Function half = ffi::Function::FromTyped(Half, "half");
  Expect(half(std::tuple<int64_t, ffi::String>(8, text)).cast<int64_t>() == 4, __LINE__);
  const ffi::Expected<int64_t> odd =
      half.CallExpected<int64_t>(std::tuple<int64_t, ffi::String>(7, text));
  Expect(odd.is_err() && odd.error().message() == "7 is odd: " + text, __LINE__);
  Expect(Fails("ValueError", "of version", [] { Positive(-1); }), __LINE__);
}

void UseObjects() {
  namespace refl = ffi::reflection;
  refl::OverloadObjectDef<PointObj>()
      .def(refl::init<>())
      .def_ro("x", &PointObj::x, refl::Metadata({{"unit", std::string(100, 'm')}}),
              refl::default_value(1))
      .def_ro("name", &PointObj::name, "Its name.")
      .def("get", &PointObj::Sum, "A sum.", refl::Metadata({{"limit", 3}}))
      .def("get", &PointObj::Length);
  const ffi::ObjectPtr<PointObj> point = ffi::make_object<PointObj>();
  const ffi::Any any{ffi::ObjectRef(point)};
  const ffi::Function get = refl::GetMethod(POINT_KEY, "get");
  Expect(get(any, 2).cast<int64_t>() == 3, __LINE__);
  Expect(get(any, "three").cast<int64_t>() == 6, __LINE__);
  Expect(Fails("TypeError", "get", [&] { get(any, nullptr); }), __LINE__);
  Expect(refl::FieldGetter(POINT_KEY, "name")(point.get()).cast<ffi::String>() == point->name,
         __LINE__);
  const ffi::Map<ffi::String, ffi::Any> map{{"point", any}};
  Expect(map["point"].cast<const PointObj *>() == point.get(), __LINE__);
}

}  // namespace

int USE_VERSION() {
  UseFunctions();
  UseObjects();
  return failed;
}

#if VERSION == 1
int main() {
  return UseVersion1() + UseVersion2() == 0 ? 0 : 1;
}
#endif
