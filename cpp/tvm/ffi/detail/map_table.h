/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/map_table.h
 * What the object of a Map or Dict holds in memory, and the operations done there in place: lookup,
 * insertion while there is room, removal. A small map has an array of up to four entries. A dense
 * one has a table: a power of two of slots in blocks of 16, and a byte about each slot. Entries
 * whose keys share a home slot form a chain that starts there; the byte says whether the slot
 * starts a chain and how far it is to the next entry of it. A list links the slots in the order of
 * insertion.
 *
 * Every library does this the same way, so that each finds what another added. Tables made here are
 * freed by the C library's free, so they may outlive the library that made them.
 */
#ifndef TVM_FFI_DETAIL_MAP_TABLE_H_
#define TVM_FFI_DETAIL_MAP_TABLE_H_

#include <tvm/ffi/any_hash.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Distances of jumps 83 to 125; they grow by 2.2468. */
/* clang-format off */
TVM_FFI_LOCAL inline constexpr uint64_t kMapLongJumps[] = {
    8515, 19110, 42778, 96141, 216153, 486591, 1092981, 2458653, 5532801, 12442566, 27993903,
    62983476, 141717030, 318844378, 717352503, 1614057336, 3631522476, 8170957530, 18384510628,
    41364789378, 93070452520, 209408356380, 471168559170, 1060128894105, 2385289465695,
    5366898840628, 12075518705635, 27169915244790, 61132312065111, 137547689707000,
    309482283181501, 696335127828753, 1566753995631385, 3525196511162271, 7931691992677701,
    17846306936293605, 40154190677507445, 90346928918121501, 203280589587557251,
    457381325854679626, 1029107982097042876, 2315492959180353330, 5209859154120846435};
/* clang-format on */

/** The whole object of a map. In a small map, entries take the place of the last three fields. */
struct MapTable {
  using KVType = std::pair<Any, Any>;

  TVMFFIObject header;
  void *data;
  uint64_t size;
  /** Number of slots; kSmallBit is set in small maps. */
  uint64_t slots;
  void (*data_deleter)(void *);
  uint32_t shift;
  uint64_t first, last;

  TVM_FFI_LOCAL static constexpr uint64_t kNoSlot = ~static_cast<uint64_t>(0);
  TVM_FFI_LOCAL static constexpr uint64_t kSmallBit = static_cast<uint64_t>(1) << 63;
  TVM_FFI_LOCAL static constexpr uint64_t kMaxSmallSlots = 4, kBlockSlots = 16;
  TVM_FFI_LOCAL static constexpr uint8_t kEmpty = 0xFF, kBody = 0x80, kJumpMask = 0x7F;
  TVM_FFI_LOCAL static constexpr unsigned kTriangularJump = 16, kLongJump = 83, kNumJumps = 126;

  struct Item {
    KVType entry;
    uint64_t previous, next;
  };
  struct Block {
    uint8_t about[kBlockSlots];
    Item items[kBlockSlots];
  };
  static_assert(sizeof(KVType) == 2 * sizeof(TVMFFIAny), "a pair of values has no padding");
  static_assert(sizeof(Block) == 784, "the ABI's size of a block");

  /** A key's slot, or kNoSlot; the slot before it in its chain, or the chain's last; its home. */
  struct Place {
    uint64_t slot, before, home;
  };

  TVM_FFI_LOCAL_INLINE static MapTable *Of(TVMFFIObject *map) {
    return reinterpret_cast<MapTable *>(map);
  }
  TVM_FFI_LOCAL_INLINE bool IsDense() const { return (slots & kSmallBit) == 0; }
  /* Without multiplying by the size of a block, which would make a walk a third slower. */
  TVM_FFI_LOCAL_INLINE uint8_t *AboutAt(uint64_t slot) const {
    return static_cast<uint8_t *>(data) + (slot & ~(kBlockSlots - 1)) * sizeof(Item) + slot;
  }
  TVM_FFI_LOCAL_INLINE Item *ItemAt(uint64_t slot) const {
    static_assert(sizeof(Block) == kBlockSlots * (sizeof(Item) + 1), "");
    return reinterpret_cast<Item *>(static_cast<char *>(data) + (slot & ~(kBlockSlots - 1)) +
                                    kBlockSlots + slot * sizeof(Item));
  }
  TVM_FFI_LOCAL_INLINE KVType *EntryAt(uint64_t slot) const {
    return IsDense() ? &ItemAt(slot)->entry : static_cast<KVType *>(data) + slot;
  }
  /** Slots in order of insertion; End() follows the last entry. */
  TVM_FFI_LOCAL_INLINE uint64_t Begin() const { return IsDense() ? first : 0; }
  TVM_FFI_LOCAL_INLINE uint64_t End() const { return IsDense() ? kNoSlot : size; }
  TVM_FFI_LOCAL_INLINE uint64_t Next(uint64_t slot) const {
    return IsDense() ? ItemAt(slot)->next : slot + 1;
  }
  TVM_FFI_LOCAL_INLINE uint64_t Previous(uint64_t slot) const {
    if (!IsDense()) return slot - 1;
    return slot == kNoSlot ? last : ItemAt(slot)->previous;
  }

  /* ---- Finding ---- */

  TVM_FFI_LOCAL_INLINE static uint64_t Distance(unsigned jump) {
    if (jump < kTriangularJump) return jump;
    if (jump < kLongJump) return uint64_t{jump - 10} * (jump - 9) / 2;
    return jump < kNumJumps ? kMapLongJumps[jump - kLongJump] : 0;
  }
  /** The next slot of a chain, or kNoSlot. */
  TVM_FFI_LOCAL_INLINE uint64_t NextOfChain(uint64_t slot) const {
    const uint64_t distance = Distance(*AboutAt(slot) & kJumpMask);
    return distance == 0 ? kNoSlot : (slot + distance) & (slots - 1);
  }
  TVM_FFI_LOCAL_INLINE void SetJump(uint64_t slot, unsigned jump) const {
    uint8_t *about = AboutAt(slot);
    *about = static_cast<uint8_t>((*about & kBody) | jump);
  }
  TVM_FFI_LOCAL_INLINE uint64_t HomeOf(uint64_t hash) const {
    return (UINT64_C(11400714819323198485) * hash) >> shift;
  }
  /** Detects changes of this map by the type's hook, which may be foreign code. */
  TVM_FFI_LOCAL_COLD bool AskEqual(const TVMFFIAny *hook, uint64_t slot,
                                   const TVMFFIAny *key) const {
    const Any stored = EntryAt(slot)->first;
    void *const old_data = data;
    const uint64_t old_size = size, old_slots = slots;
    const bool equal = AskEqualHook(hook, AnyUnsafe::TVMFFIAnyPtrFromAny(stored), key);
    if (data != old_data || size != old_size || slots != old_slots ||
        !EntryAt(slot)->first.same_as(stored)) {
      Throw("RuntimeError", "The container was changed by the hash or equality of one of its keys");
    }
    return equal;
  }
  TVM_FFI_LOCAL_INLINE bool Matches(uint64_t slot, const KVType &entry,
                                    const TVMFFIAny *key) const {
    const TVMFFIAny *stored = AnyUnsafe::TVMFFIAnyPtrFromAny(entry.first);
    if (SameBits(*stored, *key)) return true;
    if (!KeysMayBeEqual(stored, key)) return false;
    if (IsText(key->type_index)) return TextsEqual(stored, key);
    const TVMFFIAny *hook = EqualHookOf(key->type_index);
    return hook != nullptr && AskEqual(hook, slot, key);
  }
  TVM_FFI_LOCAL Place FindSmall(const TVMFFIAny *key) const {
    const KVType *entry = static_cast<const KVType *>(data);
    for (uint64_t i = 0; i < size; ++i, ++entry) {
      if (Matches(i, *entry, key)) return {i, kNoSlot, kNoSlot};
    }
    return {kNoSlot, kNoSlot, kNoSlot};
  }
  /** Errors: what __any_hash__ and __any_equal__ raise; RuntimeError (they changed the map). */
  TVM_FFI_LOCAL_INLINE Place Find(const TVMFFIAny *key) const {
    if (!IsDense()) return FindSmall(key);
    const uint64_t hash = HashOfKey(key);
    if (slots == 0) return {kNoSlot, kNoSlot, kNoSlot};
    Place place{HomeOf(hash), kNoSlot, 0};
    place.home = place.slot;
    if ((*AboutAt(place.home) & kBody) != 0) place.slot = kNoSlot;  // empty, or of another chain
    while (place.slot != kNoSlot && !Matches(place.slot, ItemAt(place.slot)->entry, key)) {
      place.before = place.slot;
      place.slot = NextOfChain(place.slot);
    }
    return place;
  }
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE uint64_t FindSlot(const TVMFFIAny *key) const {
    const uint64_t slot = Find(key).slot;
    return slot != kNoSlot ? slot : End();
  }

  /* ---- The order of insertion ---- */

  /** Makes the neighbours of an entry in the list refer to other slots instead of its own. */
  TVM_FFI_LOCAL_INLINE void Redirect(const Item &item, uint64_t from_next, uint64_t from_previous) {
    (item.previous != kNoSlot ? ItemAt(item.previous)->next : first) = from_previous;
    (item.next != kNoSlot ? ItemAt(item.next)->previous : last) = from_next;
  }
  TVM_FFI_LOCAL_INLINE void Unlink(uint64_t slot) {
    const Item &item = *ItemAt(slot);
    Redirect(item, item.previous, item.next);
  }
  TVM_FFI_LOCAL_INLINE void LinkLast(uint64_t slot) {
    Item *item = ItemAt(slot);
    item->previous = last;
    item->next = kNoSlot;
    (last != kNoSlot ? ItemAt(last)->next : first) = slot;
    last = slot;
  }

  /* ---- Changing ---- */

  TVM_FFI_LOCAL_INLINE static const TVMFFIAny *Retained(const TVMFFIAny *value) {
    if (value->type_index >= kTVMFFIStaticObjectBegin) Retain(value->v_obj);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static void Construct(KVType *entry, const TVMFFIAny *key, Any *value) {
    ::new (static_cast<void *>(entry))
        KVType(AnyUnsafe::MoveTVMFFIAnyRawToAny(*Retained(key)), std::move(*value));
  }
  /**
   * Adds an entry, or replaces its value, leaving the old one in *value. Returns false, with
   * nothing changed, if more slots are needed or other entries have to move.
   */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE bool TrySet(const TVMFFIAny *key, Any *value) {
    const Place place = Find(key);
    if (IsDense()) return TrySetDense(place, key, value);
    const uint64_t room = slots & ~kSmallBit;
    // A full small map becomes dense, even if it has the key: the entry then moves to the end.
    if (room >= kMaxSmallSlots && size >= room) return false;
    if (place.slot != kNoSlot) {
      EntryAt(place.slot)->second.swap(*value);
      return true;
    }
    if (size >= room) return false;
    Construct(static_cast<KVType *>(data) + size, key, value);
    ++size;
    return true;
  }
  TVM_FFI_LOCAL_INLINE bool TrySetDense(const Place &place, const TVMFFIAny *key, Any *value) {
    uint64_t slot = place.slot;
    if (slot != kNoSlot) {
      ItemAt(slot)->entry.second.swap(*value);
      if (slot != last) {
        Unlink(slot);
        LinkLast(slot);
      }
      return true;
    }
    if (slots == 0) return false;
    if (place.before == kNoSlot) {
      slot = place.home;
      if (*AboutAt(slot) != kEmpty && (IsFull() || !MoveAway(slot))) return false;
      *AboutAt(slot) = 0;
    } else {
      if (IsFull()) return false;
      const unsigned jump = FindEmpty(place.before, &slot);
      if (jump == 0) return false;
      SetJump(place.before, jump);
      *AboutAt(slot) = kBody;
    }
    Construct(&ItemAt(slot)->entry, key, value);
    LinkLast(slot);
    ++size;
    return true;
  }
  TVM_FFI_LOCAL_INLINE bool IsFull() const {
    return static_cast<double>(size + 1) > static_cast<double>(slots) * 0.99;
  }
  /** Moves the last entry of another chain to a free slot. False if it is not, or none is near. */
  TVM_FFI_LOCAL_INLINE bool MoveAway(uint64_t slot) {
    if ((*AboutAt(slot) & kJumpMask) != 0) return false;
    unsigned jump = 0;
    uint64_t before, target;
    do {
      before = (slot - Distance(++jump)) & (slots - 1);
    } while (jump < kNumJumps && (*AboutAt(before) & kJumpMask) != jump);
    jump = jump < kNumJumps ? FindEmpty(before, &target) : 0;
    if (jump == 0) return false;
    std::memcpy(static_cast<void *>(ItemAt(target)), ItemAt(slot), sizeof(Item));
    Redirect(*ItemAt(target), target, target);
    *AboutAt(target) = kBody;
    SetJump(before, jump);
    return true;
  }
  /** The first jump from a slot to an empty one, or 0. */
  TVM_FFI_LOCAL_INLINE unsigned FindEmpty(uint64_t slot, uint64_t *out) const {
    for (unsigned jump = 1; jump < kNumJumps; ++jump) {
      *out = (slot + Distance(jump)) & (slots - 1);
      if (*AboutAt(*out) == kEmpty) return jump;
    }
    return 0;
  }
  /** Removes an entry; does nothing if the key is absent. */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE void Erase(const TVMFFIAny *key) {
    const Place place = Find(key);
    if (place.slot == kNoSlot) return;
    // Destroyed last, because that may run foreign code.
    const KVType taken(std::move(*EntryAt(place.slot)));
    if (IsDense()) {
      CloseGap(place);
      --size;
      return;
    }
    --size;
    std::memmove(static_cast<void *>(EntryAt(place.slot)), EntryAt(place.slot + 1),
                 static_cast<size_t>(size - place.slot) * sizeof(KVType));
  }
  /** Fills the slot of a removed entry with the last entry of its chain. */
  TVM_FFI_LOCAL_INLINE void CloseGap(const Place &place) {
    uint64_t before = place.before, end = place.slot;
    for (uint64_t next = NextOfChain(end); next != kNoSlot; next = NextOfChain(end)) {
      before = end;
      end = next;
    }
    Unlink(place.slot);
    if (end != place.slot) {
      Item *item = ItemAt(place.slot), *moved = ItemAt(end);
      std::memcpy(static_cast<void *>(item), moved, sizeof *item);
      Redirect(*item, place.slot, place.slot);
    }
    if (before != kNoSlot) SetJump(before, 0);
    *AboutAt(end) = kEmpty;
  }

  /* ---- Filling an empty object ---- */

  TVM_FFI_LOCAL static void *Alloc(uint64_t count, size_t size) {
    if (count > SIZE_MAX / 2 / size) Throw("MemoryError", "a map of this size does not fit");
    return AllocAligned(static_cast<size_t>(count) * size, alignof(TVMFFIAny));
  }
  /** Allocates a new table, without entries. Errors: memory. */
  TVM_FFI_LOCAL void InitDense(uint64_t num_slots, uint32_t fib_shift) {
    const uint64_t count = (num_slots + kBlockSlots - 1) / kBlockSlots;
    Block *blocks = static_cast<Block *>(Alloc(count, sizeof(Block)));
    for (uint64_t i = 0; i < count; ++i) std::memset(blocks[i].about, kEmpty, kBlockSlots);
    data = blocks;
    slots = num_slots;
    data_deleter = std::free;
    shift = fib_shift;
    first = last = kNoSlot;
  }
  /** Makes room for count entries, as much as maps that are made of a range have. */
  TVM_FFI_LOCAL void Reserve(uint64_t count) {
    uint32_t fib_shift = 64;
    uint64_t num_slots = 1;
    if (count >= kSmallBit / 4) Throw("MemoryError", "a map of this size does not fit");
    for (uint64_t bits = count; bits != 0; bits >>= 1, num_slots *= 2) --fib_shift;
    if (num_slots < 2 * count) {
      num_slots *= 2;
      --fib_shift;
    }
    InitDense(num_slots, fib_shift);
  }
  /** Copies the entries of another map, into the same slots. Errors: memory. */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE void CopyFrom(const MapTable *other) {
    if (other->IsDense()) return CopyDense(other);
    if (other->slots > slots) {
      data = Alloc(other->slots & ~kSmallBit, sizeof(KVType));
      data_deleter = std::free;
      slots = other->slots;
    }
    for (; size < other->size; ++size) {
      ::new (static_cast<void *>(EntryAt(size))) KVType(*other->EntryAt(size));
    }
  }
  TVM_FFI_LOCAL_INLINE static uint64_t ByteOfLowestBit(uint64_t bits) {
#if !defined(__GNUC__)
    uint64_t i = 0;
    while ((bits >> (8 * i) & 0xFF) == 0) ++i;
    return TVM_FFI_LITTLE_ENDIAN ? i : 7 - i;
#elif TVM_FFI_LITTLE_ENDIAN
    return static_cast<uint64_t>(__builtin_ctzll(bits)) / 8;
#else
    return 7 - static_cast<uint64_t>(__builtin_ctzll(bits)) / 8;
#endif
  }
  TVM_FFI_LOCAL_INLINE void CopyDense(const MapTable *other) {
    if (other->slots == 0) return;
    InitDense(other->slots, other->shift);
    constexpr uint64_t kLowBits = UINT64_C(0x7F7F7F7F7F7F7F7F);
    for (uint64_t slot = 0; slot < slots; slot += 8) {
      const Item *source = other->ItemAt(slot);
      Item *target = ItemAt(slot);
      uint64_t about, taken;
      std::memcpy(&about, other->AboutAt(slot), sizeof about);
      std::memcpy(AboutAt(slot), &about, sizeof about);
      // The highest bit of each byte that is not kEmpty.
      taken = (((~about & kLowBits) + kLowBits) | ~about) & ~kLowBits;
      for (; taken != 0; taken &= taken - 1) {
        const uint64_t i = ByteOfLowestBit(taken);
        std::memcpy(static_cast<void *>(target + i), source + i, sizeof(Item));
        // Read from the source: reading part of what was just written is slow.
        Retained(AnyUnsafe::TVMFFIAnyPtrFromAny(source[i].entry.first));
        Retained(AnyUnsafe::TVMFFIAnyPtrFromAny(source[i].entry.second));
      }
    }
    size = other->size;
    first = other->first;
    last = other->last;
  }
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_MAP_TABLE_H_
