#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference package, for tests that compare with it: a virtual environment that contains it and
NumPy.

    package.py python|library|include|version      create it if missing, print that; 77 if
                                                   impossible
    package.py run PROGRAM...                       run a Python program in it
    package.py run-on LIBRARY FOLDER [--more NAME] PROGRAM...
                                                    the same on that libtvm_ffi.so; FOLDER is for
                                                    the environment; NAME is a row of MORE, whose
                                                    packages the program and its children find

    import package
    reference = package.require()       # or the process exits with 77 after printing the reason
    reference.python, reference.library, reference.include
    reference.with_library(library, folder)     # a second environment: the package on that library
    package.require_suite()             # the folder of the source distribution, with its tests
    package.require_more("tvm")         # a folder for PYTHONPATH, with the packages of MORE[name]

The environment is in the folder TVM_FFI_COMPAT_VENV, or else TVM_FFI_COMPAT_DEFAULT_VENV, which the
build sets. Tests may ask for it in parallel: one creates it. Other packages installed there are
kept: if PyTorch is, the tests that need it run.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

# The only place that names the version to compare with.
VERSION = "0.1.15.post2"
REQUIREMENTS = [f"apache-tvm-ffi=={VERSION}", "numpy>=1.24,<3"]
# The tests are only in the source distribution.
SOURCE = (f"apache-tvm-ffi=={VERSION} "
          "--hash=sha256:909be9ef5af07726aa9afd38a3111abc4d86cfd5927ebedfa9166232ce7d287b")
SUITE_REQUIREMENTS = ["pytest>=8,<10"]
# Packages that are used with this one. Each row has a folder of its own, which other tests do not
# see, with those of its packages' dependencies that are needed: none is chosen by pip, except for
# the rows of WITH_DEPENDENCIES, whose packages do not depend on the reference or NumPy.
MORE = {
    "tvm": ["apache-tvm==0.27.0.post1", "ml_dtypes>=0.5,<1"],
    "tirx": ["apache-tvm-tirx==0.1.0a4"],
    "jax": [
        "jax==0.10.2", "jaxlib==0.10.2", "jax-tvm-ffi==0.1.3", "ml_dtypes>=0.5,<1",
        "opt_einsum==3.4.0", "scipy>=1.14,<2"
    ],
    "cluster": ["distributed==2026.8.0", "ray==2.60.0"],
    "ml_dtypes": ["ml_dtypes>=0.5,<1"],
    "mypy": ["mypy>=1.11,<3"],
    "opencl": [
        "pyopencl==2026.1.4", "pytools==2026.1.1", "platformdirs>=4,<5", "siphash24>=1.9,<2",
        "typing_extensions>=4.6,<5"
    ],
    "orcjit": ["apache-tvm-ffi-orcjit==0.1.3"],
    "sycl": [
        "dpctl==0.22.1", "intel-sycl-rt==2026.2.0", "intel-opencl-rt==2026.2.0",
        "intel-cmplr-lib-rt==2026.2.0", "intel-cmplr-lib-ur==2026.2.0", "tbb==2023.2.0",
        "tcmlib==1.6.0", "umf==1.2.0"
    ],
    # It needs a release of the reference before 0.1.13.
    "tilelang": [
        "tilelang==0.1.15", "apache-tvm-ffi==0.1.12", "z3-solver==4.15.4.0", "ml_dtypes>=0.5,<1",
        "psutil>=5,<8"
    ],
    # Without PyTorch and Transformers: tests/compat/stand_ins replaces them.
    "xgrammar": [
        "xgrammar==0.2.8", "pydantic==2.14.3", "pydantic-core==2.50.4", "annotated-types==0.8.0",
        "typing-inspection==0.4.5"
    ],
}
WITH_DEPENDENCIES = ["cluster", "mypy"]
# Several of these have libraries that are no modules, whose folder pip leaves out of a target.
WITH_PREFIX = ["sycl"]
# Source distributions whose tests are run.
MORE_SOURCES = {
    "xgrammar": ("xgrammar==0.2.8 "
                 "--hash=sha256:8305646fd2b319d6c3003f51a1665e54cbbe9cba1fb636bc41d0b46434ccbb80"),
}

SKIP = 77
# Seconds for which a failure is remembered, so that not every test waits for a missing network.
RETRY_SECONDS = 300
PIP = [
    "-m", "pip", "--disable-pip-version-check", "--no-input", "--timeout", "20", "--retries", "1",
    "--quiet"
]
INSTALL = [*PIP, "install", "--only-binary", ":all:"]
ASK = """
import importlib.metadata, json, os
from tvm_ffi import libinfo
versions = {name: importlib.metadata.version(name) for name in ("apache-tvm-ffi", "numpy")}
include = [libinfo.find_include_path(), libinfo.find_dlpack_include_path()]
print(json.dumps({"versions": versions, "library": libinfo.find_libtvm_ffi(),
                  "include": list(dict.fromkeys(map(os.path.realpath, include)))}))
"""
LOADED = """
import importlib, sys
importlib.import_module(sys.argv[1])
with open("/proc/self/maps", encoding="utf-8") as maps:
    paths = {line.split()[-1] for line in maps if line.rstrip().endswith("/" + sys.argv[2])}
print(*sorted(paths), sep="\\n")
"""


class Unavailable(Exception):
    """The package cannot be installed here; the text is one line."""


class Package:
    """Paths of an installed package."""

    def __init__(self, stamp):
        self.python = stamp["python"]       # runs programs that import tvm_ffi and numpy
        self.library = stamp["library"]     # its libtvm_ffi.so
        self.include = stamp["include"]     # folders for -I, including that of dlpack.h
        self.version = stamp["versions"]["apache-tvm-ffi"]
        self.numpy = stamp["versions"]["numpy"]

    def with_library(self, library, root):
        """The Python of a new environment whose package has that library instead of its own.

        The package's compiled core finds the library by its run path, whatever was loaded before,
        so the file itself must be replaced. All other packages are those of the first environment.
        """
        shutil.rmtree(root, ignore_errors=True)
        run("python3 -m venv", self.python, "-m", "venv", "--without-pip", root)
        old = pathlib.Path(self.library).parents[2]
        new = root / old.relative_to(folder())
        for name in ("tvm_ffi", f"apache_tvm_ffi-{self.version}.dist-info"):
            shutil.copytree(old / name, new / name)
        (new / "others.pth").write_text(f"{old}\n", encoding="utf-8")
        copy = new / pathlib.Path(self.library).relative_to(old)
        shutil.copyfile(library, copy)
        python = root / "bin" / "python"
        check_loaded(python, copy)
        return str(python)


def check_loaded(python, library, *folders, module="tvm_ffi"):
    """Exit if the module, searched for in the folders, loads another library of that file name."""
    command = [
        "env", f"PYTHONPATH={os.pathsep.join(map(str, folders))}", python, "-W", "ignore", "-c",
        LOADED
    ]
    loaded = run(f"import {module}", *command, module, pathlib.Path(library).name).splitlines()
    if loaded != [str(library)]:
        sys.exit(f"{module} was to run on {library} alone, and runs on {loaded}")


def replace_library(folder, library, place, distribution="apache_tvm_ffi",
                    file="tvm_ffi/lib/libtvm_ffi.so"):
    """Folders for PYTHONPATH: a copy of one package with that library as its file, then the
    original folder."""
    shutil.rmtree(place, ignore_errors=True)
    # Copy the metadata too: a package finds its library by it.
    for path in [folder / pathlib.Path(file).parts[0], *folder.glob(f"{distribution}-*.dist-info")]:
        shutil.copytree(path, place / path.name)
    shutil.copyfile(library, place / file)
    return [place, folder]


def folder():
    path = os.environ.get("TVM_FFI_COMPAT_VENV") or os.environ.get("TVM_FFI_COMPAT_DEFAULT_VENV")
    if not path:
        sys.exit("neither TVM_FFI_COMPAT_VENV nor TVM_FFI_COMPAT_DEFAULT_VENV names a folder")
    return pathlib.Path(path + ("-newest" if wants_newest() else "")).resolve()


def wants_newest():
    return os.environ.get("TVM_FFI_COMPAT_PYTHON") == "newest"


def newest_python():
    """The newest of the interpreters on PATH and of pyenv that can make virtual environments."""
    versions = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"),
                            "versions")
    found = [sys.executable, *versions.glob("3.*/bin/python3")]
    found += filter(None, [shutil.which(f"python3.{minor}") for minor in range(9, 30)])
    tell = "import ensurepip, sys, venv; print(list(sys.version_info[:2]), sys.version_info[3])"
    newest, chosen = [0, 0], None
    for interpreter in found:
        done = subprocess.run([interpreter, "-c", tell], env=environment(), text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        version, _, level = done.stdout.strip().rpartition(" ")
        if done.returncode == 0 and level == "final" and json.loads(version) > newest:
            newest, chosen = json.loads(version), interpreter
    if chosen is None:
        raise Unavailable("no Python here can make virtual environments")
    return str(chosen)


@contextlib.contextmanager
def locked(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def environment(*folders, **others):
    """Variables for an interpreter that must find its own packages and library, and the folders,
    only."""
    env = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")
    }
    if folders:
        env["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    if "LD_LIBRARY_PATH" in env:  # Meson adds the folder of the library under test
        env["LD_LIBRARY_PATH"] = ":".join(path for path in env["LD_LIBRARY_PATH"].split(":")
                                          if not pathlib.Path(path, "libtvm_ffi.so").exists())
    return {**env, **others}


def run(task, *command):
    done = subprocess.run([str(word) for word in command], env=environment(), text=True,
                          check=False, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        told = [line for line in lines if re.match(r"error:", line, re.I)] or lines[-1:]
        unreachable = " (the index was not reached)" if "connection broken" in done.stdout else ""
        raise Unavailable(
            f"{task}: {told[-1] if told else f'ends with {done.returncode}'}{unreachable}")
    return done.stdout


def make(root):
    """Create the environment; returns its stamp."""
    interpreter = sys.executable
    if wants_newest():
        interpreter = newest_python()
        if interpreter == sys.executable:
            raise Unavailable(f"{interpreter} is the newest here; the other tests run on it")
    try:
        import ensurepip, venv  # on Debian, ensurepip is in a separate package
    except ImportError as error:
        raise Unavailable(
            f"no virtual environments, python3-venv is not installed ({error})") from None
    shutil.rmtree(root, ignore_errors=True)
    run("python3 -m venv", interpreter, "-m", "venv", root)
    python = root / "bin" / "python"
    run("pip install " + " ".join(REQUIREMENTS), python, *INSTALL, *REQUIREMENTS)
    found = json.loads(run("import tvm_ffi", python, "-c", ASK).splitlines()[-1])
    return {"python": str(python), **found}


def make_suite(root):
    """Install pytest into the environment, and unpack the source distribution beside it."""
    python, place = root / "bin" / "python", root / "suite"
    run("pip install " + " ".join(SUITE_REQUIREMENTS), python, *INSTALL, *SUITE_REQUIREMENTS)
    return {"python": str(python), "source": unpack(python, SOURCE, place)}


def unpack(python, requirement, place):
    """Download and unpack a source distribution; returns its folder, in a place that is emptied
    first."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "requirements.txt").write_text(requirement + "\n", encoding="utf-8")
    # pip asks a source distribution for its metadata, using its build requirements.
    run("pip download of the source distribution", python, *PIP, "download", "--no-deps",
        "--no-binary",
        requirement.split("==")[0], "--require-hashes", "--dest", place, "--requirement",
        place / "requirements.txt")
    archive = next(place.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(place, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return str(place / archive.name[:-len(".tar.gz")])


def make_more(root, name):
    """Install the packages of MORE in a folder beside the environment."""
    python, place = root / "bin" / "python", root / name
    shutil.rmtree(place, ignore_errors=True)
    chosen = [] if name in WITH_DEPENDENCIES else ["--no-deps"]
    option = "--prefix" if name in WITH_PREFIX else "--target"
    run("pip install " + " ".join(MORE[name]), python, *INSTALL, *chosen, option, place,
        *MORE[name])
    modules = next(place.glob("lib/python3*/site-packages")) if name in WITH_PREFIX else place
    return {"python": str(python), "source": str(modules)}


def kept(name, requirements, make_it, lock="lock"):
    """The stamp that make_it(root) returned, now or earlier; raises Unavailable."""
    root = folder()
    stamp_path, failure_path = root / f"{name}.json", root.with_name(f"{root.name}.{name}.failure")
    with locked(root.with_name(f"{root.name}.{lock}")):
        stamp, failure = read(stamp_path), read(failure_path)
        if (stamp.get("requirements") == requirements and all(
                pathlib.Path(stamp[word]).exists()
                for word in ("python", "library", "source") if word in stamp)):
            return stamp
        asked = {"requirements": requirements, "interpreter": sys.executable}
        if failure.get("asked") == asked and time.time() - failure["time"] < RETRY_SECONDS:
            raise Unavailable(failure["reason"])
        try:
            stamp = {"requirements": requirements, **make_it(root)}
        except Unavailable as error:
            failure = {"asked": asked, "time": time.time(), "reason": str(error)}
            failure_path.write_text(json.dumps(failure), encoding="utf-8")
            raise
        failure_path.unlink(missing_ok=True)
        # last: marks it as complete
        stamp_path.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        return stamp


def require():
    """The package; without it the process exits as a skipped test."""
    try:
        return Package(kept("stamp", REQUIREMENTS, make))
    except Unavailable as error:
        print(f"no apache-tvm-ffi {VERSION}{' on the newest Python' * wants_newest()}: {error}")
        sys.exit(SKIP)


def require_suite():
    """The folder of its source distribution; also installs pytest in the environment."""
    require()
    try:
        return pathlib.Path(kept("suite", [SOURCE, *SUITE_REQUIREMENTS], make_suite)["source"])
    except Unavailable as error:
        print(f"no tests of apache-tvm-ffi {VERSION}: {error}")
        sys.exit(SKIP)


def require_more(name, source=False):
    """The folder of the packages of that name, or of their source distribution."""
    require()
    try:
        # A lock of its own, so that a large download does not block tests that need only the
        # package.
        if source:
            return pathlib.Path(
                kept(
                    f"{name}_source", MORE_SOURCES[name], lambda root: {
                        "source": unpack(root / "bin" / "python", MORE_SOURCES[name], root /
                                         f"{name}_source")
                    }, f"{name}.lock")["source"])
        return pathlib.Path(
            kept(name, MORE[name], lambda root: make_more(root, name), f"{name}.lock")["source"])
    except Unavailable as error:
        print(f"no {MORE[name][0]}: {error}")
        sys.exit(SKIP)


def main():
    answers = ("python", "library", "include", "version")
    python, program, folders = None, [], []
    if len(sys.argv) > 2 and sys.argv[1] == "run":
        python, program = require().python, sys.argv[2:]
    elif len(sys.argv) > 4 and sys.argv[1] == "run-on":
        python = require().with_library(sys.argv[2], pathlib.Path(sys.argv[3]).resolve())
        program = sys.argv[4:]
        if program[0] == "--more":
            folders, program = [require_more(program[1])], program[2:]
    if python:
        os.environ.pop("PYTHONPATH", None)
        if folders:
            os.environ["PYTHONPATH"] = os.pathsep.join(map(str, folders))
        os.execv(python, [python, *program])
    if len(sys.argv) != 2 or sys.argv[1] not in answers:
        sys.exit(
            f"usage: package.py {'|'.join(answers)}|run PROGRAM...|"
            "run-on LIBRARY FOLDER [--more NAME] PROGRAM...")
    answer = getattr(require(), sys.argv[1])
    print("\n".join(answer) if isinstance(answer, list) else answer)


if __name__ == "__main__":
    main()
