/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper that writes whatever it likes into the shared memory: answers that look like messages,
 * bytes at random, and, while the host reads, other bytes. TVM_FFI_HOSTILE_SEED says which.
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

static void answer(uint64_t first, const uint64_t *words, size_t count) {
  uint64_t *message = (uint64_t *)(void *)c.region[kSideHelper];
  message[0] = first;
  message[1] = 0;
  memcpy(message + 2, words, count * sizeof *words);
  channel_send(&c, 0, (count + 2) * sizeof *words);
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
      ((uint64_t *)(void *)c.region[kSideHelper])[1] = 1;
      memcpy(c.region[kSideHelper] + 16, words, count * 8);
      ((uint64_t *)(void *)c.region[kSideHelper])[0] = kCall;
      ((uint64_t *)(void *)c.region[kSideHelper])[1] = 1 | draw() % 4 << 32;
      channel_send(&c, 0, (count + 2) * 8);
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

int main(void) {
  const char *seed = getenv("TVM_FFI_HOSTILE_SEED");
  uint64_t none = 0, function = kTagFunction | (uint64_t)1 << 32;
  pthread_t thread;
  if (seed == NULL || channel_open(&c) != 0) return 2;
  (void)alarm(60 * environment_slower()); /* no thread looks after the end of the host */
  state = strtoull(seed, NULL, 10) * 2654435761u + 1;
  (void)draw();
  channel_send(&c, 0, 0);
  if (channel_wait(&c, 0) != kWaitTurn) return 0;
  if (draw() % 8 != 0) { /* the library is loaded, and has the functions */
    answer(kReturn, &none, 1);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
    answer(kReturn, &function, 1);
    if (channel_wait(&c, 0) != kWaitTurn) return 0;
    answer(kReturn, &function, 1);
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
