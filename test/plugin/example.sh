#!/bin/sh
# example.sh BUILD SOURCE: install Galerna somewhere, build policies/example against it in both ways,
# and run what was built. Nothing of the tree is used but the example.
set -eu
build=$1
source=$2
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
cp -R "$source/policies/example" "$work/example"
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
"$prefix/bin/galerna" policy show fair-size | grep -q "Refuses leases that ask for more"
"$prefix/bin/galerna" policy list | grep -q "^admission  *fair-size "
