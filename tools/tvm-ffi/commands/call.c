/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "library/library.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/tensor.h"

/* Parses "f(a, b)", or only a name. */
static bool parse_form(const char *form, call *out) {
  const char *open = strchr(form, '(');
  size_t size = strlen(form), name_size = open != NULL ? (size_t)(open - form) : size;
  while (size > 0 && isspace((unsigned char)form[size - 1])) --size;
  while (name_size > 0 && isspace((unsigned char)form[name_size - 1])) --name_size;
  while (name_size > 0 && isspace((unsigned char)*form)) ++form, --name_size, --size;
  if (name_size == 0 || (open != NULL && form[size - 1] != ')')) {
    return report_error("`%s` is not a call, such as 'scale(4xf32=1, 2.5)'%s", form,
                        open != NULL && name_size > 0 ? ": the ) at the end is missing" : "");
  }
  out->function = tool_copy(form, name_size);
  if (open != NULL) {
    out->parameters = open + 1;
    out->parameters_size = (size_t)(form + size - 1 - out->parameters);
    if (out->inputs.count > 0) {
      return report_error("--input and a call in parentheses cannot be combined");
    }
  }
  return true;
}

/* ---- Libraries ---- */

/* Splits `isolated:PATH` and `isolated,OPTIONS:PATH`, as the runtime does. Returns the path; the
 * options, with the comma before them, are to be released with free(). Any other name is returned
 * as it is, and has no options: NULL. */
static const char *split_name(const char *name, char **out_options) {
  static const char kScheme[] = "isolated";
  const char *options = name + sizeof kScheme - 1, *colon;
  *out_options = NULL;
  if (strncmp(name, kScheme, sizeof kScheme - 1) != 0) return name;
  colon = strchr(options, ':');
  if (colon == NULL || (*options != ':' && *options != ',')) return name;
  *out_options = tool_copy(options, (size_t)(colon - options));
  return colon + 1;
}

/* Reads the i-th name, which --isolated may complete; false after a report. */
static bool read_name(const arguments *args, size_t i, call *out) {
  const bool offers = arguments_offer(args, kOptionIsolated);
  const char *options = offers ? arguments_text(args, kOptionIsolated, NULL) : NULL;
  const char *name = out->names[i], *wrong = NULL;
  out->paths[i] = split_name(name, &out->isolated[i]);
  if (out->isolated[i] != NULL && !offers) {
    wrong = "only run and bench take isolated libraries; give the file";
  } else if (out->isolated[i] != NULL && options != NULL) {
    wrong = "the name says that it is isolated, and so does --isolated";
  } else if (options != NULL && strchr(options, ':') != NULL) {
    wrong = "the options of --isolated cannot have a colon";
  } else if (options != NULL) {
    out->isolated[i] = tool_format("%s%s", *options != '\0' ? "," : "", options);
  }
  if (wrong == NULL && out->isolated[i] != NULL && strcmp(out->paths[i], "-") == 0) {
    wrong = "another process cannot load a library from standard input; give a file";
  }
  if (wrong != NULL) report_error("%s: %s", name, wrong);
  return wrong == NULL;
}

bool call_is_isolated(const call *request) {
  size_t i;
  for (i = 0; i < request->num_paths && request->isolated[i] == NULL; ++i) continue;
  return i < request->num_paths;
}

/* What --isolated cannot be combined with; false after a report. */
static bool check_isolated(const call *request, tensor_guard guard) {
  const char *wrong = guard != kGuardNone                        ? "--guard"
                      : strcmp(request->device_name, "cpu") != 0 ? "--device"
                                                                 : NULL;
  if (wrong == NULL || !call_is_isolated(request)) return true;
  return report_error(
      "%s cannot be used with an isolated library: tensors are copied from the CPU's memory",
      wrong);
}

/* Whether the last operand is another library, not a function: it exists as a file, or looks like a
 * file name. */
static bool is_library(const arguments *args, const char *word) {
  file_status status;
  char *options;
  if (strchr(word, '(') != NULL) return false;
  if (split_name(word, &options) != word) {
    free(options);
    return true;
  }
  if (arguments_has(args, kOptionFunction)) return true;
  if (strcmp(word, "-") == 0 || path_has_folder(word) || strstr(word, ".so") != NULL ||
      strstr(word, kSystem.library_suffix) != NULL || source_has_suffix(word)) {
    return true;
  }
  return file_status_get(word, &status) && !status.is_folder;
}

/* Collects the libraries; *taken is how many operands were libraries. False after a report. */
static bool read_libraries(const arguments *args, size_t max_libraries, call *out, size_t *taken) {
  const text_list given = arguments_values(args, kOptionModule);
  size_t num_operands = arguments_num_operands(args), i;
  *taken = 0;
  if (given.count > max_libraries) {
    return report_error("--module may be given at most %s", max_libraries == 1 ? "once" : "twice");
  }
  for (i = 0; i < given.count; ++i) out->names[i] = given.items[i];
  for (; given.count == 0 && i < max_libraries && i < num_operands; ++i) {
    const char *word = arguments_operand(args, i);
    if (i > 0 && i + 1 == num_operands && !is_library(args, word)) break;
    out->names[i] = word;
    *taken = i + 1;
  }
  out->num_paths = i;
  if (i == 0) report_error("say which library: as an operand, or with --module");
  for (i = 0; i < out->num_paths; ++i) {
    if (!read_name(args, i, out)) return false;
  }
  return out->num_paths > 0;
}

static bool read_options(const arguments *args, call *out) {
  const tensor_guard guard = arguments_offer(args, kOptionGuard)
                                 ? (tensor_guard)arguments_word(args, kOptionGuard, kGuardNone)
                                 : kGuardNone;
  long long seed;
  size_t i;
  out->inputs = arguments_values(args, kOptionInput);
  out->device_name = arguments_text(args, kOptionDevice, "cpu");
  out->settings.in_place =
      arguments_offer(args, kOptionNoFork) && arguments_has(args, kOptionNoFork);
  out->settings.others_print = !arguments_has(args, kOptionJson);
  out->settings.others_read = true;
  if (guard != kGuardNone && strcmp(out->device_name, "cpu") != 0) {
    return report_error("--guard is only for CPU memory");
  }
  if (!check_isolated(out, guard)) return false;
  out->settings.is_limited = true;
  for (i = 0; i < out->num_paths; ++i) {
    if (out->isolated[i] == NULL) out->settings.is_limited = false;
  }
  if (!arguments_int(args, kOptionSeed, 0, 0, INT64_MAX, &seed)) return false;
  if (!read_timeout(args, &out->settings.timeout)) return false;
  out->reader = input_reader_new((uint64_t)seed, guard);
  return true;
}

bool call_parse(const arguments *args, size_t max_libraries, call *out) {
  size_t num_operands = arguments_num_operands(args), i;
  const char *function = arguments_text(args, kOptionFunction, NULL);
  memset(out, 0, sizeof *out);
  source_allow(arguments_values(args, kOptionCflags), true);
  if (!read_libraries(args, max_libraries, out, &i)) return false;
  if (i + 1 < num_operands || (i < num_operands && function != NULL)) {
    return report_error(
        "one operand too many: %s; %s", arguments_operand(args, num_operands - 1),
        function != NULL ? "--function names the function" : "--module names the library");
  }
  if (function != NULL && strchr(function, '(') != NULL) {
    return report_error("--function takes a name; `%s` is a call, and an operand", function);
  }
  if (i < num_operands) function = arguments_operand(args, i);
  return read_options(args, out) && (function == NULL || parse_form(function, out));
}

void call_free(call *request) {
  size_t i;
  for (i = 0; i < kMaxLibraries; ++i) free(request->isolated[i]);
  free(request->function);
  if (request->reader != NULL) input_reader_free(request->reader);
}

int call_in_child(const call *request, int (*body)(void *context), void *context) {
  size_t i;
  int code;
  if (supervise_command(&request->settings, &code)) return code;
  for (i = 0; i < request->num_paths; ++i) {
    if (!library_argument_fetch(request->paths[i])) return kExitLoad;
  }
  return supervise_run(body, context, &request->settings);
}

/* Loads the i-th library; false after a report, with the exit code. */
static bool open_library(const call *request, size_t i, loaded_library *out, int *exit_code) {
  bool options_are_wrong, good;
  *exit_code = kExitLoad;
  if (request->isolated[i] == NULL) return library_open(request->paths[i], out);
  good = library_open_isolated(request->paths[i], request->isolated[i], out, &options_are_wrong);
  if (options_are_wrong) *exit_code = kExitUsage;
  return good;
}

bool call_load(call *request, size_t i, kernel *out, int *exit_code) {
  memset(out, 0, sizeof *out);
  *exit_code = kExitUsage;
  supervise_name(request->paths[i]);
  if (i == 0 && !device_open(request->device_name, &request->device)) return false;
  if (!open_library(request, i, &out->lib, exit_code)) return false;
  *exit_code = kExitUsage;
  if (request->function == NULL) request->function = library_only_function(&out->lib);
  if (request->function != NULL) {
    out->function = request->is_recorded ? library_find_own(&out->lib, request->function)
                                         : library_find(&out->lib, request->function);
  }
  if (out->function != NULL) return true;
  kernel_free(out);
  return false;
}

void kernel_free(kernel *callee) {
  tvm_ffi_object_release(callee->function);
  callee->function = NULL;
  if (callee->lib.file != NULL) library_close(&callee->lib);
  callee->lib.file = NULL;
}

/* What a copy in a helper process does not have; false after a report. */
static bool check_copyable(const input_list *inputs) {
  size_t i;
  for (i = 0; i < inputs->size; ++i) {
    const input_memory *memory = inputs->items[i].memory;
    const char *wrong = memory == NULL                         ? NULL
                        : memory->seen.how.guard != kGuardNone ? ".guard"
                        : memory->seen.how.has_read_only_pages ? ".readonly"
                        : memory->seen.how.has_no_memory       ? ".reserved"
                                                               : NULL;
    if (wrong == NULL) continue;
    return report_error(
        "argument %zu: %s cannot be used with an isolated library: tensors are copied", i, wrong);
  }
  return true;
}

/* What only memory of the CPU has; false after a report. */
static bool check_movable(const input_memory *memory, size_t i) {
  const layout *how = &memory->seen.how;
  const char *wrong = how->guard != kGuardNone ? ".guard"
                      : how->is_read_only      ? ".readonly"
                      : how->has_no_memory     ? ".reserved"
                      : how->device.device_type != kDLCPU || how->device.device_id != 0 ? ".device"
                                                                                        : NULL;
  if (wrong == NULL) return true;
  return report_error("argument %zu: %s is only for memory of the CPU, not for --device", i, wrong);
}

/* A copy of the i-th argument, which has a layout: those that share memory still do. `bytes` are
 * the copies of the memory of each argument. NULL with an error raised. */
static TVMFFIObjectHandle move_storage(DLDevice device, const input_list *inputs, size_t i,
                                       TVMFFIObjectHandle *bytes) {
  const storage *stored = inputs->items[i].memory->stored;
  size_t j;
  for (j = 0; j < i && bytes[i] == NULL; ++j) {
    const input_memory *other = inputs->items[j].memory;
    if (other == NULL || other->stored->block != stored->block) continue;
    bytes[i] = bytes[j];
    TVMFFIObjectIncRef(bytes[i]);
  }
  return device_copy_storage(device, stored, &bytes[i]);
}

/* Copies the arguments that are tensors to the device. */
static bool move_to_device(DLDevice device, input_list *inputs) {
  TVMFFIObjectHandle *bytes, moved;
  size_t i;
  DLTensor *tensor;
  bool good = true;
  if (!device_is_open(device)) return true;
  bytes = tool_alloc((inputs->size + 1) * sizeof *bytes);
  for (i = 0; i < inputs->size; ++i) bytes[i] = NULL;
  for (i = 0; i < inputs->size && good; ++i) {
    input *item = &inputs->items[i];
    if (!tvm_ffi_any_try_tensor(&item->value, &tensor)) continue;
    good = item->memory == NULL || check_movable(item->memory, i);
    if (!good) break;
    moved = item->memory != NULL ? move_storage(device, inputs, i, bytes)
                                 : device_copy_to(device, tensor);
    good = moved != NULL;
    if (good) {
      input_replace(item, moved);
    } else {
      runtime_error_report("tvm-ffi", false);
    }
  }
  for (i = 0; i < inputs->size; ++i) tvm_ffi_object_release(bytes[i]);
  free(bytes);
  return good;
}

bool call_read_inputs(call *request, const schema_type *types, input_list *inputs) {
  size_t i;
  if (request->parameters != NULL) {
    if (!input_read_call(request->reader, request->parameters, request->parameters_size, types,
                         inputs)) {
      return false;
    }
  }
  for (i = 0; i < request->inputs.count; ++i) {
    char label[32];
    snprintf(label, sizeof label, "--input %zu", i);
    if (!input_read(request->reader, request->inputs.items[i], label, types, inputs)) {
      return false;
    }
  }
  if (call_is_isolated(request) && !check_copyable(inputs)) return false;
  return move_to_device(request->device, inputs);
}

int call_raise_result(TVMFFIAny *result) {
  if (result->type_index != kTVMFFIError) return 0;
  TVMFFIErrorSetRaised(result->v_obj);
  tvm_ffi_any_clear(result);
  return -1;
}

TVMFFIAny *call_view_inputs(const input_list *inputs) {
  TVMFFIAny *views = tool_alloc((inputs->size + 1) * sizeof *views);
  size_t i;
  for (i = 0; i < inputs->size; ++i) views[i] = inputs->items[i].value;
  return views;
}
