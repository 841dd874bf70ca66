#!/usr/bin/env bash
# The first two examples of the README on a machine that has Python 3.14 and nothing else: no
# compiler, no LevelDB. The machine is a folder that packages of Debian are unpacked into; this
# machine's own apt is left alone. Needs root, apt, and a mirror of Debian in apt's sources.
#
#     sudo .ci/clean_machine.sh [FOLDER] [COMMAND within it, such as bash]
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=$(realpath -m "${1:-clean-machine}")
root=$place/root
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -m 1 '/debian/*$')

if [ ! -x "$root/usr/bin/python3.14" ]; then
    mkdir -p "$place"/apt/{lists/partial,cache/archives/partial,parts} "$root/src"
    : >"$place/apt/status"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] $mirror sid main" >"$place/apt/sources.list"
    cat >"$place/apt/apt.conf" <<CONF
Dir::State "$place/apt";
Dir::State::Lists "$place/apt/lists";
Dir::State::status "$place/apt/status";
Dir::Cache "$place/apt/cache";
Dir::Etc::SourceList "$place/apt/sources.list";
Dir::Etc::SourceParts "$place/apt/parts";
Dir::Etc::PreferencesParts "$place/apt/parts";
APT::Install-Recommends "0";
CONF
    export APT_CONFIG=$place/apt/apt.conf
    apt-get -qq update
    # libstdc++: numpy and re2 are C++, and Python alone does not bring it.
    apt-get -qq install --yes --download-only base-files bash coreutils grep mount hostname \
        ca-certificates libstdc++6 tzdata python3.14 python3.14-venv
    dpkg-deb -x "$place"/apt/cache/archives/base-files_*.deb "$root" # its links come first
    for package in "$place"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
    cp /etc/resolv.conf "$root/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    echo clean >"$root/etc/hostname"
fi
git -C "$checkout" archive HEAD | tar x -C "$root/src"

# /proc and /dev are there for this command only.
export root
exec unshare --mount --pid --fork bash -euc '
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec env -i PATH=/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 \
        SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt chroot "$root" bash -euc "$0"
' "${2:-"
    cd /src
    python3.14 -m venv /venv
    /venv/bin/pip install --quiet /src
    /venv/bin/python -W error .ci/readme_examples.py
    /venv/bin/graphmem doctor"}"
