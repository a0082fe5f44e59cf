#!/bin/sh
# Renders one presenter's pack with headless Blender: presenters/studio/build.sh NAME --assets FOLDER [options of pack.py]
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

usage() {
  echo "usage: $0 NAME --assets FOLDER [--out FOLDER] [--look] [options of pack.py]" >&2
  echo "  NAME      a presenter of presenters.json, several with commas, or all" >&2
  echo "  --assets  folder of the MakeHuman assets (README.md, \"Assets\")" >&2
  echo "  --out     where the pack goes; default: ../packs beside this script" >&2
  echo "  --look    only a small preview picture, in a minute" >&2
  exit 2
}

[ $# -ge 3 ] || usage
name=$1
shift
assets= out=$here/../packs look=
while [ $# -gt 0 ]; do
  case $1 in
    --assets) [ $# -ge 2 ] || usage; assets=$2; shift 2 ;;
    --out) [ $# -ge 2 ] || usage; out=$2; shift 2 ;;
    --look) look='--base-only --scale 0.45 --samples 4'; shift ;;
    *) break ;;
  esac
done
[ -d "$assets/core/makehuman/data" ] || { echo "$0: no MakeHuman assets in '$assets' (expected core/makehuman/data)" >&2; exit 2; }
command -v blender > /dev/null || { echo "$0: Blender is missing (apt install blender python3-numpy python3-scipy python3-pil)" >&2; exit 2; }
# shellcheck disable=SC2086 -- $look is a list of words
exec nice blender -b -noaudio --python-exit-code 1 -P "$here/pack.py" -- --assets "$assets" --out "$out" --who "$name" $look "$@"
