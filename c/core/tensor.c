/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tensor.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"

/* ---- Layouts ---- */

int tvmffi_tensor_fail_shape(const DLTensor *tensor, const char *function) {
  if (tensor->ndim < 0) {
    return tvmffi_fail("ValueError", "%s: ndim is %d", function, (int)tensor->ndim);
  }
  return tvmffi_fail("ValueError", "%s: shape is NULL though ndim is %d", function,
                     (int)tensor->ndim);
}

static bool is_empty(const DLTensor *tensor) {
  int32_t i;
  for (i = 0; i < tensor->ndim; ++i) {
    if (tensor->shape[i] == 0) return true;
  }
  return false;
}

/* product *= dim. False, product untouched, when dim is negative or the product overflows. */
static inline bool multiply_extent(int64_t *product, int64_t dim) {
  if (TVMFFI_LIKELY(((uint64_t)*product | (uint64_t)dim) <= INT32_MAX)) {
    *product *= dim;
    return true;
  }
  return dim >= 0 && tvmffi_checked_mul_i64(*product, dim, product);
}

bool tvmffi_tensor_is_contiguous(const DLTensor *tensor) {
  int64_t expected = 1;
  bool has_expected = true; /* false once it overflows: no stride can match */
  int32_t i;
  if (tensor->strides == NULL || is_empty(tensor)) return true;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] == 1) continue;
    if (!has_expected || tensor->strides[i] != expected) return false;
    has_expected = multiply_extent(&expected, tensor->shape[i]);
  }
  return true;
}

/* Compact row-major strides of a checked shape. ValueError if they overflow. */
static int tensor_fill_strides(const DLTensor *tensor, int64_t *strides) {
  int64_t product = 1;
  int32_t i;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    strides[i] = product;
    if (i == 0 || multiply_extent(&product, tensor->shape[i])) continue;
    if (tensor->shape[i] < 0) {
      return tvmffi_fail("ValueError", "FromDLPack: shape[%d] is %lld", (int)i,
                         (long long)tensor->shape[i]);
    }
    if (!is_empty(tensor)) {
      return tvmffi_fail("ValueError", "FromDLPack: the strides overflow int64_t");
    }
    product = 0; /* any stride will do */
  }
  return 0;
}

/* Whether data is an address in this process, not an opaque handle of the device, so that its
 * alignment is checked. That of oneAPI is an address, too, which the reference does not check. */
static bool is_addressable(int32_t device_type) {
  return device_type <= kDLCUDAHost || device_type == kDLROCM || device_type == kDLROCMHost ||
         device_type == kDLCUDAManaged;
}

static bool is_multiple(uint64_t address, uint64_t alignment) {
  if ((alignment & (alignment - 1)) == 0) return (address & (alignment - 1)) == 0;
  return address % alignment == 0; /* this division takes longer than the rest of an import */
}

/* RuntimeError unless address and strides are as TVMFFITensorFromDLPack's caller demands. */
static int tensor_check_requirements(const DLTensor *tensor, int32_t alignment,
                                     int32_t contiguous) {
  if (alignment < 0) {
    return tvmffi_fail("ValueError", "FromDLPack: require_alignment is %d", (int)alignment);
  }
  if (alignment != 0) {
    uint64_t address = tensor->byte_offset;
    if (is_addressable((int32_t)tensor->device.device_type)) address += (uintptr_t)tensor->data;
    if (!is_multiple(address, (uint64_t)alignment)) {
      return tvmffi_fail("RuntimeError", "FromDLPack: Data is not aligned to %d bytes.",
                         (int)alignment);
    }
  }
  if (contiguous != 0 && !tvmffi_tensor_is_contiguous(tensor)) {
    return tvmffi_fail("RuntimeError", "FromDLPack: Tensor is not contiguous.");
  }
  return 0;
}

int tvmffi_tensor_data_size(const DLTensor *tensor, size_t *out) {
  size_t bits = (size_t)tensor->dtype.bits * tensor->dtype.lanes;
  int32_t i;
  bool fits = true;
  for (i = 0; i < tensor->ndim && fits; ++i) {
    fits = tensor->shape[i] >= 0 && (uint64_t)tensor->shape[i] <= SIZE_MAX &&
           tvmffi_checked_mul_size(bits, (size_t)tensor->shape[i], &bits);
  }
  if (!fits) return tvmffi_fail("ValueError", "The tensor has more elements than memory can hold");
  *out = bits / 8 + (bits % 8 != 0);
  return 0;
}

/* ---- Tensors ---- */

/*
 * The flags that a tensor and its views keep. Not IS_COPIED: it promises the consumer that nobody
 * else holds the data, which is no longer true when we export the tensor again.
 */
static const uint64_t kKeptFlags = TVMFFI_TENSOR_READ_ONLY | TVMFFI_TENSOR_PADDED;

typedef struct {
  TVMFFIObject header;
  DLTensor dl_tensor;
  void *owner; /* a DLManagedTensor, DLManagedTensorVersioned or TVMFFIObject; see the deleters */
  uint64_t flags;
  int64_t dims[]; /* strides that the source lacked; shape and strides of views */
} tensor_object;

/* ---- Deleters ---- */

/* The deleters of exported tensors. Run in any thread, and may destroy the tensor. */
static void release_export(DLManagedTensor *self) {
  void *tensor = self->manager_ctx;
  tvmffi_free(self);
  tvmffi_object_release(tensor);
}

static void release_versioned_export(DLManagedTensorVersioned *self) {
  void *tensor = self->manager_ctx;
  tvmffi_free(self);
  tvmffi_object_release(tensor);
}

/* The deleters of tensors whose owner is a foreign DLPack tensor. */
static void delete_wrapper(void *self, int flags) {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    DLManagedTensor *managed = ((tensor_object *)self)->owner;
    TVMFFIObject *error = tvmffi_error_put_aside();
    if (managed->deleter != NULL) managed->deleter(managed);
    tvmffi_error_put_back(error);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) tvmffi_object_free(self, 0);
}

static void delete_versioned_wrapper(void *self, int flags) {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    DLManagedTensorVersioned *managed = ((tensor_object *)self)->owner;
    TVMFFIObject *error = tvmffi_error_put_aside();
    if (managed->deleter != NULL) managed->deleter(managed);
    tvmffi_error_put_back(error);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) tvmffi_object_free(self, 0);
}

/*
 * The deleters of tensors whose owner is an export of ours. It is freed without a call of its
 * deleter, so that tensors wrapped in each other, however often, are not destroyed recursively.
 */
static void destroy_reimport(void *self) {
  DLManagedTensor *managed = ((tensor_object *)self)->owner;
  void *tensor = managed->manager_ctx;
  tvmffi_free(managed);
  tvmffi_object_release_nested(tensor);
}

static void destroy_versioned_reimport(void *self) {
  DLManagedTensorVersioned *managed = ((tensor_object *)self)->owner;
  void *tensor = managed->manager_ctx;
  tvmffi_free(managed);
  tvmffi_object_release_nested(tensor);
}

TVMFFI_DELETER(delete_reimport, destroy_reimport, 0);

TVMFFI_DELETER(delete_versioned_reimport, destroy_versioned_reimport, 0);

/* The deleter of views, whose owner is any object. */
static void destroy_view(void *self) {
  tvmffi_object_release_nested(((tensor_object *)self)->owner);
}

TVMFFI_DELETER(delete_view, destroy_view, 0);

/* ---- Checks ---- */

/* The kept flags of a tensor that this file made; 0 for all other objects. */
static uint64_t get_flags(const TVMFFIObject *obj) {
  if (obj->type_index != kTVMFFITensor) return 0;
  if (obj->deleter != delete_versioned_wrapper && obj->deleter != delete_versioned_reimport &&
      obj->deleter != delete_reimport && obj->deleter != delete_view) {
    return 0;
  }
  return ((const tensor_object *)obj)->flags;
}

TVMFFI_COLD static int refuse_object(const TVMFFIObject *obj, const char *function) {
  return tvmffi_fail("TypeError", "%s: expected `ffi.Tensor` but got `%s`", function,
                     tvmffi_type_key(obj->type_index));
}

static int check_is_tensor(const TVMFFIObject *obj, const char *function) {
  if (TVMFFI_LIKELY(obj->type_index == kTVMFFITensor)) return 0;
  return refuse_object(obj, function);
}

/* Only the version is read: with another major one, the rest may be laid out in another way. */
static int check_version(const DLManagedTensorVersioned *managed) {
  if (TVMFFI_LIKELY(managed->version.major == 1)) return 0;
  return tvmffi_fail("RuntimeError", "FromDLPack: DLPack version %lu is not supported, only 1 is",
                     (unsigned long)managed->version.major);
}

/* ---- Import ---- */

static inline int wrap(const DLTensor *source, void *owner, uint64_t flags, tvmffi_deleter deleter,
                       TVMFFIObjectHandle *out) {
  size_t num_strides = source->strides == NULL ? (size_t)source->ndim : 0;
  size_t size = sizeof(tensor_object);
  tensor_object *tensor;
  if (num_strides != 0 && !tvmffi_checked_array_size(size, num_strides, sizeof(int64_t), &size)) {
    return tvmffi_fail_memory();
  }
  tensor = tvmffi_object_new(size, kTVMFFITensor, deleter);
  if (TVMFFI_UNLIKELY(tensor == NULL)) return -1;
  tensor->dl_tensor = *source;
  tensor->owner = owner;
  tensor->flags = flags;
  if (num_strides != 0) {
    tensor->dl_tensor.strides = tensor->dims;
    if (TVMFFI_UNLIKELY(tensor_fill_strides(source, tensor->dims) != 0)) {
      tvmffi_object_free(tensor, 0);
      return -1;
    }
  }
  *out = tensor;
  return 0;
}

int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t require_alignment,
                           int32_t require_contiguous, TVMFFIObjectHandle *out) {
  tvmffi_deleter deleter = delete_wrapper;
  uint64_t flags = 0;
  TVMFFI_REQUIRE(from);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(tvmffi_tensor_check_shape(&from->dl_tensor, "FromDLPack"));
  if ((require_alignment | require_contiguous) != 0) {
    TVMFFI_TRY(tensor_check_requirements(&from->dl_tensor, require_alignment, require_contiguous));
  }
  if (from->deleter == release_export) { /* our own export: a DLManagedTensor has no flags */
    flags = get_flags(from->manager_ctx);
    deleter = delete_reimport;
  }
  return wrap(&from->dl_tensor, from, flags, deleter, out);
}

static int wrap_versioned(DLManagedTensorVersioned *managed, TVMFFIObjectHandle *out) {
  return wrap(&managed->dl_tensor, managed, managed->flags & kKeptFlags,
              managed->deleter == release_versioned_export ? delete_versioned_reimport
                                                           : delete_versioned_wrapper,
              out);
}

int tvmffi_tensor_wrap_versioned(DLManagedTensorVersioned *managed, TVMFFIObjectHandle *out) {
  TVMFFI_TRY(check_version(managed));
  TVMFFI_TRY(tvmffi_tensor_check_shape(&managed->dl_tensor, "FromDLPack"));
  return wrap_versioned(managed, out);
}

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned *from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle *out) {
  TVMFFI_REQUIRE(from);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(check_version(from));
  TVMFFI_TRY(tvmffi_tensor_check_shape(&from->dl_tensor, "FromDLPack"));
  if ((require_alignment | require_contiguous) != 0) {
    TVMFFI_TRY(tensor_check_requirements(&from->dl_tensor, require_alignment, require_contiguous));
  }
  if (TVMFFI_UNLIKELY(from->flags & TVMFFI_TENSOR_PADDED)) {
    return tvmffi_fail("RuntimeError", "Subbyte type padded is not yet supported");
  }
  return wrap_versioned(from, out);
}

/* ---- Export ---- */

int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor **out) {
  DLManagedTensor *managed;
  TVMFFI_REQUIRE(from);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(check_is_tensor(from, __func__));
  managed = tvmffi_alloc(sizeof *managed);
  if (managed == NULL) return tvmffi_fail_memory();
  managed->dl_tensor = *TVMFFITensorGetDLTensorPtr(from);
  managed->manager_ctx = from;
  managed->deleter = release_export;
  tvmffi_object_retain(from);
  *out = managed;
  return 0;
}

int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned **out) {
  DLManagedTensorVersioned *managed;
  TVMFFI_REQUIRE(from);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(check_is_tensor(from, __func__));
  managed = tvmffi_alloc(sizeof *managed);
  if (managed == NULL) return tvmffi_fail_memory();
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->version.minor = DLPACK_MINOR_VERSION;
  managed->manager_ctx = from;
  managed->deleter = release_versioned_export;
  managed->flags = get_flags(from);
  managed->dl_tensor = *TVMFFITensorGetDLTensorPtr(from);
  tvmffi_object_retain(from);
  *out = managed;
  return 0;
}

/* ---- Views ---- */

int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor *prototype,
                                 TVMFFIObjectHandle *out) {
  tensor_object *tensor;
  size_t ndim, size;
  TVMFFI_REQUIRE(source);
  TVMFFI_REQUIRE(prototype);
  TVMFFI_REQUIRE(out);
  TVMFFI_TRY(tvmffi_tensor_check_shape(prototype, __func__));
  ndim = (size_t)prototype->ndim;
  if (ndim != 0 && prototype->strides == NULL) {
    return tvmffi_fail("InternalError", "Check not null: prototype.strides");
  }
  if (!tvmffi_checked_array_size(sizeof *tensor, ndim, 2 * sizeof(int64_t), &size)) {
    return tvmffi_fail_memory(); /* GCOVR_EXCL_LINE: 2^31 dimensions are below 2^64 bytes */
  }
  tensor = tvmffi_object_new(size, kTVMFFITensor, delete_view);
  if (tensor == NULL) return -1;
  tensor->dl_tensor = *prototype;
  tensor->dl_tensor.shape = tensor->dims;
  tensor->dl_tensor.strides = tensor->dims + ndim;
  if (ndim != 0) {
    memcpy(tensor->dims, prototype->shape, ndim * sizeof(int64_t));
    memcpy(tensor->dims + ndim, prototype->strides, ndim * sizeof(int64_t));
  }
  tensor->owner = source;
  tensor->flags = get_flags(source);
  tvmffi_object_retain(source);
  *out = tensor;
  return 0;
}

/* ---- Shapes ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIShapeCell cell;
  int64_t dims[];
} shape_object;

int tvmffi_shape_from_args(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  shape_object *shape;
  size_t bytes, size = num_args > 0 ? (size_t)num_args : 0;
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIInt && args[i].type_index != kTVMFFIBool) {
      return tvmffi_fail("ValueError", "Expect shape to take list of int arguments");
    }
  }
  if (!tvmffi_checked_array_size(sizeof *shape, size, sizeof(int64_t), &bytes)) {
    return tvmffi_fail_memory(); /* GCOVR_EXCL_LINE: 2^31 dimensions are below 2^64 bytes */
  }
  shape = tvmffi_object_new(bytes, kTVMFFIShape, tvmffi_object_delete_plain);
  if (shape == NULL) return -1;
  shape->cell.data = shape->dims;
  shape->cell.size = size;
  for (i = 0; i < num_args; ++i) shape->dims[i] = args[i].v_int64;
  *result = tvmffi_any_object(shape);
  return 0;
}
