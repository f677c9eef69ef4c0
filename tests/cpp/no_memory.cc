/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and Arrays that run out of memory when they grow. The headers allocate with the C library;
 * the linker replaces malloc, realloc and free by the functions below (--wrap).
 */
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;
using Item = ffi::Array<int>;

extern "C" {
void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
}

namespace {

/* The number of allocations that succeed before one fails; -1: none fails. */
int countdown = -1;
int64_t live_blocks = 0;

bool Fails() {
  return countdown >= 0 && countdown-- == 0;
}

}  // namespace

void *__wrap_malloc(size_t size) {
  if (Fails()) return nullptr;
  ++live_blocks;
  return __real_malloc(size);
}

void *__wrap_realloc(void *block, size_t size) {
  if (Fails()) return nullptr;
  if (block == nullptr) ++live_blocks;
  return __real_realloc(block, size);
}

void __wrap_free(void *block) {
  if (block != nullptr) --live_blocks;
  __real_free(block);
}

namespace {

/* The state of a sequence that a failed change must leave as it was. */
struct State {
  const ffi::Object *object;
  const ffi::Any *elements;
  size_t size, capacity;
  int64_t item_uses, blocks, objects;

  template <typename Seq>
  State(const Seq &seq, const Item &item)
      : object(seq.get()),
        elements(seq.begin().address()),
        size(seq.size()),
        capacity(seq.capacity()),
        item_uses(item.use_count()),
        blocks(live_blocks),
        objects(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny)) {}
};

void ExpectSame(const State &after, const State &before) {
  EXPECT_EQ(after.object, before.object);
  EXPECT_EQ(after.elements, before.elements);
  EXPECT_EQ(after.size, before.size);
  EXPECT_EQ(after.capacity, before.capacity);
  EXPECT_EQ(after.item_uses, before.item_uses);
  EXPECT_EQ(after.blocks, before.blocks);
  EXPECT_EQ(after.objects, before.objects);
}

/*
 * Runs the change with its first allocation failing, then its second, and so on until none fails.
 * Returns how many failed. The elements of the sequence are all the same item.
 */
template <typename Seq, typename Change>
int FailEach(Seq *seq, const Item &item, Change change) {
  for (int n = 0;; ++n) {
    const State before(*seq, item);
    std::string kind, message;
    countdown = n;
    try {
      change(seq);
    } catch (const ffi::Error &error) {
      kind = error.kind();
      message = error.message();
    }
    const bool still_armed = countdown >= 0;
    countdown = -1;
    EXPECT_EQ(still_armed, kind.empty());
    if (kind.empty()) return n;
    EXPECT_EQ(kind, "MemoryError");
    EXPECT_EQ(message.substr(0, 14), "no memory for ");
    ExpectSame(State(*seq, item), before);
    for (const Item &each : *seq) EXPECT_TRUE(each.same_as(item));
  }
}

/* Every kind of change, each on a new sequence from make(), which is full. */
template <typename Seq, typename Make>
void CheckChanges(const Item &item, Make make) {
  const std::vector<Item> more(20, item);
  const auto check = [&](int num_allocations, auto change) {
    Seq seq = make();
    const size_t size = seq.size();
    EXPECT_EQ(FailEach(&seq, item, change), num_allocations);
    EXPECT_GT(seq.size() + seq.capacity(), 2 * size);
  };
  check(1, [&](Seq *seq) { seq->push_back(item); });
  check(1, [&](Seq *seq) { seq->insert(seq->begin(), item); });
  // The first allocation is for a copy of the inserted elements.
  check(2, [&](Seq *seq) { seq->insert(seq->end(), more.begin(), more.end()); });
  check(1, [&](Seq *seq) { seq->reserve(100); });
  check(1, [&](Seq *seq) { seq->resize(30); });
}

class NoMemory : public testing::Test {
 protected:
  void SetUp() override {
    // The first use looks up the functions that make them and keeps these, which allocates.
    ffi::List<int>{1};
    ffi::Array<int>{1};
    ASSERT_EQ(TVMFFIRuntimeSetLiveObjectCounting(1), 0);
    blocks_ = live_blocks;
  }
  void TearDown() override {
    EXPECT_EQ(live_blocks, blocks_);
    EXPECT_EQ(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0);
    TVMFFIRuntimeSetLiveObjectCounting(0);
  }

 private:
  int64_t blocks_ = 0;
};

/* Up to four elements are in the runtime's own block, more are in a block of the C library. */
const size_t kSizes[] = {4, 5, 9};

TEST_F(NoMemory, ListStaysAsItIs) {
  const Item item{1};
  for (const size_t size : kSizes) {
    const std::vector<Item> items(size, item);
    CheckChanges<ffi::List<Item>>(item,
                                  [&] { return ffi::List<Item>(items.begin(), items.end()); });
  }
}

TEST_F(NoMemory, ArrayStaysAsItIs) {
  const Item item{1};
  for (const size_t size : kSizes) {
    const std::vector<Item> items(size, item);
    CheckChanges<ffi::Array<Item>>(item,
                                   [&] { return ffi::Array<Item>(items.begin(), items.end()); });
  }
}

TEST_F(NoMemory, ArrayThatOthersHaveStaysAsItIs) {
  const Item item{1};
  for (const size_t size : kSizes) {
    const std::vector<Item> items(size, item);
    const ffi::Array<Item> alias(items.begin(), items.end());
    CheckChanges<ffi::Array<Item>>(item, [&] { return alias; });
    EXPECT_EQ(alias.size(), size);
  }
}

TEST_F(NoMemory, SequencesAreNotMade) {
  const Item item{1};
  const std::vector<Item> items(9, item);
  ffi::List<Item> list{item};
  ffi::Array<Item> array{item};
  EXPECT_EQ(FailEach(&list, item, [&](auto *) { ffi::List<Item>(items.begin(), items.end()); }), 1);
  EXPECT_EQ(FailEach(&list, item, [&](auto *) { ffi::List<Item>(9, item); }), 1);
  EXPECT_EQ(FailEach(&array, item, [&](auto *) { ffi::Array<Item>(items.begin(), items.end()); }),
            1);
  EXPECT_EQ(FailEach(&array, item, [&](auto *) { ffi::Array<Item>(9, item); }), 1);
  EXPECT_EQ(
      FailEach(&list, item, [&](auto *target) { target->Assign(items.begin(), items.end()); }), 2);
  EXPECT_EQ(
      FailEach(&array, item, [&](auto *target) { target->Assign(items.begin(), items.end()); }), 1);
}

/* From single-pass iterators: memory runs out while the elements are read. */
TEST_F(NoMemory, NothingLeaksHalfWay) {
  const Item item{1};
  const std::string text("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20");
  ffi::List<Item> list{item};
  const auto make = [&](auto type) {
    std::istringstream words(text);
    using Seq = decltype(type);
    const Seq made{std::istream_iterator<int>(words), std::istream_iterator<int>()};
    EXPECT_EQ(made.size(), 20u);
  };
  EXPECT_EQ(FailEach(&list, item, [&](auto *) { make(ffi::List<int>()); }), 3);
  EXPECT_EQ(FailEach(&list, item, [&](auto *) { make(ffi::Array<int>()); }), 3);
}

}  // namespace
