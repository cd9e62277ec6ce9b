#!/bin/sh
# The table in doc/lease-states.md is the one that galernad works by; and the records of leases and
# VMs are changed by their owners only. Arguments: the program that prints the table, the sources.
set -eu

page=$2/doc/lease-states.md
if ! "$1" --table | cmp -s - /dev/fd/3 3<<END
$(sed -n '/^| phase |/,$p' "$page" | grep '^|')
END
then
    echo "$page: its table is not that of daemon/state/lease_table.c: replace it by what $1 --table prints"
    exit 1
fi

others=$(cd "$2"; grep -rl '"daemon/store/change.h"' --include='*.[ch]' . |
    grep -v -e '^./test/daemon/change_records.h$' -e '^./daemon/store/' \
            -e '^./daemon/state/lease_state.c$' -e '^./daemon/state/vm_state.c$' -e '^./build/' || true)
if [ -n "$others" ]; then
    echo "only lease_state.c and vm_state.c change records; daemon/store/change.h is included by: $others"
    exit 1
fi
