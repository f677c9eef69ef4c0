/* SPDX-License-Identifier: Apache-2.0 */
#include "quiet.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"
#include "value/tensor.h"

int quiet_num_reports;
const uint8_t *quiet_file;
size_t quiet_file_size;

/* ---- base/report.h ---- */

/* Formats the text all the same, for a sanitizer to see what is read. */
static void count(const char *format, va_list values) {
  text_buf line = {NULL, 0, 0};
  text_add_list(&line, format, values);
  text_free(&line);
  ++quiet_num_reports;
}

void report_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  count(format, values);
  va_end(values);
}

int report_fail(int exit_code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  count(format, values);
  va_end(values);
  return exit_code;
}

void report_said(const char *speaker, const char *said, size_t size) {
  (void)speaker;
  (void)said;
  (void)size;
  ++quiet_num_reports;
}

FILE *streams_results(void) {
  return stdout;
}

char *runtime_error_take_message(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  TVMFFIByteArray message = tvm_ffi_error_get_message(error);
  char *said = tool_copy(message.data, message.size);
  tvm_ffi_object_release(error);
  return said;
}

/* ---- base/files.h ---- */

char *tool_read_file(const char *path, size_t *out_size) {
  (void)path;
  *out_size = quiet_file_size;
  return tool_copy(quiet_file_size > 0 ? (const char *)quiet_file : "", quiet_file_size);
}

char *tool_read_file_as(const char *path, const char *name, size_t *out_size) {
  (void)name;
  return tool_read_file(path, out_size);
}

bool file_reader_open(const char *path, file_reader *out) {
  memset(out, 0, sizeof *out);
  out->path = path;
  out->bytes = tool_read_file(path, &out->size);
  return true;
}

bool file_reader_fill(file_reader *reader, size_t size) {
  (void)reader;
  (void)size;
  return true;
}

bool file_reader_fill_all(file_reader *reader) {
  return file_reader_fill(reader, reader->size);
}

void file_reader_close(file_reader *reader) {
  free(reader->bytes);
  memset(reader, 0, sizeof *reader);
}

char *file_reader_take(file_reader *reader, size_t *out_size) {
  *out_size = reader->size;
  return reader->bytes;
}

/* ---- value/tensor.h ---- */

static int allocate(void *context, DLTensor *tensor, size_t size) {
  enum { kMaxBytes = 1 << 16 };
  (void)context;
  tensor->data = size <= kMaxBytes ? calloc(1, size + 1) : NULL;
  if (tensor->data != NULL) return 0;
  tvm_ffi_error_raise_memory();
  return -1;
}

static void release(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
}

TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim,
                              tensor_guard guard) {
  tvm_ffi_tensor_allocator allocator = {allocate, release, NULL};
  TVMFFIObjectHandle out = NULL;
  (void)guard;
  if (tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim, shape,
                                 &out) != 0) {
    return NULL;
  }
  return out;
}

/* Only for tensors of tensor_new, which are packed. */
TVMFFIObjectHandle tensor_copy(const DLTensor *tensor) {
  TVMFFIObjectHandle out = tensor_new(tensor->dtype, tensor->shape, tensor->ndim, kGuardNone);
  size_t size = 0;
  if (out == NULL || tvm_ffi_tensor_compute_size(tensor, &size) != 0) return out;
  memcpy(TVMFFITensorGetDLTensorPtr(out)->data, tensor->data, size);
  return out;
}
