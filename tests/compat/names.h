/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the programs names_*.cc. Each is compiled with the package's headers and with our
 * layer, runs on both libraries, and prints the same in all four cases. */
#ifndef NAMES_H_
#define NAMES_H_

#include "../cpp/declared_ahead.h"

#include <tvm/ffi/tvm_ffi.h>

#include <iostream>

using namespace tvm::ffi;

/** Prints one line: the output of f, or the error that it throws. */
template <typename F>
void Line(const char *name, const F &f) {
  std::cout << name << ":";
  try {
    f();
  } catch (const Error &error) {
    std::cout << " " << error.kind() << ": " << error.message();
  }
  std::cout << "\n";
}

template <typename... Args>
void Show(const Args &...args) {
  (static_cast<void>(std::cout << ' ' << args), ...);
}

class NumberObj : public Object {
 public:
  explicit NumberObj(int64_t initial) : value(initial) {}
  int64_t value;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Number", NumberObj, Object);
};

class Number : public ObjectRef {
 public:
  explicit Number(int64_t value) { data_ = make_object<NumberObj>(value); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ObjectRef, NumberObj);
};

#endif  // NAMES_H_
