#!/usr/bin/env bash
# Builds the LiveKit server that tests of rooms use, once per version, from the Go module proxy. Without Go they are skipped, loudly.
# 1.13.5 is the newest version that builds as a module: later ones replace modules by forks that the proxy does not have.
set -euo pipefail
version=1.13.5
program="$HOME/.cache/figurehead-tests/livekit-server-$version"

[ -x "$program" ] && exit 0
if ! command -v go >/dev/null; then
  echo "livekit-server was not built: Go 1.21 or newer is needed" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$(dirname "$program")"
# Its modules and objects take 1 GB, and the server 50 MB: only that is kept. Go fetches the toolchain that the server names.
GOTOOLCHAIN=auto GOPATH="$work/modules" GOCACHE="$work/cache" GOBIN="$work/bin" CGO_ENABLED=0 GOFLAGS='-mod=mod -modcacherw' \
  nice go install -trimpath -ldflags='-s -w' "github.com/livekit/livekit-server/cmd/server@v$version"
mv "$work/bin/server" "$program"
