"""Breaks one rule of a push at a time: the push services must notice. Run by python3 -m unittest."""

import time
import unittest
import urllib.error
import urllib.request
from contextlib import closing

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid.jwt import sign

from push_endpoints import MOST_BYTES_OF_A_BODY, PushEndpoints, to_base64url

NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Pushes(unittest.TestCase):
    def setUp(self):
        self.delivered = []
        self.endpoints = self.enterContext(closing(PushEndpoints(lambda *push: self.delivered.append(push))))
        self.key = generate_private_key(SECP256R1())
        self.token = self.endpoints.add(point(self.key))

    def authorization(self, key=None, **claims):
        given = {"aud": self.endpoints.origin, "exp": int(time.time()) + 3600, "sub": "mailto:push@example.com"}
        key = key or self.key
        return f"vapid t={sign(given | claims, key)},k={to_base64url(point(key))}"

    def status(self, token=None, body=b"encrypted", **headers):
        """Returns how a push is answered that is right except for what is given; None leaves a header out."""
        right = {
            "authorization": self.authorization(), "ttl": "60", "content_encoding": "aes128gcm",
            "topic": "a" * 32, "urgency": "high",
        }
        given = {name.replace("_", "-"): value for name, value in (right | headers).items() if value is not None}
        request = urllib.request.Request(f"{self.endpoints.origin}/push/{token or self.token}", body, given)
        try:
            with NO_PROXY.open(request) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def test_a_right_push_is_delivered(self):
        self.assertEqual(self.status(), 201)
        [(token, name, body)] = self.delivered
        self.assertEqual((token, body), (self.token, b"encrypted"))
        self.assertEqual(self.endpoints.answers[0].text, name)

    def test_what_may_be_left_out(self):
        self.assertEqual(self.status(topic=None, urgency=None, ttl="0", body=b"a" * MOST_BYTES_OF_A_BODY), 201)

    def test_a_wrong_push_is_refused(self):
        now = int(time.time())
        head, claims, signature = self.authorization().split(",")[0].split(".")
        _, other_claims, _ = self.authorization(sub="mailto:other@example.com").split(",")[0].split(".")
        swapped = self.authorization().replace(f".{claims}.", f".{other_claims}.")
        for wrong, status, change in [
            ("an unknown subscription", 404, {"token": "unknown"}),
            ("no token", 401, {"authorization": None}),
            ("another scheme", 401, {"authorization": "WebPush abc"}),
            ("another sender", 403, {"authorization": self.authorization(generate_private_key(SECP256R1()))}),
            ("claims that were not signed", 403, {"authorization": swapped}),
            ("another audience", 403, {"authorization": self.authorization(aud="https://push.example.com")}),
            ("an expired token", 403, {"authorization": self.authorization(exp=now - 10)}),
            ("a token for too long", 403, {"authorization": self.authorization(exp=now + 86_500)}),
            ("nobody to contact", 403, {"authorization": self.authorization(sub="push@example.com")}),
            ("no TTL", 400, {"ttl": None}),
            ("a TTL that is no number", 400, {"ttl": "1h"}),
            ("no encoding", 400, {"content_encoding": None}),
            ("the old encoding", 400, {"content_encoding": "aesgcm"}),
            ("a topic that is too long", 400, {"topic": "a" * 33}),
            ("an unknown urgency", 400, {"urgency": "urgent"}),
            ("a body that is too long", 413, {"body": b"a" * (MOST_BYTES_OF_A_BODY + 1)}),
        ]:
            with self.subTest(wrong):
                self.assertEqual(self.status(**change), status)
        self.assertEqual(self.delivered, [])

    def test_a_subscription_that_has_ended_is_gone(self):
        self.endpoints.end(self.token)
        self.assertEqual(self.status(), 410)


if __name__ == "__main__":
    unittest.main()
