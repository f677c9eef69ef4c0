/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table, and the ratios to another runtime's time that they are to stay below. */
#include "bench.h"

const bench_operation bench_operations[] = {
    {"first dlopen of the runtime", bench_load, 0.10, kBenchNothing, 1, 1},
    {"function call, three ints", bench_call_function, 1.05, kBenchRuntime, 1, 0},
    {"function create + destroy", bench_create_function, 0.6, kBenchRuntime, 1, 0},
    {"IncRef + DecRef", bench_count_references, 0.95, kBenchRuntime, 1, 0},
    {"get global + release", bench_get_global, 0.35, kBenchRuntime, 1, 0},
    {"get global + release, two threads", bench_get_global, 0.25, kBenchRuntime, 2, 0},
    {"set global, 100,000 new names", bench_set_global, 0.6, kBenchTexts, 1, kBenchManyNames},
    {"get global + release, among 100,000", bench_get_global_among_many, 0.5, kBenchNames, 1, 0},
    {"small string, 6 bytes", bench_small_string, 0.7, kBenchRuntime, 1, 0},
    {"heap string, 32 bytes, create + destroy", bench_heap_string, 0.7, kBenchRuntime, 1, 0},
    {"AnyViewToOwnedAny of a raw string", bench_own_raw_string, 0.7, kBenchRuntime, 1, 0},
    {"error raise + take + free", bench_raise_error, 0.02, kBenchRuntime, 1, 0},
    {"error raise with a backtrace", bench_raise_error_with_backtrace, 0, kBenchRuntime, 1, 0},
    {"failing call + take + free", bench_failing_call, 0.02, kBenchRuntime, 1, 0},
    {"dtype from text, float32", bench_dtype_from_float32, 0.35, kBenchRuntime, 1, 0},
    {"dtype from text, float8_e4m3fnx4", bench_dtype_from_float8, 0.35, kBenchRuntime, 1, 0},
    {"dtype to text", bench_dtype_to_text, 0.25, kBenchRuntime, 1, 0},
    {"tensor from DLPack + release", bench_tensor_from_dlpack, 0.8, kBenchRuntime, 1, 0},
    {"tensor to DLPack + delete", bench_tensor_to_dlpack, 0.8, kBenchRuntime, 1, 0},
    {"environment tensor allocation", bench_allocate_tensor, 0.9, kBenchRuntime, 1, 0},
    {"get stream", bench_get_stream, 0.6, kBenchRuntime, 1, 0},
    {"set stream", bench_set_stream, 0.7, kBenchRuntime, 1, 0},
    {"type key to index", bench_type_key_to_index, 0.35, kBenchRuntime, 1, 0},
    {"type info by index", bench_type_info, 0.6, kBenchRuntime, 1, 0},
    {"init-once hit", bench_once_hit, 1.05, kBenchRuntime, 1, 0},
    {"module get_function", bench_module_get_function, 0.35, kBenchRuntime, 1, 0},
    {"module kernel call, 4 floats", bench_module_call, 0.7, kBenchRuntime, 1, 0},
    {"two malloc + free, no runtime", bench_malloc_twice, 0, kBenchRuntime, 1, 0},
};
const size_t bench_num_operations = sizeof bench_operations / sizeof *bench_operations;
