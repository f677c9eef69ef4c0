/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of types: each has a column with a value per type. Full columns are replaced by larger
 * ones; the old ones, which readers may hold, live until shutdown.
 */
#include "core/type_attr.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/table.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/type.h"
#include "platform/atomic.h"

/* An attribute: a column with the values of the types that have it. */
typedef struct {
  tvmffi_table_key key;
  TVMFFITypeAttrColumn column; /* clients keep its address */
  int32_t capacity;
} attr_record;

/*
 * Attributes whose columns exist from the start, before any registration: clients look up some of
 * them once, and would remember for good that there was none.
 */
static attr_record first_attrs[kTvmffiNumFirstAttrs];
static tvmffi_table attrs; /* the others */

/* The initial columns: the values for built-in types. The core profile has those of the core. */
#ifdef TVMFFI_PROFILE_FULL
enum { kNumOwnAttrs = kTvmffiNumFirstAttrs };
#else
enum { kNumOwnAttrs = kTvmffiCoreAttrsEnd };
#endif
static TVMFFIAny own_values[kNumOwnAttrs][kTvmffiBuiltinTypesEnd];
static int has_own_values;

const char tvmffi_attr_names[] =
    "__any_hash__\0"
    "__any_equal__\0"
    "__ffi_new__\0"
    "__ffi_init__\0"
    "__ffi_shallow_copy__\0"
    "__ffi_convert__\0"
    "__ffi_type_final__\0"
    "__ffi_repr__\0"
    "__ffi_hash__\0"
    "__ffi_eq__\0"
    "__ffi_compare__\0"
    "__ffi_enum__\0"
    "__data_to_json__\0"
    "__data_from_json__\0"
    "__s_hash__\0"
    "__s_equal__\0"
    "__s_visit__\0"
    "__s_mutate__\0"
    "__s_maybe_inplace_mutate__\0";

/* ---- Finding ---- */

static attr_record *find_attr(const TVMFFIByteArray *name) {
  const char *first = tvmffi_attr_names;
  size_t i, size;
  for (i = 0; i < kTvmffiNumFirstAttrs; ++i, first += size + 1) {
    size = strlen(first);
    if (size == name->size && memcmp(first, name->data, size) == 0) return &first_attrs[i];
  }
  return (attr_record *)tvmffi_table_find(&attrs, name->data, name->size);
}

/* Makes the value of a built-in attribute, with one reference for the column. */
static TVMFFIAny make_own_value(const tvmffi_builtin_attr *attr, tvmffi_attr_function *function) {
  union {
    void (*function)(void);
    void *address;
  } native;
  if (attr->body == NULL) {
    native.function = attr->native;
    return native.function != NULL ? tvmffi_any_ptr(kTVMFFIOpaquePtr, native.address)
                                   : tvmffi_any_bool(attr->value);
  }
  if (function->base.header.type_index == 0) { /* not after a shutdown: it may be in use */
    function->base.header.combined_ref_count = TVMFFI_BOTH_ONE; /* never released */
    function->base.header.type_index = kTVMFFIFunction;
  }
  tvmffi_object_retain(function);
  tvmffi_own_function_init(&function->base, attr->body);
  function->type_index = attr->type_index;
  function->attr = attr->attr;
  return tvmffi_any_object(function);
}

static void add_own_values(const tvmffi_builtin_attr_group *group) {
  size_t i;
  for (i = 0; i < group->count; ++i) {
    const tvmffi_builtin_attr *attr = &group->attrs[i];
    attr_record *record = &first_attrs[attr->attr];
    own_values[attr->attr][attr->type_index] = make_own_value(attr, &group->functions[i]);
    record->column.data = own_values[attr->attr];
    record->capacity = kTvmffiBuiltinTypesEnd;
    if (attr->type_index >= record->column.size) {
      tvmffi_atomic_store_release(&record->column.size, attr->type_index + 1);
    }
  }
}

/* To be called before any access to the columns. */
static void ensure_own_values(void) {
  const tvmffi_builtin_attr_group *own;
  size_t group;
  if (TVMFFI_LIKELY(tvmffi_atomic_load_acquire_int(&has_own_values))) return;
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  for (group = 0; !has_own_values && (own = tvmffi_parts_attrs(group)) != NULL; ++group) {
    add_own_values(own);
  }
  tvmffi_atomic_store_release_int(&has_own_values, 1);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
}

const TVMFFIAny *tvmffi_type_find_attr(int attr, int32_t type_index) {
  const TVMFFITypeAttrColumn *column = &first_attrs[attr].column;
  const TVMFFIAny *value;
  ensure_own_values();
  if (type_index >= tvmffi_atomic_load_acquire(&column->size)) return NULL;
  value = tvmffi_atomic_load_acquire_ptr(&column->data) + type_index;
  return tvmffi_atomic_load_acquire(&value->type_index) != kTVMFFINone ? value : NULL;
}

static const char *name_of_first_attr(int attr) {
  const char *name = tvmffi_attr_names;
  while (attr-- > 0) name += strlen(name) + 1;
  return name;
}

/* Raises the TypeError; the function is shown as `<type key>.<attribute><signature>`. */
TVMFFI_COLD static int refuse_args(const tvmffi_attr_function *function, const char *signature,
                                   int expected, int i, const TVMFFIAny *args, int32_t num_args) {
  const char *key = tvmffi_type_key(function->type_index);
  tvmffi_buf text = TVMFFI_BUF_INIT;
  tvmffi_buf_appendf(&text, "%s.%s%s", key, name_of_first_attr(function->attr), signature);
  if (text.failed) {
    tvmffi_error_raise_memory();
  } else if (i < 0) {
    (void)tvmffi_builtin_fail_count(text.data, expected, num_args);
  } else {
    (void)tvmffi_builtin_fail_type(text.data, i, key, &args[i]);
  }
  tvmffi_buf_fini(&text);
  return -1;
}

int tvmffi_attr_check_args(const void *self, const char *signature, int expected, int num_self,
                           const TVMFFIAny *args, int32_t num_args) {
  const tvmffi_attr_function *function = self;
  int i;
  if (num_args != expected) return refuse_args(function, signature, expected, -1, args, num_args);
  for (i = 0; i < num_self; ++i) {
    if (!tvmffi_type_is_instance(args[i].type_index, function->type_index) ||
        args[i].v_obj == NULL) {
      return refuse_args(function, signature, expected, i, args, num_args);
    }
  }
  return 0;
}

/* ---- Registration ---- */

static attr_record *ensure_attr(const TVMFFIByteArray *name) {
  attr_record *attr = find_attr(name);
  if (attr != NULL) return attr;
  if (tvmffi_table_reserve(&attrs, 1) != 0) return NULL;
  attr = (attr_record *)tvmffi_table_new_record(sizeof *attr, name->data, name->size,
                                                tvmffi_hash_bytes(name->data, name->size),
                                                tvmffi_alloc_until_shutdown);
  if (attr == NULL) return NULL;
  (void)tvmffi_table_insert(&attrs, &attr->key);
  return attr;
}

/* Extends the column to type_index with None entries. False if out of memory. */
static bool extend_column(attr_record *attr, int32_t type_index) {
  TVMFFITypeAttrColumn *column = &attr->column;
  int32_t capacity = attr->capacity != 0 ? attr->capacity : 64;
  size_t bytes;
  TVMFFIAny *data;
  if (type_index < column->size) return true;
  if (type_index >= attr->capacity) {
    while (capacity <= type_index) capacity *= 2; /* type_index is far below INT32_MAX / 2 */
    if (!tvmffi_checked_mul_size((size_t)capacity, sizeof *data, &bytes) ||
        (data = tvmffi_alloc_until_shutdown(bytes)) == NULL) {
      return false;
    }
    if (column->size != 0) memcpy(data, column->data, (size_t)column->size * sizeof *data);
    attr->capacity = capacity;
    tvmffi_atomic_store_release_ptr(&column->data, (const TVMFFIAny *)data);
  }
  tvmffi_atomic_store_release(&column->size, type_index + 1);
  return true;
}

/* Replaces None by an owned value. Stores the type index last: a reader sees None or all of it. */
static void publish_value(TVMFFIAny *place, const TVMFFIAny *value) {
  place->v_uint64 = value->v_uint64;
  place->zero_padding = value->zero_padding;
  tvmffi_atomic_store_release(&place->type_index, value->type_index);
}

static bool is_equal_value(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIByteArray text_a, text_b;
  if (memcmp(a, b, sizeof *a) == 0) return true;
  return tvmffi_any_get_text(a, &text_a) && tvmffi_any_get_text(b, &text_b) &&
         tvmffi_bytes_equal(&text_a, &text_b);
}

/* Whether the library itself has the attribute for a type; its value is there from the start. */
static bool is_own_attr(const attr_record *attr, int32_t type_index) {
  const tvmffi_builtin_attr_group *own;
  size_t group, i;
  for (group = 0; (own = tvmffi_parts_attrs(group)) != NULL; ++group) {
    for (i = 0; i < own->count; ++i) {
      if (own->attrs[i].type_index == type_index && &first_attrs[own->attrs[i].attr] == attr) {
        return true;
      }
    }
  }
  return false;
}

enum { kAttrRegistered, kAttrDuplicate, kAttrNoMemory };

/* If it stores *value, it takes ownership and leaves None there. */
static int set_attr(int32_t type_index, const TVMFFIByteArray *name, TVMFFIAny *value) {
  attr_record *attr = ensure_attr(name);
  TVMFFIAny *place;
  if (attr == NULL) return kAttrNoMemory;
  if (type_index == kTVMFFINone) return kAttrRegistered;
  if (!extend_column(attr, type_index)) return kAttrNoMemory;
  place = (TVMFFIAny *)(uintptr_t)&attr->column.data[type_index - attr->column.begin_index];
  if (place->type_index != kTVMFFINone) {
    return is_own_attr(attr, type_index) || is_equal_value(place, value) ? kAttrRegistered
                                                                         : kAttrDuplicate;
  }
  publish_value(place, value);
  *value = tvmffi_any_none();
  return kAttrRegistered;
}

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray *attr_name,
                           const TVMFFIAny *attr_value) {
  TVMFFIAny value = tvmffi_any_none();
  int outcome;
  TVMFFI_REQUIRE(attr_name);
  TVMFFI_TRY(tvmffi_check_bytes(__func__, attr_name, "attr_name"));
  if (type_index < 0 || type_index >= kTvmffiMaxTypes) {
    return tvmffi_fail("ValueError", "Attribute `%.*s`: type index %d is out of range",
                       tvmffi_shown_size(attr_name->size), attr_name->data, (int)type_index);
  }
  if (type_index != kTVMFFINone) {
    TVMFFI_REQUIRE(attr_value);
    if (attr_value->type_index >= kTVMFFIStaticObjectBegin && attr_value->v_obj == NULL) {
      return tvmffi_fail("ValueError", "Attribute `%.*s` expects an object but got NULL",
                         tvmffi_shown_size(attr_name->size), attr_name->data);
    }
    TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(attr_value, &value));
  }
  ensure_own_values();
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  outcome = set_attr(type_index, attr_name, &value);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  tvmffi_any_release(&value);
  if (outcome == kAttrRegistered) return 0;
  if (outcome == kAttrNoMemory) return tvmffi_fail_memory();
  return tvmffi_fail("RuntimeError",
                     "TypeAttr `%.*s` is already registered for type index %d. To update it, "
                     "change the value it holds",
                     tvmffi_shown_size(attr_name->size), attr_name->data, (int)type_index);
}

const TVMFFITypeAttrColumn *TVMFFIGetTypeAttrColumn(const TVMFFIByteArray *attr_name) {
  const attr_record *attr;
  if (attr_name == NULL || (attr_name->data == NULL && attr_name->size != 0)) return NULL;
  ensure_own_values();
  attr = find_attr(attr_name);
  return attr != NULL ? &attr->column : NULL;
}

/* The first type whose value in a column needs the range, or -1. */
static int32_t find_in_column(const attr_record *attr, const tvmffi_dl_range *range) {
  int32_t i = 0;
  while (i < attr->column.size && !tvmffi_function_needs_range(&attr->column.data[i], range)) ++i;
  return i < attr->column.size ? i : -1;
}

bool tvmffi_attr_needs_range(const tvmffi_dl_range *range, tvmffi_dl_reason *out) {
  int32_t type_index = -1;
  size_t i;
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  for (i = 0; i < kTvmffiNumFirstAttrs && type_index < 0; ++i) {
    type_index = find_in_column(&first_attrs[i], range);
  }
  for (i = 0; attrs.current != NULL && i <= attrs.current->mask && type_index < 0; ++i) {
    const attr_record *attr = (const attr_record *)attrs.current->slots[i].record;
    if (attr != NULL) type_index = find_in_column(attr, range);
  }
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (type_index < 0) return false;
  out->set(out, "type `%s` needs it", tvmffi_type_key(type_index));
  return true;
}

/* ---- Shutdown ---- */

/* Clients' deleters run here and may register again: take everything out of its table first. */
static void release_column(attr_record *attr) {
  TVMFFITypeAttrColumn taken = attr->column;
  int32_t i;
  memset(&attr->column, 0, sizeof attr->column);
  attr->capacity = 0;
  for (i = 0; i < taken.size; ++i) {
    TVMFFIAny value = taken.data[i];
    tvmffi_any_release(&value);
  }
}

void tvmffi_type_attr_shutdown(void) {
  static const tvmffi_table empty = {NULL, 0};
  tvmffi_table taken = attrs;
  size_t slot;
  attrs = empty;
  for (slot = 0; taken.current != NULL && slot <= taken.current->mask; ++slot) {
    attr_record *attr = (attr_record *)taken.current->slots[slot].record;
    if (attr != NULL) release_column(attr);
  }
  tvmffi_table_fini(&taken);
  for (slot = 0; slot < kTvmffiNumFirstAttrs; ++slot) release_column(&first_attrs[slot]);
  memset(own_values, 0, sizeof own_values);
  has_own_values = 0;
}
