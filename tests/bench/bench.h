/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_BENCH_H_
#define TESTS_BENCH_BENCH_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

/* clang-format off */
/* The functions of a runtime that the operations use, without their TVMFFI. */
#define BENCH_FUNCTIONS(X)                                                                        \
  X(ObjectIncRef) X(ObjectDecRef) X(FunctionCreate) X(FunctionCall) X(FunctionGetGlobal)          \
  X(FunctionSetGlobal) X(StringFromByteArray) X(AnyViewToOwnedAny) X(ErrorSetRaisedFromCStr)      \
  X(ErrorMoveFromRaised) X(DataTypeFromString) X(DataTypeToString) X(TensorFromDLPackVersioned)   \
  X(TensorToDLPackVersioned) X(EnvTensorAlloc) X(EnvSetDLPackManagedTensorAllocator)              \
  X(EnvSetStream) X(EnvGetStream) X(TypeKeyToIndex) X(GetTypeInfo) X(HandleInitOnce)
/* clang-format on */

typedef struct {
  double load_ns;
#define FIELD(name) __typeof__(&TVMFFI##name) name;
  BENCH_FUNCTIONS(FIELD)
#undef FIELD
} bench_runtime;

/* What the operations work on, made once per runtime. */
typedef struct {
  const bench_runtime *api;
  TVMFFIObjectHandle add; /* a function of three ints */
  TVMFFIObjectHandle failing;
  TVMFFIObjectHandle tensor;
  TVMFFIObjectHandle module, get_function, kernel; /* NULL without a kernel library */
  void *once;
  char (*names)[16]; /* of 100,000 global functions, registered by the operation that adds them */
  size_t names_added;
} bench_state;

typedef struct {
  const char *name;
  void (*run)(bench_state *state, size_t calls);
  double reach; /* the ratio to stay below */
  int needs_kernel;
} bench_operation;

extern const bench_operation bench_operations[];
extern const size_t bench_num_operations;

int bench_prepare(bench_state *state, const bench_runtime *api, const char *kernel_path);

#endif /* TESTS_BENCH_BENCH_H_ */
