// SPDX-License-Identifier: Apache-2.0
// Sequences and maps, by reference and by object.
#include "names.h"

namespace {

template <typename Seq>
void ShowItems(const Seq &items) {
  std::cout << " [";
  for (const auto &item : items) std::cout << Any(item).cast<int>() << ",";
  std::cout << "]";
}

void ShowSequences() {
  Line("object", [] {
    List<Any> list{1};
    list.reserve(10);
    ListObj *object = list.GetListObj();
    const Any more[] = {7, 8};
    object->insert(0, 5);
    object->insert(1, more, more + 2);
    object->Reverse();
    object->SetItemAfterCheck(0, 9);
    ShowItems(*object);
    object->resize(6);
    Show(object->size(), object->at(5) == nullptr, object->front().cast<int>());
    object->resize(2);
    object->InitRange(0, more, more + 2);
    ShowItems(*object);
    object->resize(-1);
  });
  Line("object", [] { List<Any>({1}).GetListObj()->insert(2, 5); });
  Line("object", [] { List<Any>({1}).GetListObj()->insert(-1, 5); });
  Line("made", [] {
    const ObjectPtr<ArrayObj> array = ArrayObj::CreateRepeated(3, Any(7));
    const ObjectPtr<ListObj> list = ListObj::CreateRepeated(2, Any(7));
    ShowItems(*array);
    ShowItems(*list);
    Show(array->capacity(), ArrayObj::CopyFrom(5, array.get())->capacity(),
         make_object<ArrayObj>()->capacity(), make_object<ListObj>()->size());
    ArrayObj::CopyFrom(2, array.get());
  });
  Line("list", [] {
    List<int> list{1}, alias = list;
    const int more[] = {2, 3};
    list.insert(list.begin(), 5);
    list.insert(list.begin() + 1, more, more + 2);
    ShowItems(alias);
    Show(*list.rbegin(), list.rend() - list.rbegin());
    list.Assign(more, more + 2);
    ShowItems(alias);
    list.resize(1);
    ShowItems(alias);
    list = {4, 5, 6};
    Show(alias.size(), list.same_as(alias));
  });
  Line("list", [] { List<int>{1}.resize(-1); });
  Line("null list", [] {
    List<int> list{1};
    const List<int> other = std::move(list);
    list.clear();
    Show(list.defined());
    list.push_back(2);
    ShowItems(list);
  });
  Line("null list", [] {
    List<int> list{1};
    const List<int> other = std::move(list);
    list.reserve(2);
    list.resize(0);
    Show(list.size(), list.defined());
  });
  Line("array", [] { Array<int>{1}.resize(-1); });
}

void ShowMaps() {
  using Numbers = Array<Number>;
  Line("map", [] {
    Numbers array{Number(1), Number(2)};
    const Object *object = array.get();
    const Numbers same = array.Map([](Number n) { return n; });
    const Numbers others = array.Map([](const Number &n) { return Number(n->value + 1); });
    const Array<Any> as_any = array.Map([](Number n) { return Any(n); });
    Show(same.get() == object, others.get() == object, others[1]->value, as_any.get() == object);
  });
  Line("map", [] {
    const Array<Any> array{1, 2};
    Show(array.Map([](const Any &value) { return value.cast<int>(); }).get() == array.get(),
         array.Map([](const Any &value) { return value.cast<double>(); })[1]);
  });
  Line("mutate", [] {
    Numbers array{Number(1), Number(2)};
    const Object *object = array.get();
    array.MutateByApply([](Number n) {
      Show(n.use_count());
      return Number(n->value + 1);
    });
    Show(array.get() == object, array[1]->value);
    const Numbers alias = array;
    array.MutateByApply([](const Number &n) { return Number(n->value + 1); });
    Show(array.same_as(alias), array[1]->value, alias[1]->value);
    try {
      array.MutateByApply([](const Number &) -> Number { throw 1; });
    } catch (int) {
      Show(array.size());
    }
  });
  Line("join", [] {
    ShowItems(Array<int>::Agregate(1, Array<int>{2, 3}, 4));
    ShowItems(Concat(Array<int>{1}, Array<int>{2}));
  });
}

void ShowMapObjects() {
  for (int size : {0, 1, 3, 4, 5, 40}) {
    Line("map object", [&] {
      Map<int, int> map;
      for (int i = 0; i < size; ++i) map.Set(i * 7919 % 41, i);
      if (size > 2) map.erase(7919 % 41);
      MapObj *object = map.CopyOnWrite();
      for (const MapObj::KVType &entry : *object)
        Show(entry.first.cast<int>(), entry.second.cast<int>());
      Show("|", object->size(), object->count(Any(0)), object->find(Any(1000)) == object->end());
      for (auto entry = object->begin(); entry != object->end(); ++entry) entry->second = 100;
      const ObjectPtr<Object> copy = MapObj::ShallowCopy(object);
      if (size > 0) {
        object->at(Any(0)) = 5;
        Show(map[0], object->find(Any(0))->second.cast<int>());
        object->erase(Any(0));
        if (object->size() > 0) object->erase(object->begin());
      }
      object->erase(Any(1000));
      Show("|", map.size(), Map<int, int>(copy).size());
      object->clear();
      Show(map.size(), sizeof(MapObj), sizeof(DictObj));
      object->at(Any(3));
    });
  }
  Line("merge", [] {
    const Map<int, int> map = Merge(Map<int, int>{{1, 2}, {3, 4}}, Map<int, int>{{3, 5}, {6, 7}});
    for (const auto &entry : map) Show(entry.first, entry.second);
  });
}

}  // namespace

int main() {
  ShowSequences();
  ShowMaps();
  ShowMapObjects();
  return 0;
}
