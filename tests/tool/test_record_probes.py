# SPDX-License-Identifier: Apache-2.0
"""The probes of the recorder: they are in the library, and gdb finds their arguments.

test_record_probes.py TVM-FFI RECORDER HOST KERNELS yes|no: whether they are built"""
import os
import pathlib
import re
import shutil
import subprocess

from tool import FILES, skip, work_folder

RECORDER, HOST, KERNELS = map(os.path.abspath, FILES[:3])
readelf, gdb = shutil.which("readelf"), shutil.which("gdb")

# As gdb sees them: a call of the host, which fails for every tenth number.
SCRIPT = """set startup-with-shell off
set environment LD_PRELOAD {recorder}
set environment TVM_FFI_RECORD recording
break main
run
break -probe-stap tvm_ffi:entry
commands
silent
printf "probe\\tentry\\t%s\\t%s\\t%lu\\n", (char *)$_probe_arg0, (char *)$_probe_arg1, $_probe_arg2
continue
end
break -probe-stap tvm_ffi:return
commands
silent
printf "probe\\treturn\\t%s\\t%s\\t%lu\\n", (char *)$_probe_arg0, (char *)$_probe_arg1, $_probe_arg2
continue
end
break -probe-stap tvm_ffi:error
commands
silent
printf "probe\\terror\\t%s\\t%s\\t%lu\\t%s\\n", (char *)$_probe_arg0, (char *)$_probe_arg1, \
$_probe_arg2, (char *)$_probe_arg3
continue
end
continue
"""


def notes():
    """The number of arguments of each probe."""
    text = subprocess.run([readelf, "-n", RECORDER], capture_output=True, text=True,
                          check=True).stdout
    found = {}
    for name, semaphore, arguments in re.findall(
            r"Provider: tvm_ffi\n\s+Name: (\w+)\n.*Semaphore: (\w+)\n\s+Arguments: (.*)", text):
        assert int(semaphore, 16) != 0, text
        found.setdefault(name, set()).add(len(arguments.split()))
    return found


if not readelf:
    skip("readelf is not installed")
assert notes() == ({} if FILES[3] == "no" else {"entry": {3}, "return": {3}, "error": {4}}), notes()
if FILES[3] == "no":
    skip("this build has no probes: sys/sdt.h is not installed, or the option is off")
if not gdb:
    skip("the probes are there; gdb, which sets them, is not installed")
os.chdir(work_folder())
pathlib.Path("script").write_text(SCRIPT.format(recorder=RECORDER))
done = subprocess.run([gdb, "-nx", "-batch", "-x", "script", "--args", HOST, KERNELS, "adds"],
                      capture_output=True, text=True, check=False)
if "not permitted" in done.stderr or "ptrace" in done.stderr:
    skip(f"the probes are there; gdb may not run a program here: {done.stderr.strip()}")
seen = [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("probe\t")]
expected = []
for call in range(20):
    # The first three are recorded before they begin.
    where = [KERNELS, "add", str(call + 1 if call < 3 else 0)]
    expected.append(["entry", *where])
    expected.append(["error", *where, "ValueError"] if call % 10 == 9 else ["return", *where])
assert seen == expected, (seen, done)
