/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks the events of a recording, and writes those of a call again. */
#include "recording/recording.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"
#include "recording/recorded_value.h"
#include "system/system.h"
#include "value/value_text.h"

enum { kMaxLine = 64 << 20 };
#define MAX_JSON_INT ((INT64_C(1) << 53) - 1)
static const char kVersion[] = "tvm-ffi recording 1\n";

/* ---- Events ---- */

/* A line that is being read. */
typedef struct {
  recording *r;
  size_t file;
  size_t number; /* from 1 */
  const char *text;
  size_t size;
  TVMFFIAny json;
} event;

static bool damaged(const event *e, const char *wrong) {
  return report_error("%s:%zu: the recording is damaged: %s", e->r->files[e->file].process.name,
                      e->number, wrong);
}

/* What was started, and when; all of it may be missing. */
static void describe_process(event *e) {
  const TVMFFIAny pid = recorded_look(e->r, &e->json, "pid"),
                  when = recorded_look(e->r, &e->json, "unix_ns"),
                  command = recorded_look(e->r, &e->json, "command");
  recorded_process *out = &e->r->files[e->file].process;
  text_buf words = {NULL, 0, 0};
  TVMFFIByteArray word;
  size_t i;
  if (!recorded_read_int(&pid, &out->pid)) out->pid = -1;
  if (!recorded_read_int(&when, &out->unix_ns)) out->unix_ns = 0;
  for (i = 0; i < recorded_count_items(&command); ++i) {
    if (!tvm_ffi_any_try_string(recorded_item_at(&command, i), &word)) continue;
    if (words.size > 0) text_add(&words, " ");
    text_add_bytes(&words, word.data, word.size);
  }
  free(out->command);
  out->command = words.data != NULL ? words.data : tool_copy("", 0);
}

static bool read_process(event *e) {
  const TVMFFIAny format = recorded_look(e->r, &e->json, "format"),
                  order = recorded_look(e->r, &e->json, "byte_order");
  const uint16_t probe = 1;
  const bool is_little = *(const unsigned char *)&probe == 1;
  TVMFFIByteArray text;
  if (format.type_index != kTVMFFIInt || format.v_int64 != 1) {
    return damaged(e, "its `format` is not 1");
  }
  if (!tvm_ffi_any_try_string(&order, &text) ||
      (!tvm_ffi_string_equal(text, "little") && !tvm_ffi_string_equal(text, "big"))) {
    return damaged(e, "its `byte_order` is neither little nor big");
  }
  e->r->files[e->file].is_swapped = tvm_ffi_string_equal(text, "little") != is_little;
  describe_process(e);
  return true;
}

static bool read_library(event *e) {
  event_file *file = &e->r->files[e->file];
  const TVMFFIAny index = recorded_look(e->r, &e->json, "library"),
                  path = recorded_look(e->r, &e->json, "path"),
                  build_id = recorded_look(e->r, &e->json, "build_id");
  TVMFFIByteArray text;
  int64_t value;
  recorded_library *added;
  if (!recorded_read_int(&index, &value) || value != (int64_t)file->num_libraries) {
    return damaged(e, "`library` is not the number of the next library");
  }
  if (!tvm_ffi_any_try_string(&path, &text)) return damaged(e, "`path` is not a text");
  file->libraries = tool_grow(file->libraries, file->num_libraries, sizeof *file->libraries);
  added = &file->libraries[file->num_libraries++];
  added->path = tool_copy(text.data, text.size);
  added->build_id = recorded_copy_text(&build_id);
  return true;
}

static void add_to_signature(void *context, const text_buf *text) {
  text_buf *out = context;
  if (out->size > 0) text_add(out, ", ");
  text_add_bytes(out, text->data, text->size);
}

static recorded_line line_of(const event *e) {
  recorded_line line;
  line.is_repeated = false;
  line.file = e->file;
  line.text = e->text;
  line.size = e->size;
  return line;
}

static recorded_call *add_call(recording *r) {
  if (r->num_calls == r->capacity) {
    r->capacity = 2 * r->capacity + 16;
    r->calls = tool_realloc(r->calls, r->capacity * sizeof *r->calls);
  }
  memset(&r->calls[r->num_calls], 0, sizeof *r->calls);
  return &r->calls[r->num_calls++];
}

/* ---- Calls that others may repeat, by their number ---- */

/* Where a number is in the table, or where it would be. */
static size_t *find_place(const recording *r, event_file *file, int64_t number_of_call) {
  const size_t mask = file->max_whole - 1;
  size_t i = (size_t)((uint64_t)number_of_call * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (file->whole[i] != 0 && r->calls[file->whole[i] - 1].number != number_of_call) {
    i = (i + 1) & mask;
  }
  return &file->whole[i];
}

/* Adds the newest call. */
static void add_whole(recording *r, event_file *file) {
  if (2 * (file->num_whole + 1) > file->max_whole) {
    const size_t num_old = file->max_whole;
    size_t *old = file->whole, i;
    file->max_whole = 2 * num_old + (num_old == 0 ? 64 : 0);
    file->whole = tool_alloc(file->max_whole * sizeof *file->whole);
    memset(file->whole, 0, file->max_whole * sizeof *file->whole);
    for (i = 0; i < num_old; ++i) {
      if (old[i] != 0) *find_place(r, file, r->calls[old[i] - 1].number) = old[i];
    }
    free(old);
  }
  *find_place(r, file, r->calls[r->num_calls - 1].number) = r->num_calls;
  ++file->num_whole;
}

static bool has_like(const event *e) {
  const TVMFFIAny like = recorded_look(e->r, &e->json, "like");
  return !tvm_ffi_any_is_none(&like);
}

/* The call whose event this one repeats; NULL after a report. */
static recorded_call *find_like(event *e) {
  const TVMFFIAny like = recorded_look(e->r, &e->json, "like");
  event_file *file = &e->r->files[e->file];
  size_t found = 0;
  int64_t wanted;
  if (recorded_read_int(&like, &wanted) && file->num_whole > 0)
    found = *find_place(e->r, file, wanted);
  if (found != 0) return &e->r->calls[found - 1];
  damaged(e, "`like` is not the number of a call before it that has neither `like` nor `late`");
  return NULL;
}

/* A call with the inputs of another. */
static bool read_repeated_call(event *e, int64_t counted, int64_t thread, int64_t when) {
  const TVMFFIAny function = recorded_look(e->r, &e->json, "function");
  recorded_call *c, *like = find_like(e);
  const size_t i = like != NULL ? (size_t)(like - e->r->calls) : 0;
  TVMFFIByteArray name;
  if (like == NULL) return false;
  if (!tvm_ffi_any_try_string(&function, &name) || !tvm_ffi_string_equal(name, like->function)) {
    return damaged(e, "`function` is not that of the call that it repeats");
  }
  c = add_call(e->r);
  *c = e->r->calls[i]; /* with its texts, which stay those of that call */
  c->number = counted;
  c->thread = thread;
  c->nanoseconds = c->begin = c->finish = when;
  c->end = kCallUnfinished;
  c->error = NULL;
  c->before.is_repeated = true;
  c->after.text = NULL;
  return true;
}

/* The key `of`; without it the function is a symbol. */
static bool read_kind(event *e, function_kind *out) {
  static const char *const kKinds[] = {NULL, "registry", "module", "type"};
  const TVMFFIAny value = recorded_look(e->r, &e->json, "of");
  TVMFFIByteArray kind;
  int i;
  *out = kFunctionSymbol;
  if (value.type_index == kTVMFFINone) return true;
  for (i = kFunctionGlobal; i < kNumFunctionKinds && tvm_ffi_any_try_string(&value, &kind); ++i) {
    if (!tvm_ffi_string_equal(kind, kKinds[i])) continue;
    *out = (function_kind)i;
    return true;
  }
  return damaged(e, "`of` is not registry, module or type");
}

static bool read_call(event *e) {
  recording *r = e->r;
  event_file *file = &r->files[e->file];
  const TVMFFIAny call = recorded_look(r, &e->json, "call"),
                  thread = recorded_look(r, &e->json, "thread"),
                  time = recorded_look(r, &e->json, "time"),
                  library = recorded_look(r, &e->json, "library"),
                  function = recorded_look(r, &e->json, "function"),
                  args = recorded_look(r, &e->json, "args"),
                  late = recorded_look(r, &e->json, "late");
  recorded_storage *memory;
  recorded_call *c;
  text_buf signature = {NULL, 0, 0};
  size_t num_memory, i;
  int64_t index, when, counted, thread_number;
  const char *wrong;
  if (!recorded_read_int(&call, &counted)) return damaged(e, "`call` is not an integer");
  if (!recorded_read_int(&thread, &thread_number)) return damaged(e, "`thread` is not an integer");
  if (!recorded_read_int(&time, &when)) return damaged(e, "`time` is not an integer");
  if (has_like(e)) return read_repeated_call(e, counted, thread_number, when);
  if (!recorded_read_int_between(&library, 0, (int64_t)file->num_libraries - 1, &index)) {
    return damaged(e, "`library` is not that of a library event before it");
  }
  c = add_call(r);
  c->number = counted;
  c->thread = thread_number;
  c->nanoseconds = c->begin = c->finish = when;
  c->library = file->libraries[index].path;
  c->build_id = file->libraries[index].build_id;
  c->function = recorded_copy_text(&function);
  if (c->function == NULL) return damaged(e, "`function` is not a text");
  if (!read_kind(e, &c->kind)) return false;
  if (!recorded_is_array(&args)) return damaged(e, "`args` is not a list");
  wrong = recorded_storages_read(r, &e->json, NULL, &memory, &num_memory);
  if (wrong == NULL) {
    wrong = recorded_walk_list(r, recorded_item_at(&args, 0), recorded_count_items(&args), false,
                               memory, num_memory, add_to_signature, &signature);
  }
  for (i = 0; i < num_memory; ++i) {
    c->bytes += memory[i].data != NULL ? memory[i].size : 0;
    c->num_left_out += memory[i].data == NULL && !memory[i].is_output;
  }
  recorded_storages_free(memory, num_memory);
  c->signature = signature.data != NULL ? signature.data : tool_copy("", 0);
  c->is_late = late.type_index == kTVMFFIBool && late.v_int64 != 0;
  c->before = line_of(e);
  if (wrong != NULL) return damaged(e, wrong);
  if (!c->is_late) add_whole(r, file);
  return true;
}

/* The call of this file that the event ends; NULL after a report. */
static recorded_call *find_open(event *e) {
  const TVMFFIAny call = recorded_look(e->r, &e->json, "call");
  int64_t wanted;
  size_t i;
  if (!recorded_read_int(&call, &wanted)) {
    damaged(e, "`call` is not an integer");
    return NULL;
  }
  for (i = e->r->num_calls; i > 0 && e->r->calls[i - 1].before.file == e->file; --i) {
    recorded_call *c = &e->r->calls[i - 1];
    if (c->number == wanted && c->after.text == NULL) return c;
    if (c->number == wanted) break;
  }
  damaged(e, "it ends a call that had not begun");
  return NULL;
}

/* "ValueError: x is empty"; NULL if it is no error. */
static char *read_error(const recording *r, const TVMFFIAny *error) {
  const TVMFFIAny kind = recorded_look(r, error, "kind"),
                  message = recorded_look(r, error, "message");
  TVMFFIByteArray first, second;
  text_buf out = {NULL, 0, 0};
  if (tvm_ffi_any_is_none(error)) return tool_copy("", 0);
  if (!tvm_ffi_any_try_string(&kind, &first) || !tvm_ffi_any_try_string(&message, &second)) {
    return NULL;
  }
  text_add_bytes(&out, first.data, first.size);
  text_add(&out, ": ");
  text_add_bytes(&out, second.data, second.size);
  return out.data;
}

/* Checks what came out of a call, with the memory. NULL, or what is wrong. */
static const char *check_end(event *e, const recorded_call *c, bool raised) {
  recording *r = e->r;
  const TVMFFIAny result = recorded_look(r, &e->json, "result");
  TVMFFIAny before;
  recorded_storage *memory = NULL;
  size_t num_memory = 0;
  const char *wrong;
  if (!recorded_parse(r, c->before.text, c->before.size, &before)) {
    TVMFFIErrorSetRaised(NULL);
    return "no memory";
  }
  wrong = recorded_storages_read(r, &before, &e->json, &memory, &num_memory);
  tvm_ffi_any_clear(&before);
  if (wrong == NULL && !raised) {
    wrong = recorded_walk_list(r, &result, 1, false, memory, num_memory, NULL, NULL);
  }
  recorded_storages_free(memory, num_memory);
  return wrong;
}

/* A return like that of the call whose inputs the call has, too. */
static bool read_repeated_end(event *e, recorded_call *c) {
  const recorded_call *like = find_like(e);
  if (like == NULL) return false;
  if (like->end != kCallReturned || like->before.text != c->before.text) {
    return damaged(e, "`like` is not the call that its call repeats, or that has not returned");
  }
  c->after = like->after;
  c->after.is_repeated = true;
  return true;
}

static bool read_end(event *e, bool raised) {
  recorded_call *c = find_open(e);
  const TVMFFIAny time = recorded_look(e->r, &e->json, "time"),
                  error = recorded_look(e->r, &e->json, "error");
  const char *wrong;
  int64_t when;
  if (c == NULL) return false;
  if (!recorded_read_int(&time, &when)) return damaged(e, "`time` is not an integer");
  if (!raised && has_like(e)) {
    if (!read_repeated_end(e, c)) return false;
  } else {
    wrong = check_end(e, c, raised);
    if (wrong != NULL) return damaged(e, wrong);
    if (raised && (c->error = read_error(e->r, &error)) == NULL) {
      return damaged(e, "`error` lacks kind or message");
    }
    c->after = line_of(e);
  }
  c->end = raised ? kCallRaised : kCallReturned;
  c->finish = when;
  c->nanoseconds = c->begin >= 0 && when >= c->begin ? when - c->begin : -1;
  return true;
}

static void add_note(recording *r, char *text) {
  text_buf named = report_name_members(text, strlen(text));
  words_add(&r->notes, named.data);
  text_free(&named);
  free(text);
}

static bool read_note(event *e, word_list *out) {
  const TVMFFIAny text = recorded_look(e->r, &e->json, "text");
  char *note = recorded_copy_text(&text);
  if (note == NULL) return damaged(e, "`text` is not a text");
  words_add(out, note);
  free(note);
  return true;
}

static bool read_function(event *e) {
  event_file *file = &e->r->files[e->file];
  const TVMFFIAny place = recorded_look(e->r, &e->json, "number"),
                  function = recorded_look(e->r, &e->json, "function");
  int64_t value;
  function_kind kind;
  char *name;
  if (!recorded_read_int(&place, &value) || value != (int64_t)file->num_functions) {
    return damaged(e, "`number` is not that of the next function");
  }
  if (!read_kind(e, &kind)) return false;
  name = recorded_copy_text(&function);
  if (name == NULL) return damaged(e, "`function` is not a text");
  file->functions = tool_grow(file->functions, file->num_functions, sizeof *file->functions);
  file->functions[file->num_functions++] = name;
  return true;
}

static bool read_stop(event *e) {
  const TVMFFIAny why = recorded_look(e->r, &e->json, "why");
  char *text = recorded_copy_text(&why);
  if (text == NULL) return damaged(e, "`why` is not a text");
  if (strcmp(text, "exit") != 0 && strcmp(text, "stop") != 0) {
    add_note(e->r, tool_format("the recording stopped early: %s", text));
  }
  free(text);
  return true;
}

static bool read_event(event *e) {
  static const char *const kEnds[] = {"return", "error"};
  const TVMFFIAny kind = recorded_look(e->r, &e->json, "event");
  TVMFFIByteArray name;
  if (!recorded_is_map(&e->json) || !tvm_ffi_any_try_string(&kind, &name)) {
    return damaged(e, "it is not an object with a text `event`");
  }
  if (tvm_ffi_string_equal(name, "process")) return read_process(e);
  if (e->number == 1) return damaged(e, "it is not a process event");
  if (tvm_ffi_string_equal(name, "library")) return read_library(e);
  if (tvm_ffi_string_equal(name, "function")) return read_function(e);
  if (tvm_ffi_string_equal(name, "call")) return read_call(e);
  if (tvm_ffi_string_equal(name, kEnds[0])) return read_end(e, false);
  if (tvm_ffi_string_equal(name, kEnds[1])) return read_end(e, true);
  if (tvm_ffi_string_equal(name, "note")) return read_note(e, &e->r->notes);
  if (tvm_ffi_string_equal(name, "unseen")) return read_note(e, &e->r->unseen);
  if (tvm_ffi_string_equal(name, "stop")) return read_stop(e);
  return true;
}

static bool read_line(event *e) {
  bool good;
  if (e->size > kMaxLine) return damaged(e, "a line has more than 64 MiB");
  if (!recorded_parse(e->r, e->text, e->size, &e->json)) {
    char *why = runtime_error_take_message();
    char *wrong = tool_format("it is not JSON: %s", why);
    damaged(e, wrong);
    free(wrong);
    free(why);
    return false;
  }
  good = read_event(e);
  tvm_ffi_any_clear(&e->json);
  return good;
}

/* Reads the events of the last file that was added. */
static bool read_events(recording *r) {
  const event_file *file = &r->files[r->num_files - 1];
  const char *end = file->bytes + file->size, *pos = file->bytes, *stop;
  event e;
  memset(&e, 0, sizeof e);
  e.r = r;
  e.file = r->num_files - 1;
  while (end > pos && end[-1] == '\0') --end; /* the process died, and the file was longer */
  for (; pos < end; pos = stop + 1) {
    stop = memchr(pos, '\n', (size_t)(end - pos));
    if (stop == NULL) {
      add_note(r, tool_format("%s: the last line was not finished, and is left out",
                              file->process.name));
      break;
    }
    ++e.number;
    e.text = pos;
    e.size = (size_t)(stop - pos);
    if (!read_line(&e)) return false;
  }
  return true;
}

/* ---- Opening ---- */

static int compare_numbers(const void *a, const void *b) {
  const int64_t x = ((const recorded_call *)a)->number, y = ((const recorded_call *)b)->number;
  return x < y ? -1 : x > y;
}

/* Sorts the calls of all files; false after a report that two have the same number. */
static bool sort_calls(recording *r) {
  size_t i;
  if (r->num_calls > 1) qsort(r->calls, r->num_calls, sizeof *r->calls, compare_numbers);
  for (i = 0; i < r->num_calls; ++i) {
    if (r->calls[i].end == kCallUnfinished || r->calls[i].is_late) r->calls[i].nanoseconds = -1;
    if (i == 0 || r->calls[i - 1].number != r->calls[i].number) continue;
    return report_error("%s: the recording is damaged: two calls have the number %" PRId64,
                        r->folder, r->calls[i].number);
  }
  return true;
}

static bool find_function(const char *name, TVMFFIObjectHandle *out) {
  if (tvm_ffi_function_find_global(name, out) != 0) TVMFFIErrorSetRaised(NULL);
  if (*out == NULL) {
    report_error("recordings are JSON, and the runtime has no %s: it was built without it", name);
  }
  return *out != NULL;
}

static recording *recording_new(const char *folder) {
  recording *r = tool_alloc(sizeof *r);
  memset(r, 0, sizeof *r);
  r->folder = tool_copy(folder, strlen(folder));
  if (find_function("ffi.json.Parse", &r->parse) && find_function("ffi.MapCount", &r->has) &&
      find_function("ffi.MapGetItem", &r->get) &&
      find_function("ffi.json.Stringify", &r->stringify)) {
    return r;
  }
  recording_free(r);
  return NULL;
}

/* Reads a file of events, whose bytes it takes. */
static bool add_file(recording *r, const char *name, char *bytes, size_t size) {
  event_file *file;
  r->files = tool_grow(r->files, r->num_files, sizeof *r->files);
  file = &r->files[r->num_files++];
  memset(file, 0, sizeof *file);
  file->process.name = tool_copy(name, strlen(name));
  file->process.command = tool_copy("", 0);
  file->process.pid = -1;
  file->bytes = bytes;
  file->size = size;
  return read_events(r);
}

/* That of the first process first, then by the numbers of processes. */
static int compare_names(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  const size_t one = strlen(x), other = strlen(y);
  return one != other ? (one < other ? -1 : 1) : strcmp(x, y);
}

/* The names of the files of events, sorted; false after a report. */
static bool list_files(const char *folder, word_list *out) {
  DIR *list = opendir(folder);
  struct dirent *entry;
  if (list == NULL) return report_error("%s: %s", folder, strerror(errno));
  while ((entry = readdir(list)) != NULL) {
    const size_t size = strlen(entry->d_name);
    if (size < 11 || strncmp(entry->d_name, "calls.", 6) != 0 ||
        strcmp(entry->d_name + size - 6, ".jsonl") != 0) {
      continue;
    }
    words_add(out, entry->d_name);
  }
  closedir(list);
  if (out->size > 1) qsort(out->items, out->size, sizeof *out->items, compare_names);
  return true;
}

/* Whether a line of the file begins so. */
static bool has_line(const char *path, const char *begin) {
  const size_t size = strlen(begin);
  FILE *file = file_open_regular(path, kLinksInFolder);
  size_t matched = 0; /* of this line; SIZE_MAX: it is another */
  int c;
  while (file != NULL && matched != size && (c = getc(file)) != EOF) {
    if (c == '\n') {
      matched = 0;
    } else if (matched != SIZE_MAX) {
      matched = (unsigned char)begin[matched] == c ? matched + 1 : SIZE_MAX;
    }
  }
  if (file != NULL) fclose(file);
  return matched == size;
}

bool recording_has_calls(const char *folder) {
  word_list names = {NULL, 0};
  bool is_found = false;
  size_t i;
  if (!list_files(folder, &names)) return false;
  for (i = 0; i < names.size && !is_found; ++i) {
    char *path = tool_format("%s/%s", folder, names.items[i]);
    is_found = has_line(path, "{\"event\":\"call\",");
    free(path);
  }
  words_free(&names);
  return is_found;
}

/* A link would lead to files that are not those of the recording. It may have the name later:
 * then the files are not opened. */
static bool check_tensors(const char *folder) {
  char *path = tool_format("%s/tensors", folder);
  file_status status;
  const bool is_link = recorded_file_is_link(path);
  const bool good = !is_link && (!file_status_get(path, &status) || status.is_folder);
  if (!good) {
    report_error("%s: %s", path, is_link ? "a recording has no symbolic links" : "is no folder");
  }
  free(path);
  return good;
}

static bool check_version(const char *folder) {
  char *path = tool_format("%s/version", folder), *bytes;
  size_t size;
  bool good;
  bytes = recorded_file_read(path, &size);
  good = bytes != NULL && size == sizeof kVersion - 1 && memcmp(bytes, kVersion, size) == 0;
  if (bytes != NULL && !good) {
    report_error("%s: is not \"tvm-ffi recording 1\", all that this version reads", path);
  }
  free(bytes);
  free(path);
  return good;
}

/* ---- Counts of all calls, in files beside those of events ---- */

static recorded_count *find_count(recording *r, const char *function) {
  const size_t i = name_table_add(&r->count_names, function);
  if (i == r->num_counts) {
    r->counts = tool_grow(r->counts, i, sizeof *r->counts);
    memset(&r->counts[r->num_counts++], 0, sizeof *r->counts);
    r->counts[i].function = r->count_names.names[i];
  }
  return &r->counts[i];
}

static void add_count(int64_t *sum, const unsigned char *bytes, bool is_swapped) {
  unsigned char turned[8];
  uint64_t value;
  size_t i;
  for (i = 0; i < 8; ++i) turned[i] = bytes[is_swapped ? 7 - i : i];
  memcpy(&value, turned, sizeof value);
  if (value < INT64_MAX / 2 && *sum < INT64_MAX / 2) *sum += (int64_t)value;
}

/* False after a report: a file that is not there, or shorter, is none. */
static bool read_counts(recording *r, event_file *file) {
  enum { kCountBytes = 32 }; /* calls, errors, recorded, whether the recording stopped early */
  char *path = recorded_file_name(file, ".counts"), *bytes = NULL;
  size_t size = 0, i;
  int64_t stopped = 0;
  bool good = path != NULL;
  if (good && file_exists(path)) {
    bytes = recorded_file_read(path, &size);
    good = bytes != NULL;
  }
  free(path);
  /* a file without events is that of a process that could not write its first one */
  file->has_counts =
      size / kCountBytes >= file->num_functions && memchr(file->bytes, '\n', file->size) != NULL;
  if (file->num_functions > 0 && size >= kCountBytes) {
    add_count(&stopped, (const unsigned char *)bytes + 24, file->is_swapped);
  }
  file->is_cut = stopped != 0 || !file->has_counts;
  if (stopped != 0) {
    add_note(r, tool_format("%s: the recording stopped early, because a file could not be written",
                            file->process.name));
  }
  for (i = 0; i < file->num_functions && i < size / kCountBytes; ++i) {
    const unsigned char *at = (const unsigned char *)bytes + i * kCountBytes;
    recorded_count *count = find_count(r, file->functions[i]);
    add_count(&count->calls, at, file->is_swapped);
    add_count(&count->errors, at + 8, file->is_swapped);
    add_count(&count->recorded, at + 16, file->is_swapped);
  }
  free(bytes);
  return good;
}

/* False after a report. Says if counts are missing: the disk was full, or files were removed. */
static bool read_all_counts(recording *r) {
  size_t i, missing = 0;
  for (i = 0; i < r->num_files; ++i) {
    if (!read_counts(r, &r->files[i])) return false;
    missing += !r->files[i].has_counts;
  }
  for (i = 0; i < r->num_calls; ++i) r->calls[i].is_cut = r->files[r->calls[i].before.file].is_cut;
  if (missing > 0) {
    add_note(r, tool_format("the counts of %zu of %zu processes are missing: there were more calls "
                            "than shown",
                            missing, r->num_files));
  }
  return true;
}

recording *recorded_open_folder(const char *folder) {
  word_list names = {NULL, 0};
  recording *r;
  size_t i, size;
  bool good;
  if (!check_tensors(folder) || !check_version(folder) || !list_files(folder, &names)) return NULL;
  r = recording_new(folder);
  good = r != NULL;
  for (i = 0; i < names.size; ++i) {
    char *path = tool_format("%s/%s", folder, names.items[i]);
    char *bytes = good ? recorded_file_read(path, &size) : NULL;
    good = bytes != NULL && add_file(r, path, bytes, size);
    free(path);
  }
  words_free(&names);
  if (good && sort_calls(r) && read_all_counts(r)) return r;
  recording_free(r);
  return NULL;
}

bool recording_is_unpacked(const recording *r) {
  return r->unpacked.size > 0;
}

recording *recording_open_bytes(const char *name, const char *bytes, size_t size) {
  recording *r = recording_new(name);
  if (r == NULL) return NULL;
  if (add_file(r, name, tool_copy(bytes, size), size) && sort_calls(r)) return r;
  recording_free(r);
  return NULL;
}

void recording_free(recording *r) {
  size_t i, k;
  if (r == NULL) return;
  if (r->unpacked.size > 0) r->remove_unpacked(&r->unpacked);
  for (i = 0; i < r->num_calls; ++i) {
    free(r->calls[i].error);
    free(r->calls[i].packed);
    if (r->calls[i].before.is_repeated) continue;
    free((char *)r->calls[i].function);
    free(r->calls[i].signature);
  }
  for (i = 0; i < r->num_files; ++i) {
    event_file *file = &r->files[i];
    for (k = 0; k < file->num_libraries; ++k) {
      free(file->libraries[k].path);
      free(file->libraries[k].build_id);
    }
    for (k = 0; k < file->num_functions; ++k) free(file->functions[k]);
    free(file->functions);
    free(file->libraries);
    free(file->whole);
    free(file->process.name);
    free(file->process.command);
    free(file->bytes);
  }
  name_table_free(&r->count_names);
  words_free(&r->notes);
  words_free(&r->unseen);
  free(r->files);
  free(r->calls);
  free(r->counts);
  free(r->folder);
  tvm_ffi_object_release(r->parse);
  tvm_ffi_object_release(r->has);
  tvm_ffi_object_release(r->get);
  tvm_ffi_object_release(r->stringify);
  free(r);
}

size_t recording_num_calls(const recording *r) {
  return r->num_calls;
}

const recorded_call *recording_call(const recording *r, size_t i) {
  return &r->calls[i];
}

const recorded_call *recording_find_call(const recording *r, int64_t wanted) {
  size_t i;
  for (i = 0; i < r->num_calls; ++i) {
    if (r->calls[i].number == wanted) return &r->calls[i];
  }
  return NULL;
}

size_t recording_num_processes(const recording *r) {
  return r->num_files;
}

const recorded_process *recording_process(const recording *r, size_t i) {
  return &r->files[i].process;
}

size_t recording_num_counts(const recording *r) {
  return r->num_counts;
}

const recorded_count *recording_count(const recording *r, size_t i) {
  return &r->counts[i];
}

int64_t recording_count_calls(const recording *r, const char *function) {
  const size_t i = name_table_find(&r->count_names, function);
  return i != SIZE_MAX ? r->counts[i].calls : -1;
}

const word_list *recording_notes(const recording *r) {
  return &r->notes;
}

const word_list *recording_unseen(const recording *r) {
  return &r->unseen;
}

static void add_item(void *context, const text_buf *text) {
  words_add(context, text->data);
}

typedef struct {
  const recording *r;
  const recorded_call *c;
  int64_t time;
  text_buf *out;
} event_writer;

static bool add_json(const event_writer *w, const TVMFFIAny *value) {
  TVMFFIAny args[2], text = tvm_ffi_any_none();
  TVMFFIByteArray bytes;
  bool good;
  args[0] = *value;
  args[1] = tvm_ffi_any_none(); /* no indentation */
  good = tvm_ffi_function_call(w->r->stringify, args, 2, &text) == 0 &&
         tvm_ffi_any_try_string(&text, &bytes);
  if (good) text_add_bytes(w->out, bytes.data, bytes.size);
  tvm_ffi_any_clear(&text);
  return good;
}

/* What differs in an event that is like another. */
static bool is_own(const event_writer *w, const TVMFFIAny *key, int64_t *out) {
  TVMFFIByteArray name;
  if (!tvm_ffi_any_try_string(key, &name)) return false;
  *out = tvm_ffi_string_equal(name, "call")     ? w->c->number
         : tvm_ffi_string_equal(name, "thread") ? w->c->thread
                                                : w->time;
  return tvm_ffi_string_equal(name, "call") || tvm_ffi_string_equal(name, "thread") ||
         tvm_ffi_string_equal(name, "time");
}

static bool add_entry(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  const event_writer *w = context;
  int64_t own;
  text_add(w->out, w->out->size == 0 ? "{" : ",");
  if (!add_json(w, key)) return false;
  text_add(w->out, ":");
  if (!is_own(w, key, &own)) return add_json(w, value);
  /* A number that no double has is a text in the recording. */
  text_add(w->out, own >= -MAX_JSON_INT && own <= MAX_JSON_INT ? "%" PRId64 : "\"%" PRId64 "\"",
           own);
  return true;
}

char *recording_event(const recording *r, const recorded_call *c, recorded_moment when) {
  const recorded_line *line = when == kBefore ? &c->before : &c->after;
  text_buf out = {NULL, 0, 0};
  event_writer w;
  TVMFFIAny json;
  if (line->text == NULL || !line->is_repeated) {
    return line->text != NULL ? tool_copy(line->text, line->size) : NULL;
  }
  w.r = r;
  w.c = c;
  w.time = when == kBefore ? c->begin : c->finish;
  w.out = &out;
  if (recorded_parse(r, line->text, line->size, &json) && value_visit_map(&json, add_entry, &w)) {
    text_add(&out, "}");
  } else {
    report_error("%s", "there is no memory");
    TVMFFIErrorSetRaised(NULL);
    text_free(&out);
  }
  tvm_ffi_any_clear(&json);
  return out.data;
}

word_list recording_describe(const recording *r, const recorded_call *c, recorded_moment when,
                             bool with_values) {
  word_list out = {NULL, 0};
  TVMFFIAny before, after, args, result;
  recorded_storage *memory;
  size_t num_memory;
  if (!recorded_parse_call(r, c, &before, &after)) {
    TVMFFIErrorSetRaised(NULL);
    return out;
  }
  args = recorded_look(r, &before, "args");
  result = recorded_look(r, &after, "result");
  if (recorded_storages_read(r, &before, when == kAfter && recorded_is_map(&after) ? &after : NULL,
                             &memory, &num_memory) == NULL) {
    (void)recorded_walk_list(r, when == kAfter ? &result : recorded_item_at(&args, 0),
                             when == kAfter ? 1 : recorded_count_items(&args), with_values, memory,
                             num_memory, add_item, &out);
  }
  recorded_storages_free(memory, num_memory);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
  return out;
}
