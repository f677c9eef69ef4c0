# SPDX-License-Identifier: Apache-2.0
"""Compilers for other systems, where they are installed: MinGW-w64 and Wine for Windows, PyPI's
ziglang for macOS."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [f"-I{ROOT}/include", f"-I{ROOT}/subprojects/dlpack/include"]
MINGW, WINE = shutil.which("x86_64-w64-mingw32-gcc"), shutil.which("wine")


def find_zig():
    """The command of Zig: of this Python, or as tools/test has installed it; None without."""
    python = ROOT / "build-zig/venv/bin/python"
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang"]
    return [str(python), "-m", "ziglang"] if python.exists() else None


ZIG = find_zig()


def compile_with(command, *args):
    """Run a compiler, which must not complain. What Zig builds of its own is kept."""
    cache = ROOT / "build-zig/cache"
    env = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    done = subprocess.run([*command, *map(str, args)], capture_output=True, text=True, check=False,
                          env={**os.environ, **env})
    assert done.returncode == 0 and done.stderr == "", (command, args, done)


def run_windows(work, *args):
    """The standard output of a Windows program, which Wine runs with a configuration in `work`."""
    env = {**os.environ, "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
    done = subprocess.run([WINE, *map(str, args)], capture_output=True, text=True, check=False,
                          env=env)
    assert done.returncode == 0, (args, done)
    return done.stdout
