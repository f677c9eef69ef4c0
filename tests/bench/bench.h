/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime under test, the data that the operations work on, and the operations. The runtime is
 * used only through its exported functions, so any other can be loaded beside it in one process.
 */
#ifndef TESTS_BENCH_BENCH_H_
#define TESTS_BENCH_BENCH_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

/* clang-format off */
/* The functions of a runtime that the operations use, named without the prefix TVMFFI. */
#define BENCH_FUNCTIONS(X)                                                                        \
  X(ObjectIncRef) X(ObjectDecRef) X(FunctionCreate) X(FunctionCall) X(FunctionGetGlobal)          \
  X(FunctionSetGlobal) X(StringFromByteArray) X(AnyViewToOwnedAny) X(ErrorSetRaisedFromCStr)      \
  X(ErrorMoveFromRaised) X(DataTypeFromString) X(DataTypeToString) X(TensorFromDLPackVersioned)   \
  X(TensorToDLPackVersioned) X(EnvTensorAlloc) X(EnvSetDLPackManagedTensorAllocator)              \
  X(EnvSetStream) X(EnvGetStream) X(TypeKeyToIndex) X(TypeGetOrAllocIndex) X(GetTypeInfo)         \
  X(TypeRegisterField) X(TypeRegisterMetadata) X(HandleInitOnce) X(ErrorSetRaised)                \
  X(ErrorSetRaisedFromCStrParts) X(ErrorCreate) X(Backtrace)
/* clang-format on */

typedef struct {
#define FIELD(name) __typeof__(&TVMFFI##name) name;
  BENCH_FUNCTIONS(FIELD)
#undef FIELD
  int (*set_backtrace)(int enabled); /* TVMFFIRuntimeSetBacktraceEnabled, or NULL */
} bench_runtime;

/* ---- Names in shuffled order ---- */

typedef struct {
  char text[15];
  unsigned char size;
} bench_name;

/* The first num_known are registered with the runtime, and are in shuffled order. */
typedef struct {
  bench_name *all;
  size_t count, num_known;
  double grown_ns; /* time to add one name, the last time that names were added */
} bench_names;

/* Appends names up to `count` in all, in the order of their numbers. */
int bench_names_extend(bench_names *names, char letter, size_t count);
void bench_names_shuffle(bench_names *names);

/* ---- State of a runtime ---- */

enum { kBenchManyNames = 100000, kBenchKilobytes = 1000, kBenchNodes = 10000 };

/* How far a state is prepared; each level includes those before it. */
typedef enum {
  kBenchNothing,
  kBenchRuntime,   /* the library is loaded, its objects are made */
  kBenchJson,      /* there are texts of JSON, and values of them */
  kBenchTrees,     /* there are trees of objects */
  kBenchItems,     /* there are integers to fill containers with */
  kBenchTexts,     /* kBenchManyNames texts are made that no global function has yet */
  kBenchNames,     /* that many global functions are set, and the texts are shuffled */
  kBenchContainers /* arrays and maps are made, the largest of a million entries */
} bench_need;

/* One runtime and its objects. Each thread gets a copy. */
typedef struct {
  const char *path;
  void *library;
  bench_runtime api;
  bench_need have;
  TVMFFIObjectHandle add;            /* a function of three ints */
  TVMFFIObjectHandle failing;        /* a function that raises */
  TVMFFIObjectHandle tensor, output; /* of bench_managed_tensor() and _output() */
  TVMFFIObjectHandle module, get_function, kernel, views_module, views_kernel;
  void *once;
  TVMFFIObjectHandle make_array, get_element, make_map, get_value;
  TVMFFIAny *items;             /* a million pairs: a key and its index */
  TVMFFIAny arrays[3], maps[3]; /* of 10, of 1,000 and of a million entries */
  TVMFFIObjectHandle parse_json, write_json;
  TVMFFIAny json_texts[2], json_values[2]; /* of 1 kB, and of json_kilobytes */
  void *json_pin[2];                       /* never read; keeps the heap from shrinking */
  size_t json_kilobytes;                   /* size of the second: kBenchKilobytes, or as asked */
  int32_t tree_type;
  TVMFFIAny trees[2], tree_graph; /* two equal trees, and the JSON graph of the first */
  bench_names names, types;
  size_t position; /* state of the walk through the names or through random places */
} bench_state;

/* Prepares the missing levels. Prints what went wrong and gives -1. */
int bench_prepare(bench_state *state, bench_need need);

/* Finds a global function [own]; -1 if there is none. */
int bench_find_global(bench_state *state, TVMFFIByteArray name, TVMFFIObjectHandle *out);

/* Adds global functions, or types, until there are `count` in all. */
int bench_grow_names(bench_state *state, size_t count);
int bench_grow_types(bench_state *state, size_t count);

/* ---- The operations ---- */

/* Makes `calls` calls and checks their results; non-zero if any was wrong. */
typedef int (*bench_run)(bench_state *state, size_t calls);

typedef struct {
  const char *name;
  bench_run run;
  bench_need need;
  int threads;
  size_t fresh_calls; /* if not 0: runs once per process, with this many calls */
} bench_operation;

extern const bench_operation bench_operations[];
extern const size_t bench_num_operations;

/* state.c: dlopen, once */
int bench_load(bench_state *state, size_t calls);

/* functions.c */
int bench_call_function(bench_state *state, size_t calls);
int bench_call_function_by_helper(bench_state *state, size_t calls);
int bench_create_function(bench_state *state, size_t calls);
int bench_use_function(bench_state *state, size_t calls);
int bench_count_references(bench_state *state, size_t calls);
int bench_get_global(bench_state *state, size_t calls);
int bench_get_global_among_many(bench_state *state, size_t calls);
int bench_set_global(bench_state *state, size_t calls);
int bench_raise_error(bench_state *state, size_t calls);
int bench_raise_error_with_backtrace(bench_state *state, size_t calls);
int bench_failing_call(bench_state *state, size_t calls);
int bench_once_hit(bench_state *state, size_t calls);
int bench_add_three(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int bench_fail(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* values.c */
int bench_malloc_twice(bench_state *state, size_t calls);
int bench_small_string(bench_state *state, size_t calls);
int bench_heap_string(bench_state *state, size_t calls);
int bench_own_raw_string(bench_state *state, size_t calls);
int bench_dtype_from_float32(bench_state *state, size_t calls);
int bench_dtype_from_float8(bench_state *state, size_t calls);
int bench_dtype_to_text(bench_state *state, size_t calls);
int bench_register_type(bench_state *state, size_t calls);
int bench_type_key_to_index(bench_state *state, size_t calls);
int bench_type_key_among_many(bench_state *state, size_t calls);
int bench_type_info(bench_state *state, size_t calls);

/* tensors.c */
int bench_tensor_from_dlpack(bench_state *state, size_t calls);
int bench_tensor_to_dlpack(bench_state *state, size_t calls);
int bench_allocate_tensor(bench_state *state, size_t calls);
int bench_get_stream(bench_state *state, size_t calls);
int bench_set_stream(bench_state *state, size_t calls);
int bench_module_get_function(bench_state *state, size_t calls);
int bench_module_call(bench_state *state, size_t calls);
int bench_call_views(bench_state *state, size_t calls);
DLManagedTensorVersioned *bench_managed_tensor(void);
DLManagedTensorVersioned *bench_managed_output(void);
int bench_allocator(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *, const char *, const char *));

/* containers.c */
int bench_make_items(bench_state *state);
int bench_make_containers(bench_state *state);
int bench_build_small_array(bench_state *state, size_t calls);
int bench_build_middle_array(bench_state *state, size_t calls);
int bench_build_large_array(bench_state *state, size_t calls);
int bench_build_small_map(bench_state *state, size_t calls);
int bench_build_middle_map(bench_state *state, size_t calls);
int bench_build_large_map(bench_state *state, size_t calls);
int bench_index_small_array(bench_state *state, size_t calls);
int bench_index_middle_array(bench_state *state, size_t calls);
int bench_index_large_array(bench_state *state, size_t calls);
int bench_look_up_small_map(bench_state *state, size_t calls);
int bench_look_up_middle_map(bench_state *state, size_t calls);
int bench_look_up_large_map(bench_state *state, size_t calls);

/* json.c */
int bench_make_json(bench_state *state);
int bench_parse_small_json(bench_state *state, size_t calls);
int bench_parse_large_json(bench_state *state, size_t calls);
int bench_write_small_json(bench_state *state, size_t calls);
int bench_write_large_json(bench_state *state, size_t calls);
int bench_grow_json(bench_state *state,
                    size_t kilobytes); /* sets the size of the second document */
int bench_parse_grown_json(bench_state *state, size_t calls);
int bench_write_grown_json(bench_state *state, size_t calls);

/* trees.c */
int bench_grow_trees(bench_state *state, size_t size);
int bench_hash_tree(bench_state *state, size_t calls);
int bench_compare_trees(bench_state *state, size_t calls);
int bench_print_tree(bench_state *state, size_t calls);
int bench_copy_tree(bench_state *state, size_t calls);
int bench_write_tree(bench_state *state, size_t calls);
int bench_read_tree(bench_state *state, size_t calls);

/* ---- Measuring ---- */

enum { kBenchMaxThreads = 4 };

/* The best round so far, and how many calls fill a slice of time. */
typedef struct {
  double best_ns; /* of one call in one thread */
  size_t calls;
} bench_measure;

#define BENCH_MEASURE_INIT \
  { 1e30, 16 }

double bench_now_ns(void);

/* Copies the first state to the others; each starts at a different place among the names. */
void bench_fan_out(bench_state states[kBenchMaxThreads]);

/* One round in `threads` threads, including the caller's; non-zero if a result was wrong. */
int bench_measure_round(bench_run run, bench_state *states, int threads, double slice_ns,
                        bench_measure *measure);

/* ---- Values ---- */

static inline TVMFFIAny bench_any(int32_t type_index) {
  TVMFFIAny any;
  any.type_index = type_index;
  any.zero_padding = 0;
  any.v_int64 = 0;
  return any;
}

static inline TVMFFIAny bench_int(int64_t value) {
  TVMFFIAny any = bench_any(kTVMFFIInt);
  any.v_int64 = value;
  return any;
}

static inline TVMFFIAny bench_text(const char *text) {
  TVMFFIAny any = bench_any(kTVMFFIRawStr);
  any.v_c_str = text;
  return any;
}

static inline TVMFFIByteArray bench_bytes(const char *data, size_t size) {
  TVMFFIByteArray bytes;
  bytes.data = data;
  bytes.size = size;
  return bytes;
}

/* The bytes of a string literal. */
#define BENCH_BYTES(text) bench_bytes("" text, sizeof(text) - 1)

#endif /* TESTS_BENCH_BENCH_H_ */
