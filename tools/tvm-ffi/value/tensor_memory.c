/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "value/tensor_memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/isolate.h"
#include "value/device.h"

/* Where MAP_ANONYMOUS has another name. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static int allocate(void *context, DLTensor *tensor, size_t size) {
  void *block;
  (void)context;
  if (size > SIZE_MAX - 64 || posix_memalign(&block, 64, size > 0 ? size : 1) != 0) {
    tvm_ffi_error_raise_memory();
    return -1;
  }
  tensor->data = memset(block, 0, size);
  return 0;
}

static void release(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
}

/* ---- Guarded memory ----------------------------------------------------------------------------
 */

/* What a crash inside a guarded mapping means, written down before. */
typedef struct guarded {
  struct guarded *next;
  char *begin, *middle, *end;
  char before[80], after[80];
} guarded;

static guarded *volatile all_guarded;

static void explain_crash(int signal_number, siginfo_t *info, void *context) {
  const char *at = info->si_addr;
  const guarded *one;
  (void)context;
  for (one = all_guarded; one != NULL; one = one->next) {
    if (at >= one->begin && at < one->end)
      isolate_note(at < one->middle ? one->before : one->after);
  }
  signal(signal_number, SIG_DFL); /* and crash again */
}

static void note_guarded(char *begin, char *end, char *data, size_t size) {
  guarded *one = tool_alloc(sizeof *one);
  one->next = all_guarded;
  one->begin = begin;
  one->middle = data;
  one->end = end;
  snprintf(one->before, sizeof one->before, "it reached before a tensor of %zu bytes", size);
  snprintf(one->after, sizeof one->after, "it reached beyond a tensor of %zu bytes", size);
  if (all_guarded == NULL) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = explain_crash;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
  }
  all_guarded = one;
}

/* One page that cannot be accessed, pages with the data, another such page. The mapping stays: a
 * function that uses a tensor later than it may is caught for ever. */
static int allocate_guarded(void *context, DLTensor *tensor, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), middle;
  char *block, *data;
  if (size > SIZE_MAX / 2) return tvm_ffi_error_raise_memory(), -1;
  middle = (size + page - 1) / page * page;
  block = mmap(NULL, middle + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return tvm_ffi_error_raise_memory(), -1;
  if (middle > 0 && mprotect(block + page, middle, PROT_READ | PROT_WRITE) != 0) {
    munmap(block, middle + 2 * page);
    return tvm_ffi_error_raise_memory(), -1;
  }
  data = block + page + (*(const tensor_guard *)context == kGuardEnd ? middle - size : 0);
  note_guarded(block, block + middle + 2 * page, data, size);
  tensor->data = data;
  return 0;
}

/* ---- Tensors ------------------------------------------------------------------------------------
 */

TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim,
                              tensor_guard guard) {
  tvm_ffi_tensor_allocator how = {allocate, release, NULL};
  TVMFFIObjectHandle out = NULL;
  if (guard != kGuardNone) {
    how.allocate = allocate_guarded;
    how.release = NULL;
    how.context = &guard;
  }
  if (tvm_ffi_tensor_create_with(&how, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim, shape, &out) !=
      0) {
    return NULL;
  }
  return out;
}

/* Whether its elements are where tensor_copy can read them. */
static bool is_readable(const DLTensor *tensor) {
  int device = (int)tensor->device.device_type;
  return device == kDLCPU || device == kDLCUDAHost || device == kDLROCMHost ||
         device_is_open(tensor->device);
}

static void gather(const DLTensor *from, const DLTensor *to, size_t item) {
  int64_t count = tvm_ffi_tensor_get_numel(from), i, offset = 0;
  int64_t *index = calloc((size_t)from->ndim + 1, sizeof *index);
  const char *data = tvm_ffi_tensor_get_data(from);
  int32_t d;
  if (index == NULL) return;
  for (i = 0; i < count; ++i) {
    memcpy((char *)to->data + (size_t)i * item, data + offset * (int64_t)item, item);
    for (d = from->ndim - 1; d >= 0; --d) {
      offset += from->strides[d];
      if (++index[d] < from->shape[d]) break;
      offset -= index[d] * from->strides[d];
      index[d] = 0;
    }
  }
  free(index);
}

TVMFFIObjectHandle tensor_copy(const DLTensor *tensor) {
  TVMFFIObjectHandle out;
  DLTensor *to;
  size_t size = 0;
  bool on_device = device_is_open(tensor->device);
  if (!is_readable(tensor)) {
    char device[48];
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor on %s cannot be read here",
                        tvm_ffi_device_print(tensor->device, device, sizeof device));
    return NULL;
  }
  if (!tvm_ffi_tensor_is_contiguous(tensor) &&
      (on_device || tvm_ffi_dtype_get_bits(tensor->dtype) % 8 != 0)) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a strided tensor %s cannot be read",
                        on_device ? "on a device" : "of elements without whole bytes");
    return NULL;
  }
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) return NULL;
  if (tensor->data == NULL && size > 0) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "a tensor without data cannot be read");
    return NULL;
  }
  out = tensor_new(tensor->dtype, tensor->shape, tensor->ndim, kGuardNone);
  if (out == NULL || size == 0) return out;
  to = TVMFFITensorGetDLTensorPtr(out);
  if (on_device) {
    if (device_copy_from(tensor, to->data, size) == 0) return out;
    TVMFFIObjectDecRef(out);
    return NULL;
  }
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    memcpy(to->data, tvm_ffi_tensor_get_data(tensor), size);
  } else {
    gather(tensor, to, (size_t)tvm_ffi_dtype_get_bytes(tensor->dtype));
  }
  return out;
}
