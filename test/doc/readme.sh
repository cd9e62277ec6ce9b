#!/usr/bin/env bash
# What the README shows of galerna's output is what galerna prints; each page has one command a line.
#
#   readme.sh GALERNA FOLDER-OF-SOURCES
set -euo pipefail

galerna=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# shown FROM TO: these lines of the README, without the one of the command.
shown() {
    sed -n "/$1/,/$2/p" "$sources/README.md" | grep -v '^```\|^\$' >"$work/shown"
}

same() {
    diff "$work/shown" "$work/printed" || {
        echo "README.md: $1 prints something else (>)"
        status=1
    }
}

cd "$sources"
shown '^KIND  *NAME' '^```'
"$galerna" policy list >"$work/printed"
same 'galerna policy list'

# Processor time and memory are the machine's.
shown 'no-preemption  ar-preempts-everything' '^```'
sed -i '/^CPU time\|^Peak memory/d' "$work/shown"
"$galerna" replay -c conf/examples/no-preemption.conf -c conf/examples/ar-preempts-everything.conf |
    sed '/^CPU time\|^Peak memory/d' >"$work/printed"
same 'the comparison'

shown '^day.json: clean' '^```'
"$galerna" replay -c conf/examples/ar-preempts-everything.conf --record "$work/day.json" --quiet
(cd "$work" && "$galerna" verify day.json) >"$work/printed"
same 'galerna verify'

"$galerna" replay -c conf/examples/ar-preempts-everything.conf --gantt "$work/day.svg" --quiet
cmp "$work/day.svg" doc/working-day.svg || {
    echo "doc/working-day.svg: galerna replay --gantt draws something else"
    status=1
}

# A paragraph formatter that takes a block for text joins its lines.
# shellcheck disable=SC2016 # these are awk's
if git ls-files '*.md' 2>/dev/null | xargs awk '
    FNR == 1 { block = 0 }
    /^```/ { block = !block; next }
    block && /[^ ].*[[:space:]]\$ [a-z]/ { print FILENAME ":" FNR ": two commands: " $0; bad = 1 }
    END { exit !bad }'; then
    status=1
fi
exit $status
