"""A mail server for tests, on aiosmtpd: smtp_server.py FOLDER MODE USER PASSWORD

It makes a certificate for localhost, listens on a free port of 127.0.0.1, and writes the port to FOLDER/port. It stores each mail as
FOLDER/mails/NUMBER.json and appends the recipient of each attempt to FOLDER/attempts. It ends with its parent.

Modes: starttls (encryption and authentication are required), tls (encrypted from the first byte), open (no authentication), plain (no
encryption on offer), stranger (a certificate of another host), silent (never greets), full (greets with 421), rude (does not answer QUIT),
ascii (no SMTPUTF8).

Recipients: grey@ is put off twice, busy@ always; gone@ does not exist; heavy@ and spam@ are refused after the text; slow@ gets no answer.
"""

import asyncio
import base64
import json
import os
import pathlib
import ssl
import subprocess
import sys

from aiosmtpd.smtp import SMTP, AuthResult

folder, mode, user, password = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
parent = os.getppid()


def certificate():
    host = "mail.example.org" if mode == "stranger" else "localhost"
    files = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=Cherish test", "-addext", f"subjectAltName=DNS:{host}", "-keyout", files[0], "-out", files[1]],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files[1], files[0])
    return context


class Handler:
    def __init__(self):
        self.attempts = 0
        (folder / "mails").mkdir()

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.attempts += 1
        with open(folder / "attempts", "a") as file:
            file.write(address + "\n")
        match address.split("@")[0]:
            case "grey" if self.attempts < 3:
                return f"451 4.7.1 <{address}>: greylisted, try again in 5 minutes"
            case "busy":
                return f"450 4.2.1 <{address}> is busy"
            case "gone":
                return f"550 5.1.1 <{address}>: user unknown"
            case "slow":
                await asyncio.sleep(3600)
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        match envelope.rcpt_tos[0].split("@")[0]:
            case "heavy":
                return "452-4.3.1 no room\r\n452 4.3.1 for that"
            case "spam":
                return f"554 5.7.1 <{envelope.rcpt_tos[0]}> does not want this"
        number = len(list((folder / "mails").iterdir())) + 1
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "options": envelope.mail_options,
            "content": base64.b64encode(envelope.original_content).decode(),
            "greeting": session.host_name,
            "isEncrypted": session.ssl is not None or mode == "tls",
            "user": session.auth_data,
        }
        temporary = folder / "mail"
        temporary.write_text(json.dumps(mail))
        temporary.rename(folder / "mails" / f"{number}.json")
        return "250 2.0.0 taken"

    async def handle_QUIT(self, server, session, envelope):
        if mode == "rude":
            await asyncio.sleep(3600)
        return "221 2.0.0 bye"


def authenticate(server, session, envelope, mechanism, data):
    success = data.login == user.encode() and data.password == password.encode()
    # Without a message of its own, aiosmtpd answers with 535.
    return AuthResult(success=success, handled=False, auth_data=data.login.decode())


async def greet_strangely(reader, writer):
    if mode == "full":
        writer.write(b"421 4.3.2 too many connections\r\n")
        await writer.drain()
        writer.close()
    else:
        await asyncio.sleep(3600)


async def main():
    context = certificate()
    handler = Handler()
    loop = asyncio.get_running_loop()

    def protocol():
        encrypts = mode not in ("plain", "tls")
        authenticates = mode not in ("plain", "open")
        return SMTP(
            handler, hostname="localhost", enable_SMTPUTF8=mode != "ascii", loop=loop,
            tls_context=context if encrypts else None, require_starttls=encrypts, auth_required=authenticates,
            auth_require_tls=encrypts, authenticator=authenticate)

    if mode in ("silent", "full"):
        server = await asyncio.start_server(greet_strangely, "127.0.0.1", 0)
    else:
        server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=context if mode == "tls" else None)
    temporary = folder / "port.new"
    temporary.write_text(str(server.sockets[0].getsockname()[1]))
    temporary.rename(folder / "port")
    while os.getppid() == parent:
        await asyncio.sleep(1)


asyncio.run(main())
