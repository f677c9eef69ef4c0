/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-17d: fields, methods and attributes are registered while others read them. Readers load the
 * count before the array, as clients do; with acquire, so that ThreadSanitizer knows the order.
 */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kEntries = 1500 };

static int32_t type_index;
static int num_writing; /* writers that have not finished */

static void name_entry(char *buffer, size_t size, int thread, int i) {
  (void)snprintf(buffer, size, "entry.%d.%d", thread, i);
}

static void write_entries(int thread) {
  char name[48];
  int i;
  for (i = 0; i < kEntries; ++i) {
    TVMFFIFieldInfo field;
    TVMFFIMethodInfo method;
    memset(&field, 0, sizeof field);
    memset(&method, 0, sizeof method);
    name_entry(name, sizeof name, thread, i);
    field.name = method.name = check_bytes(name);
    field.offset = thread * kEntries + i;
    method.method = tvmffi_any_int(thread * kEntries + i);
    expect(TVMFFITypeRegisterField(type_index, &field) == 0);
    expect(TVMFFITypeRegisterMethod(type_index, &method) == 0);
  }
  (void)__atomic_fetch_sub(&num_writing, 1, __ATOMIC_RELEASE);
}

static void check_name(const TVMFFIByteArray *name, int64_t number) {
  char expected[48];
  name_entry(expected, sizeof expected, (int)(number / kEntries), (int)(number % kEntries));
  expect(name->size == strlen(expected) && strcmp(name->data, expected) == 0);
}

/* The newest entries are whole, and the counts never go back. */
static void read_entries(void) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  int32_t num_fields = 0, num_methods = 0;
  do {
    int32_t fields_now = tvmffi_atomic_load_acquire(&info->num_fields);
    const TVMFFIFieldInfo *fields = tvmffi_atomic_load_acquire_ptr(&info->fields);
    int32_t methods_now = tvmffi_atomic_load_acquire(&info->num_methods);
    const TVMFFIMethodInfo *methods = tvmffi_atomic_load_acquire_ptr(&info->methods);
    int32_t i;
    expect(fields_now >= num_fields && methods_now >= num_methods);
    num_fields = fields_now;
    num_methods = methods_now;
    for (i = num_fields > 4 ? num_fields - 4 : 0; i < num_fields; ++i) {
      check_name(&fields[i].name, fields[i].offset);
    }
    for (i = num_methods > 4 ? num_methods - 4 : 0; i < num_methods; ++i) {
      check_name(&methods[i].name, methods[i].method.v_int64);
    }
  } while (tvmffi_atomic_load_acquire_int(&num_writing) > 0);
}

static void write_or_read(void *arg, int index) {
  (void)arg;
  if (index < 2) {
    write_entries(index);
  } else {
    read_entries();
  }
}

static void run(void (*work)(void *arg, int index), int num_writers) {
  expect_failures = 0;
  num_writing = num_writers;
  thread_run_many(kThreads, work, NULL);
  assert_int_equal(expect_failures, 0);
}

static void test_L_17d_fields_and_methods(void **state) {
  static char is_there[2 * kEntries];
  const TVMFFITypeInfo *info;
  int i;
  (void)state;
  run(write_or_read, 2);
  info = TVMFFIGetTypeInfo(type_index);
  assert_int_equal(info->num_fields, 2 * kEntries);
  assert_int_equal(info->num_methods, 2 * kEntries);
  for (i = 0; i < 2 * kEntries; ++i) is_there[info->fields[i].offset] = 1;
  for (i = 0; i < 2 * kEntries; ++i) assert_true(is_there[i]);
}

/* One name, registered by all: one of them has it. */
static int num_taken;

static void register_same(void *arg, int index) {
  int i;
  (void)arg;
  (void)index;
  for (i = 0; i < 300; ++i) {
    char name[48];
    TVMFFIFieldInfo field;
    memset(&field, 0, sizeof field);
    name_entry(name, sizeof name, 0, i);
    field.name = check_bytes(name);
    if (TVMFFITypeRegisterField(type_index, &field) == 0) {
      (void)__atomic_fetch_add(&num_taken, 1, __ATOMIC_RELAXED);
    }
  }
}

static void test_a_field_is_registered_once(void **state) {
  (void)state;
  num_taken = 0;
  run(register_same, 0);
  assert_int_equal(num_taken, 300);
  assert_int_equal(TVMFFIGetTypeInfo(type_index)->num_fields, 300);
}

static const TVMFFITypeAttrColumn *find_column(void) {
  TVMFFIByteArray name = check_bytes("my.attr");
  return TVMFFIGetTypeAttrColumn(&name);
}

/* Entries are None or whole: what an entry must be follows from its index. */
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
  if (index >= 2) {
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
  for (i = 1; i < 2 * kEntries; ++i) { /* both set the same values */
    TVMFFIAny value = i % 2 == 0 ? tvmffi_any_int(i) : tvmffi_any_raw_str("a text for the heap");
    expect(TVMFFITypeRegisterAttr(i, &name, &value) == 0);
  }
  (void)__atomic_fetch_sub(&num_writing, 1, __ATOMIC_RELEASE);
}

static void test_L_17d_attributes(void **state) {
  (void)state;
  run(write_or_read_column, 2);
  assert_int_equal(find_column()->size, 2 * kEntries);
}

static int add_type(void **state) {
  TVMFFIByteArray key = check_bytes("my.T");
  (void)state;
  type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  return type_index >= 0 ? 0 : -1;
}

static int shut_down(void **state) {
  (void)state;
  return TVMFFIRuntimeShutdown();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, add_type, shut_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_L_17d_fields_and_methods),
      TEST(test_a_field_is_registered_once),
      TEST(test_L_17d_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
