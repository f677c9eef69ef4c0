#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py NGINX SOURCES KERNEL REBUILT RUNTIME ISOLATED HELPER: build the module, run nginx in a
temporary folder, and replace the kernel while requests arrive.

SOURCES is the folder of nginx with `configure`, REBUILT the same kernel with another weight,
RUNTIME libtvm_ffi.so, ISOLATED libtvm_ffi_isolated.so, and HELPER the program that this starts;
pkg-config has to find tvm_ffi.
"""
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent
MODULE = "ngx_http_tvmffi_module.so"
NUM_CLIENTS, NUM_RELOADS = 4, 10


class Connection(http.client.HTTPConnection):
    """To the socket of nginx."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def build_module(sources, folder):
    copy = folder / "nginx"
    shutil.copytree(sources, copy)
    for command in (["./configure", "--with-compat", f"--add-dynamic-module={FOLDER}"],
                    ["make", "-f", "objs/Makefile", "modules"]):
        done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout)
    shutil.copy(copy / "objs" / MODULE, folder)
    shutil.rmtree(copy)


def get(connection, numbers, place="predict"):
    connection.request("GET", f"/{place}?{numbers}")
    response = connection.getresponse()
    return f"{response.status} {response.read().decode().strip()}"


def wait_for(what, condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"waited in vain: {what}")


def status(process):
    """The kernels that a process has mapped, and its memory in kilobytes."""
    maps = pathlib.Path(f"/proc/{process}/maps").read_text("utf-8")
    kernels = {line.split()[4] for line in maps.splitlines() if "kernel.so" in line}
    memory = pathlib.Path(f"/proc/{process}/status").read_text("utf-8")
    return len(kernels), int(re.search(r"VmRSS:\s+(\d+)", memory)[1])


class Service:

    def __init__(self, nginx, kernels, folder, environment):
        self.folder, self.kernels, self.socket = folder, kernels, str(folder / "nginx.sock")
        self.install(kernels[0])
        shutil.copy(FOLDER / "nginx.conf", folder)
        self.process = subprocess.Popen(
            [nginx, "-p", folder, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"],
            cwd=folder, env=environment)
        wait_for("the socket", lambda: os.path.exists(self.socket) or self.has_ended())
        self.answers, self.is_done = {}, False

    def has_ended(self):
        return self.process.poll() is not None

    def install(self, kernel):
        """As a build does: the new file is renamed to the old one's name."""
        shutil.copy(kernel, self.folder / "new")
        os.replace(self.folder / "new", self.folder / "kernel.so")

    def reload(self):
        """A new master's configuration; until the workers are those that have it."""
        before = self.workers()
        self.process.send_signal(signal.SIGHUP)
        wait_for("new workers", lambda: not before & self.workers() and len(self.workers()) == 2)

    def workers(self):
        """The children of the master, but for those in which isolated kernels run."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return {child for child in pathlib.Path(children).read_text("utf-8").split()
                if self.is_worker(child)}

    @staticmethod
    def is_worker(process):
        try:
            return os.path.basename(os.readlink(f"/proc/{process}/exe")) == "nginx"
        except OSError:  # it has ended
            return False

    def send_requests(self):
        """A client that goes on until the end. A worker that ends closes connections that wait."""
        connection, counts = Connection(self.socket), {}
        while not self.is_done:
            try:
                answer = get(connection, "1,2.5")
            except (http.client.HTTPException, OSError):
                connection.close()
                connection = Connection(self.socket)
                continue
            counts[answer] = counts.get(answer, 0) + 1
        for answer, count in counts.items():
            self.answers[answer] = self.answers.get(answer, 0) + count


def main():
    nginx, sources, *kernels, runtime, isolated, helper = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build_module(sources, folder)
        for library in runtime, isolated, helper:
            shutil.copy(library, folder)
        service = Service(nginx, kernels, folder, {**os.environ, "LD_LIBRARY_PATH": name})
        try:
            run(service)
        finally:
            service.process.terminate()
            service.process.wait()


def run(service):
    ask = Connection(service.socket)
    print(get(ask, "1,2.5"))
    print(get(ask, ""))
    print(get(ask, "1,x"))
    print(get(ask, ",".join(["1"] * 65)))
    workers = service.workers()
    print(get(ask, "1", "crash").partition(" ")[0])
    print(get(ask, "1,2.5"), service.workers() == workers)
    ask.request("POST", "/predict?1")
    response = ask.getresponse()
    response.read()
    print(response.status)

    # Under load: the kernel is rebuilt again and again, and nginx is told.
    clients = [threading.Thread(target=service.send_requests, daemon=True)
               for _ in range(NUM_CLIENTS)]
    for client in clients:
        client.start()
    statuses = []
    for i in range(NUM_RELOADS):
        service.install(service.kernels[(i + 1) % 2])
        service.reload()
        statuses.append(status(service.process.pid))
    service.is_done = True
    for client in clients:
        client.join()
    print("answers under load:", *sorted(service.answers))
    print("enough of them:", min(service.answers.values()) > 20)
    print("kernels in the master:", *sorted({kernels for kernels, _ in statuses}))
    print("grown:", statuses[-1][1] - statuses[1][1] > 1024)

    def use_workers():
        """Calls and errors in both workers; their memory afterwards."""
        for _ in range(8):
            connections = [Connection(service.socket) for _ in range(8)]
            for i in range(100):
                for connection in connections:
                    get(connection, "" if i % 2 else "1,2.5")
        return max(status(worker)[1] for worker in service.workers())

    print("grown by requests:", -use_workers() + use_workers() > 256)

    # A file that is no kernel: the workers go on with what they have.
    ask = Connection(service.socket)
    print(get(ask, "1,2.5"))
    workers = service.workers()
    (service.folder / "kernel.so").unlink()
    (service.folder / "kernel.so").write_text("no library", encoding="utf-8")
    service.process.send_signal(signal.SIGHUP)
    log = service.folder / "error.log"
    wait_for("the error", lambda: "InternalError" in log.read_text("utf-8"))
    print(get(ask, "1,2.5"), workers == service.workers())


if __name__ == "__main__":
    sys.exit(main())
