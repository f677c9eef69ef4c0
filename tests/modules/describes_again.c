/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests/plugins.py, which links it with a copy of the runtime and without one. While it is
 * loaded it describes what the runtime has built in, as the package's library does, and prints what
 * became of that.
 */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>

static TVMFFIByteArray text(const char *data) {
  TVMFFIByteArray out;
  out.data = data;
  out.size = strlen(data);
  return out;
}

static int do_nothing(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  return 0;
}

static int get_nothing(void *field, TVMFFIAny *result) {
  (void)field;
  (void)result;
  return 0;
}

static void print(const char *label, int code) {
  TVMFFIObjectHandle error = NULL;
  printf("%s: %s\n", label, code == 0 ? "done" : "refused");
  TVMFFIErrorMoveFromRaised(&error);
  if (error != NULL) TVMFFIObjectDecRef(error);
}

__attribute__((constructor)) static void describe(void) {
  const TVMFFIByteArray key = text("ffi.reflection.AccessStep");
  const TVMFFIByteArray name = text("ffi.Array"), own_name = text("test.describes_again");
  TVMFFITypeMetadata metadata;
  TVMFFIFieldInfo field;
  TVMFFIMethodInfo method;
  TVMFFIObjectHandle function = NULL;
  int32_t type_index = 0, num_methods;
  (void)setvbuf(stdout, NULL, _IONBF, 0);
  if (TVMFFITypeKeyToIndex(&key, &type_index) != 0 ||
      TVMFFIFunctionCreate(NULL, do_nothing, NULL, &function) != 0) {
    puts("no type or no function");
    return;
  }
  memset(&metadata, 0, sizeof metadata);
  print("metadata", TVMFFITypeRegisterMetadata(type_index, &metadata));
  memset(&field, 0, sizeof field);
  field.name = text("kind");
  field.size = field.alignment = 4;
  field.offset = (int64_t)sizeof(TVMFFIObject);
  field.getter = get_nothing;
  field.field_static_type_index = kTVMFFIInt;
  print("field", TVMFFITypeRegisterField(type_index, &field));
  print("function", TVMFFIFunctionSetGlobal(&name, function, 0));
  memset(&method, 0, sizeof method);
  method.name = name;
  method.method.type_index = kTVMFFIFunction;
  method.method.v_obj = function;
  print("function with metadata", TVMFFIFunctionSetGlobalFromMethodInfo(&method, 0));
  method.name = own_name;
  num_methods = TVMFFIGetTypeInfo(type_index)->num_methods;
  print("method", TVMFFITypeRegisterMethod(type_index, &method));
  print("method", TVMFFITypeRegisterMethod(type_index, &method));
  printf("%d more methods\n", (int)(TVMFFIGetTypeInfo(type_index)->num_methods - num_methods));
  print("own function", TVMFFIFunctionSetGlobal(&own_name, function, 0));
  print("own function", TVMFFIFunctionSetGlobal(&own_name, function, 0));
  TVMFFIObjectDecRef(function);
}
