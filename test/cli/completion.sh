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

# offers WORDS... '=>' OFFERED...: with the last of WORDS being typed, each of OFFERED is offered.
offers() {
    local word
    COMP_WORDS=()
    while [ "$1" != "=>" ]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _galerna 2>/dev/null
    for word in "$@"; do
        if ! printf '%s\n' "${COMPREPLY[@]}" | grep -xF -- "$word" >/dev/null; then
            echo "${COMP_WORDS[*]}: '$word' is not offered, but: ${COMPREPLY[*]}"
            status=1
        fi
    done
}

# shellcheck source=/dev/null
. "$3/galerna"
cd "$3"

offers galerna '' '=>' replay lease host queue status setup sandbox experiment help
offers galerna lease '' '=>' request list show why cancel history
offers galerna replay --s '=>' --set --site
offers galerna replay --set scheduling.back '=>' scheduling.backfilling=
offers galerna replay --compatibility '' '=>' default haizea-1.0
offers galerna replay --compatibility = h '=>' haizea-1.0
offers galerna replay ga '=>' galerna
offers galerna lease request --terms s '=>' suspendable
offers galerna sandbox s '=>' show submit
offers galerna trace generate -s '' '=>' typeless, poisson,
offers galerna experiment run '' '=>' all pacp
offers galerna help lease c '=>' cancel
offers galernad -- '=>' --simulate --state-dir --foreground --check-configuration
offers galernad --st '=>' --state-dir
offers galernad -c ga '=>' galerna
# Every option that --help lists is offered, and every command.
while read -r noun verb; do
    # shellcheck disable=SC2086,SC2046 # words
    offers galerna $noun $verb -- '=>' $(galerna $noun $verb --help |
        grep -oE '^  (-[a-z],|   ) --[a-z-]+' | grep -oE -- '--[a-z-]+')
    offers galerna "${noun:0:2}" '=>' "$noun"
done < <(galerna --help | sed -n 's/^  \([a-z]*\) *\([a-z]*\)  *[A-Z].*/\1 \2/p')
exit $status
