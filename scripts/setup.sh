#!/usr/bin/env bash
# Sourced by ./first-run and ./check: makes sure that a C compiler and a Vulkan driver are there, for the tests of the
# window a screen that is only in memory, and for those of clusters the engines that they have.
#
# Where one is missing it is installed when that is possible without asking (root, or sudo without a password, on a
# system with apt-get); otherwise the script says exactly what to install and stops.

# Not through a pipe: where a failing part of one counts, grep -q would make ldconfig fail by not listening to its end.
has_library() {
    local all
    all=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)
    [[ $all == *"$1"* ]]
}

has_vulkan() {
    # A driver announces itself by a manifest, the loader is a shared library.
    if [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}${VK_ADD_DRIVER_FILES:-}" ]; then return 0; fi
    has_library libvulkan.so.1 || return 1
    local folder
    for folder in /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/etc/vulkan/icd.d \
        "${XDG_DATA_HOME:-$HOME/.local/share}/vulkan/icd.d"; do
        if compgen -G "$folder/*.json" >/dev/null; then return 0; fi
    done
    return 1
}

# install_package WHAT DEBIAN-PACKAGES FEDORA-PACKAGES ARCH-PACKAGES
install_package() {
    local what=$1 package=$2 as=() packages
    read -ra packages <<<"$package"
    echo "setup: $what is missing"
    if [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then as=(sudo -n); else as=(false); fi
    fi
    if command -v apt-get >/dev/null && [ "${as[0]:-}" != false ]; then
        echo "setup: installing the package $package"
        if "${as[@]}" apt-get update -qq &&
            "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; then
            return 0
        fi
        echo "setup: the package could not be installed" >&2
    fi
    cat >&2 <<EOF
setup: please install $what and run this command again:
    Debian, Ubuntu:  sudo apt-get install $package
    Fedora:          sudo dnf install $3
    Arch:            sudo pacman -S $4
EOF
    return 1
}

setup() {
    if ! command -v cargo >/dev/null; then
        echo "setup: please install Rust 1.95 or newer (with rustup) and run this command again" >&2
        return 1
    fi
    if ! command -v cc >/dev/null; then
        install_package "a C compiler" build-essential gcc gcc || return 1
    fi
    if [ "$(uname -s)" = Linux ] && ! has_vulkan; then
        install_package "a Vulkan driver (the software one will do)" mesa-vulkan-drivers mesa-vulkan-drivers vulkan-swrast || return 1
    fi
}

# What the tests of the window need besides: an X server in memory, a user, and the libraries that a window takes.
setup_window_tests() {
    if [ "$(uname -s)" != Linux ]; then return 0; fi
    if ! command -v Xvfb >/dev/null || ! command -v xdotool >/dev/null || ! has_library 'libX11-xcb.so.1' ||
        ! has_library 'libXcursor.so.1' || ! has_library 'libXi.so.6' || ! has_library 'libxkbcommon-x11.so.0'; then
        install_package "a virtual screen to test the window on" \
            "xvfb xdotool libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0" \
            "xorg-x11-server-Xvfb xdotool libX11-xcb libXcursor libXi libXrandr libxkbcommon-x11" \
            "xorg-server-xvfb xdotool libx11 libxcursor libxi libxrandr libxkbcommon-x11" || return 1
    fi
}

# What the tests of clusters need besides: a Slurm, and a Python that can install HyperQueue. They are skipped where these are missing.
setup_engine_tests() {
    if [ "$(uname -s)" != Linux ]; then return 0; fi
    local PATH=$PATH:/usr/sbin:/sbin program missing=
    for program in slurmctld slurmd sbatch munged ip unshare; do
        command -v "$program" >/dev/null || missing=$program
    done
    if [ -n "$missing" ]; then
        install_package "a Slurm to test clusters on" "slurm-wlm munge iproute2 util-linux" \
            "slurm slurm-slurmctld slurm-slurmd munge iproute util-linux" "slurm-llnl munge iproute2 util-linux" ||
            echo "setup: without it the test on Slurm is skipped" >&2
    fi
    if ! python3 -c 'import ensurepip, tomllib, venv' 2>/dev/null; then
        install_package "a Python that makes environments" "python3 python3-venv" python3 python ||
            echo "setup: without it the test on HyperQueue is skipped" >&2
    fi
}
