# Sourced by ./scripts/demo and ./scripts/test: makes .venv on first use, brings it up to date when pyproject.toml,
# setup.py or a kernel changes, and puts it on the PATH. $1 names the extra to install. HEMLP_PYTHON names another
# Python, whose environment is .venv-3.13 or the like.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extra=$1
venv=.venv
if [ -n "${HEMLP_PYTHON-}" ]; then
    venv=".venv-$("$HEMLP_PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
fi

find_python() {
    for candidate in ${HEMLP_PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    echo "hemlp needs Python 3.11 or newer with the venv module (Debian: apt-get install python3-venv)" >&2
    exit 1
}

# .venv/installed holds checksums of how the package is built and of its kernels, and the extra; dev has all that others
# need, and what compiles kernels
how="$(cat pyproject.toml setup.py | cksum)"
kernels="$(cat hemlp/kernels/*.p* hemlp/kernels/*/*.p* | cksum)"
wanted="$how $kernels $extra"
case "$(cat $venv/installed 2>/dev/null)" in
"$wanted" | "$how $kernels dev") ;;
"$how "*" dev")
    echo "Compiling what has changed ..." >&2
    $venv/bin/python setup.py --quiet build_ext --inplace >&2
    printf '%s' "$how $kernels dev" > $venv/installed
    ;;
*)
    [ -x $venv/bin/python ] || "$(find_python)" -m venv "$venv"
    echo "Installing hemlp[$extra] into $venv (a minute or two, once) ..." >&2
    $venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$extra]" >&2
    $venv/bin/python -m compileall -q hemlp # as pip does with what it copies, so that the first run is no slower
    printf '%s' "$wanted" > $venv/installed
    ;;
esac
PATH="$PWD/$venv/bin:$PATH"
export PATH
