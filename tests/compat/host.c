/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the calls that a file lists and prints the outcome of each, one line per call. The program
 * that starts it decides which runtime it uses.
 *
 *     host calls.txt c=./kernels.so cpp=./kernels_cpp.so
 *
 * A line is `callee value...`, or `x = callee value...` to keep the result in a variable. Callees:
 *     c.name    a kernel of the library c         :name   a global function
 *     $x        a Function in a variable          value   gives its argument back
 *     drop x    releases a variable               bare ...  a call without streams and allocator
 * read.c says how values are written. */
#include "host.h"

library libraries[MAX_LIBRARIES + 1];
TVMFFIAny variables[26];

void fail_usage(const char *label, const char *text) {
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", label, text);
  exit(2);
}

static void fail_raised(const char *label) {
  fflush(stdout);
  fprintf(stderr, "%s: ", label);
  tvm_ffi_error_print_raised(stderr);
  exit(2);
}

/* [own] */
static TVMFFIObjectHandle find_callee(const char *word) {
  TVMFFIObjectHandle function = NULL;
  const char *dot = strchr(word, '.');
  size_t i;
  if (word[0] == ':') {
    if (tvm_ffi_function_get_global(word + 1, &function) != 0) fail_raised(word);
    return function;
  }
  if (word[0] == '$' && word[1] >= 'a' && word[1] <= 'z' && word[2] == '\0') {
    if (!tvm_ffi_any_try_object(&variables[word[1] - 'a'], kTVMFFIFunction, &function)) {
      fail_usage("no function", word);
    }
    return tvm_ffi_object_retain(function);
  }
  for (i = 0; dot != NULL && libraries[i].name != NULL; ++i) {
    if (strlen(libraries[i].name) != (size_t)(dot - word)) continue;
    if (strncmp(libraries[i].name, word, (size_t)(dot - word)) != 0) continue;
    if (tvm_ffi_module_get_function(libraries[i].module, dot + 1, &function) != 0) {
      fail_raised(word);
    }
    return function;
  }
  fail_usage("what is there to call", word);
  return NULL;
}

static uint64_t count_references(const TVMFFIAny *any) {
  TVMFFIObjectHandle object;
  if (!tvm_ffi_any_try_object(any, kTVMFFIObject, &object)) return 0;
  return ((const TVMFFIObject *)object)->combined_ref_count & UINT32_MAX;
}

static int call(bool bare, TVMFFIObjectHandle callee, const TVMFFIAny *args, int32_t num_args,
                TVMFFIAny *result) {
  tvm_ffi_env env;
  if (bare) return tvm_ffi_function_call(callee, args, num_args, result);
  env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, 1));
  env.stream = (TVMFFIStreamHandle)(uintptr_t)0x1230;
  env.allocator = tvm_ffi_env_allocate_cpu;
  return tvm_ffi_env_call(&env, callee, args, num_args, result);
}

static void make_call(const char *line) {
  const char *cursor = line;
  char word[200], assigned[4];
  TVMFFIAny args[MAX_VALUES], result = tvm_ffi_any_none();
  TVMFFIObjectHandle callee, error;
  uint64_t before[MAX_VALUES];
  int32_t i, num_args = 0;
  char variable = 0;
  bool bare;
  scratch kept;
  kept.num_blocks = kept.num_owned = 0;
  if (!read_word(&cursor, word, sizeof word)) return;
  if (word[1] == '\0' && strncmp(cursor, " = ", 3) == 0) {
    variable = word[0];
    if (variable < 'a' || variable > 'z') fail_usage("not a variable", line);
    read_word(&cursor, assigned, sizeof assigned);
    if (!read_word(&cursor, word, sizeof word)) fail_usage("nothing to assign", line);
  }
  bare = strcmp(word, "bare") == 0;
  if (bare && !read_word(&cursor, word, sizeof word)) fail_usage("no callee", line);
  if (strcmp(word, "drop") == 0) {
    if (!read_word(&cursor, word, sizeof word)) fail_usage("nothing to drop", line);
    tvm_ffi_any_clear(&variables[word[0] - 'a']);
    return;
  }
  callee = strcmp(word, "value") != 0 ? find_callee(word) : NULL;
  while (read_value(&cursor, &kept, &args[num_args])) {
    before[num_args] = count_references(&args[num_args]);
    if (++num_args == MAX_VALUES) fail_usage("too many arguments", line);
  }
  printf("%s => ", line);
  if (callee == NULL) {
    if (num_args != 1 || tvm_ffi_any_copy(args, &result) != 0) fail_usage("not one value", line);
    print_value(&result);
  } else {
    int code = call(bare, callee, args, num_args, &result);
    if (code == 0) {
      print_value(&result);
    } else {
      error = tvm_ffi_error_take();
      if (code != -1) printf("code %d: ", code);
      print_error(error);
      tvm_ffi_object_release(error);
    }
    for (i = 0; i < num_args; ++i) {
      const uint64_t after = count_references(&args[i]);
      if (after != before[i]) printf(" [#%d %+d]", (int)i, (int)(after - before[i]));
    }
    if (tvm_ffi_error_take() != NULL) printf(" [an error is left]");
  }
  putchar('\n');
  fflush(stdout); /* so that the output shows which call crashed */
  tvm_ffi_object_release(callee);
  release_scratch(&kept);
  if (variable != 0) {
    tvm_ffi_any_clear(&variables[variable - 'a']);
    variables[variable - 'a'] = result;
  } else {
    tvm_ffi_any_clear(&result);
  }
}

/* Prints which runtime is loaded; the test checks that it is the one it asked for. */
static void print_runtime(void) {
  char line[4096], *path;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) fail_usage("cannot open", "/proc/self/maps");
  while (fgets(line, sizeof line, maps) != NULL) {
    path = strchr(line, '/');
    if (path != NULL && strstr(path, "libtvm_ffi.so") != NULL && strstr(line, "r-xp") != NULL) {
      printf("runtime %s", path);
    }
  }
  fclose(maps);
}

int main(int argc, char **argv) {
  char line[4096];
  FILE *calls;
  int i;
  if (argc < 2 || argc > 2 + MAX_LIBRARIES)
    fail_usage("host CALLS [NAME=LIBRARY]...", "as arguments");
  print_runtime();
  for (i = 2; i < argc; ++i) {
    char *equals = strchr(argv[i], '=');
    if (equals == NULL) fail_usage("name=path expected", argv[i]);
    *equals = '\0';
    libraries[i - 2].name = argv[i];
    libraries[i - 2].path = equals + 1;
    if (tvm_ffi_module_load(equals + 1, &libraries[i - 2].module) != 0) fail_raised(equals + 1);
  }
  calls = fopen(argv[1], "r");
  if (calls == NULL) fail_usage("cannot open", argv[1]);
  while (fgets(line, sizeof line, calls) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0' && line[0] != '#') make_call(line);
  }
  fclose(calls);
  for (i = 0; i < 26; ++i) tvm_ffi_any_clear(&variables[i]);
  for (i = 2; i < argc; ++i) tvm_ffi_object_release(libraries[i - 2].module);
  return 0;
}
