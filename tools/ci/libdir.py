#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print `libdir=FOLDER`, or nothing where Meson's own default is right.

On Debian, Meson asks dpkg-architecture for the folder. Without that program, which is in dpkg-dev,
it takes lib64, where neither ldconfig nor pkg-config looks. The compiler knows the folder too.
"""
import os
import shlex
import shutil
import subprocess


def multiarch():
    """The compiler's name of the system's folder of libraries, or an empty string."""
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    try:
        done = subprocess.run([*compiler, "-print-multiarch"], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


if os.path.isfile("/etc/debian_version") and not shutil.which("dpkg-architecture"):
    print("libdir=" + os.path.join("lib", multiarch()).rstrip("/"))
