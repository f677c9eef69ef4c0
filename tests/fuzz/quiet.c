/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"
#include "value/layout.h"
#include "value/tensor.h"

int quiet_num_reports;
const uint8_t *quiet_file;
size_t quiet_file_size;
uint8_t *quiet_written;
size_t quiet_written_size;

/* ---- base/report.h ---- */

/* Formats the text all the same, for a sanitizer to see what is read. */
static void count(const char *format, va_list values) {
  text_buf line = {NULL, 0, 0};
  text_add_list(&line, format, values);
  text_free(&line);
  ++quiet_num_reports;
}

void report_error_line(const char *format, ...) {
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

void report_set_archive(const char *folder, const char *archive) {
  (void)folder;
  (void)archive;
}

text_buf report_name_members(const char *text, size_t size) {
  text_buf out = {NULL, 0, 0};
  text_add_bytes(&out, text, size);
  return out;
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

void runtime_error_report(const char *speaker, bool with_backtrace) {
  (void)speaker;
  (void)with_backtrace;
  free(runtime_error_take_message());
  ++quiet_num_reports;
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

char *tool_read_regular_file(const char *path, file_links links, size_t *out_size) {
  (void)links;
  return tool_read_file(path, out_size);
}

bool tool_write_file(const char *path, const void *bytes, size_t size) {
  (void)path;
  free(quiet_written);
  quiet_written = malloc(size + 1);
  if (quiet_written == NULL) abort();
  memcpy(quiet_written, bytes, size);
  quiet_written_size = size;
  return true;
}

bool file_reader_open(const char *path, file_reader *out) {
  memset(out, 0, sizeof *out);
  out->path = path;
  out->bytes = tool_read_file(path, &out->size);
  return true;
}

bool file_reader_open_regular(const char *path, file_links links, file_reader *out) {
  (void)links;
  return file_reader_open(path, out);
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

/* ---- value/layout.h: memory ---- */

memory_block *memory_new(size_t size, size_t misaligned, tensor_guard guard, memory_kind kind) {
  enum { kMaxBytes = 1 << 16, kMargin = kMemoryAlignment };
  memory_block *block = size <= kMaxBytes ? malloc(sizeof *block) : NULL;
  if (block == NULL) {
    tvm_ffi_error_raise_memory();
    return NULL;
  }
  block->size = size;
  block->low = calloc(1, size + misaligned + 2 * kMargin);
  if (block->low == NULL) abort();
  block->high = block->low + size + misaligned + 2 * kMargin;
  block->begin = block->low + kMargin + (guard == kGuardNone ? misaligned : 0);
  block->pages = NULL;
  block->kind = kind;
  block->references = 1;
  return block;
}

bool memory_protect(memory_block *block, memory_access access) {
  (void)block;
  (void)access;
  return true;
}

memory_block *memory_share(memory_block *block) {
  ++block->references;
  return block;
}

void memory_release(memory_block *block) {
  if (--block->references > 0) return;
  free(block->low);
  free(block);
}

/* ---- value/tensor.h ---- */

static TVMFFIObjectHandle make(DLDataType dtype, const int64_t *shape, int32_t ndim) {
  storage *made = storage_new(dtype, shape, ndim, &kLayoutPacked);
  TVMFFIObjectHandle out = made != NULL ? storage_make_object(made) : NULL;
  storage_free(made);
  return out;
}

TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim) {
  return make(dtype, shape, ndim);
}

TVMFFIObjectHandle tensor_copy(const DLTensor *tensor) {
  TVMFFIObjectHandle out = make(tensor->dtype, tensor->shape, tensor->ndim);
  if (out != NULL) tensor_gather(tensor, TVMFFITensorGetDLTensorPtr(out)->data);
  return out;
}

TVMFFIObjectHandle device_copy_storage(DLDevice device, const storage *s,
                                       TVMFFIObjectHandle *bytes) {
  (void)device;
  (void)s;
  (void)bytes;
  return NULL; /* no device is open */
}
