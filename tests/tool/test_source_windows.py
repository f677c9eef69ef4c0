# SPDX-License-Identifier: Apache-2.0
"""Sources in the place of a library on Windows: compiled by the gcc.exe that the tool finds, here
one for Wine.

test_source_windows.py TVM-FFI GCC-OF-WINE"""
import os
import shutil
import unittest

from tool import FILES, LOAD, OK, bad, good, run, run_tests, skip, work_folder

if "wine" not in os.environ.get("MESON_EXE_WRAPPER", ""):
    skip("it has the cross compiler of Linux work for programs of Wine")

WORK = work_folder()
CACHE = WORK / "cache/tvm-ffi"
LOG = WORK / "log"
# Words with the drive of Linux's files become paths of Linux. The result has its name only when it
# is whole.
SCRIPT = f"""result=$1; shift
echo "$@" >> {LOG}
count=$#
while [ $count -gt 0 ]; do
  word=$(printf %s "$1" | sed 's|[Zz]:[/\\\\]|/|g'); shift; set -- "$@" "$word"
  count=$((count - 1))
done
{os.environ['CC']} "$@"
echo $? > $result.new; mv $result.new $result
"""
KERNEL = """#include <tvm/ffi/c.h>
#include "number.h"
TVM_FFI_C_EXPORT(get, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(NUMBER));
}
"""


def write(path, text):
    (WORK / path).write_text(text, encoding="utf-8")
    return WORK / path


(WORK / "bin").mkdir()
shutil.copy(*FILES, WORK / "bin/gcc.exe")
os.environ["WINEPATH"] += f";Z:{WORK}/bin"
os.environ["GCC_OF_WINE"] = str(write("gcc.sh", SCRIPT))
os.environ["XDG_CACHE_HOME"] = str(WORK / "cache")
del os.environ["CC"]
kernel = write("kernel.c", KERNEL)


class SourceWindows(unittest.TestCase):
    def test_compiled_once_as_long_as_nothing_changes(self):
        """Compiled once, as long as nothing changes, and linked with the runtime in use."""
        write("number.h", "#define NUMBER 7\n")
        assert good("run", kernel) == good("run", kernel, "get()") == "result[0]: 7\n"
        commands = LOG.read_text(encoding="utf-8").splitlines()
        assert (len(commands) == 1 and "/libtvm_ffi.dll.a" in commands[0]
                and "-fPIC" not in commands[0]), commands
        assert len(list(CACHE.glob("*.dll"))) == len(list(CACHE.glob("*.files"))) == 1, list(
            CACHE.iterdir())
        write("number.h", "#define NUMBER 8\n")
        assert (good("run", kernel) == "result[0]: 8\n"
                and len(LOG.read_text(encoding="utf-8").splitlines()) == 2)
        assert "  get  " in good("list", kernel)

    def test_a_name_with_blanks(self):
        """A name with blanks; what the compiler says; another compiler, and none."""
        assert good("run", shutil.copy(kernel, WORK / "a b.c")) == "result[0]: 8\n"
        code, out, err = run("run", write("wrong.c", "int x = ;\n"))
        assert code == LOAD and out == "" and "error: expected expression" in err, (code, out, err)
        assert err.endswith("wrong.c: gcc ended with exit code 1\n"), err
        code, out, err = run("run", kernel, "--cflags=-DNUMBER=9")
        assert code == OK and "redefined" in err, (code, out, err)
        bad(LOAD, "cannot run no-such-compiler", "run", kernel,
            env={**os.environ, "CC": "no-such-compiler"})


run_tests()
