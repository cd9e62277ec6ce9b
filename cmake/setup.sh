# shellcheck shell=bash
# setup.sh: what ./demo, ./check and .ci/run have in common. Sourced by them from the top of the tree.

# shellcheck disable=SC2034 # used by those who source this file
build_packages=(gcc libc6-dev cmake ninja-build pkgconf libxml2-dev libsqlite3-dev libinih-dev
    libjansson-dev libcurl4-openssl-dev libxmlrpc-core-c3-dev libmicrohttpd-dev libsystemd-dev)

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

# Configures and builds a preset in build/PRESET; says nothing when all is up to date.
build_preset() {
    local preset=$1 notice

    if [ ! -f "build/$preset/build.ninja" ]; then
        say "Configuring build/$preset"
        quietly "build/log/$preset-configure" cmake --preset "$preset"
    fi
    (sleep 1.5 && say "Building build/$preset") &
    notice=$!
    quietly "build/log/$preset-build" cmake --build --preset "$preset"
    kill "$notice" 2>/dev/null || true
    wait "$notice" 2>/dev/null || true
}
