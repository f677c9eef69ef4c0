/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a runtime and prepares the data for the operations. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

int bench_names_extend(bench_names *names, char letter, size_t count) {
  bench_name *all;
  if (count <= names->count) return 0;
  all = realloc(names->all, count * sizeof *all);
  if (all == NULL) return -1;
  names->all = all;
  for (; names->count < count; ++names->count) {
    bench_name *name = &all[names->count];
    int size = snprintf(name->text, sizeof name->text, "bench.%c%zu", letter, names->count);
    if (size < 0 || (size_t)size >= sizeof name->text) return -1;
    name->size = (unsigned char)size;
  }
  return 0;
}

/* Fisher-Yates shuffle of the known names, with a fixed seed. */
void bench_names_shuffle(bench_names *names) {
  uint64_t random = 88172645463325252u;
  size_t i;
  for (i = names->num_known; i > 1; --i) {
    bench_name swapped = names->all[i - 1];
    size_t other;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    other = (size_t)(random % i);
    names->all[i - 1] = names->all[other];
    names->all[other] = swapped;
  }
}

static int find_symbols(bench_state *s) {
  void *symbol;
#define LOAD(name)                                                        \
  symbol = dlsym(s->library, "TVMFFI" #name);                             \
  if (symbol == NULL) {                                                   \
    (void)fprintf(stderr, "bench: %s has no TVMFFI" #name "\n", s->path); \
    return -1;                                                            \
  }                                                                       \
  memcpy(&s->api.name, &symbol, sizeof symbol);
  BENCH_FUNCTIONS(LOAD)
#undef LOAD
  symbol = dlsym(s->library, "TVMFFIRuntimeSetBacktraceEnabled");
  memcpy(&s->api.set_backtrace, &symbol, sizeof symbol);
  return 0;
}

int bench_find_global(bench_state *s, TVMFFIByteArray name, TVMFFIObjectHandle *out) {
  return s->api.FunctionGetGlobal(&name, out) == 0 && *out != NULL ? 0 : -1;
}

/* Loads a library, and makes a Function of one of its kernels. */
static int load_kernel(bench_state *s, TVMFFIObjectHandle load, const char *path, const char *name,
                       TVMFFIObjectHandle *module, TVMFFIObjectHandle *kernel) {
  TVMFFIAny args[3], result = bench_any(kTVMFFINone);
  args[0] = bench_text(path);
  if (s->api.FunctionCall(load, args, 1, &result) != 0) return -1;
  *module = result.v_obj;
  args[0] = result;
  args[1] = bench_text(name);
  args[2] = bench_any(kTVMFFIBool);
  result = bench_any(kTVMFFINone);
  if (s->api.FunctionCall(s->get_function, args, 3, &result) != 0) return -1;
  *kernel = result.v_obj;
  return result.type_index == kTVMFFIFunction ? 0 : -1;
}

#ifdef BENCH_VIEWS
static int copy_file(const char *from, const char *to) {
  char buffer[4096];
  size_t size;
  FILE *source = fopen(from, "rb"), *copy = fopen(to, "wb");
  int rc = source == NULL || copy == NULL ? -1 : 0;
  while (rc == 0 && (size = fread(buffer, 1, sizeof buffer, source)) > 0) {
    if (fwrite(buffer, 1, size, copy) != size) rc = -1;
  }
  if (source != NULL && fclose(source) != 0) rc = -1;
  if (copy != NULL && fclose(copy) != 0) rc = -1;
  return rc;
}

/* Loads a copy of a library that calls the runtime: two runtimes of one process cannot share it. */
static int load_own_kernel(bench_state *s, TVMFFIObjectHandle load, const char *path,
                           const char *name, TVMFFIObjectHandle *module,
                           TVMFFIObjectHandle *kernel) {
  char folder[] = "/tmp/bench.XXXXXX", copy[sizeof folder + 16];
  int rc;
  if (mkdtemp(folder) == NULL) return -1;
  (void)snprintf(copy, sizeof copy, "%s/kernel.so", folder);
  rc = copy_file(path, copy) == 0 ? load_kernel(s, load, copy, name, module, kernel) : -1;
  (void)unlink(copy);
  (void)rmdir(folder);
  return rc;
}
#endif

static int load_kernels(bench_state *s) {
  TVMFFIObjectHandle load = NULL;
  if (bench_find_global(s, BENCH_BYTES("ffi.ModuleLoadFromFile"), &load) != 0 ||
      bench_find_global(s, BENCH_BYTES("ffi.ModuleGetFunction"), &s->get_function) != 0 ||
      load_kernel(s, load, BENCH_KERNEL, "bench_add", &s->module, &s->kernel) != 0) {
    return -1;
  }
#ifdef BENCH_VIEWS
  if (load_own_kernel(s, load, BENCH_VIEWS, "read_three", &s->views_module, &s->views_kernel) !=
      0) {
    return -1;
  }
#endif
  return s->api.ObjectDecRef(load);
}

static int make_objects(bench_state *s) {
  TVMFFIByteArray name = BENCH_BYTES("bench.a_function_of_three");
  if (s->api.FunctionCreate(NULL, bench_add_three, NULL, &s->add) != 0 ||
      s->api.FunctionCreate(&s->api, bench_fail, NULL, &s->failing) != 0 ||
      s->api.FunctionSetGlobal(&name, s->add, 1) != 0 ||
      s->api.TensorFromDLPackVersioned(bench_managed_tensor(), 0, 0, &s->tensor) != 0 ||
      s->api.TensorFromDLPackVersioned(bench_managed_output(), 0, 0, &s->output) != 0 ||
      s->api.EnvSetDLPackManagedTensorAllocator(bench_allocator, 0, NULL) != 0 ||
      bench_set_stream(s, 1) != 0) {
    return -1;
  }
  return load_kernels(s);
}

static int grow(bench_state *s, bench_names *names, char letter, bench_run add, size_t count) {
  size_t num_new = count - names->num_known;
  double start;
  if (bench_names_extend(names, letter, count) != 0) return -1;
  start = bench_now_ns();
  if (add(s, num_new) != 0) return -1;
  if (num_new != 0) names->grown_ns = (bench_now_ns() - start) / (double)num_new;
  bench_names_shuffle(names);
  return 0;
}

int bench_grow_names(bench_state *s, size_t count) {
  return grow(s, &s->names, 'n', bench_set_global, count);
}

int bench_grow_types(bench_state *s, size_t count) {
  return grow(s, &s->types, 't', bench_register_type, count);
}

/* Prepares a level when the one before it is ready. */
static int prepare_level(bench_state *s, bench_need level) {
  switch (level) {
    case kBenchRuntime:
      return find_symbols(s) != 0 ? -1 : make_objects(s);
#ifdef BENCH_CONTAINERS
    case kBenchJson:
      return bench_make_json(s);
    case kBenchTrees:
      return bench_grow_trees(s, kBenchNodes);
    case kBenchItems:
      return bench_make_items(s);
    case kBenchContainers:
      return bench_make_containers(s);
#endif
    case kBenchTexts:
      return bench_names_extend(&s->names, 'n', kBenchManyNames);
    case kBenchNames:
      return bench_grow_names(s, kBenchManyNames);
    default:
      return 0;
  }
}

int bench_prepare(bench_state *s, bench_need need) {
  if (need != kBenchNothing && s->library == NULL && bench_load(s, 1) != 0) {
    (void)fprintf(stderr, "bench: %s\n", dlerror());
    return -1;
  }
  while (s->have < need) {
    if (prepare_level(s, s->have + 1) != 0) {
      (void)fprintf(stderr, "bench: %s: cannot prepare the operations\n", s->path);
      return -1;
    }
    ++s->have;
  }
  return 0;
}

int bench_load(bench_state *s, size_t calls) {
  (void)calls;
  s->library = dlopen(s->path, RTLD_NOW | RTLD_LOCAL);
  return s->library == NULL;
}
