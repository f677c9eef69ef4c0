/* SPDX-License-Identifier: Apache-2.0 */
/* What all walks over objects have in common. */
#ifndef TVMFFI_REFLECT_WALK_H_
#define TVMFFI_REFLECT_WALK_H_

#include <stddef.h>

#include "core/error.h"

/* Objects may be nested so deep, and no deeper: in any walk, whatever the thread's stack. */
enum { kTvmffiMaxWalkDepth = 1 << 20 };

/* -1, ValueError "<what>: maximum stack depth (1048576) exceeded" when there is no more room. */
static inline int tvmffi_walk_check_depth(const char *what, size_t depth) {
  if (depth < kTvmffiMaxWalkDepth) return 0;
  return tvmffi_fail("ValueError", "%s: maximum stack depth (%d) exceeded", what,
                     (int)kTvmffiMaxWalkDepth);
}

#endif /* TVMFFI_REFLECT_WALK_H_ */
