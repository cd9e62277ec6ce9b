#!/usr/bin/env bash
# galerna report: what is in its pages; and, where chromium is installed, what they show.
#
#   page.sh GALERNA
set -euo pipefail

galerna=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "page.sh: $*" >&2
    exit 1
}

# The value that a Python expression about the data of a page has.
data() {
    python3 - "$1" "$2" <<'EOF'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
assert len(found) == 1, len(found)
d = json.loads(found[0])
runs = d["runs"]
print(eval(sys.argv[2]))
EOF
}

# sql DATABASE STATEMENT...: prints what the first one gives.
sql() {
    python3 - "$@" <<'EOF'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for part in sys.argv[2].split(";"):
    for row in database.execute(part).fetchall()[:1]:
        print(*row)
database.commit()
EOF
}

# is VALUE PAGE EXPRESSION
is() {
    local value
    value=$(data "$2" "$3")
    [ "$value" = "$1" ] || fail "$2: $3 is $value, not $1"
}

# fails TEXT COMMAND...
fails() {
    local text=$1
    shift
    if "$@" >out 2>err; then
        fail "did not fail: $*"
    fi
    grep -q "$text" err || fail "$*: $(cat err)"
}

trace() {
    "$galerna" trace generate --site 4,cpu=100,memory=1024 "$@"
}

# The figures and curves of the page are those of the database.
compared() {
    trace --stream poisson,jobs=40,vms=1:3,time=3000 --stream reservations,rho=0.3,vms=2,delta=1000,span=20000 -o first.lwf
    "$galerna" replay first.lwf --results a.db -q
    "$galerna" replay first.lwf --results b.db -q --set scheduling.backfilling=off
    "$galerna" report --title 'Two runs' -o two.html a.db b.db
    is "Two runs" two.html 'd["title"]'
    is "(2, 0)" two.html 'len(runs), d["left_out"]'
    for column in waiting_mean bounded_slowdown_p95 utilization queue_mean; do
        is "$(sql b.db "SELECT round($column, 6) FROM run")" two.html "float(round(runs[1]['figures']['$column'], 6))"
    done
    is "$(sql a.db 'SELECT waiting_p95, waiting_max FROM run')" two.html \
        '"%.1f %.1f" % (runs[0]["waiting"][95], runs[0]["waiting"][100])'
    is "True" two.html 'abs(sum(runs[0]["utilization"]) / 500 - runs[0]["figures"]["utilization"]) < 0.002'
    is "True" two.html 'abs(sum(runs[0]["queue"]) / 500 - runs[0]["figures"]["queue_mean"]) < 0.01'
    is "$(sql a.db "SELECT count(*) FROM reservations WHERE kind IN ('VM', 'SUSPEND', 'RESUME',
        'SHUTDOWN') AND end_time > start_time")" two.html 'len(runs[0]["bars"])'
    is "[1, 2, 3, 4]" two.html '[host[0] for host in runs[0]["hosts"]]'
    grep -Eq '(src|href)=' two.html && fail "the page refers to something outside"
    "$galerna" report a.db | cmp - <("$galerna" report a.db)
}

# A sweep has a row for each cell, and the hosts of cells whose tables it keeps.
swept() {
    cat >grid.ini <<'EOF'
[sweep]
traces: first.lwf
results: grid.db
keep: hosts leases reservations counters

[options]
scheduling.backfilling: off aggressive
EOF
    "$galerna" sweep grid.ini >/dev/null 2>&1
    "$galerna" report -o grid.html grid.db
    is 2 grid.html 'len(runs)'
    for cell in 1 2; do
        is "$(sql grid.db "SELECT count(*) FROM leases WHERE cell = $cell AND EXISTS
            (SELECT * FROM reservations r WHERE r.cell = $cell AND lease = leases.id)")" grid.html \
            "len(runs[$cell - 1]['leases'])"
    done
    is "$(sql grid.db 'SELECT round(waiting_mean, 6) FROM cells WHERE cell = 2')" grid.html \
        'round(runs[1]["figures"]["waiting_mean"], 6)'
}

# As in the guide for researchers: a sweep of which only leases are kept has no hosts to show.
kept_leases() {
    sed -e 's/^keep:.*/keep: leases/; s/grid.db/leases.db/' grid.ini >leases.ini
    "$galerna" sweep leases.ini >/dev/null 2>&1
    "$galerna" report -o leases.html leases.db
    is "[False, False]" leases.html '["bars" in run for run in runs]'
    is "True" leases.html 'len(runs[0]["waiting"]) == 101'
}

# Names that users chose are text, wherever they stand.
was_hostile() {
    cp a.db evil.db
    sql evil.db "UPDATE run SET name = '</script><script>broken = 1</script><img src=x onerror=broken()>';
        UPDATE leases SET reason = '<!--<script>', kind = '\"><b>' WHERE id = 1"
    "$galerna" report --title '<script>broken = 1</script>' -o evil.html evil.db
    is '</script><script>broken = 1</script><img src=x onerror=broken()>' evil.html 'runs[0]["name"]'
    [ "$(grep -c '</script>' evil.html)" = "$(grep -c '</script>' two.html)" ] ||
        fail "a name ends the data"
}

# What holds most is kept when there is more than the page has room for.
was_bounded() {
    cp a.db large.db
    sql large.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600000)
        INSERT INTO reservations SELECT 100000 + i, 1, 'VM', 'Done', i, i + 1 + (i > 400000), NULL, '1:1' FROM n;
        INSERT INTO reservation_hosts SELECT id, 1 + id % 4, 100, 1, 0, 0, 0, NULL FROM reservations WHERE id > 100000"
    "$galerna" report -o large.html large.db
    [ "$(stat -c %s large.html)" -lt 16777216 ] || fail "the page is too large"
    is "True" large.html 'runs[0]["bars_left_out"] > 0 and sum(b[3] - b[2] == 2 for b in runs[0]["bars"]) >= 200000'
    is "$(sql large.db "SELECT count(*) FROM reservations WHERE kind IN ('VM', 'SUSPEND', 'RESUME',
        'SHUTDOWN') AND end_time > start_time")" large.html 'len(runs[0]["bars"]) + runs[0]["bars_left_out"]'
}

was_refused() {
    : >empty.db
    fails "contains no results" "$galerna" report empty.db
    fails "unable to open" "$galerna" report none.db
    echo '{"schema": "galerna-record/2", "text": "no database, but a record"}' >record.json
    fails "'--record' writes a JSON document for 'galerna verify'" "$galerna" report -o bad.html record.json
    cp a.db other.db
    sql other.db 'PRAGMA user_version = 1'
    fails "another version" "$galerna" report -o bad.html other.db
    head -c 20000 a.db >cut.db
    fails "cut.db" "$galerna" report -o bad.html cut.db
    [ ! -e bad.html ] || fail "a page of nothing"
    fails "missing" "$galerna" report
}

# A database of somebody else contains no programs that are executed, and reading it ends.
was_endless() {
    local name
    python3 "$here/endless.py" a.db grid.db
    for name in run leases reservations reservation_hosts counters virtual cells; do
        fails 'must be a table, but its type is "v' timeout 60 "$galerna" report -o bad.html "endless-$name.db"
    done
    fails 'takes much longer to read' timeout 100 "$galerna" report -o bad.html endless-tree.db
    [ ! -e bad.html ] || fail "a page of an endless view"
    sed 's/grid.db/endless-cells.db/' grid.ini >endless.ini
    fails '"cells" must be a table' timeout 60 "$galerna" sweep -q endless.ini
    sed 's/grid.db/endless-trigger.db/; s/off aggressive/aggressive off/' grid.ini >endless.ini
    timeout 60 "$galerna" sweep -q endless.ini
    is 2 <("$galerna" report endless-trigger.db) 'len(runs)'
    sed 's/grid.db/endless-grid-tree.db/; s/off aggressive/aggressive off/' grid.ini >endless.ini
    fails 'takes much longer to read' timeout 100 "$galerna" sweep -q endless.ini
}

compared
swept
kept_leases
was_hostile
was_bounded
was_refused
was_endless
if command -v chromium >/dev/null; then
    python3 "$here/page.py" "$work/two.html" "$work/evil.html" "$work/large.html" "$work/leases.html" "$work"
fi
