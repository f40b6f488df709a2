"""What a failed request tells the user to check, in the words of the provider's own keys in the config."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAdvice:
    """The words of one provider: `address` is the key of where it is, `request` are those that make a request.

    `statuses` say what to do about an HTTP status, `otherwise` about all others. `party` is who should answer.
    """

    address: str
    request: str
    statuses: Mapping[int, str]
    otherwise: str
    party: str = "the agent"


URL_ADVICE = HttpAdvice(
    address="`url`",
    request="`headers` and `request_template`",
    statuses={
        400: "check `request_template`",
        401: "check the credentials in `headers`",
        403: "check the credentials in `headers`",
        404: "check `url`",
        405: "check `method`",
        415: "check the Content-Type in `headers`",
        422: "check `request_template`",
    },
    otherwise="the agent did not answer the message; its own log may say why",
)
"""For an endpoint that a `url` names."""
