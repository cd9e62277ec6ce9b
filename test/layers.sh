#!/bin/sh
# The files of a folder call each other in one direction: no cycle of calls between them.
# usage: layers.sh NM LIBRARY|OBJECT...
set -eu
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
nm=$1
shift
"$nm" -A "$@" 2>/dev/null | awk '{ n = split($1, part, ":"); file = part[n - 1]; if (part[n] ~ /\.o$/) file = part[n]
    print file, $(NF - 1), $NF }' >"$symbols"
[ "$(awk '$2 == "T"' "$symbols" | wc -l)" -gt 20 ] || { echo "layers: no symbols in $1"; exit 77; }
# tsort names the files of a cycle and fails.
awk 'NR == FNR { if ($2 ~ /^[TDRBV]$/) home[$3] = $1; next }
     $2 == "U" && ($3 in home) && home[$3] != $1 { print $1, home[$3] }' "$symbols" "$symbols" |
    sort -u | tsort >/dev/null
