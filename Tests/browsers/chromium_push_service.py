"""A push service for Chromium on 127.0.0.1, in place of Google's: it takes pushes by HTTP, and speaks with the browser as Google's
cloud messaging does: check-in and registration by HTTP, messages by MCS, which is protocol buffers over TLS.

The origin of the endpoint is part of the browser. So Chromium names an endpoint at Google, and `reachable(endpoint)` is the same one
here.

Needs cryptography from PyPI."""

import asyncio
import base64
import hashlib
import ssl
import struct
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from push_endpoints import PushEndpoints, from_base64url

# The version of MCS, and the tags of the messages that are needed here.
VERSION = 41
HEARTBEAT_PING, HEARTBEAT_ACK, LOGIN_REQUEST, LOGIN_RESPONSE, DATA_MESSAGE = 0, 1, 2, 3, 8


@dataclass
class Registration:
    """What Chromium names when a page subscribes, and wants to find in each message."""

    product: str
    app: str
    sender: str


class ChromiumPushService:
    """Serves one browser."""

    def __init__(self):
        self.endpoints = PushEndpoints(self.deliver)
        # The registration of each token.
        self.registrations = {}
        # Messages by their name. They are sent again if the browser reconnects without them. Chromium does so right after
        # its check-in.
        self.waiting = {}
        self.browser = None
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                form = self.rfile.read(int(self.headers["content-length"]))
                answer = checked_in() if self.path == "/check-in" else service.register(dict(parse_qsl(form.decode())))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        context, self.fingerprint = own_certificate()
        listening = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.talk, "127.0.0.1", 0, ssl=context), self.loop)
        self.port = listening.result().sockets[0].getsockname()[1]

    def options(self):
        """Returns the options with which Chromium uses this service. The profile must not be incognito."""
        origin = f"http://127.0.0.1:{self.server.server_port}"
        return [
            f"--gcm-checkin-url={origin}/check-in",
            f"--gcm-registration-url={origin}/register",
            f"--gcm-mcs-endpoint=https://127.0.0.1:{self.port}",
            f"--ignore-certificate-errors-spki-list={self.fingerprint}",
        ]

    def reachable(self, endpoint):
        """Returns an endpoint at Google as it is here: the same path at another origin."""
        return self.endpoints.origin + urlsplit(endpoint).path

    def register(self, form):
        """Answers a registration, or its end."""
        app = form.get("X-subtype")
        if app is None:
            # The browser also registers itself, and nothing comes of it.
            return b"token=none"
        if form.get("delete") == "true":
            for token, registration in self.registrations.items():
                if registration.app == app:
                    self.endpoints.end(token)
            return b"token=" + form["appid"].encode()
        token = self.endpoints.add(from_base64url(form["sender"]))
        self.registrations[token] = Registration(form["app"], app, form["sender"])
        return b"token=" + token.encode()

    def deliver(self, token, name, body):
        registration = self.registrations[token]
        # DataMessageStanza: from, category, app_data, persistent_id, raw_data.
        message = framed(DATA_MESSAGE, b"".join([
            field(3, registration.sender), field(5, registration.product),
            field(7, field(1, "subtype") + field(2, registration.app)),
            field(7, field(1, "content-encoding") + field(2, "aes128gcm")),
            field(9, name), field(21, body),
        ]))
        self.loop.call_soon_threadsafe(self.send, name, message)

    def send(self, name, message):
        self.waiting[name] = message
        if self.browser:
            self.browser.write(message)

    async def talk(self, reader, writer):
        """Answers a browser until it leaves."""
        try:
            await reader.readexactly(1)
            while True:
                tag = await read_varint(reader)
                message = await reader.readexactly(await read_varint(reader))
                if tag == LOGIN_REQUEST:
                    # It names what arrived over an earlier connection. Names are random: nothing else looks like one.
                    self.waiting = {
                        name: waiting for name, waiting in self.waiting.items() if name.encode() not in message
                    }
                    # LoginResponse: id, server_timestamp.
                    login = framed(LOGIN_RESPONSE, field(1, "1") + field(8, int(time.time() * 1000)))
                    writer.write(b"".join([bytes([VERSION]), login, *self.waiting.values()]))
                    self.browser = writer
                elif tag == HEARTBEAT_PING:
                    writer.write(framed(HEARTBEAT_ACK, b""))
        except (asyncio.IncompleteReadError, OSError):
            if self.browser is writer:
                self.browser = None
            writer.close()

    def close(self):
        self.endpoints.close()
        self.server.shutdown()
        self.server.server_close()
        self.loop.call_soon_threadsafe(self.loop.stop)


def checked_in():
    """Returns an AndroidCheckinResponse: stats_ok, time_msec, android_id, security_token."""
    # Both of 64 bits; any value but zero does.
    numbers = b"".join(varint(number << 3 | 1) + struct.pack("<Q", 1) for number in (7, 8))
    return field(1, 1) + field(3, int(time.time() * 1000)) + numbers


# MARK: Protocol buffers


def varint(number):
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number, value):
    """Returns a field of a message: a number, text or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def framed(tag, message):
    return varint(tag) + varint(len(message)) + message


async def read_varint(reader):
    number = shift = 0
    while True:
        [part] = await reader.readexactly(1)
        number |= (part & 0x7F) << shift
        shift += 7
        if part <= 0x7F:
            return number


# MARK: TLS


def own_certificate():
    """Returns a TLS context with a new certificate for 127.0.0.1, and the fingerprint by which Chromium is to trust it."""
    key, now = generate_private_key(SECP256R1()), datetime.now(timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .sign(key, SHA256()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.write(certificate.public_bytes(Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return context, base64.b64encode(hashlib.sha256(public).digest()).decode()
