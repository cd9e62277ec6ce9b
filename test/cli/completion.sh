#!/usr/bin/env bash
# What the shell offers after galerna and galernad.
#
#   completion.sh GALERNA GALERNAD FOLDER-OF-COMPLETIONS
set -euo pipefail

# Works while completing only, and not here.
# shellcheck disable=SC2317 # the completions call it
compopt() { :; }
PATH=$(dirname "$1"):$(dirname "$2"):$PATH
status=0

# offers WORDS... -- OFFERED...: with the last of WORDS being typed, each of OFFERED is offered.
offers() {
    local word
    COMP_WORDS=()
    while [ "$1" != -- ]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "_${COMP_WORDS[0]}" 2>/dev/null
    for word in "$@"; do
        if ! printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$word"; then
            echo "${COMP_WORDS[*]}: '$word' is not offered, but: ${COMPREPLY[*]}"
            status=1
        fi
    done
}

# shellcheck source=/dev/null
. "$3/galerna"
# shellcheck source=/dev/null
. "$3/galernad"
cd "$3"

offers galerna '' -- replay lease host queue status setup sandbox experiment
offers galerna lease '' -- request list show why cancel history
offers galerna replay --s -- --set --site
offers galerna replay --set scheduling.back -- scheduling.backfilling=
offers galerna replay --compatibility '' -- default haizea-1.0
offers galerna replay ga -- galerna galernad
offers galernad '' -- -c --simulate --state-dir --foreground --check-configuration
offers galernad --st -- --state-dir
offers galernad -c galernad -- galernad
exit $status
