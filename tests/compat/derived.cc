// SPDX-License-Identifier: Apache-2.0
// A mutator that a library exports, and a class derived from it in a program: with LIBRARY this is
// the library. Inline code of either may be of the package's headers or of our layer, and both read
// and write the same records.
#include "names.h"

#include <tvm/ffi/extra/structural_mutate.h>

#include <vector>

class __attribute__((visibility("default"))) Rewriter : public StructuralMapEngineBase {
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
  return 0;
}

#endif
