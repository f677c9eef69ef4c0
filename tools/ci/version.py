#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the version that include/tvm/ffi/c_api.h declares."""
import pathlib
import re

header = pathlib.Path(__file__).resolve().parents[2] / "include/tvm/ffi/c_api.h"
found = dict(re.findall(r"^#\s*define\s+TVM_FFI_VERSION_(MAJOR|MINOR|PATCH)\s+(\d+)",
                        header.read_text(encoding="utf-8"), re.M))
print(".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH")))
