/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight recorder, libtvm_ffi_record. From the bottom up:
 *   text.c      texts that grow, and their JSON
 *   settings.c  what the user asked for, by options or the environment
 *   events.c    the file of events, and the lock
 *   storage.c   the memory of tensors, and the files that it is kept in
 *   value.c     values as JSON
 *   call.c      one call: whether it is recorded, its events
 *   trace.c     the events of a trace, and its table
 *   session.c   the start and the end of a recording, and forks
 *   intercept.c what whoever looks up a function gets instead
 *   functions.c function objects, in a second library that has all of this, too (on Linux)
 * linux.c and macos.c have, each for its system, what all of them need of it, and what takes the
 * place of functions of others: dlsym, and the registration of the system library.
 * Nothing here calls the runtime except by the addresses in record_runtime, because it may be any.
 */
#ifndef TVM_FFI_RECORD_RECORD_H_
#define TVM_FFI_RECORD_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <tvm/ffi/c/device_plugin.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/record.h>

/* For atomic operations, which need this alignment on i386, too. */
typedef uint64_t __attribute__((aligned(8))) record_uint64;

/* ---- text.c ---- */

/* A text that grows. Without memory it is marked as failed, and stays what it was. */
typedef struct {
  char *data;
  size_t size, capacity;
  const char *room; /* NULL, or memory of the caller's that it begins in: most texts fit */
  bool is_failed;
} record_text;

enum { kRoomLine = 2048 }; /* room that most lines of events fit in */

/* Makes room for more bytes; false without memory. */
bool record_grow(record_text *out, size_t more);

static inline void record_begin_in(record_text *out, char *room, size_t size) {
  out->data = room;
  out->room = room;
  out->size = 0;
  out->capacity = size;
  out->is_failed = false;
}

static inline void record_add(record_text *out, const char *bytes, size_t size) {
  if (out->capacity - out->size < size && !record_grow(out, size)) return;
  if (size != 0) memcpy(out->data + out->size, bytes, size);
  out->size += size;
}

static inline void record_add_text(record_text *out, const char *text) {
  record_add(out, text, strlen(text));
}

/*
 * For what each call has, room is made once, and then put: that takes a third of the time. `at` is
 * where the next byte goes; each function returns where it went on.
 *   char *at = record_begin_put(&text, 8 + kRecordNumber);
 *   if (at != NULL) record_end_put(&text, record_put_uint(record_put(at, "\"count\":"), count));
 */
enum { kRecordNumber = 24 }; /* room for a number or an address, more than its characters */

/* NULL without memory. */
static inline char *record_begin_put(record_text *out, size_t most) {
  if (out->capacity - out->size < most && !record_grow(out, most)) return NULL;
  return out->data + out->size;
}

static inline void record_end_put(record_text *out, const char *at) {
  out->size = (size_t)(at - out->data);
}

static inline __attribute__((always_inline)) char *record_put(char *at, const char *text) {
  const size_t size = strlen(text);
  memcpy(at, text, size);
  return at + size;
}

char *record_put_large(char *at, uint64_t value, bool is_negative);
char *record_put_address(char *at, uint64_t address);

/* Integers beyond 2^53 - 1 become texts. Most numbers of a call have one digit. */
static inline char *record_put_uint(char *at, uint64_t value) {
  if (value >= 10) return record_put_large(at, value, false);
  *at = (char)('0' + value);
  return at + 1;
}

static inline char *record_put_int(char *at, int64_t value) {
  return value >= 0 ? record_put_uint(at, (uint64_t)value)
                    : record_put_large(at, 0 - (uint64_t)value, true);
}

/* Of up to 511 bytes. It takes much longer than the others. */
void record_add_format(record_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* So many significant digits, with a decimal point in every locale; without quotes. */
void record_add_double(record_text *out, double value, int digits);
/* The same with so many decimals, and blanks in front of it up to the width. */
void record_add_fixed(record_text *out, double value, int width, int decimals);
/* A JSON string. Bytes that are not UTF-8 become U+FFFD. */
void record_add_string(record_text *out, const char *bytes, size_t size);
/* Decimal digits, with zeros in front until there are so many. */
void record_add_digits(record_text *out, uint64_t value, size_t least);
void record_add_uint(record_text *out, uint64_t value);
void record_add_int(record_text *out, int64_t value);

/* Bytes as hexadecimal digits. */
void record_add_hex(record_text *out, const void *bytes, size_t size);
/* A JSON string with 0x and hexadecimal digits. */
void record_add_pointer(record_text *out, const void *pointer);
void record_free(record_text *text);

/* ---- settings.c ---- */

/* Which functions of which libraries are recorded. */
enum { kMatch, kSkip, kLib, kOutputs, kNumPatterns };
extern const char *const record_pattern_keys[kNumPatterns];

typedef struct {
  int64_t first, every, max_bytes, max_total;
  bool all, on_error, no_data, trace;
  char **patterns[kNumPatterns]; /* lists that end with NULL; NULL: not given */
} record_settings;

extern record_settings record_set; /* changes only while nothing is recorded */

/*
 * Reads what `tvm-ffi record` says in variables of the environment. What `out` refers to is never
 * released. False after printing what is wrong, or without memory. To be called once.
 */
bool record_read_environment(tvm_ffi_record_options *out);
/* false without memory. */
bool record_set_settings(const tvm_ffi_record_options *options);
/* Whether the user says that a function only writes this argument. */
bool record_is_output(const char *function, int32_t index, int32_t num_args);
/* Whether the user wants this function. */
bool record_wants(const char *function, const char *path);

/* ---- linux.c or macos.c ---- */

typedef struct {
  uintptr_t address;
  bool is_code, is_program;
  char path[4096];           /* empty: the program */
  char build_id[2 * 64 + 1]; /* empty: none */
} record_loaded_file;

/* The file that has this address. */
bool record_find_file(const void *address, record_loaded_file *out);
/* The same, quickly, on Linux: where it is loaded, and the loader's name for it. */
typedef struct {
  uintptr_t base;
  const char *name; /* valid as long as the file is loaded */
} record_place;
bool record_find_place(const void *address, record_place *out);
/* The address of a function in another library that is loaded, the first in the loader's order;
 * NULL. On macOS functions of this library are found, too: none has the name of another. */
void *record_find_loaded(const char *name);
/* The same if no second file has it; NULL. On Linux, as the next three. */
void *record_find_only(const char *name);
/* The same in the file that has an address. */
void *record_find_in_file(const void *address, const char *name);
/* The next one in the global scope behind this library and other recorders; NULL. */
void *record_find_next(const char *name);
/* What a library that has one of these addresses would be bound to without `own`; NULL. */
void *record_find_behind(const char *name, const void *own, const void *symbol, const void *caller);
/* Whether something was registered with the system library. */
extern bool record_has_system_library;
/* The loader's own dlsym. */
void *(*record_find_dlsym(void))(void *, const char *);

int64_t record_thread_id(void);
const char *record_program_name(void);
/* The words of the command line as JSON strings, with commas. Under the lock. */
void record_add_command(record_text *out);

/* write(), without the signals that it may send, which would end or stop the program. */
ssize_t record_write_some(int file, const void *bytes, size_t size);
/* Whether the file is kept in memory, and not on a disk. */
bool record_is_in_memory(int file);
/* Everything that was written to the file system of this file is on the disk then. */
bool record_sync(int file);

/* Copies memory that may not be there; false if it is not. */
bool record_read_memory(void *out, uint64_t address, size_t size);
/* The same of several ranges, which come one behind the other; false if not all of it is there. */
enum { kRecordRanges = 64 };
typedef struct {
  uint64_t address;
  size_t size;
} record_range;
bool record_read_ranges(void *out, const record_range *ranges, size_t count);
/* Whether all of it is there, so that it can be read in place. Old systems do not know. */
bool record_is_readable(uint64_t address, size_t size);

/* C has no cast between these pointers. */
typedef union {
  void *address;
  TVMFFISafeCallType kernel;
  void *(*dlsym)(void *handle, const char *name);
  int (*register_symbol)(const char *name, void *symbol);
  int (*get_global)(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
  int (*register_method)(int32_t type_index, const TVMFFIMethodInfo *info);
  const TVMFFITypeInfo *(*type_info)(int32_t type_index);
} record_any_function;

/* ---- append.c ---- */

/* Modes: what is recorded is for the user alone, who may let others read it afterwards. */
enum { kRecordPath = 4096, kRecordFolderMode = 0700, kRecordFileMode = 0600 };

/* A file that grows at its end. Under the lock. */
typedef struct {
  char path[kRecordPath + 64];
  int file; /* -1: there is none */
  dev_t device;
  ino_t inode;
  uint64_t size, file_size; /* what is written, and with the filler after it */
  char *window;             /* from window_begin to file_size; NULL: there is none */
  uint64_t window_begin;
  char filler;
  bool is_mapping;   /* false: that failed, and write() is used */
  bool is_in_memory; /* a tmpfs: pages are mapped before they are stored to */
} record_file;

/* Makes a new file with that path; false with errno. */
bool record_file_make(record_file *f, char filler);
/* Appends all bytes, at least one, or none. False after the recording was given up. */
bool record_file_append(record_file *f, const void *bytes, size_t size);
/* is_own: the file is of this process, and not of its parent. */
void record_file_close(record_file *f, bool is_own);

/* ---- events.c ---- */

/* A library that functions come from. */
typedef struct record_library {
  char *path;
  char *build_id;      /* NULL: none */
  int64_t number;      /* in the events of this process; -1: not written yet. Guarded by the lock */
  uint32_t written_in; /* the generation that has `number`, which does not change in it */
  struct record_library *next; /* of those that there ever were */
} record_library;

extern record_library *record_libraries; /* guarded by the lock */

/* Not 0 while calls are recorded. A new number for each recording, and in each child of fork. */
extern uint32_t record_generation;

static inline uint32_t record_now(void) {
  return __atomic_load_n(&record_generation, __ATOMIC_ACQUIRE);
}

/* The lock of everything that is not for each call: slots, libraries, files. Held over fork. */
void record_lock(void);
void record_unlock(void);
void record_renew_lock(void); /* in a child of fork */
/* Not 0 while this thread has the lock or waits for it: a signal may be handled then, and what its
 * handler calls is passed on. */
extern __thread int record_num_locked;

/* The folder of the recording, or the file of the trace. Absolute; empty before the first. */
extern char record_folder[kRecordPath];

void record_begin_generation(void);
/* The number of the newest call, shared with the other processes of the recording. */
extern record_uint64 *record_last_number;
uint64_t record_next_number(void);
int64_t record_time(void);         /* of the file of events */
uint64_t record_clock(void);       /* in nanoseconds, the same in all processes */
char *record_put_thread(char *at); /* the number of this thread */

/* A line on stderr. */
void record_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With record_write_some(). false, and errno in *out_error. */
bool record_write_all(int file, const void *bytes, size_t size, int *out_error);
/* Ends the recording because of a failure. Under the lock. */
void record_give_up(const char *path, int error);

/* Of the file of events. Under the lock. */
const char *record_events_path(void);
/* Whether this process has a file of that generation, which is not over. Under the lock. */
bool record_has_events(uint32_t generation);
/* Appends lines to it. Under the lock. */
bool record_append(const char *bytes, size_t size);
/* The files of events and memory; is_own: of this process, and not of its parent. Under the lock.
 */
void record_close_events(bool is_own);
/* The path of a file of this process, which differs from that of its events in the ending. Under
 * the lock. */
void record_name_beside(char *out, size_t out_size, const char *ending);
/* Appends to the file of small memory, where its numbers are aligned. False if that is not there.
 * Under the lock. */
enum { kMemoryAlign = 8 };
bool record_append_memory(const void *bytes, size_t size, uint64_t *out_at);

/* Appends one line; `text` gets its newline. It opens the file first, if it must. False if the line
 * is not in the file. */
bool record_write(uint32_t generation, record_text *text);
/* Writes a library, unless it is; false if that failed. */
bool record_write_library(uint32_t generation, record_library *library);
/* A sentence for the user of the recording, and on stderr. */
void record_note(const char *sentence);
/* An event with a text. */
void record_write_text(const char *kind, const char *sentence);

/* ---- value.c ---- */

/* The functions of the runtime that looked a symbol up; each may be NULL. */
typedef struct {
  int (*move_raised)(TVMFFIObjectHandle *out);
  int (*set_raised)(TVMFFIObjectHandle error);
  int (*release)(TVMFFIObjectHandle object);
  const TVMFFITypeInfo *(*type_info)(int32_t type_index);
  int (*to_dlpack)(TVMFFIObjectHandle tensor, DLManagedTensorVersioned **out);
  void *(*stream)(int32_t device_type, int32_t device_id);
} record_runtime;

enum { kRecordHash = 33 }; /* the text of a hash with its NUL */

/* A tensor in a text: at `place`, its storage is still to be named. */
typedef struct {
  size_t place;
  uint64_t begin, end, first; /* addresses, or offsets in what the handle names */
  uint64_t handle;            /* `data` on devices where it is no address; else 0 */
  int32_t device_type, device_id;
  bool may_go;    /* the call may free it */
  bool is_output; /* the user says that the call only writes it */
} record_tensor;

typedef struct {
  uint64_t begin, end, handle; /* as of its tensors */
  int32_t device_type, device_id;
  bool may_go;
  bool is_output; /* the call only writes it */
  char data[kRecordHash];
  bool is_small;        /* its bytes are in the file of small memory: */
  uint64_t at;          /* from there on */
  const char *left_out; /* a sentence; NULL if there is data */
  void *kept;           /* the bytes, while they are in memory only */
  bool is_alone;        /* that is not in the block of the call */
} record_storage;

/* What most calls need, so that they allocate nothing. */
enum { kRoomText = 1280, kRoomTensors = 8, kRoomObjects = 16, kRoomBlock = 1024 };

typedef struct {
  char text[2][kRoomText];
  record_tensor tensors[kRoomTensors];
  record_storage storages[kRoomTensors];
  const void *objects[kRoomObjects];
  unsigned char block[kRoomBlock];
} record_room;

/* Values that are being written, and the memory of a call. */
typedef struct {
  const record_runtime *runtime;
  record_text text, other; /* the second is for a copy of the first, which takes its place */
  record_tensor *tensors;
  size_t num_tensors, max_tensors;
  const void **objects; /* by their id */
  size_t num_objects, max_objects;
  uint32_t *slots; /* ids + 1 by the hash of the object */
  size_t num_slots;
  size_t num_values;
  int depth, num_may_go;
  bool is_output;  /* what is written now is an argument that the call only writes */
  bool is_careful; /* objects that may be changed meanwhile are written by their addresses */
  record_storage *storages;
  size_t num_storages, max_storages;
  unsigned char *block; /* with the small memory of storages, if there is no room for it */
  record_room room;     /* not initialized */
} record_values;

void record_values_init(record_values *values, const record_runtime *runtime);
void record_values_fini(record_values *values);
/* Forgets the values, and keeps the storages. */
void record_values_again(record_values *values);

/* The flags of DLPack that the runtime has for a Tensor object; false if it has none. */
bool record_read_flags(const record_runtime *runtime, TVMFFIObjectHandle tensor, uint64_t *out);
void record_value(record_values *values, const TVMFFIAny *value);
/* The texts of an Error. */
void record_error_texts(record_values *values, TVMFFIObjectHandle error);
/* Finds the storages of the tensors in the text, beyond those that there are, and names them there.
 */
void record_find_storages(record_values *values);
/* The JSON of the storages; those before `begin` with their data only. */
void record_add_storages(record_text *out, const record_values *values, size_t begin);

/* ---- plugin.c ---- */

/* Memory of a device, read by its plugin on the stream of the call. */
typedef struct {
  const record_runtime *runtime;
  const tvm_ffi_device_plugin *plugin;
  void *stream;
  uint64_t handle; /* of the storage */
  int32_t device_id;
} record_plugin_memory;

/* NULL, or why the memory of the storage cannot be read. */
const char *record_begin_plugin(const record_runtime *runtime, const record_storage *storage,
                                record_plugin_memory *out);
/* Copies so many bytes from an address, or from an offset into the handle. False if that failed;
 * the error that is raised in the thread stays as it is. */
bool record_copy_plugin(void *context, void *out, uint64_t address, size_t size);

/* ---- storage.c ---- */

extern record_uint64 record_stored_bytes; /* by this process, in this generation */

/* Writes the bytes of storages to files; keep: copies them to memory. */
void record_read_storages(record_values *values, size_t begin, bool after, bool keep);
/* Writes what was kept to files. */
void record_store_kept(record_values *values);
void record_drop_kept(record_storage *storage);

/* ---- call.c ---- */

/* How often a function was called, as files of counts have it. */
typedef struct {
  record_uint64 calls, errors, recorded;
  record_uint64 stopped; /* of the first: 1 if recording ended because a file cannot be written */
} record_count;

/* What a function is: a symbol of a library, or an object that has its name from the global
 * registry, from the module that has it, or from its type. */
typedef enum { kRecordSymbol, kRecordGlobal, kRecordModule, kRecordMethod } record_kind;

/* A function that is intercepted. */
typedef struct {
  TVMFFISafeCallType code; /* NULL: the slot is not used yet. Function objects have their own */
  char *symbol;            /* or the name of a function object */
  record_kind kind;
  const char *function; /* within symbol */
  record_text name;     /* how `function` is in each call */
  record_text title;    /* how each event of a trace begins */
  record_library *library;
  record_runtime runtime;
  uint32_t wanted_in; /* the generation that `is_wanted` is for */
  bool is_wanted;
  uint32_t num_misses;      /* of the last calls, how many in a row repeated none */
  uint32_t counted_in;      /* the generation that `count` is for */
  record_count *count, own; /* the second is for what no file counts */
  record_uint64 total_ns;
} record_slot;

enum { kRecordSlots = 4096 };
extern record_slot record_slots[kRecordSlots];
extern uint32_t record_num_slots; /* of those in use; published with release */

int record_call(uint32_t slot, void *handle, const TVMFFIAny *args, int32_t num_args,
                TVMFFIAny *result);
/* Forgets how often signatures were called. */
void record_forget_signatures(void);

/* ---- counts.c ---- */

/* Under the lock. */
void record_forget_counts(void);
/* Notes that recording ended because of a failure, which the file of events cannot have. Under the
 * lock. */
void record_count_failure(void);
/* Where the calls of a function are counted, the first time in a generation. */
record_count *record_begin_count(record_slot *slot, uint32_t generation);

static inline record_count *record_find_count(record_slot *slot, uint32_t generation) {
  if (__atomic_load_n(&slot->counted_in, __ATOMIC_ACQUIRE) == generation) {
    return __atomic_load_n(&slot->count, __ATOMIC_RELAXED);
  }
  return record_begin_count(slot, generation);
}

/* ---- trace.c ---- */

/* A call that is traced. */
typedef struct {
  uint32_t generation;
  record_slot *slot;
  int32_t num_args;
  uint64_t begin;   /* record_clock */
  record_text args; /* as JSON */
  char room[kRoomLine];
} record_trace;

/* Before the function is called, which may release the arguments, and after it. */
void record_trace_begin(record_trace *trace, uint32_t generation, record_slot *slot,
                        const TVMFFIAny *args, int32_t num_args);
void record_trace_end(record_trace *trace, int rc);
/* Forgets how long calls took. */
void record_forget_times(void);
/* The table of functions, the one that took longest first. */
void record_add_table(record_text *out);

/* ---- intercept.c ---- */

/* Whether this is the name of what may be a kernel. */
bool record_is_kernel(const char *symbol);
/* What somebody who looks up or registers a symbol gets for its address; `caller` is in the code of
 * that one. */
void *record_replace(const char *symbol, void *address, const void *caller);
/* How many kernels this thread has got so: those of a function object that it asked for meanwhile
 * are seen already. */
extern __thread uint32_t record_num_replaced;
/* Whether a kernel that is seen has this name, with the system library's prefix if that is used. */
bool record_has_kernel(const char *name, size_t size);
/* Whether the code is one of those that somebody got. */
bool record_is_thunk(TVMFFISafeCallType code);
/* Whether the options leave no function of this name out of all recordings of this process; the
 * first time that they do, it is counted. */
bool record_is_wanted(const char *function, const char *path);
/* The functions of a runtime, as `find` has them. */
void record_find_runtime(void *(*find)(const void *context, const char *name), const void *context,
                         record_runtime *out);
/* The slot of a function, a new one if it has none; kRecordSlots if there is none left. */
uint32_t record_take_slot(TVMFFISafeCallType code, const char *symbol, record_kind kind,
                          const record_loaded_file *file, const record_runtime *runtime);
/* How many functions were looked up or registered that the options leave out. */
uint32_t record_num_unwanted(void);
/* The name of the symbol nearest to a function, or null, as JSON. */
void record_add_symbol(record_text *out, TVMFFISafeCallType function);

/* ---- session.c ---- */

/* Reads the environment, the first time. */
void record_prepare(void);
/* Whether the process was started to be recorded, by its environment. */
bool record_is_by_environment(void);

#endif /* TVM_FFI_RECORD_RECORD_H_ */
