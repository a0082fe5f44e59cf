#!/usr/bin/env python3
"""A webhook receiver in Python (3.8 or later, standard library only): answers at once, works afterwards.

    WEBHOOK_SECRET=... PORT=9000 python3 receiver.py

Environment: WEBHOOK_SECRET (required), PORT (9000; 0 takes a free one), HOST (127.0.0.1), WEBHOOK_TOLERANCE_MS (300000).
"""

import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BYTES = 5_000_000


def verify(raw_body, timestamp, signature, secret, tolerance_ms=300_000, now_ms=None):
    """Returns None when the delivery is genuine, else the reason it is not.

    `raw_body` is the bytes as they came: a parsed object turned back into text is not the same.
    """
    if not timestamp or not signature:
        return "missing_header"
    if not (timestamp.isascii() and timestamp.isdigit()):
        return "bad_timestamp"
    now_ms = time.time() * 1000 if now_ms is None else now_ms
    if abs(now_ms - int(timestamp)) > tolerance_ms:
        return "stale_timestamp"
    message = timestamp.encode("ascii") + b"." + raw_body
    expected = hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest().encode("ascii")
    received = signature.encode("utf-8", "surrogateescape")
    # The length is checked first; compare_digest takes the same time wherever the first difference is.
    if len(received) != len(expected) or not hmac.compare_digest(received, expected):
        return "bad_signature"
    return None


def work(deliveries):
    """Handles deliveries one after another, after they were answered. Replace the print with your work.

    Events can be lost: also compare with GET /videos?status=ready,error now and then.
    """
    while True:
        delivery_id, body = deliveries.get()
        try:
            event = json.loads(body)
            print(delivery_id, event["event"], event["video"]["_id"], event["error"] or "", flush=True)
        except (ValueError, KeyError, TypeError) as error:
            print(f"a genuine delivery that could not be read: {error!r}", file=sys.stderr, flush=True)


def handler_for(secret, tolerance_ms, deliveries):
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def answer(self, status, text):
            payload = (text + "\n").encode("utf-8")
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not length.isdigit():
                return self.answer(411, "Content-Length expected")
            if int(length) > MAX_BYTES:
                return self.answer(413, "too large")
            body = self.rfile.read(int(length))
            reason = verify(
                body,
                self.headers.get("Service-Timestamp"),
                self.headers.get("Service-Signature"),
                secret,
                tolerance_ms,
            )
            if reason:
                return self.answer(401, reason)
            # 2xx first: the service waits 10 seconds, tries once, and disables the subscription after ten failures.
            self.answer(200, "ok")
            deliveries.put((self.headers.get("Delivery-ID", ""), body))

        def log_message(self, *arguments):
            """No line per request: `work` prints what matters."""

    return Handler


def main():
    secret = os.environ.get("WEBHOOK_SECRET")
    if not secret:
        sys.exit("WEBHOOK_SECRET is not set: take the string that you sent to PUT /webhook/secret.")
    tolerance_ms = int(os.environ.get("WEBHOOK_TOLERANCE_MS", "300000"))
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "9000")))
    deliveries = queue.Queue()
    threading.Thread(target=work, args=(deliveries,), daemon=True).start()
    server = ThreadingHTTPServer(address, handler_for(secret, tolerance_ms, deliveries))
    print(f"Waiting for deliveries on http://{address[0]}:{server.server_address[1]}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
