/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as Halide compiles them ahead of time, for wrap --abi=halide, and what they need of its
 * runtime. Buffers describe tensors, the innermost dimension first. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int32_t min, extent, stride;
  uint32_t flags;
} dimension;

struct halide_buffer_t {
  uint64_t device;
  const void *device_interface;
  uint8_t *host;
  uint64_t flags;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } type;
  int32_t dimensions;
  dimension *dim;
  void *padding;
};

typedef void (*error_handler)(void *user_context, const char *message);

static void end_process(void *user_context, const char *message) {
  (void)user_context;
  fputs(message, stderr);
  abort();
}

static error_handler handler = end_process;

error_handler halide_set_error_handler(error_handler next);
error_handler halide_set_error_handler(error_handler next) {
  const error_handler before = handler;
  handler = next;
  return before;
}

static int check_type(const char *name, const struct halide_buffer_t *buffer) {
  char message[128];
  if (buffer->type.code == 2 && buffer->type.bits == 64 && buffer->type.lanes == 1) return 0;
  snprintf(message, sizeof message, "Buffer %s is of the type %d:%dx%d, not 2:64x1\n", name,
           buffer->type.code, buffer->type.bits, buffer->type.lanes);
  handler(NULL, message);
  handler(NULL, "another message\n");
  return -3;
}

static double *find(const struct halide_buffer_t *buffer, int32_t i, int32_t j) {
  return (double *)(void *)buffer->host + (i - buffer->dim[1].min) * buffer->dim[1].stride +
         (j - buffer->dim[0].min) * buffer->dim[0].stride;
}

/* y[i][j] = a * x[i][j] + j; an error without a message if a is negative */
int scale(struct halide_buffer_t *x, double a, struct halide_buffer_t *y);
int scale(struct halide_buffer_t *x, double a, struct halide_buffer_t *y) {
  int32_t i, j;
  if (check_type("x", x) != 0 || check_type("y", y) != 0) return -3;
  if (a < 0) return -5;
  for (i = 0; i < y->dim[1].extent; ++i) {
    for (j = 0; j < y->dim[0].extent; ++j) *find(y, i, j) = a * *find(x, i, j) + j;
  }
  return 0;
}

/* y = 0 */
int fill(struct halide_buffer_t *y, int64_t n, int64_t m);
int fill(struct halide_buffer_t *y, int64_t n, int64_t m) {
  int64_t i;
  for (i = 0; i < n * m; ++i) ((double *)(void *)y->host)[i] = 0;
  return 0;
}

/* Writes what describes x: the code and the bits of the type, its dimensions, whether there is an
 * address, and the extent and the stride of each dimension. */
int tell(struct halide_buffer_t *x, struct halide_buffer_t *y);
int tell(struct halide_buffer_t *x, struct halide_buffer_t *y) {
  int32_t *out = (int32_t *)(void *)y->host;
  int32_t i;
  *out++ = x->type.code;
  *out++ = x->type.bits;
  *out++ = x->dimensions;
  *out++ = x->host != NULL;
  for (i = 0; i < x->dimensions; ++i) {
    *out++ = x->dim[i].extent;
    *out++ = x->dim[i].stride;
  }
  return 0;
}
