/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on modules: kernel libraries, symbols of the system library, context symbols. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

/* load v number: one of the libraries named on the command line */
static void load(const operands *inputs) {
  TVMFFIAny path, module = make_none();
  int64_t number;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target)) return;
  if (!read_int(inputs, 1, 0, num_libraries - 1, &number)) return;
  path = make_raw_text(library_paths[number]);
  rc = call_global("ffi.ModuleLoadFromFile", &path, 1, &module);
  give(rc, target, module);
}

/* get v module =name query */
static void get_function(const operands *inputs) {
  TVMFFIAny args[3], function = make_none();
  TVMFFIByteArray name;
  TVMFFIObject *module;
  int64_t query;
  int target, rc;
  if (!read_register(inputs, 0, 'v', kNumValues, &target) ||
      !read_object(inputs, 1, kTVMFFIModule, &module) || !read_bytes(inputs, 2, &name) ||
      !read_int(inputs, 3, 0, 1, &query)) {
    return;
  }
  args[0] = make_object(module);
  if (api.TVMFFIStringFromByteArray(&name, &args[1]) != 0) abort();
  args[2] = make_value(kTVMFFIBool, query);
  rc = call_global("ffi.ModuleGetFunction", args, 3, &function);
  release_value(&args[1]);
  give(rc, target, function);
}

/* about module =global which =name query: asks the global function about a function of a module */
static void ask_about(const operands *inputs) {
  TVMFFIAny args[3], result = make_none();
  const char *question;
  TVMFFIObject *module;
  int64_t query;
  int rc;
  if (!read_object(inputs, 0, kTVMFFIModule, &module) || !read_text(inputs, 1, &question) ||
      !read_text(inputs, 2, &args[1].v_c_str) || !read_int(inputs, 3, 0, 1, &query)) {
    return;
  }
  args[0] = make_object(module);
  args[1] = make_raw_text(args[1].v_c_str);
  args[2] = make_value(kTVMFFIBool, query);
  rc = call_global(question, args, 3, &result);
  if (rc != 0) say_failure(rc);
  if (rc == 0) say_value(&result);
  release_value(&result);
}

/* imports v: lists what the module imports, by register or, if in none, as a value */
static void show_imports(const operands *inputs) {
  const TVMFFISeqCell *imports;
  TVMFFIObject *module;
  TVMFFIObjectHandle array;
  int64_t i;
  if (!read_object(inputs, 0, kTVMFFIModule, &module)) return;
  memcpy(&array, (char *)module + sizeof(TVMFFIObject), sizeof array);
  imports = TVMFFISeqGetCellPtr(array);
  say("imports");
  for (i = 0; i < imports->size; ++i) {
    const TVMFFIAny *item = (const TVMFFIAny *)imports->data + i;
    int number;
    say(" ");
    for (number = 0; number < kNumValues; ++number) {
      if (values[number].type_index == kTVMFFIModule && values[number].v_obj == item->v_obj) break;
    }
    if (number < kNumValues) say("v%d", number);
    if (number == kNumValues) say_value(item);
  }
}

/* ---- Symbols ---- */

static int return_number(int number, int32_t num_args, TVMFFIAny *result) {
  const saved_line saved = begin_event();
  say("symbol %d called", number);
  end_event(saved);
  *result = make_value(kTVMFFIInt, 100 * number + num_args);
  return 0;
}

static int symbol_one(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  return return_number(handle == NULL ? 1 : 9, num_args, result);
}

static int symbol_two(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  (void)args;
  return return_number(2, num_args, result);
}

static int symbol_text(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text = {"a text of the system library", 28};
  (void)handle;
  (void)args;
  (void)num_args;
  return api.TVMFFIStringFromByteArray(&text, result);
}

static int symbol_failing(void *handle, const TVMFFIAny *args, int32_t num_args,
                          TVMFFIAny *result) {
  (void)handle;
  (void)args;
  (void)num_args;
  (void)result;
  api.TVMFFIErrorSetRaisedFromCStr("KeyError", "no symbol");
  return -1;
}

/* system_symbol =name which */
static void add_system_symbol(const operands *inputs) {
  static const TVMFFISafeCallType symbols[] = {symbol_one, symbol_two, symbol_text, symbol_failing};
  const char *name;
  int64_t choice;
  void *symbol;
  if (!read_text(inputs, 0, &name) || !read_int(inputs, 1, 0, 3, &choice)) return;
  if (strncmp(name, "__tvm_ffi_", 10) != 0 && strstr(name, "__tvm_ffi__") == NULL) {
    skip("no symbol of a function");
    return;
  }
  if (strstr(name, "__tvm_ffi__library_") != NULL) {
    skip("a symbol of data");
    return;
  }
  copy_pointer(&symbol, &symbols[choice]);
  tell(api.TVMFFIEnvModRegisterSystemLibSymbol(name, symbol));
}

/* context_symbol =name mark */
static void add_context_symbol(const operands *inputs) {
  const char *name;
  void *symbol;
  if (!read_text(inputs, 0, &name) || !read_mark(inputs, 1, &symbol)) return;
  if (strncmp(name, "__compat_", 9) != 0) {
    skip("context symbols of programs begin with __compat_");
    return;
  }
  tell(api.TVMFFIEnvModRegisterContextSymbol(name, symbol));
}

const operation module_operations[] = {
    {"load", load},
    {"get", get_function},
    {"about", ask_about},
    {"imports", show_imports},
    {"system_symbol", add_system_symbol},
    {"context_symbol", add_context_symbol},
    {NULL, NULL},
};
