# SPDX-License-Identifier: Apache-2.0
"""Run the Python package apache-tvm-ffi, and what is built on it, on this runtime:

    python -m tvm_ffi_c use        replace that package's libtvm_ffi.so with this runtime
    python -m tvm_ffi_c restore    put that package's own library back
    python -m tvm_ffi_c status     say which of the two is in place
"""
import filecmp
import importlib.util
import os
import shutil
import subprocess
import sys

from . import libdir, library

# A function that only this runtime has; its name tells the two libraries apart.
MARK = b"TVMFFIRuntimeShutdown"


# What paths with `isolated:` need, beside the library: absent where the wheel does not have it.
ISOLATED = ("libtvm_ffi_isolated.so", os.path.join("tvm_ffi", "tvm_ffi_isolated_helper"))


class Refused(Exception):
    """A failure to report to the user."""


class Installed:
    """The library of the installed apache-tvm-ffi, and the path where the original is kept."""

    def __init__(self):
        spec = importlib.util.find_spec("tvm_ffi")
        if spec is None or spec.origin is None:
            raise Refused("apache-tvm-ffi is not installed in this environment")
        self.path = os.path.join(os.path.dirname(spec.origin), "lib", "libtvm_ffi.so")
        self.kept = self.path + ".original"
        if not os.path.exists(self.path):
            raise Refused(f"apache-tvm-ffi has no library where it is expected: {self.path}")

    def is_ours(self):
        with open(self.path, "rb") as file:
            return MARK in file.read()

    def put(self, source):
        """Replace the library with a copy of a file, atomically: running processes keep the old
        one."""
        new = self.path + ".new"
        shutil.copyfile(source, new)
        shutil.copymode(self.path, new)
        os.replace(new, self.path)

    def put_isolated(self):
        """The same for what runs kernels in a process of their own."""
        folder = os.path.dirname(self.path)
        for name in ISOLATED:
            source, to = os.path.join(libdir(), name), os.path.join(folder, name)
            if os.path.exists(source):
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy2(source, to + ".new")
                os.replace(to + ".new", to)

    def remove_isolated(self):
        folder = os.path.dirname(self.path)
        for name in ISOLATED:
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        if os.path.isdir(os.path.join(folder, "tvm_ffi")):
            os.rmdir(os.path.join(folder, "tvm_ffi"))

    def use(self):
        ours = library(cxx=True)
        self.put_isolated()
        if filecmp.cmp(self.path, ours, shallow=False):
            return f"already in place: {self.path}"
        if not self.is_ours():
            shutil.copy2(self.path, self.kept)
        self.put(ours)
        loaded = subprocess.run([sys.executable, "-c", "import tvm_ffi"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, check=False)
        if loaded.returncode != 0:
            self.restore()
            raise Refused("apache-tvm-ffi does not load with this runtime, so its own is back:\n"
                          + loaded.stderr.strip())
        return f"in place: {self.path}\nkept: {self.kept}"

    def restore(self):
        if not self.is_ours():
            return f"apache-tvm-ffi's own is in place: {self.path}"
        if not os.path.exists(self.kept):
            raise Refused(
                f"there is no {self.kept}; `pip install --force-reinstall apache-tvm-ffi` brings "
                "the "
                "library back")
        os.replace(self.kept, self.path)
        self.remove_isolated()
        return f"restored: {self.path}"

    def status(self):
        return f"{'tvm-ffi-c' if self.is_ours() else 'apache-tvm-ffi'}: {self.path}"


def main():
    commands = {"use": Installed.use, "restore": Installed.restore, "status": Installed.status}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__.strip())
    try:
        print(commands[sys.argv[1]](Installed()))
    except (Refused, OSError) as error:
        sys.exit(f"tvm_ffi_c: {error}")


if __name__ == "__main__":
    main()
