#!/bin/sh
# example.sh BUILD: install Galerna somewhere, follow the guide for policy authors word for word,
# build the installed example with CMake as well, and run what was built. Nothing of the tree is used.
set -eu
build=$1
CC=${CC:-cc}
export CC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log" ||
    { cat "$work/install.log"; exit 1; }
# An installation can be moved.
mv "$work/prefix" "$work/moved"
prefix=$work/moved
pc=$(find "$prefix" -name galerna.pc)
test -n "$pc" || { echo "galerna.pc is not installed"; exit 1; }
guide=$prefix/share/doc/galerna/policy-authors.md
test -r "$guide" || guide=$(find "$prefix" -name policy-authors.md)
mkdir "$work/guide"

# The commands of the guide; Galerna is not in /usr/local here, as it says.
awk '/^```sh$/ { shown = 1; next } /^```$/ { shown = 0 } shown' "$guide" |
    sed "s|^export PKG_CONFIG_PATH=.*|export PKG_CONFIG_PATH=$(dirname "$pc")|
        s|^export PATH=.*|export PATH=$prefix/bin:$prefix/sbin:\$PATH|" > "$work/guide/commands"
(cd "$work/guide" && sh -eu commands > log 2>&1) || { cat "$work/guide/log"; exit 1; }
grep -q "fair-size: all tests passed" "$work/guide/log"
test "$(grep -c "^Best-effort leases" "$work/guide/log")" -eq 3
grep -q "fair-size: requests 8 processors" "$work/guide/log"
grep -q "fair-size: wants 8 processors" "$work/guide/log"

cp -R "$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=examples galerna)/policy" \
    "$work/example"
cd "$work/example"

echo "with CMake:"
if ! cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" > cmake.log 2>&1 ||
    ! cmake --build build >> cmake.log 2>&1; then
    cat cmake.log
    exit 1
fi
ctest --test-dir build --output-on-failure
"$prefix/bin/galerna" policy check ./build/fair-size.so --set share=0.25

echo "with make:"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
make -s
"$prefix/bin/galerna" policy check ./fair-size.so
make -s install
"$prefix/bin/galerna" policy show fair-size | grep -q "Refuses leases that request more"
"$prefix/bin/galerna" policy list | grep -q "^admission  *fair-size "
