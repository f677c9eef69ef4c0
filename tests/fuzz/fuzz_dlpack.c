/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors from both DLPack structs, and back: every field is kept, the producer's deleter runs
 * once after success and not after a failure. The data is never read.
 */
#include "core/any.h"
#include "fuzz.h"

enum { kMaxDims = 6 };

static int num_deleted;

static void delete_old(DLManagedTensor *self) {
  (void)self;
  ++num_deleted;
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  (void)self;
  ++num_deleted;
}

static int64_t extent(fuzz_input *in) {
  uint8_t how = fuzz_byte(in);
  return how < 0xf0 ? how % 9 : fuzz_int(in, 8);
}

/* Reads a tensor with its shape and strides. */
static DLTensor read_tensor(fuzz_input *in, int64_t *shape, int64_t *strides) {
  static char memory[256];
  uint8_t how = fuzz_byte(in);
  DLTensor tensor;
  int32_t i, n;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = (how & 1) != 0 ? memory + fuzz_byte(in) % 64 : NULL;
  tensor.device = TVMFFIDLDeviceFromIntPair(1 + fuzz_byte(in) % 4, (int32_t)fuzz_int(in, 1));
  tensor.dtype.code = fuzz_byte(in);
  tensor.dtype.bits = fuzz_byte(in);
  tensor.dtype.lanes = (uint16_t)fuzz_int(in, 1);
  tensor.ndim = (how & 2) != 0 ? (int32_t)fuzz_int(in, 1) : fuzz_byte(in) % (kMaxDims + 1);
  n = tensor.ndim;
  if (n > kMaxDims) n = tensor.ndim = kMaxDims;
  for (i = 0; i < n; ++i) shape[i] = extent(in);
  for (i = 0; i < n; ++i) strides[i] = extent(in);
  tensor.shape = (how & 12) != 12 ? shape : NULL;
  tensor.strides = (how & 16) != 0 ? strides : NULL;
  tensor.byte_offset = (how & 32) != 0 ? (uint64_t)fuzz_int(in, 8) : fuzz_byte(in);
  return tensor;
}

static void check_tensor(const DLTensor *tensor, const DLTensor *source) {
  size_t bytes = (size_t)source->ndim * sizeof(int64_t);
  fuzz_require(tensor->data == source->data && tensor->byte_offset == source->byte_offset);
  fuzz_require(tensor->ndim == source->ndim);
  fuzz_require(memcmp(&tensor->dtype, &source->dtype, sizeof tensor->dtype) == 0);
  fuzz_require(tensor->device.device_type == source->device.device_type);
  fuzz_require(tensor->device.device_id == source->device.device_id);
  if (bytes == 0) return;
  fuzz_require(memcmp(tensor->shape, source->shape, bytes) == 0);
  fuzz_require(tensor->strides != NULL);
  if (source->strides != NULL) fuzz_require(memcmp(tensor->strides, source->strides, bytes) == 0);
}

/* A view, a value of every kind of export, and what the exports give when they are read again. */
static void use(TVMFFIObjectHandle tensor, const DLTensor *prototype) {
  TVMFFIObjectHandle view, second;
  DLManagedTensor *old;
  DLManagedTensorVersioned *versioned;
  DLTensor *cell = TVMFFITensorGetDLTensorPtr(tensor);
  TVMFFIAny arg = tvmffi_any_object(tensor), result;
  if (fuzz_checked(TVMFFITensorToDLPack(tensor, &old)) == 0) {
    check_tensor(&old->dl_tensor, cell);
    if (fuzz_checked(TVMFFITensorFromDLPack(old, 0, 0, &second)) == 0) {
      check_tensor(TVMFFITensorGetDLTensorPtr(second), cell);
      TVMFFIObjectDecRef(second);
    } else {
      old->deleter(old);
    }
  }
  if (fuzz_checked(TVMFFITensorToDLPackVersioned(tensor, &versioned)) == 0) {
    check_tensor(&versioned->dl_tensor, cell);
    fuzz_require((versioned->flags & ~(uint64_t)DLPACK_FLAG_BITMASK_READ_ONLY) == 0);
    versioned->deleter(versioned);
  }
  if (fuzz_checked(TVMFFITensorCreateUnsafeView(tensor, prototype, &view)) == 0) {
    check_tensor(TVMFFITensorGetDLTensorPtr(view), prototype);
    TVMFFIObjectDecRef(view);
  }
  if (fuzz_call("ffi.ReprPrint", &arg, 1, &result) == 0) tvmffi_any_release(&result);
  if (fuzz_call("ffi.ContainerFindFirstNonCPUDevice", &arg, 1, &result) == 0) {
    fuzz_require(result.type_index == kTVMFFIDevice);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input in = fuzz_open(data, size);
  int64_t shape[kMaxDims], strides[kMaxDims], shape2[kMaxDims], strides2[kMaxDims];
  TVMFFIObjectHandle tensor;
  DLTensor source, prototype;
  DLManagedTensor old;
  DLManagedTensorVersioned versioned;
  uint8_t how = fuzz_byte(&in);
  int32_t alignment = (how & 4) != 0 ? fuzz_byte(&in) : 0;
  bool has_deleter = (how & 2) == 0;
  int rc;
  fuzz_begin();
  num_deleted = 0;
  source = read_tensor(&in, shape, strides);
  prototype = read_tensor(&in, shape2, strides2);
  if ((how & 1) == 0) {
    memset(&old, 0, sizeof old);
    old.dl_tensor = source;
    if (has_deleter) old.deleter = delete_old;
    rc = TVMFFITensorFromDLPack(&old, alignment, how & 8, &tensor);
  } else {
    memset(&versioned, 0, sizeof versioned);
    versioned.version.major = (how & 16) != 0 ? fuzz_byte(&in) : 1;
    versioned.version.minor = fuzz_byte(&in);
    versioned.flags = fuzz_byte(&in);
    versioned.dl_tensor = source;
    if (has_deleter) versioned.deleter = delete_versioned;
    rc = TVMFFITensorFromDLPackVersioned(&versioned, alignment, how & 8, &tensor);
    if (rc == 0) fuzz_require(versioned.version.major == 1);
  }
  if (fuzz_checked(rc) == 0) {
    uintptr_t address;
    fuzz_require(source.ndim >= 0);
    check_tensor(TVMFFITensorGetDLTensorPtr(tensor), &source);
    address = (uintptr_t)source.data + (uintptr_t)source.byte_offset;
    /* Of other devices, data may be a handle and no address. */
    if (alignment > 0 && source.device.device_type == kDLCPU) {
      fuzz_require(address % (uintptr_t)alignment == 0);
    }
    fuzz_require(num_deleted == 0);
    use(tensor, &prototype);
    fuzz_require(num_deleted == 0);
    TVMFFIObjectDecRef(tensor);
    fuzz_require(num_deleted == has_deleter);
  } else {
    fuzz_require(num_deleted == 0);
  }
  fuzz_end();
  return 0;
}
