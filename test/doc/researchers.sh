#!/usr/bin/env bash
# The guide for researchers can be followed word for word, in an empty directory with an installed Galerna.
#
#   researchers.sh BUILD
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cmake --install "$1" --prefix "$work/prefix" >"$work/install.log" || {
    cat "$work/install.log"
    exit 1
}
PATH=$work/prefix/bin:$PATH
guide=$work/prefix/share/doc/galerna/researchers.md
mkdir "$work/guide"
cd "$work/guide"

# block WORD: what the guide shows in blocks marked with the word.
block() {
    awk -v mark="\`\`\`$1" '$0 == mark { shown = 1; next } /^```$/ { shown = 0 } shown' "$guide"
}

block sweep >reservations.sweep
block python >waits.py
block console | sed 's/^\$ //' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 10 ] || {
    echo "the guide has few commands"
    exit 1
}
while IFS= read -r command; do
    bash -o pipefail -c "$command" >"$work/out" 2>&1 </dev/null || {
        echo "$command: exit code $?"
        cat "$work/out"
        exit 1
    }
    case $command in
    *verify*) grep -q 'mixed.json: clean' "$work/out" ;;
    *--list) [ "$(grep -c ' mixed  0' "$work/out")" -eq 30 ] ;;
    *waits.py) [ "$(grep -cE '^0\.[12] [a-z-]+ [0-9]+ [0-9]+ [0-9]+$' "$work/out")" -eq 6 ] ;;
    esac || {
        echo "$command: unexpected output"
        cat "$work/out"
        exit 1
    }
done <"$work/commands"
for file in mixed.svg mixed.csv mixed.db reservations.db report.html suspend/index.html; do
    [ -s "$file" ] || {
        echo "$file was not made"
        exit 1
    }
done
