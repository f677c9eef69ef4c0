/* SPDX-License-Identifier: Apache-2.0 */
/* A reference that is a function in Python, on NumPy: a program runs beside the tool, and answers
 * each call that a child process sends it. */
#include "probe/python.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/utf8.h"
#include "system/system.h"
#include "value/npy.h"
#include "value/number.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Values that are sent ---- */

static void put_number(text_buf *out, char tag, int64_t value) {
  text_add_bytes(out, &tag, 1);
  text_add_bytes(out, &value, sizeof value);
}

static void put_text(text_buf *out, char tag, const char *text, size_t size) {
  put_number(out, tag, (int64_t)size);
  text_add_bytes(out, text, size);
}

/* Whether the type is sent as float32, as NumPy does not know it. */
static bool is_widened(DLDataType dtype) {
  return small_float_find(dtype) != NULL && !(dtype.code == kDLFloat && dtype.bits == 16);
}

static bool refuse(const char *what) {
  tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "%s cannot be passed to Python", what);
  return false;
}

static bool put_tensor(text_buf *out, const DLTensor *tensor) {
  const DLDataType dtype = tensor->dtype;
  char name[kDtypeTextSize];
  TVMFFIObjectHandle copy;
  const DLTensor *packed;
  size_t size, count, i;
  if (dtype.lanes != 1 || element_size(dtype) == 0 || !numbers_known(dtype)) {
    return refuse(dtype_write(dtype, name));
  }
  copy = tensor_copy(tensor);
  if (copy == NULL) return false;
  packed = TVMFFITensorGetDLTensorPtr(copy);
  size = tensor_size(packed);
  count = (size_t)tvm_ffi_tensor_get_numel(packed);
  text_add(out, "a");
  if (is_widened(dtype)) {
    float *wide = tool_alloc((count + 1) * sizeof *wide);
    for (i = 0; i < count; ++i) wide[i] = (float)number_get(dtype, packed->data, i).real;
    (void)npy_write(out, TVM_FFI_C_FLOAT32, packed->shape, packed->ndim, wide,
                    count * sizeof *wide);
    free(wide);
  } else {
    (void)npy_write(out, dtype, packed->shape, packed->ndim, packed->data, size);
  }
  tvm_ffi_object_release(copy);
  return true;
}

static bool put_value(text_buf *out, const TVMFFIAny *value, int depth);

typedef struct {
  text_buf *out;
  int64_t count;
  int depth;
} pairs;

static bool put_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  pairs *p = context;
  ++p->count;
  return put_value(p->out, key, p->depth) && put_value(p->out, value, p->depth);
}

static bool put_map(text_buf *out, const TVMFFIAny *map, int depth) {
  text_buf inside = {NULL, 0, 0};
  pairs p = {&inside, 0, depth};
  const bool good = value_visit_map(map, put_pair, &p);
  if (good) put_number(out, 'm', p.count);
  if (good) text_add_bytes(out, inside.data, inside.size);
  text_free(&inside);
  return good;
}

static bool put_shape(text_buf *out, const TVMFFIShapeCell *shape) {
  size_t i;
  put_number(out, 't', (int64_t)shape->size);
  for (i = 0; i < shape->size; ++i) put_number(out, 'i', shape->data[i]);
  return true;
}

static bool put_value(text_buf *out, const TVMFFIAny *value, int depth) {
  enum { kMaxDepth = 16 };
  char name[64];
  TVMFFIByteArray bytes;
  DLTensor *tensor;
  int64_t i;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return put_tensor(out, tensor);
  if (tvm_ffi_any_try_string(value, &bytes)) {
    put_text(out, 's', bytes.data, bytes.size);
  } else if (tvm_ffi_any_try_bytes(value, &bytes)) {
    put_text(out, 'b', bytes.data, bytes.size);
  } else if (value->type_index == kTVMFFINone) {
    text_add(out, "N");
  } else if (value->type_index == kTVMFFIBool) {
    text_add(out, value->v_int64 != 0 ? "T" : "F");
  } else if (value->type_index == kTVMFFIInt || value->type_index == kTVMFFIFloat) {
    put_number(out, value->type_index == kTVMFFIInt ? 'i' : 'd', value->v_int64); /* its bits */
  } else if (value->type_index == kTVMFFIShape) {
    return put_shape(out, TVMFFIShapeGetCellPtr(value->v_obj));
  } else if (value->type_index == kTVMFFIDataType) {
    tvm_ffi_dtype_print(value->v_dtype, name, sizeof name);
    put_text(out, 's', name, strlen(name));
  } else if (value->type_index == kTVMFFIDevice) {
    tvm_ffi_device_print(value->v_device, name, sizeof name);
    put_text(out, 's', name, strlen(name));
  } else if (value_is_list(value) && depth < kMaxDepth) {
    put_number(out, 'l', tvm_ffi_array_get_size(value->v_obj));
    for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
      if (!put_value(out, tvm_ffi_array_get_data(value->v_obj) + i, depth + 1)) return false;
    }
  } else if ((value->type_index == kTVMFFIMap || value->type_index == kTVMFFIDict) &&
             depth < kMaxDepth) {
    return put_map(out, value, depth + 1);
  } else {
    return refuse(tvm_ffi_any_get_type_name(value));
  }
  return true;
}

/* ---- Values that come ---- */

typedef struct {
  const unsigned char *bytes;
  size_t size, pos;
} answer;

static bool take(answer *a, void *out, size_t size) {
  if (size > a->size - a->pos) return false;
  memcpy(out, a->bytes + a->pos, size);
  a->pos += size;
  return true;
}

/* A list of so many values begins. */
static bool take_list(answer *a, int64_t size) {
  char tag;
  int64_t got;
  return take(a, &tag, 1) && tag == 'l' && take(a, &got, sizeof got) && got == size;
}

static const char *take_text(answer *a, size_t *out_size) {
  int64_t size;
  const char *text = NULL;
  *out_size = 0;
  if (take(a, &size, sizeof size) && size >= 0 && (uint64_t)size <= a->size - a->pos) {
    text = (const char *)a->bytes + a->pos;
    a->pos += (size_t)size;
    *out_size = (size_t)size;
  }
  return text;
}

/* [own] NULL if it is not whole, or there is no memory. */
static TVMFFIObjectHandle take_array(answer *a) {
  npy_array array;
  TVMFFIObjectHandle made;
  if (npy_read(a->bytes, a->size, &a->pos, &array) != NULL) return NULL;
  if (array.dtype.code == kDLOpaqueHandle) return NULL;
  made = tensor_new(array.dtype, array.shape, array.ndim);
  if (made != NULL) npy_copy(&array, TVMFFITensorGetDLTensorPtr(made)->data);
  return made;
}

static bool take_value(answer *a, TVMFFIAny *out, int depth);

static bool take_items(answer *a, bool has_keys, TVMFFIAny *out, int depth) {
  TVMFFIObjectHandle made = NULL;
  TVMFFIAny *items = NULL;
  int64_t size = 0, i;
  size_t count = 0;
  bool good = take(a, &size, sizeof size) && size >= 0 && (uint64_t)size <= a->size;
  for (i = 0; good && i < (has_keys ? 2 * size : size); ++i) {
    items = tool_grow(items, count, sizeof *items);
    good = take_value(a, &items[count++], depth + 1);
  }
  good = good && (has_keys ? tvm_ffi_map_create(items, (int32_t)size, &made)
                           : tvm_ffi_list_create(items, (int32_t)size, &made)) == 0;
  while (count > 0) tvm_ffi_any_clear(&items[--count]);
  free(items);
  if (good) *out = tvm_ffi_any_take_object(made);
  return good;
}

static bool take_value(answer *a, TVMFFIAny *out, int depth) {
  enum { kMaxDepth = 64 };
  TVMFFIObjectHandle array;
  TVMFFIByteArray bytes;
  char tag;
  *out = tvm_ffi_any_none();
  if (depth > kMaxDepth || !take(a, &tag, 1)) return false;
  switch (tag) {
    case 'N':
      return true;
    case 'T':
    case 'F':
      *out = tvm_ffi_any_from_bool(tag == 'T');
      return true;
    case 'i':
    case 'd':
      *out = tag == 'i' ? tvm_ffi_any_from_int64(0) : tvm_ffi_any_from_double(0);
      return take(a, &out->v_int64, sizeof out->v_int64);
    case 's':
    case 'b':
      bytes.data = take_text(a, &bytes.size);
      if (bytes.data == NULL) return false;
      return (tag == 's' ? TVMFFIStringFromByteArray : TVMFFIBytesFromByteArray)(&bytes, out) == 0;
    case 'a':
      array = take_array(a);
      if (array != NULL) *out = tvm_ffi_any_take_object(array);
      return array != NULL;
    case 'l':
    case 'm':
      return take_items(a, tag == 'm', out, depth);
    default:
      return false;
  }
}

/* Gives a tensor, which is packed, the elements of an array of its type and shape. */
static bool take_output(answer *a, const DLTensor *tensor) {
  TVMFFIObjectHandle array = NULL;
  const DLTensor *got;
  unsigned char *bytes = NULL;
  const unsigned char *from;
  const size_t size = tensor_size(tensor), count = (size_t)tvm_ffi_tensor_get_numel(tensor);
  size_t i;
  char tag;
  bool good = take(a, &tag, 1) && tag == 'a' && (array = take_array(a)) != NULL;
  if (!good) return false;
  got = TVMFFITensorGetDLTensorPtr(array);
  from = got->data;
  good = tvm_ffi_tensor_has_same_shape(got, tensor) && tvm_ffi_tensor_is_contiguous(tensor);
  if (good && is_widened(tensor->dtype)) {
    good = tvm_ffi_dtype_equal(got->dtype, TVM_FFI_C_FLOAT32);
    from = bytes = tool_alloc(size + 1);
    for (i = 0; good && i < count; ++i) {
      number_set_real(tensor->dtype, bytes, i, number_get(got->dtype, got->data, i).real);
    }
  } else {
    good = good && tensor_size(got) == size;
  }
  if (good && device_is_open(tensor->device)) {
    good = device_copy_into(tensor, from, size) == 0;
  } else if (good) {
    memcpy(tvm_ffi_tensor_get_data(tensor), from, size);
  }
  free(bytes);
  tvm_ffi_object_release(array);
  return good;
}

/* ---- The program ---- */

static companion python;
static volatile bool *is_asked; /* which children set, too; NULL: there is no memory */
static char *words[6];          /* of its command line; NULL: it was not asked for */

static bool ask(const text_buf *request, text_buf *out) {
  enum { kPart = 1 << 16 };
  char bytes[kPart];
  int64_t size = request != NULL ? (int64_t)request->size : 0;
  if (request != NULL && (!companion_write(&python, &size, sizeof size) ||
                          !companion_write(&python, request->data, request->size))) {
    return false;
  }
  if (!companion_read(&python, &size, sizeof size)) return false;
  while (size > 0) {
    const size_t part = size < kPart ? (size_t)size : (size_t)kPart;
    if (!companion_read(&python, bytes, part)) return false;
    text_add_bytes(out, bytes, part);
    size -= (int64_t)part;
  }
  return out->size > 0;
}

/* Children's orphans are ended: this process is none. */
static void end_companion(void) {
  companion_end(&python);
  child_spare(0);
}

/* Its first answer says whether the file and the function are there. */
static bool start(void) {
  enum { kPatience = 60 }; /* seconds */
  text_buf said = {NULL, 0, 0};
  bool good = companion_start(words, &python);
  child_spare(python.process);
  if (!good) {
    report_error("%s: %s", words[0], strerror(errno));
  } else if (!companion_wait(&python, kPatience) || !ask(NULL, &said)) {
    good = report_error("%s: %s did not begin", words[3], words[0]);
  } else if (said.data[0] != 'T') {
    answer a = {(const unsigned char *)said.data, said.size, 1};
    size_t size;
    const char *reason = take_text(&a, &size);
    good =
        report_error("%s: %.*s", words[3], tvmffi_shown_size(size), reason != NULL ? reason : "");
  }
  text_free(&said);
  if (!good) end_companion();
  return good;
}

bool python_names_file(const char *path) {
  const size_t size = strlen(path);
  return size > 3 && strcmp(path + size - 3, ".py") == 0;
}

bool python_start(const char *file, const char *function) {
  text_buf program = {NULL, 0, 0};
  char *found = launch_find("python3");
  if (found == NULL) return report_error("%s: there is no python3 in PATH to call it", file);
  free(found); /* the name in PATH finds the packages of a virtual environment */
  text_add_lines(&program, kPythonReference);
  words[0] = tool_copy("python3", 7);
  words[1] = tool_copy("-c", 2);
  words[2] = program.data;
  words[3] = tool_copy(file, strlen(file));
  words[4] = tool_copy(function, strlen(function));
  is_asked = pages_share(sizeof *is_asked);
  return start();
}

bool python_is_ready(void) {
  return python.process != 0 && !companion_wait(&python, 0);
}

bool python_is_asked(void) {
  return is_asked == NULL || *is_asked;
}

bool python_restart(void) {
  if (is_asked != NULL) *is_asked = false;
  end_companion();
  return start();
}

void python_end(void) {
  size_t i;
  if (words[0] == NULL) return;
  end_companion();
  if (is_asked != NULL) pages_release((void *)is_asked, sizeof *is_asked);
  is_asked = NULL;
  for (i = 0; words[i] != NULL; ++i) free(words[i]);
  memset(words, 0, sizeof words);
}

/* ---- Its function ---- */

/* Three lists: what is passed, what the function is to fill, and which of the first it may change.
 */
static bool put_request(const subject *s, const TVMFFIAny *args, size_t num_args, text_buf *out) {
  text_buf passed = {NULL, 0, 0}, fills = {NULL, 0, 0}, changed = {NULL, 0, 0};
  int64_t num_passed = 0, num_fills = 0, num_changed = 0;
  bool good = true;
  size_t i;
  for (i = 0; good && i < num_args; ++i) {
    if (subject_fills(s, i)) {
      ++num_fills;
      good = put_value(&fills, &args[i], 0);
      continue;
    }
    if (s->is_output[i]) {
      ++num_changed;
      put_number(&changed, 'i', num_passed);
    }
    ++num_passed;
    good = put_value(&passed, &args[i], 0);
  }
  for (; good && i < s->inputs->size; ++i) {
    if (s->is_output[i]) good = refuse("an output inside an argument");
  }
  put_number(out, 'l', 3);
  put_number(out, 'l', num_passed);
  text_add_bytes(out, passed.data, passed.size);
  put_number(out, 'l', num_fills);
  text_add_bytes(out, fills.data, fills.size);
  put_number(out, 'l', num_changed);
  text_add_bytes(out, changed.data, changed.size);
  text_free(&passed);
  text_free(&fills);
  text_free(&changed);
  return good;
}

/* Takes those outputs that are filled, or those that are changed. */
static bool take_outputs(const subject *s, const TVMFFIAny *args, size_t num_args, bool filled,
                         answer *a) {
  int64_t count = 0;
  size_t i;
  DLTensor *tensor;
  for (i = 0; i < num_args; ++i) count += s->is_output[i] && subject_fills(s, i) == filled;
  if (!take_list(a, count)) return false;
  for (i = 0; i < num_args; ++i) {
    if (!s->is_output[i] || subject_fills(s, i) != filled) continue;
    if (!tvm_ffi_any_try_tensor(&args[i], &tensor) || !take_output(a, tensor)) return false;
  }
  return true;
}

const char kReferenceError[] = "ReferenceError";

/* An answer is true, both lists of outputs and the result; or false and an error of the function,
 * or None and what is wrong with what it returned. */
static int take_answer(const subject *s, const TVMFFIAny *args, size_t num_args,
                       const text_buf *said, TVMFFIAny *result) {
  answer a = {(const unsigned char *)said->data, said->size, 0};
  char tag = 0;
  int64_t size = 0;
  size_t text_size;
  if (!take(&a, &tag, 1) || tag != 'l' || !take(&a, &size, sizeof size) || !take(&a, &tag, 1)) {
    tag = 0;
  }
  if (tag == 'T' && take_outputs(s, args, num_args, true, &a) &&
      take_outputs(s, args, num_args, false, &a) && take_value(&a, result, 0)) {
    return 0;
  }
  if (tag == 'F' || tag == 'N') {
    const char *kind = tag == 'F' ? TVM_FFI_C_RUNTIME_ERROR : kReferenceError;
    const char *text = take(&a, &tag, 1) ? take_text(&a, &text_size) : NULL;
    return tvm_ffi_error_raise(kind, "%.*s", text != NULL ? tvmffi_shown_size(text_size) : 0,
                               text != NULL ? text : "");
  }
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                             "what Python returned is no value that can be compared");
}

static int call_python(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const subject *s = self;
  text_buf request = {NULL, 0, 0}, said = {NULL, 0, 0};
  int code = -1;
  if (put_request(s, args, (size_t)num_args, &request)) {
    if (is_asked != NULL) *is_asked = true;
    code = ask(&request, &said) ? take_answer(s, args, (size_t)num_args, &said, result)
                                : tvm_ffi_error_raise(kReferenceError, "Python has ended");
  }
  if (is_asked != NULL) *is_asked = false; /* also if it has ended, which python_is_ready() sees */
  text_free(&request);
  text_free(&said);
  return code;
}

int python_function(subject *s, TVMFFIObjectHandle *out) {
  return TVMFFIFunctionCreate(s, call_python, NULL, out);
}
