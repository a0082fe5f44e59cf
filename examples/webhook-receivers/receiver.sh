#!/usr/bin/env bash
# A webhook receiver in shell: one HTTP request on stdin, one answer on stdout. Needs bash, openssl and coreutils.
#
#   WEBHOOK_SECRET=… socat TCP-LISTEN:9000,bind=127.0.0.1,reuseaddr,fork EXEC:./receiver.sh
#
# (or inetd, or a systemd socket with Accept=yes). Every genuine delivery is written to a file of its own in WEBHOOK_INBOX
# (./inbox), for another program to work on; a delivery that comes twice keeps one file.
# Environment: WEBHOOK_SECRET (required), WEBHOOK_INBOX, WEBHOOK_TOLERANCE_MS (300000).
set -euo pipefail
export LC_ALL=C # bytes, not characters

readonly max_bytes=5000000
: "${WEBHOOK_SECRET:?WEBHOOK_SECRET is not set: take the string that you sent to PUT /webhook/secret.}"
inbox=${WEBHOOK_INBOX:-./inbox}
tolerance_ms=${WEBHOOK_TOLERANCE_MS:-300000}
umask 077
mkdir -p "$inbox"
body=$(mktemp "$inbox/.incoming.XXXXXX")
trap 'rm -f "$body"' EXIT

answer() { # status, text
  printf 'HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n' "$1" $((${#2} + 1)) "$2"
  exit 0
}

hex() { od -An -v -tx1 | tr -d ' \n'; }

digest() { openssl dgst -sha256 -r "$@" | cut -d' ' -f1; }

# HMAC-SHA256 over "<timestamp>.<raw body>". openssl takes its key as an argument, which other users of this machine can
# see for an instant (ps): run the receiver on a machine of its own, or take receiver.py.
sign() { # timestamp, body file
  { printf '%s.' "$1"; cat "$2"; } | digest -mac HMAC -macopt "hexkey:$(printf '%s' "$WEBHOOK_SECRET" | hex)"
}

IFS=$' \r' read -r method _ || exit 0
timestamp='' signature='' length=''
while IFS= read -r line && line=${line%$'\r'} && [ -n "$line" ]; do
  name=${line%%:*} value=${line#*:}
  value=${value#"${value%%[! ]*}"}
  case ${name,,} in # header names have no case
    service-timestamp) timestamp=$value ;;
    service-signature) signature=$value ;;
    content-length) length=$value ;;
  esac
done

[ "$method" = POST ] || answer '405 Method Not Allowed' 'POST only'
[[ $length =~ ^[0-9]{1,9}$ ]] || answer '411 Length Required' 'Content-Length expected'
[ "$((10#$length))" -le "$max_bytes" ] || answer '413 Content Too Large' 'too large'
head -c "$((10#$length))" >"$body" # `read` above takes no byte too many, and head keeps NUL bytes

[ -n "$timestamp" ] && [ -n "$signature" ] || answer '401 Unauthorized' missing_header
[[ $timestamp =~ ^[0-9]{1,15}$ ]] || answer '401 Unauthorized' bad_timestamp
age_ms=$(($(date +%s%3N) - 10#$timestamp))
[ "${age_ms#-}" -le "$tolerance_ms" ] || answer '401 Unauthorized' stale_timestamp

expected=$(sign "$timestamp" "$body")
[ ${#signature} -eq ${#expected} ] || answer '401 Unauthorized' bad_signature
# Digests of the two are compared, so the time a comparison takes says nothing of the expected value.
[ "$(printf '%s' "$signature" | digest)" = "$(printf '%s' "$expected" | digest)" ] || answer '401 Unauthorized' bad_signature

# The name is the signature: Delivery-ID is not covered by it and could be altered.
mv "$body" "$inbox/$signature.json"
answer '200 OK' ok
