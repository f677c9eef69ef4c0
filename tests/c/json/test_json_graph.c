/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json_graph.h"

#include "c/json_support.h"
#include "c/walk_support.h"
#include "container/array.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "support/check.h"

static int32_t node_type, hooked_type;

/* Reads a graph of `nodes` with root index 0. */
static int read_nodes(const char *nodes, TVMFFIAny *out) {
  char text[1024];
  TVMFFIAny arg;
  (void)snprintf(text, sizeof text, "{\"root_index\":0,\"nodes\":[%s]}", nodes);
  arg = tvmffi_any_raw_str(text);
  return call_global("ffi.FromJSONGraphString", &arg, 1, out);
}

/* Checks the graph text of a value, and the repr of the value read back. Releases the value. */
static void check_graph(TVMFFIAny value, const char *expected, const char *repr) {
  TVMFFIAny args[2], graph, text;
  TVMFFIByteArray bytes;
  args[0] = value;
  args[1] = tvmffi_any_none();
  text = call_ok("ffi.ToJSONGraphString", args, 2);
  assert_true(tvmffi_any_get_text(&text, &bytes));
  assert_string_equal(bytes.data, expected);
  check_repr(call_ok("ffi.FromJSONGraphString", &text, 1), repr);
  check_release(&text);
  graph = call_ok("ffi.ToJSONGraph", args, 2);
  check_repr(call_ok("ffi.FromJSONGraph", &graph, 1), repr);
  check_release(&graph);
  check_release(&value);
}

#define NODES(nodes, root) "{\"root_index\":" root ",\"nodes\":[" nodes "]}"
#define ONE "{\"type\":\"int\",\"data\":1}"

TEST(test_plain_values) {
  TVMFFIAny dims[2], device = tvmffi_any_int(0), dtype = device;
  TVMFFIByteArray bytes = check_bytes("xyz");
  const int64_t words[2] = {0, 1};
  TVMFFIAny data, big;
  dims[0] = tvmffi_any_int(1);
  dims[1] = tvmffi_any_int(2);
  device.type_index = kTVMFFIDevice;
  device.v_device.device_type = kDLCPU;
  device.v_device.device_id = 3;
  dtype.type_index = kTVMFFIDataType;
  dtype.v_dtype.code = kDLFloat;
  dtype.v_dtype.bits = 16;
  dtype.v_dtype.lanes = 4;
  check_ok(TVMFFIBytesFromByteArray(&bytes, &data));
  bytes.data = (const char *)words;
  bytes.size = sizeof words;
  check_ok(TVMFFIBigIntFromByteArray(&bytes, &big));
  check_graph(tvmffi_any_none(), NODES("{\"type\":\"None\"}", "0"), "None");
  check_graph(tvmffi_any_bool(1), NODES("{\"type\":\"bool\",\"data\":true}", "0"), "True");
  check_graph(tvmffi_any_int(5), NODES("{\"type\":\"int\",\"data\":5}", "0"), "5");
  check_graph(tvmffi_any_float(1), NODES("{\"type\":\"float\",\"data\":1.0}", "0"), "1");
  check_graph(dtype, NODES("{\"type\":\"DataType\",\"data\":\"float16x4\"}", "0"), "float16x4");
  check_graph(device, NODES("{\"type\":\"Device\",\"data\":[1,3]}", "0"), "cpu:3");
  check_graph(own_str("a text of some length"),
              NODES("{\"type\":\"ffi.String\",\"data\":\"a text of some length\"}", "0"),
              "\"a text of some length\"");
  check_graph(data, NODES("{\"type\":\"ffi.Bytes\",\"data\":\"eHl6\"}", "0"), "b\"xyz\"");
  check_graph(big, NODES("{\"type\":\"ffi.BigInt\",\"data\":\"18446744073709551616\"}", "0"),
              "18446744073709551616");
  check_graph(call_ok("ffi.Shape", dims, 2), NODES("{\"type\":\"ffi.Shape\",\"data\":[1,2]}", "0"),
              "Shape(1, 2)");
}

TEST(test_containers_share_nodes) {
  TVMFFIAny list = make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(1));
  check_graph(make2("ffi.Array", share(list), list),
              NODES(ONE ",{\"type\":\"ffi.List\",\"data\":[0,0]},{\"type\":\"ffi.Array\",\"data\":"
                        "[1,1]}",
                    "2"),
              "([1, 1], [1, 1])");
  check_graph(
      make2("ffi.Dict", tvmffi_any_int(1), make2("ffi.Map", own_str("a"), tvmffi_any_int(1))),
      NODES(ONE ",{\"type\":\"ffi.String\",\"data\":\"a\"},{\"type\":\"ffi.Map\",\"data\":"
                "[1,0]},{\"type\":\"ffi.Dict\",\"data\":[0,2]}",
            "3"),
      "{1: {\"a\": 1}}");
}

TEST(test_objects) {
  TVMFFIAny value;
  check_graph(new_node(node_type, tvmffi_any_int(1), tvmffi_any_int(1)),
              NODES(ONE ",{\"type\":\"test.Node\",\"data\":{\"value\":0,\"next\":0}}", "1"),
              "test.Node(value=1, next=1)");
  check_ok(read_nodes("{\"type\":\"test.Node\",\"data\":{\"more\":7,\"value\":1}}," ONE, &value));
  check_repr(value, "test.Node(value=1, next=None)"); /* `next` has its default */
  check_fails(read_nodes("{\"type\":\"test.Node\",\"data\":{\"next\":1}}," ONE, &value),
              "TypeError", "Required field `value` not set in type `test.Node`");
}

static const TVMFFIAny *entry_of(const TVMFFIAny *map, const char *key) {
  const TVMFFIAny *found = tvmffi_map_find_text(map->v_obj, key, strlen(key));
  assert_non_null(found);
  return found;
}

/* A graph has many nodes of few types, so the object of a type's name is shared. */
TEST(test_names_are_shared) {
  TVMFFIAny args[2], graph;
  const TVMFFIAny *nodes, *data;
  args[0] = make2("ffi.Array", make2("ffi.Array", tvmffi_any_int(1), tvmffi_any_int(2)),
                  make2("ffi.Array", tvmffi_any_int(2), tvmffi_any_int(1)));
  args[1] = tvmffi_any_none();
  graph = call_ok("ffi.ToJSONGraph", args, 2);
  nodes = tvmffi_array_items(entry_of(&graph, "nodes")->v_obj);
  assert_int_equal(tvmffi_array_size(entry_of(&graph, "nodes")->v_obj), 5);
  assert_int_equal(entry_of(&nodes[2], "type")->type_index, kTVMFFIStr);
  assert_ptr_equal(entry_of(&nodes[2], "type")->v_obj, entry_of(&nodes[3], "type")->v_obj);
  assert_ptr_equal(entry_of(&nodes[2], "type")->v_obj, entry_of(&nodes[4], "type")->v_obj);
  data = entry_of(&nodes[4], "data"); /* made with the right capacity from the start */
  assert_int_equal(TVMFFISeqGetCellPtr(data->v_obj)->capacity, 2);
  check_release(&args[0]);
  check_release(&graph);
}

TEST(test_metadata) {
  TVMFFIAny args[2], text;
  args[0] = tvmffi_any_int(1);
  args[1] = make2("ffi.Map", own_str("v"), own_str("1"));
  text = call_ok("ffi.ToJSONGraphString", args, 2);
  check_str(&text, "{\"root_index\":0,\"nodes\":[" ONE "],\"metadata\":{\"v\":\"1\"}}");
  check_release(&args[1]);
}

/* ---- Values that cannot be written ---- */

static void check_not_written(TVMFFIAny value, const char *kind, const char *message) {
  TVMFFIAny none = tvmffi_any_none(), graph;
  check_fails(tvmffi_json_graph_write(&value, &none, &graph), kind, message);
  check_release(&value);
}

TEST(test_what_cannot_be_written) {
  TVMFFIAny list = make_cycle(1);
  check_not_written(share(list), "ValueError",
                    "Cycle detected during serialization: a List contains itself");
  check_not_written(make1("ffi.Array", share(list)), "ValueError",
                    "Cycle detected during serialization: a List contains itself");
  break_cycle(&list);
  check_not_written(tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL), "RuntimeError",
                    "Cannot serialize type `void*`");
  check_not_written(call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), "TypeError",
                    "Type `ffi.Function` does not support ToJSONGraph (no native creator or "
                    "__ffi_new__ type attr)");
}

/* ---- Texts that cannot be read ---- */

#define GRAPH "Invalid JSON Object Graph"

TEST(test_graphs_that_are_none) {
  static const struct {
    const char *text, *message;
  } kCases[] = {
      {"[]", GRAPH ", expected an object"},
      {"{}", GRAPH ", expected `root_index` integer field"},
      {"{\"root_index\":0.0}", GRAPH ", expected `root_index` integer field"},
      {"{\"root_index\":0}", GRAPH ", expected `nodes` array field"},
      {"{\"root_index\":0,\"nodes\":{}}", GRAPH ", expected `nodes` array field"},
      {"{\"root_index\":0,\"nodes\":[]}", GRAPH ": invalid node index 0"},
      {"{\"root_index\":-1,\"nodes\":[1]}", GRAPH ": invalid node index -1"},
  };
  TVMFFIAny result;
  size_t i;
  for (i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    TVMFFIAny text = tvmffi_any_raw_str(kCases[i].text);
    check_fails(call_global("ffi.FromJSONGraphString", &text, 1, &result), "ValueError",
                kCases[i].message);
  }
}

TEST(test_nodes_that_are_none) {
  static const struct {
    const char *nodes, *kind, *message;
  } kCases[] = {
      {"5", "TypeError", "Cannot convert from type `int` to `Map<Any, Any>`"},
      {"{}", "KeyError", "key is not in Map"},
      {"{\"type\":\"int\"}", "KeyError", "key is not in Map"},
      {"{\"type\":5}", "TypeError", "Cannot convert from type `int` to `str`"},
      {"{\"type\":\"nope\",\"data\":1}", "InternalError", NULL},
      {"{\"type\":\"int\",\"data\":\"x\"}", "TypeError",
       "Cannot convert from type `ffi.SmallStr` to `int`"},
      {"{\"type\":\"float\",\"data\":[1]}", "TypeError",
       "Cannot convert from type `ffi.Array` to `float`"}, /* the graph still owns the Array */
      {"{\"type\":\"bool\",\"data\":null}", "TypeError",
       "Cannot convert from type `None` to `bool`"},
      {"{\"type\":\"Device\",\"data\":[1]}", "ValueError",
       GRAPH ": Device data must be an array of [device_type, device_id], got 1 element(s)"},
      {"{\"type\":\"Device\",\"data\":[1,2.5]}", "TypeError",
       "Cannot convert from type `Array[index 1: float]` to `Array<int>`"},
      {"{\"type\":\"ffi.Shape\",\"data\":5}", "TypeError",
       "Cannot convert from type `int` to `Array<int>`"},
      {"{\"type\":\"ffi.Map\",\"data\":[0]}", "ValueError",
       GRAPH ": Map/Dict data must contain an even number of [key, value] entries, got 1"},
      {"{\"type\":\"ffi.Array\",\"data\":[7]}", "ValueError", GRAPH ": invalid node index 7"},
      {"{\"type\":\"ffi.Array\",\"data\":[0]}", "ValueError", GRAPH ": node 0 contains itself"},
      {"{\"type\":\"ffi.List\",\"data\":[1]},{\"type\":\"ffi.Dict\",\"data\":[0,0]}", "ValueError",
       GRAPH ": node 0 contains itself"},
      {"{\"type\":\"ffi.BigInt\",\"data\":\"1x\"}", "ValueError",
       "Invalid decimal string for ffi.BigInt"},
      {"{\"type\":\"ffi.BigInt\",\"data\":5}", "TypeError",
       "Cannot treat type `int` as type `str`"},
      {"{\"type\":\"ffi.Function\",\"data\":{}}", "RuntimeError",
       "Type `ffi.Function` does not support reflection creation (no native creator or "
       "__ffi_new__ type attr)"},
      {"{\"type\":\"ffi.Enum\",\"data\":\"x\"}", "ValueError",
       "Enum `ffi.Enum` has no instance with index x"},
      {"{\"type\":\"ffi.IntEnum\",\"data\":4}", "ValueError",
       "Enum `ffi.IntEnum` has no instance with index 4"},
      {"{\"type\":\"ffi.reflection.AccessStep\",\"data\":{\"kind\":\"a\",\"key\":0}}", "TypeError",
       "Cannot convert from type `ffi.SmallStr` to `int`"},
  };
  TVMFFIAny result;
  size_t i;
  for (i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    check_fails(read_nodes(kCases[i].nodes, &result), kCases[i].kind, kCases[i].message);
  }
}

/* A path with a parent of another type can be read, and counts as a root wherever it is walked. */
TEST(test_a_path_of_anything) {
  TVMFFIAny value;
  check_ok(
      read_nodes("{\"type\":\"ffi.reflection.AccessPath\",\"data\":{\"parent\":1,\"step\":2,"
                 "\"depth\":1}},{\"type\":\"ffi.List\",\"data\":[]},{\"type\":"
                 "\"ffi.reflection.AccessStep\",\"data\":{\"kind\":1,\"key\":3}}," ONE,
                 &value));
  check_repr(value, "<root>");
}

/* ---- Hooks ---- */

static int to_json(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 1);
  if (as_node(&args[0])->value.v_int64 == 0) return tvmffi_fail("KeyError", "not written");
  *result = tvmffi_any_copy(&as_node(&args[0])->value);
  return 0;
}

static int from_json(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 1);
  if (args[0].v_int64 == 2) return tvmffi_fail("KeyError", "not read");
  *result = new_node(hooked_type, args[0], tvmffi_any_none());
  return 0;
}

TEST(test_hooks) {
  TVMFFIAny value;
  check_graph(new_node(hooked_type, tvmffi_any_int(5), tvmffi_any_int(6)),
              NODES("{\"type\":\"test.Hooked\",\"data\":5}", "0"),
              "test.Hooked(value=5, next=None)");
  check_not_written(new_node(hooked_type, tvmffi_any_int(0), tvmffi_any_none()), "KeyError",
                    "not written");
  check_fails(read_nodes("{\"type\":\"test.Hooked\",\"data\":2}", &value), "KeyError", "not read");
}

FIXTURE(make_types) {
  node_type =
      add_node_type("test.Node", kTVMFFISEqHashKindTreeNode, 0, kTVMFFIFieldFlagBitMaskHasDefault);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__data_to_json__", to_json);
  set_hook(hooked_type, "__data_from_json__", from_json);
  return 0;
}

static void get(const TVMFFIAny *value, TVMFFIByteArray *out) {
  *out = value->type_index == kTVMFFISmallStr || value->type_index == kTVMFFISmallBytes
             ? TVMFFISmallBytesGetContentByteArray(value)
             : *TVMFFIBytesGetByteArrayPtr(value->v_obj);
}

static void check_both_ways(const char *data, size_t size, const char *text) {
  TVMFFIAny encoded, decoded;
  TVMFFIByteArray bytes;
  check_ok(tvmffi_base64_encode(data, size, &encoded));
  get(&encoded, &bytes);
  assert_int_equal(bytes.size, strlen(text));
  assert_memory_equal(bytes.data, text, bytes.size);
  check_ok(tvmffi_base64_decode(text, strlen(text), &decoded));
  assert_true(decoded.type_index == kTVMFFISmallBytes || decoded.type_index == kTVMFFIBytes);
  get(&decoded, &bytes);
  assert_int_equal(bytes.size, size);
  assert_memory_equal(bytes.data, data, size);
  check_release(&encoded);
  check_release(&decoded);
}

TEST(test_base64_texts) {
  check_both_ways("", 0, "");
  check_both_ways("f", 1, "Zg==");
  check_both_ways("fo", 2, "Zm8=");
  check_both_ways("foo", 3, "Zm9v");
  check_both_ways("foob", 4, "Zm9vYg==");
  check_both_ways("fooba", 5, "Zm9vYmE=");
  check_both_ways("foobar", 6, "Zm9vYmFy");
  check_both_ways("\0\0\0", 3, "AAAA");
  check_both_ways("\xff\xff\xfe\xfb\xf0", 5, "///++/A=");
}

TEST(test_base64_of_every_byte) {
  char data[256];
  TVMFFIAny encoded, decoded;
  TVMFFIByteArray bytes;
  size_t size;
  for (size = 0; size < sizeof data; ++size) data[size] = (char)size;
  for (size = 0; size <= sizeof data; ++size) {
    check_ok(tvmffi_base64_encode(data, size, &encoded));
    get(&encoded, &bytes);
    check_ok(tvmffi_base64_decode(bytes.data, bytes.size, &decoded));
    get(&decoded, &bytes);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.data, data, size);
    check_release(&encoded);
    check_release(&decoded);
  }
}

TEST(test_base64_that_is_none) {
  static const char *const texts[] = {
      "A",        "AA",   "AAA",   "AAAAA", "====", "A===",    "A=AA", "AA==AAAA",
      "AAAA====", "AA=A", "AA\nA", "-_-_",  "    ", "AAA\x80", "=AAA"};
  TVMFFIAny decoded;
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    check_fails(tvmffi_base64_decode(texts[i], strlen(texts[i]), &decoded), "InternalError",
                "Check failed: (bytes.size % 4 == 0) is false: invalid base64 encoding");
  }
  check_fails(tvmffi_base64_decode("AA\0A", 4, &decoded), "InternalError", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_values),
      cmocka_unit_test(test_containers_share_nodes),
      cmocka_unit_test(test_objects),
      cmocka_unit_test(test_names_are_shared),
      cmocka_unit_test(test_metadata),
      cmocka_unit_test(test_what_cannot_be_written),
      cmocka_unit_test(test_graphs_that_are_none),
      cmocka_unit_test(test_nodes_that_are_none),
      cmocka_unit_test(test_a_path_of_anything),
      cmocka_unit_test(test_hooks),
      cmocka_unit_test(test_base64_texts),
      cmocka_unit_test(test_base64_of_every_byte),
      cmocka_unit_test(test_base64_that_is_none),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
