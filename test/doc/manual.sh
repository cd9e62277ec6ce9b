#!/usr/bin/env bash
# The manual describes what is there and nothing else: each option that --help names is on the page,
# and each option on the page is named by --help. The same for options of configuration files.
#
#   manual.sh GALERNA GALERNAD FOLDER-OF-SOURCES [PAGE-OF-CONFIGURATION.scd]
set -euo pipefail

galerna=$1
galernad=$2
pages=$3
configuration=${4:-}
status=0

# Long options in a text, one per line. *--set*, --set and --set\=... are the same.
options() {
    grep -oE -- '--[a-z][a-z-]+' | sort -u
}

same() {
    local what=$1 program=$2 page=$3 missing

    missing=$(comm -23 <(echo "$program") <(echo "$page") | tr '\n' ' ')
    if [ -n "${missing// /}" ]; then
        echo "$what: not in the manual: $missing"
        status=1
    fi
    missing=$(comm -13 <(echo "$program") <(echo "$page") | tr '\n' ' ')
    if [ -n "${missing// /}" ]; then
        echo "$what: in the manual, but not there: $missing"
        status=1
    fi
}

# Only lines that define an option: they begin with it.
defined() {
    grep -E '^\*-' "$1" | options
}

# page: verbs
check() {
    local page=$1 command program=
    shift

    for command in "$@"; do
        # shellcheck disable=SC2086 # noun and verb are two words
        program+=$("$galerna" $command --help | grep -E '^ +(-[a-z], )?--' | options)$'\n'
    done
    same "${page##*/}" "$(echo "$program" | sed '/^$/d' | sort -u)" "$(defined "$page")"
}

check "$pages/galerna-replay.1.scd" replay
check "$pages/galerna-sweep.1.scd" sweep
check "$pages/galerna-trace.1.scd.in" 'trace check' 'trace convert' 'trace generate' 'trace stats'
check "$pages/galerna-verify.1.scd.in" verify
check "$pages/galerna-setup.1.scd" setup
check "$pages/galerna-lease.1.scd" 'lease request' 'lease list' 'lease show' 'lease why' \
    'lease cancel' 'lease history'
check "$pages/galerna-host.1.scd" 'host list' 'host timeline'
check "$pages/galerna-queue.1.scd" queue
check "$pages/galerna-status.1.scd" status
if [ -f "$pages/galerna-policy.1.scd" ]; then
    check "$pages/galerna-policy.1.scd" 'policy list' 'policy show' 'policy check'
fi

same galernad.8.scd "$("$galernad" --help | grep -E '^ +(-[a-z], )?--' | options)" \
    "$(defined "$pages/galernad.8.scd")"

# Every command has a page that names it.
while read -r noun verb; do
    grep -qE "^\*galerna $noun${verb:+ $verb}\*" "$pages/galerna-$noun".1.scd* || {
        echo "galerna-$noun.1: galerna $noun $verb is not in the synopsis"
        status=1
    }
done < <("$galerna" --help | awk '/^  [a-z]/ {
    print $1, (substr($0, 14, 1) ~ /[a-z]/ ? $2 : "")}')

if [ -n "$configuration" ]; then
    same galerna.conf.5 \
        "$("$galerna" replay --list-options | grep -oE '^[a-z-]+:' | tr -d : | sort -u)" \
        "$(sed -n '/^# OPTIONS/,/^# POLICY/p' "$configuration" | grep -oE '^\*[a-z-]+\*' |
            tr -d '*' | sort -u)"
fi
exit $status
