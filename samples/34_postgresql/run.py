#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py BINDIR MODULE KERNEL RUNTIME ISOLATED HELPER: run main.sql in a cluster of its own, which
is in a folder that is deleted, and is reached by a socket there.

PostgreSQL refuses to run as root: then it runs as the user `postgres`, who may not be able to read
where the libraries are, so they are copied.
"""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
FOLDER = pathlib.Path(__file__).resolve().parent


def main():
    tools, module, kernel, *libraries = map(pathlib.Path, sys.argv[1:])
    user = None
    if os.getuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            print("skipped: PostgreSQL does not run as root, and there is no user `postgres`")
            return SKIP
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copies = [(path, path.name) for path in libraries]
        for path, copy in [(module, "tvmffi.so"), (kernel, "kernel.so"), *copies]:
            shutil.copy(path, folder / copy)
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)

        def run(tool, *args, **more):
            return subprocess.run(
                [tools / tool, *args], cwd=folder, check=False, text=True,
                env={"LD_LIBRARY_PATH": name, "PATH": os.environ["PATH"], "LC_ALL": "C"},
                **({"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}),
                **more)

        quiet = {"stdout": subprocess.DEVNULL}
        # With the module in the server, backends are forked from a process that has the runtime.
        settings = (f"-k {name} -c listen_addresses='' -c fsync=off -c jit=off "
                    f"-c shared_preload_libraries={folder / 'tvmffi'}")
        for command in (["initdb", "-D", "data", "-A", "trust", "--no-sync", "-U", "sample"],
                        ["pg_ctl", "-D", "data", "-l", "log", "-o", settings, "-w", "start"]):
            if run(*command, **quiet).returncode != 0:
                log = folder / "log"
                print(log.read_text("utf-8") if log.exists() else "", "failed:", command)
                return 1
        try:
            with open(FOLDER / "main.sql", encoding="utf-8") as script:
                return run("psql", "-X", "-h", name, "-U", "sample", "-d", "postgres", "-v",
                           f"library={folder / 'kernel.so'}", "-v", f"module={folder / 'tvmffi'}",
                           stdin=script, stderr=subprocess.STDOUT).returncode
        finally:
            run("pg_ctl", "-D", "data", "-m", "immediate", "stop", **quiet)


if __name__ == "__main__":
    sys.exit(main())
