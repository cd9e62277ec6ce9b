# shellcheck shell=bash
# setup.sh: what ./demo, ./check and .ci/run have in common. Sourced by them from the top of the tree.

# shellcheck disable=SC2034 # used by those who source this file
build_packages=(gcc libc6-dev cmake ninja-build pkgconf libxml2-dev libsqlite3-dev libinih-dev
    libjansson-dev libcurl4-openssl-dev libxmlrpc-core-c3-dev libmicrohttpd-dev nettle-dev libsystemd-dev libseccomp-dev
    scdoc)
# shellcheck disable=SC2034
test_packages=(g++ libcmocka-dev make mold openssl python3)

# The undefined-behaviour sanitizer traps, and the address sanitizer says where. Freed memory is kept from
# reuse for a shorter while than by default: short processes would spend their time on new pages. Each
# allocation is stored with 5 callers instead of 30.
export ASAN_OPTIONS=handle_sigill=1:quarantine_size_mb=8:malloc_context_size=5${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# shellcheck disable=SC2034
test_jobs=$(($(nproc) + 18)) # tests at once: most of them wait while others compute (test/CMakeLists.txt)

say() {
    printf '== %s\n' "$*"
}

stop() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Runs a command silently; shows its last lines only when it fails.
#   quietly LOG COMMAND...
quietly() {
    local log=$1
    shift
    mkdir -p "${log%/*}"
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        stop "failed: $* (everything it said is in $log)"
    fi
}

# Installs those of the Debian packages that are missing; says nothing when there are none.
need_packages() {
    local missing=() package as_root=()

    if ! command -v dpkg-query >/dev/null; then
        return # not Debian: CMake will tell what it does not find
    fi
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            stop "these packages are missing; as root: apt-get install ${missing[*]}"
        as_root=(sudo env)
    else
        as_root=(env)
    fi
    say "Installing ${missing[*]}"
    quietly build/log/apt-update "${as_root[@]}" apt-get update
    quietly build/log/apt-install "${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}

# Runs a command whose lines begin with "[done/total]" (ninja) or "done/total Test" (ctest) and shows
# how far it is: one line that moves on a terminal, else a line for each tenth. Everything the command
# says goes to LOG; failed tests are shown at once.
#   with_progress LABEL LOG COMMAND...
with_progress() {
    local label=$1 log=$2 terminal=0
    shift 2
    mkdir -p "${log%/*}"
    [ -t 1 ] && terminal=1
    "$@" 2>&1 | tee "$log" | awk -v label="$label" -v terminal="$terminal" '
        function show(done, total) {
            if (terminal)
                printf "\r== %s: %d of %d  ", label, done, total
            else if (int(done * 10 / total) > tenth && total >= 20) {
                tenth = int(done * 10 / total)
                printf "   %s: %d of %d\n", label, done, total
            }
            fflush()
        }
        match($0, /^ *\[[0-9]+\/[0-9]+\]/) {
            split(substr($0, RSTART, RLENGTH), part, /[^0-9]+/)
            show(part[2], part[3])
        }
        match($0, /^ *[0-9]+\/[0-9]+ Test /) {
            split(substr($0, RSTART, RLENGTH), part, /[^0-9]+/)
            show(part[part[1] == "" ? 2 : 1], part[part[1] == "" ? 3 : 2])
            if (/\*\*\*(Failed|Timeout|Exception|Not Run)/)
                print (terminal ? "\n" : "") $0
        }
        END { if (terminal) print "" }'
    return "${PIPESTATUS[0]}"
}

# Configures and builds a preset in build/PRESET, or only some of its targets. Says nothing when all
# is up to date.
#   build_preset PRESET [TARGET...]
build_preset() {
    local preset=$1 log=build/log/$1-build
    shift

    if [ ! -f "build/$preset/build.ninja" ]; then
        say "Configuring build/$preset"
        quietly "build/log/$preset-configure" cmake --preset "$preset"
    fi
    with_progress "Building build/$preset" "$log" \
        cmake --build --preset "$preset" ${@:+--target "$@"} || {
        grep -vE '^ *\[[0-9]+/[0-9]+\]' "$log" | tail -n 60 >&2
        stop "build/$preset does not build ($log has everything that was said)"
    }
}
