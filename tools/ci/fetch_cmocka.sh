#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch Debian's source of cmocka and unpack it as FOLDER/source, without changing the system's
# lists of packages. For systems of which Debian has no binary packages of it.
#
#   fetch_cmocka.sh FOLDER
set -eu
rm -rf "$1"
mkdir -p "$1/lists/partial"
root=$(cd "$1" && pwd)
apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  grep ' main$' | sort -u >"$root/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$root/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$root/lists" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update || true # one of several lists may be missing; `apt source` fails if it was needed
cd "$root"
apt source --only-source cmocka
mv cmocka-*/ source
rm -r lists
