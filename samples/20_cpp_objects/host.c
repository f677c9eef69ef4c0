/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and uses objects of a type that only schedule.cc defines, through the type's registered
 * fields and methods. */
#include <tvm/ffi/c.h>

static const char *const kKey = "my_kernels.Schedule";

/* Raises an error that the type has no member of that name. */
static int missing(const char *name) {
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%s has no `%s`", kKey, name);
}

static int same(TVMFFIByteArray text, const char *name) {
  return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

/* Calls a method by name; the first argument is the object, if it is not static. */
static int call(const TVMFFITypeInfo *type, const char *name, const TVMFFIAny *args,
                int32_t num_args, TVMFFIAny *result) {
  int32_t i;
  for (i = 0; i < type->num_methods; ++i) {
    if (same(type->methods[i].name, name)) {
      return tvm_ffi_function_call(type->methods[i].method.v_obj, args, num_args, result);
    }
  }
  return missing(name);
}

/* Sets a field of an object; an error if it is read-only. */
static int set(const TVMFFITypeInfo *type, TVMFFIObjectHandle object, const char *name,
               TVMFFIAny value) {
  int32_t i;
  for (i = 0; i < type->num_fields; ++i) {
    const TVMFFIFieldInfo *field = &type->fields[i];
    TVMFFIFieldSetter setter;
    if (!same(field->name, name)) continue;
    if ((field->flags & kTVMFFIFieldFlagBitMaskWritable) == 0) {
      return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "`%s` is read only", name);
    }
    /* For types from C++ it is a C function; memcpy, as C has no cast from a data pointer to it. */
    memcpy(&setter, &field->setter, sizeof setter);
    return setter((char *)object + field->offset, &value);
  }
  return missing(name);
}

/* Prints an object with its fields. */
static int show(const char *title, TVMFFIAny object) {
  TVMFFIAny text;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ReprPrint", &object, 1, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &bytes));
  printf("%s: %.*s\n", title, (int)bytes.size, bytes.data);
  tvm_ffi_any_clear(&text);
  return 0;
}

static int show_type(const TVMFFITypeInfo *type) {
  int32_t i;
  printf("type: %s\n", type->metadata->doc.data);
  for (i = 0; i < type->num_fields; ++i) printf("field: %s\n", type->fields[i].name.data);
  for (i = 0; i < type->num_methods; ++i) printf("method: %s\n", type->methods[i].name.data);
  return 0;
}

static int run(TVMFFIObjectHandle library) {
  TVMFFIByteArray key;
  TVMFFIAny args[7], schedule, other, result;
  TVMFFIObjectHandle total;
  const TVMFFITypeInfo *type;
  int32_t index;

  key.data = kKey, key.size = strlen(kKey);
  TVM_FFI_C_TRY(TVMFFITypeKeyToIndex(&key, &index));
  type = TVMFFIGetTypeInfo(index);
  show_type(type);

  /* From its fields; those not given get their default. */
  args[0] = tvm_ffi_any_view_string(kKey);
  args[1] = tvm_ffi_any_view_string("name"), args[2] = tvm_ffi_any_view_string("steps");
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.MakeObjectFromPackedArgs", args, 3, &schedule));
  TVM_FFI_C_TRY(show("made", schedule));
  args[1] = tvm_ffi_any_view_string("base"), args[2] = tvm_ffi_any_from_int64(1);
  if (tvm_ffi_function_call_global("ffi.MakeObjectFromPackedArgs", args, 3, &result) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }

  /* By the constructor, whose exception C sees as an error; and by a static method. */
  args[0] = tvm_ffi_any_view_string("none"), args[1] = tvm_ffi_any_from_double(-1);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.Array", NULL, 0, &args[2]));
  if (call(type, "__ffi_init__", args, 3, &result) != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_any_clear(&args[2]);
  args[0] = tvm_ffi_any_from_double(0.5);
  TVM_FFI_C_TRY(call(type, "constant", args, 1, &other));
  TVM_FFI_C_TRY(show("constant", other));
  tvm_ffi_any_clear(&other);

  /* Methods and fields. */
  args[0] = schedule, args[1] = tvm_ffi_any_from_int64(100);
  TVM_FFI_C_TRY(call(type, "rate", args, 2, &result));
  printf("rate: %g\n", result.v_float64);
  args[1] = tvm_ffi_any_view_string("now");
  if (call(type, "rate", args, 2, &result) != 0) tvm_ffi_error_print_raised(stdout);
  TVM_FFI_C_TRY(set(type, schedule.v_obj, "base", tvm_ffi_any_from_double(2)));
  if (set(type, schedule.v_obj, "name", tvm_ffi_any_view_string("x")) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  TVM_FFI_C_TRY(show("set", schedule));

  /* Functions of the runtime for all types with registered fields. */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.DeepCopy", &schedule, 1, &other));
  args[0] = schedule, args[1] = other;
  args[2] = args[3] = tvm_ffi_any_from_bool(false);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.StructuralEqual", args, 4, &result));
  printf("a copy: %s, %s\n", other.v_obj != schedule.v_obj ? "another object" : "the same object",
         result.v_int64 ? "equal" : "not equal");
  tvm_ffi_any_clear(&other);

  /* And the kernels of the library. */
  args[0] = schedule, args[1] = tvm_ffi_any_from_int64(200);
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(library, "total", &total));
  TVM_FFI_C_TRY(tvm_ffi_function_call(total, args, 2, &result));
  tvm_ffi_object_release(total);
  printf("total: %g\n", result.v_float64);
  tvm_ffi_any_clear(&schedule);
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle library = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &library) != 0 || run(library) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_object_release(library); /* last: the objects are freed by its code */
  return 0;
}
