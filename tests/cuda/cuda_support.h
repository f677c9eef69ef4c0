/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for the tests of the layer's CUDA headers. */
#ifndef TESTS_CUDA_CUDA_SUPPORT_H_
#define TESTS_CUDA_CUDA_SUPPORT_H_

#include <gtest/gtest.h>

#include <string>

#include "../cpp/caught.h"
#include "fake.h"

/** The CUDA calls since the last call of this function, one per line. */
inline std::string TakeLog() {
  const std::string log = fake_get_log();
  fake_clear_log();
  return log;
}

#endif /* TESTS_CUDA_CUDA_SUPPORT_H_ */
