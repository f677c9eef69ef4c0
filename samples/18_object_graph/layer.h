/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A type of objects of one's own: a layer of a network, whose fields the runtime knows by their
 * names. That is all it takes to print layers, to compare, hash and copy them, and to save them.
 */
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

/** Register the type, once, before there are threads. */
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
