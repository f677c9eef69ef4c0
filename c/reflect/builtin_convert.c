/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attribute __ffi_convert__ of built-in types: converts what a parameter of the type accepts to
 * an owned value of that type.
 */
#include "container/array.h"
#include "container/container.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"

static bool is_sequence(const TVMFFIAny *value) {
  return tvmffi_is_sequence(value->type_index) && value->v_obj != NULL;
}

static bool is_map(const TVMFFIAny *value) {
  return tvmffi_is_map(value->type_index) && value->v_obj != NULL;
}

/* ---- Copies as another type: NULL with the error raised ---- */

static TVMFFIObject *copy_to_map(TVMFFIObject *dict) {
  TVMFFIObject *map = tvmffi_map_new_for(kTVMFFIMap, tvmffi_map_size(dict));
  uint64_t position;
  int rc = map != NULL ? 0 : tvmffi_fail_memory();
  for (position = tvmffi_map_first(dict); rc == 0 && tvmffi_map_has_at(dict, position);
       position = tvmffi_map_next(dict, position)) { /* hashing may run code that changes dict */
    const tvmffi_map_pair *pair = tvmffi_map_at(dict, position);
    TVMFFIAny key = tvmffi_any_copy(&pair->key), value = tvmffi_any_copy(&pair->value);
    rc = tvmffi_map_put(&map, &key, &value);
  }
  if (rc == 0) return map;
  tvmffi_object_release(map);
  return NULL;
}

/* ---- Conversion ---- */

static bool is_all_integers(const TVMFFIAny *value) {
  int64_t i, size;
  if (!is_sequence(value)) return false;
  size = tvmffi_array_size(value->v_obj);
  for (i = 0; i < size; ++i) {
    int32_t type_index = tvmffi_array_items(value->v_obj)[i].type_index;
    if (type_index != kTVMFFIInt && type_index != kTVMFFIBool) return false;
  }
  return size <= INT32_MAX;
}

/* Whether a value needs no conversion. */
static bool needs_no_conversion(int32_t type_index, const TVMFFIAny *value) {
  TVMFFIByteArray text;
  switch (type_index) {
    case kTVMFFIObject:
    case kTVMFFIFunction:
    case kTVMFFITensor:
      if (value->type_index == kTVMFFINone) return true;
      break;
    case kTVMFFIStr:
      return tvmffi_any_get_text(value, &text);
    case kTVMFFIBytes:
      return value->type_index == kTVMFFISmallBytes ||
             ((value->type_index == kTVMFFIByteArrayPtr || value->type_index == kTVMFFIBytes) &&
              value->v_ptr != NULL);
    default:
      break;
  }
  return value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj != NULL &&
         tvmffi_type_is_instance(value->type_index, type_index);
}

/* The function that copies a value to the type, or NULL. */
typedef TVMFFIObject *(*copier)(TVMFFIObject *source);

static copier find_copier(int32_t type_index, const TVMFFIAny *value) {
  if (type_index == kTVMFFIArray && is_sequence(value)) return tvmffi_array_copy;
  if (type_index == kTVMFFIList && is_sequence(value)) return tvmffi_list_copy;
  if (type_index == kTVMFFIMap && is_map(value)) return copy_to_map;
  if (type_index == kTVMFFIDict && is_map(value)) return tvmffi_map_copy_to_dict;
  return NULL;
}

static const char *display_of(int32_t type_index) {
  switch (type_index) {
    case kTVMFFIStr:
      return "str";
    case kTVMFFIBytes:
      return "bytes";
    case kTVMFFIArray:
      return "Array<Any>";
    case kTVMFFIList:
      return "List<Any>";
    case kTVMFFIMap:
      return "Map<Any, Any>";
    case kTVMFFIDict:
      return "Dict<Any, Any>";
    default:
      return tvmffi_type_key(type_index);
  }
}

static int call_convert(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int32_t type_index = ((const tvmffi_attr_function *)self)->type_index;
  copier copy;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: AnyView) -> Any", 1, 0, args, num_args));
  if (needs_no_conversion(type_index, &args[0])) return TVMFFIAnyViewToOwnedAny(&args[0], result);
  if (type_index == kTVMFFIShape && is_all_integers(&args[0])) {
    return tvmffi_shape_from_args(tvmffi_array_items(args[0].v_obj),
                                  (int32_t)tvmffi_array_size(args[0].v_obj), result);
  }
  copy = find_copier(type_index, &args[0]);
  if (copy == NULL) {
    return tvmffi_fail("TypeError", "Cannot cast from `%s` to `%s`",
                       tvmffi_type_key(args[0].type_index), display_of(type_index));
  }
  return tvmffi_any_give(copy(args[0].v_obj), result);
}

#define CONVERTS(type) \
  { type, kTvmffiAttrConvert, false, call_convert, NULL }

static const tvmffi_builtin_attr kConvertAttrs[] = {
    CONVERTS(kTVMFFIObject),  CONVERTS(kTVMFFIStr),      CONVERTS(kTVMFFIBytes),
    CONVERTS(kTVMFFIError),   CONVERTS(kTVMFFIFunction), CONVERTS(kTVMFFIShape),
    CONVERTS(kTVMFFITensor),  CONVERTS(kTVMFFIArray),    CONVERTS(kTVMFFIMap),
    CONVERTS(kTVMFFIList),    CONVERTS(kTVMFFIDict),     CONVERTS(kTvmffiIntEnum),
    CONVERTS(kTvmffiStrEnum),
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_convert_attrs, kConvertAttrs);
