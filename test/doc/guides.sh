#!/usr/bin/env bash
# What the guides for operators and users show can be done: each command of the first is run, each
# attribute of the second and of the page about Terraform is accepted, by galernad beside a sandbox, as is a VM
# of a template.
#
#   guides.sh GALERNAD GALERNA FOLDER-OF-SOURCES
set -euo pipefail

sources=$3
# shellcheck source-path=SCRIPTDIR/../daemon source=../daemon/running.bash
. "$(dirname "$0")/../daemon/running.bash"

start_oned --boot-time 0
start_galernad
until_true answers
PATH=$(dirname "$galerna"):$PATH
export GALERNA_SOCKET=$work/state/control.sock

does='the guide for operators'
# shellcheck disable=SC2016 # these are no expansions
sed -n '/^```console/,/^```$/s/^\$ //p' "$sources/doc/operators.md" >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 10 ] || fail "it has few commands"
while IFS= read -r command; do
    bash -c "$command" >"$work/out" 2>&1 </dev/null || fail "$command: exit code $?"
done <"$work/commands"

# is_accepted LEASE
is_accepted() {
    lease show "$1" --json >"$work/lease" 2>/dev/null &&
        said lease '"phase": "(waiting|reserved|starting|running)"' && said lease '"accepted": true'
}

does='the page for users, and the one about Terraform'
grep -oE 'GALERNA=\[[^]]*\]' "$sources/doc/users.md" | sort -u >"$work/attributes"
awk '/elements = {/ { text = "GALERNA=["; comma = ""; next }
    text && /}/ { print text "]"; text = "" }
    text { text = text comma $1 "=" $3; comma = ", " }' "$sources/doc/terraform.md" >"$work/terraform"
[ "$(wc -l <"$work/terraform")" -eq 2 ] || fail "the page about Terraform has not two attributes"
cat "$work/terraform" >>"$work/attributes"
[ "$(wc -l <"$work/attributes")" -ge 7 ] || fail "it has few attributes"
while IFS= read -r attribute; do
    oned submit --cpu 0.1 --memory 64 --attribute "$attribute" >"$work/vm"
    # The other member of a group.
    [[ $attribute != *GROUP_SIZE* ]] || oned submit --cpu 0.1 --memory 64 --attribute "$attribute" >"$work/out"
    until_true is_accepted "$(cat "$work/vm")"
done <"$work/attributes"

does='the template that users instantiate'
oned call one.template.allocate $'NAME="web"\nCPU="0.1"\nMEMORY="64"' >"$work/template"
raw=$(sed -n "s/^onetemplate instantiate web --raw '\(.*\)'\$/\1/p" "$sources/doc/users.md")
[ -n "$raw" ] || fail "the page for users has no onetemplate instantiate"
oned call one.template.instantiate "$(cat "$work/template")" '' false "$raw" >"$work/vm"
until_true is_accepted "$(cat "$work/vm")"
stop_galernad
