/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of this device, in place of a header such as cuda_runtime.h: a queue that prints what is
 * launched on it. The runtime passes streams on without looking into them. */
#ifndef SAMPLES_STREAM_H_
#define SAMPLES_STREAM_H_

#include <stdio.h>

typedef struct {
  const char *name;
  int num_launches;
} stream;

/* NULL is the default stream, as in CUDA. */
static inline void stream_launch(stream *queue, const char *name) {
  if (queue != NULL) ++queue->num_launches;
  printf("  [%s] %s\n", queue != NULL ? queue->name : "default stream", name);
}

#endif /* SAMPLES_STREAM_H_ */
