/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

static int32_t layer_type;

/* ---- Objects ---- */

/* First the strong count reaches zero, and the fields are released; then the weak count, and the
 * memory is freed. */
static void delete_layer(void *self, int flags) {
  layer *l = (layer *)self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    tvm_ffi_any_clear(&l->name);
    tvm_ffi_any_clear(&l->weights);
    tvm_ffi_any_clear(&l->inputs);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) free(l);
}

/* Makes an empty layer: when read from a file, its fields are set one by one. */
static int create_empty(TVMFFIObjectHandle *out) {
  layer *l = (layer *)calloc(1, sizeof *l);
  if (l == NULL) return tvm_ffi_error_raise_memory();
  l->header.combined_ref_count = ((uint64_t)1 << 32) | 1; /* weak | strong */
  l->header.type_index = layer_type;
  l->header.deleter = delete_layer;
  *out = l;
  return 0;
}

/* ---- Fields ---- */

static int get_any(void *field, TVMFFIAny *result) {
  return tvm_ffi_any_copy((const TVMFFIAny *)field, result);
}

static int set_any(void *field, const TVMFFIAny *value) {
  TVMFFIAny owned;
  TVM_FFI_C_TRY(tvm_ffi_any_copy(value, &owned));
  tvm_ffi_any_clear((TVMFFIAny *)field);
  *(TVMFFIAny *)field = owned;
  return 0;
}

/* The setters check the types, since files may be wrong. */
static int set_name(void *field, const TVMFFIAny *value) {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(value, &text));
  return set_any(field, value);
}

static int set_weights(void *field, const TVMFFIAny *value) {
  TVMFFIObjectHandle shape;
  if (value->type_index != kTVMFFINone) {
    TVM_FFI_C_TRY(tvm_ffi_any_read_object(value, kTVMFFIShape, &shape));
  }
  return set_any(field, value);
}

static int set_inputs(void *field, const TVMFFIAny *value) {
  TVMFFIObjectHandle array;
  layer *input;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_any_read_object(value, kTVMFFIArray, &array));
  for (i = 0; i < tvm_ffi_array_get_size(array); ++i) {
    TVM_FFI_C_TRY(layer_read(&tvm_ffi_array_get_data(array)[i], &input));
  }
  return set_any(field, value);
}

static int get_units(void *field, TVMFFIAny *result) {
  *result = tvm_ffi_any_from_int64(*(const int64_t *)field);
  return 0;
}

static int set_units(void *field, const TVMFFIAny *value) {
  return tvm_ffi_any_read_int64(value, (int64_t *)field);
}

/* The type index determines how the field is stored; the setter, what may be stored. */
static int add_field(const char *name, size_t offset, size_t size, int32_t type_index,
                     TVMFFIFieldGetter getter, TVMFFIFieldSetter setter) {
  union {
    TVMFFIFieldSetter typed;
    void *address;
  } function;
  TVMFFIFieldInfo info;
  function.typed = setter;
  memset(&info, 0, sizeof info);
  info.name = tvm_ffi_string_get_bytes(name);
  info.flags = kTVMFFIFieldFlagBitMaskWritable;
  info.offset = (int64_t)offset;
  info.size = (int64_t)size;
  info.alignment = 8;
  info.getter = getter;
  info.setter = function.address;
  info.field_static_type_index = type_index;
  return TVMFFITypeRegisterField(layer_type, &info);
}

int layer_register(void) {
  TVMFFIByteArray key = tvm_ffi_string_get_bytes("sample.Layer");
  TVMFFITypeMetadata metadata;
  layer_type = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  if (layer_type < 0) return -1;
  memset(&metadata, 0, sizeof metadata);
  metadata.creator = create_empty;
  metadata.total_size = (int32_t)sizeof(layer);
  metadata.structural_eq_hash_kind = kTVMFFISEqHashKindDAGNode; /* sharing matters for equality */
  TVM_FFI_C_TRY(TVMFFITypeRegisterMetadata(layer_type, &metadata));
#define FIELD(field, type_index, getter, setter) \
  add_field(#field, offsetof(layer, field), sizeof((layer *)0)->field, type_index, getter, setter)
  TVM_FFI_C_TRY(FIELD(name, kTVMFFIAny, get_any, set_name));
  TVM_FFI_C_TRY(FIELD(units, kTVMFFIInt, get_units, set_units));
  TVM_FFI_C_TRY(FIELD(weights, kTVMFFIAny, get_any, set_weights));
  return FIELD(inputs, kTVMFFIAny, get_any, set_inputs);
#undef FIELD
}

/* ---- Functions of layer.h ---- */

int layer_create(const char *name, int64_t units, TVMFFIAny weights, TVMFFIAny inputs,
                 TVMFFIAny *out) {
  TVMFFIAny text = tvm_ffi_any_view_string(name);
  TVMFFIObjectHandle object;
  layer *l;
  TVM_FFI_C_TRY(create_empty(&object));
  l = (layer *)object;
  l->units = units;
  if (set_name(&l->name, &text) != 0 || set_weights(&l->weights, &weights) != 0 ||
      set_inputs(&l->inputs, &inputs) != 0) {
    tvm_ffi_object_release(object);
    return -1;
  }
  *out = tvm_ffi_any_take_object(object);
  return 0;
}

int layer_read(const TVMFFIAny *value, layer **out) {
  TVMFFIObjectHandle object;
  TVM_FFI_C_TRY(tvm_ffi_any_read_object(value, layer_type, &object));
  *out = (layer *)object;
  return 0;
}
