/* SPDX-License-Identifier: Apache-2.0 */
/* Values in lines of events, for recording.c and recorded_call.c. */
#ifndef TVM_FFI_TOOL_RECORDED_VALUE_H_
#define TVM_FFI_TOOL_RECORDED_VALUE_H_

#include "base/names.h"
#include "recording/recording.h"

enum {
  kMaxValues = 100000, /* in a line */
  kMaxNesting = 64     /* levels of values in values */
};

/* ---- The recording, as recording.c reads it ---- */

typedef struct {
  char *path, *build_id;
} recorded_library;

typedef struct {
  recorded_process process;
  char *bytes;
  size_t size;
  recorded_library *libraries;
  size_t num_libraries;
  char **functions; /* that were called, by their number in the file of counts */
  size_t num_functions;
  bool has_counts; /* that file has the counts of all */
  bool is_cut;     /* recording ended because a file could not be written, or may have */
  bool is_swapped; /* the bytes of the memory are in the other order */
  size_t *whole;   /* a hash table of calls that others may repeat: indices + 1 by their number */
  size_t num_whole, max_whole;
} event_file;

struct recording {
  char *folder;
  word_list unpacked; /* files and folders that an archive was unpacked to, from the outside in */
  void (*remove_unpacked)(word_list *made); /* removes them; only if there are some */
  event_file *files;
  size_t num_files;
  recorded_call *calls;
  size_t num_calls, capacity;
  recorded_count *counts;
  size_t num_counts;
  name_table count_names; /* of the functions of `counts`, with the same numbers */
  word_list notes, unseen;
  TVMFFIObjectHandle parse, has, get, stringify; /* functions of the runtime */
};

/* ---- Files ---- */

/* The content of a file of the recording, which is the file itself: no link, which would lead
 * elsewhere, and no FIFO, which may never end. Release with free(); NULL after a report. */
char *recorded_file_read(const char *path, size_t *out_size);
/* The path of a file of the process, which differs from that of its events in the ending; NULL
 * after a report. */
char *recorded_file_name(const event_file *file, const char *ending);
bool recorded_file_is_link(const char *path);

/* Why a library is not the one that was recorded; NULL: it is. Release with free(). */
char *recorded_library_check(const char *path, const char *build_id);

recording *recorded_open_folder(const char *folder);

/* ---- JSON ---- */

/* Parses a line. False with an error raised. */
bool recorded_parse(const recording *r, const char *text, size_t size, TVMFFIAny *out);
/* The two lines of a call; the second is None if the call did not end. False with an error
 * raised. */
bool recorded_parse_call(const recording *r, const recorded_call *c, TVMFFIAny *before,
                         TVMFFIAny *after);

/* An entry of a map, which lends it; None if there is none. */
TVMFFIAny recorded_look(const recording *r, const TVMFFIAny *map, const char *key);
bool recorded_is_map(const TVMFFIAny *json);
bool recorded_is_array(const TVMFFIAny *json);
/* 0 if it is no array. */
size_t recorded_count_items(const TVMFFIAny *array);
const TVMFFIAny *recorded_item_at(const TVMFFIAny *array, size_t i);

/* ---- Plain values: false if it is none ---- */

/* An integer, a number or a text of digits. */
bool recorded_read_int(const TVMFFIAny *json, int64_t *out);
bool recorded_read_int_between(const TVMFFIAny *json, int64_t low, int64_t high, int64_t *out);
/* An array of so many. */
bool recorded_read_ints(const TVMFFIAny *json, size_t count, int64_t low, int64_t high,
                        int64_t *out);
/* "0x7f3c10" */
bool recorded_read_address(const TVMFFIAny *json, uint64_t *out);
/* Its decimal digits, inf, -inf, nan:0x... */
bool recorded_read_float(const TVMFFIAny *json, double *out);
bool recorded_read_dtype(const TVMFFIAny *json, DLDataType *out);
bool recorded_read_device(const TVMFFIAny *json, DLDevice *out);
/* The bytes that are written as hexadecimal digits. */
bool recorded_read_hex(const TVMFFIAny *json, text_buf *out);
/* The bytes of a str, which may be written as {"str": digits}. */
bool recorded_read_str(const recording *r, const TVMFFIAny *json, text_buf *out);
/* A text; release with free(). NULL if it is none. */
char *recorded_copy_text(const TVMFFIAny *json);

/* ---- Values ---- */

typedef enum {
  kRecordedNone,
  kRecordedBool,
  kRecordedInt,
  kRecordedText,
  kRecordedTensor, /* keys are looked for in this order, and those of tensors are most frequent */
  kRecordedDLTensor,
  kRecordedFloat,
  kRecordedBigInt64, /* an integer as a text */
  kRecordedTextHex,
  kRecordedRawText,
  kRecordedBytes,
  kRecordedRawBytes,
  kRecordedDataType,
  kRecordedDevice,
  kRecordedShape,
  kRecordedPointer,
  kRecordedArray,
  kRecordedList,
  kRecordedMap,
  kRecordedDict,
  kRecordedFunction,
  kRecordedError,
  kRecordedBigInt,
  kRecordedObject,
  kRecordedRvalue,
  kRecordedUnchanged,
  kRecordedRef,
  kRecordedUnknown,
  kRecordedLeftOut
} value_form;

/* What a DLTensor says, whose memory is not here. */
typedef struct {
  DLDataType dtype;
  DLDevice device;
  int32_t ndim;
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  bool has_strides, is_read_only;
  int64_t byte_offset, offset;
  size_t storage;   /* SIZE_MAX: none */
  uint64_t address; /* of `data`, without a storage */
  bool is_left_out;
} tensor_facts;

/* False: it is not a value. `content` is what the key has. */
bool recorded_read_form(const recording *r, const TVMFFIAny *json, value_form *out,
                        TVMFFIAny *content);

/* Returns NULL, or what is wrong. */
const char *tensor_facts_read(const recording *r, const TVMFFIAny *json,
                              const recorded_storage *storages, size_t num_storages,
                              tensor_facts *out);
/* A DLTensor with those facts; `data` is NULL. */
DLTensor tensor_facts_view(tensor_facts *facts);

/* Checks values of a line, and passes each as text unless `each` is NULL. NULL, or what is
 * wrong. */
const char *recorded_walk_list(const recording *r, const TVMFFIAny *values, size_t count,
                               bool with_values, const recorded_storage *storages,
                               size_t num_storages,
                               void (*each)(void *context, const text_buf *text), void *context);

/* ---- Storages ---- */

/* The storages of a call before it, or after it unless `after` is NULL. NULL, or what is wrong;
 * release what was read in any case. */
const char *recorded_storages_read(const recording *r, const TVMFFIAny *before,
                                   const TVMFFIAny *after, recorded_storage **out,
                                   size_t *out_count);
/* Reads the bytes of memory of a call, compares their hash; false after a report. */
bool recorded_storage_load(const recording *r, const recorded_call *c, recorded_storage *s);
void recorded_storages_free(recorded_storage *storages, size_t count);

#endif /* TVM_FFI_TOOL_RECORDED_VALUE_H_ */
