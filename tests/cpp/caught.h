/* SPDX-License-Identifier: Apache-2.0 */
/* Catches the error that a test of the layer expects. */
#ifndef TVM_FFI_TESTS_CPP_CAUGHT_H_
#define TVM_FFI_TESTS_CPP_CAUGHT_H_

#include <tvm/ffi/error.h>

#include <string>

/** "Kind: message" of the error that f throws, "nothing" when it throws none. */
template <typename F>
std::string Caught(F f) {
  try {
    f();
  } catch (const tvm::ffi::Error &error) {
    return error.kind() + ": " + error.what();
  }
  return "nothing";
}

#endif /* TVM_FFI_TESTS_CPP_CAUGHT_H_ */
