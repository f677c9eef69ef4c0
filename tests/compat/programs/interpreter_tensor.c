/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on tensors: DLPack sources, imports, exports, views, and the tensor allocator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

enum { kAlignment = 64 };

/* Data pointers point into this buffer; nothing reads or writes it. */
static char *get_buffer(void) {
  static char space[4 * kAlignment];
  return space + kAlignment - (uintptr_t)space % kAlignment;
}

void say_tensor(const DLTensor *tensor) {
  say("%d,%d,%d on %d:%" PRId32 " ", tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes,
      (int)tensor->device.device_type, tensor->device.device_id);
  say("ndim %" PRId32 " ", tensor->ndim);
  say_list(tensor->shape, tensor->ndim);
  say(" strides ");
  /* With zero dimensions, non-NULL strides are equivalent to NULL. */
  say_list(tensor->ndim == 0 ? tensor->shape : tensor->strides, tensor->ndim);
  say(" offset %" PRIu64, tensor->byte_offset);
  if (tensor->data == NULL) say(" no data");
  if (tensor->data != NULL) say(" data+%d", (int)((char *)tensor->data - get_buffer()));
}

/* ---- Sources ---- */

typedef struct {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  int64_t shape[kMaxDims], strides[kMaxDims];
  int number;
} source;

static int num_sources;

static void delete_source(source *dead) {
  const saved_line saved = begin_event();
  say("deleted source %d", dead->number);
  end_event(saved);
  free(dead);
}

static void delete_plain(DLManagedTensor *self) {
  delete_source(self->manager_ctx);
}
static void delete_versioned(DLManagedTensorVersioned *self) {
  delete_source(self->manager_ctx);
}

static source *new_source(const DLTensor *tensor) {
  source *made = calloc(1, sizeof *made);
  DLTensor *copy;
  if (made == NULL) abort();
  made->number = num_sources++;
  copy = &made->plain.dl_tensor;
  *copy = *tensor;
  if (tensor->ndim > 0) memcpy(made->shape, tensor->shape, (size_t)tensor->ndim * sizeof(int64_t));
  if (tensor->ndim > 0 && tensor->strides != NULL) {
    memcpy(made->strides, tensor->strides, (size_t)tensor->ndim * sizeof(int64_t));
  }
  copy->shape = made->shape;
  copy->strides = tensor->strides != NULL ? made->strides : NULL;
  made->plain.manager_ctx = made;
  made->plain.deleter = delete_plain;
  made->versioned.version.major = DLPACK_MAJOR_VERSION;
  made->versioned.version.minor = DLPACK_MINOR_VERSION;
  made->versioned.manager_ctx = made;
  made->versioned.deleter = delete_versioned;
  made->versioned.dl_tensor = *copy;
  return made;
}

/* ---- Registers of DLPack tensors ---- */

typedef struct {
  DLManagedTensor *plain;
  DLManagedTensorVersioned *versioned; /* at most one of the two */
} export;
static export exports[kNumExports];

static void release_export(export *item) {
  const export old = *item;
  item->plain = NULL;
  item->versioned = NULL;
  if (old.plain != NULL && old.plain->deleter != NULL) old.plain->deleter(old.plain);
  if (old.versioned != NULL && old.versioned->deleter != NULL) {
    old.versioned->deleter(old.versioned);
  }
}

void release_exports(void) {
  int i;
  for (i = 0; i < kNumExports; ++i) release_export(&exports[i]);
}

static void say_export(const export *item) {
  if (item->plain != NULL) {
    say("plain ");
    say_tensor(&item->plain->dl_tensor);
  } else if (item->versioned != NULL) {
    say("version %" PRIu32 " flags %" PRIu64 " ", item->versioned->version.major,
        item->versioned->flags);
    say_tensor(&item->versioned->dl_tensor);
  } else {
    say("nothing");
  }
}

/* Shape, strides (- for none), dtype, device, byte offset, offset of the data (- for none). */
enum { kNumTensorOperands = 9 };
typedef struct {
  DLTensor tensor;
  int64_t shape[kMaxDims], strides[kMaxDims];
} prototype;

static bool read_prototype(const operands *inputs, int position, prototype *out) {
  DLTensor *tensor = &out->tensor;
  int64_t code, bits, lanes, offset, data = 0;
  int32_t device_type, device_id, num_strides;
  const bool has_strides =
      !(position + 1 < inputs->count && strcmp(inputs->items[position + 1].text, "-") == 0);
  const bool has_data =
      !(position + 8 < inputs->count && strcmp(inputs->items[position + 8].text, "-") == 0);
  memset(out, 0, sizeof *out);
  if (!read_list(inputs, position, out->shape, &tensor->ndim)) return false;
  if (has_strides) {
    if (!read_list(inputs, position + 1, out->strides, &num_strides)) return false;
    if (num_strides != tensor->ndim) return skip("shape and strides differ in length");
  }
  if (!read_int(inputs, position + 2, 0, 255, &code) ||
      !read_int(inputs, position + 3, 0, 255, &bits) ||
      !read_int(inputs, position + 4, 0, 65535, &lanes) ||
      !read_int32(inputs, position + 5, &device_type) ||
      !read_int32(inputs, position + 6, &device_id) ||
      !read_int(inputs, position + 7, 0, 4096, &offset) ||
      (has_data && !read_int(inputs, position + 8, 0, kAlignment, &data))) {
    return false;
  }
  tensor->dtype.code = (uint8_t)code;
  tensor->dtype.bits = (uint8_t)bits;
  tensor->dtype.lanes = (uint16_t)lanes;
  tensor->device = TVMFFIDLDeviceFromIntPair(device_type, device_id);
  tensor->byte_offset = (uint64_t)offset;
  tensor->shape = out->shape;
  tensor->strides = has_strides ? out->strides : NULL;
  tensor->data = has_data ? get_buffer() + data : NULL;
  return true;
}

/* source x <tensor> is_versioned flags major has_deleter */
static void make_source(const operands *inputs) {
  prototype read;
  int64_t is_versioned, flags, major, has_deleter;
  const int position = 1 + kNumTensorOperands;
  source *made;
  int target;
  if (!read_register(inputs, 0, 'x', kNumExports, &target) || !read_prototype(inputs, 1, &read) ||
      !read_int(inputs, position, 0, 1, &is_versioned) ||
      !read_int(inputs, position + 1, 0, 7, &flags) ||
      !read_int(inputs, position + 2, 0, 99, &major) ||
      !read_int(inputs, position + 3, 0, 1, &has_deleter)) {
    return;
  }
  release_export(&exports[target]);
  made = new_source(&read.tensor);
  made->versioned.flags = (uint64_t)flags;
  made->versioned.version.major = (uint32_t)major;
  if (!has_deleter) {
    made->plain.deleter = NULL;
    made->versioned.deleter = NULL;
  }
  exports[target].plain = is_versioned ? NULL : &made->plain;
  exports[target].versioned = is_versioned ? &made->versioned : NULL;
  say("source %d ", made->number);
  say_export(&exports[target]);
}

/* from_dlpack v x alignment contiguous */
static void import_tensor(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  int32_t alignment, contiguous;
  int target, number, rc;
  export *held;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_register(inputs, 1, 'x', kNumExports, &number) || !read_int32(inputs, 2, &alignment) ||
      !read_int32(inputs, 3, &contiguous)) {
    return;
  }
  held = &exports[number];
  if (held->plain == NULL && held->versioned == NULL) {
    skip("nothing to import");
    return;
  }
  if (alignment < 0 || alignment > kAlignment || (alignment & (alignment - 1)) != 0) {
    skip("an alignment that depends on where the buffer is");
    return;
  }
  if (held->plain != NULL) {
    rc = api.TVMFFITensorFromDLPack(held->plain, alignment, contiguous, &obj);
  } else {
    rc = api.TVMFFITensorFromDLPackVersioned(held->versioned, alignment, contiguous, &obj);
  }
  if (rc == 0) {
    held->plain = NULL;
    held->versioned = NULL;
  }
  give_object(rc, target, obj);
}

/* to_dlpack x v is_versioned */
static void export_tensor(const operands *inputs) {
  export made = {NULL, NULL};
  TVMFFIObject *tensor;
  int64_t is_versioned;
  int target, rc;
  if (!read_register(inputs, 0, 'x', kNumExports, &target) ||
      !read_object(inputs, 1, kTVMFFITensor, &tensor) ||
      !read_int(inputs, 2, 0, 1, &is_versioned)) {
    return;
  }
  rc = is_versioned ? api.TVMFFITensorToDLPackVersioned(tensor, &made.versioned)
                    : api.TVMFFITensorToDLPack(tensor, &made.plain);
  if (rc != 0) {
    say_failure(rc);
    return;
  }
  release_export(&exports[target]);
  exports[target] = made;
  say_export(&made);
}

static void show_export(const operands *inputs) {
  int number;
  if (read_register(inputs, 0, 'x', kNumExports, &number)) say_export(&exports[number]);
}

static void drop_export(const operands *inputs) {
  int number;
  if (!read_register(inputs, 0, 'x', kNumExports, &number)) return;
  release_export(&exports[number]);
  say("dropped");
}

/* view v source <tensor> */
static void make_view(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  TVMFFIObject *owner;
  prototype read;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_object(inputs, 1, kTVMFFIObject, &owner) || !read_prototype(inputs, 2, &read)) {
    return;
  }
  if (read.tensor.ndim > 0 && read.tensor.strides == NULL) {
    skip("a view wants strides");
    return;
  }
  rc = api.TVMFFITensorCreateUnsafeView(owner, &read.tensor, &obj);
  give_object(rc, target, obj);
}

/* ---- The allocator ---- */

typedef void (*raise_function)(void *error_ctx, const char *kind, const char *message);

static void say_allocation(const char *name, const DLTensor *wanted) {
  const saved_line saved = begin_event();
  say("%s asked for %d,%d,%d on %d:%" PRId32 " ", name, wanted->dtype.code, wanted->dtype.bits,
      wanted->dtype.lanes, (int)wanted->device.device_type, wanted->device.device_id);
  say_list(wanted->shape, wanted->ndim);
  end_event(saved);
}

static int allocate(const char *name, DLTensor *wanted, int64_t *strides, uint64_t flags,
                    DLManagedTensorVersioned **out) {
  DLTensor tensor = *wanted;
  source *made;
  say_allocation(name, wanted);
  tensor.strides = strides;
  tensor.data = get_buffer();
  tensor.byte_offset = 0;
  made = new_source(&tensor);
  made->versioned.flags = flags;
  *out = &made->versioned;
  return 0;
}

static int allocate_compact(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                            raise_function raise) {
  (void)error_ctx;
  (void)raise;
  return allocate("compact", wanted, NULL, 0, out);
}

static int allocate_strided(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                            raise_function raise) {
  static int64_t strides[kMaxDims] = {64, 32, 16, 8, 4, 2};
  (void)error_ctx;
  (void)raise;
  return allocate("strided", wanted, strides, 0, out);
}

static int allocate_with_error(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                               raise_function raise) {
  (void)out;
  say_allocation("raising", wanted);
  raise(error_ctx, "MemoryError", "the allocator has nothing left");
  return -1;
}

static int allocate_with_code(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                              raise_function raise) {
  (void)out;
  say_allocation("failing", wanted);
  raise(error_ctx, "RuntimeError", "code");
  return 3;
}

static int allocate_nothing(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                            raise_function raise) {
  (void)error_ctx;
  (void)raise;
  say_allocation("empty", wanted);
  *out = NULL;
  return 0;
}

static int fail_silently(DLTensor *wanted, DLManagedTensorVersioned **out, void *error_ctx,
                         raise_function raise) {
  (void)out;
  (void)error_ctx;
  (void)raise;
  say_allocation("silent", wanted);
  return -1;
}

static const DLPackManagedTensorAllocator allocators[] = {NULL,
                                                          allocate_compact,
                                                          allocate_strided,
                                                          allocate_with_error,
                                                          allocate_with_code,
                                                          allocate_nothing,
                                                          fail_silently};
enum { kNumAllocators = sizeof allocators / sizeof *allocators };

static void say_allocator(DLPackManagedTensorAllocator choice) {
  int i;
  for (i = 0; i < kNumAllocators; ++i) {
    if (allocators[i] == choice) say("allocator %d", i);
  }
}

/* set_allocator which is_global */
static void set_allocator(const operands *inputs) {
  DLPackManagedTensorAllocator original = NULL;
  int64_t choice, is_global;
  int rc;
  if (!read_int(inputs, 0, 0, kNumAllocators - 1, &choice) ||
      !read_int(inputs, 1, 0, 1, &is_global)) {
    return;
  }
  rc = api.TVMFFIEnvSetDLPackManagedTensorAllocator(allocators[choice], (int)is_global, &original);
  if (rc != 0) say_failure(rc);
  if (rc == 0) say_allocator(original);
}

static void get_allocator(const operands *inputs) {
  (void)inputs;
  say_allocator(api.TVMFFIEnvGetDLPackManagedTensorAllocator());
}

/* alloc v <tensor> */
static void allocate_tensor(const operands *inputs) {
  TVMFFIObjectHandle obj = NULL;
  prototype read;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) || !read_prototype(inputs, 1, &read))
    return;
  rc = api.TVMFFIEnvTensorAlloc(&read.tensor, &obj);
  give_object(rc, target, obj);
}

const operation tensor_operations[] = {
    {"source", make_source},          {"from_dlpack", import_tensor},
    {"to_dlpack", export_tensor},     {"show_dlpack", show_export},
    {"drop_dlpack", drop_export},     {"view", make_view},
    {"set_allocator", set_allocator}, {"get_allocator", get_allocator},
    {"alloc", allocate_tensor},       {NULL, NULL},
};
