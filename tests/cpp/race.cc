/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and containers that threads share, for ThreadSanitizer: each thread has references of its
 * own to the same object. Threads begin together, and what they count is compared at the end.
 */
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object_ptr.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 500;

/** Runs work(index) in kThreads threads, which begin at the same time. */
template <typename Work>
void RunTogether(const Work &work) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([index, &ready, &work] {
      ready.fetch_add(1);
      while (ready.load() < kThreads) std::this_thread::yield();
      work(index);
    });
  }
  for (std::thread &thread : threads) thread.join();
}

std::atomic<int> num_alive{0};

class CellObj : public ffi::Object {
 public:
  explicit CellObj(int64_t value_) : value(value_) { num_alive.fetch_add(1); }
  ~CellObj() { num_alive.fetch_sub(1); }
  int64_t value;
  int64_t seen[kThreads] = {};
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.race.Cell", CellObj, ffi::Object);
};

/** One reference for each thread, which moves its own out. */
template <typename Ref>
std::vector<Ref> Shares(Ref value) {
  return std::vector<Ref>(kThreads, std::move(value));
}

}  // namespace

/*
 * The functions that the layer looks up once are looked up by all threads at once. This is the
 * first test, so that nothing was looked up before.
 */
TEST(Race, TheFirstArraysOfAProcessAreMadeTogether) {
  std::atomic<int64_t> total{0};
  RunTogether([&](int index) {
    const ffi::Function f = ffi::Function::FromTyped([](int64_t x) { return x + 1; });
    for (int i = 0; i < kRounds; ++i) {
      const ffi::Array<ffi::Any> array{f, int64_t{index}};
      total.fetch_add(array[0].cast<ffi::Function>()(array[1]).cast<int64_t>());
    }
  });
  EXPECT_EQ(total.load(), kRounds * (0 + 1 + 2 + 3 + kThreads));
}

/** One thread waits until it is the only owner and then writes; the others read and let go. */
template <typename IsOnlyOwner>
void WriteAfterOthersHaveRead(const IsOnlyOwner &is_only_owner) {
  std::atomic<int> num_wrong{0};
  for (int round = 0; round < kRounds; ++round) {
    auto cells = Shares(ffi::make_object<CellObj>(7));
    RunTogether([&](int index) {
      const ffi::ObjectPtr<CellObj> mine = std::move(cells[static_cast<size_t>(index)]);
      if (index != 0) {
        if (mine->value != 7) num_wrong.fetch_add(1);
        return;
      }
      while (!is_only_owner(mine)) std::this_thread::yield();
      mine->value = 8;
    });
  }
  EXPECT_EQ(num_wrong.load(), 0);
  EXPECT_EQ(num_alive.load(), 0);
}

TEST(Race, UniqueAcquiresBeforeAWriteInPlace) {
  WriteAfterOthersHaveRead([](const ffi::ObjectPtr<CellObj> &cell) { return cell.unique(); });
}

TEST(Race, UseCountAcquiresBeforeAWriteInPlace) {
  WriteAfterOthersHaveRead(
      [](const ffi::ObjectPtr<CellObj> &cell) { return cell.use_count() == 1; });
}

TEST(Race, TheDestructorSeesWhatAllThreadsWrote) {
  for (int round = 0; round < kRounds; ++round) {
    auto cells = Shares(ffi::make_object<CellObj>(0));
    RunTogether([&](int index) {
      ffi::ObjectPtr<CellObj> mine = std::move(cells[static_cast<size_t>(index)]);
      mine->seen[index] = round + 1;
    });
  }
  EXPECT_EQ(num_alive.load(), 0);
}

TEST(Race, WeakReferencesAreLockedWhileTheObjectDies) {
  std::atomic<int> num_wrong{0};
  for (int round = 0; round < kRounds; ++round) {
    ffi::ObjectPtr<CellObj> strong = ffi::make_object<CellObj>(7);
    auto weak = Shares(ffi::WeakObjectPtr<CellObj>(strong));
    RunTogether([&](int index) {
      const ffi::WeakObjectPtr<CellObj> mine = std::move(weak[static_cast<size_t>(index)]);
      if (index == 0) {
        strong.reset();
        return;
      }
      for (int i = 0; i < 100; ++i) {
        const ffi::ObjectPtr<CellObj> locked = mine.lock();
        if (locked == nullptr) break;
        if (locked->value != 7) num_wrong.fetch_add(1);
      }
    });
    weak.clear();
    EXPECT_EQ(num_alive.load(), 0);
  }
  EXPECT_EQ(num_wrong.load(), 0);
}

/** Every thread changes its copy of one container, and keeps what it wrote to itself. */
template <typename Container, typename Change, typename Read>
void ChangeCopies(const Container &container, const Change &change, const Read &read) {
  std::atomic<int> num_wrong{0};
  for (int round = 0; round < kRounds; ++round) {
    auto shares = Shares(container);
    if (round % 2 == 0) {
      /* Without the test's own reference, the last thread writes in place. */
      shares.assign(kThreads, change(container, -1));
    }
    RunTogether([&](int index) {
      Container mine = std::move(shares[static_cast<size_t>(index)]);
      mine = change(std::move(mine), index);
      if (read(mine) != index) num_wrong.fetch_add(1);
    });
  }
  EXPECT_EQ(num_wrong.load(), 0);
}

TEST(Race, ArraysAreCopiedOnWrite) {
  ChangeCopies(
      ffi::Array<int64_t>({-1, 0, 1, 2}),
      [](ffi::Array<int64_t> array, int64_t value) {
        array.Set(0, value);
        array.push_back(value);
        return array;
      },
      [](const ffi::Array<int64_t> &array) { return array[0]; });
}

TEST(Race, TuplesAreCopiedOnWrite) {
  ChangeCopies(
      ffi::Tuple<int64_t, ffi::String>(int64_t{-1}, "a text for the heap"),
      [](ffi::Tuple<int64_t, ffi::String> tuple, int64_t value) {
        tuple.Set<0>(value);
        return tuple;
      },
      [](const ffi::Tuple<int64_t, ffi::String> &tuple) { return tuple.get<0>(); });
}

TEST(Race, ElementsOfTuplesAreMovedOutByTheLastOwner) {
  using Pair = ffi::Tuple<int64_t, ffi::ObjectPtr<CellObj>>;
  const ffi::ObjectPtr<CellObj> cell = ffi::make_object<CellObj>(7);
  for (int round = 0; round < kRounds; ++round) {
    auto shares = Shares(Pair(int64_t{1}, cell));
    std::atomic<int> num_wrong{0};
    RunTogether([&](int index) {
      Pair mine = std::move(shares[static_cast<size_t>(index)]);
      if (std::move(mine).get<1>() != cell) num_wrong.fetch_add(1);
    });
    EXPECT_EQ(num_wrong.load(), 0);
  }
  EXPECT_EQ(cell.use_count(), 1);
}

TEST(Race, MapsAreCopiedOnWrite) {
  ChangeCopies(
      ffi::Map<ffi::String, int64_t>({{"key", -1}, {"a longer key for the heap", 0}}),
      [](ffi::Map<ffi::String, int64_t> map, int64_t value) {
        map.Set("key", value);
        map.Set("a longer key for the heap", value);
        map.erase("a longer key for the heap");
        return map;
      },
      [](const ffi::Map<ffi::String, int64_t> &map) { return map.at("key"); });
}

TEST(Race, ListsAndDictsAreReadByManyThreads) {
  const ffi::List<ffi::String> list({"a text for the heap", "b"});
  const ffi::Dict<ffi::String, int64_t> dict({{"a text for the heap", 1}, {"b", 2}});
  std::atomic<int64_t> sum{0};
  RunTogether([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      const ffi::List<ffi::String> mine = list;
      sum.fetch_add(dict.at(mine[i % 2]));
    }
  });
  EXPECT_EQ(sum.load(), kThreads * kRounds / 2 * 3);
  EXPECT_EQ(list.use_count(), 1);
}
