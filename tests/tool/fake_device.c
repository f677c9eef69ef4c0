/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for ext_dev:0, whose memory has handles and no addresses, and a kernel for it.
 * FAKE_DEVICE names what is wrong with it. */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/device_plugin.h>

enum { kMaxBlocks = 64, kMaxBytes = 1 << 20 };

static struct {
  char *bytes;
  size_t size;
} blocks[kMaxBlocks]; /* a handle is its number + 1 */
static int queue;     /* the stream is its address */
static bool has_launched;

static bool fails(const char *deed) {
  const char *wrong = getenv("FAKE_DEVICE");
  return wrong != NULL && strcmp(wrong, deed) == 0;
}

/* The bytes behind a handle; NULL with an error raised. */
static char *find(const void *data, uint64_t offset, size_t size) {
  const size_t i = (size_t)(uintptr_t)data - 1;
  if (i < kMaxBlocks && blocks[i].bytes != NULL && offset <= blocks[i].size &&
      size <= blocks[i].size - offset) {
    return blocks[i].bytes + offset;
  }
  (void)tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "no such memory");
  return NULL;
}

static int open_stream(int32_t device_id, TVMFFIStreamHandle *out) {
  if (device_id != 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "there is no device %d", (int)device_id);
  }
  *out = &queue;
  return 0;
}

static int allocate(int32_t device_id, TVMFFIStreamHandle stream, size_t size, void **out) {
  size_t i = 0;
  (void)device_id;
  (void)stream;
  if (fails("allocate")) return 0;
  if (fails("full") && blocks[0].bytes != NULL) return tvm_ffi_error_raise("MemoryError", "full");
  if (size > kMaxBytes) return tvm_ffi_error_raise("MemoryError", "%zu bytes are too many", size);
  while (i < kMaxBlocks && blocks[i].bytes != NULL) ++i;
  blocks[i].bytes = calloc(1, size);
  blocks[i].size = size;
  *out = (void *)(uintptr_t)(i + 1);
  return 0;
}

static void release(int32_t device_id, TVMFFIStreamHandle stream, void *data) {
  (void)device_id;
  (void)stream;
  free(blocks[(size_t)(uintptr_t)data - 1].bytes);
  blocks[(size_t)(uintptr_t)data - 1].bytes = NULL;
}

static int copy_in(int32_t device_id, TVMFFIStreamHandle stream, void *data, uint64_t offset,
                   const void *source, size_t size) {
  char *bytes = find(data, offset, size);
  (void)device_id;
  (void)stream;
  if (fails("copy_in")) return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "the bus is out");
  if (bytes == NULL) return -1;
  memcpy(bytes, source, size);
  return 0;
}

static int copy_out(int32_t device_id, TVMFFIStreamHandle stream, const void *data, uint64_t offset,
                    void *dest, size_t size) {
  const char *bytes = find(data, offset, size);
  (void)device_id;
  (void)stream;
  if (bytes == NULL) return -1;
  if (fails("copy_out")) return 7; /* and nothing raised */
  memcpy(dest, bytes, size);
  return 0;
}

static int wait_for(int32_t device_id, TVMFFIStreamHandle stream) {
  (void)device_id;
  (void)stream;
  if (has_launched && fails("wait")) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "a kernel failed");
  }
  return 0;
}

static tvm_ffi_device_plugin plugin = {TVM_FFI_C_DEVICE_PLUGIN_VERSION,
                                       kDLExtDev,
                                       open_stream,
                                       allocate,
                                       release,
                                       copy_in,
                                       copy_out,
                                       wait_for};

/* As TVM_FFI_C_DEVICE_PLUGIN defines it, with faults. */
TVM_FFI_C_EXPORT(tvm_ffi_device_plugin, "() -> void*") {
  if (fails("crash")) abort();
  if (fails("raise")) return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "no licence");
  if (fails("null")) return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(NULL));
  if (fails("number")) return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(5));
  if (fails("version")) plugin.version = 2;
  if (fails("type")) plugin.device_type = kDLVPI;
  if (fails("no stream")) plugin.stream = NULL;
  if (fails("no allocate")) plugin.allocate = NULL;
  if (fails("no release")) plugin.release = NULL;
  if (fails("no copy_in")) plugin.copy_in = NULL;
  if (fails("no copy_out")) plugin.copy_out = NULL;
  if (fails("no wait")) plugin.wait = NULL;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(&plugin));
}

/* y = 2 * x, of contiguous float32, on the device. */
TVM_FFI_C_EXPORT(twice, "(0: DLTensor*, 1: DLTensor*) -> void") {
  DLTensor *x, *y;
  TVMFFIStreamHandle stream;
  void *x_data, *y_data;
  float *from, *to;
  uint64_t x_offset, y_offset;
  size_t count, i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLExtDev));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_env_read_stream(x, &stream));
  if (stream != &queue) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "it is another stream");
  count = (size_t)tvm_ffi_tensor_get_numel(x);
  x_data = tvm_ffi_tensor_get_handle(x, &x_offset);
  y_data = tvm_ffi_tensor_get_handle(y, &y_offset);
  from = (float *)(void *)find(x_data, x_offset, 4 * count);
  to = (float *)(void *)find(y_data, y_offset, 4 * count);
  if (from == NULL || to == NULL) return -1;
  for (i = 0; i < count; ++i) to[i] = 2 * from[i];
  has_launched = true;
  return 0;
}
