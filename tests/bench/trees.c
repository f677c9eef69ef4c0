/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a tree of objects of a frontend-defined type; a call takes the whole tree. */
#include <string.h>

#include "bench.h"

enum { kFanOut = 10, kNodeSize = sizeof(TVMFFIObject) + 8 + sizeof(TVMFFIAny) };

static int call(bench_state *s, TVMFFIByteArray name, TVMFFIAny *args, int32_t num_args,
                TVMFFIAny *out) {
  TVMFFIObjectHandle function = NULL;
  int wrong;
  *out = bench_any(kTVMFFINone);
  if (bench_find_global(s, name, &function) != 0) return -1;
  wrong = s->api.FunctionCall(function, args, num_args, out);
  return wrong | s->api.ObjectDecRef(function);
}

/* The field setter's conversion in a frontend; this one accepts any value. */
static int convert(void *api, const TVMFFIAny *value, TVMFFIAny *out) {
  *out = *value;
  if (value->type_index < kTVMFFIStaticObjectBegin) return 0;
  return ((const bench_runtime *)api)->ObjectIncRef(value->v_obj);
}

static int add_field(bench_state *s, int32_t type_index, TVMFFIByteArray name, int64_t offset,
                     int64_t size, int32_t storage) {
  TVMFFIAny args[3], getter, setter;
  TVMFFIFieldInfo field;
  int wrong;
  args[0] = bench_int(storage);
  args[1] = bench_int((int64_t)(intptr_t)&s->api);
  args[2] = bench_int((int64_t)(intptr_t)convert);
  memset(&field, 0, sizeof field);
  if (call(s, BENCH_BYTES("ffi.MakeFieldGetter"), args, 1, &getter) != 0 ||
      call(s, BENCH_BYTES("ffi.MakeFieldSetter"), args, 3, &setter) != 0) {
    return -1;
  }
  field.name = name;
  field.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
  field.offset = offset;
  field.size = size;
  field.alignment = 8;
  field.getter = (TVMFFIFieldGetter)(intptr_t)getter.v_int64;
  field.setter = setter.v_obj;
  field.field_static_type_index = storage;
  wrong = s->api.TypeRegisterField(type_index, &field);
  return wrong | s->api.ObjectDecRef(setter.v_obj);
}

static int32_t make_type(bench_state *s) {
  TVMFFIByteArray key = BENCH_BYTES("bench.Node");
  int32_t type_index = s->api.TypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata;
  TVMFFIAny args[2], none;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = kNodeSize;
  metadata.structural_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  args[0] = bench_int(type_index);
  args[1] = bench_int(kNodeSize);
  return s->api.TypeRegisterMetadata(type_index, &metadata) != 0 ||
                 add_field(s, type_index, BENCH_BYTES("value"), sizeof(TVMFFIObject), 8,
                           kTVMFFIInt) != 0 ||
                 add_field(s, type_index, BENCH_BYTES("children"), sizeof(TVMFFIObject) + 8,
                           sizeof(TVMFFIAny), kTVMFFIAny) != 0 ||
                 call(s, BENCH_BYTES("ffi._PyClassRegisterTypeAttrColumns"), args, 2, &none) != 0
             ? -1
             : type_index;
}

/* Makes node `number` of a tree of `size` nodes, with its subtree. [own] *out */
static int make_node(bench_state *s, size_t number, size_t size, TVMFFIAny *out) {
  TVMFFIAny children[kFanOut], args[5];
  int i, count, wrong = 0;
  for (count = 0; count < kFanOut; ++count) {
    size_t child = kFanOut * number + 1 + (size_t)count;
    if (child >= size) break;
    wrong |= make_node(s, child, size, &children[count]);
  }
  args[0] = bench_int(s->tree_type);
  args[1] = bench_text("value");
  args[2] = bench_int((int64_t)number);
  args[3] = bench_text("children");
  wrong |= call(s, BENCH_BYTES("ffi.Array"), children, count, &args[4]);
  wrong |= call(s, BENCH_BYTES("ffi.MakeObjectFromPackedArgs"), args, 5, out);
  for (i = 0; i < count; ++i) wrong |= s->api.ObjectDecRef(children[i].v_obj);
  return wrong | s->api.ObjectDecRef(args[4].v_obj);
}

static int drop(bench_state *s, TVMFFIAny *value) {
  return value->type_index < kTVMFFIStaticObjectBegin ? 0 : s->api.ObjectDecRef(value->v_obj);
}

int bench_grow_trees(bench_state *s, size_t size) {
  TVMFFIAny args[2];
  if (s->tree_type == 0) s->tree_type = make_type(s);
  if (s->tree_type < 0 || drop(s, &s->trees[0]) != 0 || drop(s, &s->trees[1]) != 0 ||
      drop(s, &s->tree_graph) != 0 || make_node(s, 0, size, &s->trees[0]) != 0 ||
      make_node(s, 0, size, &s->trees[1]) != 0) {
    return -1;
  }
  args[0] = s->trees[0];
  args[1] = bench_any(kTVMFFINone);
  return call(s, BENCH_BYTES("ffi.ToJSONGraph"), args, 2, &s->tree_graph);
}

/* Calls a function of one tree, which returns a value of type_index; other arguments are None. */
static int walk(bench_state *s, TVMFFIByteArray name, const TVMFFIAny *value, int32_t num_args,
                int32_t type_index, size_t calls) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny args[4], result;
  int wrong = bench_find_global(s, name, &function);
  for (; wrong == 0 && calls != 0; --calls) {
    args[0] = *value;
    args[1] = args[2] = args[3] = bench_any(kTVMFFINone);
    if (type_index == kTVMFFIInt) args[1] = args[2] = bench_any(kTVMFFIBool);
    result = bench_any(kTVMFFINone);
    wrong |= s->api.FunctionCall(function, args, num_args, &result);
    wrong |= result.type_index != type_index;
    if (result.type_index >= kTVMFFIStaticObjectBegin) wrong |= s->api.ObjectDecRef(result.v_obj);
  }
  return wrong | s->api.ObjectDecRef(function);
}

int bench_hash_tree(bench_state *s, size_t calls) {
  return walk(s, BENCH_BYTES("ffi.StructuralHash"), &s->trees[0], 3, kTVMFFIInt, calls);
}

int bench_print_tree(bench_state *s, size_t calls) {
  return walk(s, BENCH_BYTES("ffi.ReprPrint"), &s->trees[0], 1, kTVMFFIStr, calls);
}

int bench_copy_tree(bench_state *s, size_t calls) {
  return walk(s, BENCH_BYTES("ffi.DeepCopy"), &s->trees[0], 1, s->trees[0].type_index, calls);
}

int bench_write_tree(bench_state *s, size_t calls) {
  return walk(s, BENCH_BYTES("ffi.ToJSONGraph"), &s->trees[0], 2, kTVMFFIMap, calls);
}

int bench_read_tree(bench_state *s, size_t calls) {
  return walk(s, BENCH_BYTES("ffi.FromJSONGraph"), &s->tree_graph, 1, s->trees[0].type_index,
              calls);
}

int bench_compare_trees(bench_state *s, size_t calls) {
  TVMFFIAny args[4], result;
  int wrong = 0;
  for (; calls != 0; --calls) {
    args[0] = s->trees[0];
    args[1] = s->trees[1];
    args[2] = args[3] = bench_any(kTVMFFIBool);
    wrong |= call(s, BENCH_BYTES("ffi.StructuralEqual"), args, 4, &result) || result.v_int64 != 1;
  }
  return wrong;
}
