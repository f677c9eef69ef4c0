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

static void delete_source(source *from) {
  const saved_line saved = begin_event();
  say("deleted source %d", from->number);
  end_event(saved);
  free(from);
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

static void release_export(export *from) {
  const export old = *from;
  from->plain = NULL;
  from->versioned = NULL;
  if (old.plain != NULL && old.plain->deleter != NULL) old.plain->deleter(old.plain);
  if (old.versioned != NULL && old.versioned->deleter != NULL) {
    old.versioned->deleter(old.versioned);
  }
}

void release_exports(void) {
  int i;
  for (i = 0; i < kNumExports; ++i) release_export(&exports[i]);
}

static void say_export(const export *from) {
  if (from->plain != NULL) {
    say("plain ");
    say_tensor(&from->plain->dl_tensor);
  } else if (from->versioned != NULL) {
    say("version %" PRIu32 " flags %" PRIu64 " ", from->versioned->version.major,
        from->versioned->flags);
    say_tensor(&from->versioned->dl_tensor);
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

static bool read_prototype(const operands *from, int at, prototype *out) {
  DLTensor *tensor = &out->tensor;
  int64_t code, bits, lanes, offset, data = 0;
  int32_t device_type, device_id, num_strides;
  const bool has_strides = !(at + 1 < from->count && strcmp(from->items[at + 1].text, "-") == 0);
  const bool has_data = !(at + 8 < from->count && strcmp(from->items[at + 8].text, "-") == 0);
  memset(out, 0, sizeof *out);
  if (!read_list(from, at, out->shape, &tensor->ndim)) return false;
  if (has_strides) {
    if (!read_list(from, at + 1, out->strides, &num_strides)) return false;
    if (num_strides != tensor->ndim) return skip("shape and strides differ in length");
  }
  if (!read_int(from, at + 2, 0, 255, &code) || !read_int(from, at + 3, 0, 255, &bits) ||
      !read_int(from, at + 4, 0, 65535, &lanes) || !read_int32(from, at + 5, &device_type) ||
      !read_int32(from, at + 6, &device_id) || !read_int(from, at + 7, 0, 4096, &offset) ||
      (has_data && !read_int(from, at + 8, 0, kAlignment, &data))) {
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
static void make_source(const operands *from) {
  prototype read;
  int64_t is_versioned, flags, major, has_deleter;
  const int at = 1 + kNumTensorOperands;
  source *made;
  int to;
  if (!read_register(from, 0, 'x', kNumExports, &to) || !read_prototype(from, 1, &read) ||
      !read_int(from, at, 0, 1, &is_versioned) || !read_int(from, at + 1, 0, 7, &flags) ||
      !read_int(from, at + 2, 0, 99, &major) || !read_int(from, at + 3, 0, 1, &has_deleter)) {
    return;
  }
  release_export(&exports[to]);
  made = new_source(&read.tensor);
  made->versioned.flags = (uint64_t)flags;
  made->versioned.version.major = (uint32_t)major;
  if (!has_deleter) {
    made->plain.deleter = NULL;
    made->versioned.deleter = NULL;
  }
  exports[to].plain = is_versioned ? NULL : &made->plain;
  exports[to].versioned = is_versioned ? &made->versioned : NULL;
  say("source %d ", made->number);
  say_export(&exports[to]);
}

/* from_dlpack v x alignment contiguous */
static void import_tensor(const operands *from) {
  TVMFFIObjectHandle obj = NULL;
  int32_t alignment, contiguous;
  int to, at, rc;
  export *of;
  if (!read_register(from, 0, 'v', kNumValues, &to) ||
      !read_register(from, 1, 'x', kNumExports, &at) || !read_int32(from, 2, &alignment) ||
      !read_int32(from, 3, &contiguous)) {
    return;
  }
  of = &exports[at];
  if (of->plain == NULL && of->versioned == NULL) {
    skip("nothing to import");
    return;
  }
  if (alignment < 0 || alignment > kAlignment || (alignment & (alignment - 1)) != 0) {
    skip("an alignment that depends on where the buffer is");
    return;
  }
  if (of->plain != NULL) {
    rc = api.TVMFFITensorFromDLPack(of->plain, alignment, contiguous, &obj);
  } else {
    rc = api.TVMFFITensorFromDLPackVersioned(of->versioned, alignment, contiguous, &obj);
  }
  if (rc == 0) {
    of->plain = NULL;
    of->versioned = NULL;
  }
  give_object(rc, to, obj);
}

/* to_dlpack x v is_versioned */
static void export_tensor(const operands *from) {
  export made = {NULL, NULL};
  TVMFFIObject *tensor;
  int64_t is_versioned;
  int to, rc;
  if (!read_register(from, 0, 'x', kNumExports, &to) ||
      !read_object(from, 1, kTVMFFITensor, &tensor) || !read_int(from, 2, 0, 1, &is_versioned)) {
    return;
  }
  rc = is_versioned ? api.TVMFFITensorToDLPackVersioned(tensor, &made.versioned)
                    : api.TVMFFITensorToDLPack(tensor, &made.plain);
  if (rc != 0) {
    say_failure(rc);
    return;
  }
  release_export(&exports[to]);
  exports[to] = made;
  say_export(&made);
}

static void show_export(const operands *from) {
  int at;
  if (read_register(from, 0, 'x', kNumExports, &at)) say_export(&exports[at]);
}

static void drop_export(const operands *from) {
  int at;
  if (!read_register(from, 0, 'x', kNumExports, &at)) return;
  release_export(&exports[at]);
  say("dropped");
}

/* view v source <tensor> */
static void make_view(const operands *from) {
  TVMFFIObjectHandle obj = NULL;
  TVMFFIObject *of;
  prototype read;
  int to, rc;
  if (!read_register(from, 0, 'v', kNumValues, &to) || !read_object(from, 1, kTVMFFIObject, &of) ||
      !read_prototype(from, 2, &read)) {
    return;
  }
  if (read.tensor.ndim > 0 && read.tensor.strides == NULL) {
    skip("a view wants strides");
    return;
  }
  rc = api.TVMFFITensorCreateUnsafeView(of, &read.tensor, &obj);
  give_object(rc, to, obj);
}

/* ---- The allocator ---- */

typedef void (*raise_function)(void *error_ctx, const char *kind, const char *message);

static void say_allocation(const char *who, const DLTensor *wanted) {
  const saved_line saved = begin_event();
  say("%s asked for %d,%d,%d on %d:%" PRId32 " ", who, wanted->dtype.code, wanted->dtype.bits,
      wanted->dtype.lanes, (int)wanted->device.device_type, wanted->device.device_id);
  say_list(wanted->shape, wanted->ndim);
  end_event(saved);
}

static int allocate(const char *who, DLTensor *wanted, int64_t *strides, uint64_t flags,
                    DLManagedTensorVersioned **out) {
  DLTensor tensor = *wanted;
  source *made;
  say_allocation(who, wanted);
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

static void say_allocator(DLPackManagedTensorAllocator which) {
  int i;
  for (i = 0; i < kNumAllocators; ++i) {
    if (allocators[i] == which) say("allocator %d", i);
  }
}

/* set_allocator which is_global */
static void set_allocator(const operands *from) {
  DLPackManagedTensorAllocator original = NULL;
  int64_t which, is_global;
  int rc;
  if (!read_int(from, 0, 0, kNumAllocators - 1, &which) || !read_int(from, 1, 0, 1, &is_global)) {
    return;
  }
  rc = api.TVMFFIEnvSetDLPackManagedTensorAllocator(allocators[which], (int)is_global, &original);
  if (rc != 0) say_failure(rc);
  if (rc == 0) say_allocator(original);
}

static void get_allocator(const operands *from) {
  (void)from;
  say_allocator(api.TVMFFIEnvGetDLPackManagedTensorAllocator());
}

/* alloc v <tensor> */
static void allocate_tensor(const operands *from) {
  TVMFFIObjectHandle obj = NULL;
  prototype read;
  int to, rc;
  if (!read_register(from, 0, 'v', kNumValues, &to) || !read_prototype(from, 1, &read)) return;
  rc = api.TVMFFIEnvTensorAlloc(&read.tensor, &obj);
  give_object(rc, to, obj);
}

const operation tensor_operations[] = {
    {"source", make_source},          {"from_dlpack", import_tensor},
    {"to_dlpack", export_tensor},     {"show_dlpack", show_export},
    {"drop_dlpack", drop_export},     {"view", make_view},
    {"set_allocator", set_allocator}, {"get_allocator", get_allocator},
    {"alloc", allocate_tensor},       {NULL, NULL},
};
