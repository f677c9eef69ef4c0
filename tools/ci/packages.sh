# SPDX-License-Identifier: Apache-2.0
# Sourced by tools/quickstart and tools/test (. packages.sh): finds and installs missing Debian packages.

# has CHECK: whether a prerequisite is available. It looks for the thing itself and not for its package,
# so that tools from elsewhere are accepted.
has() {
  case $1 in
    pkg:*) pkg-config --exists "${1#pkg:}" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# links COMPILER...: whether it can compile and link a program.
links() {
  links_out=$(mktemp)
  printf '#include <errno.h>\nint main(void) { return errno; }\n' | "$@" -x c - -o "$links_out" >/dev/null 2>&1
  links_rc=$?
  rm -f "$links_out"
  return $links_rc
}

# apt_install PACKAGE...: as root or through sudo; 1 if neither is possible or the installation fails.
apt_install() {
  [ $# -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "missing: $* (Debian's names; no apt-get here to install them)" >&2
    return 1
  fi
  if [ "$(id -u)" -eq 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
  else
    echo "missing: $* (run as root: apt-get install $*)" >&2
    return 1
  fi
  echo "installing: $*"
  # The lists of a fresh machine are empty or old: try without, then after an update.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
    { $as_root apt-get -qq update && $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "$@" >/dev/null; }
}
