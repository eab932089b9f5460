"""Answers as Twilio, SENS and a receiver of webhooks do: text_message_server.py FOLDER SETTINGS

It listens on a free port of 127.0.0.1, writes the port to FOLDER/port, and appends each request as a line of JSON to FOLDER/requests, with
what is wrong with it. SETTINGS is JSON: accountSID, authToken, accessKey, secretKey, serviceID, webhookSecret. It ends with its parent.

Written from the services' documentation, without looking at the senders: https://www.twilio.com/docs/messaging/api/message-resource,
https://api.ncloud-docs.com/docs/sens-sms-send, https://www.standardwebhooks.com.
"""

import base64
import datetime
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import socket
import sys
import threading
import time
import urllib.parse

folder, settings = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
parent = os.getppid()
lock = threading.Lock()


def code(key, text):
    return base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def twilio(request, body):
    credentials = base64.b64encode(f"{settings['accountSID']}:{settings['authToken']}".encode()).decode()
    if request.headers["Authorization"] != f"Basic {credentials}":
        return 401, {"code": 20003, "message": "Authenticate", "status": 401}, []
    wrong = []
    if request.path != f"/2010-04-01/Accounts/{settings['accountSID']}/Messages.json":
        return 404, {"code": 20404, "message": f"{request.path} was not found", "status": 404}, []
    if request.headers["Content-Type"] != "application/x-www-form-urlencoded":
        wrong.append("content type")
    form = dict(urllib.parse.parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True))
    if set(form) not in ({"To", "From", "Body"}, {"To", "MessagingServiceSid", "Body"}):
        wrong.append("fields")
    to = form["To"]
    if not re.fullmatch(r"\+[1-9]\d{4,14}", to):
        wrong.append("number")
    if len(form["Body"]) > 1600:
        return 400, {"code": 21617, "message": "too long", "status": 400}, wrong
    status, number = {
        "+15005550001": (400, 21211), "+15005550429": (429, 20429), "+15005550500": (500, 20500), "+15005550403": (403, 20005),
    }.get(to, (201, 0))
    if status != 201:
        return status, {"code": number, "message": f"The number {to} is no good.", "status": status}, wrong
    return 201, {"sid": "SM" + "0" * 32, "status": "queued", "to": to, "body": form["Body"], "error_code": None}, wrong


def sens(request, body):
    wrong = []
    timestamp = request.headers["x-ncp-apigw-timestamp"]
    signed = f"POST {request.path}\n{timestamp}\n{request.headers['x-ncp-iam-access-key']}"
    if abs(int(timestamp) / 1000 - time.time()) > 300 or request.headers["x-ncp-iam-access-key"] != settings["accessKey"] \
            or request.headers["x-ncp-apigw-signature-v2"] != code(settings["secretKey"].encode(), signed.encode()):
        return 401, {"error": {"errorCode": "200", "message": "Authentication Failed"}}, []
    if request.path != f"/sms/v2/services/{settings['serviceID']}/messages":
        return 404, {"status": 404}, []
    if request.headers["Content-Type"] != "application/json; charset=utf-8":
        wrong.append("content type")
    message = json.loads(body)
    if set(message) != {"type", "contentType", "countryCode", "from", "content", "messages"}:
        wrong.append("fields")
    if (message["type"], message["contentType"]) != ("SMS", "COMM"):
        wrong.append("type")
    numbers = [recipient["to"] for recipient in message["messages"]] + [message["from"], message["countryCode"]]
    if not all(re.fullmatch(r"\d{1,15}", number) for number in numbers):
        wrong.append("number")
    if message["countryCode"] == "82" and len(message["content"].encode("euc-kr")) > 90:
        return 400, {"status": 400}, wrong
    to = message["messages"][0]["to"]
    if to in ("01000000429", "01000000500", "01000000400"):
        return int(to[-3:]), {"status": int(to[-3:]), "error": {"message": f"no good: {to}"}}, wrong
    result = "400" if to == "01000000202" else "202"
    return 202, {
        "statusCode": result, "statusName": "success" if result == "202" else "fail", "requestId": "VRSSA-0",
        "requestTime": datetime.datetime.now().isoformat(),
    }, wrong


def webhook(request, body):
    identity, timestamp = request.headers["webhook-id"], request.headers["webhook-timestamp"]
    secret = base64.b64decode(settings["webhookSecret"].removeprefix("whsec_"))
    signature = "v1," + code(secret, f"{identity}.{timestamp}.".encode() + body)
    wrong = []
    if abs(int(timestamp) - time.time()) > 300 or signature not in request.headers["webhook-signature"].split(" "):
        return 401, {}, []
    if request.headers["Content-Type"] != "application/json":
        wrong.append("content type")
    # Like /hook/503.
    return int(request.path.rsplit("/", 1)[1]), {}, wrong


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/hook/reset"):
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        if self.path.startswith("/hook/silent"):
            time.sleep(3600)
        if self.path.startswith("/hook/half"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
            return
        if self.path.startswith("/hook/endless"):
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(bytes(100_000))
            except OSError:
                pass
            self.close_connection = True
            return
        service = {"2010-04-01": twilio, "sms": sens, "hook": webhook}[self.path.split("/")[1]]
        status, answer, wrong = service(self, body)
        line = json.dumps({
            "path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": body.decode(), "wrong": wrong, "status": status,
        })
        with lock, open(folder / "requests", "a") as file:
            file.write(line + "\n")
        content = json.dumps(answer).encode() if status != 204 else b""
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/hook/200")
        self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
temporary = folder / "port.new"
temporary.write_text(str(server.server_address[1]))
temporary.rename(folder / "port")
while os.getppid() == parent:
    time.sleep(1)
os._exit(0)
