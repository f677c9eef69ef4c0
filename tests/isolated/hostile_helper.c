/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper that writes whatever it likes into the shared memory: answers that look like messages,
 * bytes at random, and, while the host reads, other bytes. TVM_FFI_HOSTILE_SEED says which.
 *
 * With TVM_FFI_HOSTILE_WORDS, the answer to each call of a function is these words, as numbers; `n`
 * is the number of the call. Before, it overwrites the first bytes that lie behind the call.
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

static void send_given(const char *given) {
  static uint64_t words[64];
  uint64_t count = 0;
  char *end;
  for (; *given != '\0'; given = *end == ' ' ? end + 1 : end) {
    const bool is_number = *given != 'n';
    words[count++] = is_number ? strtoull(given, &end, 0) : read_number();
    if (!is_number) end = (char *)(uintptr_t)given + 1;
  }
  memcpy(c.region[kSideHelper], words, (size_t)count * sizeof *words);
  channel_send(&c, 0, (size_t)count * sizeof *words);
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
