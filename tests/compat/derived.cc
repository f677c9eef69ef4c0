// SPDX-License-Identifier: Apache-2.0
// A mutator and a module that a library exports, and classes derived from them in a program: with
// LIBRARY this is the library. Inline code of either may be of the package's headers or of our
// layer, and both read and write the same records. Either registers a class whose fields the other
// one describes and fills, and takes arguments that are converted; big integers go back and forth.
#include "names.h"

#include <tvm/ffi/big_int.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>
#include <vector>

#define EXPORT __attribute__((visibility("default")))

#ifdef LIBRARY
#define SIDE "library"
#else
#define SIDE "program"
#endif

namespace refl = tvm::ffi::reflection;

namespace tvm {
namespace ffi {

template <>
inline constexpr bool use_default_type_traits_v<Number> = false;
template <>
struct TypeTraits<Number> : ObjectRefWithFallbackTraitsBase<Number, StrictBool, int64_t, String> {
  static Number ConvertFallbackValue(StrictBool value) { return Number(value ? 100 : 200); }
  static Number ConvertFallbackValue(int64_t value) { return Number(1000 + value); }
  static Number ConvertFallbackValue(const String &value) {
    return Number(static_cast<int64_t>(value.size()));
  }
};

}  // namespace ffi
}  // namespace tvm

class EXPORT Rewriter : public StructuralMapEngineBase {
 public:
  Rewriter();
  virtual Expected<UnchangedOr<Any>> Rewrite(const Number &number);
  /** Records for each number of the array that it became one greater. */
  void RecordAll(const Array<Number> &numbers);
  Any Recorded(const Number &number);
  static size_t Size();
  static ObjectPtr<Rewriter> Make();

  /** Behind the records. */
  int64_t num_rewritten = 0;
  Any last;

  static constexpr bool _type_mutable = true;

 private:
  static TVMFFIAny MutateValue(StructuralMutatorObj *self, AnyView value) noexcept;
};

class EXPORT Counter : public ModuleObj {
 public:
  explicit Counter(int64_t first);
  const char *kind() const override;
  int GetPropertyMask() const override;
  Optional<Function> GetFunction(const String &name) override;
  Bytes SaveToBytes() const override;
  virtual int64_t Step();
  static Module Make(int64_t first);
  /** The answer of a function of the module, or of what it imports. */
  static Any Call(const Module &module, const String &name);
  static size_t Size();

 protected:
  int64_t count_;
};

/* What one side offers to the other. */
struct Offer {
  int32_t type_index;
  /** Changes the description of a field by this side's extras. */
  void (*apply)(TVMFFIFieldInfo *info);
  /** What this side reads in the description of a class. */
  std::string (*describe)(int32_t type_index);
  /** An object of that class, whose fields have their defaults. */
  Any (*make)(const String &key);
  /** Takes a Number, or what converts to one. */
  Function number;
  /** Passes a value to such a function. */
  Any (*call)(const Function &function, const Any &value);
  BigInt (*power)(const BigInt &base, const BigInt &exponent);
};
EXPORT Offer OfferOfLibrary();

namespace {

class SettingsObj : public Object {
 public:
  explicit SettingsObj(UnsafeInit) {}
  SettingsObj() = default;
  int64_t limit = 0;
  Array<Any> names;
  BigInt large;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("derived.Settings." SIDE, SettingsObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<SettingsObj>()
      .def_rw("limit", &SettingsObj::limit, refl::DefaultValue(7), "At most.",
              refl::Metadata({{"unit", SIDE}, {"many", true}, {"level", 3}}))
      .def_rw("names", &SettingsObj::names, refl::DefaultFactory(Function::FromTyped([] {
                return Array<Any>{SIDE, 1};
              })),
              refl::AttachFieldFlag::SEqHashIgnore(), refl::repr(false))
      .def_rw("large", &SettingsObj::large, refl::DefaultValue(BigInt(1) << 100));
}

void ApplyExtras(TVMFFIFieldInfo *info) {
  // A description borrows from extras.
  static const refl::DefaultValue value(String("a default value of the " SIDE));
  static const refl::DefaultFactory factory(
      Function::FromTyped([] { return Array<Any>{"made by the " SIDE}; }));
  if (std::string(info->name.data, info->name.size) == "large") {
    value.Apply(info);
  } else {
    factory.Apply(info);
  }
  refl::AttachFieldFlag::SEqHashDefPattern().Apply(info);
  refl::kw_only(true).Apply(info);
}

std::string Repr(const Any &value) {
  return Function::GetGlobalRequired("ffi.ReprPrint")(value).cast<std::string>();
}

/** A default value, or what its factory makes. */
Any DefaultOf(const TVMFFIFieldInfo &info) {
  const AnyView held = AnyView::CopyFromTVMFFIAny(info.default_value_or_factory);
  if ((info.flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) == 0) return held;
  return held.cast<Function>()();
}

std::string Describe(int32_t type_index) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  std::string text;
  for (int32_t i = 0; i < info->num_fields; ++i) {
    refl::FieldInfoBuilder builder;
    static_cast<TVMFFIFieldInfo &>(builder) = info->fields[i];
    text += std::string(builder.name.data, builder.name.size) + " " +
            std::string(builder.metadata.data, builder.metadata.size) + " " +
            std::to_string(builder.flags) + " " + Repr(DefaultOf(builder));
    ApplyExtras(&builder);
    refl::Metadata({{"more", SIDE}, {"number", i}}).Apply(&builder);
    for (const auto &entry : builder.metadata_) {
      text += " " + std::string(entry.first) + "=" + Repr(entry.second);
    }
    text += " " + std::to_string(builder.flags) + " " + Repr(DefaultOf(builder)) + "; ";
  }
  return text;
}

Any MakeObject(const String &key) {
  return refl::ObjectCreator(key.c_str())(Map<String, Any>{{"limit", BigInt(8)}});
}

BigInt Power(const BigInt &base, const BigInt &exponent) {
  BigInt result(1);
  for (BigInt i(0); i < exponent; i = i + 1) result = result * base;
  return result;
}

Offer MakeOffer() {
  return {SettingsObj::RuntimeTypeIndex(),
          ApplyExtras,
          Describe,
          MakeObject,
          Function::FromTyped([](const Number &number) { return number->value; }),
          [](const Function &function, const Any &value) { return function(value); },
          Power};
}

}  // namespace

#ifdef LIBRARY

TVMFFIAny Rewriter::MutateValue(StructuralMutatorObj *self, AnyView value) noexcept {
  Rewriter *rewriter = static_cast<Rewriter *>(self);
  const std::optional<Number> number = value.as<Number>();
  if (!number || value == nullptr) {
    return detail::ExpectedUnsafe::MoveToTVMFFIAny(self->DefaultMutateExpected(value));
  }
  ++rewriter->num_rewritten;
  rewriter->last = value;
  return detail::ExpectedUnsafe::MoveToTVMFFIAny(rewriter->Rewrite(*number));
}

namespace {
const StructuralMutatorVTable *MakeTable(FStructuralMutateABI mutate, FStructuralVarRemapGet get,
                                         FStructuralVarRemapSet set) {
  static const StructuralMutatorVTable table{mutate, mutate, get, set};
  return &table;
}
}  // namespace

Rewriter::Rewriter()
    : StructuralMapEngineBase(
          MakeTable(&Rewriter::MutateValue, &DispatchVarRemapGet, &DispatchVarRemapSet)) {}
Expected<UnchangedOr<Any>> Rewriter::Rewrite(const Number &) {
  return Unchanged();
}
void Rewriter::RecordAll(const Array<Number> &numbers) {
  for (const Number &each : numbers) VarRemapSetImpl(each, Number(each->value + 1)).value();
}
Any Rewriter::Recorded(const Number &number) {
  return VarRemapGetImpl(number).value();
}
size_t Rewriter::Size() {
  return sizeof(Rewriter);
}
ObjectPtr<Rewriter> Rewriter::Make() {
  return make_object<Rewriter>();
}

Counter::Counter(int64_t first) : count_(first) {}
const char *Counter::kind() const {
  return "derived.counter";
}
int Counter::GetPropertyMask() const {
  return Module::kBinarySerializable | Module::kRunnable;
}
Optional<Function> Counter::GetFunction(const String &name) {
  if (name != "next") return std::nullopt;
  return Function::FromTyped([self = GetRef<Module>(this)] {
    Counter *counter = static_cast<Counter *>(const_cast<ModuleObj *>(self.operator->()));
    return counter->count_ += counter->Step();
  });
}
Bytes Counter::SaveToBytes() const {
  return Bytes("counted to " + std::to_string(count_));
}
int64_t Counter::Step() {
  return 1;
}
Module Counter::Make(int64_t first) {
  return Module(make_object<Counter>(first));
}
Any Counter::Call(const Module &module, const String &name) {
  // The package's own method is in its library alone.
  const Function find = Function::GetGlobalRequired("ffi.ModuleGetFunction");
  const auto function = find(module, name, true).cast<Optional<Function>>();
  return function.has_value() ? (*function)() : Any("no function");
}
size_t Counter::Size() {
  return sizeof(Counter);
}

Offer OfferOfLibrary() {
  return MakeOffer();
}

#else

namespace {

/* Replaces each number by what is recorded for it. */
class Derived : public Rewriter {
 public:
  Expected<UnchangedOr<Any>> Rewrite(const Number &number) override {
    Any recorded = VarRemapGetImpl(number).value();
    if (recorded == nullptr) return Unchanged();
    return recorded;
  }
  void Record(const Number &number, AnyView value) { VarRemapSetImpl(number, value).value(); }
  int64_t num_derived = 5;
};

Array<Number> MakeNumbers(int64_t size) {
  std::vector<Number> numbers;
  for (int64_t i = 0; i < size; ++i) numbers.push_back(Number(i));
  return Array<Number>(numbers.begin(), numbers.end());
}
/* Counts by tens, and has one function more. */
class Tens : public Counter {
 public:
  explicit Tens(int64_t first) : Counter(first) {}
  const char *kind() const override { return "derived.tens"; }
  Optional<Function> GetFunction(const String &name) override {
    if (name == "last") return Function::FromTyped([count = count_] { return count; });
    return Counter::GetFunction(name);
  }
  Optional<String> GetFunctionDoc(const String &name) override { return "the doc of " + name; }
  int64_t Step() override { return 10; }
};

int64_t Sum(const Any &numbers) {
  int64_t sum = 0;
  for (const Number &each : numbers.cast<Array<Number>>()) sum += each->value;
  return sum;
}

}  // namespace

int main() {
  Line("size", [] { Show(sizeof(Rewriter) == Rewriter::Size()); });
  Line("of the program", [] {
    const Array<Number> numbers = MakeNumbers(100);
    const Number first = numbers[0], replaced(1000);
    {
      const ObjectPtr<Derived> derived = make_object<Derived>();
      Show(Sum(derived->Mutate(numbers).ValueOrUnchanged(numbers)));
      derived->RecordAll(numbers);
      Show(Sum(derived->Mutate(numbers).ValueOrUnchanged(numbers)));
      derived->Record(first, replaced);
      derived->VarRemapSetExpected(numbers[1], replaced).value();
      Show(Sum(derived->Mutate(numbers).ValueOrUnchanged(numbers)));
      Show(derived->Recorded(first).same_as(replaced), first.use_count(), replaced.use_count());
      Show(derived->num_rewritten, derived->num_derived, derived->last.cast<Number>()->value);
    }
    Show(first.use_count(), replaced.use_count());
  });
  Line("of the library", [] {
    const Array<Number> numbers = MakeNumbers(100);
    const Number first = numbers[0], replaced(1000);
    {
      const ObjectPtr<Rewriter> rewriter = Rewriter::Make();
      rewriter->RecordAll(numbers);
      rewriter->VarRemapSetExpected(first, replaced).value();
      Show(rewriter->Recorded(first).same_as(replaced), first.use_count(), replaced.use_count());
      Show(Sum(rewriter->Mutate(numbers).ValueOrUnchanged(numbers)), rewriter->num_rewritten);
    }
    Show(first.use_count(), replaced.use_count());
  });
  const Offer library = OfferOfLibrary(), program = MakeOffer();
  Line("descriptions", [&] {
    for (const Offer *offer : {&library, &program}) {
      Show(library.describe(offer->type_index), program.describe(offer->type_index));
    }
  });
  Line("extras", [&] {
    for (const Offer *offer : {&library, &program}) {
      for (const Offer *other : {&library, &program}) {
        TVMFFIFieldInfo info = TVMFFIGetTypeInfo(offer->type_index)->fields[0];
        other->apply(&info);
        Show(info.flags, Repr(DefaultOf(info)));
      }
    }
  });
  Line("objects", [&] {
    for (const char *key : {"derived.Settings.library", "derived.Settings.program"}) {
      Show(Repr(library.make(key)), Repr(program.make(key)));
    }
  });
  Line("converted", [&] {
    for (const Any &value : {Any(5), Any(true), Any("text"), Any(Number(6))}) {
      Show(library.number(value).cast<int64_t>(), program.number(value).cast<int64_t>(),
           library.call(program.number, value).cast<int64_t>(),
           program.call(library.number, value).cast<int64_t>());
    }
  });
  Line("not converted by the library", [&] { library.number(2.5); });
  Line("not converted by the program", [&] { library.call(program.number, 2.5); });
  Line("big integers", [&] {
    const BigInt one(1), three(3), base = library.power(three, BigInt(50));
    Show(base == program.power(three, BigInt(50)), library.power(base, one) - base == BigInt(0),
         (library.power(-base, three) / program.power(base, BigInt(2)) + base) == BigInt(0),
         Repr(library.power(base, BigInt(2)) - one), Repr(floormod(-base, BigInt(1000))),
         Repr(Any(library.power(BigInt(-2), BigInt(63)) - one)),
         Any(library.power(BigInt(2), BigInt(40))).cast<int64_t>());
  });
  Line("modules", [] {
    const Module counter = Counter::Make(5);
    const ObjectPtr<Tens> made = make_object<Tens>(100);
    const Module tens(made);
    Show(sizeof(Counter) == Counter::Size(), counter->kind(), tens->kind(),
         counter->GetPropertyMask() == tens->GetPropertyMask());
    for (const Module &module : {counter, tens}) {
      Show(Repr(Counter::Call(module, "next")), Repr(module->GetFunction("next").value()()),
           Repr(Counter::Call(module, "last")), Repr(module->SaveToBytes()),
           module->GetFunctionDoc("next").value_or("no doc"), module->imports().size());
    }
    counter->ImportModule(tens);
    Show(Repr(Counter::Call(counter, "last")), counter->imports().size(),
         counter->imports()[0].same_as(tens), made.use_count());
    counter->ClearImports();
    Show(Repr(Counter::Call(counter, "last")), counter->imports().size(), made.use_count());
  });
  return 0;
}

#endif
