/* SPDX-License-Identifier: Apache-2.0 */
#include "support/probe.h"

#include <string.h>

static void delete_probe(void *self, int flags) {
  probe *p = (probe *)self;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) ++p->strong_deletes;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ++p->weak_deletes;
}

void probe_init(probe *p) {
  memset(p, 0, sizeof *p);
  p->header.combined_ref_count = UINT64_C(0x100000001);
  p->header.type_index = kTVMFFIObject;
  p->header.deleter = delete_probe;
}
