"""Outputs made alike before two of them are compared, as a scenario's `normalize` says."""

import re

from agentlab_ci.core.results import Normalization

DATE = "<date>"

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_TIME = r"\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?"
_DATES = re.compile(
    rf"(?<![\w.-])(?:\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_TIME})?|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}"
    rf"|{_MONTH} (?:{_DAY},? )?\d{{4}}|{_DAY} {_MONTH},? \d{{4}})(?!\w|\.\d)",
    re.IGNORECASE | re.ASCII,
)


def normalize(text: str, how: Normalization | None) -> str:
    """Return the text as it is compared.

    `strip_whitespace` makes every run of white space one blank and drops it at the ends; `ignore_dates` writes
    `<date>` for dates with a year: 2026-04-07, with or without a time, 7/4/2026, 7.4.2026, 7 April 2026,
    April 7, 2026 and April 2026.
    """
    if how is None:
        return text
    if how.ignore_dates:
        text = _DATES.sub(DATE, text)
    if how.lowercase:
        text = text.lower()
    return " ".join(text.split()) if how.strip_whitespace else text
