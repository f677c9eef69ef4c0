# SPDX-License-Identifier: Apache-2.0
"""Runs the tool and compares what it prints: test_tool.py PATH-OF-TVM-FFI."""
import json
import re
import subprocess
import sys


def run(*args):
    done = subprocess.run([sys.argv[1], *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


code, out, err = run("info")
assert code == 0 and err == "", (code, err)
assert re.match(r"ABI version +0\.1\.16\nDLPack version +1\.\d+\npointer bits +(32|64)\n", out), out

code, out, err = run("info", "--json")
info = json.loads(out)
assert code == 0 and info["abi_version"] == "0.1.16" and info["types"] >= 29, info
assert info["global_functions"] > 10, info

for wrong in ([], ["nonsense"], ["info", "--nonsense"]):
    code, out, err = run(*wrong)
    assert code == 2 and out == "" and err.startswith("usage: tvm-ffi"), (wrong, code, out, err)
