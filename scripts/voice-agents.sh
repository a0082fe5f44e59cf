#!/usr/bin/env bash
# Installs the agents of LiveKit and Pipecat that tests of voice agents use, once per version, from PyPI. Without Python 3.10 or newer they are skipped, loudly.
set -euo pipefail
version=1.8.9
folder="$HOME/.cache/figurehead-tests/voice-agents-$version"

[ -x "$folder/bin/python" ] && exit 0
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "voice agents were not installed: Python 3.10 or newer is needed" >&2
  exit 0
fi
trap 'rm -rf "$folder"' ERR
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet "livekit-agents==$version" livekit-plugins-{anam,bey,did,lemonslice,protoface,runway,simli,tavus}"==$version" \
  pipecat-ai==1.14.0 aiortc==1.16.0
