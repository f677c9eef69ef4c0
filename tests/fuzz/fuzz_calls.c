/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of the input become operations on a few values: calls of global functions, of functions
 * of the C API, and of Functions whose bodies (hooks) read further bytes: they return anything,
 * fail, keep their arguments, or run further operations. Hooks become attributes of types and
 * global functions, too. At the end every object is gone.
 *
 * A List and a Dict that hooks cannot reach are compared with a model after each operation.
 *
 * With FUZZ_CALLS_OOM, allocations fail during each operation.
 */
#include <stdlib.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "core/builtins.h"
#include "fuzz.h"
#include "reflect/walk.h"

enum { kNumValues = 10, kMaxArgs = 5, kMaxOps = 120, kNumTypes = 2, kMaxGlobals = 160 };

static fuzz_input in;
static TVMFFIAny values[kNumValues];
static int32_t types[kNumTypes];
static int num_ops, depth, live_nodes, live_hooks;
static TVMFFISafeCallType hook_safe_call; /* of Functions that call hook(); NULL before the first */
static bool error_left;                   /* a hook has returned 0 with an error raised */

static void run_operation(void);

static TVMFFIByteArray bytes_of(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = strlen(text);
  return bytes;
}

static int raise(int rc) {
  if (rc != 0) TVMFFIErrorSetRaisedFromCStr("FuzzError", "raised by the target");
  return rc;
}

static void collect(const TVMFFIAny *value, int length);

/* Takes an owned value. The old one may run hooks when it is released. */
static void keep(TVMFFIAny value) {
  TVMFFIAny *place = &values[fuzz_byte(&in) % kNumValues], old = *place;
  fuzz_check_value(&value);
  collect(&value, 0);
  *place = value;
  tvmffi_any_release(&old);
}

/* As fuzz_checked; a hook may have left an error. */
static int checked(int rc) {
  if (rc == 0 && error_left) TVMFFIErrorSetRaised(NULL);
  return fuzz_checked(rc);
}

/* ---- Objects of the target's own types ---- */

typedef struct {
  TVMFFIObject header;
  TVMFFIAny a, b;
} node;

static void delete_node(void *self, int flags) {
  node *n = self;
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    tvmffi_any_release(&n->a);
    tvmffi_any_release(&n->b);
  }
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) {
    --live_nodes;
    free(n);
  }
}

static node *new_node(int32_t type) {
  node *n = malloc(sizeof *n);
  fuzz_require(n != NULL);
  memset(n, 0, sizeof *n);
  n->header.combined_ref_count = TVMFFI_BOTH_ONE;
  n->header.type_index = type;
  n->header.deleter = delete_node;
  ++live_nodes;
  return n;
}

/*
 * Everything that can hold itself, and so would never be destroyed: the end of an input empties it.
 */
static TVMFFIObject *holders[400];
static int num_holders;

static bool is_holder(int32_t type) {
  return type == kTVMFFIList || type == kTVMFFIDict || type == types[0] || type == types[1];
}

/* Adds what can be reached from a value; too much ends the input. */
static void collect(const TVMFFIAny *value, int length) {
  enum { kMaxHolders = sizeof holders / sizeof *holders, kMaxDepth = 100 };
  fuzz_input kept = in;
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  int i;
  if (value->type_index < kTVMFFIStaticObjectBegin) return;
  if (is_holder(value->type_index)) {
    for (i = 0; i < num_holders; ++i) {
      if (holders[i] == value->v_obj) return;
    }
    if (num_holders < kMaxHolders) holders[num_holders++] = tvmffi_any_copy(value).v_obj;
  }
  if (num_holders == kMaxHolders || length == kMaxDepth) {
    in.pos = in.end;
    return;
  }
  in.pos = in.end; /* getters do not fail here */
  tvmffi_child_first(&cursor, value->v_obj);
  while (tvmffi_child_next(&cursor, &child) > 0) {
    collect(&child.value, length + 1);
    collect(&child.key, length + 1);
    tvmffi_child_release(&child);
  }
  if (num_holders < kMaxHolders) in = kept;
}

static void empty_holders(void) {
  int i;
  for (i = 0; i < num_holders; ++i) {
    TVMFFIAny arg = tvmffi_any_object(holders[i]), result;
    if (arg.type_index == kTVMFFIList) {
      fuzz_require(fuzz_call("ffi.ListClear", &arg, 1, &result) == 0);
    } else if (arg.type_index == kTVMFFIDict) {
      fuzz_require(fuzz_call("ffi.DictClear", &arg, 1, &result) == 0);
    } else {
      node *n = arg.v_ptr;
      tvmffi_any_release(&n->a);
      tvmffi_any_release(&n->b);
    }
  }
  while (num_holders > 0) TVMFFIObjectDecRef(holders[--num_holders]);
}

static int create_first(TVMFFIObjectHandle *out) {
  *out = new_node(types[0]);
  return 0;
}

static int create_second(TVMFFIObjectHandle *out) {
  uint8_t how = fuzz_byte(&in);
  if (how == 1) return raise(-1);
  *out = new_node(types[how == 2 ? 0 : 1]);
  return 0;
}

static int get_field(void *field, TVMFFIAny *out) {
  if (fuzz_byte(&in) == 0xf0) return raise(-1);
  *out = tvmffi_any_copy(field);
  return 0;
}

static int set_field(void *field, const TVMFFIAny *value) {
  TVMFFIAny owned, old = *(TVMFFIAny *)field;
  if (TVMFFIAnyViewToOwnedAny(value, &owned) != 0) return -1;
  *(TVMFFIAny *)field = owned;
  tvmffi_any_release(&old);
  return 0;
}

/* The offsets, sizes and functions of what is registered are right; the rest is the input's. */
static void register_type(int i) {
  static const char *const kKeys[kNumTypes] = {"fuzz.First", "fuzz.Second"};
  static const char *const kNames[] = {"a", "b"};
  union {
    TVMFFIFieldSetter function;
    void *address;
  } setter;
  TVMFFIByteArray key = bytes_of(kKeys[i]);
  TVMFFITypeMetadata metadata;
  size_t k;
  types[i] = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  fuzz_require(types[i] > 0);
  setter.function = set_field;
  for (k = 0; k < 2; ++k) {
    TVMFFIFieldInfo field;
    memset(&field, 0, sizeof field);
    field.name = bytes_of(kNames[k]);
    field.flags = fuzz_int(&in, 2) & ~(int64_t)kTVMFFIFieldFlagBitSetterIsFunctionObj &
                  ~(int64_t)kTVMFFIFieldFlagBitMaskDefaultFromFactory;
    field.size = sizeof(TVMFFIAny);
    field.alignment = 8;
    field.offset = (int64_t)(k == 0 ? offsetof(node, a) : offsetof(node, b));
    field.getter = get_field;
    field.setter = setter.address;
    field.default_value_or_factory = tvmffi_any_int(7);
    field.field_static_type_index = kTVMFFIAny;
    fuzz_require(fuzz_checked(TVMFFITypeRegisterField(types[i], &field)) == 0);
  }
  memset(&metadata, 0, sizeof metadata);
  metadata.creator = i == 0 ? create_first : create_second;
  metadata.total_size = sizeof(node);
  metadata.structural_eq_hash_kind = (TVMFFISEqHashKind)(fuzz_byte(&in) % 6);
  fuzz_require(fuzz_checked(TVMFFITypeRegisterMetadata(types[i], &metadata)) == 0);
}

/* ---- Hooks ---- */

static void delete_hook(void *self) {
  free(self);
  --live_hooks;
  if (fuzz_byte(&in) == 0xf1) run_operation();
}

static int hook(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  uint8_t how = fuzz_byte(&in);
  int32_t i;
  (void)self;
  switch (how % 12) {
    case 1:
      return num_args > 0 ? TVMFFIAnyViewToOwnedAny(&args[0], result) : 0;
    case 2:
      *result = tvmffi_any_copy(&values[how % kNumValues]);
      return 0;
    case 3:
      return raise(-1);
    case 4: /* fails without an error */
      TVMFFIErrorSetRaised(NULL);
      return 1;
    case 5:
      *result = tvmffi_any_int(fuzz_int(&in, 1));
      return 0;
    case 6:
      run_operation();
      return 0;
    case 7:
      for (i = 0; i < num_args; ++i) {
        TVMFFIAny owned;
        if (args[i].type_index == kTVMFFIObjectRValueRef) continue;
        if (args[i].type_index == kTVMFFIDLTensorPtr) continue;
        if (TVMFFIAnyViewToOwnedAny(&args[i], &owned) != 0) return -1;
        keep(owned);
      }
      *result = tvmffi_any_copy(&values[how % kNumValues]);
      return 0;
    case 8:
      error_left = true;
      return raise(1) - 1;
    case 9:
      *result = tvmffi_any_bool(how / 12 % 2);
      return 0;
    case 10: /* the functions that hooks of comparison, hash and repr receive */
      if (num_args > 0 && args[num_args - 1].type_index == kTVMFFIFunction && depth < 8) {
        TVMFFIAny copies[2];
        int rc;
        copies[0] = args[0];
        copies[1] = args[num_args > 1 ? 1 : 0];
        ++depth;
        rc = TVMFFIFunctionCall(args[num_args - 1].v_ptr, copies, num_args > 2 ? 2 : 1, result);
        --depth;
        return rc;
      }
      return 0;
    case 11: {
      TVMFFIByteArray text = fuzz_text(&in, 16);
      return TVMFFIStringFromByteArray(&text, result);
    }
    default:
      return 0;
  }
}

/* ---- Arguments ---- */

/*
 * Adds the values that one holds, as often as they are reached, up to a limit: visits, mutations,
 * repr and JSON take time in proportion, which shared values make exponential. Circles end at a
 * value on the path.
 */
static void measure(const TVMFFIAny *value, const TVMFFIObject **path, int length, int *size) {
  enum { kLimit = 300, kMaxDepth = 40 };
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  int i;
  if (value->type_index < kTVMFFIStaticObjectBegin || *size > kLimit) return;
  for (i = 0; i < length; ++i) {
    if (path[i] == value->v_obj) return;
  }
  if (length == kMaxDepth) {
    *size = kLimit + 1;
    return;
  }
  path[length] = value->v_obj;
  tvmffi_child_first(&cursor, value->v_obj);
  while (++*size <= kLimit && tvmffi_child_next(&cursor, &child) > 0) {
    measure(&child.value, path, length + 1, size);
    measure(&child.key, path, length + 1, size);
    tvmffi_child_release(&child);
  }
}

static bool is_small(const TVMFFIAny *args, int num_args) {
  const TVMFFIObject *path[40];
  fuzz_input kept = in;
  int i, size = 0;
  in.pos = in.end; /* getters do not fail here */
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIObjectRValueRef) measure(&args[i], path, 0, &size);
  }
  in = kept;
  TVMFFIErrorSetRaised(NULL);
  return size <= 300;
}

/* Reads views of values, plain ones, and rvalue references of copies. */
static int read_args(TVMFFIAny *args, TVMFFIAny *owned, TVMFFIObjectHandle *moved) {
  int i, num_args = fuzz_byte(&in) % (kMaxArgs + 1);
  for (i = 0; i < num_args; ++i) {
    uint8_t how = fuzz_byte(&in);
    owned[i] = tvmffi_any_none();
    moved[i] = NULL;
    if (how < 0x10) {
      args[i] = how < 0x0e ? tvmffi_any_int(how - 2) : tvmffi_any_bool(how & 1);
      continue;
    }
    /* A reference of its own: hooks may replace the value. */
    args[i] = owned[i] = tvmffi_any_copy(&values[how % kNumValues]);
    if (how >= 0xe0 && args[i].type_index >= kTVMFFIStaticObjectBegin && is_small(args + i, 1)) {
      moved[i] = args[i].v_obj;
      owned[i] = tvmffi_any_none();
      args[i] = tvmffi_any_ptr(kTVMFFIObjectRValueRef, &moved[i]);
    }
  }
  return num_args;
}

static void release_args(TVMFFIAny *owned, TVMFFIObjectHandle *moved, int num_args) {
  int i;
  for (i = 0; i < num_args; ++i) {
    tvmffi_any_release(&owned[i]);
    TVMFFIObjectDecRef(moved[i]);
  }
}

/* ---- Calls ---- */

static char global_names[kMaxGlobals][64];
static int num_globals;

/* Not those that take addresses or names of files. */
static bool is_callable(const char *name) {
  static const char *const kNot[] = {"ffi.FunctionFromExternC", "ffi.MakeFieldSetter",
                                     "ffi._PyClassRegisterTypeAttrColumns",
                                     "ffi.ModuleLoadFromFile", "ffi.Module.load_from_file.so"};
  size_t i;
  for (i = 0; i < sizeof kNot / sizeof *kNot; ++i) {
    if (strcmp(name, kNot[i]) == 0) return false;
  }
  return true;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(a, b);
}

static void list_globals(void) {
  TVMFFIAny names, index, name;
  int64_t i, count;
  if (num_globals > 0) return;
  fuzz_require(fuzz_call("ffi.FunctionListGlobalNamesFunctor", NULL, 0, &names) == 0);
  index = tvmffi_any_int(-1);
  fuzz_require(fuzz_call_function(names.v_obj, &index, 1, &name) == 0);
  count = name.v_int64;
  for (i = 0; i < count; ++i) {
    TVMFFIByteArray bytes;
    index = tvmffi_any_int(i);
    fuzz_require(fuzz_call_function(names.v_obj, &index, 1, &name) == 0);
    bytes = fuzz_bytes_of(&name);
    fuzz_require(bytes.size < sizeof *global_names && num_globals < kMaxGlobals);
    memcpy(global_names[num_globals], bytes.data, bytes.size);
    global_names[num_globals][bytes.size] = '\0';
    if (is_callable(global_names[num_globals])) ++num_globals;
    tvmffi_any_release(&name);
  }
  tvmffi_any_release(&names);
  qsort(global_names, (size_t)num_globals, sizeof *global_names, compare_names);
}

static void call(TVMFFIObjectHandle function, bool is_global) {
  TVMFFIAny args[kMaxArgs], owned[kMaxArgs], result;
  TVMFFIObjectHandle moved[kMaxArgs];
  int rc, num_args = read_args(args, owned, moved);
  if (is_small(args, num_args)) {
    TVMFFIErrorSetRaised(NULL);
    result = tvmffi_any_none();
    rc = TVMFFIFunctionCall(function, args, num_args, &result);
    if (is_global) {
      checked(rc);
    } else {
      TVMFFIErrorSetRaised(NULL); /* a hook's code is passed through, without an error */
    }
    fuzz_require(rc == 0 || result.type_index == kTVMFFINone || !is_global);
    keep(result);
  }
  release_args(owned, moved, num_args);
}

static bool has_large_int(void) {
  int i;
  for (i = 0; i < kNumValues; ++i) {
    int64_t v = values[i].v_int64; /* only its low half counts */
    if (values[i].type_index == kTVMFFIInt && (v > 1000 || v < -1000)) return true;
  }
  return false;
}

static void call_global(void) {
  TVMFFIByteArray name = bytes_of(global_names[fuzz_byte(&in) % num_globals]);
  TVMFFIObjectHandle function;
  /* With an indent up to two thousand million, each line takes seconds. */
  if (strcmp(name.data, "ffi.json.Stringify") == 0 && has_large_int()) return;
  if (checked(TVMFFIFunctionGetGlobal(&name, &function)) != 0 || function == NULL) return;
  /* A hook may have replaced it. */
  call(function, TVMFFIFunctionGetCellPtr(function)->safe_call != hook_safe_call);
  TVMFFIObjectDecRef(function);
}

static void call_value(void) {
  TVMFFIAny function = tvmffi_any_copy(&values[fuzz_byte(&in) % kNumValues]);
  if (function.type_index == kTVMFFIFunction) call(function.v_obj, false);
  tvmffi_any_release(&function);
}

/* ---- Making values ---- */

static int get_module_function(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                               TVMFFIObjectHandle *out) {
  const TVMFFIAny *value = &values[fuzz_byte(&in) % kNumValues];
  (void)self;
  (void)module;
  (void)name;
  *out = NULL;
  if (value->type_index == kTVMFFIFunction) *out = tvmffi_any_copy(value).v_obj;
  return 0;
}

static int get_module_text(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  (void)name;
  return hook(self, NULL, 0, out);
}

static int save_module(void *self, TVMFFIAny *out) {
  return hook(self, NULL, 0, out);
}

static int make_module(TVMFFIObjectHandle *out) {
  static const TVMFFIRuntimeModuleVTable kTable = {.struct_size = sizeof kTable,
                                                   .kind = "fuzz",
                                                   .property_mask = 1,
                                                   .get_function = get_module_function,
                                                   .get_function_metadata = get_module_text,
                                                   .get_function_doc = get_module_text,
                                                   .save_to_bytes = save_module,
                                                   .inspect_source = get_module_text,
                                                   .destroy = delete_hook};
  void *self = malloc(1);
  fuzz_require(self != NULL);
  if (TVMFFIRuntimeModuleCreate(&kTable, self, out) == 0) return ++live_hooks, 0;
  free(self);
  return -1;
}

static int make_hook(TVMFFIObjectHandle *out) {
  void *self = malloc(1);
  fuzz_require(self != NULL);
  if (TVMFFIFunctionCreate(self, hook, delete_hook, out) == 0) {
    ++live_hooks;
    hook_safe_call = TVMFFIFunctionGetCellPtr(*out)->safe_call;
    return 0;
  }
  free(self);
  return -1;
}

static void delete_tensor(DLManagedTensor *self) {
  delete_hook(self);
}

static int make_tensor(TVMFFIObjectHandle *out) {
  static float data[8];
  struct {
    DLManagedTensor tensor;
    int64_t shape[2], strides[2];
  } *made = calloc(1, sizeof *made);
  fuzz_require(made != NULL);
  made->shape[0] = fuzz_byte(&in) % 3;
  made->shape[1] = fuzz_byte(&in) % 3;
  made->strides[0] = made->shape[1] + fuzz_byte(&in) % 2;
  made->strides[1] = 1;
  made->tensor.deleter = delete_tensor;
  made->tensor.dl_tensor.data = data;
  made->tensor.dl_tensor.device = TVMFFIDLDeviceFromIntPair(1 + fuzz_byte(&in) % 2, 0);
  made->tensor.dl_tensor.ndim = 2;
  made->tensor.dl_tensor.dtype.code = kDLFloat;
  made->tensor.dl_tensor.dtype.bits = 32;
  made->tensor.dl_tensor.dtype.lanes = 1;
  made->tensor.dl_tensor.shape = made->shape;
  made->tensor.dl_tensor.strides = made->strides;
  if (TVMFFITensorFromDLPack(&made->tensor, 0, 0, out) == 0) return ++live_hooks, 0;
  free(made);
  return -1;
}

static int make_error(TVMFFIObjectHandle *out) {
  TVMFFIByteArray kind = bytes_of("FuzzError"), text = fuzz_text(&in, 32);
  const TVMFFIAny *cause = &values[fuzz_byte(&in) % kNumValues];
  /* Raises nothing itself, because an error that is being handled may be raised. */
  return raise(TVMFFIErrorCreateWithCauseAndExtraContext(
      &kind, &text, &text, cause->type_index == kTVMFFIError ? cause->v_obj : NULL,
      cause->type_index >= kTVMFFIStaticObjectBegin ? cause->v_obj : NULL, out));
}

static int64_t some_int(void) {
  static const int64_t kExtremes[] = {INT64_MIN, INT64_MAX, INT64_C(1) << 53, INT64_MIN + 1};
  uint8_t how = fuzz_byte(&in);
  return how < 0xf8 ? fuzz_int(&in, 1 + how % 2) : kExtremes[how % 4];
}

static double some_float(void) {
  static const double kFloats[] = {0.0, -0.0, 1.5, 1e300, 5e-324, 9007199254740993.0};
  uint8_t how = fuzz_byte(&in) % 8;
  if (how == 6) return kFloats[3] * kFloats[3];
  if (how == 7) return kFloats[3] * kFloats[3] - kFloats[3] * kFloats[3];
  return kFloats[how];
}

static void make_value(void) {
  TVMFFIAny value = tvmffi_any_none();
  TVMFFIObjectHandle object = NULL;
  TVMFFIByteArray text;
  int rc = 0;
  switch (fuzz_byte(&in) % 14) {
    case 0:
      value = tvmffi_any_int(some_int());
      break;
    case 1:
      value = tvmffi_any_float(some_float());
      break;
    case 2:
      text = fuzz_text(&in, 48);
      rc = TVMFFIStringFromByteArray(&text, &value);
      break;
    case 3:
      text = fuzz_text(&in, 16);
      rc = TVMFFIBytesFromByteArray(&text, &value);
      break;
    case 4:
      text = fuzz_text(&in, 25);
      text.size -= text.size % 8;
      rc = TVMFFIBigIntFromByteArray(&text, &value);
      break;
    case 5:
      rc = make_hook(&object);
      break;
    case 6:
      rc = make_module(&object);
      break;
    case 7:
      rc = make_tensor(&object);
      break;
    case 8:
      rc = make_error(&object);
      break;
    case 9: {
      node *n = new_node(types[fuzz_byte(&in) % kNumTypes]);
      n->a = tvmffi_any_copy(&values[fuzz_byte(&in) % kNumValues]);
      n->b = tvmffi_any_copy(&values[fuzz_byte(&in) % kNumValues]);
      object = n;
      break;
    }
    case 10:
      value.type_index = kTVMFFIDataType;
      value.v_dtype.code = fuzz_byte(&in) % 18;
      value.v_dtype.bits = 8;
      value.v_dtype.lanes = 1;
      break;
    case 11:
      value.type_index = kTVMFFIDevice;
      value.v_device.device_type = (DLDeviceType)(1 + fuzz_byte(&in) % 4);
      break;
    case 12:
      object = malloc(1);
      if (TVMFFIObjectCreateOpaque(object, kTVMFFIOpaquePyObject, delete_hook, &object) == 0) {
        ++live_hooks;
      } else {
        rc = -1;
        free(object);
      }
      break;
    default: /* a type index, which many functions take */
      value = tvmffi_any_int(types[fuzz_byte(&in) % kNumTypes]);
      break;
  }
  if (checked(rc) != 0) return;
  keep(object != NULL ? tvmffi_any_object(object) : value);
}

/* ---- Registries and the rest of the C API ---- */

static void register_something(void) {
  static const char *const kAttrs[] = {"__any_hash__",
                                       "__any_equal__",
                                       "__ffi_new__",
                                       "__ffi_init__",
                                       "__ffi_shallow_copy__",
                                       "__ffi_repr__",
                                       "__ffi_hash__",
                                       "__ffi_eq__",
                                       "__ffi_compare__",
                                       "__s_hash__",
                                       "__s_equal__",
                                       "__s_visit__",
                                       "__s_mutate__",
                                       "__ffi_enum__",
                                       "__data_to_json__",
                                       "__data_from_json__",
                                       "__ffi_convert__",
                                       "__s_maybe_inplace_mutate__",
                                       "fuzz"};
  static const char *const kGlobals[] = {"fuzz.global", "dtype.get_custom_type_name",
                                         "dtype.get_custom_type_code", "ffi.String"};
  TVMFFIAny value = tvmffi_any_copy(&values[fuzz_byte(&in) % kNumValues]);
  uint8_t how = fuzz_byte(&in);
  TVMFFIByteArray name;
  TVMFFIMethodInfo method;
  switch (how % 4) {
    case 0:
    case 1:
      name = bytes_of(kAttrs[fuzz_byte(&in) % (sizeof kAttrs / sizeof *kAttrs)]);
      checked(TVMFFITypeRegisterAttr(types[how / 4 % kNumTypes], &name, &value));
      break;
    case 2:
      name = bytes_of(kGlobals[fuzz_byte(&in) % (sizeof kGlobals / sizeof *kGlobals)]);
      checked(TVMFFIFunctionSetGlobal(
          &name, value.type_index >= kTVMFFIStaticObjectBegin ? value.v_obj : NULL, how & 4));
      break;
    default:
      if (value.type_index != kTVMFFIFunction) break; /* others are refused */
      memset(&method, 0, sizeof method);
      method.name = bytes_of("method");
      method.method = value;
      checked(TVMFFITypeRegisterMethod(types[how / 4 % kNumTypes], &method));
      break;
  }
  tvmffi_any_release(&value);
}

static void call_api(void) {
  TVMFFIAny value = tvmffi_any_copy(&values[fuzz_byte(&in) % kNumValues]), owned;
  TVMFFIObjectHandle object = value.type_index >= kTVMFFIStaticObjectBegin ? value.v_obj : NULL;
  TVMFFIObjectHandle out = NULL;
  TVMFFIByteArray text = fuzz_text(&in, 24);
  DLManagedTensorVersioned *exported;
  DLDataType dtype;
  switch (fuzz_byte(&in) % 8) {
    case 0:
      TVMFFIErrorSetRaised(object);
      TVMFFIErrorMoveFromRaised(&out);
      fuzz_require(object == NULL || out == object || TVMFFIObjectGetTypeIndex(object) != 67);
      TVMFFIObjectDecRef(out);
      break;
    case 1:
      if (checked(TVMFFIDataTypeFromString(&text, &dtype)) == 0 &&
          checked(TVMFFIDataTypeToString(&dtype, &owned)) == 0) {
        keep(owned);
      }
      break;
    case 2:
      if (object != NULL && checked(TVMFFITensorToDLPackVersioned(object, &exported)) == 0) {
        if (checked(TVMFFITensorFromDLPackVersioned(exported, 0, 0, &out)) == 0) {
          keep(tvmffi_any_object(out));
        } else {
          exported->deleter(exported);
        }
      }
      break;
    case 3:
      checked(TVMFFIEnvSetStream(fuzz_byte(&in) % 3, fuzz_byte(&in), NULL, NULL));
      break;
    case 4:
      if (object != NULL && TVMFFIObjectGetTypeIndex(object) == kTVMFFIModule &&
          checked(TVMFFIRuntimeModulePack(object, &owned)) == 0) {
        keep(owned);
      }
      break;
    case 5:
      if (object != NULL && TVMFFIObjectGetTypeIndex(object) == kTVMFFIError) {
        TVMFFIErrorGetCellPtr(object)->update_backtrace(object, &text, fuzz_byte(&in) % 2);
        TVMFFIErrorSetRaised(NULL);
      }
      break;
    case 6:
      if (TVMFFIGetTypeInfo((int32_t)some_int()) == NULL) fuzz_checked(-1);
      break;
    default:
      if (value.type_index != kTVMFFIInt && value.type_index != kTVMFFIBigInt) {
        fuzz_require(TVMFFIBigIntGetContentByteArray(&value).data == NULL);
        fuzz_checked(-1);
      }
      break;
  }
  tvmffi_any_release(&value);
}

/* ---- The model ---- */

enum { kMaxModel = 24 };
static TVMFFIAny model_list, model_dict;
static int64_t list_items[kMaxModel], dict_items[kMaxModel]; /* dict: 0 if the key is absent */
static int list_size;

static int call_model(const char *name, TVMFFIAny container, int num_ints, int64_t i0, int64_t i1,
                      TVMFFIAny *result) {
  TVMFFIAny args[3];
  args[0] = container;
  args[1] = tvmffi_any_int(i0);
  args[2] = tvmffi_any_int(i1);
  return fuzz_call(name, args, 1 + num_ints, result);
}

static void change_list(uint8_t how) {
  TVMFFIAny result;
  int64_t i = fuzz_byte(&in) % (list_size + 1), v = fuzz_byte(&in);
  size_t behind = (size_t)(list_size - i) * sizeof *list_items;
  bool is_index = i < list_size;
  switch (how) {
    case 0:
      if (list_size == kMaxModel) return;
      if (call_model("ffi.ListInsert", model_list, 2, i, v, &result) != 0) return;
      memmove(&list_items[i + 1], &list_items[i], behind);
      list_items[i] = v;
      ++list_size;
      break;
    case 1:
      if (call_model("ffi.ListErase", model_list, 1, i, 0, &result) != 0) return;
      fuzz_require(is_index);
      memmove(&list_items[i], &list_items[i + 1], behind - sizeof *list_items);
      --list_size;
      break;
    case 2:
      if (call_model("ffi.ListSetItem", model_list, 2, i, v, &result) != 0) return;
      fuzz_require(is_index);
      list_items[i] = v;
      break;
    default:
      if (call_model("ffi.ListReserve", model_list, 1, 2 * v, 0, &result) != 0) return;
      break;
  }
}

static void change_dict(uint8_t how) {
  TVMFFIAny result;
  int64_t key = fuzz_byte(&in) % kMaxModel, v = 1 + fuzz_byte(&in);
  if (how < 6) {
    if (call_model("ffi.DictSetItem", model_dict, 2, key, v, &result) == 0) dict_items[key] = v;
  } else {
    if (call_model("ffi.DictErase", model_dict, 1, key, 0, &result) == 0) dict_items[key] = 0;
  }
}

static void check_model(void) {
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(model_list.v_obj);
  int i, num_keys = 0;
  fuzz_fail_after(-1, false);
  fuzz_require(cell->size == list_size);
  for (i = 0; i < list_size; ++i) {
    fuzz_require(((const TVMFFIAny *)cell->data)[i].v_int64 == list_items[i]);
  }
  for (i = 0; i < kMaxModel; ++i) {
    TVMFFIAny result;
    fuzz_require(call_model("ffi.DictCount", model_dict, 1, i, 0, &result) == 0);
    fuzz_require(result.v_int64 == (dict_items[i] != 0));
    if (dict_items[i] == 0) continue;
    ++num_keys;
    fuzz_require(call_model("ffi.DictGetItem", model_dict, 1, i, 0, &result) == 0);
    fuzz_require(result.v_int64 == dict_items[i]);
  }
  fuzz_require((int)TVMFFISeqGetCellPtr(model_dict.v_obj)->size == num_keys);
}

/* ---- Operations ---- */

static void run_operation(void) {
  uint8_t how;
  if (depth >= 4 || num_ops >= kMaxOps || in.pos == in.end) return;
  ++depth;
  ++num_ops;
  how = fuzz_byte(&in);
  if (how < 96) {
    call_global();
  } else if (how < 176) {
    make_value();
  } else if (how < 200) {
    call_value();
  } else if (how < 220) {
    register_something();
  } else if (how < 236) {
    call_api();
  } else if (depth == 1) {
    how = (uint8_t)(how % 8);
    how < 4 ? change_list(how) : change_dict(how);
    check_model();
  }
  --depth;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint64_t invalid_count = tvmffi_invalid_object.combined_ref_count;
  int i;
  in = fuzz_open(data, size);
  num_ops = depth = list_size = 0;
  error_left = false;
  memset(dict_items, 0, sizeof dict_items);
  fuzz_begin();
  list_globals();
  for (i = 0; i < kNumTypes; ++i) register_type(i);
  for (i = 0; i < kNumValues; ++i) values[i] = tvmffi_any_none();
  fuzz_require(fuzz_call("ffi.List", NULL, 0, &model_list) == 0);
  fuzz_require(fuzz_call("ffi.Dict", NULL, 0, &model_dict) == 0);
  while (num_ops < kMaxOps && in.pos < in.end) {
#ifdef FUZZ_CALLS_OOM
    uint8_t n = fuzz_byte(&in);
    if (n < 0x80) fuzz_fail_after(n & 0x3f, (n & 0x40) != 0);
#endif
    run_operation();
    fuzz_fail_after(-1, false);
  }
  in.pos = in.end;
  empty_holders();
  tvmffi_any_release(&model_list);
  tvmffi_any_release(&model_dict);
  for (i = 0; i < kNumValues; ++i) tvmffi_any_release(&values[i]);
  fuzz_end();
  fuzz_require(live_nodes == 0 && live_hooks == 0);
  fuzz_require(tvmffi_invalid_object.combined_ref_count == invalid_count);
  return 0;
}
