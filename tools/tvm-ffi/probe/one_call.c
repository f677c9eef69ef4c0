/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/probe.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"
#include "value/value_text.h"

DLTensor *subject_tensor(const subject *s, size_t i) {
  DLTensor *tensor;
  return tvm_ffi_any_try_tensor(&s->inputs->items[i].value, &tensor) ? tensor : NULL;
}

bool subject_fills(const subject *s, size_t i) {
  return s->inputs->items[i].is_storage && !s->inputs->items[i].has_values;
}

/* ---- Making the arguments ---- */

static uint32_t count_object(TVMFFIObjectHandle object) {
  return (uint32_t)((const TVMFFIObject *)object)->combined_ref_count;
}

/* Unless the function has released it in place of this program. */
static void release_kept(const argument *arg) {
  const bool is_current =
      arg->value.type_index >= kTVMFFIStaticObjectBegin && arg->value.v_obj == arg->kept;
  if (arg->kept != NULL && count_object(arg->kept) > (is_current ? 1 : 0)) {
    TVMFFIObjectDecRef(arg->kept);
  }
}

static void clear_argument(argument *arg) {
  release_kept(arg);
  if (arg->store == NULL) {
    tvm_ffi_any_clear(&arg->value);
  } else {
    tvm_ffi_object_release(arg->object);
    tvm_ffi_object_release(arg->on_device);
    storage_free(arg->store);
  }
  free(arg->before);
  memset(arg, 0, sizeof *arg);
}

/* Copies the whole storage to the device, where `view` is the tensor. */
static bool copy_to_device(argument *arg, DLDevice device) {
  arg->on_device = device_copy_block(device, arg->store);
  if (arg->on_device == NULL) return false;
  device_place(arg->store, arg->on_device, &arg->view);
  return true;
}

/* Gives the device the bytes of the storage again. */
static int copy_into_device(const argument *arg) {
  const memory_block *block = arg->store->block;
  return device_copy_into(TVMFFITensorGetDLTensorPtr(arg->on_device), block->low,
                          (size_t)(block->high - block->low));
}

static int copy_from_device(const argument *arg) {
  const memory_block *block = arg->store->block;
  return device_copy_from(TVMFFITensorGetDLTensorPtr(arg->on_device), block->low,
                          (size_t)(block->high - block->low));
}

/* Makes the object that is passed of the storage. */
static bool make_object(argument *arg, DLDevice device) {
  if (device_is_open(device) && arg->store->tensor.device.device_type == kDLCPU &&
      arg->before != NULL) {
    if (!copy_to_device(arg, device)) return false;
    if (tvm_ffi_tensor_create_around(&arg->view, NULL, NULL, &arg->object) != 0) return false;
  } else {
    arg->view = arg->store->tensor;
    arg->object = storage_make_object(arg->store);
  }
  arg->value = tvm_ffi_any_view_object(arg->object);
  return arg->object != NULL;
}

/* Fills `out` with elements of the argument again and again. */
static void repeat_elements(const argument *arg, unsigned char *out, size_t size) {
  size_t done = 0;
  while (done < size && arg->size > 0) {
    const size_t part = arg->size < size - done ? arg->size : size - done;
    memcpy(out + done, arg->before, part);
    done += part;
  }
  memset(out + done, 0, size - done);
}

/* The value that an input has now. */
static bool put_input(void *context, size_t i, TVMFFIAny *out) {
  const attempt *a = context;
  return tvm_ffi_any_copy(&a->args[i].value, out) == 0;
}

/* Passes an argument with the values inside it that there are now. */
static bool put_parent(attempt *a, size_t parent) {
  const input_visitor visitor = {put_input, a, NULL};
  TVMFFIAny copied;
  bool good;
  if (inner_first(a->s, parent) == a->s->inputs->size) return true;
  good = inner_copy_argument(a->s, parent, &visitor, &copied);
  tvm_ffi_any_clear(&a->args[parent].value);
  a->args[parent].value = copied;
  return good;
}

/* After a change of an argument: one that it is inside is passed with it. */
static bool put_changed(attempt *a, size_t i) {
  if (!a->is_whole || i < a->s->num_passed || i >= a->s->inputs->size) return true;
  return put_parent(a, a->s->places[i].argument);
}

static bool put_all(attempt *a) {
  size_t i;
  a->is_whole = true;
  for (i = 0; i < a->s->num_passed; ++i) {
    if (!put_parent(a, i)) return false;
  }
  return true;
}

bool attempt_set_tensor(attempt *a, size_t i, DLDataType dtype, const int64_t *shape, int32_t ndim,
                        const layout *how, const void *packed) {
  enum { kUnlikely = 0xa5 };
  layout filled = *how;
  argument made;
  memset(&made, 0, sizeof made);
  made.is_output = i < a->s->inputs->size && a->s->is_output[i];
  /* What is computed of the NaN around inputs shows around outputs. */
  if (i < a->s->inputs->size && subject_fills(a->s, i)) filled.fill = kUnlikely;
  made.store = storage_new(dtype, shape, ndim, &filled);
  if (made.store == NULL) return false;
  if (!how->has_no_memory) {
    made.size = tensor_size(&made.store->tensor);
    made.before = tool_alloc(made.size + 1);
    if (packed != NULL) {
      memcpy(made.before, packed, made.size);
    } else {
      repeat_elements(&a->args[i], made.before, made.size);
    }
  }
  if ((made.before != NULL && !storage_fill(made.store, made.before)) ||
      !make_object(&made, a->s->device)) {
    clear_argument(&made);
    return false;
  }
  clear_argument(&a->args[i]);
  a->args[i] = made;
  return put_changed(a, i);
}

bool attempt_place(attempt *a, size_t i, const layout *how) {
  const DLTensor *tensor = subject_tensor(a->s, i);
  return attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, how, tensor->data);
}

bool attempt_set_value(attempt *a, size_t i, TVMFFIAny value) {
  clear_argument(&a->args[i]);
  a->args[i].value = value;
  return put_changed(a, i);
}

bool attempt_share(attempt *a, size_t i, size_t other) {
  a->args[i].value = a->args[other].value; /* a view */
  return put_changed(a, i);
}

/* Makes the argument a tensor in the memory of a storage, so many bytes behind its begin. */
static bool share_storage(attempt *a, size_t i, storage *whole, int64_t bytes, bool is_output) {
  const DLTensor *tensor = subject_tensor(a->s, i);
  argument made;
  memset(&made, 0, sizeof made);
  made.is_output = is_output;
  made.store =
      storage_share(whole, tensor->dtype, tensor->shape, tensor->ndim, bytes, &kLayoutPacked);
  if (made.store == NULL) return false;
  made.size = tensor_size(tensor);
  made.before = tool_alloc(made.size + 1);
  memcpy(made.before, a->args[i].before, made.size);
  if (!make_object(&made, a->s->device)) {
    clear_argument(&made);
    return false;
  }
  clear_argument(&a->args[i]);
  a->args[i] = made;
  return put_changed(a, i);
}

bool attempt_share_part(attempt *a, size_t in, size_t filled, size_t bytes) {
  argument *whole = &a->args[filled];
  memcpy(whole->before + bytes, a->args[in].before, a->args[in].size);
  return share_storage(a, in, whole->store, (int64_t)bytes, true) &&
         storage_fill(whole->store, whole->before);
}

bool attempt_overlap(attempt *a, size_t first, size_t second) {
  const DLTensor *tensor = subject_tensor(a->s, first);
  const int64_t count = tvm_ffi_tensor_get_numel(tensor) + 1;
  const int64_t item = (int64_t)element_size(tensor->dtype);
  const size_t in = a->s->is_output[first] ? second : first;
  storage *whole = storage_new(tensor->dtype, &count, 1, &kLayoutPacked);
  bool good;
  if (whole == NULL) return false;
  good = share_storage(a, first, whole, 0, true) && share_storage(a, second, whole, item, true) &&
         storage_fill(a->args[in].store, a->args[in].before);
  storage_free(whole); /* both hold its memory */
  return good;
}

bool attempt_order(attempt *a, bool is_descending) {
  enum { kBetween = 2 * kMemoryAlignment };
  int64_t at = 0, count = 0;
  storage *whole;
  size_t i, k;
  bool good;
  for (i = 0; i < a->num_args; ++i) count += (int64_t)(a->args[i].size + kBetween);
  whole = storage_new(tvm_ffi_dtype_make(kDLUInt, 8, 1), &count, 1, &kLayoutPacked);
  good = whole != NULL;
  if (good) memset(whole->block->begin, whole->fill, (size_t)count); /* gaps, where no tensor is */
  for (k = 0; good && k < a->num_args; ++k) {
    i = is_descending ? a->num_args - 1 - k : k;
    if (a->args[i].store == NULL || a->args[i].size == 0) continue;
    good = share_storage(a, i, whole, at, a->args[i].is_output) &&
           storage_fill(a->args[i].store, a->args[i].before);
    at += (int64_t)((a->args[i].size + kBetween) / kMemoryAlignment * kMemoryAlignment);
  }
  if (whole != NULL) storage_free(whole);
  return good;
}

/* The end of memory of that size, behind which nobody may read; never freed, as the function may
 * look at it later. NULL with an error raised. */
static void *reserve_before_guard(size_t size, const char *name) {
  memory_block *block = memory_new(size, 0, kGuardEnd, kMemoryPages);
  if (block == NULL) return NULL;
  memory_name(block, name);
  return block->begin + size;
}

bool attempt_init(attempt *a, const subject *s, const layout *how) {
  size_t i;
  memset(a, 0, sizeof *a);
  a->s = s;
  a->num_args = s->inputs->size;
  a->num_passed = s->num_passed;
  a->args = tool_alloc((a->num_args + 1) * sizeof *a->args);
  memset(a->args, 0, (a->num_args + 1) * sizeof *a->args);
  a->room = pages_size() / sizeof *a->views_end;
  if (a->room <= a->num_passed) a->room = a->num_passed + 1;
  a->views_end =
      reserve_before_guard(a->room * sizeof *a->views_end, "the arguments that are passed");
  if (a->views_end == NULL) return false;
  for (i = 0; i < a->num_args; ++i) {
    if (subject_tensor(s, i) != NULL) {
      if (!attempt_place(a, i, how != NULL ? how : &kLayoutPacked)) return false;
    } else if (tvm_ffi_any_copy(&s->inputs->items[i].value, &a->args[i].value) != 0) {
      return false;
    }
  }
  return put_all(a);
}

void attempt_free(attempt *a) {
  size_t i;
  tvm_ffi_any_clear(&a->result);
  tvm_ffi_object_release(a->error);
  for (i = 0; i < a->num_args; ++i) clear_argument(&a->args[i]);
  free(a->args);
  memset(a, 0, sizeof *a);
}

static int64_t *copy_to_guard(const int64_t *values, int32_t count) {
  const size_t size = (size_t)count * sizeof *values;
  char *end = reserve_before_guard(size + sizeof *values, "the extents or strides of a tensor");
  return end != NULL ? memcpy(end - size, values, size) : NULL;
}

bool attempt_pass_view(attempt *a, size_t i) {
  DLTensor *passed = &a->args[i].view;
  passed->shape = copy_to_guard(passed->shape, passed->ndim);
  passed->strides = copy_to_guard(passed->strides, passed->ndim);
  a->args[i].value = tvm_ffi_any_view_tensor(passed);
  return passed->shape != NULL && passed->strides != NULL;
}

bool attempt_clear_data(attempt *a, size_t i) {
  argument *arg = &a->args[i];
  TVMFFIObjectHandle object;
  arg->view.data = NULL;
  arg->view.byte_offset = 0;
  if (tvm_ffi_tensor_create_around(&arg->view, NULL, NULL, &object) != 0) return false;
  tvm_ffi_object_release(arg->object);
  arg->object = object;
  arg->value = tvm_ffi_any_view_object(object);
  return put_changed(a, i);
}

void attempt_remove(attempt *a, size_t i) {
  clear_argument(&a->args[i]);
  --a->num_args;
  --a->num_passed;
  memmove(&a->args[i], &a->args[i + 1], (a->num_args - i) * sizeof *a->args);
  memset(&a->args[a->num_args], 0, sizeof *a->args);
}

void attempt_append(attempt *a, TVMFFIAny value) {
  argument *added;
  if (a->num_passed == a->room) return; /* no function has as many */
  a->args = tool_realloc(a->args, (a->num_args + 1) * sizeof *a->args);
  added = &a->args[a->num_passed];
  memmove(added + 1, added, (a->num_args - a->num_passed) * sizeof *a->args);
  memset(added, 0, sizeof *added);
  added->value = value;
  ++a->num_args;
  ++a->num_passed;
}

/* ---- Calling ---- */

/* Leaves the stack below the caller filled, for a function that reads what it has not written. */
static void fill_stack(int byte) {
  volatile unsigned char below[1 << 16];
  size_t i;
  for (i = 0; i < sizeof below; ++i) below[i] = (unsigned char)byte;
}

static int call_function(void *context) {
  void (*volatile fill)(int) = fill_stack; /* so that it has a frame of its own */
  attempt *a = context;
  TVMFFIAny *views = a->views_end - a->num_passed;
  size_t i;
  for (i = 0; i < a->num_passed; ++i) views[i] = a->args[i].value;
  a->result = tvm_ffi_any_none();
  a->broke_device = false;
  if (device_enter() != 0) return -1;
  if (a->fill_byte != 0) fill(a->fill_byte);
  if (a->stack_byte != 0) process_leave_errors();
  a->code = TVMFFIFunctionCall(a->by_reference ? a->s->reference : a->s->function, views,
                               (int32_t)a->num_passed, &a->result);
  if (a->code == 0 && a->result.type_index == kTVMFFIError) {
    a->error = a->result.v_obj;
    a->result = tvm_ffi_any_none();
    a->code = -1;
  }
  a->returned = a->code == 0;
  if (!a->returned && a->error == NULL) a->error = tvm_ffi_error_take();
  if (device_wait() != 0) { /* also after an error, which may have come after a launch */
    tvm_ffi_object_release(a->error);
    a->error = tvm_ffi_error_take();
    a->returned = false;
    a->broke_device = true;
    return 0;
  }
  for (i = 0; i < a->num_args; ++i) {
    if (a->args[i].on_device != NULL && copy_from_device(&a->args[i]) != 0) return -1;
  }
  return 0;
}

bool attempt_call_here(attempt *a) {
  return call_function(a) == 0;
}

/* ---- What arguments are before a call, and after it ---- */

/* One that was appended has no place in the call that works. */
static const char *name_argument(const attempt *a, size_t i) {
  return i < a->s->inputs->size ? a->s->places[i].label : "that was added";
}

/* 0: it is no object. */
static uint32_t count_references(const TVMFFIAny *value) {
  if (value->type_index < kTVMFFIStaticObjectBegin) return 0;
  return count_object(value->v_obj);
}

static uint64_t digest_shape(const DLTensor *tensor) {
  uint64_t sum = 1;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) {
    sum = sum * 31 + (uint64_t)tensor->shape[d];
    if (tensor->strides != NULL) sum = sum * 31 + (uint64_t)tensor->strides[d];
  }
  return sum;
}

static void remember_argument(argument *arg) {
  DLTensor *tensor;
  if (arg->references == 0 && count_references(&arg->value) > 0) {
    arg->kept = arg->value.v_obj;
    TVMFFIObjectIncRef(arg->kept);
    arg->references = count_references(&arg->value);
  }
  arg->passed = arg->store != NULL && tvm_ffi_any_try_tensor(&arg->value, &tensor) ? tensor : NULL;
  if (arg->passed == NULL) return;
  arg->header = *arg->passed;
  arg->header_digest = digest_shape(arg->passed);
}

/* Whether the DLTensor is as it was. */
static bool has_its_header(const argument *arg) {
  const DLTensor *now = arg->passed, *then = &arg->header;
  return now == NULL ||
         (now->data == then->data && now->byte_offset == then->byte_offset &&
          now->ndim == then->ndim && now->shape == then->shape && now->strides == then->strides &&
          now->device.device_type == then->device.device_type &&
          now->device.device_id == then->device.device_id &&
          tvm_ffi_dtype_equal(now->dtype, then->dtype) && digest_shape(now) == arg->header_digest);
}

/* Whether the result is a tensor in memory of the argument, which has an object that holds it. */
static bool result_is_in(const attempt *a, size_t i) {
  const storage *store = a->args[i].store;
  DLTensor *result;
  const char *at;
  if (store == NULL || a->args[i].value.type_index != kTVMFFITensor || !a->returned ||
      !tvm_ffi_any_try_tensor(&a->result, &result)) {
    return false;
  }
  at = tvm_ffi_tensor_get_data(result);
  return tvm_ffi_tensor_get_numel(result) > 0 && at >= store->block->low && at < store->block->high;
}

/* Whether an argument has lost a reference, or the result lacks one; if so, writes how. */
static bool lost_reference(const attempt *a, size_t i, text_buf *out) {
  const argument *arg = &a->args[i];
  const uint32_t now = count_references(&arg->value);
  const size_t parent = i < a->s->inputs->size ? a->s->places[i].argument : i;
  const bool is_result =
      a->result.type_index >= kTVMFFIStaticObjectBegin && a->result.v_obj == arg->value.v_obj;
  if (arg->references == 0) return false;
  if (now < arg->references) {
    text_add(out, "it released a reference to argument %s that was not its own",
             name_argument(a, i));
  } else if (is_result && now == arg->references) {
    text_add(out, "its result is argument %s, without a reference of its own", name_argument(a, i));
  } else if (!is_result && now == arg->references && result_is_in(a, i) &&
             count_references(&a->args[parent].value) == a->args[parent].references) {
    text_add(out, "its result is in the memory of argument %s, and holds no reference to it",
             name_argument(a, i));
  } else {
    return false;
  }
  return true;
}

bool attempt_call(attempt *a) {
  enum { kSmall = 1 << 10, kFew = 4 }; /* malloc is to keep what is freed after it for the next */
  host_state before, after;
  bool good;
  size_t i;
  for (i = 0; i < a->num_args; ++i) remember_argument(&a->args[i]);
  host_read(&before);
  a->fill_byte = a->stack_byte != 0 ? a->stack_byte : kUnwritten;
  if (a->stack_byte == 0) heap_fill(kUnwritten, kSmall, kFew);
  good = foreign_call(kStageCall, a->s->name, call_function, a) == 0;
  a->fill_byte = 0;
  host_read(&after);
  a->host_changes = host_compare(&before, &after);
  return good;
}

bool attempt_reset(attempt *a) {
  size_t i;
  tvm_ffi_any_clear(&a->result);
  tvm_ffi_object_release(a->error);
  a->error = NULL;
  for (i = 0; i < a->num_args; ++i) {
    argument *arg = &a->args[i];
    if (arg->store == NULL || arg->before == NULL) continue;
    if (!storage_fill(arg->store, arg->before)) return false;
    if (arg->on_device != NULL && copy_into_device(arg) != 0) return false;
  }
  return true;
}

/* ---- What happened ---- */

/* Whether the elements of an input are those that it had. */
bool argument_is_unchanged(const argument *arg) {
  unsigned char *now = tool_alloc(arg->size + 1);
  bool same;
  storage_read(arg->store, now);
  same = memcmp(now, arg->before, arg->size) == 0;
  free(now);
  return same;
}

/* Whether the runtime has raised the error, for a function that failed without one. */
static bool is_made_up(TVMFFIObjectHandle error) {
  static const char kWords[] = "without setting an error";
  const TVMFFIByteArray message = tvm_ffi_error_get_message(error);
  return tvm_ffi_error_is(error, "InternalError") && message.size >= sizeof kWords - 1 &&
         strstr(message.data, kWords) != NULL;
}

/* Whether the objects that were passed are as they were. */
static bool keeps_arguments(const attempt *a, text_buf *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    if (!has_its_header(&a->args[i])) {
      text_add(out, "it changed the DLTensor of argument %s, which belongs to the caller",
               name_argument(a, i));
      return false;
    }
    if (lost_reference(a, i, out)) return false;
  }
  return true;
}

/* What the call that works changes is a matter of the rows of the host. */
static bool keeps_host(const attempt *a, text_buf *out) {
  const unsigned changes = a->host_changes & ~a->s->after.host_changes;
  if (changes == 0) return true;
  text_add(out, "the call changed %s", host_describe(changes));
  return false;
}

const char kHintOutput[] = " (write & before it if it is an output)";

bool attempt_is_clean(const attempt *a, text_buf *out) {
  char where[128];
  size_t i;
  if (a->broke_device) { /* a kernel that crashed, and every later call of the process fails */
    text_add(out, "what it launched failed: ");
    attempt_describe_error(a, out);
    return false;
  }
  if (!a->returned && (a->error == NULL || is_made_up(a->error))) {
    text_add(out, "it returned %d without raising an error", a->code);
    return false;
  }
  if (!a->returned && tvm_ffi_error_get_kind(a->error).size == 0) {
    text_add(out, "its error has no kind");
    return false;
  }
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    if (arg->store == NULL || arg->before == NULL) continue;
    if (!storage_is_intact(arg->store, where, sizeof where)) {
      text_add(out, "it wrote outside argument %s: %s", name_argument(a, i), where);
      return false;
    }
    if (!arg->is_output && !argument_is_unchanged(arg)) {
      text_add(out, "it changed argument %s, an input%s", name_argument(a, i), kHintOutput);
      return false;
    }
  }
  return keeps_arguments(a, out) && keeps_host(a, out);
}

void attempt_describe_error(const attempt *a, text_buf *out) {
  const TVMFFIByteArray kind = tvm_ffi_error_get_kind(a->error);
  const TVMFFIByteArray message = tvm_ffi_error_get_message(a->error);
  const char *end = message.size > 0 ? memchr(message.data, '\n', message.size) : NULL;
  text_add_bytes(out, kind.data, kind.size);
  text_add(out, ": ");
  text_add_bytes(out, message.data, end != NULL ? (size_t)(end - message.data) : message.size);
}

/* The first number of a list that this one ends: "0 and 1", "0, 1". */
static const char *find_list_begin(const char *message, const char *at) {
  static const char *const kBetween[] = {" and ", " or ", ", "};
  size_t i = 0;
  while (i < sizeof kBetween / sizeof *kBetween) {
    const size_t size = strlen(kBetween[i]);
    const char *end = at - size;
    ++i;
    if ((size_t)(at - message) <= size || memcmp(end, kBetween[i - 1], size) != 0 ||
        !isdigit((unsigned char)end[-1])) {
      continue;
    }
    while (end > message && isdigit((unsigned char)end[-1])) --end;
    at = end;
    i = 0;
  }
  return at;
}

/* Whether a number that follows "#" or a word such as "argument" is i, counted from 0 or from 1. */
static bool has_number(const char *message, size_t i) {
  static const char *const kWords[] = {"arg", "#", "param", "input", "operand", "tensor"};
  const char *at;
  size_t w;
  for (at = message; *at != '\0'; ++at) {
    size_t found_number;
    if (!isdigit((unsigned char)*at) ||
        (at > message && (identifier_has(at[-1]) || at[-1] == '.'))) {
      continue;
    }
    found_number = (size_t)strtoul(at, NULL, 10);
    if (found_number != i && found_number != i + 1) continue;
    for (w = 0; w < sizeof kWords / sizeof *kWords; ++w) {
      enum { kNear = 12 }; /* as in "arguments[" */
      const char *first = find_list_begin(message, at);
      const char *begin = first - message > kNear ? first - kNear : message;
      const char *found = strstr(begin, kWords[w]);
      if (found != NULL && found < at) return true;
    }
  }
  return false;
}

static bool has_word(const char *message, const char *word) {
  const size_t size = strlen(word);
  const char *at = message;
  for (; (at = strstr(at, word)) != NULL; ++at) {
    if ((at == message || !identifier_has(at[-1])) && !identifier_has(at[size])) return true;
  }
  return false;
}

bool attempt_names_argument(const attempt *a, size_t chosen) {
  const size_t i = a->s->places[chosen].argument;
  const TVMFFIByteArray bytes = tvm_ffi_error_get_message(a->error);
  const schema_type *type = a->s->types != NULL ? schema_param(a->s->types, i) : NULL;
  char *message = tool_copy(bytes.data, bytes.size), *c;
  bool named;
  for (c = message; *c != '\0'; ++c) {
    if (isupper((unsigned char)*c) && (c == message || !identifier_has(c[-1]))) {
      *c = (char)tolower((unsigned char)*c); /* "Argument 1" */
    }
  }
  named = has_number(message, i);
  if (type != NULL && type->parameter != NULL) {
    memcpy(message, bytes.data, bytes.size);
    named = named || has_word(message, type->parameter);
  } else {
    named = named || strpbrk(message, "`'\"(") != NULL; /* a name, for all that is known */
  }
  free(message);
  return named;
}

/* ---- Effects ---- */

/* Whether the text of the value is one of an argument, so that it can be read again. */
static bool is_plain(const TVMFFIAny *value) {
  DLTensor *tensor;
  TVMFFIByteArray bytes;
  int64_t i;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return numbers_known(tensor->dtype);
  if (value->type_index == kTVMFFIArray) {
    for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
      if (!is_plain(tvm_ffi_array_get_data(value->v_obj) + i)) return false;
    }
    return true;
  }
  return value->type_index == kTVMFFINone || value->type_index == kTVMFFIBool ||
         value->type_index == kTVMFFIInt || value->type_index == kTVMFFIFloat ||
         tvm_ffi_any_try_string(value, &bytes);
}

/* How many numbers a plain value has. */
static int64_t count_numbers(const TVMFFIAny *value) {
  DLTensor *tensor;
  int64_t count = 1, i;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return tvm_ffi_tensor_get_numel(tensor);
  if (value->type_index != kTVMFFIArray) return count;
  for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
    count += count_numbers(tvm_ffi_array_get_data(value->v_obj) + i);
  }
  return count;
}

static bool copy_tensor(void *context, const TVMFFIAny *value, TVMFFIAny *out) {
  TVMFFIObjectHandle packed;
  DLTensor *tensor;
  (void)context;
  *out = tvm_ffi_any_none();
  if (!tvm_ffi_any_try_tensor(value, &tensor) || (packed = tensor_copy(tensor)) == NULL) {
    return false;
  }
  *out = tvm_ffi_any_take_object(packed);
  return true;
}

static TVMFFIObjectHandle pack_argument(const argument *arg) {
  const DLTensor *tensor = &arg->store->tensor;
  TVMFFIObjectHandle packed = tensor_new(tensor->dtype, tensor->shape, tensor->ndim);
  if (packed != NULL) storage_read(arg->store, TVMFFITensorGetDLTensorPtr(packed)->data);
  return packed;
}

bool attempt_take_effects(const attempt *a, effects *out) {
  enum { kMostAsText = 1 << 10 }; /* to write more takes a hundred times as long as the call */
  static const inner_visitor kCopying = {copy_tensor, NULL, NULL};
  text_buf text = {NULL, 0, 0};
  size_t i;
  memset(out, 0, sizeof *out);
  out->tensors = tool_alloc((a->num_args + 1) * sizeof *out->tensors);
  memset(out->tensors, 0, (a->num_args + 1) * sizeof *out->tensors);
  for (i = 0; i < a->num_args; ++i) {
    if (!a->args[i].is_output || a->args[i].before == NULL) continue;
    out->tensors[i] = pack_argument(&a->args[i]);
    if (out->tensors[i] == NULL) return false;
  }
  out->has_result = is_plain(&a->result);
  out->result = tvm_ffi_any_none();
  if (out->has_result && count_numbers(&a->result) > kMostAsText) {
    return inner_copy(&a->result, &kCopying, &out->result); /* its memory may be used again */
  }
  value_write(&text, &a->result, &kTensorWhole);
  out->text = text.data;
  return !out->has_result || tvm_ffi_any_copy(&a->result, &out->result) == 0;
}

void effects_free(effects *e, size_t num_args) {
  size_t i;
  for (i = 0; e->tensors != NULL && i < num_args; ++i) tvm_ffi_object_release(e->tensors[i]);
  free(e->tensors);
  tvm_ffi_any_clear(&e->result);
  free(e->text);
  memset(e, 0, sizeof *e);
}

static bool values_match(const char *what, const TVMFFIAny *got, const TVMFFIAny *expected,
                         const tolerance *allowed, text_buf *out) {
  comparison result;
  bool same;
  compare_values(got, expected, allowed, &result);
  same = result.is_same;
  if (!same) { /* "the result is 1, expected 2", "the result: element [0] is ..." */
    text_add(out, "%s%s %s", what, strncmp(result.difference.data, "element ", 8) == 0 ? ":" : "",
             result.difference.data);
  }
  comparison_free(&result);
  return same;
}

/* Bits of elements are compared, of which NaN equals itself and 0 does not equal -0. */
static bool tensors_match(const char *name, TVMFFIObjectHandle got, TVMFFIObjectHandle expected,
                          bool exact, const tolerance *allowed, text_buf *out) {
  static const tolerance kNone = {0, 0, 0};
  const DLTensor *a = TVMFFITensorGetDLTensorPtr(got), *b = TVMFFITensorGetDLTensorPtr(expected);
  TVMFFIAny x = tvm_ffi_any_view_object(got), y = tvm_ffi_any_view_object(expected);
  char what[64];
  snprintf(what, sizeof what, "argument %s", name);
  if (tensors_have_same_bytes(a, b)) return true;
  if (exact || !numbers_known(a->dtype)) {
    if (values_match(what, &x, &y, &kNone, out)) text_add(out, "%s has other bits", what);
    return false;
  }
  return values_match(what, &x, &y, allowed, out);
}

/* ---- How far numbers may differ ---- */

/* The unit in the last place of 1; 0: no floating-point type. */
static double get_epsilon(DLDataType dtype) {
  const small_float *narrow = small_float_find(dtype);
  if (narrow != NULL) return ldexp(1, -narrow->mantissa);
  if (dtype.code != kDLFloat && dtype.code != kDLComplex) return 0;
  return dtype.bits >= (dtype.code == kDLComplex ? 128 : 64) ? DBL_EPSILON : FLT_EPSILON;
}

/* The largest number of a type; 0: it is not known. */
static double get_largest(DLDataType dtype) {
  const small_float *narrow = small_float_find(dtype);
  if (narrow != NULL) {
    return narrow->kind == kSmallIeee
               ? ldexp(2 - ldexp(1, -narrow->mantissa), (1 << narrow->exponent) - 2 - narrow->bias)
               : 0;
  }
  return dtype.code != kDLFloat ? 0 : dtype.bits >= 64 ? DBL_MAX : FLT_MAX;
}

/* The largest magnitude among the elements that are finite, and the sum of all of these. */
static double find_largest(const argument *arg, double *out_sum) {
  const DLTensor *tensor = &arg->store->tensor;
  const size_t count =
      (size_t)tvm_ffi_tensor_get_numel(tensor) * numbers_per_element(tensor->dtype);
  double largest = 0;
  size_t i;
  *out_sum = 0;
  for (i = 0; i < count; ++i) {
    const double value = fabs(number_get(tensor->dtype, arg->before, i).real);
    if (value <= DBL_MAX) *out_sum += value;
    if (value > largest && value <= DBL_MAX) largest = value;
  }
  return largest;
}

/* By how much sums of `count` numbers may differ which are added in another order, if so many sums
 * are made: the error of a long one grows with its partial sums, too. */
static double find_growth(double count, double num_sums) {
  const double each = count / (num_sums > 1 ? num_sums : 1), of_long = sqrt(each * sqrt(each));
  return sqrt(count) > of_long ? sqrt(count) : of_long;
}

/* Numbers that were computed from narrow ones are no more exact than these, whatever type they have
 * themselves; and sums depend on the order, the more the more there is to add. `num_results` is how
 * many numbers come out. */
static tolerance find_tolerance(const attempt *a, DLDataType dtype, double num_results) {
  const double least_relative = 1e-5, least_wide = 1e-9, wide = 1e-12, other = 1e-6, factor = 4;
  const double clearly = 1.5;
  tolerance out = a->s->allowed;
  double epsilon = get_epsilon(dtype), largest = 1, count = 1, most = get_largest(dtype), spread;
  double largest_sum = 0;
  size_t i;
  if (epsilon == 0 || out.absolute >= 0 || out.relative >= 0) return out;
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    double of_argument, size, sum = 0;
    if (arg->store == NULL || arg->before == NULL || arg->size == 0) continue;
    if (!numbers_known(arg->store->tensor.dtype)) continue;
    of_argument = get_epsilon(arg->store->tensor.dtype);
    size = (double)tvm_ffi_tensor_get_numel(&arg->store->tensor);
    if (of_argument > epsilon) {
      epsilon = of_argument;
      most = get_largest(arg->store->tensor.dtype);
    }
    if (size > count) count = size;
    size = of_argument > 0 ? find_largest(arg, &sum) : 0;
    if (size > largest) largest = size;
    if (sum > largest_sum) largest_sum = sum;
  }
  spread = epsilon > FLT_EPSILON ? 2 * epsilon : factor * epsilon * find_growth(count, num_results);
  out.relative = epsilon > FLT_EPSILON ? 0 : epsilon > DBL_EPSILON ? least_relative : least_wide;
  if (spread > out.relative) out.relative = spread;
  out.absolute = epsilon > DBL_EPSILON ? other : wide;
  if (spread * largest > out.absolute) out.absolute = spread * largest;
  if (most > 0 && largest_sum > most * clearly) out.overflow = most / count;
  return out;
}

/* Whether all numbers of a result are Floats. */
static bool has_only_floats(const TVMFFIAny *value) {
  int64_t i;
  if (value->type_index == kTVMFFIFloat) return true;
  if (value->type_index != kTVMFFIArray) return false;
  for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
    if (!has_only_floats(tvm_ffi_array_get_data(value->v_obj) + i)) return false;
  }
  return true;
}

/* Results that are tensors, of which one at least is large. */
static bool has_same_elements(const effects *x, const effects *y) {
  DLTensor *p, *q;
  return tvm_ffi_any_try_tensor(&x->result, &p) && tvm_ffi_any_try_tensor(&y->result, &q) &&
         tvm_ffi_tensor_is_contiguous(p) && tvm_ffi_tensor_is_contiguous(q) &&
         p->device.device_type == kDLCPU && q->device.device_type == kDLCPU &&
         tensor_size(p) == tensor_size(q) && tensors_have_same_bytes(p, q) &&
         tvm_ffi_dtype_equal(p->dtype, q->dtype) && tvm_ffi_tensor_has_same_shape(p, q);
}

bool effects_have_same_result(const effects *x, const effects *y) {
  static const tolerance kNone = {0, 0, 0};
  text_buf ignored = {NULL, 0, 0};
  bool same;
  if (x->text != NULL && y->text != NULL) return strcmp(x->text, y->text) == 0;
  same = x->has_result && y->has_result &&
         (has_same_elements(x, y) || values_match("", &x->result, &y->result, &kNone, &ignored));
  text_free(&ignored);
  return same;
}

static const char *show_result(const effects *e) {
  return e->text != NULL ? e->text : "one of many numbers";
}

bool effects_match(const attempt *a, const effects *got, const effects *expected, bool exact,
                   text_buf *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor;
    tolerance allowed;
    if (expected->tensors[i] == NULL || got->tensors[i] == NULL) continue;
    tensor = TVMFFITensorGetDLTensorPtr(expected->tensors[i]);
    allowed = find_tolerance(a, tensor->dtype, (double)tvm_ffi_tensor_get_numel(tensor));
    if (!tensors_match(name_argument(a, i), got->tensors[i], expected->tensors[i], exact, &allowed,
                       out))
      return false;
  }
  if (effects_have_same_result(got, expected)) return true;
  if (exact && got->has_result && expected->has_result &&
      (got->text == NULL || expected->text == NULL)) {
    static const tolerance kNone = {0, 0, 0};
    return values_match("the result", &got->result, &expected->result, &kNone, out);
  }
  if (!exact && got->has_result && expected->has_result) {
    const tolerance of_floats = find_tolerance(a, tvm_ffi_dtype_make(kDLFloat, 64, 1), 1);
    return values_match("the result", &got->result, &expected->result,
                        has_only_floats(&expected->result) ? &of_floats : &a->s->allowed, out);
  }
  text_add(out, "the result is %.200s, expected %.200s", show_result(got), show_result(expected));
  return false;
}
