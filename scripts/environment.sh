# Sourced by ./scripts/demo and ./scripts/test: makes .venv on first use, brings it up to date when pyproject.toml,
# setup.py or a kernel changes, and puts it on the PATH. $1 names the extra to install. HEMLP_PYTHON names another
# Python, whose environment is .venv-3.13 or the like.
set -eu
# without bytecode on disk every process would compile all that it imports
unset PYTHONDONTWRITEBYTECODE
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

# What hemlp needs with an extra, one requirement a line; "building" is what compiles it.
requirements() {
    $venv/bin/python - "$1" <<'EOF'
import re, sys, tomllib
with open("pyproject.toml", "rb") as file:
    settings = tomllib.load(file)
extras = settings["project"]["optional-dependencies"]
def required(extra):
    for each in extras[extra]:
        own = re.fullmatch(r"hemlp\[(.*)\]", each)
        yield from (more for name in own[1].split(",") for more in required(name)) if own else [each]
building = settings["build-system"]["requires"]
print(*(building if sys.argv[1] == "building" else settings["project"]["dependencies"] + [*required(sys.argv[1])]), sep="\n")
EOF
}

# .venv/installed holds checksums of how the package is built and of its kernels, and the extra; dev has all that others
# need
how="$(cat pyproject.toml setup.py scripts/environment.sh | cksum)"
kernels="$(cat hemlp/kernels/*.p* hemlp/kernels/*/*.p* | cksum)"
wanted="$how $kernels $extra"
held="$(cat $venv/installed 2>/dev/null || true)"
case "$held" in
"$wanted" | "$how $kernels dev") ;;
"$how "*" $extra" | "$how "*" dev")
    echo "Compiling what has changed ..." >&2
    $venv/bin/python setup.py --quiet build_ext --inplace >&2
    printf '%s' "$how $kernels ${held##* }" > $venv/installed
    ;;
*)
    echo "Installing hemlp[$extra] into $venv (a minute or two, once) ..." >&2
    [ -x $venv/bin/python ] || "$(find_python)" -m venv "$venv"
    # what is imported is compiled to bytecode then: most of it never is
    pip="$venv/bin/python -m pip --quiet --disable-pip-version-check install --no-compile"
    requirements building > $venv/building
    requirements "$extra" > $venv/needed
    $pip -r $venv/building >&2
    $pip -r $venv/needed >&2 & # while hemlp is compiled
    needed=$!
    $pip --no-build-isolation --no-deps --editable . >&2 || { kill $needed; exit 1; }
    wait $needed
    printf '%s' "$wanted" > $venv/installed
    ;;
esac
PATH="$PWD/$venv/bin:$PATH"
export PATH
