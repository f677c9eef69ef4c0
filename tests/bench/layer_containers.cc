/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times operations on containers in C++; compiled with our headers and with the reference's, each
 * linked with its own runtime. layer_containers.py compares the two programs.
 *
 *   layer_containers list                 a line for each operation
 *   layer_containers check [SIZE...]      runs all of them once, and only checks the results
 *   layer_containers serve                reads lines `NUMBER SIZE MICROSECONDS`; answers each with
 *                                         the nanoseconds that operation takes for one element, the
 *                                         minimum of the rounds that fit into that time
 */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace {

using tvm::ffi::Array;
using tvm::ffi::Dict;
using tvm::ffi::List;
using tvm::ffi::Map;
using tvm::ffi::String;

/** A round processes at least so many elements, so that the cost of reading the clock is small. */
constexpr size_t kLeastElements = 2000;
/** The number of elements that a round inserts into the middle of a sequence. */
constexpr size_t kInMiddle = 8;

struct Job {
  size_t size;
  double slice_ns;
  bool correct;

  void Expect(bool condition) { correct = correct && condition; }
};

double Now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/**
 * Nanoseconds of run(state) for one of the elements that it processes. prepare() makes the state;
 * neither that nor the destruction of the state is timed. The first round only warms up.
 */
template <typename Prepare, typename Run>
double Time(const Job &job, size_t elements, Prepare prepare, Run run) {
  const size_t batch = (kLeastElements + elements - 1) / elements;
  double least = 1e30, spent = 0;
  for (bool warm = false;; warm = true) {
    std::vector<decltype(prepare())> states;
    states.reserve(batch);
    for (size_t i = 0; i < batch; ++i) states.push_back(prepare());
    const double start = Now();
    for (auto &state : states) run(state);
    const double taken = Now() - start;
    if (!warm) continue;
    if (taken < least) least = taken;
    spent += taken;
    if (spent >= job.slice_ns) return least / static_cast<double>(elements * batch);
  }
}

/** For operations that change nothing: all runs of a batch use the same container. */
template <typename C, typename Run>
double TimeReading(const Job &job, const C &container, Run run) {
  return Time(
      job, job.size, [&] { return &container; }, [&](const C *each) { run(*each); });
}

/** The numbers below size, in an order that is the same in each run. */
std::vector<int64_t> Shuffled(size_t size) {
  std::vector<int64_t> numbers(size);
  uint64_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const size_t other = static_cast<size_t>((state >> 32) * (i + 1) >> 32);
    numbers[i] = numbers[other];
    numbers[other] = static_cast<int64_t>(i);
  }
  return numbers;
}

int64_t SumBelow(size_t size) {
  return static_cast<int64_t>(size) * (static_cast<int64_t>(size) - 1) / 2;
}

/* ---- Sequences ---- */

template <typename Seq>
struct Sequences {
  static Seq Make(size_t size) {
    const std::vector<int64_t> numbers = Shuffled(size);
    return Seq(numbers.begin(), numbers.end());
  }

  static double Build(Job &job) {
    const std::vector<int64_t> numbers = Shuffled(job.size);
    return TimeReading(job, numbers, [&](const std::vector<int64_t> &source) {
      const Seq made(source.begin(), source.end());
      job.Expect(made.size() == source.size());
    });
  }
  static double PushBack(Job &job) {
    return Time(
        job, job.size, [] { return Seq(); },
        [&](Seq &seq) {
          for (size_t i = 0; i < job.size; ++i) seq.push_back(static_cast<int64_t>(i));
          job.Expect(seq.size() == job.size);
        });
  }
  static double Index(Job &job) {
    const std::vector<int64_t> places = Shuffled(job.size);
    const Seq seq(places.begin(), places.end());
    return TimeReading(job, seq, [&](const Seq &each) {
      int64_t sum = 0;
      for (int64_t place : places) sum += each[place];
      job.Expect(sum == SumBelow(job.size));
    });
  }
  static double Iterate(Job &job) {
    const Seq seq = Make(job.size);
    return TimeReading(job, seq, [&](const Seq &each) {
      int64_t sum = 0;
      for (int64_t value : each) sum += value;
      job.Expect(sum == SumBelow(job.size));
    });
  }
  static double Set(Job &job) {
    const std::vector<int64_t> places = Shuffled(job.size);
    return Time(
        job, job.size, [&] { return Seq(places.begin(), places.end()); },
        [&](Seq &seq) {
          for (int64_t place : places) seq.Set(place, place);
          job.Expect(seq[places[0]] == places[0]);
        });
  }
  static double PopBack(Job &job) {
    return Time(
        job, job.size, [&] { return Make(job.size); },
        [&](Seq &seq) {
          for (size_t i = 0; i < job.size; ++i) seq.pop_back();
          job.Expect(seq.size() == 0);
        });
  }
  /* Time for one of the elements after the place of insertion, which are all moved. */
  static double InsertInMiddle(Job &job) {
    return Time(
        job, job.size / 2 * kInMiddle,
        [&] {
          Seq seq = Make(job.size);
          seq.reserve(static_cast<int64_t>(job.size + kInMiddle));
          return seq;
        },
        [&](Seq &seq) {
          for (size_t i = 0; i < kInMiddle; ++i) {
            seq.insert(seq.begin() + static_cast<std::ptrdiff_t>(job.size / 2), 7);
          }
          job.Expect(seq.size() == job.size + kInMiddle);
        });
  }
  static double EraseInMiddle(Job &job) {
    return Time(
        job, job.size / 2 * kInMiddle, [&] { return Make(job.size + kInMiddle); },
        [&](Seq &seq) {
          for (size_t i = 0; i < kInMiddle; ++i) {
            seq.erase(seq.begin() + static_cast<std::ptrdiff_t>(job.size / 2));
          }
          job.Expect(seq.size() == job.size);
        });
  }
  /* Only an Array is copied when it is shared. */
  static double CopyOnWrite(Job &job) {
    const Seq seq = Make(job.size);
    return TimeReading(job, seq, [&](const Seq &each) {
      Seq copy = each;
      copy.Set(0, 7);
      job.Expect(copy.size() == each.size());
    });
  }
};

/* ---- Maps ---- */

/** Spread over the whole range, so that consecutive keys are not neighbours in a table. */
void MakeKey(size_t i, int64_t *out) {
  *out = static_cast<int64_t>(static_cast<uint64_t>(i) * UINT64_C(0x9e3779b97f4a7c15) >> 1);
}
/** Too long to be stored inside a String. */
void MakeKey(size_t i, String *out) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "a_key_%08zu", i);
  *out = String(text);
}

/** Entries of a map of one size, and other keys; lookups use equal keys in different objects. */
template <typename K>
struct Keys {
  std::vector<std::pair<K, int64_t>> entries;
  std::vector<K> shuffled, missing;

  explicit Keys(size_t size) {
    for (size_t i = 0; i < size; ++i) {
      K key{};
      MakeKey(i, &key);
      entries.emplace_back(key, static_cast<int64_t>(i));
      MakeKey(size + i, &key);
      missing.push_back(key);
    }
    for (int64_t i : Shuffled(size)) {
      K key{};
      MakeKey(static_cast<size_t>(i), &key);
      shuffled.push_back(key);
    }
  }
  static const Keys &Of(size_t size) {
    static std::map<size_t, Keys> all;
    return all.try_emplace(size, size).first->second;
  }
};

template <typename M>
struct Maps {
  using K = typename M::key_type;

  static M Make(size_t size) {
    const Keys<K> &keys = Keys<K>::Of(size);
    return M(keys.entries.begin(), keys.entries.end());
  }

  static double Build(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    return TimeReading(job, keys, [&](const Keys<K> &source) {
      const M made(source.entries.begin(), source.entries.end());
      job.Expect(made.size() == source.entries.size());
    });
  }
  static double Insert(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    return Time(
        job, job.size, [] { return M(); },
        [&](M &map) {
          for (const std::pair<K, int64_t> &entry : keys.entries)
            map.Set(entry.first, entry.second);
          job.Expect(map.size() == job.size);
        });
  }
  static double Replace(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    return Time(
        job, job.size, [&] { return Make(job.size); },
        [&](M &map) {
          for (const K &key : keys.shuffled) map.Set(key, 7);
          job.Expect(map.size() == job.size);
        });
  }
  static double FindHit(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    const M map = Make(job.size);
    return TimeReading(job, map, [&](const M &each) {
      size_t found = 0;
      for (const K &key : keys.shuffled) found += each.find(key) != each.end();
      job.Expect(found == job.size);
    });
  }
  static double FindMiss(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    const M map = Make(job.size);
    return TimeReading(job, map, [&](const M &each) {
      size_t found = 0;
      for (const K &key : keys.missing) found += each.find(key) != each.end();
      job.Expect(found == 0);
    });
  }
  static double At(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    const M map = Make(job.size);
    return TimeReading(job, map, [&](const M &each) {
      int64_t sum = 0;
      for (const K &key : keys.shuffled) sum += each.at(key);
      job.Expect(sum == SumBelow(job.size));
    });
  }
  static double Iterate(Job &job) {
    const M map = Make(job.size);
    return TimeReading(job, map, [&](const M &each) {
      int64_t sum = 0;
      for (const auto &entry : each) sum += entry.second;
      job.Expect(sum == SumBelow(job.size));
    });
  }
  static double Erase(Job &job) {
    const Keys<K> &keys = Keys<K>::Of(job.size);
    return Time(
        job, job.size, [&] { return Make(job.size); },
        [&](M &map) {
          for (const K &key : keys.shuffled) map.erase(key);
          job.Expect(map.size() == 0);
        });
  }
  /* Only a Map is copied when it is shared. */
  static double CopyOnWrite(Job &job) {
    const M map = Make(job.size);
    const K key = Keys<K>::Of(job.size).shuffled[0];
    return TimeReading(job, map, [&](const M &each) {
      M copy = each;
      copy.Set(key, 7);
      job.Expect(copy.size() == each.size());
    });
  }
};

/* ---- The operations and the command line ---- */

struct Operation {
  const char *container, *name;
  double (*time)(Job &job);
};

/* clang-format off */
#define SEQUENCE(name, type)                                  \
  {name, "build + release", Sequences<type>::Build},          \
  {name, "push_back", Sequences<type>::PushBack},             \
  {name, "index", Sequences<type>::Index},                    \
  {name, "iterate", Sequences<type>::Iterate},                \
  {name, "Set", Sequences<type>::Set},                        \
  {name, "pop_back", Sequences<type>::PopBack},               \
  {name, "insert in the middle, each moved", Sequences<type>::InsertInMiddle}, \
  {name, "erase in the middle, each moved", Sequences<type>::EraseInMiddle}

#define MAP(name, type)                                       \
  {name, "build + release", Maps<type>::Build},               \
  {name, "Set, new keys", Maps<type>::Insert},                \
  {name, "Set, keys that are there", Maps<type>::Replace},    \
  {name, "find, hit", Maps<type>::FindHit},                   \
  {name, "find, miss", Maps<type>::FindMiss},                 \
  {name, "at", Maps<type>::At},                               \
  {name, "iterate", Maps<type>::Iterate},                     \
  {name, "erase", Maps<type>::Erase}
/* clang-format on */

using IntMap = Map<int64_t, int64_t>;
using IntDict = Dict<int64_t, int64_t>;
using TextMap = Map<String, int64_t>;
using TextDict = Dict<String, int64_t>;

const Operation kOperations[] = {
    SEQUENCE("Array of ints", Array<int64_t>),
    {"Array of ints", "copy on write + release", Sequences<Array<int64_t>>::CopyOnWrite},
    SEQUENCE("List of ints", List<int64_t>),
    MAP("Map by int", IntMap),
    {"Map by int", "copy on write + release", Maps<IntMap>::CopyOnWrite},
    MAP("Map by String", TextMap),
    {"Map by String", "copy on write + release", Maps<TextMap>::CopyOnWrite},
    MAP("Dict by int", IntDict),
    MAP("Dict by String", TextDict),
};
constexpr size_t kNumOperations = sizeof kOperations / sizeof *kOperations;

/* Nanoseconds, or a negative number if a result was wrong. */
double Do(size_t number, size_t size, double slice_ns) {
  Job job{size, slice_ns, true};
  const double taken = kOperations[number].time(job);
  if (job.correct) return taken;
  (void)std::fprintf(stderr, "layer_containers: %s, %s, %zu elements: wrong result\n",
                     kOperations[number].container, kOperations[number].name, size);
  return -1;
}

int Serve() {
  size_t number, size;
  double microseconds;
  while (std::scanf("%zu %zu %lf", &number, &size, &microseconds) == 3) {
    if (number >= kNumOperations || size < 2) return 2;
    const double taken = Do(number, size, microseconds * 1e3);
    if (taken < 0) return 1;
    (void)std::printf("%.4f\n", taken);
    (void)std::fflush(stdout);
  }
  return 0;
}

int Usage() {
  (void)std::fprintf(stderr, "usage: layer_containers list | check [SIZE...] | serve\n");
  return 2;
}

/* Checks the results of all operations for one size. Returns 0, 1 if one is wrong, or 2 if the text
 * is not a size. */
int Check(const char *text) {
  char *end;
  const unsigned long size = std::strtoul(text, &end, 10);
  if (size < 2 || *end != '\0') return Usage();
  for (size_t i = 0; i < kNumOperations; ++i) {
    if (Do(i, size, 0) < 0) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "serve") == 0) return Serve();
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    for (const Operation &each : kOperations)
      (void)std::printf("%s\t%s\n", each.container, each.name);
    return 0;
  }
  if (argc >= 2 && std::strcmp(argv[1], "check") == 0) {
    int code = 0;
    for (int k = 2; k < argc && code == 0; ++k) code = Check(argv[k]);
    return code;
  }
  return Usage();
}
