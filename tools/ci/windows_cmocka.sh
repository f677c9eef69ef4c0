#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds cmocka for Windows x64 from Debian's source package, as an archive with a file for pkg-config:
#   tools/ci/windows_cmocka.sh FOLDER && meson setup ... -Dpkg_config_path=FOLDER/lib/pkgconfig
# The source's own build takes CMake; one object file is all of it.
set -eu
mkdir -p "$1/apt/lists/partial" "$1/include" "$1/lib/pkgconfig"
folder=$(cd "$1" && pwd)
apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' | grep ' main$' |
  sort -u > "$folder/apt/sources.list"
cd "$folder/apt"
for step in update 'source --only-source cmocka'; do
  # shellcheck disable=SC2086 # words
  apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$folder/apt/lists" -o APT::Sandbox::User="$(id -un)" $step
done
source=$(echo "$folder"/apt/cmocka-*/src)
version=${source%/src} version=${version##*/cmocka-}
x86_64-w64-mingw32-gcc -O1 -w -I"$source/../include" -DHAVE_INTTYPES_H -DHAVE_IO_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H \
  -DHAVE_STRINGS_H -DHAVE_UNISTD_H -DHAVE_STRUCT_TIMESPEC -DHAVE_GCC_THREAD_LOCAL_STORAGE \
  -c "$source/cmocka.c" -o "$folder/cmocka.o"
rm -f "$folder/lib/libcmocka.a"
x86_64-w64-mingw32-ar rcs "$folder/lib/libcmocka.a" "$folder/cmocka.o"
cp "$source"/../include/cmocka*.h "$folder/include"
cat > "$folder/lib/pkgconfig/cmocka.pc" <<END
prefix=$folder
Name: cmocka
Description: tests
Version: $version
Libs: -L\${prefix}/lib -lcmocka
Cflags: -I\${prefix}/include
END
