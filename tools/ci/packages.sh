# SPDX-License-Identifier: Apache-2.0
# Sourced by tools/quickstart, tools/test and others (. packages.sh): finds and installs missing
# Debian packages, and shows that a long command goes on.

# has CHECK: whether a prerequisite is available. It looks for the thing itself and not for its
# package, so that tools from elsewhere are accepted.
has() {
  case $1 in
    pkg:*) pkg-config --exists "${1#pkg:}" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# links COMPILER...: whether it can compile and link a program.
links() {
  links_out=$(mktemp)
  printf '#include <errno.h>\nint main(void) { return errno; }\n' |
    "$@" -x c - -o "$links_out" >/dev/null 2>&1
  links_rc=$?
  rm -f "$links_out"
  return $links_rc
}

# watched LOG COMMAND...: run it with its output in a file, and show every few seconds which line
# that has come to.
watched() {
  watched_log=$1
  shift
  : >"$watched_log"
  # The command itself is not in the background, where Ctrl-C would not reach it.
  (
    shown=
    # Of `sleep` nothing is left on standard output, where it would keep a pipe open.
    while sleep 5 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
      line=$(tail -n 1 "$watched_log" | LC_ALL=C tr -cd ' -~' | cut -c 1-110)
      [ "$line" = "$shown" ] || printf '    ... %s\n' "$line"
      shown=$line
    done
  ) &
  watched_watcher=$!
  watched_rc=0
  "$@" >"$watched_log" 2>&1 </dev/null || watched_rc=$?
  kill $watched_watcher 2>/dev/null || :
  wait $watched_watcher 2>/dev/null || :
  return $watched_rc
}

# apt_install PACKAGE...: as root or through sudo; 1 if neither is possible or the installation
# fails.
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
  echo "installing by apt-get: $*"
  apt_log=$(mktemp)
  # The lists of a fresh machine are empty or old: try without, then after an update.
  apt_rc=0
  apt_get install -y --no-install-recommends "$@" ||
    { apt_get update && apt_get install -y --no-install-recommends "$@"; } || apt_rc=$?
  [ $apt_rc -eq 0 ] || tail -n 20 "$apt_log" >&2
  rm -f "$apt_log"
  return $apt_rc
}

apt_get() {
  watched "$apt_log" $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"
}
