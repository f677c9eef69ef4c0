# SPDX-License-Identifier: Apache-2.0
"""New Debian systems, to do what a new user does where nothing is installed.

A folder keeps each release as debootstrap made it, and the packages that commands install there,
for the next time. Commands run in a copy of it, as its root, in namespaces of their own."""
import os
import pathlib
import re
import shutil
import subprocess

from steps import last_line

# Where Debian is fetched from on a machine that runs another system.
DEBIAN = "http://deb.debian.org/debian/"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")

ENTER = """
mount --bind "$1" "$3/var/cache/apt/archives"
mount -t proc proc "$3/proc"
mount --rbind /dev "$3/dev"
[ -z "$2" ] || mount --bind "$2" "$3/root/.cache"
shift 2
exec chroot "$@"
"""


class Impossible(Exception):
    """There is no such system; the text is the reason."""


def find_mirror(name):
    """The name of a release, if empty of this machine's, the address to fetch it from, and its
    components.

    The address is the one that apt uses here."""
    here = dict(
        re.findall(r'^(\w+)="?([^"\n]*)',
                   pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.M))
    own = here.get("VERSION_CODENAME", "")
    if name and here.get("ID") != "debian":
        return name, DEBIAN, "main"
    done = subprocess.run([
        "apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)",
        "Created-By: Packages"
    ], text=True, check=True, stdout=subprocess.PIPE)
    places = [line.split()[1:] for line in done.stdout.splitlines() if line.split()[0] == own]
    if not places:
        raise Impossible(f"apt has no packages of `{own}`")
    _, place = places[0]
    return name or own, place, ",".join(component for component, other in places if other == place)


def make_base(folder, name, place, components):
    """The folder of a release as debootstrap makes it; it is made if it is not there."""
    system, made, log = folder / name, folder / f"{name}.new", folder / f"{name}.log"
    if not system.exists():
        shutil.rmtree(made, ignore_errors=True)
        with open(log, "w", encoding="utf-8") as output:
            done = subprocess.run([
                "debootstrap", "--variant=minbase", f"--components={components}", name, made, place
            ], stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise Impossible("debootstrap: " + last_line(log.read_text(encoding="utf-8")))
        # dpkg does not wait for the disk then.
        (made / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n", encoding="utf-8")
        # A mirror may be some days behind. Signatures are checked all the same.
        (made / "etc/apt/apt.conf.d/valid-until").write_text(
            'Acquire::Check-Valid-Until "false";\n', encoding="utf-8")
        made.rename(system)
    return system


class System:
    """A copy of a release of Debian, whose files are in `root`."""

    def __init__(self, folder, name="", copy="system", cache=None):
        """Make the copy of a release, by default of this machine's, in a folder. `cache` is a
        folder that takes what programs there keep in ~/.cache."""
        if os.geteuid() != 0:
            raise Impossible("making a new system takes root")
        for tool in ("debootstrap", "unshare", "apt-get"):
            if shutil.which(tool) is None:
                raise Impossible(f"{tool} is not installed")
        name, place, components = find_mirror(name)
        self.root, self.packages, self.cache = folder / copy, folder / f"{name}.packages", cache
        self.packages.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "--archive",
                        make_base(folder, name, place, components), self.root], check=True)
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)
            (self.root / "root/.cache").mkdir(exist_ok=True)
        self.env = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
            "LANG": "C.UTF-8"
        }
        # What this machine needs to reach the addresses of apt and pip.
        self.env.update(
            (key, value) for key, value in os.environ.items() if key.lower().endswith("_proxy"))
        for file in "/etc/resolv.conf", "/etc/pip.conf":
            if pathlib.Path(file).exists():
                shutil.copy(file, f"{self.root}{file}")
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, self.root / "root/certificates.crt")
            self.env["PIP_CERT"] = "/root/certificates.crt"
        started = self.run(["true"])
        if started.returncode != 0:
            raise Impossible("no namespaces: " + last_line(started.stdout))

    def command(self, words):
        """The command that runs another one there, in an environment of its own."""
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "env", "-i",
                *(f"{key}={value}" for key, value in self.env.items()),
                "sh", "-ec", ENTER, "sh", self.packages, self.cache or "", self.root, *words]

    def run(self, words):
        """Run a command there; stdout of the result has its output of both streams."""
        return subprocess.run(self.command(words), text=True, errors="replace", check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def remove(self):
        shutil.rmtree(self.root)
