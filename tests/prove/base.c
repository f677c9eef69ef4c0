/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c/base: one step from any valid state leads to a valid state. Sequences of steps follow from
 * that, as the empty state is valid.
 */
#include "prove.h"
#include "stubs.h"
#include "support/valid.h"

#include "base/stack.c"

/* A valid stack with room for at most `most` elements. */
static void choose_stack(tvmffi_stack *stack, size_t most) {
  tvmffi_stack_init(stack, 1 + choose_up_to(7));
  stack->capacity = choose_up_to(most);
  stack->size = choose_up_to(most);
  if (stack->capacity != 0) {
    stack->data = malloc(stack->capacity * stack->element_size);
    ASSUME(stack->data != NULL);
    ++num_allocated;
  }
  ASSUME(stack_is_valid(stack));
}

void prove_stack_push(void) {
  tvmffi_stack stack, before;
  size_t i;
  char *top;
  choose_stack(&stack, 4);
  before = stack;
  if (stack.size > 0) {
    i = choose_up_to(stack.size * stack.element_size - 1);
    stack.data[i] = 7;
  }
  top = tvmffi_stack_push(&stack);
  PROVE(stack_is_valid(&stack));
  if (top == NULL) {
    PROVE(stack.size == before.size && stack.data == before.data);
  } else {
    PROVE(stack.size == before.size + 1 && top == tvmffi_stack_top(&stack));
    PROVE(top[choose_up_to(stack.element_size - 1)] == 0);
  }
  if (before.size > 0) PROVE(stack.data[i] == 7);
  tvmffi_stack_fini(&stack);
  PROVE(num_allocated == 0);
}

/* With any numbers at all: sizes that no memory has are refused. */
void prove_stack_grow_huge(void) {
  tvmffi_stack stack;
  char byte;
  stack.data = &byte;
  stack.element_size = choose_size();
  stack.capacity = choose_size();
  stack.size = 0;
  ASSUME(stack.capacity >= SIZE_MAX / 4 && stack.element_size >= 4);
  PROVE(grow_stack(&stack) != 0);
  PROVE(stack.data == &byte);
}

/* ---- Maps of addresses ---- */

#include "base/pointer_map.h"

/* Any hash function will do: where the search for the key 16 * i begins. */
static size_t homes[64];

static size_t home_of_pointer(const tvmffi_pointer_map *map, const void *key, const void *partner) {
  (void)partner;
  return homes[(uintptr_t)key / 16 % 64] & (map->capacity - 1);
}

/* There is no memory. */
static int grow_pointer_map(tvmffi_pointer_map *map) {
  PROVE(map->size >= map->capacity / 2);
  return -1;
}

#include "base/pointer_map.c"

enum { kMostSlots = 4 };

static tvmffi_pointer_entry slots[kMostSlots];

/* A key that is the address of nothing: maps compare them only. */
static const void *choose_key(void) {
  return (const void *)(uintptr_t)(16 * (1 + choose_up_to(6)));
}

/* Any valid map of 4 slots, with up to 2 entries. */
static void choose_pointer_map(tvmffi_pointer_map *map) {
  size_t i;
  for (i = 1; i <= 7; ++i) homes[i] = choose_up_to(kMostSlots - 1);
  map->slots = slots;
  map->capacity = kMostSlots;
  map->size = 0;
  for (i = 0; i < kMostSlots; ++i) {
    if (!choose_bool()) continue;
    slots[i].key = choose_key();
    slots[i].value.number = choose_u64();
    ++map->size;
  }
  ASSUME(pointer_map_is_valid(map, home_of_pointer));
}

void prove_pointer_map_find(void) {
  tvmffi_pointer_map map;
  const tvmffi_pointer_entry *found;
  const void *key = choose_key();
  const size_t i = choose_up_to(kMostSlots - 1);
  choose_pointer_map(&map);
  found = tvmffi_pointer_map_find(&map, key);
  if (found != NULL) PROVE(found->key == key);
  if (slots[i].key == key) PROVE(found == &slots[i]);
}

void prove_pointer_map_ensure(void) {
  tvmffi_pointer_map map;
  tvmffi_pointer_entry *made, other;
  const void *key = choose_key();
  const size_t i = choose_up_to(kMostSlots - 1);
  size_t size;
  choose_pointer_map(&map);
  size = map.size;
  other = slots[i];
  made = tvmffi_pointer_map_ensure(&map, key);
  PROVE(pointer_map_is_valid(&map, home_of_pointer));
  PROVE(made != NULL ? made->key == key : size == kMostSlots / 2);
  PROVE(map.size == size || map.size == size + 1);
  if (other.key != NULL)
    PROVE(slots[i].key == other.key && slots[i].value.number == other.value.number);
}

void prove_pointer_map_remove(void) {
  tvmffi_pointer_map map;
  const void *key = choose_key(), *other;
  const size_t i = choose_up_to(kMostSlots - 1);
  choose_pointer_map(&map);
  other = slots[i].key;
  tvmffi_pointer_map_remove(&map, key);
  PROVE(pointer_map_is_valid(&map, home_of_pointer));
  PROVE(tvmffi_pointer_map_find(&map, key) == NULL);
  if (other != NULL && other != key) PROVE(tvmffi_pointer_map_find(&map, other) != NULL);
}

/* ---- Buffers ---- */

#include "base/buf.c"

/* A valid buffer of up to 8 bytes. */
static void choose_buf(tvmffi_buf *buf) {
  memset(buf, 0, sizeof *buf);
  buf->capacity = choose_up_to(8);
  buf->size = choose_up_to(8);
  buf->max_size = choose_up_to(12);
  if (buf->capacity != 0) {
    buf->data = malloc(buf->capacity);
    ASSUME(buf->data != NULL && buf->size < buf->capacity);
    buf->data[buf->size] = '\0';
    ++num_allocated;
  }
  ASSUME(buf_is_valid(buf));
}

void prove_buf_reserve(void) {
  tvmffi_buf buf;
  size_t before, size = choose_size();
  bool is_reserved;
  choose_buf(&buf);
  before = buf.size;
  is_reserved = tvmffi_buf_reserve(&buf, size);
  PROVE(buf_is_valid(&buf) && buf.size == before && buf.failed != is_reserved);
  if (is_reserved) {
    PROVE(size < buf.capacity - buf.size);
    PROVE(buf.max_size == 0 || buf.size + size <= buf.max_size);
  }
  tvmffi_buf_fini(&buf);
  PROVE(num_allocated == 0);
}

void prove_buf_append(void) {
  tvmffi_buf buf;
  char bytes[4];
  size_t before, size = choose_up_to(sizeof bytes), i;
  choose_bytes(bytes, sizeof bytes);
  choose_buf(&buf);
  before = buf.size;
  tvmffi_buf_append(&buf, bytes, size);
  PROVE(buf_is_valid(&buf) && buf.size == (buf.failed ? before : before + size));
  i = choose_up_to(sizeof bytes - 1);
  if (!buf.failed && i < size) PROVE(buf.data[before + i] == bytes[i]);
  tvmffi_buf_fini(&buf);
  PROVE(num_allocated == 0);
}

/* ---- Characters ---- */

/* All texts of up to 4 bytes: a valid character has one code point of the range, shortest form. */
void prove_utf8_measure(void) {
  static const uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  static const unsigned char kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned char bytes[4];
  const size_t size = 1 + choose_up_to(3);
  size_t length, i;
  uint32_t code;
  choose_bytes(bytes, sizeof bytes);
  length = tvmffi_utf8_measure(bytes + sizeof bytes - size, size);
  PROVE(length <= size);
  if (length == 0) return;
  code = bytes[sizeof bytes - size] & kFirstBits[length];
  for (i = 1; i < 4; ++i) {
    if (i < length) code = code << 6 | (bytes[sizeof bytes - size + i] & 0x3f);
  }
  PROVE(code >= kLeast[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
}

void prove_utf8_cut(void) {
  unsigned char bytes[6];
  const size_t size = choose_up_to(sizeof bytes);
  size_t cut;
  choose_bytes(bytes, sizeof bytes);
  cut = tvmffi_utf8_cut(bytes, size);
  PROVE(cut <= size && size - cut < 4);
  /* What is valid stays so, whatever follows it. */
  if (tvmffi_utf8_is_valid(bytes, sizeof bytes)) PROVE(tvmffi_utf8_is_valid(bytes, cut));
}

/* ---- Numbers ---- */

void prove_checked_array_size(void) {
  const size_t base = choose_size(), count = choose_size();
  size_t bytes = 7;
  const bool fits = tvmffi_checked_array_size(base, count, 24, &bytes);
  PROVE(fits == (count <= SIZE_MAX / 24 && base <= SIZE_MAX - count * 24));
  PROVE(bytes == (fits ? base + count * 24 : 7));
}

void prove_leading_zeros(void) {
  const uint64_t x = choose_u64();
  int zeros;
  ASSUME(x != 0);
  zeros = tvmffi_leading_zeros(x);
  PROVE(zeros >= 0 && zeros < 64 && x >> (63 - zeros) == 1);
}

#include "base/hash.c"

/* Reads no byte outside the key; the value is whatever it is. */
void prove_hash_bytes(void) {
  char key[40];
  const size_t size = choose_up_to(sizeof key);
  (void)tvmffi_hash_bytes(key + sizeof key - size, size);
}

void prove_hash_type_key(void) {
  char key[20];
  const size_t size = choose_up_to(sizeof key);
  (void)tvmffi_hash_type_key(key + sizeof key - size, size);
}

void prove_hash_content(void) {
  char key[20];
  const size_t size = choose_up_to(sizeof key);
  const uint64_t hash = tvmffi_hash_content(key + sizeof key - size, size);
  PROVE(hash < 2147483647);
}

/* ---- Tables of names ---- */

#include "base/table.c"

/* The copy of a name is behind the record. */
void prove_table_new_record(void) {
  char name[4];
  const size_t size = choose_up_to(sizeof name), i = choose_up_to(sizeof name - 1);
  const uint64_t hash = choose_u64();
  tvmffi_table_key *made;
  choose_bytes(name, sizeof name);
  made = tvmffi_table_new_record(sizeof *made + 8, name + sizeof name - size, size, hash,
                                 tvmffi_alloc);
  if (made != NULL) {
    PROVE(made->size == size && made->hash == hash && made->data[size] == '\0');
    if (i < size) PROVE(made->data[i] == name[sizeof name - size + i]);
    PROVE(((const char *)(made + 1))[choose_up_to(7)] == 0);
  }
  tvmffi_free(made);
  PROVE(num_allocated == 0);
}
