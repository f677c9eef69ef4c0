/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each wrapper that `tvm-ffi stub --lang=c++` made from the library of typed.c. */
#include "typed.hpp"

#include <cstdio>
#include <cstdlib>

namespace ffi = tvm::ffi;

#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      exit(1);                                       \
    }                                                \
  } while (0)

static void UseTensors(const typed::Library &lib) {
  float input[4] = {1, 2, 3, 4}, output[4] = {};
  int64_t size = 4, one = 1;
  DLTensor x{input, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, &one, 0}, y = x;
  y.data = output;
  lib.scale(ffi::TensorView(&x), 2.5, ffi::TensorView(&y));
  CHECK(output[0] == 2.5f && output[3] == 10);
  int64_t three = 3;
  y.shape = &three;
  bool thrown = false;
  try {
    lib.scale(ffi::TensorView(&x), 2.5, ffi::TensorView(&y));
  } catch (const ffi::Error &error) {
    thrown = error.kind() == "ValueError";
  }
  CHECK(thrown);
}

static void UseOthers(const typed::Library &lib) {
  const ffi::Array<int64_t> array{1, 2, 3};
  const ffi::Map<ffi::String, double> map{{"a", 0.5}};
  CHECK(lib.count_args(1) == 5 && lib.count_args(1, 2) == 5 && lib.count_given(1, 2) == 2);
  CHECK(lib.packed().cast<int>() == 0 && lib.packed(1, "x", array).cast<int>() == 3);
  CHECK(lib.same_bool(true) && lib.same_int(-7) == -7 && lib.same_float(0.5) == 0.5);
  int here = 0;
  CHECK(lib.same_pointer(&here) == &here);
  CHECK(lib.same_dtype({kDLInt, 8, 1}).bits == 8 && lib.same_device({kDLCUDA, 3}).device_id == 3);
  CHECK(lib.same_str("text") == "text" && lib.same_bytes(ffi::Bytes("ab", 2)).size() == 2);
  CHECK(lib.same_array(array).size() == 3 && lib.same_map(map)["a"] == 0.5);
  CHECK(lib.same_tuple(ffi::Tuple<int64_t, double>(1, 2.5)).get<1>() == 2.5);
  CHECK(lib.same_union(7).cast<int64_t>() == 7 && lib.return_("x").cast<ffi::String>() == "x");
  CHECK(lib.same_optional_union({}) == nullptr && lib.same_optional_union(7).cast<int>() == 7);
  CHECK(lib.same_object(array).same_as(array) && lib.load_(9) == 9);
  CHECK(!lib.same_optional_int({}).has_value() && lib.same_optional_int(7).value() == 7);
  CHECK(!lib.same_optional_array({}).has_value());
  CHECK(lib.count_none({}, {}, {}, {}, {}) == 5);
  CHECK(lib.show(true, -3, 2.5, {kDLFloat, 32, 1}, {kDLCUDA, 1}, "word", ffi::Bytes("12345", 5),
                 nullptr) == "1 -3 2.5 2/32 2:1 word 5 null");
  bool thrown = false;
  try {
    lib.lies();
  } catch (const ffi::Error &error) {
    thrown = error.kind() == "TypeError";
  }
  CHECK(thrown);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  const typed::Library lib(ffi::String{argv[1]});
  UseTensors(lib);
  UseOthers(lib);
  puts("all called");
  return 0;
}
