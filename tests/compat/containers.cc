// SPDX-License-Identifier: Apache-2.0
// Builds containers of random content, changing them alternately by inline code of the package's
// headers and by global functions of the library, and checks them against a model made of strings.
// Prints what must be the same on every library: contents in order, and the layout of tables slot
// by slot.
//
//     containers FIRST LAST      runs the seeds FIRST to LAST
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>

using tvm::ffi::Any;
using tvm::ffi::AnyEqual;
using tvm::ffi::AnyHash;
using tvm::ffi::AnyView;
using tvm::ffi::Array;
using tvm::ffi::Bytes;
using tvm::ffi::Dict;
using tvm::ffi::Function;
using tvm::ffi::List;
using tvm::ffi::Map;
using tvm::ffi::ObjectRef;
using tvm::ffi::String;

namespace {

uint64_t state;
const char *doing = "";
uint64_t current_seed;
int64_t num_keys;  // how many different keys there are of each kind

uint64_t Random(uint64_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % limit;
}

[[noreturn]] void Fail(const std::string &message) {
  std::printf("seed %llu, %s: %s\n", static_cast<unsigned long long>(current_seed), doing,
              message.c_str());
  std::exit(1);
}

void Check(bool condition, const char *message) {
  if (!condition) Fail(message);
}

Any CallGlobal(const char *name, std::vector<AnyView> args) {
  Any result;
  Function function = Function::GetGlobalRequired(name);
  function.CallPacked(args.data(), static_cast<int32_t>(args.size()), &result);
  return result;
}

// ---- Values, and their names in the model ----

Any MakeBigInt(int64_t low, int64_t high) {
  int64_t words[2] = {low, high};
  TVMFFIByteArray bytes = {reinterpret_cast<const char *>(words), sizeof words};
  TVMFFIAny raw;
  raw.type_index = 0;
  if (TVMFFIBigIntFromByteArray(&bytes, &raw) != 0) Fail("no BigInt");
  return tvm::ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
}

// Keys that are objects are created anew each time, so that equality must compare their contents.
std::pair<Any, std::string> MakeKey() {
  int64_t n = static_cast<int64_t>(Random(static_cast<uint64_t>(num_keys)));
  std::string number = std::to_string(n);
  switch (Random(9)) {
    case 0:
      return {Any(n * 7919 * (n % 2 == 0 ? 1 : -1)), "int" + number};
    case 1:
      return {Any(static_cast<double>(n) + 0.5), "float" + number};
    case 2:
      return {Any(String(("t" + number).c_str())), "text t" + number};
    case 3:
      return {Any(String("t" + number)), "text t" + number};  // on the heap, although it is short
    case 4:
      return {Any(String("a longer text, number " + number)), "text long" + number};
    case 5:
      return {Any(Bytes("b" + number)), "bytes b" + number};
    case 6:
      return {Any(Bytes("bytes on the heap " + number)), "bytes long" + number};
    case 7:
      return {MakeBigInt(n, 5), "big" + number};
    default:
      if (n % 3 == 0) return {Any(nullptr), "none"};
      if (n % 3 == 1) return {Any(n % 2 == 0), "bool" + std::to_string(n % 2 == 0)};
      return {Any(DLDevice{kDLCUDA, static_cast<int32_t>(n)}), "device" + number};
  }
}

std::string Describe(const Any &value) {
  if (value.type_index() == tvm::ffi::TypeIndex::kTVMFFIInt) {
    return std::to_string(value.cast<int64_t>());
  }
  if (auto text = value.try_cast<String>()) return "\"" + std::string(*text) + "\"";
  if (value.type_index() == tvm::ffi::TypeIndex::kTVMFFIArray) {
    std::string out = "[";
    for (const Any &item : value.cast<Array<Any>>()) out += Describe(item) + ",";
    return out + "]";
  }
  Fail("a value of no known kind");
}

std::pair<Any, std::string> MakeValue() {
  int64_t n = static_cast<int64_t>(Random(1000));
  Any value;
  switch (Random(4)) {
    case 0:
      value = n;
      break;
    case 1:
      value = String("value on the heap " + std::to_string(n));
      break;
    case 2:
      value = Array<Any>({Any(n), Any(String("in an array of the headers"))});
      break;
    default:
      value = CallGlobal("ffi.Array", {n, String("in an array of the library")});
  }
  return {value, Describe(value)};
}

// ---- Maps and dicts ----

struct Model {
  std::vector<std::pair<std::string, std::string>> entries;
  bool is_small = true;
  size_t slots = 2;

  size_t Find(const std::string &key) const {
    size_t i = 0;
    while (i < entries.size() && entries[i].first != key) ++i;
    return i;
  }
  void Set(const std::string &key, const std::string &value) {
    size_t i = Find(key);
    bool was_full = is_small && slots == 4 && entries.size() == 4;
    if (was_full) is_small = false;
    if (i < entries.size() && is_small) {
      entries[i].second = value;
      return;
    }
    if (i < entries.size()) entries.erase(entries.begin() + static_cast<long>(i));
    entries.emplace_back(key, value);
    if (is_small && entries.size() > slots) slots = 4;
  }
  void Erase(const std::string &key) {
    size_t i = Find(key);
    if (i < entries.size()) entries.erase(entries.begin() + static_cast<long>(i));
  }
};

struct Entry {
  Any key, value;
  std::string key_name;
};

std::string ToText(const Any &key) {
  switch (key.type_index()) {
    case tvm::ffi::TypeIndex::kTVMFFISmallStr:
    case tvm::ffi::TypeIndex::kTVMFFIStr:
      return std::string(key.cast<String>());
    case tvm::ffi::TypeIndex::kTVMFFISmallBytes:
    case tvm::ffi::TypeIndex::kTVMFFIBytes:
      return std::string(key.cast<Bytes>());
    default:
      return std::to_string(AnyHash()(key));
  }
}

// The fields of the object, and those of each slot of its table: metadata, key, links.
std::string Layout(const tvm::ffi::Object *obj) {
  const char *base = reinterpret_cast<const char *>(obj);
  auto word = [](const char *bytes) {
    uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  uint64_t size = word(base + 32), slots = word(base + 40);
  const char *data;
  std::memcpy(&data, base + 24, sizeof data);
  std::string out = "size " + std::to_string(size);
  if (slots >> 63 != 0) {
    out += " small " + std::to_string(slots & ~(uint64_t{1} << 63));
    for (uint64_t i = 0; i < size; ++i) {
      out += " " + ToText(*reinterpret_cast<const Any *>(data + 32 * i));
    }
    return out;
  }
  uint32_t shift;
  std::memcpy(&shift, base + 56, sizeof shift);
  out += " dense " + std::to_string(slots) + " shift " + std::to_string(shift) + " head " +
         std::to_string(word(base + 64)) + " tail " + std::to_string(word(base + 72));
  for (uint64_t i = 0; i < slots; ++i) {
    const char *block = data + 784 * (i / 16);
    unsigned meta = static_cast<unsigned char>(block[i % 16]);
    const char *item = block + 16 + 48 * (i % 16);
    out += " " + std::to_string(meta);
    if (meta == 255) continue;
    out += ":" + ToText(*reinterpret_cast<const Any *>(item)) + "/" +
           std::to_string(static_cast<int64_t>(word(item + 32))) + "/" +
           std::to_string(static_cast<int64_t>(word(item + 40)));
  }
  return out;
}

const char *Name(const char *map_name, const char *dict_name, bool is_dict) {
  return is_dict ? dict_name : map_name;
}

// A Map or a Dict under test; inline code and global functions take turns on it.
struct Subject {
  bool is_dict;
  Any object;
  Model model;
};

Subject MakeSubject(bool is_dict) {
  Subject s{is_dict, Any(), Model()};
  size_t n = Random(3) == 0 ? Random(30) : 0;
  bool inline_code = Random(2) == 0;
  doing = inline_code ? "make inline" : "make by function";
  std::vector<Any> items;
  for (size_t i = 0; i < n; ++i) {
    auto [key, key_name] = MakeKey();
    auto [value, value_name] = MakeValue();
    s.model.Set(key_name, value_name);
    items.push_back(key);
    items.push_back(value);
  }
  if (inline_code && is_dict) {
    Dict<Any, Any> dict;
    for (size_t i = 0; i < items.size(); i += 2) dict.Set(items[i], items[i + 1]);
    s.object = dict;
  } else if (inline_code) {
    Map<Any, Any> map;
    for (size_t i = 0; i < items.size(); i += 2) map.Set(items[i], items[i + 1]);
    s.object = map;
  } else {
    s.object = CallGlobal(is_dict ? "ffi.Dict" : "ffi.Map",
                          std::vector<AnyView>(items.begin(), items.end()));
  }
  return s;
}

template <typename F>
void Change(Subject *s, F &&f) {
  if (s->is_dict) {
    Dict<Any, Any> dict = s->object.cast<Dict<Any, Any>>();
    const void *handle = dict.get();
    f(dict);
    Check(dict.get() == handle, "a dict has another handle");
  } else {
    Map<Any, Any> map = std::move(s->object).cast<Map<Any, Any>>();
    s->object = nullptr;
    f(map);
    s->object = map;
  }
}

void CheckContent(const Subject &s, bool inline_code) {
  size_t i = 0;
  auto visit = [&](const Any &value) {
    Check(i < s.model.entries.size(), "too many entries");
    Check(Describe(value) == s.model.entries[i].second, "another value, or another order");
    ++i;
  };
  if (inline_code && s.is_dict) {
    for (const auto &entry : s.object.cast<Dict<Any, Any>>()) visit(entry.second);
  } else if (inline_code) {
    for (const auto &entry : s.object.cast<Map<Any, Any>>()) visit(entry.second);
  } else {
    int64_t size =
        CallGlobal(Name("ffi.MapSize", "ffi.DictSize", s.is_dict), {s.object}).cast<int64_t>();
    Function iterator =
        CallGlobal(Name("ffi.MapForwardIterFunctor", "ffi.DictForwardIterFunctor", s.is_dict),
                   {s.object})
            .cast<Function>();
    for (int64_t n = 0; n < size; ++n) {
      visit(iterator(1));
      Check(iterator(2).cast<bool>() == (n + 1 < size), "the end comes at another place");
    }
  }
  Check(i == s.model.entries.size(), "too few entries");
}

void Step(Subject *s) {
  const auto made_key = MakeKey(), made_value = MakeValue();
  const auto &[key_any, key_name] = made_key;
  const auto &[value_any, value_name] = made_value;
  const auto &key = key_any, &value = value_any; /* lambdas cannot capture structured bindings */
  bool inline_code = Random(2) == 0, can_change = s->is_dict || inline_code;
  switch (can_change ? Random(10) : 9) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      doing = inline_code ? "set inline" : "set by function";
      if (inline_code) {
        Change(s, [&](auto &map) { map.Set(key, value); });
      } else {
        CallGlobal("ffi.DictSetItem", {s->object, key, value});
      }
      s->model.Set(key_name, value_name);
      break;
    case 5:
    case 6:
    case 7:
      doing = inline_code ? "erase inline" : "erase by function";
      if (inline_code) {
        Change(s, [&](auto &map) { map.erase(key); });
      } else {
        CallGlobal("ffi.DictErase", {s->object, key});
      }
      s->model.Erase(key_name);
      break;
    case 8:
      if (Random(20) != 0) break;
      doing = inline_code ? "clear inline" : "clear by function";
      if (inline_code && !s->is_dict) break;  // Map::clear() creates another map
      if (inline_code) {
        Change(s, [&](auto &map) { map.clear(); });
      } else {
        CallGlobal("ffi.DictClear", {s->object});
      }
      s->model.entries.clear();
      break;
    default: {
      doing = inline_code ? "look up inline" : "look up by function";
      size_t i = s->model.Find(key_name);
      bool is_there = i < s->model.entries.size();
      if (inline_code) {
        Change(s, [&](auto &map) {
          Check((map.count(key) != 0) == is_there, "count");
          if (is_there) Check(Describe(map.at(key)) == s->model.entries[i].second, "at");
        });
      } else {
        Any count = CallGlobal(Name("ffi.MapCount", "ffi.DictCount", s->is_dict), {s->object, key});
        Check((count.cast<int64_t>() != 0) == is_there, "count");
        Any found =
            CallGlobal(Name("ffi.MapGetItemOrMissing", "ffi.DictGetItemOrMissing", s->is_dict),
                       {s->object, key});
        if (is_there) {
          Check(Describe(found) == s->model.entries[i].second, "item");
        } else {
          Check(found.same_as(CallGlobal("ffi.GetInvalidObject", {})), "missing");
        }
      }
    }
  }
}

void RunMap(bool is_dict) {
  Subject s = MakeSubject(is_dict);
  size_t steps = Random(num_keys > 100 ? 2000 : 60);
  for (size_t i = 0; i < steps; ++i) {
    Step(&s);
    if (Random(num_keys > 100 ? 200 : 8) == 0) CheckContent(s, Random(2) == 0);
  }
  doing = "read at the end";
  CheckContent(s, true);
  CheckContent(s, false);
  std::printf("%s\n", Layout(s.object.cast<ObjectRef>().get()).c_str());
}

// ---- Lists and arrays ----

void CheckList(const List<Any> &list, const std::vector<std::string> &model) {
  Check(list.size() == model.size(), "size");
  for (size_t i = 0; i < model.size(); ++i) {
    Check(Describe(list[static_cast<int64_t>(i)]) == model[i], "an element by inline code");
    Check(Describe(CallGlobal("ffi.ListGetItem", {list, static_cast<int64_t>(i)})) == model[i],
          "an element by function");
  }
}

void StepList(List<Any> *list, std::vector<std::string> *model) {
  auto [value, name] = MakeValue();
  bool inline_code = Random(2) == 0;
  auto n = static_cast<int64_t>(model->size());
  auto position = [&](int64_t i) { return model->begin() + i; };
  int64_t i = static_cast<int64_t>(Random(model->size() + 1)),
          stop = i + static_cast<int64_t>(Random(static_cast<uint64_t>(n - i) + 1));
  switch (Random(10)) {
    case 0:
    case 1:
    case 2:
      doing = inline_code ? "append inline" : "append by function";
      if (inline_code) {
        list->push_back(value);
      } else {
        CallGlobal("ffi.ListAppend", {*list, value});
      }
      model->push_back(name);
      break;
    case 3:
      doing = inline_code ? "insert inline" : "insert by function";
      if (inline_code) {
        list->insert(list->begin() + i, value);
      } else {
        CallGlobal("ffi.ListInsert", {*list, i, value});
      }
      model->insert(position(i), name);
      break;
    case 4:
      if (i == n) break;
      doing = inline_code ? "set inline" : "set by function";
      if (inline_code) {
        list->Set(i, value);
      } else {
        CallGlobal("ffi.ListSetItem", {*list, i, value});
      }
      *position(i) = name;
      break;
    case 5:
      if (i == n) break;
      doing = inline_code ? "erase inline" : "pop by function";
      if (inline_code) {
        list->erase(list->begin() + i);
      } else {
        Check(Describe(CallGlobal("ffi.ListPop", {*list, i})) == *position(i), "what is popped");
      }
      model->erase(position(i));
      break;
    case 6:
      doing = inline_code ? "erase a range inline" : "erase a range by function";
      if (inline_code) {
        list->erase(list->begin() + i, list->begin() + stop);
      } else {
        CallGlobal("ffi.ListEraseRange", {*list, i, stop});
      }
      model->erase(position(i), position(stop));
      break;
    case 7: {
      doing = "replace a slice";
      bool with_itself = Random(3) == 0;
      std::vector<std::string> names = with_itself ? *model : std::vector<std::string>{name, name};
      List<Any> other({value, value});
      CallGlobal("ffi.ListReplaceSlice", {*list, i, stop, with_itself ? *list : other});
      model->erase(position(i), position(stop));
      model->insert(position(i), names.begin(), names.end());
      if (model->size() < 200) break;
      CallGlobal("ffi.ListClear", {*list});
      model->clear();
      break;
    }
    case 8:
      doing = inline_code ? "reserve inline" : "reserve by function";
      if (inline_code) {
        list->reserve(i + stop);
      } else {
        CallGlobal("ffi.ListReserve", {*list, i + stop});
      }
      break;
    default:
      doing = inline_code ? "clear inline" : "reverse by function";
      if (inline_code && Random(4) == 0) {
        list->clear();
        model->clear();
      } else if (!inline_code) {
        CallGlobal("ffi.ListReverse", {*list});
        *model = std::vector<std::string>(model->rbegin(), model->rend());
      }
  }
}

void RunList() {
  bool inline_code = Random(2) == 0;
  auto [value, name] = MakeValue();
  doing = "make a list";
  List<Any> list =
      inline_code ? List<Any>({value}) : CallGlobal("ffi.List", {value}).cast<List<Any>>();
  std::vector<std::string> model = {name};
  size_t steps = Random(40);
  for (size_t i = 0; i < steps; ++i) {
    StepList(&list, &model);
    if (Random(8) == 0) CheckList(list, model);
  }
  doing = "read at the end";
  CheckList(list, model);
  std::printf("list %zu", model.size());
  for (const std::string &item : model) std::printf(" %s", item.c_str());
  std::printf("\n");
}

// An array that inline code appends to: in place, in the spare capacity behind its elements, unless
// a second reference makes it copy first.
void RunArray() {
  doing = "arrays";
  size_t n = Random(6);
  std::vector<Any> items;
  std::vector<std::string> model;
  for (size_t i = 0; i < n; ++i) {
    auto [value, name] = MakeValue();
    items.push_back(value);
    model.push_back(name);
  }
  Array<Any> array =
      CallGlobal("ffi.Array", std::vector<AnyView>(items.begin(), items.end())).cast<Array<Any>>();
  Check(array.capacity() == n, "capacity");
  for (size_t i = Random(10); i > 0; --i) {
    auto [value, name] = MakeValue();
    Any shared = Random(2) == 0 ? Any(array) : Any();
    array.push_back(value);
    model.push_back(name);
    Any found = CallGlobal("ffi.ArrayGetItem", {array, static_cast<int64_t>(model.size()) - 1});
    Check(Describe(found) == name, "the element behind the others");
    Check(CallGlobal("ffi.ArrayContains", {array, value}).cast<bool>(), "contains");
  }
  Check(CallGlobal("ffi.ArraySize", {array}).cast<int64_t>() == static_cast<int64_t>(model.size()),
        "size");
  std::printf("array %zu of %lld\n", model.size(), static_cast<long long>(array.capacity()));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  for (current_seed = std::strtoull(argv[1], nullptr, 10);
       current_seed <= std::strtoull(argv[2], nullptr, 10); ++current_seed) {
    state = current_seed * 2654435761u + 12345;
    num_keys = Random(40) == 0 ? 200 : 12;
    switch (current_seed % 4) {
      case 0:
        RunList();
        break;
      case 1:
        RunMap(false);
        break;
      case 2:
        RunMap(true);
        break;
      default:
        RunArray();
        RunMap(true);
    }
  }
  return 0;
}
