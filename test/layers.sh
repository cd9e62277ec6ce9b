#!/bin/sh
# Each folder includes and calls only those before it, and the files of a folder call each other in one
# direction: no cycle of calls.
# usage: layers.sh FOLDER-OF-SOURCES NM OBJECTS (a file in the build folder: the paths of objects, by folder)
set -eu
cd "$1"
symbols=$(mktemp)
calls=$(mktemp)
trap 'rm -f "$symbols" "$calls"' EXIT
"$2" -A "@$3" 2>/dev/null | awk -v top="$(dirname "$3")/" '{
    type = $(NF - 1); symbol = $NF
    file = substr($0, length(top) + 1)
    sub(/\.o:.*/, "", file)
    sub(/CMakeFiles\/[^\/]*\.dir\/(\.\/)?/, "", file)
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    print folder, file, type, symbol }' >"$symbols"
[ "$(awk '$3 == "T"' "$symbols" | wc -l)" -gt 1000 ] || { echo "layers: no symbols in the objects"; exit 77; }

status=0
before=
for folder in $(awk '!seen[$1]++ { print $1 }' "$symbols"); do
    before="$before${before:+|}$folder"
    if grep -n '^#include ".*/' "$folder"/*.[ch] | grep -vE "#include \"($before)/[^/]*\""; then
        status=1
    fi
done
[ $status -eq 0 ] || { echo "these includes go up: move what both need down"; exit 1; }

# A symbol that two programs define is that of the first.
awk 'NR == FNR { if (!($1 in rank)) rank[$1] = ++folders
                 if ($3 ~ /^[TDRBV]$/ && !($4 in home)) { home[$4] = $2; place[$4] = rank[$1] }
                 next }
     $3 == "U" && ($4 in home) && home[$4] != $2 { print $2, home[$4] }
     $3 == "U" && ($4 in home) && place[$4] > rank[$1] {
         print $2, "calls up:", $4, "of", home[$4] >"/dev/stderr"; failed = 1 }
     END { exit failed }' "$symbols" "$symbols" >"$calls"
# tsort names the files of a cycle and fails.
sort -u "$calls" | tsort >/dev/null
