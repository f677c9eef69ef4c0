/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper that writes whatever it likes into the shared memory: answers that look like messages,
 * bytes at random, and, while the host reads, other bytes. TVM_FFI_HOSTILE_SEED says which.
 *
 * With TVM_FFI_HOSTILE_WORDS, the answer to each call of a function is these words, as numbers, or:
 *
 *     n      the number of the call
 *     h      where tensors that are lent begin in the region
 *     xN     the last two words N times more
 *     kN     N numbers as keys of a map, with None as values, whose hashes lead to the same place
 *     tN     the same with text as keys
 *     @N #N  the message lies at this offset, has this size
 *     !      the message is sent twice, the second time out of turn
 *
 * Before, it overwrites the first bytes that lie behind the call.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../isolated/message.h"
#include "../support/environment.h"

static channel c;
static uint64_t state;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint64_t draw_word(void) {
  switch (draw() % 8) {
    case 0:
      return draw();
    case 1:
      return draw() % 4096;
    case 2:
      return c.message_limit + draw() % 65536;
    case 3:
      return c.region_size - draw() % 64;
    case 4:
      return (draw() % (kNumTags + 2)) | draw() % 4 << 32 | draw() % 5 << 48;
    default:
      return (draw() % (kNumTags + 2)) | draw() % 3 << 32;
  }
}

/* Overwrites what the host may be reading. The memory is shared with no one who could be told. */
static void *scribble(void *context) {
  (void)context;
  for (;;) {
    char *to = (char *)c.header + draw() % (sizeof(channel_header) + 8192);
    if (draw() % 2 == 0) to = c.region[kSideHelper] + draw() % 8192;
    memset(to, (int)(draw() % 256), 1 + draw() % 16);
  }
  return NULL;
}

/* The number of the host's call that is served. */
static uint64_t read_number(void) {
  const uint64_t offset = c.header->message[kSideHost].offset;
  return ((uint64_t *)(void *)(c.region[kSideHost] + offset))[2];
}

static void send_words(uint64_t first, uint64_t second, const uint64_t *words, size_t count) {
  uint64_t *message = (uint64_t *)(void *)c.region[kSideHelper];
  message[0] = first;
  message[1] = second;
  message[2] = read_number();
  memcpy(message + 3, words, count * sizeof *words);
  channel_send(&c, 0, (count + 3) * sizeof *words);
}

static void answer(uint64_t first, const uint64_t *words, size_t count) {
  send_words(first, 0, words, count);
}

static void answer_at_random(void) {
  static uint64_t words[512];
  const size_t count = 1 + draw() % 64;
  size_t i;
  for (i = 0; i < count; ++i) words[i] = draw_word();
  switch (draw() % 8) {
    case 0: /* anywhere */
      channel_send(&c, (size_t)draw_word(), (size_t)draw_word());
      break;
    case 1: /* any operation, with released objects and arguments */
      answer(draw() % 9 | (draw() % 4 << 32), words, count);
      break;
    case 2: /* a call of the function that the host has passed */
      send_words(kCall, 1 | draw() % 4 << 32, words, count);
      break;
    default:
      answer(draw() % 2 == 0 ? kReturn : kRaise, words, count);
  }
}

/* Neither the host's turn nor this side's, and no way to sleep: the host waits for its deadline. */
static void confuse(void) {
  c.header->sleeps[kSideHost] = (uint32_t)draw();
  c.header->sleeps[kSideHelper] = (uint32_t)draw() % 4;
  c.header->turn = (uint32_t)draw() | 2;
}

typedef struct {
  uint64_t *words;
  size_t count;
} word_list;

static void put(word_list *list, uint64_t word) {
  list->words[list->count++] = word;
}

/*
 * Keys i whose hashes, but for a constant, are i times the inverse of the factor by which maps find
 * the place of a hash: it is the first one of the map, or one beside it.
 */
static void put_numbers(word_list *list, uint64_t count) {
  const uint64_t factor = UINT64_C(11400714819323198485);
  uint64_t inverse = 1, i;
  for (i = 0; i < 6; ++i) inverse *= 2 - factor * inverse;
  for (i = 0; i < count; ++i) {
    put(list, kTagInt);
    put(list, inverse * i);
    put(list, kTagNone);
  }
}

/* Texts of two words: the hash is (a * 1099511628211 + b) % 2147483647, always the same. */
static void put_texts(word_list *list, uint64_t count) {
  const uint64_t prime = 2147483647, factor = UINT64_C(1099511628211) % prime;
  uint64_t i;
  for (i = 0; i < count; ++i) {
    const uint64_t first = i & 0x7f, second = i >> 7 & 0x7f, third = i >> 14 & 0x7f;
    const uint64_t a = (1 + first) | (1 + second) << 8 | (1 + third) << 16;
    put(list, kTagText);
    put(list, 16);
    put(list, a);
    put(list, prime + prime - a * factor % prime);
    put(list, kTagNone);
  }
}

/* False: it is no word of the message. */
static bool put_given(word_list *list, char letter, uint64_t number) {
  uint64_t i;
  switch (letter) {
    case 'n':
      put(list, read_number());
      return true;
    case 'h':
      put(list, c.message_limit);
      return true;
    case 'k':
      put_numbers(list, number);
      return true;
    case 't':
      put_texts(list, number);
      return true;
    case 'x':
      for (i = 0; i < 2 * number; ++i) put(list, list->words[list->count - 2]);
      return true;
    case '@':
    case '#':
    case '!':
      return false;
    default:
      put(list, number);
      return true;
  }
}

static void send_given(const char *given) {
  word_list list;
  uint64_t offset = 0, size = UINT64_MAX / 2;
  bool is_repeated = false;
  list.words = (uint64_t *)(void *)c.region[kSideHelper];
  list.count = 0;
  for (; *given != '\0'; given += *given == ' ') {
    const char letter = *given;
    uint64_t number = 0;
    if (strchr("nhxkt@#!", letter) != NULL) ++given;
    if (*given != ' ') {
      char *end;
      number = strtoull(given, &end, 0);
      given = end;
    }
    if (put_given(&list, letter, number)) continue;
    if (letter == '@') offset = number;
    if (letter == '#') size = number;
    if (letter == '!') is_repeated = true;
  }
  if (size == UINT64_MAX / 2) size = list.count * sizeof *list.words;
  channel_send(&c, (size_t)offset, (size_t)size);
  if (is_repeated) {
    usleep(1000);
    channel_send(&c, (size_t)offset, (size_t)size);
  }
}

static void scribble_on_arguments(void) {
  const uint64_t size = c.header->message[kSideHost].size;
  memset(c.region[kSideHost] + c.header->message[kSideHost].offset + size, 0x5a, 256);
}

int main(void) {
  const char *given = getenv("TVM_FFI_HOSTILE_WORDS");
  const char *seed = getenv("TVM_FFI_HOSTILE_SEED");
  uint64_t none = 0, function = kTagFunction | (uint64_t)1 << 32;
  pthread_t thread;
  if ((seed == NULL && given == NULL) || channel_open(&c) != 0) return 2;
  (void)alarm(60 * environment_slower()); /* no thread looks after the end of the host */
  state = given != NULL ? 1 : strtoull(seed, NULL, 10) * 2654435761u + 1;
  (void)draw();
  channel_send(&c, 0, 0);
  if (channel_wait(&c, 0) != kWaitTurn) return 0;
  if (given != NULL || draw() % 8 != 0) { /* the library is loaded, and has the functions */
    answer(kReturn, &none, 1);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
    answer(kReturn, &function, 1);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
    answer(kReturn, &function, 1);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
  }
  while (given != NULL) {
    scribble_on_arguments();
    send_given(given);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
  }
  if (draw() % 4 == 0) pthread_create(&thread, NULL, scribble, NULL);
  for (;;) {
    if (draw() % 64 == 0) _exit((int)(draw() % 256));
    if (draw() % 256 == 0)
      confuse();
    else
      answer_at_random();
    if (channel_wait(&c, 0) == kWaitGone) return 0;
  }
}
