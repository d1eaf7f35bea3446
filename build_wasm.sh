#!/usr/bin/env bash
# Builds everything into dist/: the wheel, the npm package, the static site, and that as a wheel (dist/page).
#
#   ./build_wasm.sh          build
#   ./build_wasm.sh --serve  build, then serve the site and print its address
#   ./build_wasm.sh --docs   build the documentation, too
#   ./build_wasm.sh --test   build, then run every test
#
# Needs Python 3.11 or newer and Node 20.19 or newer. What is up to date is not built again.
set -euo pipefail
cd "$(dirname "$0")"

VOCABULARIES=(cl100k_base r50k_base p50k_base o200k_base) # the page loads the first by itself

fail() {
  echo "build_wasm.sh: $*" >&2
  exit 1
}

# The newest Python that really runs: a name on PATH may be a version manager's dead shim.
find_python() {
  local versions minor candidate
  versions="$(pyenv root 2>/dev/null || echo "$HOME/.pyenv")/versions"
  for minor in 14 13 12 11; do
    for candidate in "python3.$minor" "$versions/3.$minor."*/bin/python3 python3; do
      if "$candidate" -c "import ensurepip, sys; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null; then
        echo "$candidate"
        return
      fi
    done
  done
  fail "Python 3.11 or newer (with ensurepip, Debian's python3-venv) is needed and none was found."
}

# once TARGET SOURCE... -- COMMAND...: run the command if a source is newer than the target, then touch the target.
once() {
  local target=$1 sources=()
  shift
  while [ "$1" != -- ]; do
    sources+=("$1")
    shift
  done
  shift
  if [ ! -e "$target" ] || [ -n "$(find "${sources[@]}" -name __pycache__ -prune -o -newer "$target" -print -quit)" ]; then
    echo "== $*"
    "$@"
    mkdir -p "$(dirname "$target")"
    touch "$target"
  fi
}

install_python() {
  local python
  if [ ! -x .venv/bin/python ]; then
    python=$(find_python)
    "$python" -m venv .venv
  fi
  .venv/bin/pip install --quiet --disable-pip-version-check pip==26.3
  .venv/bin/pip install --quiet --no-build-isolation "$@"
}

install_node() {
  npm ci --prefix "$1" --no-audit --no-fund
}

# What it makes is committed, so that a clone can be installed where Node is not.
build_kernel() {
  npm run build --prefix kernel
}

build_wheel() {
  rm -f dist/*.whl
  .venv/bin/python -m build --wheel --no-isolation --outdir dist >/dev/null
}

build_runtime() {
  node tools/runtime.mjs dist/*.whl
  .venv/bin/python tools/lock.py dist/*.whl
}

build_npm() {
  npm run build --prefix web
  rm -f dist/*.tgz
  npm pack --silent --pack-destination dist ./web
}

build_demo() {
  npm run build --prefix demo
}

build_site() {
  .venv/bin/python tools/pack.py "${VOCABULARIES[@]}" | node tools/site.mjs dist/site
}

# The site as a wheel of its own, for `bpeek serve`: what a browser loads must not hold it.
build_page() {
  rm -rf dist/page
  ln -sfn ../../dist/site page/bpeek_page/site
  ln -sf ../LICENSE page/LICENSE
  .venv/bin/python -m build --wheel --no-isolation --outdir dist/page page >/dev/null
}

# In a folder of its own, because zensical takes the `.cache` beside its settings for its own.
build_docs() {
  local project=dist/docs.project
  rm -rf dist/docs "$project"
  mkdir "$project"
  cp -R docs "$project"
  mv "$project/docs/zensical.toml" "$project"
  (cd "$project" && ../../.venv/bin/zensical build --strict)
  mv "$project/site" dist/docs
  rm -r "$project"
}

docs() {
  once .venv/.docs pyproject.toml -- install_python --group docs
  once dist/.docs .venv/.docs docs src tools/doctests.py ./*.md web/README.md -- build_docs
}

build() {
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
    fail "Node 20.19 or newer is needed."
  once .venv/.build pyproject.toml -- install_python --group build
  once web/node_modules/.package-lock.json web/package-lock.json -- install_node web
  once demo/node_modules/.package-lock.json demo/package-lock.json -- install_node demo
  once kernel/node_modules/.package-lock.json kernel/package-lock.json -- install_node kernel
  once src/bpeek/kernel/kernel.wasm kernel/src kernel/package*.json -- build_kernel
  once dist/.wheel src pyproject.toml README.md LICENSE -- build_wheel
  once web/runtime/lock.json dist/.wheel tools/runtime.mjs tools/precompile.py tools/lock.py web/package-lock.json -- build_runtime
  once dist/.npm web/runtime web/src web/*.* -- build_npm
  once dist/.demo dist/.npm demo/src demo/sw demo/public demo/*.* -- build_demo
  once dist/.site dist/.demo tools/site.mjs tools/pack.py tools/vocabs.py LICENSE -- build_site
  once dist/.page dist/.site page/pyproject.toml page/README.md LICENSE page/bpeek_page/__init__.py -- build_page
}

run_tests() {
  docs
  once .venv/.test pyproject.toml -- install_python --group build --group lint --group test --group browser --editable .
  .venv/bin/python tools/browsers.py
  .venv/bin/python tools/vocabs.py >/dev/null
  .venv/bin/ruff check
  .venv/bin/ruff format --check
  .venv/bin/mypy
  npm run check --prefix web
  npm run check --prefix demo
  npm test --prefix web
  npm test --prefix demo
  # A file's vocabularies are loaded once. Where a test takes too long (see pyproject.toml) the run ends, and names it:
  # with another process in the place of that one, xdist may wait for ever.
  .venv/bin/pytest -n 2 --dist loadfile --max-worker-restart 0
}

case "${1-}" in
  -h | --help)
    sed -n '/^set/q; s/^#[^!] \{0,1\}//p; s/^#$//p' build_wasm.sh
    exit
    ;;
  "" | --serve | --docs | --test) build ;;
  *) fail "unknown option $1: use --serve, --docs or --test, or none to build" ;;
esac
case "${1-}" in
  --serve) exec .venv/bin/python tools/serve.py ;;
  --docs) docs ;;
  --test) run_tests ;;
esac
