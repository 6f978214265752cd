"""The server whose model has function calling and structured output."""

from . import chat, messages, responses
from .answering import answer
from .loopback import LoopbackServer, Received, Refusal, Reply


def chat_reply(received: Received) -> Reply:
    """Answer `/chat/completions`, with as many choices as asked for."""
    ask, body = chat.read(received), received.body
    answers = [answer(ask, choice=i) for i in range(body.get("n") or 1)]
    if not body.get("stream"):
        return Reply(body=chat.whole(ask, answers))
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    return Reply(events=chat.chunks(ask, answers, with_usage=with_usage))


def messages_reply(received: Received) -> Reply:
    """Answer `/messages`."""
    ask = messages.read(received)
    said = answer(ask)
    if received.body.get("stream"):
        return Reply(events=messages.events(ask, said))
    return Reply(body=messages.whole(ask, said))


def responses_reply(received: Received) -> Reply:
    """Answer `/responses`."""
    ask, body = responses.read(received), received.body
    said = answer(ask)
    if body.get("stream"):
        return Reply(events=responses.events(ask, said, body=body))
    return Reply(body=responses.whole(ask, said, body=body))


ROUTES = {
    "/v1/chat/completions": chat_reply,
    "/v1/messages": messages_reply,
    "/v1/responses": responses_reply,
}


class NativeServer(LoopbackServer):
    """Speaks chat completions, messages and responses, whole and streaming."""

    def reply(self, received: Received) -> Reply:
        """Answer by the path of the request."""
        if received.path not in ROUTES:
            raise Refusal(f"nothing at {received.path}", status=404)
        return ROUTES[received.path](received)
