# SPDX-License-Identifier: Apache-2.0
import re

from tool import USAGE, bad, good, good_json, run

out = good("info")
assert re.match(r"ABI version +0\.1\.16\nDLPack version +1\.\d+\npointer bits +(32|64)\n", out), out

info = good_json("info")
assert info["abi_version"] == "0.1.16" and info["types"] >= 29, info
assert info["global_functions"] > 10, info

assert good("--version") == "tvm-ffi 0.1.16\n"
assert "  info " in good("--help") and good("info", "--help").startswith("usage: tvm-ffi info")

bad(USAGE, "nonsense is not a command", "nonsense")
bad(USAGE, "--nonsense is not an option of info", "info", "--nonsense")
bad(USAGE, "--json takes no value", "info", "--json=yes")
bad(USAGE, "--color needs a value: WHEN", "info", "--color")
bad(USAGE, '--color must be auto, always or never, not "red"', "info", "--color=red")
bad(USAGE, "info: one operand too many: x", "info", "x")
code, out, err = run()
assert code == USAGE and out == "" and err.startswith("usage: tvm-ffi COMMAND"), (code, out, err)
