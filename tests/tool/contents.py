# SPDX-License-Identifier: Apache-2.0
"""The files that the tests of embed put into C and object files, by name."""
import random

CONTENT = {
    "a-b.bin": random.Random(1).randbytes(10001), "c.spv": b"\x03\x02\x23\x07\"\\?", "0": bytes(256)
}


def write_contents(folder):
    """Write the files into a folder; return their paths."""
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in CONTENT]
