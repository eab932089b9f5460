"""A first day with the API, through a client that openapi-python-client generated: signs up, plants, waters and exports.

python3 scripts/first_day.py URL MAIL_FILE            the whole day; fails if an answer is not what was promised
python3 scripts/first_day.py URL MAIL_FILE --token    signs up and prints a token
"""

import json
import re
import sys
import time
import uuid

from cherish_client import AuthenticatedClient, Client, models
from cherish_client.api import default as api


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
    begun = api.post_signups.sync(
        client=client, body=models.PostSignupsBody(email=email, language=models.PostSignupsBodyLanguage.KO))
    body = models.PostAccountsBody(
        signup_id=begun.id, code=code(mails, email), password="lilac-7-umbrella", nickname="민지",
        time_zone="Asia/Seoul", language=models.PostAccountsBodyLanguage.KO)
    return api.post_accounts.sync(client=client, body=body).token


def main() -> None:
    url, mails = sys.argv[1:3]
    token = sign_up(url, mails)
    if "--token" in sys.argv:
        print(token)
        return
    client = AuthenticatedClient(base_url=url, token=token)
    friend = api.post_friends.sync(
        client=client, body=models.PostFriendsBody(name="김하나", phone="010-1234-5678", cycle_days=7))
    assert friend.days_left == 7 and friend.phone == "+821012345678", friend
    refused = api.post_friends.sync(
        client=client, body=models.PostFriendsBody(name="김하나", phone="010-1234-5678", cycle_days=7))
    assert isinstance(refused, models.Problem) and refused.code == "duplicate_phone", refused
    watered = api.post_friends_by_friend_waterings.sync(
        friend.id, client=client,
        body=models.PostFriendsByFriendWateringsBody(
            method=models.PostFriendsByFriendWateringsBodyMethod.CALL, keywords=["이사"]))
    assert watered.plant.affection == 16 and watered.watering.points_gained == 16, watered
    listed = api.get_friends.sync(client=client)
    assert [plant.id for plant in listed.plants] == [friend.id] and listed.next_ is None, listed
    export = client.get_httpx_client().get("/v1/account/export?format=vcard")
    assert export.status_code == 200 and "김하나" in export.text, export
    print(f"signed up, planted {friend.nickname}, watered, listed and exported {len(export.content)} bytes")


main()
