"""A WhatsApp that is none: what it posts to the bridge, and what it takes of it."""

from __future__ import annotations

import hashlib
import hmac
import json

import httpx

__all__ = ["NUMBER", "SECRET", "FakeChannel", "text"]

NUMBER = "5511988887777"
SECRET = "whatsapp-app"


def text(body, id="wamid.1", sender=NUMBER, **more):
    """A message as it stands in a webhook's payload."""
    return {"id": id, "from": sender, "timestamp": "1790000000", "type": "text", "text": {"body": body}, **more}


def payload(*messages, **value):
    change = {"field": "messages", "value": {"messaging_product": "whatsapp", "messages": list(messages), **value}}
    return {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change]}]}


class FakeChannel:
    """`channel.brings(bridge, text("oi"))` posts as WhatsApp does; `sent` is what customers got, as (number, text).

    `answers` are given in order to what the bridge sends; after them everything is taken.
    """

    def __init__(self):
        self.sent = []
        self.requests = []
        self.answers = []

    def handle(self, request):
        """The Graph API."""
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else httpx.Response(200, json={"messages": [{"id": "wamid.out"}]})
        if isinstance(answer, Exception):
            raise answer
        if answer.is_success:
            body = json.loads(request.content)
            self.sent.append((body["to"], body["text"]["body"]))
        return answer

    def brings(self, bridge, *messages, signature=None, **value):
        """The status of the bridge's answer."""
        return self.posts(bridge, json.dumps(payload(*messages, **value)).encode(), signature).status_code

    def posts(self, bridge, body, signature=None):
        digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-Hub-Signature-256": f"sha256={digest}" if signature is None else signature}
        return bridge.post("/whatsapp", content=body, headers=headers)
