/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings, which anybody may have written (tools/tvm-ffi/recording): the lines of a file of
 * events, the values of JSON in a line, storages with their sizes and offsets, files of counts.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "prove.h"

/* A function of <string.h> that CBMC does not know. */
void *memchr(const void *text, int byte, size_t size) {
  const unsigned char *at = text;
  size_t i;
  for (i = 0; i < size; ++i) {
    if (at[i] == byte) return (void *)(uintptr_t)(at + i);
  }
  return NULL;
}

#define strspn count_set

#include "recording/recorded_value.c"
#include "recording/recording.c"

/* ---- What is called ---- */

/* Memory of one size, which CBMC follows faster; there is always some, as in the tool. */
enum { kBlock = 128, kCopy = 36 };

void *tool_alloc(size_t size) {
  void *block = malloc(kBlock);
  PROVE(size <= kBlock);
  ASSUME(block != NULL);
  return block;
}

char *tool_copy(const char *text, size_t size) {
  char *copy = malloc(kCopy);
  PROVE(size < kCopy);
  ASSUME(copy != NULL);
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  PROVE(error == NULL);
}

static unsigned char added[8];
static size_t num_added;

void text_add_bytes(text_buf *buffer, const void *bytes, size_t size) {
  (void)buffer;
  if (size == 0) return;
  PROVE(size == 1 && num_added < sizeof added);
  added[num_added++] = *(const unsigned char *)bytes;
}

void text_add(text_buf *buffer, const char *format, ...) {
  (void)buffer, (void)format;
}

void report_error_line(const char *format, ...) {
  (void)format;
}

static size_t num_notes;

char *tool_format(const char *format, ...) {
  (void)format;
  return tool_copy("", 0);
}

text_buf report_name_members(const char *text, size_t size) {
  text_buf named = {NULL, 0, 0};
  (void)text, (void)size;
  return named;
}

void text_free(text_buf *buffer) {
  (void)buffer;
}

void words_add(word_list *words, const char *word) {
  (void)words, (void)word;
  ++num_notes;
}

/* ---- Values of JSON ---- */

static recording all;

/* A text of any bytes, also NUL, at the end of the memory that there is. */
enum { kMost = 36 };
static char bytes[kMost];
static struct {
  TVMFFIObject header;
  TVMFFIByteArray content;
} text_object;

static TVMFFIAny choose_text(size_t most) {
  TVMFFIAny json = tvm_ffi_any_none();
  choose_bytes(bytes + kMost - most, most);
  text_object.content.size = choose_up_to(most);
  text_object.content.data = bytes + kMost - text_object.content.size;
  json.type_index = kTVMFFIStr;
  json.v_obj = &text_object.header;
  return json;
}

/* A value of any kind without others in it. */
static TVMFFIAny choose_json(void) {
  TVMFFIAny json = tvm_ffi_any_none();
  json.type_index = (int32_t)choose_up_to(kTVMFFIMap);
  json.v_uint64 = choose_u64();
  ASSUME(json.type_index == kTVMFFINone || json.type_index == kTVMFFIInt ||
         json.type_index == kTVMFFIBool || json.type_index == kTVMFFIArray ||
         json.type_index == kTVMFFIMap);
  return json;
}

static size_t num_items; /* of all arrays */
static TVMFFIAny items[4];

TVMFFIAny recorded_look(const recording *r, const TVMFFIAny *map, const char *key) {
  (void)key;
  PROVE(r == &all && map != NULL);
  return choose_json();
}

size_t recorded_count_items(const TVMFFIAny *array) {
  return array->type_index == kTVMFFIArray ? num_items : 0;
}

const TVMFFIAny *recorded_item_at(const TVMFFIAny *array, size_t i) {
  PROVE(array->type_index == kTVMFFIArray && i < num_items);
  items[i % 4] = choose_json();
  return &items[i % 4];
}

bool recorded_read_int(const TVMFFIAny *json, int64_t *out) {
  (void)json;
  *out = choose_i64();
  return choose_bool();
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* As the standard says: what is no number at the end is left. */
long long strtoll(const char *text, char **end, int base) {
  const char *at = text;
  PROVE(base == 10);
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) ++at;
  if (*at == '-' || *at == '+') ++at;
  if (!is_digit(*at)) at = text;
  while (is_digit(*at)) ++at;
  *end = (char *)(uintptr_t)at;
  return choose_i64();
}

void prove_recorded_read_int(void) {
  const TVMFFIAny json = choose_text(6);
  const TVMFFIByteArray text = text_object.content;
  const size_t i = choose_up_to(5);
  int64_t value;
  if (!recorded_read_int_itself(&json, &value)) return;
  PROVE(text.size > 0 && is_digit(text.data[text.size - 1]));
  if (i < text.size) PROVE(is_digit(text.data[i]) || (i == 0 && text.data[0] == '-'));
}

void prove_recorded_read_address(void) {
  const TVMFFIAny json = choose_text(20);
  const TVMFFIByteArray text = text_object.content;
  uint64_t value;
  if (!recorded_read_address(&json, &value)) return;
  PROVE(text.size >= 3 && text.size <= 18 && text.data[1] == 'x');
  PROVE(text.size == 18 || value >> 4 * (text.size - 2) == 0);
  PROVE("0123456789abcdef"[value & 15] == text.data[text.size - 1]);
}

void prove_recorded_read_hex(void) {
  const TVMFFIAny json = choose_text(6);
  const TVMFFIByteArray text = text_object.content;
  const size_t i = choose_up_to(5);
  text_buf out = {NULL, 0, 0};
  if (!recorded_read_hex(&json, &out)) return;
  PROVE(text.size == 2 * num_added);
  if (i < text.size) {
    PROVE("0123456789abcdef"[added[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15] == text.data[i]);
  }
}

double text_read_real(const char *text, char **end) {
  const size_t size = strlen(text);
  *end = (char *)(uintptr_t)(text + choose_up_to(size));
  return 1;
}

/* A float is written as its text: nothing in that moves the cursor of a terminal. */
void prove_recorded_read_float(void) {
  const TVMFFIAny json = choose_text(9);
  const TVMFFIByteArray text = text_object.content;
  const size_t i = choose_up_to(8);
  double real;
  if (!recorded_read_float(&json, &real)) return;
  PROVE(text.size > 0);
  if (i < text.size) PROVE(strchr("+-.0123456789:abcdefinx", text.data[i]) != NULL);
  if (i < text.size) PROVE(text.data[i] != '\0');
}

/* So many integers between two, no more and no fewer. */
void prove_recorded_read_ints(void) {
  const TVMFFIAny json = choose_json();
  const int64_t low = choose_i64(), high = choose_i64();
  const size_t count = choose_up_to(4), i = choose_up_to(3);
  int64_t values[4];
  num_items = choose_up_to(4);
  if (!recorded_read_ints_itself(&json, count, low, high, values)) return;
  PROVE(json.type_index == kTVMFFIArray && count == num_items);
  if (i < count) PROVE(values[i] >= low && values[i] <= high);
}

void prove_recorded_read_hash(void) {
  const TVMFFIAny json = choose_text(33);
  char *name = read_hash_itself(&json);
  const size_t i = choose_up_to(kMurmurDigits - 1);
  if (name == NULL) return;
  PROVE(name[kMurmurDigits] == '\0' && digit_of(name[i]) >= 0);
  free(name);
}

/* ---- Tensors and storages ---- */

int64_t tvm_ffi_tensor_get_numel(const DLTensor *tensor) {
  (void)tensor;
  return choose_i64();
}

bool tvm_ffi_tensor_is_contiguous(const DLTensor *tensor) {
  (void)tensor;
  return choose_bool();
}

static size_t down, up;
static bool is_measured;

bool tensor_measure(const DLTensor *tensor, size_t *out_down, size_t *out_up) {
  PROVE(tensor->ndim >= 0 && tensor->ndim <= kLayoutMaxDims);
  *out_down = down = choose_size();
  *out_up = up = choose_size();
  is_measured = true;
  return choose_bool();
}

bool recorded_read_ints(const TVMFFIAny *json, size_t count, int64_t low, int64_t high,
                        int64_t *out) {
  size_t i;
  (void)json;
  if (count <= 3) {
    for (i = 0; i < count; ++i) {
      out[i] = choose_i64();
      ASSUME(out[i] >= low && out[i] <= high);
    }
  } else {
    out[0] = out[count - 1] = choose_i64();
  }
  return choose_bool();
}

void prove_recorded_tensor(void) {
  static recorded_storage storages[2];
  static tensor_facts facts;
  const TVMFFIAny json = choose_json();
  const size_t count = choose_up_to(2);
  storages[0].size = choose_u64();
  storages[1].size = choose_u64();
  num_items = choose_up_to(66);
  if (tensor_facts_read(&all, &json, storages, count, &facts) != NULL) return;
  PROVE(facts.ndim >= 0 && facts.ndim <= kLayoutMaxDims);
  PROVE(facts.storage == SIZE_MAX || facts.storage < count);
  if (facts.storage == SIZE_MAX) return;
  PROVE(facts.offset >= 0);
  if (!is_measured) {
    PROVE(tvm_ffi_dtype_get_bits(facts.dtype) % 8 != 0);
  } else {
    PROVE(down <= (uint64_t)facts.offset && (uint64_t)facts.offset <= storages[facts.storage].size);
    PROVE(up <= storages[facts.storage].size - (uint64_t)facts.offset);
  }
}

static char *read_hash(const TVMFFIAny *json) {
  (void)json;
  return choose_bool() ? tool_copy("", 0) : NULL;
}

void prove_recorded_storages(void) {
  recorded_storage first, *storages;
  TVMFFIAny json = choose_json();
  size_t count;
  const char *wrong;
  num_items = choose_up_to(1);
  first.size = choose_u64();
  wrong = read_storages(&all, &json, &first, choose_up_to(1), &storages, &count);
  PROVE(count <= num_items);
  if (wrong == NULL && count == 1) {
    PROVE(storages->at >= -1 && storages->at <= INT64_MAX / 2);
    PROVE(storages->at < 0 || storages->size <= kMaxSmall);
    PROVE(storages->size <= MAX_STORAGE || storages->size == first.size);
    PROVE(storages->data != NULL || storages->left_out != NULL);
  }
  recorded_storages_free(storages, count);
}

static int64_t position;

int fseek(FILE *file, long step, int from) {
  (void)file;
  PROVE(from == SEEK_CUR && step > 0 && position <= INT64_MAX - step);
  position += step;
  return choose_bool() ? 0 : -1;
}

size_t fread(void *out, size_t size, size_t count, FILE *file) {
  (void)file;
  PROVE(size == 1);
  if (count > 0) ((char *)out)[0] = ((char *)out)[count - 1] = 7;
  return choose_up_to(count);
}

void prove_recorded_small(void) {
  recorded_storage s;
  file_reader reader;
  char file;
  reader.stream = choose_bool() ? (FILE *)&file : NULL;
  reader.known_size = choose_u64();
  s.at = (int64_t)choose_up_to(INT64_MAX / 2);
  s.size = choose_up_to(kBlock - 1);
  s.bytes = NULL;
  ASSUME(s.at <= INT64_C(4) << 30);
  if (read_small(&reader, &s) == NULL) {
    PROVE(position == s.at && (uint64_t)s.at + s.size <= reader.known_size);
  }
  free(s.bytes);
}

/* ---- Lines ---- */

static event_file files[2]; /* the events are of the first, or also of the second */
static recorded_call calls[3];
static const char *line_end; /* of the line before */

/* Each line is within the file, and the next is behind it. */
static bool read_line(event *e) {
  const size_t i = choose_up_to(kMost);
  PROVE(e->text == (e->number == 1 ? files->bytes : line_end + 1));
  PROVE(e->text >= files->bytes && e->size < files->size);
  line_end = e->text + e->size;
  PROVE(line_end < files->bytes + files->size && *line_end == '\n');
  if (i < e->size) PROVE(e->text[i] != '\n');
  return choose_bool();
}

void prove_recording_lines(void) {
  enum { kSize = 5 };
  choose_bytes(bytes + kMost - kSize, kSize);
  files->size = choose_up_to(kSize);
  files->bytes = bytes + kMost - files->size;
  all.files = files;
  all.num_files = 1;
  (void)read_events(&all);
  PROVE(num_notes <= 1);
}

static event choose_event(void) {
  event e;
  memset(&e, 0, sizeof e);
  e.r = &all;
  all.files = files;
  all.num_files = 2;
  all.calls = calls;
  e.number = 1 + choose_up_to(7);
  e.json = choose_json();
  return e;
}

void prove_recording_find_open(void) {
  event e = choose_event();
  recorded_call *found;
  size_t i;
  for (i = 0; i < 3; ++i) {
    calls[i].number = choose_i64();
    calls[i].before.file = choose_up_to(1);
    calls[i].after.text = choose_bool() ? bytes : NULL;
  }
  all.num_calls = choose_up_to(3);
  e.file = choose_up_to(1);
  found = find_open(&e);
  if (found == NULL) return;
  i = (size_t)(found - calls);
  PROVE(i < all.num_calls && found->before.file == e.file && found->after.text == NULL);
}

/* A call is found by its number, whatever numbers there are. */
void prove_recording_find_like(void) {
  static size_t whole[4];
  size_t i;
  for (i = 0; i < 3; ++i) calls[i].number = (int64_t)choose_up_to(255) - 128;
  ASSUME(calls[0].number != calls[1].number && calls[2].number != calls[0].number &&
         calls[2].number != calls[1].number);
  all.calls = calls;
  files->whole = whole;
  files->max_whole = 4;
  for (i = 1; i <= 2; ++i) {
    all.num_calls = i;
    add_whole(&all, files);
  }
  PROVE(files->max_whole == 4 && files->num_whole == 2);
  i = choose_up_to(1);
  PROVE(*find_place(&all, files, calls[i].number) == i + 1);
  PROVE(*find_place(&all, files, calls[2].number) == 0);
}

/* ---- Counts ---- */

static recorded_count count_of_function;

static recorded_count *find_count(recording *r, const char *function) {
  PROVE(r == &all && function != NULL);
  return &count_of_function;
}

bool file_exists(const char *path) {
  PROVE(path != NULL);
  return choose_bool();
}

char *tool_read_regular_file(const char *path, file_links links, size_t *out_size) {
  char *content;
  PROVE(path != NULL && links == kLinksInFolder);
  *out_size = 0;
  if (choose_bool()) return NULL;
  *out_size = choose_up_to(72);
  content = malloc(*out_size + 1);
  ASSUME(content != NULL);
  return content;
}

void prove_recording_counts(void) {
  static char name[] = "calls.jsonl", line[] = "\n";
  static char *functions[] = {"f", "g"};
  files->process.name = name;
  files->bytes = line;
  files->size = choose_up_to(1);
  files->functions = functions;
  files->num_functions = choose_up_to(2);
  files->is_swapped = choose_bool();
  count_of_function.calls = (int64_t)choose_up_to(INT64_MAX);
  (void)read_counts(&all, files);
  PROVE(count_of_function.calls >= 0 && count_of_function.errors >= 0);
}
