#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch CBMC as a release of Debian from 13 on has it, with the C and C++ libraries that it needs,
# and unpack all of it in a folder, without changing the system or its lists of packages. The
# program runs there on older systems too: FOLDER/cbmc is a script that starts it with these
# libraries, and the compiler that it starts with those of the system.
#
#   fetch_cbmc.sh FOLDER [RELEASE]
set -eu
release=${2:-trixie}
rm -rf "$1"
mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
root=$(cd "$1" && pwd)
# Where apt fetches the packages of this machine's Debian from.
apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sort -u |
  grep -v -e -security | sed "s|.*|deb & $release main|" >"$root/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$root/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$root/lists" -o Dir::Cache="$root/cache" \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}
apt update
cd "$root/cache"
apt download cbmc minisat zlib1g libc6 libstdc++6 libgcc-s1
for package in *.deb; do
  dpkg-deb -x "$package" "$root"
done
cd "$root"
rm -r "$root/lists" "$root/cache"
loader=$(find "$root/usr/lib" -name 'ld-linux*.so.*' | head -n 1)
libraries=$(dirname "$(find "$root/usr/lib" -name 'libstdc++.so.6' | head -n 1)"):$root/usr/lib
cat >"$root/cbmc" <<END
#!/bin/sh
exec '$loader' --library-path '$libraries' '$root/usr/bin/cbmc' "\$@"
END
chmod +x "$root/cbmc"
"$root/cbmc" --version
