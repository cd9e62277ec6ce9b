#!/usr/bin/env bash
# Every command has --help and a page of the manual; both list every option and exit code. The same
# for options of configuration files.
#
#   manual.sh GALERNA GALERNAD FOLDER-OF-FILLED-PAGES (.scd) GALERNA-WEB
set -euo pipefail

galerna=$1
galernad=$2
pages=$3
web=$4
status=0

wrong() {
    echo "$1"
    status=1
}

# Words in the text of the first command, but not in that of the second.
missing() {
    comm -23 <(echo "$1" | sort -u) <(echo "$2" | sort -u) | tr '\n' ' '
}

same() {
    local what=$1 program=$2 page=$3 only

    only=$(missing "$program" "$page")
    [ -z "${only// /}" ] || wrong "$what: not in the manual: $only"
    only=$(missing "$page" "$program")
    [ -z "${only// /}" ] || wrong "$what: in the manual, but not there: $only"
}

options_of_help() {
    grep -oE '^  (-[a-z],|   ) --[a-z][a-z-]+' | grep -oE -- '--[a-z-]+'
}

options_of_page() {
    grep -E '^(\*-[a-z]\*, )?\*--' "$1" | grep -oE -- '--[a-z-]+'
}

codes_of_help() {
    sed -n '/^Exit status:/,$p' | grep -oE '^  [0-9]+'  | tr -d ' '
}

codes_of_page() {
    sed -n '/^# EXIT STATUS/,/^# [^E]/p' "$1" | grep -oE '^\*[0-9]+\*' | tr -d '*'
}

# page PROGRAM COMMAND...: one page describes these commands.
page() {
    local page=$1 program=$2 command options='' codes='' help
    shift 2

    [ -f "$page" ] || { wrong "$page: not there"; return; }
    for command in "$@"; do
        # shellcheck disable=SC2086 # noun and verb are two words
        help=$("$program" $command --help)
        [[ $help == "usage: ${program##*/}${command:+ $command}"* ]] || wrong "$command: no usage"
        options+=$(options_of_help <<<"$help")$'\n'
        codes+=$(codes_of_help <<<"$help")$'\n'
        grep -qF "*${program##*/}${command:+ $command}*" "$page" ||
            wrong "${page##*/}: $command is not in the synopsis"
    done
    same "${page##*/}, options" "$(sed '/^$/d' <<<"$options")" "$(options_of_page "$page")"
    same "${page##*/}, exit codes" "$(sed '/^$/d' <<<"$codes")" "$(codes_of_page "$page")"
}

declare -A commands
while read -r noun verb; do
    commands[$noun]+="$noun${verb:+ $verb};"
done < <("$galerna" --help | sed -n 's/^  \([a-z]*\) *\([a-z]*\)  *[A-Z].*/\1 \2/p')
[ "${#commands[@]}" -ge 10 ] || wrong "galerna --help lists ${#commands[@]} nouns"
for noun in "${!commands[@]}"; do
    IFS=';' read -ra verbs <<<"${commands[$noun]}"
    page "$pages/galerna-$noun.1.scd" "$galerna" "${verbs[@]}"
done
page "$pages/galernad.8.scd" "$galernad" ''
page "$pages/galerna-web.8.scd" "$web" ''

same galerna.conf.5 \
    "$("$galerna" replay --list-options | grep -oE '^[a-z-]+:' | tr -d :)" \
    "$(sed -n '/^# OPTIONS/,/^# POLICY/p' "$pages/galerna.conf.5.scd" | grep -oE '^\*[a-z-]+\*' |
        tr -d '*')"
# scdoc joins the lines of an indented example unless the first one ends with "++".
joined=$(awk '/^#/ { examples = /^# EXAMPLES/; previous = "" }
    examples && /^\t/ && previous ~ /^\t/ && previous !~ /\+\+$/ { print FILENAME ": " $0 }
    { previous = $0 }' "$pages"/*.scd)
[ -z "$joined" ] || wrong "printed on one line with the line before: $joined"
exit $status
