"""A first day with the API, through a client that openapi-python-client generated: signs up, plants, waters and exports.

python3 scripts/first_day.py URL MAIL_FILE            the whole day; fails if an answer is not what was promised
python3 scripts/first_day.py URL MAIL_FILE --prepare OPENAPI    signs up, prints a token, and writes the id of a friend into the document,
                                                  so that whoever tries made-up values finds somebody
"""

import json
import re
import sys
import time
import uuid

from cherish_client import AuthenticatedClient, Client, models
from cherish_client.api.default import (
    get_friends, post_accounts, post_friends, post_friends_by_friend_waterings, post_signups)


def code(path: str, email: str) -> str:
    for _ in range(100):
        try:
            mails = [json.loads(line) for line in open(path, encoding="utf-8")]
        except FileNotFoundError:
            mails = []
        found = [mail for mail in mails if mail["to"] == email]
        if found:
            return re.match(r"\d{6}", found[-1]["text"]).group()
        time.sleep(0.1)
    sys.exit(f"no mail to {email}")


def sign_up(url: str, mails: str):
    email = f"{uuid.uuid4()}@example.com"
    client = Client(base_url=url)
    begun = post_signups.sync(
        client=client, body=models.PostSignupsBody(email=email, language=models.PostSignupsBodyLanguage.KO))
    body = models.PostAccountsBodyType0(
        signup_id=begun.id, code=code(mails, email), password="lilac-7-umbrella", nickname="민지",
        time_zone="Asia/Seoul", language=models.PostAccountsBodyType0Language.KO)
    return post_accounts.sync(client=client, body=body).token


def prepare(path: str, known: dict[str, str]) -> None:
    document = json.load(open(path, encoding="utf-8"))
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path" and parameter["name"] in known:
                    parameter["schema"] = {"type": "string", "enum": [known[parameter["name"]]]}
    json.dump(document, open(path, "w", encoding="utf-8"))


def main() -> None:
    url, mails = sys.argv[1:3]
    token = sign_up(url, mails)
    client = AuthenticatedClient(base_url=url, token=token)
    friend = post_friends.sync(
        client=client, body=models.PostFriendsBody(name="김하나", phone="010-1234-5678", cycle_days=7))
    if "--prepare" in sys.argv:
        post_friends_by_friend_waterings.sync(
            friend.id, client=client,
            body=models.PostFriendsByFriendWateringsBody(method=models.PostFriendsByFriendWateringsBodyMethod.CALL))
        prepare(sys.argv[4], {"friend": friend.id, "day": friend.planted_on})
        print(token)
        return
    assert friend.days_left == 7 and friend.phone == "+821012345678", friend
    refused = post_friends.sync(
        client=client, body=models.PostFriendsBody(name="김하나", phone="010-1234-5678", cycle_days=7))
    assert isinstance(refused, models.Problem) and refused.code == "duplicate_phone", refused
    watered = post_friends_by_friend_waterings.sync(
        friend.id, client=client,
        body=models.PostFriendsByFriendWateringsBody(
            method=models.PostFriendsByFriendWateringsBodyMethod.CALL, keywords=["이사"]))
    assert watered.plant.affection == 16 and watered.watering.points_gained == 16, watered
    listed = get_friends.sync(client=client)
    assert [plant.id for plant in listed.plants] == [friend.id] and listed.next_ is None, listed
    export = client.get_httpx_client().get("/v1/account/export?format=vcard")
    assert export.status_code == 200 and "김하나" in export.text, export
    print(f"signed up, planted {friend.nickname}, watered, listed and exported {len(export.content)} bytes")


main()
