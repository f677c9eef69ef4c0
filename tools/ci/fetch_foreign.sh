#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch Debian packages for another architecture, such as i386, and unpack them in a folder, without
# changing the system or its list of architectures.
#
#   fetch_foreign.sh FOLDER ARCHITECTURE PACKAGE...
set -eu
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial"
root=$(cd "$1" && pwd)
architecture=$2
shift 2
apt() {
  apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o APT::Sandbox::User="$(id -un)" \
    -o Dir::State::Lists="$root/apt/lists" -o Dir::Cache="$root/apt/cache" "$@"
}
apt update || true # a mirror may lack one of several lists; `apt download` fails if it was needed
cd "$root/apt"
apt download "$@"
for package in *.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -r "$root/apt"
