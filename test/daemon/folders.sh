#!/bin/sh
# The folders of daemon/ are libraries that include and call only those before them.
#
#   folders.sh FOLDER-OF-SOURCES NM LIBRARY-OF-FOLDER... LIBRARY
set -eu
cd "$1"
nm=$2
shift 2
status=0
before=
for library; do
    folder=$(basename "$library" .a | sed 's/^libgalerna_//; s/_/\//')
    before="$before${before:+|}$folder/"
    if grep -n '^#include "daemon/' "$folder"/*.[ch] | grep -vE "#include \"($before)"; then
        status=1
    fi
done
[ $status -eq 0 ] || { echo "these includes go up: move what both need down"; exit 1; }
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
for library; do
    "$nm" "$library" 2>/dev/null | awk -v name="$(basename "$library")" 'NF > 1 { print name, $(NF - 1), $NF }'
done >"$symbols"
[ "$(awk '$2 == "T"' "$symbols" | wc -l)" -gt 500 ] || { echo "folders: no symbols in $1"; exit 77; }
# Each symbol is known from the library that defines it on.
awk 'NR == FNR { if ($2 ~ /^[TDRBV]$/) home[$3] = $1; next }
     { place[$1] }
     $2 == "U" && ($3 in home) && !(home[$3] in place) { print $1, "calls up:", $3, "of", home[$3]; failed = 1 }
     END { exit failed }' "$symbols" "$symbols"
