/* SPDX-License-Identifier: Apache-2.0 */
/* A custom object type: a layer of a network, whose fields are registered with the runtime by name.
 * That is enough to print layers, to compare, hash and copy them, and to save them. */
#ifndef SAMPLES_LAYER_H_
#define SAMPLES_LAYER_H_

#include <tvm/ffi/c_api.h>

typedef struct {
  TVMFFIObject header; /* of every object */
  TVMFFIAny name;      /* a text */
  int64_t units;
  TVMFFIAny weights; /* a Shape, or None */
  TVMFFIAny inputs;  /* an Array of layers */
} layer;

/** Register the type; call it once, before other threads are started. */
int layer_register(void);

/**
 * Make a layer.
 * @param inputs [share] An Array.
 * @param out    [own]
 */
int layer_create(const char *name, int64_t units, TVMFFIAny weights, TVMFFIAny inputs,
                 TVMFFIAny *out);

/** [lend] The layer of a value. Errors: TypeError. */
int layer_read(const TVMFFIAny *value, layer **out);

#endif /* SAMPLES_LAYER_H_ */
