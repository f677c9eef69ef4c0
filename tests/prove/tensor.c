/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c/core/tensor.c, c/core/any.c: layouts, DLPack, conversions of values; c/container/list.c: lists
 * that grow.
 */
#include "core/tensor.h"

#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "prove.h"
#include "stubs.h"

int tvmffi_fail_null_argument(const char *function, const char *name) {
  (void)function, (void)name;
  ++num_failures;
  return -1;
}

/* ---- Objects ---- */

/* All objects have the same room, which CBMC follows faster; what was asked for is noted. */
enum { kObjectBytes = 256 };
static size_t object_size;

void *tvmffi_object_alloc(size_t size, size_t before, int32_t type_index, tvmffi_deleter deleter) {
  TVMFFIObject *made;
  PROVE(before == 0 && size <= kObjectBytes);
  object_size = size;
  made = tvmffi_alloc(kObjectBytes);
  if (made == NULL) return NULL;
  made->combined_ref_count = 1;
  made->type_index = type_index;
  made->deleter = deleter;
  return made;
}

void *tvmffi_object_new(size_t size, int32_t type_index, tvmffi_deleter deleter) {
  void *made = tvmffi_object_alloc(size, 0, type_index, deleter);
  if (made == NULL) ++num_failures;
  return made;
}

void tvmffi_object_free(void *self, size_t before) {
  PROVE(before == 0);
  tvmffi_free(self);
}

#include "core/tensor.c"

/* ---- Layouts ---- */

enum { kDims = 3 };

static int64_t shape[kDims], strides[kDims];

/* Any layout of up to so many dimensions, also with negative extents. */
static void choose_layout(DLTensor *out, int32_t most) {
  int32_t i;
  memset(out, 0, sizeof *out);
  for (i = 0; i < most; ++i) {
    shape[i] = choose_i64();
    strides[i] = choose_i64();
  }
  out->ndim = (int32_t)choose_up_to((size_t)most);
  out->shape = shape;
  out->strides = choose_bool() ? strides : NULL;
  out->dtype.bits = (uint8_t)choose_up_to(UINT8_MAX);
  out->dtype.lanes = (uint16_t)choose_up_to(UINT16_MAX);
  out->byte_offset = choose_u64();
}

void prove_tensor_check_shape(void) {
  DLTensor tensor;
  int code;
  choose_layout(&tensor, 1);
  tensor.ndim = (int32_t)choose_u64();
  if (choose_bool()) tensor.shape = NULL;
  code = tvmffi_tensor_check_shape(&tensor, "");
  PROVE((code != 0) == (num_failures == 1));
  PROVE((code == 0) == (tensor.ndim == 0 || (tensor.ndim > 0 && tensor.shape != NULL)));
}

void prove_tensor_multiply(void) {
  const int64_t before = choose_i64(), dim = choose_i64();
  int64_t product = before;
  ASSUME(before >= 0 && before <= INT32_MAX && (dim < 0 || dim <= INT32_MAX || before < 4));
  if (multiply_extent(&product, dim)) {
    PROVE(dim >= 0 && product >= 0);
    if (before == 3) PROVE(product == dim + dim + dim);
  } else {
    PROVE(product == before);
  }
}

/* One dimension, where the extent says all. */
void prove_tensor_is_contiguous(void) {
  DLTensor tensor;
  bool is_contiguous;
  choose_layout(&tensor, 2);
  ASSUME(tensor.ndim < 2 || (shape[1] >= 0 && shape[1] < 8));
  is_contiguous = tvmffi_tensor_is_contiguous(&tensor);
  if (tensor.strides == NULL) PROVE(is_contiguous);
  if (tensor.ndim == 1 && tensor.strides != NULL) {
    PROVE(is_contiguous == (shape[0] == 0 || shape[0] == 1 || strides[0] == 1));
  }
  if (tensor.ndim == 2 && tensor.strides != NULL && shape[0] > 1 && shape[1] > 1) {
    PROVE(is_contiguous == (strides[1] == 1 && strides[0] == shape[1]));
  }
}

void prove_tensor_fill_strides(void) {
  DLTensor tensor;
  int64_t made[kDims];
  int code;
  choose_layout(&tensor, 3);
  ASSUME(shape[1] < 16 && shape[2] < 16);
  code = tensor_fill_strides(&tensor, made);
  PROVE((code != 0) == (num_failures > 0));
  if (code == 0 && tensor.ndim > 0) PROVE(made[tensor.ndim - 1] == 1);
  if (code == 0 && tensor.ndim == 3) PROVE(made[1] == shape[2] && shape[1] >= 0);
}

void prove_tensor_is_multiple(void) {
  const uint64_t address = choose_u64();
  const unsigned shift = (unsigned)choose_up_to(31);
  const uint64_t alignment = UINT64_C(1) << shift;
  PROVE(is_multiple(address, alignment) == (address >> shift << shift == address));
}

void prove_tensor_requirements(void) {
  DLTensor tensor;
  const int32_t alignment = (int32_t)choose_u64();
  int code;
  choose_layout(&tensor, 1);
  ASSUME(alignment < 0 || (alignment & (alignment - 1)) == 0);
  tensor.device.device_type = (DLDeviceType)choose_up_to(20);
  code = tensor_check_requirements(&tensor, alignment, choose_bool());
  PROVE((code != 0) == (num_failures == 1));
  if (alignment < 0) PROVE(code != 0);
}

void prove_tensor_data_size(void) {
  DLTensor tensor;
  size_t size = 7;
  int code;
  choose_layout(&tensor, 1);
  code = tvmffi_tensor_data_size(&tensor, &size);
  PROVE((code != 0) == (num_failures == 1));
  if (code != 0) PROVE(size == 7 && tensor.ndim == 1);
  if (code == 0 && tensor.ndim == 0) {
    PROVE(size == ((size_t)tensor.dtype.bits * tensor.dtype.lanes + 7) / 8);
  }
  if (tensor.ndim == 1 && shape[0] < 0) PROVE(code != 0);
}

/* ---- DLPack ---- */

/* What is exported says so much of the tensor, and holds it. */
void prove_tensor_to_dlpack(void) {
  tensor_object tensor;
  DLManagedTensorVersioned *made = NULL;
  int code;
  memset(&tensor, 0, sizeof tensor);
  choose_layout(&tensor.dl_tensor, 1);
  tensor.header.combined_ref_count = TVMFFI_BOTH_ONE;
  tensor.header.type_index = kTVMFFITensor;
  tensor.header.deleter = choose_bool() ? delete_view : NULL;
  tensor.flags = choose_u64();
  code = TVMFFITensorToDLPackVersioned(&tensor, &made);
  PROVE((code != 0) == (num_failures > 0));
  PROVE(tensor.header.combined_ref_count == TVMFFI_BOTH_ONE + (code == 0 ? 1 : 0));
  if (code != 0) return;
  PROVE(made->version.major == 1 && made->manager_ctx == &tensor);
  PROVE(made->flags == (tensor.header.deleter == delete_view ? tensor.flags : 0));
  PROVE(made->dl_tensor.shape == tensor.dl_tensor.shape);
  tvmffi_free(made);
  PROVE(num_allocated == 0);
}

void prove_shape_from_args(void) {
  TVMFFIAny args[2], made;
  const int32_t count = (int32_t)choose_up_to(2), i = (int32_t)choose_up_to(1);
  int code;
  args[0].type_index = (int32_t)choose_up_to(kTVMFFIFloat);
  args[1].type_index = (int32_t)choose_up_to(kTVMFFIFloat);
  args[0].v_int64 = choose_i64();
  args[1].v_int64 = choose_i64();
  code = tvmffi_shape_from_args(args, count, &made);
  PROVE((code != 0) == (num_failures > 0));
  if (code == 0) {
    const TVMFFIShapeCell *cell = TVMFFIShapeGetCellPtr(made.v_obj);
    PROVE(cell->size == (size_t)count && object_size == sizeof(shape_object) + 8 * cell->size);
    if (i < count) PROVE(cell->data[i] == args[i].v_int64);
    if (i < count) PROVE(args[i].type_index == kTVMFFIInt || args[i].type_index == kTVMFFIBool);
    tvmffi_free(made.v_obj);
  }
  PROVE(num_allocated == 0);
}

/* ---- Values ---- */

int tvmffi_string_to_any(const char *data, size_t size, TVMFFIAny *out) {
  PROVE(data[size] == '\0');
  *out = tvmffi_any_none();
  return 0;
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  (void)input;
  *out = tvmffi_any_none();
  return 0;
}

#include "core/any.c"

/* What a view becomes is held once more, or moved. */
void prove_any_to_owned(void) {
  TVMFFIAny view, owned;
  TVMFFIObject object;
  TVMFFIObjectHandle slot = choose_bool() ? &object : NULL;
  const bool has_slot = slot != NULL;
  int code;
  object.combined_ref_count = TVMFFI_BOTH_ONE;
  object.type_index = kTVMFFIStaticObjectBegin;
  view.type_index = (int32_t)choose_u64();
  view.zero_padding = 0;
  view.v_uint64 = choose_u64();
  ASSUME(view.type_index != kTVMFFIByteArrayPtr);
  if (view.type_index == kTVMFFIRawStr) view.v_c_str = choose_bool() ? "a" : NULL;
  if (view.type_index == kTVMFFIObjectRValueRef) view.v_ptr = &slot;
  if (view.type_index >= kTVMFFIStaticObjectBegin) view.v_obj = choose_bool() ? &object : NULL;
  code = TVMFFIAnyViewToOwnedAny(&view, &owned);
  PROVE((code != 0) == (num_failures > 0));
  if (view.type_index == kTVMFFIObjectRValueRef) {
    PROVE(slot == NULL && (code == 0) == has_slot);
    if (code == 0) PROVE(owned.v_obj == &object);
  }
  PROVE(object.combined_ref_count ==
        TVMFFI_BOTH_ONE + (code == 0 && view.type_index >= kTVMFFIStaticObjectBegin ? 1 : 0));
}

void prove_any_get_text(void) {
  TVMFFIAny any;
  TVMFFIByteArray text;
  size_t i;
  any.type_index = (int32_t)choose_up_to(kTVMFFISmallBytes);
  any.small_str_len = (uint32_t)choose_up_to(7);
  any.v_uint64 = choose_u64();
  if (any.type_index == kTVMFFIRawStr) any.v_c_str = choose_bool() ? "abc" : NULL;
  if (tvmffi_any_get_text(&any, &text) == 0) {
    PROVE(any.type_index != kTVMFFISmallStr);
    PROVE(any.type_index != kTVMFFIRawStr || any.v_c_str == NULL);
    return;
  }
  PROVE(any.type_index == kTVMFFIRawStr ? text.size == 3 : text.size == any.small_str_len);
  i = choose_up_to(7);
  if (i < text.size && any.type_index == kTVMFFISmallStr) PROVE(text.data[i] == any.v_bytes[i]);
}

/* ---- Lists ---- */

void *tvmffi_alloc_plain(size_t size) {
  return tvmffi_alloc(size);
}

void tvmffi_free_plain(void *memory) {
  tvmffi_free(memory);
}

#include "container/list.c"

enum { kElements = 3 };

static TVMFFIAny choose_int(void) {
  TVMFFIAny value;
  value.type_index = kTVMFFIInt;
  value.zero_padding = 0;
  value.v_int64 = choose_i64();
  return value;
}

/* Any list with room for up to 3 elements, which are integers. */
static void choose_list(list_object *list) {
  TVMFFISeqCell *cell = &list->cell;
  size_t i;
  memset(list, 0, sizeof *list);
  list->header.type_index = kTVMFFIList;
  cell->data_deleter = tvmffi_free_plain;
  cell->capacity = (int64_t)choose_up_to(kElements);
  cell->size = (int64_t)choose_up_to(kElements);
  ASSUME(cell->size <= cell->capacity);
  if (cell->capacity == 0) return;
  cell->data = malloc(kElements * sizeof(TVMFFIAny));
  ASSUME(cell->data != NULL);
  ++num_allocated;
  for (i = 0; i < kElements; ++i) ((TVMFFIAny *)cell->data)[i] = choose_int();
}

static void end_list(list_object *list) {
  PROVE(list->cell.size >= 0 && list->cell.size <= list->cell.capacity);
  list->cell.data_deleter(list->cell.data);
  PROVE(num_allocated == 0);
}

void prove_list_append(void) {
  list_object list;
  const TVMFFIAny value = choose_int();
  const int64_t i = (int64_t)choose_up_to(kElements - 1);
  int64_t size, kept = 0;
  int code;
  choose_list(&list);
  size = list.cell.size;
  if (i < size) kept = tvmffi_array_items(&list.header)[i].v_int64;
  code = tvmffi_list_append(&list.header, &value);
  PROVE(list.cell.size == (code == 0 ? size + 1 : size) && (code != 0) == (num_failures == 1));
  if (code == 0) PROVE(tvmffi_array_items(&list.header)[size].v_int64 == value.v_int64);
  if (i < size) PROVE(tvmffi_array_items(&list.header)[i].v_int64 == kept);
  end_list(&list);
}

/* Room for any number of elements is made, or the list stays as it was. */
void prove_list_room(void) {
  list_object list;
  const int64_t num = choose_i64();
  choose_list(&list);
  ASSUME(num < 0 || num > INT64_MAX / 32);
  if (ensure_list_room(&list.cell, num) != 0) {
    PROVE(num > 0 && num_failures == 1);
  } else {
    PROVE(num <= 0);
  }
  end_list(&list);
}
