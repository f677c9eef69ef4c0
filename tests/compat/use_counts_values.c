/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values from text, and records events. */
#include "use_counts.h"

int32_t types[128];
TVMFFIAny others[16];
int num_others;
char events[1 << 14];

void fail(const char *message) {
  fflush(stdout);
  fprintf(stderr, "%s: ", message);
  tvm_ffi_error_print_raised(stderr);
  exit(2);
}

TVMFFIAny unchanged(void) {
  TVMFFIAny any = tvm_ffi_any_none();
  any.type_index = kTVMFFIUnchanged;
  return any;
}

TVMFFIAny copy(TVMFFIAny value) {
  TVMFFIAny owned;
  CHECK(TVMFFIAnyViewToOwnedAny(&value, &owned));
  return owned;
}

bool is_object(TVMFFIAny value) {
  return value.type_index >= kTVMFFIStaticObjectBegin;
}

node *as_node(TVMFFIAny value) {
  return (node *)value.v_obj;
}

void *new_object(size_t size, int32_t type_index, void (*deleter)(void *self, int flags)) {
  TVMFFIObject *made = (TVMFFIObject *)calloc(1, size);
  if (made == NULL) exit(2);
  made->combined_ref_count = ((uint64_t)1 << 32) | 1;
  made->type_index = type_index;
  made->deleter = deleter;
  return made;
}

static void delete_node(void *self, int flags) {
  node *made = (node *)self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    tvm_ffi_any_clear(&made->fields[0]);
    tvm_ffi_any_clear(&made->fields[1]);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) free(self);
}

TVMFFIAny new_node(int32_t type_index, TVMFFIAny first, TVMFFIAny second) {
  node *made = (node *)new_object(sizeof *made, type_index, delete_node);
  made->fields[0] = first;
  made->fields[1] = second;
  return tvm_ffi_any_take_object(made);
}

TVMFFIAny new_leaf(void) {
  return new_node(types['x'], tvm_ffi_any_none(), tvm_ffi_any_none());
}

static char letter_of(TVMFFIAny value) {
  int letter;
  switch (value.type_index) {
    case kTVMFFIStr:
      return 's';
    case kTVMFFIArray:
      return 'A';
    case kTVMFFIList:
      return 'L';
    case kTVMFFIMap:
      return 'M';
    case kTVMFFIDict:
      return 'D';
  }
  for (letter = 'A'; letter <= 'z'; ++letter) {
    if (types[letter] == value.type_index) return (char)letter;
  }
  return '1';
}

bool is_leaf(TVMFFIAny value) {
  return letter_of(value) >= 'a' || !is_object(value);
}

void note(char event, TVMFFIAny value) {
  char *end = events + strlen(events);
  uint64_t count;
  if (!is_object(value)) return;
  count = ((const TVMFFIObject *)value.v_obj)->combined_ref_count;
  if (end + 32 > events + sizeof events) exit(2);
  sprintf(end, " %c%c%u%s", event, letter_of(value), (unsigned)(count & UINT32_MAX),
          count >> 32 == 1 ? "" : "~");
}

int call2(const char *name, TVMFFIAny a, TVMFFIAny b, TVMFFIAny *result) {
  TVMFFIAny args[2];
  args[0] = a;
  args[1] = b;
  *result = tvm_ffi_any_none();
  return tvm_ffi_function_call_global(name, args, 2, result);
}

/* A container of the values. [take] */
static TVMFFIAny make_container(char letter, TVMFFIAny *values, int num) {
  TVMFFIAny items[8], made;
  bool is_map = letter == 'M' || letter == 'D' || letter == 'K';
  const char *name = letter == 'A'   ? "ffi.Array"
                     : letter == 'L' ? "ffi.List"
                     : letter == 'M' ? "ffi.Map"
                                     : "ffi.Dict";
  int i;
  for (i = 0; i < num; ++i) {
    if (is_map) items[2 * i] = letter == 'K' ? values[i] : tvm_ffi_any_from_int64(i);
    items[is_map ? 2 * i + 1 : i] = values[i];
  }
  CHECK(tvm_ffi_function_call_global(name, items, is_map ? 2 * num : num, &made));
  for (i = 0; i < num; ++i) tvm_ffi_any_clear(&values[i]);
  return made;
}

TVMFFIAny read_value(const char **text) {
  TVMFFIAny values[4], made;
  char letter = *(*text)++;
  int num = 0;
  values[0] = values[1] = tvm_ffi_any_none();
  if (**text == '(') {
    do {
      ++*text;
      values[num++] = read_value(text);
    } while (**text == ',');
    ++*text;
  }
  if (letter == '1') return tvm_ffi_any_from_int64(1);
  if (letter == 's') {
    made = copy(tvm_ffi_any_view_string("a text of some length"));
  } else if (strchr("ALMDK", letter) != NULL) {
    made = make_container(letter, values, num);
  } else {
    made = new_node(types[(int)letter], values[0], values[1]);
  }
  if (**text == '\'') {
    ++*text;
    others[num_others++] = copy(made);
  }
  return made;
}
