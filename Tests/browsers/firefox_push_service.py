"""A push service for Firefox on 127.0.0.1: it speaks Mozilla's protocol with the browser by WebSocket, and takes pushes by HTTP.

Firefox acknowledges each push with a code, which is the browser's own verdict: ACK_DECRYPTED or ACK_NOT_DECRYPTED.

Needs websockets and cryptography from PyPI."""

import json
import threading
import uuid

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from eventually import eventually
from push_endpoints import PushEndpoints, from_base64url, to_base64url

ACK_DECRYPTED = 100
ACK_NOT_DECRYPTED = 101


class FirefoxPushService:
    """Serves one browser."""

    def __init__(self):
        self.endpoints = PushEndpoints(self.deliver)
        # The token of each channel, which is what Firefox calls a subscription.
        self.tokens = {}
        # The code of each message that the browser acknowledged, by the message's name.
        self.acknowledged = {}
        # Messages by their name. They wait for the browser, and are sent again if it reconnects before it has acknowledged them.
        self.waiting = {}
        self.lock = threading.Lock()
        self.browser = None
        self.server = serve(self.talk, "127.0.0.1", 0, subprotocols=["push-notification"])
        self.url = f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def preferences(self):
        """Returns the preferences with which Firefox uses this service."""
        return {"dom.push.serverURL": self.url, "dom.push.testing.allowInsecureServerURL": True}

    def reachable(self, endpoint):
        """Returns an endpoint as it is here; Chromium's differ."""
        return endpoint

    def deliver(self, token, name, body):
        channel = next(channel for channel, known in self.tokens.items() if known == token)
        message = {
            "messageType": "notification", "channelID": channel, "version": name, "data": to_base64url(body),
            "headers": {"encoding": "aes128gcm"},
        }
        with self.lock:
            self.waiting[name] = message
            if self.browser:
                self.browser.send(json.dumps(message))

    def acknowledgement(self, name):
        """Waits for the browser's verdict on a message, and returns its code."""
        return eventually(lambda: self.acknowledged.get(name), "Firefox acknowledges the push")

    def talk(self, browser):
        """Answers a browser until it leaves."""
        answers = {"hello": self.hello, "register": self.register, "unregister": self.unregister}
        try:
            for text in browser:
                message = json.loads(text)
                kind = message.get("messageType")
                if not message:
                    # A ping.
                    browser.send("{}")
                elif kind in answers:
                    browser.send(json.dumps({"messageType": kind, "status": 200} | answers[kind](message)))
                elif kind == "ack":
                    self.acknowledge(message)
                if kind == "hello":
                    with self.lock:
                        self.browser = browser
                        for waiting in self.waiting.values():
                            browser.send(json.dumps(waiting))
        except ConnectionClosed:
            pass
        with self.lock:
            if self.browser is browser:
                self.browser = None

    def hello(self, message):
        return {"uaid": message.get("uaid") or uuid.uuid4().hex, "use_webpush": True, "broadcasts": {}}

    def register(self, message):
        channel = message["channelID"]
        # Without a key, anybody could send; our pages always give one.
        if "key" not in message:
            return {"channelID": channel, "status": 400}
        token = self.tokens[channel] = self.endpoints.add(from_base64url(message["key"]))
        return {"channelID": channel, "pushEndpoint": f"{self.endpoints.origin}/push/{token}"}

    def unregister(self, message):
        channel = message["channelID"]
        if channel in self.tokens:
            self.endpoints.end(self.tokens[channel])
        return {"channelID": channel}

    def acknowledge(self, message):
        for update in message["updates"]:
            with self.lock:
                self.waiting.pop(update["version"], None)
            self.acknowledged[update["version"]] = update["code"]

    def close(self):
        self.endpoints.close()
        self.server.shutdown()
