/* SPDX-License-Identifier: Apache-2.0 */
/* Overloads: tests that cannot run with the package's headers. Which overload is called and the
 * messages of errors are in tests/compat/names_overloads.cc. */
#include <gtest/gtest.h>
#include <tvm/ffi/reflection/overload.h>

#include <memory>
#include <stdexcept>

#include "caught.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using ffi::Any;
using ffi::String;

namespace {

class NoteObj : public ffi::Object {
 public:
  int64_t x = 2;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Note", NoteObj, ffi::Object);
};
class Note : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Note, ffi::ObjectRef, NoteObj);
};

std::shared_ptr<int> call_count = std::make_shared<int>(0);

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::OverloadObjectDef<NoteObj>("A note.")
      .def_rw("x", &NoteObj::x, "Its value.")
      .def(
          "any", [](const NoteObj *, int64_t) { return String("int"); }, "Of an int.",
          refl::Metadata({{"first", true}}))
      .def(
          "any", [](const NoteObj *, const Any &) { return String("any"); }, "Of the rest.")
      .def_static("count",
                  [kept = call_count](int64_t amount) { return *kept += static_cast<int>(amount); })
      .def_static("count", [kept = call_count] { return *kept; })
      .def_static("fail", [](int64_t) -> int64_t { throw std::runtime_error("no Error"); })
      .def_static("fail", [](const String &) {})
      .def_type_attr("test.cpp.note", 5)
      .def_convert<Note>();
}

ffi::Function Method(const char *name) {
  return refl::GetMethod("test.cpp.Note", name);
}

TEST(Overload, TakesAnythingLast) {
  const Note note(ffi::make_object<NoteObj>());
  EXPECT_EQ(Method("any")(note, 1).cast<String>(), "int");
  EXPECT_EQ(Method("any")(note, "x").cast<String>(), "any");
  EXPECT_EQ(Method("any")(note, nullptr).cast<String>(), "any");
  EXPECT_EQ(Caught([&] { Method("any")(1, 2); }),
            "TypeError: No matching overload found when calling: `test.cpp.Note.any` with 2 "
            "arguments:\n"
            "Overload #0: Mismatched type on argument #0 when calling: `test.cpp.Note.any (0: "
            "test.cpp.Note, 1: int) -> str`. Expected `test.cpp.Note` but got `int`\n"
            "Overload #1: Mismatched type on argument #0 when calling: `test.cpp.Note.any (0: "
            "test.cpp.Note, 1: Any) -> str`. Expected `test.cpp.Note` but got `int`");
}

TEST(Overload, KeepsWhatCallablesHold) {
  EXPECT_GE(call_count.use_count(), 3);
  EXPECT_EQ(Method("count")(3).cast<int>(), 3);
  EXPECT_EQ(Method("count")().cast<int>(), 3);
}

TEST(Overload, FreesWhatItHolds) {
  const auto counted = std::make_shared<int>(0);
  {
    auto overloads = ffi::make_object<ffi::detail::OverloadsObj>(ffi::detail::BytesOf("f"));
    overloads->Add([counted] { return 1; });
    overloads->Add([counted](int64_t x) { return x; });
    const ffi::Function function{ffi::ObjectPtr<ffi::FunctionObj>(overloads)};
    EXPECT_EQ(counted.use_count(), 3);
    EXPECT_EQ(function(7).cast<int>(), 7);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Overload, PassesOnWhatIsThrown) {
  EXPECT_EQ(Caught([] { Method("fail")(1); }), "InternalError: no Error");
  EXPECT_EQ(Method("fail")("x"), nullptr);
}

TEST(Overload, SendsWhatIsSaidOfEach) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(NoteObj::RuntimeTypeIndex());
  ASSERT_GE(info->num_methods, 2);
  EXPECT_EQ(String(info->methods[0].doc), "Of an int.");
  EXPECT_EQ(String(info->methods[1].doc), "Of the rest.");
  EXPECT_NE(String(info->methods[0].metadata).find("\"first\":true"), String::npos);
  EXPECT_EQ(String(info->fields[0].doc), "Its value.");
  EXPECT_EQ(String(info->metadata->doc), "A note.");
  EXPECT_EQ(refl::TypeAttrColumn("test.cpp.note")[NoteObj::RuntimeTypeIndex()].cast<int>(), 5);
}

/* A type without an init has the automatic constructor of its fields, as with ObjectDef. */
TEST(Overload, LeavesTheAutomaticConstructor) {
  const auto init = refl::TypeAttrColumn(ffi::type_attr::kInit)[NoteObj::RuntimeTypeIndex()];
  EXPECT_EQ(init.cast<ffi::Function>()(9).cast<Note>()->x, 9);
}

}  // namespace
