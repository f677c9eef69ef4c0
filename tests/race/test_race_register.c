/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-17d: fields, methods and attributes are registered while other threads read them. Readers load
 * the count before the array, as clients do, but with acquire, so that ThreadSanitizer knows the
 * order.
 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

/* Small arrays grow most often, so there are many types with few entries each. */
enum { kThreads = 4, kWriters = 2, kTypes = 400, kEntries = 10, kAttrs = 3000 };

static int32_t types[kWriters][kTypes];
static int written[kWriters]; /* the type that each writer is at */
static int num_writing;       /* writers that have not finished */
/* Every method. */
static TVMFFIObject function = {.combined_ref_count = UINT64_C(0x100000001),
                                .type_index = kTVMFFIFunction};

static int32_t add_type(int writer, int i) {
  TVMFFIByteArray bytes;
  char key[48];
  (void)snprintf(key, sizeof key, "my.%d.%d", writer, i);
  bytes = check_bytes(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
}

static void name_entry(char *buffer, size_t size, int64_t i) {
  (void)snprintf(buffer, size, "entry.%d", (int)i);
}

static int register_field(int32_t type_index, int i) {
  TVMFFIFieldInfo field;
  char name[48];
  memset(&field, 0, sizeof field);
  name_entry(name, sizeof name, i);
  field.name = check_bytes(name);
  field.offset = i;
  return TVMFFITypeRegisterField(type_index, &field);
}

static int register_method(int32_t type_index, int i) {
  TVMFFIMethodInfo method;
  char name[48];
  memset(&method, 0, sizeof method);
  name_entry(name, sizeof name, i);
  method.name = check_bytes(name);
  method.flags = i;
  method.method = tvmffi_any_object(&function);
  return TVMFFITypeRegisterMethod(type_index, &method);
}

static void write_entries(int writer) {
  int type, i;
  for (type = 0; type < kTypes; ++type) {
    tvmffi_atomic_store_release_int(&written[writer], type);
    for (i = 0; i < kEntries; ++i) {
      expect(register_field(types[writer][type], i) == 0);
      expect(register_method(types[writer][type], i) == 0);
    }
  }
  (void)__atomic_fetch_sub(&num_writing, 1, __ATOMIC_RELEASE);
}

static void check_name(const TVMFFIByteArray *name, int32_t i) {
  char expected[48];
  name_entry(expected, sizeof expected, i);
  expect(name->size == strlen(expected) && strcmp(name->data, expected) == 0);
}

static void check_entries(const TVMFFITypeInfo *info) {
  int32_t num_fields = tvmffi_atomic_load_acquire(&info->num_fields);
  const TVMFFIFieldInfo *fields = tvmffi_atomic_load_acquire_ptr(&info->fields);
  int32_t num_methods = tvmffi_atomic_load_acquire(&info->num_methods);
  const TVMFFIMethodInfo *methods = tvmffi_atomic_load_acquire_ptr(&info->methods);
  int32_t i;
  expect(num_fields <= kEntries && num_methods <= kEntries);
  for (i = num_fields - 1; i >= 0 && i >= num_fields - 2; --i) {
    expect(fields[i].offset == i);
    check_name(&fields[i].name, i);
  }
  for (i = num_methods - 1; i >= 0 && i >= num_methods - 2; --i) {
    expect(methods[i].flags == i);
    check_name(&methods[i].name, i);
  }
}

static void write_or_read(void *arg, int index) {
  int writer = index % kWriters;
  (void)arg;
  if (index < kWriters) {
    write_entries(writer);
    return;
  }
  do {
    int type = tvmffi_atomic_load_acquire_int(&written[writer]);
    check_entries(TVMFFIGetTypeInfo(types[writer][type]));
  } while (tvmffi_atomic_load_acquire_int(&num_writing) > 0);
}

static void run(void (*work)(void *arg, int index), int num_writers) {
  expect_failures = 0;
  num_writing = num_writers;
  thread_run_many(kThreads, work, NULL);
  assert_int_equal(expect_failures, 0);
}

TEST(test_L_17d_fields_and_methods) {
  int writer, type;
  for (writer = 0; writer < kWriters; ++writer) {
    for (type = 0; type < kTypes; ++type) types[writer][type] = add_type(writer, type);
  }
  run(write_or_read, kWriters);
  for (writer = 0; writer < kWriters; ++writer) {
    for (type = 0; type < kTypes; ++type) {
      const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(types[writer][type]);
      assert_int_equal(info->num_fields, kEntries);
      assert_int_equal(info->num_methods, kEntries);
    }
  }
}

/* All threads register the same names; one of them succeeds with each. */
static int num_taken;

static void register_same(void *arg, int index) {
  int i;
  (void)index;
  for (i = 0; i < 300; ++i) {
    if (register_field(*(const int32_t *)arg, i) == 0) {
      (void)__atomic_fetch_add(&num_taken, 1, __ATOMIC_RELAXED);
    }
  }
}

TEST(test_a_field_is_registered_once) {
  int32_t type_index = add_type(0, 0);
  num_taken = 0;
  thread_run_many(kThreads, register_same, &type_index);
  assert_int_equal(num_taken, 300);
  assert_int_equal(TVMFFIGetTypeInfo(type_index)->num_fields, 300);
}

static const TVMFFITypeAttrColumn *find_column(void) {
  TVMFFIByteArray name = check_bytes("my.attr");
  return TVMFFIGetTypeAttrColumn(&name);
}

/* An entry is None or complete: its index determines its value. */
static void check_column(const TVMFFITypeAttrColumn *column) {
  int32_t size = tvmffi_atomic_load_acquire(&column->size), i;
  const TVMFFIAny *data = tvmffi_atomic_load_acquire_ptr(&column->data);
  for (i = size > 40 ? size - 40 : 0; i < size; ++i) {
    int32_t kind = tvmffi_atomic_load_acquire(&data[i].type_index);
    if (kind == kTVMFFINone) continue;
    if (i % 2 == 0) {
      expect(kind == kTVMFFIInt && data[i].v_int64 == i);
    } else {
      expect(kind == kTVMFFIStr);
      expect(strcmp(TVMFFIBytesGetByteArrayPtr(data[i].v_obj)->data, "a text for the heap") == 0);
    }
  }
}

static void write_or_read_column(void *arg, int index) {
  TVMFFIByteArray name = check_bytes("my.attr");
  int32_t i;
  (void)arg;
  if (index >= kWriters) {
    const TVMFFITypeAttrColumn *first = NULL;
    do {
      const TVMFFITypeAttrColumn *column = find_column();
      if (column == NULL) continue;
      expect(first == NULL || first == column);
      first = column;
      check_column(column);
    } while (tvmffi_atomic_load_acquire_int(&num_writing) > 0);
    return;
  }
  for (i = 1; i < kAttrs; ++i) { /* both writers set the same values */
    TVMFFIAny value = i % 2 == 0 ? tvmffi_any_int(i) : tvmffi_any_raw_str("a text for the heap");
    expect(TVMFFITypeRegisterAttr(i, &name, &value) == 0);
  }
  (void)__atomic_fetch_sub(&num_writing, 1, __ATOMIC_RELEASE);
}

TEST(test_L_17d_attributes) {
  run(write_or_read_column, kWriters);
  assert_int_equal(find_column()->size, kAttrs);
}

RUN_TESTS({
    test_and_shut_down(test_L_17d_fields_and_methods),
    test_and_shut_down(test_a_field_is_registered_once),
    test_and_shut_down(test_L_17d_attributes),
})
