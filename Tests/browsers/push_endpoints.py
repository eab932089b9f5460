"""What the push services for Firefox and Chromium have in common: they take pushes at endpoints on 127.0.0.1 (RFC 8030), for each
subscription only those of the sender for whom a browser subscribed (RFC 8292)."""

import base64
import json
import re
import secrets
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from eventually import eventually

MOST_BYTES_OF_A_BODY = 4096
# How long a token may be valid at most (RFC 8292, section 2).
MOST_SECONDS_OF_A_TOKEN = 86_400
AUTHORIZATION = re.compile(r"vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)")


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64url(value):
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


class Refusal(Exception):
    """Why a push is not taken: the status of the answer, and a sentence for its body."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass
class Answer:
    """What a sender was told."""

    status: int
    # The name of the message that was taken, or why none was.
    text: str


class PushEndpoints:
    """An HTTP server that takes pushes. The last part of an endpoint's path is the subscription's token.

    `deliver(token, name, body)` hands a push to the browser, under a name that is used once."""

    def __init__(self, deliver):
        self.deliver = deliver
        # The sender's key of each subscription: an uncompressed point; None if the subscription has ended.
        self.keys = {}
        # What senders were told, oldest first.
        self.answers = []
        endpoints = self

        class Handler(BaseHTTPRequestHandler):
            # Senders keep connections.
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                answer = endpoints.answer(self.path, self.headers, body)
                self.send_response(answer.status)
                if answer.status == 201:
                    self.send_header("location", f"{endpoints.origin}/message/{answer.text}")
                    self.send_header("ttl", self.headers["ttl"])
                text = b"" if answer.status == 201 else answer.text.encode()
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, key):
        """Returns the token of a new subscription, which takes the pushes of the sender with this key."""
        token = secrets.token_urlsafe(24)
        self.keys[token] = key
        return token

    def end(self, token):
        """Ends a subscription: its endpoint answers 410 from now on."""
        self.keys[token] = None

    def answer(self, path, headers, body):
        """Takes a push, or tells why not."""
        token, name = path.rpartition("/")[2], secrets.token_hex(16)
        try:
            self.check(token, headers, body)
            answer = Answer(201, name)
        except Refusal as refusal:
            answer = Answer(refusal.status, refusal.sentence)
        self.answers.append(answer)
        if answer.status == 201:
            self.deliver(token, name, body)
        return answer

    def check(self, token, headers, body):
        """Checks a push in this order: endpoint, token, headers, body."""
        if token not in self.keys:
            raise Refusal(404, "no such subscription")
        if self.keys[token] is None:
            raise Refusal(410, "the subscription has ended")
        check_authorization(headers["authorization"] or "", self.origin, self.keys[token])
        check_headers(headers)
        if len(body) > MOST_BYTES_OF_A_BODY:
            raise Refusal(413, f"a body has at most {MOST_BYTES_OF_A_BODY} bytes")

    def wait_for_answer(self, number):
        """Waits until so many pushes were answered, and returns the last answer of these."""
        return eventually(lambda: self.answers[number - 1 : number], f"{number} pushes reach the push service")[0]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def check_authorization(header, audience, key):
    """Verifies a token by the key beside it, which must be the subscription's (RFC 8292, sections 2 to 4)."""
    parts = AUTHORIZATION.fullmatch(header)
    if not parts:
        raise Refusal(401, "send Authorization: vapid t=TOKEN, k=KEY")
    head, claims, signature, sender = map(from_base64url, parts.groups())
    if sender != key:
        raise Refusal(403, "the key is not the one that the browser subscribed with")
    # JWTs have both numbers of a signature side by side.
    numbers = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), key).verify(
            encode_dss_signature(*numbers), f"{parts[1]}.{parts[2]}".encode(), ECDSA(SHA256()))
    except InvalidSignature:
        raise Refusal(403, "the key did not sign the token") from None
    if json.loads(head).get("alg") != "ES256":
        raise Refusal(403, "the token does not say that it is signed by ES256")
    claims = json.loads(claims)
    if claims.get("aud") != audience:
        raise Refusal(403, f"the token is for {claims.get('aud')}, and this is {audience}")
    if not 0 < claims.get("exp", 0) - time.time() <= MOST_SECONDS_OF_A_TOKEN:
        raise Refusal(403, "the token has expired, or is valid for more than a day")
    if not claims.get("sub", "").startswith(("mailto:", "https://")):
        raise Refusal(403, "the token names nobody to contact")


def check_headers(headers):
    """Checks the headers of a push (RFC 8030, section 5; RFC 8291, section 4)."""
    if not re.fullmatch(r"\d+", headers["ttl"] or ""):
        raise Refusal(400, "TTL is not a number of seconds")
    if headers["content-encoding"] != "aes128gcm":
        raise Refusal(400, "Content-Encoding is not aes128gcm")
    if not re.fullmatch(r"[\w-]{1,32}", headers.get("topic", "none")):
        raise Refusal(400, "Topic is not 1 to 32 characters of Base64url")
    if headers.get("urgency", "normal") not in ("very-low", "low", "normal", "high"):
        raise Refusal(400, "Urgency is none of very-low, low, normal and high")
